"""Right answers to the exercises of chapter 18."""

from __future__ import annotations

RIGHT = {
    "18.1": [
        r"""
from numpy.lib.stride_tricks import sliding_window_view

@mine.extend
def places(size, kernel, stride=1, dilation=1):
    reach = dilation * (kernel - 1) + 1
    if reach > size:
        raise RuntimeError("the kernel is too large")
    return sliding_window_view(np.arange(size), reach)[::stride, ::dilation]

@mine.extend
def windows(x, kernel, stride=(1, 1), dilation=(1, 1)):
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation)]
    if any(r > s for r, s in zip(reach, x.shape[2:])):
        raise RuntimeError("the kernel is too large")
    seen = sliding_window_view(x, reach, (2, 3))
    return seen[:, :, ::stride[0], ::stride[1], ::dilation[0], ::dilation[1]]
""",
        r"""
@mine.extend
def places(size, kernel, stride=1, dilation=1):
    found = []
    first = 0
    while first + dilation * (kernel - 1) < size:
        found.append([first + dilation * k for k in range(kernel)])
        first += stride
    if not found:
        raise RuntimeError
    return np.array(found)

@mine.extend
def windows(x, kernel, stride=(1, 1), dilation=(1, 1)):
    down = places(x.shape[2], kernel[0], stride[0], dilation[0])
    right = places(x.shape[3], kernel[1], stride[1], dilation[1])
    result = np.empty((*x.shape[:2], len(down), len(right), *kernel), x.dtype)
    for i, rows in enumerate(down):
        for j, columns in enumerate(right):
            result[:, :, i, j] = x[:, :, rows][..., columns]
    return result
""",
        # NumPy's strides
        r"""
@mine.extend
def places(size, kernel, stride=1, dilation=1):
    count = (size - dilation * (kernel - 1) - 1) // stride + 1
    if count < 1:
        raise RuntimeError(f"no position for {kernel}")
    return np.add.outer(stride * np.arange(count), dilation * np.arange(kernel))

@mine.extend
def windows(x, kernel, stride=(1, 1), dilation=(1, 1)):
    count = [len(places(*each)) for each in zip(x.shape[2:], kernel, stride, dilation)]
    n, c, h, w = x.strides
    steps = (n, c, h * stride[0], w * stride[1], h * dilation[0], w * dilation[1])
    return np.lib.stride_tricks.as_strided(x, (*x.shape[:2], *count, *kernel), steps)
""",
    ],
    "18.2": [
        r"""
@mine.extend
def convolve(x, weight, stride=(1, 1), dilation=(1, 1), groups=1):
    seen = windows(x, weight.shape[2:], stride, dilation)
    n, c, h, w, *k = seen.shape
    seen = seen.reshape(n, groups, c // groups, h, w, *k)
    kernels = weight.reshape(groups, -1, *weight.shape[1:])
    return np.einsum("ngchwij,gfcij->ngfhw", seen, kernels).reshape(n, -1, h, w)
""",
        r"""
@mine.extend
def convolve(x, weight, stride=(1, 1), dilation=(1, 1), groups=1):
    each, filters = x.shape[1] // groups, len(weight) // groups
    result = []
    for f, kernel in enumerate(weight):
        first = f // filters * each
        seen = windows(x[:, first : first + each], kernel.shape[1:], stride, dilation)
        result.append(np.tensordot(seen, kernel, [(1, 4, 5), (0, 1, 2)]))
    return np.stack(result, 1)
""",
        # im2col, as a matrix product
        r"""
@mine.extend
def convolve(x, weight, stride=(1, 1), dilation=(1, 1), groups=1):
    if groups > 1:
        pairs = zip(np.split(x, groups, axis=1), np.split(weight, groups, axis=0))
        return np.hstack([convolve(a, b, stride, dilation) for a, b in pairs])
    seen = windows(x, weight.shape[2:], stride, dilation).transpose(0, 2, 3, 1, 4, 5)
    n, h, w = seen.shape[:3]
    return (seen.reshape(n * h * w, -1) @ weight.reshape(len(weight), -1).T).reshape(n, h, w, -1).transpose(0, 3, 1, 2)
""",
    ],
    "18.3": [
        r"""
@mine.extend
def fold(seen, shape, stride=(1, 1), dilation=(1, 1)):
    rows = places(shape[2], seen.shape[4], stride[0], dilation[0])
    columns = places(shape[3], seen.shape[5], stride[1], dilation[1])
    result = np.zeros(shape, dtype=seen.dtype)
    np.add.at(result, (slice(None), slice(None), rows[:, None, :, None], columns[None, :, None, :]), seen)
    return result

@mine.extend
def conv2d_input(shape, weight, g, stride=(1, 1), dilation=(1, 1), groups=1):
    n, filters, h, w = g.shape
    gs = g.reshape(n, groups, -1, h, w)
    ws = weight.reshape(groups, -1, *weight.shape[1:])
    seen = np.einsum("ngfhw,gfcij->ngchwij", gs, ws)
    return fold(seen.reshape(n, shape[1], h, w, *weight.shape[2:]), shape, stride, dilation)

@mine.extend
def conv2d_weight(x, shape, g, stride=(1, 1), dilation=(1, 1), groups=1):
    seen = windows(x, shape[2:], stride, dilation)
    n, c, h, w, *k = seen.shape
    result = np.einsum("ngfhw,ngchwij->gfcij", g.reshape(n, groups, -1, h, w), seen.reshape(n, groups, -1, h, w, *k))
    return result.reshape(shape)
""",
        # by loops over the positions
        r"""
@mine.extend
def fold(seen, shape, stride=(1, 1), dilation=(1, 1)):
    image = np.zeros(shape).astype(seen.dtype)
    n, c, down, right, kh, kw = seen.shape
    for i in range(down):
        for j in range(right):
            top, left = i * stride[0], j * stride[1]
            image[:, :, top : top + dilation[0] * (kh - 1) + 1 : dilation[0], left : left + dilation[1] * (kw - 1) + 1 : dilation[1]] += seen[:, :, i, j]
    return image

@mine.extend
def conv2d_input(shape, weight, g, stride=(1, 1), dilation=(1, 1), groups=1):
    image = np.zeros(shape, np.result_type(weight, g))
    for n, gs in enumerate(np.split(g, groups, axis=1)):
        w = np.split(weight, groups)[n]
        part = fold(np.tensordot(gs, w, [(1,), (0,)]).transpose(0, 3, 1, 2, 4, 5), (shape[0], w.shape[1], *shape[2:]), stride, dilation)
        image[:, n * w.shape[1] : (n + 1) * w.shape[1]] = part
    return image

@mine.extend
def conv2d_weight(x, shape, g, stride=(1, 1), dilation=(1, 1), groups=1):
    result = np.zeros(shape, np.result_type(x, g))
    filters, each = shape[0] // groups, shape[1]
    for f in range(shape[0]):
        first = f // filters * each
        seen = windows(x[:, first : first + each], shape[2:], stride, dilation)
        result[f] = np.tensordot(g[:, f], seen, [(0, 1, 2), (0, 2, 3)])
    return result
""",
    ],
    "18.4": [
        r"""
@mine.extend
def sources(size, padding, mode="zeros"):
    names = {"zeros": "constant", "replicate": "edge", "reflect": "reflect", "circular": "wrap"}
    if mode not in names:
        raise ValueError(mode)
    if mode == "reflect" and padding >= size or mode == "circular" and padding > size:
        raise RuntimeError("too much padding")
    more = {"constant_values": -1} if mode == "zeros" else {}
    return np.pad(np.arange(size), padding, mode=names[mode], **more)
""",
        r"""
@mine.extend
def sources(size, padding, mode="zeros"):
    limit = {"reflect": size - 1, "circular": size, "zeros": None, "replicate": None}
    if mode not in limit:
        raise ValueError("zeros, replicate, reflect or circular")
    if limit[mode] is not None and padding > limit[mode]:
        raise RuntimeError("too much")
    found = []
    for at in range(-padding, size + padding):
        if 0 <= at < size:
            found.append(at)
        elif mode == "zeros":
            found.append(-1)
        elif mode == "replicate":
            found.append(0 if at < 0 else size - 1)
        elif mode == "circular":
            found.append(at + size if at < 0 else at - size)
        else:
            found.append(-at if at < 0 else 2 * size - 2 - at)
    return np.array(found)
""",
    ],
    "18.5": [
        r"""
@mine.extend
class Tensor:
    def pad2d(self, padding, mode="zeros"):
        if not any(padding):
            return self
        rows = sources(self.shape[2], padding[0], mode)
        columns = sources(self.shape[3], padding[1], mode)
        down = (rows[:, None] == np.arange(self.shape[2])).astype(self.data.dtype)
        right = (columns[:, None] == np.arange(self.shape[3])).astype(self.data.dtype)
        result = np.zeros((*self.shape[:2], len(rows), len(columns)), self.data.dtype)
        real_rows, real_columns = np.flatnonzero(rows >= 0), np.flatnonzero(columns >= 0)
        result[:, :, real_rows[:, None], real_columns] = self.data[:, :, rows[rows >= 0]][..., columns[columns >= 0]]
        return Tensor(result)._record("PadBackward0", [self], [lambda g: down.T @ g @ right])

    def conv2d(self, weight, stride=(1, 1), dilation=(1, 1), groups=1):
        kept, kernels = Saved(self), Saved(weight)
        more = {"stride": stride, "dilation": dilation, "groups": groups}

        def to_image(g):
            return conv2d_input(self.shape, kernels.get(), g, **more)

        def to_weight(g):
            return conv2d_weight(kept.get(), weight.shape, g, **more)

        y = Tensor(convolve(self.data, weight.data, **more))
        return y._record("ConvolutionBackward0", [self, weight], [to_image, to_weight], saved=(kept, kernels))

    def max_pool2d(self, size):
        seen = windows(self.data, size, stride=size)
        result = seen.max((4, 5))
        flat = (seen == result[..., None, None]).reshape(*result.shape, -1)
        first = (flat & (flat.cumsum(-1) == 1)).reshape(seen.shape)
        back = lambda g: fold(g[..., None, None] * first, self.shape, size)
        return Tensor(result)._record("MaxPool2DWithIndicesBackward0", [self], [back])
""",
        # with loops, and the bounds of the rows by hand
        r"""
@mine.extend
class Tensor:
    def pad2d(self, padding, mode="zeros"):
        rows, columns = sources(self.shape[2], padding[0], mode), sources(self.shape[3], padding[1], mode)
        y = np.zeros((*self.shape[:2], len(rows), len(columns)), self.data.dtype)
        pairs = [(i, j, r, c) for i, r in enumerate(rows) for j, c in enumerate(columns) if r >= 0 and c >= 0]
        for i, j, r, c in pairs:
            y[:, :, i, j] = self.data[:, :, r, c]

        def vjp(g):
            back = np.zeros_like(self.data)
            for i, j, r, c in pairs:
                back[:, :, r, c] += g[:, :, i, j]
            return back

        return Tensor(y)._record("PadBackward0", (self,), (vjp,))

    def conv2d(self, weight, stride=(1, 1), dilation=(1, 1), groups=1):
        x, w = Saved(self), Saved(weight)
        return Tensor(convolve(x.get(), w.get(), stride, dilation, groups))._record(
            "ConvolutionBackward0",
            [self, weight],
            [
                lambda g: conv2d_input(x.get().shape, w.get(), g, stride, dilation, groups),
                lambda g: conv2d_weight(x.get(), w.get().shape, g, stride, dilation, groups),
            ],
            [x, w],
        )

    def max_pool2d(self, size):
        h, w = self.shape[2] // size[0], self.shape[3] // size[1]
        y, best = np.empty((*self.shape[:2], h, w), self.data.dtype), {}
        for n, c, i, j in np.ndindex(y.shape):
            part = self.data[n, c, i * size[0] : (i + 1) * size[0], j * size[1] : (j + 1) * size[1]]
            row, column = np.unravel_index(part.argmax(), part.shape)
            best[n, c, i, j] = (n, c, i * size[0] + row, j * size[1] + column)
            y[n, c, i, j] = part[row, column]

        def vjp(g):
            back = np.zeros_like(self.data)
            for place, source in best.items():
                back[source] = g[place]
            return back

        return Tensor(y)._record("MaxPool2DWithIndicesBackward0", [self], [vjp])
""",
    ],
    "18.6": [
        # PyTorch's own way
        r"""
@mine.extend
class MyConv2d(Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros"):
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        valid = {"zeros", "reflect", "replicate", "circular"}
        if padding_mode not in valid:
            raise ValueError(f"padding_mode must be one of {valid}")
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        both = lambda value: tuple(value) if isinstance(value, (tuple, list)) else (value, value)
        for name, value in {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}.items():
            setattr(self, name, both(value))
        self.groups = groups
        self.padding_mode = padding_mode
        self.weight = Parameter(nbmodule.empty(out_channels, in_channels // groups, *self.kernel_size))
        if bias:
            self.bias = Parameter(nbmodule.empty(out_channels))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def forward(self, input):
        if any(self.padding):
            input = input.pad2d(self.padding, self.padding_mode)
        out = input.conv2d(self.weight, self.stride, self.dilation, self.groups)
        if self.bias is not None:
            out = out + self.bias.reshape(1, self.out_channels, 1, 1)
        return out
""",
        r"""
def pair(value):
    return value if isinstance(value, tuple) else (value,) * 2

@mine.extend
class MyConv2d(Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros"):
        super().__init__()
        if in_channels % groups or out_channels % groups:
            raise ValueError
        if padding_mode not in ["zeros", "reflect", "replicate", "circular"]:
            raise ValueError(padding_mode)
        self.__dict__.update(in_channels=in_channels, out_channels=out_channels, groups=groups, padding_mode=padding_mode)
        self.kernel_size, self.stride, self.padding, self.dilation = map(pair, (kernel_size, stride, padding, dilation))
        n = in_channels // groups * self.kernel_size[0] * self.kernel_size[1]
        self.weight = Parameter(nbmodule.zeros(out_channels, in_channels // groups, *self.kernel_size))
        init.uniform_(self.weight, -(n**-0.5), n**-0.5)
        self.bias = Parameter(init.uniform_(nbmodule.zeros(out_channels), -(n**-0.5), n**-0.5)) if bias else None
        if not bias:
            del self.bias
            self.register_parameter("bias", None)

    def forward(self, x):
        y = x.pad2d(self.padding, mode=self.padding_mode).conv2d(weight=self.weight, stride=self.stride, dilation=self.dilation, groups=self.groups)
        if self.bias is None:
            return y
        return y + self.bias.reshape(-1, 1, 1)
""",
    ],
}
