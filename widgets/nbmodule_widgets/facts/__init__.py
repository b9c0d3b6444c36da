"""Facts before pictures: what is true of a model, as frozen dataclasses, without any view."""

from nbmodule_widgets.facts.model import ModuleFacts
from nbmodule_widgets.facts.records import NodeFacts, Note, TensorFacts, Totals
from nbmodule_widgets.facts.slots import EntryFacts, SlotFacts, StateFacts, state_facts
from nbmodule_widgets.facts.tensors import (
    TensorStatistics,
    as_float64,
    gradient,
    statistics,
    values,
)
from nbmodule_widgets.facts.tree import facts, structure
