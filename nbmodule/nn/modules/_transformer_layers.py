"""The layers that a Transformer is a stack of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._engine import is_grad_enabled
from ..._tensor import Tensor
from ...backends import mha
from .. import functional as F
from ..functional._multi_head import _transformer_encoder_layer_fwd
from ._attention import Mask, MultiheadAttention
from .activation import GELU, ReLU
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

Activation = str | Callable[[Tensor], Tensor]


def _get_activation_fn(activation: str) -> Callable[[Tensor], Tensor]:
    """Return the function that is called `activation`.

    Raises:
        RuntimeError: it is neither "relu" nor "gelu".
    """
    if activation == "relu":
        return F.relu
    if activation == "gelu":
        return F.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {activation}")


class TransformerEncoderLayer(Module):
    """Self-attention, then a network of two linear layers for each place; each is added to what it was given.

    With `norm_first`, ``x = x + attention(norm1(x)); x = x + network(norm2(x))``, otherwise
    ``x = norm1(x + attention(x)); x = norm2(x + network(x))``.

    Args:
        d_model: E, the number of features.
        nhead: the number of heads; `d_model` is a multiple of it.
        dim_feedforward: the number of features between the two linear layers.
        dropout: the probability of dropout.
        activation: between the two linear layers: "relu", "gelu" or a function.
        layer_norm_eps: what the norms add to the variance.
        batch_first: whether the batch is the first dimension, not the second.
        norm_first: whether to normalise before each part, not after it.
        bias: whether the linear layers and the norms have one.
        device: where the parameters live.
        dtype: of the parameters.

    Raises:
        RuntimeError: `activation` is another string.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html,
    Vaswani et al., https://arxiv.org/abs/1706.03762

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> layer(nbmodule.rand(10, 4, 8)).shape
        nbmodule.Size([10, 4, 8])
    """

    __module__ = "nbmodule.nn.modules.transformer"
    __constants__ = ["norm_first"]

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Activation = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        like = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **like)  # fmt: skip
        self.linear1 = Linear(d_model, dim_feedforward, bias, **like)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **like)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **like)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **like)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        function = _get_activation_fn(activation) if isinstance(activation, str) else activation
        if function is F.relu or isinstance(function, ReLU):
            self.activation_relu_or_gelu = 1
        else:
            self.activation_relu_or_gelu = 2 if function is F.gelu or isinstance(function, GELU) else 0  # fmt: skip
        self.activation = function

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take `state` over; once every layer had a ReLU."""
        super().__setstate__(state)
        if not hasattr(self, "activation"):
            self.activation = F.relu

    def forward(self, src: Tensor, src_mask: Mask = None, src_key_padding_mask: Mask = None, is_causal: bool = False) -> Tensor:  # fmt: skip
        """Return the sequence, (L, N, E), changed.

        Args:
            src: (L, N, E), with `batch_first` (N, L, E), or (L, E) for a single example.
            src_mask: (L, L) or (N * nhead, L, L), True where a place may not look at another, or numbers.
            src_key_padding_mask: (N, L), True for a place that nobody may look at, or numbers.
            is_causal: a hint that `src_mask` is the causal one.
        """
        src_key_padding_mask = F._canonical_mask(src_key_padding_mask, "src_key_padding_mask", F._none_or_dtype(src_mask), "src_mask", src.dtype)  # fmt: skip
        src_mask = F._canonical_mask(src_mask, "src_mask", None, "", src.dtype, False)
        if self._may_go_the_short_way(src):
            attention, tensors = self.self_attn, self._own_tensors()
            masks: Any = attention.merge_masks(src_mask, src_key_padding_mask, src)
            form: Any = (self.activation_relu_or_gelu == 2, self.norm_first, self.norm1.eps)
            sizes: Any = (attention.embed_dim, attention.num_heads)
            return _transformer_encoder_layer_fwd(src, *sizes, *tensors[:4], *form, *tensors[4:], *masks)  # fmt: skip
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), src_mask, src_key_padding_mask, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _own_tensors(self) -> tuple[Any, ...]:
        layers = (self.self_attn.out_proj, self.norm1, self.norm2, self.linear1, self.linear2)
        pairs = [tensor for layer in layers for tensor in (layer.weight, layer.bias)]
        return self.self_attn.in_proj_weight, self.self_attn.in_proj_bias, *pairs

    def _may_go_the_short_way(self, src: Tensor) -> bool:
        """Return whether PyTorch would compute the layer in one go: where nothing learns and nobody listens."""
        attention = self.self_attn
        return (
            not self.training
            and mha.get_fastpath_enabled()
            and src.dim() == 3
            and attention.batch_first
            and attention.in_proj_bias is not None
            and attention._qkv_same_embed_dim
            and bool(self.activation_relu_or_gelu)
            and self.norm1.eps == self.norm2.eps
            and attention.num_heads % 2 == 0
            and src.device.type in ("cpu", "cuda")
            and not any(m._forward_hooks or m._forward_pre_hooks for m in self.modules())
            and not (is_grad_enabled() and any(t.requires_grad for t in (src, *self._own_tensors())))
        )  # fmt: skip

    def _sa_block(self, x: Tensor, attn_mask: Mask, key_padding_mask: Mask, is_causal: bool = False) -> Tensor:  # fmt: skip
        y = self.self_attn(x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal)[0]  # fmt: skip
        return self.dropout1(y)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """Self-attention, attention to what an encoder made, then two linear layers; each is added to what it was given.

    Args:
        d_model: E, the number of features.
        nhead: as in `TransformerEncoderLayer`, and so on.
        dim_feedforward: the number of features between the two linear layers.
        dropout: the probability of dropout.
        activation: "relu", "gelu" or a function.
        layer_norm_eps: what the norms add to the variance.
        batch_first: whether the batch is the first dimension, not the second.
        norm_first: whether to normalise before each part, not after it.
        bias: whether the linear layers and the norms have one.
        device: where the parameters live.
        dtype: of the parameters.

    Raises:
        RuntimeError: `activation` is another string.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerDecoderLayer.html,
    Vaswani et al., https://arxiv.org/abs/1706.03762

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> layer(nbmodule.rand(20, 4, 8), nbmodule.rand(10, 4, 8)).shape
        nbmodule.Size([20, 4, 8])
    """

    __module__ = "nbmodule.nn.modules.transformer"
    __constants__ = ["norm_first"]

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Activation = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        like = {"device": device, "dtype": dtype}
        attention = {"dropout": dropout, "batch_first": batch_first, "bias": bias, **like}
        self.self_attn = MultiheadAttention(d_model, nhead, **attention)
        self.multihead_attn = MultiheadAttention(d_model, nhead, **attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **like)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **like)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **like)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **like)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **like)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _get_activation_fn(activation) if isinstance(activation, str) else activation  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take `state` over; once every layer had a ReLU."""
        state.setdefault("activation", F.relu)
        super().__setstate__(state)

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Mask = None, memory_mask: Mask = None, tgt_key_padding_mask: Mask = None, memory_key_padding_mask: Mask = None, tgt_is_causal: bool = False, memory_is_causal: bool = False) -> Tensor:  # fmt: skip
        """Return the sequence `tgt` changed.

        Args:
            tgt: (T, N, E), with `batch_first` (N, T, E), or (T, E) for a single example.
            memory: (S, N, E), what the encoder made.
            tgt_mask: (T, T) or (N * nhead, T, T), True where a place may not look at another, or numbers.
            memory_mask: (T, S) or (N * nhead, T, S), likewise for places of the memory.
            tgt_key_padding_mask: (N, T), True for a place that nobody may look at, or numbers.
            memory_key_padding_mask: (N, S), likewise for places of the memory.
            tgt_is_causal: a hint that `tgt_mask` is the causal one.
            memory_is_causal: a hint that `memory_mask` is the causal one.
        """
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, *other))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x: Tensor, attn_mask: Mask, key_padding_mask: Mask, is_causal: bool = False) -> Tensor:  # fmt: skip
        y = self.self_attn(x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal, need_weights=False)[0]  # fmt: skip
        return self.dropout1(y)

    def _mha_block(self, x: Tensor, mem: Tensor, attn_mask: Mask, key_padding_mask: Mask, is_causal: bool = False) -> Tensor:  # fmt: skip
        y = self.multihead_attn(x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal, need_weights=False)[0]  # fmt: skip
        return self.dropout2(y)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))
