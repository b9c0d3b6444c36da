"""Live views of any object that speaks the Module protocol: ours, PyTorch's, or the reader's own.

    import nbmodule_widgets as nw
    nw.show(model)            # the tree of Modules, parameters and buffers
    nw.parameters(model)      # weights and gradients: histograms, heat maps, before and after
    nw.anatomy(model)         # what lies in the drawers of one Module
    with nw.watch(model) as w:  # all of it while a loop trains: w.tick(loss=loss) in each step
        ...
    nw.trace(model, x, loss=lambda y: y.sum())  # one pass, moment by moment: calls, hooks, gradients
    nw.compare_modes(model, x)  # the same input under train() and under eval()
    nw.graph(loss)            # the graph that backward() walks, and the walk step by step
    nw.install()              # from now on a model at the end of a cell shows its tree

Smaller ones belong to chapters: `lookup` and `assignment` (what `m.x` and `m.x = …` do), `call_tape` (what
`model(x)` runs), `visits` (in which order a tree is walked), `ledger` (what is learned, remembered, saved) and
`match_keys` (a state dict against a model).

Each returns a view with `facts`, `str(view)` and `view.to_html()`, which need no front end.

The functions `facts` and `text` have the names of the modules that they live in; import records and helpers
with `from nbmodule_widgets.facts import ModuleFacts`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nbmodule_widgets.display import (
    anatomy,
    install,
    load_ipython_extension,
    mimebundle,
    show,
    text,
    uninstall,
    unload_ipython_extension,
)
from nbmodule_widgets.facts import ModuleFacts, facts
from nbmodule_widgets.views import Anatomy, Landing, ModuleTree
from nbmodule_widgets.views.acting import ActionError
from nbmodule_widgets.views.parameters import ParameterView, parameters
from nbmodule_widgets.views.watch import Watch, watch

if TYPE_CHECKING:
    from nbmodule_widgets.views.assignment import AssignmentFlow, assignment
    from nbmodule_widgets.views.call_tape import CallTape, call_tape
    from nbmodule_widgets.views.compare import TrainEvalCompare, compare_modes
    from nbmodule_widgets.views.graph import GraphView, graph
    from nbmodule_widgets.views.keys import KeyMatcher, match_keys
    from nbmodule_widgets.views.ledger import ParameterLedger, ledger
    from nbmodule_widgets.views.lookup import AttributeLookup, lookup
    from nbmodule_widgets.views.trace import HookTimeline, trace
    from nbmodule_widgets.views.visits import VisitPlayer, visits

__all__ = [
    "ActionError",
    "Anatomy",
    "AssignmentFlow",
    "AttributeLookup",
    "CallTape",
    "GraphView",
    "HookTimeline",
    "KeyMatcher",
    "Landing",
    "ModuleFacts",
    "ModuleTree",
    "ParameterLedger",
    "ParameterView",
    "TrainEvalCompare",
    "VisitPlayer",
    "Watch",
    "anatomy",
    "assignment",
    "call_tape",
    "compare_modes",
    "facts",
    "graph",
    "install",
    "ledger",
    "load_ipython_extension",
    "lookup",
    "match_keys",
    "mimebundle",
    "parameters",
    "show",
    "text",
    "trace",
    "uninstall",
    "unload_ipython_extension",
    "visits",
    "watch",
]

# Loaded when they are first asked for: most notebooks show a tree and need nothing of them.
_LATE = {
    "AssignmentFlow": "assignment",
    "AttributeLookup": "lookup",
    "CallTape": "call_tape",
    "GraphView": "graph",
    "HookTimeline": "trace",
    "KeyMatcher": "keys",
    "ParameterLedger": "ledger",
    "TrainEvalCompare": "compare",
    "VisitPlayer": "visits",
    "assignment": "assignment",
    "call_tape": "call_tape",
    "compare_modes": "compare",
    "graph": "graph",
    "ledger": "ledger",
    "lookup": "lookup",
    "match_keys": "keys",
    "trace": "trace",
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
