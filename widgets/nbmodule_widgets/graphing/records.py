"""What an autograd graph is made of, as frozen records: nodes, edges, groups, the steps of the backward walk.

Nodes stand in forward order: a producer always has a smaller number than what consumes its output, and a leaf stands
right before its first consumer. Groups are therefore stretches of that order, nested like brackets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from nbmodule_widgets.facts.glance import Glance


class GraphNode(NamedTuple):
    """One node of the graph.

    Attributes:
        number: Its place in `GraphFacts.nodes`.
        kind: `"operation"`, `"leaf"` (a gradient is accumulated here), `"input"` (a tensor that takes no
            gradient; known in recorded runs only) or `"failed"` (the operation that raised).
        name: What the library calls it, such as `"MulBackward0"`; for a failed one the function's name.
        word: The same in a word or two: `"multiply"`, `"parameter"`.
        label: The first name of a leaf or an input (`"fc.weight"`); of an operation if it made a result, or if the
            caller has a variable for what it made.
        names: All names of a leaf that is reached under several, or of what an operation made.
        shape: Of the tensor that it made, or that it is; None if unknown.
        dtype: `"float32"`, or the empty string.
        outputs: How many tensors it made.
        group: The innermost group that it lies in.
        value: What it made, where known.
        value_from: Where the value was found: `"leaf"`, `"run"`, `"result"`, `"variable"`, `"saved by …"` or
            `"worked out …"`.
        result: Whether it made one of the tensors that were asked for.
        hooks: Names of the hooks on it, where they can be seen.
        freed: Whether what it saved for the backward pass is gone.
        line: Index into `GraphFacts.lines` of the line that made it, or -1.
        said: Anything else that the reader should know, as a sentence.
        function: Which of the library's functions computed it, where it tells: several share a name.
    """

    number: int
    kind: str
    name: str
    word: str
    label: str = ""
    names: tuple[str, ...] = ()
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    outputs: int = 1
    group: int = 0
    value: Glance | None = None
    value_from: str = ""
    result: bool = False
    hooks: tuple[str, ...] = ()
    freed: bool = False
    line: int = -1
    said: str = ""
    function: str = ""


WROTE = 10_000
"""Edges with such a slot or a larger one come from operations that wrote to the memory of an argument."""


class GraphEdge(NamedTuple):
    """A tensor on its way from the node that made it to one that consumed it.

    Attributes:
        source: The node that made it.
        target: The node that consumed it.
        slot: As which argument; from `WROTE` on it is no argument, but wrote to one since that was made.
        output: Which output of the source it is.
        carries: Whether a gradient flows back along it.
    """

    source: int
    target: int
    slot: int
    output: int
    carries: bool = True


class GraphGroup(NamedTuple):
    """A stretch of nodes that belong together: `first <= number < end`.

    Attributes:
        number: Its place in `GraphFacts.groups`; 0 is the root, which holds everything.
        parent: The group around it, -1 for the root.
        first: Its first node.
        end: One past its last node.
        kind: `"root"`, `"module"` (one call of a module) or `"part"` (a long stretch, folded by count).
        name: What to write on it: the path from the module around it, or `"operations 1-60"`.
        path: Dotted path of the module.
        class_name: Class of the module.
        call: Which call of this module it is, from 1; 0 where it is no module.
    """

    number: int
    parent: int
    first: int
    end: int
    kind: str
    name: str
    path: str = ""
    class_name: str = ""
    call: int = 0


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of the reader's code.

    Attributes:
        file: The file's name without folders; `"<cell>"` for a notebook cell.
        line: Its number, from 1.
        text: The line, without indentation; empty if it is not at hand.
        function: Name of the function that it stands in.
    """

    file: str
    line: int
    text: str
    function: str


@dataclass(frozen=True, slots=True)
class Failure:
    """The operation at which a pass broke off.

    Attributes:
        node: Its node.
        operation: Name of the function: `"matmul"`.
        error: `"RuntimeError: mat1 and mat2 shapes cannot be multiplied"`.
        operands: `(label, shape, dtype)` of the tensors that met there.
        words: The shapes as a formula, `"(4, 8) @ (7, 3)"`.
        path: Path of the module whose `forward` it happened in.
        line: Index into `GraphFacts.lines` of the reader's line, or -1.
    """

    node: int
    operation: str
    error: str
    operands: tuple[tuple[str, tuple[int, ...] | None, str], ...]
    words: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A place in the reader's code where a recorded pass left the graph.

    Attributes:
        what: `"detach()"` or `"no_grad()"`.
        path: The module in whose `forward` it happened.
        line: Index into `GraphFacts.lines`.
    """

    what: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Unreached:
    """The parameters of the known models that are not in the graph.

    Attributes:
        cut: Those that require a gradient: unused, or cut off by `detach()` or `no_grad()`.
        frozen: Those that do not.
        total: How many parameters there are.
    """

    cut: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True)
class SavedFacts:
    """A tensor (or number) that a node saved for the backward pass.

    Attributes:
        name: The library's name for it: `"self"`, `"result"`, `"mat1"`.
        words: What it is, in words.
        glance: Its statistics, if it is a tensor that could be read.
        node: The node of the graph that made it, or -1.
        problem: Why it could not be read, such as that it has been freed.
    """

    name: str
    words: str
    glance: Glance | None = None
    node: int = -1
    problem: str = ""


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One node's turn in the backward walk.

    Attributes:
        number: Which step it is, from 0.
        node: Whose turn it is.
        arrivals: `(edge, gradient)` in order of arrival; edge -1 is the start. Several for the same output
            are added up.
        gradients: What the node was given, one for each of its outputs: the sums, after hooks.
        sent: `(edge, gradient)` for each argument: what the node's vector-Jacobian product made for it.
        words: The step as one sentence.
    """

    number: int
    node: int
    arrivals: tuple[tuple[int, Glance], ...]
    gradients: tuple[Glance | None, ...]
    sent: tuple[tuple[int, Glance | None], ...]
    words: str


@dataclass(frozen=True)
class WalkFacts:
    """The backward walk, step by step in the order in which the engine took it.

    Attributes:
        steps: The steps.
        start: With which gradient it started, in words.
        problem: Why there is no walk, or where it broke; the empty string if all went well.
        failed: The node at which it broke, or -1.
        notes: What else to say.
        dropped: How many gradients are shown by their statistics only, to keep within the budget.
    """

    steps: tuple[WalkStep, ...] = ()
    start: str = ""
    problem: str = ""
    failed: int = -1
    notes: tuple[str, ...] = ()
    dropped: int = 0

    @cached_property
    def gradients(self) -> dict[int, Glance]:
        """The gradient of each node's (first) output, by the node's number."""
        found: dict[int, Glance] = {}
        for step in self.steps:
            known = next((g for g in step.gradients if g is not None), None)
            if known is not None:
                found[step.node] = known
        return found


@dataclass
class Live:
    """The live objects behind the facts, for the walk and for what was saved; nothing else reads them.

    Attributes:
        nodes: The library's node behind each `GraphNode`; None where there is none.
        results: The tensors that were asked for.
        dialect: How the library's nodes are asked.
        numbers: `id` of a live node -> number.
        models: The Modules whose parameters are among the leaves, as far as they are known.
    """

    nodes: list[Any] = field(default_factory=list)
    results: tuple[Any, ...] = ()
    dialect: Any = None
    numbers: dict[int, int] = field(default_factory=dict)
    models: tuple[Any, ...] = ()


@dataclass(frozen=True)
class GraphFacts:
    """An autograd graph.

    Attributes:
        nodes: In forward order.
        edges: Sorted by target and slot.
        groups: The root first, every group after the one around it.
        lines: The reader's source lines that made operations.
        results: The nodes that made what was asked for.
        label: What it is the graph of.
        library: `"torch"`, `"nbmodule"`, or the empty string for a reader's own tensors.
        recorded: Whether the pass ran under our eyes.
        grouped_by: `"run"`, `"parameters"` (a guess from their names) or the empty string.
        failure: Where the pass broke off, if it did.
        problem: Why there is no graph, or the empty string.
        notes: What else to say.
        left_out: How many nodes were met but not read, because of the limit.
        unreached: The parameters that are not in it.
        cuts: Where a recorded pass left the graph by `detach()` or `no_grad()`.
        packed: Whether some of what was saved is packed by hooks, as checkpoint does: a walk would run them.
        forward_only: Why there is no graph for the backward pass; the nodes are then the operations that ran, and the edges
            say what they were given. The empty string where it is an autograd graph.
        walked: The backward walk, if it was taken while the pass was recorded.
        live: The live objects, not part of the facts.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    groups: tuple[GraphGroup, ...]
    lines: tuple[SourceLine, ...] = ()
    results: tuple[int, ...] = ()
    label: str = ""
    library: str = ""
    recorded: bool = False
    grouped_by: str = ""
    failure: Failure | None = None
    problem: str = ""
    notes: tuple[str, ...] = ()
    left_out: int = 0
    unreached: Unreached = Unreached()
    cuts: tuple[Cut, ...] = ()
    packed: bool = False
    forward_only: str = ""
    walked: WalkFacts | None = None
    live: Live = field(default_factory=Live, repr=False, compare=False)

    @cached_property
    def _beside(self) -> tuple[list[list[int]], list[list[int]]]:
        """The edges into and out of each node."""
        into: list[list[int]] = [[] for _ in self.nodes]
        out: list[list[int]] = [[] for _ in self.nodes]
        for number, edge in enumerate(self.edges):
            into[edge.target].append(number)
            out[edge.source].append(number)
        return into, out

    def incoming(self, node: int) -> tuple[int, ...]:
        """The edges that lead into a node, in the order of its arguments."""
        return tuple(self._beside[0][node])

    def outgoing(self, node: int) -> tuple[int, ...]:
        """The edges that lead out of a node."""
        return tuple(self._beside[1][node])

    @property
    def operations(self) -> int:
        """How many operations there are."""
        return sum(node.kind == "operation" for node in self.nodes)

    def find(self, name: str) -> int:
        """The first node with this label, one of its names, library name or word; -1 if there is none."""
        for node in self.nodes:
            if name == node.label or name in node.names or name == node.name or name == node.word:
                return node.number
        return -1
