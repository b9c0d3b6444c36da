"""The seven instruments of `diagnose`: what is ill in a program with a model, and what proves it."""

from nbmodule_widgets.diagnosing.case import Case
from nbmodule_widgets.diagnosing.examining import examine
from nbmodule_widgets.diagnosing.records import DiagnosisFacts, Finding
