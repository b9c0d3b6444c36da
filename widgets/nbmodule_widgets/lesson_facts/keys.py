"""The keys of a state_dict against those of a model, and what `load_state_dict` would make of them.

Everything is worked out by reading, in the order in which PyTorch goes: Module by Module from the top, first what each
of them misses, then what lies below its path and belongs to nobody. Nothing is loaded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from nbmodule_widgets.engines import is_a_library_s
from nbmodule_widgets.facts.records import TensorFacts
from nbmodule_widgets.facts.slots import tensor_words
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.lesson_facts.keys_expected import Expected, Wanted, expected_of
from nbmodule_widgets.lesson_facts.keys_given import Given, given_of
from nbmodule_widgets.lesson_facts.keys_loading import compared, error_lines
from nbmodule_widgets.lesson_facts.keys_renaming import Suggestion, suggestions
from nbmodule_widgets.protocol import class_attribute, class_name, require_module

Status = Literal[
    "matched", "shape", "value", "missing", "unexpected", "ignored", "filled", "untold"
]

STATUSES: tuple[Status, ...] = (
    "matched",
    "shape",
    "value",
    "missing",
    "unexpected",
    "ignored",
    "filled",
    "untold",
)
_RESTS: dict[Status, str] = {
    "ignored": "its Module is registered as None, so it is never looked at",
    "untold": "whether it is loaded is up to the Module's own `_load_from_state_dict`, which is not run to find out",
}
_SPARED = "which the state has: with `strict=False` it is loaded through that"
PROBLEMS = ("shape", "value", "missing", "unexpected")


@dataclass(frozen=True, slots=True)
class KeyRow:
    """A key of the model, one of the state, or a pair of them.

    Attributes:
        status: `"matched"`; `"shape"` (both are there, the shapes differ); `"value"` (what is there is no tensor);
            `"missing"` in the state; `"unexpected"` in the state; `"ignored"` (of the state, but nobody complains);
            `"filled"` (missing, but the Module fills it in); `"untold"` (of the state, for a Module's own method to take).
        model_key: The model's key, or None.
        state_key: The state's key after renaming, or None.
        original: The state's own key, or None.
        model: What the model has there.
        state: What the state has there.
        note: What else there is to say, such as that the dtype is cast; or the empty string.
    """

    status: Status
    model_key: str | None
    state_key: str | None
    original: str | None
    model: TensorFacts | None
    state: TensorFacts | None
    note: str = ""

    @property
    def renamed(self) -> bool:
        """Whether the state's key was renamed."""
        return self.original != self.state_key

    @property
    def model_words(self) -> str:
        """`"(4, 3) float32"`, or the empty string."""
        return "" if self.model is None else tensor_words(self.model)

    @property
    def state_words(self) -> str:
        """The same for the state."""
        return "" if self.state is None else tensor_words(self.state)


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """What `load_state_dict` would find.

    Attributes:
        label: Class of the model.
        rows: The model's keys in order, then what only the state has.
        missing: Keys that `load_state_dict` would call missing, in its order.
        unexpected: Keys that it would call unexpected, in its order.
        errors: The lines of its error for `strict=True`; empty if it would not raise.
        lenient_errors: The same for `strict=False`: shapes and values are errors all the same.
        suggestions: Keys of the state that probably belong to a missing one.
        hints: What was noticed about the state as a whole.
        left_out: Tensors of the model that have no key, and why.
        notes: What could not be predicted.
        renames: The mapping so far: the state's own key -> the new one.
    """

    label: str
    rows: tuple[KeyRow, ...]
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    errors: tuple[str, ...]
    lenient_errors: tuple[str, ...]
    suggestions: tuple[Suggestion, ...]
    hints: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    renames: tuple[tuple[str, str], ...]

    @property
    def spared(self) -> int:
        """How many missing keys are of tensors that the state has under another key."""
        return sum(row.status == "missing" and row.note.endswith(_SPARED) for row in self.rows)

    def counts(self) -> dict[Status, int]:
        """How many rows there are of each status."""
        counted = Counter(row.status for row in self.rows)
        return {status: counted[status] for status in STATUSES}

    @property
    def strict_words(self) -> str:
        """What `load_state_dict(state)` would do."""
        if not self.errors:
            untold = self.counts()["untold"]
            left = f" What becomes of {count(untold, 'other key')} is not known." if untold else ""
            return f"`load_state_dict(state)` loads {self._loaded()}: <All keys matched successfully>.{left}{self._unless()}"
        what = ", ".join(self._problems())
        return (
            f"`load_state_dict(state)` raises a RuntimeError: {what}. The keys that fit are copied before it raises."
            f"{self._unless()}"
        )

    def _unless(self) -> str:
        """That what was predicted holds only if what the notes say does not happen."""
        unsure = any(" may " in note for note in self.notes)
        return " The notes may change that." if unsure else ""

    @property
    def lenient_words(self) -> str:
        """What `load_state_dict(state, strict=False)` would do."""
        call = "`load_state_dict(state, strict=False)`"
        if self.lenient_errors:
            wrong = sum(row.status in ("shape", "value") for row in self.rows)
            return (
                f"{call} raises a RuntimeError too, for {count(wrong, 'key')}: `strict` forgives missing and unexpected "
                f"keys, never {self._unforgiven()}."
            )
        if not self.missing and not self.unexpected:
            return f"{call} does the same."
        return (
            f"{call} loads {self._loaded()} and returns {self._returned()} without complaint; "
            f"{self._spared_words()}.{self._unless()}"
        )

    def _returned(self) -> str:
        """The keys that it would return: "2 missing keys and 1 unexpected key"."""
        some = ((len(self.missing), "missing key"), (len(self.unexpected), "unexpected key"))
        return " and ".join(count(number, words) for number, words in some if number)

    def _unforgiven(self) -> str:
        counts = self.counts()
        kinds = [("shape", "a shape"), ("value", "a value that is not a tensor")]
        return " or ".join(words for status, words in kinds if counts[status])  # type: ignore[index]

    def _spared_words(self) -> str:
        """What becomes of the missing ones."""
        through = "loaded through another key of the same tensor"
        if self.spared == len(self.missing) > 0:
            return f"what is missing is {through}"
        some = f", but {self.spared:,} of them, {through}" if self.spared else ""
        return f"what is missing stays as it is{some}"

    def _loaded(self) -> str:
        expected = sum(row.model_key is not None for row in self.rows)
        return f"{self.counts()['matched']:,} of {count(expected, 'key')}"

    def _problems(self) -> list[str]:
        counts = self.counts()
        said = [f"{count(len(self.missing), 'key')} missing"] if self.missing else []
        said += [f"{count(len(self.unexpected), 'key')} unexpected"] if self.unexpected else []
        said += [f"{counts['shape']:,} of another shape"] if counts["shape"] else []
        return said + ([f"{counts['value']:,} without a tensor"] if counts["value"] else [])


def key_facts(model: object, state: object, renames: Mapping[str, str] | None = None) -> KeyFacts:
    """Compares the keys of a model with those of a state; loads and changes nothing.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        state: A dictionary of tensors, or another Module, whose state is taken.
        renames: Keys of the state under which it is read -> the keys that they stand for.

    Raises:
        TypeError: If the model is nothing like a Module, or the state no dictionary.
    """
    require_module(model, "match_keys")
    renames = dict(renames or {})
    given = given_of(state, renames)
    expected = expected_of(model, given)
    rows = tuple(_rows(expected, given))
    errors, lenient = error_lines(class_name(model), expected, given)
    free = [w for w in expected.wanted if w.key not in given.by_key]
    spare = [
        given.by_key[k] for k in (*expected.unexpected, *expected.ignored) if k in given.by_key
    ]
    found, hints = suggestions(free, spare, {w.key for w in expected.wanted})
    notes = [*expected.notes, *given.notes]
    method = class_attribute(model, "load_state_dict")
    if method is None:
        notes.insert(
            0, "The class has no `load_state_dict()` yet: this is what PyTorch's would do."
        )
    elif not is_a_library_s(method):
        notes.insert(
            0,
            "The class has its own `load_state_dict()`. It isn't run: this is what PyTorch's would do.",
        )
    return KeyFacts(
        label=class_name(model),
        rows=rows,
        missing=expected.missing,
        unexpected=expected.unexpected,
        errors=errors,
        lenient_errors=lenient,
        suggestions=found,
        hints=(*given.hints, *hints),
        left_out=expected.left_out,
        notes=tuple(notes),
        renames=tuple((old, new) for old, new in renames.items()),
    )


def _rows(expected: Expected, given: Given) -> list[KeyRow]:
    there = {
        id(wanted.tensor): wanted.key
        for wanted in reversed(expected.wanted)
        if wanted.tensor is not None and wanted.key in given.by_key
    }
    rows = [_row(wanted, given, there.get(id(wanted.tensor))) for wanted in expected.wanted]
    rest: dict[str, Status] = dict.fromkeys(expected.unexpected, "unexpected")
    rest.update(dict.fromkeys(expected.ignored, "ignored"))
    rest.update(dict.fromkeys(expected.untold, "untold"))
    for key, status in rest.items():
        item = given.by_key[key]
        note = _RESTS.get(status, "")
        rows.append(KeyRow(status, None, key, item.original, None, item.facts, note))
    return rows


def _row(wanted: Wanted, given: Given, twin: str | None) -> KeyRow:
    item = given.by_key.get(wanted.key)
    notes = [wanted.note] if wanted.note else []
    if item is None:
        status: Status = "filled" if wanted.filled else "missing"
        if twin is not None and status == "missing":
            notes = [f"one tensor with {shown(twin)}, {_SPARED}"]
        return KeyRow(status, wanted.key, None, None, wanted.facts, None, "; ".join(notes))
    found, words = compared(wanted, item)
    notes += [words] if words else []
    return KeyRow(
        found, wanted.key, wanted.key, item.original, wanted.facts, item.facts, "; ".join(notes)
    )


def shown(key: Any) -> str:
    """A key as it is written in sentences."""
    return f"`{visible(key, 120)}`"
