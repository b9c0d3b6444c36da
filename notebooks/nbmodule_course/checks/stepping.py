"""What the checks of chapter 14 use: lines about Parameters, their gradients, and what an optimizer does to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbmodule import tensor
from nbmodule.nn import Parameter

from .lines import compiled, tried, vocabulary

_MEANING = {
    "p": "`p` is a Parameter, 1 and -2",
    "q": "`q` is a Parameter, 3",
    "n": "`n` is a Tensor as in chapter 12, whose `data` is an array: 1 and -2",
    "trail": "`trail` gives `p` these gradients, one at each step, and lists what `p` becomes",
    "refilled": "`refilled` writes these gradients into one tensor, as `backward` does after `zero_grad(set_to_none=False)`",
    "give": "`give` sets the gradient",
    "tried": "`tried` names the exception",
    "counting": "`counting` makes a subclass whose `update` counts in `state`",
    "tree": "`tree` has two Parameters of its own and two in a child, one of them shared; one has no gradient",
}


def _value_of(text: str, given: type) -> Any:
    before, last = compiled(text)
    names = {given.__name__: given, "tensor": tensor, **_WORDS}
    names |= {
        "p": _parameter(1.0, -2.0),
        "q": _parameter(3.0),
        "n": Tensor([1.0, -2.0], requires_grad=True),
    }
    names["trail"] = lambda optimizer, *grads, of=names["p"]: _trail(optimizer, of, grads)
    names["refilled"] = lambda optimizer, *grads: _refilled(optimizer, names["p"], grads)
    exec(before, names)
    return eval(last, names)


uses = vocabulary(_MEANING, _value_of)


class Tensor:  # the name that errors show
    """A stand-in for the reader's Tensor: `data` is an array, and the gradient is another one of these."""

    is_leaf, grad_fn = True, None

    def __init__(self, data: Any, requires_grad: bool = False) -> None:
        self.data, self.requires_grad = np.asarray(data, dtype=float), requires_grad
        self.grad: Any = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the array."""
        return self.data.shape

    def numpy(self) -> Any:
        """Return the array."""
        return self.data

    def item(self) -> float:
        """Return the only number."""
        return self.data.item()

    def detach(self) -> Tensor:
        """Return a tensor with the same array."""
        return Tensor(self.data)

    def tolist(self) -> list[float]:
        """Return the numbers in lists."""
        return self.data.tolist()


def _parameter(*numbers: float) -> Parameter:
    return Parameter(tensor(list(numbers)).double())


def _give(param: Any, *numbers: float) -> None:
    """Set the gradient to these numbers."""
    own = isinstance(param, Tensor)
    param.grad = Tensor(numbers) if own else tensor([float(n) for n in numbers]).double()


def _trail(optimizer: Any, param: Any, grads: tuple[float | None, ...]) -> list[list[float]]:
    """Return the numbers of `param` after each step; its second number has half the opposite gradient."""
    found = []
    for grad in grads:
        param.grad = None
        if grad is not None:
            _give(param, grad, -grad / 2)
        optimizer.step()
        found.append(param.tolist())
    return found


def _refilled(optimizer: Any, param: Any, grads: tuple[float, ...]) -> list[list[float]]:
    """Do the same with one gradient that is filled again."""
    _give(param, 0.0, 0.0)
    found = []
    for grad in grads:
        param.grad.copy_(tensor([grad, -grad / 2]))
        optimizer.step()
        found.append(param.tolist())
    return found


def _counting(Optimizer: type) -> type:
    """Return a subclass that moves nothing: `state` counts the steps of each Parameter."""

    def update(self: Any, p: Any, group: Any, state: Any) -> None:
        state["count"] = state.get("count", 0) + group["lr"]

    return type("Counting", (Optimizer,), {"update": update})


def _tree(Module: type) -> Any:
    """Return a Module with Parameters of its own and of a child; all but one have a gradient."""
    model, child = Module(), Module()
    model.a, model.empty = _parameter(1.0), _parameter(2.0)
    child.b, child.shared = _parameter(3.0, 4.0), model.a
    model.child = child
    model.frozen = Parameter(tensor([1.0]), requires_grad=False)
    for param in (model.a, child.b, model.frozen):
        param.grad = tensor([5.0] * len(param)).to(param.dtype)
    return model


def _grads(model: Any) -> list[Any]:
    """Return the gradients of all Parameters, as numbers."""
    return [None if p.grad is None else p.grad.tolist() for p in model.parameters()]


_WORDS = {
    "give": _give, "counting": _counting, "tree": _tree, "grads": _grads,
    "tried": tried,
}  # fmt: skip
