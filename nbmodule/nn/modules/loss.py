"""What is to become small, as modules; the files `_..._losses.py` hold them, one kind each.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

from __future__ import annotations

from ._class_losses import CrossEntropyLoss, CTCLoss, NLLLoss, NLLLoss2d
from ._embedding_losses import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from ._linear_cross_entropy import LinearCrossEntropyLoss
from ._loss_base import _Loss, _WeightedLoss
from ._margin_losses import (
    MultiLabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    SoftMarginLoss,
)
from ._number_losses import HuberLoss, L1Loss, MSELoss, SmoothL1Loss
from ._probability_losses import (
    BCELoss,
    BCEWithLogitsLoss,
    GaussianNLLLoss,
    KLDivLoss,
    PoissonNLLLoss,
)

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LinearCrossEntropyLoss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]

for _class in (_Loss, _WeightedLoss, *map(globals().get, __all__)):
    _class.__module__ = __name__  # type: ignore[union-attr]
