"""What the steps of the optimizers are made of: checks, counts, and the arrays that a formula works on.

A step is written once, with operators, and works on raw arrays in place; where gradients are recorded
(``differentiable=True``) the same lines work on tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import _dtypes, _factories
from .._backend import namespace_of, on_one_device
from .._engine import count_up, grad_mode, in_parts, note_write
from .._engine.in_place import unlock
from .._errors import INFERENCE_WRITTEN, broadcast_text
from .._tensor import Tensor
from ..autograd import enable_grad
from ._for_subclasses import _get_capturable_supported_devices, _get_scalar_dtype

PIECE = 1 << 17
"""How many elements of a large array are worked on at a time, so that what is computed on the way stays in
the processor's cache."""

LARGE = 3 * PIECE // 2
"""Up to this size it is not worth it."""

NOT_CAPTURED = "If capturable=True, {} must be on supported devices: {}."
NO_STEPS = "API has changed, `state_steps` argument must contain a list of singleton tensors"


# ---- around the formula


def loss_of(closure: Callable[[], Any] | None) -> Any:
    """Return what `closure` returns, with gradients recorded; None where there is none."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


def with_gradient(params: Iterable[Tensor]) -> list[Tensor]:
    """Return the parameters that a step changes: those to which a gradient has come."""
    return [p for p in params if p._grad is not None]


def column(states: list[dict[str, Any]], name: str, wanted: Any = True) -> list[Any]:
    """Return what is kept under `name` for each parameter; an empty list where it is not wanted."""
    return [state[name] for state in states] if wanted else []


def new_counter(value: float = 0.0, fused: Any = False) -> Tensor:
    """Return a count of steps: a tensor, so that it is saved as the others are."""
    return _factories.tensor(value, dtype=_get_scalar_dtype(fused))


def check_lists(params: list[Any], state_steps: list[Any], *, foreach: Any, differentiable: Any, capturable: Any, xla: bool | None = None, names: str = "params and state_steps") -> None:  # fmt: skip
    """Check what the functional forms are given, before anything is changed.

    Args:
        params: the tensors to be changed.
        state_steps: the count of steps of each.
        foreach: whether PyTorch's way over lists of tensors was asked for, which cannot be recorded.
        differentiable: whether the step is recorded.
        capturable: whether it is for a graph of GPU work, which is not made here.
        xla: whether PyTorch names XLA among the devices that can; None: unless it works over lists.
        names: what would have to be on such a device.

    Raises:
        RuntimeError: a count is no tensor.
        AssertionError: two ways to compute exclude one another, or there is no such device.
    """
    if not all(isinstance(count, Tensor) for count in state_steps):
        raise RuntimeError(NO_STEPS)
    if foreach and differentiable:
        raise AssertionError("_foreach ops don't support autograd")
    if capturable and params:
        devices = _get_capturable_supported_devices(not foreach if xla is None else xla)
        raise AssertionError(NOT_CAPTURED.format(names, devices))


def unscaled(grads: list[Tensor], fused: Any, grad_scale: Tensor | None, found_inf: Tensor | None) -> bool:  # fmt: skip
    """Divide the gradients by the scale that the loss was multiplied with; say whether they can be used.

    Args:
        grads: the gradients, changed in place.
        fused: only the fused way of PyTorch does this inside of a step.
        grad_scale: one number, or None.
        found_inf: not 0 where a gradient was infinite, so that the step must be left out.

    Raises:
        AssertionError: there is a scale, but not the fused way.
    """
    if grad_scale is None and found_inf is None:
        return True
    if not fused:
        raise AssertionError("Expected grad_scale and found_inf to be None")
    if grads and found_inf is not None and found_inf.item():
        return False
    if grad_scale is not None:
        for g in grads:
            g._array[...] /= grad_scale.item()
    return True


# ---- numbers


def plain(value: Any) -> Any:
    """Return an option that may be a tensor of one element as a number."""
    return value.item() if isinstance(value, Tensor) else value


def scalar(value: Any) -> Any:
    """Return an option; one that is a tensor of one element without its dimensions."""
    return value.squeeze() if isinstance(value, Tensor) and value.dim() else value


def number(value: Any) -> Any:
    """Return an option as a number; while the step is recorded, a tensor remains one, without dimensions."""
    return scalar(value) if grad_mode.enabled else plain(value)


def numbers(*values: Any) -> tuple[Any, ...]:
    """Return options as numbers, see `number`: on raw arrays a tensor would turn ``w -= ...`` into a new tensor."""
    return tuple([v if type(v) is float or type(v) is int else number(v) for v in values])


def following(count: Tensor) -> float:
    """Return the number of the step that is being made, which `advance` notes when it is made."""
    return count._array.item() + 1


advance = count_up
"""Adds 1 to a count of steps."""


# ---- arrays


def in_pieces(update: Callable[..., None], p: Tensor, *others: Tensor | None, writes: int = 1, alike: bool = False) -> None:  # fmt: skip
    """Call a formula with the elements of `p`, which it changes in place, and with those of `others`.

    It gets raw arrays, of large ones views of piece after piece, perhaps on several threads at once; tensors while
    gradients are recorded. None stays None.

    Args:
        update: the formula. It works element by element.
        p: what is changed.
        others: tensors of its shape, or None.
        writes: how many times PyTorch changes `p` in the step: its ``_version`` tells.
        alike: whether the first two others must be of one type, as PyTorch's `lerp_` wants it.

    Raises:
        RuntimeError: the shapes or types differ: other data was put into `p` since the last step.
    """
    if grad_mode.enabled:
        return update(p, *others)
    w, storage = p._array, p._storage
    if storage.is_inference and not grad_mode.inference:
        raise RuntimeError(INFERENCE_WRITTEN)
    arrays: list[Any] = [w]
    shape = w.shape
    for t in others:  # for small parameters this is what a step costs: a comprehension is slower
        a = None if t is None else t._array
        if a is not None and a.shape != shape:
            raise RuntimeError(_misfit(shape, a.shape))
        arrays.append(a)
    if alike and arrays[1].dtype != arrays[2].dtype:
        new, kept = (_dtypes.of_numpy[a.dtype].c_name for a in arrays[1:3])
        raise RuntimeError(f"expected dtype {kept} for `end` but got dtype {new}")
    note_write(storage, w)
    if writes > 1:
        storage.version += writes - 1
    if type(w) is not np.ndarray:
        on_one_device(arrays)
    elif not w.flags.writeable:
        return _unlocked(update, arrays)
    elif w.size > LARGE and _lie_alike(arrays):
        return _piece_by_piece(update, [None if a is None else a.reshape(-1) for a in arrays])
    update(*arrays)


def _misfit(shape: tuple[int, ...], other: tuple[int, ...]) -> str:
    """Return what PyTorch says where a parameter and what is kept of it are of different shapes."""
    try:
        common = np.broadcast_shapes(shape, other)
    except ValueError:
        return broadcast_text([other, shape])
    written = shape if shape != common else other
    return f"output with shape {list(written)} doesn't match the broadcast shape {list(common)}"


def _unlocked(update: Callable[..., None], arrays: list[Any]) -> None:
    """Update the first array, which is a part of an expanded view: unless its elements share memory."""
    unlock(arrays[0], False)
    try:
        update(*arrays)
    finally:
        arrays[0].flags.writeable = False


def _lie_alike(arrays: list[Any]) -> bool:
    """Return whether the elements of all arrays lie in the same order, without gaps."""
    return all(a is None or a.flags.c_contiguous for a in arrays)


def _piece_by_piece(update: Callable[..., None], arrays: list[Any]) -> None:
    """Update arrays of one dimension: what is computed on the way stays in the processor's cache."""

    def work(at: slice) -> None:
        for start in range(at.start, at.stop, PIECE):
            here = slice(start, min(start + PIECE, at.stop))
            update(*[None if a is None else a[here] for a in arrays])

    # The more is kept of an element, the more is computed; plain descent waits for the memory, and so would two threads.
    kept = sum(a is not None for a in arrays) - 2
    in_parts(np, work, arrays[0].size, arrays[0].size * kept)


def now(x: Any) -> Any:
    """Return `x` as it is now: where a step is recorded, a copy that later steps do not overwrite."""
    return x.clone() if isinstance(x, Tensor) else x


def raised(largest: Any, values: Any) -> Any:
    """Raise `largest`, in place, to `values` where these are larger; return it."""
    if isinstance(largest, Tensor):
        return largest.copy_(largest.clone().maximum(values))
    return namespace_of[type(largest)].maximum(largest, values, out=largest)
