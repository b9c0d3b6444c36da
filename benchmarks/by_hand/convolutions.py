"""Convolutions by hand, in the three orders of axes in which NumPy is fast: each for other shapes.

All unfold: they copy the numbers under each window side by side, so that the convolution is a product of
matrices. They unfold in blocks that stay in the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from by_hand.layers import Array, Layer

CACHE = 300_000
"""Numbers that a block may have."""


class Convolution(Layer):
    """What the three have in common: sizes, and the padded input."""

    HEIGHT, WIDTH = 1, 2

    def __init__(self, weight: Array, bias: Array, stride: int, padding: int) -> None:
        super().__init__(weight=weight, bias=bias)
        self.filters, self.channels, self.kh, self.kw = weight.shape
        self.stride, self.padding = stride, padding

    def padded(self, name: str, x: Array, padding: int) -> Array:
        """Return `x` with a border of zeros, in an array that is kept."""
        if not padding:
            return x
        shape = list(x.shape)
        shape[self.HEIGHT] += 2 * padding
        shape[self.WIDTH] += 2 * padding
        room = self.room(name, tuple(shape))
        self.inner(room, padding)[...] = x
        return room

    def inner(self, room: Array, padding: int) -> Array:
        if not padding:
            return room
        inside: list[Any] = [slice(None)] * room.ndim
        inside[self.HEIGHT] = inside[self.WIDTH] = slice(padding, -padding)
        return room[tuple(inside)]

    def out_sizes(self, height: int, width: int) -> tuple[int, int]:
        return (height - self.kh) // self.stride + 1, (width - self.kw) // self.stride + 1


class BatchLast(Convolution):
    """(channel, height, width, sample), for few channels and many samples: runs of numbers are long."""

    def forward(self, x: Array) -> Array:
        self.x = x = self.padded("x", x, self.padding)
        step = self.stride
        windows = sliding_window_view(x, (self.kh, self.kw), (1, 2))[:, ::step, ::step]  # pyright: ignore[reportCallIssue, reportArgumentType]
        self.windows = windows.transpose(0, 4, 5, 1, 2, 3)  # (channel, kh, kw, oh, ow, sample)
        *_, self.oh, self.ow, count = self.windows.shape
        self.run = self.ow * count
        y = self.room("y", (self.filters, self.oh, self.ow, count))
        flat, weight = y.reshape(self.filters, -1), self.weights["weight"].reshape(self.filters, -1)
        for rows, columns in self.blocks("columns", CACHE // 2):
            columns[...] = self.windows[:, :, :, rows]
            np.matmul(weight, columns.reshape(weight.shape[1], -1), out=flat[:, self.flat(rows)])
        flat += self.weights["bias"][:, None]
        return y

    def blocks(self, name: str, numbers: int) -> list[tuple[slice, Array]]:
        """Return groups of output rows, and room for the numbers under their windows."""
        row = self.channels * self.kh * self.kw * self.run
        most = max(1, min(self.oh, numbers // row))
        groups = [slice(i, min(i + most, self.oh)) for i in range(0, self.oh, most)]
        sizes = self.windows.shape
        return [
            (rows, self.room(f"{name}{n}", (*sizes[:3], n, *sizes[4:])))
            for rows in groups
            for n in (rows.stop - rows.start,)
        ]

    def flat(self, rows: slice) -> slice:
        return slice(rows.start * self.run, rows.stop * self.run)

    def backward(self, grad: Array) -> Array:
        flat = grad.reshape(self.filters, -1)
        ones = self.room("ones", (flat.shape[1],))
        ones.fill(1)
        np.matmul(flat, ones, out=self.grads["bias"])
        size = self.channels * self.kh * self.kw
        total, part = self.room("total", (size, self.filters)), self.room("part", (size, self.filters))  # fmt: skip
        total.fill(0)
        for rows, columns in self.blocks("columns", CACHE // 2):
            columns[...] = self.windows[:, :, :, rows]
            total += np.matmul(columns.reshape(size, -1), flat[:, self.flat(rows)].T, out=part)
        self.grads["weight"].reshape(self.filters, -1)[...] = total.T
        if self.first:
            return grad
        transposed = np.ascontiguousarray(self.weights["weight"].reshape(self.filters, -1).T)
        dx, s = self.room("dx", self.x.shape), self.stride
        dx.fill(0)
        for rows, columns in self.blocks("dcolumns", 1_000_000):
            np.matmul(transposed, flat[:, self.flat(rows)], out=columns.reshape(size, -1))
            for i in range(self.kh):
                top, bottom = rows.start * s + i, (rows.stop - 1) * s + i + 1
                for j in range(self.kw):
                    dx[:, top:bottom:s, j : j + s * (self.ow - 1) + 1 : s] += columns[:, i, j]
        return self.inner(dx, self.padding)


class SampleBySample(Convolution):
    """(sample, channel, height, width) with stride 1: each sample's numbers stay in the cache.

    Unfolded along the width only. A window's next row lies one row further on in the same unfolded array, so that
    the kernel's rows are products with shifted views of it; they are summed.
    """

    HEIGHT, WIDTH = 2, 3

    def forward(self, x: Array) -> Array:
        self.x = x = self.padded("x", x, self.padding)
        y = self.room("y", (len(x), self.filters, *self.out_sizes(*x.shape[2:])))
        self.correlate("columns", x, self.weights["weight"], y)
        y += self.weights["bias"][:, None, None]
        return y

    def correlate(self, name: str, x: Array, weight: Array, y: Array) -> None:
        """Write into `y` the sums of `x` under all windows, weighed by `weight`."""
        filters, channels, kh, kw = weight.shape
        out, width = y[0][0].size, y.shape[3]
        by_row = np.ascontiguousarray(weight.transpose(2, 0, 1, 3)).reshape(kh, filters, -1)
        columns = self.room(name, (channels, kw, x.shape[2], width))
        flat, part = columns.reshape(channels * kw, -1), self.room(f"{name} part", (filters, out))
        for unfolded, into in zip(self.unfolded(x, kw), y.reshape(len(y), filters, out), strict=True):  # fmt: skip
            columns[...] = unfolded
            np.matmul(by_row[0], flat[:, :out], out=into)
            for i in range(1, kh):
                into += np.matmul(by_row[i], flat[:, i * width : i * width + out], out=part)

    def unfolded(self, x: Array, kw: int) -> Array:
        """Return a view (sample, channel, kw, height, width of output)."""
        return sliding_window_view(x, kw, 3).transpose(0, 1, 4, 2, 3)  # pyright: ignore[reportCallIssue, reportArgumentType]

    def backward(self, grad: Array) -> Array:
        count, filters, oh, ow = grad.shape
        flat = grad.reshape(count, filters, oh * ow)
        ones = self.room("ones", (oh * ow,))
        ones.fill(1)
        (flat @ ones).sum(0, out=self.grads["bias"])
        shape = (self.kh, self.channels * self.kw, filters)
        total, part = self.room("total", shape), self.room("part", shape)
        total.fill(0)
        columns = self.room("columns", (self.channels, self.kw, self.x.shape[2], ow))
        unfolded = columns.reshape(self.channels * self.kw, -1)
        for sample, into in zip(self.unfolded(self.x, self.kw), flat, strict=True):
            columns[...] = sample
            for i in range(self.kh):
                np.matmul(unfolded[:, i * ow : i * ow + oh * ow], into.T, out=part[i])
            total += part
        by_tap = total.reshape(self.kh, self.channels, self.kw, filters)
        self.grads["weight"][...] = by_tap.transpose(3, 1, 0, 2)
        if self.first:
            return grad
        # The gradient of the input is a convolution as well: of `grad` with the kernel turned around.
        turned = self.weights["weight"][:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
        height, width = (n - 2 * self.padding for n in self.x.shape[2:])
        dx = self.room("dx", (count, self.channels, height, width))
        around = self.padded("grad", grad, self.kh - 1 - self.padding)
        self.correlate("dcolumns", around, turned, dx)
        return dx


class ChannelsLast(Convolution):
    """(sample, height, width, channel), for many channels or a stride.

    The weights lie in memory as (kh, kw, channel, filter), behind a view in PyTorch's order.
    """

    def __init__(self, weight: Array, bias: Array, stride: int, padding: int) -> None:
        super().__init__(weight, bias, stride, padding)
        self.taps = np.ascontiguousarray(weight.transpose(2, 3, 1, 0))
        self.dtaps = np.empty_like(self.taps)
        self.weights["weight"] = self.taps.transpose(3, 2, 0, 1)
        self.grads["weight"] = self.dtaps.transpose(3, 2, 0, 1)

    def forward(self, x: Array) -> Array:
        self.x = x = self.padded("x", x, self.padding)
        count, height, width, _ = x.shape
        oh, ow = self.out_sizes(height, width)
        y = self.room("y", (count, oh, ow, self.filters))
        for sample, into in zip(x, y.reshape(count, -1, self.filters), strict=True):
            for i, (columns, taps) in enumerate(self.pieces(sample, oh, ow, self.taps)):
                part = self.room("part", into.shape) if i else into
                np.matmul(columns, taps, out=part)
                if i:
                    into += part
        y += self.weights["bias"]
        return y

    def pieces(self, sample: Array, oh: int, ow: int, taps: Array) -> list[tuple[Array, Array]]:
        """Return (unfolded numbers, the weights that they meet), of which the products are summed.

        With a stride all of the window is unfolded, which gives one piece. Without, only its row is: the
        kernel's further rows meet shifted views of the same numbers.
        """
        windows = sliding_window_view(sample, self.kw, 1).transpose(0, 1, 3, 2)  # pyright: ignore[reportCallIssue, reportArgumentType]
        if self.stride > 1:
            rows = sliding_window_view(windows[:, :: self.stride], self.kh, 0)[:: self.stride]  # pyright: ignore[reportCallIssue, reportArgumentType]
            columns = self.room("columns", (oh, ow, self.kh, self.kw, self.channels))
            columns[...] = rows.transpose(0, 1, 4, 2, 3)
            return [(columns.reshape(oh * ow, -1), taps.reshape(-1, self.filters))]
        columns = self.room("columns", (len(sample), ow, self.kw, self.channels))
        columns[...] = windows
        flat = columns.reshape(-1, self.kw * self.channels)
        by_row = taps.reshape(self.kh, -1, self.filters)
        return [(flat[i * ow : i * ow + oh * ow], by_row[i]) for i in range(self.kh)]

    def backward(self, grad: Array) -> Array:
        count, oh, ow, _ = grad.shape
        flat = grad.reshape(-1, self.filters)
        np.sum(flat, 0, out=self.grads["bias"])
        part = self.room("dpart", self.dtaps.shape)
        self.dtaps.fill(0)
        for sample, into in zip(self.x, grad.reshape(count, -1, self.filters), strict=True):
            for columns, taps in self.pieces(sample, oh, ow, part):
                np.matmul(columns.T, into, out=taps)
            self.dtaps += part
        if self.first:
            return grad
        dx, s = self.room("dx", self.x.shape), self.stride
        one_tap = self.room("one tap", (count, oh, ow, self.channels))
        dx.fill(0)
        for i in range(self.kh):
            for j in range(self.kw):
                np.matmul(flat, self.taps[i, j].T, out=one_tap.reshape(-1, self.channels))
                dx[:, i : i + s * (oh - 1) + 1 : s, j : j + s * (ow - 1) + 1 : s] += one_tap
        return self.inner(dx, self.padding)
