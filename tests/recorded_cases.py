"""Recorded data as text: one case a line, so that a change shows the case that it changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write(file: Path, cases: dict[str, Any], depth: int = 1) -> None:
    """Write `cases` to `file` as JSON: a line for each, or where `depth` is greater for each of what they hold."""
    file.write_text(in_lines(cases, depth) + "\n", encoding="utf-8")


def in_lines(cases: Any, depth: int) -> str:
    """Return `cases` as JSON, in which a dictionary down to `depth` has a line for each entry."""
    if not depth or not cases or not isinstance(cases, dict):
        return json.dumps(cases, ensure_ascii=False)
    lines = (
        f"{json.dumps(k, ensure_ascii=False)}: {in_lines(v, depth - 1)}" for k, v in cases.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}"
