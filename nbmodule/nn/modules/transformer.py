"""Transformers: layers that attend, and stacks of them."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable
from typing import Any

from ... import _factories
from ..._engine import is_grad_enabled
from ..._tensor import Tensor
from ...backends import mha
from .. import functional as F
from ..functional._multi_head import _transformer_encoder_layer_fwd
from ..init import xavier_uniform_
from .activation import GELU, Mask, MultiheadAttention, ReLU
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "_get_activation_fn",
]

Activation = str | Callable[[Tensor], Tensor]

NOTHING_LEFT = "to_padded_tensor: at least one constituent tensor should have non-zero numel"


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


class Transformer(Module):
    """An encoder, which reads a sequence, and a decoder, which writes another and looks at what was read.

    Args:
        d_model: E, the number of features.
        nhead: the number of heads; `d_model` is a multiple of it.
        num_encoder_layers: how many layers the encoder has.
        num_decoder_layers: how many layers the decoder has.
        dim_feedforward: as in `TransformerEncoderLayer`, as are the others that are not listed here.
        dropout: the probability of dropout.
        activation: "relu", "gelu" or a function.
        custom_encoder: a module in place of the encoder.
        custom_decoder: a module in place of the decoder.
        layer_norm_eps: what the norms add to the variance.
        batch_first: whether the batch is the first dimension, not the second.
        norm_first: whether the layers normalise before each part, not after it.
        bias: whether the linear layers and the norms have one.
        device: where the parameters live.
        dtype: of the parameters.

    All matrices are drawn again by `init.xavier_uniform_`, those of a custom encoder or decoder too.

    Raises:
        RuntimeError: on a call, when batch or feature sizes differ.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Transformer.html,
    Vaswani et al., https://arxiv.org/abs/1706.03762

    Example:
        >>> import nbmodule
        >>> model = nbmodule.nn.Transformer(8, 2, 1, 1, dim_feedforward=16, batch_first=True)
        >>> model(nbmodule.rand(4, 10, 8), nbmodule.rand(4, 20, 8)).shape
        nbmodule.Size([4, 20, 8])
    """

    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Activation = F.relu, custom_encoder: Any = None, custom_decoder: Any = None, layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        like = {"device": device, "dtype": dtype}
        of_layers = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)  # fmt: skip
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*of_layers, **like)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **like)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*of_layers, **like)
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **like)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Mask = None, tgt_mask: Mask = None, memory_mask: Mask = None, src_key_padding_mask: Mask = None, tgt_key_padding_mask: Mask = None, memory_key_padding_mask: Mask = None, src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Tensor:  # fmt: skip
        """Return what the decoder makes of `tgt`, (T, N, E), while it looks at what the encoder makes of `src`.

        Args:
            src: (S, N, E), with `batch_first` (N, S, E), or (S, E) for a single example; so below.
            tgt: (T, N, E)
            src_mask: (S, S) or (N * nhead, S, S), True where a place may not look at another, or numbers.
            tgt_mask: (T, T) or (N * nhead, T, T), likewise.
            memory_mask: (T, S) or (N * nhead, T, S), likewise.
            src_key_padding_mask: (N, S), True for a place that nobody may look at, or numbers.
            tgt_key_padding_mask: (N, T), likewise.
            memory_key_padding_mask: (N, S), likewise.
            src_is_causal: whether `src_mask` is the causal one; None looks at it.
            tgt_is_causal: whether `tgt_mask` is the causal one; None looks at it.
            memory_is_causal: whether `memory_mask` is the causal one.

        Raises:
            RuntimeError: batch or feature sizes differ.
        """
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)  # fmt: skip
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Return the causal mask (sz, sz): minus infinity where a place would look at a later one, else 0.

        Args:
            sz: the length of the sequence.
            device: where the mask lives.
            dtype: of the mask.
        """
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                xavier_uniform_(parameter)


class TransformerEncoder(Module):
    """A stack of copies of a layer, which start with the same parameters.

    Args:
        encoder_layer: the layer, usually a `TransformerEncoderLayer`.
        num_layers: how many copies.
        norm: a module for what comes out last, or None.
        enable_nested_tensor: let padded places be left out where nothing learns; they come out as 0 then.
        mask_check: look first whether the padding comes last.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoder.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> layer = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True)
        >>> encoder = nn.TransformerEncoder(layer, num_layers=2)
        >>> encoder(nbmodule.rand(4, 10, 8)).shape
        nbmodule.Size([4, 10, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True, mask_check: bool = True) -> None:  # fmt: skip
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = _why_not_nested(encoder_layer)
        if enable_nested_tensor and reason:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}",
                stacklevel=2,
            )
            self.use_nested_tensor = False

    def forward(self, src: Tensor, mask: Mask = None, src_key_padding_mask: Mask = None, is_causal: bool | None = None) -> Tensor:  # fmt: skip
        """Return the sequence, (L, N, E), after all layers.

        Args:
            src: (L, N, E), with `batch_first` (N, L, E), or (L, E) for a single example.
            mask: (L, L) or (N * nhead, L, L), True where a place may not look at another, or numbers.
            src_key_padding_mask: (N, L), True for a place that nobody may look at, or numbers.
            is_causal: whether `mask` is the causal one; None looks at it.
        """
        src_key_padding_mask = F._canonical_mask(src_key_padding_mask, "src_key_padding_mask", F._none_or_dtype(mask), "mask", src.dtype)  # fmt: skip
        mask = F._canonical_mask(mask, "mask", None, "", src.dtype, False)
        first: Any = self.layers[0]
        hidden = self._left_out(first, src, mask, src_key_padding_mask)
        if hidden is not None:
            src_key_padding_mask = src.new_zeros(hidden.shape).masked_fill_(hidden, -math.inf)
        length = _get_seq_len(src, first.self_attn.batch_first)
        is_causal = _detect_is_causal_mask(mask, is_causal, length)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=is_causal, src_key_padding_mask=src_key_padding_mask)  # fmt: skip
        if hidden is not None:
            if bool(hidden.all()):
                raise RuntimeError(NOTHING_LEFT)
            output = output.masked_fill(hidden.unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _left_out(self, first: Any, src: Tensor, mask: Mask, padding: Mask) -> Tensor | None:
        """Return True for the places that PyTorch would leave out, by a nested tensor; None where it would not."""
        possible = mha.get_fastpath_enabled() and getattr(self, "use_nested_tensor", False)
        if not possible or first.training or src.dim() != 3 or padding is None:
            return None
        if padding.dim() != 2:
            raise RuntimeError("Padding mask should be 2D")
        if padding.shape != src.shape[:2]:
            raise RuntimeError("Mask size should match input size")
        visible = padding.logical_not()
        lengths = visible.sum(1, keepdim=True)
        hidden = _factories.arange(src.size(1), device=src.device) >= lengths
        if getattr(self, "mask_check", True) and bool((hidden == visible).any()):
            return None  # the padding does not come last
        watched = is_grad_enabled() and any(t.requires_grad for t in (src, *first._own_tensors()))
        return None if mask is not None or watched or src.device.type not in ("cpu", "cuda") else hidden  # fmt: skip


def _why_not_nested(layer: Any) -> str:
    """Return why padded places of `layer` cannot be left out, or an empty string."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = {
        "norm_first was True": layer.norm_first,
        "self_attn.batch_first was not True(use batch_first for better inference performance)": not attention.batch_first,
        "self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        "self_attn was passed bias=False": attention.in_proj_bias is None,
        "activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        "norm1.eps was not equal to encoder_layer.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        "self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }  # fmt: skip
    return next((f"encoder_layer.{reason}" for reason, holds in reasons.items() if holds), "")


class TransformerDecoder(Module):
    """A stack of copies of a layer, which start with the same parameters.

    Args:
        decoder_layer: the layer, usually a `TransformerDecoderLayer`.
        num_layers: how many copies.
        norm: a module for what comes out last, or None.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerDecoder.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, dim_feedforward=16), num_layers=2)
        >>> decoder(nbmodule.rand(20, 4, 8), memory=nbmodule.rand(10, 4, 8)).shape
        nbmodule.Size([20, 4, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Mask = None, memory_mask: Mask = None, tgt_key_padding_mask: Mask = None, memory_key_padding_mask: Mask = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Tensor:  # fmt: skip
        """Return the sequence `tgt` after all layers; for the arguments see `TransformerDecoderLayer.forward`.

        Args:
            tgt: (T, N, E)
            memory: (S, N, E)
            tgt_mask: (T, T) or (N * nhead, T, T)
            memory_mask: (T, S) or (N * nhead, T, S)
            tgt_key_padding_mask: (N, T)
            memory_key_padding_mask: (N, S)
            tgt_is_causal: whether `tgt_mask` is the causal one; None looks at it.
            memory_is_causal: whether `memory_mask` is the causal one.
        """
        first: Any = self.layers[0]
        length = _get_seq_len(tgt, first.self_attn.batch_first)
        tgt_is_causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, length)
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=tgt_is_causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    """Return (sz, sz) with minus infinity above the diagonal, else 0."""
    return _factories.full((sz, sz), -math.inf, dtype=dtype, device=device).triu(diagonal=1)


def _get_seq_len(src: Tensor, batch_first: bool) -> int:
    """Return the length of the sequences in `src`."""
    return src.size(1 if batch_first and src.dim() != 2 else 0)


def _get_clones(module: Module, N: int) -> ModuleList:
    """Return `N` copies of `module`."""
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


def _detect_is_causal_mask(mask: Mask, is_causal: bool | None = None, size: int | None = None) -> bool:  # fmt: skip
    """Return `is_causal`; where that is None, whether `mask` is the causal one for sequences of length `size`."""
    if is_causal is not None or mask is None:
        return is_causal is True
    sz = mask.size(-2) if size is None else size
    causal = _generate_square_subsequent_mask(sz, mask.device, mask.dtype)
    return mask.shape == causal.shape and bool(mask.eq(causal).all())
