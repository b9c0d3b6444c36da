"""The older name of `nbmodule.amp.GradScaler`."""

from __future__ import annotations

import warnings

from ...amp import grad_scaler
from ...amp.grad_scaler import OptState  # noqa: F401

__all__ = ["GradScaler"]


class GradScaler(grad_scaler.GradScaler):
    """`nbmodule.amp.GradScaler` for "cuda". Use that.

    Args:
        init_scale: the scale before the first `update`.
        growth_factor: more than 1.
        backoff_factor: less than 1.
        growth_interval: a number of iterations.
        enabled: False: do nothing but step.

    Source: https://docs.pytorch.org/docs/stable/amp.html#torch.cuda.amp.GradScaler

    Example:
        >>> import nbmodule, warnings
        >>> warnings.simplefilter("ignore", FutureWarning)
        >>> nbmodule.cuda.amp.GradScaler(enabled=False).get_scale()
        1.0
    """

    def __init__(self, init_scale: float = 2.0**16, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True) -> None:  # fmt: skip
        warnings.warn(
            "`nbmodule.cuda.amp.GradScaler(args...)` is deprecated. "
            "Please use `nbmodule.amp.GradScaler('cuda', args...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__(
            "cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled
        )
