"""What the vector-Jacobian product of an operation computes, as one would write it on paper.

In each formula `g` is the gradient that arrives, `a`, `b` and `c` are the arguments, `y` is the result.
"""

from __future__ import annotations

from nbmodule_widgets.graphing.records import GraphFacts, GraphNode
from nbmodule_widgets.graphing.words import base_name

_MOVED = ("g, moved back to the old shape",)
_PLACED = ("zeros, with g at the places that were picked",)
_SHARED = ("g to the largest; shared where several are equal",)
_SUMMED = ("Σ g · normalized a", "Σ g")
_BIAS = "g, summed over the rows it was copied to"

# For each argument that takes a gradient, in the order of the edges; a single one stands for all of them.
_RULES: dict[str, tuple[str, ...]] = {
    "accumulategrad": ("added to .grad",),
    "add": ("g", "g"),
    "sub": ("g", "−g"),
    "rsub": ("−g", "g"),
    "mul": ("g · b", "g · a"),
    "div": ("g / b", "−g · a / b²"),
    "neg": ("−g",),
    "pow": ("g · b · a^(b−1)", "g · y · log a"),
    "exp": ("g · y",),
    "log": ("g / a",),
    "sqrt": ("g / (2 · y)",),
    "rsqrt": ("−g · y³ / 2",),
    "reciprocal": ("−g · y²",),
    "abs": ("g · sign(a)",),
    "sin": ("g · cos a",),
    "cos": ("−g · sin a",),
    "relu": ("g where y > 0, otherwise 0",),
    "leakyrelu": ("g where a > 0, otherwise g · slope",),
    "sigmoid": ("g · y · (1 − y)",),
    "tanh": ("g · (1 − y²)",),
    "gelu": ("g · gelu′(a)",),
    "silu": ("g · silu′(a)",),
    "softplus": ("g · sigmoid(a)",),
    "clamp": ("g where a was inside the limits, otherwise 0",),
    "sum": ("g, copied to each number that was added",),
    "mean": ("g / n, copied to each of the n numbers",),
    "var": ("g · 2 · (a − mean) / (n − correction)",),
    "std": ("g · (a − mean) / y / (n − correction)",),
    "prod": ("g · y / a",),
    "max": _SHARED,
    "min": ("g to the smallest; shared where several are equal",),
    "amax": _SHARED,
    "logsumexp": ("g · softmax(a)",),
    "mm": ("g @ bᵀ", "aᵀ @ g"),
    "bmm": ("g @ bᵀ", "aᵀ @ g"),
    "matmul": ("g @ bᵀ", "aᵀ @ g"),
    "mv": ("g ⊗ b", "aᵀ @ g"),
    "dot": ("g · b", "g · a"),
    "addmm": (_BIAS, "g @ cᵀ", "bᵀ @ g"),
    "linear": ("g @ weight", "gᵀ @ a", "g, summed over the batch"),
    "t": ("gᵀ",),
    "transpose": ("g, transposed back",),
    "permute": ("g, its axes put back",),
    "view": _MOVED,
    "unsafeview": _MOVED,
    "reshape": _MOVED,
    "reshapealias": _MOVED,
    "squeeze": _MOVED,
    "unsqueeze": _MOVED,
    "flatten": _MOVED,
    "expand": ("g, summed over the copies",),
    "cat": ("its part of g",),
    "stack": ("its part of g",),
    "split": ("the parts of g, put together",),
    "unbind": ("the parts of g, put together",),
    "select": _PLACED,
    "slice": _PLACED,
    "index": _PLACED,
    "gather": _PLACED,
    "clone": ("g",),
    "alias": ("g",),
    "where": ("g where it was chosen, otherwise 0",),
    "maskedfill": ("g where nothing was filled in, otherwise 0",),
    "softmax": ("y · (g − Σ g · y)",),
    "logsoftmax": ("g − softmax(a) · Σ g",),
    "nllloss": ("−g / n at the right class of each row, otherwise 0",),
    "mseloss": ("g · 2 · (a − b) / n", "g · 2 · (b − a) / n"),
    "binarycrossentropywithlogits": ("g · (sigmoid(a) − b) / n",),
    "embedding": ("each row of g, added to the row that was looked up",),
    "convolution": ("g, convolved with the turned weight", "a, correlated with g", "Σ g"),
    "maxpool2d": ("g to the largest of each window",),
    "avgpool2d": ("g / n to each of the n numbers of a window",),
    "layernorm": ("g · weight / std, less what would move mean and variance", *_SUMMED),
    "batchnorm": ("g · weight / std, in training less what would move mean and variance", *_SUMMED),
    "dropout": ("g where nothing was dropped, scaled alike",),
}

# Values of the reader's own that keep their parents in a set: which argument is which is not known.
_RULES |= {
    "+": ("g",),
    "*": ("g · the other argument",),
    "@": ("g, multiplied with the other matrix",),
}

_SAME = {
    "nativelayernorm": "layernorm",
    "nativebatchnorm": "batchnorm",
    "nativedropout": "dropout",
    "maxpool2dwithindices": "maxpool2d",
    "adaptiveavgpool2d": "avgpool2d",
    "mkldnnconvolution": "convolution",
    "amin": "min",
    "narrow": "slice",
    "indexselect": "index",
}


_BY_NAME = {"PowBackward2": ("g · y · log(the base)",)}  # a number to the power of a tensor

# Functions of nbmodule whose nodes are called otherwise, as PyTorch calls the last of the several nodes that it records.
_BY_FUNCTION: dict[str, tuple[str, ...]] = {
    "linear": (_BIAS, "g @ c", "gᵀ @ b"),
    "linear_without_bias": ("g @ b", "gᵀ @ a"),
    "cross_entropy": ("g · (softmax(a) − 1 at the right class) / n",),
    "clamp_between": _RULES["clamp"],
    "conv": _RULES["convolution"],
    "max_pool": _RULES["maxpool2d"],
    "avg_pool": _RULES["avgpool2d"],
    "pick": _PLACED,
    "gelu_tanh": _RULES["gelu"],
}
_TOLD_BY_NAME = frozenset({"mm", "bmm", "mv", "dot", "dropout"})

# Their arguments may be copied along axes to fit each other.
_COPYING = frozenset({"add", "sub", "rsub", "mul", "div", "pow", "where"})
_COPIED = ", summed over the copies"


def rules_of(name: str, function: str = "") -> tuple[str, ...]:
    """The formula for the gradient of each argument, or one for all of them; nothing where none is known.

    Args:
        name: What a library calls the operation: `"MulBackward0"`.
        function: Which function computed it, where several share the name.

    Example:
        >>> rules_of("MulBackward0")
        ('g · b', 'g · a')
    """
    if function in _BY_FUNCTION:
        return _BY_FUNCTION[function]
    base, own = (_SAME.get(found, found) for found in map(base_name, (name, function)))
    if own not in ("", base) and base not in _TOLD_BY_NAME:
        return _RULES.get(own, ())
    return _BY_NAME.get(name) or _RULES.get(base, ())


def rules_for(graph: GraphFacts, node: GraphNode) -> tuple[str, ...]:
    """The same for a node: an argument that was copied to fit the other one gets the sum over its copies.

    Args:
        graph: The facts.
        node: One of its nodes.
    """
    if graph.forward_only:
        return ()
    rules = rules_of(node.name, node.function)
    if node.name == "StdBackward0" and _follows(graph, node, "VarBackward0"):
        return _RULES["sqrt"]
    if node.shape is None or base_name(node.name) not in _COPYING or graph.library == "":
        return rules
    shapes = {
        graph.edges[edge].slot: graph.nodes[graph.edges[edge].source].shape
        for edge in graph.incoming(node.number)
        if graph.nodes[graph.edges[edge].source].outputs == 1
    }
    if all(shape in (None, node.shape) for shape in shapes.values()):
        return rules
    each = rules if len(rules) > 1 else rules * (max(shapes) + 1)
    return tuple(
        rule + (_COPIED if shapes.get(slot) not in (None, node.shape) else "")
        for slot, rule in enumerate(each)
    )


def _follows(graph: GraphFacts, node: GraphNode, name: str) -> bool:
    """Whether the only argument of a node was made by one of this name: nbmodule's std is the root of its var."""
    return [graph.nodes[graph.edges[e].source].name for e in graph.incoming(node.number)] == [name]
