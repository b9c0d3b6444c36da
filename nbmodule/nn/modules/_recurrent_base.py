"""`RNNBase`: what RNN, LSTM and GRU have in common; `rnn.py` shows it.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNBase.html
"""

from __future__ import annotations

import math
import numbers
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from ... import _factories
from ..._tensor import Tensor
from .. import init
from ..parameter import Parameter
from .module import Module

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

    __module__ = "nbmodule.nn.modules.rnn"
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
        """Draw the parameters anew."""
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
