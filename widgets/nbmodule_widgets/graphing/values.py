"""What the operations of a graph made: from the run, from the leaves, from what was saved, or worked out again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nbmodule_widgets.engines import PACKED, Dialect, Engine
from nbmodule_widgets.facts.glance import Glance, glance
from nbmodule_widgets.facts.nests import is_tensor
from nbmodule_widgets.graphing.arithmetic import worked_out
from nbmodule_widgets.graphing.noted import Seen
from nbmodule_widgets.graphing.ordering import Found
from nbmodule_widgets.protocol import read

READ_SAVED = 2000
"""In graphs of at most so many nodes leaves and saved values are read at once; in larger ones when asked for."""

_TRIED = (
    50  # nodes of a larger graph whose saved values are read, to learn whether they have been freed
)


class Values:
    """The values of a graph's nodes.

    Args:
        dialect: How the nodes are asked.
        found: The nodes.
        seen: `id` of a live node -> what was noted of it as it ran.
        keep: Values are copied if they take at most so many bytes.

    Attributes:
        known: Place of a node in `found.nodes` -> what it made, and where that was found.
        freed: The places of those whose saved values are gone.
        packed: Whether a hook would have to run for some of the saved values to be read.
    """

    def __init__(self, dialect: Dialect, found: Found, seen: Mapping[int, Seen], keep: int) -> None:
        self._dialect, self._found, self._seen, self._keep = dialect, found, seen, keep
        self.known: dict[int, tuple[Glance, str]] = {}
        self.freed: set[int] = set()
        self.packed = False

    def find(
        self, results: tuple[Any, ...], in_order: list[int], variables: Mapping[int, Any]
    ) -> None:
        """Collects them.

        Args:
            results: The tensors that were asked for.
            in_order: The places of all nodes, producers before consumers.
            variables: Place of a node -> what it made, where the caller holds that.
        """
        nodes = self._found.nodes
        places = {id(node): place for place, node in enumerate(nodes)}
        few = len(nodes) <= READ_SAVED
        for place, node in enumerate(nodes):
            seen = self._seen.get(id(node))
            own = self._dialect.value(node) if few else None
            if seen is not None and seen.value is not None:
                self.known[place] = seen.value, "run"
            elif own is not None:
                self.known[place] = glance(own, self._keep), "leaf"
        for (place, _), tensor in zip(self._found.starts, results, strict=False):
            if place >= 0 and place not in self.known:
                self.known[place] = glance(tensor, self._keep), "result"
        kept: dict[int, dict[str, Any]] = {}
        for place, node in enumerate(nodes if few else nodes[:_TRIED]):
            for name, value, problem in self._dialect.saved(node):
                kept.setdefault(place, {})[name] = value
                if "freed" in problem:
                    self.freed.add(place)
                elif problem == PACKED:
                    self.packed = True
                elif few and not problem and is_tensor(value):
                    self._note_saved(value, name, place, places)
        for place, tensor in variables.items():
            if place not in self.known:
                self.known[place] = glance(tensor, self._keep), "variable"
        if few and isinstance(self._dialect, Engine):
            self._work_out(kept, in_order)

    def _work_out(self, saved: dict[int, dict[str, Any]], in_order: list[int]) -> None:
        """Values of simple operations that no node saved, from those of their arguments."""
        for place in in_order:
            if place in self.known or self._found.leaf[place] is not None:
                continue
            arguments: dict[int, Any] = {}
            for source, output, slot in self._found.edges[place]:
                known = self.known.get(source) if output == 0 else None
                arguments[slot] = known[0].values if known is not None else None
            kept = {
                name: value if type(value) in (int, float) else glance(value, self._keep).values
                for name, value in saved.get(place, {}).items()
                if type(value) in (int, float) or is_tensor(value)
            }
            node = self._found.nodes[place]
            made = self._dialect.made(node)
            shape = made[0][0] if made else None
            value = worked_out(self._dialect.name(node), arguments, kept, shape)
            if value is not None:
                source_words = "worked out from its arguments as they are now"
                self.known[place] = glance(value, self._keep), source_words

    def _note_saved(self, value: Any, name: str, by: int, places: dict[int, int]) -> None:
        """A saved tensor knows which node made it: so that node's value is known."""
        maker = read(value, "grad_fn").value
        place = places.get(id(maker), -1) if maker is not None else -1
        if place >= 0 and place not in self.known and (read(value, "output_nr").value or 0) == 0:
            by_name = "itself" if place == by else self._dialect.name(self._found.nodes[by])
            self.known[place] = glance(value, self._keep), f"saved by {by_name} as {name}"
