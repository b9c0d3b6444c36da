"""Scaled dot-product attention: means of values, weighted by how well keys fit queries.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
"""

from __future__ import annotations

import math

from ... import _dtypes
from ..._engine import renamed
from ..._functions._wrap import checked_function
from ..._ops import attention as rules
from ..._tensor import Tensor
from ._dropout import dropout

ENABLED = {"math": True, "flash": True, "mem_efficient": True, "cudnn": True, "overrideable": True}
"""The kernels that `nbmodule.nn.attention.sdpa_kernel` allows. PyTorch has two for the CPU, which differ in the
name of the node; here is one, which goes by both names."""

FLASH = "ScaledDotProductFlashAttentionForCpuBackward0"
MATH = "UnsafeViewBackward0"
NO_BACKEND = (
    "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the "
    "math kernel and the fused kernels."
)


@checked_function
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False) -> Tensor:  # fmt: skip
    """Return ``softmax(scale * query @ key.mT + mask) @ value``: means of values, weighted by how keys fit queries.

    Args:
        query: (..., L, E)
        key: (..., S, E)
        value: (..., S, Ev)
        attn_mask: broadcast to (..., L, S): True where a query may look at a key, or numbers to be added to the
            scores. A query that may look at nothing gets zeros.
        dropout_p: the probability with which a weight is set to 0, whatever mode a model is in.
        is_causal: let the query in place i look at the keys up to place i.
        scale: by default 1 / sqrt(E).
        enable_gqa: let several heads of `query`, its dimension -3, share one of `key` and `value`.

    Returns:
        (..., L, Ev)

    Raises:
        RuntimeError: dtypes or shapes do not fit, or `attn_mask` and `is_causal` are both given.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html,
    Vaswani et al., https://arxiv.org/abs/1706.03762

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> query, key = nbmodule.zeros(1, 2, 4), nbmodule.zeros(1, 2, 4)
        >>> value = nbmodule.tensor([[[1.0, 2.0], [3.0, 4.0]]])
        >>> F.scaled_dot_product_attention(query, key, value, is_causal=True)
        tensor([[[1., 2.],
                 [2., 3.]]])
    """
    if hasattr(attn_mask, "_dispatch"):  # a CausalBias attends by itself
        options = {"scale": scale, "enable_gqa": enable_gqa}
        return attn_mask._dispatch(query, key, value, attn_mask, dropout_p, is_causal, **options)  # type: ignore[union-attr]
    _check_inputs(query, key, value, attn_mask)
    kernel = _kernel(query, key, value, attn_mask, dropout_p, enable_gqa)
    if kernel != FLASH:
        if is_causal and attn_mask is not None:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        if query._array.dtype.kind != "f":
            kind = query.dtype.scalar_name
            raise RuntimeError(f"expected scalar type Float but found {kind}")
    if dropout_p > 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    dropout_p = max(dropout_p, 0.0)
    if enable_gqa:
        key, value = _repeated_heads(query, key, value)
    return _attend(query, key, value, attn_mask, dropout_p, is_causal, scale, kernel)


def _attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, is_causal: bool, scale: float | None, kernel: str) -> Tensor:  # fmt: skip
    kind = query.dtype
    if kind is _dtypes.float16:  # sums of it would be too coarse
        query, key, value = query.float(), key.float(), value.float()
    bias = _bias(query, mask)
    if is_causal:
        unseen = query.new_full((query.size(-2), key.size(-2)), -math.inf).triu(1)
        bias = unseen if bias is None else bias + unseen
    factor = 1 / math.sqrt(query.size(-1) or 1) if scale is None else scale
    out, _ = weighted_values(query, key, value, bias, dropout_p, scale=factor, name=kernel)
    if kind is not _dtypes.float16:
        return out
    return renamed(out.half(), kernel) if kernel == FLASH else out.half()


def weighted_values(q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, dropout_p: float, *, scale: float, safe: bool = True, name: str = MATH) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return ``p @ v`` and the weights ``p = dropout(softmax(scale * q @ k.mT + bias))``.

    Args:
        q: (..., L, E)
        k: (..., S, E)
        v: (..., S, Ev)
        bias: broadcast to (..., L, S), or None.
        dropout_p: the probability of dropout.
        scale: of the scores.
        safe: let a query with scores of minus infinity alone have weights 0, not NaN.
        name: of the node.
    """
    (*outer, rows, features), columns = q.shape, k.size(-2)
    shape = (*outer, rows, columns)
    if (*outer, columns, features) == k.shape and (*outer, columns) == v.shape[:-1] and (bias is None or _is_within(bias.shape, shape)):  # fmt: skip
        keep = _kept(shape, dropout_p, q) if dropout_p else None
        return rules.attention(q, k, v, bias, keep, scale=scale, safe=safe, late=name == FLASH, name=name)  # fmt: skip
    scores = (q * scale).matmul(k.mT)
    scores = scores if bias is None else scores.add_(bias)  # it refuses what is wider
    p = rules.masked_softmax(scores, safe)
    p = p * _kept(tuple(p.shape), dropout_p, q) if dropout_p else p
    return p.matmul(v), p


def _kept(shape: tuple[int, ...], dropout_p: float, like: Tensor) -> Tensor:
    """Return 0 or ``1 / (1 - dropout_p)`` for each weight."""
    return dropout(like.new_ones(shape), dropout_p)


def _is_within(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Return whether an array of `shape` can be broadcast to `whole`."""
    fits = [n in (1, m) for n, m in zip(reversed(shape), reversed(whole), strict=False)]
    return len(shape) <= len(whole) and all(fits)


def _bias(query: Tensor, mask: Tensor | None) -> Tensor | None:
    """Return `mask` as numbers that are added to the scores."""
    if mask is None or mask.dtype is not _dtypes.bool_:
        return mask if mask is None else mask.to(query.dtype)
    return query.new_zeros(mask.shape).masked_fill(mask.logical_not(), -math.inf)


def _check_inputs(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    if not query._array.dtype == key._array.dtype == value._array.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{query.dtype.c_name} key.dtype: {key.dtype.c_name} and value.dtype: {value.dtype.c_name} instead."
        )
    if not query.device == key.device == value.device:
        raise RuntimeError(
            "Expected query, key, and value to have the same device type, but got query.device: "
            f"{query.device} key.device: {key.device} and value.device: {value.device} instead."
        )
    if min(query.dim(), key.dim(), value.dim()) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.dim()} key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    if mask is not None and mask.dtype not in (_dtypes.bool_, _dtypes.float32, query.dtype):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{mask.dtype.c_name} and  query.dtype: {query.dtype.c_name} instead."
        )


def _kernel(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, enable_gqa: bool) -> str:  # fmt: skip
    """Return the name of the node that PyTorch's choice of a kernel would record.

    Raises:
        RuntimeError: none of the enabled ones would do.
    """
    if ENABLED["flash"] and _flash_would_do(query, key, value, mask, dropout_p, enable_gqa):
        if dropout_p:  # a negative one gets as far as the kernel
            raise RuntimeError(
                "scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0"
            )
        return FLASH
    if ENABLED["math"]:
        if 0 in (*query.shape[:-1], key.size(-2), value.size(-1)):
            return "AddBackward0"
        return MATH if max(query.dim(), key.dim()) > 2 else "MmBackward0"
    raise RuntimeError(
        "No available kernel.  Aborting execution." if ENABLED["flash"] else NO_BACKEND
    )


def _flash_would_do(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float, enable_gqa: bool) -> bool:  # fmt: skip
    shapes = [query.shape, key.shape, value.shape]
    if dropout_p > 0 or any(len(shape) != 4 or 0 in shape for shape in shapes):
        return False
    batches, heads, features = (tuple(shape[i] for shape in shapes) for i in (0, 1, 3))
    groups = heads[0] % heads[1] == 0 if enable_gqa else heads[0] == heads[1]
    if heads[1] != heads[2] or not groups or len({*batches}) > 1:
        return False
    if mask is not None and not _flash_mask(query, key, mask):
        return False
    in_rows = [t._array.strides[-1] == t._array.itemsize for t in (query, key, value)]
    return len({*features}) == 1 and query._array.dtype.kind == "f" and all(in_rows)


def _flash_mask(query: Tensor, key: Tensor, mask: Tensor) -> bool:
    if mask.requires_grad:
        return False
    whole = (*query.shape[:3], key.size(2))
    return mask.size(-2) in (1, whole[2]) and len(mask.shape) in (2, 4) and _is_within(mask.shape, whole)  # fmt: skip


def _repeated_heads(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Return `key` and `value` with as many heads as `query`."""
    heads, shared = query.size(-3), (key.size(-3), value.size(-3))
    if any(not n or heads % n for n in shared):
        raise RuntimeError(
            "Number of heads in key and value must divide the number of heads in \n"
            f"query ({heads} heads, {shared[0]} of the key, {shared[1]} of the value)"
        )
    repeats = [heads // n for n in shared]
    return key.repeat_interleave(repeats[0], -3), value.repeat_interleave(repeats[1], -3)
