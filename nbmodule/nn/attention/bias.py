"""Causal masks that are not written out before they are needed.

Source: https://docs.pytorch.org/docs/stable/nn.attention.bias.html
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any
from warnings import warn

from ... import _dtypes, _factories
from ..._tensor import Tensor
from .. import functional as F

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """Which corner of the mask is fixed where queries and keys are not equally many.

    UPPER_LEFT: query i looks at the keys up to i. LOWER_RIGHT: the last query looks at all keys, the one before
    at all but the last, and so on.

    Args:
        *args: 1 or 2.
        **kwds: nothing more.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.attention.bias.CausalVariant.html

    Example:
        >>> from nbmodule.nn.attention.bias import CausalVariant
        >>> [variant.name for variant in CausalVariant]
        ['UPPER_LEFT', 'LOWER_RIGHT']
    """

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask for `scaled_dot_product_attention`; `causal_upper_left` and `causal_lower_right` make one.

    Args:
        variant: which corner is fixed.
        seq_len_q: L, the number of queries.
        seq_len_kv: S, the number of keys.

    Raises:
        AssertionError: `variant` is no `CausalVariant`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.attention.bias.CausalBias.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn.attention.bias import causal_lower_right
        >>> q, k = nbmodule.zeros(1, 1, 2, 4), nbmodule.zeros(1, 1, 3, 4)
        >>> values = nbmodule.tensor([[[[0.0], [2.0], [4.0]]]])
        >>> nbmodule.nn.functional.scaled_dot_product_attention(q, k, values, causal_lower_right(2, 3)).flatten()
        tensor([1., 2.])
    """

    _keeps_class = False

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> Any:
        """Make a tensor without elements: what counts are the three attributes."""
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        return super().__new__(cls)

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        self.variant = variant
        self.seq_len_q = seq_len_q
        self.seq_len_kv = seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warn(
                "Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!",
                stacklevel=2,
            )

    def _materialize(self, device: Any = None) -> Tensor:
        """Return the mask, (L, S), True where a query may look at a key."""
        lower_right = self.variant == CausalVariant.LOWER_RIGHT
        sizes = (self.seq_len_q, self.seq_len_kv)
        everything = _factories.ones(sizes, dtype=_dtypes.bool_, device=device)
        return everything.tril(self.seq_len_kv - self.seq_len_q if lower_right else 0)

    @staticmethod
    def _dispatch(query: Tensor, key: Tensor, value: Tensor, attn_mask: CausalBias, dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False) -> Tensor:  # fmt: skip
        """Attend with this mask; `scaled_dot_product_attention` calls it."""
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        square = attn_mask.seq_len_q == attn_mask.seq_len_kv
        upper_left = square or attn_mask.variant == CausalVariant.UPPER_LEFT
        mask = None if upper_left else attn_mask._materialize(query.device)
        return F.scaled_dot_product_attention(
            query, key, value, mask, dropout_p, upper_left, scale=scale, enable_gqa=enable_gqa
        )

    def __repr__(self) -> str:  # type: ignore[override]
        return repr(self._materialize())


def causal_upper_left(*size: int) -> CausalBias:
    """Return the mask with which query i looks at the keys up to i: ``ones(L, S).tril()``.

    Args:
        *size: L, the number of queries, and S, that of keys.

    Raises:
        AssertionError: there are not two numbers.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.attention.bias.causal_upper_left.html

    Example:
        >>> from nbmodule.nn.attention.bias import causal_upper_left
        >>> causal_upper_left(2, 3)
        tensor([[ True, False, False],
                [ True,  True, False]])
    """
    return CausalBias(CausalVariant.UPPER_LEFT, *_two(size, "causal_upper_left"))


def causal_lower_right(*size: int) -> CausalBias:
    """Return the mask with which the last query looks at all keys: ``ones(L, S).tril(S - L)``.

    Args:
        *size: L, the number of queries, and S, that of keys.

    Raises:
        AssertionError: there are not two numbers.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.attention.bias.causal_lower_right.html

    Example:
        >>> from nbmodule.nn.attention.bias import causal_lower_right
        >>> causal_lower_right(2, 3)
        tensor([[ True,  True, False],
                [ True,  True,  True]])
    """
    return CausalBias(CausalVariant.LOWER_RIGHT, *_two(size, "causal_lower_right"))


def _two(size: tuple[int, ...], function: str) -> tuple[int, int]:
    if len(size) != 2:
        raise AssertionError(f"{function} only supports 2D tensors")
    return size[0], size[1]
