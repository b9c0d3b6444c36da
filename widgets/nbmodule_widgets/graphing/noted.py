"""What is known of a graph beyond its nodes: what a recorded run noted, and names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nbmodule_widgets.facts.glance import Glance
from nbmodule_widgets.graphing.grouping import Call
from nbmodule_widgets.graphing.naming import Names
from nbmodule_widgets.graphing.records import SourceLine


class Input(NamedTuple):
    """A tensor that an operation consumed and that takes no gradient.

    Attributes:
        tensor: The object; held, so that its identity stays its own.
        label: Its name, or the empty string.
        word: `"input"`, `"buffer"` or `"constant"`.
        seen: What it was like.
    """

    tensor: Any
    label: str
    word: str
    seen: Glance


@dataclass
class Seen:
    """What was noted of an operation as it ran.

    Attributes:
        value: What it made.
        stack: The modules' calls that it was made in.
        line: Index of the reader's source line, or -1.
        inputs: `(slot, id of the tensor)` of arguments that take no gradient.
        look: While the pass runs, the number of the look at what it made.
    """

    value: Glance | None = None
    stack: tuple[Call, ...] | None = None
    line: int = -1
    inputs: list[tuple[int, int]] = field(default_factory=list)
    look: int | None = None


@dataclass
class Broken:
    """The operation that raised, before it has a number.

    Attributes:
        operation: What the library calls it, or the empty string.
        error: What it raised, in words.
        operands: The tensors that met there, each with what to call it.
        words: Their shapes, as they met: `"(4, 8) @ (7, 3)"`.
        stack: The calls of Modules around it.
        line: Index of the reader's line, or -1.
    """

    operation: str
    error: str
    operands: list[tuple[str, Any]]
    words: str
    stack: tuple[Call, ...] = ()
    line: int = -1


@dataclass
class Record:
    """All that is known beyond the nodes themselves.

    Attributes:
        names: Names of tensors and Modules.
        seen: `id` of a live node -> what was noted as it ran.
        inputs: `id` of a tensor -> the tensor, where it takes no gradient.
        lines: The source lines.
        recorded: Whether the pass ran under our eyes.
        broken: The operation that raised.
        title: Name of the whole.
        label: What it is the graph of.
        places: Where each result stood in what the pass gave back: `""`, or `"[0]"`, `"['loss']"`.
        notes: What to say.
    """

    names: Names
    seen: Mapping[int, Seen] = field(default_factory=dict)
    inputs: Mapping[int, Input] = field(default_factory=dict)
    lines: list[SourceLine] = field(default_factory=list)
    recorded: bool = False
    broken: Broken | None = None
    title: str = ""
    label: str = ""
    places: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
