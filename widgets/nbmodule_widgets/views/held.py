"""The code of the views: in a kernel each kind of view has it once, however many views there are.

Every view brings its script, which is stored with it; twenty views would be half a megabyte of the same. So a view
brings a few lines that take the script from another widget, which holds it, and which a notebook stores with the view
as it stores its layout. A page that has no such widget asks Python, and is sent the script itself; it says so meanwhile.
"""

from __future__ import annotations

import ipywidgets
import traitlets

from nbmodule_widgets.views import kernel
from nbmodule_widgets.views.script import script

LOADER = script("loader")


class Code(ipywidgets.Widget):
    """A widget without a view, which holds a script."""

    text = traitlets.Unicode().tag(sync=True)


_held: dict[str, Code] = {}


def held(text: str) -> Code | None:
    """The widget that holds a script; None where widgets have no kernel to share, and each brings its own.

    Args:
        text: The script.
    """
    if kernel.kernel() is None:
        return None
    if text not in _held or _held[text].comm is None:  # never made, or closed with all the others
        _held[text] = Code(text=text)
    return _held[text]


def instead_of_script() -> dict[str, traitlets.TraitType]:
    """The traits that a view has instead of its script: the loader, and the widget that holds the script."""
    return {
        "_esm": traitlets.Unicode(LOADER).tag(sync=True),
        "_code": traitlets.Instance(Code, allow_none=True).tag(
            sync=True, **ipywidgets.widget_serialization
        ),
    }
