"""What a question of an exam is: a few lines that run on any Module, and what PyTorch answers."""

from __future__ import annotations

from dataclasses import dataclass

_MODELS = """\
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

"""
REFUSED = """\
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
"""`refused` gives the name of the kind if an error of that kind came."""
BEFORE = _MODELS + REFUSED
"""Runs before every question of the first exam."""

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
        torch: the right answer as `repr`: that of PyTorch, or of nbmodule, which was checked against it.
        needs: the keys of the questions that must be right before this one can be.
        kind: a name that questions share where one that doesn't end means that the others won't; such as its own key.
        referee: whose answer it is.
    """

    key: str
    title: str
    mends: str
    code: str
    torch: str
    needs: tuple[str, ...] = GROUND
    kind: str = ""
    referee: str = "PyTorch"

    @property
    def chapter(self) -> str:
        """Return the number of the chapter that teaches it."""
        return self.mends.partition(".")[0]


@dataclass(frozen=True)
class Exam:
    """What one exam is.

    Attributes:
        title: its name.
        page: the name of the file that it leaves.
        room: the module that runs as its process.
        last: the last chapter before it.
        passed: what is said of a class that passes.
    """

    title: str
    page: str
    room: str
    last: str
    passed: str


FIRST = Exam(
    "The first exam",
    "exam_1.html",
    f"{__package__}.room",
    "11",
    "Your Module does what PyTorch's does.",
)
FINAL = Exam(
    "The final exam",
    "exam_final.html",
    f"{__package__}.final_room",
    "22",
    "Every layer of nbmodule runs on your Module.",
)


def question(key: str, mends: str, title: str, code: str, torch: str, needs: str = "") -> Question:
    """Return a question that stands on the ground and on `needs`, keys with spaces between."""
    ground = GROUND[: GROUND.index(key)] if key in GROUND else GROUND
    lines = lines_of(code)
    return Question(key, title, mends, lines, torch, (*ground, *needs.split()), key)


def lines_of(code: str) -> str:
    """Return lines that are written in a table, indented by four spaces."""
    lines = code.strip("\n").rstrip().split("\n")
    return "\n".join(line.removeprefix("    ") for line in lines)
