"""`compare_modes`: who is the reason, what dropout and batch norm do, and that eval() is not no_grad()."""

from __future__ import annotations

import importlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from every_view import _remove_buffers
from jupyter_client.session import json_packer

import nbmodule_widgets as nw
from nbmodule_widgets.comparing import ModesFacts, compare


def compared(model: Any, *inputs: Any, draws: int = 4, **more: Any) -> ModesFacts:
    return compare(model, inputs, draws=draws, **more)


def roles(found: ModesFacts) -> dict[str, str]:
    return {module.path: module.role for module in found.modules}


def net(lib: Any) -> Any:
    """Six layers of which two look at their mode; the dropout stands behind a ReLU, where its input is often 0."""
    nn = lib.nn
    lib.manual_seed(0)
    return nn.Sequential(
        *(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.25), nn.Linear(8, 3))
    )


def lenet(lib: Any) -> tuple[Any, Any]:
    nn = lib.nn
    lib.manual_seed(0)
    model = nn.Sequential(
        *(nn.Conv2d(1, 6, 5, padding=2), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.5)),
        *(nn.Linear(400, 84), nn.ReLU(), nn.Dropout(0.25), nn.Linear(84, 10)),
    )
    return model, lib.randn(4, 1, 28, 28)


def test_reasons_are_told_from_what_passes_on(lib):
    found = compared(net(lib), lib.randn(6, 4))
    assert roles(found) == {
        "": "holds a cause", "0": "same", "1": "cause", "2": "passes on", "3": "cause", "4": "passes on",
    }  # fmt: skip
    assert found.sentence == (
        "Between train() and eval(), 2 of 5 modules behave differently: `1` BatchNorm1d (batch statistics / "
        "running statistics) and `3` Dropout (random, scales what it keeps by 1/(1 - p))."
    )
    assert [found.find(path).random_train for path in "0123"] == [False, False, False, True]
    assert not any(module.random_eval for module in found.modules)


def test_masks_are_those_of_the_random_numbers_even_where_the_input_is_zero(lib):
    x = lib.nn.functional.relu(lib.randn(5, 40))
    found = compared(lib.nn.Dropout(0.3), x, seed=7)
    (mask,) = found.masks
    kept = 0
    for draw in range(4):
        lib.manual_seed(7 + draw)
        expected = lib.nn.Dropout(0.3)(lib.ones(5, 40)).numpy() != 0
        assert (mask.mask(draw) == expected[0]).all()
        kept += expected.sum()
    assert mask.kept == kept / 800
    assert (mask.p, mask.dropped, mask.of) == (0.3, 0.0, 40)
    assert mask.scale == pytest.approx(1 / 0.7)


@pytest.mark.parametrize("momentum", [0.1, 0.5, None])
def test_running_statistics_move_by_the_rule(lib, momentum):
    x = lib.randn(6, 3, 5)
    norm = lib.nn.BatchNorm1d(3, momentum=momentum)
    (facts,) = compared(norm, x).norms
    batch = x.numpy().astype(float)
    mean, var = batch.mean((0, 2)), batch.var((0, 2))
    assert np.allclose(facts.batch_mean, mean)
    assert np.allclose(facts.batch_var, var)
    running = np.zeros(3), np.ones(3)
    for draw in range(4):
        share = 1 / (draw + 1) if momentum is None else momentum
        running = tuple(
            (1 - share) * old + share * new
            for old, new in zip(running, (mean, var * 30 / 29), strict=True)
        )
        assert np.allclose(facts.running_mean[draw + 1], running[0], atol=1e-5)
        assert np.allclose(facts.running_var[draw + 1], running[1], atol=1e-5)
    assert (facts.count, facts.tracked, facts.holds) == (30, (0, 4), True)


def test_batch_norm_at_its_edges(lib):
    nn = lib.nn
    one = compared(nn.Sequential(nn.BatchNorm1d(3), nn.ReLU()), lib.randn(1, 3))
    assert roles(one) == {"": "unknown", "0": "cause", "1": "unknown"}
    assert "Expected more than 1 value per channel" in one.problem
    assert "raises in train()" in one.find("0").words
    assert [bool(each.problem) for each in one.combinations] == [True, False, False]
    always = compared(nn.BatchNorm1d(3, track_running_stats=False), lib.randn(5, 3))
    assert roles(always) == {"": "same"}
    assert "in both modes" in always.find("").words


def test_eval_is_not_no_grad(lib):
    table = compared(net(lib), lib.randn(6, 4)).combinations
    assert [(c.training, c.grad) for c in table] == [
        *((True, True), (True, False)),
        *((False, True), (False, False)),
    ]
    assert [c.graph for c in table] == [True, False, True, False]
    assert [c.random for c in table] == [True, True, False, False]
    assert [len(c.moved) for c in table] == [3, 3, 0, 0]
    assert table[3].output == "the same output (bit for bit)"
    assert (table[0].kept_bytes is None) == (lib.__name__ == "nbmodule")
    if table[0].kept_bytes is not None:
        assert table[0].kept_bytes > 0 == table[1].kept_bytes


def test_the_output_is_summed_up_over_the_draws(lib):
    model, x = net(lib), lib.randn(6, 4)
    output = compared(model, x, seed=3).output
    assert output is not None
    for draw in (0, 1):
        copy = net(lib)  # buffers do not matter to the output under train()
        lib.manual_seed(3 + draw)
        assert np.allclose(output.draws[draw], copy(x).detach().numpy().reshape(-1), atol=1e-6)
    assert np.allclose(output.eval, net(lib).eval()(x).detach().numpy().reshape(-1), atol=1e-6)
    assert np.allclose(output.mean, output.draws.mean(0))
    assert output.train_counts.sum(1).tolist() == [18] * 4


def careless(lib: Any, kind: str) -> Any:
    """Models whose modes are not what their author believes."""
    nn = lib.nn

    class Careless(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(30, 30)
            if kind == "out of reach":
                self.layers = [nn.Dropout(0.5)]
            if kind == "stays":
                self.norm = nn.BatchNorm1d(30)

        def forward(self, x: Any) -> Any:
            x = self.fc(x)
            if kind == "functional":
                return nn.functional.dropout(x, 0.3)
            if kind == "switched":
                return nn.functional.dropout(x, 0.3, self.training)
            return self.layers[0](x) if kind == "out of reach" else self.norm(x)

        def train(self, mode: bool = True) -> Any:
            super().train(mode)
            if kind == "stays":
                self.norm.eval()
            return self

    return Careless()


@pytest.mark.parametrize(
    ("kind", "path", "role", "words"),
    [
        ("functional", "", "random in both", "A functional dropout without `training=self.training`?"),
        ("switched", "", "cause", "its own forward does something else in train()"),
        ("out of reach", "layers[0]", "random in both", "eval() does not reach it"),
        ("stays", "norm", "same", "train() leaves it in eval mode"),
    ],
)  # fmt: skip
def test_mistakes_are_found_by_what_they_do(lib, kind, path, role, words):
    found = compared(careless(lib, kind), lib.randn(8, 30))
    assert found.find(path).role == role
    assert words in found.find(path).words
    assert found.find("fc").role == "same"


def test_a_flag_that_was_assigned_is_said(lib):
    model = net(lib)
    model.training = False  # does not reach the others
    found = compared(model, lib.randn(6, 4))
    assert (
        "before, the model was in eval mode, but not `0`, `1`, `2` and 2 others" in found.notes[0]
    )
    assert (found.find("").flag, found.find("1").flag) == (False, True)
    assert model.training is False


def test_modes_that_were_set_by_hand_are_kept_where_the_reader_wants_it(lib):
    model, x = net(lib), lib.randn(6, 4)
    model[1].eval()  # a frozen batch norm inside a model that trains
    undone = compared(model, x)
    assert roles(undone)["1"] == "cause"
    assert undone.sentence.endswith(
        "1 module had another mode than the model before; that was not kept."
    )
    kept = compared(model, x, keep_modes=True)
    assert roles(kept) == {
        "": "holds a cause", "0": "same", "1": "same", "2": "same", "3": "cause", "4": "passes on",
    }  # fmt: skip
    assert kept.sentence.endswith("`1` stays in eval mode under train(), as set before.")
    assert not kept.combinations[0].moved
    assert [m.training for m in model.modules()] == [True, True, False, True, True, True]
    model.eval()
    model[3].train()  # a dropout that goes on dropping: Monte Carlo dropout
    drawing = compared(model, x, keep_modes=True)
    assert roles(drawing)["3"] == "random in both"
    assert "its flag is True there" in drawing.find("3").words


def test_a_pass_that_only_changes_a_buffer_is_a_difference_too(lib):
    class Counts(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", lib.zeros(3))

        def forward(self, x: Any) -> Any:
            if self.training:
                self.seen = self.seen + 1
            return x * 2

    found = compared(lib.nn.Sequential(Counts()), lib.randn(2, 3))
    assert roles(found) == {"": "same", "0": "same"}
    assert found.sentence.endswith("But a pass under train() changes the buffer `0.seen`.")
    assert "a pass in train() changes its buffer `seen`" in found.find("0").words


@pytest.mark.parametrize(
    ("shape", "mask", "what"),
    [((8, 6), (8, 1), "example"), ((4, 16, 5), (4, 16, 1), "channel"), ((8, 6), (8, 6), "unit")],
)
def test_what_is_dropped_as_a_whole(lib, shape, mask, what):
    functional = lib.nn.functional

    class DropSome(lib.nn.Module):
        p = 0.5

        def forward(self, x: Any) -> Any:
            return x * functional.dropout(lib.ones(*mask), 0.5, self.training)

    found = compared(DropSome(), lib.randn(*shape), seed=4)
    (facts,) = found.masks
    assert facts.what == what
    for draw in range(4):
        lib.manual_seed(4 + draw)
        expected = functional.dropout(lib.ones(*mask), 0.5).numpy() != 0
        expected = expected if what == "example" else expected[0]
        assert (facts.mask(draw) == expected.reshape(-1)).all()
    whole = {"unit": "each unit", "channel": "whole channels", "example": "whole examples"}[what]
    assert f"drops {whole} with p = 0.5, multiplies the rest by 2" in found.find("").words


@pytest.mark.parametrize(
    ("share", "factor", "rule"),
    [
        (0.1, 8 / 7, "the variance is multiplied by n/(n-1)"),
        (0.1, 1, "the variance is divided by n (PyTorch's"),
        (0.9, 1, "running = m·running + (1 - m)·batch with m = 0.1"),
        (0.5, 1, "by a rule of its own"),
    ],
)
def test_the_rule_of_a_batch_norm_of_ones_own_is_found_out(lib, share, factor, rule):
    class Norm(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.momentum = 0.1
            self.register_buffer("running_mean", lib.zeros(3))
            self.register_buffer("running_var", lib.ones(3))

        def forward(self, x: Any) -> Any:
            mean, var = self.running_mean, self.running_var
            if self.training:
                mean = x.mean(0)
                var = ((x - mean) ** 2).mean(0)
                self.running_mean = (1 - share) * self.running_mean + share * mean
                self.running_var = (1 - share) * self.running_var + share * factor * var
            return (x - mean) / (var + 1e-5) ** 0.5

    (facts,) = compared(Norm(), lib.randn(8, 3)).norms
    assert rule in facts.rule
    assert facts.holds == (share != 0.5)


def test_a_flag_that_is_kept_elsewhere_is_no_excuse(lib):
    class Elsewhere(lib.nn.Module):
        def train(self, mode: bool = True) -> Any:
            self.kept = {"training": mode}  # TorchScript has its flag outside of Python
            return super().train(mode)

        def forward(self, x: Any) -> Any:
            return x * 2 if self.kept["training"] and self.training is not None else x

    found = compared(lib.nn.Sequential(Elsewhere()), lib.randn(6, 4))
    assert roles(found) == {"": "holds a cause", "0": "cause"}
    assert found.sentence.startswith(
        "Between train() and eval(), 1 of 1 module behaves differently"
    )


@pytest.mark.torch
def test_half_precision_follows_the_rule_up_to_its_rounding(torch):
    model = torch.nn.BatchNorm1d(4).bfloat16()
    (facts,) = compared(model, torch.randn(6, 4, dtype=torch.bfloat16)).norms
    assert facts.holds


@pytest.mark.parametrize("rate", [0.25, None])
def test_dropouts_at_their_edges(lib, rate):
    nn = lib.nn

    class Unscaled(nn.Module):
        p = rate

        def forward(self, x: Any) -> Any:
            return nn.functional.dropout(x, 0.25) * 0.75 if self.training else x

    unscaled = compared(Unscaled(), lib.randn(4, 8))
    assert "multiplies the rest by 1 only: nothing makes up" in unscaled.find("").words
    assert ("p = 0.25" if rate else "p ≈ 0.") in unscaled.find("").words
    assert "without the scale 1/(1 - p)" in unscaled.sentence
    assert unscaled.masks[0].scale == 1
    everything = compared(nn.Sequential(nn.Linear(3, 3), nn.Dropout(1.0)), lib.randn(4, 3))
    assert everything.find("1").words.startswith("drops everything in train(): p = 1")
    zeros = compared(nn.Dropout(0.5), lib.zeros(4, 3))
    assert roles(zeros) == {"": "same"}
    assert "its input is all zeros" in zeros.find("").words
    assert "is random in train(), but got only zeros here" in zeros.sentence


def test_another_form_of_output_is_described(lib):
    class Detects(lib.nn.Module):
        def forward(self, x: Any) -> Any:
            return {"loss": x.sum()} if self.training else [x]

    found = compared(Detects(), lib.randn(2, 3))
    words = "gives something else in train(): `['loss']` (); eval() gives `[0]` (2, 3)"
    assert found.find("").words == words
    assert found.output is None


def test_calling_a_child_named_dropout_costs_no_pass(lib):
    nn = lib.nn

    class Ordinary(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.dropout = nn.Dropout(0.5)

        def forward(self, x: Any) -> Any:
            return nn.functional.relu(self.dropout(x))

    found = compared(Ordinary(), lib.randn(4, 20), draws=32)
    assert (found.passes, found.draws) == (34, 32)
    assert roles(found) == {"": "holds a cause", "dropout": "cause"}
    Ordinary.forward = lambda self, x: nn.functional.dropout(self.dropout(x), 0.5, self.training)
    assert roles(compared(Ordinary(), lib.randn(4, 20))) == {"": "cause", "dropout": "cause"}


@dataclass(frozen=True)
class Batch:
    """What some training loops pass instead of a tensor."""

    x: Any


def test_inputs_in_a_dataclass_or_a_dict_of_its_own_class_are_copied_for_each_pass(lib):
    class InPlace(lib.nn.Module):
        def forward(self, batch: Batch, more: Any) -> Any:
            with lib.no_grad():
                return batch.x.add_(1) + more["x"].add_(1)

    batch, more = Batch(lib.zeros(3)), OrderedDict(x=lib.zeros(3))
    found = compared(InPlace(), batch, more)
    assert found.output is not None
    assert found.output.draws.tolist() == [[2.0] * 3] * 4
    assert batch.x.tolist() == more["x"].tolist() == [0.0] * 3


class Half:
    """A reader's class: a drawer and a `__call__`, and no `train`, `eval` or `forward`."""

    _modules: dict[str, Any]

    def __init__(self, lib: Any) -> None:
        self._modules = {"fc": lib.nn.Linear(9, 9), "drop": lib.nn.Dropout(0.5)}

    def __call__(self, x: Any) -> Any:
        return self._modules["drop"](self._modules["fc"](x))


def test_a_class_without_train_and_eval(lib):
    model = Half(lib)
    found = compared(model, lib.randn(5, 9))
    assert roles(found) == {"": "holds a cause", "fc": "same", "drop": "cause"}
    assert "the class has no `eval()`" in found.notes[0]
    assert "training" not in vars(model)
    assert model._modules["drop"].training is True


def test_the_model_runs_66_times_and_sends_one_message(lib, wire):
    model, x = lenet(lib)
    ran = []
    model.register_forward_pre_hook(lambda *given: ran.append(1))
    view = nw.compare_modes(model, x, draws=32)
    assert len(ran) == view.facts.passes == 66  # eval() follows each of the 32 draws
    assert view.facts.draws == 32
    state, _, buffers = _remove_buffers({"found": view.found})
    assert len(json_packer(state)) + sum(map(len, buffers)) <= 32_000
    wire.sent.clear()
    view.again(seed=5)
    assert len(wire.sent) == 1
    assert view.facts.seed == 5


def test_eval_follows_the_running_statistics_draw_by_draw(lib):
    nn, x = lib.nn, lib.randn(8, 3) + 4.0
    model = nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.5))
    view = nw.compare_modes(model, x)
    assert (len(view.facts.output.after), view.facts.passes) == (0, 2)  # the answer comes first
    view.draw(4)
    found, twin = view.facts, nn.BatchNorm1d(3)
    for draw in range(5):
        twin.train()(x)
        expected = twin.eval()(x).detach().numpy().reshape(-1)
        assert found.output.after[draw] == pytest.approx(expected, abs=1e-5)
        assert found.output.after_counts[draw].sum() == 24
    assert all("eval() after 5 draws" in said for said in (str(view), view.to_html()))
    assert model[0].num_batches_tracked.item() == 0
    assert len(compared(nn.Dropout(0.5), x).output.after) == 0
    model[0].eval()  # a frozen one does not move
    assert len(compared(model, x, keep_modes=True).output.after) == 0


def test_a_model_that_looks_at_its_mode_itself_runs_once_more(lib):
    nn = lib.nn

    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.drop = nn.Dropout(0.5)
            self.ran = 0

        def forward(self, x: Any) -> Any:
            self.ran += 1
            counted.append(1)
            return nn.functional.dropout(self.drop(x), 0.5, self.training)

    counted: list[int] = []
    found = compared(Both(), lib.randn(4, 20), draws=1)
    assert roles(found) == {"": "cause", "drop": "cause"}
    assert len(counted) == found.passes == 3
    counted.clear()
    found = compared(Both(), lib.randn(4, 20), draws=32)
    assert len(counted) == found.passes == 35
    assert found.draws == 32


def test_the_same_seed_tells_the_same(lib):
    model, x = net(lib), lib.randn(6, 4)
    one, two, other = (str(nw.compare_modes(model, x, draws=4, seed=seed)) for seed in (1, 1, 2))
    assert one == two != other


def test_a_pass_that_raises_leaves_the_model_as_it_was(lib):
    nn = lib.nn

    class Fails(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = nn.BatchNorm1d(4)

        def forward(self, x: Any) -> Any:
            if self.training:
                self.norm(x)
                raise KeyError("not today")
            return self.norm(x)

    model = Fails()
    before = [(id(t), t.numpy().tobytes()) for t in model.norm.buffers()]
    view = nw.compare_modes(model, lib.randn(6, 4))
    assert "the pass under train() raised KeyError: 'not today'" in view.facts.sentence
    assert [(id(t), t.numpy().tobytes()) for t in model.norm.buffers()] == before
    assert "forward" not in vars(model) | vars(model.norm)
    assert view.to_html().count("not today") >= 1
    with pytest.raises(ValueError, match="nothing to draw: the pass under train"):
        view.figure()


def test_pictures_and_mistakes_in_the_call(lib):
    view = nw.compare_modes(net(lib), lib.randn(6, 4), draws=2)
    left, right = view.figure().axes
    assert "causes" in left.get_xlabel()
    assert len(right.lines) >= 2
    with pytest.raises(ValueError, match=r"draws must be a whole number from 1 to 256.*got 0"):
        nw.compare_modes(net(lib), draws=0)
    with pytest.raises(
        TypeError,
        match=r"draw=: neither one of its options \(draws=, seed=, .*\.forward \(input=\)",
    ):
        nw.compare_modes(net(lib), draw=3)
    with pytest.raises(TypeError, match="needs a Module"):
        nw.compare_modes([net(lib)])


@pytest.mark.torch
@pytest.mark.parametrize("frozen", [False, True])
def test_the_fast_path_of_the_transformer_hides_nothing(torch, frozen):
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
    model.requires_grad_(not frozen)
    found = compared(model, torch.randn(2, 5, 8))
    kinds = {module.path.rpartition(".")[2]: module.role for module in found.modules}
    assert kinds["self_attn"] == kinds["dropout"] == kinds["dropout2"] == "cause"
    assert kinds["linear1"] == kinds["norm2"] == "passes on"
    assert "the same output (up to rounding" in found.combinations[3].output
    assert importlib.import_module("torch.backends.mha").get_fastpath_enabled()


def forbidden(*given: Any) -> None:
    raise AssertionError("no pass is needed for this")


def test_the_answer_takes_two_passes_and_further_draws_are_the_same_as_those_asked_for_at_once(lib):
    model, x = lenet(lib)
    ran = []
    model.register_forward_pre_hook(lambda *given: ran.append(1))
    view = nw.compare_modes(model, x)
    assert (len(ran), view.facts.passes, view.facts.draws) == (2, 2, 1)
    assert [module.path for module in view.facts.causes] == ["1", "8", "11"]
    assert "(1 draw)" in str(view).partition("\n")[0]
    assert " ± " not in str(view).partition("output (")[2]
    assert "come with the second draw" in str(view)
    view.draw(3)
    view.draw()
    at_once = nw.compare_modes(model, x, draws=5)
    assert view.facts.draws == 5
    assert str(view) == str(at_once)
    assert view.to_html() == at_once.to_html()
    for one, other in zip(view.facts.norms, at_once.facts.norms, strict=True):
        assert (one.running_var == other.running_var).all()
    assert view.found["draws"] == view.progress["done"] == 5


@pytest.mark.parametrize("what", ["weight", "quietly", "hook", "dropout", "module", "input"])
def test_draws_of_a_changed_model_are_not_mixed(lib, what):
    model, x = net(lib), lib.randn(6, 4)
    view = nw.compare_modes(model, x)
    name = {"weight": "`0.weight`", "quietly": "`4.bias`", "hook": "`2`", "dropout": "`3`", "module": "the model itself", "input": r"input\[0\]\[0\]"}[what]  # fmt: skip
    if what == "weight":
        with lib.no_grad():
            model[0].weight.add_(1)
    elif what == "quietly":
        model[4].bias.data[0] = 5  # no version counts this
    elif what == "hook":
        model[2].register_forward_hook(forbidden)
    elif what == "dropout":
        model[3].p = 0.9
    elif what == "module":
        model[2] = lib.nn.Tanh()
    else:
        with lib.no_grad():
            x.add_(1)
    with pytest.raises(RuntimeError, match=f"{name}.* changed since the first one. again"):
        view.draw()
    assert view.facts.draws == 1
    if what != "hook":
        assert view.again(draws=3).draws == 3


def test_generators_of_a_module_go_on_from_draw_to_draw(lib):
    class Draws(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.generator = np.random.default_rng(3)

        def forward(self, x: Any) -> Any:
            noise = lib.tensor(self.generator.normal(size=4).astype("float32"))
            return x + noise if self.training else x

    model, x = Draws(), lib.zeros(4)
    state = str(model.generator.bit_generator.state)
    view = nw.compare_modes(model, x)
    view.draw(), view.draw()
    output = view.facts.output
    assert output is not None
    assert len(np.unique(output.draws[:, 0])) == 3
    assert (output.draws == nw.compare_modes(model, x, draws=3).facts.output.draws).all()
    assert str(model.generator.bit_generator.state) == state


class Cache:
    """Keys and values of earlier calls, as language models keep them."""

    def __init__(self) -> None:
        self.layers: list[Any] = []


def test_a_cache_among_the_inputs_is_that_of_each_pass(lib):
    class Attends(lib.nn.Module):
        def forward(self, x: Any, cache: Cache) -> Any:
            cache.layers.append(x)
            return sum(cache.layers) * (1 if self.training is None else 2)

    class Model(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.drop, self.attends = lib.nn.Dropout(0.5), Attends()

        def forward(self, x: Any, cache: Cache) -> Any:
            return self.attends(self.drop(x), cache)

    cache = Cache()
    found = nw.compare_modes(Model(), lib.randn(3, 4), cache=cache).facts
    assert roles(found) == {"": "holds a cause", "drop": "cause", "attends": "passes on"}
    assert cache.layers == []


def test_a_dropout_that_happens_to_drop_nothing_is_one(lib):
    found = compared(lib.nn.Dropout(0.001), lib.randn(2, 2), draws=1)
    assert roles(found) == {"": "cause"}
    assert found.find("").words.startswith("random in train(): drops a part with p = 0.001")


@pytest.mark.torch
def test_lazy_modules_are_left_to_the_reader(torch):
    model = torch.nn.Sequential(torch.nn.LazyLinear(4), torch.nn.LazyBatchNorm1d())
    before = [(type(p), id(p)) for p in model.parameters()]
    with pytest.raises(
        ValueError, match=r"`0\.weight` of a LazyLinear gets its shape in the first pass. Call"
    ):
        nw.compare_modes(model, torch.randn(3, 4))
    assert [(type(p), id(p)) for p in model.parameters()] == before


@pytest.mark.torch
def test_more_norms_than_are_drawn_are_norms_all_the_same(torch):
    layers = [torch.nn.BatchNorm1d(3) for _ in range(40)]
    found = compared(torch.nn.Sequential(*layers), torch.randn(5, 3), draws=1)
    assert {module.kind for module in found.causes} == {"norm"}
    assert "changes the buffer" not in found.sentence


@pytest.mark.parametrize("overwrites", [False, True])
def test_inputs_too_large_to_copy_are_used_as_they_are_unless_they_are_overwritten(
    lib, monkeypatch, overwrites
):
    monkeypatch.setattr("nbmodule_widgets.comparing.listening.MEMORY", 100)
    nn = lib.nn

    class Overwrites(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Dropout(0.5), nn.BatchNorm1d(4)

        def forward(self, x: Any) -> Any:
            x = self.first(x) * 1
            y = self.second(x)
            if overwrites:
                with lib.no_grad():
                    x.mul_(2)
            return y

    found = compared(Overwrites(), lib.randn(16, 4), draws=1)
    assert roles(found)["second"] == ("unknown" if overwrites else "cause")
    if overwrites:
        assert "is not known" in found.find("second").words
