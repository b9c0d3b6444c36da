"""The rows of the table of modules, a topic a file; each lists them in ``ROWS``."""

import importlib
import pkgutil

from ..module_row import Row

TOPICS: dict[str, list[Row]] = {
    module.name: importlib.import_module(f"{__name__}.{module.name}").ROWS
    for module in pkgutil.iter_modules(__path__)
}
"""All rows, by their topic."""
