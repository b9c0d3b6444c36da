"""Keep gradients from growing too large: by their common norm, or number by number.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable
from typing import Any

from ... import _factories
from ..._backend import at_hand, device_of, library_of
from ..._engine import be_silent, note_write, wrap
from ..._functions.joining import stack
from ..._methods.linalg_norms import vector_norm
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad

__all__: list[str] = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"]

Tensors = Tensor | Iterable[Tensor]

FOREACH_DEVICES = ("cpu", "cuda")
"""Where PyTorch can treat several tensors at once. Here that is no other computation."""


def _check_foreach(tensors: list[Tensor], foreach: bool | None) -> None:
    for t in tensors if foreach else ():
        if t.device.type not in FOREACH_DEVICES:
            raise RuntimeError(
                f"foreach=True was passed, but can't use the foreach API on {t.device.type} tensors"
            )


def _is_plain(g: Tensor) -> bool:
    """Return whether the array of `g` can be written to as it is, which is quicker than a method."""
    array: Any = g._array
    return at_hand(array) and array.flags.writeable and array.dtype.char in "fd"


def _gradients(parameters: Tensors) -> list[Tensor]:
    """Return the gradients of those parameters that have one."""
    if isinstance(parameters, Tensor):
        parameters = [parameters]
    return [p.grad for p in parameters if p.grad is not None]


def _get_total_norm(tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:  # fmt: skip
    """Return the norm of several tensors, as if they were one long vector.

    It is the norm of their norms: ``(sum_i |x_i|^p)^(1/p)`` over all elements.

    Args:
        tensors: one, or several, of any shapes.
        norm_type: p; ``inf`` is the largest size.
        error_if_nonfinite: whether a norm that is nan or infinite is an error.
        foreach: stays without effect; PyTorch has two ways to compute this.

    Returns:
        A tensor of shape (), on the device of the first one; 0 for no tensors.

    Raises:
        RuntimeError: the norm is not finite, and `error_if_nonfinite` is True.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.get_total_norm.html

    Example:
        >>> import nbmodule
        >>> parts = [nbmodule.tensor([3.0]), nbmodule.tensor([[0.0, 4.0]])]
        >>> nbmodule.nn.utils.get_total_norm(parts)
        tensor(5.)
    """
    tensors = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return _factories.tensor(0.0)
    _check_foreach(tensors, foreach)
    with no_grad():
        total_norm = _norm_of_norms(tensors, norm_type)
    if error_if_nonfinite and not total_norm.isfinite():
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot "
            "be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total_norm


def _norm_of_norms(tensors: list[Tensor], p: float) -> Tensor:
    arrays: list[Any] = [t._array for t in tensors]
    kinds = {(type(a), a.dtype.char) for a in arrays}
    together = at_hand(arrays[0]) or len({device_of(a) for a in arrays}) == 1
    if p == 2 and len(kinds) == 1 and arrays[0].dtype.char in "fd" and together:  # nearly always
        xp = library_of(arrays[0])
        flat = [a.reshape(-1) for a in arrays]
        be_silent()
        norms = xp.sqrt(xp.stack([xp.dot(a, a) for a in flat]))
        return wrap(xp.asarray(xp.sqrt(xp.dot(norms, norms))))
    device = tensors[0].device
    return vector_norm(stack([vector_norm(t, p).to(device) for t in tensors]), p)


def _clip_grads_with_norm_(parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None) -> None:  # fmt: skip
    """Scale gradients, in place, by ``min(1, max_norm / (total_norm + 1e-6))``.

    Args:
        parameters: one tensor, or several; those without a gradient are passed over.
        max_norm: the largest norm that is left as it is.
        total_norm: what `get_total_norm` returned.
        foreach: stays without effect.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grads_with_norm_.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.zeros(2, requires_grad=True)
        >>> p.grad = nbmodule.tensor([3.0, 4.0])
        >>> nbmodule.nn.utils.clip_grads_with_norm_(p, 1.0, nbmodule.tensor(5.0))
        >>> p.grad
        tensor([0.6000, 0.8000])
    """
    gradients = _gradients(parameters)
    max_norm = float(max_norm)
    if not gradients:
        return
    _check_foreach(gradients, foreach)
    with no_grad():
        # Multiplying by 1 costs less than asking a device whether it is needed.
        factor = (max_norm / (total_norm + 1e-6)).clamp(max=1.0)
        for g in gradients:
            array: Any = g._array
            if _is_plain(g) and type(array) is type(factor._array):
                array *= factor._array.astype(array.dtype)
                note_write(g._storage)
            else:
                g.mul_(factor.to(g.device))


def clip_grad_norm_(parameters: Tensors, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:  # fmt: skip
    """Scale the gradients of `parameters`, in place, so that their common norm is at most `max_norm`.

    The norm is taken over all gradients together, as if they were one vector, so that its direction stays.

    Args:
        parameters: one tensor, or several; those without a gradient are passed over.
        max_norm: the largest norm that is left as it is.
        norm_type: the p of the p-norm; ``inf`` is the largest size.
        error_if_nonfinite: whether a norm that is nan or infinite is an error.
        foreach: stays without effect; PyTorch has two ways to compute this.

    Returns:
        The norm before, a tensor of shape ().

    Raises:
        RuntimeError: the norm is not finite, and `error_if_nonfinite` is True; the gradients are as before.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.zeros(2, requires_grad=True)
        >>> p.grad = nbmodule.tensor([30.0, 40.0])
        >>> nbmodule.nn.utils.clip_grad_norm_(p, max_norm=1.0)
        tensor(50.)
        >>> p.grad
        tensor([0.6000, 0.8000])
    """
    if not isinstance(parameters, Tensor):
        generated = isinstance(parameters, types.GeneratorType)
        parameters = list(parameters)
        if generated and not parameters:
            warnings.warn(
                "`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3
            )
    total_norm = _get_total_norm(_gradients(parameters), norm_type, error_if_nonfinite, foreach)
    _clip_grads_with_norm_(parameters, max_norm, total_norm, foreach)
    return total_norm


def clip_grad_norm(parameters: Tensors, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:  # fmt: skip
    """Do what `clip_grad_norm_` does, which has taken the place of this one.

    Args:
        parameters: as in `clip_grad_norm_`, like the other arguments.
        max_norm: the largest norm that is left as it is.
        norm_type: the p of the p-norm.
        error_if_nonfinite: whether a norm that is nan or infinite is an error.
        foreach: stays without effect.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm.html

    Example:
        >>> import nbmodule, warnings
        >>> with warnings.catch_warnings(record=True) as seen:
        ...     warnings.simplefilter("always")
        ...     norm = nbmodule.nn.utils.clip_grad_norm([], 1.0)
        >>> norm, seen[0].category.__name__
        (tensor(0.), 'FutureWarning')
    """
    warnings.warn(
        "`nbmodule.nn.utils.clip_grad_norm` is now deprecated in favor of "
        "`nbmodule.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Bring every number of the gradients, in place, into ``[-clip_value, clip_value]``.

    Args:
        parameters: one tensor, or several; those without a gradient are passed over.
        clip_value: the largest size that is left as it is.
        foreach: stays without effect; PyTorch has two ways to compute this.

    Raises:
        RuntimeError: no parameter has a gradient.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_value_.html

    Example:
        >>> import nbmodule
        >>> p = nbmodule.zeros(3, requires_grad=True)
        >>> p.grad = nbmodule.tensor([-7.0, 0.5, 2.0])
        >>> nbmodule.nn.utils.clip_grad_value_(p, clip_value=1.0)
        >>> p.grad
        tensor([-1.0000,  0.5000,  1.0000])
    """
    if isinstance(parameters, Tensor):
        parameters = [parameters]
    clip_value = float(clip_value)
    gradients = _gradients(parameters)
    if not gradients:  # PyTorch, too, takes that for an error here, unlike in `clip_grad_norm_`
        raise RuntimeError(
            "Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could this error message be "
            "improved?  If so, please report an enhancement request to PyTorch.)\nNo parameter has a gradient."
        )
    _check_foreach(gradients, foreach)
    with no_grad():
        for g in gradients:
            if _is_plain(g):
                array: Any = g._array
                array.clip(-clip_value, clip_value, out=array)
                note_write(g._storage)
            else:
                g.clamp_(min=-clip_value, max=clip_value)
