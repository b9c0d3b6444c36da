"""How many multiply-adds an operation takes: told by its name and by the shapes that it was given and made.

Counted are products that are summed: of matrices, convolutions, attention, recurrent cells. Whatever works element by
element (activations, norms, pooling, embeddings) has none. `None` stands for an operation that has some, of which
the shapes do not tell how many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

Shape = Sequence[int]
Formula = Callable[[Sequence[Any], Mapping[str, Any], Any], int]
Counted = Callable[[str, int | None], Any]  # is told the name of an operation and its multiply-adds

# Operations that multiply and add in ways that no formula here knows, and those that have "linalg" in their name only.
_HEAVY = re.compile(
    r"(?:^|_)(?:fft|linalg|cholesky|svd|qr|lu|eigh|pinv|det|logabsdet|solve|inverse|matrix_exp|cdist|pdist|conv\w*|"
    r"[a-z]*mm|matmul|attention|lstm|gru|rnn|linear|trilinear|transformer|v?dot)(?:_|$)"
)
_LIGHT = re.compile(
    r"linalg_(check_errors|vector_norm|cross|diagonal)|_thnn_fused|sign_of_det|to_mkldnn"
)


def torch_products(name: str, arguments: Sequence[Any], made: Any) -> int | None:
    """The multiply-adds of one of PyTorch's own operations.

    Args:
        name: Its name with the library, such as `"aten::addmm"`.
        arguments: What it was given.
        made: What it gave.
    """
    library, _, short = name.partition("::")
    if library == "quantized" and short.startswith("linear"):  # its weights are packed
        return prod(made.shape) * arguments[0].shape[-1]
    if library not in ("aten", "prims", "prim"):
        return 0 if library == "profiler" else None
    short = short.removesuffix("_")  # `addmm_` writes to what it is called on
    return _told(_TORCH.get(short), short, arguments, {}, made)


def our_products(
    name: str, arguments: Sequence[Any], options: Mapping[str, Any], made: Any
) -> int | None:
    """The multiply-adds of one of nbmodule's operations; the arguments are those of `torch_products`.

    Args:
        name: Its name.
        arguments: What it was given.
        options: What it was given by name.
        made: What it gave.
    """
    return _told(_OURS.get(name), name, arguments, options, made)


def _told(
    formula: Formula | None, name: str, arguments: Any, options: Any, made: Any
) -> int | None:
    if formula is not None:
        return int(formula(arguments, options, made))
    return None if _HEAVY.search(name) and not _LIGHT.search(name) else 0


# ---------------------------------------------------------------------- formulas


def _rows(left: int) -> Formula:
    """Each number that is made is a sum over the last dimension of the argument at this place."""
    return lambda given, options, made: prod(made.shape) * given[left].shape[-1]


def _dot(given: Sequence[Any], options: Any, made: Any) -> int:
    return prod(given[0].shape)


def _outer(given: Sequence[Any], options: Any, made: Any) -> int:
    return prod(made.shape)


def _summed_batch(given: Sequence[Any], options: Any, made: Any) -> int:
    """`addbmm`: the products of a whole batch are added up."""
    return prod(given[1].shape) * given[2].shape[-1]


def _convolution(given: Sequence[Any], options: Any, made: Any) -> int:
    """Each number that is made takes a filter; turned round, each number that is given does."""
    x, weight = given[0].shape, given[1].shape
    transposed = len(given) > 6 and given[6] is True
    return prod(x if transposed else made.shape) * prod(weight[1:])


def _our_convolution(given: Sequence[Any], options: Any, made: Any) -> int:
    return prod(made.shape) * prod(given[1].shape[1:])


def _our_transposed(given: Sequence[Any], options: Any, made: Any) -> int:
    return prod(given[0].shape) * prod(given[1].shape[1:])


def _convolution_tbc(given: Sequence[Any], options: Any, made: Any) -> int:
    return prod(made.shape) * prod(given[1].shape[:2])


def _attention(given: Sequence[Any], options: Any, made: Any) -> int:
    """Queries with keys, then weights with values; what a causal mask leaves out is counted too, as it is computed."""
    query, key, value = (tensor.shape for tensor in given[:3])
    return prod(query[:-1]) * key[-2] * (query[-1] + value[-1])


def _whole_attention(given: Sequence[Any], options: Any, made: Any) -> int:
    """PyTorch's multi-head attention in one piece, projections included."""
    (batch, queries, width), keys = given[0].shape, given[1].shape[1]
    tokens = batch * queries
    return (2 * tokens + 2 * batch * keys) * width * width + 2 * tokens * keys * width


def _encoder_layer(given: Sequence[Any], options: Any, made: Any) -> int:
    """A layer of a Transformer in one piece: attention to itself, then two linear layers."""
    source, inner = given[0], given[14].shape[0]
    return _whole_attention((source, source), options, made) + 2 * prod(source.shape) * inner


def _mkldnn_layer(given: Sequence[Any], options: Any, made: Any) -> int:
    return prod(given[0].shape[:-1]) * (prod(given[1].shape) + prod(given[2].shape))


def _cudnn_layers(given: Sequence[Any], options: Any, made: Any) -> int:
    weights = [weight.shape for weight in given[1]]
    return prod(given[0].shape[:-1]) * sum(prod(shape) for shape in weights if len(shape) == 2)


def _our_layer(weights: int) -> Formula:
    """A recurrent layer: each element of the batch takes each matrix, from this place on, once in each step."""

    def formula(given: Sequence[Any], options: Mapping[str, Any], made: Any) -> int:
        shapes = [tensor.shape for tensor in given[weights:] if tensor is not None]
        return sum(options["sizes"]) * sum(prod(shape) for shape in shapes if len(shape) == 2)

    return formula


def _contraction(given: Sequence[Any], options: Mapping[str, Any], made: Any) -> int:
    """Two tensors of an `einsum`: the sizes of all indices that stay, and of those that both share and that go."""
    left, right, out = (tuple(options[key]) for key in ("left", "right", "out"))
    sizes = dict(zip((*left, *right), (*given[0].shape, *given[1].shape), strict=True))
    shared = {index for index in left if index in right and index not in out}
    return prod(sizes[index] for index in {*out, *shared}) if shared else 0


def _trilinear(given: Sequence[Any], options: Any, made: Any) -> int:
    """`bilinear`: first with the weight, then with the other input."""
    shapes = [list(tensor.shape) for tensor in given[:3]]
    for shape, added in zip(shapes, given[3:6], strict=True):
        for at in sorted(added):
            shape.insert(at, 1)
    whole = [max(sizes) for sizes in zip(*shapes, strict=True)]
    first = [size for at, size in enumerate(whole) if at in given[6] and at in given[5]]
    return prod(whole) + prod(whole) // max(1, prod(first))


_TORCH: dict[str, Formula] = {
    "mm": _rows(0), "bmm": _rows(0), "mv": _rows(0), "_int_mm": _rows(0), "matmul": _rows(0), "linear": _rows(0),
    "addmm": _rows(1), "baddbmm": _rows(1), "addmv": _rows(1), "_addmm_activation": _rows(1), "addbmm": _summed_batch,
    "dot": _dot, "vdot": _dot, "addr": _outer, "_trilinear": _trilinear,
    "convolution": _convolution, "_convolution": _convolution, "convolution_overrideable": _convolution,
    "conv_tbc": _convolution_tbc,
    "_scaled_dot_product_flash_attention_for_cpu": _attention, "_scaled_dot_product_flash_attention": _attention,
    "_scaled_dot_product_efficient_attention": _attention, "_scaled_dot_product_cudnn_attention": _attention,
    "_scaled_dot_product_fused_attention_overrideable": _attention,
    "_native_multi_head_attention": _whole_attention, "_transformer_encoder_layer_fwd": _encoder_layer,
    "mkldnn_rnn_layer": _mkldnn_layer, "_cudnn_rnn": _cudnn_layers,
}  # fmt: skip
_OURS: dict[str, Formula] = {
    "mm": _rows(0), "matmul": _rows(0), "linear": _rows(-1), "linear_without_bias": _rows(-1), "addmm": _rows(1),
    "baddbmm": _rows(1), "addmv": _rows(1), "addbmm": _summed_batch, "addr": _outer, "contract": _contraction,
    "conv": _our_convolution, "conv_input": _our_transposed, "conv_tbc": _convolution_tbc, "attention": _attention,
    "lstm": _our_layer(3), "gru": _our_layer(2), "rnn": _our_layer(2),
}  # fmt: skip
