"""What the checks of part D use: lines about tensors of the reader's own, and small graphs made of their operators."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .lines import compiled, used_in, vocabulary

VALUES = {
    "a": "Tensor(3.0, requires_grad=True)",
    "b": "Tensor(2.0, requires_grad=True)",
    "c": "Tensor(5.0)",
    "f": "Tensor(np.ones(2, np.float32), requires_grad=True)",
    "v": "Tensor([1.0, -2.0, 4.0], requires_grad=True)",
    "w": "Tensor([0.5, 3.0, -1.0], requires_grad=True)",
    "M": "Tensor([[1.0, -2.0], [3.0, 0.5]], requires_grad=True)",
    "N": "Tensor([[2.0, 1.0], [-1.0, 4.0]], requires_grad=True)",
}
"""The tensors that a line can use, by name; each line gets new ones."""

_MEANING = {
    "slopes": "`slopes(y, a, b)` calls `y.backward()`, with 1, 2, 3, … if y has several numbers, and lists the `grad` of a and b",
    "calls": "`calls(n)` doubles a tensor n times, calls `backward`, and tells how often a vjp was called at most",
    "tree": "`tree` follows `next_functions`",
    "vjps": "`vjps` calls those of the node with this gradient",
    "shaped": "`shaped` is a leaf that holds 1, 2, 3, … in this shape",
    "gap": "`gap` is the largest difference between the gradients and central differences",
    "tried": "`tried` names the exception",
}


def value_of(text: str, given: Any) -> Any:
    """Return what a line gives, in plain Python; `given` is what makes a tensor."""
    before, last = compiled(text)
    used = used_in(before) | used_in(last)
    names: dict[str, Any] = {"Tensor": given, "np": np, **_words(given)}
    if "Node" in used:
        names["Node"] = node_class_of(given)
    for name in VALUES.keys() & used:
        names[name] = eval(VALUES[name], names)
    leaves = {id(names[name]): name for name in VALUES.keys() & used}
    names["tree"] = lambda t: _tree(t._node(), leaves)
    with np.errstate(
        all="ignore"
    ):  # NumPy shows a warning once, and the next run must look the same
        exec(before, names)
        return told(eval(last, names), given, leaves)


uses = vocabulary(
    {name: f"`{name}` is `{made}`" for name, made in VALUES.items()} | _MEANING, value_of
)


def node_class_of(given: Any) -> Any:
    """Return the class `Node` that stands beside a `Tensor`."""
    known = getattr(given._node, "__globals__", {}).get("Node")
    return known or type(given(1.0, requires_grad=True)._node())


def told(value: Any, given: Any, leaves: dict[int, str]) -> Any:
    """Return a value in plain Python: numbers with their dtype, a node by its name."""
    if type(value).__module__ == "numpy":
        return ndarray((value.tolist(), str(value.dtype)))
    if isinstance(given, type) and isinstance(value, given):
        data: Any = np.asarray(value.data)
        return leaves.get(id(value)) or Tensor((data.tolist(), str(data.dtype)))
    if isinstance(value, list | tuple):
        return type(value)(told(item, given, leaves) for item in value)
    if not hasattr(value, "next_functions"):
        return value
    return f"{'' if value.variable is None else 'the node of '}{_tree(value, leaves)}"


class ndarray(tuple):  # its name is what a report says
    """An array in plain Python: its numbers and its dtype."""

    def __repr__(self) -> str:
        return f"array({self[0]}, {self[1]})"


class Tensor(tuple):
    """A tensor of the reader's in plain Python: its numbers and their dtype."""

    def __repr__(self) -> str:
        return f"Tensor({self[0]}, {self[1]})"


def _tree(node: Any, leaves: dict[int, str], depth: int = 6) -> str:
    """Return the graph below a node as a text, such as "MulBackward0(a, b)"."""
    if node is None:
        return "None"
    if node.variable is not None:
        return leaves.get(id(node.variable), "a leaf")
    below = [_tree(each, leaves, depth - 1) for each, _ in node.next_functions] if depth else ["…"]
    return f"{node.name()}({', '.join(below)})"


def _words(given: Any) -> dict[str, Any]:
    """Return what lines can call."""

    def slopes(result: Any, *leaves: Any) -> list[Any]:
        if result.shape:
            result.backward(given(_counted(tuple(result.shape))))
        else:
            result.backward()
        return [None if leaf.grad is None else leaf.grad.data.tolist() for leaf in leaves]

    def vjps(result: Any, gradient: Any) -> list[Any]:
        node, g = result.grad_fn, np.array(gradient)
        pairs = zip(node.next_functions, node.vjps, strict=True)
        return [None if edge[0] is None else np.asarray(vjp(g)).tolist() for edge, vjp in pairs]

    def gap(function: Callable[[], Any], *leaves: Any) -> float:
        function().backward()
        gaps = [leaf.grad.data - numeric_gradient(function, leaf) for leaf in leaves]
        return round(max(float(abs(each).max()) for each in gaps), 4)

    def tried(call: Callable[[], Any]) -> str:
        try:
            call()
        except Exception as error:
            return type(error).__name__
        return "no error"

    def calls(times: int) -> int:
        counted = [0] * times

        def counting(place: int) -> Callable[[Any], Any]:
            def vjp(g: Any) -> Any:
                counted[place] += 1
                return g

            return vjp

        result = given(1.0, requires_grad=True)
        for place in range(times):
            result = given(1.0)._record("Doubled", [result, result], [counting(place)] * 2)
        result.backward()
        return max(counted)

    def shaped(*shape: int) -> Any:
        return given(_counted(shape), requires_grad=True)

    return {
        "slopes": slopes,
        "vjps": vjps,
        "gap": gap,
        "tried": tried,
        "shaped": shaped,
        "calls": calls,
    }


def numeric_gradient(function: Callable[[], Any], leaf: Any, step: float = 1e-6) -> Any:
    """Return the gradient of `function()` for `leaf` by central differences."""
    found = np.zeros(leaf.shape)
    for place in np.ndindex(leaf.shape):
        kept = leaf.data[place]
        ends = []
        for sign in (1, -1):
            leaf.data[place] = kept + sign * step
            ends.append(function().item())
        leaf.data[place] = kept
        found[place] = (ends[0] - ends[1]) / (2 * step)
    return found


def _counted(shape: Sequence[int]) -> Any:
    return np.arange(1.0, np.prod(shape, dtype=int) + 1).reshape(shape)


def small_graphs(steps: Sequence[str], leaves: str, count: int, end: str = "{0}") -> list[str]:
    """Return lines that build random graphs of one to four operations and list the gradients, the shortest first.

    Args:
        steps: operations, such as "{0} * {1}".
        leaves: the names of the tensors to begin with.
        count: how many.
        end: what is done to the last result, such as "{0}.sum()".
    """
    chance, found = random.Random(count), []
    for number in range(count):
        known, lines = list(leaves), []
        for name in "xyzq"[: 1 + number % 4]:
            first, second = known[-1] if lines else chance.choice(known), chance.choice(known)
            lines.append(f"{name} = {chance.choice(steps).format(first, second)}")
            known.append(name)
        learned = ", ".join(leaf for leaf in leaves if "requires_grad" in VALUES[leaf])
        found.append("; ".join([*lines, f"slopes({end.format(known[-1])}, {learned})"]))
    return sorted(dict.fromkeys(found), key=lambda text: (text.count(";"), len(text)))
