"""Connectionist temporal classification: the loss of a text when it is unknown which input belongs to which letter.

Source: Graves et al., Connectionist Temporal Classification, ICML 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import index
from typing import Any

from ..._functions._arguments import as_index
from ..._methods.common import library, not_implemented
from ..._ops import ctc as rules
from ..._tensor import Tensor
from .._reduction import MEAN, NONE, SUM, check_number, number_of
from ._checks import check_flag, top_level

Lengths = Tensor | Sequence[int]

CHECKING = "(while checking arguments for ctc_loss_allocate_outputs)"


def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Lengths, target_lengths: Lengths, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> Tensor:  # fmt: skip
    """Return minus the log of the probability of texts, summed over all times at which their letters may come.

    A text is what remains of the letters at all times when repetitions are merged and blanks dropped.

    Args:
        log_probs: (T, N, C) or (T, C), log-probabilities of the letters at each time, from `log_softmax`.
        targets: (N, S), texts without blanks, filled up with anything; or one after the other, (sum of the lengths,)
        input_lengths: (N,) tensor or tuple: how many of the T times count.
        target_lengths: (N,) likewise: how long each text is.
        blank: the class that stands for no letter.
        reduction: "mean" (of the losses per letter), "sum" or "none".
        zero_infinity: whether what cannot be said in that time costs nothing instead of everything.

    Returns:
        A number, or for "none" the losses (N,) or (). The gradient is that for what came before `log_softmax`,
        as in PyTorch.

    Raises:
        ValueError: `reduction` is unknown.
        RuntimeError: the shapes or the lengths do not fit.
        IndexError: a letter is no class.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.ctc_loss.html

    Example:
        >>> import nbmodule
        >>> from nbmodule.nn import functional as F
        >>> even = nbmodule.full((2, 1, 2), 0.5).log()  # two times, blank or "a": aa, a-, -a say "a"
        >>> F.ctc_loss(even, nbmodule.tensor([[1]]), (2,), (1,)).neg().exp()
        tensor(0.7500)
    """
    lengths = (input_lengths, target_lengths)
    return _ctc_loss(log_probs, targets, *lengths, blank, number_of(reduction), zero_infinity)


@top_level
def _ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Lengths, target_lengths: Lengths, blank: int = 0, reduction: int = NONE, zero_infinity: bool = False) -> Tensor:  # fmt: skip
    """Return how surprising texts are whose letters may come at any time; see `nbmodule.nn.functional.ctc_loss`.

    Args:
        log_probs: (T, N, C) or (T, C), log-probabilities of the letters at each time.
        targets: (N, S) or (sum of the lengths,), the texts, without blanks.
        input_lengths: (N,) tensor or tuple: how many of the T times count.
        target_lengths: (N,) likewise: how long each text is.
        blank: the class that stands for no letter.
        reduction: 0 for none, 1 for the mean of the losses per letter, 2 for the sum.
        zero_infinity: whether what cannot be said in that time costs nothing instead of everything.

    Returns:
        A number, or for 0 the losses (N,) or ()

    Raises:
        RuntimeError: the shapes or the lengths do not fit.
        IndexError: a letter is no class.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.ctc_loss.html

    Example:
        >>> import nbmodule
        >>> even = nbmodule.full((2, 2), 0.5).log()  # two times, blank or "a": aa, a-, -a say "a"
        >>> nbmodule.ctc_loss(even, nbmodule.tensor([1]), (2,), (1,), reduction=0).neg().exp()
        tensor(0.7500)
    """
    check_flag(zero_infinity)
    check_number(reduction)
    blank = as_index(blank)
    if isinstance(input_lengths, Tensor) is not isinstance(target_lengths, Tensor):
        raise TypeError("input_lengths and target_lengths must both be tensors or both tuples")
    times = _whole_numbers("input_lengths", input_lengths)
    sizes = _whole_numbers("target_lengths", target_lengths)
    batched = log_probs.dim() == 3
    if not batched:
        log_probs = log_probs.unsqueeze(1)
    _check(log_probs, targets, times, sizes, blank)
    texts = _texts(log_probs, targets, times, sizes, blank, zero_infinity)
    losses = rules.ctc_loss(log_probs, texts=texts, sloped=log_probs.requires_grad)
    if zero_infinity:
        losses = losses.where(losses.ne(float("inf")), losses.new_zeros(()))
    if reduction == MEAN:
        lengths = log_probs.new_tensor([max(n, 1) for n in sizes])
        return (losses / lengths).mean()
    return losses.sum() if reduction == SUM else losses if batched else losses.squeeze(0)


def _whole_numbers(name: str, lengths: Lengths) -> list[int]:
    if isinstance(lengths, (tuple, list)):
        return [index(n) for n in lengths]
    if not isinstance(lengths, Tensor):
        raise TypeError(f"{name} must be a tensor or a tuple")
    if lengths._array.dtype.kind not in "iu":
        raise RuntimeError(f"{name} must be integral")
    return lengths.reshape(-1).tolist()


def _texts(log_probs: Tensor, targets: Tensor, times: list[int], sizes: list[int], blank: int, zero_infinity: bool) -> rules.Texts:  # fmt: skip
    """Return the states that the paths of each text run through."""
    xp: Any = library(log_probs)
    letters = targets.to(log_probs.device)._array.astype("int64")
    place = xp.arange(max(sizes))
    lengths = xp.asarray(sizes)
    inside = place < lengths[:, None]
    if letters.ndim == 1:
        starts = xp.asarray([0, *accumulate(sizes)][:-1])
        table = xp.full(inside.shape, blank)
        table[inside] = letters[(starts[:, None] + place)[inside]]
    else:
        table = xp.where(inside, letters[:, : max(sizes)], blank)
    classes = log_probs.shape[2]
    if table.size and not (table.min() >= 0 and table.max() < classes):
        bad = table[(table < 0) | (table >= classes)][0]
        raise IndexError(
            f"Target {int(bad)} is out of bounds.\nThere are {classes} classes, 0 to {classes - 1}."
        )
    states = xp.full((len(sizes), 2 * max(sizes) + 1), blank)
    states[:, 1::2] = table
    return rules.Texts(states, 2 * lengths, xp.asarray(times), zero_infinity)


# ---- what does not fit, in PyTorch's order and words


def _check(log_probs: Tensor, targets: Tensor, times: list[int], sizes: list[int], blank: int) -> None:  # fmt: skip
    if not log_probs.numel():
        raise RuntimeError(
            f"log_probs tensor must not be empty\nIt has shape {list(log_probs.shape)}."
        )
    if log_probs.dim() != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.dim()}-dimensional tensor for argument #1 "
            f"'log_probs' {CHECKING}"
        )
    if targets.dim() not in (1, 2):
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {targets.dim()}-dimensional tensor for argument #2 'targets' "
            f"{CHECKING}"
        )
    n, classes = log_probs.shape[1:]
    if not 0 <= blank < classes:
        raise RuntimeError(f"blank must be in label range\nThere are {classes} classes.")
    for name, lengths in (("input_lengths", times), ("target_lengths", sizes)):
        if len(lengths) != n:
            raise RuntimeError(f"{name} must be of size batch_size\nThe batch has size {n}.")
    _check_targets(list(targets.shape), sizes, n)
    for length in times:
        _check_least("input_lengths", length)
        if length > log_probs.shape[0]:
            raise RuntimeError(
                f"Expected input_lengths to have value at most {log_probs.shape[0]}, but got value {length} "
                f"{CHECKING}"
            )
    if log_probs._array.dtype.str not in ("<f4", "<f8"):
        raise not_implemented("ctc_loss_cpu", log_probs)


def _check_targets(shape: list[int], sizes: list[int], n: int) -> None:
    for length in sizes:
        _check_least("target_lengths", length)
    expected = sum(sizes) if len(shape) == 1 else n
    if shape[0] != expected:
        raise RuntimeError(
            f"Expected tensor to have size {expected} at dimension 0, but got size {shape[0]} for argument #2 "
            f"'targets' {CHECKING}"
        )
    if len(shape) == 2 and shape[1] < max(sizes):
        raise RuntimeError(
            f"Expected tensor to have size at least {max(sizes)} at dimension 1, but got size {shape[1]} for "
            f"argument #2 'targets' {CHECKING}"
        )


def _check_least(name: str, length: int) -> None:
    if length < 0:
        raise RuntimeError(
            f"Expected {name} to have value at least 0, but got value {length} {CHECKING}"
        )
