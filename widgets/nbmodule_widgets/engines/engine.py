"""What the adapters of PyTorch and of nbmodule have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from nbmodule_widgets.engines.dialects import Dialect, Edge
from nbmodule_widgets.engines.products import Counted
from nbmodule_widgets.protocol import attempt, class_attribute, own_dict

RETAINS = "retain_grad()"
"""How a tensor that keeps its gradient though it is no leaf is listed among the hooks of its node."""

PACKED = "packed by a saved-tensor hook, as checkpoint does; unpacking would run code, so it stays packed"
"""What is said of such a value."""

DETACHING = ("detach", "detach_", "data")
"""Operations that give a tensor without its graph."""

_SPECIAL = {
    "CopySlices": "written in place to a view: the gradient of what was overwritten is cut out",
    "UndefinedGradBackward0": "an operation whose gradient is not defined",
}


class Heard(NamedTuple):
    """An operation that has run, or has failed.

    Attributes:
        name: What the library calls it: `"addmm"`.
        arguments: What it was given, in order.
        result: What it made; None if it failed.
        error: What it raised.
        recorded: Whether gradients were being recorded.
        roles: The names of the first arguments, as far as the library tells.
        named: What it was given by name.
        written: The tensors that it wrote to.
        fresh: Whether a node may have been recorded for it that no operation was told of before.
    """

    name: str
    arguments: tuple[Any, ...]
    result: Any = None
    error: BaseException | None = None
    recorded: bool = True
    roles: tuple[str, ...] = ()
    named: tuple[Any, ...] = ()
    written: tuple[Any, ...] = ()
    fresh: bool = False


class Memory(NamedTuple):
    """Where the numbers of a tensor lie: two tensors with equal ones are the same numbers under two names.

    Attributes:
        storage: Tells the memory from all other, as long as `Memories` that met it live.
        offset: The place of the first number in it.
        shape: The shape.
        strides: From a number to the next one, for each dimension.
        kind: Of which kind the numbers are.
        item: How many bytes a number takes.
        unit: How many bytes one step of `offset` and `strides` is.
    """

    storage: int
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    kind: Any
    item: int
    unit: int


made_memory: Callable[[tuple[Any, ...]], Memory] = partial(tuple.__new__, Memory)
"""Half the time of `Memory(…)`."""


class Memories:
    """Memories that were met. As long as it lives, each keeps the number that `Memory.storage` gives, and may lose its numbers."""

    def is_new(self, tensor: Any) -> bool:
        """Whether a tensor's memory is met for the first time."""
        raise NotImplementedError


class Recording:
    """What a listener returned for the operations of one library.

    Args:
        listener: Is told of each operation.
    """

    def __init__(self, listener: Callable[[Heard], Any]) -> None:
        self.listener = listener

    def notes(self, nodes: list[Any]) -> dict[int, tuple[Any, bool]]:
        """What was kept of these live nodes, by their `id`, and whether the operation surely is the node's own."""
        raise NotImplementedError


class Engine(Dialect):
    """A library whose tensors have `grad_fn`.

    Args:
        library: The library itself.

    Attributes:
        module: The library.
        plain: The classes of its ordinary tensors.
        computes_in_numpy: Whether the numbers of its tensors lie in NumPy's arrays.
    """

    computes_in_numpy = False

    def __init__(self, library: Any) -> None:
        self.module: Any = library
        self.library = library.__name__
        self.plain: tuple[type, ...] = (library.Tensor, library.nn.Parameter)

    # ------------------------------------------------------------------------------ tensors

    def is_tensor(self, obj: object) -> bool:
        """Whether this is a tensor of the library."""
        return issubclass(type(obj), self.module.Tensor)

    def array(self, tensor: Any) -> np.ndarray | None:
        """The memory of an ordinary tensor on the CPU as an array; None where one has to look more carefully."""
        raise NotImplementedError

    def stamp(self, tensor: Any) -> tuple[int, int] | None:
        """How often the memory of an ordinary tensor was written to, and where it lies; None where that is not told.

        Another stamp says that it was written, the same one says nothing: through `.data` one writes unnoticed.
        """
        try:
            return tensor._version, tensor.data_ptr()
        except Exception:  # made in inference mode, without memory, ...
            return None

    def ones_like(self, tensor: Any) -> Any:
        """A gradient of ones to start from."""
        return self.module.ones_like(tensor.detach())

    def retaining(self, nodes: list[Any]) -> list[Any]:
        """The tensors that keep their gradient though they are no leaves, at least those that these nodes made."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------ the whole program

    def hooks_of_all(self, slot: str) -> Any:
        """The dictionary with the hooks of all Modules of one kind, such as `"_forward_hooks"`; None without one."""
        home = sys.modules.get(f"{self.library}.nn.modules.module")
        return own_dict(home).get(f"_global{slot}")

    def compiling_off(self) -> Callable[[], Any] | None:
        """Lets everything that was compiled run as it was written; returns what ends that."""
        return None

    # ------------------------------------------------------------------------------ operations

    def records(self) -> bool:
        """Whether gradients are being recorded now."""
        return self.module.is_grad_enabled()

    def memory(self, tensor: Any) -> Memory | None:
        """Where the numbers of a tensor lie; None where the library does not say."""
        raise NotImplementedError

    def memories(self) -> Memories:
        """An empty list of memories."""
        raise NotImplementedError

    @contextmanager
    def recording(self, listener: Callable[[Heard], Any]) -> Iterator[Recording]:
        """A block in which a listener is told of every operation."""
        raise NotImplementedError
        yield

    @contextmanager
    def counting(self, listener: Counted) -> Iterator[None]:
        """A block in which a listener is told of every operation, and of how many multiply-adds it took."""
        raise NotImplementedError
        yield

    # ------------------------------------------------------------------------------ the graph

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

    def gradients(
        self, tensors: list[Any], starts: list[Any], leaves: list[Any], nodes: list[Any]
    ) -> Any:
        """The gradients of the leaves, by the library's own backward pass, which keeps the graph.

        Args:
            tensors: Where the pass starts.
            starts: With what.
            leaves: The tensors.
            nodes: The nodes of the graph in which their gradients arrive.
        """
        return self.module.autograd.grad(
            tensors, leaves, starts, retain_graph=True, allow_unused=True
        )

    def sent(self, node: Any, gradients: Any) -> list[Any]:
        """What a node's hook is given as the gradients of its inputs, one for each of its `edges`."""
        return list(gradients)

    def said(self, node: Any) -> str:
        """What is special about custom Functions and writes to views."""
        if class_attribute(node, "saved_tensors") is not None:
            return "a custom autograd.Function: its backward() is Python code"
        return _SPECIAL.get(type(node).__name__, "")


def saved_of_function(node: Any) -> list[tuple[str, Any, str]]:
    """What a custom Function saved."""
    said = attempt(lambda: node.saved_tensors)
    if said.problem:
        return [("saved_tensors", None, said.problem)]
    values: Iterable[Any] = said.value or ()
    return [(f"saved_tensors[{number}]", value, "") for number, value in enumerate(values)]
