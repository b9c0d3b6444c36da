"""How much memory the tensors of a ledger take, by dtype and device: now, and when the ledger was opened.

The hue says how many bytes a number has, on the scale from little to much; the pattern says the device. Both are
written beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nbmodule_widgets.facts.words import size
from nbmodule_widgets.inks import wash
from nbmodule_widgets.lesson_facts.ledger import LedgerRow
from nbmodule_widgets.markup import line, pill

_WIDTH = 40  # characters of the longest bar


@dataclass(frozen=True, slots=True)
class Share:
    """The tensors of one dtype on one device.

    Attributes:
        place: `"float32 on cpu"`.
        nbytes: How many bytes they take; of those on meta, how many they would take.
        width: Bytes of one number.
        device: `"cpu"`, without the number of a card; the empty string where it is not known.
    """

    place: str
    nbytes: int
    width: int
    device: str

    @property
    def there(self) -> bool:
        """Whether they take memory: on meta there are no numbers."""
        return self.device != "meta"

    @property
    def words(self) -> str:
        """`"716 B"`, or `"0 B instead of 716 B"`."""
        return size(self.nbytes) if self.there else f"0 B instead of {size(self.nbytes)}"


Memory = tuple[Share, ...]


def place_of(row: LedgerRow) -> str:
    """`"float32 on cpu"`; the empty string where there is no tensor."""
    return f"{row.dtype} on {row.device}" if row.dtype and row.device else row.dtype


def memory_of(rows: Iterable[LedgerRow]) -> Memory:
    """The memory of the tensors by place, in the order in which the places are met; each object counts once."""
    found: dict[str, Share] = {}
    for row in rows:
        place = place_of(row)
        if row.twin < 0 and place and row.numel:
            before = found[place].nbytes if place in found else 0
            width, device = row.nbytes // row.numel, row.device.partition(":")[0]
            found[place] = Share(place, before + row.nbytes, width, device)
    return tuple(found.values())


def total(memory: Memory) -> int:
    """How many bytes there are in all; those on meta are not there."""
    return sum(share.nbytes for share in memory if share.there)


def bars(now: Memory, first: Memory) -> list[tuple[str, Memory]]:
    """The bars to draw, each with its title: one, or two if something has changed since the ledger was opened."""
    if now == first:
        return [(f"memory: {size(total(now))}", now)]
    return [
        (f"memory at first: {size(total(first))}", first),
        (f"memory now: {size(total(now))}", now),
    ]


def memory_lines(now: Memory, first: Memory) -> list[str]:
    """The bars as text, all on one scale."""
    drawn = bars(now, first)
    most = max((share.nbytes for _, memory in drawn for share in memory), default=1)
    wide = max((len(share.place) for _, memory in drawn for share in memory), default=0)
    lines = []
    for title, memory in drawn:
        lines.append(title)
        for share in memory:
            length = max(1, round(_WIDTH * share.nbytes / most))
            mark = ("█" if share.device in ("cpu", "") else "▒") if share.there else "░"
            lines.append(f"  {share.place:<{wide}}  {mark * length} {share.words}")
    return lines


def memory_html(now: Memory, first: Memory) -> str:
    """The bars as words without a script."""
    return "".join(
        line(title) + f'<div style="margin-bottom:4px">{_pills(memory)}</div>'
        for title, memory in bars(now, first)
    )


def _pills(memory: Sequence[Share]) -> str:
    return "".join(
        pill(f"{share.place}: {share.words}", wash("value", min(0.08 * share.width, 0.6)))
        for share in memory
    )


def packed_memory(now: Memory, first: Memory) -> list[dict[str, object]]:
    """The bars for the page."""
    drawn = bars(now, first)
    most = max((sum(s.nbytes for s in memory) for _, memory in drawn), default=1) or 1
    return [
        {
            "title": title,
            "shares": [[s.place, s.words, s.width, s.device, s.nbytes / most] for s in memory],
        }
        for title, memory in drawn
    ]
