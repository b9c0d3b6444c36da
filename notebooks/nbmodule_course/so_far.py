"""The Module that the chapters build, as far as each of them gets.

A chapter starts from a correct version of everything that came before it, so an exercise that was left open
locks nobody out. The classes are small on purpose: chapters show their source.
"""

from __future__ import annotations

from typing import Any

from nbmodule import Tensor, nn
from nbmodule.nn import Parameter


class Module01:
    """The end of chapter 01: four slots, made past `__setattr__`, for every object anew."""

    training: bool
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]

    def __init__(self) -> None:
        new_slot = super().__setattr__
        new_slot("training", True)
        new_slot("_parameters", {})
        new_slot("_buffers", {})
        new_slot("_modules", {})


class Module02(Module01):
    """The end of chapter 02: a clerk who sorts every assignment into the drawers."""

    def __setattr__(self, name: str, value: Any) -> None:
        home = self._home_of(name, value)
        if home is None:
            super().__setattr__(name, value)
        else:
            self._make_room(name, home)
            home[name] = value

    def _home_of(self, name: str, value: Any) -> dict[str, Any] | None:
        """Return the drawer that is to hold `value`; None means: as for any object."""
        drawers = vars(self)
        if isinstance(value, (Parameter, nn.Module, Module01)) and "_modules" not in drawers:
            raise AttributeError(f"call super().__init__() before you assign '{name}'")
        kind = type(value).__name__
        if isinstance(value, Parameter):
            return self._parameters
        if name in drawers.get("_parameters", {}):
            if value is not None:
                raise TypeError(f"cannot assign '{kind}' as parameter '{name}'")
            return self._parameters
        if isinstance(value, (nn.Module, Module01)):
            return self._modules
        if name in drawers.get("_modules", {}):
            if value is not None:
                raise TypeError(f"cannot assign '{kind}' as child module '{name}'")
            return self._modules
        if name in drawers.get("_buffers", {}):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(f"cannot assign '{kind}' as buffer '{name}'")
            return self._buffers
        return None

    def _make_room(self, name: str, keep: dict[str, Any]) -> None:
        """Take `name` out of every place but `keep`."""
        for place in (vars(self), self._parameters, self._buffers, self._modules):
            if place is not keep:
                place.pop(name, None)


class Module03(Module02):
    """The end of chapter 03: what lies in the drawers is found, deleted and listed by name."""

    def __getattr__(self, name: str) -> Any:
        for drawer in self._drawers():
            if name in drawer:
                return drawer[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for drawer in self._drawers():
            if name in drawer:
                del drawer[name]
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = set(super().__dir__()).union(*self._drawers())
        return sorted(name for name in names if not name[0].isdigit())

    def _drawers(self) -> list[dict[str, Any]]:
        """Return the drawers that are there; before `__init__` there are none."""
        slots = self.__dict__
        return [slots[key] for key in ("_parameters", "_buffers", "_modules") if key in slots]
