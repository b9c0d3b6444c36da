"""Recurrent networks as functions of all their weights: what the layers and the cells of `nbmodule.nn` call.

A network is a stack of layers, and each layer runs in one direction or in both. `_ops.recurrent` computes a layer in one direction.

Source: https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..._engine import renamed
from ..._functions._arguments import as_double, as_index
from ..._functions.joining import cat, stack
from ..._ops import recurrent, recurrent_steps
from ..._tensor import Tensor
from ._checks import check_flag, top_level
from ._dropout import drop
from ._linear import linear

Layer = Callable[..., tuple[Tensor, ...]]


@top_level
def lstm(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Run layers of long short-term memory, see `nbmodule.nn.LSTM`.

    Args:
        *args: ``(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)``, or for the
            data of a packed sequence ``(data, batch_sizes, hx, params, ..., bidirectional)``. They are

            * input: (T, N, features), or (N, T, features) with `batch_first`
            * hx: the first states: h of (layers * directions, N, hidden), and c likewise
            * params: the weights of each layer and direction: w_ih, w_hh, then b_ih, b_hh if `has_biases`, then w_hr
              where h has fewer features than c
            * dropout: the probability with which an output that goes on to another layer is forgotten, if `train`
            * data: (rows, features), the elements ordered by time
            * batch_sizes: (T,) how many of the rows belong to each time
        **kwargs: the same by their names.

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
    one = partial(_one_layer, recurrent.lstm, recurrent_steps.lstm_layer, {})
    return _network(one, (h, c), per_layer, call)


@top_level
def gru(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Run layers of gated recurrent units, see `nbmodule.nn.GRU`.

    Args:
        *args: as in `lstm`, but hx is one tensor, (layers * directions, N, hidden).
        **kwargs: the same by their names.

    Returns:
        the outputs of the last layer (T, N, directions * hidden), and the last states, in the shape of hx.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.GRU.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.GRU(3, 4)
        >>> x, h = nbmodule.ones(5, 2, 3), nbmodule.zeros(1, 2, 4)
        >>> y, h = nbmodule.gru(x, h, [*layer.parameters()], True, 1, 0.0, False, False, False)
        >>> tuple(y.shape), tuple(h.shape)
        ((5, 2, 4), (1, 2, 4))
    """
    return _of_one_state(recurrent.gru, recurrent_steps.gru_layer, args, kwargs)


@top_level
def rnn_tanh(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Run layers of ``tanh(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh)``, see `nbmodule.nn.RNN`.

    Args:
        *args: as in `lstm`, but hx is one tensor, (layers * directions, N, hidden).
        **kwargs: the same by their names.

    Returns:
        the outputs of the last layer (T, N, directions * hidden), and the last states, in the shape of hx.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNN.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.RNN(3, 4)
        >>> x, h = nbmodule.ones(5, 2, 3), nbmodule.zeros(1, 2, 4)
        >>> y, h = nbmodule.rnn_tanh(x, h, [*layer.parameters()], True, 1, 0.0, False, False, False)
        >>> tuple(y.shape), tuple(h.shape)
        ((5, 2, 4), (1, 2, 4))
    """
    return _of_one_state(recurrent.rnn, recurrent_steps.rnn_layer, args, kwargs, relu=False)


@top_level
def rnn_relu(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """As `rnn_tanh`, with ``relu`` in the place of ``tanh``.

    Args:
        *args: as in `rnn_tanh`.
        **kwargs: the same by their names.

    Returns:
        the outputs of the last layer (T, N, directions * hidden), and the last states, in the shape of hx.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNN.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.RNN(3, 4, nonlinearity="relu")
        >>> x, h = nbmodule.ones(5, 2, 3), nbmodule.zeros(1, 2, 4)
        >>> y, h = nbmodule.rnn_relu(x, h, [*layer.parameters()], True, 1, 0.0, False, False, False)
        >>> (y >= 0).all().item()
        True
    """
    return _of_one_state(recurrent.rnn, recurrent_steps.rnn_layer, args, kwargs, relu=True)


def _of_one_state(layer: Layer, formula: Layer, args: tuple, kwargs: dict[str, Any], **options: Any) -> Any:  # fmt: skip
    packed = "data" in kwargs or (len(args) > 2 and isinstance(args[2], Tensor))
    call = _arguments(packed, args, kwargs)
    one = partial(_one_layer, layer, formula, options)
    return _network(one, (call["hx"],), 2 + 2 * bool(call["has_biases"]), call)


_COMMON = ("hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional")


def _arguments(packed: bool, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments by name.

    Raises:
        TypeError: they are not those of a network; `top_level` says what is wrong.
    """
    names = ("data", "batch_sizes", *_COMMON) if packed else ("input", *_COMMON, "batch_first")
    call = dict(zip(names, args, strict=False)) | kwargs
    if len(args) + len(kwargs) != len(names) or set(call) != set(names):
        raise TypeError
    for flag in ("has_biases", "train", "bidirectional", *(() if packed else ("batch_first",))):
        check_flag(call[flag])
    call["num_layers"], call["dropout"] = as_index(call["num_layers"]), as_double(call["dropout"])
    return call


def _network(
    one_layer: Layer, hidden: tuple[Tensor, ...], per_layer: int, call: dict[str, Any]
) -> Any:
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
            own = _arranged(weights[place], call["has_biases"], len(states) == 2)
            y, *end = one_layer(x, first, own, sizes, bool(direction), packed)
            outputs.append(y)
            last.append(tuple(end))
        x = outputs[0] if directions == 1 else cat(outputs, -1)
        if call["dropout"] and call["train"] and number < call["num_layers"] - 1:
            x = drop(x, call["dropout"], True)
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
    if weights != num_layers * directions:
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


def _one_layer(layer: Layer, formula: Layer, options: dict[str, Any], x: Tensor, first: list[Tensor], weights: list[Any], sizes: list[int], reverse: bool, packed: bool) -> tuple[Tensor, ...]:  # fmt: skip
    """Run one layer in one direction."""
    h, (w_ih, w_hh, b_ih, b_hh) = first[0], weights[:4]
    for state in first:
        if state.size(0) != sizes[0]:
            count = len(w_ih) if len(first) == 2 else state.size(1)
            if 1 not in (state.size(0), sizes[0]):
                raise RuntimeError(
                    f"The size of tensor a ({state.size(0)}) must match the size of tensor b ({sizes[0]}) at "
                    "non-singleton dimension 0"
                )
            raise RuntimeError(
                f"output with shape [{state.size(0)}, {count}] doesn't match the broadcast shape "
                f"[{sizes[0]}, {count}]\nThe batch has {sizes[0]} sequences, the state is one of {state.size(0)}."
            )
    given, how = (x, *first, *weights), {"sizes": tuple(sizes), "reverse": reverse, **options}
    if not _fits_together(x, first, weights, 3 if layer is recurrent.gru else 1):
        linear(x.flatten(0, -2), w_ih, b_ih)  # the step that fails says why
        linear(h, w_hh, b_hh)
        return formula(*given, **how)
    name = "CatBackward0" if packed else "StackBackward0"
    if len(first) == 2 and weights[-1] is None and x.dtype.itemsize == 4 and h.numel():
        # PyTorch's kernel for this case has a node of its own; it takes sequences of one length only
        if not packed:
            name = "MkldnnRnnLayerBackward0"
        elif sizes[0] == sizes[-1]:
            name = "ViewBackward0"
    return layer(*given, **how, name=name)


def _fits_together(x: Tensor, first: list[Tensor], weights: Sequence[Any], gates: int) -> bool:
    """Return whether the dtypes are one, and the shapes what a layer needs."""
    w_ih, w_hh, *others = weights
    rows = (4 if len(first) == 2 else gates) * first[-1].size(-1)
    shapes = (w_ih.shape, w_hh.shape, *(None if b is None else b.shape for b in others[:2]))
    expected = ((rows, x.size(-1)), (rows, first[0].size(-1)), (rows,), (rows,))
    kinds = {t._array.dtype for t in (x, *first, *weights) if t is not None}
    pairs = zip(shapes, expected, strict=True)
    return len(kinds) == 1 and all(a is None or tuple(a) == b for a, b in pairs)


# ---- cells


@top_level
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


@top_level
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


@top_level
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


@top_level
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
