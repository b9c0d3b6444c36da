"""The linear and the bilinear map.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

import math

from ..._engine import renamed
from ..._methods.pytorch_errors import pytorch_errors
from ..._ops import linalg
from ..._tensor import Tensor
from ._checks import first_not_a_tensor


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``input @ weight.T + bias``.

    Args:
        input: (..., in_features)
        weight: (out_features, in_features), or (in_features,) for a single output without a dimension of its own.
        bias: (out_features,) or None

    Returns:
        (..., out_features)

    Raises:
        RuntimeError: the shapes or the dtypes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.linear.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> weight = nbmodule.tensor([[1.0, 0.0], [1.0, -1.0]])
        >>> F.linear(nbmodule.tensor([5.0, 3.0]), weight, nbmodule.tensor([0.0, 10.0]))
        tensor([ 5., 12.])
    """
    if not _fits(input, weight, bias):
        return _unusual(input, weight, bias)
    if bias is None:
        out = linalg.linear_without_bias(input, weight)
    else:
        out = linalg.linear(bias, input, weight)
    dims = input._array.ndim
    if dims == 2:
        return out
    if bias is None:
        return renamed(out, "SqueezeBackward4" if dims == 1 else "UnsafeViewBackward0")
    in_rows = dims == 1 or input._array.flags.c_contiguous
    return renamed(out, "ViewBackward0" if in_rows else "AddBackward0")


def _fits(input: Tensor, weight: Tensor, bias: Tensor | None) -> bool:
    """Return whether the weight is a matrix for the features of `input`, and the bias holds a number for each row of it."""
    given = (input, weight) if bias is None else (input, weight, bias)
    try:
        x, w, b = input._array, weight._array, given[-1]._array
    except AttributeError:
        raise first_not_a_tensor("linear", input=input, weight=weight, bias=given[-1]) from None
    if w.ndim != 2 or not x.ndim or x.shape[-1] != w.shape[1]:
        return False
    if not x.dtype == w.dtype == b.dtype or x.dtype.kind == "b":
        return False
    return bias is None or b.shape == w.shape[:1] or b.shape == (1,)


def _unusual(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Return ``input @ weight.T + bias`` for a weight or a bias of another shape, or raise in PyTorch's words."""
    if not input.dtype == weight.dtype == (weight if bias is None else bias).dtype:
        if bias is not None and input.dtype == weight.dtype and input.dim() > 2 and not input.is_contiguous():  # fmt: skip
            return linear(input, weight).add_(bias)  # as PyTorch does, which takes other dtypes so
        raise RuntimeError(_mixed_dtypes(input, weight, bias))
    if weight.dim() == 1 and input.dim() and bias is None:
        return input.matmul(weight)
    if weight.dim() != 2 or not input.dim() or input.size(-1) != weight.size(1):
        raise RuntimeError(_linear_text(input, weight, bias))
    if bias is None or input._array.dtype.kind == "b":
        raise NotImplementedError("\"addmm_impl_cpu_\" not implemented for 'Bool'")
    *outer, in_features = input.shape
    if len(outer) != 1 and bias.dim() != 1 and bias.squeeze().dim() != 1:
        return input.matmul(weight.T).add_(bias)
    bias = bias.expand(math.prod(outer), len(weight))  # it refuses what does not fit
    if len(outer) == 1:
        return linalg.linear(bias, input, weight)
    out = linalg.linear(bias, input.reshape(-1, in_features), weight)
    return renamed(out.reshape(*outer, len(weight)), "ViewBackward0")


def _linear_text(input: Tensor, weight: Tensor, bias: Tensor | None) -> str:
    if weight.dim() == 1 and bias is not None:
        return "mat2 must be a matrix, got 1-D tensor"
    if weight.dim() > 2:
        return f"t() expects a tensor with <= 2 dimensions, but self is {weight.dim()}D"
    if input.dim() == 0 or weight.dim() != 2:
        return (
            f"both arguments to linear need to be at least 1D, but they are {input.dim()}D and "
            f"{weight.dim()}D"
        )
    rows, columns = math.prod(input.shape[:-1]), input.shape[-1]
    out_features, in_features = weight.shape
    return (
        f"mat1 and mat2 shapes cannot be multiplied ({rows}x{columns} and {in_features}x{out_features})\n"
        f"The layer takes {in_features} input features and got {columns}: was it meant to be "
        f"Linear({columns}, {out_features})?"
    )


@pytorch_errors
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``y[k] = input1 @ weight[k] @ input2 + bias[k]``.

    Args:
        input1: (..., in1_features)
        input2: (..., in2_features), with the same leading sizes.
        weight: (out_features, in1_features, in2_features)
        bias: (out_features,) or None

    Returns:
        (..., out_features)

    Raises:
        RuntimeError: the shapes or the dtypes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.bilinear.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> x = nbmodule.tensor([1.0, 2.0])
        >>> F.bilinear(x, x, nbmodule.tensor([[[1.0, 0.0], [0.0, 1.0]]]))
        tensor([5.])
    """
    _check_bilinear(input1, input2, weight, bias)
    out_features, in1_features, in2_features = weight.shape
    outer = input1.shape[:-1]
    by_input1 = weight.permute(1, 0, 2).reshape(in1_features, out_features * in2_features)
    rows = input1.reshape(-1, in1_features)
    half = rows.matmul(by_input1).reshape(len(rows), out_features, in2_features)
    out = half.matmul(input2.reshape(-1, in2_features, 1)).reshape(*outer, out_features)
    return renamed(out, "ViewBackward0") if bias is None else out + bias


def _check_bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    named = {"input1": input1, "input2": input2, "weight": weight}
    named = named if bias is None else {**named, "bias": bias}
    if len({t._array.dtype for t in named.values()}) > 1:
        dtypes = ", ".join(f"{name}: {t.dtype.c_name}" for name, t in named.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {dtypes}")
    if input1.dim() != input2.dim():
        raise RuntimeError(
            f"bilinear(): input dimensions do not match: got {input1.dim()} and {input2.dim()}"
        )
    for place, (a, b) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        if a != b:
            raise RuntimeError(
                f"bilinear(): input batch dimensions do not match at dim {place}: got {a} and {b}"
            )
    for place, (name, t) in enumerate((("input1", input1), ("input2", input2)), 1):
        if t.size(-1) != weight.size(place):
            raise RuntimeError(
                f"bilinear(): {name} size does not match weight size: got {t.size(-1)} but expected "
                f"{weight.size(place)}"
            )
    if bias is not None and bias.size(0) != weight.size(0):
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias.size(0)} but expected "
            f"{weight.size(0)}"
        )
    if weight.dtype.scalar_name == "Bool":
        raise NotImplementedError("\"bmm\" not implemented for 'Bool'")


def _mixed_dtypes(input: Tensor, weight: Tensor, bias: Tensor | None) -> str:
    """Return what is wrong with the dtypes of the arguments of `linear`."""
    if bias is None or (input.dim() > 2 and not input.is_contiguous()):
        return (
            "expected m1 and m2 to have the same dtype, but got: "
            f"{input.dtype.c_name} != {weight.dtype.c_name}"
        )
    name, t = ("mat1", input) if bias.dtype == weight.dtype else ("self", bias)
    return (
        f"{name} and mat2 must have the same dtype, but got {t.dtype.scalar_name} and "
        f"{weight.dtype.scalar_name}"
    )
