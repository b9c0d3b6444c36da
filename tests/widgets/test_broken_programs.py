"""Broken programs of the kind that people post in forums: the view that the page names says the cause."""

from __future__ import annotations

from functools import partial

import pytest

import nbmodule_widgets as nw

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch
nn, F = torch.nn, torch.nn.functional


def _module(facts, path: str):
    return next(module for module in facts.modules if module.path == path)


def _heard(view: object) -> str:
    return "\n".join(line for line in repr(view).splitlines() if line.startswith("!"))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
@pytest.mark.parametrize("share", [1.0, 0.1])
def test_numbers_beside_none_are_no_rounding(bad: float, share: float) -> None:
    class Own(nn.Module):
        def forward(self, x):
            spoilt = x.clone()
            spoilt[: int(len(x) * share)] = bad
            return x if self.training else spoilt

    facts = nw.compare_modes(nn.Sequential(Own()), torch.randn(20, 3)).facts
    assert "rounding" not in facts.sentence
    assert _module(facts, "0").role == "cause"


def test_an_infinity_on_both_sides_does_not_excuse_the_rest() -> None:
    class Own(nn.Module):
        def forward(self, x):
            x = x.clone()
            x[0, 0] = float("inf")
            return x if self.training else 2 * x

    facts = nw.compare_modes(Own(), torch.ones(4, 3)).facts
    assert _module(facts, "").role == "cause"


def test_nan_in_running_statistics_is_the_cause_with_a_remedy() -> None:
    network = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8))
    rows = torch.randn(16, 4)
    rows[3, 1] = float("nan")
    network(rows)
    facts = nw.compare_modes(network, torch.randn(16, 4)).facts
    cause = _module(facts, "1")
    assert (cause.role, "reset_running_stats()" in cause.words) == ("cause", True)
    assert "hold NaN" in facts.norms[0].rule
    network[1].reset_running_stats()
    again = nw.compare_modes(network, torch.randn(16, 4)).facts
    assert "NaN" not in _module(again, "1").words


def test_an_infinity_that_becomes_nan_is_told_with_the_place_where_it_does() -> None:
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.key = nn.Linear(8, 5)

        def forward(self, x, seen):
            return self.key(x).masked_fill(~seen, float("-inf")).softmax(-1)

    x, seen = torch.randn(4, 8), torch.ones(4, 5, dtype=torch.bool).tril()
    fine = _heard(nw.graph(Attention(), x, seen, loss=lambda y: y.square().sum()))
    assert "infinity" not in fine
    assert "NaN" not in fine
    seen[1] = False
    said = _heard(nw.graph(Attention(), x, seen, loss=lambda y: y.square().sum()))
    assert "whose result has infinity; softmax (SoftmaxBackward0) then makes NaN of it." in said


def test_an_infinity_of_half_precision_that_silences_the_gradients_is_found() -> None:
    class Half(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 3)

        def forward(self, x):
            y = self.fc(x)
            return y / (1000 * y).half().square().sum(1, keepdim=True).float()

    model = Half()
    nn.init.ones_(model.fc.weight)
    said = _heard(nw.graph(model, torch.ones(2, 4), loss=lambda y: y.sum()))
    assert "float16 holds no number above 65,504" in said
    assert "The gradient is 0" in said


@pytest.mark.parametrize("made", [nn.ReLU, nn.Sigmoid, nn.Tanh, partial(nn.Softmax, -1)])
def test_what_a_layer_detaches_for_itself_is_no_cut(made) -> None:
    class Detached(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.head = nn.Sequential(nn.Linear(4, 4), made()), nn.Linear(4, 2)

        def forward(self, x):
            return self.head(self.body(x).detach())

    said = _heard(nw.graph(Detached(), torch.randn(3, 4), loss=lambda y: y.sum()))
    assert (said.count("detach() leaves the graph"), "in body" in said) == (1, False)


def _watched(model):
    x = torch.randn(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with nw.watch(model) as run:
        for _ in range(4):
            loss = model(x).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            run.tick(loss=loss.item())
    return [finding.text for finding in run.facts.problems if finding.kind == "not watched"]


class Listed(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.first, self.hidden = nn.Linear(4, 4), hidden

    def forward(self, x):
        for layer in self.hidden:
            x = layer(x)
        return self.first(x)


def test_layers_in_a_plain_list_are_told_where_a_loop_is_watched() -> None:
    layers = [nn.Linear(4, 4), nn.Linear(4, 4)]
    (said,) = _watched(Listed(layers))
    assert "`hidden` is a plain list with 2 Modules (Linear)" in said
    assert "nn.ModuleList" in said
    (said,) = _watched(nn.Sequential(Listed(layers)))
    assert said.startswith("in 0, `hidden`")
    assert not _watched(Listed(nn.ModuleList(layers)))
    assert not _watched(Listed([nn.ReLU(), nn.Dropout()]))  # nothing to learn
    assert not _watched(Listed([nn.Linear(4, 4).requires_grad_(False)]))  # a teacher, on purpose


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("old", [True, False])
def test_half_of_a_weight_is_not_proposed_as_the_weight(old: bool) -> None:
    norm = nn.utils.weight_norm if old else nn.utils.parametrizations.weight_norm
    saved = nn.Sequential(nn.Conv1d(2, 3, 2), norm(nn.Linear(4, 5))).state_dict()
    matcher = nw.match_keys(nn.Sequential(nn.Conv1d(2, 3, 2), nn.Linear(4, 5)), saved)
    assert matcher.accept().code == ""


@pytest.mark.parametrize("view", [nw.summary, nw.show, nw.trace, nw.graph, nw.compare_modes])
def test_names_of_torchinfo_are_answered_with_what_to_write(view) -> None:
    model = nn.Linear(4, 2)
    with pytest.raises(TypeError, match=r"torch\.zeros\(1, 4\)\)"):
        view(model, input_size=(1, 4))
    with pytest.raises(TypeError, match=r"give the inputs as they are: \w+\(model, x\)"):
        view(model, input_data=torch.zeros(1, 4))


@pytest.mark.parametrize("size", [(1, 4), [1, 4], torch.Size((1, 4))])
def test_a_size_in_the_place_of_a_tensor_is_answered_with_what_to_write(size) -> None:
    assert "give a tensor: torch.zeros(1, 4)" in repr(nw.summary(nn.Linear(4, 2), size))
    assert "give a tensor" not in repr(nw.summary(nn.Linear(4, 2), torch.zeros(1, 3)))


def test_a_loop_that_never_ticked_is_told_so() -> None:
    run = nw.watch(nn.Linear(2, 1))
    assert "not started" in repr(run)
    with run:
        pass
    assert "not started" not in repr(run)
    assert "tick() was never called" in repr(run)
