"""A course of three tiny chapters in which a class Module grows: 91 `__init__`, 92 `__setattr__`, 93 `__getattr__` and `count`."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from nbmodule_course.exercise import Exercise, expect

START = """\
from nbmodule import nn, tensor
from nbmodule.nn import Parameter
from nbmodule_course import carried, check

mine = carried()
Module = mine.so_far
"""

INIT = """\
@mine.extend
class Module:
    # The drawers come first.
    def __init__(self):
        ### BEGIN SOLUTION
        # Past any __setattr__.
        vars(self).update(training=True, _parameters={}, _buffers={}, _modules={})
        ### END SOLUTION
"""

ROWS = """\
@mine.extend
class Module:
    def __setattr__(self, name, value):
        ### BEGIN SOLUTION
        if isinstance(value, Parameter):
            self._parameters[name] = value
        elif isinstance(value, Module):
            self._modules[name] = value
        else:
            super().__setattr__(name, value)
        ### END SOLUTION
"""

ROOM = """\
@mine.extend
class Module:
    def __setattr__(self, name, value):
        ### BEGIN SOLUTION
        kinds = {"_parameters": Parameter, "_modules": Module}
        home = next((d for d, kind in kinds.items() if isinstance(value, kind)), None)
        if home is None:
            super().__setattr__(name, value)
        else:
            self._make_room(name, vars(self)[home])
            vars(self)[home][name] = value

    def _make_room(self, name, keep):
        for place in (vars(self), self._parameters, self._buffers, self._modules):
            if place is not keep:
                place.pop(name, None)
        ### END SOLUTION
"""

FIND = """\
@mine.extend
class Module:
    def __getattr__(self, name):
        ### BEGIN SOLUTION
        for drawer in ("_parameters", "_buffers", "_modules"):
            if name in vars(self).get(drawer, {}):
                return vars(self)[drawer][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        ### END SOLUTION
"""

COUNT = """\
@mine.extend
def count(module):
    \"\"\"Return how many entries there are.\"\"\"
    ### BEGIN SOLUTION
    return len(module._parameters) + len(module._modules)
    ### END SOLUTION
"""

CHAPTERS = {
    "91_init.ipynb": (("91.1", INIT, "Module"),),
    "92_setattr.ipynb": (("92.1", ROWS, "Module"), ("92.2", ROOM, "Module")),
    "93_getattr.ipynb": (("93.1", FIND, "Module"), ("93.2", COUNT, "count")),
}
HINTS = ("one", "two", "three")
exercises = {
    exercise_id: Exercise(exercise_id, title="Grow", takes=(taken,), hints=HINTS)
    for cells in CHAPTERS.values()
    for exercise_id, _, taken in cells
}


@exercises["91.1"].sub("there are drawers")
def has_drawers(Module):
    expect("_modules" in vars(Module()), did="there is no `_modules`", real="there is one")


@exercises["92.1"].sub("a child is found")
@exercises["92.2"].sub("a child is found")
def files_children(Module):
    net = Module()
    net.child = Module()
    expect("child" in net._modules, did="the child is not in `_modules`", real="it is")


@exercises["93.1"].sub("the child is found again")
def finds_children(Module):
    net = Module()
    net.child = Module()
    expect(isinstance(net.child, Module), did="it is not found", real="it is found")


@exercises["93.2"].sub("none are counted")
def counts(count):
    module = type("Net", (), {"_parameters": {}, "_modules": {"a": None}})()
    expect(count(module) == 1, did="it is not 1", real="it is 1")


def write_course(folder: Path) -> Path:
    """Write the solved chapters to `folder`, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, exercises_here in CHAPTERS.items():
        cells = [new_markdown_cell(f"# {name[:2]} · Grow"), new_code_cell(f"{START}# {name[:2]}")]
        for exercise_id, source, taken in exercises_here:
            tags = {"tags": ["exercise", exercise_id]}
            cells.append(new_code_cell(source, metadata=tags))
            cells.append(new_code_cell(f'check("{exercise_id}", {taken})'))
        for number, cell in enumerate(cells):
            cell.id = f"{name[:2]}-{number}"
        nbformat.write(new_notebook(cells=cells), folder / name)
    return folder
