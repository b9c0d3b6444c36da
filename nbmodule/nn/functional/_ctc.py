"""The loss of a network that writes or listens: when each letter comes is not known.

Source: Graves et al., Connectionist Temporal Classification, ICML 2006.
"""

from __future__ import annotations

from ..._tensor import Tensor
from .._reduction import number_of
from ._native import ctc as native
from ._native.ctc import Lengths


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
    return native.ctc_loss(log_probs, targets, *lengths, blank, number_of(reduction), zero_infinity)
