"""Taking an exam: the questions are asked in a process of its own, which may hang, flood or die without any harm."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from ..launch import command, one_thread
from ..mine import kept_blocks, kept_file
from ..mine.solutions import exercise_of
from ..numbering import chapter_of_id
from ..wording import counted
from .questions import GROUND, Exam, Question

State = Literal["right", "wrong", "waits", "later", "unasked"]
CPU_SECONDS = 1
"""For one question; the reader's right class needs a few thousandths."""
SILENT_SECONDS = 60.0
"""By the clock, for a question that not even an exception can end; a busy computer answers an easy one in seconds."""
START_SECONDS = 120.0
WHOLE_SECONDS = 300.0
_CLOSING = 5.0
_TALKS = "wrote what isn't an answer where only the exam writes"


@dataclass(frozen=True)
class Answer:
    """How the reader's class stands to one question.

    Attributes:
        question: what was asked.
        state: "right"; "wrong"; "waits" if a question that it needs isn't right; "later" if its chapter comes after
            all that were solved; "unasked" if the exam ended before.
        said: what the class answered, or what happened instead.
        printed: what it printed meanwhile.
        waits_for: the key of the question that comes first.
        mends: the exercise to go back to: of the method at fault, else that of the question.
        where: the line at fault in the reader's file, in words; '' if it isn't known.
    """

    question: Question
    state: State
    said: str = ""
    printed: str = ""
    waits_for: str = ""
    mends: str = ""
    where: str = ""


@dataclass(frozen=True)
class Taken:
    """An exam that has been taken.

    Attributes:
        exam: which one.
        file: whose class it was.
        answers: one for each question, in the order of the course; none if the file was unfit.
        unfit: why there was nothing to ask.
    """

    exam: Exam
    file: Path
    answers: tuple[Answer, ...] = ()
    unfit: str = ""


def take(
    exam: Exam,
    file: Path,
    asked: Sequence[Question],
    answered: Callable[[], Sequence[Question]] | None = None,
) -> Taken:
    """Ask the class `Module` in a file all questions, and nothing of nbmodule's stands in for what it lacks.

    Args:
        exam: which one.
        file: whose class it is.
        asked: the questions.
        answered: returns them with the right answers, where they don't have these yet.
    """
    if not file.is_file():
        said = f"There is no {file.name} here yet. The first exercise that you solve creates it."
        return Taken(exam, file, unfit=said)
    sitting = Sitting(exam.room, file, asked)
    sitting.ask()
    if sitting.unfit:
        return Taken(exam, file, unfit=sitting.unfit)
    asked = answered() if answered else asked
    return Taken(exam, file, judged(asked, sitting.heard, kept_file.read(file), file.name))


def judged(
    asked: Sequence[Question],
    heard: dict[str, dict[str, Any]],
    text: str,
    name: str = kept_file.NAME,
) -> tuple[Answer, ...]:
    """Return how each answer stands.

    Args:
        asked: the questions.
        heard: what came back, by the key of the question; nothing for a question that wasn't asked.
        text: the reader's file, which says how far they have come.
        name: of the file.
    """
    blocks = kept_blocks.blocks(text)
    chapters = {chapter_of_id(block.exercise_id) for block in blocks}
    last = max((chapter for chapter in chapters if chapter[:1].isdigit()), default="")
    right = {q.key for q in asked if _is_right(q, heard.get(q.key, {}))}
    stuck = {q.kind: q.key for q in asked if heard.get(q.key, {}).get("stuck")}
    found = []
    for question in asked:
        line = heard.get(question.key, {})
        blamed = {} if question.key in right else _blamed(line, blocks, name)
        late = last and chapter_of_id(max(question.mends, blamed.get("mends", ""))) > last
        first = next((key for key in question.needs if key not in right), "")
        first = first or ("" if line else stuck.get(question.kind, ""))
        if question.key in right:
            state: State = "right"
        elif late:
            state = "later"
        elif first:
            state = "waits"
        else:
            state = "wrong" if line else "unasked"
        said = line.get("error") or line.get("said", "")
        answer = Answer(question, state, said, line.get("printed", ""), first)
        found.append(replace(answer, **blamed) if state in ("wrong", "later") else answer)
    return tuple(found)


def _blamed(heard: dict[str, Any], blocks: list[kept_blocks.Block], name: str) -> dict[str, str]:
    """Return which exercise to look at again, and which line of the file; nothing if that isn't known."""
    line, lacks = heard.get("line", 0), heard.get("lacks", "")
    at = next((block for block in blocks if block.first <= line <= block.last), None)
    where = f"{name}, line {line}, in `{at.name}`" if at else ""
    taught = exercise_of(lacks) or exercise_of(f"{lacks}.__init__")  # a method, or a class
    if taught and lacks not in {block.name for block in blocks}:
        return {"mends": taught, "where": where}
    return {"mends": at.exercise_id or exercise_of(at.name), "where": where} if at else {}


class Sitting:
    """Asks the questions, and begins again behind the one that ended the process.

    Args:
        room: the module that runs as the process.
        file: whose class it is.
        asked: the questions.
        seconds: of processor time for each; 0 for no limit.

    Attributes:
        heard: what came back, by the key of the question.
        unfit: why the file can't be asked.
    """

    def __init__(
        self, room: str, file: Path, asked: Sequence[Question], seconds: float = CPU_SECONDS
    ) -> None:
        self.room, self.file, self.asked, self.unfit = room, file, asked, ""
        self._seconds = seconds
        self._kinds = {question.key: question.kind for question in asked}
        self.heard: dict[str, dict[str, Any]] = {}
        self._until = time.monotonic() + WHOLE_SECONDS
        self._loaded = False

    def ask(self) -> None:
        """Ask until everything is answered, or the time is over."""
        while open_ones := self._open():
            if self.unfit or time.monotonic() > self._until:
                return
            self._round(open_ones)

    def _open(self) -> list[Question]:
        """Return what there is to ask, the ground first; what needs something that doesn't end isn't asked."""
        stuck = {self._kinds[key] for key, line in self.heard.items() if line.get("stuck")}
        left = [
            q
            for q in self.asked
            if q.key not in self.heard
            and not (stuck and stuck & {q.kind, *map(self._kinds.get, q.needs)})
        ]
        ground = [q for q in left if q.key in GROUND]
        return ground or left

    def _round(self, asked: list[Question]) -> None:
        keys = [question.key for question in asked]
        with _Room(self.room, self.file, keys, self._seconds) as room:
            self._listen(room, keys)

    def _listen(self, room: _Room, keys: list[str]) -> None:
        """Note what the process says, until it has ended or an answer means that others need not be asked."""
        if room.line(START_SECONDS) is None:
            self.unfit = "The process of the exam didn't start."
            return
        began = room.line(SILENT_SECONDS)
        if not began or "unfit" in began:
            said = f"Importing {self.file.name} {_ending(room) if began is None else _TALKS}."
            self.unfit = began["unfit"] if began else said
            return
        known = set(keys)
        for key in keys:
            line = room.line(min(SILENT_SECONDS, self._until - time.monotonic()))
            if line is None:
                self.heard[key] = {"stuck": True, "error": f"the process {_ending(room)}"}
                return
            if line.get("key") not in known:
                self.heard[key] = {"stuck": True, "error": f"no answer: the process {_TALKS}"}
                return
            if line["endless"]:
                late = f"no answer: it was still running after {counted(CPU_SECONDS, 'second')}"
                line |= {"stuck": True, "error": late}
            self.heard[line["key"]] = line
            if line.get("stuck"):
                return


def _ending(room: _Room) -> str:
    """Say what became of a process that says nothing any more."""
    code = room.ended()
    if code is None:
        return "was stopped: nothing else could end the code"
    if code < 0:
        return f"was ended by signal {-code}, as a crash does"
    return f"ended with exit status {code}"


class _Room:
    """The process, and the lines that it writes."""

    def __init__(self, room: str, file: Path, keys: list[str], seconds: float) -> None:
        self._process = subprocess.Popen(
            command(room, str(file), f"{seconds}"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, **one_thread(), "PYTHONDONTWRITEBYTECODE": "1"},
            start_new_session=True,
        )
        self._keys = "\n".join(keys)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> _Room:
        self._reader.start()
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin:  # a process that has ended reads nothing
            self._process.stdin.write(self._keys)
        return self

    def __exit__(self, *details: object) -> None:
        if hasattr(os, "killpg"):  # with what the reader's code has started
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._reader.join(_CLOSING)  # something may still hold the other end
        if not self._reader.is_alive() and self._process.stdout is not None:
            self._process.stdout.close()

    def line(self, seconds: float) -> dict[str, Any] | None:
        """Return the next line; None when the process is over or says nothing, {} when the reader's code has written it."""
        try:
            text = self._lines.get(timeout=max(0.1, seconds))
        except queue.Empty:
            return None
        try:
            line = json.loads(text) if text else None
        except ValueError:
            line = {}
        return line if line is None or _is_ours(line) else {}

    def ended(self) -> int | None:
        """Return the exit status of a process that has ended, or None."""
        try:
            return self._process.wait(timeout=0.5 if self._reader.is_alive() else _CLOSING)
        except subprocess.TimeoutExpired:
            return None

    def _read(self) -> None:
        assert self._process.stdout is not None
        for text in self._process.stdout:
            self._lines.put(text)
        self._lines.put(None)


def _is_ours(line: Any) -> bool:
    """Tell whether the process of the exam could have written this."""
    if not isinstance(line, dict):
        return False
    parts = [line.get(name, "") for name in ("key", "said", "error", "printed", "unfit", "lacks")]
    texts = all(isinstance(part, str) for part in parts) and isinstance(line.get("line", 0), int)
    return texts and ("key" not in line or "endless" in line)


def _is_right(question: Question, line: dict[str, Any]) -> bool:
    return not line.get("error") and line.get("said") == question.torch
