"""One table of operations; every check in `tests/ops` looks at every row.

The rows lie in `sample_rows/`, a topic a file.
"""

import importlib
import pkgutil

import sample_rows

TOPICS = {
    module.name: importlib.import_module(f"sample_rows.{module.name}").ROWS
    for module in pkgutil.iter_modules(sample_rows.__path__)
}
SAMPLES = [row for rows in TOPICS.values() for row in rows]
