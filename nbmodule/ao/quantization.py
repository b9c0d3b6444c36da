"""A model with int8 in place of floats: `quantize_dynamic`."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from .. import nn
from .._dtypes import dtype as Dtype
from .._dtypes import int8
from .nn.quantized import dynamic

__all__ = ["quantize_dynamic"]

_MAPPING = {nn.Linear: dynamic.Linear}
_NOT_HERE = (nn.LSTM, nn.GRU, nn.LSTMCell, nn.RNNCell, nn.GRUCell, nn.Embedding, nn.EmbeddingBag)


def quantize_dynamic(model: Any, qconfig_spec: Any = None, dtype: Dtype = int8, mapping: Any = None, inplace: bool = False) -> Any:  # fmt: skip
    """Return `model` in evaluation mode, with each of its Linears replaced by one that holds int8.

    Args:
        model: any Module. If it is a Linear itself, it stays one: only what is inside is replaced.
        qconfig_spec: which ones: a set of types and of names. A name, or the type of a container, stands for all that
            is inside. Every type of `mapping` when left out.
        dtype: int8.
        mapping: from the type of a layer, exactly that one, to the class whose ``from_float(layer)`` stands in for it;
            when left out, from `nn.Linear` to `ao.nn.quantized.dynamic.Linear`.
        inplace: change `model` itself, and not a copy.

    The new layer gets the forward hooks and pre-hooks. A layer with two names is replaced once, under both. Recurrent
    layers stay as they are, which is less than PyTorch does.

    Raises:
        ValueError: `dtype` is not int8, or a weight holds an infinity or NaN; nothing is replaced then.
        TypeError: `model`, or what a `from_float` returns, is not a Module; `mapping` is not a dictionary; `qconfig_spec`
            is not a set of types and names.
        NotImplementedError: it asks for a recurrent layer or an Embedding, which PyTorch can quantize and nbmodule cannot.

    Source: https://docs.pytorch.org/docs/2.13/generated/torch.ao.quantization.quantize_dynamic.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.ao.quantization import quantize_dynamic
        >>> quantize_dynamic(nn.Sequential(nn.Linear(4, 2), nn.ReLU()))
        Sequential(
          (0): DynamicQuantizedLinear(in_features=4, out_features=2, dtype=nbmodule.int8, qscheme=per_channel_symmetric)
          (1): ReLU()
        )
    """
    if dtype is not int8:
        raise ValueError(f"Don't know how to quantize with default settings for {dtype}: nbmodule quantizes to int8")  # fmt: skip
    if not hasattr(model, "_modules"):
        raise TypeError(f"model must be a Module, and not {model!r}")
    mapping = _MAPPING if mapping is None else mapping
    if not isinstance(mapping, Mapping):
        raise TypeError(
            f"mapping must be a dictionary, such as {{nn.Linear: dynamic.Linear}}, and not {mapping!r}"
        )
    asked = set(mapping) if qconfig_spec is None else qconfig_spec
    _check_spec(asked, mapping)
    if not inplace:
        model = copy.deepcopy(model)
    made: dict[Any, Any] = {}  # by the layer, which a network may have under two names
    places = list(_places(model, asked, mapping, "", _is_asked(model, "", asked)))
    for *_, layer in places:
        if layer not in made:
            made[layer] = _with_hooks(mapping[type(layer)].from_float(layer), layer)
    for parent, name, layer in places:
        setattr(parent, name, made[layer])
    return model.eval()


def _check_spec(asked: Any, mapping: Any) -> None:
    if not isinstance(asked, set | frozenset) or not all(isinstance(a, str | type) for a in asked):
        raise TypeError(f"qconfig_spec must be a set of types and names, such as {{nn.Linear}}, and not {asked!r}; nbmodule has no QConfig")  # fmt: skip
    too_much = sorted(kind.__name__ for kind in asked.intersection(_NOT_HERE) - set(mapping))
    if too_much:
        raise NotImplementedError(f"nbmodule quantizes Linear, and not {', '.join(too_much)}: leave it out of qconfig_spec")  # fmt: skip


def _places(module: Any, asked: Any, mapping: Any, prefix: str, wanted: bool) -> Iterator[Any]:
    """Yield what is to be replaced: its parent, its name there, and the layer; `wanted` holds for all that is inside."""
    for name, child in module._modules.items():
        if child is None:
            continue
        path = f"{prefix}{name}"
        found = wanted or _is_asked(child, path, asked)
        if found and type(child) in mapping:
            yield module, name, child
        else:
            yield from _places(child, asked, mapping, f"{path}.", found)


def _is_asked(module: Any, path: str, asked: Any) -> bool:
    return path in asked or type(module) in asked


def _with_hooks(new: Any, old: Any) -> Any:
    """Return `new` with the hooks around the forward pass of `old` added to its own."""
    if not hasattr(new, "_modules"):
        raise TypeError(f"from_float must return a Module for {old}, but returned {new!r}")
    for slot, hooks in vars(old).items():
        if slot.startswith(("_forward_hooks", "_forward_pre_hooks")):
            vars(new).setdefault(slot, OrderedDict()).update(hooks)
    return new
