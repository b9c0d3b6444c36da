"""The other referee: the same lines on the real PyTorch, or what it answered when we asked it.

Nobody needs PyTorch for the course. Where it is missing, the recorded answer is shown, and says so; a
test compares every recorded answer with the real one. ``NBMODULE_REFEREE=recorded`` shows the recorded
answers in any case: stored outputs must not depend on what their author has installed.
"""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from html import escape
from textwrap import dedent
from typing import ClassVar

from ..capture import run_snippet, tidy
from ..display import Displayed, card, paragraph, preformatted
from ..highlight import highlighted
from ..wording import indented
from .chance import undisturbed


@dataclass(frozen=True, repr=False)
class Ruling(Displayed):
    """What PyTorch does with some lines.

    Attributes:
        code: the lines.
        output: what they printed.
        live: True if PyTorch ran just now, False if the answer is a recorded one.
    """

    code: str
    output: str
    live: bool
    title: ClassVar[str] = "The real one"

    @property
    def source(self) -> str:
        """Return in words where the output comes from."""
        if self.live:
            return "PyTorch is installed here and ran these lines just now."
        return "PyTorch isn't installed here. This is the recorded output of PyTorch 2.13."

    def to_text(self) -> str:
        """Return code, source and output."""
        return "\n".join([self.source, indented(self.code, 4), "output:", indented(self.output, 4)])

    def to_html(self) -> str:
        """Return code, source and output as static HTML."""
        code, output = highlighted(self.code), preformatted(escape(self.output))
        return card("info", self.title, code, output, paragraph(self.source, quiet=True))


def with_torch(code: str, *, recorded: str) -> Ruling:
    """Run `code` on PyTorch with `torch` and `nn` at hand, or show the `recorded` output.

    Args:
        code: lines that need no names of the notebook.
        recorded: what PyTorch prints for them, exceptions as "TypeError: the message".
    """
    code = dedent(code).strip("\n")
    if os.environ.get("NBMODULE_REFEREE") == "recorded" or not importlib.util.find_spec("torch"):
        return Ruling(code, tidy(dedent(recorded)), live=False)
    return Ruling(code, ask_torch(code), live=True)


def ask_torch(code: str) -> str:
    """Return what PyTorch, which must be installed, prints for `code`."""
    import torch
    from torch import nn

    with undisturbed():
        return run_snippet(code, {"torch": torch, "nn": nn, "__name__": "__main__"}).to_text()
