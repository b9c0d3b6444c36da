"""Layers that read sequences: RNN, LSTM and GRU.

`_recurrent_base.py` holds what they have in common, `_recurrent_cells.py` single steps of them.

Source: https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

import warnings
from typing import Any

from ..._tensor import Tensor
from ..functional import _recurrent as recurrent
from ..functional._packed_sequence import PackedSequence
from ._recurrent_base import RNNBase
from ._recurrent_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

_NO_PROJECTION = "proj_size argument is only supported for LSTM, not RNN or GRU"


def _apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    return tensor.index_select(dim, permutation)


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """Return the slices of `tensor` along `dim` in the order `permutation`; use ``tensor.index_select``.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.index_select.html
    """
    warnings.warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
        FutureWarning,
        stacklevel=2,
    )
    return _apply_permutation(tensor, permutation, dim)


class _OneState(RNNBase):
    """A layer whose state is one tensor."""

    def _forward(self, function: Any, input: Any, hx: Tensor | None, shown: str) -> Any:
        self._update_flat_weights()
        if isinstance(input, PackedSequence):
            data, sizes, order, back = input
            hx = self._zeros(data, sizes, self.hidden_size) if hx is None else self.permute_hidden(hx, order)  # fmt: skip
            self.check_forward_args(data, hx, sizes)
            output, hidden = self._run(function, data, sizes, hx)
            return PackedSequence(output, sizes, order, back), self.permute_hidden(hidden, back)
        if input.dim() not in (2, 3):
            raise ValueError(shown.format(input.dim()))
        batched, batch_dim = input.dim() == 3, 0 if self.batch_first else 1
        if hx is not None and hx.dim() != input.dim():
            kind = "batched 3-D" if batched else "unbatched 2-D"
            raise RuntimeError(
                f"For {kind} input, hx should also be {input.dim()}-D but got {hx.dim()}-D tensor"
            )
        if not batched:
            input, hx = input.unsqueeze(batch_dim), None if hx is None else hx.unsqueeze(1)
        hx = self._zeros(input, None, self.hidden_size) if hx is None else hx
        self.check_forward_args(input, hx, None)
        output, hidden = self._run(function, input, None, hx)
        return (output, hidden) if batched else (output.squeeze(batch_dim), hidden.squeeze(1))


class RNN(_OneState):
    """Layers of an Elman network: the state is a weighted sum of the input and the state before, bent by tanh or ReLU.

    For each element ``x`` of a sequence::

        h = tanh(x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh)

    Args:
        input_size: the number of features of ``x``.
        hidden_size: the number of features of ``h``.
        num_layers: how many layers are stacked.
        nonlinearity: "tanh" or "relu".
        bias: whether there are biases.
        batch_first: whether batches of sequences are (N, T, features) and not (T, N, features).
        dropout: the probability with which an output that goes on to another layer is set to 0 in training.
        bidirectional: whether a second set of weights reads the sequences backwards.
        device: where the parameters live.
        dtype: of the parameters.

    Attributes:
        weight_ih_l0: (hidden_size, input_size) or, from the second layer on, (hidden_size, directions * hidden_size).
        weight_hh_l0: (hidden_size, hidden_size)
        bias_ih_l0: (hidden_size,)
        bias_hh_l0: (hidden_size,). See `RNNBase` for the names of other layers.

    Raises:
        ValueError: `nonlinearity` is unknown or an argument out of range; on a call, wrong dimensions or dtype.
        RuntimeError: on a call, when shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNN.html

    Example:
        >>> import nbmodule
        >>> rnn = nbmodule.nn.RNN(10, 20, num_layers=2)
        >>> output, last = rnn(nbmodule.randn(5, 3, 10))
        >>> output.shape, last.shape
        (nbmodule.Size([5, 3, 20]), nbmodule.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError(_NO_PROJECTION)
        if len(args) > 3:
            self.nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        super().__init__(f"RNN_{self.nonlinearity.upper()}", *args, **kwargs)

    def forward(self, input: Tensor | PackedSequence, hx: Tensor | None = None) -> Any:
        """Return the states after each element, of the last layer, and the last states of all layers.

        Args:
            input: (T, N, input_size), (N, T, input_size) with `batch_first`, one sequence
                (T, input_size), or packed sequences.
            hx: (layers * directions, N, hidden_size) the first states; zeros where left out.

        Returns:
            (T, N, directions * hidden_size), in the form of the input; and (layers * directions, N, hidden_size).
        """
        if self.mode not in ("RNN_TANH", "RNN_RELU"):
            raise AssertionError(f"mode must be RNN_TANH or RNN_RELU, got {self.mode}")
        function = recurrent.rnn_tanh if self.mode == "RNN_TANH" else recurrent.rnn_relu
        shown = "RNN: Expected input to be 2D or 3D, got {}D tensor instead"
        return self._forward(function, input, hx, shown)


class GRU(_OneState):
    """Layers of gated recurrent units: gates decide how much of the state is forgotten and renewed.

    For each element ``x`` of a sequence, with the three blocks of rows of the weights for r, z and n::

        r = sigmoid(x @ W_ir.T + b_ir + h @ W_hr.T + b_hr)
        z = sigmoid(x @ W_iz.T + b_iz + h @ W_hz.T + b_hz)
        n = tanh(x @ W_in.T + b_in + r * (h @ W_hn.T + b_hn))
        h = (1 - z) * n + z * h

    Args:
        input_size: the number of features of ``x``.
        hidden_size: the number of features of ``h``.
        num_layers: how many layers are stacked.
        bias: whether there are biases.
        batch_first: whether batches of sequences are (N, T, features) and not (T, N, features).
        dropout: the probability with which an output that goes on to another layer is set to 0 in training.
        bidirectional: whether a second set of weights reads the sequences backwards.
        device: where the parameters live.
        dtype: of the parameters.

    Attributes:
        weight_ih_l0: (3 * hidden_size, input_size), ``W_ir, W_iz, W_in``, and likewise the others.
        weight_hh_l0: (3 * hidden_size, hidden_size)
        bias_ih_l0: (3 * hidden_size,)
        bias_hh_l0: (3 * hidden_size,). See `RNNBase` for the names of other layers.

    Raises:
        ValueError: an argument is out of range; on a call, wrong dimensions or dtype.
        RuntimeError: on a call, when shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.GRU.html; Cho et al.,
    https://arxiv.org/abs/1406.1078

    Example:
        >>> import nbmodule
        >>> gru = nbmodule.nn.GRU(10, 20, bidirectional=True)
        >>> output, last = gru(nbmodule.randn(5, 3, 10))
        >>> output.shape, last.shape
        (nbmodule.Size([5, 3, 40]), nbmodule.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError(_NO_PROJECTION)
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Tensor | PackedSequence, hx: Tensor | None = None) -> Any:
        """Return the states after each element, of the last layer, and the last states of all layers.

        Args and Returns are as in `RNN.forward`.
        """
        return self._forward(recurrent.gru, input, hx, "GRU: Expected input to be 2D or 3D, got {}D instead")  # fmt: skip


class LSTM(RNNBase):
    """Layers of long short-term memory: a cell ``c`` keeps what the gates let in, beside the output ``h``.

    For each element ``x`` of a sequence, with the four blocks of rows of the weights for i, f, g and o::

        i = sigmoid(x @ W_ii.T + b_ii + h @ W_hi.T + b_hi)
        f = sigmoid(x @ W_if.T + b_if + h @ W_hf.T + b_hf)
        g = tanh(x @ W_ig.T + b_ig + h @ W_hg.T + b_hg)
        o = sigmoid(x @ W_io.T + b_io + h @ W_ho.T + b_ho)
        c = f * c + i * g
        h = o * tanh(c)                 # and h @ W_hr.T, where there is a projection

    Args:
        input_size: the number of features of ``x``.
        hidden_size: the number of features of ``c``, and of ``h`` where there is no projection.
        num_layers: how many layers are stacked.
        bias: whether there are biases.
        batch_first: whether batches of sequences are (N, T, features) and not (T, N, features).
        dropout: the probability with which an output that goes on to another layer is set to 0 in training.
        bidirectional: whether a second set of weights reads the sequences backwards.
        proj_size: the number of features to which ``h`` is projected; 0 for no projection.
        device: where the parameters live.
        dtype: of the parameters.

    Attributes:
        weight_ih_l0: (4 * hidden_size, input_size), ``W_ii, W_if, W_ig, W_io``, and likewise the others.
        weight_hh_l0: (4 * hidden_size, proj_size or hidden_size)
        bias_ih_l0: (4 * hidden_size,)
        bias_hh_l0: (4 * hidden_size,). See `RNNBase` for the names of other layers.
        weight_hr_l0: (proj_size, hidden_size), where there is a projection.

    Raises:
        ValueError: an argument is out of range; on a call, wrong dimensions or dtype.
        RuntimeError: on a call, when shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html; Hochreiter and Schmidhuber,
    https://doi.org/10.1162/neco.1997.9.8.1735; projections: https://arxiv.org/abs/1402.1128

    Example:
        >>> import nbmodule
        >>> lstm = nbmodule.nn.LSTM(10, 20, batch_first=True)
        >>> output, (h, c) = lstm(nbmodule.randn(3, 5, 10))
        >>> output.shape, h.shape, c.shape
        (nbmodule.Size([3, 5, 20]), nbmodule.Size([1, 3, 20]), nbmodule.Size([1, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:  # fmt: skip
        """Return the shape that the first c must have: (layers * directions, N, hidden_size)."""
        layers, count, _ = self.get_expected_hidden_size(input, batch_sizes)
        return layers, count, self.hidden_size

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raise if the input, the first h or the first c does not fit."""
        self.check_input(input, batch_sizes)
        h, c = self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)  # fmt: skip
        self.check_hidden_size(hidden[0], h, "Expected hidden[0] size {}, got {}")
        self.check_hidden_size(hidden[1], c, "Expected hidden[1] size {}, got {}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """Return h and c with the sequences in the order `permutation`."""
        if permutation is None:
            return hx
        return hx[0].index_select(1, permutation), hx[1].index_select(1, permutation)

    def _first(self, input: Tensor, sizes: Tensor | None) -> tuple[Tensor, Tensor]:
        features = self.proj_size or self.hidden_size
        return self._zeros(input, sizes, features), self._zeros(input, sizes, self.hidden_size)

    def forward(self, input: Tensor | PackedSequence, hx: tuple[Tensor, Tensor] | None = None) -> Any:  # fmt: skip
        """Return the outputs after each element, of the last layer, and the last (h, c) of all layers.

        Args:
            input: as in `RNN.forward`.
            hx: the first h, (layers * directions, N, proj_size or hidden_size), and the first c,
                (layers * directions, N, hidden_size); zeros where left out.

        Returns:
            (T, N, directions * features), in the form of the input; and (h, c) in the shapes of `hx`.
        """
        self._update_flat_weights()
        if isinstance(input, PackedSequence):
            data, sizes, order, back = input
            hx = self._first(data, sizes) if hx is None else self.permute_hidden(hx, order)
            output, *hidden = self._run(recurrent.lstm, data, sizes, hx)
            packed = PackedSequence(output, sizes, order, back)
            return packed, self.permute_hidden(tuple(hidden), back)
        if input.dim() not in (2, 3):
            raise ValueError(f"LSTM: Expected input to be 2D or 3D, got {input.dim()}D instead")
        batched, batch_dim = input.dim() == 3, 0 if self.batch_first else 1
        if hx is not None and (hx[0].dim() != input.dim() or hx[1].dim() != input.dim()):
            kind = "batched 3-D" if batched else "unbatched 2-D"
            raise RuntimeError(
                f"For {kind} input, hx and cx should also be {input.dim()}-D but got ({hx[0].dim()}-D, "
                f"{hx[1].dim()}-D) tensors"
            )
        if not batched:
            input = input.unsqueeze(batch_dim)
            hx = None if hx is None else (hx[0].unsqueeze(1), hx[1].unsqueeze(1))
        hx = self._first(input, None) if hx is None else hx
        self.check_forward_args(input, hx, None)
        output, h, c = self._run(recurrent.lstm, input, None, hx)
        if batched:
            return output, (h, c)
        return output.squeeze(batch_dim), (h.squeeze(1), c.squeeze(1))
