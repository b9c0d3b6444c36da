"""What the checks of appendix A use: small layers with known numbers, and lines that look at what they do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any

import nbmodule
from nbmodule import tensor
from nbmodule.nn import Parameter

from ..mine.solutions import OURS
from ..referee.solutions import solution_source
from .lines import compiled, tried, vocabulary

_MEANING = {
    "x": "`x` is a float64 tensor of shape (2, 3, 4)",
    "index": "`index` is tensor([[0, 3, 1], [4, 4, 2]])",
    "numbers": "`numbers` is a float64 tensor of this shape",
    "filled": "`filled` fills the Parameters with known float64 numbers",
    "sees": "`sees` lists for each place of the output which places of the input it depends on",
    "weights": "`weights` is what the layer `dropout` is given",
    "slope": "`slope` is the gradient of the sum of cubes",
    "called": "`called` lists which children were called: those with Parameters, and `dropout`",
    "asked": "`asked` calls `generate` and lists what the model was given each time, in which mode, and whether it was recorded",
    "drawn": "`drawn` seeds, calls `reset_parameters`, and lists the Parameters",
    "modes": "`modes` lists `training` of all Modules",
    "tried": "`tried` names the exception",
}


def _value_of(text: str, given: Any) -> Any:
    before, last = compiled(text)
    names = {given.__name__: given, "index": tensor([[0, 3, 1], [4, 4, 2]]), **_WORDS}
    names["x"] = numbers(2, 3, 4)
    with nbmodule.enable_grad(), _on_our_parts(given):  # whatever the reader's method leaves behind
        exec(before, names)
        return eval(last, names)


uses = vocabulary(_MEANING, _value_of)

_NEEDED = {"Module", "MyLinear", "Dropout"}
_PARTS = {"CausalSelfAttention": "A.1", "MyLayerNorm": "A.2", "Block": "A.3"}


@contextmanager
def _on_our_parts(given: Any) -> Iterator[None]:
    """Let the methods of `given` meet our solutions of its parts, so that no mistake in a part is taken for one of its own."""
    found = (f.__globals__ for f in vars(given).values() if isinstance(f, FunctionType))
    spaces = {id(names): names for names in found if names.keys() >= _NEEDED}.values()
    before = [{name: names[name] for name in _PARTS if name in names} for names in spaces]
    for names, theirs in zip(spaces, before, strict=True):
        ours = _our_parts(names["Module"], names["MyLinear"], names["Dropout"])
        names.update({name: ours[name] for name in theirs if theirs[name] is not given})
    try:
        yield
    finally:
        for names, theirs in zip(spaces, before, strict=True):
            names.update(theirs)


@lru_cache(maxsize=64)
def _our_parts(Module: Any, MyLinear: Any, Dropout: Any) -> dict[str, Any]:
    names = {"math": math, "nbmodule": nbmodule, "Parameter": Parameter, "__name__": OURS}
    names |= {"Module": Module, "MyLinear": MyLinear, "Dropout": Dropout}
    names["mine"] = SimpleNamespace(extend=lambda part: part)
    for exercise_id in _PARTS.values():
        exec(_solution(exercise_id), names)
    return names


@lru_cache
def _solution(exercise_id: str) -> CodeType:
    return compile(solution_source(exercise_id), f"<our solution of {exercise_id}>", "exec")


def numbers(*shape: int, salt: int = 7) -> Any:
    """Return numbers without a pattern that a turn would keep."""
    return _numbers(shape, salt).clone()


@lru_cache(maxsize=256)
def _numbers(shape: tuple[int, ...], salt: int) -> Any:
    count = nbmodule.arange(1.0, 1 + nbmodule.zeros(shape).numel(), dtype=nbmodule.float64)
    return ((count * count * 3 + count * salt) % 11 / 5 - 1).reshape(shape)


def filled(module: Any) -> Any:
    """Fill each Parameter with numbers that depend on its shape and its last names; a shared one once."""
    for name, param in module.named_parameters():
        param.data = numbers(*param.shape, salt=sum(map(ord, name)) % 7 + 2)
    return module


def _sees(module: Any, x: Any) -> list[list[int]]:
    x = x.clone().requires_grad_()
    result, found = module(x), []
    for place in range(result.shape[1]):
        (grad,) = nbmodule.autograd.grad((result[:, place] ** 3).sum(), x, retain_graph=True)
        found.append(grad.abs().amax((0, 2)).nonzero().flatten().tolist())
    return found


def _weights(module: Any, *given: Any) -> Any:
    found: list[Any] = []
    handle = module.dropout.register_forward_pre_hook(lambda _, args: found.append(args[0]))
    module(*given)
    handle.remove()
    return found[0] if len(found) == 1 else f"{len(found)} calls"


def _slope(result: Any, of: Any) -> Any:
    (result**3).sum().backward()
    return of.grad


def _called(module: Any, *given: Any) -> list[str]:
    found: list[str] = []
    for name, child in module.named_children():
        if name != "dropout" and not list(child.parameters()):
            continue
        child.register_forward_hook(lambda *_, name=name: found.append(name))
    module(*given)
    return found


def _asked(model: Any, *given: Any, **more: Any) -> list[Any]:
    found: list[Any] = []
    handle = model.register_forward_hook(
        lambda _, args, scores: found.append(
            [args[0].tolist(), model.training, scores.requires_grad]
        )
    )
    model.generate(*given, **more)
    handle.remove()
    return found


def _drawn(model: Any) -> list[Any]:
    nbmodule.manual_seed(3)
    model.reset_parameters()
    return [param.detach() for param in model.parameters()]


def _modes(model: Any) -> list[bool]:
    return [module.training for module in model.modules()]


_WORDS: dict[str, Any] = {
    "nbmodule": nbmodule, "tensor": tensor, "numbers": numbers, "filled": filled, "sees": _sees, "weights": _weights,
    "slope": _slope, "called": _called, "asked": _asked, "drawn": _drawn, "modes": _modes,
    "tried": tried,
}  # fmt: skip
