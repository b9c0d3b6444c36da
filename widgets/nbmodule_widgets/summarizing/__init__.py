"""The layer table: what each Module of a model is given and gives, how large it is, and how much it computes."""

from nbmodule_widgets.summarizing.records import (
    CallFacts,
    LayerFacts,
    Shape,
    SummaryFacts,
    SummaryTotals,
)
from nbmodule_widgets.summarizing.summing import summarize
