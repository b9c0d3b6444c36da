"""Recurrent networks as functions of all their weights: what the layers and the cells of `nbmodule.nn` call.

A network is a stack of layers, and each layer runs in one direction or in both. `_ops.recurrent` computes a layer in one direction.

Source: https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..._engine import renamed
from ..._functions._wrap import explained_function
from ..._functions.joining import cat, stack
from ..._ops import recurrent, recurrent_steps
from ..._tensor import Tensor
from .._functional.dropout import dropout as forget

Layer = Callable[..., tuple[Tensor, ...]]


@explained_function
def lstm(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Run layers of long short-term memory, see `nbmodule.nn.LSTM`.

    It is called as ``lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
    batch_first)``, or for the data of a packed sequence as ``lstm(data, batch_sizes, hx, params, has_biases,
    num_layers, dropout, train, bidirectional)``.

    Args:
        input: (T, N, features), or (N, T, features) with `batch_first`.
        hx: the first states: h of (layers * directions, N, hidden) and c likewise.
        params: the weights of each layer and direction: w_ih, w_hh, then b_ih, b_hh if `has_biases`, then w_hr
            where h has fewer features than c.
        has_biases: whether there are biases.
        num_layers: how many layers there are.
        dropout: the probability with which an output that goes on to another layer is forgotten.
        train: whether there is dropout.
        bidirectional: whether each layer runs in both directions.
        batch_first: whether the batch comes before the time.
        data: (rows, features), the elements ordered by time.
        batch_sizes: (T,) how many of the rows belong to each time.

    Returns:
        the outputs of the last layer (T, N, directions * hidden), and the last h and c.

    Raises:
        RuntimeError: shapes or dtypes do not fit.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.LSTM(3, 4)
        >>> start = (nbmodule.zeros(1, 2, 4), nbmodule.zeros(1, 2, 4))
        >>> out = nbmodule.lstm(nbmodule.ones(5, 2, 3), start, [*layer.parameters()], True, 1, 0.0, False, False, False)
        >>> [tuple(t.shape) for t in out]
        [(5, 2, 4), (1, 2, 4), (1, 2, 4)]
    """
    packed = "data" in kwargs or (len(args) > 1 and isinstance(args[1], Tensor))
    call = _arguments(packed, args, kwargs)
    if len(call["hx"]) != 2:
        raise RuntimeError("lstm expects two hidden states")
    h, c = call["hx"]
    per_layer = 2 + 2 * bool(call["has_biases"])
    if h.size(2) != c.size(2):
        per_layer += 1
    return _network(recurrent.lstm, (h, c), per_layer, call)


@explained_function
def gru(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Run layers of gated recurrent units, see `nbmodule.nn.GRU`.

    The arguments are those of `lstm`, but `hx` is one tensor. Returns the outputs and the last state.

    Args:
        input: (T, N, features)
        hx: (layers * directions, N, hidden)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.GRU.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.GRU(3, 4)
        >>> x, h = nbmodule.ones(5, 2, 3), nbmodule.zeros(1, 2, 4)
        >>> y, h = nbmodule.gru(x, h, [*layer.parameters()], True, 1, 0.0, False, False, False)
        >>> tuple(y.shape), tuple(h.shape)
        ((5, 2, 4), (1, 2, 4))
    """
    return _of_one_state(recurrent.gru, args, kwargs)


@explained_function
def rnn_tanh(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Run layers of ``tanh(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh)``, see `nbmodule.nn.RNN`.

    The arguments are those of `lstm`, but `hx` is one tensor. Returns the outputs and the last state.

    Args:
        input: (T, N, features)
        hx: (layers * directions, N, hidden)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNN.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.RNN(3, 4)
        >>> x, h = nbmodule.ones(5, 2, 3), nbmodule.zeros(1, 2, 4)
        >>> y, h = nbmodule.rnn_tanh(x, h, [*layer.parameters()], True, 1, 0.0, False, False, False)
        >>> tuple(y.shape), tuple(h.shape)
        ((5, 2, 4), (1, 2, 4))
    """
    return _of_one_state(partial(recurrent.rnn, relu=False), args, kwargs)


@explained_function
def rnn_relu(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """As `rnn_tanh`, with ``relu`` in the place of ``tanh``.

    Args:
        input: (T, N, features)
        hx: (layers * directions, N, hidden)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNN.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.RNN(3, 4, nonlinearity="relu")
        >>> x, h = nbmodule.ones(5, 2, 3), nbmodule.zeros(1, 2, 4)
        >>> y, h = nbmodule.rnn_relu(x, h, [*layer.parameters()], True, 1, 0.0, False, False, False)
        >>> bool((y >= 0).all())
        True
    """
    return _of_one_state(partial(recurrent.rnn, relu=True), args, kwargs)


def _of_one_state(layer: Layer, args: tuple, kwargs: dict[str, Any]) -> Any:
    packed = "data" in kwargs or (len(args) > 2 and isinstance(args[2], Tensor))
    call = _arguments(packed, args, kwargs)
    return _network(layer, (call["hx"],), 2 + 2 * bool(call["has_biases"]), call)


_COMMON = ("hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional")


def _arguments(packed: bool, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments by name.

    Raises:
        TypeError: they are not those of a network; `explained_function` says what is wrong.
    """
    names = ("data", "batch_sizes", *_COMMON) if packed else ("input", *_COMMON, "batch_first")
    call = dict(zip(names, args, strict=False)) | kwargs
    if len(args) + len(kwargs) != len(names) or set(call) != set(names):
        raise TypeError
    for flag in ("has_biases", "train", "bidirectional"):
        if not isinstance(call[flag], bool):
            raise TypeError
    return call


def _network(layer: Layer, hidden: tuple[Tensor, ...], per_layer: int, call: dict[str, Any]) -> Any:
    """Run all layers in all directions; return the outputs of the last, and the last states of all."""
    packed, params = "data" in call, call["params"]
    directions = 2 if call["bidirectional"] else 1
    turned = not packed and call["batch_first"]
    x = call["data"] if packed else call["input"].transpose(0, 1) if turned else call["input"]
    if not packed and not x.size(0):
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    if len(params) % per_layer:
        raise RuntimeError("got an incorrect number of RNN parameters")
    weights = [params[i : i + per_layer] for i in range(0, len(params), per_layer)]
    _check_counts(call["num_layers"], directions, len(weights), len(hidden[0]))
    sizes = call["batch_sizes"].tolist() if packed else [x.size(1)] * x.size(0)
    states = [h.unbind(0) for h in hidden]
    last: list[tuple[Tensor, ...]] = []
    for number in range(call["num_layers"]):
        outputs = []
        for direction in range(directions):
            place = number * directions + direction
            first = [s[place] for s in states]
            one = _arranged(weights[place], call["has_biases"], len(states) == 2)
            y, *end = _one_layer(layer, x, first, one, sizes, bool(direction), packed)
            outputs.append(y)
            last.append(tuple(end))
        x = outputs[0] if directions == 1 else cat(outputs, -1)
        if call["dropout"] and call["train"] and number < call["num_layers"] - 1:
            x = forget(x, call["dropout"])
    if turned:
        name = "TransposeBackward0" if len(states) == 2 else "TransposeBackward1"
        x = renamed(x.transpose(0, 1), name)
    return (x, *(stack(ends) for ends in zip(*last, strict=True)))


def _check_counts(num_layers: int, directions: int, weights: int, hidden: int) -> None:
    if directions == 2 and (weights % 2 or hidden % 2):
        raise RuntimeError("Odd number of params or hiddens given to a bidirectional RNN")
    if hidden != num_layers * directions:
        raise RuntimeError(
            "Expected more hidden states in stacked_rnn\n"
            f"{num_layers * directions} are needed, one for each layer and direction; there are {hidden}."
        )
    if weights < num_layers * directions:
        raise RuntimeError(
            "Expected more weights in stacked_rnn\n"
            f"{num_layers * directions} sets are needed, one for each layer and direction; there are {weights}."
        )


def _arranged(given: Sequence[Tensor], has_biases: bool, projects: bool) -> list[Any]:
    """Return w_ih, w_hh, b_ih, b_hh, and w_hr for a layer that can project; None for what there is not."""
    weights: list[Any] = list(given)
    if not has_biases:
        weights[2:2] = [None, None]
    return weights + [None] * (5 - len(weights)) if projects else weights


def _one_layer(layer: Layer, x: Tensor, first: list[Tensor], weights: list[Any], sizes: list[int], reverse: bool, packed: bool) -> tuple[Tensor, ...]:  # fmt: skip
    """Run one layer in one direction."""
    h, (w_ih, w_hh, b_ih, *_) = first[0], weights
    for state in first:
        if state.size(0) != sizes[0]:
            count = len(w_ih) if len(first) == 2 else state.size(1)
            raise RuntimeError(
                f"output with shape [{state.size(0)}, {count}] doesn't match the broadcast shape "
                f"[{sizes[0]}, {count}]\nThe batch has {sizes[0]} sequences, the state is one of {state.size(0)}."
            )
    given = (x, *first, *weights)
    kinds = {t._array.dtype for t in given if t is not None}
    if len(kinds) > 1 or x.size(-1) != w_ih.size(-1) or h.size(-1) != w_hh.size(-1):
        recurrent_steps.weighted(x.reshape(-1, x.size(-1)), w_ih, b_ih)  # the product that fails
        recurrent_steps.weighted(h, w_hh, b_ih)
    name = "CatBackward0" if packed else "StackBackward0"
    if not packed and len(first) == 2 and weights[-1] is None and x.dtype.itemsize == 4:
        name = "MkldnnRnnLayerBackward0"  # PyTorch's kernel for this case has a node of its own
    return layer(*given, sizes=tuple(sizes), reverse=reverse, name=name)


# ---- single steps


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
    _check_cell(input, (hx,), w_ih, w_hh, 1)
    return recurrent_steps.rnn_tanh_step(_from_input(input, w_ih, b_ih), hx, w_hh, b_hh)


@explained_function
def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:  # fmt: skip
    """As `rnn_tanh_cell`, with ``relu`` in the place of ``tanh``.

    Args:
        input: (N, features)
        hx: (N, hidden)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNCell.html

    Example:
        >>> import nbmodule
        >>> x, h, w = nbmodule.ones(1, 2), nbmodule.zeros(1, 3), nbmodule.ones(3, 2)
        >>> nbmodule.rnn_relu_cell(x, h, w, nbmodule.eye(3))
        tensor([[2., 2., 2.]])
    """
    _check_cell(input, (hx,), w_ih, w_hh, 1)
    return recurrent_steps.rnn_relu_step(_from_input(input, w_ih, b_ih), hx, w_hh, b_hh)


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
    _check_cell(input, (hx,), w_ih, w_hh, 3)
    return recurrent_steps.gru_step(_from_input(input, w_ih, b_ih), hx, w_hh, b_hh)


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
        raise TypeError
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    _check_cell(input, hx, w_ih, w_hh, 4)
    return recurrent_steps.lstm_step(_from_input(input, w_ih, b_ih), *hx, w_hh, b_hh)


def _from_input(input: Tensor, w_ih: Tensor, b_ih: Tensor | None) -> Tensor:
    return recurrent_steps.weighted(input, w_ih, b_ih)


def _check_cell(input: Tensor, states: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, gates: int) -> None:  # fmt: skip
    features, hidden = w_ih.size(1), w_hh.size(1)
    if input.size(1) != features:
        raise RuntimeError(
            f"input has inconsistent input_size: got {input.size(1)} expected {features}"
        )
    if w_ih.size(0) != gates * hidden:
        raise RuntimeError(
            f"weight_ih first dim must be {gates} * hidden_size = {gates * hidden}, but got {w_ih.size(0)}"
        )
    for number, state in enumerate(states):
        if input.size(0) != state.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{number} batch size {state.size(0)}"
            )
        if state.size(1) != hidden:
            raise RuntimeError(
                f"hidden{number} has inconsistent hidden_size: got {state.size(1)}, expected {hidden}"
            )


for _function in (lstm, gru, rnn_tanh, rnn_relu, rnn_tanh_cell, rnn_relu_cell, gru_cell, lstm_cell):  # fmt: skip
    _function.__module__ = "nbmodule"
