"""What forgets a part of its input while a model trains.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

from ..._engine import wrap
from ..._generator import default_generator
from ..._ops import elementwise as e
from ..._tensor import Tensor


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set each element to 0 with probability `p`, and scale the others by ``1 / (1 - p)``.

    Args:
        input: of any shape.
        p: in [0, 1].
        training: False returns `input` itself. The default is True whatever mode a model is in.
        inplace: overwrite `input`.

    Raises:
        ValueError: `p` is not a probability.

    Source: Srivastava et al., https://jmlr.org/papers/v15/srivastava14a.html
    """
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    if p == 1:
        return input.mul_(0) if inplace else input * 0
    if not input.is_floating_point():
        found = input.dtype.scalar_name
        raise RuntimeError(f"result type Float can't be cast to the desired output type {found}")
    kept = default_generator._bernoulli(input.numel(), 1 - p).reshape(input.shape)
    factor = (kept * (1 / (1 - p))).astype(input._array.dtype)
    mask = wrap(factor).to(input.device)
    return input.mul_(mask) if inplace else e.mul(input, mask)
