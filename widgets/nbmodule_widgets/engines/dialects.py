"""How the nodes of readers' own tensors are asked; what PyTorch and nbmodule add stands in `torch` and `ours`.

Two kinds of graph are in use. In the first a tensor has a `grad_fn`, a node with `next_functions`; PyTorch, nbmodule and
those who follow them do it so. In the second the tensors themselves are the nodes, each with a set of those it was made
from (`_prev`, `parents`) and the name of the operation (`_op`), as micrograd does it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np

from nbmodule_widgets.protocol import (
    as_text,
    attempt,
    class_attribute,
    class_name,
    own_dict,
    plain_text,
    read,
)

PARENTS = ("_prev", "parents", "_parents", "prev", "_children", "children", "inputs")
_OPERATIONS = ("_op", "op", "operation")
_MOST_ARGUMENTS = 10_000

Edge = tuple[Any, int]


class Dialect:
    """PyTorch's protocol: `grad_fn`, `next_functions`, `name()`, `variable`.

    Attributes:
        library: `"torch"`, `"nbmodule"`, or the empty string.
        carries: Whether gradients flow back along its edges.
    """

    library = ""
    carries = True

    def start(self, tensor: object) -> Edge | None:
        """The node that made the tensor and which of its outputs that is; None if it has no graph."""
        node = read(tensor, "grad_fn").value
        if node is not None:
            return node, 0
        wants = read(tensor, "requires_grad").value
        return (tensor, 0) if type(wants) is bool and wants else None

    def edges(self, node: Any) -> list[Edge]:
        """`(node or None, output)` for each argument of the operation."""
        if _is_tensor(node):
            return []
        said = attempt(lambda: list(islice(node.next_functions, _MOST_ARGUMENTS)))
        found: list[Edge] = []
        for entry in said.value or ():
            pair = type(entry) is tuple and len(entry) == 2 and type(entry[1]) is int
            source, output = entry if pair else (entry, 0)
            known = _has(source, "next_functions") or _has(source, "requires_grad")
            found.append((source if known else None, output))
        return found

    def slots(self, node: Any) -> Iterable[tuple[int, Edge]]:
        """The edges with the argument that each stands for."""
        return enumerate(self.edges(node))

    def name(self, node: Any) -> str:
        """What the library calls the operation."""
        said = attempt(lambda: plain_text(node.name())) if _has(node, "name") else None
        return said.value if said is not None and said.value else class_name(node)

    def function(self, node: Any) -> str:
        """Which function computed it, where the name does not tell; otherwise the empty string."""
        return ""

    def leaf(self, node: Any) -> object | None:
        """The tensor for which this node accumulates the gradient; None for an operation."""
        if _is_tensor(node):
            return node
        return read(node, "variable").value if _has(node, "variable") else None

    def made(self, node: Any) -> list[tuple[tuple[int, ...] | None, str]]:
        """`(shape, dtype)` of each tensor that the operation made, as far as the node knows."""
        return []

    def age(self, node: Any) -> float:
        """A number that is larger for nodes that were made later; 0 where it is not known."""
        return 0

    def saved(self, node: Any) -> list[tuple[str, Any, str]]:
        """`(name, value, problem)` of what the node saved for the backward pass."""
        found = [] if self.library else saved_by_readers(node)
        for name in saved_names(type(node)):
            said = read(node, name)
            found.append((name.removeprefix("_saved_"), said.value, said.problem))
        return found

    def hooks(self, node: Any) -> tuple[Any, ...]:
        """The hooks on the node, as far as they can be seen; a text stands for what is no function."""
        return ()

    def hook_tables(self, leaf: Any) -> tuple[Any, Any]:
        """The dictionaries of hooks on a leaf: on its gradient, and for when that is added up; None where there is none."""
        names = ("_backward_hooks", "_post_accumulate_grad_hooks")
        gradient, accumulated = (read(leaf, name).value for name in names)
        return gradient, accumulated

    def is_packed(self, node: Any) -> bool:
        """Whether a hook would run if what the node saved were read."""
        return False

    def is_shared(self, node: Any) -> bool:
        """Whether the node has several outputs, and does not know their shapes."""
        return False

    def port(self, node: Any, slot: int) -> tuple[tuple[int, ...], str] | None:
        """`(shape, dtype)` of an argument that is one of several outputs of the operation before."""
        return None

    def is_tensor(self, obj: object) -> bool:
        """Whether this may be a tensor whose graph speaks this dialect."""
        return True

    def value(self, node: Any) -> object | None:
        """The tensor that the node is or made, if the node itself holds it."""
        return self.leaf(node)

    def said(self, node: Any) -> str:
        """Anything that a reader should know about this node."""
        return ""


class ParentsDialect(Dialect):
    """Tensors that are nodes themselves and know what they were made from.

    Args:
        parents: The attribute that holds those.
    """

    def __init__(self, parents: str) -> None:
        self._parents = parents

    def start(self, tensor: object) -> Edge | None:
        """The tensor itself."""
        return tensor, 0

    def edges(self, node: Any) -> list[Edge]:
        """The tensors that this one was made from."""
        said = attempt(lambda: list(islice(getattr(node, self._parents), _MOST_ARGUMENTS)))
        found = [p for p in said.value or () if _has(p, self._parents)]
        if issubclass(type(read(node, self._parents).value), (set, frozenset)):
            # A set has no order of its own, and that of addresses is another one in each run.
            found.sort(key=lambda p: (self.name(p), as_text(read(p, "data").value)))
        return [(parent, 0) for parent in found]

    def name(self, node: Any) -> str:
        """The name of the operation, or the class of a leaf."""
        for attribute in _OPERATIONS:
            said = read(node, attribute).value
            text = as_text(said) if type(said) in (str, int) or said is not None else ""
            if text and not callable(said):
                return text
        return class_name(node)

    def leaf(self, node: Any) -> object | None:
        """The tensor, if it was made from nothing."""
        return None if self.edges(node) else node

    def value(self, node: Any) -> object | None:
        """Every one of these nodes is its own value, or has it as `data`."""
        if class_attribute(node, "shape") is not None or "shape" in own_dict(node):
            return node
        said = read(node, "data").value
        return (
            attempt(lambda: np.asarray(said, dtype=np.float64)).value if said is not None else None
        )

    def saved(self, node: Any) -> list[tuple[str, Any, str]]:
        """Nothing is saved apart: the tensors themselves are kept."""
        return []


def base_name(name: str) -> str:
    """`"mul"` for `"MulBackward0"`, `"nativelayernorm"` for `"NativeLayerNormBackward0"`."""
    last = name.rpartition("::")[2]
    last = re.sub(r"Backward\d*$", "", last) or last
    return last.replace("_", "").lower()


def _is_tensor(node: object) -> bool:
    """Whether a tensor stands in the place of a node, as a leaf does in readers' own graphs."""
    own = own_dict(node)
    return "next_functions" not in own and class_attribute(node, "next_functions") is None


def _has(obj: object, name: str) -> bool:
    return name in own_dict(obj) or class_attribute(obj, name) is not None


def saved_by_readers(node: Any) -> list[tuple[str, Any, str]]:
    """What a node of a reader's own keeps, if in a list `saved` of objects that hold it as `data` and can `free()` it.

    Their attributes are read, and nothing of the reader's is called: `get()` may refuse, and has the right to. `free()`
    leaves None in `data`, so None tells that it is gone. Of objects of any other kind nothing is known.
    """
    kept: Any = own_dict(node).get("saved")
    found: list[tuple[str, Any, str]] = []
    for number, each in enumerate(kept[:_MOST_ARGUMENTS] if type(kept) in (list, tuple) else ()):
        if "data" in own_dict(each) and class_attribute(each, "free") is not None:
            value = own_dict(each)["data"]
            found.append((f"[{number}]", value, "it has been freed" if value is None else ""))
    return found


_KNOWN_NAMES: dict[type, tuple[str, ...]] = {}


def saved_names(cls: type) -> tuple[str, ...]:
    """The `_saved_…` attributes of a class of nodes, without the sizes that go with them."""
    if cls not in _KNOWN_NAMES:
        names = attempt(dir, cls).value or []
        _KNOWN_NAMES[cls] = tuple(
            name for name in names if name.startswith("_saved_") and "_sym_" not in name
        )
    return _KNOWN_NAMES[cls]
