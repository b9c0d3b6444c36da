"""Which parameters a model has, each once, and whether these are still the ones it has."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

from nbmodule_widgets.facts.hidden import hidden_modules
from nbmodule_widgets.facts.places import DEEPEST, LONGEST
from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.facts.within import Looking
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt, class_name, drawer, own_dict, read

_SENTENCES = 3


class Places:
    """The parameters of a model as they lie in its drawers at one moment.

    Those more than 500 levels deep are left out, and those with a path of more than 4,000 characters.

    Args:
        model: Any object with drawers.

    Attributes:
        paths: Dotted path of each parameter's first place, in the order of `named_parameters()`.
        tensors: The parameter objects, in the same order.
        owners: The class name of the Module that holds each of them.
    """

    def __init__(self, model: object) -> None:
        self.tensors: list[Any] = []
        self.owners: list[str] = []
        self._drawers: list[dict[Any, Any]] = []
        self._modules: dict[int, tuple[str, object]] = {}
        self._hidden: tuple[str, ...] | None = None
        paths: list[str] = []
        met: set[int] = set()
        pending: list[tuple[str, int, object]] = [("", 0, model)]
        while pending:
            prefix, depth, module = pending.pop()
            if id(module) in met or depth > DEEPEST or len(prefix) > LONGEST:
                continue
            met.add(id(module))
            self._modules[id(module)] = prefix[:-1], module
            own = own_dict(module)
            self._drawers += [
                own[slot]
                for slot in ("_parameters", "_modules")
                if issubclass(type(own.get(slot)), dict)
            ]
            for key, tensor in drawer(module, "_parameters").entries:
                path = prefix + _name(key)
                if tensor is not None and id(tensor) not in met and len(path) <= LONGEST:
                    met.add(id(tensor))
                    paths.append(path)
                    self.tensors.append(tensor)
                    self.owners.append(class_name(module))
            for key, child in reversed(drawer(module, "_modules").entries):
                if child is not None:
                    pending.append((f"{prefix}{_name(key)}.", depth + 1, child))
        self.paths = tuple(paths)
        self._names, self._ids = self._contents()
        # The objects themselves too: an id says nothing once its object is gone and the number used again.
        self._kept = list(chain.from_iterable(map(dict.values, self._drawers)))

    def changed(self) -> bool:
        """Whether something was added, taken out, renamed or replaced since. A few ns for each entry."""
        now = attempt(self._contents)
        return bool(now.problem) or not _same(now.value, (self._names, self._ids))

    def hidden(self) -> tuple[str, ...]:
        """A sentence on each plain attribute that held Modules with something to learn, where `parameters()` misses it."""
        if self._hidden is None:
            looking = Looking()
            found = (
                f"{f'in {visible(path, 80)}, ' if path else ''}{sentence}, and make the optimizer after that"
                for path, module in self._modules.values()
                for sentence in hidden_modules(module, self._modules, _learns, looking)
            )
            self._hidden = tuple(islice(found, _SENTENCES))
        return self._hidden

    def _contents(self) -> tuple[list[Any], list[int]]:
        names = list(chain.from_iterable(map(dict.keys, self._drawers)))
        return names, list(map(id, chain.from_iterable(map(dict.values, self._drawers))))


def _learns(module: object) -> bool:
    """Whether a Module holds a parameter that wants a gradient."""
    return any(read(tensor, "requires_grad").value is True for tensor in Places(module).tensors)


def _name(key: object) -> str:
    return key if type(key) is str else key_text(key)


def _same(one: object, other: object) -> bool:
    """Equality of two lists of names, some of which may be objects that refuse to be compared."""
    return attempt(lambda: one == other).value is True
