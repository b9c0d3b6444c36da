"""From live nodes to `GraphFacts`: numbers, groups, labels."""

from __future__ import annotations

from typing import Any, TypeGuard

from nbmodule_widgets.engines import Dialect
from nbmodule_widgets.facts.glance import glance
from nbmodule_widgets.facts.hooks import hook_name
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.graphing.grouping import Call, groups_of, guessed_stacks
from nbmodule_widgets.graphing.noted import Input, Record
from nbmodule_widgets.graphing.ordering import Found, forward_order
from nbmodule_widgets.graphing.records import (
    Failure,
    GraphEdge,
    GraphFacts,
    GraphNode,
    Live,
)
from nbmodule_widgets.graphing.values import READ_SAVED, Values
from nbmodule_widgets.graphing.words import FUNCTIONS, LAST, base_name, word_of
from nbmodule_widgets.protocol import class_attribute, class_name, own_dict, read

_CARRIERS = (
    "TBackward0",
    "TransposeBackward0",
    "PermuteBackward0",
    "ViewBackward0",
    "ReshapeBackward0",
)
_BROKEN = -2  # stands for the operation that raised where a place in `Found.nodes` is expected


class Builder:
    """Puts a graph together.

    Args:
        dialect: How the nodes are asked.
        found: What `collect` found.
        record: What else is known.
        results: The tensors that were asked for.
        keep: Values are copied if they take at most so many bytes.
    """

    def __init__(
        self, dialect: Dialect, found: Found, record: Record, results: tuple[Any, ...], keep: int
    ) -> None:
        self._dialect, self._found, self._record = dialect, found, record
        self._results, self._keep = results, keep
        self._nodes = found.nodes
        # Each entry is a place in `found.nodes`, an `Input`, or `_BROKEN`; its index is its number.
        self._entries: list[int | Input] = []
        self._number: dict[int, int] = {}  # place -> number
        self._input_number: dict[int, int] = {}  # id of an input -> number
        self._values = Values(dialect, found, record.seen, keep)
        # Library's name and function -> as shown, in words.
        self._known_words: dict[tuple[str, str], tuple[str, str]] = {}
        # Place -> shapes and dtypes of its outputs, where they tell.
        self._outputs = self._outputs_consumed()
        self._starts = {p for p, _ in found.starts} if record.broken is None and results else set()
        # Place -> the tensor that it made, where the caller holds it.
        self._variables = self._held_results()

    def facts(self) -> GraphFacts:
        """Returns the finished facts."""
        self._enter()
        stacks, grouped_by = self._stacks()
        groups, innermost = groups_of(stacks, self._record.title)
        in_order = [entry for entry in self._entries if _is_place(entry)]
        self._values.find(self._results, in_order, self._variables)
        nodes = tuple(self._node(number, innermost[number]) for number in range(len(self._entries)))
        edges = tuple(sorted(self._edges(), key=lambda e: (e.target, e.slot, e.source)))
        places = [e if isinstance(e, int) and e >= 0 else None for e in self._entries]
        live = Live(
            [None if p is None else self._nodes[p] for p in places], self._results, self._dialect,
            {id(self._nodes[p]): number for p, number in self._number.items()},
        )  # fmt: skip
        record = self._record
        return GraphFacts(
            nodes, edges, tuple(groups), tuple(record.lines),
            tuple(dict.fromkeys(self._number[p] for p, _ in self._found.starts if p in self._starts)),
            record.label, self._dialect.library, record.recorded, grouped_by, self._failure(stacks),
            notes=self._notes(), left_out=self._found.left_out, packed=self._values.packed, live=live,
        )  # fmt: skip

    def _outputs_consumed(self) -> dict[int, dict[int, tuple[tuple[int, ...], str]]]:
        """Nbmodule's nodes with several outputs do not know their shapes, but whoever consumed one does."""
        found: dict[int, dict[int, tuple[tuple[int, ...], str]]] = {}
        of_each_class = {id(type(node)): node for node in self._nodes}.values()
        if not any(map(self._dialect.is_shared, of_each_class)):  # as nearly always
            return found
        for place, node in enumerate(self._nodes):
            for source, output, slot in self._found.edges[place]:
                if self._dialect.is_shared(self._nodes[source]):
                    shape = self._dialect.port(node, slot)
                    if shape is not None:
                        found.setdefault(source, {})[output] = shape
        return found

    def _held_results(self) -> dict[int, Any]:
        """What operations made that the caller has variables for: a node of one output, and its tensor."""
        if self._record.recorded or self._record.broken is not None:
            return {}
        names, found = self._record.names, dict[int, Any]()
        places = {id(node): place for place, node in enumerate(self._nodes)}
        for tensor in names.held:
            if id(tensor) in names.kinds:
                continue
            node = tensor if id(tensor) in places else read(tensor, "grad_fn").value
            place = places.get(id(node), -1) if node is not None else -1
            alone = place >= 0 and self._found.leaf[place] is None and not self._has_several(place)
            if alone:
                found.setdefault(place, tensor)
        return found

    def _has_several(self, place: int) -> bool:
        """Whether a node made several tensors, so that a name would not say which."""
        node = self._nodes[place]
        return len(self._dialect.made(node)) > 1 or self._dialect.is_shared(node)

    # ------------------------------------------------------------------------------ numbers and groups

    def _enter(self) -> None:
        """Gives everything its number."""
        ages = [self._dialect.age(node) for node in self._nodes]
        unused, in_order = forward_order(self._found, ages)
        if self._record.broken is not None:  # what nobody else consumed stands before what raised
            in_order, unused = [*in_order, *unused], []
        for place in [*unused, *in_order]:
            self._enter_inputs(self._inputs_of(place))
            self._number[place] = len(self._entries)
            self._entries.append(place)
        if self._record.broken is not None:
            self._enter_inputs(entry for entry, _ in self._broken_inputs())
            self._entries.append(_BROKEN)

    def _inputs_of(self, place: int) -> list[Input]:
        seen = self._record.seen.get(id(self._nodes[place]))
        return [self._record.inputs[i] for _, i in seen.inputs] if seen is not None else []

    def _enter_inputs(self, inputs: Any) -> None:
        for entry in inputs:
            if id(entry.tensor) not in self._input_number:
                self._input_number[id(entry.tensor)] = len(self._entries)
                self._entries.append(entry)

    def _broken_inputs(self) -> list[tuple[Input, int]]:
        """The operands of the operation that raised which have no node, with their slots."""
        assert self._record.broken is not None
        found = []
        for slot, (label, tensor) in enumerate(self._record.broken.operands):
            if not self._places_of(tensor):
                known = self._record.inputs.get(id(tensor))
                entry = known or Input(tensor, label, "input", glance(tensor, self._keep))
                found.append((entry, slot))
        return found

    def _places_of(self, tensor: Any) -> list[tuple[int, int]]:
        """`(place, output)` of the node that made a tensor; empty if it is none of ours."""
        start = self._dialect.start(tensor) if self._dialect.is_tensor(tensor) else None
        if start is None:
            return []
        number = next((p for p, node in enumerate(self._nodes) if node is start[0]), -1)
        return [(number, start[1])] if number >= 0 else []

    def _stacks(self) -> tuple[list[tuple[Call, ...]], str]:
        """For each entry the calls that it lies in, and how they were found."""
        record = self._record
        if record.recorded:
            known: list[tuple[Call, ...] | None] = []
            for entry in self._entries:
                seen = record.seen.get(id(self._nodes[entry])) if _is_place(entry) else None
                broken = entry == _BROKEN and record.broken is not None
                known.append(record.broken.stack if broken else seen.stack if seen else None)  # type: ignore[union-attr]
            after: tuple[Call, ...] | None = None
            for number in range(len(known) - 1, -1, -1):  # a leaf goes with what comes after it
                after = known[number] = after if known[number] is None else known[number]
            last: tuple[Call, ...] = ()
            for number, stack in enumerate(known):
                last = known[number] = last if stack is None else stack
            return [stack or () for stack in known], "run" if any(known) else ""
        if not record.names.paths:
            return [() for _ in self._entries], ""
        return guessed_stacks(self._owners(), record.names.paths), "parameters"

    def _owners(self) -> list[str | None]:
        """For each entry the module whose parameter it is or consumes, or None."""
        names, times = self._record.names, dict[int, int]()
        owners: dict[int, str | None] = {}
        for entry in self._entries:
            if not _is_place(entry):
                continue
            leaf = self._found.leaf[entry]
            if leaf is not None:
                own = names.of(leaf) if id(leaf) in names.kinds else ()
                owners[entry] = names.owner(own[0]) if own else None
                continue
            owner = None
            for source, _, _ in self._found.edges[entry]:
                if self._found.leaf[source] is not None and owners.get(source) is not None:
                    own = names.of(self._found.leaf[source])
                    turn = times[source] = times.get(source, -1) + 1
                    owner = owner or names.owner(own[min(turn, len(own) - 1)])
                elif type(self._nodes[source]).__name__ in _CARRIERS:
                    owner = owner or owners.get(source)
            owners[entry] = owner
        return [owners.get(e) if _is_place(e) else None for e in self._entries]

    # ------------------------------------------------------------------------------ nodes and edges

    def _node(self, number: int, group: int) -> GraphNode:
        entry = self._entries[number]
        if isinstance(entry, Input):
            return self._input_node(number, group, entry)
        return self._broken_node(number, group) if entry == _BROKEN else self._live_node(number, group, entry)  # fmt: skip

    def _input_node(self, number: int, group: int, entry: Input) -> GraphNode:
        label = (entry.label,) if entry.label else ()
        names = tuple(self._record.names.of(entry.tensor)) or label
        return GraphNode(
            number, "input", "", entry.word, entry.label, names, entry.seen.shape,
            entry.seen.dtype, group=group, value=entry.seen, value_from="run",
        )  # fmt: skip

    def _broken_node(self, number: int, group: int) -> GraphNode:
        broken = self._record.broken
        assert broken is not None
        name, word = broken.operation or "Python", "Python code"
        if broken.operation:
            word = word_of(broken.operation)
        return GraphNode(
            number, "failed", name, word, group=group, line=broken.line, said=broken.error
        )

    def _live_node(self, number: int, group: int, place: int) -> GraphNode:
        """A node of the library: an operation, or the leaf for which it accumulates the gradient."""
        node, leaf = self._nodes[place], self._found.leaf[place]
        value, value_from = self._values.known.get(place, (None, ""))
        made, outputs = self._dialect.made(node), self._outputs.get(place, {})
        shape, dtype = made[0] if made else outputs[min(outputs)] if outputs else (None, "")
        if value is not None and (leaf is not None or not made):
            shape, dtype = value.shape, value.dtype
        name, word, function = self._named(node, leaf)
        said, names = self._dialect.said(node), ()
        if leaf is not None:
            names = tuple(visible(n, 200) for n in self._record.names.of(leaf))
            said = f"one tensor under {count(len(names), 'name')}" if len(names) > 1 else said
        elif place in self._variables:
            names = tuple(visible(n, 200) for n in self._record.names.of(self._variables[place]))
        result = place in self._starts
        label = names[0] if names else ""
        if result and leaf is None:
            label, names = self._result_label(place), ()
        seen = self._record.seen.get(id(node))
        return GraphNode(
            number, "operation" if leaf is None else "leaf", name, word, label, names, shape, dtype,
            max(1, len(made), *(output + 1 for output in outputs)), group, value, value_from, result,
            tuple(h if type(h) is str else hook_name(h) for h in self._dialect.hooks(node)), place in self._values.freed, seen.line if seen is not None else -1, said, function,
        )  # fmt: skip

    def _named(self, node: Any, leaf: Any) -> tuple[str, str, str]:
        """What the library calls a node, what it is in a word, and the function that it belongs to if we know that."""
        said = self._dialect.name(node)
        function = "" if leaf is not None else self._dialect.function(node)
        known = self._known_words.get((said, function))
        if known is None:
            name = visible(said, 80)
            word = FUNCTIONS.get(function, "") if base_name(said) in LAST else ""
            known = self._known_words[said, function] = name, word or visible(word_of(name), 60)
        return known[0], known[1] if leaf is None else self._leaf_word(leaf), function

    def _result_label(self, place: int) -> str:
        """What was asked for, with its place if it was one of several."""
        number = next(i for i, (p, _) in enumerate(self._found.starts) if p == place)
        places = self._record.places
        return self._record.label + (places[number] if number < len(places) else "")

    def _leaf_word(self, leaf: Any) -> str:
        named = self._record.names.kinds.get(id(leaf))
        if named == "parameter" or "Parameter" in class_name(leaf):
            return "parameter"
        known = class_attribute(
            leaf, "requires_grad", leaf
        ) is not leaf or "requires_grad" in own_dict(leaf)
        return "leaf" if known else "value"

    def _edges(self) -> list[GraphEdge]:
        edges = []
        for target, number in self._number.items():
            for source, output, slot in self._found.edges[target]:
                carries = self._dialect.carries
                edges.append(GraphEdge(self._number[source], number, slot, output, carries))
            seen = self._record.seen.get(id(self._nodes[target]))
            for slot, tensor in seen.inputs if seen is not None else ():
                edges.append(GraphEdge(self._input_number[tensor], number, slot, 0, carries=False))
        if self._record.broken is not None:
            last = len(self._entries) - 1
            for slot, (_, tensor) in enumerate(self._record.broken.operands):
                for place, output in self._places_of(tensor):
                    edges.append(GraphEdge(self._number[place], last, slot, output, carries=False))
            for entry, slot in self._broken_inputs():
                source = self._input_number[id(entry.tensor)]
                edges.append(GraphEdge(source, last, slot, 0, carries=False))
        return edges

    def _failure(self, stacks: list[tuple[Call, ...]]) -> Failure | None:
        broken = self._record.broken
        if broken is None:
            return None
        operands = []
        for label, tensor in broken.operands:
            seen = glance(tensor)
            made = next((self._dialect.name(self._nodes[p]) for p, _ in self._places_of(tensor)
                         if self._found.leaf[p] is None), "")  # fmt: skip
            named = bool(self._record.names.of(tensor)) or label.endswith("(view)")
            label = f"{label}, made by {word_of(made)}" if made and not named else label
            label = label.replace("self,", "input,", 1) if label.startswith("self,") else label
            operands.append((visible(label, 80), seen.shape, seen.dtype))
        path = stacks[-1][-1].path if stacks[-1] else ""
        return Failure(
            len(self._entries) - 1, broken.operation, broken.error, tuple(operands), broken.words, path,
            broken.line,
        )  # fmt: skip

    def _notes(self) -> tuple[str, ...]:
        notes = [*self._record.notes, *self._found.notes]
        if self._found.left_out:
            notes.append(
                f"Only the {len(self._nodes):,} nodes nearest to the result were read; at least "
                f"{self._found.left_out:,} more were not."
            )
        if self._values.freed:
            notes.append(
                "What was saved for the backward pass is gone: backward() frees it, unless it is called with "
                "retain_graph=True. The nodes and leaves are still there; the walk cannot be repeated."
            )
        if self._values.packed:
            notes.append(
                "Some of what was saved for the backward pass is packed by hooks, as checkpoint does. Unpacking would "
                "rerun code, such as that part of the forward pass, so nothing was unpacked."
            )
        if len(self._nodes) > READ_SAVED and not self._record.recorded:
            notes.append("In a graph of this size, values are read when a node is opened.")
        return tuple(notes)


def _is_place(entry: object) -> TypeGuard[int]:
    """Whether an entry is a node's place."""
    return type(entry) is int and entry >= 0
