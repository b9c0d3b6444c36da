"""Which key of a state probably belongs to which missing key of a model: by prefix, by ending, by shape."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.lesson_facts.keys_expected import Wanted
from nbmodule_widgets.lesson_facts.keys_given import Item
from nbmodule_widgets.lesson_facts.keys_loading import compared

_PREFIXES = 8  # candidates on either side
_STEPS = 3  # levels of a prefix
_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A key that may be meant.

    Attributes:
        old: The state's own key.
        new: The key of the model that it may stand for.
        reason: Why, in words.
        fits: Whether what lies there could be loaded: a tensor of the same shape.
        why_not: Why it could not; or the empty string.
    """

    old: str
    new: str
    reason: str
    fits: bool
    why_not: str = ""


def suggestions(
    free: list[Wanted], spare: list[Item], known: Collection[str]
) -> tuple[tuple[Suggestion, ...], tuple[str, ...]]:
    """Pairs of keys, and what was noticed about the prefixes.

    Args:
        free: Keys of the model that the state does not have.
        spare: Entries of the state that the model does not have.
        known: All keys of the model.
    """
    found: list[Suggestion] = []
    hints: list[str] = []
    for _ in range(_ROUNDS):
        best = _best_prefixes(free, spare)
        if best is None:
            break
        old, new, pairs = best
        reason = _prefix_words(old, new)
        found += [
            Suggestion(item.original, wanted.key, reason, *_fit(wanted, item))
            for wanted, item in pairs
        ]
        whole = len(pairs) == len(spare) == len(free) == len(known)
        hints.append(_hint(pairs, whole, len(known), reason))
        free, spare = _without(free, spare, pairs)
    for pairs, reason in _by_likeness(free, spare):
        found += [
            Suggestion(item.original, wanted.key, reason, *_fit(wanted, item))
            for wanted, item in pairs
        ]
    return tuple(found), tuple(hints)


def _hint(pairs: list[tuple[Wanted, Item]], whole: bool, known: int, reason: str) -> str:
    """How many keys an exchange of prefixes would bring: those that fit, which can be accepted; the others after them."""
    fitting = sum(_fits(wanted, item) for wanted, item in pairs)
    rest = len(pairs) - fitting
    if not rest:
        said = "All" if whole else f"{fitting:,} more of the"
        return f"{said} {count(known, 'key')} would match {reason}"
    bare = sum(compared(wanted, item)[0] == "value" for wanted, item in pairs)
    parts = [(bare, "without a tensor"), (rest - bare, "of another shape")]
    others = " and ".join(f"{number:,} {words}" for number, words in parts if number)
    if not fitting:
        return f"{others} would be found {reason}, and would not fit"
    more = "" if whole else "more "
    return (
        f"{fitting:,} {more}of the {count(known, 'key')} would match {reason}; {others} would not"
    )


def _fit(wanted: Wanted, item: Item) -> tuple[bool, str]:
    """Whether a pair fits, and if not, why."""
    found, _ = compared(wanted, item)
    return found == "matched", {"shape": "the shape differs", "value": "it is no tensor"}.get(
        found, ""
    )


def _fits(wanted: Wanted, item: Item) -> bool:
    return compared(wanted, item)[0] == "matched"


def _prefix_words(old: str, new: str) -> str:
    if not new:
        return f"without the prefix `{visible(old, 80)}`"
    if not old:
        return f"with the prefix `{visible(new, 80)}`"
    return f"with `{visible(new, 80)}` in place of `{visible(old, 80)}`"


def _best_prefixes(
    free: list[Wanted], spare: list[Item]
) -> tuple[str, str, list[tuple[Wanted, Item]]] | None:
    """The two prefixes by whose exchange most keys match; None if there are no two such keys."""
    by_key = {wanted.key: wanted for wanted in free}
    ends = _prefixes(by_key)
    best: tuple[str, str, list[tuple[Wanted, Item]]] | None = None
    highest = (0, 0)
    for old in _prefixes(item.key for item in spare):
        below = [(item.key[len(old) :], item) for item in spare if item.key.startswith(old)]
        for new in ends:
            pairs = [(by_key[new + rest], item) for rest, item in below if new + rest in by_key]
            if len(pairs) < 2 and not len(free) == len(spare) == len(pairs):
                continue
            score = (sum(_fits(wanted, item) for wanted, item in pairs), len(pairs))
            if old != new and score > highest:
                best, highest = (old, new, pairs), score
    return best


def _prefixes(keys: Iterable[str]) -> list[str]:
    """The dotted beginnings that most keys share, the empty one first."""
    counted: Counter[str] = Counter()
    for key in keys:
        steps = key.split(".")[:-1]
        for level in range(1, min(_STEPS, len(steps)) + 1):
            counted[".".join(steps[:level]) + "."] += 1
    return ["", *(prefix for prefix, _ in counted.most_common(_PREFIXES))]


def _without(
    free: list[Wanted], spare: list[Item], pairs: list[tuple[Wanted, Item]]
) -> tuple[list[Wanted], list[Item]]:
    taken, used = {w.key for w, _ in pairs}, {i.key for _, i in pairs}
    return [w for w in free if w.key not in taken], [i for i in spare if i.key not in used]


def _by_likeness(
    free: list[Wanted], spare: list[Item]
) -> list[tuple[list[tuple[Wanted, Item]], str]]:
    """Pairs of the same shape and the same last name; then of the same shape alone, if there is one of each."""
    found = []
    mine = _grouped(((w.facts.shape if w.facts else None, _last(w.key)), w) for w in free)
    theirs = _grouped(((i.facts.shape, _last(i.key)), i) for i in spare if i.facts is not None)
    for mark, wanted in mine.items():
        items = theirs.get(mark, [])
        if mark[0] is None or not items:
            continue
        if len(wanted) == len(items) == 1:
            found.append(
                ([(wanted[0], items[0])], f"the only `{visible(mark[1], 40)}` of this shape")
            )
        elif len(wanted) == len(items):
            pairs = list(zip(wanted, items, strict=True))
            found.append((pairs, f"`{visible(mark[1], 40)}` of the same shape, in the same order"))
        else:
            pairs = _most_alike(wanted, items)
            found.append((pairs, "of the same shape, with the most similar name"))
    for pairs, _ in found:
        free, spare = _without(free, spare, pairs)
    shapes = _grouped((w.facts.shape, w) for w in free if w.facts is not None and w.facts.shape)
    others = _grouped((i.facts.shape, i) for i in spare if i.facts is not None)
    for shape, wanted in shapes.items():
        items = others.get(shape, [])
        if len(wanted) == len(items) == 1 and not _is_half(items[0].key):
            found.append(([(wanted[0], items[0])], "the only one of this shape"))
    return found


def _is_half(key: str) -> bool:
    """Whether a key names one part of a weight that is worked out from two: its direction, of weight_norm."""
    return key.endswith(("weight_v", "weight_g", ".original0", ".original1", "_orig"))


def _grouped(pairs: Iterable[tuple]) -> dict:
    groups: dict = defaultdict(list)
    for mark, thing in pairs:
        groups[mark].append(thing)
    return groups


def _last(key: str) -> str:
    return key.rpartition(".")[2]


def _most_alike(wanted: list[Wanted], items: list[Item]) -> list[tuple[Wanted, Item]]:
    """Those who share a step of their paths beside the last one, each used once."""
    pairs, left = [], list(items[:200])
    for one in wanted[:200]:
        steps = set(one.key.split(".")[:-1])
        likeness = [len(steps & set(item.key.split(".")[:-1])) for item in left]
        best = max(likeness, default=0)
        if best and likeness.count(best) == 1:
            pairs.append((one, left.pop(likeness.index(best))))
    return pairs
