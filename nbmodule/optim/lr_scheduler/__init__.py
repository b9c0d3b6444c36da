"""Learning rates that change from epoch to epoch, as in ``torch.optim.lr_scheduler``.

`_base` holds what all share. The schedules lie by kind: `_factors`, `_functions`, `_cosine`, `_cyclic`
and `_one_cycle` (with `_momentum`), `_plateau`; `_combined` makes one of several.

Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from ..optimizer import Optimizer
from ._base import (
    EPOCH_DEPRECATION_WARNING,
    LRScheduler,
    _enable_get_lr_call,
    _format_param,
    _LRScheduler,
    _param_groups_val_list,
    _update_param_group_val,
    _warn_get_lr_called_within_step,
)
from ._combined import ChainedScheduler, SequentialLR
from ._cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from ._cyclic import CyclicLR
from ._factors import ConstantLR, ExponentialLR, LinearLR, MultiStepLR, PolynomialLR, StepLR
from ._functions import LambdaLR, MultiplicativeLR
from ._one_cycle import OneCycleLR
from ._plateau import ReduceLROnPlateau

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
