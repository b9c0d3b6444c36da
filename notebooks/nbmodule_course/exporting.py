"""What nbconvert shows for a live view: the static twin that the notebook stores beside it.

nbconvert prefers a widget as soon as the notebook stores its state. The exported page then needs scripts from the
network, and is blank without them.

`nbmodule lab` has Jupyter read the folder `jupyter_config` too: its `jupyter_nbconvert_config.py` tells the command
`jupyter nbconvert` about this, and `export_menu.py` the menu of JupyterLab: for formats made with templates (HTML, PDF,
slides, Markdown), not for notebooks. Nothing of that is installed among the settings of the environment, which are not
ours. It lies in this package because it must be importable wherever nbconvert runs, also where the views and what they
need are not installed.
"""

from __future__ import annotations

from typing import Any

from nbconvert.preprocessors import Preprocessor

VIEW = "application/vnd.jupyter.widget-view+json"
TWIN = '<div class="nbmodule-static">'


class StaticViews(Preprocessor):
    """Takes the live form out of those outputs that hold a static twin of ours; no other widget is touched."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Change the notebook in place; without any widget left, their states go too."""
        bundles = [out.get("data", {}) for cell in nb.cells for out in cell.get("outputs", ())]
        ours = [data for data in bundles if _text(data.get("text/html")).startswith(TWIN)]
        removed = [data.pop(VIEW, None) for data in ours]
        if any(removed) and not any(VIEW in data for data in bundles):
            nb.metadata.pop("widgets", None)  # and with them the script that would draw widgets
        return nb, resources


def _text(stored: Any) -> str:
    """Notebooks may store a text as a list of its lines."""
    return "".join(stored) if isinstance(stored, list) else stored or ""
