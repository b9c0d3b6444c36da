#!/usr/bin/env python3
"""Write `docs/compat.md`: what of PyTorch is here, what is not, and why.

    python scripts/build_compat.py [--check]

PyTorch's names were recorded into `tests/names/torch_public.json`; ours are asked of nbmodule itself, so the
page cannot say what is not so. Why a name is missing stands in `compat_reasons.py`. `--check` only compares.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from compat_reasons import DIFFERENT, REASONS  # noqa: E402

import nbmodule  # noqa: E402

PAGE = ROOT / "docs" / "compat.md"
RECORD = ROOT / "tests" / "names" / "torch_public.json"
SIGNATURES = ROOT / "tests" / "names" / "torch_names.json"
OURS_ALONE = {
    "nbmodule.learner": "a `Learner` with callbacks: the training loop",
    "nbmodule.datasets": "the datasets that ship, and readers of larger ones",
    "nbmodule.utils.data.DataLoader.state_dict": "and `load_state_dict`: where a loader stands (the names are torchdata's `StatefulDataLoader`'s)",
}
"""What has no underscore and is no name of PyTorch's."""


def here(path: str) -> Any:
    """Return what nbmodule has at PyTorch's `path`, or None."""
    found: Any = nbmodule
    for step in path.split(".")[1:]:
        try:
            if not hasattr(found, step):
                importlib.import_module(f"{found.__name__}.{step}")
            found = getattr(found, step)
        except (ImportError, AttributeError):
            return None
    return found


def reason_of(path: str) -> str:
    """Return the title of the reason why `path` is not here.

    Raises:
        LookupError: there is none.
    """
    for title, _, patterns in REASONS:
        if any(re.fullmatch(pattern, path) for pattern in patterns):
            return title
    raise LookupError(f"{path} is not in nbmodule, and scripts/compat_reasons.py does not say why")


def missing() -> dict[str, list[str]]:
    """Return, for each reason, what is not here: packages first, then names."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    absent = [path for path in record["packages"] if here(path) is None]
    for area, names in record["names"].items():
        owner = here(area)
        if owner is None:
            absent += [area] if area not in absent else []
            continue
        shown = set(dir(owner))
        absent += [f"{area}.{n}" for n in names if n not in shown]
    inside = [p for p in absent if p.rpartition(".")[0] not in absent]
    found: dict[str, list[str]] = {title: [] for title, *_ in REASONS}
    for path in dict.fromkeys(inside):
        found[reason_of(path)].append(path)
    return found


def gone() -> list[str]:
    """Return what is said to be different, and is not here at all."""
    return [path for path, _ in DIFFERENT if here(path) is None]


def idle_patterns(found: dict[str, list[str]]) -> list[str]:
    """Return the patterns that nothing missing fits."""
    paths = [path for some in found.values() for path in some]
    patterns = [pattern for *_, some in REASONS for pattern in some]
    return [p for p in patterns if not any(re.fullmatch(p, path) for path in paths)]


def fewer_parameters() -> list[tuple[str, list[str]]]:
    """Return what is here with fewer parameters than in PyTorch, and which are missing."""
    found = []
    for path, told in json.loads(SIGNATURES.read_text(encoding="utf-8")).items():
        owner = here(f"torch.{path}" if path else "torch")
        for name, theirs in told["signatures"].items():
            ours = getattr(owner, name, None)
            if not theirs or not callable(ours):
                continue
            try:
                parameters = inspect.signature(ours).parameters
            except (TypeError, ValueError):
                continue
            if "self" in parameters:  # a method as a function takes what PyTorch's takes, unsaid
                continue
            kinds = {p.kind for p in parameters.values()}
            lost = [n for n, *_ in theirs if n not in parameters]
            if lost and not kinds & {
                inspect.Parameter.VAR_KEYWORD,
                inspect.Parameter.VAR_POSITIONAL,
            }:
                found.append((f"{path}.{name}", lost))
    return found


def table() -> Iterable[str]:
    """Yield the lines of the table: how much of each area is here."""
    yield "| where | of PyTorch's names | here |"
    yield "|---|---:|---:|"
    for area, names in json.loads(RECORD.read_text(encoding="utf-8"))["names"].items():
        owner = here(area)
        if owner is None or not names:
            continue
        count = sum(name in set(dir(owner)) for name in names)
        yield f"| `{area}` | {len(names)} | {count} ({100 * count // len(names)} %) |"


def listed(paths: list[str]) -> str:
    """Return the names in one line, with what stands before them once for those that share it."""
    places: dict[str, list[str]] = {}
    for path in paths:
        place, _, name = path.rpartition(".")
        places.setdefault(place, []).append(name)
    lines = [f"`{place}.`: {', '.join(f'`{n}`' for n in sorted(names))}" for place, names in sorted(places.items())]  # fmt: skip
    return "\n".join(f"- {line}" for line in lines)


def page() -> str:
    """Return the text of the page."""
    found = missing()
    parts = [
        "# What of PyTorch is here, and what is not",
        "Made by `python scripts/build_compat.py` from the names of both libraries (PyTorch 2.13); a test compares. A name without underscore is\n"
        "PyTorch's, at PyTorch's path, with PyTorch's parameters and defaults: `import nbmodule as torch`.",
        "## How much is here\n" + "\n".join(table()),
        "## What is not, and why",
    ]
    for title, why, _ in REASONS:
        if found[title]:
            parts.append(f"### {title[0].upper()}{title[1:]}\n{why}\n\n{listed(found[title])}")
    fewer = [
        f"| `{path}` | {', '.join(f'`{n}`' for n in lost)} |" for path, lost in fewer_parameters()
    ]
    if fewer:
        parts.append(
            "## Here, with fewer parameters\n| name | not taken |\n|---|---|\n" + "\n".join(fewer)
        )
    parts.append(
        "## Here, and different on purpose\nWhere PyTorch is followed, errors may say more than there. These do something else:\n\n"
        + "\n".join(f"- `{path}`: {what}" for path, what in DIFFERENT)
    )
    alone = [f"- `{path}`: {what}" for path, what in OURS_ALONE.items() if here(path) is not None]
    parts.append(
        "## Ours alone\nNames without underscore that PyTorch does not have:\n" + "\n".join(alone)
    )
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    idle = idle_patterns(missing())
    if idle:
        print("nothing missing fits these patterns of compat_reasons.py:", *idle, sep="\n  ")
        return 1
    if "--check" in arguments:
        same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == page()
        print(
            "docs/compat.md is up to date"
            if same
            else "docs/compat.md is not what it would be: run scripts/build_compat.py"
        )
        return 0 if same else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
