"""Where the boxes of a graph stand, and what is drawn of it without a script."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from module_subjects import HOSTILE

import nbmodule
from nbmodule import nn
from nbmodule_widgets import graphing
from nbmodule_widgets.graphing.columns import BEND
from nbmodule_widgets.graphing.placing import Box, apart, place


class Residual(nn.Module):
    """Two calls of one layer, and what went in added to what came out."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.norm = nn.Linear(4, 4), nn.LayerNorm(4)

    def forward(self, x: Any) -> Any:
        return self.norm(x + self.layer(self.layer(x).relu()))


def a_graph() -> Any:
    model = nn.Sequential(nn.Linear(4, 4), Residual(), Residual(), nn.Linear(4, 1))
    return graphing.run(model, nbmodule.ones(2, 4), loss=lambda out: out.sum())


def test_every_item_has_a_place_of_its_own_and_links_lead_down() -> None:
    graph = a_graph()
    layout = graphing.layout(graph)
    assert sorted(layout.item_of_node) == list(range(len(graph.nodes)))
    assert sorted(layout.item_of_group) == list(range(1, len(graph.groups)))
    for group in range(len(graph.groups)):
        first, end = layout.items[group], layout.items[group + 1]
        places = list(zip(layout.rank[first:end], layout.order[first:end], strict=True))
        assert len(set(places)) == len(places)
        for link in range(layout.links[group], layout.links[group + 1]):
            source, target = layout.source[link], layout.target[link]
            rows = [int(layout.rank[i]) for i in range(*layout.bends[link])]
            start = layout.rank[source] if source >= 0 else -1
            stop = layout.rank[target] if target >= 0 else layout.rank[first:end].max() + 1
            assert rows == list(range(start + 1, stop))  # one bend in each row between
    edges = np.bincount(layout.edge_list, minlength=len(graph.edges))
    assert edges.min() >= 1  # every edge is part of a link
    assert sum(len(bent.orders) for bent in layout.bent) == int((layout.kind == BEND).sum())


@pytest.mark.parametrize("limit", [2, 12, 500])
def test_boxes_do_not_overlap_and_lie_in_their_frames(limit: int) -> None:
    graph = a_graph()
    opened = graphing.default_open(graph, limit)
    picture = place(graph, graphing.layout(graph), opened)
    frames = {0: Box("frame", 0, 0, 0, picture.width, picture.height, 0, ())}
    inside: dict[int, list[Box]] = {}
    for box in picture.boxes:
        group = (
            graph.groups[box.number].parent if box.kind != "node" else graph.nodes[box.number].group
        )
        around = frames[group]
        assert around.x <= box.x <= box.x + box.width <= around.x + around.width + 0.01
        assert around.y <= box.y <= box.y + box.height <= around.y + around.height + 0.01
        for other in inside.setdefault(group, []):
            beside = box.x + box.width <= other.x + 0.01 or other.x + other.width <= box.x + 0.01
            above = box.y + box.height <= other.y + 0.01 or other.y + other.height <= box.y + 0.01
            assert beside or above, (box, other)
        inside[group].append(box)
        if box.kind == "frame":
            frames[box.number] = box
    for line in picture.lines:
        heights = [y for _, y in line.points]
        assert heights == sorted(heights)
    drawn = [box for box in picture.boxes if box.kind != "frame"]
    assert len(drawn) <= limit
    if limit == 500:
        assert {box.kind for box in drawn} == {"node"}


def test_unfolding_keeps_rows_and_order() -> None:
    graph = a_graph()
    layout = graphing.layout(graph)
    folded = place(graph, layout, {0, 1})
    opened = place(graph, layout, {0, 1, 2})
    at = {(b.kind != "node", b.number): b for b in opened.boxes}
    before = [b for b in folded.boxes if b.depth == 1]
    ys = [at[b.kind != "node", b.number].y for b in sorted(before, key=lambda b: b.y)]
    assert ys == sorted(ys)


def test_siblings_of_one_class_are_opened_together_or_not() -> None:
    graph = a_graph()
    for limit in range(1, 60):
        opened = graphing.default_open(graph, limit)
        same = [g.number for g in graph.groups if g.class_name == "Residual"]
        assert len(opened.intersection(same)) in (0, len(same))


def test_apart_keeps_order_and_gaps_and_moves_little() -> None:
    assert apart([0.0, 100.0], [10, 10], 5) == [0.0, 100.0]
    assert apart([0.0, 0.0], [10, 10], 5) == [-7.5, 7.5]
    random = np.random.default_rng(0)
    wanted, widths = random.normal(0, 30, 20).tolist(), random.uniform(5, 40, 20).tolist()
    found = apart(wanted, widths, 5)
    for left in range(19):
        assert found[left + 1] - found[left] >= (widths[left] + widths[left + 1]) / 2 + 5 - 1e-9


class Named(nn.Module):
    """A model whose parameter has a name made of markup."""

    def __init__(self) -> None:
        super().__init__()
        self._parameters[HOSTILE] = nn.Parameter(nbmodule.ones(3))

    def forward(self, x: Any) -> Any:
        return (self._parameters[HOSTILE] * x).sum()


def test_the_drawing_is_well_formed_and_hostile_names_are_text() -> None:
    graph = graphing.run(Named(), nbmodule.ones(3))
    drawing = graphing.graph_svg(graph)
    root = ET.fromstring(drawing)
    assert {element.tag.partition("}")[2] for element in root.iter()} == {
        "svg",
        "g",
        "rect",
        "path",
        "text",
        "title",
    }
    page = graphing.graph_html(graph)
    assert "<img" not in page
    assert "<script" not in page
    assert "\u202e" not in page + graphing.graph_text(graph)
    assert "&lt;img" in page


def test_the_twins_say_the_same_twice_and_hold_no_address() -> None:
    nbmodule.manual_seed(0)
    first = a_graph()
    nbmodule.manual_seed(0)
    second = a_graph()
    assert graphing.graph_text(first) == graphing.graph_text(second)
    assert graphing.graph_html(first) == graphing.graph_html(second)
    assert "0x" not in graphing.graph_html(first)
    assert "/" not in "".join(line.file for line in first.lines)


def test_a_figure_of_the_graph_and_none_of_nothing() -> None:
    figure = graphing.graph_figure(a_graph())
    written = {text.get_text() for text in figure.axes[0].texts}
    assert "loss = sum" in written
    with pytest.raises(ValueError, match="no figure"):
        graphing.graph_figure(graphing.read(nbmodule.ones(2)))


def test_few_numbers_are_written_out_with_their_gradients() -> None:
    a = nbmodule.tensor([1.0, 2.0], requires_grad=True)
    b = nbmodule.tensor([3.0, 4.0], requires_grad=True)
    graph = graphing.read((a * b + a).sum(), names={"a": a, "b": b})
    walked = graphing.walk(graph)
    for twin in (graphing.graph_svg(graph, walked=walked), graphing.graph_html(graph, walked)):
        assert "[1, 2] · grad [4, 5]" in twin
        assert "14 · grad 1" in twin
    assert "a: leaf (2,) = [1, 2], gradient [4, 5]" in graphing.graph_text(graph, walked)
