"""`view(model, *inputs, option=…, **named)`: which names are the view's, which are the model's, and which are neither."""

from __future__ import annotations

import dataclasses
import functools
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

import nbmodule_widgets as nw
from nbmodule_widgets import lessons
from nbmodule_widgets.calling import keyword_inputs, names_taken
from nbmodule_widgets.facts import words
from nbmodule_widgets.refusing import refusing


def view(
    model: Any,
    *inputs: Any,
    loss: Any = None,
    keep: str = "small",
    kwargs: Any = None,
    **named: Any,
) -> None:
    """Stands for a view."""


def model_with(lib: Any, forward: Any) -> Any:
    return type("Net", (lib.nn.Module,), {"forward": forward})()


def test_a_name_that_is_neither_is_refused_with_both_lists(lib: Any) -> None:
    net = model_with(lib, lambda self, ids, /, tokens, *, mask=None: tokens)
    with pytest.raises(TypeError) as said:
        keyword_inputs(view, net, {"mask": 1, "maks": 2, "ids": 3})
    assert str(said.value) == (
        "view() got maks=, ids=: neither one of its options (loss=, keep=, kwargs=) nor a named input of "
        "Net.forward (tokens=, mask=)"
    )
    assert keyword_inputs(view, net, {"mask": 1}, {"loss": 2}) == {"mask": 1, "loss": 2}


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [(3, "needs kwargs= to be a dict .* got an int"), ({"mask": 2}, "got mask= twice")],
)
def test_kwargs_are_a_dict_of_other_names(lib: Any, kwargs: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        keyword_inputs(view, model_with(lib, lambda self, mask: mask), {"mask": 1}, kwargs)


def test_only_what_is_known_is_refused(lib: Any) -> None:
    """A decorator, a hook that takes names out, or a `__call__` of the reader's may take what `forward` does not."""

    def decorated(function: Any) -> Any:
        return functools.wraps(function)(lambda self, *args, **kwargs: function(self, *args))

    hooked = model_with(lib, lambda self, x: x)
    hooked.register_forward_pre_hook(lambda m, args, kwargs: None, with_kwargs=True)
    calls = model_with(lib, lambda self, x: x)
    type(calls).__call__ = lambda self, image: self.forward(image)
    static = model_with(lib, staticmethod(lambda x: x))
    of_instance = model_with(lib, lambda self, x: x)
    object.__setattr__(of_instance, "forward", lambda image: image)
    taken = [
        names_taken(model)
        for model in (
            model_with(lib, decorated(lambda self, x: x)),
            hooked,
            calls,
            static,
            of_instance,
            object(),
        )
    ]
    assert taken == [None, None, ["image"], ["x"], ["image"], None]


def test_tensors_in_what_models_return_are_seen_with_their_gradients(lib: Any) -> None:
    """As Hugging Face's do: a dictionary that is a dataclass too."""

    @dataclasses.dataclass
    class Output(OrderedDict):  # type: ignore[type-arg]
        logits: Any = None
        hidden: Any = None

        def __post_init__(self) -> None:
            self.update(logits=self.logits, hidden=(self.hidden, None))

    net = model_with(lib, lambda self, ids, *, mask: Output(ids * mask, ids + 1))
    ids = lib.ones(2, requires_grad=True)
    view = nw.trace(net, ids=ids, mask=lib.ones(2), loss=lambda y: (y.logits + y.hidden).sum())
    seen = {e.kind: sorted(name for name, _ in e.tensors) for e in view.facts.events}
    assert seen == {
        "call": ["ids", "mask"],
        "return": ["['hidden'][0]", "['logits']"],
        "loss": [""],
        "gradient in": ["['hidden'][0]", "['logits']"],
        "gradient out": ["ids"],
    }


@pytest.mark.parametrize("show", [nw.trace, nw.lessons.call_tape])
def test_a_model_is_called_by_name_as_its_users_call_it(lib: Any, show: Any) -> None:
    net = model_with(lib, lambda self, ids, loss=0: ids * 2 + loss)
    ids = lib.ones(2)
    found = show(net, ids=ids, kwargs={"loss": lib.ones(2)}).facts
    values = getattr(found, "called", found).events[-1].tensors[0][1].values
    assert values.tolist() == [3, 3]
    with pytest.raises(
        TypeError,
        match=r"got idz=: neither one of its options \(.*kwargs=\) nor .* \(ids=, loss=\)",
    ):
        show(net, idz=ids)


# ------------------------------------------------------------------------------------------- wrong arguments


def wrong_calls(model: Any, x: Any, layer: type) -> dict[str, Any]:
    """Calls of each view with a wrong model, and of some with wrong inputs or options."""
    views = (
        nw.show,
        nw.watch,
        nw.parameters,
        nw.find_orphans,
        nw.diagnose,
        nw.text,
        nw.trace,
        nw.compare_modes,
        nw.summary,
    )
    taught = (lessons.anatomy, lessons.visits, lessons.ledger, lessons.call_tape)
    more = {nw.match_keys: {}, lessons.lookup: "w", lessons.assignment: "self.a = 1"}
    calls: dict[str, Any] = {}
    for given in ("text", layer, None):
        for asked in (*views, *taught):
            calls[f"{asked.__name__}({given})"] = functools.partial(asked, given)
        for asked, second in more.items():
            calls[f"{asked.__name__}({given}, …)"] = functools.partial(asked, given, second)
    calls |= {
        "graph": lambda: nw.graph("text"),
        "an unknown name": lambda: nw.trace(model, x, nothing=1),
        "no dict": lambda: nw.compare_modes(model, x, kwargs=3),  # type: ignore[arg-type]
        "a size": lambda: nw.trace(model, x, keep=-1),
        "a path": lambda: nw.show(model, path="nowhere"),
        "a place": lambda: nw.parameters(model, "nowhere"),
        "a rate": lambda: nw.watch(model, hz=-1),
        "a step": lambda: nw.watch(model, 0),
        "a state": lambda: nw.match_keys(model, 3),
        "a name": lambda: lessons.lookup(model, 3),  # type: ignore[arg-type]
        "a line": lambda: lessons.assignment(model, 3),  # type: ignore[arg-type]
    }
    return calls


def test_a_wrong_argument_is_told_at_the_readers_line(lib):
    """One frame of ours below it, and no other error before it."""
    model = lib.nn.Linear(2, 2)
    for name, call in wrong_calls(model, lib.ones(1, 2), lib.nn.Linear).items():
        with pytest.raises((TypeError, ValueError, KeyError)) as told:
            call()
        ours = [entry for entry in told.traceback if "nbmodule_widgets" in str(entry.path)]
        assert [Path(entry.path).name for entry in ours] == ["refusing.py"], name
        assert told.value.__cause__ is told.value.__context__ is None, name


def test_a_slip_keeps_its_frames():
    """Of ours, where nothing was refused on purpose, and of the reader's."""
    with pytest.raises(TypeError) as told:
        refusing(words.size)("many")  # type: ignore[arg-type]
    assert Path(told.traceback[-1].path).name == "words.py"

    def refuse() -> None:
        raise KeyError

    with pytest.raises(KeyError) as told:
        refusing(refuse)()
    assert told.traceback[-1].name == "refuse"
