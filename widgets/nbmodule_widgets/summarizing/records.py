"""The records of a layer table."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from nbmodule_widgets.facts.folding import Place, alike, places, repeats
from nbmodule_widgets.facts.model import ModuleFacts
from nbmodule_widgets.facts.words import count

AGAIN = "same object as"  # how the note begins of a Module that stands at another place too
UNHEARD = (
    "not recorded"  # how it begins of one whose calls, and so its multiply-adds, are not known
)
CALLS = 64  # of one Module whose shapes are kept


@dataclass(frozen=True, slots=True)
class Shape:
    """A tensor that was given or made.

    Attributes:
        place: Where in the arguments or in the result: `""`, `"[0]"`, `".hidden_states"`.
        shape: Its shape.
        dtype: `"float32"`.
        nbytes: Bytes of its numbers.
    """

    place: str
    shape: tuple[int, ...]
    dtype: str
    nbytes: int


@dataclass(frozen=True, slots=True)
class CallFacts:
    """One call of a Module.

    Attributes:
        inputs: The tensors that its `forward` was given.
        outputs: Those that it returned; None if it raised.
        multiply_adds: Of everything that ran while it did.
    """

    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...] | None
    multiply_adds: int


@dataclass(frozen=True, slots=True)
class LayerFacts:
    """One row of the table: a Module where it stands in the tree. Sums are over it and those below it, each once.

    Attributes:
        index: Its index in `SummaryFacts.model.nodes`.
        path: Its dotted path; empty for the model itself.
        name: Its name in the Module around it.
        depth: Steps from the root.
        class_name: Its class.
        label: Class and `extra_repr`.
        parameters: Numbers in its parameters.
        frozen: How many of them take no gradient.
        nbytes: Memory of its parameters and buffers.
        shared: Where its tensors, or it itself, lie too: `"weight is that of wte"`.
        calls: How often it was called; None without a pass.
        seen: The first 64 calls.
        multiply_adds: Of all its calls; None without a pass, and where they are not known.
        output_bytes: Bytes of the tensors that its calls returned.
        note: What is to be said: `"never called"`, `"called 3 times"`; may be empty.
    """

    index: int
    path: str
    name: str
    depth: int
    class_name: str
    label: str
    parameters: int
    frozen: int
    nbytes: int
    shared: tuple[str, ...] = ()
    calls: int | None = None
    seen: tuple[CallFacts, ...] = ()
    multiply_adds: int | None = None
    output_bytes: int = 0
    note: str = ""

    @property
    def trainable(self) -> int:
        """Numbers in its parameters that take a gradient."""
        return self.parameters - self.frozen

    @property
    def inputs(self) -> tuple[Shape, ...]:
        """What its first call was given."""
        return self.seen[0].inputs if self.seen else ()

    @property
    def outputs(self) -> tuple[Shape, ...]:
        """What its first call returned."""
        return (self.seen[0].outputs or ()) if self.seen else ()


@dataclass(frozen=True, slots=True)
class SummaryTotals:
    """The numbers over the whole model, each object counted once.

    Attributes:
        modules: How many Modules there are.
        parameters: Numbers in parameters.
        trainable: Those that take a gradient.
        frozen: Those that take none.
        buffers: Numbers in buffers.
        nbytes: Bytes of parameters and buffers.
        multiply_adds: Of the pass, the operations between the Modules included; None without a pass.
        input_bytes: Bytes of the tensors that the model was given.
        output_bytes: Bytes of the tensors that Modules returned; what several handed on is counted once.
    """

    modules: int
    parameters: int
    trainable: int
    frozen: int
    buffers: int
    nbytes: int
    multiply_adds: int | None = None
    input_bytes: int = 0
    output_bytes: int = 0


@dataclass(frozen=True, slots=True)
class SummaryFacts:
    """A model as a table.

    Attributes:
        model: Its tree.
        layers: A row for each place in the tree, in its order.
        totals: The sums.
        inputs: What the model was called with.
        ran: Whether there was a pass.
        training: The mode of the model in it.
        not_counted: Operations whose multiply-adds are not known, and how often they ran.
        problem: What the pass raised, or the empty string.
        failed: Path of the innermost Module that raised; None if none did.
        notes: What the reader should know.
    """

    model: ModuleFacts
    layers: Sequence[LayerFacts]
    totals: SummaryTotals
    inputs: tuple[Shape, ...] = ()
    ran: bool = False
    training: bool | None = None
    not_counted: tuple[tuple[str, int], ...] = ()
    problem: str = ""
    failed: str | None = None
    notes: tuple[str, ...] = ()
    _heard: tuple[Hashable, ...] = field(
        default=(), repr=False, compare=False
    )  # what a pass adds to each row

    def rows(self, fold: bool = True, depth: int | None = None) -> list[Place]:
        """The rows that are shown.

        Args:
            fold: Whether equal neighbours are one row.
            depth: How many levels below the model; None for all.
        """
        nodes = self.model.nodes
        groups = repeats(nodes, alike(nodes, self._heard or None)) if fold else {}
        rows = places(nodes, groups)
        return [row for row in rows if depth is None or nodes.depth[row.index] <= depth]

    @property
    def not_counted_words(self) -> str:
        """`"not counted: fft_r2c, 3 calls"`, or the empty string."""
        each = ", ".join(f"{name}, {count(calls, 'call')}" for name, calls in self.not_counted)
        return f"not counted: {each}" if each else ""
