"""Training without a hand-written loop: `Learner`, and the callbacks that stand in its events.

`loop` is the loop and its events, `learner` what a script needs around it, `callback` what can stand in the events. The
other files hold callbacks, a topic each: `measuring` (of `metrics`), `history`, `progress`, `stopping`, `gradients`, `schedules`,
`finder`, `checkpoints`. `batches` takes a batch apart, `state` is what a checkpoint holds, `checking` says what is wrong with
what was given. PyTorch has no such part; the names come from fastai, Keras and Lightning (docs/decisions/0020).
"""

from .callback import EVENTS, Callback, Cancel, CancelBatch, CancelEpoch, CancelFit, CancelStep
from .checkpoints import Checkpoint
from .finder import LRFinder, LRFinderResult
from .gradients import GradientAccumulation, GradientClipping
from .history import CSVLogger, History
from .learner import Learner
from .measuring import Metrics
from .metrics import Accuracy, Mean, Metric, TopKAccuracy
from .progress import ProgressBar
from .schedules import OneCycle, Scheduler
from .stopping import EarlyStopping, NonFiniteLossError, TerminateOnNaN

__all__ = [
    "EVENTS",
    "Accuracy",
    "CSVLogger",
    "Callback",
    "Cancel",
    "CancelBatch",
    "CancelEpoch",
    "CancelFit",
    "CancelStep",
    "Checkpoint",
    "EarlyStopping",
    "GradientAccumulation",
    "GradientClipping",
    "History",
    "LRFinder",
    "LRFinderResult",
    "Learner",
    "Mean",
    "Metric",
    "Metrics",
    "NonFiniteLossError",
    "OneCycle",
    "ProgressBar",
    "Scheduler",
    "TerminateOnNaN",
    "TopKAccuracy",
]
