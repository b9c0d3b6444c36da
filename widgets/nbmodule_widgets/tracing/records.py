"""The records that a trace is made of: calls, events, hooks, and the Modules that never fired."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from nbmodule_widgets.facts.glance import Glance
from nbmodule_widgets.facts.model import ModuleFacts

KINDS = (
    "call",
    "forward pre hook",
    "forward",
    "result",
    "forward hook",
    "return",
    "loss",
    "gradient in",
    "backward pre hook",
    "backward hook",
    "gradient out",
    "parameter gradient",
    "failed",
)

Tensors = tuple[tuple[str, Glance], ...]


@dataclass(frozen=True, slots=True)
class CallFacts:
    """One call of one Module.

    Attributes:
        number: Its number, in order of entry.
        node: Index of the Module in `TraceFacts.model.nodes`; -1 for one that is not in the tree.
        path: Dotted path of the Module; empty for the model itself.
        class_name: Its class.
        parent: Number of the call that it happened in, or -1.
        depth: Steps from the outermost call.
        times: Which call of this Module it is, from 1.
        direct: Whether `forward` was called directly, past `__call__`.
        skipped: Names of the hooks that did not run for that reason.
        first_event: Index of its first event.
        last_event: Index of the last event of its forward pass.
        start_us: When it began, in microseconds since the pass began.
        took_us: How long it took, hooks included.
        own_us: The same without the calls inside it.
        backward_us: From the arrival of its output's gradient until that of its inputs was done; -1 if
            unknown.
        fused: Whether it computed in one piece what its submodules are for, so that these were not called.
    """

    number: int
    node: int
    path: str
    class_name: str
    parent: int
    depth: int
    times: int
    direct: bool
    skipped: tuple[str, ...]
    first_event: int
    last_event: int
    start_us: float
    took_us: float
    own_us: float
    backward_us: float
    fused: bool


@dataclass(frozen=True, slots=True)
class EventFacts:
    """One moment of the pass.

    Attributes:
        number: Its index in `TraceFacts.events`.
        kind: A word of `KINDS`.
        call: Number of the call that it belongs to, or -1.
        node: Index of the Module, or -1.
        path: Dotted path of the Module.
        depth: Depth of the call.
        at_us: When it happened, in microseconds since the pass began.
        took_us: How long it took: a hook's own time, a "return"'s call; else 0.
        name: Name of the hook or parameter, or the empty string.
        tensors: What was seen: inputs of a call, outputs of a return, gradients; what a hook left.
        before: For a hook: the same before it ran.
        changed: For a hook: what it changed, in words.
        parameter: Name of the parameter whose gradient this is, or whose hook runs; else empty.
    """

    number: int
    kind: str
    call: int
    node: int
    path: str
    depth: int
    at_us: float
    took_us: float
    name: str
    tensors: Tensors
    before: Tensors
    changed: str
    parameter: str = ""
    _said: Callable[[EventFacts], str] = field(default=lambda event: "", repr=False, compare=False)

    @property
    def words(self) -> str:
        """One sentence for the learner."""
        return self._said(self)


@dataclass(frozen=True, slots=True)
class HookFacts:
    """One hook of the user, as far as the pass met it.

    Attributes:
        path: Dotted path of its Module (of the parameter for a hook on one); empty for the model itself.
        kind: `"forward pre"`, `"forward"`, `"backward pre"`, `"backward"`, `"gradient"`,
            `"after accumulating the gradient"`; with `"global "` in front for those of all Modules.
        name: Qualified name of what is called.
        node: Index of the Module, or -1.
        ran: How often it ran.
        skipped: How often it would have run if `forward` had not been called directly.
        changed: What it changed when it last ran, in words; empty if it never ran.
        readers: Whether it is the reader's own, and no library's.
    """

    path: str
    kind: str
    name: str
    node: int
    ran: int
    skipped: int
    changed: str
    readers: bool = True


@dataclass(frozen=True, slots=True)
class NeverFired:
    """A Module that no event belongs to, or whose hooks never ran.

    Attributes:
        path: Dotted path of the Module.
        node: Its index.
        class_name: Its class.
        why: The reason: `"container: its forward is never called"`, `"fused: …"`, `"not reached: …"`,
            `"forward called directly: …"`.
    """

    path: str
    node: int
    class_name: str
    why: str


@dataclass(frozen=True, eq=False)
class TraceFacts:
    """One pass through a model, moment by moment.

    Attributes:
        model: What `facts(model)` tells, but for its stamps; read before the pass.
        calls: The calls in order of entry.
        events: The events in order of time; each record is made when it is asked for.
        hooks: Each hook of the user that ran or was skipped.
        never_fired: The Modules that no event belongs to, each with its reason.
        order: Notes on the order of registration and that of firing, where they differ.
        loss: The loss that the backward pass started from, or None.
        loss_words: The same in words, or why there was no backward pass.
        problem: What the pass raised, or the empty string.
        failed: Index of the event of kind "failed", or -1.
        dropped: How many events were left out because there were too many.
        bytes_kept: Bytes of all values that were kept.
        seconds: How long the pass took.
        notes: What else there is to know, in sentences.
    """

    model: ModuleFacts
    calls: Sequence[CallFacts]
    events: Sequence[EventFacts]
    hooks: tuple[HookFacts, ...] = ()
    never_fired: tuple[NeverFired, ...] = ()
    order: tuple[str, ...] = ()
    loss: Glance | None = None
    loss_words: str = ""
    problem: str = ""
    failed: int = -1
    dropped: int = 0
    bytes_kept: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    _columns: Any = field(default=None, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of hooks and parameters that the column `name` points to."""
        return self._columns.names

    @property
    def parameters(self) -> Sequence[str]:
        """For each event the name of the parameter whose gradient it is; else the empty string."""
        return self._columns.parameters

    @cached_property
    def at_hooks(self) -> tuple[EventFacts, ...]:
        """The events at which a hook ran."""
        ran = enumerate(self._columns.ran)
        return tuple(self.events[number] for number, said in ran if said is not None)

    @cached_property
    def with_skipped_hooks(self) -> tuple[CallFacts, ...]:
        """The calls past `__call__` of Modules that have hooks."""
        return tuple(self.calls[number] for number in sorted(self._columns.skipped))

    def groups(self) -> tuple[Tensors, ...]:
        """The groups of tensors that the column `group` points to; many events show the same."""
        return self._columns.groups()

    def columns(self) -> dict[str, np.ndarray]:
        """The events and calls as columns of numbers, for a view's message.

        Returns:
            For each event `kind` (uint8, index in `KINDS`), `call` (int32), `node` (int32), `at_us` and
            `took_us` (float32), `group` (int32, index of its tensors in `groups()`, -1 for none), `name`
            (int32, index in `names`, -1 for none); for each call `call_node`, `call_parent`, `call_depth`, `call_times`,
            `call_first`, `call_last` (int32), `call_start_us`, `call_took_us`, `call_own_us`,
            `call_backward_us` (float32), `call_direct` and `call_fused` (bool).
        """
        return self._columns.as_arrays()
