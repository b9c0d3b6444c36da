"""A transformer's block and an LSTM by hand."""

from __future__ import annotations

import numpy as np

from by_hand.layers import FLOAT, Array, Layer, Linear, ReLU

HEADS_AT_ONCE = 4
"""Their scores, 4 x 128 x 128 numbers, stay in the cache."""


class LayerNorm(Layer):
    """Standardise the rows of (row, feature), in blocks of rows; sums are products with a column of ones."""

    ROWS = 256

    def blocks(self, count: int) -> list[slice]:
        return [slice(i, i + self.ROWS) for i in range(0, count, self.ROWS)]

    def forward(self, x: Array) -> Array:
        count, features = x.shape
        self.mean_of = np.full((features, 1), 1 / features, FLOAT)
        hat, y, scale = self.room("hat", x.shape), self.room("y", x.shape), self.room("scale", (count, 1))  # fmt: skip
        for rows in self.blocks(count):
            h = np.subtract(x[rows], x[rows] @ self.mean_of, out=hat[rows])
            variance = np.multiply(h, h, out=y[rows]) @ self.mean_of
            scale[rows] = 1 / np.sqrt(variance + FLOAT(1e-5))
            h *= scale[rows]
            np.multiply(h, self.weights["weight"], out=y[rows])
            y[rows] += self.weights["bias"]
        return y

    def backward(self, grad: Array) -> Array:
        hat, scale, dx = self.kept["hat"], self.kept["scale"], self.room("dx", grad.shape)
        part = self.room("part", (self.ROWS, grad.shape[1]))
        for total in self.grads.values():
            total.fill(0)
        for rows in self.blocks(len(grad)):
            g, h, d = grad[rows], hat[rows], dx[rows]
            products = np.multiply(g, h, out=part[: len(g)])
            ones = np.ones(len(g), FLOAT)
            self.grads["weight"] += ones @ products
            self.grads["bias"] += ones @ g
            np.multiply(g, self.weights["weight"], out=d)
            products *= self.weights["weight"]
            along = products @ self.mean_of
            d -= d @ self.mean_of
            d -= np.multiply(h, along, out=products)
            d *= scale[rows]
        return dx


class Attention(Layer):
    """softmax(q k^T / sqrt(d)) v for queries, keys and values side by side in (row, 3 * features)."""

    def __init__(self, batch: int, heads: int) -> None:
        super().__init__()
        self.batch, self.heads = batch, heads

    def by_head(self, rows: Array) -> Array:
        """Return a view of (row, parts * features) as (part, sample, head, place, feature of the head)."""
        parts = rows.reshape(self.batch, self.length, -1, self.heads, self.width)
        return parts.transpose(2, 0, 3, 1, 4)

    def forward(self, x: Array) -> Array:
        self.length, features = len(x) // self.batch, x.shape[1] // 3
        self.width = features // self.heads
        count, n, d = self.batch * self.heads, self.length, self.width
        qkv = self.room("qkv", (3, count, n, d))
        qkv.reshape(3, self.batch, self.heads, n, d)[...] = self.by_head(x)
        q, k, v = qkv
        q *= FLOAT(d**-0.5)
        weights, out = self.room("weights", (count, n, n)), self.room("out", (1, count, n, d))
        for i in range(0, count, HEADS_AT_ONCE):
            some = slice(i, i + HEADS_AT_ONCE)
            a = np.matmul(q[some], k[some].transpose(0, 2, 1), out=weights[some])
            a -= a.max(-1, keepdims=True)
            np.exp(a, out=a)
            a *= 1 / (a @ np.ones((n, 1), FLOAT))
            np.matmul(a, v[some], out=out[0, some])
        y = self.room("y", (len(x), features))
        self.by_head(y)[...] = out.reshape(1, self.batch, self.heads, n, d)
        return y

    def backward(self, grad: Array) -> Array:
        count, n, d = self.batch * self.heads, self.length, self.width
        (q, k, v), weights, out = self.kept["qkv"], self.kept["weights"], self.kept["out"][0]
        dout = self.room("dout", (1, count, n, d))
        dout.reshape(1, self.batch, self.heads, n, d)[...] = self.by_head(grad)
        dqkv, room = self.room("dqkv", (3, count, n, d)), self.room("dscores", (HEADS_AT_ONCE, n, n))  # fmt: skip
        dq, dk, dv = dqkv
        for i in range(0, count, HEADS_AT_ONCE):
            some = slice(i, i + HEADS_AT_ONCE)
            a, do = weights[some], dout[0, some]
            np.matmul(a.transpose(0, 2, 1), do, out=dv[some])
            scores = np.matmul(do, v[some].transpose(0, 2, 1), out=room[: len(a)])
            scores -= (do * out[some]).sum(-1, keepdims=True)  # = sum(weights * dweights)
            scores *= a
            np.matmul(scores, k[some], out=dq[some])
            np.matmul(scores.transpose(0, 2, 1), q[some], out=dk[some])
        dq *= FLOAT(d**-0.5)
        dx = self.room("dx", (len(grad), 3 * grad.shape[1]))
        self.by_head(dx)[...] = dqkv.reshape(3, self.batch, self.heads, n, d)
        return dx


class TransformerBlock(Layer):
    """x + attention(norm(x)), then x + two linear layers of norm(x)."""

    def __init__(self, heads: int, **weights: Array) -> None:
        super().__init__()
        self.heads = heads

        def pair(name: str, form: str = "{}.{}") -> dict[str, Array]:
            return {part: weights[form.format(name, part)] for part in ("weight", "bias")}

        self.parts = {
            "norm1": LayerNorm(**pair("norm1")),
            "self_attn.in_proj": Linear(**pair("self_attn.in_proj", "{}_{}")),
            "self_attn.out_proj": Linear(**pair("self_attn.out_proj")),
            "norm2": LayerNorm(**pair("norm2")),
            "linear1": Linear(**pair("linear1")),
            "linear2": Linear(**pair("linear2")),
        }
        for name, part in self.parts.items():
            join = "_" if name.endswith("in_proj") else "."
            self.weights |= {f"{name}{join}{which}": w for which, w in part.weights.items()}
            self.grads |= {f"{name}{join}{which}": grad for which, grad in part.grads.items()}
        self.relu = ReLU()

    def forward(self, x: Array) -> Array:
        self.shape, rows = x.shape, x.reshape(-1, x.shape[-1])
        norm1, into, out, norm2, linear1, linear2 = self.parts.values()
        self.attention = getattr(self, "attention", None) or Attention(len(x), self.heads)
        middle = self.room("middle", rows.shape)
        attended = self.attention.forward(into.forward(norm1.forward(rows)))
        np.add(rows, out.forward(attended), out=middle)
        hidden = self.relu.forward(linear1.forward(norm2.forward(middle)))
        y = np.add(middle, linear2.forward(hidden), out=self.room("y", rows.shape))
        return y.reshape(x.shape)

    def backward(self, grad: Array) -> Array:
        norm1, into, out, norm2, linear1, linear2 = self.parts.values()
        grad = grad.reshape(-1, self.shape[-1])
        middle = norm2.backward(linear1.backward(self.relu.backward(linear2.backward(grad))))
        middle += grad
        dx = norm1.backward(into.backward(self.attention.backward(out.backward(middle))))
        dx += middle
        return dx.reshape(self.shape)


class LSTM(Layer):
    """One layer over (sample, time, feature).

    The four gates i, f, g, o lie side by side. sigmoid(z) = tanh(z / 2) / 2 + 1/2, so that one `tanh` does all of them.
    """

    def forward(self, x: Array) -> Array:
        w, (batch, steps, features) = self.weights, x.shape
        size = w["weight_hh_l0"].shape[1]
        half = np.full(4 * size, 0.5, FLOAT)
        half[2 * size : 3 * size] = 1
        shift = 1 - half
        shift[2 * size : 3 * size] = 0
        self.rows = rows = self.room("rows", (steps * batch, features))
        rows.reshape(steps, batch, features)[...] = x.transpose(1, 0, 2)
        gates = self.room("gates", (steps, batch, 4 * size))
        np.matmul(rows, w["weight_ih_l0"].T, out=gates.reshape(steps * batch, -1))
        gates += w["bias_ih_l0"] + w["bias_hh_l0"]
        onward = np.ascontiguousarray(w["weight_hh_l0"].T)
        hidden, cell = self.room("hidden", (steps + 1, batch, size)), self.room("cell", (steps + 1, batch, size))  # fmt: skip
        squashed, part, product = self.room("squashed", (steps, batch, size)), self.room("part", (batch, size)), self.room("product", (batch, 4 * size))  # fmt: skip
        for t, z in enumerate(gates):
            z += np.matmul(hidden[t], onward, out=product)
            z *= half
            np.tanh(z, out=z)
            z *= half
            z += shift
            i, f, g, o = np.split(z, 4, axis=1)
            c = np.multiply(f, cell[t], out=cell[t + 1])
            c += np.multiply(i, g, out=part)
            np.multiply(o, np.tanh(c, out=squashed[t]), out=hidden[t + 1])
        return hidden[1:]

    def backward(self, grad: Array) -> Array:
        hidden, cell, gates, squashed = (self.kept[k] for k in ("hidden", "cell", "gates", "squashed"))  # fmt: skip
        weight, size = self.weights["weight_hh_l0"], hidden.shape[2]
        dgates, slopes = self.room("dgates", gates.shape), self.room("slopes", gates.shape[1:])
        dh, dc, part, other = (self.room(k, hidden.shape[1:]) for k in ("dh", "dc", "part", "other"))  # fmt: skip
        dh.fill(0)
        dc.fill(0)
        for t in reversed(range(len(gates))):
            z, d = gates[t], dgates[t]
            i, f, g, o = np.split(z, 4, axis=1)
            di, df, dg, do = np.split(d, 4, axis=1)
            dh += grad[t]
            np.multiply(dh, squashed[t], out=do)
            np.multiply(squashed[t], squashed[t], out=part)
            np.subtract(1, part, out=part)
            part *= np.multiply(dh, o, out=other)
            dc += part
            np.multiply(dc, g, out=di)
            np.multiply(dc, cell[t], out=df)
            np.multiply(dc, i, out=dg)
            dc *= f
            np.multiply(z, z, out=slopes)  # sigmoid's slope is z - z^2, tanh's 1 - z^2
            for gate in (0, 1, 3):
                at = slice(gate * size, (gate + 1) * size)
                np.subtract(z[:, at], slopes[:, at], out=slopes[:, at])
            at = slice(2 * size, 3 * size)
            np.subtract(1, slopes[:, at], out=slopes[:, at])
            d *= slopes
            np.matmul(d, weight, out=dh)
        rows = dgates.reshape(-1, 4 * size)
        np.matmul(rows.T, self.rows, out=self.grads["weight_ih_l0"])
        np.matmul(rows.T, hidden[:-1].reshape(-1, size), out=self.grads["weight_hh_l0"])
        self.grads["bias_ih_l0"][:] = self.grads["bias_hh_l0"][:] = np.ones(len(rows), FLOAT) @ rows
        return grad
