"""The calls of Modules that are open while a pass runs: heard without a hook, as `shadowing` does it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from nbmodule_widgets.facts.interrupts import to_its_end
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.graphing.grouping import Call
from nbmodule_widgets.graphing.naming import Names
from nbmodule_widgets.protocol import attempt, class_name, dict_opener, namespace_of, own_dict
from nbmodule_widgets.shadowing import Entrances, Shadows, deeper, forward_of

_LIBRARIES = ("torch.nn", "nbmodule.nn")


class Broken(NamedTuple):
    """The innermost call that an exception left.

    Attributes:
        error: The exception.
        calls: The calls that were open, the outermost first.
        module: The Module.
        args: What it was given.
        kwargs: What it was given by name.
    """

    error: BaseException | None = None
    calls: tuple[Call, ...] = ()
    module: Any = None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = {}

    @property
    def is_of_a_library(self) -> bool:
        """Whether the Module's class is one of a library's, whose code the reader has not written."""
        home = namespace_of(type(self.module)).get("__module__")
        return type(home) is str and home.partition(".")[0] in ("torch", "nbmodule")


class Calls:
    """The open calls.

    Args:
        names: The names of the Modules that are known.

    Attributes:
        open: The calls that are open, the outermost first.
        broken: The innermost call that the last exception left.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self.open: tuple[Call, ...] = ()
        self.broken = Broken()
        self._count = 0
        self._times: dict[int, int] = {}
        self._shadowed: set[int] = set()

    @contextmanager
    def heard(self) -> Iterator[None]:
        """While the block runs, hears calls of the known Modules, and those of others of their classes."""
        shadows, entrances = Shadows(), Entrances(self._entrance)
        modules = [known.module for known in self._names.modules.values()]
        try:
            for module in modules:
                attempt(self._shadow, module, shadows)
            bases = [own_dict(sys.modules.get(name)).get("Module") for name in _LIBRARIES]
            for cls in {id(cls): cls for cls in (*map(type, modules), *bases)}.values():
                if isinstance(cls, type):
                    attempt(entrances.place, cls)
            with deeper(len(modules)):
                yield
        finally:
            to_its_end(shadows.remove)
            to_its_end(entrances.remove)

    def _shadow(self, module: Any, shadows: Shadows) -> None:
        opener, forward = dict_opener(type(module)), forward_of(module)
        if opener is not None and forward is not None:
            run = self._run

            def shadow(self: Any, *args: Any, **kwargs: Any) -> Any:
                return run(forward, self, args, kwargs)

            shadows.place(module, opener(module), shadow)
            self._shadowed.add(id(module))

    def _entrance(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """In front of a `__call__`: a Module that was made meanwhile has no shadow, nor has one without a `forward`."""
        shadowed, run = self._shadowed, self._run

        def entrance(self: Any, *args: Any, **kwargs: Any) -> Any:
            if id(self) in shadowed:
                return function(self, *args, **kwargs)
            return run(function, self, args, kwargs)

        return entrance

    def _run(self, function: Any, module: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        around = self.open
        self.open = (*around, self._new(module))
        try:
            return function(module, *args, **kwargs)
        except BaseException as error:
            if self.broken.error is not error:  # else a call inside this one has been left by it
                self.broken = Broken(error, self.open, module, args, kwargs)
            raise
        finally:
            self.open = around

    def _new(self, module: Any) -> Call:
        known = self._names.modules.get(id(module))
        path = known.path if known is not None else f"({class_name(module)})"
        times = self._times[id(module)] = self._times.get(id(module), 0) + 1
        self._count += 1
        return Call(self._count, path, visible(class_name(module), 60), times)

    def release(self) -> None:
        """Lets go of the last exception, and so of the frames behind it."""
        self.broken = Broken()
