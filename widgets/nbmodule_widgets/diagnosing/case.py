"""The reader's program as it was handed over, and copies of it to try things on."""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from nbmodule_widgets.engines import Engine, engine_of, engines
from nbmodule_widgets.facts.compiled import compiling_off
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.orphans import tree_of
from nbmodule_widgets.facts.random_state import generators_kept
from nbmodule_widgets.facts.tensor_state import nbytes_of
from nbmodule_widgets.facts.tensors import key_text
from nbmodule_widgets.facts.words import count, joined
from nbmodule_widgets.protocol import attempt, drawer, own_dict, read

MOST_BYTES = 600_000_000
"""Models with more are not copied, and so not run."""
_LOOKS = 8
"""How many times as long as to look through a model it takes to copy it, run it once and go back."""
_DRAWERS = ("_parameters", "_buffers", "_modules")


@dataclass(eq=False)
class Copy:
    """The program once more, with tensors of its own.

    Attributes:
        model: The model.
        loss_fn: What computes the loss.
        optimizers: What steps it.
        inputs: What the model is called with.
        named: What it is called with by name.
        y: The targets.
        names: The path of each parameter and buffer by identity.
        ran: An entry for each call of a copy, the same list in all copies of a case.
    """

    model: Any
    loss_fn: Any
    optimizers: list[Any]
    inputs: tuple[Any, ...]
    named: dict[str, Any]
    y: Any
    names: dict[int, str] = field(default_factory=dict)
    ran: list[None] = field(default_factory=list)

    def at(self, path: str) -> Any:
        """The Module at a path."""
        return dict(tree_of(self.model))[path]

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters with their paths, each once."""
        return parameters_of(self.model)


class Case:
    """What the reader handed over.

    Args:
        model: The model.
        x: Its input: a tensor, a tuple of several, or a mapping of named ones; None if there is none.
        y: The targets.
        loss_fn: Called as `loss_fn(model(x), y)`.
        optimizer: One, or several in a list.
        file: A state dict, or where one lies.
        error: An exception that was caught.
        seconds: How long all examinations may take.
    """

    def __init__(
        self, model: Any, x: Any, y: Any, *, loss_fn: Any = None, optimizer: Any = None, file: Any = None,
        error: BaseException | None = None, seconds: float = 20.0,
    ) -> None:  # fmt: skip
        began = time.monotonic()
        self.model, self.x, self.y = model, x, y
        self.loss_fn, self.file, self.error = loss_fn, file, error
        several = type(optimizer) in (list, tuple)
        self.optimizers = list(optimizer) if several else [] if optimizer is None else [optimizer]
        self.named = dict(x) if isinstance(x, Mapping) else {}
        self.inputs = () if x is None or self.named else x if type(x) is tuple else (x,)
        self.modules: dict[str, Any] = dict(tree_of(model))
        self.parameters = parameters_of(model)
        self.buffers = _tensors_of(model, "_buffers")
        self.names = {id(t): path for path, t in [*self.parameters.items(), *self.buffers.items()]}
        self.computed = {
            id(t) for _, t in self.attributes() if read(t, "grad_fn").value is not None
        }
        """The tensors with a tape that lay in plain attributes before anything was tried."""
        self.recording = attempt(lambda: self.lib.is_grad_enabled()).value is not False
        self.notes: list[str] = []
        self.ran: list[None] = []
        self.short: dict[str, None] = {}
        """What there was no time for."""
        self.looking = "the model"
        """What is being looked at."""
        self._ends = began + seconds
        self._needs = _LOOKS * (time.monotonic() - began)
        self._longest = 0.0
        self._uncopied: str | None = None

    @property
    def has_inputs(self) -> bool:
        """Whether the model can be called."""
        return self.x is not None

    @functools.cached_property
    def engine(self) -> Engine | None:
        """The library that the model computes with."""
        given = [*self.parameters.values(), *self.buffers.values()]
        given += [t for _, t in tensors_in((self.inputs, self.named))]
        found = (engine_of(t) for t in given)
        return next((e for e in found if e is not None), next(iter(engines()), None))

    @property
    def lib(self) -> Any:
        """The library itself."""
        return self.engine.module if self.engine is not None else None

    @property
    def in_time(self) -> bool:
        """Whether there is time for one more trial as long as the longest so far; if not, that is kept in `short`."""
        there = time.monotonic() + self._longest < self._ends
        if not there:
            self.short.setdefault(self.looking)
        return there

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        if time.monotonic() < self._ends:
            return False
        self.short.setdefault(self.looking)
        return True

    @contextlib.contextmanager
    def timed(self) -> Iterator[None]:
        """A block that may be the longest of those that cannot be interrupted."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._longest = max(self._longest, time.monotonic() - began)

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """A block that moves no random generator and no mode of recording, compiles nothing, and says nothing."""
        lib = self.lib
        grad = attempt(lambda: lib.is_grad_enabled()).value if lib is not None else None
        silent = io.StringIO()
        with generators_kept(), warnings.catch_warnings(), contextlib.redirect_stdout(silent):
            warnings.simplefilter("ignore")
            ends = (
                compiling_off()
            )  # what listens would be compiled, too, and count against the model's own
            try:
                if lib is not None and grad is not None:
                    lib.set_grad_enabled(True)
                yield
            finally:
                if lib is not None and grad is not None:
                    lib.set_grad_enabled(grad)
                for end in ends:
                    attempt(end)

    def fresh(self) -> Copy | None:
        """The program once more, or None where it cannot be copied, or in time; the reason is noted once."""
        if self._uncopied is not None or not self.in_time:
            return None
        size = sum(
            attempt(nbytes_of, t).value or 0
            for t in [*self.parameters.values(), *self.buffers.values()]
        )
        if size > MOST_BYTES:
            return self._not_copied(
                f"the model has {size / 1e9:.1f} GB: it was not copied, and so not run"
            )
        if not self._longest and time.monotonic() + self._needs > self._ends:
            return self._not_copied(
                f"too big: {count(len(self.modules), 'Module')} not run, as that needs more than `seconds=` allows "
                f"(try {10 * self._needs:.0f})"
            )
        things = (self.model, self.loss_fn, self.optimizers, self.inputs, self.named, self.y)
        with self.timed():
            said = attempt(copy.deepcopy, things, self._without_history(things))
        if said.problem:
            return self._not_copied(
                f"the program could not be copied, so nothing was run: {said.problem[:200]}"
            )
        made = Copy(*said.value, ran=self.ran)
        tensors = [*made.parameters.items(), *_tensors_of(made.model, "_buffers").items()]
        made.names = {id(t): path for path, t in tensors}
        return made

    def _not_copied(self, why: str) -> None:
        self._uncopied = why
        self.notes.append(why)

    def _without_history(self, things: tuple[Any, ...]) -> dict[int, Any]:
        """For `deepcopy`: what stands for tensors that were computed, which refuse to be copied."""
        memo: dict[int, Any] = {}
        found = [*self.buffers.values(), *(t for _, t in self.attributes())]
        found += [t for _, t in tensors_in(things[3:])]
        found += [t for each in self.optimizers for _, t in tensors_in(own_dict(each).get("state"))]
        for tensor in found:
            if read(tensor, "grad_fn").value is not None:
                memo[id(tensor)] = tensor.detach().clone()
        memo[id(memo)] = [self]  # as `deepcopy` itself does, to keep alive what it met
        return memo

    def attributes(self) -> Iterator[tuple[str, Any]]:
        """The tensors in plain attributes of the Modules, with the place of each."""
        for path, name, value in self.plain():
            at = joined(path, key_text(name))
            if is_tensor(value):
                yield at, value
            elif isinstance(value, (list, tuple, dict)):
                for place, tensor in tensors_in(value):
                    yield f"{at}{place}", tensor

    def plain(self) -> Iterator[tuple[str, str, Any]]:
        """The plain attributes of the Modules: the path, the name, the value."""
        for path, module in self.modules.items():
            for name, value in list(own_dict(module).items()):
                if isinstance(name, str) and name not in _DRAWERS and not name.endswith("_hooks"):
                    yield path, name, value


def parameters_of(model: Any) -> dict[str, Any]:
    """The parameters below a Module by their paths, each once."""
    return _tensors_of(model, "_parameters")


def _tensors_of(model: Any, slot: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    met: set[int] = set()
    for path, module in tree_of(model):
        for name, tensor in drawer(module, slot).entries:
            if tensor is not None and id(tensor) not in met and is_tensor(tensor):
                met.add(id(tensor))
                found[joined(path, key_text(name))] = tensor
    return found


def held_by(optimizer: Any) -> list[Any]:
    """The tensors in an optimizer's groups."""
    groups = read(optimizer, "param_groups").value
    found = []
    for group in groups if isinstance(groups, list) else []:
        found += [t for t in group.get("params", []) if is_tensor(t)]
    return found
