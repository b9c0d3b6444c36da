"""The tensors of a model by their paths, and the way back to the live objects."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from nbmodule_widgets.facts.live import resolve
from nbmodule_widgets.facts.model import ModuleFacts
from nbmodule_widgets.facts.records import TensorFacts
from nbmodule_widgets.facts.words import visible

# In a chain of 100,000 modules, or below a name of a megabyte, the paths together would fill gigabytes.
DEEPEST = 500
LONGEST = 4000  # characters


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tensor lies in a model.

    Attributes:
        path: Dotted path, such as `"fc1.weight"`.
        row: Its row in the facts.
        tensor: What the facts say about it.
        owner: Class name of the module that holds it.
    """

    path: str
    row: int
    tensor: TensorFacts
    owner: str


class Places:
    """All tensors of a model in the order of registration, each object once, and how to get at them.

    Left out is what lies more than 500 levels deep, or has a path of more than 4,000 characters.

    Args:
        model: The model itself.
        known: What `facts` read from it.

    Attributes:
        all: The places in order.
        by_path: The same by their paths.
    """

    def __init__(self, model: object, known: ModuleFacts) -> None:
        self._model, self._known = model, known
        self.all: list[Place] = []
        self._aliases: dict[str, int] = {}  # path of a shared object -> row of its first place
        nodes, paths = known.nodes, [""]
        left_out: set[int] = set()
        for index, parent in enumerate(nodes.parent):
            if parent >= 0:
                base, name = paths[parent], nodes.names[index]
                paths.append(f"{base}.{name}" if base else name)
            too_long = nodes.depth[index] > DEEPEST or len(paths[index]) > LONGEST
            if too_long or parent in left_out:
                left_out.add(index)
                paths[index] = ""
                continue
            self._add(paths[index], index)
        self.by_path = {place.path: place for place in self.all}

    def _add(self, path: str, index: int) -> None:
        """Notes the tensors of one module."""
        pattern, first = self._known.nodes.of(index), self._known.nodes.row[index] + 1
        if pattern.twin >= 0:
            self._aliases[path] = pattern.twin
        for row, tensor in enumerate(pattern.tensors, first):
            own = f"{path}.{tensor.name}" if path else tensor.name
            if tensor.twin >= 0:
                self._aliases[own] = tensor.twin
            elif not tensor.empty and len(own) <= LONGEST:
                self.all.append(Place(own, row, tensor, pattern.class_name))

    @property
    def parameters(self) -> list[Place]:
        """The places of the parameters alone."""
        return [place for place in self.all if place.tensor.kind == "parameter"]

    def live(self, place: Place) -> object:
        """The tensor that lies there now, or None."""
        return resolve(self._model, self._known, place.row)

    def below(self, path: str) -> list[Place]:
        """The tensors of a module and of what is below it; all of them for the empty path."""
        start = f"{path}." if path else ""
        return [place for place in self.all if place.path.startswith(start)]

    def first(self, path: str) -> str:
        """The same path through the first place of every shared module and tensor on the way.

        `state_dict` lists a shared tensor under each of its names; it is kept here under one.
        """
        steps = path.split(".") if self._aliases and len(path) <= LONGEST else []
        for end in range(len(steps), 0, -1):
            row = self._aliases.get(".".join(steps[:end]))
            if row is not None:
                return ".".join([self._known.path(row), *steps[end:]])
        return path

    def exists(self, path: str) -> bool:
        """Whether the path leads to a tensor, an empty place or a module."""
        return self.chosen(path) is not None or self._known.find(path) >= 0

    def chosen(self, path: str) -> Place | None:
        """The tensor that a path means: itself, its first place if it is shared, or a module's first one."""
        path = self.first(path)
        exact = self.by_path.get(path)
        if exact is not None:
            return exact
        inside = self.below(path)
        return next((p for p in inside if p.tensor.kind == "parameter"), next(iter(inside), None))

    def require(self, path: object) -> None:
        """Raises a KeyError that says what there is, if there is no such path."""
        if isinstance(path, str) and self.exists(path):
            return
        known = [place.path for place in self.all]
        close = get_close_matches(str(path), known, n=3, cutoff=0.4) or known[:5]
        listed = ", ".join(repr(visible(name, 80)) for name in close) or "nothing"
        raise KeyError(f"no parameter, buffer or module {path!r} in the model: try {listed}")
