"""All layers of nbmodule, family by family, each with the rows of the table that make and call it."""

from __future__ import annotations

from functools import lru_cache

from nbmodule import nn

from .module_row import Row
from .module_rows import TOPICS

_FAMILIES = {
    "Linear layers": "linear flatten",
    "Convolutions": "conv padding fold",
    "Pooling and resizing": "pooling upsampling pixelshuffle channelshuffle",
    "Normalization": "batchnorm instancenorm normalization",
    "Activations": "activation",
    "Dropout": "dropout",
    "Recurrent layers": "rnn",
    "Embeddings": "sparse",
    "Attention": "transformer",
    "Losses and distances": "loss adaptive distance",
    "Containers": "container",
}
"""The files of each family."""
_ELSEWHERE = {"MultiheadAttention": "Attention"}


@lru_cache
def families() -> dict[str, tuple[str, ...]]:
    """Return the names of the layers in each family, in the order of the course and of their files."""
    home = {file: family for family, files in _FAMILIES.items() for file in files.split()}
    found: dict[str, list[str]] = {family: [] for family in _FAMILIES}
    for name in nn.modules.__all__:
        kind = getattr(nn.modules, name)
        if issubclass(kind, nn.Module) and kind is not nn.Module:
            file = kind.__module__.rpartition(".")[2]
            found[_ELSEWHERE.get(name) or home[file]].append(name)
    return {family: tuple(names) for family, names in found.items()}


@lru_cache
def rows() -> dict[str, tuple[Row, ...]]:
    """Return for each layer the rows that are about it, family by family."""
    every = [row for topic in TOPICS.values() for row in topic]
    return {
        layer: tuple(row for row in every if layer_of(row) == layer)
        for layers in families().values()
        for layer in layers
    }


def layer_of(row: Row) -> str:
    """Return "Conv2d" for the row "Conv2d_all_options"."""
    return row.name.partition("_")[0]


def label_of(row: Row) -> str:
    """Return "`Conv2d` (all options)"."""
    layer, _, variant = row.name.partition("_")
    return f"`{layer}` ({variant.replace('_', ' ')})" if variant else f"`{layer}`"
