"""The moments of a model that a reader wanted to keep, and which two of them are compared."""

from __future__ import annotations

from nbmodule_widgets.facts.heat import HeatMap
from nbmodule_widgets.facts.moments import (
    Comparison,
    Moment,
    compare,
    moment,
    moment_of_state,
)
from nbmodule_widgets.facts.parameters import Slice, moved_heat, moved_histograms
from nbmodule_widgets.facts.places import Places
from nbmodule_widgets.facts.weights import Histogram

NOW = "now"

_MOST = 6  # the oldest goes when there is one more


class Remembered:
    """A few moments by name. The present is always there too, as `"now"`.

    Attributes:
        chosen: The names of the two that are compared.
    """

    def __init__(self) -> None:
        self._moments: dict[str, Moment] = {}
        self.chosen = ("", NOW)

    @property
    def names(self) -> list[str]:
        """What can be compared, oldest first; empty if nothing is remembered."""
        return [*self._moments, NOW] if self._moments else []

    def new_name(self) -> str:
        """`"moment 1"`, or the first such name that is free."""
        return next(name for n in range(1, 10_000) if (name := f"moment {n}") not in self._moments)

    def add(self, name: str, places: Places, state: object = None) -> None:
        """Remembers the model as it is now, or a `state_dict`, and compares it with the one before.

        Raises:
            TypeError: If `state` is no dictionary.
            ValueError: If the name is empty or `"now"`.
        """
        if not isinstance(name, str) or not name or name == NOW:
            raise ValueError(f"a moment needs a name of its own, not {name!r}")
        made = moment(name, places) if state is None else moment_of_state(name, state, places)
        self._moments.pop(name, None)
        self._moments[name] = made
        while len(self._moments) > _MOST:
            self._moments.pop(next(iter(self._moments)))
        names = list(self._moments)
        self.chosen = (names[-2], names[-1]) if len(names) > 1 else (names[0], NOW)

    def choose(self, before: str, after: str) -> None:
        """Which two to compare; an empty name leaves the choice as it is.

        Raises:
            KeyError: If no moment of that name was remembered.
        """
        wanted = (before or self.chosen[0], after or self.chosen[1])
        for name in wanted:
            if name not in self.names:
                known = ", ".join(repr(known) for known in self._moments) or "none"
                raise KeyError(f"no moment {name!r} was remembered; there is {known}")
        self.chosen = wanted

    def compared(
        self, places: Places, path: str, wanted: Slice
    ) -> tuple[Comparison | None, HeatMap | None, tuple[Histogram, Histogram] | None]:
        """How far everything moved, and for one tensor a picture of the difference and two histograms."""
        if not self._moments:
            return None, None, None
        before, after = (self._moments.get(name) or moment(NOW, places) for name in self.chosen)
        picture = moved_heat(before, after, path, wanted)
        return compare(before, after), picture, moved_histograms(before, after, path)
