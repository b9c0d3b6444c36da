"""Attention as PyTorch computes it in one go where nothing is recorded.

It differs from the way of `multi_head_attention_forward` where a query may look at nothing, which gives NaN here,
and in that it knows masks of bools alone.
"""

from __future__ import annotations

import math

from ...._tensor import Tensor
from .._attention import weighted_values
from .._linear import linear
from .._normalization import layer_norm
from .activation import gelu


def _native_multi_head_attention(query: Tensor, key: Tensor, value: Tensor, embed_dim: int, num_head: int, qkv_weight: Tensor, qkv_bias: Tensor, proj_weight: Tensor, proj_bias: Tensor, mask: Tensor | None = None, need_weights: bool = True, average_attn_weights: bool = True, mask_type: int | None = None) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """Let all heads attend to one sequence.

    Args:
        query: (N, L, E); also the keys and values.
        key: as `query`.
        value: as `query`.
        embed_dim: E
        num_head: how many heads there are.
        qkv_weight: (3 * E, E)
        qkv_bias: (3 * E,)
        proj_weight: (E, E)
        proj_bias: (E,)
        mask: what is not 0 must not be looked at; its shape depends on `mask_type`.
        need_weights: whether to return the weights too.
        average_attn_weights: return the mean of the weights of all heads.
        mask_type: 1 for keys, (N, L), 2 for queries and keys, (N, num_head, L, L).

    Raises:
        RuntimeError: shapes do not fit.
    """
    if query.size(-1) != embed_dim:
        raise RuntimeError(
            f"passed-in embed_dim {embed_dim} didn't match last dim of query {query.size(-1)}"
        )
    if query.dtype != qkv_weight.dtype:
        found, wanted = query.dtype, qkv_weight.dtype
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {found.c_name} != {wanted.c_name}"
            if query.is_contiguous()
            else f"expected scalar type {found.scalar_name} but found {wanted.scalar_name}"
        )
    batch, length, _ = query.shape
    parts = linear(query, qkv_weight, qkv_bias).chunk(3, -1)
    q, k, v = (x.unflatten(-1, (num_head, -1)).transpose(1, 2) for x in parts)
    bias = None if mask is None else _bias(mask, mask_type, q)
    found, weights = weighted_values(q, k, v, bias, 0.0, scale=1 / math.sqrt(q.size(-1)), safe=False)  # fmt: skip
    out = linear(found.transpose(1, 2).reshape(batch, length, embed_dim), proj_weight, proj_bias)
    return out, (weights.mean(1) if average_attn_weights else weights) if need_weights else None


def _bias(mask: Tensor, mask_type: int | None, q: Tensor) -> Tensor:
    """Return 0 and minus infinity, to be added to the scores."""
    batch, heads, length, _ = q.shape
    if mask_type == 1 and mask.dim() == 2 and mask.shape != (batch, length):
        raise RuntimeError("For mask_type == 1 mask shape should be (B, L)")
    if (mask_type == 2 or mask.dim() != 2) and mask.shape != (batch, heads, length, length):
        raise RuntimeError("For mask_type == 2 mask shape should match input shape")
    hidden = mask.bool()
    hidden = hidden[:, None, None] if mask_type == 1 else hidden
    return q.new_zeros(hidden.shape).masked_fill_(hidden, -math.inf)


def _transformer_encoder_layer_fwd(src: Tensor, embed_dim: int, num_heads: int, qkv_weight: Tensor, qkv_bias: Tensor, proj_weight: Tensor, proj_bias: Tensor, use_gelu: bool, norm_first: bool, eps: float, norm_weight_1: Tensor, norm_bias_1: Tensor, norm_weight_2: Tensor, norm_bias_2: Tensor, ffn_weight_1: Tensor, ffn_bias_1: Tensor, ffn_weight_2: Tensor, ffn_bias_2: Tensor, mask: Tensor | None = None, mask_type: int | None = None) -> Tensor:  # fmt: skip
    """Compute a `TransformerEncoderLayer` without dropout.

    Args:
        src: (N, L, E)
        embed_dim: E
        num_heads: as in `_native_multi_head_attention`, as are the next four, `mask` and `mask_type`.
        qkv_weight: (3 * E, E)
        qkv_bias: (3 * E,)
        proj_weight: (E, E)
        proj_bias: (E,)
        use_gelu: take a GELU between the linear layers, not a ReLU.
        norm_first: whether to normalise before each part, not after it.
        eps: what the norms add to the variance.
        norm_weight_1: (E,), as are the next three.
        norm_bias_1: (E,)
        norm_weight_2: (E,)
        norm_bias_2: (E,)
        ffn_weight_1: (F, E)
        ffn_bias_1: (F,)
        ffn_weight_2: (E, F)
        ffn_bias_2: (E,)
        mask: what must not be looked at.
        mask_type: its kind.
    """

    def norm1(x: Tensor) -> Tensor:
        return layer_norm(x, (embed_dim,), norm_weight_1, norm_bias_1, eps)

    def norm2(x: Tensor) -> Tensor:
        return layer_norm(x, (embed_dim,), norm_weight_2, norm_bias_2, eps)

    def attended(x: Tensor) -> Tensor:
        return _native_multi_head_attention(x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, False, True, mask_type)[0]  # fmt: skip

    def thought(x: Tensor) -> Tensor:
        hidden = linear(x, ffn_weight_1, ffn_bias_1)
        return linear(gelu(hidden) if use_gelu else hidden.relu(), ffn_weight_2, ffn_bias_2)

    if norm_first:
        x = src + attended(norm1(src))
        return x + thought(norm2(x))
    x = norm1(src + attended(src))
    return norm2(x + thought(x))
