"""Multi-head attention: several attentions side by side, each on its own projection of the input.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from ... import _dtypes
from ..._functions.joining import cat
from ..._tensor import Tensor
from ._attention import scaled_dot_product_attention, weighted_values
from ._linear import linear
from ._normalization import layer_norm
from ._smooth_activation import gelu

NEEDS_MASK = (
    "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
    "`generate_square_subsequent_mask` to create this mask."
)


def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: bool = True, key_padding_mask: Tensor | None = None, need_weights: bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False, q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None, average_attn_weights: bool = True, is_causal: bool = False) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """Project queries, keys and values, let every head attend, and project what they found.

    With L queries, S keys, N examples and embeddings of E features, of which each head sees E / num_heads.

    Args:
        query: (L, N, E), or (L, E) for a single example; so below.
        key: (S, N, Ek)
        value: (S, N, Ev)
        embed_dim_to_check: E
        num_heads: how many heads there are.
        in_proj_weight: (3 * E, E), the weights for query, key and value in one, or None.
        in_proj_bias: (3 * E,) or None
        bias_k: (1, 1, E), one more key, or None.
        bias_v: (1, 1, E), its value, or None.
        add_zero_attn: whether to add a key and a value of zeros.
        dropout_p: the probability of dropout of the weights, in training.
        out_proj_weight: (E, E)
        out_proj_bias: (E,) or None
        training: whether there is dropout.
        key_padding_mask: (N, S), True for a key that nobody may look at, or numbers to be added to the scores.
        need_weights: whether to return the weights too.
        attn_mask: (L, S) or (N * num_heads, L, S), likewise for a query and a key.
        use_separate_proj_weight: take the next three instead of `in_proj_weight`.
        q_proj_weight: (E, E)
        k_proj_weight: (E, Ek)
        v_proj_weight: (E, Ev)
        static_k: (N * num_heads, S, E / num_heads), instead of the projected keys.
        static_v: likewise, instead of the projected values.
        average_attn_weights: return the mean of the weights of all heads.
        is_causal: a hint that `attn_mask` is the causal one; without weights and padding it is not read then.

    Returns:
        (L, N, E), and the weights or None: (N, L, S), or (N, num_heads, L, S) where they are not averaged.

    Raises:
        AssertionError: shapes do not fit.
        RuntimeError: a mask does not fit.

    Source: Vaswani et al., https://arxiv.org/abs/1706.03762

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> x, eye = nbmodule.zeros(3, 1, 4), nbmodule.eye(4)
        >>> out, weights = F.multi_head_attention_forward(
        ...     x, x, x, 4, 2, eye.repeat(3, 1), None, None, None, False, 0.0, eye, None)
        >>> out.shape, weights[0, 0]
        (nbmodule.Size([3, 1, 4]), tensor([0.3333, 0.3333, 0.3333]))
    """  # fmt: skip
    is_batched = _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not is_batched:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    key_padding_mask = _canonical_mask(key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask", query.dtype)  # fmt: skip
    if is_causal and attn_mask is None:
        raise RuntimeError(NEEDS_MASK)
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, False)
        is_causal = is_causal and key_padding_mask is None
    _check_sizes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    if use_separate_proj_weight:
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = _in_separate_projection(query, key, value, weights, in_proj_bias)
    elif in_proj_weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    else:
        q, k, v = _in_projection_packed(query, key, value, in_proj_weight, in_proj_bias)
    length, batch, embed_dim = query.shape
    if attn_mask is not None:
        attn_mask = _mask_in_3d(attn_mask, (length, len(key)), batch * num_heads)
    masks: Any = (attn_mask, key_padding_mask)
    if bias_k is not None and bias_v is not None:
        _refuse_static(static_k, static_v)
        k, v = cat([k, bias_k.repeat(1, batch, 1)]), cat([v, bias_v.repeat(1, batch, 1)])
        masks = tuple(map(_with_a_column, masks))
    elif bias_k is not None or bias_v is not None:
        raise AssertionError(
            "bias_k is set but bias_v is None" if bias_v is None else "bias_v is set but bias_k is None"
        )  # fmt: skip
    q = _in_heads(q, num_heads, batch)
    k = _in_heads(k, num_heads, batch) if static_k is None else _static(static_k, "static_k", batch, num_heads, embed_dim)  # fmt: skip
    v = _in_heads(v, num_heads, batch) if static_v is None else _static(static_v, "static_v", batch, num_heads, embed_dim)  # fmt: skip
    if add_zero_attn:
        k, v = (cat([x, x.new_zeros((*x.shape[:2], 1, x.size(3)))], 2) for x in (k, v))
        masks = tuple(map(_with_a_column, masks))
    mask = _merged(masks[0], masks[1], batch, num_heads, k.size(2))
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        _check_dtype(mask, q, k)
        scale = math.sqrt(1.0 / q.size(-1))
        values, shares = weighted_values(q, k, v, mask, dropout_p, scale=scale, safe=False, name="ViewBackward0")  # fmt: skip
        shares = shares.mean(1) if average_attn_weights else shares
        shares = shares if is_batched else shares.squeeze(0)
    else:
        values = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        shares = None
    values = values.permute(2, 0, 1, 3).reshape(length * batch, embed_dim)
    out = linear(values, out_proj_weight, out_proj_bias)
    out = out.view(length, batch, out.size(1))
    return out if is_batched else out.squeeze(1), shares


def _in_heads(x: Tensor, num_heads: int, batch: int) -> Tensor:
    """Return (S, N, E) as (N, heads, S, E / heads).

    Raises:
        RuntimeError: there are not as many examples as in the queries.
    """
    length, examples, features = x.shape
    size = features // num_heads
    if examples != batch:
        raise RuntimeError(
            f"shape '[{length}, {batch * num_heads}, {size}]' is invalid for input of size {x.numel()}\n"
            f"There are {batch} examples in the query, {examples} in the key or value."
        )
    return x.unflatten(-1, (num_heads, size)).permute(1, 2, 0, 3)


def _in_projection_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None) -> tuple[Tensor, ...]:  # fmt: skip
    """Return the projections of q, k and v by the three parts of `w`; one product does for what is the same.

    Args:
        q: (..., E), as are k and v.
        k: keys.
        v: values.
        w: (3 * E, E)
        b: (3 * E,) or None
    """
    size = q.size(-1)
    if q is k is v:
        return linear(q, w, b).chunk(3, -1)
    if k is v:
        w_q, w_kv = w.split([size, 2 * size])
        b_q, b_kv = (None, None) if b is None else b.split([size, 2 * size])
        return linear(q, w_q, b_q), *linear(k, w_kv, b_kv).chunk(2, -1)
    biases: Any = (None,) * 3 if b is None else b.chunk(3)
    return tuple(linear(x, *pair) for x, *pair in zip((q, k, v), w.chunk(3), biases, strict=True))


def _in_projection(q: Tensor, k: Tensor, v: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, b_q: Tensor | None = None, b_k: Tensor | None = None, b_v: Tensor | None = None) -> tuple[Tensor, ...]:  # fmt: skip
    """Return the projections of q, k and v by their own weights, all to the size of q.

    Args:
        q: (..., E)
        k: (..., Ek)
        v: (..., Ev)
        w_q: (E, E)
        w_k: (E, Ek)
        w_v: (E, Ev)
        b_q: (E,) or None
        b_k: (E,) or None
        b_v: (E,) or None
    """
    size, names = q.size(-1), ("query", "key", "value")
    for name, x, w in zip(names, (q, k, v), (w_q, w_k, w_v), strict=True):
        if w.shape != (size, x.size(-1)):
            raise AssertionError(
                f"expecting {name} weights shape of {(size, x.size(-1))}, but got {w.shape}"
            )
    for name, b in zip(names, (b_q, b_k, b_v), strict=True):
        if b is not None and b.shape != (size,):
            raise AssertionError(f"expecting {name} bias shape of {(size,)}, but got {b.shape}")
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _in_separate_projection(query: Tensor, key: Tensor, value: Tensor, weights: tuple[Tensor | None, ...], bias: Tensor | None) -> tuple[Tensor, ...]:  # fmt: skip
    for name, w in zip("qkv", weights, strict=True):
        if w is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
    biases: Any = (None,) * 3 if bias is None else bias.chunk(3)
    return _in_projection(query, key, value, *weights, *biases)  # type: ignore[arg-type]


def _refuse_static(static_k: Tensor | None, static_v: Tensor | None) -> None:
    for name, static in (("key", static_k), ("value", static_v)):
        if static is not None:
            raise AssertionError(f"bias cannot be added to static {name}.")


def _static(x: Tensor, name: str, batch: int, num_heads: int, embed_dim: int) -> Tensor:
    """Return (N * heads, S, E / heads), which was given, as (N, heads, S, E / heads)."""
    for place, wanted in ((0, batch * num_heads), (2, embed_dim // num_heads)):
        if x.size(place) != wanted:
            raise AssertionError(
                f"expecting {name}.size({place}) of {wanted}, but got {x.size(place)}"
            )
    return x.unflatten(0, (batch, num_heads))


def _with_a_column(mask: Tensor | None) -> Tensor | None:
    """Return a mask for one more key, which everybody may look at."""
    return mask if mask is None else cat([mask, mask.new_zeros((*mask.shape[:-1], 1))], -1)


def _merged(attn_mask: Tensor | None, padding: Tensor | None, batch: int, num_heads: int, keys: int) -> Tensor | None:  # fmt: skip
    """Return both masks in one that can be broadcast to (N, heads, L, S)."""
    if attn_mask is not None:
        attn_mask = attn_mask.unsqueeze(0) if len(attn_mask) == 1 else attn_mask.unflatten(0, (batch, num_heads))  # fmt: skip
    if padding is None:
        return attn_mask
    _check_key_padding_mask(padding, keys, batch)
    padding = padding.reshape(batch, 1, 1, keys)
    return padding if attn_mask is None else attn_mask + padding


def _check_dtype(mask: Tensor | None, q: Tensor, k: Tensor) -> None:
    if mask is not None and mask.dtype != q.dtype:
        kinds = mask.dtype.c_name, q.dtype.c_name, k.dtype.c_name
        raise RuntimeError(
            "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}".format(*kinds)
        )


def _mask_in_3d(mask: Tensor, sizes: tuple[int, int], heads: int) -> Tensor:
    """Return `mask` with three dimensions.

    Raises:
        RuntimeError: it has not the shape that it should have.
    """
    wanted = sizes if mask.dim() == 2 else (heads, *sizes)
    if mask.dim() not in (2, 3):
        raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")
    if mask.shape != wanted:
        raise RuntimeError(
            f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {wanted}."
        )
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def _check_sizes(query: Tensor, key: Tensor, value: Tensor, embed_dim: int, num_heads: int, separate: bool) -> None:  # fmt: skip
    features = query.size(2)
    if features != embed_dim:
        raise AssertionError(
            f"was expecting embedding dimension of {embed_dim}, but got {features}"
        )
    if features % num_heads:
        raise AssertionError(f"embed_dim {features} not divisible by num_heads {num_heads}")
    if separate and key.shape[:2] != value.shape[:2]:
        raise AssertionError(
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        )
    if not separate and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def _mha_shape_check(query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None, num_heads: int) -> bool:  # fmt: skip
    """Return whether `query` is a batch, after a look at the dimensions of all."""
    dims = query.dim()
    if dims not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {dims}-D query tensor"
        )
    case = f"For {'batched (3-D)' if dims == 3 else 'unbatched (2-D)'} `query`, expected "
    if key.dim() != dims or value.dim() != dims:
        raise AssertionError(
            f"{case}`key` and `value` to be {dims}-D but found {key.dim()}-D and {value.dim()}-D tensors "
            "respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != dims - 1:
        raise AssertionError(
            f"{case}`key_padding_mask` to be `None` or {dims - 1}-D but found {key_padding_mask.dim()}-D tensor "
            "instead"
        )
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"{case}`attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead"
        )
    if dims == 2 and attn_mask is not None and attn_mask.dim() == 3:
        wanted = (num_heads, len(query), len(key))
        if attn_mask.shape != wanted:
            raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {attn_mask.shape}")  # fmt: skip
    return dims == 3


def _canonical_mask(mask: Tensor | None, mask_name: str, other_type: Any, other_name: str, target_type: Any, check_other: bool = True) -> Tensor | None:  # fmt: skip
    """Return `mask` as numbers to be added to scores: minus infinity where it is True.

    Args:
        mask: of bools, or of floats, which stay as they are.
        mask_name: for the message.
        other_type: the dtype of the other mask, or None.
        other_name: for the message.
        target_type: the dtype of what is made of bools.
        check_other: warn where the dtypes of both masks differ.
    """
    if mask is None:
        return None
    if mask.dtype is not _dtypes.bool_ and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warnings.warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.",
            stacklevel=3,
        )
    if mask.is_floating_point():
        return mask
    return mask.new_zeros(mask.shape, dtype=target_type).masked_fill_(mask, -math.inf)


def _none_or_dtype(input: Tensor | None) -> Any:
    """Return the dtype of `input`, or None if it is None."""
    if input is None:
        return None
    if isinstance(input, Tensor):
        return input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or nbmodule.Tensor")


def _check_key_padding_mask(key_padding_mask: Tensor, src_len: int, bsz: int) -> None:
    for place, wanted in ((0, bsz), (1, src_len)):
        if key_padding_mask.shape[place] != wanted:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{place}] to be {wanted}, but got {key_padding_mask.shape[place]}"
            )


# ---- in one go, as PyTorch computes where nothing is recorded
#
# This differs where a query may look at nothing, which gives NaN here, and knows masks of bools alone.


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
        own, wanted = query.dtype, qkv_weight.dtype
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {own.c_name} != {wanted.c_name}"
            if query.is_contiguous()
            else f"expected scalar type {own.scalar_name} but found {wanted.scalar_name}"
        )
    batch, length, _ = query.shape
    projected = linear(query, qkv_weight, qkv_bias).chunk(3, -1)
    q, k, v = (x.unflatten(-1, (num_head, -1)).transpose(1, 2) for x in projected)
    bias = None if mask is None else _hidden_as_bias(mask, mask_type, q)
    values, weights = weighted_values(q, k, v, bias, 0.0, scale=1 / math.sqrt(q.size(-1)), safe=False)  # fmt: skip
    out = linear(values.transpose(1, 2).reshape(batch, length, embed_dim), proj_weight, proj_bias)
    return out, (weights.mean(1) if average_attn_weights else weights) if need_weights else None


def _hidden_as_bias(mask: Tensor, mask_type: int | None, q: Tensor) -> Tensor:
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
