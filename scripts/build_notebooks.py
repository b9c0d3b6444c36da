#!/usr/bin/env python3
"""Executes the solved chapters and stores their outputs; `--check` only looks at what is stored.

    python scripts/build_notebooks.py [CHAPTER ...]     # execute, normalise, write if changed
    python scripts/build_notebooks.py --path            # write the links and times of the path, execute nothing
    python scripts/build_notebooks.py --check           # verify without executing

What is stored is the same on every machine: no widget state, no times, and a fresh progress file.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from traitlets.config import Config

from nbmodule_course.chapters import (
    Chapter,
    calls_of,
    cells_of,
    chapters_in,
    first_text,
    lone_prediction,
)
from nbmodule_course.launch import one_thread
from nbmodule_course.markers import MarkerError, stub_of
from nbmodule_course.mine.solved import as_solved_before
from nbmodule_course.numbering import chapter_files, chapter_number
from nbmodule_course.path import broken_links, write_path

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
LONGEST_CELL = 25
KEPT_METADATA = ("tags", "slideshow", "jupyter")


def execute(notebook: NotebookNode, file: Path) -> None:
    """Run every cell of the chapter `file` in a fresh kernel, for a reader who has solved the chapters before it.

    Args:
        notebook: its cells, which get their outputs.
        file: where it lies; its name says which chapter it is.
    """
    config = Config({"AsyncKernelManager": {"transport_encryption": "auto"}})
    with tempfile.TemporaryDirectory() as fresh:
        environment = {
            **os.environ,
            "NBMODULE_PROGRESS": str(Path(fresh, "progress.json")),
            "NBMODULE_REFEREE": "recorded",
            **as_solved_before(file, Path(fresh)),
            **one_thread(),
            "JUPYTER_PREFER_ENV_PATH": "1",
        }
        NotebookClient(
            notebook,
            timeout=120,
            kernel_name="python3",
            store_widget_state=False,
            resources={"metadata": {"path": str(file.parent)}},
            config=config,
        ).execute(env=environment)


def normalise(notebook: NotebookNode) -> NotebookNode:
    """Keep what a repository should keep: outputs and tags; no widget state, no times."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {
                "name": "python3",
                "display_name": "Python 3 (ipykernel)",
                "language": "python",
            },
            "language_info": {"name": "python"},
        }
    )
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict(
            {key: cell.metadata[key] for key in KEPT_METADATA if key in cell.metadata}
        )
        if cell.cell_type == "code":
            cell.outputs = _streams_joined(cell.outputs)
        for output in cell.get("outputs", []):
            _drop_live_view(output)
            output.pop("transient", None)
    return notebook


def _streams_joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Make one of neighboring outputs of one stream: where they are cut is a matter of timing."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if (
            last is not None
            and output.output_type == "stream" == last.output_type
            and output.name == last.name
        ):
            last.text += output.text
        else:
            joined.append(output)
    return joined


def build(file: Path) -> bool:
    """Execute and rewrite one chapter; tell whether it changed."""
    notebook = nbformat.reads(file.read_text(encoding="utf-8"), as_version=4)
    write_path(notebook, Chapter(file), chapters_in(file.parent))
    execute(notebook, file)
    normalise(notebook)
    nbformat.validate(notebook)
    return _written(notebook, file)


def build_path(file: Path) -> bool:
    """Write the lines of the path into one chapter; tell whether it changed. Nothing is executed."""
    notebook = nbformat.reads(file.read_text(encoding="utf-8"), as_version=4)
    write_path(notebook, Chapter(file), chapters_in(file.parent))
    return _written(notebook, file)


def path_problems(file: Path) -> list[str]:
    """Return what is wrong with the links and times of a stored chapter."""
    course = chapters_in(file.parent)
    (chapter,) = [other for other in course if other.path == file]
    notebook = _as_stored(file)
    stored = [cell.source for cell in notebook.cells]
    try:
        write_path(notebook, chapter, course)
    except ValueError as error:
        return [f"{file.name}: {error}"]
    found = [f"{file.name}: {problem}" for problem in broken_links(chapter, course)]
    if [cell.source for cell in notebook.cells] != stored:
        remedy = f"python scripts/build_notebooks.py --path notebooks/{file.name}"
        found.append(f"{file.name}: its links or times are not up to date; run {remedy}")
    return found


def _as_stored(file: Path) -> NotebookNode:
    """Read a chapter; nbformat.read would mend a twin id before anybody could see it."""
    notebook = nbformat.from_dict(json.loads(file.read_text(encoding="utf-8")))
    for cell in notebook.cells:
        cell.source = "".join(cell.source)
    return notebook


def _written(notebook: NotebookNode, file: Path) -> bool:
    """Store a notebook if that changes its file, and tell whether it did."""
    after = (nbformat.writes(notebook) + "\n").encode("utf-8")
    changed = after != file.read_bytes()
    if changed:
        file.write_bytes(after)
    return changed


def problems(file: Path) -> list[str]:
    """Return everything that is wrong with a stored chapter; nothing is executed."""
    notebook = _as_stored(file)
    found = [
        *_run_problems(notebook),
        *_form_problems(notebook, file),
        *_exercise_problems(notebook),
    ]
    return [f"{file.name}: {problem}" for problem in found]


def main(arguments: list[str] | None = None) -> int:
    """Build or check the chapters named, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chapters", nargs="*", type=Path, help="default: all of notebooks/")
    parser.add_argument("--check", action="store_true", help="look only, execute nothing")
    parser.add_argument("--path", action="store_true", help="write links and times only")
    asked = parser.parse_args(arguments)
    files = [file.resolve() for file in asked.chapters] or chapter_files(NOTEBOOKS)
    work = build_path if asked.path else build
    for file in () if asked.check else files:
        print(f"{file.name}: {'written' if work(file) else 'unchanged'}", flush=True)
    found = [problem for file in files for problem in (*problems(file), *path_problems(file))]
    print("\n".join(found) if found else f"{len(files)} chapters are in order")
    return 1 if found else 0


def _drop_live_view(output: NotebookNode) -> None:
    """A stored view without its state shows an error in JupyterLab; its static forms don't."""
    data = output.get("data", {})
    if WIDGET_VIEW in data and len(data) > 1:
        del data[WIDGET_VIEW]


def _run_problems(notebook: NotebookNode) -> Iterator[str]:
    """Find cells that were not run in order, which nbval would pass over."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    counts = [cell.execution_count for cell in code if "nbval-skip" not in _tags(cell)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"cells were not run 1..{len(counts)} in order; build it again"
    if "widgets" in notebook.metadata:
        yield "widget state is stored; build it again"
    for cell in code:
        for output in cell.outputs:
            if output.output_type == "error" and "raises-exception" not in _tags(cell):
                yield f"a cell ends in {output.ename}: tag it raises-exception or mend it"


def _form_problems(notebook: NotebookNode, file: Path) -> Iterator[str]:
    ids = [cell.get("id") for cell in notebook.cells]
    if len(set(ids)) != len(ids) or None in ids:
        yield "cell ids are missing or not unique"
    for cell in notebook.cells:
        lines = len(_given(cell.source).splitlines())
        if cell.cell_type == "code" and lines > LONGEST_CELL:
            yield f"a code cell has {lines} lines, more than {LONGEST_CELL}: {_opening(cell)}"
    yield from _heading_problems(notebook, file)


def _given(source: str) -> str:
    """Return what a reader is given of a cell: a solution may be longer than a cell that is read."""
    with contextlib.suppress(MarkerError):
        return stub_of(source)
    return source


def _heading_problems(notebook: NotebookNode, file: Path) -> Iterator[str]:
    headings = [
        line
        for cell in notebook.cells
        if cell.cell_type == "markdown"
        for line in re.sub(r"```.*?```", "", cell.source, flags=re.DOTALL).splitlines()
        if re.match(r"#+ ", line)
    ]
    number = chapter_number(file.name)
    if not headings or not headings[0].startswith(f"# {number} "):
        yield f'the first heading is not "# {number} …"'
    if sum(line.startswith("# ") for line in headings) != 1:
        yield "there is not exactly one heading of level 1"
    depth = 1
    for line in headings:
        deeper = len(line) - len(line.lstrip("#"))
        if deeper > depth + 1:
            yield f"this heading skips a level: {line}"
        depth = deeper


def _exercise_problems(notebook: NotebookNode) -> Iterator[str]:
    cells = cells_of(notebook)
    checked = {first_text(call) for cell in cells for call in calls_of(cell, "check")}
    for cell in cells:
        try:
            changed = stub_of(cell.source) != cell.source
        except MarkerError as error:
            yield f"{error}: {_opening(cell)}"
            continue
        if calls_of(cell, "Predict") and not lone_prediction(cell):
            yield f"a prediction shares its cell with other code: {_opening(cell)}"
        if "exercise" in cell.tags and not cell.exercise_id:
            yield f"an exercise cell lacks the tag with its id: {_opening(cell)}"
        if "exercise" in cell.tags and not changed:
            yield f"exercise {cell.exercise_id} has no marked solution"
        if changed and "exercise" not in cell.tags:
            yield f"a marked solution lies outside of an exercise cell: {_opening(cell)}"
        if cell.exercise_id and cell.exercise_id not in checked:
            yield f"exercise {cell.exercise_id} has no check cell"


def _tags(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def _opening(cell) -> str:
    return repr(cell.source.splitlines()[0][:60]) if cell.source.strip() else "(empty)"


if __name__ == "__main__":
    sys.exit(main())
