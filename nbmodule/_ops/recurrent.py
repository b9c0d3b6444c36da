"""Recurrent layers, each one operation: all steps of a layer in one direction.

What the input adds to the gates is one matrix product for all steps; what the state adds is one product a step. On the way
back, the loop finds the gradient of the gates alone: those of the weights are one product each, over all steps.

The rows of the input are ordered by time, as in a packed sequence: `recurrent_steps.walk` says which rows a step
reads. A dense batch is the case where all steps read equally many.

Below, x: (T, N, I), or (rows, I) if packed, h: (N, P), w_ih: (gates * H, I), w_hh: (gates * H, P), biases: (gates * H,) or None.
`wanted` says of each argument whether its gradient is asked for.
"""

from .._engine import in_parts, product, sum_of_rows
from .recurrent_steps import gru_layer, lstm_layer, rnn_layer, walk
from .several import several


def _in_float32(rule):
    """Let `rule` compute in float32 where it is given float16: its sums would be too coarse."""

    def widened(xp, *arrays, **options):
        kind = arrays[0].dtype
        if kind.itemsize != 2:
            return rule(xp, *arrays, **options)
        outs, backward = rule(xp, *_wide(arrays), **options)
        return tuple(o.astype(kind) for o in outs), lambda g, wanted: backward(_wide(g), wanted)

    widened.__name__, widened.__doc__ = rule.__name__, rule.__doc__
    return widened


def _wide(arrays):
    return [a if a is None else a.astype("f4") for a in arrays]


@several(formula=rnn_layer, reads={0: (2,), 2: (0,)})
@_in_float32
def rnn(xp, x, h, w_ih, w_hh, b_ih, b_hh, *, sizes, reverse: bool, relu: bool):
    """``h' = f(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh)``, with f the tanh or relu. Returns (y, h)."""
    shape, x = x.shape, _rows(x)
    states, steps = _input_part(x, w_ih, b_ih, b_hh), walk(sizes, reverse)
    before = xp.empty(states.shape, states.dtype)
    h, w_back = h.copy(), xp.ascontiguousarray(w_hh.T)
    for start, stop, n in steps:
        z = states[start:stop]
        before[start:stop] = h[:n]
        z += h[:n] @ w_back
        xp.maximum(z, 0, out=z) if relu else xp.tanh(z, out=z)
        h[:n] = z
    last = h.shape  # the results may be overwritten: `backward` keeps no hold of them

    def backward(grads, wanted):
        gy, dh = _begin(xp, grads, last, states.dtype)
        d = xp.empty(states.shape, states.dtype)
        for start, stop, n in reversed(steps):
            if gy is not None:
                dh[:n] += gy[start:stop]
            y = states[start:stop]
            slope = y > 0 if relu else 1 - y * y
            xp.multiply(dh[:n], slope, out=d[start:stop])
            xp.matmul(d[start:stop], w_hh, out=dh[:n])
        return _outer_gradients(xp, x, shape, w_ih, d, d, before, [dh], wanted)

    return (_shaped(states, shape).copy(), h), backward


@several(formula=lstm_layer, reads={0: (3,), 3: (0,)})
@_in_float32
def lstm(xp, x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, *, sizes, reverse: bool):
    """Long short-term memory, see `lstm_step`. Returns (y, h, c).

    c: (N, H), w_hr: (P, H) or None: what projects the output to fewer features.

    The sigmoid of the gates i, f and o is computed as ``tanh(z / 2) / 2 + 1 / 2``, so that one call does all four.
    """
    size, steps = c.shape[-1], walk(sizes, reverse)
    i, f, g, o = (slice(k * size, (k + 1) * size) for k in range(4))
    shape, x = x.shape, _rows(x)
    gates = _input_part(x, w_ih, b_ih, b_hh)
    kind, count = gates.dtype, len(gates)
    scale, offset = _columns(xp, (0.5, 0.5, 1, 0.5), size, kind), _columns(xp, (0.5, 0.5, 0, 0.5), size, kind)  # fmt: skip
    h_before, c_before = xp.empty((count, h.shape[-1]), kind), xp.empty((count, size), kind)
    tanh_c, out = xp.empty((count, size), kind), xp.empty((count, size), kind)
    y = out if w_hr is None else xp.empty((count, len(w_hr)), kind)
    h, c, w_back = h.copy(), c.copy(), xp.ascontiguousarray(w_hh.T)
    added, new = xp.empty((len(h), 4 * size), kind), xp.empty(c.shape, kind)
    for start, stop, n in steps:
        at = slice(start, stop)
        z, memory = gates[at], c[:n]
        h_before[at], c_before[at] = h[:n], memory
        z += xp.matmul(h[:n], w_back, out=added[:n])
        z *= scale
        xp.tanh(z, out=z)
        z *= scale
        z += offset
        memory *= z[:, f]
        memory += xp.multiply(z[:, i], z[:, g], out=new[:n])
        xp.tanh(memory, out=tanh_c[at])
        xp.multiply(z[:, o], tanh_c[at], out=out[at])
        if w_hr is not None:
            xp.matmul(out[at], w_hr.T, out=y[at])
        h[:n] = y[at]
    last, cells, projected = h.shape, c.shape, None if w_hr is None else out

    def backward(grads, wanted):
        gy, dh = _begin(xp, grads, last, kind)
        dc = xp.zeros(cells, kind) if grads[2] is None else grads[2].copy()
        # What each gate and c' do to the results, for all steps at once. The slope of a gate is z * (1 - z) for a
        # sigmoid, 1 - z * z for the tanh.
        d, through_h = xp.empty(gates.shape, kind), xp.empty((count, size), kind)

        def slopes(at):
            z, into = gates[at], d[at]
            xp.subtract(_columns(xp, (1, 1, 0, 1), size, kind), z, out=into)
            into *= z
            into += _columns(xp, (0, 0, 1, 0), size, kind)
            for gate, factor in ((i, z[:, g]), (f, c_before[at]), (g, z[:, i]), (o, tanh_c[at])):
                into[:, gate] *= factor
            xp.multiply(1 - tanh_c[at] * tanh_c[at], z[:, o], out=through_h[at])

        in_parts(xp, slopes, count, 3 * d.size)
        parts, room = d.reshape(count, 4, size), xp.empty(cells, kind)
        dy = xp.empty((count, 0 if w_hr is None else len(w_hr)), kind)
        for start, stop, n in reversed(steps):
            at, dm = slice(start, stop), dc[:n]
            into = dh[:n]
            if gy is not None:
                into += gy[at]
            if w_hr is not None:
                dy[at] = into
                into = into @ w_hr
            dm += xp.multiply(into, through_h[at], out=room[:n])
            parts[at, :3] *= dm[:, None]
            parts[at, 3] *= into
            dm *= gates[at, f]
            xp.matmul(d[at], w_hh, out=dh[:n])
        found = _outer_gradients(xp, x, shape, w_ih, d, d, h_before, [dh, dc], wanted)
        return [*found, dy.T @ projected if projected is not None and wanted[7] else None]

    return (_shaped(y, shape), h, c), backward


@several(formula=gru_layer, reads={0: (2,), 2: (0,)})
@_in_float32
def gru(xp, x, h, w_ih, w_hh, b_ih, b_hh, *, sizes, reverse: bool):
    """Gated recurrent unit, see `gru_step`. Returns (y, h)."""
    size, steps = h.shape[-1], walk(sizes, reverse)
    shape, x = x.shape, _rows(x)
    gates = _input_part(x, w_ih, b_ih)
    kind, count = gates.dtype, len(gates)
    before, from_h, y = (xp.empty((count, size), kind) for _ in range(3))
    h, w_back = h.copy(), xp.ascontiguousarray(w_hh.T)
    added = xp.empty((len(h), 3 * size), kind)
    for start, stop, n in steps:
        at = slice(start, stop)
        state, seen, q = h[:n], gates[at], added[:n]
        before[at] = state
        xp.matmul(state, w_back, out=q)
        if b_hh is not None:
            q += b_hh
        both, new = seen[:, : 2 * size], seen[:, 2 * size :]
        both += q[:, : 2 * size]
        both *= 0.5
        xp.tanh(both, out=both)
        both += 1
        both *= 0.5
        from_h[at] = q[:, 2 * size :]
        new += both[:, :size] * from_h[at]
        xp.tanh(new, out=new)
        state -= new
        state *= both[:, size:]
        state += new
        y[at] = state
    last = h.shape

    def backward(grads, wanted):
        gy, dh = _begin(xp, grads, last, kind)
        dx, dq = xp.empty(gates.shape, kind), xp.empty(gates.shape, kind)
        for start, stop, n in reversed(steps):
            at = slice(start, stop)
            if gy is not None:
                dh[:n] += gy[at]
            r, z, new = (gates[at, k * size : (k + 1) * size] for k in range(3))
            d, into = dh[:n], dx[at]
            d_new = d * (1 - z) * (1 - new * new)
            into[:, 2 * size :] = d_new
            into[:, :size] = d_new * from_h[at] * (r * (1 - r))
            into[:, size : 2 * size] = d * (before[at] - new) * (z * (1 - z))
            dq[at, : 2 * size] = into[:, : 2 * size]
            xp.multiply(d_new, r, out=dq[at, 2 * size :])
            d *= z
            d += dq[at] @ w_hh
        return _outer_gradients(xp, x, shape, w_ih, dx, dq, before, [dh], wanted)

    return (_shaped(y, shape), h), backward


def _rows(x):
    """Return `x` as (rows, I): a copy where its rows lie in another order."""
    return x.reshape(-1, x.shape[-1])


def _input_part(x, w_ih, *biases):
    """Return ``x @ w_ih.T`` plus the biases, for all steps at once: (rows, gates * H)."""
    y = product(x, w_ih.T)
    b, *rest = biases
    if b is not None:
        y += sum(rest, b)
    return y


def _columns(xp, values, size: int, kind):
    """Return a row with each of `values`, `size` times."""
    return xp.repeat(xp.asarray(values, dtype=kind), size)


def _shaped(y, shape):
    """Return the rows `y` in the order of those of an input of that `shape`."""
    return y.reshape(*shape[:-1], y.shape[-1])


def _begin(xp, grads, shape, dtype):
    """Return the gradients of the outputs of all steps, or None, and of the last state of that `shape`."""
    gy, gh = grads[:2]
    flat = None if gy is None else gy.reshape(-1, gy.shape[-1])
    return flat, xp.zeros(shape, dtype) if gh is None else gh.copy()


def _outer_gradients(xp, x, shape, w_ih, dx, dh, before, states, wanted):
    """Return the gradients for x, which had that `shape`, the first state, w_ih, w_hh, b_ih and b_hh.

    `dx` and `dh` are those of what the input, and of what the state added to the gates: (rows, gates * H).
    """
    for_x, *_, for_w_ih, for_w_hh, for_b_ih, for_b_hh = wanted[: 5 + len(states)]
    return [
        product(dx, w_ih).reshape(shape) if for_x else None,
        *states,
        product(dx.T, x) if for_w_ih else None,
        product(dh.T, before) if for_w_hh else None,
        sum_of_rows(dx) if for_b_ih else None,
        sum_of_rows(dh) if for_b_hh else None,
    ]
