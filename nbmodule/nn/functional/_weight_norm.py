"""``nbmodule.norm_except_dim`` and ``nbmodule._weight_norm``, which weight normalisation is made of."""

from __future__ import annotations

from ..._engine import renamed
from ..._errors import not_a_tensor
from ..._methods._signatures import bind_call
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import weight_norm as rules
from ..._tensor import Tensor
from ._checks import top_level

DIMENSION = "Dimension out of range (expected to be in range of [{}, {}], but got {})"


@top_level
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """Return the norm of `v` over all dimensions but one.

    Args:
        v: (..., C, ...), with C at `dim`.
        pow: the p of the p-norm.
        dim: the dimension that stays; -1 stands for none, which gives the norm of the whole.

    Returns:
        A tensor (1, ..., C, ..., 1), or (), that can be multiplied by `v`.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `v` does not hold floats.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrizations.weight_norm.html

    Example:
        >>> import nbmodule
        >>> nbmodule.norm_except_dim(nbmodule.tensor([[3.0, 4.0], [6.0, 8.0]]), 2, 0)
        tensor([[ 5.],
                [10.]])
    """
    if not isinstance(v, Tensor):
        raise not_a_tensor("norm_except_dim", "v", 1, v)
    if not v.is_floating_point():
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. "
            f"Got {v.dtype.scalar_name} instead."
        )
    if type(pow) is not int or type(dim) is not int:
        bind_call("norm_except_dim", False, (v, pow, dim), {})
    ndim = v.dim()
    if dim == -1:
        return renamed(v.norm(pow), "NormBackward0")
    if not -ndim <= dim < ndim:
        if not ndim and dim == 0:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        raise IndexError(DIMENSION.format(-max(ndim, 1), max(ndim, 1) - 1, dim))
    if dim == 0:
        return v.contiguous().view(len(v), -1).norm(pow, 1).view(-1, *[1] * (ndim - 1))
    if dim == ndim - 1:
        return v.contiguous().view(-1, v.size(-1)).norm(pow, 0).view(*[1] * (ndim - 1), -1)
    return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)


@pytorch_errors
def _weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """Return ``g * v / ‖v‖``, the norm over all dimensions but `dim`, or over all for -1.

    Args:
        v: (..., C, ...), the direction.
        g: (1, ..., C, ..., 1), the length; () where `dim` is -1.
        dim: the dimension that keeps its own lengths.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: `v` and `g` are of different types.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrizations.weight_norm.html

    Example:
        >>> import nbmodule
        >>> nbmodule._weight_norm(nbmodule.tensor([[3.0, 4.0]]), nbmodule.tensor([[10.0]]))
        tensor([[6., 8.]])
    """
    for name, position, given in (("v", 1, v), ("g", 2, g)):
        if not isinstance(given, Tensor):
            raise not_a_tensor("_weight_norm", name, position, given)
    if dim not in (0, v.dim() - 1):
        return v * (g / norm_except_dim(v, 2, dim))
    if v.dtype is not g.dtype:
        raise RuntimeError(
            f"expected scalar type {v.dtype.scalar_name} but found {g.dtype.scalar_name}"
        )
    return rules.weight_norm(v, g, dim=dim)


_weight_norm.__module__ = "nbmodule"  # which has it by this very name
