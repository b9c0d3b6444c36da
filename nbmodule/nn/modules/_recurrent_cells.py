"""Single steps of recurrent layers, for loops of one's own; `rnn.py` shows them.

Source: https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

import math
from typing import Any

from ... import _factories
from ..._tensor import Tensor
from .. import init
from ..functional import _recurrent as recurrent
from ..parameter import Parameter
from .module import Module


class RNNCellBase(Module):
    """The base class of the recurrent cells. It holds the weights, and has no `forward`.

    Args:
        input_size: the number of features of the input.
        hidden_size: the number of features of the state.
        bias: whether there are biases.
        num_chunks: how many gates there are.
        device: where the parameters live.
        dtype: of the parameters; the default dtype when left out.

    Attributes:
        weight_ih: (num_chunks * hidden_size, input_size). All are drawn evenly from ±1/sqrt(hidden_size).
        weight_hh: (num_chunks * hidden_size, hidden_size)
        bias_ih: (num_chunks * hidden_size,) or None.
        bias_hh: (num_chunks * hidden_size,) or None.

    Source: https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers

    Example:
        >>> from nbmodule import nn
        >>> cell = nn.GRUCell(10, 20)
        >>> isinstance(cell, nn.RNNCellBase), tuple(cell.weight_ih.shape)
        (True, (60, 10))
    """

    __module__ = "nbmodule.nn.modules.rnn"
    __constants__ = ["input_size", "hidden_size", "bias"]

    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: Tensor
    weight_hh: Tensor

    def __init__(self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows, like = num_chunks * hidden_size, {"device": device, "dtype": dtype}
        self.weight_ih = Parameter(_factories.empty((rows, input_size), **like))
        self.weight_hh = Parameter(_factories.empty((rows, hidden_size), **like))
        for name in ("bias_ih", "bias_hh"):
            b = Parameter(_factories.empty(rows, **like)) if bias else None
            self.register_parameter(name, b)
        self.reset_parameters()

    def extra_repr(self) -> str:
        """Return the sizes, and what differs from the defaults."""
        s = "{input_size}, {hidden_size}"
        if "bias" in self.__dict__ and self.bias is not True:
            s += ", bias={bias}"
        if "nonlinearity" in self.__dict__ and self.nonlinearity != "tanh":
            s += ", nonlinearity={nonlinearity}"
        return s.format(**self.__dict__)

    def reset_parameters(self) -> None:
        """Draw the parameters again."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _weights(self) -> tuple[Any, ...]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _zeros(self, input: Tensor) -> Tensor:
        count = input.size(0)
        return _factories.zeros(count, self.hidden_size, dtype=input.dtype, device=input.device)

    def _check(self, name: str, value: Tensor) -> None:
        if value.dim() not in (1, 2):
            raise ValueError(
                f"{type(self)._shown}: Expected {name} to be 1D or 2D, got {value.dim()}D instead"
            )

    _shown = "RNNCellBase"

    def _one_state(self, function: Any, input: Tensor, hx: Tensor | None) -> Tensor:
        """Call `function`, which makes one step of a batch, also for a single input."""
        self._check("input", input)
        if hx is not None:
            self._check("hidden", hx)
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            hx = self._zeros(x)
        elif not batched:
            hx = hx.unsqueeze(0)
        out = function(x, hx, *self._weights())
        return out if batched else out.squeeze(0)


class RNNCell(RNNCellBase):
    """One step of an `RNN`: ``h = tanh(x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh)``.

    Args:
        input_size: the number of features of ``x``.
        hidden_size: the number of features of ``h``.
        bias: whether there are biases.
        nonlinearity: "tanh" or "relu".
        device: where the parameters live.
        dtype: of the parameters.

    Attributes:
        weight_ih: (hidden_size, input_size)
        weight_hh: (hidden_size, hidden_size)
        bias_ih: (hidden_size,) or None.
        bias_hh: (hidden_size,) or None.

    Raises:
        ValueError: on a call, when the input has neither one nor two dimensions.
        RuntimeError: on a call, when shapes do not fit or the nonlinearity is unknown.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNCell.html

    Example:
        >>> import nbmodule
        >>> cell, h = nbmodule.nn.RNNCell(10, 20), nbmodule.zeros(3, 20)
        >>> for x in nbmodule.randn(6, 3, 10):
        ...     h = cell(x, h)
        >>> h.shape
        nbmodule.Size([3, 20])
    """

    __module__ = "nbmodule.nn.modules.rnn"
    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]
    _shown = "RNNCell"
    nonlinearity: str

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next state.

        Args:
            input: (N, input_size) or (input_size,)
            hx: (N, hidden_size) or (hidden_size,); zeros where left out.
        """
        return self._one_state(self._step, input, hx)

    def _step(self, *args: Any) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        tanh = self.nonlinearity == "tanh"
        return recurrent.rnn_tanh_cell(*args) if tanh else recurrent.rnn_relu_cell(*args)


class LSTMCell(RNNCellBase):
    """One step of an `LSTM`::

        i, f, o = sigmoid(...), sigmoid(...), sigmoid(...)
        g = tanh(...)                          # each of its block of x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh
        c = f * c + i * g
        h = o * tanh(c)

    Args:
        input_size: the number of features of ``x``.
        hidden_size: the number of features of ``h`` and ``c``.
        bias: whether there are biases.
        device: where the parameters live.
        dtype: of the parameters.

    Attributes:
        weight_ih: (4 * hidden_size, input_size), the blocks for i, f, g and o.
        weight_hh: (4 * hidden_size, hidden_size)
        bias_ih: (4 * hidden_size,) or None.
        bias_hh: (4 * hidden_size,) or None.

    Raises:
        ValueError: on a call, when the input has neither one nor two dimensions.
        RuntimeError: on a call, when shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTMCell.html

    Example:
        >>> import nbmodule
        >>> cell = nbmodule.nn.LSTMCell(10, 20)
        >>> h, c = cell(nbmodule.randn(3, 10))
        >>> h, c = cell(nbmodule.randn(3, 10), (h, c))
        >>> h.shape, c.shape
        (nbmodule.Size([3, 20]), nbmodule.Size([3, 20]))
    """  # noqa: D415

    __module__ = "nbmodule.nn.modules.rnn"
    _shown = "LSTMCell"

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:  # fmt: skip
        """Return the next (h, c).

        Args:
            input: (N, input_size) or (input_size,)
            hx: h and c, each (N, hidden_size) or (hidden_size,); zeros where left out.
        """
        self._check("input", input)
        for place, value in enumerate(() if hx is None else hx):
            self._check(f"hx[{place}]", value)
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            zeros = self._zeros(x)
            hx = zeros, zeros
        elif not batched:
            hx = hx[0].unsqueeze(0), hx[1].unsqueeze(0)
        h, c = recurrent.lstm_cell(x, hx, *self._weights())
        return (h, c) if batched else (h.squeeze(0), c.squeeze(0))


class GRUCell(RNNCellBase):
    """One step of a `GRU`::

        r = sigmoid(x @ W_ir.T + b_ir + h @ W_hr.T + b_hr)
        z = sigmoid(x @ W_iz.T + b_iz + h @ W_hz.T + b_hz)
        n = tanh(x @ W_in.T + b_in + r * (h @ W_hn.T + b_hn))
        h = (1 - z) * n + z * h

    Args:
        input_size: the number of features of ``x``.
        hidden_size: the number of features of ``h``.
        bias: whether there are biases.
        device: where the parameters live.
        dtype: of the parameters.

    Attributes:
        weight_ih: (3 * hidden_size, input_size), the blocks for r, z and n.
        weight_hh: (3 * hidden_size, hidden_size)
        bias_ih: (3 * hidden_size,) or None.
        bias_hh: (3 * hidden_size,) or None.

    Raises:
        ValueError: on a call, when the input has neither one nor two dimensions.
        RuntimeError: on a call, when shapes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.GRUCell.html

    Example:
        >>> import nbmodule
        >>> cell = nbmodule.nn.GRUCell(10, 20)
        >>> cell(nbmodule.randn(3, 10)).shape, cell(nbmodule.randn(10)).shape
        (nbmodule.Size([3, 20]), nbmodule.Size([20]))
    """  # noqa: D415

    __module__ = "nbmodule.nn.modules.rnn"
    _shown = "GRUCell"

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Return the next state.

        Args:
            input: (N, input_size) or (input_size,)
            hx: (N, hidden_size) or (hidden_size,); zeros where left out.
        """
        return self._one_state(recurrent.gru_cell, input, hx)
