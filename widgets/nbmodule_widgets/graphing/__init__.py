"""The autograd graph: read from a tensor or recorded in a pass, and the backward walk over it step by step."""

from nbmodule_widgets.graphing.columns import Bent, Layout
from nbmodule_widgets.graphing.figure import graph_figure
from nbmodule_widgets.graphing.findings import Finding, findings, notes_of
from nbmodule_widgets.graphing.html import graph_html, graph_svg
from nbmodule_widgets.graphing.layout import layout
from nbmodule_widgets.graphing.opening import default_open
from nbmodule_widgets.graphing.reading import KEEP, LIMIT, WALKED, read, saved
from nbmodule_widgets.graphing.records import (
    Cut,
    Failure,
    GraphEdge,
    GraphFacts,
    GraphGroup,
    GraphNode,
    SavedFacts,
    SourceLine,
    Unreached,
    WalkFacts,
    WalkStep,
)
from nbmodule_widgets.graphing.running import run
from nbmodule_widgets.graphing.text import graph_text
from nbmodule_widgets.graphing.walking import walk

__all__ = [
    "KEEP",
    "LIMIT",
    "WALKED",
    "Bent",
    "Cut",
    "Failure",
    "Finding",
    "GraphEdge",
    "GraphFacts",
    "GraphGroup",
    "GraphNode",
    "Layout",
    "SavedFacts",
    "SourceLine",
    "Unreached",
    "WalkFacts",
    "WalkStep",
    "default_open",
    "findings",
    "graph_figure",
    "graph_html",
    "graph_svg",
    "graph_text",
    "layout",
    "notes_of",
    "read",
    "run",
    "saved",
    "walk",
]
