"""The library's own lines, the pictures, and the second referee."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import fields

import numpy as np
import pytest

import nbmodule
from nbmodule import nn
from nbmodule_course import UsageError, carried, fashion, referee, show_source, with_torch


def test_source_is_the_files_own_text_without_folders_of_this_computer():
    view = show_source(json.JSONDecoder.decode, first="obj, end", last="return")
    assert repr(view).startswith("# json/decoder.py: JSONDecoder.decode\nobj, end = self.raw_")
    assert view.lines.endswith("return obj")


def test_source_by_lines_of_the_function():
    assert show_source(json.JSONDecoder.decode, 1, 1).lines.startswith("def decode(self, s")
    assert show_source(json.JSONDecoder, end=1).lines.startswith("class JSONDecoder")


def test_our_solution_is_not_headed_as_the_readers_notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Module = carried(chapter="16").so_far
    assert repr(show_source(Module.__call__)).startswith(
        "# our solution of 15.4: Module.__call__\n"
    )


class Sample:
    @property
    def value(self):
        return "<b>" if True else None


def test_a_class_that_pickle_finds_elsewhere_is_shown_where_it_is_written():
    for name in nn.modules.__all__:
        view = show_source(getattr(nn, name))
        assert view.file.startswith("nbmodule/nn/modules/"), name
        assert f"class {name}" in view.lines, name


def test_source_of_an_operation_is_its_formula():
    for function in (nbmodule.exp, nbmodule.Tensor.exp_, nbmodule.zeros(1).exp):
        view = show_source(function)
        assert (view.file, view.name) == ("nbmodule/_ops/elementwise.py", "exp")
        assert "lambda g: g * y" in view.lines


def test_source_of_a_property_is_its_getter_and_is_escaped():
    view = show_source(Sample.value)
    assert 'return "<b>"' in view.lines
    assert "<b>" not in view.to_html()
    assert "&lt;b&gt;" in view.to_html()
    assert "<locals>" not in show_source(lambda: None).to_html()  # of its name


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: show_source(len), "no Python source to show for len"),
        (lambda: show_source(3), "no Python source"),
        (lambda: show_source(json.dumps, 5000, 5001), "there are lines 1 to"),
        (lambda: show_source(json.dumps, 3, 2), "Lines 3 to 2"),
        (lambda: show_source(json.dumps, first="no such text"), "No line holds 'no such text'"),
    ],
)
def test_source_that_is_not_there_is_said(call, said):
    with pytest.raises(UsageError, match=said):
        call()


def test_the_pictures_are_what_a_model_takes():
    data = fashion()
    assert data.train_images.shape == (2000, 1, 28, 28)
    assert data.test_images.shape == (500, 1, 28, 28)
    for images in (data.train_images, data.test_images):
        assert images.dtype == np.float32
        assert images.min() == 0
        assert images.max() == 1
    for labels in (data.train_labels, data.test_labels):
        assert labels.dtype == np.int64
        assert set(labels) == set(range(10))
    assert len(data.classes) == len(fields(data)) * 2 == 10
    assert repr(data).startswith("FashionData(2000 training and 500 test images")


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "is missing"), (b"", "is damaged"), (b"PK\x03\x04xx", "is damaged")],
)
def test_a_broken_picture_file_says_how_to_mend_it(tmp_path, content, said):
    file = tmp_path / "fashion_mini.npz"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match=f"{said}.*Install the course again"):
        fashion(file)


def test_without_torch_the_recorded_answer_is_shown_and_says_so(monkeypatch):
    monkeypatch.setattr(referee.torch_says.importlib.util, "find_spec", lambda name: None)
    ruling = with_torch("print(nn.Linear(2, 3))", recorded="Linear(…)")
    assert not ruling.live
    assert repr(ruling) == (
        "PyTorch isn't installed here. This is the recorded output of PyTorch 2.13.\n"
        "    print(nn.Linear(2, 3))\n"
        "output:\n"
        "    Linear(…)"
    )


@pytest.mark.torch
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
def test_with_torch_the_real_answer_is_shown(monkeypatch):
    monkeypatch.delenv("NBMODULE_REFEREE", raising=False)
    ruling = with_torch("print(nn.ReLU())\nnn.Linear(2)", recorded="something else")
    assert ruling.live
    assert ruling.output.startswith("ReLU()\nTypeError: ")
