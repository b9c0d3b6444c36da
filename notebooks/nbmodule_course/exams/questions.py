"""What a question of the exam is: a few lines that run on any Module, and what PyTorch answers."""

from __future__ import annotations

from dataclasses import dataclass

BEFORE = """\
class Leaf(Module):
    def __init__(self):
        super().__init__()
        self.v = Parameter(ones(3))

class Net(Module):
    def __init__(self):
        super().__init__()
        self.w = Parameter(ones(2))
        self.leaf = Leaf()
        self.size = 5

    def forward(self, x, scale=1):
        return x * self.w * scale

def refused(kind, act, *names):
    try:
        act()
    except Exception as error:
        if not isinstance(error, kind):
            return f"{type(error).__name__}: {error}"
        missing = [name for name in names if name not in str(error)]
        return kind.__name__ + (f" that doesn't say {missing[0]}" if missing else "")
    return "accepted"
"""
"""Runs before every question. `refused` gives the name of the kind if an error of that kind came."""

GROUND = ("drawers", "own-drawers", "filing", "lookup")
"""What every other question stands on, and each of these on those before it."""


@dataclass(frozen=True)
class Question:
    """One thing that every Module does.

    Attributes:
        key: a short name, which other questions and links use.
        title: what it is about, as a sentence without its full stop.
        mends: the exercise that teaches it, such as "02.3", or the chapter.
        code: the lines; the last one is an expression, the answer.
        torch: the answer of PyTorch as `repr`.
        needs: the keys of the questions that must be right before this one can be.
    """

    key: str
    title: str
    mends: str
    code: str
    torch: str
    needs: tuple[str, ...] = GROUND

    @property
    def chapter(self) -> str:
        """Return the number of the chapter that teaches it."""
        return self.mends.partition(".")[0]


def question(key: str, mends: str, title: str, code: str, torch: str, needs: str = "") -> Question:
    """Return a question that stands on the ground and on `needs`, keys with spaces between."""
    ground = GROUND[: GROUND.index(key)] if key in GROUND else GROUND
    lines = [line.removeprefix("    ") for line in code.strip("\n").rstrip().split("\n")]
    return Question(key, title, mends, "\n".join(lines), torch, (*ground, *needs.split()))
