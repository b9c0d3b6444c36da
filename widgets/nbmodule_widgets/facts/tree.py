"""From a model to its facts: one walk over `_modules`, then the numbers.

The walk goes over `_modules.items()` and not over `named_children()`, which leaves out a Module that appears
twice. It uses a list instead of recursion, so a chain of 100,000 Modules is read like any other model, and
it remembers the identity of what it has met, so a cycle ends and a shared Module is read once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from nbmodule_widgets.facts.counting import Sums, subtree_sums
from nbmodule_widgets.facts.hidden import hidden_modules
from nbmodule_widgets.facts.records import ModuleFacts, NodeFacts, Note, TensorFacts, Totals
from nbmodule_widgets.facts.tensors import TensorReader, key_text
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import (
    DRAWERS,
    HOOK_SLOTS,
    STATE_DICT_HOOK_SLOTS,
    article,
    attempt,
    class_attribute,
    class_name,
    drawer,
    is_module_like,
    own_dict,
    plain_text,
    require_module,
    type_name,
)

_HOOK_DICTIONARIES = tuple(
    slot
    for slot in (*HOOK_SLOTS, *STATE_DICT_HOOK_SLOTS)
    if not slot.endswith(("_with_kwargs", "_always_called", "_hook"))
)


def facts(model: object) -> ModuleFacts:
    """Reads a model and returns what there is to know about it; changes nothing.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.

    Raises:
        TypeError: If the object is nothing like a Module.
    """
    require_module(model, "facts")
    return _Walk(model).result()


@dataclass(slots=True)
class _Draft:
    """A node while it is being found out about; twins are still indices, not rows."""

    name: str
    parent: int
    depth: int
    module: object
    extra: str
    twin: int
    cycle: bool = False
    tensors: list[tuple[TensorFacts, object]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def finished(
        self, row: int, twin: int, tensors: tuple[TensorFacts, ...], numel: int, nbytes: int
    ) -> NodeFacts:
        """The record, now that everything is numbered and counted."""
        return NodeFacts(
            row=row,
            parent=self.parent,
            depth=self.depth,
            name=self.name,
            class_name=class_name(self.module),
            extra=self.extra,
            training=_training(self.module),
            twin=twin,
            cycle=self.cycle,
            tensors=tensors,
            notes=tuple(self.notes),
            hooks=_hooks(self.module) if twin < 0 else (),
            numel=numel,
            nbytes=nbytes,
        )


class _Walk:
    """The state of one walk."""

    def __init__(self, model: object) -> None:
        self.drafts: list[_Draft] = []
        self.reader = TensorReader()
        self.seen: dict[int, int] = {}  # identity of a Module -> index of its first place
        self.explained: set[tuple[int, str]] = set()
        self.pending: list[tuple[str, object, int]] = [("", model, -1)]
        while self.pending:
            self._visit(*self.pending.pop())

    def _visit(self, name: str, module: object, parent: int) -> None:
        index = len(self.drafts)
        depth = self.drafts[parent].depth + 1 if parent >= 0 else 0
        extra, problem = _extra(module)
        first = self.seen.setdefault(id(module), index)
        draft = _Draft(name, parent, depth, module, extra, first if first != index else -1)
        self.drafts.append(draft)
        if draft.twin >= 0:
            draft.cycle = self._is_ancestor(draft.twin, parent)
            return
        if problem:
            draft.notes.append(Note("problem", problem))
        draft.notes += self._missing(module)
        draft.tensors, complaints = self.reader.read(module)
        draft.notes += [Note("problem", text) for text in complaints]
        self._open_children(index, draft)

    def _open_children(self, index: int, draft: _Draft) -> None:
        """Queues the children, the first one to be visited next."""
        opened = drawer(draft.module, "_modules")
        if opened.problem:
            draft.notes.append(Note("problem", opened.problem))
        for key, child in opened.entries:
            if child is None:
                text = f"`{visible(key)}` is registered in `_modules` as None"
                draft.notes.append(Note("empty", text))
        for key, child in reversed(opened.entries):
            if child is not None:
                name = key if type(key) is str else key_text(key)
                self.pending.append((name, child, index))

    def _is_ancestor(self, index: int, parent: int) -> bool:
        """Whether node `index` lies on the way from `parent` up to the root."""
        while parent > index:  # parents always come before their children
            parent = self.drafts[parent].parent
        return parent == index

    def _missing(self, module: object) -> list[Note]:
        """The drawers that do not exist yet, said once for each class."""
        if not is_module_like(module):
            return [Note("problem", _no_module(module))]
        own = own_dict(module)
        absent = [n for n in DRAWERS if n not in own and class_attribute(module, n) is None]
        mark = (id(type(module)), " ".join(absent))
        if not absent or mark in self.explained:
            return []
        self.explained.add(mark)
        names = ", ".join(f"`{name}`" for name in absent)
        return [Note("problem", f"not created yet: {names}. Was `super().__init__()` called?")]

    def result(self) -> ModuleFacts:
        """Numbers the rows, resolves the twins and adds up."""
        for draft in self.drafts:
            if draft.twin < 0:
                draft.notes += [Note("hidden", t) for t in hidden_modules(draft.module, self.seen)]
        sums = self._sums()
        rows = self._number()
        nodes = tuple(
            draft.finished(
                row=rows[index],
                twin=rows[draft.twin] if draft.twin >= 0 else -1,
                tensors=self._with_twins(index, rows),
                numel=sums.numel[index],
                nbytes=sums.nbytes[index],
            )
            for index, draft in enumerate(self.drafts)
        )
        return ModuleFacts(nodes, self._totals(), tuple(rows))

    def _sums(self) -> Sums:
        """Counts every subtree, and says on the root if that had to be given up."""
        drafts = self.drafts
        sums = subtree_sums(
            parents=[draft.parent for draft in drafts],
            depths=[draft.depth for draft in drafts],
            held=[{id(o): fact for fact, o in draft.tensors if not fact.empty} for draft in drafts],
            twins=[draft.twin for draft in drafts],
        )
        if sums.problem:
            drafts[0].notes.append(Note("problem", sums.problem))
        return sums

    def _number(self) -> list[int]:
        """The row of each node."""
        rows, following = [], 0
        for draft in self.drafts:
            rows.append(following)
            following += 1 + len(draft.tensors) + len(draft.notes)
        return rows

    def _with_twins(self, index: int, rows: list[int]) -> tuple[TensorFacts, ...]:
        """The node's tensors, with the row of the first place for those met before."""
        result = []
        for place, (fact, obj) in enumerate(self.drafts[index].tensors):
            here = rows[index] + 1 + place
            first = self.reader.first_rows.setdefault(id(obj), here)
            result.append(fact if fact.empty or first == here else replace(fact, twin=first))
        return tuple(result)

    def _totals(self) -> Totals:
        once: dict[int, TensorFacts] = {}
        for draft in self.drafts:
            for fact, obj in draft.tensors:
                if not fact.empty:
                    once.setdefault(id(obj), fact)
        parameters = [fact for fact in once.values() if fact.kind == "parameter"]
        count = sum(fact.numel for fact in parameters)
        frozen = sum(fact.numel for fact in parameters if fact.requires_grad is False)
        return Totals(
            modules=len(self.seen),
            parameters=count,
            trainable=count - frozen,
            frozen=frozen,
            buffers=sum(fact.numel for fact in once.values() if fact.kind == "buffer"),
            nbytes=sum(fact.nbytes for fact in once.values()),
        )


def _no_module(found: object) -> str:
    """What to say about a thing in `_modules` that is no Module."""
    if issubclass(type(found), type):
        name = visible(type_name(found), 60)  # type: ignore[arg-type]
        return f"this is the class {name} itself, no Module: write {name}() to make one"
    return f"{article(visible(class_name(found), 60))} is no Module: it has no drawers"


def _training(module: object) -> bool | None:
    """The switch of this instance (or of its class); None when there is none or it is no bool."""
    own = own_dict(module)
    value = own["training"] if "training" in own else class_attribute(module, "training")
    return value if type(value) is bool else None


def describe_module(module: object) -> str:
    """`"Linear(2, 3)"`: class and extra_repr of one Module."""
    extra, _ = _extra(module)
    return f"{visible(class_name(module), 80)}({extra})"


def _extra(module: object) -> tuple[str, str]:
    """What `extra_repr()` says, and what went wrong in it."""
    if class_attribute(module, "extra_repr") is None:
        return "", ""
    said = attempt(lambda: module.extra_repr())  # type: ignore[attr-defined]
    if said.problem:
        return "", visible(f"`extra_repr` raised {said.problem}")
    if not issubclass(type(said.value), str):
        return "", f"`extra_repr` returned {class_name(said.value)}, not a str"
    text = plain_text(said.value)
    return visible(" ".join(text.split()) if "\n" in text else text), ""


def _hooks(module: object) -> tuple[tuple[str, int], ...]:
    """How many hooks of each kind are registered."""
    own = own_dict(module)
    counted = []
    for slot in _HOOK_DICTIONARIES:
        hooks: Any = own.get(slot)
        number = dict.__len__(hooks) if issubclass(type(hooks), dict) else 0
        if number:
            counted.append((slot, number))
    return tuple(counted)
