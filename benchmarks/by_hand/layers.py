"""Layers in NumPy alone: gradients derived by hand, and every array kept from one step to the next.

They are the limit of what NumPy can do, and what an engine over NumPy can be measured by. Each layer has
`forward` (x to y) and `backward` (the loss's gradient with respect to y to that with respect to x); `backward` writes
the gradients of the layer's own weights into `grads`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
FLOAT = np.float32


class Layer:
    """Weights, their gradients, and arrays that are kept."""

    def __init__(self, **weights: Array) -> None:
        self.weights = {name: np.array(value) for name, value in weights.items()}
        self.grads = {name: np.empty_like(value) for name, value in self.weights.items()}
        self.kept: dict[str, Array] = {}
        self.first = False  # whether nobody wants the gradient of this layer's input

    def room(self, name: str, shape: tuple[int, ...], dtype: Any = FLOAT) -> Array:
        """Return the array of this name. It is zeros at first, and holds what the last step left."""
        found = self.kept.get(name)
        if found is None or found.shape != shape:
            found = self.kept[name] = np.zeros(shape, dtype)
        return found

    def forward(self, x: Array) -> Array:
        raise NotImplementedError

    def backward(self, grad: Array) -> Array:
        raise NotImplementedError


class Linear(Layer):
    """y = x W^T + b for (..., features)."""

    def forward(self, x: Array) -> Array:
        weight, bias = self.weights["weight"], self.weights["bias"]
        self.x = x
        y = self.room("y", (len(x), len(weight)))
        np.matmul(x, weight.T, out=y)
        y += bias
        return y

    def backward(self, grad: Array) -> Array:
        ones = self.room("ones", (len(grad),))
        ones.fill(1)
        np.matmul(grad.T, self.x, out=self.grads["weight"])
        np.matmul(ones, grad, out=self.grads["bias"])
        if self.first:
            return grad
        return np.matmul(grad, self.weights["weight"], out=self.room("dx", self.x.shape))


class LinearOfFewRows(Linear):
    """The same for 2 to 16 rows and a matrix larger than the cache.

    In blocks of few enough products, for which OpenBLAS has kernels that read the matrix once and copy nothing.
    """

    PRODUCTS = 1_000_000

    def blocks(self, x: Array) -> list[slice]:
        features = len(self.weights["weight"])
        step = max(4, min(32, self.PRODUCTS // x.size))
        return [slice(i, min(i + step, features)) for i in range(0, features, step)]

    def forward(self, x: Array) -> Array:
        weight = self.weights["weight"]
        self.x = x
        y = self.room("y", (len(x), len(weight)))
        for block in self.blocks(x):
            np.matmul(x, weight[block].T, out=y[:, block])
        y += self.weights["bias"]
        return y

    def backward(self, grad: Array) -> Array:
        weight, dx, part = self.weights["weight"], self.room("dx", self.x.shape), self.room("part", self.x.shape)  # fmt: skip
        np.sum(grad, axis=0, out=self.grads["bias"])
        dx.fill(0)
        for block in self.blocks(self.x):
            np.matmul(grad[:, block].T, self.x, out=self.grads["weight"][block])
            dx += np.matmul(grad[:, block], weight[block], out=part)
        return dx


class ReLU(Layer):
    """y = max(x, 0)."""

    def forward(self, x: Array) -> Array:
        self.y = np.maximum(x, 0, out=self.room("y", x.shape))
        return self.y

    def backward(self, grad: Array) -> Array:
        positive = np.greater(self.y, 0, out=self.room("positive", grad.shape, bool))
        return np.multiply(grad, positive, out=self.room("dx", grad.shape))


class Flatten(Layer):
    """Rows of (sample, channels * height * width), from whichever order of axes (`back` leads to PyTorch's)."""

    def __init__(self, back: tuple[int, ...]) -> None:
        super().__init__()
        self.back = back

    def forward(self, x: Array) -> Array:
        self.shape = x.shape
        ordered = x.transpose(self.back)
        y = self.room("y", ordered.shape)
        y[...] = ordered
        return y.reshape(len(y), -1)

    def backward(self, grad: Array) -> Array:
        dx = self.room("dx", self.shape)
        dx.transpose(self.back)[...] = grad.reshape(self.kept["y"].shape)
        return dx


class MaxPoolAlong(Layer):
    """The greatest of each window along one axis; the first of equal values takes the gradient."""

    def __init__(self, axis: int, size: int, stride: int) -> None:
        super().__init__()
        self.axis, self.size, self.stride = axis, size, stride

    def places(self, x: Array) -> list[Array]:
        """Return views of the first numbers of all windows, of the second ones, and so on."""
        count = (x.shape[self.axis] - self.size) // self.stride + 1
        every = [slice(None)] * x.ndim
        found = []
        for i in range(self.size):
            every[self.axis] = slice(i, i + self.stride * (count - 1) + 1, self.stride)
            found.append(x[tuple(every)])
        return found

    def forward(self, x: Array) -> Array:
        self.x = x
        first, second, *others = self.places(x)
        y = np.maximum(first, second, out=self.room("y", first.shape))
        for other in others:
            np.maximum(y, other, out=y)
        return y

    def backward(self, grad: Array) -> Array:
        values, y = self.places(self.x), self.kept["y"]
        chosen, part, left = self.room("chosen", y.shape, bool), self.room("part", y.shape), self.room("left", y.shape)  # fmt: skip
        dx = self.room("dx", self.x.shape)
        into = self.places(dx)
        if self.size == self.stride == 2:
            np.less(values[0], values[1], out=chosen)
            np.multiply(grad, chosen, out=into[1])
            np.subtract(grad, into[1], out=into[0])
            return dx
        dx.fill(0)
        left[...] = grad
        for value, place in zip(values[:-1], into, strict=False):
            np.equal(value, y, out=chosen)
            np.multiply(left, chosen, out=part)
            place += part
            left -= part
        into[-1][...] += left
        return dx


class MaxPool(Layer):
    """Columns first, then rows: the first maximum in reading order takes the gradient, as in PyTorch."""

    def __init__(self, height: int, width: int, size: int, stride: int) -> None:
        super().__init__()
        self.columns = MaxPoolAlong(width, size, stride)
        self.rows = MaxPoolAlong(height, size, stride)

    def forward(self, x: Array) -> Array:
        return self.rows.forward(self.columns.forward(x))

    def backward(self, grad: Array) -> Array:
        return self.columns.backward(self.rows.backward(grad))


class BatchNorm(Layer):
    """Standardise the channels of (sample, channel, height, width), in training.

    Forward it is one affine map, y = a x + c with a = weight / std; backward another, dx = k1 grad + k2 x + k3.
    """

    def forward(self, x: Array) -> Array:
        count, channels = x.shape[:2]
        self.x = flat = x.reshape(count, channels, -1)
        ones = self.room("ones", flat.shape[2:])
        ones.fill(1)
        n = count * flat.shape[2]
        self.mean = (flat @ ones).sum(0) / n
        variance = np.einsum("nck,nck->c", flat, flat) / n - self.mean**2
        self.scale = 1 / np.sqrt(variance + 1e-5)
        a = self.weights["weight"] * self.scale
        c = self.weights["bias"] - self.mean * a
        y = self.room("y", x.shape)
        for sample, into in zip(flat, y.reshape(flat.shape), strict=True):
            np.multiply(sample, a[:, None], out=into)
            into += c[:, None]
        return y

    def backward(self, grad: Array) -> Array:
        flat, n = grad.reshape(self.x.shape), self.x.size // self.x.shape[1]
        bias = (flat @ self.kept["ones"]).sum(0)
        weight = (np.einsum("nck,nck->c", flat, self.x) - self.mean * bias) * self.scale
        self.grads["weight"][:], self.grads["bias"][:] = weight, bias
        k1 = self.weights["weight"] * self.scale
        k2 = -k1 * self.scale * weight / n
        k3 = -k1 * bias / n - k2 * self.mean
        dx, part = self.room("dx", grad.shape), self.room("part", flat.shape[1:])
        for x, g, into in zip(self.x, flat, dx.reshape(flat.shape), strict=True):
            np.multiply(x, k2[:, None], out=part)
            part += k3[:, None]
            np.multiply(g, k1[:, None], out=into)
            into += part
        return dx


class Dropout(Layer):
    """Zero with probability p, from 16 random bits a number."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p, self.generator = p, np.random.Generator(np.random.SFC64(1))

    def forward(self, x: Array) -> Array:
        keep = self.room("keep", x.shape)
        bits = self.generator.integers(0, 65536, x.shape, np.uint16)
        np.greater_equal(bits, np.uint16(self.p * 65536), out=keep, casting="unsafe")
        keep *= FLOAT(1 / (1 - self.p))
        return np.multiply(x, keep, out=self.room("y", x.shape))

    def backward(self, grad: Array) -> Array:
        return np.multiply(grad, self.kept["keep"], out=self.room("dx", grad.shape))


def cross_entropy(logits: Array, labels: Array) -> tuple[float, Array]:
    """Return the mean loss and its gradient: (softmax(logits) - one_hot(labels)) / count."""
    rows = np.arange(len(labels))
    shifted = logits - logits.max(1, keepdims=True)
    grad = np.exp(shifted)
    totals = grad.sum(1, keepdims=True)
    loss = float((np.log(totals[:, 0]) - shifted[rows, labels]).mean())
    grad /= totals
    grad[rows, labels] -= 1
    grad *= 1 / len(labels)
    return loss, grad


def mean_of_squares(y: Array) -> tuple[float, Array]:
    flat = y.ravel()
    return float(np.dot(flat, flat) / y.size), y * FLOAT(2 / y.size)
