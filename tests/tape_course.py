"""A course in which the reader writes a tape beside Module: 94 `Module`, 96b `Tensor`, 96c its order again, `no_grad` and `SGD`."""

from __future__ import annotations

from pathlib import Path

import layers_course
from growing_course import HINTS

from nbmodule_course.exercise import Exercise

TENSOR = """\
@mine.extend
class Tensor:
    \"\"\"Numbers, and how they came about.\"\"\"

    def __init__(self, data, requires_grad=False, parents=()):
        ### BEGIN SOLUTION
        self.data = np.asarray(data, dtype="float32")
        self.requires_grad = requires_grad
        self.grad = None
        self.parents = parents
        ### END SOLUTION

    # Each product remembers what it was made of.
    def __mul__(self, other):
        ### BEGIN SOLUTION
        return Tensor(self.data * other.data, True, (self, other))
        ### END SOLUTION
"""

ORDER = """\
@mine.extend
def order(tensor):
    ### BEGIN SOLUTION
    found = []
    for parent in tensor.parents:
        found += order(parent)
    return [*found, tensor]
    ### END SOLUTION
"""

BACKWARD = """\
def _add(tensor, numbers):
    old = 0 if tensor.grad is None else tensor.grad.data
    tensor.grad = Tensor(old + numbers)

@mine.extend
class Tensor:
    def backward(self):
        ### BEGIN SOLUTION
        _add(self, np.ones_like(self.data))
        for tensor in reversed(order(self)):
            if tensor.parents:
                left, right = tensor.parents
                _add(left, tensor.grad.data * right.data)
                _add(right, tensor.grad.data * left.data)
        ### END SOLUTION
"""

AGAIN = """\
@mine.extend
def order(tensor):
    ### BEGIN SOLUTION
    found, todo = [], [tensor]
    while todo:
        found.append(todo.pop())
        todo += reversed(found[-1].parents)
    return found[::-1]
    ### END SOLUTION
"""

NO_GRAD = """\
@mine.extend
class no_grad:
    depth = 0

    def __enter__(self):
        ### BEGIN SOLUTION
        no_grad.depth += 1
        ### END SOLUTION

    def __exit__(self, *error):
        ### BEGIN SOLUTION
        no_grad.depth -= 1
        ### END SOLUTION
"""

SGD = """\
@mine.extend
class SGD:
    def __init__(self, params, lr):
        ### BEGIN SOLUTION
        self.params, self.lr = list(params), lr
        ### END SOLUTION

    def step(self):
        ### BEGIN SOLUTION
        with no_grad():
            for p in self.params:
                p.data -= self.lr * p.grad.data
        ### END SOLUTION
"""

ZERO = """\
@mine.extend
class Module:
    def zero_grad(self):
        ### BEGIN SOLUTION
        for value in vars(self).values():
            if hasattr(value, "grad"):
                value.grad = None
        ### END SOLUTION
"""

FIRST = f"import numpy as np\n{layers_course.FIRST}"
CHAPTERS = {
    **{name: cells for name, cells in layers_course.CHAPTERS.items() if name < "96"},
    "96b_tape.ipynb": (
        ("96b.1", TENSOR, "Tensor"),
        ("96b.2", ORDER, "order"),
        ("96b.3", BACKWARD, "Tensor"),
    ),
    "96c_engine.ipynb": (
        ("96c.1", AGAIN, "order"),
        ("96c.2", NO_GRAD, "no_grad"),
        ("96c.3", SGD, "SGD"),
        ("96c.4", ZERO, "Module"),
    ),
}
exercises = {
    exercise_id: Exercise(
        exercise_id,
        title="Record",
        takes=(taken,),
        hints=HINTS,
        writes=(taken,) if taken[0] in "Ton" else (),
    )
    for name, cells in CHAPTERS.items()
    if name > "96b"
    for exercise_id, _, taken in cells
}


def _product(Tensor):
    out = Tensor([2.0]) * Tensor([3.0])
    return out.data.tolist(), len(out.parents)


def _gradient(Tensor):
    a = Tensor([2.0], True)
    (a * a).backward()
    return a.grad.data.tolist()


class _Node:
    def __init__(self, *parents):
        self.parents = parents


def _steps(SGD):
    p = _Node()
    p.data, p.grad = 1.0, _Node()
    p.grad.data = 0.5
    SGD([p], lr=1.0).step()
    return p.data


exercises["96b.1"].compare_uses("it multiplies", {"Tensor([2.]) * Tensor([3.])": _product})
exercises["96b.1"].wrong(
    "no parents", {"True, (self, other)": "True"}, says="the product forgets what it was made of"
)
exercises["96b.3"].compare_uses("it goes backward", {"(a * a).backward(); a.grad": _gradient})
for _id in ("96b.2", "96c.1"):
    exercises[_id].compare_calls(
        "the order",
        {"order(a)": lambda: (_Node(),)},
        same=lambda ours, theirs: len(ours) == len(theirs),
    )
exercises["96c.2"].compare_uses(
    "it counts",
    {"no_grad().__enter__()": lambda no_grad: no_grad().__enter__() or no_grad().__exit__()},
)
exercises["96c.3"].compare_uses("it steps", {"SGD([p], lr=1.0).step()": _steps})
exercises["96c.4"].compare_uses(
    "it forgets", {"m.zero_grad()": lambda Module: Module().zero_grad()}
)


def write_course(folder: Path) -> Path:
    """Write the solved chapters to `folder`, and return it."""
    return layers_course.write_course(folder, CHAPTERS, FIRST)
