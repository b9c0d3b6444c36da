"""Layers that read sequences: RNN, LSTM and GRU, and single steps of them for loops of one's own.

Source: https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

import math
import numbers
import warnings
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from ... import _factories
from ..._tensor import Tensor
from .. import init
from ..functional import _recurrent as recurrent
from ..functional._packed_sequence import PackedSequence
from ..parameter import Parameter
from .module import Module

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

_Form = TypeVar("_Form", Tensor, PackedSequence, Tensor | PackedSequence)
"""What a layer reads, and in the same form what it returns."""

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


_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """The base class of the recurrent layers. It holds the weights and checks shapes, and has no `forward`.

    Args:
        mode: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU".
        input_size: the number of features of each element of a sequence.
        hidden_size: the number of features of the state.
        num_layers: how many layers are stacked: the outputs of one are the inputs of the next.
        bias: whether there are biases.
        batch_first: whether batches of sequences are (N, T, features) and not (T, N, features).
        dropout: the probability with which an output that goes on to another layer is set to 0 in training.
        bidirectional: whether a second set of weights reads the sequences backwards.
        proj_size: of an LSTM: the size to which the outputs are projected, or 0.
        device: where the parameters live.
        dtype: of the parameters; the default dtype when left out.

    Attributes:
        weight_ih_l0: (gates * hidden_size, input_size), for the input of layer 0, and so on for each layer.
            With "_reverse" at the end of the name: of the backward direction. All parameters are drawn
            evenly from ±1/sqrt(hidden_size).
        weight_hh_l0: (gates * hidden_size, hidden_size or proj_size), for the state before.
        bias_ih_l0: (gates * hidden_size,)
        bias_hh_l0: (gates * hidden_size,)
        weight_hr_l0: (proj_size, hidden_size), where there is a projection.

    Raises:
        ValueError: a size is not positive, `dropout` is no probability, or `mode` is unknown.
        TypeError: `bias` or `batch_first` is no bool, or a size no int.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNBase.html

    Example:
        >>> from nbmodule import nn
        >>> layer = nn.LSTM(10, 20)
        >>> isinstance(layer, nn.RNNBase), [name for name, _ in layer.named_parameters()]
        (True, ['weight_ih_l0', 'weight_hh_l0', 'bias_ih_l0', 'bias_hh_l0'])
    """

    __constants__ = [
        "mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional",
        "proj_size",
    ]  # fmt: skip
    __jit_unused_properties__ = ["all_weights"]

    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool
    proj_size: int

    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0, device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._flat_weight_refs: list[Any] = []
        self._check_arguments(dropout)
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for direction in range(2 if bidirectional else 1):
                shapes = self._weight_shapes(layer)
                names = self._weight_names(layer, direction)
                for name in names:
                    shape = shapes[name.split("_l")[0]]
                    weight = _factories.empty(shape, device=device, dtype=dtype)
                    setattr(self, name, Parameter(weight))
                self._flat_weights_names.extend(names)
                self._all_weights.append(names)
        self._init_flat_weights()
        self.reset_parameters()

    def _check_arguments(self, dropout: Any) -> None:
        if (
            not isinstance(dropout, numbers.Number)
            or not 0 <= dropout <= 1  # type: ignore[operator]
            or isinstance(dropout, bool)
        ):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if self.dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}",
                stacklevel=3,
            )
        for name in ("bias", "batch_first"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
        for name in ("input_size", "hidden_size"):
            value = getattr(self, name)
            if not isinstance(value, int):
                raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
            if value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError(
                "proj_size should be a positive integer or zero to disable projections"
            )
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")

    # ---- weights

    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _weight_names(self, layer: int, direction: int) -> list[str]:
        kinds = ["weight_ih", "weight_hh"]
        kinds += ["bias_ih", "bias_hh"] if self.bias else []
        kinds += ["weight_hr"] if self.proj_size > 0 else []
        return [f"{kind}_l{layer}{'_reverse' if direction else ''}" for kind in kinds]

    def _weight_shapes(self, layer: int) -> dict[str, tuple[int, ...]]:
        gates, out = _GATES[self.mode] * self.hidden_size, self.proj_size or self.hidden_size
        features = self.input_size if layer == 0 else out * self._directions()
        return {
            "weight_ih": (gates, features), "weight_hh": (gates, out), "bias_ih": (gates,), "bias_hh": (gates,),
            "weight_hr": (self.proj_size, self.hidden_size),
        }  # fmt: skip

    def _init_flat_weights(self) -> None:
        """Note the weights in the order in which the functions take them."""
        self._flat_weights = [getattr(self, name, None) for name in self._flat_weights_names]
        self._refer_to_weights()
        self.flatten_parameters()

    def _refer_to_weights(self) -> None:
        self._flat_weight_refs = [None if w is None else weakref.ref(w) for w in self._flat_weights]

    def __setattr__(self, attr: str, value: Any) -> None:
        """Assign as to any module, and keep the list of weights right."""
        names = self.__dict__.get("_flat_weights_names", ())
        if attr in names:
            self._flat_weights[names.index(attr)] = value
        super().__setattr__(attr, value)

    def flatten_parameters(self) -> None:
        """Do nothing: PyTorch lays the weights out for one of its GPU libraries here."""

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> RNNBase:
        self._flat_weight_refs = []
        super()._apply(fn, recurse)
        self._init_flat_weights()  # they may be other objects now
        return self

    def reset_parameters(self) -> None:
        """Draw the parameters again."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def _weights_have_changed(self) -> bool:
        """Return whether other weights stand in the attributes than in the list, as in `functional_call`."""
        for reference, name in zip(self._flat_weight_refs, self._flat_weights_names, strict=True):
            weight = getattr(self, name, None)
            if weight is not None and reference is not None and reference() is not weight:
                return True
        return False

    def _update_flat_weights(self) -> None:
        if self._weights_have_changed():
            self._init_flat_weights()

    def __getstate__(self) -> dict[str, Any]:
        self._update_flat_weights()
        state = self.__dict__.copy()
        del state["_flat_weight_refs"]  # weak references cannot be pickled
        return state

    def __setstate__(self, d: dict[str, Any]) -> None:
        """Take `d` over; from releases before projections, or with weights in the place of their names, too."""
        super().__setstate__(d)
        if "all_weights" in d:
            self._all_weights = d["all_weights"]
        if "proj_size" not in d:
            self.proj_size = 0
        if not isinstance(self._all_weights[0][0], str):
            places = [(i, j) for i in range(self.num_layers) for j in range(self._directions())]
            self._all_weights = [self._weight_names(*place) for place in places]
            self._flat_weights_names = [name for names in self._all_weights for name in names]
            self._flat_weights = [getattr(self, name, None) for name in self._flat_weights_names]
        self._refer_to_weights()

    # ---- checks

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raise if the dtype, the number of dimensions or of features of `input` does not fit."""
        dtype: Any = self._flat_weights[0].dtype  # type: ignore[union-attr]
        if input.dtype != dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert input: "
                f"input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        expected = 3 if batch_sizes is None else 2
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _batch_size(self, input: Tensor, batch_sizes: Tensor | None) -> int:
        if batch_sizes is not None:
            return int(batch_sizes[0])
        return input.size(0) if self.batch_first else input.size(1)

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:  # fmt: skip
        """Return the shape that the first state must have: (layers * directions, N, features)."""
        directions, features = self._directions(), self.proj_size or self.hidden_size
        return self.num_layers * directions, self._batch_size(input, batch_sizes), features

    def check_hidden_size(self, hx: Tensor, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}") -> None:  # fmt: skip
        """Raise if `hx` has another shape than expected."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raise if the input or the first state does not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """Return the state with the sequences in the order `permutation`."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def extra_repr(self) -> str:
        """Return the sizes, and what differs from the defaults."""
        s = "{input_size}, {hidden_size}"
        s += ", proj_size={proj_size}" if self.proj_size != 0 else ""
        s += ", num_layers={num_layers}" if self.num_layers != 1 else ""
        s += ", bias={bias}" if self.bias is not True else ""
        s += ", batch_first={batch_first}" if self.batch_first is not False else ""
        s += ", dropout={dropout}" if self.dropout != 0 else ""
        s += ", bidirectional={bidirectional}" if self.bidirectional is not False else ""
        return s.format(**self.__dict__)

    # ---- calling

    def _zeros(self, input: Tensor, batch_sizes: Tensor | None, features: int) -> Tensor:
        """Return the first state where none is given."""
        layers = self.num_layers * self._directions()
        count = self._batch_size(input, batch_sizes)
        return _factories.zeros(layers, count, features, dtype=input.dtype, device=input.device)

    def _run(self, function: Callable[..., Any], input: Tensor, batch_sizes: Tensor | None, hx: Any) -> Any:  # fmt: skip
        """Call `function`, which computes all layers, in the form for dense or for packed input."""
        rest = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)  # fmt: skip
        if batch_sizes is None:
            return function(input, hx, *rest, self.batch_first)
        return function(input, batch_sizes, hx, *rest)


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

    def forward(self, input: _Form, hx: Tensor | None = None) -> tuple[_Form, Tensor]:
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

    def forward(self, input: _Form, hx: Tensor | None = None) -> tuple[_Form, Tensor]:
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

    def forward(self, input: _Form, hx: tuple[Tensor, Tensor] | None = None) -> tuple[_Form, tuple[Tensor, Tensor]]:  # fmt: skip
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
            return packed, self.permute_hidden(tuple(hidden), back)  # type: ignore[return-value]
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
