"""A Jupyter server's "Save and Export Notebook As": live views become their static twins, as in `exporting.py`.

The server of `nbmodule lab` finds this by `jupyter_config/jupyter_server_config.d/nbmodule.json`; any other Jupyter
server does after ``jupyter server extension enable nbmodule_course.export_menu``. It is an extension, and not a
setting, because a list in a setting would replace the list of whoever has one.
"""

from __future__ import annotations

from typing import Any

OURS = "nbmodule_course.exporting.StaticViews"


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Add our preprocessor to those that the server's exporters use."""
    settings = server.web_app.settings["config"].TemplateExporter
    there = settings.get("preprocessors", [])
    if hasattr(there, "append") and OURS not in there:
        settings.preprocessors = [*there, OURS]
