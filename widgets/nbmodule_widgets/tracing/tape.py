"""What is written down while the pass runs: as little as possible, sorted out afterwards.

Everything here lies on the way of every call of every Module, so it is plain Python with few objects: a moment
is one tuple, a call one row in each of some lists.
"""

from __future__ import annotations

import threading
from time import perf_counter_ns
from typing import Any, NamedTuple

from nbmodule_widgets.facts.glance import is_tensor, tensors_in
from nbmodule_widgets.tracing.gradients import Gradients
from nbmodule_widgets.tracing.looks import Looks
from nbmodule_widgets.tracing.records import KINDS

(
    CALL, PRE_HOOK, FORWARD, RESULT, HOOK, RETURN, LOSS, GRADIENT_IN, BACKWARD_PRE, BACKWARD_HOOK, GRADIENT_OUT,
    PARAMETER, FAILED,
) = range(len(KINDS))  # fmt: skip

# A look, or several with their places: `3`, or `(("[0]", 3), ("mask", 4))`.
Group = int | tuple[tuple[str, int], ...]
NOTHING: Group = ()


class Moment(NamedTuple):
    """One line of the tape.

    Attributes:
        kind: Index in `KINDS`.
        call: Number of the call, -1 for none.
        at: Nanoseconds.
        group: What was seen.
        more: A `Ran` for a hook, a text for a failure, a label for a gradient, else None.
    """

    kind: int
    call: int
    at: int
    group: Group
    more: Any = None


class Ran(NamedTuple):
    """What a hook did.

    Attributes:
        hook: Its number among the hooks.
        before: What it was given.
        returned: Whether it returned something other than None.
        took: Nanoseconds.
        replaced: Whether what it returned is another object than what it was given.
        problem: What it raised, or the empty string.
        inputs: For a forward hook: the inputs before and after it ran.
    """

    hook: int
    before: Group
    returned: bool
    took: int
    replaced: bool
    problem: str = ""
    inputs: tuple[Group, Group] = (NOTHING, NOTHING)


class Tape:
    """The moments and calls of one pass.

    Args:
        looks: Sees the tensors.
        backward: Whether a backward pass will follow, so that gradients are to be caught.
        most: Moments after which nothing more is written down.
    """

    def __init__(self, looks: Looks, backward: bool, most: int) -> None:
        self.looks, self.most = looks, most
        self.moments: list[Any] = []
        self.left_out = 0
        # For each call: the Module's index in the tracer, its parent, when it began and ended, and whether
        # `forward` was called directly.
        self.module: list[int] = []
        self.parent: list[int] = []
        self.start: list[int] = []
        self.end: list[int] = []
        self.direct: set[int] = set()
        self.wants_no_gradient: set[int] = set()
        self.caught: list[str] = []
        self.gradients = Gradients(self) if backward else None
        self._main = threading.get_ident()
        self._stack: list[int] = []
        self._others: dict[int, list[int]] = {}
        self.threads = 0
        self._error: BaseException | None = None

    def stack(self) -> list[int]:
        """The open calls of this thread, outermost first."""
        ident = threading.get_ident()
        if ident == self._main:
            return self._stack
        if ident not in self._others:
            self._others[ident] = self._stack[-1:]  # what started the thread, as far as one can tell
            self.threads += 1
        return self._others[ident]

    def open(self, module: int, args: tuple, kwargs: dict[str, Any], eager: bool = False) -> int:
        """A Module is called; returns the number of the call, -1 if there have been too many.

        Args:
            module: Its index in the tracer.
            args: Positional arguments.
            kwargs: Arguments by keyword.
            eager: Whether it may write to its inputs, so that they are to be copied.
        """
        moments = self.moments
        if len(moments) > self.most:
            self.left_out += 1
            return -1
        call, stack = len(self.module), self.stack()
        self.module.append(module)
        self.parent.append(stack[-1] if stack else -1)
        self.end.append(0)
        stack.append(call)
        group = self.see(args, kwargs, eager)
        at = perf_counter_ns()
        self.start.append(at)
        moments.append((CALL, call, at, group))
        return call

    def catch(self, kind: int, call: int, values: Any, kwargs: dict[str, Any] | None = None) -> None:
        """Has the gradients of tensors written down when they arrive.

        Args:
            kind: `GRADIENT_IN` for the outputs of a call, `GRADIENT_OUT` for its inputs.
            call: The call.
            values: The outputs, or the positional arguments.
            kwargs: The arguments by keyword.
        """
        if self.gradients is None or call < 0:
            return
        wanted = False
        if kwargs is None and is_tensor(values):
            wanted = self.gradients.catch(values, call, kind, "")
        elif kind == GRADIENT_OUT and len(values) == 1 and not kwargs and is_tensor(values[0]):
            wanted = self.gradients.catch(values[0], call, kind, "")
        else:
            for label, tensor in labelled(values, kwargs):
                wanted = self.gradients.catch(tensor, call, kind, label) or wanted
        if not wanted and kind == GRADIENT_OUT:
            self.wants_no_gradient.add(call)

    def see(self, values: Any, kwargs: dict[str, Any] | None = None, eager: bool = False) -> Group:
        """Looks at the tensors of a call's arguments (with `kwargs`) or of its result."""
        if kwargs is None:
            if is_tensor(values):
                return self.looks.see(values, eager)
        elif len(values) == 1 and not kwargs and is_tensor(values[0]):
            return self.looks.see(values[0], eager)
        see = self.looks.see
        return tuple((label, see(tensor, eager)) for label, tensor in labelled(values, kwargs))

    def close(self, call: int, result: Any, returns: bool = True) -> None:
        """A call ends.

        Args:
            call: Its number.
            result: What it returns.
            returns: Whether that is written down; not if it failed.
        """
        if call < 0:
            return
        at = perf_counter_ns()
        if returns:
            self.moments.append((RETURN, call, at, self.see(result)))
        self.end[call] = at
        stack = self.stack()
        while stack and stack.pop() != call:
            pass

    def fail(self, call: int, error: BaseException, text: str, hook: Ran | None = None) -> None:
        """Something raised; on its way out an exception is met again and again, and written down once."""
        if error is self._error:
            return
        self._error = error
        self.caught.append(text)
        self.moments.append((FAILED, call, perf_counter_ns(), NOTHING, (text, hook)))

    def finish(self) -> None:
        """Lets go of everything that is the reader's."""
        now = perf_counter_ns()
        for call, end in enumerate(self.end):
            if not end:
                self.end[call] = now
        self._error = None
        self._stack.clear()
        self._others.clear()
        self.looks.forget_recent()
        if self.gradients is not None:
            self.gradients.finish()


def labelled(values: Any, kwargs: dict[str, Any] | None) -> list[tuple[str, Any]]:
    """The tensors with their places: `"[0]"`, `"['mask']"`, `"mask"` for an argument by keyword."""
    if kwargs is None:
        return tensors_in(values)
    found = tensors_in(values[0]) if len(values) == 1 else tensors_in(values)
    for name, value in kwargs.items():
        found += [(f"{name}{place}", tensor) for place, tensor in tensors_in(value)]
    return found
