"""What is said about the numbers of a tensor, compared with NumPy; and tensors of every odd kind."""

from __future__ import annotations

import re

import numpy as np
import pytest
from module_subjects import HOSTILE, Linear, Module, Net, Parameter, Tensor

from nbmodule_widgets.facts import facts
from nbmodule_widgets.facts.arrays import part, thinned
from nbmodule_widgets.facts.flow import FlowRow, findings, gradient_flow
from nbmodule_widgets.facts.heat import CELLS, SIDE, heat_map, mosaic
from nbmodule_widgets.facts.moments import compare, keep, moment, moment_of_state
from nbmodule_widgets.facts.parameters import Slice, look_at, moved_heat
from nbmodule_widgets.facts.places import Places
from nbmodule_widgets.facts.weights import measure, together

random = np.random.default_rng(0)


def places(model):
    return Places(model, facts(model))


# ------------------------------------------------------------------------------------ statistics


@pytest.mark.parametrize("shape", [(), (1,), (7,), (30, 40), (3, 4, 5, 6)])
def test_statistics_are_numpys(shape):
    numbers = random.normal(2, 3, shape)
    found, finite = measure(Tensor(numbers, dtype="float64"))
    assert found.problem == ""
    assert found.mean == pytest.approx(numbers.mean())
    assert found.std == pytest.approx(numbers.std())
    assert (found.minimum, found.maximum) == (numbers.min(), numbers.max())
    assert found.norm == pytest.approx(np.linalg.norm(numbers))
    assert found.rms == pytest.approx(np.sqrt(np.mean(numbers**2)))
    assert found.limit == pytest.approx(min(np.abs(numbers).max(), 3 * found.rms))
    np.testing.assert_array_equal(found.histogram.counts, np.histogram(numbers, bins=40)[0])
    assert finite.size == found.read == found.numel == numbers.size


def test_nan_and_infinity_are_counted_and_left_out():
    found, _ = measure(Tensor([np.nan, np.inf, -np.inf, 0, 3, -4]))
    assert (found.nans, found.infinities, found.zeros, found.finite) == (1, 2, 1, 3)
    assert found.norm == pytest.approx(5 * np.sqrt(6 / 6))
    assert found.rms == pytest.approx(5 / np.sqrt(3))
    assert sum(found.histogram.counts) == 3
    none, _ = measure(Tensor([np.nan, np.inf]))
    assert "none of its numbers is finite: 1 NaN, 1 infinite" in none.problem


def test_of_a_large_tensor_a_sample_is_read_and_said_so():
    numbers = random.normal(size=(1000, 100)).astype("f4")
    found, _ = measure(Tensor(numbers), most=10_000)
    assert found.read == 10_000
    assert found.norm == pytest.approx(np.linalg.norm(numbers[:, ::10]) * np.sqrt(10), rel=1e-6)
    assert found.norm == pytest.approx(np.linalg.norm(numbers), rel=0.05)


def test_two_histograms_on_one_axis():
    first, second = random.normal(size=500), random.normal(9, 0.1, size=300)
    a, b = together(first, second)
    edges = np.linspace(min(first.min(), second.min()), max(first.max(), second.max()), 41)
    np.testing.assert_array_equal(a.counts, np.histogram(first, edges)[0])
    np.testing.assert_array_equal(b.counts, np.histogram(second, edges)[0])


class Unreadable:
    shape, dtype = (2, 2), "float32"

    def numpy(self):
        raise RuntimeError("not today")


class Bottomless:
    dtype = "float32"

    @property
    def shape(self):
        raise ValueError("no shape today")


ODD = {
    "bool": (Tensor([True, False], dtype="bool"), ""),
    "int": (Tensor([2**40, -1], dtype="int64"), ""),
    "unsigned": (Tensor([0, 255], dtype="uint8"), ""),
    "complex": (Tensor([3 + 4j], dtype="complex64"), ""),
    "far apart": (Tensor([1e308, -1e308], dtype="float64"), ""),
    "array": (np.arange(6.0).reshape(2, 3), ""),
    "expanded": (np.broadcast_to(np.float32(2), (3000, 3000)), ""),
    "empty": (Tensor(np.empty((0, 3))), "holds no numbers"),
    "words": (np.array(["a", "b"]), "not numbers"),
    "unreadable": (Unreadable(), "not today"),
    "bottomless": (Bottomless(), "no shape"),
    "none": (None, "None"),
    "object": (np.array([{}, []], dtype=object), "not numbers"),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ODD)
def test_odd_tensors_have_facts_or_a_sentence(name):
    tensor, sentence = ODD[name]
    look = look_at(tensor, Slice())
    assert (sentence in look.weight.problem) if sentence else look.weight.problem == ""
    assert bool(look.heat.problem) == bool(sentence)
    assert look.heat.words
    if not sentence:
        assert np.isfinite(look.heat.limit)
        assert look.heat.limit > 0


# ------------------------------------------------------------------------------------ pictures


@pytest.mark.parametrize("shape", [(5, 7), (64, 64), (300, 200), (5000, 3), (2, 90_000), (129, 32)])
@pytest.mark.parametrize("how", ["mean", "extreme"])
def test_a_picture_shows_every_number(shape, how):
    numbers = random.normal(size=shape)
    heat = heat_map(Tensor(numbers, dtype="float64"), how=how)
    assert heat.cells.size <= CELLS
    assert max(heat.cells.shape) <= SIDE
    down, across = heat.block
    for row in (0, heat.cells.shape[0] - 1):
        for column in (0, heat.cells.shape[1] - 1):
            block = numbers[row * down : (row + 1) * down, column * across : (column + 1) * across]
            expected = block.mean() if how == "mean" else block.flat[np.abs(block).argmax()]
            assert heat.cells[row, column] == pytest.approx(expected, rel=1e-5, abs=1e-7)
    assert heat.place(0, 0) == f"[{said(0, down)}, {said(0, across)}]"


def said(at, size):
    return str(at) if size == 1 else f"{at}…{at + size - 1}"


def test_any_two_dimensions_with_the_others_held():
    numbers = np.arange(2 * 3 * 4 * 5.0).reshape(2, 3, 4, 5)
    tensor = Tensor(numbers)
    np.testing.assert_array_equal(heat_map(tensor).cells, numbers[0, 0])
    held = heat_map(tensor, index=(1, 2, 9, 9))
    np.testing.assert_array_equal(held.cells, numbers[1, 2])
    assert held.place(3, 4) == "[1, 2, 3, 4]"
    turned = heat_map(tensor, axes=(3, 0), index=(0, 2, 1, 0))
    np.testing.assert_array_equal(turned.cells, numbers[:, 2, 1, :].T)
    assert turned.place(4, 1) == "[1, 2, 1, 4]"
    assert heat_map(tensor, index=(99, -5, 0, 0)).index == (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((64, 64, 3, 3), "the first 21 × 21 of 64 × 64 slices, each 3 × 3"),
        ((64, 3, 7, 7), "the first 27 × 3 of 64 × 3 slices, each 7 × 7"),
        ((16, 3, 3, 3), "16 × 3 slices, each 3 × 3"),
        ((1000, 1, 3, 3), "the first 437 × 1 of 1,000 × 1 slices, each 3 × 3"),
        ((1, 1000, 2, 2), "the first 1 × 990 of 1 × 1,000 slices, each 2 × 2"),
        ((2, 2, 1, 40), "2 × 2 slices, each 1 × 40"),
    ],
)
def test_four_dimensions_are_a_mosaic_in_which_every_cell_knows_its_place(shape, words):
    numbers = np.arange(float(np.prod(shape))).reshape(shape)
    heat = mosaic(Tensor(numbers))
    assert heat.words == words
    assert heat.cells.size <= CELLS
    for row, column in np.ndindex(heat.cells.shape):
        index = tuple(map(int, re.findall(r"\d+", heat.place(row, column))))
        assert heat.cells[row, column] == np.float32(numbers[index])
    assert len({heat.place(*at) for at in np.ndindex(heat.cells.shape)}) == heat.cells.size


@pytest.mark.parametrize("shape", [(3, 2, 64, 64), (1, 1, 3, 3), (2, 3, 4), (5,), (0, 2, 3, 3), (4, 4, 0, 2)])  # fmt: skip
def test_what_is_no_mosaic_is_drawn_as_ever(shape):
    tensor = Tensor(np.zeros(shape))
    assert mosaic(tensor).line == 0
    assert mosaic(tensor).words == heat_map(tensor).words


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((1,), "1 number"),
        ((5, 1), "5 rows by 1 column"),
        ((1, 5), "1 row by 5 columns"),
        ((1, 1, 1), "1 row by 1 column"),
    ],
)
def test_one_row_and_one_column_are_singular(shape, words):
    assert heat_map(Tensor(np.ones(shape))).words == words


def test_slices_of_one_number_each_are_the_cells_themselves():
    numbers = np.arange(48.0).reshape(8, 6, 1, 1)
    heat = mosaic(Tensor(numbers))
    np.testing.assert_array_equal(heat.cells, numbers[:, :, 0, 0])
    assert heat.place(7, 5) == "[7, 5, 0, 0]"


def test_one_dimension_is_folded_and_none_is_one_cell():
    long = heat_map(Tensor(np.arange(1000.0)))
    assert long.used == 1000
    assert long.cells[1, 2] == long.cells.shape[1] + 2
    assert long.place(1, 2) == f"[{long.cells.shape[1] + 2}]"
    longer = heat_map(Tensor(np.arange(100_000.0)))
    assert longer.block == (1, 25)
    assert longer.cells[0, 1] == np.arange(25, 50).mean()
    assert longer.place(0, 1) == "[25…49]"
    single = heat_map(Tensor(3.5))
    assert (single.cells.item(), single.place(0, 0)) == (3.5, "")


def test_the_colours_are_symmetric_robust_and_say_what_they_cut():
    numbers = random.normal(size=(20, 20))
    numbers[0, :4] = [1000, -1000, np.nan, np.inf]
    heat = heat_map(Tensor(numbers))
    finite = numbers[np.isfinite(numbers)]
    assert heat.limit == pytest.approx(3 * np.sqrt(np.mean(finite**2)), rel=1e-5)
    assert [heat.mark(0, n) for n in range(5)] == ["+", "−", "X", "∞", ""]
    assert heat_map(Tensor(np.zeros((2, 2)))).limit == 1.0


# ------------------------------------------------------------------------------------ gradient flow


def deep(sizes, layers=6):
    """A chain of layers whose gradients have these RMS values, from the first to the last."""
    model = Module()
    for n in range(layers):
        model._modules[f"l{n}"] = layer = Linear(8, 8)
        for parameter in layer._parameters.values():
            signs = np.where(np.arange(parameter.numpy().size) % 2, -1, 1)
            parameter.grad = Tensor(sizes[n] * signs.reshape(parameter.numpy().shape))
    return model


def kinds(model):
    found = places(model)
    return [finding.kind for finding in gradient_flow(found, found.all).findings]


@pytest.mark.parametrize(
    ("exponents", "kind"),
    [((-9, -8, -6, -4, -3, -2), ["vanishing"]), ((3, 2, 0, -1, -2, -2), ["exploding"]), ((-3, -2, -3, -2, -4, -3), [])],
)  # fmt: skip
def test_the_trend_over_the_depth_is_named(exponents, kind):
    assert kinds(deep([10.0**n for n in exponents])) == kind


def test_sizes_are_numpys_and_in_the_order_of_registration():
    model = deep([1, 2, 3, 4, 5, 6])
    found = places(model)
    flow = gradient_flow(found, found.all)
    assert [row.path for row in flow.rows][:3] == ["l0.weight", "l0.bias", "l1.weight"]
    assert [row.rms for row in flow.rows] == pytest.approx([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6])


def test_none_zero_frozen_and_nan_are_four_things():
    model = deep([1.0] * 6)
    layers = list(model._modules.values())
    layers[0].weight.grad = None
    layers[1].weight.grad = Tensor(np.zeros((8, 8)))
    layers[2].weight.grad, layers[2].weight.requires_grad = None, False
    broken = np.ones((8, 8))
    broken[[2, 5], 3] = np.nan, np.inf
    layers[3].weight.grad, layers[4].weight.grad = Tensor(broken), Tensor(np.full((8, 8), np.nan))
    found = places(model)
    flow = gradient_flow(found, found.all)
    assert "the gradient of l3.weight (rows 2, 5 of 8), l4.weight:" in flow.findings[0].text
    layers[4].weight.grad = Tensor(np.ones((8, 8)))
    flow = gradient_flow(found, found.all)
    states = {row.path: row.state for row in flow.rows}
    assert [states[f"l{n}.weight"] for n in range(5)] == ["none", "zero", "frozen", "not finite", "gradient"]  # fmt: skip
    assert [f.kind for f in flow.findings] == ["not finite", "no gradient", "zero"]
    assert "not use" in flow.findings[1].text  # one of several reasons, none of which is known
    assert "Perhaps" in flow.findings[1].text
    assert [f.path for f in flow.findings] == ["l3.weight", "l0.weight", "l1.weight"]


def test_dead_units_are_named_but_not_the_words_of_an_embedding():
    model = deep([1.0] * 6)
    model._modules["l2"].weight.grad.numpy()[[1, 5]] = 0
    found = places(model)
    (finding,) = gradient_flow(found, found.all).findings
    assert (finding.kind, finding.path) == ("dead", "l2.weight")
    assert "2 of 8 output units" in finding.text
    assert "rows 1, 5" in finding.text
    model._modules["l2"].__class__ = type("Embedding", (Linear,), {})
    assert kinds(model) == []


@pytest.mark.parametrize(("silent", "kinds"), [(1, []), (3, []), (4, ["dead"])])
def test_a_few_silent_units_in_one_batch_are_no_finding(silent, kinds):
    row = FlowRow("0.weight", "gradient", 1.0, 1.0, 0, tuple(range(silent)), 64, True)
    assert [finding.kind for finding in findings([row])] == kinds


def test_without_any_gradient_one_sentence_is_enough():
    assert kinds(Net()) == ["no gradient"]
    assert findings([]) == ()


# ------------------------------------------------------------------------------------ moments


def test_how_far_a_tensor_moved_is_numpys():
    model = Linear(30, 20)
    before = moment("before", places(model))
    old = model.weight.numpy().copy()
    model.weight.numpy()[:] += random.normal(size=old.shape)
    new = model.weight.numpy()
    rows = {row.path: row for row in compare(before, moment("after", places(model))).rows}
    row = rows["weight"]
    assert row.before == pytest.approx(np.linalg.norm(old), rel=1e-6)
    assert row.after == pytest.approx(np.linalg.norm(new), rel=1e-6)
    assert row.distance == pytest.approx(np.linalg.norm(new - old), rel=1e-6)
    assert row.relative == pytest.approx(row.distance / row.before)
    cosine = (old * new).sum() / np.linalg.norm(old) / np.linalg.norm(new)
    assert row.cosine == pytest.approx(cosine, abs=1e-6)
    assert rows["bias"].distance == 0
    heat = moved_heat(before, moment("after", places(model)), "weight", Slice())
    np.testing.assert_allclose(heat.cells, new - old, rtol=1e-5)


def test_a_moment_is_a_copy_and_of_a_large_tensor_a_sample():
    numbers = random.normal(size=(2000, 700)).astype("f4")
    kept = keep(Tensor(numbers), 5000)
    assert kept.numbers.size <= 5000
    assert all(step % 2 for step in kept.steps)
    np.testing.assert_array_equal(kept.numbers, numbers[tuple(slice(None, None, n) for n in kept.steps)])  # fmt: skip
    numbers[:] = 0
    assert kept.numbers.any()


def test_the_place_in_a_sampled_difference_is_that_of_the_tensor():
    model = Module()
    model._parameters["w"] = Parameter(np.zeros((1000, 1000)))
    before = moment("before", places(model))
    model._parameters["w"].numpy()[:] = 1
    heat = moved_heat(before, moment("after", places(model)), "w", Slice(how="extreme"))
    step = heat.steps[0]
    assert step > 1
    assert heat.place(1, 0).startswith(f"[{heat.block[0] * step}…")


def test_a_checkpoint_with_other_keys_and_shapes_is_compared_as_far_as_it_goes():
    model = Linear(3, 2)
    state = {"weight": np.zeros((5, 5)), "bias": np.ones(2), "other": np.ones(1), 7: None}
    found = compare(moment_of_state("checkpoint", state, places(model)), moment("now", places(model)))  # fmt: skip
    rows = {row.path: row for row in found.rows}
    assert "the shapes differ: (5, 5) and (2, 3)" in rows["weight"].note
    assert rows["bias"].distance == pytest.approx(np.sqrt(2))
    assert found.missing == ("other", "7")
    with pytest.raises(TypeError, match="state_dict"):
        moment_of_state("x", [1], places(model))


# ------------------------------------------------------------------------------------ places


def test_a_path_leads_to_a_tensor_a_twin_to_the_first_and_a_module_to_its_first_parameter():
    found = places(Net())
    assert found.chosen("again").path == "first.weight"
    assert found.chosen("second").path == "second.weight"
    assert found.chosen("mask").path == "mask"
    assert found.chosen("").path == "first.weight"
    assert found.chosen("nowhere") is None
    assert [place.path for place in found.parameters] == ["first.weight", "first.bias", "second.weight", "second.bias"]  # fmt: skip


def test_hostile_names_do_no_harm():
    model = Module()
    model._parameters[HOSTILE] = Parameter(np.ones(2))
    model._parameters[HOSTILE].grad = Tensor([0, 0])
    found = places(model)
    (row,) = gradient_flow(found, found.all).rows
    assert row.path == HOSTILE
    assert "\u202e" not in findings([row])[0].text


def test_reading_a_part_shares_nothing_that_was_asked_to_be_copied_and_changes_nothing():
    numbers = random.normal(size=(6, 4))
    before = numbers.copy()
    assert part(numbers, (slice(1, 2), 3)).value.shape == (1,)
    thin, steps = thinned(numbers, 5)
    assert thin.value.size <= 5
    look_at(numbers, Slice())
    keep(numbers, 4)
    np.testing.assert_array_equal(numbers, before)
    assert len(steps) == 2
