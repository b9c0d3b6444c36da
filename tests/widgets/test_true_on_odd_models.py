"""What the views say of quantised, compiled, lazy and other models is what these models themselves say."""

from __future__ import annotations

import copy
import importlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from every_view import loss_of
from hub_zoo import HUB, bert, gpt2, t5
from torch_zoo import (
    ZOO,
    compiled,
    lazy,
    quantized,
    scripted,
    switching_by_itself,
    traced,
    with_plain_tensors,
    with_state_of_its_own,
)

import nbmodule
import nbmodule_widgets as nw
from nbmodule import nn
from nbmodule.quantization import quantize_dynamic

pytestmark = pytest.mark.filterwarnings("ignore")

zoo = pytest.mark.parametrize("make", [*ZOO, *HUB])


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


@pytest.mark.parametrize(("make", "first", "places"), [
    (gpt2, "transformer.wte.weight", ["lm_head.weight"]),
    (t5, "shared.weight", ["encoder.embed_tokens.weight", "decoder.embed_tokens.weight", "lm_head.weight"]),
])  # fmt: skip
def test_tied_weights_are_told_as_tied(torch, make, first, places):
    model, named = make()
    tree = str(nw.show(model))
    assert tree.count(f"⇄ same object as {first}") == len(places)
    table = str(nw.summary(model, **named))
    assert table.count(f"weight is {first}") == len(places)
    assert "shared ones counted once" in table
    matched = str(nw.match_keys(model, model.state_dict()))
    assert all(f"one tensor with '{first}'" in matched.partition(f"  {at}")[2] for at in places)
    drawn = nw.graph(model, **named, loss=loss_of).facts
    (leaf,) = [node for node in drawn.nodes if node.kind == "leaf" and node.label == first]
    assert leaf.names == (first, *places)


def test_a_model_that_gives_its_own_loss_is_no_forgotten_eval(torch):
    """With the labels it trains; without them, its answers are random."""
    model, named = bert()
    batch = importlib.import_module("transformers").BatchEncoding(named)  # a mapping, and no dict
    assert nw.diagnose(model, batch).names == []
    with torch.no_grad():
        assert nw.diagnose(model, batch).names == ["forgot-eval"]
    del batch["labels"]
    assert nw.diagnose(model, batch).names == ["forgot-eval"]
    assert nw.diagnose(model.eval(), batch).names == []


def test_int8_of_ours_is_counted_as_bytes_and_multiplied_as_before():
    floats = nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2, bias=False))
    model, x = quantize_dynamic(floats), nbmodule.ones(3, 8)
    weights, rest = 8 * 4 + 4 * 2, 4 + 4 + 2  # one byte each; scales and the bias have four
    assert f"0 parameters · {weights + rest} numbers in buffers · {weights + 4 * rest} B" in str(nw.show(model))  # fmt: skip
    products = [nw.summary(m, x).facts.totals.multiply_adds for m in (floats, model)]
    assert products == [3 * weights] * 2
    assert nw.lessons.ledger(model).facts.totals()["remembered"] == (5, weights + rest)


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


@zoo
def test_calls_and_multiply_adds_are_those_of_the_model(torch, make):
    """Against hooks of the model's own on a copy, and PyTorch's own counter."""
    counter = importlib.import_module("torch.utils.flop_counter").FlopCounterMode(display=False)
    model, given = make()
    if given is None:
        return
    inputs, named = ((), given) if isinstance(given, dict) else ((given,), {})
    called: Counter[str] = Counter()
    other, _ = make()
    deaf = {n for n, m in other.named_modules() if isinstance(m, torch.jit.ScriptModule)}
    for name, module in other.named_modules():
        if name not in deaf:
            module.register_forward_pre_hook(lambda *_, name=name: called.update([name]))
    attention = importlib.import_module("torch.nn.attention")
    plain = attention.sdpa_kernel(attention.SDPBackend.MATH)  # it counts no fused one of a CPU
    with counter, plain, torch.no_grad():
        other(*inputs, **named)
    seen = nw.summary(model, *inputs, **named).facts
    traced = nw.trace(model, *inputs, **named).facts
    compared = nw.compare_modes(model, *inputs, **named, draws=2).facts
    assert (seen.problem, traced.problem, compared.problem) == ("", "", "")
    by_hand = {  # it counts no packed weights, no fused cells, and no matrix times a vector
        "quantized": 3 * (8 * 4 + 4 * 2),
        "recurrent": 15 * 2 * 20 * ((4 + 5) + (10 + 5)),
        "weight_normed": 5 * 3 * 16 + 2 * (3 * 16 + 4),  # and the two power iterations
    }
    products = by_hand.get(make.__name__, counter.get_total_flops() // 2)
    assert seen.totals.multiply_adds == products
    for told in (
        Counter({row.path: row.calls for row in seen.layers if row.calls}),
        Counter(call.path for call in traced.calls),
    ):
        assert {path: n for path, n in told.items() if path not in deaf} == called
    never = {each.path for each in traced.never_fired if not each.why.startswith("not recorded")}
    uncalled = {each.path for each in compared.modules if each.role == "not called"}
    inside = {name for name in deaf if name.rpartition(".")[0] in deaf and name}
    assert never == uncalled == {n for n, _ in model.named_modules()} - {*called} - deaf
    assert {each.path for each in traced.never_fired} - never == inside


@pytest.mark.parametrize("make", [scripted, traced])
def test_what_runs_in_a_program_is_not_called_idle(torch, make):
    model, given = make()
    trace = str(nw.trace(model, given, loss=lambda y: y.sum()))
    assert "6 modules not recorded: inside the model" in trace
    assert "never called" not in trace
    view = nw.compare_modes(model, given)
    assert [module.path for module in view.facts.modules] == [""]
    assert "its own forward" not in str(view)
    assert [note for note in view.facts.notes if "TorchScript" in note] == [
        "the model is a TorchScript program: nothing inside it can be recorded"
    ]


def test_modes_that_the_model_s_own_train_leaves_are_not_undone(torch):
    view = nw.compare_modes(*switching_by_itself())
    assert "not kept" not in view.facts.sentence
    text = str(view)
    assert "leave that as it is" in text
    assert "undo that" not in text


def test_a_loss_that_fails_keeps_nobody_from_being_reached(torch):
    model, given = switching_by_itself()
    (never,) = nw.trace(model, given, loss=lambda y: 1 / 0).facts.never_fired
    assert never.why == "not reached: forward of the model (Own) did not call it"


def test_a_state_without_versions_may_not_load_into_packed_weights(torch):
    model, _ = quantized()
    state = model.state_dict()
    plain = dict(state)  # as every renaming of keys makes it
    with pytest.raises(KeyError):
        copy.deepcopy(model).load_state_dict(plain)
    assert "The notes may change that" in nw.match_keys(model, plain).facts.strict_words
    assert "may" not in str(nw.match_keys(model, state))


def test_what_would_be_found_is_not_all_that_would_match(torch):
    model = with_plain_tensors()[0].lin
    state = {f"module.{key}": value for key, value in model.state_dict().items()}
    (hint,) = nw.match_keys(model, state).facts.hints
    assert hint == "All 2 keys would match without the prefix `module.`"
    state["module.weight"] = torch.zeros(7)
    view = nw.match_keys(model, state)
    said = "1 of the 2 keys would match without the prefix `module.`; 1 of another shape would not"
    assert view.facts.hints == (said,)
    state["module.bias"] = state["module.bias"].numpy()
    view = nw.match_keys(model, state)
    said = "1 without a tensor and 1 of another shape would be found without the prefix `module.`, and would not fit"
    assert view.facts.hints == (said,)
    assert "but it is no tensor" in str(view)
    for renamed in (state, {key.removeprefix("module."): v for key, v in state.items()}):
        facts = nw.match_keys(model, renamed).facts
        assert not facts.counts()["matched"]


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
