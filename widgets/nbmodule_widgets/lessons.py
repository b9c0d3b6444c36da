"""Views that answer one question of a chapter each.

from nbmodule_widgets.lessons import anatomy, lookup, assignment, call_tape, visits, ledger, descent, color_strip, kernel_walk

anatomy(module)                      # what is in the drawers of one Module
lookup(module, "weight")             # where Python looks for `module.weight`, rung by rung
assignment(module, "self.fc = ...")  # which branch of `__setattr__` a line takes
call_tape(model, x)                  # what `model(x)` runs that `model.forward(x)` does not
visits(model)                        # in which order a tree is walked
ledger(model)                        # what is learned, remembered, saved and moved
descent(loss, optimizers, start)     # where optimizers go on a loss of two numbers
color_strip(histograms)              # how the numbers of each layer spread, call by call
kernel_walk(conv, image)             # what a convolution reads at each position of its kernel
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbmodule_widgets.views.anatomy import Anatomy, anatomy
    from nbmodule_widgets.views.assignment import AssignmentFlow, assignment
    from nbmodule_widgets.views.call_tape import CallTape, call_tape
    from nbmodule_widgets.views.descent import DescentView, descent
    from nbmodule_widgets.views.kernel_walk import KernelWalk, kernel_walk
    from nbmodule_widgets.views.ledger import ParameterLedger, ledger
    from nbmodule_widgets.views.lookup import AttributeLookup, lookup
    from nbmodule_widgets.views.strip import ColorStrip, color_strip
    from nbmodule_widgets.views.visits import VisitPlayer, visits

__all__ = [
    "Anatomy",
    "AssignmentFlow",
    "AttributeLookup",
    "CallTape",
    "ColorStrip",
    "DescentView",
    "KernelWalk",
    "ParameterLedger",
    "VisitPlayer",
    "anatomy",
    "assignment",
    "call_tape",
    "color_strip",
    "descent",
    "kernel_walk",
    "ledger",
    "lookup",
    "visits",
]

# Loaded when they are first asked for, as the parent does with its own.
_LATE = {
    "Anatomy": "anatomy",
    "AssignmentFlow": "assignment",
    "AttributeLookup": "lookup",
    "CallTape": "call_tape",
    "ColorStrip": "strip",
    "DescentView": "descent",
    "KernelWalk": "kernel_walk",
    "ParameterLedger": "ledger",
    "VisitPlayer": "visits",
    "anatomy": "anatomy",
    "assignment": "assignment",
    "call_tape": "call_tape",
    "color_strip": "strip",
    "descent": "descent",
    "kernel_walk": "kernel_walk",
    "ledger": "ledger",
    "lookup": "lookup",
    "visits": "visits",
}


def __getattr__(name: str) -> Any:
    """Loads a view that is asked for the first time."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"nbmodule_widgets.views.{_LATE[name]}")
    globals()[name] = found = getattr(module, name)
    return found


def __dir__() -> list[str]:
    """The names that there are, those not yet loaded included."""
    return sorted({*globals(), *_LATE})
