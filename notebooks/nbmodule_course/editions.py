"""From the solved chapters to the learner's edition, and back to the start for one exercise.

The learner's folder holds plain notebooks and one small file, the manifest, with a checksum of each notebook
as it was written. A notebook that still has its checksum is ours to update; any other belongs to
the reader and is never overwritten.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from .chapters import Chapter, cells_of, chapters, lone_prediction
from .exercise import find_exercise
from .markers import has_solution, stub_of
from .wording import UsageError, counted, listing

MANIFEST = ".nbmodule-files.json"
SOLUTION_ONLY = "solution-only"
_BEFORE_RESET = ".before-reset-"


@dataclass
class EditionReport:
    """What `write_edition` did with each notebook."""

    folder: Path
    written: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return what a reader wants to know."""
        said = []
        if self.written:
            said.append(f"Wrote {counted(len(self.written), 'chapter')} to {self.folder}.")
        if self.updated:
            said.append(f"Updated {listing(self.updated)}: you had not changed them.")
        if self.kept:
            said.append(f"Kept your own {listing(self.kept)}.")
        return said or [f"The chapters in {self.folder} are up to date."]


def learners_edition(solved: NotebookNode) -> NotebookNode:
    """Return a copy without solutions, outputs and cells tagged `solution-only`."""
    notebook = copy.deepcopy(solved)
    notebook.cells = [
        _for_learners(cell)
        for cell in notebook.cells
        if SOLUTION_ONLY not in cell.metadata.get("tags", [])
    ]
    return notebook


def edition_text(chapter: Chapter) -> str:
    """Return the learner's edition of `chapter` as the text of its file."""
    solved = nbformat.read(chapter.path, as_version=4)
    return nbformat.writes(learners_edition(solved)) + "\n"


def write_edition(folder: Path, from_chapters: Iterable[Chapter] | None = None) -> EditionReport:
    """Write the learner's edition to `folder`, which may hold an earlier one.

    Raises:
        UsageError: `folder` holds something else; nothing was changed.
    """
    _refuse_foreign_folder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not is_edition(folder):
        # first, so that a folder whose writing was stopped is known the next time
        _write_text(folder / MANIFEST, "{}\n")
    known, report = _read_manifest(folder), EditionReport(folder)
    for chapter in chapters() if from_chapters is None else from_chapters:
        name, text = chapter.path.name, edition_text(chapter)
        if _place(folder / name, text, known.get(name), report):
            known[name] = _digest(text.encode("utf-8"))
    _write_text(folder / MANIFEST, json.dumps(known, indent=1, sort_keys=True) + "\n")
    return report


def reset(exercise_id: str, folder: Path) -> str:
    """Bring the cells of one exercise back to their start in the reader's copy.

    The notebook as it was is kept beside it, unless there was no work in these cells. Returns what was done, in one or two sentences.

    Raises:
        UsageError: no such exercise, or `folder` does not hold its chapter.
    """
    exercise_id = find_exercise(exercise_id).id
    chapter = chapter_of(exercise_id)
    file = reader_file(chapter, folder)
    notebook = read_reader_notebook(file)
    original = nbformat.reads(edition_text(chapter), as_version=4)
    restored = [cell for cell in original.cells if _exercise_of(cell) == exercise_id]
    worked_on = not all(_has(notebook, cell) for cell in restored)
    for cell in restored:
        _restore(cell, notebook, original)
    restored_text = nbformat.writes(notebook) + "\n"
    if not worked_on:
        _write_text(file, restored_text)  # an output may have gone
        return f"Exercise {exercise_id} in {file.name} was already as it was at the start."
    kept = _free_name(file)
    _write_text(kept, file.read_text(encoding="utf-8"))
    _write_text(file, restored_text)
    return (
        f"Exercise {exercise_id} in {file.name} is as it was at the start. Your previous notebook "
        f"is kept as {kept.name}. If the chapter is open in JupyterLab, choose "
        "File > Reload Notebook from Disk."
    )


def chapter_of(exercise_id: str) -> Chapter:
    """Return the chapter that holds an exercise.

    Raises:
        UsageError: no installed chapter holds it.
    """
    for chapter in chapters():
        if exercise_id in chapter.exercise_ids:
            return chapter
    raise UsageError(f"No installed chapter holds exercise {exercise_id}.")


def is_edition(folder: Path) -> bool:
    """Tell whether `folder` holds a learner's edition."""
    return (folder / MANIFEST).is_file()


def reader_file(chapter: Chapter, folder: Path) -> Path:
    """Return the reader's copy of `chapter`.

    Raises:
        UsageError: it is not in `folder`.
    """
    file = folder / chapter.path.name
    if not file.is_file():
        raise UsageError(
            f"{chapter.path.name} is not in {folder}. Name the folder with your chapters, or write "
            f'them first: nbmodule lab "{folder}"'
        )
    return file


def read_reader_notebook(file: Path) -> NotebookNode:
    """Read a notebook of the reader's.

    Raises:
        UsageError: it is damaged; the message says what to do.
    """
    try:
        notebook = nbformat.reads(file.read_text(encoding="utf-8"), as_version=4)
        cells_of(notebook)
        return notebook
    except Exception as error:  # nbformat raises what its version's schema library raises
        raise UsageError(
            f"{file.name} cannot be read as a notebook ({type(error).__name__}). Rename it, and "
            f'`nbmodule lab "{file.parent}"` writes a fresh copy.'
        ) from error


def _for_learners(cell: NotebookNode) -> NotebookNode:
    if cell.cell_type == "code":
        cell.outputs, cell.execution_count = [], None
        if has_solution(cell.source):
            cell.source = stub_of(cell.source)
        question = lone_prediction(cells_of({"cells": [cell]})[0])
        if question:
            # The source holds the reason as well. JupyterLab shows the first line of a folded cell.
            cell.source = f"# Predict {question}: run this cell, then choose\n{cell.source}"
            cell.metadata["jupyter"] = {"source_hidden": True}
    return cell


def newest_work(folder: Path) -> str:
    """Return the notebook that the reader has changed last; '' if there is none."""
    known = _read_manifest(folder)
    files = [file for file in folder.glob("*.ipynb") if _BEFORE_RESET not in file.name]
    changed = [file for file in files if _digest(file.read_bytes()) != known.get(file.name)]
    return max(changed, key=lambda file: file.stat().st_mtime_ns).name if changed else ""


def _refuse_foreign_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder for your chapters.")
    if folder.is_dir() and not is_edition(folder) and any(map(_foreign, folder.iterdir())):
        raise UsageError(
            f"{folder} is not empty and holds no chapters of nbmodule. Nothing was changed; name "
            "another folder, which may be new."
        )


def _foreign(file: Path) -> bool:
    """Tell whether a file is something else than the manifest, whose first writing may have been stopped."""
    return not file.name.startswith(MANIFEST)


def _place(file: Path, text: str, known_digest: str | None, report: EditionReport) -> bool:
    """Write `text` to `file` unless the reader changed it; tell whether it now holds `text`."""
    if not file.exists():
        report.written.append(file.name)
    else:
        present = _digest(file.read_bytes())
        if present == _digest(text.encode("utf-8")):
            report.unchanged.append(file.name)
            return True
        if present != known_digest:
            report.kept.append(file.name)
            return False
        report.updated.append(file.name)
    _write_text(file, text)
    return True


def _read_manifest(folder: Path) -> dict[str, str]:
    """Return the checksums; a damaged manifest has none, so every file counts as the reader's."""
    try:
        known = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _exercise_of(cell: NotebookNode) -> str:
    return cells_of({"cells": [cell]})[0].exercise_id


def _has(notebook: NotebookNode, cell: NotebookNode) -> bool:
    """Tell whether the reader's notebook holds the work of `cell` unchanged."""
    return any(
        present.get("id") == cell.id
        and (present.cell_type, present.source) == (cell.cell_type, cell.source)
        for present in notebook.cells
    )


def _restore(cell: NotebookNode, notebook: NotebookNode, original: NotebookNode) -> None:
    """Put the stub `cell` back: over the reader's cell, or where it stood if that is gone."""
    for present in notebook.cells:
        if present.get("id") == cell.id:
            present.source, present.outputs, present.execution_count = cell.source, [], None
            present.cell_type, present.metadata = cell.cell_type, cell.metadata
            return
    notebook.cells.insert(_position(cell, notebook, original), cell)


def _position(cell: NotebookNode, notebook: NotebookNode, original: NotebookNode) -> int:
    """Return the place behind the nearest earlier cell that the reader still has."""
    order = [other.id for other in original.cells]
    present = {other.get("id"): position for position, other in enumerate(notebook.cells)}
    for earlier in reversed(order[: order.index(cell.id)]):
        if earlier in present:
            return present[earlier] + 1
    return 0


def _free_name(file: Path) -> Path:
    number = 1
    while (kept := file.with_name(f"{file.stem}{_BEFORE_RESET}{number}.ipynb")).exists():
        number += 1
    return kept


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write_text(file: Path, text: str) -> None:
    """Write bytes, so that line ends, and with them checksums, are the same on every system.

    They are written beside the file and then take its place, so that a full disk, or Ctrl-C, harms nothing.
    """
    new = file.with_name(f"{file.name}.new")
    try:
        new.write_bytes(text.encode("utf-8"))
        os.replace(new, file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
