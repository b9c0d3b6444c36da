"""One pass through a model, moment by moment: what ran when, and what it did to the numbers."""

from nbmodule_widgets.tracing.recording import record
from nbmodule_widgets.tracing.records import (
    KINDS,
    CallFacts,
    EventFacts,
    HookFacts,
    NeverFired,
    TraceFacts,
)
