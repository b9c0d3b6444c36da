"""A traced pass runs the reader's hooks: what each is said to do, what is put back, and what can't be."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from typing import Any

import pytest
from fingerprints import everything

import nbmodule_widgets as nw
from nbmodule_widgets.tracing import record


def total(y: Any) -> Any:
    return y.sum()


def nothing(*given: Any) -> None:
    """A hook, whatever it is given."""


def test_each_gradient_is_listed_once_behind_hooks_of_every_kind(lib: Any) -> None:
    """One function twice, inputs by name, keys that read alike, a Module in two places that is called twice."""

    class Pair(lib.nn.Module):
        def forward(self, given: Any, *, mask: Any) -> Any:
            return {"a" * 60: given * mask, "a" * 60 + "b": mask + 1}

    class Net(lib.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.pair = self.twin = Pair()

        def forward(self, x: Any, scale: Any) -> Any:
            y, z = self.pair(x * 1, mask=scale * 2).values()
            y, z = self.twin(y, mask=z).values()
            return y + z

    net = Net()
    for module in (net, net.pair):
        module.register_forward_pre_hook(nothing)
        module.register_forward_pre_hook(nothing)
        module.register_forward_pre_hook(nothing, with_kwargs=True)
        module.register_forward_hook(nothing, with_kwargs=True)
    net.register_full_backward_pre_hook(nothing)
    net.register_full_backward_hook(nothing)
    x, scale = (lib.ones(2, requires_grad=True) for _ in range(2))
    found = record(net, (x,), {"scale": scale}, loss=total)
    assert not found.problem
    listed = Counter(
        (e.kind, e.call) for e in found.events if e.kind in ("call", "gradient in", "gradient out")
    )
    assert listed == {
        (kind, call): 1 for kind in ("call", "gradient in", "gradient out") for call in range(3)
    }
    (inputs,) = [e.tensors for e in found.events if e.kind == "gradient out" and e.call == 1]
    assert sorted(name for name, _ in inputs) == ["", "mask"]


def test_the_gradient_of_an_input_is_that_of_what_forward_got(lib: Any) -> None:
    """As for a full backward hook, behind a pre-hook that replaced it."""
    net = lib.nn.Identity()
    net.register_forward_pre_hook(lambda m, args: (args[0] * 3,))
    x = lib.ones(2, requires_grad=True)
    (event,) = [e for e in record(net, (x,), loss=total).events if e.kind == "gradient out"]
    values: Any = event.tensors[0][1].values
    assert values.tolist() == [1, 1]


def test_what_a_hook_does_to_its_module_is_no_nothing(lib: Any) -> None:
    def remembers(module: Any, args: Any, output: Any) -> None:
        module.seen, module.calls = output, module.calls + 1
        module.names.append("more")
        with lib.no_grad():
            module.count.add_(1)

    net = lib.nn.Linear(2, 2)
    net.calls, net.names = 0, []
    net.register_buffer("count", lib.zeros(1))
    net.register_forward_hook(remembers)
    x = lib.ones(1, 2)
    before = everything(lib, net, x)
    (hook,) = record(net, (x,)).hooks
    assert hook.changed == "set calls, seen; wrote to names, count"
    assert everything(lib, net, x) == before


class Stepper:
    """A hook that is an object, and has its optimizers somewhere inside."""

    def __init__(self, optimizers: Any) -> None:
        self.inner = [{"all": optimizers}]

    def __call__(self, parameter: Any) -> None:
        for optimizer in self.inner[0]["all"]:
            optimizer.step()
            optimizer.zero_grad()


def in_a_closure(optimizers: Any) -> Any:
    return lambda parameter: [optimizer.step() for optimizer in optimizers] and None


HOLDERS: dict[str, Any] = {
    "an object": Stepper,
    "a method": lambda optimizers: Stepper(optimizers).__call__,
    "a closure": in_a_closure,
    "a partial": lambda optimizers: functools.partial(lambda all, p: Stepper(all)(p), optimizers),
}


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_an_optimizer_that_steps_during_the_backward_pass_is_put_back(
    lib: Any, holder: str, kind: str
) -> None:
    model = lib.nn.Linear(2, 2)
    made = getattr(lib.optim, kind)(
        model.parameters(), lr=0.1, **{"momentum": 0.9} if kind == "SGD" else {}
    )
    model.weight.register_post_accumulate_grad_hook(HOLDERS[holder]([made]))
    x = lib.ones(1, 2)

    def state() -> str:
        return repr(
            [
                made.state_dict(),
                *(
                    [(id(v), v._version) for v in s.values() if lib.is_tensor(v)]
                    for s in made.state.values()
                ),
            ]
        )

    for _ in range(2):  # before there is any state, and then with some
        before = state(), everything(lib, model, x)
        found = record(model, (x,), loss=total)
        assert (state(), everything(lib, model, x)) == before
        (note,) = found.notes
        assert f"so has the state of what hooks can step ({kind})" in note
        assert "wrote to the parameter" in next(hook.changed for hook in found.hooks)
        total(model(x)).backward()


def test_what_wrote_to_a_parameter_and_cannot_be_found_is_said(lib: Any) -> None:
    model = lib.nn.Linear(2, 2)
    hidden = iter([model.weight])  # nobody can look into an iterator
    model.weight.register_post_accumulate_grad_hook(lambda p: next(hidden).detach().mul_(2))
    (note,) = record(model, (lib.ones(1, 2),), loss=total).notes
    assert note == (
        "1 parameter was written to in this pass, and has been restored; what wrote may have state of its own, such as "
        "momentum: none was found, so none was restored"
    )


def test_what_looking_cannot_undo_is_said_where_the_reader_has_hooks(lib: Any) -> None:
    seen: list[str] = []
    model = lib.nn.Sequential(lib.nn.Linear(2, 2), lib.nn.LazyLinear(2))
    x = lib.ones(1, 2)
    assert "of yours ran" not in str(nw.trace(model, x))  # the hook of a lazy Module is no reader's
    model[0].register_forward_hook(lambda *_: seen.append("ran"))
    said = "1 hook of yours ran too: what it does outside the model (a list that grows, "
    assert said in str(nw.trace(model, x))
    assert seen == ["ran"]
    assert "2 hooks of yours" not in str(nw.lessons.call_tape(model[0], x))
    assert said in str(nw.lessons.call_tape(model[0], x))


def test_a_hook_that_is_registered_twice_is_two_hooks(lib: Any) -> None:
    def note(*_: Any) -> None: ...

    model = lib.nn.Sequential(lib.nn.Linear(3, 2))
    for _ in range(2):
        model[0].register_forward_hook(note)
        model[0].weight.register_hook(note)
    traced = nw.trace(model, lib.ones(1, 3), loss=lambda y: y.sum())
    ran = [(hook.path, hook.ran) for hook in traced.facts.hooks]
    assert ran == [("0", 1), ("0", 1), ("0.weight", 1), ("0.weight", 1)]
    before = dict(vars(model[0].bias))
    view = nw.show(model)
    assert ["hooks", "2, in the order in which they fire:"] in view.select("0.weight").detail[
        "lines"
    ]
    view.select("0.bias")
    assert vars(model[0].bias) == before


def cutting(lib: Any) -> tuple[Any, Any, list[Any]]:
    """A layer for two numbers behind a pre-hook that takes two of five, doubled, and notes outside that it ran."""
    ran: list[Any] = []
    model = lib.nn.Sequential(lib.nn.Linear(2, 3), lib.nn.Dropout(), lib.nn.Linear(3, 2))

    def cut(module: Any, args: Any) -> Any:
        ran.append(args[0].shape)
        return (args[0][:, :2] * 2,)

    model[0].register_forward_pre_hook(cut)
    return model, lib.ones(4, 5, requires_grad=True), ran


def test_a_pre_hook_that_changes_the_input_is_told_truly(lib: Any) -> None:
    model, x, _ = cutting(lib)
    traced = nw.trace(model, x, loss=total, keep="all")
    (hook,) = traced.facts.hooks
    assert (hook.path, hook.ran) == ("0", 1)
    assert hook.changed == "input replaced: shape (4, 5) -> (4, 2)"
    lines = [line.strip() for line in str(traced).splitlines()]
    at = lines.index("▶ 0 (Linear) · in (4, 5) float32")  # what it was called with
    assert lines[at + 1].endswith(hook.changed)
    assert lines[at + 2] == "▷ forward() is given (4, 2) float32"
    back = {e.path: e.tensors[0][1] for e in traced.facts.events if e.kind == "gradient out"}
    assert back["0"].shape == (4, 2)  # of what `forward` got
    assert hook.changed in str(nw.lessons.call_tape(model, x))
    summed = nw.summary(model, x).facts
    assert [row.multiply_adds for row in summed.layers if row.path in ("0", "2")] == [
        4 * 2 * 3,
        4 * 3 * 2,
    ]
    drawn = nw.graph(model, x, loss=total).facts
    made = [(node.word, node.shape) for node in drawn.nodes if node.kind == "operation"]
    assert [shape for _, shape in made[:2]] == [(4, 2), (4, 2)]
    assert made[1][0] == "multiply"
    compared = {each.path: each.role for each in nw.compare_modes(model, x, draws=2).facts.modules}
    assert (compared["0"], compared["1"]) == ("same", "cause")
    assert not nw.diagnose(model.eval(), x).facts.raised


PASSES: dict[str, Any] = {
    "trace": (nw.trace, 1),
    "trace with a loss": (functools.partial(nw.trace, loss=total), 1),
    "graph": (functools.partial(nw.graph, loss=total), 1),
    "summary": (nw.summary, 1),
    "call_tape": (nw.lessons.call_tape, 2),  # by `model(x)` and by `model.forward(x)`
    "compare_modes": (functools.partial(nw.compare_modes, draws=3), 3 + 1 + 2),
}  # train(), eval(), and each once more in no_grad()


@pytest.mark.parametrize("name", PASSES)
def test_a_hook_of_the_reader_runs_no_more_often_than_is_said(lib: Any, name: str) -> None:
    look, most = PASSES[name]
    model, x, ran = cutting(lib)
    view = look(model, x)
    often = len(ran)
    assert 1 <= often <= most
    assert "1 hook of yours ran too: what it does outside the model" in str(view)
    assert view.to_html()
    view.refresh()
    nw.show(model), nw.match_keys(model, model.state_dict()), nw.parameters(model)
    assert len(ran) == often


def test_diagnose_puts_back_what_hooks_wrote_to_when_it_is_interrupted(lib: Any) -> None:
    model, x, ran = cutting(lib)

    def interrupt(*_: Any) -> None:
        if len(ran) == 1:
            raise KeyboardInterrupt

    model[1].register_forward_pre_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        nw.diagnose(model, x)
    assert ran == []


def test_diagnose_says_how_often_a_hook_of_the_reader_ran(lib: Any) -> None:
    model, x, ran = cutting(lib)
    runs = itertools.count()

    def once_more(*_: Any) -> None:
        next(runs)

    model.register_forward_pre_hook(once_more)
    found = nw.diagnose(model, x)
    assert f"2 hooks of yours ran, in {next(runs)} passes of copies" in str(found)
    assert ran == []
    assert found.facts.outside[0] in found._repr_html_()
    trained = nw.diagnose(
        model, x, loss_fn=total, optimizer=lib.optim.SGD(model.parameters(), lr=0.1)
    )
    assert "2 hooks of yours ran, in" in str(trained)
    assert "of yours ran" not in str(nw.diagnose(model))  # nothing was run
