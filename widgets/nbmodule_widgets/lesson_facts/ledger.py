"""The ledger of a model: what is learned, what is remembered, and what is neither.

Read by the rules: an entry of `_parameters` is learned if it wants a gradient; entries of `_parameters` and
`_buffers` are saved, unless a buffer was registered with `persistent=False`; both are moved and cast. Whatever else
holds a tensor is a plain attribute, and the Module knows nothing of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from nbmodule_widgets.facts.standing import Group, Standing, standing
from nbmodule_widgets.facts.tensors import TensorReader, gradient
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.lesson_facts.ledger_places import Found, tensors_of
from nbmodule_widgets.lesson_facts.ledger_words import verdict
from nbmodule_widgets.protocol import (
    DRAWERS,
    STAND_IN,
    class_name,
    drawer,
    own_dict,
    read,
    require_module,
)

Kind = Literal["parameter", "buffer", "own", "plain", "listed", "hidden", "class"]

GROUPS: tuple[Group, ...] = ("learned", "remembered", "neither")
_DRAWN = ("parameter", "buffer")
LISTS = ("named_parameters", "named_buffers")
"""The methods that list what is in the two drawers."""


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One place in which a tensor lies.

    Attributes:
        path: `"fc1.weight"`; in a plain list `"blocks[0].weight"`.
        owner: Class of the Module that holds it.
        kind: `"parameter"` and `"buffer"` lie in their drawers; `"own"` is what the Module saves beside them; `"plain"` is an attribute, `"listed"` lies in a list,
            tuple or dict, `"hidden"` in a Module that no drawer holds, `"class"` is an attribute of the class.
        what: The object in a few words, such as `"Tensor"`.
        shape: Its shape, or None where it has none.
        dtype: `"float32"`.
        numel: How many numbers it holds.
        learned: Whether it is among `parameters()` and wants a gradient.
        remembered: Whether `state_dict()` has it.
        moved: Whether `.to()` reaches it.
        cast: Whether `.double()` changes its dtype.
        wants: Its `requires_grad`; None where it does not say.
        computed: Whether it is the result of a computation, with a graph behind it.
        gradient: `"there"`, `"none yet"`, or the empty string where there can be none.
        twin: Index of the row that counts for the same object, its first place in a drawer if there is one; or -1.
        empty: Whether the place is registered, but holds None.
        verdict: What that means, in words.
        tried: What a trial on a copy found to be otherwise than the rules say; the empty string if nothing.
        after: The dtype that it had on the copy after `.double()`; empty if that was not tried.
        device: `"cpu"`, or the empty string where the object does not say.
        nbytes: How much memory it takes; on meta, how much it would take.
    """

    path: str
    owner: str
    kind: Kind
    what: str
    shape: tuple[int, ...] | None
    dtype: str
    numel: int
    learned: bool
    remembered: bool
    moved: bool
    cast: bool
    wants: bool | None
    computed: bool
    gradient: str
    twin: int = -1
    empty: bool = False
    verdict: str = ""
    tried: str = ""
    after: str = ""
    device: str = ""
    nbytes: int = 0

    @property
    def unmade(self) -> bool:
        """Whether it is a place of a lazy Module, which the first forward() fills."""
        return self.shape is None and self.what.startswith("Uninitialized")

    @property
    def group(self) -> Group:
        """Learned, remembered (saved but not learned), or neither."""
        return Standing(self.learned, self.remembered, self.moved, self.cast).group


@dataclass(frozen=True, slots=True)
class Trial:
    """What the methods of the model itself said, asked on a copy.

    Attributes:
        reached: Paths that `named_parameters()` gave, by every name; None if it could not be asked.
        kept: Paths that `named_buffers()` gave, in the same way.
        saved: Keys of `state_dict()`; None if it could not be asked.
        dtypes: For each path the dtype after the cast; None if nothing could be cast.
        cast: The call that was tried: `"double()"`.
        problem: Why nothing was tried, or the empty string.
        notes: What a single method could not do, in words.
    """

    reached: frozenset[str] | None = None
    kept: frozenset[str] | None = None
    saved: frozenset[str] | None = None
    dtypes: dict[str, str] | None = None
    cast: str = "double()"
    problem: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LedgerFacts:
    """The ledger of one model.

    Attributes:
        label: Class of the model.
        rows: The places in order: a Module's parameters, buffers and plain tensors, then its children's.
        trial: What a copy said to it; None if nobody asked one.
        notes: Drawers that are not there, and what was left out.
    """

    label: str
    rows: tuple[LedgerRow, ...]
    trial: Trial | None = None
    notes: tuple[str, ...] = ()

    def totals(self) -> dict[Group, tuple[int, int]]:
        """For each group how many tensors and how many numbers, each object counted once."""
        tensors: Counter[str] = Counter()
        numbers: Counter[str] = Counter()
        for row in self.rows:
            if row.twin < 0 and not row.empty:
                tensors[row.group] += 1
                numbers[row.group] += row.numel
        return {group: (tensors[group], numbers[group]) for group in GROUPS}

    def twins(self, index: int) -> list[int]:
        """The other rows that hold the same object."""
        first = self.rows[index].twin if self.rows[index].twin >= 0 else index
        same = [i for i, row in enumerate(self.rows) if i == first or row.twin == first]
        return [i for i in same if i != index]

    @property
    def tried(self) -> bool:
        """Whether a copy was asked."""
        return self.trial is not None and not self.trial.problem

    @property
    def summary(self) -> str:
        """`"3 learned (50 numbers), 1 remembered (4 numbers), 1 neither (4 numbers)"`."""
        parts = []
        for group, (tensors, numbers) in self.totals().items():
            if tensors or group != "neither":
                parts.append(f"{tensors:,} {group} ({count(numbers, 'number')})")
        unmade = sum(row.unmade for row in self.rows if row.twin < 0)
        rest = f"; {count(unmade, 'tensor')} not made yet, of no size so far" if unmade else ""
        return ", ".join(parts) + rest


def ledger_facts(model: object, trial: Trial | None = None) -> LedgerFacts:
    """Reads where the tensors of a model lie; changes nothing.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`, or on its way there.
        trial: What a copy of it said; by it the rows say where the model does otherwise than the rules.

    Raises:
        TypeError: If the object is nothing like a Module.
    """
    require_module(model, "ledger")
    found, left_out = tensors_of(model)
    rows = tuple(_rows(found, trial))
    return LedgerFacts(class_name(model), rows, trial, (*_missing_drawers(model), *left_out))


def _rows(found: list[Found], trial: Trial | None) -> Iterator[LedgerRow]:
    reader, sharing = TensorReader(), _Sharing(found)
    for index, item in enumerate(found):
        row = _row(item, reader)
        if item.tensor is None:
            yield replace(row, verdict=verdict(row))
            continue
        home = sharing.home(item)
        if home == "parameter":  # it stays the same object when it is moved; a buffer is replaced
            rules = standing(reader.describe(item.tensor))
            row = replace(row, moved=rules.moved, cast=rules.cast)
        counted = sharing.counted[id(item.tensor)]
        said = verdict(row, *sharing.others(item), home)
        row = replace(row, twin=-1 if counted == index else counted, verdict=said)
        yield _with_trial(row, trial)


class _Sharing:
    """Where else each tensor lies.

    Attributes:
        counted: For each tensor, by its identity, the row that counts for it: a place in a drawer if there is one.
    """

    def __init__(self, found: list[Found]) -> None:
        self.counted: dict[int, int] = {}
        self._kinds: dict[int, str] = {}
        self._names: dict[int, list[str]] = {}
        for index, item in sorted(enumerate(found), key=lambda pair: pair[1].kind not in _DRAWN):
            self.counted.setdefault(id(item.tensor), index)
            self._kinds.setdefault(id(item.tensor), item.kind)
            self._names.setdefault(id(item.tensor), []).append(item.path)

    def home(self, item: Found) -> str:
        """The drawer in which the tensor lies elsewhere, if it lies in none here; otherwise empty."""
        kind = self._kinds[id(item.tensor)]
        return kind if kind in _DRAWN and item.kind not in _DRAWN else ""

    def others(self, item: Found) -> tuple[list[str], int]:
        """Paths of three other places of the tensor, and how many others there are."""
        names = self._names[id(item.tensor)]
        return [path for path in names[:4] if path != item.path][:3], len(names) - 1


def _row(item: Found, reader: TensorReader) -> LedgerRow:
    kind = "parameter" if item.kind == "parameter" else "buffer"
    known = reader.entry(item.name, kind, item.tensor, item.saved)
    rules = standing(known, item.kind in _DRAWN)
    return LedgerRow(
        path=item.path,
        owner=item.owner,
        kind=item.kind,
        what=known.class_name,
        shape=known.shape,
        dtype=known.dtype,
        numel=known.numel,
        learned=rules.learned,
        remembered=rules.remembered or (item.kind == "own" and item.saved and not known.empty),
        moved=rules.moved,
        cast=rules.cast,
        wants=known.requires_grad,
        computed=known.requires_grad is True and read(item.tensor, "is_leaf").value is False,
        gradient=_gradient(item.tensor, known.requires_grad),
        empty=known.empty,
        device=known.device,
        nbytes=known.nbytes,
    )


def _gradient(tensor: object, wants: bool | None) -> str:
    """Whether there is a gradient now."""
    if tensor is None or not wants:
        return ""
    return "none yet" if gradient(tensor) is None else "there"


def _with_trial(row: LedgerRow, trial: Trial | None) -> LedgerRow:
    """The row with what the copy did otherwise than the rules say."""
    if trial is None or trial.problem or row.empty:
        return row
    said = []
    for kind, method, listed in zip(_DRAWN, LISTS, (trial.reached, trial.kept), strict=True):
        if row.kind == kind and listed is not None and row.path not in listed:
            said.append(f"its own `{method}()` does not list it")
    saved = trial.saved if row.kind != "own" else None
    if saved is not None and row.remembered != (row.path in saved):
        said.append(f"its own `state_dict()` {'has no such key' if row.remembered else 'has it'}")
    after = (trial.dtypes or {}).get(row.path, "")
    if after and row.cast != (after != row.dtype):
        verb = f"made {after} of it" if after != row.dtype else f"left it {row.dtype}"
        said.append(f"`{trial.cast}` {verb}")
    return replace(row, tried="; ".join(said), after=after)


def _missing_drawers(model: object) -> Iterator[str]:
    """What a class that is half-way written cannot keep yet."""
    own: dict[str, Any] = own_dict(model)
    if STAND_IN in own:
        return
    needs = {
        "_parameters": "nothing can be learned",
        "_buffers": "nothing can be remembered without being learned",
        "_modules": "children cannot be found",
    }
    for slot in DRAWERS:
        if slot not in own:
            yield f"`{slot}` is not there yet: {needs[slot]}."
    if "_non_persistent_buffers_set" not in own and "_buffers" in own:
        yield "`_non_persistent_buffers_set` is not there yet: every buffer is saved."
    for slot in DRAWERS:
        problem = drawer(model, slot).problem
        if problem:
            yield visible(f"{problem}.")
