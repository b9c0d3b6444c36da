"""Plain words for operations: what `MulBackward0` did, for those who read such a name for the first time."""

from __future__ import annotations

import re
from functools import lru_cache

from nbmodule_widgets.engines.dialects import base_name

WORDS = {
    "add": "add", "sub": "subtract", "rsub": "subtract from", "mul": "multiply", "div": "divide", "neg": "negate",
    "pow": "power", "exp": "exponential", "log": "logarithm", "sqrt": "square root", "abs": "absolute value",
    "mm": "matrix product", "addmm": "matrix product + bias", "bmm": "matrix products of a batch",
    "baddbmm": "matrix products + bias", "mv": "matrix times vector", "dot": "dot product",
    "matmul": "matrix product", "linear": "linear map", "t": "transpose", "transpose": "transpose", "permute": "permute axes",
    "view": "reshape", "unsafeview": "reshape", "reshape": "reshape", "reshapealias": "reshape", "expand": "expand",
    "squeeze": "remove axes of size 1", "unsqueeze": "add an axis of size 1", "flatten": "flatten", "alias": "same tensor",
    "asstrided": "view", "select": "pick one", "slice": "slice", "index": "pick by index", "indexselect": "pick by index",
    "gather": "gather", "scatter": "scatter", "cat": "concatenate", "stack": "stack", "split": "split", "unbind": "unbind",
    "chunk": "split", "narrow": "slice", "sum": "sum", "mean": "mean", "var": "variance", "std": "standard deviation",
    "max": "largest", "min": "smallest", "amax": "largest", "amin": "smallest", "norm": "norm",
    "linalgvectornorm": "norm", "relu": "relu", "gelu": "gelu", "sigmoid": "sigmoid", "tanh": "tanh", "silu": "silu",
    "elu": "elu", "leakyrelu": "leaky relu", "hardtanh": "hardtanh", "softplus": "softplus", "clamp": "clamp",
    "threshold": "threshold", "where": "choose", "maskedfill": "fill where masked", "softmax": "softmax",
    "logsoftmax": "log softmax", "nllloss": "negative log likelihood", "mseloss": "mean squared error",
    "binarycrossentropy": "binary cross entropy", "crossentropy": "cross entropy", "l1loss": "mean absolute error",
    "binarycrossentropywithlogits": "binary cross entropy", "smoothl1loss": "smooth L1 loss",
    "dropout": "dropout", "nativedropout": "dropout", "nativebatchnorm": "batch normalization", "batchnorm": "batch normalization",
    "nativelayernorm": "layer normalization", "layernorm": "layer normalization", "nativegroupnorm": "group normalization",
    "convolution": "convolution", "mkldnnconvolution": "convolution", "thnnconv2d": "convolution", "conv1d": "convolution",
    "conv2d": "convolution", "maxpool2dwithindices": "max pooling", "maxpool2d": "max pooling", "avgpool2d": "average pooling",
    "adaptiveavgpool2d": "average pooling", "embedding": "look up rows", "clone": "copy", "copyslices": "write into a view",
    "copy": "copy", "tocopy": "convert", "to": "convert", "accumulategrad": "leaf", "lerp": "blend", "sin": "sine", "cos": "cosine",
    "cumsum": "running sum", "sort": "sort", "topk": "largest few", "localscalardense": "number for Python", "item": "number for Python",
    "roll": "roll", "flip": "flip", "repeat": "repeat",
    "tril": "lower triangle", "triu": "upper triangle", "fill": "fill", "zero": "fill with 0", "mkldnnrnnlayer": "LSTM layer",
    "scaleddotproductflashattentionforcpu": "attention", "scaleddotproductefficientattention": "attention",
    "scaleddotproductattention": "attention", "backwardhookfunction": "module backward hook", "bernoulli": "random 0 or 1",
    "rsqrt": "1 / square root", "reciprocal": "1 / x", "prod": "product", "logsumexp": "log of the sum of exponentials",
    "einsum": "einsum", "tanhbackward": "derivative of tanh", "hardswish": "hardswish", "pad": "pad", "constantpadnd": "pad",
    "+": "add", "*": "multiply", "-": "subtract", "/": "divide", "@": "matrix product",
}  # fmt: skip
"""The base name of an operation, in small letters and without underscores, in words."""

FUNCTIONS = {
    "linear": "matrix product + bias",
    "linear_without_bias": "matrix product",
    "matmul": "matrix product",
    "cross_entropy": "cross entropy",
}
"""Functions of nbmodule whose nodes are called otherwise, as PyTorch calls the last of the several nodes that it records."""

LAST = frozenset({"view", "unsafeview", "squeeze", "nllloss"})
"""What a node of PyTorch's that came last may be called, where nbmodule's one node does all of the work."""


@lru_cache(maxsize=4096)
def word_of(name: str) -> str:
    """The plain word for what a library calls an operation; the name itself where none is known."""
    base = base_name(name)
    if base in WORDS:
        return WORDS[base]
    own = re.sub(r"Backward\d*$", "", name.rpartition("::")[2]) or name
    steps = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", own)
    return " ".join(steps).lower() if steps and own.isascii() else own
