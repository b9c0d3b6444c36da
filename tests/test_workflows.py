"""What runs on others' machines: fixed actions, an end to every job, the permissions that it needs."""

from __future__ import annotations

import ast
import re

import pytest
from course_chapters import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_nothing_moves_and_nothing_hangs(file):
    text = file.read_text(encoding="utf-8")
    for action in re.findall(r"uses: (.*)", text):
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|\./\.github/.*", action), (
            action
        )
    assert re.search(r"^permissions:( \{\}|\n  contents: read)$", text, re.MULTILINE)
    jobs = re.split(r"^  (?=[\w-]+:$)", text.partition("\njobs:\n")[2], flags=re.MULTILINE)[1:]
    assert jobs
    for job in jobs:
        assert "timeout-minutes: " in job or "uses: ./" in job, job.partition(":")[0]
        assert "setup-python" not in job or "cache: pip" in job or "and no cache" in job


def test_one_commit_for_each_action():
    used = set(re.findall(r"uses: (\S+)@(\w+)", "".join(file.read_text(encoding="utf-8") for file in WORKFLOWS)))  # fmt: skip
    assert len(used) == len({action for action, _ in used}) > 3


TESTS = [
    file
    for file in sorted((ROOT / "tests").rglob("test_*.py"))
    if file.name != "test_workflows.py"
    and 'importorskip("torch")' in file.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("file", TESTS, ids=lambda file: file.stem)
def test_what_asks_pytorch_is_marked_so(file):
    """CI runs the tests marked `torch` with PyTorch, all others without: one that lacks the mark would never run."""
    whole = ast.parse(file.read_text(encoding="utf-8")).body
    if any("pytest.mark.torch" in ast.unparse(n) for n in whole if isinstance(n, ast.Assign)):
        return
    for part in whole:
        asks = "importorskip('torch')" in ast.unparse(part)
        marks = getattr(part, "decorator_list", [])
        fixture = any("pytest.fixture" in ast.unparse(mark) for mark in marks)
        if asks and not fixture and getattr(part, "name", "test_").startswith("test_"):
            assert any("mark.torch" in ast.unparse(mark) for mark in marks), f"line {part.lineno}"
