"""What a reader who looks for a fault wants to know first: which parameters get no gradient, and where NaN comes from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nbmodule_widgets.facts.glance import Glance
from nbmodule_widgets.facts.words import count, without_ticks
from nbmodule_widgets.graphing.naming import Names
from nbmodule_widgets.graphing.records import (
    Cut,
    GraphFacts,
    GraphNode,
    SourceLine,
    Unreached,
    WalkFacts,
)
from nbmodule_widgets.protocol import read

_LISTED = 6


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is probably not as it was meant.

    Attributes:
        words: What it is.
        node: Where to look; -1 if it is in no node.
    """

    words: str
    node: int = -1


def findings(graph: GraphFacts, walked: WalkFacts | None = None) -> tuple[Finding, ...]:
    """What stands out in a graph, the worst first.

    Args:
        graph: What `read` or `run` returned.
        walked: The backward walk; without it gradients are not judged.
    """
    walked = walked or graph.walked
    found = [*_bad_values(graph)]
    if walked is not None:
        found += _bad_gradients(graph, walked)
    found += _unreached(graph)
    walk = walked is not None and walked.steps and not walked.problem
    if walked is not None and walk:  # a walk of no step brought nothing to judge
        silent = _without_gradient(graph, walked)
        found += [*(_lost_infinity(graph) if silent and not found else []), *silent]
    return tuple(found)


def unreached(names: Names, leaves: Iterable[object]) -> Unreached:
    """Which parameters of the known models are not in a graph.

    Args:
        names: The names, with those of the models.
        leaves: The leaf tensors of the graph.
    """
    inside = {id(leaf) for leaf in leaves}
    cut, frozen, total = [], [], 0
    for tensor in names.parameters():
        total += 1
        if id(tensor) in inside:
            continue
        wants = read(tensor, "requires_grad").value is True
        (cut if wants else frozen).append(names.of(tensor)[0])
    return Unreached(tuple(cut), tuple(frozen), total)


def notes_of(graph: GraphFacts) -> tuple[str, ...]:
    """What may well be meant, and is worth knowing where it is not: frozen parameters, and where the graph was left.

    Args:
        graph: What `read` or `run` returned.
    """
    found = []
    frozen = graph.unreached.frozen
    if frozen:
        noun = "parameter does" if len(frozen) == 1 else "parameters do"
        found.append(f"{len(frozen):,} {noun} not require a gradient: {_listed(frozen)}.")
    if graph.unreached.cut and (again := _runs_again(graph)):
        found.append(
            f"{_unreached_words(graph.unreached)} But {again} runs its part of the pass again in backward(): what is in "
            "there gets its gradients then, outside of this graph."
        )
    elif graph.unreached.cut and not _is_final(graph):
        found.append(_unreached_words(graph.unreached))
    if not graph.unreached.cut:
        found += [cut_words(graph.lines, cut) for cut in graph.cuts[:_LISTED]]
    return tuple(found)


def _runs_again(graph: GraphFacts) -> str:
    """The name of a node that calls backward() on a graph of its own, as a reentrant checkpoint does; or ""."""
    names = (node.name for node in graph.nodes if node.name.startswith("CheckpointFunction"))
    return without_ticks(next(names, ""))


def _is_final(graph: GraphFacts) -> bool:
    """Whether the graph is likely that of the loss: of something in between, it is no wonder that parameters are missing."""
    return graph.recorded or all(graph.nodes[result].shape == () for result in graph.results)


def _unreached(graph: GraphFacts) -> list[Finding]:
    """Parameters that are not in the graph, and the places where the pass left it."""
    if not graph.unreached.cut or not _is_final(graph) or _runs_again(graph):
        return []
    cuts = [Finding(cut_words(graph.lines, cut)) for cut in graph.cuts[:_LISTED]]
    return [Finding(_unreached_words(graph.unreached)), *cuts]


def _unreached_words(missing: Unreached) -> str:
    share = f"{len(missing.cut):,} of {count(missing.total, 'parameter')}"
    return f"No gradient reaches {share} from here: {_listed(missing.cut)}."


def cut_words(lines: Sequence[SourceLine], cut: Cut) -> str:
    """Where a pass left the graph, in words."""
    line = lines[cut.line]
    where = f" in {without_ticks(cut.path)}" if cut.path else ""
    return (
        f"{cut.what} leaves the graph{where}, {line.file}:{line.line}: `{without_ticks(line.text)}`"
    )


def _bad_values(graph: GraphFacts) -> list[Finding]:
    """The first operation that made the NaN or infinity from which a NaN comes, or an infinite result.

    Infinity that ends on the way is no fault: a mask puts it in front of a softmax.
    """
    bad = {node.number: kind for node in graph.nodes if (kind := _bad(node.value))}
    spoilt = [number for number, kind in bad.items() if kind == "NaN" or number in graph.results]
    if not spoilt:
        return []
    node, sources = graph.nodes[spoilt[0]], _sources(graph, spoilt[0])
    spoils = node
    while before := [source.number for source in sources if source.number in bad]:
        node, sources = graph.nodes[before[0]], _sources(graph, before[0])
    kind = bad[node.number]
    if node.kind == "operation":
        known = all(source.value is not None for source in sources)
        first = "is the first whose result has" if known else "has a result with"
        said = f"{_called(graph, node)} {first} {kind}{_too_large(node)}"
    else:
        said = f"{_listed([node.label or node.word])} itself has {kind}"
    if kind == "infinity" and bad[spoils.number] == "NaN":
        said += f"; {_called(graph, spoils)} then makes NaN of it"
    return [Finding(f"{said}.", node.number)]


def _lost_infinity(graph: GraphFacts) -> list[Finding]:
    """Where gradients are 0: the first infinity that was made and ended on the way, as in a division by it."""
    for node in graph.nodes:
        made = node.kind == "operation" and _bad(node.value) == "infinity"
        if made and not any(_bad(source.value) for source in _sources(graph, node.number)):
            words = f"{_called(graph, node)} has a result with infinity{_too_large(node)}, which ends on the way"
            return [Finding(f"{words}.", node.number)]
    return []


def _too_large(node: GraphNode) -> str:
    """A hint at the range of half precision."""
    half = node.value is not None and node.value.dtype == "float16"
    return " (float16 holds no number above 65,504)" if half else ""


def _sources(graph: GraphFacts, number: int) -> list[GraphNode]:
    return [graph.nodes[graph.edges[edge].source] for edge in graph.incoming(number)]


def _bad_gradients(graph: GraphFacts, walked: WalkFacts) -> list[Finding]:
    """The first node in the walk that was given finite numbers and sent NaN or infinity."""
    for step in walked.steps:
        given = [gradient for gradient in step.gradients if gradient is not None]
        sent = next((_bad(gradient) for _, gradient in step.sent if _bad(gradient)), "")
        if sent and not any(map(_bad, given)):
            hit = sum(
                1 for s in walked.steps
                if graph.nodes[s.node].kind == "leaf" and any(map(_bad, s.gradients))
            )  # fmt: skip
            where = _called(graph, graph.nodes[step.node])
            reached = f"; it reaches {hit:,} {'leaf' if hit == 1 else 'leaves'}" if hit else ""
            words = f"Backward, {where} is the first to send {sent}{reached}."
            return [Finding(words, step.node)]
    return []


def _without_gradient(graph: GraphFacts, walked: WalkFacts) -> list[Finding]:
    """Leaves in the graph that got nothing, or nothing but zeros."""
    got = walked.gradients
    leaves = [node for node in graph.nodes if node.kind == "leaf" and node.label]
    nothing = [node for node in leaves if node.number not in got]
    zeros = [n for n in leaves if n.number in got and _all_zero(got[n.number])]
    found = []
    if nothing:
        labels = _listed([node.label for node in nothing])
        words = f"In the graph, but the walk brings no gradient to {labels}."
        found.append(Finding(words, nothing[0].number))
    if zeros:
        labels = _listed([node.label for node in zeros])
        found.append(Finding(f"The gradient is 0 everywhere in {labels}.", zeros[0].number))
    return found


def _bad(seen: Glance | None) -> str:
    if seen is None:
        return ""
    return "NaN" if seen.nans else "infinity" if seen.infs else ""


def _all_zero(seen: Glance) -> bool:
    """Whether all numbers were looked at, and all are 0."""
    return seen.numel > 0 and seen.every == 1 and seen.zeros == 1.0


def _called(graph: GraphFacts, node: GraphNode) -> str:
    """`"logarithm (LogBackward0) in blocks.3"`."""
    path = without_ticks(graph.groups[node.group].path)
    name = f" ({without_ticks(node.name)})" if node.name not in ("", node.word) else ""
    return f"{without_ticks(node.word)}{name}{f' in {path}' if path else ''}"


def _listed(names: Iterable[str]) -> str:
    every = [without_ticks(name, 80) for name in names]
    more = f" and {len(every) - _LISTED:,} more" if len(every) > _LISTED else ""
    return ", ".join(every[:_LISTED]) + more
