"""The calls of Modules that are open while a pass runs: heard without a hook, as `shadowing` does it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident
from typing import Any, NamedTuple

from nbmodule_widgets.engines import is_a_library_s
from nbmodule_widgets.facts.interrupts import to_its_end
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.graphing.grouping import Call
from nbmodule_widgets.graphing.lines import Lines
from nbmodule_widgets.graphing.naming import Names
from nbmodule_widgets.protocol import attempt, class_name, own_dict
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


class Calls:
    """The open calls.

    Args:
        names: The names of the Modules that are known.
        lines: Finds the reader's lines.

    Attributes:
        open: The calls that are open, the outermost first.
        broken: The innermost call that the last exception left.
    """

    def __init__(self, names: Names, lines: Lines) -> None:
        self._names, self._lines = names, lines
        self.open: tuple[Call, ...] = ()
        self.broken = Broken()
        self._count = 0
        self._times: dict[int, int] = {}
        self._line: int | None = None  # the reader's line while a library's code runs, else None
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
            to_its_end(lambda: (shadows.remove(), entrances.remove()))

    def _shadow(self, module: Any, shadows: Shadows) -> None:
        forward = forward_of(module)
        if forward is not None:
            run, own = self._run, own_dict(module)
            is_its_class_s = "forward" not in own

            def shadow(self: Any, *args: Any, **kwargs: Any) -> Any:
                return run(forward, self, args, kwargs, is_its_class_s)

            shadows.place(module, own, shadow)
            self._shadowed.add(id(module))

    def _entrance(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """In front of a `__call__`: a Module that was made meanwhile has no shadow, nor has one without a `forward`."""
        shadowed, run, thread = self._shadowed, self._run, get_ident()

        def entrance(self: Any, *args: Any, **kwargs: Any) -> Any:
            if id(self) in shadowed or get_ident() != thread:
                return function(self, *args, **kwargs)
            return run(function, self, args, kwargs, True)

        return entrance

    def _run(
        self, function: Any, module: Any, args: tuple, kwargs: dict[str, Any], is_its_class_s: bool
    ) -> Any:
        around, line = self.open, self._line
        self.open = (*around, self._new(module))
        is_library_s = is_its_class_s and is_a_library_s(type(module))
        self._line = self.line() if is_library_s else None
        try:
            return function(module, *args, **kwargs)
        except BaseException as error:
            if self.broken.error is not error:  # else a call inside this one has been left by it
                self.broken = Broken(error, self.open, module, args, kwargs)
            raise
        finally:
            self.open, self._line = around, line

    def line(self) -> int:
        """The index of the reader's line that is running, or that called the Module of a library which is; or -1."""
        return self._lines.now() if self._line is None else self._line

    def _new(self, module: Any) -> Call:
        known = self._names.modules.get(id(module))
        path = known.path if known is not None else f"({class_name(module)})"
        times = self._times[id(module)] = self._times.get(id(module), 0) + 1
        self._count += 1
        return Call(self._count, path, visible(class_name(module), 60), times)

    def release(self) -> None:
        """Lets go of the last exception, and so of the frames behind it."""
        self.broken = Broken()
