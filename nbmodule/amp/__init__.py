"""Mixed precision: losses that are scaled so that small gradients survive, and casting, which stays off here.

grad_scaler     the scale of the loss, and what an infinite gradient does to it
autocast_mode   the switch that asks for casting, and stays off
_state          what it asked for, thread by thread

Source: https://docs.pytorch.org/docs/stable/amp.html
"""

from .autocast_mode import autocast, custom_bwd, custom_fwd, is_autocast_available
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]
