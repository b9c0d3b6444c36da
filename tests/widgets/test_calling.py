"""`view(model, *inputs, option=…, **named)`: which names are the view's, which are the model's, and which are neither."""

from __future__ import annotations

import dataclasses
import functools
from collections import OrderedDict
from typing import Any

import pytest

import nbmodule_widgets as nw
from nbmodule_widgets.calling import keyword_inputs, names_taken


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
