"""Single steps of recurrent networks: what the cells of `nbmodule.nn` call.

Source: https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

from collections.abc import Sequence

from ...._functions._wrap import explained_function
from ...._ops import recurrent_steps
from ...._tensor import Tensor
from .._linear import linear


@explained_function
def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return the next state ``tanh(input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh)``, see `nbmodule.nn.RNNCell`.

    Args:
        input: (N, features)
        hx: (N, hidden) the state before.
        w_ih: (hidden, features)
        w_hh: (hidden, hidden)
        b_ih: (hidden,) or None
        b_hh: (hidden,) or None

    Raises:
        RuntimeError: shapes or dtypes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNCell.html

    Example:
        >>> import nbmodule
        >>> x, h, w = nbmodule.ones(1, 2), nbmodule.zeros(1, 3), nbmodule.ones(3, 2)
        >>> nbmodule.rnn_tanh_cell(x, h, w, nbmodule.eye(3))
        tensor([[0.9640, 0.9640, 0.9640]])
    """
    _check_cell(input, (hx,), w_ih, w_hh, b_ih, b_hh, 1)
    return recurrent_steps.rnn_tanh_step(linear(input, w_ih, b_ih), hx, w_hh, b_hh)


@explained_function
def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:  # fmt: skip
    """As `rnn_tanh_cell`, with ``relu`` in the place of ``tanh``.

    Args:
        input: (N, features)
        hx: (N, hidden)
        w_ih: (hidden, features)
        w_hh: (hidden, hidden)
        b_ih: (hidden,) or None
        b_hh: (hidden,) or None

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNCell.html

    Example:
        >>> import nbmodule
        >>> x, h, w = nbmodule.ones(1, 2), nbmodule.zeros(1, 3), nbmodule.ones(3, 2)
        >>> nbmodule.rnn_relu_cell(x, h, w, nbmodule.eye(3))
        tensor([[2., 2., 2.]])
    """
    _check_cell(input, (hx,), w_ih, w_hh, b_ih, b_hh, 1)
    return recurrent_steps.rnn_relu_step(linear(input, w_ih, b_ih), hx, w_hh, b_hh)


@explained_function
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:  # fmt: skip
    """Return the next state of a gated recurrent unit, see `nbmodule.nn.GRUCell`.

    Args:
        input: (N, features)
        hx: (N, hidden)
        w_ih: (3 * hidden, features)
        w_hh: (3 * hidden, hidden)
        b_ih: (3 * hidden,) or None
        b_hh: (3 * hidden,) or None

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.GRUCell.html

    Example:
        >>> import nbmodule
        >>> x, h, w = nbmodule.ones(1, 2), nbmodule.zeros(1, 1), nbmodule.zeros(3, 2)
        >>> nbmodule.gru_cell(x, h + 1, w, nbmodule.zeros(3, 1))  # halfway from 1 to tanh(0)
        tensor([[0.5000]])
    """
    _check_cell(input, (hx,), w_ih, w_hh, b_ih, b_hh, 3)
    return recurrent_steps.gru_step(linear(input, w_ih, b_ih), hx, w_hh, b_hh)


@explained_function
def lstm_cell(input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the next (h, c) of a long short-term memory, see `nbmodule.nn.LSTMCell`.

    Args:
        input: (N, features)
        hx: h and c, each (N, hidden)
        w_ih: (4 * hidden, features)
        w_hh: (4 * hidden, hidden)
        b_ih: (4 * hidden,) or None
        b_hh: (4 * hidden,) or None

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTMCell.html

    Example:
        >>> import nbmodule
        >>> x, h, w = nbmodule.ones(1, 2), nbmodule.zeros(1, 1), nbmodule.zeros(4, 2)
        >>> nbmodule.lstm_cell(x, (h, h + 1), w, nbmodule.zeros(4, 1))[1]  # half of c is remembered
        tensor([[0.5000]])
    """
    if isinstance(hx, Tensor):
        raise TypeError(
            "lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor"
        )
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    _check_cell(input, hx, w_ih, w_hh, b_ih, b_hh, 4)
    h, c = hx
    return recurrent_steps.lstm_step(linear(input, w_ih, b_ih), h, c, w_hh, b_hh)


def _check_cell(input: Tensor, states: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None, gates: int) -> None:  # fmt: skip
    features, hidden = w_ih.size(1), w_hh.size(1)
    if input.size(1) != features:
        raise RuntimeError(
            f"input has inconsistent input_size: got {input.size(1)} expected {features}"
        )
    if gates != 3:  # the GRU looks at its states first
        _check_rows(w_ih, w_hh, gates, hidden)
    for number, state in enumerate(states):
        if input.size(0) != state.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{number} batch size {state.size(0)}"
            )
        if state.size(1) != hidden:
            raise RuntimeError(
                f"hidden{number} has inconsistent hidden_size: got {state.size(1)}, expected {hidden}"
            )
    _check_rows(w_ih, w_hh, gates, hidden)
    h = states[0]
    fitting = input.dim() == h.dim() == w_hh.dim() == 2 and h.dtype == w_hh.dtype
    if not fitting or (b_hh is not None and (b_hh.shape != w_hh.shape[:1] or b_hh.dtype != h.dtype)):  # fmt: skip
        if gates == 3:  # PyTorch multiplies the input first in a GRU, and the state first elsewhere
            linear(input, w_ih, b_ih)
        both = linear(h, w_hh, b_hh), linear(input, w_ih, b_ih)  # what fails says what does not fit
        if input.dim() != 2:
            both[0].detach().add_(both[1].detach())


def _check_rows(w_ih: Tensor, w_hh: Tensor, gates: int, hidden: int) -> None:
    """Raise if a matrix has not as many rows as the gates need."""
    for name, w in (("weight_ih", w_ih), ("weight_hh", w_hh)):
        if w.size(0) != gates * hidden:
            raise RuntimeError(
                f"{name} first dim must be {gates} * hidden_size = {gates * hidden}, but got {w.size(0)}"
            )


for _function in (rnn_tanh_cell, rnn_relu_cell, gru_cell, lstm_cell):
    _function.__module__ = "nbmodule"
