"""The numbers beside the rows: what is sent, how exact it is, and how little."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from module_subjects import Linear, Net, wide

import nbmodule_widgets as nw

NET = ("first.weight", "first.bias", "second.weight", "second.bias")
COLUMNS = ("gradient norm", "update / weight", "weight norm")


def unpacked(column: dict[str, Any]) -> np.ndarray:
    """As static/paint.js does it."""
    if column["kind"] == "f":
        return np.frombuffer(column["bytes"], "float32").astype(float)
    top = 255 if column["kind"] == "B" else 65535
    codes = np.frombuffer(column["bytes"], "u1" if column["kind"] == "B" else "u2").astype(float)
    values = 2 ** (column["low"] + (codes - 1) / (top - 5) * (column["high"] - column["low"]))
    values[codes == 0] = 0
    for number, word in enumerate((np.nan, np.inf, -1, -2)):
        values[codes == top - number] = word
    return values


def parameters(known: nw.ModuleFacts) -> tuple[str, ...]:
    found = known.tensor_rows()
    return tuple(
        known.path(r) for r, t in found if t.kind == "parameter" and t.twin < 0 and not t.empty
    )


def weight(message: tuple[dict[str, Any], list[Any]]) -> int:
    data, buffers = message
    return len(repr(data)) + sum(len(memoryview(buffer).cast("B")) for buffer in buffers)


def test_small_models_are_painted_exactly_in_one_message(wire):
    view = nw.show(Net())
    wire.sent.clear()
    values = [0.1, np.nan, -1.0, np.inf]
    view.paint({"gradient norm": values, "weight norm": [1, 2, 3, 4]}, NET)
    assert len(wire.sent) == 1
    assert view.watched == {"rows": None}  # every parameter in order: the page knows these rows
    assert view.live["names"] == ["gradient norm", "weight norm"]
    assert unpacked(view.live["columns"]["gradient norm"]) == pytest.approx(values, nan_ok=True)
    wire.sent.clear()
    view.refresh()
    assert wire.sent == []  # all of it is there


def test_some_parameters_only_and_one_that_is_unknown():
    view = nw.show(Net())
    view.paint({"gradient norm": [1.0, 2.0, 3.0]}, ("second.bias", "gone.weight", "first.bias"))
    rows = np.frombuffer(view.watched["rows"]["bytes"], "u1")
    assert [view.facts.path(int(row)) for row in rows] == ["second.bias", "first.bias"]
    assert list(unpacked(view.live["columns"]["gradient norm"])) == [1.0, 3.0]


def test_a_column_of_the_wrong_length_is_refused():
    with pytest.raises(
        ValueError, match=r"each of the 4 paths; the column 'loss' has the shape \(3,\)"
    ):
        nw.show(Net()).paint({"loss": [1, 2, 3]}, NET)


@pytest.mark.parametrize(("modules", "exact"), [(1_500, 1e-3), (9_000, 0.1)])
def test_ten_updates_of_a_large_model_are_small_and_close(wire, modules, exact):
    view = nw.show(wide(modules))
    paths = parameters(view.facts)
    generator = np.random.default_rng(0)
    gradients = 10.0 ** generator.uniform(-9, 2, len(paths))
    gradients[:5] = [0, -1, -2, np.nan, np.inf]
    columns = dict(zip(COLUMNS, (gradients, gradients / 7, gradients + 1), strict=True))
    for step in range(10, 0, -1):
        wire.sent.clear()
        view.paint(
            {**columns, "gradient norm": gradients * np.where(gradients > 0, step, 1)}, paths
        )
        assert len(wire.sent) == 1
        assert weight(wire.sent[0]) < 21_000
    said = unpacked(view.live["columns"]["gradient norm"])
    assert list(said[:3]) == [0, -1, -2]
    assert np.isnan(said[3])
    assert np.isinf(said[4])
    assert said[5:] == pytest.approx(gradients[5:], rel=exact)
    assert set(view.live["columns"]) == {"gradient norm"}  # the one that is looked at
    view.metric = "update / weight"
    sent = [set(view.live["columns"])]
    for _ in range(10):
        view.paint(columns, paths)
        sent.append(set(view.live["columns"]))
    assert {"update / weight"} in sent
    assert {"weight norm"} in sent  # what a ratio of Modules needs
    view.refresh()  # the cell has ended
    assert set(view.live["columns"]) == set(COLUMNS)
    assert unpacked(view.live["columns"]["gradient norm"])[5:] == pytest.approx(
        gradients[5:], rel=1e-3
    )


def test_a_huge_model_comes_in_parts():
    view = nw.show(wide(30_000))
    paths = parameters(view.facts)
    values = np.arange(1.0, len(paths) + 1)
    seen = np.zeros(len(paths))
    for _ in range(3):
        view.paint({"gradient norm": values}, paths)
        part = unpacked(view.live["columns"]["gradient norm"])
        assert len(part) <= 20_000
        seen[view.live["from"] :][: len(part)] = part
    assert seen == pytest.approx(values, rel=0.1)


def test_a_changed_tree_keeps_its_numbers():
    model = Net()
    view = nw.show(model)
    view.paint({"gradient norm": [1.0, 2.0, 3.0, 4.0]}, NET)
    model._modules = {"new": Linear(1, 1), **model._modules}
    view.refresh()
    assert view.live["version"] == view.tree["version"]
    rows = np.frombuffer(view.watched["rows"]["bytes"], "u1")
    assert [view.facts.path(int(row)) for row in rows] == list(NET)
