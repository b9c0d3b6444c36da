"""Reading Modules that are as they should be: a handful of look-ups each, nothing described twice.

A large model is read in two steps. First each Module gives a *signature*: how its attributes are laid out, what
its `extra_repr()` says, the names of its tensors with their shape, dtype, device and `requires_grad`. Then
Modules of the same signature share one pattern, which is written out for the first of them only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nbmodule_widgets.facts.careful import extra_text
from nbmodule_widgets.facts.kinds import Layout, ModuleKind, TensorKind
from nbmodule_widgets.facts.patterns import Pattern, PatternTable
from nbmodule_widgets.facts.tensors import TensorReader
from nbmodule_widgets.protocol import Outcome, error_text

_CANNOT_HIDE = frozenset(map(id, (int, float, complex, bool, str, bytes, type(None))))
_NOTHING: set[str] = set()
_length, _items, _keys, _copy = dict.__len__, dict.items, dict.keys, dict.copy

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
        self._tensor_classes: dict[int, TensorKind] = {}
        self._latest = TensorKind(None)
        self._kept: dict[int, object] = {}  # what is known by its identity must not go away

    def read(self, module: Any) -> Children | None:
        """Reads one Module and returns its children as they are now, or None if it has none.

        Raises:
            Odd: If it has to be read carefully. Nothing has been noted about it then.
        """
        kind = self._classes.get(id(type(module)))
        if kind is None:
            kind = self._classes[id(type(module))] = ModuleKind(module)
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
            if type(own) is not dict or type(extra) is not str:
                raise TypeError("an unusual `__dict__` or text")
            if layout is None or layout.names != list(own):
                layout = kind.layout(own)
            parameters, buffers, modules, training = layout.drawers(own)
            trained, kept, saved, hooks = (), (), (), ()
            if _length(parameters):
                trained = self._named(parameters)
            if _length(buffers):
                kept, saved = self._named(buffers), _saved(buffers, own)
            if any(map(_length, layout.hooks(own))):
                hooks = tuple(map(_length, layout.hooks(own)))
            mode = training if type(training) is bool else None
            signature = layout, extra, mode, trained, kept, saved, hooks
            number = self._known.get(signature)
            if number is None:
                pattern = self._pattern(layout, extra, mode, parameters, buffers, saved, hooks)
                number = self._known[signature] = self._patterns.number(pattern)
            children = iter(_items(_copy(modules))) if _length(modules) else None
            for value in layout.plain(own):
                if id(type(value)) not in _CANNOT_HIDE:
                    self.suspects.append(len(self.numbers))
                    break
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            del tensors[held:]
            raise Odd(Outcome(extra, "")) from error
        self.numbers.append(number)
        return children

    def _named(self, drawer: dict[Any, Any]) -> Signature:
        """The tensors of a drawer: for each its name, its class, and what it answers."""
        named: list[Any] = []
        kind, kept = self._latest, self._kept
        for name, tensor in _items(drawer):
            self.tensors.append(tensor)
            if type(tensor) is not kind.cls:
                kind = self._latest = self._tensor_kind(tensor)
            shape, dtype, wants, device = kind.look(tensor)
            if type(shape) is not kind.shape or type(device) is not kind.device:
                raise TypeError("an unusual shape or device")
            if type(name) is not str or type(wants) is not bool:  # a 1 would be taken for True
                raise TypeError("an unusual name or flag")
            if not kind.compares:  # then they are known by their identity, as long as they are kept
                kept[id(dtype)], kept[id(device)] = dtype, device
                dtype, device = id(dtype), id(device)
            named += name, kind, shape, dtype, wants, device
        return tuple(named)

    def _tensor_kind(self, tensor: object) -> TensorKind:
        """What is known about a tensor's class."""
        cls = type(tensor)
        known = self._tensor_classes.get(id(cls))
        if known is None:
            known = self._tensor_classes[id(cls)] = TensorKind(tensor)
        return known

    def _pattern(
        self, layout: Layout, extra: str, mode: bool | None,
        parameters: dict[str, object], buffers: dict[str, object],
        saved: tuple[bool, ...], hooks: tuple[int, ...],
    ) -> Pattern:  # fmt: skip
        """Writes out what a signature stands for."""
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


def _saved(buffers: dict[Any, Any], own: dict[str, Any]) -> tuple[bool, ...]:
    """For each buffer whether `state_dict()` would save it."""
    unsaved = own.get("_non_persistent_buffers_set", _NOTHING)
    if type(unsaved) is not set or any(type(name) is not str for name in unsaved):
        raise TypeError("an unusual set")
    return tuple([name not in unsaved for name in _keys(buffers)])
