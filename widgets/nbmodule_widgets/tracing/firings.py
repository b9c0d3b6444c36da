"""Running the hooks of the user: each is called as it would be, and what it was given and left is written down."""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

from nbmodule_widgets.protocol import error_text, read
from nbmodule_widgets.tracing.hooked import ACCUMULATED, Firing, Wrapped
from nbmodule_widgets.tracing.tape import BACKWARD_HOOK, Tape

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
        self.ran: set[tuple[int, Any]] = set()
        self.last: Any = None
        self.result: Any = None


class Firings:
    """What a tracer does when a hook fires.

    Attributes:
        tape: Takes down what happens.
        index: Identity of a Module -> its number.
        phases: The open calls of Modules with hooks.
        gave_up: Number of a Module -> its call that raised.
        unseen: For the number of a Module that cannot be heard, why.
    """

    tape: Tape
    index: dict[int, int]
    unseen: dict[int, str]
    phases: dict[int, Phase]
    gave_up: dict[int, int]

    def wrapped_of(self, index: int) -> list[Wrapped]:
        """The dictionaries of hooks that belong to a Module, those of all Modules first."""
        raise NotImplementedError

    def close(self, call: int, result: Any) -> None:
        """A call returns."""
        self.tape.close(call, result)
        self.phases.pop(call, None)

    def settle(self, until: int = -1) -> None:
        """Closes calls whose hooks are done although their last one did not run.

        Args:
            until: The call around which nothing is closed.
        """
        stack = self.tape.stack()
        while stack and stack[-1] != until:
            phase = self.phases.get(stack[-1])
            if phase is None or phase.stage != AFTER or phase.busy:
                return
            self.close(stack[-1], phase.result)

    def run_pre_hook(self, firing: Firing, given: tuple, named: dict[str, Any]) -> Any:
        """A forward pre-hook fires: `hook(module, args)` or `hook(module, args, kwargs)`."""
        tape = self.tape
        module, args, kwargs = _three(given, named)
        call = self._call_before(self.index.get(id(module), -1), firing, args, kwargs)
        phase = self.phases.get(call)
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

    def _call_before(self, index: int, firing: Firing, args: Any, kwargs: Any) -> int:
        """The call that a pre-hook belongs to; the first pre-hook opens it."""
        self.settle()
        if index < 0 or index in self.unseen:  # without a shadow nothing would close it
            return -1
        stack = self.tape.stack()
        phase = self.phases.get(stack[-1]) if stack else None
        place = id(firing.home), firing.key  # one function may be registered twice
        if phase is None or phase.index != index or phase.stage != BEFORE or place in phase.ran:
            call = self.tape.open(index, args, kwargs, True, final=False)
            if call < 0:
                return -1
            phase = self.phases[call] = Phase(index, BEFORE)
        phase.ran.add(place)
        return stack[-1]

    def run_hook(self, firing: Firing, given: tuple, named: dict[str, Any]) -> Any:
        """A forward hook fires: `hook(module, args, output)`, or with `kwargs` before the output."""
        tape, output = self.tape, given[-1]
        module, args, kwargs = _three(given[:-1], named)
        index, stack = self.index.get(id(module), -1), self.tape.stack()
        phase = self.phases.get(stack[-1]) if stack else None
        if phase is not None and phase.index == index:
            call = stack[-1]
        else:
            call, phase = self.gave_up.get(index, -1), None
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
                self.close(call, result)
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
        if accumulated and firing.home.keys()[:1] == [firing.key]:
            done = (firing.owner, firing.home.parameter, None)
            tape.moments.append((firing.code, -1, perf_counter_ns(), before, done))
        place, at = self._hold_place()
        writes = read(tensor, "_version").value
        error = firing.run(given, named)
        result = firing.result
        if accumulated and writes != read(tensor, "_version").value:
            firing.wrote = "wrote to the parameter"
        if accumulated:
            after = tape.see_all(read(tensor, "grad").value, None)
        else:
            after = tape.see_all(tensor if result is None else result, None)
        ran = firing.ran(before, tensor)
        tape.moments[place] = (
            firing.code,
            -1,
            at,
            after,
            (firing.owner, firing.home.parameter, ran),
        )
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
            self.gave_up[self.tape.module[call]] = call
            self.tape.give_up(call)
            self.phases.pop(call, None)
        raise error


def _three(given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, tuple, dict[str, Any]]:
    """Module, positional arguments and arguments by keyword, from what a hook is called with."""
    module, args, *more = (*given, ())[:3] if len(given) < 3 else given
    kwargs = more[0] if more and type(more[0]) is dict else {}
    return module, args if type(args) is tuple else (args,), kwargs
