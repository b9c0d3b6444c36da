"""The older names of mixed precision, each for "cuda": use `nbmodule.amp`.

autocast_mode   `autocast`, `custom_fwd`, `custom_bwd`
grad_scaler     `GradScaler`
common          whether there is a GPU

Source: https://docs.pytorch.org/docs/stable/amp.html
"""

from .autocast_mode import autocast, custom_bwd, custom_fwd
from .common import amp_definitely_not_available
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]
