"""`run`: records a pass as it happens, and shows how far it came if it breaks off."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from nbmodule_widgets.engines import Dialect, dialect_of, engines
from nbmodule_widgets.facts.collector import collector_resting, full_searches_put_off
from nbmodule_widgets.facts.hooks import readers_hooks
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.reach import reach
from nbmodule_widgets.facts.words import count, outside_words, visible
from nbmodule_widgets.graphing.building import Builder
from nbmodule_widgets.graphing.caller import name_variables, variables_of_caller
from nbmodule_widgets.graphing.calls import Calls
from nbmodule_widgets.graphing.cuts import Cuts
from nbmodule_widgets.graphing.failing import broken_at
from nbmodule_widgets.graphing.findings import cut_words, unreached
from nbmodule_widgets.graphing.flow import Flow, FlowDialect
from nbmodule_widgets.graphing.lines import Lines
from nbmodule_widgets.graphing.naming import Names
from nbmodule_widgets.graphing.noted import Broken, Record
from nbmodule_widgets.graphing.ordering import Found, collect
from nbmodule_widgets.graphing.reading import KEEP, LIMIT, WALKED, why_forward_only
from nbmodule_widgets.graphing.recording import Recorder
from nbmodule_widgets.graphing.records import GraphFacts, GraphGroup, Unreached
from nbmodule_widgets.graphing.walking import walk
from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.protocol import (
    article,
    attempt,
    class_attribute,
    class_name,
    is_module_like,
    read,
)


def run(
    work: Any,
    *inputs: object,
    kwargs: dict[str, Any] | None = None,
    model: object = None,
    names: object = None,
    loss: Callable[[Any], Any] | None = None,
    walk: bool | None = None,
    limit: int = LIMIT,
    keep: int = KEEP,
) -> GraphFacts:
    """Runs a pass and reads its graph, with the values as they were made, the modules, and the source lines.

    The models that the work uses are put back as they were, bit for bit; so are random states, modes and gradients.

    Args:
        work: A Module, or a function.
        inputs: What to call it with.
        kwargs: What to call it with by name.
        model: A Module whose names to use, if `work` is a function that hides it too well.
        names: More names, as a dictionary from names to tensors.
        loss: Makes a scalar of the output; without it the graph is that of the output.
        walk: Whether to take the backward walk at once; by default if there are at most 2,000 nodes. Afterwards hooks
            that a walk runs may change what is not put back.
        limit: Most nodes to read.
        keep: Values are copied if they take at most so many bytes.

    Returns:
        The graph, with its backward walk in `walked`. If the pass raised, the graph up to there and a `failure`.

    Raises:
        TypeError: `work` cannot be called.
    """
    if not callable(work) and not is_module_like(work):
        raise TypeError(f"graph() can run a Module or a function; got {article(class_name(work))}")
    modules, tensors = reach(work)
    if (
        loss is not None
    ):  # which may call other Modules, with parameters and statistics of their own
        further, more = reach(loss)
        there = {id(module) for _, module in modules}
        modules += [entry for entry in further if id(entry[1]) not in there]
        tensors += more
    if model is not None and all(known is not model for _, known in modules):
        modules.insert(0, ("", model))
    known = Names(None, names)
    for number, (name, module) in enumerate(modules):
        known.add(module, "" if number == 0 else name)
    for name, tensor in tensors:
        if id(tensor) not in known.kinds and name:
            known.name(tensor, name)
    _name_inputs(known, work, inputs, kwargs or {})
    name_variables(known, variables_of_caller())
    with full_searches_put_off(), ExitStack() as kept:
        first = modules[0][1] if modules else None
        others = [inputs, kwargs or {}, [tensor for _, tensor in tensors]]
        blocks = [kept.enter_context(Preserved(first, *others))]
        blocks += [kept.enter_context(Preserved(module)) for _, module in modules[1:]]
        facts = _Pass(work, known, loss, walk, limit, keep).facts(inputs, kwargs or {})
    outside = outside_words(readers_hooks(met.module for met in known.modules.values()))
    facts = replace(facts, notes=(*facts.notes, *(f"{note}." for note in outside)))
    facts.live.models = tuple(module for _, module in modules)
    problems = tuple(problem for block in blocks for problem in block.problems)
    if problems:
        facts = replace(facts, notes=(*facts.notes, f"Not restored: {'; '.join(problems)}."))
    return facts


class _Pass:
    """One recorded pass."""

    def __init__(
        self, work: Any, names: Names, loss: Any, walk: bool | None, limit: int, keep: int
    ) -> None:
        self._work, self._names, self._loss, self._walk = work, names, loss, walk
        self._limit, self._keep = limit, keep
        self._off = {engine.library for engine in engines() if not engine.records()}

    def facts(self, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> GraphFacts:
        """Runs it, and walks back."""
        lines = Lines(__file__)
        calls = Calls(self._names, lines)
        recorder = Recorder(self._names, calls, Cuts(calls, lines), self._keep, self._limit)
        error: BaseException | None = None
        output: Any = None
        try:
            with recorder.recording():
                output = self._callable(recorder)(*inputs, **kwargs)
                if self._loss is not None:
                    output = self._loss(output)
        except KeyboardInterrupt:
            raise
        except BaseException as raised:  # shown, as the reader's own code may raise anything
            error = raised
        broken, at_hand = None, []
        if error is not None:
            broken = broken_at(error, recorder, calls, lines)
            at_hand = [tensor for _, tensor in broken.operands]
            if not any(attempt(getattr, t, "grad_fn").value is not None for t in at_hand):
                given = calls.broken.args if calls.broken.error is error else ()
                at_hand += [*recorder.recent(), *(t for _, t in tensors_in(given))]
        del error
        calls.release()
        recorder.failed = None
        try:
            return self._graph(output, broken, at_hand, recorder, lines)
        finally:
            recorder.release()

    def _callable(self, recorder: Recorder) -> Any:
        """What to call: a Module whose class has no `__call__` yet may have a `forward`."""
        if callable(self._work) or class_attribute(self._work, "forward") is None:
            return self._work
        recorder.notes.append("Its class has no __call__(), so forward() was called directly.")
        return self._work.forward

    def _graph(
        self,
        output: Any,
        broken: Broken | None,
        at_hand: list[Any],
        recorder: Recorder,
        lines: Lines,
    ) -> GraphFacts:
        values = at_hand if broken is not None else [t for _, t in tensors_in(output)]
        values = values or ([output] if dialect_of(output) is not None else [])
        dialect = next((d for d in map(dialect_of, values) if d is not None), None)
        record = Record(
            self._names, lines=lines.lines, recorded=True, broken=broken, notes=recorder.notes,
            title=visible(_title(self._work), 60), label="loss" if self._loss is not None else "output",
        )  # fmt: skip
        kind = type(dialect)
        results = tuple(
            v for v in values
            if dialect is not None and type(dialect_of(v)) is kind and dialect.start(v) is not None
        )  # fmt: skip
        places = (
            {id(tensor): place for place, tensor in tensors_in(output)} if broken is None else {}
        )
        record.places = tuple(places.get(id(tensor), "") for tensor in results)
        if dialect is None or not results:
            return self._forward_only(values, output, record, recorder, places)
        if len(results) < len(values) and broken is None:
            left = [places.get(id(v), "") for v in values if all(v is not r for r in results)]
            record.notes.append(
                f"{len(left)} of the {len(values)} tensors that the pass returned have no graph and are not "
                f"drawn: {', '.join(visible(place or 'output', 40) for place in left[:6])}."
            )
        starts = [start for start in map(dialect.start, results) if start is not None]
        with collector_resting():
            found = collect(dialect, starts, self._limit)
            record.seen, record.inputs = recorder.seen(found.nodes), recorder.inputs
            facts = Builder(dialect, found, record, results, self._keep).facts()
        if broken is not None:
            return facts
        missing = unreached(self._names, found.leaf) if not found.left_out else Unreached()
        facts = replace(facts, unreached=missing, cuts=recorder.cuts, lines=tuple(lines.lines))
        if self._walk or (self._walk is None and len(facts.nodes) <= WALKED):
            return replace(facts, walked=walk(facts, keep=self._keep))
        return facts

    def _forward_only(
        self, values: list[Any], output: Any, record: Record, recorder: Recorder, places: dict[int, str]
    ) -> GraphFacts:  # fmt: skip
        """Where the library recorded nothing: the operations that ran, as the engine told of them."""
        flow = recorder.flow
        dialect = FlowDialect(flow, flow.library)
        results = tuple(v for v in values if is_tensor(v) and dialect.start(v) is not None)
        starts = [start for start in map(dialect.start, results) if start is not None]
        if not starts and record.broken is not None:
            record.inputs = recorder.inputs
            return Builder(Dialect(), Found(), record, (), self._keep).facts()
        if not starts and (values or not flow.ran):
            gave = f"The pass returned {article(visible(class_name(output), 60))}"
            which = (
                "that none of its operations made"
                if values
                else "in which there is no tensor, and no operation ran"
            )
            return _empty(record.title, record.label, flow.library, f"{gave} {which}.")
        if not starts:
            gave = article(visible(class_name(output), 60))
            record.notes.append(f"The pass returned {gave}, not a tensor: this is what ran.")
            starts = flow.sinks()
        record.places = tuple(places.get(id(tensor), "") for tensor in results)
        with collector_resting():
            found = collect(dialect, starts, self._limit)
            record.seen = recorder.ran(found.nodes)
            record.inputs = recorder.from_outside(record.seen.values())
        frozen = [t for t in self._names.parameters() if read(t, "requires_grad").value is False]
        cuts = [cut_words(record.lines, cut) for cut in recorder.cuts]
        why = why_forward_only(
            flow.library in self._off, values, cuts, recorder.wanted, len(frozen)
        )
        record.notes += _of_flow(flow, found, record.broken is not None)
        with collector_resting():
            facts = Builder(dialect, found, record, results, self._keep).facts()
        facts.live.dialect = None
        flow.release()
        return replace(facts, forward_only=why, lines=tuple(record.lines))


def _of_flow(flow: Flow, found: Found, broken: bool) -> list[str]:
    """What a drawing of what ran does not show."""
    notes = []
    beside = len(flow.ran) - len(found.nodes) if not found.left_out else 0
    if beside and not broken:
        which = "1 more operation ran" if beside == 1 else f"{beside:,} more operations ran"
        notes.append(
            f"{which}, but the result does not depend on {'it' if beside == 1 else 'them'}."
        )
    if flow.numbers:
        notes.append(
            f"{count(flow.numbers, 'number')} went through Python, by item() or a condition; what Python did with {'it' if flow.numbers == 1 else 'them'} is not seen."
        )
    return notes


def _empty(title: str, label: str, library: str, problem: str) -> GraphFacts:
    root = GraphGroup(0, -1, 0, 0, "root", title)
    return GraphFacts((), (), (root,), label=label, library=library, recorded=True, problem=problem)


def _title(work: Any) -> str:
    if is_module_like(work):
        return class_name(work)
    name = attempt(lambda: str(work.__name__)).value or class_name(work)
    return {"<lambda>": "lambda"}.get(name, name)


def _name_inputs(names: Names, work: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Names the inputs after the arguments that they are passed as."""
    function = class_attribute(work, "forward") if is_module_like(work) else work
    signature = attempt(inspect.signature, function).value
    parameters = list(signature.parameters.values()) if signature is not None else []
    if is_module_like(work):
        parameters = parameters[1:]
    for place, value in enumerate(inputs):
        name = f"input {place + 1}" if len(inputs) > 1 else "input"
        if place < len(parameters) and parameters[place].kind in (0, 1):
            name = parameters[place].name
        for inside, tensor in tensors_in(value):
            names.name(tensor, f"{visible(name, 60)}{inside}")
    for name, value in kwargs.items():
        for inside, tensor in tensors_in(value):
            names.name(tensor, f"{visible(name, 60)}{inside}")
