"""How the nodes of PyTorch and of nbmodule are asked, and which dialect a tensor's graph speaks."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from typing import Any

from nbmodule_widgets.facts.glance import dtype_name
from nbmodule_widgets.facts.hooks import hook_name
from nbmodule_widgets.graphing.dialects import PARENTS, Dialect, Edge, ParentsDialect, saved_names
from nbmodule_widgets.graphing.packed import PACKED, has_unpack_hook, is_packed
from nbmodule_widgets.protocol import (
    attempt,
    class_attribute,
    own_dict,
    plain_text,
    read,
)

RETAINS = "retain_grad()"
"""How a tensor that keeps its gradient though it is no leaf is listed among the hooks of its node."""


class EngineDialect(Dialect):
    """What PyTorch and nbmodule have in common.

    Args:
        library: Name of the library, which has been imported.
    """

    def __init__(self, library: str) -> None:
        self.library = library
        self.module: Any = sys.modules[library]

    def start(self, tensor: Any) -> Edge | None:
        """The node that made the tensor and which of its outputs that is; None if it has no graph.

        Nor has one a view whose base was written to where the library forbids it: asked for its graph, it raises.
        """
        if not tensor.requires_grad:
            return None
        # A view whose base was written to may refuse to say where it comes from.
        said = attempt(self.module.autograd.graph.get_gradient_edge, tensor)
        return None if said.problem else (said.value.node, said.value.output_nr)

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
        said = attempt(lambda: [(tuple(m.shape), _dtype(m.dtype)) for m in node._input_metadata])
        return said.value or []

    def age(self, node: Any) -> float:
        """The sequence number that the engine's queue goes by."""
        return attempt(node._sequence_nr).value or 0

    def saved(self, node: Any) -> list[tuple[str, Any, str]]:
        """What the node saved, also for a custom Function; what a hook has packed stays packed."""
        found = []
        for name in saved_names(type(node)):
            if has_unpack_hook(node, f"_raw{name}"):
                found.append((name.removeprefix("_saved_"), None, PACKED))
                continue
            said = read(node, name)
            found.append((name.removeprefix("_saved_"), said.value, said.problem))
        if class_attribute(node, "saved_tensors") is not None:
            packed = is_packed(node)
            found += [("saved_tensors", None, PACKED)] if packed else _of_function(node)
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
        said = attempt(lambda: [(tuple(node.shape), dtype_name(node.dtype))])
        return said.value or []

    def port(self, node: Any, slot: int) -> tuple[tuple[int, ...], str] | None:
        """`(shape, dtype)` of an argument that is one of several outputs of the operation before."""
        edges = [node.edges[place] for place in self.places(node)]
        edge: Any = edges[slot] if slot < len(edges) else None
        return (tuple(edge.shape), dtype_name(edge.dtype)) if type(edge) is self._port else None

    def places(self, node: Any) -> list[int]:
        """For each of `next_functions` its place among the node's `edges`: numbers are left out there."""
        edges = node.edges
        if len(edges) == len(node.next_functions):
            return list(range(len(edges)))
        return [i for i, s in enumerate(node.storages[: len(edges)]) if s is not None]

    def function(self, node: Any) -> str:
        """The function whose vjps the node holds: several share a name, as a linear layer does with `addmm`."""
        for vjp in read(node, "vjps").value or ():
            if callable(vjp):
                return plain_text(getattr(vjp, "__qualname__", "")).partition(".")[0]
        return ""

    def age(self, node: Any) -> float:
        """When the node was born."""
        return getattr(node, "birth", 0)

    def saved(self, node: Any) -> list[tuple[str, Any, str]]:
        """What the node saved, under PyTorch's names."""
        if class_attribute(node, "saved_tensors") is not None:
            return _of_function(node)
        found = []
        second = "exponent" if type(node).__name__.startswith("Pow") else "other"
        for name in ("self", second, "result"):
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
        return (*names, *((RETAINS,) if notes.retained is not None else ()))

    def said(self, node: Any) -> str:
        """What is special about custom Functions and writes to views."""
        if class_attribute(node, "saved_tensors") is not None:
            return "a custom autograd.Function: its backward() is Python code"
        return _SPECIAL.get(type(node).__name__, "")


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
    for name in PARENTS:
        if name in own or class_attribute(tensor, name) is not None:
            value = read(tensor, name).value
            if issubclass(type(value), (tuple, list, set, frozenset)):
                return ParentsDialect(name)
    return None


def _of_function(node: Any) -> list[tuple[str, Any, str]]:
    said = attempt(lambda: node.saved_tensors)
    if said.problem:
        return [("saved_tensors", None, said.problem)]
    values: Iterable[Any] = said.value or ()
    return [(f"saved_tensors[{number}]", value, "") for number, value in enumerate(values)]


@cache
def _dtype(kind: Any) -> str:
    """`"float32"` for `torch.float32`; there are few types, and a graph asks ten thousand times."""
    return str(kind).removeprefix("torch.")
