"""The tracer: hears of every call and every hook of a model while a pass runs.

`forward` of each Module is shadowed. Nothing is registered with the Module, so its hooks, and whatever a library
decides by looking at them, are as without us; and a class with a `__call__` of its own, or with no hooks at all, is
heard as well.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Sequence
from gc import get_referents
from operator import itemgetter
from threading import get_ident
from time import perf_counter_ns
from types import FunctionType
from typing import Any

import numpy as np

from nbmodule_widgets.facts.collector import collector_resting
from nbmodule_widgets.facts.interrupts import to_its_end, uninterrupted
from nbmodule_widgets.protocol import (
    attempt,
    class_attribute,
    dict_opener,
    error_text,
    own_dict,
)
from nbmodule_widgets.shadowing import Entrances, Shadows
from nbmodule_widgets.tracing.firings import AFTER, BEFORE, INSIDE, Firings, Phase
from nbmodule_widgets.tracing.hooked import (
    SLOTS,
    Wrapped,
    dict_class_of,
    global_hooks,
)
from nbmodule_widgets.tracing.sampling import sample
from nbmodule_widgets.tracing.subjects import Subject
from nbmodule_widgets.tracing.tape import (
    FORWARD,
    GRADIENT_OUT,
    HOOK,
    RESULT,
    Tape,
)


class Tracer(Firings):
    """Shadows the `forward` and wraps the hooks of Modules; `with Tracer(…):` takes all of it off again.

    Args:
        subjects: The Modules.
        tape: Records what happens.
        limit: Events that are kept; of so many more Modules calls are only counted.

    Attributes:
        unseen: For the index of a Module that cannot be heard, why.
        hooks: `(index, kind, name)` of each hook of the user.
        readers: The numbers of those that no library has put there.
        on_parameter: The number of a hook -> the parameter that it hangs on.
        skipped: For a call that went past `__call__`, the numbers of the hooks that did not run.
        counted: The identity of a Module for each call that was only counted.
        over: Whether the pass is over; what still lives in a graph then does nothing of ours.
    """

    def __init__(self, subjects: Sequence[Subject], tape: Tape, limit: int) -> None:
        self.subjects, self.tape = subjects, tape
        self.unseen: dict[int, str] = {}
        self.hooks: list[tuple[int, str, str]] = []
        self.readers: set[int] = set()
        self.on_parameter: dict[int, str] = {}
        self.skipped: dict[int, list[int]] = {}
        self.over, self._limit = False, limit
        self.counted: list[int] = []
        self.index = {id(s.module): number for number, s in enumerate(subjects)}
        self._shadows = Shadows()
        self._entrances = Entrances(self._entrance)
        # By thread: the Modules whose `__call__` runs, the innermost last.
        self._entered: dict[int, list[int]] = {}
        self._traced: dict[tuple[int, bool], Any] = {}
        self._special: set[int] = set()  # Modules with hooks, and those that write to their inputs
        self._wrapped: dict[int, list[Wrapped]] = {}  # index of a Module -> its dictionaries
        self._everywhere: list[Wrapped] = []
        self.phases: dict[int, Phase] = {}
        self.gave_up: dict[int, int] = {}  # index of a Module -> its call that raised

    def __enter__(self) -> Tracer:
        try:
            with uninterrupted(), collector_resting():
                self._put_on()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _put_on(self) -> None:
        for hooks, kind, code in global_hooks():
            self._everywhere.append(Wrapped(self, hooks, -1, kind, code))
        lightly = self._lightly()
        for index, subject in enumerate(self.subjects):
            said = attempt(self._shadow, index, subject.module, index in lightly)
            if said.problem or said.value:
                self.unseen[index] = said.problem or said.value

    def __exit__(self, *exception: object) -> None:
        self.over = True
        to_its_end(self._take_off)

    def _take_off(self) -> None:
        self._shadows.remove()
        self._entrances.remove()
        for wrapped in (*self._everywhere, *(w for each in self._wrapped.values() for w in each)):
            attempt(wrapped.unwrap)
        self.phases.clear()
        self.tape.finish()

    def new_hook(self, owner: int, kind: str, name: str, parameter: str = "") -> int:
        """Gives a hook of the user its number."""
        if parameter:
            self.on_parameter[len(self.hooks)] = parameter
        self.hooks.append((owner, kind, name))
        return len(self.hooks) - 1

    def wrapped_of(self, index: int) -> list[Wrapped]:
        """The dictionaries of hooks that belong to a Module, those of all Modules first."""
        return [*self._everywhere, *self._wrapped.get(index, ())]

    # ------------------------------------------------------------------ shadows

    def _lightly(self) -> set[int]:
        """The Modules that are only counted, where there are more than events may be kept: evenly, none with hooks."""
        number = len(self.subjects)
        sizes = [4 if self.tape.gradients is not None else 2] * number
        if number * sizes[0] <= self._limit or self._everywhere:
            return set()
        hooked = [n for n, s in enumerate(self.subjects) if _hooks_of(s.module)]
        stays = sample([s.parent for s in self.subjects], sizes, hooked, self._limit)
        return set(np.flatnonzero(~stays).tolist())

    def _shadow(self, index: int, module: Any, lightly: bool) -> str:
        """Puts the shadow there and wraps the hooks; returns why that cannot be done, or the empty string."""
        opener = dict_opener(type(module))
        if opener is None:
            return "its class uses `__slots__`, so nothing can be put in front of its forward"
        own = opener(module)
        before, function = own.get("forward"), class_attribute(module, "forward")
        if before is not None:
            target = self._of_instance(before)
        elif type(function) is FunctionType:
            target = self._traced.get((id(function), lightly))
            if target is None:
                target = self._counted(function) if lightly else self._of_class(function)
                self._traced[id(function), lightly] = target
        elif function is None:
            return "its class has no forward, so the tracer cannot hear it being called"
        elif hasattr(type(function), "__set__"):
            return "its forward is a property, which nothing can be put in front of"
        else:
            target = self._of_instance(getattr(module, "forward"))  # noqa: B009 - a static method, …
        self._entrances.place(type(module))
        for slot, kind, code in SLOTS if may_have_hooks(own) else ():
            hooks = own.get(slot)
            base = None if hooks is None else dict_class_of(hooks)
            if base is not None and base.__len__(hooks):
                self._wrapped.setdefault(index, []).append(Wrapped(self, hooks, index, kind, code))
        if index in self._wrapped or own.get("inplace") is True:
            self._special.add(index)
        self._shadows.place(module, own, target)
        return ""

    def _of_class(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that stands for a method of a class, for all its instances."""
        begin, end, fail = self.begin, self.end, self.fail

        def traced(self: Any, *args: Any, **kwargs: Any) -> Any:
            call = begin(self, args, kwargs)
            try:
                result = function(self, *args, **kwargs)
            except BaseException as error:
                fail(call, error)
                raise
            end(call, result)
            return result

        return functools.update_wrapper(traced, function)

    def _entrance(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that stands in front of a `__call__`: who calls `forward` directly goes past it."""
        everywhere = self._entered

        def entrance(self: Any, *args: Any, **kwargs: Any) -> Any:
            entered = everywhere.setdefault(get_ident(), [])
            entered.append(id(self))
            try:
                return function(self, *args, **kwargs)
            finally:
                entered.pop()

        return entrance

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The same for a Module whose calls are only counted."""
        count = self.counted.append

        def traced(self: Any, *args: Any, **kwargs: Any) -> Any:
            count(id(self))
            return function(self, *args, **kwargs)

        return functools.update_wrapper(traced, function)

    def _of_instance(self, forward: Callable[..., Any]) -> Callable[..., Any]:
        """The same for what one instance has in the place of its forward, which is not handed the instance."""
        return self._of_class(lambda module, *args, **kwargs: forward(*args, **kwargs))

    # ------------------------------------------------------------------ around forward

    def begin(self, module: Any, args: tuple, kwargs: dict[str, Any]) -> int:
        """The forward of a Module begins; returns the number of its call."""
        if self.over:
            return -1
        index = self.index.get(id(module), -1)
        direct = self._entered.get(get_ident(), [])[-1:] != [id(module)]
        if self.phases:
            self.settle()
        if index in self._special or self._everywhere:
            return self._begin_hooked(index, args, kwargs, direct)
        call = self.tape.open(index, args, kwargs)
        if direct:
            self.tape.direct.add(call)
        return call

    def _begin_hooked(self, index: int, args: tuple, kwargs: dict[str, Any], direct: bool) -> int:
        tape, stack = self.tape, self.tape.stack()
        phase = self.phases.get(stack[-1]) if stack else None
        if phase is not None and phase.index == index and phase.stage == BEFORE and not direct:
            call, phase.stage = stack[-1], INSIDE
            group = tape.see_all(args, kwargs, GRADIENT_OUT, call, True)
            tape.moments.append((FORWARD, call, perf_counter_ns(), group))
        else:
            call = tape.open(index, args, kwargs, True)
            phase = self.phases[call] = Phase(index, INSIDE)
        wrapped = self.wrapped_of(index)
        if direct:
            tape.direct.add(call)
            self.skipped[call] = [number for each in wrapped for _, number in each.names()]
        else:
            for each in wrapped:
                each.cell.call = call
                each.wrap()
        return call

    def end(self, call: int, result: Any) -> None:
        """The forward of a Module has returned; its hooks may still come."""
        tape = self.tape
        if self.over or call < 0:
            return
        phase = self.phases.get(call) if self.phases else None
        if phase is None:
            tape.close(call, result)
        else:
            self._end_hooked(call, result, phase)

    def _end_hooked(self, call: int, result: Any, phase: Phase) -> None:
        tape = self.tape
        self.settle(call)
        hooks = [w for w in self.wrapped_of(phase.index) if w.code == HOOK]
        keys = [(id(each.hooks), key) for each in hooks for key in list(each.keys())]
        if keys and call not in tape.direct:
            for each in hooks:
                each.wrap()
            phase.stage, phase.last, phase.result = AFTER, keys[-1], result
            group = tape.see_all(result, None, eager=True)
            tape.moments.append((RESULT, call, perf_counter_ns(), group))
        else:
            self.close(call, result)

    def added_unseen(self) -> list[Any]:
        """The hooks that were added to Modules while the pass ran, and could not be heard when they fired."""
        found: list[Any] = []
        for index, subject in enumerate(self.subjects):
            if hooks := _hooks_of(subject.module):
                known = {id(each.hooks): each for each in self._wrapped.get(index, ())}
                for each in hooks:
                    here = known.get(id(each))
                    found += each.values() if here is None else here.not_wrapped()
        return found

    def fail(self, call: int, error: BaseException) -> None:
        """The forward of a Module has raised."""
        if self.over or call < 0:
            return
        self.tape.fail(call, error, error_text(error))
        self.gave_up[self.tape.module[call]] = call
        self.tape.give_up(call)
        self.phases.pop(call, None)

    def called(self) -> set[int]:
        """The Modules that were called, those included whose calls were only counted."""
        return {*self.tape.module, *(self.index[i] for i in set(self.counted) if i in self.index)}


def _hooks_of(module: Any) -> list[dict[Any, Any]]:
    """The dictionaries of a Module that have hooks in them."""
    own = own_dict(module)
    return [
        found
        for found in (map(own.get, _SLOTS) if may_have_hooks(own) else ())
        if (type(found) is OrderedDict or type(found) is dict) and found
    ]


def may_have_hooks(own: dict[str, Any]) -> bool:
    """Whether anything lies in the dictionaries for hooks of a Module: False for nearly all, at once.

    Args:
        own: Its `__dict__`.
    """
    try:
        # Empty dictionaries refer to nothing; those of a class that inherits from them do, to their class.
        return type(own) is not dict or bool(get_referents(*_tables(own)))
    except KeyError:  # the object has not all of them
        return True


_SLOTS = tuple(slot for slot, _, _ in SLOTS)
_tables = itemgetter(*_SLOTS)
