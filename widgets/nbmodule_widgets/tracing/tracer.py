"""The tracer: hears of every call and every hook of a model while a pass runs.

`forward` of each Module is shadowed by an entry in its own `__dict__`, which Python finds before the method of the
class. Nothing is registered with the Module, so its hooks, and whatever a library decides by looking at them, are
as without us; and a class with a `__call__` of its own, or with no hooks at all, is heard as well.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from time import perf_counter_ns
from types import FunctionType, MethodType
from typing import Any

from nbmodule_widgets.protocol import (
    attempt,
    class_attribute,
    dict_opener,
    error_text,
    read,
)
from nbmodule_widgets.tracing.called import Callers
from nbmodule_widgets.tracing.hooked import (
    ACCUMULATED,
    SLOTS,
    Firing,
    Wrapped,
    base_of,
    global_hooks,
)
from nbmodule_widgets.tracing.subjects import Subject
from nbmodule_widgets.tracing.tape import (
    BACKWARD_HOOK,
    FORWARD,
    GRADIENT_OUT,
    HOOK,
    RESULT,
    Tape,
)

BEFORE, INSIDE, AFTER = range(3)


class Phase:
    """How far the call of a Module with hooks has come: before, inside or after its forward.

    Attributes:
        index: The Module.
        stage: `BEFORE`, `INSIDE` or `AFTER`.
        ran: The pre-hooks that have run.
        last: The hook after which the call returns.
        result: What it will return, as far as is known.
        busy: How many of its hooks are running just now.
    """

    __slots__ = ("busy", "index", "last", "ran", "result", "stage")

    def __init__(self, index: int, stage: int) -> None:
        self.index, self.stage, self.busy = index, stage, 0
        self.ran: set[int] = set()
        self.last: Any = None
        self.result: Any = None


class Tracer:
    """Shadows the `forward` and wraps the hooks of Modules; `with Tracer(…):` takes all of it off again.

    Args:
        subjects: The Modules.
        tape: Takes down what happens.

    Attributes:
        unseen: For the index of a Module that cannot be heard, why.
        hooks: `(index, kind, name)` of each hook of the user.
        skipped: For a call that went past `__call__`, the numbers of the hooks that did not run.
        over: Whether the pass is over; what still lives in a graph then does nothing of ours.
    """

    def __init__(self, subjects: Sequence[Subject], tape: Tape) -> None:
        self.subjects, self.tape = subjects, tape
        self.unseen: dict[int, str] = {}
        self.hooks: list[tuple[int, str, str]] = []
        self.skipped: dict[int, list[int]] = {}
        self.over = False
        self._index = {id(s.module): number for number, s in enumerate(subjects)}
        self._callers = Callers()
        self._shadows: list[tuple[dict[str, Any], Any, Any]] = []
        self._traced: dict[int, Any] = {}
        self._special: set[int] = set()  # Modules with hooks, and those that write to their inputs
        self._wrapped: dict[int, list[Wrapped]] = {}  # index of a Module -> its dictionaries
        self._everywhere: list[Wrapped] = []
        self._phases: dict[int, Phase] = {}
        self._failed: dict[int, int] = {}  # index of a Module -> its call that raised

    def __enter__(self) -> Tracer:
        try:
            for hooks, kind, code in global_hooks():
                self._everywhere.append(Wrapped(self, hooks, -1, kind, code))
            for index, subject in enumerate(self.subjects):
                said = attempt(self._shadow, index, subject.module)
                if said.problem or said.value:
                    self.unseen[index] = said.problem or said.value
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.over = True
        for own, shadow, before in self._shadows:
            if own.get("forward") is shadow:
                if before is None:
                    del own["forward"]
                else:
                    own["forward"] = before
        for wrapped in (*self._everywhere, *(w for each in self._wrapped.values() for w in each)):
            attempt(wrapped.unwrap)
        self._phases.clear()
        self.tape.finish()

    def new_hook(self, owner: int, kind: str, name: str) -> int:
        """Gives a hook of the user its number."""
        self.hooks.append((owner, kind, name))
        return len(self.hooks) - 1

    def wrapped_of(self, index: int) -> list[Wrapped]:
        """The dictionaries of hooks that belong to a Module, those of all Modules first."""
        return [*self._everywhere, *self._wrapped.get(index, ())]

    # ------------------------------------------------------------------ shadows

    def _shadow(self, index: int, module: Any) -> str:
        """Puts the shadow there and wraps the hooks; returns why that cannot be done, or the empty string."""
        opener = dict_opener(type(module))
        if opener is None:
            return "its class uses `__slots__`, so nothing can be put in front of its forward"
        own = opener(module)
        before, function = own.get("forward"), class_attribute(module, "forward")
        if before is not None:
            target = self._of_instance(before)
        elif type(function) is FunctionType:
            target = self._traced.get(id(function))
            if target is None:
                target = self._traced[id(function)] = self._of_class(function)
        elif function is None:
            return "its class has no forward, so the tracer cannot hear it being called"
        elif hasattr(type(function), "__set__"):
            return "its forward is a property, which nothing can be put in front of"
        else:
            target = self._of_instance(getattr(module, "forward"))  # noqa: B009 - a static method, …
        self._callers.learn(type(module))
        for slot, kind, code in SLOTS:
            hooks = own.get(slot)
            if hooks is not None and base_of(hooks) is not None and base_of(hooks).__len__(hooks):
                self._wrapped.setdefault(index, []).append(Wrapped(self, hooks, index, kind, code))
        if index in self._wrapped or own.get("inplace") is True:
            self._special.add(index)
        # A bound method: a copy that forward makes of the Module with `deepcopy` gets one bound to the copy.
        shadow = MethodType(target, module)
        self._shadows.append((own, shadow, before))
        own["forward"] = shadow
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

        self._callers.ours.add(id(traced.__code__))
        return functools.update_wrapper(traced, function)

    def _of_instance(self, forward: Callable[..., Any]) -> Callable[..., Any]:
        """The same for what one instance has in the place of its forward."""
        begin, end, fail = self.begin, self.end, self.fail

        def traced(self: Any, *args: Any, **kwargs: Any) -> Any:
            call = begin(self, args, kwargs)
            try:
                result = forward(*args, **kwargs)
            except BaseException as error:
                fail(call, error)
                raise
            end(call, result)
            return result

        self._callers.ours.add(id(traced.__code__))
        return traced

    # ------------------------------------------------------------------ around forward

    def begin(self, module: Any, args: tuple, kwargs: dict[str, Any]) -> int:
        """The forward of a Module begins; returns the number of its call."""
        if self.over:
            return -1
        index = self._index.get(id(module), -1)
        caller = sys._getframe(2)
        direct = id(caller.f_code) not in self._callers.trusted and (
            self._callers.is_direct(module, caller)
        )
        if self._phases:
            self._settle()
        if index in self._special or self._everywhere:
            return self._begin_hooked(index, args, kwargs, direct)
        call = self.tape.open(index, args, kwargs)
        if direct:
            self.tape.direct.add(call)
        return call

    def _begin_hooked(self, index: int, args: tuple, kwargs: dict[str, Any], direct: bool) -> int:
        tape, stack = self.tape, self.tape.stack()
        phase = self._phases.get(stack[-1]) if stack else None
        if phase is not None and phase.index == index and phase.stage == BEFORE and not direct:
            call, phase.stage = stack[-1], INSIDE
            group = tape.see_all(args, kwargs, GRADIENT_OUT, call, True)
            tape.moments.append((FORWARD, call, perf_counter_ns(), group))
        else:
            call = tape.open(index, args, kwargs, True)
            phase = self._phases[call] = Phase(index, INSIDE)
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
        phase = self._phases.get(call) if self._phases else None
        if phase is None:
            tape.close(call, result)
        else:
            self._end_hooked(call, result, phase)

    def _end_hooked(self, call: int, result: Any, phase: Phase) -> None:
        tape = self.tape
        self._settle(call)
        hooks = [w for w in self.wrapped_of(phase.index) if w.code == HOOK]
        keys = [(id(each.hooks), key) for each in hooks for key in list(each.keys())]
        if keys and call not in tape.direct:
            for each in hooks:
                each.wrap()
            phase.stage, phase.last, phase.result = AFTER, keys[-1], result
            group = tape.see_all(result, None, eager=True)
            tape.moments.append((RESULT, call, perf_counter_ns(), group))
        else:
            self._close(call, result)

    def _close(self, call: int, result: Any) -> None:
        self.tape.close(call, result)
        self._phases.pop(call, None)

    def fail(self, call: int, error: BaseException) -> None:
        """The forward of a Module has raised."""
        if self.over or call < 0:
            return
        self.tape.fail(call, error, error_text(error))
        self._failed[self.tape.module[call]] = call
        self.tape.give_up(call)
        self._phases.pop(call, None)

    def _settle(self, until: int = -1) -> None:
        """Closes calls whose hooks are done although their last one did not run."""
        stack = self.tape.stack()
        while stack and stack[-1] != until:
            phase = self._phases.get(stack[-1])
            if phase is None or phase.stage != AFTER or phase.busy:
                return
            self._close(stack[-1], phase.result)

    # ------------------------------------------------------------------ hooks

    def run_pre_hook(self, firing: Firing, given: tuple, named: dict[str, Any]) -> Any:
        """A forward pre-hook fires: `hook(module, args)` or `hook(module, args, kwargs)`."""
        tape = self.tape
        module, args, kwargs = _three(given, named)
        call = self._call_before(self._index.get(id(module), -1), firing.number, args, kwargs)
        phase = self._phases.get(call)
        before = tape.see_all(args, kwargs, eager=True)
        place, at = self._hold_place()
        self._busy(phase, 1)
        error = firing.run(given, named)
        self._busy(phase, -1)
        if error is not None:
            tape.moments[place] = (firing.code, call, at, before, firing.ran(before, args))
            self._fail_in_hook(call, error, firing)
        result, both = firing.result, len(given) > 2
        if both and type(result) is tuple and len(result) == 2:
            args, kwargs = result
        elif result is not None and not both:
            args = result if type(result) is tuple else (result,)
        after = tape.see_all(args if type(args) is tuple else (args,), kwargs)
        ran = firing.ran(before, (given[1], given[2]) if both else given[1])
        tape.moments[place] = (firing.code, call, at, after, ran)
        return result

    def _call_before(self, index: int, number: int, args: Any, kwargs: Any) -> int:
        """The call that a pre-hook belongs to; the first pre-hook opens it."""
        self._settle()
        stack = self.tape.stack()
        phase = self._phases.get(stack[-1]) if stack else None
        if phase is None or phase.index != index or phase.stage != BEFORE or number in phase.ran:
            call = self.tape.open(index, args, kwargs, True)
            if call < 0:
                return -1
            phase = self._phases[call] = Phase(index, BEFORE)
        phase.ran.add(number)
        return stack[-1]

    def run_hook(self, firing: Firing, given: tuple, named: dict[str, Any]) -> Any:
        """A forward hook fires: `hook(module, args, output)`, or with `kwargs` before the output."""
        tape, output = self.tape, given[-1]
        module, args, kwargs = _three(given[:-1], named)
        index, stack = self._index.get(id(module), -1), self.tape.stack()
        phase = self._phases.get(stack[-1]) if stack else None
        if phase is not None and phase.index == index:
            call = stack[-1]
        else:
            call, phase = self._failed.get(index, -1), None
        before, given_in = (
            tape.see_all(output, None, eager=True),
            tape.see_all(args, kwargs, eager=True),
        )
        place, at = self._hold_place()
        self._busy(phase, 1)
        error = firing.run(given, named)
        self._busy(phase, -1)
        result = output if firing.result is None else firing.result
        if error is not None:
            tape.moments[place] = (firing.code, call, at, before, firing.ran(before, output))
            self._fail_in_hook(call, error, firing)
        ran = firing.ran(before, output, (given_in, tape.see_all(args, kwargs)))
        tape.moments[place] = (firing.code, call, at, tape.see_all(result, None), ran)
        if phase is not None:
            phase.result = result
            owner = next((w for w in self.wrapped_of(index) if w.holds(firing)), None)
            if owner is not None and (id(owner.hooks), firing.key) == phase.last:
                self._close(call, result)
        return firing.result

    def run_backward(self, firing: Firing, given: tuple, named: dict[str, Any]) -> Any:
        """A backward hook fires: `hook(module, grad_input, grad_output)`; a pre-hook gets the latter only."""
        tape, call = self.tape, firing.cell.call
        gradient = given[1] if type(given[1]) is tuple else (given[1],)
        before = tape.see_all(gradient, {}, eager=True)
        outputs = tape.see_all(given[-1], {}) if firing.code == BACKWARD_HOOK else before
        place, at = self._hold_place()
        error = firing.run(given, named)
        after, result = before, firing.result
        if error is None:
            values = gradient if result is None else result if type(result) is tuple else (result,)
            after = tape.see_all(values, {})
        ran = firing.ran(before, gradient, (outputs, outputs))
        tape.moments[place] = (firing.code, call, at, after, ran)
        if error is not None:
            tape.fail(call, error, error_text(error))
            raise error
        return result

    def run_parameter_hook(self, firing: Firing, given: tuple, named: dict[str, Any]) -> Any:
        """A hook on a parameter fires: `hook(grad)`, or `hook(parameter)` once `.grad` has been added to."""
        tape, tensor = self.tape, given[0]
        accumulated = firing.home.kind == ACCUMULATED
        before = tape.see_all(
            read(tensor, "grad").value if accumulated else tensor, None, eager=True
        )
        place, at = self._hold_place()
        error = firing.run(given, named)
        result = firing.result
        if accumulated:
            after = tape.see_all(read(tensor, "grad").value, None)
        else:
            after = tape.see_all(tensor if result is None else result, None)
        ran = firing.ran(before, tensor)
        tape.moments[place] = (firing.code, -1, at, after, (firing.owner, "", ran))
        if error is not None:
            tape.fail(-1, error, error_text(error))
            raise error
        return result

    def _hold_place(self) -> tuple[int, int]:
        """Keeps a line of the tape free for a hook, so that what happens inside it comes after it."""
        self.tape.moments.append(None)
        return len(self.tape.moments) - 1, perf_counter_ns()

    @staticmethod
    def _busy(phase: Phase | None, change: int) -> None:
        if phase is not None:
            phase.busy += change

    def _fail_in_hook(self, call: int, error: BaseException, firing: Firing) -> None:
        self.tape.fail(call, error, error_text(error), firing.number)
        if call >= 0:
            self._failed[self.tape.module[call]] = call
            self.tape.give_up(call)
            self._phases.pop(call, None)
        raise error


def _three(given: tuple, named: dict[str, Any]) -> tuple[Any, tuple, dict[str, Any]]:
    """Module, positional arguments and arguments by keyword, from what a hook is called with."""
    args = given[1] if len(given) > 1 else ()
    kwargs = given[2] if len(given) > 2 and type(given[2]) is dict else {}
    return given[0], args if type(args) is tuple else (args,), kwargs
