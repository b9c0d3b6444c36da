"""What the checks of chapter 09 use: lines about a layer, trees that are switched, and models that say how they ran."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import nbmodule
from nbmodule import nn, tensor

from ..exercise import attempt
from ..referee import Step, Words, add_value
from ..referee.world import World, slots_of
from .grown import node
from .lines import compiled, tried, vocabulary

_MEANING = {
    "kinds": "`kinds` lists the numbers that occur",
    "zeros": "`zeros` is the share of zeros",
    "pattern": "`pattern` tells what is dropped together",
    "draws": "`draws` compares two calls after the same seed",
    "counted": "`counted` puts 1, 2, 3, … in the Parameters",
    "wide": "`wide` makes the layer's numbers float64",
    "state": "`state` lists a drawer, by default the buffers",
    "recorded": "`recorded` lists the buffers that require a gradient",
    "needs": "`needs` is a copy that requires a gradient",
    "slope": "`slope` is the gradient of the sum of cubes",
    "quiet": "`quiet` calls inside `no_grad()`",
    "tried": "`tried` names the exception",
    "pair": "`pair` is a batch of 0 and 2",
}


def _value_of(text: str, given: type) -> Any:
    before, last = compiled(text)
    names = {given.__name__: given, "tensor": tensor, "ones": nbmodule.ones, **_WORDS}
    names["x"] = tensor([[1.0, 0.5, 3.0], [4.0, -1.0, 3.5], [2.0, 0.25, 1.0], [1.5, 2.0, 8.0]])
    names["pair"] = tensor([[0.0], [2.0]])
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # Python shows a warning once, and the next run must look the same
        exec(before, names)
        return eval(last, names)


uses = vocabulary(_MEANING, _value_of)


def _kinds(result: Any) -> list[float]:
    """Return the numbers that occur in a tensor, rounded; nan once."""
    found = {repr(number): number for number in (round(n, 4) for n in result.reshape(-1).tolist())}
    return [found[text] for text in sorted(found)]


def _zeros(result: Any) -> str:
    """Return the share of zeros, to the nearest twentieth."""
    share = (result == 0).float().mean().item()
    return f"about {round(20 * share) / 20:.2f} of the numbers"


def _pattern(result: Any) -> str:
    """Return what of a matrix was dropped together."""
    kept = result != 0
    if all(len(set(row)) == 1 for row in kept.tolist()):
        return "whole rows"
    if all(len(set(column)) == 1 for column in kept.T.tolist()):
        return "whole columns"
    return "single numbers"


def _draws(make: Callable[[], Any]) -> str:
    """Return what is to be seen of the random numbers in a tensor, whatever they are."""
    firsts, later = [], []
    for _ in range(2):
        nbmodule.manual_seed(0)
        firsts.append(make().tolist())
        later.append(make().tolist())
    if firsts[0] == later[0]:
        return "the same numbers at each call"
    return "new numbers at each call" if firsts[0] == firsts[1] else "numbers that ignore the seed"


def _counted(layer: Any) -> Any:
    """Return the layer, with 1, 2, 3, … in each of its Parameters."""
    with nbmodule.no_grad():
        for parameter in slots_of(layer)["_parameters"].values():
            parameter.copy_(nbmodule.arange(1.0, parameter.numel() + 1))
    return layer


def _wide(layer: Any) -> Any:
    """Return the layer in double precision, for gradients whose digits can be compared."""
    for drawer in ("_parameters", "_buffers"):
        for value in slots_of(layer)[drawer].values():
            if value.is_floating_point():
                value.data = value.data.double()
    return layer


def _state(layer: Any, drawer: str = "_buffers") -> dict[str, Any]:
    """Return what is in a drawer, by name."""
    return {name: value.tolist() for name, value in sorted(slots_of(layer)[drawer].items())}


def _recorded(layer: Any) -> list[str]:
    """Return the names of the buffers that require a gradient."""
    return [name for name, value in slots_of(layer)["_buffers"].items() if value.requires_grad]


def _needs(x: Any) -> Any:
    """Return a copy that requires a gradient."""
    return x.double().requires_grad_()


def _slope(result: Any, of: Any) -> Any:
    """Return the gradient of the sum of cubes."""
    (result**3).sum().backward()
    return of.grad


def _quiet(call: Callable[[], Any]) -> Any:
    with nbmodule.no_grad():
        return call()


_WORDS = {
    "wide": _wide, "kinds": _kinds, "zeros": _zeros, "pattern": _pattern, "draws": _draws, "counted": _counted,
    "state": _state, "recorded": _recorded, "needs": _needs, "slope": _slope, "quiet": _quiet,
    "tried": tried,
}  # fmt: skip

# ---- a tree that is switched


def _stubborn(Module: type) -> Any:
    """Return a Module that is in training mode whatever it is told."""

    def train(self: Any, mode: bool = True) -> Any:
        slots_of(self)["training"] = True
        return self

    made = type("Stubborn", (Module,), {"train": train})()
    slots_of(made)["training"] = True
    return made


STUBBORN = add_value("stubborn", "a Module whose own `train` always chooses True", _stubborn)


def switch(text: str, call: Callable[[Any], Any], of: str = "m") -> list[Step]:
    """Return a step that switches a tree; it gives what came back, and the mode of every Module."""

    def act(world: World) -> Words:
        gave = call(node(world, of))
        nodes = vars(world)["nodes"]
        modes = ", ".join(f"{name}: {slots_of(one).get('training')}" for name, one in nodes.items())
        return Words(f"returns {world.label(gave)}, and the modes are {modes}")

    return [Step(text, act, (), () if of == "m" else (of,))]


def by_hand(name: str, *values: bool) -> list[Step]:
    """Return the steps `name.training = value`."""

    def act(world: World, value: bool) -> None:
        slots_of(node(world, name))["training"] = value

    said = () if name == "m" else (name,)
    return [
        Step(f"{name}.training = {v}", lambda w, v=v: act(w, v), (), said, True) for v in values
    ]


# ---- models that say how they ran


class Probe(nn.Module):
    """A layer that says in which mode it runs, and whether operations are recorded."""

    def __init__(self, *children: nn.Module) -> None:
        super().__init__()
        for number, child in enumerate(children):
            self.add_module(f"part{number}", child)

    def forward(self, *inputs: Any) -> Any:
        """Say how it runs, and what its parts say; a bad input is an error."""
        if inputs == ("bad",):
            raise LookupError
        parts = [child(*inputs) for child in self.children()]
        how = {"training": self.training, "recorded": nbmodule.is_grad_enabled()}
        return {**how, "inputs": inputs, **({"parts": parts} if parts else {})}


class Stubborn(Probe):
    """A Probe that is in training mode whatever it is told, unless it is switched by hand."""

    def train(self, mode: bool = True) -> Any:
        """Choose True."""
        self.training = True
        return self


def probe(*hands: bool | None, kind: type[Probe] = Probe) -> Probe:
    """Return a model of four, whose modes are set by hand: itself, a part, a part of that one, another part."""
    deep = kind()
    middle, last = Probe(deep), Probe()
    model = Probe(middle, last)
    for module, mode in zip((model, middle, deep, last), hands, strict=False):
        if mode is not None:
            module.training = mode
    return model


def asked(make: Callable[[], nn.Module], *inputs: Any) -> Callable[[Any], Any]:
    """Return a use of `evaluate`: what it gives for a new model."""
    return lambda evaluate: evaluate(make(), *inputs)


def modes_after(make: Callable[[], nn.Module], *inputs: Any) -> Callable[[Any], Any]:
    """Return a use of `evaluate`: what it raised, if anything, and in which mode every Module is afterwards."""

    def use(evaluate: Any) -> dict[str, Any]:
        model = make()
        error = attempt(lambda: evaluate(model, *inputs)).error
        modes = {name or "model": module.training for name, module in model.named_modules()}
        return {"raised": type(error).__name__, **modes} if error is not None else modes

    return use


def trained_after(make: Callable[[], nn.Module], *inputs: Any) -> Callable[[Any], Any]:
    """Return a use of `evaluate`: which Parameters require a gradient afterwards."""

    def use(evaluate: Any) -> list[str]:
        model = make()
        evaluate(model, *inputs)
        return [name for name, param in model.named_parameters() if param.requires_grad]

    return use
