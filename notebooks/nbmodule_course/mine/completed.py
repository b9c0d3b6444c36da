"""The reader's class, completed: our methods stand in for those that it does not have yet."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .blame import explain
from .home import at_home
from .together import refusals

_EVERY_CLASS_HAS = {"__dict__", "__weakref__", "__module__", "__doc__", "__init__", "__annotations__"}  # fmt: skip
_PAIRS = {"__getstate__": "__setstate__", "__setstate__": "__getstate__"}


class Growing(type):
    """The class of the completed class and of all layers on it.

    The completed class also counts the objects of the reader's own class as Modules, although it is a subclass of
    that: so `Sequential(net)` takes them.
    """

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        own = cls.__dict__.get("_readers_own")
        return own is not None and isinstance(instance, own)

    def __subclasscheck__(cls, subclass: type) -> bool:
        if type.__subclasscheck__(cls, subclass):
            return True
        own = cls.__dict__.get("_readers_own")
        return own is not None and type.__subclasscheck__(own, subclass)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make an object; if a method of the reader's raises while one of our layers is made, say so."""
        try:
            return super().__call__(*args, **kwargs)
        except Exception as error:
            if cls.__module__.startswith("nbmodule."):
                explain(error, cls)
            raise


class Completion:
    """Completes `own` in place whenever it grows or loses a method.

    Args:
        own: the reader's class.
        ours: the `Module` of the second copy.
        file: the second copy of `module.py`.
    """

    def __init__(self, own: type, ours: type, file: ModuleType) -> None:
        self.own, self.ours = own, ours
        self.file = file
        self._lent: dict[str, Any] = {}
        named = {"__module__": own.__module__, "__doc__": own.__doc__, "_readers_own": own}
        named["__annotations__"] = dict(ours.__annotations__)
        self.type = Growing(own.__name__, (own,), named)
        self._ours_at_home = {
            name: at_home(value, self.type)
            for name, value in vars(ours).items()
            if name not in _EVERY_CLASS_HAS
        }
        self._ours_at_home["_get_backward_hooks"] = _backward_hooks
        self._init = at_home(vars(ours)["__init__"], self.type)
        type.__setattr__(self.type, "__init__", self._make_init())
        self.update()

    def update(self) -> None:
        """Lend what the reader's class lacks now, and take back what it has meanwhile."""
        has = {name for base in self.own.__mro__[:-1] for name in vars(base)}
        paired = {_PAIRS[name] for name in has & set(_PAIRS)}
        wanted = {n: v for n, v in self._ours_at_home.items() if n not in has | paired}
        wanted |= refusals(self.own, wanted)
        for name in self._lent.keys() - wanted.keys():
            type.__delattr__(self.type, name)
        for name, value in wanted.items():
            if self._lent.get(name) is not value:
                type.__setattr__(self.type, name, value)
        self._lent = wanted

    @property
    def lent(self) -> list[str]:
        """Return the names of our methods that stand in."""
        return sorted(self._lent)

    def _make_init(self) -> Any:
        own, ours, ours_init = self.own, self.ours, self._init

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            theirs = own.__init__
            if theirs is object.__init__:
                ours_init(self, *args, **kwargs)
                return
            vars(self).update(
                vars(ours())
            )  # the slots that the reader's __init__ does not make yet
            theirs(self, *args, **kwargs)

        return __init__


def _backward_hooks(self: Any) -> tuple[list[Any], list[Any]]:
    """Return the full backward hooks, and those that sit on the last operation; the global ones first."""
    first = sys.modules[
        "nbmodule.nn.modules.module"
    ]  # the switch for all modules is kept there alone
    hooks: dict[bool | None, list[Any]] = {True: [], False: [], None: []}
    hooks[first._global_is_full_backward_hook] += first._global_backward_hooks.values()
    hooks[self._is_full_backward_hook] += self._backward_hooks.values()
    return hooks[True], hooks[False]
