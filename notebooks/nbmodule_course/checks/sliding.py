"""What the checks of chapter 18 use: small images, kernels, and lines that slide one over the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..mine.carried import carried_by
from ..referee.solutions import solution_class
from ..referee.world import slots_of
from . import tapes
from .lines import compiled, tried, vocabulary

_MEANING = {
    "image": "`image` is an array of this shape, with whole numbers from -5 to 5",
    "picture": "`picture` is a Tensor of this shape, with whole numbers from -5 to 5; it requires a gradient",
    "filters": "`filters` is a Tensor like `picture`",
    "fixed": "`fixed` is a Tensor that doesn't require a gradient",
    "slopes": "`slopes(y, x)` calls `y.backward()` with 1, 2, 3, …, and gives the numbers of y and the `grad` of x",
    "filled": "`filled` makes the Parameters Tensors of the tape, with whole numbers",
    "taped": "`taped` makes this layer on the tape, as `mine.on_my_tape()` does: its Parameters are Tensors of the tape from the beginning",
    "spread": "`spread` tells between which numbers they are",
    "nodes": "`nodes` follows `next_functions`",
    "tried": "`tried` names the exception",
}
_ARRAYS = ("places", "windows", "convolve", "fold", "conv2d_input", "conv2d_weight", "sources")


def _value_of(text: str, given: Any) -> Any:
    before, last = compiled(text)
    names = {"np": np, "image": _image, "tried": tried}
    if isinstance(given, type):
        names |= _on_tape(given)
    else:  # the other functions of the exercise are beside the first one
        names |= {name: given.__globals__.get(name) for name in _ARRAYS}
    names[given.__name__] = given
    exec(before, names)
    return told(eval(last, names))


uses = vocabulary(_MEANING, _value_of)


class array(tuple):  # its name is what a report says
    """An array in plain Python: its numbers, its shape, and what kind of numbers."""

    def __repr__(self) -> str:
        kind = "" if self[2] in ("float64", "integers") else f", {self[2]}"
        return f"array({self[0]}{kind})"


def told(value: Any) -> Any:
    """Return a value in plain Python."""
    if isinstance(value, list | tuple):
        return type(value)(map(told, value))
    if not isinstance(value, np.ndarray):
        return value
    kind = "integers" if value.dtype.kind in "iu" else str(value.dtype)
    return array((value.tolist(), value.shape, kind))


def numbers(shape: tuple[int, ...], salt: int = 7) -> Any:
    """Return whole numbers without a pattern that a mirror or a turn would keep."""
    count = np.arange(1.0, np.prod(shape, dtype=int) + 1)
    return ((count * count * 3 + count * salt) % 11 - 5).reshape(shape)


def _image(*shape: int, dtype: str = "float64") -> Any:
    made = numbers(shape).astype(dtype)
    made.flags.writeable = False  # an image that is handed in stays as it is
    return made


# ---- on the tape


def _on_tape(given: type) -> dict[str, Any]:
    """Return the names for lines about Tensors, or about a layer that computes with them."""
    Tensor = given if "Tensor" in given.__name__ else _tensor_of(given)

    def leaf(*shape: int, salt: int, learns: bool = True, dtype: str = "float64") -> Any:
        return Tensor(numbers(shape, salt).astype(dtype), requires_grad=learns)

    def slopes(result: Any, *leaves: Any) -> list[Any]:
        result.backward(Tensor(numbers(tuple(result.shape), 4).astype(result.data.dtype)))
        grads = [None if each.grad is None else each.grad.data for each in leaves]
        return [np.array(result.data), *grads]

    def filled(layer: Any) -> Any:
        for name, value in (drawer := slots_of(layer)["_parameters"]).items():
            if value is not None:
                drawer[name] = Tensor(numbers(tuple(value.shape), 2), requires_grad=True)
        return layer

    return {
        "picture": lambda *shape, **more: leaf(*shape, salt=7, **more),
        "filters": lambda *shape, **more: leaf(*shape, salt=5, **more),
        "fixed": lambda *shape, **more: leaf(*shape, salt=5, learns=False, **more),
        "nodes": lambda result: tapes.told(result.grad_fn, Tensor, {}),
        "slopes": slopes, "filled": filled, "taped": lambda *a, **more: _taped(given, filled, *a, **more), "spread": _spread, "Tensor": Tensor,
    }  # fmt: skip


def _taped(layer: type, filled: Callable[[Any], Any], *given: Any, **more: Any) -> Any:
    """Return a layer of the reader's on their tape; what isn't carried has its Parameters replaced."""
    mine = carried_by(layer)
    if mine is None or "Tensor" not in mine.own_layers:
        return filled(layer(*given, **more))
    return getattr(mine.on_my_tape(), layer.__name__)(*given, **more)


def _tensor_of(layer: type) -> Any:
    """Return the reader's Tensor if it convolves, otherwise ours."""
    names = getattr(getattr(layer, "forward", None), "__globals__", {})
    known = names.get("Tensor")
    return known if hasattr(known, "conv2d") else solution_class("18.5", "Tensor")


def _spread(values: Any) -> str:
    """Return between which numbers the `values` are, and how they are distributed."""
    low, high = values.min().item(), values.max().item()
    even = abs(2 * values.abs().mean().item() - high) < 0.1 * high
    return f"{low:.2f} to {high:.2f}, {'uniformly' if even else 'not uniformly'}"
