"""From a list of samples to a batch: tensors are stacked, and what contains them keeps its kind.

Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ...._dtypes import float64
from ...._factories import as_tensor, tensor
from ...._functions.joining import stack
from ...._tensor import Tensor

np_str_obj_array_pattern = re.compile(r"[SaUO]")
"""Finds the NumPy types that no tensor holds: bytes, strings, objects."""

default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)

_ADVICE = "\nConvert the samples in the dataset, or give the loader a `collate_fn`."


def mapping_like(like: Any, changed: Callable[[Any], Any]) -> Any:
    """Return a mapping of the kind of `like`, with ``changed(key)`` for each key; a dict if that kind is unwilling.

    Changeable kinds may carry more than their items, so they are copied and updated.
    """
    try:
        if isinstance(like, MutableMapping):
            clone: Any = copy.copy(like)
            clone.update({key: changed(key) for key in like})
            return clone
        return type(like)({key: changed(key) for key in like})
    except TypeError:
        return {key: changed(key) for key in like}


def sequence_like(like: Any, items: Iterable[Any], changed: Callable[[Any], Any]) -> Any:
    """Return a sequence of the kind of `like`, with ``changed(item)`` for each item; a list if that kind is unwilling."""
    try:
        if isinstance(like, MutableSequence):
            clone: Any = copy.copy(like)
            for i, item in enumerate(items):
                clone[i] = changed(item)
            return clone
        return type(like)([changed(item) for item in items])  # type: ignore[call-arg]
    except TypeError:
        return [changed(item) for item in items]


def default_convert(data: Any) -> Any:
    """Turn NumPy arrays and numbers into tensors, also inside mappings and sequences; leave all else as it is.

    A `DataLoader` without batches does this to each sample.

    Args:
        data: one sample.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_convert

    Example:
        >>> import numpy as np
        >>> from nbmodule.utils.data import default_convert
        >>> default_convert({"x": np.array([1, 2]), "name": "a", "size": 3})
        {'x': tensor([1, 2]), 'name': 'a', 'size': 3}
    """
    kind = type(data)
    if isinstance(data, Tensor):
        return data
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_"):
        if kind.__name__ == "ndarray" and np_str_obj_array_pattern.search(data.dtype.str):
            return data
        return as_tensor(data)
    if isinstance(data, Mapping):
        return mapping_like(data, lambda key: default_convert(data[key]))
    if isinstance(data, tuple):
        items = [default_convert(d) for d in data]
        return kind(*items) if hasattr(data, "_fields") else items
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return sequence_like(data, data, default_convert)
    return data


def collate(batch: Any, *, collate_fn_map: dict[Any, Callable[..., Any]] | None = None) -> Any:
    """Make a batch of samples, whose kind the first one shows.

    Args:
        batch: the samples, a sequence.
        collate_fn_map: functions by the type, or tuple of types, of sample that they make a batch of;
            each is called as ``function(batch, collate_fn_map=collate_fn_map)``. The exact type is looked up
            first, then, in order, a type that the sample is an instance of. Other samples must be mappings or
            sequences: their parts are collated.

    Raises:
        TypeError: there is no function for the samples.
        RuntimeError: they are sequences of different lengths.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data._utils.collate.collate

    Example:
        >>> from nbmodule.utils.data._utils.collate import collate
        >>> def total(batch, *, collate_fn_map=None):
        ...     return sum(batch)
        >>> collate([{"a": 1, "b": (2, 3)}, {"a": 4, "b": (5, 6)}], collate_fn_map={int: total})
        {'a': 5, 'b': [7, 9]}
    """
    first = batch[0]
    if collate_fn_map is not None:
        if type(first) in collate_fn_map:
            return collate_fn_map[type(first)](batch, collate_fn_map=collate_fn_map)
        for kind in collate_fn_map:
            if isinstance(first, kind):
                return collate_fn_map[kind](batch, collate_fn_map=collate_fn_map)

    def joined(samples: Any) -> Any:
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return mapping_like(first, lambda key: joined([d[key] for d in batch]))
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(joined(samples) for samples in zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        lengths = [len(sample) for sample in batch]
        if any(length != lengths[0] for length in lengths):
            raise RuntimeError(
                "each element in list of batch should be of equal size\n"
                f"Their lengths are {lengths}.{_ADVICE}"
            )
        columns = list(zip(*batch, strict=False))
        if isinstance(first, tuple):  # a list, as ever
            return [joined(samples) for samples in columns]
        return sequence_like(first, columns, joined)
    raise TypeError(default_collate_err_msg_format.format(type(first)) + _ADVICE)


def collate_tensor_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Stack tensors of shape (...) to (N, ...)."""
    return stack(batch, 0)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Stack arrays of shape (...) to a tensor (N, ...)."""
    dtype = batch[0].dtype
    if np_str_obj_array_pattern.search(dtype.str):
        raise TypeError(default_collate_err_msg_format.format(dtype) + _ADVICE)
    return collate([as_tensor(b) for b in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Return NumPy's numbers as a tensor (N,) of their type."""
    return as_tensor(batch)


def collate_float_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Return floats as a float64 tensor (N,)."""
    return tensor(batch, dtype=float64)


def collate_int_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Return ints as an int64 tensor (N,), bools as a bool one."""
    return tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Return texts as they are."""
    return batch


default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    # NumPy's float64 is a float as well: this comes first.
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}
"""What `default_collate` does with which type; what is added here, it knows."""

_AT_FIRST = dict(default_collate_fn_map)


def collates_as_usual(collate_fn: Any) -> bool:
    """Return whether it is `default_collate`, to which nobody has told anything else."""
    return collate_fn is default_collate and default_collate_fn_map == _AT_FIRST


def default_collate(batch: Any) -> Any:
    """Make a batch: a `DataLoader` does it to the samples of each.

    Tensors, arrays and numbers become tensors with a first dimension of the samples; texts become a list of
    them. Mappings, named tuples and lists keep their kind and are collated part by part, tuples become lists.

    Args:
        batch: the samples, a list.

    Raises:
        TypeError: a sample, or a part of one, is of none of these types.
        RuntimeError: sequences or tensors differ in size.

    Source: https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate

    Example:
        >>> from nbmodule.utils.data import default_collate
        >>> default_collate([{"x": [1, 2.0], "name": "a"}, {"x": [3, 4.0], "name": "b"}])
        {'x': [tensor([1, 3]), tensor([2., 4.], dtype=nbmodule.float64)], 'name': ['a', 'b']}
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
