"""The names of a model's tensors and Modules, by the identity of the objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from nbmodule_widgets.facts.compiled import is_scripted
from nbmodule_widgets.facts.words import joined, visible
from nbmodule_widgets.protocol import attempt, class_name, drawer, is_module_like, plain_text

_DEEPEST, _LONGEST, _MOST = 200, 400, 100_000
_LONGEST_NAME = 200


class Module(NamedTuple):
    """A Module that was met.

    Attributes:
        path: Its dotted path; empty for the model itself.
        class_name: Its class.
        module: The object; held, so that its identity stays its own.
    """

    path: str
    class_name: str
    module: Any


class Names:
    """Names of tensors and Modules.

    Args:
        model: A Module, or None.
        given: More names: a dictionary from names to tensors, or `(name, tensor)` pairs.

    Attributes:
        tensors: `id` of a tensor -> its names.
        kinds: `id` of a tensor -> `"parameter"` or `"buffer"`.
        modules: `id` of a Module -> what is known of it.
        paths: Paths of all Modules -> class names.
        held: The tensors that have names, some more than once.
    """

    def __init__(self, model: object = None, given: object = None) -> None:
        self.tensors: dict[int, list[str]] = {}
        self.kinds: dict[int, str] = {}
        self.modules: dict[int, Module] = {}
        self.paths: dict[str, str] = {}
        self.held: list[Any] = []
        for name, tensor in _pairs(given):
            self.name(tensor, name)
        if model is not None:
            self.add(model)

    def name(self, tensor: object, name: str, kind: str = "") -> None:
        """Gives a tensor one more name."""
        names = self.tensors.setdefault(id(tensor), [])
        if name not in names:
            names.append(name)
        if kind:
            self.kinds.setdefault(id(tensor), kind)
        self.held.append(tensor)

    def of(self, tensor: object) -> tuple[str, ...]:
        """All names of a tensor, the first one first."""
        return tuple(self.tensors.get(id(tensor), ()))

    def add(self, model: object, path: str = "") -> None:
        """Reads the names in a model, each Module once; cycles end."""
        waiting, kinds = [(model, path, 0)], dict[int, tuple[str, bool]]()
        while waiting and len(self.modules) < _MOST:
            module, path, depth = waiting.pop()
            if id(module) in self.modules:
                continue
            known = kinds.get(id(type(module)))  # the Modules hold their classes
            if known is None:
                known = kinds[id(type(module))] = class_name(module), is_scripted(module)
            kind_of, scripted = known
            self.modules[id(module)] = Module(path, kind_of, module)
            self.paths.setdefault(path, kind_of)
            for kind, slot in (("parameter", "_parameters"), ("buffer", "_buffers")):
                for key, tensor in drawer(module, slot).entries:
                    if tensor is not None:
                        self.name(tensor, _joined(path, key), kind)
            if scripted:  # its drawers lie in C++
                self._add_scripted(module, path)
            if depth >= _DEEPEST or len(path) > _LONGEST:
                continue
            inside = [
                (child, _joined(path, key), depth + 1)
                for key, child in drawer(module, "_modules").entries
                if child is not None and is_module_like(child)
            ]
            waiting.extend(reversed(inside))

    def _add_scripted(self, module: Any, path: str) -> None:
        """Reads the names in a ScriptModule, those of its children too."""
        for kind, method in (("parameter", "named_parameters"), ("buffer", "named_buffers")):
            for key, tensor in attempt(lambda m=method: list(getattr(module, m)())).value or ():
                self.name(tensor, _joined(path, key), kind)

    def parameters(self) -> list[Any]:
        """The parameters of the Modules, each once."""
        held = {id(tensor): tensor for tensor in self.held}
        return [held[key] for key, kind in self.kinds.items() if kind == "parameter"]

    def owner(self, name: str) -> str:
        """The path of the Module that holds the parameter of this name."""
        return name.rpartition(".")[0]


def _joined(path: str, key: object) -> str:
    if type(key) is str and len(key) <= _LONGEST_NAME and key.isprintable():
        return joined(path, key)
    return joined(
        path, visible(plain_text(key) if issubclass(type(key), str) else key, _LONGEST_NAME)
    )


def _pairs(given: object) -> Iterable[tuple[str, Any]]:
    """The pairs in what a caller gave as `names`.

    Raises:
        TypeError: It is neither a dictionary nor pairs.
    """
    if given is None:
        return []
    entries = list(given.items()) if isinstance(given, Mapping) else given
    try:
        pairs = [(visible(name, 200), tensor) for name, tensor in entries]  # type: ignore[union-attr]
    except (TypeError, ValueError):
        raise TypeError(
            "names needs a dictionary from names to tensors, such as {'x': x}, or pairs such as "
            f"model.named_parameters(); got {class_name(given)}"
        ) from None
    return pairs
