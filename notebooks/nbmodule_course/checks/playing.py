"""Small programs on the reader's tape: what the checks of chapter 13 are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any
from weakref import ref

import numpy as np

from .lines import compiled
from .tapes import numeric_gradient

WHO = (
    "a is Tensor([2, 3]) and b is Tensor([4, -5]), W is Tensor([[1, 2], [3, -4]]), and all three require a gradient; "
    "c is Tensor([6, 7]), which doesn't"
)
Uses = dict[str, Callable[[Any], Any]]

# ---- orders of nodes

_MOST = 8  # times that one node may be asked for its `next_functions`


class Holder:
    """What `Node` takes as an input: it has a node, which is made when somebody asks for it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make, self._made = make, ()

    def _node(self) -> Any:
        self._made = self._made or (self._make(),)
        return self._made[0]


def _watched(Node: type) -> type:
    """Return a class of nodes that count how often they are looked at."""

    def read(self: Any) -> Any:
        self.__dict__["looks"] = self.__dict__.get("looks", 0) + 1
        if self.__dict__["looks"] > _MOST:
            raise LookupError(f"`next_functions` of one node was read {_MOST + 1} times")
        return self.__dict__["following"]

    def write(self: Any, following: Any) -> None:
        self.__dict__["following"] = following

    return type("Node", (Node,), {"next_functions": property(read, write)})


def _graphs(Node: type) -> dict[str, Any]:
    """Return the names for programs that make nodes: `y = op("y", a)` and `order(y)`."""
    kind = _watched(Node)

    def op(name: str, *inputs: Holder) -> Holder:
        node = kind(name, list(inputs))
        return Holder(lambda: node)

    def order(holder: Holder) -> list[str]:
        found = holder._node().topological_order()
        if not isinstance(found, list | tuple):
            raise TypeError(f"`topological_order` gave a `{type(found).__name__}`, not a list")
        return [node.name() for node in found]

    def repeated(times: int, twice: bool) -> Holder:
        node = leaf("0")
        for number in range(1, times + 1):
            node = op(str(number), *[node] * (1 + twice))
        return node

    def leaf(name: str) -> Holder:
        return Holder(lambda: kind(name))

    names = {
        "op": op,
        "order": order,
        "a": leaf("a"),
        "b": leaf("b"),
        "const": Holder(lambda: None),
    }
    names["edges"] = lambda holder: [
        (node and node.name(), output) for node, output in holder._node().next_functions
    ]
    names["number"] = lambda holder: holder._node().number
    names["deep"] = lambda layers: repeated(layers, twice=False)
    names["doubled"] = lambda times: repeated(times, twice=True)
    return names


# ---- programs of Tensors


def tensors(Tensor: Any, no_grad: Any) -> dict[str, Any]:
    """Return the names for programs that compute: Tensors, `no_grad`, and what looks at them."""
    pairs = {"a": [2.0, 3.0], "b": [4.0, -5.0], "W": [[1.0, 2.0], [3.0, -4.0]]}
    names: dict[str, Any] = {name: Tensor(data, requires_grad=True) for name, data in pairs.items()}
    names |= {"c": Tensor([6.0, 7.0]), "Tensor": Tensor, "no_grad": no_grad}
    names |= {"ref": ref, "suppress": suppress, "double": double, "bad": _bad}
    return {**names, "said": _said, "agrees": agrees}


def double(x: Any, *, more: Any = 0) -> Any:
    return x * 2 + more


def _bad(x: Any) -> Any:
    raise LookupError(x)


_KNOWN = (
    "Trying to backward through the graph a second time",
    "a leaf Variable that requires grad is being used in an in-place operation",
    "one of the variables needed for gradient computation has been modified by an inplace operation",
    "at version 1; expected version 0",
    "at version 2; expected version 0",
    "at version 2; expected version 1",
)


def _said(call: Callable[[], Any]) -> str:
    """Return which known words the message of an exception holds."""
    try:
        call()
    except RuntimeError as error:
        return (
            " … ".join(words for words in _KNOWN if words in str(error))
            or "a RuntimeError with other words"
        )
    return "nothing"


def agrees(compute: Callable[[], Any], leaf: Any) -> bool:
    """Tell whether `leaf.grad` is what small steps give."""
    compute().backward()
    return bool(np.allclose(numeric_gradient(compute, leaf), leaf.grad.data, atol=1e-4))


# ---- from a text to a use


def uses(texts: Iterable[str], note: str = WHO) -> Uses:
    """Return a use for each text: statements and, behind the last ";", an expression."""
    return {f"{text}  # {note}": lambda given, text=text: _value_of(text, given) for text in texts}


def _value_of(text: str, given: Any) -> Any:
    if given.__name__ == "Node":
        return run(text, _graphs(given))
    recording = getattr(given, "recording", None)
    beside = given._record.__globals__  # where the method finds `no_grad` too
    try:
        return told(run(text, tensors(given, beside.get("no_grad"))))
    finally:
        if recording is not None:  # the next program begins where this one did
            given.recording = recording


def run(text: str, names: dict[str, Any]) -> Any:
    """Run the statements of a program, and return the value of its last expression."""
    before, last = compiled(text)
    exec(before, names)
    return eval(last, names)


def told(value: Any) -> Any:
    """Return a value with plain numbers instead of Tensors."""
    if isinstance(value, list | tuple):
        return type(value)(map(told, value))
    if isinstance(data := getattr(value, "data", None), np.ndarray):
        return data.tolist()
    return value
