"""Reading Modules that are as they should be: a handful of look-ups each, nothing described twice.

A large model is read in two steps. First each Module gives a *signature*: how its attributes are laid out, what
its `extra_repr()` says, the names of its tensors with their shape, dtype, device and `requires_grad`. Then
Modules of the same signature share one pattern, which is written out for the first of them only.
"""

from __future__ import annotations

from collections.abc import Iterator
from gc import get_referents
from typing import Any

from nbmodule_widgets.facts.careful import extra_text
from nbmodule_widgets.facts.kinds import ModuleKind, TensorKind
from nbmodule_widgets.facts.patterns import Pattern, PatternTable
from nbmodule_widgets.facts.tensors import TensorReader
from nbmodule_widgets.protocol import Outcome, error_text

_CANNOT_HIDE = frozenset(map(id, (int, float, complex, bool, str, bytes, type(None))))
_FEW = 20
_NOTHING: set[str] = set()
# Python's own methods, whatever a subclass makes of them; for what is no dict they raise.
_length, _items, _keys, _values, _copy = dict.__len__, dict.items, dict.keys, dict.values, dict.copy

Signature = tuple[Any, ...]
Children = Iterator[tuple[Any, object]]  # keys, which need not be names, and what lies there


class Odd(Exception):
    """A Module that has to be read carefully.

    Args:
        said: What came of its `extra_repr()`, which need not be asked again.
    """

    def __init__(self, said: Outcome) -> None:
        super().__init__()
        self.said = said


class QuickReader:
    """Reads well-built Modules and raises `Odd` for the others.

    Args:
        patterns: Where patterns get their numbers.
        describer: Describes the tensors of each new pattern.

    Attributes:
        numbers: For each Module read so far the number of its pattern.
        tensors: The objects behind the tensors of these patterns, in order.
        suspects: The Modules with a plain attribute that may hide a Module.
    """

    def __init__(self, patterns: PatternTable, describer: TensorReader) -> None:
        self.numbers: list[int] = []
        self.tensors: list[object] = []
        self.suspects: list[int] = []
        self._patterns, self._describer = patterns, describer
        self._known: dict[Signature, int] = {}  # the numbers of the patterns
        self._classes: dict[int, ModuleKind] = {}  # by identity, as those of the tensors
        self._latest_class = ModuleKind(None)
        self._tensor_classes: dict[int, TensorKind] = {}
        self._latest = TensorKind(None)

    def read(self, module: Any) -> Children | None:
        """Reads one Module and returns its children as they are now, or None if it has none.

        Raises:
            Odd: If it has to be read carefully. Nothing has been noted about it then.
        """
        kind, cls = self._latest_class, type(module)
        if cls is not kind.cls:
            kind = self._latest_class = self._module_kind(module)
        try:
            extra = module.extra_repr() if kind.says_extra else ""
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise Odd(Outcome(None, error_text(error))) from error
        tensors = self.tensors
        held = len(tensors)
        try:
            own = kind.opener(module)
            layout: Any = kind.latest
            if type(own) is not dict or type(extra) is not str or kind.odd:
                raise TypeError("an unusual `__dict__` or text, or state outside the drawers")
            if layout is None or layout.names != [*own]:
                layout = kind.layout(own)
            parameters, buffers, modules, training = layout.drawers(own)
            trained, kept, saved, hooks = (), (), (), ()
            if _values(parameters):
                trained = self._named(parameters)
            if _values(buffers):
                kept, saved = self._named(buffers), _saved(buffers, own)
            if get_referents(*layout.hooks(own)):  # empty dictionaries refer to nothing
                hooks = tuple(map(_length, layout.hooks(own)))
            mode = training if type(training) is bool else None
            signature = layout, extra, mode, trained, kept, saved, hooks
            if signature != kind.signature:  # quicker than a look-up, which hashes all of it
                number = self._number(signature, parameters, buffers)
                kind.signature, kind.number = signature, number
            children = iter(_items(_copy(modules))) if _values(modules) else None
            for value in layout.plain(own):
                if id(type(value)) not in _CANNOT_HIDE and not _plain_entries(value):
                    self.suspects.append(len(self.numbers))
                    break
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            del tensors[held:]
            raise Odd(Outcome(extra, "")) from error
        self.numbers.append(kind.number)
        return children

    def _named(self, drawer: dict[Any, Any]) -> Signature:
        """The tensors of a drawer: for each its name, its class, and what it answers."""
        named: list[Any] = []
        kind, tensors = self._latest, self.tensors
        for name, tensor in _items(drawer):
            tensors.append(tensor)
            if type(tensor) is not kind.cls:
                kind = self._latest = self._tensor_kind(tensor)
            shape, dtype, wants, device = kind.look(tensor)
            if type(shape) is not kind.shape or type(device) is not kind.device_class:
                raise TypeError("an unusual shape or device")
            if type(name) is not str or type(wants) is not bool:  # a 1 would be taken for True
                raise TypeError("an unusual name or flag")
            if kind.compares:
                named += name, kind, shape, wants, dtype, device
                continue
            if dtype is not kind.dtype or device is not kind.device:
                kind.meet(dtype, device)
            named += name, kind, shape, wants, kind.mark
        return tuple(named)

    def _module_kind(self, module: object) -> ModuleKind:
        """What is known about a Module's class."""
        cls = type(module)
        known = self._classes.get(id(cls))
        if known is None:
            known = self._classes[id(cls)] = ModuleKind(module)
        return known

    def _tensor_kind(self, tensor: object) -> TensorKind:
        """What is known about a tensor's class."""
        cls = type(tensor)
        known = self._tensor_classes.get(id(cls))
        if known is None:
            known = self._tensor_classes[id(cls)] = TensorKind(tensor)
        return known

    def _number(
        self, signature: Signature, parameters: dict[str, object], buffers: dict[str, object]
    ) -> int:
        """The number of the pattern that a signature stands for."""
        number = self._known.get(signature)
        if number is None:
            number = self._patterns.number(self._pattern(signature, parameters, buffers))
            self._known[signature] = number
        return number

    def _pattern(
        self, signature: Signature, parameters: dict[str, object], buffers: dict[str, object]
    ) -> Pattern:
        """Writes out what a signature stands for."""
        layout, extra, mode, _, _, saved, hooks = signature
        describe = self._describer.entry
        trained = [describe(name, "parameter", t, True) for name, t in _items(parameters)]
        pairs = zip(_items(buffers), saved, strict=True) if saved else ()
        kept = [describe(name, "buffer", t, persistent) for (name, t), persistent in pairs]
        counted = zip(layout.hook_slots, hooks, strict=True) if hooks else ()
        return Pattern(
            class_name=layout.class_name,
            extra=extra_text(Outcome(extra, ""))[0],
            training=mode,
            tensors=(*trained, *kept),
            hooks=tuple((slot, number) for slot, number in counted if number),
        )


def _plain_entries(value: object) -> bool:
    """Whether it is a short tuple or list of numbers and texts, such as the size of a kernel."""
    if type(value) is not tuple and type(value) is not list:
        return False
    return len(value) <= _FEW and _CANNOT_HIDE.issuperset(map(id, map(type, value)))


def _saved(buffers: dict[Any, Any], own: dict[str, Any]) -> tuple[bool, ...]:
    """For each buffer whether `state_dict()` would save it."""
    unsaved = own.get("_non_persistent_buffers_set", _NOTHING)
    if type(unsaved) is not set or any(type(name) is not str for name in unsaved):
        raise TypeError("an unusual set")
    return tuple([name not in unsaved for name in _keys(buffers)])
