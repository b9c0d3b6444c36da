"""The seven instruments of `diagnose`: what is ill in a program with a model, and what proves it.

Each instrument yields findings. It is given the `case`, the program as it was handed over; most also get `first`, a pass through a
copy of it, and some `own`, the gradients of that pass's loss.
"""

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.examining import examine
from nbmodule_widgets.diagnosing.records import DiagnosisFacts, Finding
