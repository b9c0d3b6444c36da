"""What a build does that pyproject.toml cannot say: chapters into the wheel, links of the README that work anywhere."""

import re
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class ChaptersHook(BuildHookInterface):
    """Adds ``notebooks/*.ipynb`` to a wheel, not to an editable install.

    In the repository they lie at ``notebooks/NN_topic.ipynb``, where a reader looks for them; in the wheel
    they travel as ``nbmodule_course/chapters/``. An editable install reads them where they are, so it must
    not get a copy, which would go stale. hatchling's plain ``force-include`` cannot tell the two apart.
    """

    def initialize(self, version: str, build_data: dict) -> None:
        """Extend ``build_data`` when ``version`` is "standard"."""
        if version == "standard":
            for notebook in sorted(Path(self.root, "notebooks").glob("[0-9A-Z]*_*.ipynb")):
                destination = f"nbmodule_course/chapters/{notebook.name}"
                build_data["force_include"][str(notebook)] = destination


class ReadmeHook(MetadataHookInterface):
    """Has the README's relative links lead to the repository, since a package index shows it without its neighbours."""

    def update(self, metadata: dict) -> None:
        """Add the readme to ``metadata``."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        source = metadata["urls"]["Source"]
        text = re.sub(r"(!\[[^]]*\]\()(?!\w+:)", rf"\1{source}/raw/main/", text)
        absolute = re.sub(r"\]\((?!\w+:|#)", f"]({source}/blob/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": absolute}
