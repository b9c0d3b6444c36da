"""Seeing what the machine does: `observe` tells a function of every operation that runs.

PyTorch has no such part: its dispatch modes stand in the place of operations, where a listener only looks on. One
thread is observed, the one that calls `observe`, as with PyTorch's modes: threads that load data stay unseen. An event
(`Event`) says which operation ran, on what, and what it gave, or with which exception it failed. There is one too for each write
in place, for each node that a walk back visits, and for each gradient that arrives at a leaf. As long as nobody
listens, observing costs nothing.

Example:
    >>> import nbmodule
    >>> from nbmodule.observer import observe
    >>> def show(event):
    ...     print(event.kind, event.name, [tuple(t.shape) for t in event.args])
    >>> layer = nbmodule.nn.Linear(3, 2)
    >>> with observe(show):
    ...     layer(nbmodule.ones(4, 3)).sum().backward()
    operation linear [(2,), (4, 3), (2, 3)]
    operation sum [(4, 2)]
    backward SumBackward0 [()]
    backward AddmmBackward0 [(4, 2)]
    accumulate AccumulateGrad [(2,)]
    accumulate AccumulateGrad [(2, 3)]
"""

from ._engine import Event, Handle, observe

__all__ = ["Event", "Handle", "observe"]
