"""One step of each recurrent layer, as operations on tensors; and a layer as a loop of such steps.

The cells are made of these steps. `recurrent` computes whole layers faster, and comes back to the loop here
for second derivatives.

Below, `x` is what the input adds to the gates, ``input @ w_ih.T + b_ih``: (N, gates * H), h: (N, P) the state before.

Source: https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from collections.abc import Callable
from itertools import accumulate

from . import elementwise as e
from . import linalg, shape


def weighted(x, w, b=None):
    """``x @ w.T + b``."""
    return linalg.linear_without_bias(x, w) if b is None else linalg.linear(b, x, w)


def rows(x, start: int, stop: int):
    """Return some of the rows."""
    return shape.index(x, key=slice(start, stop))


def rnn_tanh_step(x, h, w_hh, b_hh):
    """``tanh(x + h @ w_hh.T + b_hh)``."""
    return e.tanh(e.add(weighted(h, w_hh, b_hh), x))


def rnn_relu_step(x, h, w_hh, b_hh):
    """``relu(x + h @ w_hh.T + b_hh)``."""
    return e.relu(e.add(weighted(h, w_hh, b_hh), x))


def lstm_step(x, h, c, w_hh, b_hh, w_hr=None):
    """Return the next (h, c).

    With the gates ``i, f, g, o`` side by side in ``x + h @ w_hh.T + b_hh``::

        c' = sigmoid(f) * c + sigmoid(i) * tanh(g)
        h' = sigmoid(o) * tanh(c')                  # @ w_hr.T, where there is one
    """
    i, f, g, o = e.add(weighted(h, w_hh, b_hh), x).unsafe_chunk(4, 1)
    c = e.add(e.mul(e.sigmoid(f), c), e.mul(e.sigmoid(i), e.tanh(g)))
    h = e.mul(e.sigmoid(o), e.tanh(c))
    return (h if w_hr is None else weighted(h, w_hr)), c


def gru_step(x, h, w_hh, b_hh):
    """Return the next h.

    With the blocks ``xr, xz, xn`` of `x`, and ``hr, hz, hn`` of ``h @ w_hh.T + b_hh``::

        r = sigmoid(xr + hr)
        z = sigmoid(xz + hz)
        n = tanh(xn + r * hn)
        h' = (h - n) * z + n
    """
    (xr, xz, xn), (hr, hz, hn) = (t.unsafe_chunk(3, 1) for t in (x, weighted(h, w_hh, b_hh)))
    r, z = e.sigmoid(e.add(xr, hr)), e.sigmoid(e.add(xz, hz))
    n = e.tanh(e.add(xn, e.mul(r, hn)))
    return e.add(e.mul(e.sub(h, n), z), n)


def walk(sizes, reverse: bool) -> list[tuple[int, int, int]]:
    """Return for each step which rows of the input it reads, and how many, in the order of the steps.

    The input holds the first elements of all sequences, then the second ones, and so on; the sequences come
    longest first, so that those which have ended are missing at the end.
    """
    ends = list(accumulate(sizes))
    steps = [(end - n, end, n) for end, n in zip(ends, sizes, strict=True)]
    return steps[::-1] if reverse else steps


def lstm_layer(x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, *, sizes, reverse: bool):
    """The formula of `recurrent.lstm`."""

    def step(gates, h, c):
        return lstm_step(gates, h, c, w_hh, b_hh, w_hr)

    return _layer(step, x, (h, c), w_ih, b_ih, sizes, reverse)


def gru_layer(x, h, w_ih, w_hh, b_ih, b_hh, *, sizes, reverse: bool):
    """The formula of `recurrent.gru`."""

    def step(gates, h):
        return (gru_step(gates, h, w_hh, b_hh),)

    return _layer(step, x, (h,), w_ih, b_ih, sizes, reverse)


def rnn_layer(x, h, w_ih, w_hh, b_ih, b_hh, *, sizes, reverse: bool, relu: bool):
    """The formula of `recurrent.rnn`."""
    one = rnn_relu_step if relu else rnn_tanh_step

    def step(gates, h):
        return (one(gates, h, w_hh, b_hh),)

    return _layer(step, x, (h,), w_ih, b_ih, sizes, reverse)


def _layer(step: Callable, x, state: tuple, w_ih, b_ih, sizes, reverse: bool) -> tuple:
    """Return the outputs of all steps, and the state after the last step of each sequence."""
    outer = x.shape[:-1]
    gates = weighted(shape.reshape(x, shape=(-1, x.shape[-1])), w_ih, b_ih)
    outputs = {}
    for start, stop, n in walk(sizes, reverse):
        going = tuple(s if n == s.shape[0] else rows(s, 0, n) for s in state)
        done = [None if n == s.shape[0] else rows(s, n, s.shape[0]) for s in state]
        new = step(rows(gates, start, stop), *going)
        outputs[start] = new[0]
        pairs = zip(new, done, strict=True)
        state = tuple(a if b is None else shape.cat(a, b, axis=0) for a, b in pairs)
    y = shape.cat(*(outputs[start] for start in sorted(outputs)), axis=0)
    return (shape.reshape(y, shape=(*outer, y.shape[-1])), *state)
