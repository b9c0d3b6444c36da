"""`read`: the graph behind a tensor that exists already; `saved`: what one of its nodes kept for backward."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from nbmodule_widgets.engines import Dialect, dialect_of
from nbmodule_widgets.facts.collector import collector_resting
from nbmodule_widgets.facts.glance import glance
from nbmodule_widgets.facts.nests import is_tensor, tensors_in
from nbmodule_widgets.facts.tensors import gradient
from nbmodule_widgets.facts.words import count, visible
from nbmodule_widgets.graphing.building import Builder
from nbmodule_widgets.graphing.caller import adopt_models, name_variables, variables_of_caller
from nbmodule_widgets.graphing.findings import unreached
from nbmodule_widgets.graphing.naming import Names
from nbmodule_widgets.graphing.noted import Record
from nbmodule_widgets.graphing.ordering import collect
from nbmodule_widgets.graphing.records import GraphFacts, GraphGroup, SavedFacts, Unreached
from nbmodule_widgets.protocol import article, class_name, is_module_like
from nbmodule_widgets.protocol import read as ask

LIMIT = 20_000
"""Most nodes that are read, those nearest to the result first."""

WALKED = 2000
"""Nodes of a graph that is walked at once; a larger one is walked when somebody asks."""

KEEP = 4096
"""Values are copied if they take at most so many bytes."""


def read(
    tensor: object,
    *,
    model: object = None,
    names: object = None,
    limit: int = LIMIT,
    keep: int = KEEP,
) -> GraphFacts:
    """Reads the autograd graph behind a tensor. Nothing is run and nothing is changed.

    Args:
        tensor: A tensor of PyTorch, of nbmodule, or of a reader's own that knows what it was made from; or several
            in a tuple, list or dictionary.
        model: A Module whose parameters' names label the leaves, and whose modules group the nodes; by default the
            Modules among the caller's variables that hold the leaves.
        names: More names, as a dictionary from names to tensors. The variables of the caller are used as well.
        limit: Most nodes to read.
        keep: Values are copied if they take at most so many bytes.

    Returns:
        The graph; without nodes, and with a `problem`, if the tensor has none.

    Raises:
        TypeError: There is no tensor in what was given, or `names` is no dictionary.
    """
    results, dialect = _results(tensor)
    known = Names(model, names)
    variables = variables_of_caller()
    starts = [start for start in map(dialect.start, results) if start is not None]
    if not starts:
        label = name_variables(known, variables, results)
        root = GraphGroup(0, -1, 0, 0, "root", label)
        return GraphFacts(
            (), (), (root,), label=label, library=dialect.library, problem=no_graph(results)
        )
    kept = tuple(t for t in results if dialect.start(t) is not None)
    with collector_resting():
        found = collect(dialect, starts, limit)
        models = [model] if model is not None else adopt_models(known, variables, found.leaf)
        title = class_name(models[0]) if len(models) == 1 else ""
        label = name_variables(known, variables, results)
        record = Record(known, title=title, label=label)
        if len(kept) < len(results):
            record.notes.append(
                f"{len(results) - len(kept)} of {len(results)} tensors have no graph."
            )
        facts = Builder(dialect, found, record, kept, keep).facts()
        facts.live.models = tuple(models)
        missing = unreached(known, found.leaf) if not found.left_out else Unreached()
    return replace(facts, unreached=missing)


def saved(graph: GraphFacts, number: int, keep: int = KEEP) -> tuple[SavedFacts, ...]:
    """What a node saved for the backward pass, read now; of a leaf its value and its gradient.

    Args:
        graph: What `read` or `run` returned.
        number: The node.
        keep: Values are copied if they take at most so many bytes.
    """
    node = graph.live.nodes[number] if number < len(graph.live.nodes) else None
    if node is None or graph.live.dialect is None:
        return ()
    found = []
    own = graph.live.dialect.value(node)
    if own is not None:
        found += [
            SavedFacts(name, seen.words, seen, number if name == "value" else -1)
            for name, value in (("value", own), ("grad", gradient(own)))
            if value is not None
            for seen in (glance(value, keep),)
        ]
    for name, value, problem in graph.live.dialect.saved(node):
        if problem:
            found.append(SavedFacts(name, "could not be read", problem=visible(problem, 300)))
        elif is_tensor(value):
            seen = glance(value, keep)
            maker = ask(value, "grad_fn").value
            found.append(SavedFacts(name, seen.words, seen, graph.live.numbers.get(id(maker), -1)))
        elif type(value) in (int, float, bool, str):
            # PyTorch shows negative numbers as if they had no sign.
            signed = value - 2**64 if type(value) is int and value >= 2**63 else value
            found.append(SavedFacts(name, visible(repr(signed), 80)))
    return tuple(found)


def _results(tensor: object) -> tuple[tuple[Any, ...], Dialect]:
    """The tensors in what was given, and how to ask them.

    Raises:
        TypeError: There are none.
    """
    dialect = dialect_of(tensor)
    if dialect is not None:
        return (tensor,), dialect
    inside = tuple(value for _, value in tensors_in(tensor))
    dialects = [d for d in map(dialect_of, inside) if d is not None]
    if dialects:
        first = type(dialects[0])
        return tuple(t for t in inside if type(dialect_of(t)) is first), dialects[0]
    given = visible(class_name(tensor), 60)
    more = "; for a Module write graph(model, x)" if is_module_like(tensor) else ""
    raise TypeError(
        f"graph() needs a tensor that knows what it was made from (a grad_fn, or parents as in _prev); got "
        f"{article(given)}{more}"
    )


def why_forward_only(
    off: bool, values: Iterable[Any], cuts: list[str], wanted: bool, frozen: int
) -> str:
    """Why a pass has left no graph for the backward pass, in words.

    Args:
        off: Whether gradients were switched off when the pass began.
        values: The tensors that it gave back.
        cuts: Where it left the graph, in words.
        wanted: Whether something that requires a gradient took part.
        frozen: How many parameters do not require a gradient.
    """
    if off:
        return "gradients were switched off when the pass began (no_grad() or inference_mode())"
    if not wanted:
        which = f" ({count(frozen, 'parameter')} frozen)" if frozen else ""
        return f"nothing that took part requires a gradient{which}"
    kinds = [str(ask(tensor, "dtype").value).rpartition(".")[2] for tensor in values]
    if not kinds:
        return "what it returned holds no tensor"
    if not any("float" in kind or "complex" in kind for kind in kinds):
        return f"what it returned is {visible(kinds[0], 40)}, and only real and complex numbers have gradients"
    return "; ".join(cuts) or "what it returned was cut off from the graph inside the pass"


def no_graph(results: tuple[Any, ...]) -> str:
    """Why there is no graph behind these tensors, and what to do.

    Args:
        results: The tensors.
    """
    for tensor in results:
        if problem := ask(tensor, "grad_fn").problem:
            return f"The graph cannot be read: {visible(problem, 600)}"
    refused = next(
        (said.problem for said in (ask(t, "grad_fn") for t in results) if said.problem), ""
    )
    if refused:
        return f"This tensor cannot say what it was made from: {visible(refused, 400)}"
    which = "This tensor has" if len(results) == 1 else "These tensors have"
    return (
        f"{which} no graph: nothing that it was made from requires a gradient, or it was made inside no_grad() or "
        "cut off by detach(). Set requires_grad=True on an input, or pass the loss of a model."
    )
