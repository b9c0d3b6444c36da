"""From a model, with inputs or without, to its table."""

from __future__ import annotations

from contextlib import ExitStack
from copy import deepcopy
from dataclasses import replace
from typing import Any

from nbmodule_widgets.comparing.switching import gradients, step_by_step
from nbmodule_widgets.facts import ModuleFacts, structure
from nbmodule_widgets.facts.collector import full_searches_put_off
from nbmodule_widgets.facts.compiled import is_compiled, is_scripted
from nbmodule_widgets.facts.hooks import readers_hooks
from nbmodule_widgets.facts.words import count, outside_words, visible
from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.protocol import (
    attempt,
    class_attribute,
    drawer,
    error_text,
    require_module,
)
from nbmodule_widgets.shadowing import deeper
from nbmodule_widgets.summarizing.listening import Listener
from nbmodule_widgets.summarizing.records import (
    AGAIN,
    UNHEARD,
    LayerFacts,
    SummaryFacts,
    SummaryTotals,
)
from nbmodule_widgets.summarizing.sums import frozen_sums, sums_below
from nbmodule_widgets.tracing.columns import Made
from nbmodule_widgets.tracing.never import is_container, may_be_fused
from nbmodule_widgets.tracing.subjects import Subject, subjects_of

_OUTSIDE = "state outside the drawers is not counted"
_COPY = "the model is lazy: these are the shapes that a copy of it got from the input; your model is unchanged"


def summarize(
    model: object, inputs: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
) -> SummaryFacts:
    """The table of a model; with inputs it runs once, in its present mode and without gradients.

    Afterwards the model, the inputs and the random generators are bit for bit as before.

    Args:
        model: Any object with `_modules`, `_parameters` or `_buffers`.
        inputs: What to call it with.
        kwargs: The same, by name.

    Returns:
        The table. What the pass raised is a fact too: the rows before it have their shapes.

    Raises:
        TypeError: If the object is nothing like a Module.
        ValueError: If the model is lazy and cannot be copied: running it would make its parameters.
    """
    require_module(model, "summary")
    known = structure(model)
    if not inputs and not kwargs:
        return SummaryFacts(known, Made(len(known.nodes), _Rows(known).of), _totals(known))
    with full_searches_put_off():
        if any(tensor.lazy for kind in known.nodes.patterns for tensor in kind.tensors):
            return _of_a_copy(model, inputs, dict(kwargs or {}))
        return _run(model, known, inputs, dict(kwargs or {}))


def _of_a_copy(model: object, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> SummaryFacts:
    """The table of a lazy model: a copy runs, since a pass would make the reader's parameters."""
    with Preserved(model, inputs, kwargs):
        said = attempt(deepcopy, model)
        if said.problem:
            raise ValueError(
                "summary() needs a copy of a lazy model, since a pass makes its parameters, and this one cannot be "
                f"copied ({visible(said.problem)}). Call the model once yourself, or ask for the table without inputs"
            )
        # Once without anybody listening: its parameters are made by a hook that then goes.
        with step_by_step(), gradients(False):
            attempt(said.value, *inputs, **kwargs)
        known = structure(said.value)
        found = _run(said.value, known, inputs, kwargs)
    return replace(found, notes=(_COPY, *found.notes))


def _run(
    model: Any, known: ModuleFacts, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> SummaryFacts:
    subjects = [s for s in subjects_of(model, known) if s.node >= 0]
    listener = Listener(subjects)
    nest = inputs[0] if len(inputs) == 1 and not kwargs else {**dict(enumerate(inputs)), **kwargs}
    given = listener.shapes(nest)
    problem = ""
    with Preserved(model, inputs, kwargs) as kept, ExitStack() as stack:
        listener.known(nest)
        for subject in subjects:
            for name in ("_parameters", "_buffers"):
                listener.known([tensor for _, tensor in drawer(subject.module, name).entries])
        for block in (
            gradients(False),
            step_by_step(),
            deeper(len(subjects)),
            listener.listening(),
        ):
            stack.enter_context(block)
        try:
            _call(model, inputs, kwargs, listener, nest)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # `sys.exit()` in a forward must not end the kernel
            problem = visible(error_text(error).partition("\n")[0], 500)
    rows = _Rows(known, listener, subjects, bool(problem))
    failed = subjects[listener.failed].path if problem and listener.failed >= 0 else None
    return SummaryFacts(
        model=known,
        layers=Made(len(known.nodes), rows.of),
        totals=replace(
            _totals(known),
            multiply_adds=listener.total,
            input_bytes=sum(shape.nbytes for shape in given),
            output_bytes=listener.new_bytes,
        ),
        inputs=given,
        ran=True,
        training=known.root.training,
        not_counted=tuple(sorted(listener.not_counted.items())),
        problem=problem,
        failed=failed,
        notes=(*_sizes(inputs if problem else ()), *_notes(listener, subjects), *kept.problems),
        _heard=rows.heard(),
    )


def _call(model: Any, inputs: Any, kwargs: Any, listener: Listener, nest: Any) -> None:
    """Calls the model as the reader would."""
    calls = class_attribute(model, "__call__") is not None
    if 0 in listener.unheard:
        listener.call(0, lambda: model(*inputs, **kwargs), nest)
    elif calls:
        model(*inputs, **kwargs)
    else:
        model.forward(*inputs, **kwargs)


def _totals(known: ModuleFacts) -> SummaryTotals:
    t = known.totals
    return SummaryTotals(t.modules, t.parameters, t.trainable, t.frozen, t.buffers, t.nbytes)


def _sizes(inputs: tuple[Any, ...]) -> list[str]:
    """What to write where a pass failed that was given a size."""
    for given in inputs:
        if issubclass(type(given), tuple | list) and given and all(type(n) is int for n in given):
            numbers = ", ".join(map(str, given[:8])) + (", …" if len(given) > 8 else "")
            return [f"the input is a size, not a tensor; give a tensor: torch.zeros({numbers})"]
    return []


def _notes(listener: Listener, subjects: list[Subject]) -> list[str]:
    """What the reader should know about the pass."""
    modules = [subject.module for subject in subjects]
    notes = []
    if any(map(is_compiled, modules)):
        notes.append("torch.compile: the pass ran the original Python code, not the compiled code")
    if any(map(is_scripted, modules)):
        notes.append(
            "TorchScript: which Modules a compiled one calls cannot be recorded; what they compute is counted in it"
        )
    if listener.elsewhere:
        notes.append(f"{count(listener.elsewhere, 'call')} on other threads: not counted")
    return [*notes, *outside_words(readers_hooks(modules))]


class _Rows:
    """Makes the rows, each when somebody looks at it.

    Args:
        known: The tree.
        listener: What was heard; None without a pass.
        subjects: The Modules that were listened to.
        failed: Whether the pass raised.
    """

    def __init__(
        self, known: ModuleFacts, listener: Listener | None = None, subjects: list[Subject] | None = None,
        failed: bool = False,
    ) -> None:  # fmt: skip
        self._known, self._listener, self._failed = known, listener, failed
        self._subjects = subjects or []
        nodes = known.nodes
        self._frozen = frozen_sums(known) if known.totals.frozen else None
        self._number = {subject.node: number for number, subject in enumerate(self._subjects)}
        if listener is not None:
            own = [0] * len(nodes)
            for node, number in self._number.items():
                own[node] = listener.own[number]
            self._sums = sums_below(known, own)

    def heard(self) -> tuple[Any, ...]:
        """For each place what tells its row from that of an equal Module."""
        found: list[Any] = [None] * len(self._known.nodes)
        listener = self._listener
        if listener is None:
            return tuple(found)
        for node, number in self._number.items():
            found[node] = (
                listener.counts[number], tuple(listener.kinds[number]), int(self._sums[node]),
                listener.output_bytes[number], number == listener.failed,
            )  # fmt: skip
        return tuple(found)

    def of(self, index: int) -> LayerFacts:
        """The row of a place in the tree."""
        nodes = self._known.nodes
        node = nodes[index]
        layer = LayerFacts(
            index=index,
            path=self._known.path(node.row),
            name=node.name,
            depth=node.depth,
            class_name=visible(node.class_name, 60),
            label=f"{visible(node.class_name, 60)}({visible(node.extra, 120)})",
            parameters=node.numel,
            frozen=0 if self._frozen is None else int(self._frozen[index]),
            nbytes=node.nbytes,
            shared=tuple(self._shared(node)),
        )
        if node.twin >= 0:
            return replace(layer, note=f"{AGAIN} {self._path(node.twin)}")
        if self._listener is None:
            said = "no shape yet" if node.lazy else ""
            return replace(layer, note=said or self._outside(node))
        number = self._number.get(index, -1)
        if number < 0:
            return replace(layer, note="not recorded")
        heard = self._listener
        note = self._note(number, index)
        return replace(
            layer,
            calls=heard.counts[number],
            seen=tuple(heard.calls[number]),
            multiply_adds=None if note.startswith(UNHEARD) else int(self._sums[index]),
            output_bytes=heard.output_bytes[number],
            note=" · ".join(filter(None, (note, self._outside(node)))),
        )

    @staticmethod
    def _outside(node: Any) -> str:
        """That the numbers of a row are not all that its Module remembers."""
        return _OUTSIDE if any(note.kind == "outside" for note in node.notes) else ""

    def _note(self, number: int, index: int) -> str:
        heard = self._listener
        assert heard is not None
        calls = heard.counts[number]
        if number == heard.failed and self._failed:
            return "raised"
        if calls > 1:
            other = len(set(heard.kinds[number])) > 1
            return f"called {count(calls, 'time')}" + (", with other shapes too" if other else "")
        if calls:
            return ""
        module = self._subjects[number].module
        if is_container(module):
            return ""
        if number in heard.unheard:
            return f"{UNHEARD}: it has no forward to listen to"
        around = self._around(index)
        if around is not None and is_scripted(around.module):
            return f"{UNHEARD}: it is compiled"
        if around is not None and may_be_fused(around.module):
            return f"{UNHEARD}: computed in one piece by {visible(around.class_name, 60)}"
        return "not reached" if self._failed else "never called"

    def _around(self, index: int) -> Subject | None:
        """The innermost Module around a place that was called."""
        heard = self._listener
        assert heard is not None
        at = self._known.nodes.parent[index]
        while at >= 0:
            number = self._number.get(at, -1)
            if number >= 0 and heard.counts[number]:
                return self._subjects[number]
            at = self._known.nodes.parent[at]
        return None

    def _shared(self, node: Any) -> list[str]:
        return [
            f"{visible(tensor.name, 40)} is {self._path(tensor.twin)}"
            for tensor in node.tensors
            if tensor.twin >= 0
        ]

    def _path(self, row: int) -> str:
        return visible(self._known.path(row), 80) or "the model itself"
