"""From a model to its facts: one walk over `_modules`, then the numbers.

The walk goes over `_modules.items()` and not over `named_children()`, which leaves out a Module that appears
twice. It uses a stack of iterators instead of recursion, so a chain of 100,000 Modules is read like any other
model, and it remembers the identity of what it has met, so a cycle ends and a shared Module is read once.

Each Module is read quickly if it is well built, and carefully otherwise; both give it a pattern. What only the
whole walk can tell (twins, hidden Modules, sums) is added to the patterns afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nbmodule_widgets.engines import stamps_of
from nbmodule_widgets.facts.careful import CarefulReader, ask_extra, extra_text, training
from nbmodule_widgets.facts.checksums import with_sums
from nbmodule_widgets.facts.counting import Tree
from nbmodule_widgets.facts.hidden import hidden_modules, plain_tensors
from nbmodule_widgets.facts.hooks import hook_numbers
from nbmodule_widgets.facts.model import ModuleFacts, Nodes
from nbmodule_widgets.facts.patterns import Pattern, PatternTable
from nbmodule_widgets.facts.quick import Children, Odd, QuickReader
from nbmodule_widgets.facts.records import Note
from nbmodule_widgets.facts.sharing import HeldTensors
from nbmodule_widgets.facts.tensors import TensorReader, key_text
from nbmodule_widgets.facts.within import Looking
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import Outcome, class_name, require_module
from nbmodule_widgets.refusing import refusing


@refusing
def facts(model: object) -> ModuleFacts:
    """Reads a model and returns what there is to know about it; changes nothing.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.

    Raises:
        TypeError: If the object is nothing like a Module.
    """
    require_module(model, "facts")
    return _Walk(model).result()


def structure(model: object) -> ModuleFacts:
    """The same without stamps, which only those need who look again later.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.

    Raises:
        TypeError: If the object is nothing like a Module.
    """
    require_module(model, "facts")
    return _Walk(model).result(stamps=False)


class _Walk:
    """The state of one walk: a column for each thing that is known of every node."""

    def __init__(self, model: object) -> None:
        describer = TensorReader()
        self.patterns = PatternTable()
        self.quick = QuickReader(self.patterns, describer)
        self.careful = CarefulReader(describer)
        self.pattern = self.quick.numbers
        self.names: list[str] = []
        self.modules: list[object] = []
        self.parent: list[int] = []
        self.depth: list[int] = []
        self.twins: dict[int, int] = {}  # node -> node of the first place of the same Module
        self.first: dict[int, int] = {}  # identity of a Module -> node of its first place
        self._go(model)

    def _go(self, model: object) -> None:
        """Visits every place in the tree once, in the order of the rows."""
        stack: list[Children] = [iter([("", model)])]
        above, read = [-1], self.quick.read
        names, modules, parents, depths = self.names, self.modules, self.parent, self.depth
        while stack:
            parent, depth = above[-1], len(above) - 1
            for key, module in stack[-1]:
                if module is None:
                    text = f"`{visible(key)}` is registered in `_modules` as None"
                    self._note(parent, Note("empty", text))
                    continue
                node = len(names)
                names.append(key if type(key) is str else key_text(key))
                modules.append(module)
                parents.append(parent)
                depths.append(depth)
                if self.first.setdefault(id(module), node) != node:
                    self._meet_again(module, node)
                    continue
                try:
                    children = read(module)
                except Odd as odd:
                    children = self._read_carefully(module, node, odd.said)
                if children is not None:
                    stack.append(children)
                    above.append(node)
                    break
            else:
                stack.pop()
                above.pop()

    def _read_carefully(self, module: object, node: int, said: Outcome) -> Children:
        reading = self.careful.read(module, said)
        self.pattern.append(self.patterns.number(reading.pattern))
        self.quick.tensors += reading.tensors
        self.quick.suspects.append(node)
        return iter(reading.children)

    def _meet_again(self, module: object, node: int) -> None:
        """A Module that was read at another place: its contents are not repeated."""
        self.twins[node] = self.first[id(module)]
        extra, _ = extra_text(ask_extra(module))
        pattern = Pattern(class_name(module), extra, training(module))
        self.pattern.append(self.patterns.number(pattern))

    # ------------------------------------------------------------------ what only the whole walk can tell

    def result(self, stamps: bool = True) -> ModuleFacts:
        """Adds the notes, adds up, numbers the rows, and says where the twins were met first.

        Args:
            stamps: Whether each tensor is asked what changes when it is written to.
        """
        in_drawers = set(map(id, self.quick.tensors)) if self.quick.suspects else ()
        looking = Looking()
        for node in self.quick.suspects:
            for sentence in hidden_modules(self.modules[node], self.first, looking=looking):
                self._note(node, Note("hidden", sentence))
            for sentence in plain_tensors(self.modules[node], in_drawers):
                self._note(node, Note("plain", sentence))
        items = self.patterns.items
        held = HeldTensors(items, self.pattern, self.quick.tensors)
        ends = _ends(self.parent)
        sums = held.sums(Tree(self.parent, self.depth, ends, self.twins))
        if sums.problem:
            self._note(0, Note("problem", sums.problem))
        hooks = np.array([bool(item.hooks) for item in items])[self.pattern]
        hooked = hook_numbers(self.modules, np.flatnonzero(hooks).tolist())
        lines = np.array([item.lines for item in items])[self.pattern]
        rows: list[int] = (np.cumsum(lines) - lines).tolist()
        for node, tensors in held.with_twins(rows):
            self._change(node, tensors=tuple(tensors))
        for node, first in self.twins.items():
            self._change(node, twin=rows[first], cycle=node < ends[first])
        patterns, pattern = _in_order(items, np.array(self.pattern))
        nodes = Nodes(
            self.names, patterns, pattern, self.parent, self.depth, ends, rows, sums.numel, sums.nbytes, hooked
        )  # fmt: skip
        outside = self.careful.outside
        totals = replace(
            held.totals(len(self.first)),
            outside=outside.nbytes,
            keys=outside.keys,
            opaque=outside.opaque,
            unasked=outside.unasked,
        )
        tensors = self.quick.tensors
        told = with_sums(stamps_of(tensors), tensors, nodes) if stamps else ()
        return ModuleFacts(nodes, totals, told)

    def _note(self, node: int, note: Note) -> None:
        """Says something about a node, after what was said before."""
        known = self.patterns.items[self.pattern[node]]
        self._change(node, notes=(*known.notes, note))

    def _change(self, node: int, **changes: Any) -> None:
        """Gives a node the pattern that differs from its own in this."""
        known = self.patterns.items[self.pattern[node]]
        self.pattern[node] = self.patterns.number(replace(known, **changes))


def _ends(parents: list[int]) -> list[int]:
    """For each node the first one that is no longer below it."""
    ends = list(range(1, len(parents) + 1))
    for node in range(len(parents) - 1, 0, -1):
        parent = parents[node]
        if ends[parent] < ends[node]:
            ends[parent] = ends[node]
    return ends


def _in_order(items: list[Pattern], pattern: np.ndarray) -> tuple[tuple[Pattern, ...], np.ndarray]:
    """The patterns that are in use, in the order of their first use: equal models get equal numbers."""
    used, first, numbers = np.unique(pattern, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return tuple(items[number] for number in used[order]), place[numbers]
