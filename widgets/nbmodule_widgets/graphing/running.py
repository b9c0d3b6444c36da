"""`run`: records a pass as it happens, and shows how far it came if it breaks off."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from nbmodule_widgets.engines import Dialect, dialect_of
from nbmodule_widgets.facts.nests import tensors_in
from nbmodule_widgets.facts.reach import reach
from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.graphing.building import Builder
from nbmodule_widgets.graphing.caller import name_variables, variables_of_caller
from nbmodule_widgets.graphing.calls import Calls
from nbmodule_widgets.graphing.cuts import Cuts
from nbmodule_widgets.graphing.failing import broken_at
from nbmodule_widgets.graphing.findings import unreached
from nbmodule_widgets.graphing.lines import Lines
from nbmodule_widgets.graphing.naming import Names
from nbmodule_widgets.graphing.noted import Broken, Record
from nbmodule_widgets.graphing.ordering import Found, collect
from nbmodule_widgets.graphing.reading import KEEP, LIMIT, no_graph
from nbmodule_widgets.graphing.recording import Recorder
from nbmodule_widgets.graphing.records import GraphFacts, GraphGroup, Unreached
from nbmodule_widgets.graphing.walking import walk
from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.protocol import article, attempt, class_attribute, class_name, is_module_like


def run(
    work: Any,
    *inputs: object,
    kwargs: dict[str, Any] | None = None,
    model: object = None,
    names: object = None,
    loss: Callable[[Any], Any] | None = None,
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
    with ExitStack() as kept:
        first = modules[0][1] if modules else None
        others = [inputs, kwargs or {}, [tensor for _, tensor in tensors]]
        blocks = [kept.enter_context(Preserved(first, *others))]
        blocks += [kept.enter_context(Preserved(module)) for _, module in modules[1:]]
        facts = _Pass(work, known, loss, limit, keep).facts(inputs, kwargs or {})
    problems = tuple(problem for block in blocks for problem in block.problems)
    if problems:
        facts = replace(facts, notes=(*facts.notes, f"Not put back: {'; '.join(problems)}."))
    return facts


class _Pass:
    """One recorded pass."""

    def __init__(self, work: Any, names: Names, loss: Any, limit: int, keep: int) -> None:
        self._work, self._names, self._loss = work, names, loss
        self._limit, self._keep = limit, keep

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
        return self._graph(output, broken, at_hand, recorder, lines)

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
        label = "loss" if self._loss is not None else "output"
        values = at_hand if broken is not None else [t for _, t in tensors_in(output)]
        values = values or ([output] if dialect_of(output) is not None else [])
        dialect = next((d for d in map(dialect_of, values) if d is not None), None)
        title = visible(_title(self._work), 60)
        record = Record(
            self._names, inputs=recorder.inputs, lines=lines.lines, recorded=True, broken=broken,
            title=title, label=label, notes=recorder.notes,
        )  # fmt: skip
        if dialect is None:
            if broken is not None:
                return Builder(Dialect(), Found(), record, (), self._keep).facts()
            problem = (
                f"The pass gave back {article(visible(class_name(output), 60))}, in which there is no tensor "
                "with a graph."
            )
            return _empty(title, label, "", problem)
        kind = type(dialect)
        results = tuple(
            v for v in values if type(dialect_of(v)) is kind and dialect.start(v) is not None
        )
        starts = [dialect.start(tensor) for tensor in results]
        places = (
            {id(tensor): place for place, tensor in tensors_in(output)} if broken is None else {}
        )
        record.places = tuple(places.get(id(tensor), "") for tensor in results)
        if not starts and broken is None:
            return _empty(title, label, dialect.library, no_graph(tuple(values)))
        found = collect(dialect, [s for s in starts if s is not None], self._limit)
        record.seen = recorder.seen(found.nodes)
        facts = Builder(dialect, found, record, results, self._keep).facts()
        if broken is not None:
            return facts
        missing = unreached(self._names, found.leaf) if not found.left_out else Unreached()
        facts = replace(facts, unreached=missing, cuts=recorder.cuts, lines=tuple(lines.lines))
        return replace(facts, walked=walk(facts, keep=self._keep))


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
