"""Adds to whatever list the user has: a list of ours in a JSON file would replace it. See `exporting.py`."""

from importlib.util import find_spec

if find_spec("nbmodule_course"):  # nbconvert may be that of another environment
    c = get_config()  # noqa: F821  # pyright: ignore[reportUndefinedVariable]
    c.TemplateExporter.preprocessors.append("nbmodule_course.exporting.StaticViews")
