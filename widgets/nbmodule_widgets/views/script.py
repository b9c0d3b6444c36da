"""Joining the parts of a view's script."""

from __future__ import annotations

import json
from pathlib import Path

from nbmodule_widgets.views.squeeze import squeezed_script, squeezed_styles

STATIC = Path(__file__).parent.parent / "static"
_CORE = ("core", "keys", "picture", "host")  # what "core" stands for


def script(*names: str) -> str:
    """The view's ES module: its styles as a constant, then the parts one after the other.

    One text, because a module that was loaded from text cannot import its neighbours. It travels with each view and
    is stored with it, so comments and indentation stay behind.
    """
    names = (*_CORE, *names[1:]) if names[:1] == ("core",) else names
    sheets = [STATIC / f"{name}.css" for name in names]
    styles = "".join(squeezed_styles(s.read_text("utf-8")) for s in sheets if s.exists())
    parts = [squeezed_script((STATIC / f"{name}.js").read_text("utf-8")) for name in names]
    return "\n".join([f"const STYLES = {json.dumps(styles)};" if styles else "", *parts]).strip()
