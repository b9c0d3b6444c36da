"""The same input under `train()` and `eval()`: what differs, by how much, and which Module is the reason."""

from nbmodule_widgets.comparing.assembled import assembled, compare
from nbmodule_widgets.comparing.comparison import Experiment
from nbmodule_widgets.comparing.records import (
    ROLES,
    Combination,
    MaskFacts,
    ModesFacts,
    ModuleModes,
    NormFacts,
    OutputFacts,
)
