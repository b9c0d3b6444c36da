"""Live views of any object that speaks the Module protocol: ours, PyTorch's, or the reader's own.

    import nbmodule_widgets as nw
    nw.show(model)            # the tree of Modules, parameters and buffers
    nw.parameters(model)      # weights and gradients: histograms, heat maps, before and after
    nw.anatomy(model)         # what lies in the drawers of one Module
    with nw.watch(model) as w:  # all of it while a loop trains: w.tick(loss=loss) in each step
        ...
    nw.install()              # from now on a model at the end of a cell shows its tree

Each returns a view with `facts`, `str(view)` and `view.to_html()`, which need no front end.

The functions `facts` and `text` have the names of the modules that they live in; import records and helpers
with `from nbmodule_widgets.facts import ModuleFacts`.
"""

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

__all__ = [
    "ActionError",
    "Anatomy",
    "Landing",
    "ModuleFacts",
    "ModuleTree",
    "ParameterView",
    "Watch",
    "anatomy",
    "facts",
    "install",
    "load_ipython_extension",
    "mimebundle",
    "parameters",
    "show",
    "text",
    "uninstall",
    "unload_ipython_extension",
    "watch",
]
