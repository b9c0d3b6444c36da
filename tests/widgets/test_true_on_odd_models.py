"""What the views say of quantised, compiled, lazy and other models is what these models themselves say."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from torch_zoo import (
    ZOO,
    compiled,
    lazy,
    quantized,
    scripted,
    traced,
    with_plain_tensors,
    with_state_of_its_own,
)

import nbmodule_widgets as nw

pytestmark = pytest.mark.filterwarnings("ignore")

zoo = pytest.mark.parametrize("make", ZOO)


@zoo
def test_totals_and_paths_are_those_of_the_model(torch, make):
    model, _ = make()
    known = nw.facts(model)
    made = [p for p in model.parameters() if not torch.nn.parameter.is_lazy(p)]
    assert known.totals.parameters == sum(p.numel() for p in made)
    assert known.totals.modules == len(list(model.modules()))
    assert known.root.training is model.training
    first = [known.path(row) for row, t in known.tensor_rows() if t.twin < 0 and not t.empty]
    named = [*model.named_parameters(), *model.named_buffers()]
    assert sorted(first) == sorted(name for name, _ in named)
    said = " ".join(note.text for node in known.nodes for note in node.notes)
    assert "not a dict" not in said
    assert "not created" not in said


@zoo
def test_a_model_takes_its_own_state(torch, make):
    model, _ = make()
    state = model.state_dict()
    known = nw.match_keys(model, state).facts
    assert (known.missing, known.unexpected, known.errors) == ((), (), ())
    result = model.load_state_dict(copy.copy(state))
    assert (result.missing_keys, result.unexpected_keys) == ([], [])
    untold = [row.state_key for row in known.rows if row.status == "untold"]
    assert untold == (["1.table"] if make is with_state_of_its_own else [])
    assert {row.model_key for row in known.rows if row.model_key} == {*state} - {*untold}


@zoo
def test_the_ledger_remembers_what_the_state_has(torch, make):
    model, _ = make()
    known = nw.lessons.ledger(model).facts
    remembered = {r.path.partition("[")[0] for r in known.rows if r.remembered}
    state = model.state_dict()
    named = {key for key in state if any(f"`{key}`" in note for note in _notes(known))}
    odd = {"1.table"} if make is with_state_of_its_own else set()  # its hook may not run on a copy
    extra = {key for key in state if key.endswith("_extra_state")}
    assert remembered | named | odd | extra == {*state}
    assert not [row for row in known.rows if row.tried]


def _notes(known: Any) -> tuple[str, ...]:
    return (*known.notes, *(known.trial.notes if known.trial else ()))


def test_packed_weights_are_counted(torch):
    model, _ = quantized()
    text = str(nw.show(model))
    assert "0 parameters · 0 B · 88 B of state outside the drawers" in text
    assert (
        "state of its own outside the drawers: 2 keys (`dtype`, `_packed_params`), 48 B, as `state_dict()` gives them"
        in text
    )
    ledger = nw.lessons.ledger(model).facts
    assert ledger.totals()["remembered"] == (8, 8 * 4 + 4 + 4 * 2 + 2 + 4)
    missing = dict(model.state_dict())
    del missing["0.scale"]
    view = nw.match_keys(model, missing)
    assert view.facts.missing == ("0.scale",)
    assert "may raise a KeyError" in str(view)
    with pytest.raises(KeyError):
        model.load_state_dict(missing)


def test_methods_and_hooks_of_the_reader_are_not_run_to_look(torch):
    model, _ = with_state_of_its_own()
    for look in (nw.show, nw.lessons.ledger, nw.lessons.anatomy, lambda m: nw.match_keys(m, {})):
        view = look(model)
        assert str(view)
        assert view.to_html()
        view.close()
    assert (model[0].asked, model[1].asked, model.seen) == ([], [], [])
    text = str(nw.show(model))
    assert "its own `get_extra_state()` is not run to look" in text
    assert "its own `_save_to_state_dict()` is not run to look" in text
    assert "state outside the drawers of 2 modules not counted" in text
    assert "`table` is a Tensor of shape (3,)" in text
    assert "so `.to()` does not see it" in text  # `state_dict()` does
    notes = _notes(nw.lessons.ledger(model).facts)
    assert any("was not called: that would run a hook of yours" in note for note in notes)
    text = str(nw.lessons.anatomy(model[1]))
    assert "plain attributes, invisible to parameters() and .to()" in text


@pytest.mark.parametrize("make", [scripted, traced])
def test_programs_say_what_they_do_not_tell(torch, make):
    model, _ = make()
    known = nw.facts(model)
    notes = [note.text for node in known.nodes for note in node.notes]
    assert len(notes) == 1  # and none of its parts
    assert notes[0].startswith("a TorchScript program")
    two = nw.facts(torch.nn.Sequential(model, torch.nn.ReLU(), make()[0]))
    assert [node.name for node in two.nodes if node.notes] == ["0", "2"]
    assert "not a dict" not in str(nw.lessons.anatomy(model))
    for name in ("weight", "forward", "training", "_parameters", "_c", "0", "nope"):
        has = nw.lessons.lookup(model, name).facts.hasattr
        assert has in (str(hasattr(model, name)), "not tried")


def test_what_is_not_made_yet_is_no_zero(torch):
    text = str(nw.show(lazy()[0]))
    assert "0 parameters · 1 number in buffers · 8 B · 6 tensors not made yet" in text
    assert (
        "; 6 tensors not made yet, of no size so far" in nw.lessons.ledger(lazy()[0]).facts.summary
    )
    assert "no training flag" not in str(nw.show(compiled()[0]))


def test_plain_tensors_are_mentioned(torch):
    model, _ = with_plain_tensors()
    notes = [note for node in nw.facts(model).nodes for note in node.notes]
    assert {note.kind for note in notes} == {"plain"}
    said = [note.text.partition(":")[0] for note in notes]
    assert said == [
        "`mean` is a Tensor of shape (3,) in a plain attribute",
        "`cache` is a plain list with 2 tensors",
        "`by_name` is a plain dict with 1 tensor",
    ]  # not `again`, nor the bias: parameters, which the Module finds elsewhere


class Young:
    """The three drawers alone, as in the first chapter."""

    def __init__(self) -> None:
        self._parameters: dict[str, Any] = {}
        self._buffers: dict[str, Any] = {}
        self._modules: dict[str, Any] = {}


class Finished(Young):
    """Has what a Module needs, and no hooks."""

    def forward(self, x: Any) -> Any:
        return x

    def parameters(self) -> list[Any]:
        return []

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: Any) -> None: ...


@pytest.mark.parametrize(
    ("make", "words"), [(Finished, "not needed by this class"), (Young, "not created yet")]
)
def test_a_finished_class_needs_no_hook_drawers(make: Callable[[], Any], words: str):
    assert f"12 hook drawers, {words}" in str(nw.lessons.anatomy(make()))


def test_the_reader_s_own_name_stands_in_the_calls():
    net = Young()
    found = str(nw.lessons.lookup(net, "step"))
    assert f'hasattr(net, "step"): {hasattr(net, "step")}' in found
    assert 'hasattr(it, "step")' in str(nw.lessons.lookup(Young(), "step"))
