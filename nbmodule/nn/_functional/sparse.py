"""Classes and words as vectors.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

from ... import _dtypes, _factories
from ..._tensor import Tensor


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return int64 vectors with a single 1, at the place that each element of `tensor` names.

    Args:
        tensor: class indices of any shape, int64.
        num_classes: the length of the vectors; by default the largest class plus one.
    """
    if tensor.dtype is not _dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not tensor.numel() and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if tensor.numel() and int(tensor.min()) < 0:
        raise RuntimeError("Class values must be non-negative.")
    classes = int(tensor.max()) + 1 if num_classes == -1 else num_classes
    if tensor.numel() and int(tensor.max()) >= classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return tensor.unsqueeze(-1).eq(_factories.arange(classes)).long()
