"""Puts the chapters into the wheel.

In the repository they lie at ``notebooks/NN_topic.ipynb``, where a reader looks for them; in the wheel
they travel as ``nbmodule_course/chapters/``. An editable install reads them where they are, so it must
not get a copy, which would go stale. hatchling's plain ``force-include`` cannot tell the two apart.
"""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ChaptersHook(BuildHookInterface):
    """Adds ``notebooks/*.ipynb`` to a wheel, not to an editable install."""

    def initialize(self, version: str, build_data: dict) -> None:
        """Extend ``build_data`` when ``version`` is "standard"."""
        if version == "standard":
            for notebook in sorted(Path(self.root, "notebooks").glob("[0-9][0-9]_*.ipynb")):
                destination = f"nbmodule_course/chapters/{notebook.name}"
                build_data["force_include"][str(notebook)] = destination
