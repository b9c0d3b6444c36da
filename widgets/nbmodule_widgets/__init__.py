"""Live views of any object that speaks the Module protocol: ours, PyTorch's, or the reader's own.

    import nbmodule_widgets as nw
    nw.show(model)      # the tree of Modules, parameters and buffers
    nw.anatomy(model)   # what lies in the drawers of one Module
    nw.install()        # from now on a model at the end of a cell shows its tree

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

__all__ = [
    "Anatomy",
    "Landing",
    "ModuleFacts",
    "ModuleTree",
    "anatomy",
    "facts",
    "install",
    "load_ipython_extension",
    "mimebundle",
    "show",
    "text",
    "uninstall",
    "unload_ipython_extension",
]
