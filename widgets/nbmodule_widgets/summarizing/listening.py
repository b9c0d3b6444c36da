"""Hearing in one pass what each Module is given and gives, and how much is computed while it runs."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import get_ident
from typing import Any

from nbmodule_widgets.engines import Engine, Memories, engine_of, engines
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.facts.tensors import TensorReader
from nbmodule_widgets.protocol import attempt, own_dict
from nbmodule_widgets.shadowing import Shadows, forward_of
from nbmodule_widgets.summarizing.records import CALLS, CallFacts, Shape
from nbmodule_widgets.tracing.subjects import Subject


class Listener:
    """What was heard.

    Args:
        subjects: The Modules of the tree.

    Attributes:
        counts: How often each was called.
        calls: The first calls of each.
        kinds: For each of these a number; equal ones had the same shapes.
        own: Multiply-adds of the operations in each, those in Modules that it called left out.
        output_bytes: Bytes of what the calls of each returned.
        unheard: The Modules in front of which nothing can be put.
        not_counted: How often operations ran that cannot be counted.
        total: Multiply-adds so far.
        new_bytes: Bytes of all outputs, each memory once.
        failed: The first Module that raised; -1 if none did.
        elsewhere: Calls on other threads.
    """

    def __init__(self, subjects: list[Subject]) -> None:
        self.subjects = subjects
        self.index = {id(s.module): number for number, s in enumerate(subjects)}
        self.counts = [0] * len(subjects)
        self.calls: list[list[CallFacts]] = [[] for _ in subjects]
        self.kinds: list[list[int]] = [[] for _ in subjects]
        self.own = [0] * len(subjects)
        self.output_bytes = [0] * len(subjects)
        self.unheard: set[int] = set()
        self.not_counted: Counter[str] = Counter()
        self.total = self.new_bytes = self.elsewhere = 0
        self.failed = -1
        self._thread = get_ident()
        self._stack = [0]
        self._reader = TensorReader()
        self._memories: dict[str, Memories] = {}  # by library
        self._kinds: dict[Any, int] = {}
        self._shapes: dict[Any, Shape] = {}
        self._engines: dict[type, Engine | None] = {}

    @contextmanager
    def listening(self) -> Iterator[None]:
        """A block in which every call is heard, and every operation counted."""
        shadows, made = Shadows(), {}
        try:
            for number, subject in enumerate(self.subjects):
                function = attempt(forward_of, subject.module).value
                if function is None:
                    self.unheard.add(number)
                    continue
                heard = made.setdefault(id(function), (function, self._around(function)))[1]
                shadows.place(subject.module, own_dict(subject.module), heard)
            with ExitStack() as stack:
                for engine in engines():
                    stack.enter_context(engine.counting(self._count))
                yield
        finally:
            shadows.remove()

    def call(self, number: int, run: Callable[[], Any], nest: Any) -> Any:
        """Runs something as a call of a Module.

        Args:
            number: The Module.
            run: Calls it.
            nest: What it is given.
        """
        before, shapes = self.total, self.shapes(nest)
        self.counts[number] += 1
        self._stack.append(number)
        result, done = None, False
        try:
            result = run()
            done = True
        finally:
            self._stack.pop()
            if not done and self.failed < 0:
                self.failed = number
            outputs = self._handed_on(number, result) if done else None
            if len(self.calls[number]) < CALLS:
                self.calls[number].append(CallFacts(shapes, outputs, self.total - before))
                kinds = self._kinds
                self.kinds[number].append(kinds.setdefault((shapes, outputs), len(kinds)))
        return result

    def shapes(self, nest: Any) -> tuple[Shape, ...]:
        """The tensors of a nest."""
        return tuple(self._shape(place, tensor) for place, tensor in tensors_in(nest))

    def known(self, nest: Any) -> None:
        """Notes memory that is there anyway, such as that of inputs."""
        for _, tensor in tensors_in(nest):
            self._is_new(tensor)

    def _around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that stands for a `forward`, for all Modules that have it."""

        def heard(module: Any, *args: Any, **kwargs: Any) -> Any:
            number = self.index.get(id(module), -1)
            if number < 0 or get_ident() != self._thread:  # a copy that the pass has made of it
                self.elsewhere += get_ident() != self._thread
                return function(module, *args, **kwargs)
            nest = args[0] if len(args) == 1 and not kwargs else {**dict(enumerate(args)), **kwargs}
            return self.call(number, lambda: function(module, *args, **kwargs), nest)

        return functools.update_wrapper(heard, function)

    def _count(self, name: str, multiply_adds: int | None) -> None:
        if multiply_adds is None:
            self.not_counted[name.removeprefix("aten::")] += 1
        elif multiply_adds:
            self.total += multiply_adds
            self.own[self._stack[-1]] += multiply_adds

    def _handed_on(self, number: int, result: Any) -> tuple[Shape, ...]:
        """Notes what a call returned."""
        shapes = []
        for place, tensor in tensors_in(result):
            shape = self._shape(place, tensor)
            shapes.append(shape)
            self.output_bytes[number] += shape.nbytes
            self.new_bytes += shape.nbytes if self._is_new(tensor) else 0
        return tuple(shapes)

    def _shape(self, place: str, tensor: Any) -> Shape:
        if self._engine(tensor) is None:
            return self._read(place, tensor)
        key = place, tensor.shape, tensor.dtype
        known = self._shapes.get(key)
        if known is None:
            known = self._shapes[key] = self._read(place, tensor)
        return known

    def _read(self, place: str, tensor: Any) -> Shape:
        told = self._reader.entry("", "buffer", tensor, True)
        return Shape(place, told.shape or (), told.dtype, told.nbytes)

    def _is_new(self, tensor: Any) -> bool:
        """Whether the memory of a tensor is met for the first time."""
        engine = self._engine(tensor)
        if engine is None:
            return True
        memories = self._memories.get(engine.library)
        if memories is None:
            memories = self._memories[engine.library] = engine.memories()
        said = attempt(memories.is_new, tensor)
        return said.value is not False

    def _engine(self, tensor: Any) -> Engine | None:
        """The adapter of an ordinary tensor's library; None for what has to be read more carefully."""
        kind = type(tensor)
        if kind not in self._engines:
            found = engine_of(tensor)
            self._engines[kind] = found if found is not None and kind in found.plain else None
        return self._engines[kind]
