"""Watching a training loop: what the weights and gradients do, measured from a sample, changing nothing.

`Recorder` looks (through the optimizers' own step hooks), `Sample` is what one look saw, `TrainingFacts` is the
whole run with its findings. Nothing here needs a notebook: a script can use it as it is.
"""

from nbmodule_widgets.watching.findings import Finding
from nbmodule_widgets.watching.history import TrainingFacts
from nbmodule_widgets.watching.metrics import as_number, status
from nbmodule_widgets.watching.recorder import Recorder
from nbmodule_widgets.watching.sample import NO_GRADIENT, UNREADABLE, Sample

__all__ = [
    "NO_GRADIENT",
    "UNREADABLE",
    "Finding",
    "Recorder",
    "Sample",
    "TrainingFacts",
    "as_number",
    "status",
]
