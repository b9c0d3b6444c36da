"""What is written down while the pass runs: as little as possible, sorted out afterwards.

Everything here lies on the way of every call of every Module, so it is plain Python with few objects: a moment
is one tuple `(kind, call, nanoseconds, group)`, with a fifth entry for a hook (`Ran`), a failure, a parameter or a
gradient (its place among several); a call is one row in each of two lists.
"""

from __future__ import annotations

import threading
from time import perf_counter_ns
from typing import Any, NamedTuple

from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.protocol import attempt
from nbmodule_widgets.tracing.gradients import Attached, Gradients
from nbmodule_widgets.tracing.looks import COPIED, Looks
from nbmodule_widgets.tracing.records import KINDS

(
    CALL, PRE_HOOK, FORWARD, RESULT, HOOK, RETURN, LOSS, GRADIENT_IN, BACKWARD_PRE, BACKWARD_HOOK, GRADIENT_OUT,
    PARAMETER, FAILED,
) = range(len(KINDS))  # fmt: skip

# A look, or several with their places: `3`, or `(("[0]", 3), ("mask", 4))`.
Group = int | tuple[tuple[str, int], ...]
NOTHING: Group = ()


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
        wrote: What it did to its Module, in words.
    """

    hook: int
    before: Group
    returned: bool
    took: int
    replaced: bool
    problem: str = ""
    inputs: tuple[Group, Group] = (NOTHING, NOTHING)
    wrote: str = ""


class Tape:
    """The moments and calls of one pass.

    Args:
        looks: Sees the tensors.
        backward: Whether a backward pass will follow, so that gradients are to be caught.
        most: Moments after which nothing more is written down.

    Attributes:
        moments: What happened.
        module: For each call the index of its Module in the tracer.
        parent: For each call the one that it lies in, or -1.
        failed: For a call that raised, when.
        direct: The calls of a `forward` past `__call__`.
        wants_no_gradient: The calls none of whose inputs wants a gradient.
        caught: What was raised, in words.
        left_out: How many calls came when the tape was full.
        threads: How many other threads called Modules.
    """

    def __init__(self, looks: Looks, backward: bool, most: int) -> None:
        self.looks, self.most = looks, most
        self.moments: list[Any] = []
        self.module: list[int] = []
        self.parent: list[int] = []
        self.failed: dict[int, int] = {}
        self.direct: set[int] = set()
        self.wants_no_gradient: set[int] = set()
        self.caught: list[str] = []
        self.left_out = self.threads = 0
        self.gradients = Gradients(self.moments, looks) if backward else None
        self._main = threading.get_ident()
        self._stack: list[int] = []
        self._others: dict[int, list[int]] = {}
        self._error: BaseException | None = None
        # The tensor that was met last, its version, its look, and what reads its gradient.
        self._last: tuple[Any, int, int, Attached | None] = (None, 0, 0, None)
        self._earlier = self._last

    def stack(self) -> list[int]:
        """The open calls of this thread, outermost first."""
        ident = threading.get_ident()
        if ident == self._main:
            return self._stack
        if ident not in self._others:
            self._others[ident] = self._stack[
                -1:
            ]  # what started the thread, as far as one can tell
            self.threads += 1
        return self._others[ident]

    def open(
        self, module: int, args: tuple, kwargs: dict[str, Any], eager: bool = False, final: bool = True
    ) -> int:  # fmt: skip
        """A Module is called; returns the number of the call, -1 if there have been too many.

        Args:
            module: Its index in the tracer.
            args: Positional arguments.
            kwargs: Arguments by keyword.
            eager: Whether it may write to its inputs, so that they are to be copied.
            final: Whether these inputs are what its forward gets; those that pre-hooks see first may be replaced, and a
                gradient is one of what forward got.
        """
        moments, call = self.moments, len(self.module)
        if len(moments) > self.most:
            self.left_out += 1
            return -1
        stack = self._stack if threading.get_ident() == self._main else self.stack()
        self.module.append(module)
        self.parent.append(stack[-1] if stack else -1)
        stack.append(call)
        kind = GRADIENT_OUT if final else -1
        if len(args) == 1 and not kwargs and id(type(args[0])) in self.looks.known:
            group: Group = self.meet(args[0], kind, call, "", eager)
        else:
            group = self.see_all(args, kwargs, kind, call, eager)
        moments.append((CALL, call, perf_counter_ns(), group))
        return call

    def close(self, call: int, result: Any) -> None:
        """A call returns."""
        at = perf_counter_ns()
        if call < 0:
            return
        if id(type(result)) in self.looks.known:
            group: Group = self.meet(result, GRADIENT_IN, call)
        else:
            group = self.see_all(result, None, GRADIENT_IN, call)
        self.moments.append((RETURN, call, at, group))
        stack = self._stack if threading.get_ident() == self._main else self.stack()
        while stack and stack.pop() != call:
            pass

    def give_up(self, call: int) -> None:
        """A call has raised."""
        if call >= 0:
            self.failed[call] = perf_counter_ns()
            stack = self.stack()
            while stack and stack.pop() != call:
                pass

    # ------------------------------------------------------------------ tensors

    def meet(
        self, tensor: Any, kind: int = -1, call: int = -1, label: str = "", eager: bool = False
    ) -> int:
        """Looks at a tensor, and has its gradient written down when it arrives; returns the look.

        Args:
            tensor: The tensor.
            kind: `GRADIENT_IN` for an output of the call, `GRADIENT_OUT` for an input, -1 for neither.
            call: The call.
            label: Its place among the outputs or inputs.
            eager: Whether it may be written to next, so that its numbers are to be copied.
        """
        try:
            version = tensor._version
        except Exception:  # a library without versions, or a tensor of inference_mode
            version = -1
        met = self._last
        if met[0] is not tensor or met[1] != version or version < 0:
            met = self._earlier
        if met[0] is not tensor or met[1] != version or version < 0:
            eager = eager or version < 0
            look = self.looks.see(tensor) if eager else self.looks.see_new(tensor)
            waits = self.gradients is not None
            attached = self.gradients.attached(tensor, call < 1) if waits else None  # type: ignore[union-attr]
            self._earlier, self._last = self._last, (tensor, version, look, attached)
        else:
            look, attached = met[2], met[3]
            if eager and look >= COPIED:
                look = self.looks.see(tensor)
        if kind >= 0:
            if attached is not None:
                attached.append((kind, call, label))
            elif kind == GRADIENT_OUT and not label:
                self.wants_no_gradient.add(call)
        return look

    def see_all(
        self,
        values: Any,
        kwargs: dict[str, Any] | None,
        kind: int = -1,
        call: int = -1,
        eager: bool = False,
    ) -> Group:
        """The same for the arguments of a call (with `kwargs`) or for its result."""
        found = attempt(labelled, values, kwargs).value or []
        if len(found) == 1 and found[0][0] == "":
            return self.meet(found[0][1], kind, call, "", eager)
        group = tuple(
            (label, self.meet(tensor, kind, call, label, eager)) for label, tensor in found
        )
        if kind == GRADIENT_OUT and not any(_wants(tensor) for _, tensor in found):
            self.wants_no_gradient.add(call)
        return group

    # ------------------------------------------------------------------ the end

    def fail(self, call: int, error: BaseException, text: str, hook: int | None = None) -> None:
        """Something raised; on its way out an exception is met again and again, and written down once."""
        if error is self._error:
            return
        self._error = error
        self.caught.append(text)
        self.moments.append((FAILED, call, perf_counter_ns(), NOTHING, (text, hook)))

    def finish(self) -> None:
        """Lets go of everything that is the reader's, but for small tensors that are still to be read."""
        self._error = None
        self._stack.clear()
        self._others.clear()
        self._last = self._earlier = (None, 0, 0, None)
        if self.gradients is not None:
            self.gradients.finish()


def labelled(values: Any, kwargs: dict[str, Any] | None) -> list[tuple[str, Any]]:
    """The tensors with their places: `""` for one alone, `"[0]"`, `"['mask']"`, `"mask"` by keyword.

    Args:
        values: The result of a call, or its positional arguments.
        kwargs: The arguments by keyword; None for a result.
    """
    if kwargs is None:
        return [("", values)] if is_tensor(values) else _told_apart(tensors_in(values))
    found = tensors_in(values[0]) if len(values) == 1 else tensors_in(values)
    for name, value in kwargs.items():
        found += [(f"{name}{place}", tensor) for place, tensor in tensors_in(value)]
    return _told_apart(found)


def _told_apart(found: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The same with each place once: long keys are cut, and keys of several kinds may read the same."""
    if len(found) < 2:
        return found
    times: dict[str, int] = {}
    apart = []
    for place, tensor in found:
        times[place] = again = times.get(place, 0) + 1
        apart.append((place if again == 1 else f"{place} ({again})", tensor))
    return apart


def _wants(tensor: Any) -> bool:
    return attempt(getattr, tensor, "requires_grad", False).value is True
