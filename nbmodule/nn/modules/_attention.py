"""Attention with several heads, as a module."""

from __future__ import annotations

from typing import Any

from ... import _factories
from ..._engine import is_grad_enabled
from ..._tensor import Tensor
from ...backends import mha
from .. import functional as F
from ..functional._multi_head import _native_multi_head_attention
from ..init import constant_, xavier_normal_, xavier_uniform_
from ..parameter import Parameter
from .linear import NonDynamicallyQuantizableLinear
from .module import Module

Mask = Tensor | None


class MultiheadAttention(Module):
    """Lets every place of a sequence look at places of another, in several ways at once.

    Each head h has projections of its own; with ``d = embed_dim / num_heads``::

        head_h = softmax(q_h @ k_h.T / sqrt(d) + mask) @ v_h,    y = concat(head_1, ..., head_H) @ W.T + b

    Args:
        embed_dim: E, the size of queries and of the output; a multiple of `num_heads`.
        num_heads: how many heads there are.
        dropout: the probability with which a weight is set to 0 in training.
        bias: whether the projections have one.
        add_bias_kv: learn one more key and value, at which every query may look.
        add_zero_attn: add a key and a value of zeros.
        kdim: the size of keys, by default `embed_dim`.
        vdim: the size of values, likewise.
        batch_first: whether the batch is the first dimension of the sequences, not the second.
        device: where the parameters live.
        dtype: of the parameters.

    Attributes:
        in_proj_weight: (3 * E, E), or None where the sizes differ; then there are
        q_proj_weight: (E, E), k_proj_weight: (E, kdim), v_proj_weight: (E, vdim).
        in_proj_bias: (3 * E,) or None.
        out_proj: the linear layer after the heads.
        bias_k: (1, 1, E) or None, as is `bias_v`.

    Raises:
        ValueError: `embed_dim` or `num_heads` is not positive.
        AssertionError: the one is no multiple of the other; on a call, shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html,
    Vaswani et al., https://arxiv.org/abs/1706.03762

    Example:
        >>> import nbmodule
        >>> attention = nbmodule.nn.MultiheadAttention(8, 2, batch_first=True)
        >>> words = nbmodule.randn(1, 5, 8)
        >>> y, weights = attention(words, words, words)
        >>> y.shape, weights.shape, weights.sum(-1).detach().round(decimals=4)
        (nbmodule.Size([1, 5, 8]), nbmodule.Size([1, 5, 5]), tensor([[1., 1., 1., 1., 1.]]))
    """

    __module__ = "nbmodule.nn.modules.activation"
    __constants__ = ["batch_first"]

    in_proj_weight: Any
    in_proj_bias: Any
    q_proj_weight: Any
    k_proj_weight: Any
    v_proj_weight: Any
    bias_k: Any
    bias_v: Any

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != self.embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        like = {"device": device, "dtype": dtype}

        def parameter(*sizes: int) -> Parameter:
            return Parameter(_factories.empty(sizes, **like))

        if self._qkv_same_embed_dim:
            self.in_proj_weight = parameter(3 * embed_dim, embed_dim)
            for name in "qkv":
                self.register_parameter(f"{name}_proj_weight", None)
        else:
            for name, size in zip("qkv", (embed_dim, self.kdim, self.vdim), strict=True):
                setattr(self, f"{name}_proj_weight", parameter(embed_dim, size))
            self.register_parameter("in_proj_weight", None)
        if bias:
            self.in_proj_bias = parameter(3 * embed_dim)
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **like)
        if add_bias_kv:
            self.bias_k, self.bias_v = parameter(1, 1, embed_dim), parameter(1, 1, embed_dim)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        if self._qkv_same_embed_dim:
            xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            constant_(self.in_proj_bias, 0.0)
            constant_(self.out_proj.bias, 0.0)  # type: ignore[arg-type]
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                xavier_normal_(bias)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take `state` over; before PyTorch 1.2 all sizes were the same."""
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Mask = None, need_weights: bool = True, attn_mask: Mask = None, average_attn_weights: bool = True, is_causal: bool = False) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        """Return what the queries found, and the weights with which they looked, or None.

        Args:
            query: (L, N, E), with `batch_first` (N, L, E), or (L, E) for a single example; so below.
            key: (S, N, kdim)
            value: (S, N, vdim)
            key_padding_mask: (N, S), True for a key that nobody may look at, or numbers to be added.
            need_weights: whether to return the weights; without them it is quicker.
            attn_mask: (L, S) or (N * num_heads, L, S), True where a query may not look at a key, or numbers.
            average_attn_weights: return the mean of all heads, (N, L, S), not (N, num_heads, L, S).
            is_causal: a hint that `attn_mask` is the causal one.
        """
        short = self._may_go_the_short_way(query, key, value) and not any(
            mask is not None and mask.is_floating_point() for mask in (attn_mask, key_padding_mask)
        )
        key_padding_mask = F._canonical_mask(key_padding_mask, "key_padding_mask", F._none_or_dtype(attn_mask), "attn_mask", query.dtype)  # fmt: skip
        attn_mask = F._canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, False)
        if short:
            mask, mask_type = self.merge_masks(attn_mask, key_padding_mask, query)
            out = self.out_proj
            return _native_multi_head_attention(query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, out.weight, out.bias, mask, need_weights, average_attn_weights, mask_type)  # type: ignore[arg-type]  # fmt: skip
        turned = self.batch_first and query.dim() == 3
        if turned:
            query, key, value = _batch_second(query, key, value)
        y, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return y.transpose(1, 0) if turned else y, weights

    def _may_go_the_short_way(self, query: Tensor, key: Tensor, value: Tensor) -> bool:
        """Return whether PyTorch would compute self-attention in one go: where nothing learns."""
        if query.dim() != 3 or self.training or not (query is key is value):
            return False
        if not mha.get_fastpath_enabled() or self.in_proj_weight is None or self.in_proj_bias is None:  # fmt: skip
            return False
        tensors = (query, self.in_proj_weight, self.in_proj_bias, self.out_proj.weight, self.out_proj.bias)  # fmt: skip
        return (
            query.dtype == self.in_proj_weight.dtype == self.in_proj_bias.dtype
            and self.num_heads % 2 == 0
            and self.batch_first
            and self.bias_k is None
            and self.bias_v is None
            and not self.add_zero_attn
            and self._qkv_same_embed_dim
            and query.device.type in ("cpu", "cuda")
            and not (is_grad_enabled() and any(t.requires_grad for t in tensors if t is not None))
        )

    def merge_masks(self, attn_mask: Mask, key_padding_mask: Mask, query: Tensor) -> tuple[Mask, int | None]:  # fmt: skip
        """Return both masks in one, and its kind: 1 for keys alone, 2 for queries and keys, None for no mask.

        Args:
            attn_mask: (L, L) or (N * num_heads, L, L) or None.
            key_padding_mask: (N, L) or None.
            query: (N, L, E)
        """
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            padding = key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
            merged = merged + padding
        return merged, 2


def _batch_second(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the three transposed; what was one tensor stays one."""
    turned = {id(x): x.transpose(1, 0) for x in (query, key, value)}
    return turned[id(query)], turned[id(key)], turned[id(value)]
