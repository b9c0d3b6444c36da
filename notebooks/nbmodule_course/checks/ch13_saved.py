"""Chapter 13: what a node keeps, how long, and what happens if somebody writes over it."""

from __future__ import annotations

from ..exercise import Exercise
from .boxes import programs
from .playing import uses

# ---- 13.2

keeping = Exercise(
    "13.2",
    title="What a node keeps",
    takes=("Tensor",),
    minutes=20,
    writes=("Saved", "_record", "__mul__", "__matmul__", "backward"),
    hints=(
        "Begin with `Saved`: three short methods around one attribute. Then look for the place where a node has done its work in `backward`.",
        "In `__mul__`, the vjp for `self` needs the numbers of `other`. A vjp calls `get` when it runs, not when it's made.",
        "`a, b = Saved(self), Saved(other)` and `vjps = [lambda g: g * b.get(), lambda g: g * a.get()]`. At the end of the loop in `backward`: `if not retain_graph: for saved in node.saved: saved.free()`.",
    ),
)
_Y = (
    "y = a * b",
    "y = a * a",
    "y = a * c",
    "y = c * a",
    "y = a + b",
    "y = a * 3",
    "y = W @ W",
    "y = (a * b).relu()",
    "y = (a + a).exp()",
    "y = a**3",
)
_GRADS = "[a.grad, b.grad, W.grad]"
keeping.compare_uses(
    "the gradients are right",
    uses(programs(_Y, ("", "y = y + y", "y = y * y"), ("y.sum().backward()",), (_GRADS,))),
)
keeping.compare_uses(
    "numeric",
    uses(
        programs(
            ("f = lambda: (a * b).relu().sum()", "f = lambda: (a * a * c).exp().log().sum()"),
            ("agrees(f, a)",),
        )
    ),
)

# ---- 13.4

versions = Exercise(
    "13.4",
    title="Versions",
    takes=("Tensor",),
    minutes=18,
    writes=("__init__", "detach", "_overwrite", "Saved"),
    keeps=("13.2",),
    hints=("x", "y", "z"),
)
versions.compare_uses("v", uses(["y = a * b; l = (y * y).sum(); y.add_(1); said(l.backward)"]))
