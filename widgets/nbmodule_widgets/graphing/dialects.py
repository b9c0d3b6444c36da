"""How the nodes of a library are asked: PyTorch's, nbmodule's, and those of readers' own tensors.

Two kinds of graph are in use. In the first a tensor has a `grad_fn`, a node with `next_functions`; PyTorch, nbmodule and
those who follow them do it so. In the second the tensors themselves are the nodes, each with a set of those it was made
from (`_prev`, `parents`) and the name of the operation (`_op`), as micrograd does it.
"""

from __future__ import annotations

import sys
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

_PARENTS = ("_prev", "parents", "_parents", "prev", "_children", "children", "inputs")
_OPERATIONS = ("_op", "op", "operation")
_MOST_ARGUMENTS = 10_000

Edge = tuple[Any, int]


class Dialect:
    """PyTorch's protocol: `grad_fn`, `next_functions`, `name()`, `variable`.

    Attributes:
        library: `"torch"`, `"nbmodule"`, or the empty string.
    """

    library = ""

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

    def name(self, node: Any) -> str:
        """What the library calls the operation."""
        said = attempt(lambda: plain_text(node.name())) if _has(node, "name") else None
        return said.value if said is not None and said.value else class_name(node)

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
        found = []
        for name in _saved_names(type(node)):
            said = read(node, name)
            found.append((name.removeprefix("_saved_"), said.value, said.problem))
        return found

    def hooks(self, node: Any) -> tuple[str, ...]:
        """Names of the hooks on the node, as far as they can be seen."""
        return ()

    def value(self, node: Any) -> object | None:
        """The tensor that the node is or made, if the node itself holds it."""
        return self.leaf(node)

    def said(self, node: Any) -> str:
        """Anything that a reader should know about this node."""
        return ""


class EngineDialect(Dialect):
    """What PyTorch and nbmodule have in common.

    Args:
        library: Name of the library, which has been imported.
    """

    def __init__(self, library: str) -> None:
        self.library = library
        self.module: Any = sys.modules[library]

    def start(self, tensor: Any) -> Edge | None:
        """The node that made the tensor and which of its outputs that is; None if it has no graph."""
        if not tensor.requires_grad:
            return None
        edge = self.module.autograd.graph.get_gradient_edge(tensor)
        return edge.node, edge.output_nr

    def edges(self, node: Any) -> list[Edge]:
        """`(node or None, output)` for each argument of the operation."""
        return list(node.next_functions)

    def name(self, node: Any) -> str:
        """What the library calls the operation."""
        return type(node).__name__

    def leaf(self, node: Any) -> object | None:
        """The tensor for which this node accumulates the gradient; None for an operation."""
        return getattr(node, "variable", None) if type(node).__name__ == "AccumulateGrad" else None

    def gradients(self, tensors: list[Any], starts: list[Any], leaves: list[Any]) -> Any:
        """The gradients of the leaves, by the library's own backward pass, which keeps the graph."""
        return self.module.autograd.grad(
            tensors, leaves, starts, retain_graph=True, allow_unused=True
        )

    def ones_like(self, tensor: Any) -> Any:
        """A gradient of ones to start from."""
        return self.module.ones_like(tensor.detach())

    def is_tensor(self, obj: object) -> bool:
        """Whether this is a tensor of the library."""
        return issubclass(type(obj), self.module.Tensor)


class TorchDialect(EngineDialect):
    """What only PyTorch's nodes tell."""

    def __init__(self) -> None:
        super().__init__("torch")

    def made(self, node: Any) -> list[tuple[tuple[int, ...] | None, str]]:
        """`(shape, dtype)` of each tensor that the operation made."""
        said = attempt(lambda: [(tuple(m.shape), str(m.dtype)[6:]) for m in node._input_metadata])
        return said.value or []

    def age(self, node: Any) -> float:
        """The sequence number that the engine's queue goes by."""
        return attempt(node._sequence_nr).value or 0

    def saved(self, node: Any) -> list[tuple[str, Any, str]]:
        """What the node saved, also for a custom Function."""
        found = super().saved(node)
        if class_attribute(node, "saved_tensors") is not None:
            found += _of_function(node)
        return found

    def hooks(self, node: Any) -> tuple[str, ...]:
        """The hooks of a leaf; PyTorch does not show those of other nodes."""
        leaf = self.leaf(node)
        if leaf is None:
            return ()
        registered = (
            read(leaf, "_backward_hooks").value,
            read(leaf, "_post_accumulate_grad_hooks").value,
        )
        return tuple(hook_name(h) for hooks in registered for h in list((hooks or {}).values()))

    def said(self, node: Any) -> str:
        """What is special about custom Functions and writes to views."""
        if class_attribute(node, "saved_tensors") is not None:
            return "a custom autograd.Function: its backward() is Python code"
        return _SPECIAL.get(type(node).__name__, "")


class NbmoduleDialect(EngineDialect):
    """What only nbmodule's nodes tell."""

    def __init__(self) -> None:
        super().__init__("nbmodule")
        engine = sys.modules["nbmodule._engine.graph"]
        self._port, self._shared = engine.Port, engine.Shared

    def is_shared(self, node: Any) -> bool:
        """Whether the node has several outputs."""
        return isinstance(node, self._shared)

    def made(self, node: Any) -> list[tuple[tuple[int, ...] | None, str]]:
        """`(shape, dtype)` of what the operation made, where that is one tensor."""
        if self.is_shared(node):
            return []
        said = attempt(lambda: [(tuple(node.shape), str(node.dtype))])
        return said.value or []

    def port(self, node: Any, slot: int) -> tuple[tuple[int, ...], str] | None:
        """`(shape, dtype)` of an argument that is one of several outputs of the operation before."""
        edges = [node.edges[place] for place in self.places(node)]
        edge: Any = edges[slot] if slot < len(edges) else None
        return (tuple(edge.shape), str(edge.dtype)) if type(edge) is self._port else None

    def places(self, node: Any) -> list[int]:
        """For each of `next_functions` its place among the node's `edges`: numbers are left out there."""
        edges = node.edges
        if len(edges) == len(node.next_functions):
            return list(range(len(edges)))
        return [i for i, s in enumerate(node.storages[: len(edges)]) if s is not None]

    def age(self, node: Any) -> float:
        """When the node was born."""
        return getattr(node, "birth", 0)

    def saved(self, node: Any) -> list[tuple[str, Any, str]]:
        """What the node saved, under PyTorch's names."""
        if class_attribute(node, "saved_tensors") is not None:
            return _of_function(node)
        found = []
        for name in ("self", "other", "exponent", "weight", "result"):
            if name == "weight" and any(entry[0] == "other" for entry in found):
                continue
            said = attempt(getattr, node, f"_saved_{name}")
            if not said.problem:
                found.append((name, said.value, ""))
            elif not said.problem.startswith("AttributeError"):
                return [("saved values", None, said.problem)]
        return found

    def hooks(self, node: Any) -> tuple[str, ...]:
        """All hooks, whoever registered them."""
        notes = getattr(node, "notes", None)
        if notes is None:
            return ()
        kinds = (notes.arrived, notes.before, notes.after, notes.accumulated)
        names = [hook_name(hook) for hooks in kinds for hook in list(hooks.values())]
        return (*names, *(("retain_grad()",) if notes.retained is not None else ()))

    def said(self, node: Any) -> str:
        """What is special about custom Functions and writes to views."""
        if class_attribute(node, "saved_tensors") is not None:
            return "a custom autograd.Function: its backward() is Python code"
        return _SPECIAL.get(type(node).__name__, "")


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


_SPECIAL = {
    "CopySlices": "written in place to a view: the gradient of what was overwritten is cut out",
    "UndefinedGradBackward0": "an operation whose gradient is not defined",
}


def dialect_of(tensor: object) -> Dialect | None:
    """How to ask the graph of this tensor; None if the object has none."""
    for library, made in (("torch", TorchDialect), ("nbmodule", NbmoduleDialect)):
        base = getattr(sys.modules.get(library), "Tensor", None)
        if isinstance(base, type) and issubclass(type(tensor), base):
            return made()
    own = own_dict(tensor)
    if "grad_fn" in own or class_attribute(tensor, "grad_fn") is not None:
        return Dialect()
    for name in _PARENTS:
        if name in own or class_attribute(tensor, name) is not None:
            value = read(tensor, name).value
            if issubclass(type(value), (tuple, list, set, frozenset)):
                return ParentsDialect(name)
    return None


def hook_name(hook: object) -> str:
    """The name of a function that was registered as a hook."""
    said = read(hook, "__qualname__").value
    return (
        plain_text(said).rpartition("<locals>.")[2]
        if issubclass(type(said), str)
        else class_name(hook)
    )


def _is_tensor(node: object) -> bool:
    """Whether a tensor stands in the place of a node, as a leaf does in readers' own graphs."""
    own = own_dict(node)
    return "next_functions" not in own and class_attribute(node, "next_functions") is None


def _has(obj: object, name: str) -> bool:
    return name in own_dict(obj) or class_attribute(obj, name) is not None


_KNOWN_NAMES: dict[type, tuple[str, ...]] = {}


def _saved_names(cls: type) -> tuple[str, ...]:
    """The `_saved_…` attributes of a class of nodes, without the sizes that go with them."""
    if cls not in _KNOWN_NAMES:
        names = attempt(dir, cls).value or []
        _KNOWN_NAMES[cls] = tuple(
            name for name in names if name.startswith("_saved_") and "_sym_" not in name
        )
    return _KNOWN_NAMES[cls]


def _of_function(node: Any) -> list[tuple[str, Any, str]]:
    said = attempt(lambda: node.saved_tensors)
    if said.problem:
        return [("saved_tensors", None, said.problem)]
    values: Iterable[Any] = said.value or ()
    return [(f"saved_tensors[{number}]", value, "") for number, value in enumerate(values)]
