"""A Linear that holds its weight as int8: a quarter of the bytes, and an error that can be told beforehand.

Each output channel, a row of the weight, has a scale of its own: ``weight ≈ scale * int8``, off by half a scale at
most. An output is then off by at most ``scale / 2 * sum(|input|)``.
"""

from __future__ import annotations

from typing import Any

from ...._dtypes import dtype as Dtype
from ...._dtypes import float32, int8
from ...._factories import empty, zeros
from ...._tensor import Tensor
from ....autograd import no_grad
from ....nn import functional as F
from ....nn.modules.linear import Linear as FloatLinear
from ....nn.modules.linear import NonDynamicallyQuantizableLinear
from ....nn.modules.module import Module

__all__ = ["Linear"]

_STEPS = 127.5  # half of the distance from -128 to 127, as PyTorch's observer has it
_SMALLEST_SCALE = 2.0**-23  # PyTorch's, too: a row of zeros shall not divide by zero


class Linear(Module):
    """``input @ weight().T + bias()`` with the weight held as int8, one scale for each row.

    Args:
        in_features: the size of each input.
        out_features: the size of each output.
        bias_: whether there is a bias; it stays a float.
        dtype: int8. There is no other here.

    Attributes:
        weight_int8: (out_features, in_features), a buffer of integers from -128 to 127.
        weight_scale: (out_features,), a buffer: how much 1 in that row stands for.
        bias_float: (out_features,), a buffer; None without a bias.

    It has no parameters and gives no gradient, neither to itself nor to its input. The weight is made a float again
    in each call, so it saves bytes and not time.

    Raises:
        RuntimeError: `dtype` is not int8; on a call, the last dimension of the input is not `in_features`.

    Source: https://docs.pytorch.org/docs/2.13/generated/torch.ao.nn.quantized.dynamic.Linear.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.ao.nn.quantized.dynamic import Linear
        >>> layer = Linear.from_float(nbmodule.nn.Linear(20, 30))
        >>> layer
        DynamicQuantizedLinear(in_features=20, out_features=30, dtype=nbmodule.int8, qscheme=per_channel_symmetric)
        >>> layer(nbmodule.randn(128, 20)).shape
        nbmodule.Size([128, 30])
    """

    in_features: int
    out_features: int
    weight_int8: Tensor
    weight_scale: Tensor
    bias_float: Tensor | None

    def __init__(self, in_features: int, out_features: int, bias_: bool = True, dtype: Dtype = int8) -> None:  # fmt: skip
        super().__init__()
        if dtype is not int8:
            raise RuntimeError(f"Unsupported dtype specified for quantized Linear: {dtype}; nbmodule has int8")  # fmt: skip
        self.in_features = in_features
        self.out_features = out_features
        self.register_buffer("weight_int8", zeros(out_features, in_features, dtype=int8))
        self.register_buffer("weight_scale", empty(out_features, dtype=float32).fill_(1.0))
        self.register_buffer("bias_float", zeros(out_features, dtype=float32) if bias_ else None)

    def weight(self) -> Tensor:
        """Return the weight as floats: (out_features, in_features)."""
        return self.weight_int8 * self.weight_scale.unsqueeze(1)

    def bias(self) -> Tensor | None:
        """Return the bias, or None."""
        return self.bias_float

    @no_grad()
    def set_weight_bias(self, w: Tensor, b: Tensor | None) -> None:
        """Hold `w` as int8, rounded, and a copy of `b`.

        Args:
            w: floats of the shape (out_features, in_features).
            b: (out_features,), or None.

        Raises:
            TypeError: `w` or `b` is not a Tensor.
            ValueError: `w` or `b` is of another shape, or `w` holds what is not finite in float32: no scale can hold it.
        """
        for name, given, wanted in (("w", w, (self.out_features, self.in_features)), ("b", b, (self.out_features,))):  # fmt: skip
            if given is None and name == "b":
                continue
            if not isinstance(given, Tensor):
                raise TypeError(f"set_weight_bias(): argument '{name}' must be Tensor, not {type(given).__name__}")  # fmt: skip
            if tuple(given.shape) != wanted:
                raise ValueError(f"{name} must have the shape {wanted}, but has {tuple(given.shape)}")  # fmt: skip
        w = w.detach().float()
        if not w.isfinite().all():
            raise ValueError("the weight holds an infinity or NaN, or a number too large for float32: no scale can hold that")  # fmt: skip
        largest = F.pad(w.abs(), (0, 1)).amax(1)  # a zero more: there is a largest in a row of none
        self.weight_scale = (largest / _STEPS).clamp(min=_SMALLEST_SCALE)
        self.weight_int8 = (w * (1 / self.weight_scale).unsqueeze(1)).round().clamp(-128, 127).to(int8)  # fmt: skip
        self.bias_float = None if b is None else b.detach().float().clone()

    @no_grad()
    def forward(self, x: Tensor) -> Tensor:
        """Return ``x @ weight().T + bias()``, without a gradient.

        Args:
            x: (*, in_features)
        """
        return F.linear(x, self.weight(), self.bias_float)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Linear:
        """Return the Linear `mod` with its weight as int8.

        Args:
            mod: an `nn.Linear`, and not a subclass of it, which may compute something else.
            use_precomputed_fake_quant: ignored, as PyTorch's dynamic Linear does.

        Raises:
            AssertionError: `mod` is something else.
            ValueError: its weight is not finite in float32.
        """
        if type(mod) not in (FloatLinear, NonDynamicallyQuantizableLinear):
            raise AssertionError(
                "nn.quantized.dynamic.Linear.from_float only works for one of "
                f"['Linear', 'NonDynamicallyQuantizableLinear'], got {type(mod)}"
            )
        made = cls(mod.in_features, mod.out_features)
        made.set_weight_bias(mod.weight, mod.bias)
        return made

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: Any, unexpected_keys: Any, error_msgs: Any) -> None:  # fmt: skip
        """Refuse floats for the integers: copying would cut them off and say nothing."""
        key = f"{prefix}weight_int8"
        found = state_dict.get(key)
        if isinstance(found, Tensor) and found.dtype is not int8:
            error_msgs.append(f"{key} must be {int8}, but is {found.dtype}: quantize the model that it came from")  # fmt: skip
            return
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)  # fmt: skip

    def _get_name(self) -> str:
        return "DynamicQuantizedLinear"

    def extra_repr(self) -> str:
        """Return the sizes, the type of the integers, and that there is a scale for each row."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"dtype={self.weight_int8.dtype}, qscheme=per_channel_symmetric"
        )
