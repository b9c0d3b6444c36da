"""Passes that fail, hooks that raise, lie and loop, names that are markup: shown with what failed in its place."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from every_view import LOOKS, ONE_OF_EACH, RUNNING, STILL, state_of, used_up
from module_subjects import HOSTILE, MISBEHAVING, StubbornKey

import nbmodule
import nbmodule_widgets as nw
from nbmodule_widgets.protocol import own_dict

nn = nbmodule.nn


@pytest.fixture(autouse=True)
def collector_at_rest() -> Iterator[None]:
    """Where recursion ends, there is no room either for what hypothesis has the collector call."""
    gc.disable()
    yield
    gc.enable()


NASTY = f"{HOSTILE}\x00\ud800\u2066\u200b\x1b[31m\n"
CALLS = {
    "trace": (),
    "compare_modes": (),
    "graph": (),
    "lookup": ("weight",),
    "assignment": ("self.x = 1",),
    "call_tape": (),
    "match_keys": ({},),
    "visits": (),
    "ledger": (),
}


class Refuses:
    """Whatever a display may be tempted to ask."""

    def _no(self, *arguments: object) -> Any:
        raise RuntimeError("do not ask me")

    __bool__ = __str__ = __repr__ = __eq__ = __len__ = __iter__ = __int__ = __float__ = _no
    __hash__ = None  # type: ignore[assignment]


def linear(**attributes: Any) -> tuple[Any, Any]:
    """A layer whose class has these attributes, and something to run it on."""
    return type("Own", (nn.Linear,), attributes)(4, 4), nbmodule.ones(2, 4)


def becoming(**attributes: Any) -> tuple[Any, Any]:
    """The same, but the class gets them once the layer is made."""
    model, inputs = linear()
    model.__class__ = type("Own", (nn.Linear,), attributes)
    return model, inputs


def hooked(kind: str, hook: Any) -> tuple[Any, Any]:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    getattr(model[0], f"register_{kind}")(hook)
    return model, nbmodule.ones(2, 4)


def fail(*given: Any) -> Any:
    raise ValueError(NASTY)


def named_hook() -> tuple[Any, Any]:
    def hook(*given: Any) -> None: ...

    hook.__name__ = hook.__qualname__ = HOSTILE
    return hooked("forward_hook", hook)


def unspeakable_hook() -> tuple[Any, Any]:
    """A callable object that cannot be named, printed or compared."""
    return hooked("forward_hook", type("Hook", (Refuses,), {"__call__": lambda *given: None})())


def hook_that_leaves() -> tuple[Any, Any]:
    model, inputs = hooked("forward_hook", lambda *given: None)
    handle = model[1].register_forward_hook(lambda *given: handle.remove())
    return model, inputs


def hook_that_brings_others() -> tuple[Any, Any]:
    def hook(module: Any, *given: Any) -> None:
        module.register_forward_hook(lambda *given: None)

    return hooked("forward_pre_hook", hook)


def hook_that_calls_its_module() -> tuple[Any, Any]:
    return hooked("forward_hook", lambda module, given, result: module(*given))


def children_named_badly() -> tuple[Any, Any]:
    model = nn.Sequential()
    for name in (NASTY, "", "a.b", "x" * 100_000, "__proto__", "\udfff"):
        model._modules[name] = nn.Linear(4, 4)
    return model, nbmodule.ones(2, 4)


def inside_itself() -> tuple[Any, Any]:
    model = nn.Sequential(nn.Linear(4, 4))
    model[0].add_module("back", model)
    return model, nbmodule.ones(2, 4)


def of_odd_numbers() -> tuple[Any, Any]:
    model, inputs = linear()
    with nbmodule.no_grad():
        model.weight[0, 0], model.weight[1, 1] = float("nan"), float("inf")
    model.register_buffer("flag", nbmodule.tensor(True))
    model.register_buffer("nothing", nbmodule.ones(0, 3))
    return model, inputs


RUNS = {
    "a forward that fails": lambda: linear(forward=fail),
    "a forward that returns nothing": lambda: linear(forward=lambda self, x: None),
    "a forward that returns what refuses": lambda: linear(forward=lambda self, x: Refuses()),
    "a forward that returns hostile keys": lambda: linear(forward=lambda self, x: {NASTY: x * 2, StubbornKey("k"): [x]}),
    "a forward that returns itself": lambda: linear(forward=lambda self, x: self),
    "a repr that fails": lambda: linear(__repr__=fail, extra_repr=fail),
    "a repr of megabytes": lambda: linear(extra_repr=lambda self: HOSTILE * 50_000),
    "a getattr that lies": lambda: becoming(__getattr__=lambda self, name: self.__dict__["_parameters"].get(name)),
    "a setattr that lets nothing in": lambda: becoming(__setattr__=fail, __delattr__=fail),
    "a hook that fails before": lambda: hooked("forward_pre_hook", fail),
    "a hook that fails after": lambda: hooked("forward_hook", fail),
    "a hook that fails on the way back": lambda: hooked("full_backward_hook", fail),
    "a hook that returns what refuses": lambda: hooked("forward_hook", lambda *given: Refuses()),
    "a hook of a hostile name": named_hook,
    "a hook that cannot be named": unspeakable_hook,
    "a hook that leaves": hook_that_leaves,
    "a hook that brings others": hook_that_brings_others,
    "a hook that calls its module for ever": hook_that_calls_its_module,
    "children named badly": children_named_badly,
    "a cycle": inside_itself,
    "odd numbers": of_odd_numbers,
    "an empty batch": lambda: (linear()[0], nbmodule.ones(0, 4)),
    "no tensor": lambda: (linear()[0], None),
    "an input that refuses": lambda: (linear()[0], Refuses()),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("look", [name for name in ONE_OF_EACH if name in RUNNING])
@pytest.mark.parametrize("make", RUNS.values(), ids=RUNS)
def test_what_fails_in_a_pass_is_shown_in_its_place(make, look, wire):
    model, inputs = make()
    before = state_of(nbmodule, model)
    used_up(LOOKS[look](model, inputs))
    assert state_of(nbmodule, model) == before


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("look", STILL)
@pytest.mark.parametrize("make", [children_named_badly, inside_itself, of_odd_numbers])
def test_odd_models_are_shown_without_a_pass(make, look, wire):
    used_up(LOOKS[look](*make()))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("look", ONE_OF_EACH)
@pytest.mark.parametrize("make", MISBEHAVING)
def test_half_built_classes_have_something_to_show(make, look, wire):
    """Without `super().__init__()`, without drawers, without `__call__`, with a `__getattr__` that lies."""
    model, inputs = make(), np.ones((2, 3))
    before = below(model)
    used_up(LOOKS[look](model, inputs))
    assert below(model) == before


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", MISBEHAVING)
def test_half_built_classes_are_watched_and_diagnosed(make, wire):
    model, inputs = make(), np.ones((2, 3))
    before = below(model)
    assert str(nw.diagnose(model, inputs))
    with nw.watch(model, display=False) as run:
        run.tick(loss=1.0)
    run.close()
    view = nw.parameters(model)
    assert str(view)
    view.close()
    assert below(model) == before


def below(model: Any) -> list[Any]:
    """What lies in a half-built model, found without running a line of it: names, objects, bits."""
    found, pending, seen = [], [model], set()
    while pending:
        thing = pending.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        kind = type(thing)
        if issubclass(kind, np.ndarray):
            found.append(thing.tobytes())
        inside = (
            thing
            if issubclass(kind, dict)
            else own_dict(thing)
            if not issubclass(kind, type)
            else {}
        )
        for name, value in dict.items(inside):
            found.append((id(name), id(value)))
            pending.append(value)
        if issubclass(kind, (list, set)):
            found.append([id(item) for item in kind.__mro__[-2].__iter__(thing)])
    return found


@pytest.mark.parametrize("look", ONE_OF_EACH)
def test_what_is_no_module_is_refused_in_words(look):
    with pytest.raises(TypeError, match=r"^\w+\(\) needs .*int"):
        LOOKS[look](5, np.ones((2, 2)))


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_keyword_is_named(name):
    call = getattr(nw, name, None) or getattr(nw.lessons, name)
    with pytest.raises(TypeError, match=rf"{name}\(\) got .*depht"):
        call(nn.Linear(2, 2), *CALLS[name], depht=3)
    assert inspect.getdoc(call)


@pytest.mark.parametrize("look", STILL)
def test_a_large_model_is_shown_in_part(look, wire):
    """What a notebook stores stays small, and says how much it leaves out."""
    model = nn.Sequential(*(nn.Linear(1, 1) for _ in range(1_000)))
    view = STILL[look](model)
    assert len(str(view)) < 60_000
    assert len(view.to_html()) < 300_000
