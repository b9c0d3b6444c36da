"""A course in which the reader writes layers of their own: 94 `Module`, 95 `MyLinear` in two exercises, 96 `Sequential`."""

from __future__ import annotations

from pathlib import Path

import growing_course
import nbformat
from growing_course import HINTS, START
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from nbmodule_course.exercise import Exercise
from nbmodule_course.referee import each, make, run, write

CLASS = growing_course.INIT + growing_course.ROWS.split("class Module:\n")[1] + growing_course.FIND.split("class Module:\n")[1]  # fmt: skip

CALL = """\
    def __call__(self, *inputs):
        ### BEGIN SOLUTION
        return self.forward(*inputs)
        ### END SOLUTION
"""

LINEAR = """\
@mine.extend
class MyLinear(Module):
    \"\"\"A weight and a bias.\"\"\"

    # The layer's own numbers.
    def __init__(self, in_features, out_features):
        ### BEGIN SOLUTION
        super().__init__()
        self.size = (in_features, out_features)
        self.weight = Parameter(nn.init.normal_(nbmodule.zeros(out_features, in_features)))
        self.bias = Parameter(nbmodule.zeros(out_features))
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return x @ self.weight.T + self.bias
        ### END SOLUTION
"""

SIZE = """\
@mine.extend
class MyLinear(Module):
    def extra_repr(self):
        ### BEGIN SOLUTION
        return f"{self.size[0]} -> {self.size[1]}"
        ### END SOLUTION
"""

CHAIN = """\
@mine.extend
class Sequential(Module):
    def __init__(self, *layers):
        ### BEGIN SOLUTION
        super().__init__()
        for number, layer in enumerate(layers):
            self._modules[str(number)] = layer
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        for layer in self._modules.values():
            x = layer(x)
        return x
        ### END SOLUTION
"""

FIRST = START.replace("from nbmodule import nn", "import nbmodule\nfrom nbmodule import nn")
CHAPTERS = {
    "94_init.ipynb": (("94.1", CLASS + CALL, "Module"),),
    "95_linear.ipynb": (("95.1", LINEAR, "MyLinear"), ("95.2", SIZE, "MyLinear")),
    "96_chain.ipynb": (("96.1", CHAIN, "Sequential"),),
    "97_later.ipynb": (),
}
exercises = {
    exercise_id: Exercise(
        exercise_id,
        title="Grow",
        takes=(taken,),
        hints=HINTS,
        writes=(taken,) if taken != "Module" else (),
    )
    for cells in CHAPTERS.values()
    for exercise_id, _, taken in cells
}
filled = run("m.weight[:] = 2", lambda world: world.m.weight.data.fill_(2.0) and None)
exercises["94.1"].compare("a child is found", each(write("fc", "child", "5")))
exercises["95.1"].compare(
    "it multiplies and adds",
    each(
        run("m(ones(3, 2))", lambda world: world.m(world.value("t").expand(3, 2))),
        run("list(m._parameters)", lambda world: list(world.m._parameters)),
        run("m.bias.shape", lambda world: tuple(world.m.bias.shape)),
        start=filled,
        made=make("MyLinear(2, 4)", lambda world: world.Class(2, 4)),
    ),
)
exercises["95.1"].wrongs(
    (
        "no bias",
        {"forward": "def forward(self, x):\n    return x @ self.weight.T + 1"},
        "the bias isn't added",
    ),
    (
        "names",
        {"self.weight = Parameter(": "self.w = self.weight = Parameter("},
        "the weight has two names",
    ),
)
exercises["95.2"].compare_uses(
    "it tells its sizes",
    {"MyLinear(2, 4).extra_repr()": lambda MyLinear: MyLinear(2, 4).extra_repr()},
)
exercises["96.1"].compare(
    "its layers stand in their order",
    each(
        run("list(m._modules)", lambda world: list(world.m._modules)),
        made=make(
            "Sequential(child, other)",
            lambda world: world.Class(world.value("child"), world.value("other")),
            uses=("child", "other"),
        ),
    ),
)


def write_course(folder: Path, course: dict[str, tuple] = CHAPTERS, first: str = FIRST) -> Path:
    """Write the solved chapters to `folder`, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, exercises_here in course.items():
        chapter = name.partition("_")[0]
        cells = [new_markdown_cell(f"# {chapter} · Grow"), new_code_cell(f"{first}# {chapter}")]
        for exercise_id, source, taken in exercises_here:
            cells.append(new_code_cell(source, metadata={"tags": ["exercise", exercise_id]}))
            cells.append(new_code_cell(f'check("{exercise_id}", {taken})'))
        for number, cell in enumerate(cells):
            cell.id = f"{chapter}-{number}"
        nbformat.write(new_notebook(cells=cells), folder / name)
    return folder
