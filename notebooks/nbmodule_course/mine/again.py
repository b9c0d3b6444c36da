"""The files of all layers, run a second time with another class in the place of `nn.Module`.

Every layer file says `from .module import Module`. Here a second copy of these files is made in the same process, whose
`module.py` offers a class of the reader's under that name. Nothing of nbmodule changes.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import nbmodule.nn

_HOME = "nbmodule.nn"
_ROOMS = (f"{_HOME}.modules", f"{_HOME}.utils")
_MODULE = f"{_HOME}.modules.module"
_one_at_a_time = threading.RLock()

Replace = Callable[[type, ModuleType], type]


class SecondCopy:
    """The second copy of `nbmodule.nn.modules` and `nbmodule.nn.utils`.

    Args:
        replace: is given our second `Module` and the file that it stands in, and returns the class that all
            layers inherit from.
    """

    def __init__(self, replace: Replace) -> None:
        self._finder = _Finder(replace)
        self._second: dict[str, ModuleType] = {}
        self.modules = self.part(_ROOMS[0])
        self.utils = _Utils(self)

    def part(self, name: str) -> ModuleType:
        """Return one of the files, run a second time."""
        with _one_at_a_time, _in_place_of_the_first(self._second) as first:
            self._finder.first = first
            sys.meta_path.insert(0, self._finder)
            try:
                return importlib.import_module(name)
            finally:
                sys.meta_path.remove(self._finder)

    def stay(self) -> None:
        """Put this copy in the place of the first for good, in a process of its own: `nn.Linear` is the second one."""
        self.part(_ROOMS[1])
        for name in _ours():
            del sys.modules[name]
        sys.modules.update(self._second)
        for room in _ROOMS:
            setattr(nbmodule.nn, room.rpartition(".")[2], self._second[room])
        for name in self.modules.__all__:
            setattr(nbmodule.nn, name, getattr(self.modules, name))

    def __getattr__(self, name: str) -> Any:
        """Return a layer by its name."""
        if name in self.__dict__.get("modules", _NOTHING).__dict__.get("__all__", ()):
            return getattr(self.modules, name)
        raise AttributeError(name)

    def __dir__(self) -> list[str]:
        return sorted(self.modules.__all__)


_NOTHING = ModuleType("nothing")


class _Utils:
    """The second copy of `nbmodule.nn.utils`, whose files are run when they are first asked for."""

    def __init__(self, copy: SecondCopy) -> None:
        self._copy = copy

    def __getattr__(self, name: str) -> Any:
        room = self._copy.part(_ROOMS[1])
        if not name.startswith("_") and name in vars(room):
            return vars(room)[name]
        place = f"{_ROOMS[1]}.{name}"
        if name.startswith("_") or importlib.util.find_spec(place) is None:
            raise AttributeError(f"nbmodule.nn.utils has no attribute '{name}'")
        return self._copy.part(place)

    def __dir__(self) -> list[str]:
        return dir(self._copy.part(_ROOMS[1]))


@contextmanager
def _in_place_of_the_first(second: dict[str, ModuleType]) -> Iterator[dict[str, ModuleType]]:
    """Put the second copy of the layer files, as far as it is there, into `sys.modules`, and the first back at the end."""
    first = {name: sys.modules.pop(name) for name in _ours()}
    names = {room: getattr(nbmodule.nn, room.rpartition(".")[2]) for room in _ROOMS}
    sys.modules.update(second)
    try:
        yield first
    finally:
        for name in _ours():
            second[name] = sys.modules.pop(name)
        sys.modules.update(first)
        for room, module in names.items():
            setattr(nbmodule.nn, room.rpartition(".")[2], module)


def _ours() -> list[str]:
    return [
        name
        for name in list(sys.modules)
        if any(name == room or name.startswith(f"{room}.") for room in _ROOMS)
    ]


class _Finder(importlib.abc.MetaPathFinder):
    """Finds each layer file where it always is, and has `_Loader` run it."""

    def __init__(self, replace: Replace) -> None:
        self.replace = replace
        self.first: dict[str, ModuleType] = {}
        self.base: type | None = None

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if not any(name == room or name.startswith(f"{room}.") for room in _ROOMS):
            return None
        others = [finder for finder in sys.meta_path if finder is not self]
        found = (finder.find_spec(name, path, target) for finder in others)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self)
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: Any, finder: _Finder) -> None:
        self.loader, self.finder = loader, finder

    def create_module(self, spec: Any) -> Any:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        exec(_code(self.loader, module.__name__), vars(module))
        finder = self.finder
        if module.__name__ == _MODULE:
            finder.base = module.Module = finder.replace(module.Module, module)  # type: ignore[attr-defined]
        _share(module, finder.first.get(module.__name__), finder.base)


def _code(loader: Any, name: str) -> Any:
    """Return what a file compiles to; it is compiled once in a process, where no bytecode is kept on the disk."""
    if name not in _compiled:
        _compiled[name] = loader.get_code(name)
    return _compiled[name]


_compiled: dict[str, Any] = {}


def _share(module: ModuleType, first: ModuleType | None, base: type | None) -> None:
    """Keep from the first copy what knows nothing of `Module`: its other classes, and the global hooks.

    So a `PackedSequence` is one, whoever made it, and a hook for all modules runs on these modules too.
    """
    if first is None:
        return
    for name, value in list(vars(module).items()):
        here = isinstance(value, type) and value.__module__ == module.__name__
        if (here and not (base and issubclass(value, base))) or (
            name.startswith("_global_") and isinstance(value, dict)
        ):
            setattr(module, name, getattr(first, name))
