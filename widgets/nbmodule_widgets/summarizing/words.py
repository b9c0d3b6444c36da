"""The cells of the table in words, the same in the text, the HTML and the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from nbmodule_widgets.facts.folding import Place
from nbmodule_widgets.facts.words import count, mode_text, shape_text, size, visible
from nbmodule_widgets.summarizing.records import AGAIN, LayerFacts, Shape, SummaryFacts
from nbmodule_widgets.text import totals_text

HEADS = ("layer", "input", "output", "parameters", "multiply-adds", "memory", "outputs")
_SHAPES = 3  # different ones in a cell
_ONE = "A row that stands for several modules shows the numbers of one of them."
_COUNTED = (
    "Multiply-adds are counted for matrix products, convolutions, attention and recurrent cells. What works element by element "
    "(activations, norms, pooling, embeddings) counts as none."
)


class Row(NamedTuple):
    """The cells of a row.

    Attributes:
        name: `"0 … 11"`.
        kind: Its class, with `x 12` where it stands for twelve.
        inputs: What its first call was given.
        outputs: What that returned.
        parameters: `"7,087,872"`.
        multiply_adds: The same; the empty string without a pass.
        memory: Of parameters and buffers.
        made: Of what its calls returned.
        notes: What is to be said.
    """

    name: str
    kind: str
    inputs: str
    outputs: str
    parameters: str
    multiply_adds: str
    memory: str
    made: str
    notes: tuple[str, ...]

    @property
    def cells(self) -> tuple[str, ...]:
        """What stands beside the name and the class."""
        return (
            self.inputs,
            self.outputs,
            self.parameters,
            self.multiply_adds,
            self.memory,
            self.made,
        )


def row_of(found: SummaryFacts, place: Place) -> Row:
    """The cells of a row.

    Args:
        found: The table.
        place: Which row.
    """
    layer = found.layers[place.index]
    times = f" x {place.times:,}" if place.times > 1 else ""
    called, again = bool(layer.calls), layer.note.startswith(AGAIN)
    returned = called and layer.seen[0].outputs is not None
    computed = layer.multiply_adds if called or layer.multiply_adds else None
    return Row(
        name=place.name,
        kind=layer.class_name + times,
        inputs=shapes_text(layer.inputs) if called else "",
        outputs=_outputs(layer),
        parameters=f"{layer.parameters:,}" if layer.parameters and not again else "",
        multiply_adds=f"{computed:,}" if computed is not None else "",
        memory=size(layer.nbytes) if layer.nbytes and not again else "",
        made=size(layer.output_bytes) if returned else "",
        notes=tuple(_notes(layer)),
    )


def _outputs(layer: LayerFacts) -> str:
    if not layer.seen:
        return ""
    return "" if layer.seen[0].outputs is None else shapes_text(layer.outputs)


def _notes(layer: LayerFacts) -> list[str]:
    if layer.note.startswith(AGAIN):
        return [layer.note]
    frozen = "frozen" if layer.frozen == layer.parameters else f"{layer.frozen:,} frozen"
    return [
        *([frozen] if layer.frozen else []),
        *([layer.note] if layer.note else []),
        *layer.shared,
    ]


def shapes_text(shapes: Sequence[Shape]) -> str:
    """`"(4, 5, 8)"`, `"3 x (4, 5, 8)"`, `"(4, 5, 8), (4, 5, 5)"`; of many the first ones."""
    runs = [(shape, len(list(run))) for shape, run in groupby(one.shape for one in shapes)]
    words = [(f"{times} x " if times > 1 else "") + shape_text(shape) for shape, times in runs]
    more = [f"… {len(words) - _SHAPES} more"] if len(words) > _SHAPES else []
    return ", ".join([*words[:_SHAPES], *more]) or "no tensor"


def headline(found: SummaryFacts) -> str:
    """What the table is of."""
    if not found.ran:
        return "no input was given, so no shapes and no multiply-adds: summary(model, x) runs the model once"
    mode = "" if found.training is None else f" in {mode_text(found.training)} mode"
    return f"one pass{mode} without gradients · input {shapes_text(found.inputs)}"


def totals_lines(found: SummaryFacts) -> list[str]:
    """The sums, in sentences."""
    t = found.totals
    shared = " · shared ones counted once" if _shares(found) else ""
    lines = [totals_text(found.model.totals) + shared]
    if t.multiply_adds is not None:
        words = (
            f"{count(t.multiply_adds, 'multiply-add')}{' until it failed' if found.problem else ''}"
        )
        lines.append(" · ".join([words, *([found.not_counted_words] if found.not_counted else [])]))
        made, given = size(t.output_bytes), size(t.input_bytes)
        lines.append(f"memory of the pass: input {given}, outputs of the modules {made}")
    return lines


def footnotes(found: SummaryFacts, shown: Iterable[Place]) -> list[str]:
    """What the numbers are.

    Args:
        found: The table.
        shown: Its rows.
    """
    several = any(place.times > 1 for place in shown)
    return [*([_ONE] if several else []), *([_COUNTED] if found.ran else [])]


def _shares(found: SummaryFacts) -> bool:
    patterns = found.model.nodes.patterns
    return any(p.twin >= 0 or any(t.twin >= 0 for t in p.tensors) for p in patterns)


def remarks(found: SummaryFacts) -> list[str]:
    """What went wrong, and what the reader should know."""
    lines = []
    if found.problem:
        inside = found.failed or "the model itself"
        lines.append(f"the pass failed in {visible(inside, 120)}: {found.problem}")
    return [*lines, *(visible(note, 400) for note in found.notes)]
