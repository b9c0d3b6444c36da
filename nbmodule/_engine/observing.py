"""Telling whoever listens which operation ran on what, and what it gave. `nbmodule.observer` shows it to users."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .state import Entry, TensorBase, grad_mode, rare


class Event:
    """Something that the engine did, as a listener is told of it.

    The tensors are the very objects that the program works with: look, and leave them as they are. Whoever keeps an
    event keeps them, and the graph behind them.

    Args:
        kind: "operation"; "write" for one that wrote in place; "backward" for a visit of a walk back to a node;
            "accumulate" where a gradient arrived at a leaf.
        name: what ran, such as "relu", "linear" or, of a write, "add_"; the name of the node in a walk.
        args: what it was given: tensors and numbers; of "backward" and "accumulate" the gradients that arrived.
        options: what it was given by name.
        result: a tensor, or a tuple of several; of "backward" the gradients that were sent on, None where none
            was asked for; of "accumulate" the leaf. None if it failed.
        error: the exception with which it failed, or None.
        node: the node that was recorded, as ``result.grad_fn`` shows it, or the one that is visited; None if
            nothing was recorded.
        operation: the function on tensors that ran, whose source is the formula; None where it has no rule.

    Example:
        >>> import nbmodule
        >>> from nbmodule.observer import observe
        >>> events = []
        >>> with observe(events.append):
        ...     x = nbmodule.ones(2, requires_grad=True).exp()
        >>> events
        [<operation exp>]
        >>> events[0].result is x, events[0].node is x.grad_fn
        (True, True)
    """

    __slots__ = ("args", "error", "kind", "name", "node", "operation", "options", "result")

    def __init__(
        self, kind: str, name: str, args: Any, options: Any = None, result: Any = None, error: Any = None,
        node: Any = None, operation: Any = None,
    ) -> None:  # fmt: skip
        self.kind, self.name, self.args, self.options = kind, name, tuple(args), options or {}
        self.result, self.error, self.node, self.operation = result, error, node, operation

    def __repr__(self) -> str:
        end = "" if self.error is None else f" failed: {self.error}"
        return f"<{self.kind} {self.name}{end}>"


class Handle:
    """What `observe` returns: listens until the end of its ``with`` block, or until `remove`.

    Args:
        listener: called with each `Event`.

    Attributes:
        error: what the listener raised, if it did. Then it is told no more.

    Example:
        >>> import nbmodule
        >>> from nbmodule.observer import observe
        >>> events = []
        >>> handle = observe(events.append)
        >>> x = nbmodule.ones(2) * 2
        >>> handle.remove()
        >>> y = x + 1
        >>> events
        [<operation mul>]
    """

    def __init__(self, listener: Callable[[Event], object]) -> None:
        if not callable(listener):
            raise TypeError(f"observe() expects a function, but got {type(listener).__name__}")
        self.listener: Callable[[Event], object] | None = listener
        self.error: Exception | None = None
        # Weak: a handle that nobody holds listens no more, so that whatever stops the program between this line
        # and a `with` leaves nothing behind.
        self._entry = Entry(self, rare.discard)
        rare.add(self._entry)
        grad_mode.listeners = (*(e for e in grad_mode.listeners if e in rare), self._entry)

    def remove(self) -> None:
        """Listen no more. Any thread may call it, any number of times."""
        self.listener = None
        rare.discard(self._entry)
        grad_mode.listeners = tuple(e for e in grad_mode.listeners if e in rare)

    def hear(self, event: Event) -> None:
        """Tell the listener of `event`; what it raises must not break the operation."""
        try:
            if self.listener is not None:
                self.listener(event)
        except Exception as error:
            self.error = error
            self.remove()

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        """Listen no more; raise what the listener raised, unless the block itself failed."""
        self.remove()
        if self.error is not None and error is None:
            raise self.error


def observe(listener: Callable[[Event], object]) -> Handle:
    """Call ``listener(event)`` for every operation that this thread runs from now on.

    `listener` is called when the operation is done, or has failed, and before its caller goes on. What happens inside an
    operation that writes in place, or inside a `Function`, is part of that one. Operations that a listener itself runs are
    not observed. What never has a gradient and no rule, such as new tensors, the indices of `argsort` and the steps of
    optimizers, is not told of. An exception of a listener does not break the operation: the listener is told no more, and the
    exception is raised at the end of the ``with`` block; it stands in the `error` of the handle, too.

    Args:
        listener: called with each `Event`.

    Returns:
        a handle: a context manager, with a method `remove`. Listening ends with the block, or with `remove`, or when
        nobody holds the handle any more.

    Example:
        >>> import nbmodule
        >>> from nbmodule.observer import observe
        >>> with observe(lambda event: print(event.name, event.result.tolist())):
        ...     x = nbmodule.tensor([1.0, -2.0]) * 3
        ...     y = x.relu()
        mul [3.0, -6.0]
        relu [3.0, 0.0]
    """
    return Handle(listener)


for shown in (Event, Handle, observe):
    shown.__module__ = "nbmodule.observer"  # where users see them


def heard() -> bool:
    """Return whether somebody in this thread is to be told of what runs now."""
    return not (grad_mode.unheard or rare.isdisjoint(grad_mode.listeners))  # some may have gone


def tell(event: Event) -> None:
    """Tell the listeners of this thread of `event`."""
    if heard() and (event.error is not None or event.result is not None):  # else Ctrl-C stopped it
        unheard(_tell_all, event)


def _tell_all(event: Event) -> None:
    for entry in grad_mode.listeners:
        handle = entry()
        if handle is not None:
            handle.hear(event)


def unheard(work: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Return ``work(*args, **options)``; nobody is told of what it does."""
    try:
        try:
            grad_mode.unheard = True
            return work(*args, **options)
        finally:
            grad_mode.unheard = False
    finally:  # once more: Ctrl-C may have come before the line above
        grad_mode.unheard = False


def tell_of(name: str, args: Any, result: Any, **options: Any) -> None:
    """Tell of an operation that has no rule, such as `detach`, and has given `result`."""
    if heard():
        tell(Event("operation", name, args, options, result, node=shown_node(result)))


def told_as_one(event: Event, work: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Return ``work(*args, **options)``, and tell of it as `event`: of what it does inside nobody is told."""
    try:
        event.result = unheard(work, *args, **options)
    except Exception as error:
        event.error = error
        tell(event)
        raise
    event.node = shown_node(event.result)
    tell(event)
    return event.result


def shown_node(result: Any) -> Any:
    """Return the node that made `result`, a tensor or a tuple of several, as ``grad_fn`` shows it."""
    for t in result if isinstance(result, tuple) else (result,):
        if isinstance(t, TensorBase) and t._node is not None:
            return t._node.shown
    return None
