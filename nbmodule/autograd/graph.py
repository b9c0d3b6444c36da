"""The graph from outside: nodes, the edges where gradients arrive, hooks on several tensors.

Source: https://docs.pytorch.org/docs/stable/autograd.html#autograd-graph
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

from .._engine import Node, edge_of, grad_mode, note_write, pop_hooks, push_hooks
from .._engine.walk import current_walk
from .._tensor import Tensor
from ..utils.hooks import RemovableHandle

__all__ = [
    "GradientEdge", "Node", "disable_saved_tensors_hooks", "get_gradient_edge", "increment_version",
    "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks",
]  # fmt: skip


class GradientEdge(NamedTuple):
    """Where a gradient arrives in the graph; `get_gradient_edge` makes them.

    Attributes:
        node: the operation that made the tensor, or the accumulator of a leaf.
        output_nr: which output of the operation it is.
        ownership_token: what else has to be kept alive with `node`.
    """

    node: Node
    output_nr: int
    ownership_token: Node | None = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Return the edge along which the gradient of `tensor` arrives.

    Raises:
        RuntimeError: `tensor` does not require grad.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.graph.get_gradient_edge.html
    """
    edge = edge_of(tensor)
    if edge is None:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    token = None if edge.shown is edge else edge
    return GradientEdge(edge.shown, getattr(edge, "index", 0), token)


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Note that the memory of one or several tensors was written in a way that nobody could see.

    Raises:
        RuntimeError: something else than tensors was given.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.graph.increment_version.html
    """
    if not isinstance(tensor, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for t in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if not isinstance(t, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")  # fmt: skip
        if not t._storage.is_inference:
            note_write(t._storage, t._array)


class _MultiHandle(RemovableHandle):
    """Takes several hooks off at once."""

    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Take the hooks off. Doing so twice is harmless."""
        for handle in self.handles:
            handle.remove()

    def __getstate__(self) -> tuple[RemovableHandle, ...]:
        return self.handles

    def __setstate__(self, state: tuple[RemovableHandle, ...]) -> None:
        self.handles = state


def register_multi_grad_hook(
    tensors: Sequence[Tensor],
    fn: Callable[[Sequence[Tensor | None]], None] | Callable[[Tensor], None],
    *,
    mode: Literal["all", "any"] = "all",
) -> RemovableHandle:
    """Call `fn` once in each walk, with gradients of `tensors`.

    Args:
        tensors: those that the hook is interested in.
        fn: called with a list of their gradients (None for those that this walk does not reach) when all
            have been computed; in mode "any" with the first gradient, when that has been computed.
        mode: "all" or "any".

    Returns:
        a handle whose ``remove()`` takes the hook away.

    Raises:
        ValueError: there is no such mode.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.graph.register_multi_grad_hook.html
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        hook = _for_the_first(fn)
        return _MultiHandle(tuple(t.register_hook(hook) for t in tensors if t.requires_grad))
    edges = [edge_of(t) for t in tensors]
    if None in edges:
        raise AssertionError("Expected gradient function to be set")
    arrived: WeakKeyDictionary[Any, dict[int, Tensor]] = WeakKeyDictionary()

    def hook_of(place: int) -> Callable[[Tensor], None]:
        def hook(grad: Tensor) -> None:
            walk = current_walk()
            found = arrived.setdefault(walk, {})
            found[place] = grad
            if len(found) == sum(map(walk.runs, edges)):
                fn([found.get(i) for i in range(len(edges))])  # type: ignore[arg-type]
                del arrived[walk]

        return hook

    return _MultiHandle(tuple(t.register_hook(hook_of(i)) for i, t in enumerate(tensors)))


def _for_the_first(fn: Any) -> Callable[[Tensor], None]:
    told: WeakSet[Any] = WeakSet()

    @wraps(fn)
    def hook(grad: Tensor) -> None:
        walk = current_walk()
        if walk not in told:
            told.add(walk)
            fn(grad)

    return hook


class saved_tensors_hooks:
    """A context in which every floating point tensor that an operation saves is packed.

    What is saved for backward is most of what training keeps in memory: hooks can count it, round it, or move it
    to a file. Only those of the innermost context are called. Masks and indices are saved without them.

    Args:
        pack_hook: called with each tensor that is saved; the graph keeps what it returns in place of the tensor,
            which it must not write to.
        unpack_hook: called with that whenever the tensor is needed; returns a tensor with the same values.

    Raises:
        TypeError: on entering, if one of them cannot be called; in backward, if `unpack_hook` returns
            anything but a tensor.
        RuntimeError: hooks are disabled here, or `pack_hook` wrote to the tensor.

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.saved_tensors_hooks

    Example:
        >>> import nbmodule
        >>> x = nbmodule.tensor([0.1, 0.3], requires_grad=True)
        >>> half = lambda t: t.detach().half()
        >>> with nbmodule.autograd.graph.saved_tensors_hooks(half, lambda t: t.float()):
        ...     y = (x * x).sum()
        >>> y.backward()
        >>> x.grad
        tensor([0.2000, 0.6001])
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:  # fmt: skip
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        if not (callable(self.pack_hook) and callable(self.unpack_hook)):
            raise TypeError(
                "_push_saved_tensors_default_hooks(): incompatible function arguments. The following argument "
                "types are supported:\n    1. (arg0: collections.abc.Callable, arg1: collections.abc.Callable) "
                f"-> None\n\nInvoked with: {self.pack_hook!r}, {self.unpack_hook!r}"
            )
        push_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *args: object) -> None:
        pop_hooks()


class save_on_cpu(saved_tensors_hooks):
    """A context in which what is saved is kept in the computer's memory, not on the GPU.

    Args:
        pin_memory: accepted as in PyTorch, and ignored.
        device_type: likewise.

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.save_on_cpu
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda t: (t.device, t.cpu()), lambda packed: packed[1].to(packed[0]))


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Refuse `saved_tensors_hooks` inside: entering such a context raises a RuntimeError.

    Args:
        error_message: what that says.

    Source: https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.graph.disable_saved_tensors_hooks
    """
    if grad_mode.packing:
        raise RuntimeError(error_message)
    before, grad_mode.packing_refused = grad_mode.packing_refused, error_message
    try:
        yield
    finally:
        grad_mode.packing_refused = before
