"""The scripts of the course's own views: the core of all views, and a part of its own with its styles."""

from __future__ import annotations

import json
from pathlib import Path

from nbmodule_widgets.views.script import script
from nbmodule_widgets.views.squeeze import squeezed_script, squeezed_styles

_HERE = Path(__file__).parent


def page_script(name: str, *sheets: str) -> str:
    """The script of one view.

    Args:
        name: of its `.js` and its `.css`.
        sheets: style sheets beside its own.
    """
    styles = "".join((_HERE / f"{sheet}.css").read_text("utf-8") for sheet in (*sheets, name))
    own = squeezed_script((_HERE / f"{name}.js").read_text("utf-8"))
    return f"{script('core')}\nconst OWN_STYLES = {json.dumps(squeezed_styles(styles))};\n{own}"
