"""The page on adding a layer says what happens: its code runs, prints and raises what it shows, and its rows are rows."""

import re

import pytest
from casebook import error
from sample_row import Sample
from shown_code import DOCS, blocks, run

import nbmodule
from nbmodule._methods import _signatures
from nbmodule_course.exams.module_row import Row

PAGE = "add-a-layer.md"


@pytest.fixture
def names(monkeypatch):
    """The names that the page makes, with its function and its layer put where they would be found."""
    line = re.search(r"^```\n(\w+): (.*)\n```$", (DOCS / PAGE).read_text(encoding="utf-8"), re.M)
    monkeypatch.setitem(_signatures._by_name(), line[1], line[2])
    _signatures.signatures_of.cache_clear()
    made = {"Sample": Sample, "Row": Row, "error": error, "case": lambda function: function}
    assert run(PAGE, made) >= 8
    monkeypatch.setattr(nbmodule.nn.functional, "snake", made["snake"], raising=False)
    monkeypatch.setattr(nbmodule.nn, "Snake", made["Snake"], raising=False)
    yield made
    _signatures.signatures_of.cache_clear()


def row(start, names):
    """Return the row of a table that the page shows."""
    return eval(next(code for code, _ in blocks(PAGE) if code.startswith(start)), names)


def test_the_row_of_the_function_has_the_right_derivatives(names):
    sample = row("Sample(", names)
    inputs = [nbmodule.tensor(x, requires_grad=True) for x in sample.arrays("f8")]
    for check in (nbmodule.autograd.gradcheck, nbmodule.autograd.gradgradcheck):
        assert check(lambda *tensors: sample.call(nbmodule, *tensors), inputs)


def test_the_row_of_the_layer_can_be_called(names):
    layer = row("Row(", names)
    inputs = [nbmodule.tensor(x) for x in layer.arrays("f4")]
    (out,) = layer.run(layer.make(nbmodule), inputs)
    assert (out.shape, out.grad_fn.name()) == (inputs[0].shape, "SnakeBackward0")


def test_the_case_finds_what_does_not_fit(names):
    found = names["snake_of_other_channels"](nbmodule)
    assert [text.partition(":")[0] for text in found[:3]] == ["RuntimeError"] * 3
    assert found[3:] == [
        f"no error, nbmodule.Size({shape})" for shape in ("[0, 3]", "[2, 3, 4, 5]")
    ]
