"""The live views, one class each; see `nbmodule_widgets.display` for how to make them."""

from nbmodule_widgets.views.anatomy import Anatomy
from nbmodule_widgets.views.sandbox import Landing, Move
from nbmodule_widgets.views.tree import ModuleTree
