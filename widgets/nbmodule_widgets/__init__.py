"""Live views of any object that speaks the Module protocol: ours, PyTorch's, or the reader's own.

    import nbmodule_widgets as nw
    nw.show(model)            # the tree of Modules, parameters and buffers, and what each holds
    with nw.watch(model) as w:  # the same while a loop trains: w.tick(loss=loss) in each step
        ...
    nw.trace(model, x, loss=lambda y: y.sum())  # one pass, moment by moment: calls, hooks, gradients
    nw.compare_modes(model, x)  # the same input under train() and under eval()
    nw.graph(loss)            # the graph that backward() walks, and the walk step by step
    nw.summary(model, x)      # a table of layers: shapes, parameters, multiply-adds, memory
    nw.find_orphans(model)    # Modules, and tensors that need a gradient, that no drawer leads to
    nw.diagnose(model, x, y, loss_fn=loss_fn, optimizer=optimizer)  # what is ill, with the evidence
    nw.match_keys(model, state)  # a state dict against a model: what fits, what is missing, and why
    nw.install()              # from now on a model at the end of a cell shows its tree

`nw.parameters(model)` opens on the weights at once: histograms, heat maps, before and after. `nbmodule_widgets.lessons`
holds the views that answer one question of a chapter each.

Each returns a view with `facts`, `str(view)` and `view.to_html()`, which need no front end.

The functions `facts` and `text` have the names of the modules that they live in; import records and helpers
with `from nbmodule_widgets.facts import ModuleFacts`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

try:
    import anywidget as _carrier
    import ipywidgets as _page
except ModuleNotFoundError as _missing:
    raise ModuleNotFoundError(
        f"nbmodule_widgets needs {_missing.name}, which is not installed here. The extra `widgets` installs what "
        'the views need: pip install "nbmodule[widgets]"',
        name=_missing.name,
    ) from None

from nbmodule_widgets import lessons
from nbmodule_widgets.display import (
    install,
    load_ipython_extension,
    mimebundle,
    show,
    text,
    uninstall,
    unload_ipython_extension,
)
from nbmodule_widgets.facts import ModuleFacts, facts
from nbmodule_widgets.views import Landing, ModuleTree
from nbmodule_widgets.views.acting import ActionError
from nbmodule_widgets.views.parameters import ParameterView, parameters
from nbmodule_widgets.views.watch import Watch, watch

if TYPE_CHECKING:
    from nbmodule_widgets.views.compare import TrainEvalCompare, compare_modes
    from nbmodule_widgets.views.diagnosis import Diagnosis, diagnose
    from nbmodule_widgets.views.graph import GraphView, graph
    from nbmodule_widgets.views.keys import KeyMatcher, match_keys
    from nbmodule_widgets.views.orphans import Orphans, find_orphans
    from nbmodule_widgets.views.summary import LayerSummary, summary
    from nbmodule_widgets.views.trace import HookTimeline, trace

__all__ = [
    "ActionError",
    "Diagnosis",
    "GraphView",
    "HookTimeline",
    "KeyMatcher",
    "Landing",
    "LayerSummary",
    "ModuleFacts",
    "ModuleTree",
    "Orphans",
    "ParameterView",
    "TrainEvalCompare",
    "Watch",
    "compare_modes",
    "diagnose",
    "facts",
    "find_orphans",
    "graph",
    "install",
    "lessons",
    "load_ipython_extension",
    "match_keys",
    "mimebundle",
    "parameters",
    "show",
    "summary",
    "text",
    "trace",
    "uninstall",
    "unload_ipython_extension",
    "watch",
]

# Loaded when they are first asked for: most notebooks show a tree and need nothing of them.
_LATE = {
    "Diagnosis": "diagnosis",
    "GraphView": "graph",
    "HookTimeline": "trace",
    "KeyMatcher": "keys",
    "LayerSummary": "summary",
    "Orphans": "orphans",
    "TrainEvalCompare": "compare",
    "compare_modes": "compare",
    "diagnose": "diagnosis",
    "find_orphans": "orphans",
    "graph": "graph",
    "match_keys": "keys",
    "summary": "summary",
    "trace": "trace",
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
