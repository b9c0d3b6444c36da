"""Chapter 18: padding, the operations on the tape, and the layer that stands on them."""

from __future__ import annotations

from itertools import product

from ..exercise import Exercise
from .sliding import uses

# ---- 18.4

padding = Exercise(
    "18.4",
    title="Where a padded pixel comes from",
    takes=("sources",),
    minutes=12,
    writes=("sources",),
    hints=(
        "Number the pixels of the padded axis so that the image's first pixel is 0. Then the numbers on the left are negative, and those on the right begin at `size`.",
        "With `at = np.arange(-padding, size + padding)`, three modes take one expression each. What does `%` do with negative numbers, and what does `clip` do? A mirror at 0 is `abs(at)`.",
        "`np.where((at < 0) | (at >= size), -1, at)`, `at.clip(0, size - 1)` and `at % size`. The second mirror is at `size - 1`: `size - 1 - abs(size - 1 - abs(at))`.",
    ),
)
_MODES = ("zeros", "replicate", "reflect", "circular")
padding.compare_uses(
    "each padded pixel has the right source",
    uses("sources(3, 1)", "sources(3, 0)", *(f"sources({size}, {more}, '{mode}')" for mode, size, more in product(_MODES, (3, 4, 5), (0, 1, 2))),
        "sources(4, 3, 'reflect')", "sources(4, 4, 'circular')", "sources(3, 3, 'circular')", "sources(2, 5, 'replicate')", "sources(2, 5, 'zeros')", "sources(1, 1, 'circular')", "sources(size=3, padding=1, mode='circular')"),
)  # fmt: skip
padding.compare_uses(
    "too much padding is refused, and so is an unknown mode",
    uses("sources(3, 3, 'reflect')", "sources(3, 4, 'circular')", "sources(1, 1, 'reflect')", "sources(2, 5, 'reflect')", "sources(2, 5, 'circular')", "sources(3, 1, 'wrap')", "sources(3, 0, 'wrap')", "sources(3, 1, None)", "sources(2, 5, 'wrap')", "sources(3, 4, None)"),
)  # fmt: skip
_ZEROS, _AROUND = "return np.where((at < 0) | (at >= size), -1, at)", "return at % size"
_MIRROR, _END = "return size - 1 - abs(size - 1 - abs(at))", "return at.clip(0, size - 1)"
_TOO_MUCH = 'if padding >= size + (mode != "reflect") and mode in ("reflect", "circular"):'
# fmt: off
padding.wrongs(
    ("edge repeated", {_MIRROR: "inside = at % (2 * size)\nreturn np.where(inside < size, inside, 2 * size - 1 - inside)"}, "`\"reflect\"` repeats the pixel at the border; that pixel is the mirror, so it appears only once"),
    ("one mirror", {_MIRROR: "return abs(at).clip(0, size - 1)"}, "`\"reflect\"` mirrors only on the left; there's a second mirror at `size - 1`"),
    ("first pixel for zeros", {_ZEROS: "return np.where((at < 0) | (at >= size), 0, at)"}, "the source of a zero is pixel 0; return -1 there"),
    ("zeros on the left", {_ZEROS: "return np.where(at < 0, -1, at)"}, "on the right, `\"zeros\"` returns the indices of pixels that don't exist; return -1 there"),
    ("left as they are", {_ZEROS: "return np.where(at >= size, -1, at)"}, "on the left, `\"zeros\"` returns other negative numbers; each of them should be -1"),
    ("replicate for circular", {_AROUND: _END}, "`\"circular\"` repeats the border; continue at the other end instead"),
    ("the wrong end", {_AROUND: "return at[::-1] % size"}, "`\"circular\"` runs backward"),
    ("circular for replicate", {_END: _AROUND}, "`\"replicate\"` continues at the other end; repeat the pixel at the border instead"),
    ("clipped too far", {_END: "return at.clip(0, size)"}, "on the right, `\"replicate\"` returns `size`; the last pixel is `size - 1`"),
    ("one side", {"at = np.arange(-padding, size + padding)": "at = np.arange(-padding, size)"}, "only the left side is padded"),
    ("in 2019", {"at = np.arange(-padding, size + padding)": "at = np.arange(-((padding + 1) // 2), size + padding // 2)"}, "the padding is split between the two sides; each side gets all of it"),
    ("circular by default", {'mode="zeros"': 'mode="circular"'}, "the default mode is `\"circular\"`; it's `\"zeros\"`"),
    ("never too much", {_TOO_MUCH: "if False:"}, "any amount of padding is accepted; `\"reflect\"` and `\"circular\"` need enough pixels to copy"),
    ("both alike", {_TOO_MUCH: 'if padding >= size and mode in ("reflect", "circular"):'}, "`\"circular\"` may have as much padding as there are pixels; only `\"reflect\"` needs one pixel more"),
    ("all of them", {_TOO_MUCH: "if padding > size:"}, "one limit is used for every mode; `\"zeros\"` and `\"replicate\"` never run out of pixels, and `\"reflect\"` needs one pixel more than `\"circular\"`"),
    ("any mode", {'raise ValueError(f"unknown padding mode: {mode}")': _AROUND}, "an unknown mode is accepted; raise a ValueError"),
    ("too much of it", {_TOO_MUCH: 'if padding >= size + (mode != "reflect") and mode not in ("zeros", "replicate"):'}, "an unknown mode with a lot of padding raises a RuntimeError; it's always a ValueError"),
    ("key error", {"ValueError": "KeyError"}, "an unknown mode raises a KeyError; raise a ValueError"),
)
# fmt: on

# ---- 18.5

taping = Exercise(
    "18.5",
    title="Three methods for your Tensor",
    takes=("Tensor",),
    minutes=30,
    writes=("pad2d", "conv2d", "max_pool2d"),
    hints=(
        "Each method has three parts: compute an array, say what happens to a gradient, and call `_record` on the new Tensor. Start with `conv2d`, because you've already written both of its gradients.",
        "In `pad2d`, `self.data[:, :, rows[:, None], columns]` copies every pixel, and -1 takes the last one, so put the zeros in afterward with `np.where`. "
        "In `max_pool2d`, a window is easier to search if it's flat: `seen.reshape(*seen.shape[:4], -1)`.",
        "`np.add.at(image, (slice(None), slice(None), rows[:, None], columns), g * copied)`, where `copied` is True for pixels that have a source. For the pool: `flat.argmax(-1)`, `np.take_along_axis`, "
        "and on the way back `np.put_along_axis` into zeros, and then `fold`.",
    ),
)
_PADS = ("(1, 1)", "(0, 2)", "(2, 1)")
taping.compare_uses(
    "`pad2d` copies pixels, and sends their gradients back",
    uses(
        "x = picture(1, 1, 2, 3); slopes(x.pad2d((1, 1)), x)",
        *(f"x = picture(1, 1, 3, 4); slopes(x.pad2d({pads}, '{mode}'), x)" for mode, pads in product(_MODES, _PADS)),
        *(f"x = picture(2, 2, 3, 3); slopes(x.pad2d((2, 1), mode='{mode}'), x)" for mode in _MODES),
        "x = picture(1, 1, 2, 2, dtype='float32'); slopes(x.pad2d((1, 0)), x)", "nodes(picture(1, 1, 2, 2).pad2d((1, 1)))", "nodes(fixed(1, 1, 2, 2).pad2d((1, 1)))",
        "x = Tensor([[[[1.0, np.inf]]]]); x.pad2d((1, 1)).data", "x = picture(1, 1, 2, 2); slopes(x.pad2d((0, 0)), x)",
        "x = picture(1, 1, 3, 3); x.pad2d((3, 1), 'reflect')", "x = picture(1, 1, 3, 3); x.pad2d((1, 1), 'wrap')",
    ),
)  # fmt: skip
_PAIRS = ("x = picture(1, 1, 3, 4); w = filters(1, 1, 2, 2)", "x = picture(2, 2, 4, 5); w = filters(3, 2, 2, 2)", "x = picture(2, 2, 4, 5); w = filters(2, 1, 2, 2)")  # fmt: skip
_TWO = "x = picture(1, 1, 3, 3); w = filters(1, 1, 2, 2); y = x.conv2d(w)"
taping.compare_uses(
    "`conv2d` convolves, and records both gradients",
    uses(
        "x = picture(1, 1, 1, 3); w = filters(1, 1, 1, 2); slopes(x.conv2d(w), x, w)",
        *(f"{pair}; slopes(x.conv2d(w{steps}), x, w)" for pair in _PAIRS[:2] for steps in ("", ", (2, 1)", ", (1, 2), (2, 1)", ", dilation=(2, 2)")),
        *(f"{_PAIRS[2]}; slopes(x.conv2d(w{steps}), x, w)" for steps in (", groups=2", ", (1, 2), (2, 1), 2")),
        "x = fixed(1, 1, 3, 3); w = filters(1, 1, 2, 2); slopes(x.conv2d(w), x, w)", "x = picture(1, 1, 3, 3); w = fixed(1, 1, 2, 2); slopes(x.conv2d(w), x, w)",
        f"{_TWO}; nodes(y)", "nodes(fixed(1, 1, 3, 3).conv2d(fixed(1, 1, 2, 2)))", "x = picture(1, 1, 3, 3); w = filters(1, 1, 2, 2); slopes(x.conv2d(w).conv2d(w), x, w)",
        "x = picture(1, 1, 2, 2); w = filters(1, 1, 3, 3); x.conv2d(w)", "x = picture(1, 1, 3, 3, dtype='float32'); w = filters(1, 1, 2, 2, dtype='float32'); slopes(x.conv2d(w), x, w)",
    ),
)  # fmt: skip
taping.compare_uses(
    "`conv2d` keeps both in a `Saved`",
    uses(
        f"{_TWO}; y.sum().backward(); y.sum().backward()", f"{_TWO}; y.sum().backward(retain_graph=True); y.sum().backward(); [x.grad.data, w.grad.data]",
        f"{_TWO}; w.detach().add_(1); y.sum().backward()", f"{_TWO}; x.detach().add_(1); y.sum().backward()", f"{_TWO}; len(y.grad_fn.saved)",
    ),
)  # fmt: skip
taping.compare_uses(
    "`max_pool2d` keeps the largest number, which alone gets the gradient",
    uses(
        "x = picture(1, 1, 1, 4); slopes(x.max_pool2d((1, 2)), x)",
        *(f"x = picture({shape}); slopes(x.max_pool2d({size}), x)" for shape, size in product(("1, 1, 2, 4", "1, 1, 4, 4", "2, 2, 4, 6", "1, 1, 5, 5"), ("(2, 2)", "(1, 2)", "(2, 1)"))),
        "x = Tensor(np.zeros((1, 1, 2, 4)), requires_grad=True); slopes(x.max_pool2d((2, 2)), x)", "x = Tensor([[[[1.0, 3.0], [3.0, 2.0]]]], requires_grad=True); slopes(x.max_pool2d((2, 2)), x)",
        "x = Tensor(-np.ones((1, 1, 2, 2)), requires_grad=True); slopes(x.max_pool2d((2, 2)), x)", "nodes(picture(1, 1, 2, 2).max_pool2d((2, 2)))", "nodes(fixed(1, 1, 2, 2).max_pool2d((2, 2)))",
        "x = picture(1, 1, 2, 2, dtype='float32'); slopes(x.max_pool2d((2, 2)), x)", "x = picture(1, 1, 6, 6); slopes(x.max_pool2d((3, 2)), x)",
        "x = picture(1, 1, 5, 5); w = filters(2, 1, 2, 2); slopes(x.pad2d((1, 1), 'circular').conv2d(w).relu().max_pool2d((2, 2)), x, w)",
    ),
)  # fmt: skip
_AT, _WHERE = "np.add.at(image, index, g * copied)", "np.where(copied, self.data[index], 0)"
_VJPS = "vjps = [\n    lambda g: conv2d_input(image, w.get(), g, *steps),\n    lambda g: conv2d_weight(x.get(), kernel, g, *steps),\n]"  # fmt: skip
_FROM_TENSORS = "vjps = [\n    lambda g: conv2d_input(image, weight.data, g, *steps),\n    lambda g: conv2d_weight(self.data, kernel, g, *steps),\n]"  # fmt: skip
_KEPT = 'return result._record("ConvolutionBackward0", [self, weight], vjps, [x, w])'
_SEEN, _SENT = "shape, seen = self.shape, windows(self.data, size, size)", "np.put_along_axis(sent, largest, g[..., None], -1)"  # fmt: skip
# fmt: off
taping.wrongs(
    ("once only", {_AT: "image[index] += g * copied"}, "if a pixel is copied several times, only one of its gradients arrives; use `np.add.at`"),
    ("once, and zeros too", {_AT: "image[index] += g"}, "if a pixel is copied several times, only one of its gradients arrives, and -1 sends the zeros' gradient to the last pixel; use `np.add.at`, and leave the zeros out"),
    ("zeros send too", {_AT: "np.add.at(image, index, g)"}, "the zeros send their gradient to the last row and column, which is where -1 points; they should send nothing"),
    ("the middle only", {_AT: "image += g[:, :, padding[0] : padding[0] + shape[2], padding[1] : padding[1] + shape[3]]"}, "copies beyond the border send nothing back; only zeros do that"),
    ("last pixel for zeros", {_WHERE: "self.data[index]"}, "instead of zeros, there are copies of the last row and column, which is where -1 points"),
    ("times 0", {_WHERE: "self.data[index] * copied"}, "a product with 0 isn't always 0, since infinity times 0 is nan; use `np.where`"),
    ("pads exchanged", {"padding[n], mode": "padding[1 - n], mode"}, "the paddings of rows and columns are swapped"),
    ("mode ignored", {"padding[n], mode": "padding[n]"}, "`mode` is ignored, so the padding is always 0"),
    ("pad not recorded", {'return padded._record("PadBackward0", [self], [vjp])': "return padded"}, "`pad2d` isn't recorded"),
    ("gradients exchanged", {_VJPS: "vjps = [\n    lambda g: conv2d_weight(x.get(), kernel, g, *steps),\n    lambda g: conv2d_input(image, w.get(), g, *steps),\n]"}, "the two vjps of `conv2d` are swapped; the image comes first"),
    ("steps left out", {"lambda g: conv2d_input(image, w.get(), g, *steps)": "lambda g: conv2d_input(image, w.get(), g)"}, "on the way to the image, `conv2d` leaves out stride, dilation and groups"),
    ("steps left out for the weight", {"lambda g: conv2d_weight(x.get(), kernel, g, *steps)": "lambda g: conv2d_weight(x.get()[:, :, : g.shape[2] + kernel[2] - 1, : g.shape[3] + kernel[3] - 1], kernel, g)"}, "on the way to the weight, `conv2d` leaves out stride, dilation and groups"),
    ("nothing passed on", {_KEPT: _KEPT.replace(", [x, w]", "")}, "`conv2d` doesn't pass what it keeps to `_record`, so it's never freed"),
    ("arrays kept", {_VJPS: _FROM_TENSORS}, "the vjps of `conv2d` take the arrays from the Tensors, so it goes unnoticed if those are overwritten or freed; call `get`"),
    ("arrays of the Tensors", {_VJPS: _FROM_TENSORS, _KEPT: _KEPT.replace(", [x, w]", "")}, "`conv2d` keeps the arrays themselves, so it goes unnoticed if they are overwritten or freed; keep each in a `Saved`, and pass both to `_record`"),
    ("every largest one", {_SENT: "sent[...] = (flat == np.take_along_axis(flat, largest, -1)) * g[..., None]"}, "if a window has several largest numbers, all of them get the gradient; only the first one does"),
    ("the last one", {"flat.argmax(-1)[..., None]": "(flat.shape[-1] - 1 - flat[..., ::-1].argmax(-1))[..., None]"}, "if a window has several largest numbers, the last one gets the gradient; PyTorch takes the first"),
    ("the mean", {"np.take_along_axis(flat, largest, -1)[..., 0]": "flat.mean(-1)"}, "`max_pool2d` returns the mean of each window"),
    ("everyone gets it", {_SENT: "sent[...] = g[..., None]"}, "every pixel of a window gets the gradient; only the largest had an effect on the result"),
    ("overlapping", {_SEEN: "shape, seen = self.shape, windows(self.data, size)", "fold(sent.reshape(seen.shape), shape, size)": "fold(sent.reshape(seen.shape), shape)"}, "the windows of `max_pool2d` overlap; its stride is `size`"),
    ("pool not recorded", {'return result._record("MaxPool2DWithIndicesBackward0", [self], [vjp])': "return result"}, "`max_pool2d` isn't recorded"),
)
# fmt: on

# ---- 18.6

layer = Exercise(
    "18.6",
    title="MyConv2d",
    takes=("MyConv2d",),
    minutes=18,
    writes=("MyConv2d",),
    hints=(
        "How many numbers does a filter have? Each output adds up that many products, so that's the n for the range. It's also the shape of `weight` without its first number.",
        '`self.register_parameter("bias", None)` registers the name. In `forward`, the result has the shape `(N, out_channels, H, W)`, and NumPy compares shapes from the right. What shape must the bias have?',
        "`shape = (out_channels, in_channels // groups, *self.kernel_size)` and `Parameter(init.uniform_(nbmodule.empty(shape), -bound, bound))`. "
        "In `forward`: `x.pad2d(self.padding, self.padding_mode)`, then `.conv2d(self.weight, self.stride, self.dilation, self.groups)`, and `+ self.bias.reshape(1, -1, 1, 1)`.",
    ),
)
_MADE = ("1, 1, 2", "2, 3, (2, 3)", "2, 4, 3, padding=1", "4, 2, 2, groups=2", "1, 2, 3, 2, (1, 0), (1, 2)", "2, 2, 2, bias=False", "4, 8, (3, 1), 1, 0, 1, 4, False, 'circular'")  # fmt: skip
layer.compare_uses(
    "settings are kept, and numbers become pairs",
    uses(*(f"layer = MyConv2d({made}); [layer.kernel_size, layer.stride, layer.padding, layer.dilation]" for made in _MADE),
        *(f"layer = MyConv2d({made}); [layer.in_channels, layer.out_channels, layer.groups, layer.padding_mode]" for made in _MADE[-4:])),
)  # fmt: skip
layer.compare_uses(
    "both Parameters are registered",
    uses(*(f"layer = MyConv2d({made}); [(name, p.requires_grad, tuple(p.shape)) for name, p in layer.named_parameters()]" for made in _MADE), "list(MyConv2d(1, 1, 2, bias=False)._parameters)", "MyConv2d(1, 1, 2, bias=False).bias"),
)  # fmt: skip
layer.compare_uses(
    "the initial numbers are drawn uniformly",
    uses(*(f"spread(MyConv2d({made}).{name})" for made, name in product(("4, 300, 3", "16, 400, 2, groups=4", "1, 500, (1, 4)"), ("weight", "bias")))),
)  # fmt: skip
layer.compare_uses(
    "wrong settings are refused",
    uses("MyConv2d(3, 4, 2, groups=2)", "MyConv2d(3, 5, 2, groups=2)", "MyConv2d(4, 3, 2, groups=2)", "MyConv2d(1, 1, 2, padding_mode='wrap')", "MyConv2d(1, 1, 2, padding_mode=None)"),
)  # fmt: skip
_CALLS = ("1, 1, 2", "2, 3, (2, 3)", "2, 2, 2, bias=False", "2, 4, 2, groups=2", "2, 2, 3, (2, 1)", "2, 2, 3, padding=(0, 2)", "2, 2, (2, 1), dilation=(1, 2)", "2, 3, 3, padding=1, padding_mode='circular'", "2, 3, 3, 1, (1, 2), 1, 1, True, 'reflect'", "2, 2, 3, 2, 1, 2, 2, True, 'replicate'")  # fmt: skip
layer.compare_uses(
    "the layer computes what its settings say, and each Parameter gets its gradient",
    uses(*(f"layer = filled(MyConv2d({made})); x = picture({2 if number % 2 else 1}, {made[0]}, 4, 5); slopes(layer(x), x, *layer.parameters())" for number, made in enumerate(_CALLS)),
        "layer = taped(2, 4, (1, 2), groups=2); [tuple(p.shape) for p in layer.parameters()]", "tuple(taped(2, 2, 2, 2, 1, bias=False)(picture(1, 2, 4, 5)).shape)",
        "layer = filled(MyConv2d(1, 1, 4)); layer(picture(1, 1, 3, 3))", "layer = filled(MyConv2d(1, 2, 2)); layer.bias = None; layer(picture(1, 1, 3, 3)).data"),
)  # fmt: skip
_PAD, _CONV = "x = x.pad2d(self.padding, self.padding_mode)", "y = x.conv2d(self.weight, self.stride, self.dilation, self.groups)"  # fmt: skip
_BOUND, _DRAW = "bound = 1 / math.sqrt(math.prod(shape[1:]))", "init.uniform_(nbmodule.empty(shape), -bound, bound)"  # fmt: skip
_BIAS = "self.bias.reshape(1, -1, 1, 1)"
# fmt: off
layer.wrongs(
    ("not pairs", {"self.kernel_size, self.stride = pair(kernel_size), pair(stride)": "self.kernel_size, self.stride = pair(kernel_size), stride"}, "`stride` isn't turned into a pair"),
    ("groups ignored in the weight", {"in_channels // groups, *self": "in_channels, *self"}, "each filter has a kernel for every channel; with groups, a filter sees only `in_channels // groups` channels"),
    ("in and out exchanged", {"shape = (out_channels, in_channels // groups, *self.kernel_size)": "shape = (in_channels, out_channels // groups, *self.kernel_size)"}, "`in_channels` and `out_channels` are swapped in the shape of `weight`"),
    ("no name for the bias", {'self.register_parameter("bias", None)': ""}, "without a bias, the name `bias` isn't registered; register it with None"),
    ("always a bias", {"if bias:": "if True:"}, "`bias=False` is ignored"),
    ("only the channels", {_BOUND: "bound = 1 / math.sqrt(shape[1])"}, "the range depends on the channels alone; each output also adds up the rows and columns of the kernel"),
    ("no root", {_BOUND: "bound = 1 / math.prod(shape[1:])"}, "the range uses 1/n; use 1/√n"),
    ("all channels", {_BOUND: "bound = 1 / math.sqrt(in_channels * math.prod(self.kernel_size))"}, "with groups, each output adds up fewer channels, so the range is larger"),
    ("filters counted", {_BOUND: "bound = 1 / math.sqrt(math.prod(shape))"}, "the range depends on the number of filters; each output belongs to one of them"),
    ("from 0", {_DRAW: "init.uniform_(nbmodule.empty(shape), 0, bound)"}, "the weights are never negative; draw from -1/√n to 1/√n"),
    ("normal", {_DRAW: "init.normal_(nbmodule.empty(shape), 0, bound)"}, "the weights are drawn from a normal distribution; draw them from a uniform one with `init.uniform_`"),
    ("no refusal", {"if in_channels % groups or out_channels % groups:": "if in_channels % groups:"}, "`out_channels` is accepted even if `groups` doesn't divide it; raise a ValueError"),
    ("any mode", {'if padding_mode not in ("zeros", "reflect", "replicate", "circular"):': "if False:"}, "an unknown `padding_mode` is accepted; raise a ValueError when the layer is created"),
    ("no padding", {_PAD: ""}, "`padding` is ignored; call `pad2d` first"),
    ("zeros always", {_PAD: "x = x.pad2d(self.padding)"}, "`padding_mode` is ignored, so the padding is always 0; pass it to `pad2d`"),
    ("padded twice", {_PAD: "x = x.pad2d(self.padding, self.padding_mode)\nif self.padding_mode != 'zeros':\n    x = x.pad2d(self.padding)"}, "the image is padded twice: first by the mode, and then with zeros"),
    ("no stride", {_CONV: "y = x.conv2d(self.weight, (1, 1), self.dilation, self.groups)"}, "`stride` is ignored"),
    ("no dilation", {_CONV: "y = x.conv2d(self.weight, self.stride, (1, 1), self.groups)"}, "`dilation` is ignored"),
    ("bias along the columns", {_BIAS: "self.bias"}, "the bias is added along the columns; give it the shape `(1, out_channels, 1, 1)`"),
    ("bias left out", {f"y if self.bias is None else y + {_BIAS}": "y"}, "the bias isn't added"),
    ("weight cut off", {_CONV: "y = x.conv2d(self.weight.detach(), self.stride, self.dilation, self.groups)"}, "the weight gets no gradient; pass the Parameter itself to `conv2d`"),
)
# fmt: on
