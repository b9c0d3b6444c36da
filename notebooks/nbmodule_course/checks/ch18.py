"""Chapter 18: a convolution on arrays, forward and backward. Results are compared number by number."""

from __future__ import annotations

from itertools import product

from ..exercise import Exercise
from .sliding import uses

# ---- 18.1

seeing = Exercise(
    "18.1",
    title="What the kernel sees",
    takes=("places", "windows"),
    minutes=14,
    writes=("places", "windows"),
    hints=(
        "A kernel of 3 pixels with a dilation of 2 spans 5 pixels. So what's the last pixel where a position may begin?",
        "`np.arange(0, end, stride)` lists where the positions begin, and `dilation * np.arange(kernel)` lists how far from there each pixel is. With `starts[:, None] + …`, NumPy adds every pair.",
        "The first pixel of the last position is at most `size - 1 - dilation * (kernel - 1)`. In `windows`, take `places` of the rows and of the columns: "
        "`x[:, :, rows[:, None, :, None], columns[None, :, None, :]]`.",
    ),
)
seeing.compare_uses(
    "each row of `places` lists the pixels under one position",
    uses(
        *(f"places({size}, {kernel})" for kernel, size in product((1, 2, 3), (3, 4, 6)) if size >= kernel),
        *(f"places({size}, {kernel}, {stride})" for size, kernel, stride in product((5, 6, 7), (1, 2, 3), (2, 3))),
        *(f"places({size}, {kernel}, {stride}, {dilation})" for size, kernel, stride, dilation in product((7, 8), (1, 2, 3), (1, 2), (2, 3))),
        "places(7, 2, dilation=3)", "places(size=7, kernel=2, stride=3)", "places(3, 3, 5)",
    ),
)  # fmt: skip
seeing.compare_uses(
    "a kernel that doesn't fit is refused",
    uses("places(3, 4)", "places(4, 3, 1, 2)", "places(1, 2, 2)", "windows(image(1, 1, 2, 5), (3, 3))", "places(5, 3, 1, 2)"),
)  # fmt: skip
seeing.compare_uses(
    "`windows` shows what is at those places",
    uses(
        *(f"windows(image({shape}), {kernel}{more})" for shape, kernel, more in product(("1, 1, 3, 4", "2, 2, 3, 3", "1, 1, 5, 6"), ("(1, 1)", "(2, 2)", "(2, 3)", "(3, 1)"), ("", ", (2, 1)", ", (1, 3)"))),
        *(f"windows(image(1, 2, 5, 7), {kernel}, {stride}, {dilation})" for kernel, stride, dilation in product(("(2, 2)", "(3, 2)"), ("(1, 1)", "(2, 3)"), ("(2, 1)", "(1, 3)", "(2, 2)"))),
        "windows(image(1, 1, 3, 4), kernel=(2, 2), stride=(1, 2), dilation=(2, 1))", "windows(image(1, 1, 3, 3, dtype='float32'), (2, 2))",
        "windows(image(1, 2, 3, 4).transpose(0, 1, 3, 2), (2, 2))", "windows(image(1, 4, 3, 3)[:, 1::2], (2, 1))", "windows(image(2, 2, 3, 6)[..., ::-2], (2, 2))",
    ),
)  # fmt: skip
_STARTS, _END = "starts = np.arange(0, size - dilation * (kernel - 1), stride)", "size - dilation * (kernel - 1)"  # fmt: skip
_ROWS = "rows = places(x.shape[2], kernel[0], stride[0], dilation[0])"
_COLUMNS = "columns = places(x.shape[3], kernel[1], stride[1], dilation[1])"
_PICK = "x[:, :, rows[:, None, :, None], columns[None, :, None, :]]"
_NUMPYS = "np.lib.stride_tricks.sliding_window_view(x, [d * (k - 1) + 1 for k, d in zip(kernel, dilation)], (2, 3))[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]"  # fmt: skip
# fmt: off
seeing.wrongs(
    ("one too few", {_END: f"{_END} - 1"}, "the last position is missing; the end of `np.arange` isn't included"),
    ("one too many", {_END: f"{_END} + 1"}, "the last position goes beyond the image"),
    ("dilation forgotten at the end", {_END: "size - kernel + 1"}, "with a dilation, the kernel reaches further, so fewer positions fit; compute the end from `dilation * (kernel - 1)`"),
    ("dilation times kernel", {_END: "size - dilation * kernel + 1"}, "between `kernel` pixels there are `kernel - 1` steps of `dilation`"),
    ("dilation ignored", {_END: "size - kernel + 1", "dilation * np.arange(kernel)": "np.arange(kernel)"}, "`dilation` is ignored"),
    ("stride ignored", {_STARTS: f"starts = np.arange(0, {_END})"}, "`stride` is ignored"),
    ("stride of the dilation", {"dilation * np.arange(kernel)": "stride * np.arange(kernel)"}, "inside a window, the pixels are `dilation` apart; `stride` is the distance between two windows"),
    ("no error", {"if not len(starts):": "if False:"}, "if the kernel doesn't fit, the result is empty; raise a RuntimeError"),
    ("another error", {"RuntimeError": "ValueError"}, "the exception is a ValueError; PyTorch raises a RuntimeError"),
    ("turned", {"return starts[:, None] + dilation * np.arange(kernel)": "return starts + dilation * np.arange(kernel)[:, None]"}, "the rows and columns of `places` are swapped; each row belongs to one position"),
    ("first numbers only", {"return starts[:, None] + dilation * np.arange(kernel)": "return starts"}, "`places` returns where the windows begin; list every pixel in them"),
    ("stride exchanged", {_ROWS: _ROWS.replace("stride[0]", "stride[1]"), _COLUMNS: _COLUMNS.replace("stride[1]", "stride[0]")}, "the strides of rows and columns are swapped"),
    ("dilation exchanged", {_ROWS: _ROWS.replace("dilation[0]", "dilation[1]"), _COLUMNS: _COLUMNS.replace("dilation[1]", "dilation[0]")}, "the dilations of rows and columns are swapped"),
    ("kernel exchanged", {_ROWS: _ROWS.replace("kernel[0]", "kernel[1]"), _COLUMNS: _COLUMNS.replace("kernel[1]", "kernel[0]")}, "the rows and columns of the kernel are swapped"),
    ("square", {_COLUMNS: "columns = places(x.shape[3], kernel[0], stride[0], dilation[0])"}, "the columns use the numbers for rows; use `kernel[1]`, `stride[1]` and `dilation[1]` for them"),
    ("kernel first", {_PICK: f"{_PICK}.transpose(0, 1, 4, 5, 2, 3)"}, "the dimensions are in the wrong order; the positions come first, and then the pixels in the window"),
    ("rows first", {_PICK: "x[:, :, rows][:, :, :, :, columns]"}, "each dimension of positions is followed by its pixels; both dimensions of positions come before both dimensions of the window"),
    ("always float64", {_PICK: f"{_PICK}.astype(float)"}, "`windows` turns float32 into float64; keep the dtype of `x`"),
    ("NumPy's windows", {_PICK: _NUMPYS, _ROWS: "", _COLUMNS: ""}, "if the kernel doesn't fit, NumPy's ValueError comes out of `windows`; call `places`, which raises a RuntimeError"),
    ("mirrored", {_PICK: f"{_PICK}[..., ::-1, ::-1]"}, "each window is mirrored; keep its rows and columns in the order of the image"),
    ("through memory", {f"return {_PICK}": "h, w, n = *x.shape[2:], x.itemsize\nsteps = x.shape[1] * h * w * n, h * w * n, w * n * stride[0], n * stride[1], w * n * dilation[0], n * dilation[1]\nreturn np.lib.stride_tricks.as_strided(x, (*x.shape[:2], len(rows), len(columns), *kernel), steps)"}, "this takes it that all numbers of `x` lie one after the other in memory; a part of an array or a transposed one has other `strides`"),
    ("flat", {_PICK: f"{_PICK}.reshape(*x.shape[:2], len(rows), len(columns), -1)"}, "the last two dimensions are joined; keep the rows and columns of the kernel apart"),
)
# fmt: on

# ---- 18.2

summing = Exercise(
    "18.2",
    title="The sum of products",
    takes=("convolve",),
    minutes=12,
    writes=("convolve",),
    keeps=("18.1",),
    hints=(
        "Begin with a single group. `windows` needs the size of the kernel, which is in the shape of `weight`.",
        "`np.split(x, groups, 1)` cuts the channels and `np.split(weight, groups)` the filters. `zip` pairs the parts that belong together.",
        '`for part, w in zip(…):` with `parts.append(np.einsum("nchwij,fcij->nfhw", windows(part, w.shape[2:], stride, dilation), w, optimize=True))`, and at the end `np.concatenate(parts, 1)`.',
    ),
)
_SHAPES = ("image(1, 1, 1, 3), image(1, 1, 1, 2)", "image(1, 1, 3, 4), image(1, 1, 2, 2)", "image(2, 2, 4, 3), image(3, 2, 2, 3)", "image(1, 3, 5, 6), image(2, 3, 3, 2)", "image(1, 1, 4, 4), image(2, 1, 1, 1)")  # fmt: skip
_STEPS = ("", ", (2, 1)", ", (1, 2)", ", (1, 1), (2, 1)", ", dilation=(1, 2)", ", (2, 3), (1, 2)")
_GROUPED = ("image(1, 2, 3, 3), image(2, 1, 2, 2), groups=2", "image(2, 4, 3, 4), image(6, 2, 2, 2), groups=2", "image(1, 3, 4, 4), image(6, 1, 2, 3), (1, 1), (1, 1), 3", "image(1, 6, 5, 5), image(3, 2, 2, 2), (2, 2), (1, 2), 3", "image(1, 4, 3, 3), image(4, 1, 3, 3), groups=4")  # fmt: skip
summing.compare_uses(
    "each output is a sum over a window in every channel",
    uses(*(f"convolve({shapes})" for shapes in _SHAPES), "convolve(image(1, 1, 3, 3, dtype='float32'), image(1, 1, 2, 2, dtype='float32'))"),
)  # fmt: skip
summing.compare_uses(
    "stride and dilation are used, and a kernel that doesn't fit is refused",
    uses(*(f"convolve({shapes}{steps})" for shapes, steps in product(_SHAPES, _STEPS[1:]))),
)
summing.compare_uses(
    "each group of filters sees its own channels", uses(*(f"convolve({text})" for text in _GROUPED))
)
_LETTERS = 'np.einsum("nchwij,fcij->nfhw", seen, w, optimize=True)'
_SEEN = "seen = windows(part, w.shape[2:], stride, dilation)"
_FORWARD = "for part, w in zip(np.split(x, groups, 1), np.split(weight, groups)):"
# fmt: off
summing.wrongs(
    ("turned around", {_LETTERS: _LETTERS.replace("seen, w,", "seen, w[..., ::-1, ::-1],")}, "the kernel is turned around; multiply each weight by the pixel under it"),
    ("stride ignored", {_SEEN: "seen = windows(part, w.shape[2:], (1, 1), dilation)"}, "`stride` is ignored"),
    ("dilation ignored", {_SEEN: "seen = windows(part, w.shape[2:], stride)"}, "`dilation` is ignored"),
    ("strides exchanged", {_SEEN: "seen = windows(part, w.shape[2:], stride[::-1], dilation)"}, "the strides of rows and columns are swapped"),
    ("stride and dilation exchanged", {_SEEN: "seen = windows(part, w.shape[2:], dilation, stride)"}, "`stride` and `dilation` are swapped"),
    ("mean", {_LETTERS: f"{_LETTERS} / w[0].size"}, "the products are averaged; a convolution adds them up"),
    ("one channel", {_LETTERS: 'np.einsum("nhwij,fij->nfhw", seen[:, 0], w[:, 0])'}, "only the first channel counts; add up all of them"),
    ("filters added up", {_LETTERS: 'np.einsum("nchwij,fcij->nhw", seen, w)[:, None]'}, "the filters are added up too; each filter is a channel of the result"),
    ("channels last", {"return np.concatenate(parts, 1)": "return np.concatenate(parts, 1).transpose(0, 2, 3, 1)"}, "the filters are the last dimension of the result; they should be the second"),
    ("groups ignored", {"parts = []": "parts, groups = [], 1"}, "`groups` is ignored"),
    ("groups in turn", {_FORWARD: "for part, w in zip([x[:, n::groups] for n in range(groups)], np.split(weight, groups)):"}, "the channels are dealt out to the groups in turn, like cards; the first group should take the first channels in a row"),
    ("filters in turn", {_FORWARD: "for part, w in zip(np.split(x, groups, 1), [weight[n::groups] for n in range(groups)]):"}, "the filters are dealt out to the groups in turn, like cards; the first group should take the first filters in a row"),
    ("the first group only", {"return np.concatenate(parts, 1)": "return parts[0]"}, "the result holds only the first group; join the parts of all groups"),
    ("groups backward", {"return np.concatenate(parts, 1)": "return np.concatenate(parts[::-1], 1)"}, "the groups are joined in reverse order"),
    ("groups added up", {"return np.concatenate(parts, 1)": "return sum(parts)"}, "the results of the groups are added up; join them along the channels"),
    ("along the batch", {"return np.concatenate(parts, 1)": "return np.concatenate(parts)"}, "the groups are joined along the pictures; the channels are dimension 1"),
)
# fmt: on

# ---- 18.3

returning = Exercise(
    "18.3",
    title="Both gradients",
    takes=("fold", "conv2d_input", "conv2d_weight"),
    minutes=25,
    writes=("fold", "conv2d_input", "conv2d_weight"),
    keeps=("18.2",),
    hints=(
        "Which letters does the weight have, and which of the others are left to sum over? It's the same question for `seen`.",
        'The gradient for `seen` is `np.einsum("nfhw,fcij->nchwij", g, w)`, and `fold` puts it back. The gradient for the weight is `"nfhw,nchwij->fcij"`, of `g` and `seen`.',
        "In `fold`: `for i, j in np.ndindex(seen.shape[4:]):` and then `image[:, :, rows[:, i, None], columns[:, j]] += seen[..., i, j]`. "
        "For groups, cut `g` along its channels. In `conv2d_input`, each part has `shape[1] // groups` channels, and the parts are joined along dimension 1. In `conv2d_weight` it's dimension 0.",
    ),
)
_FOLDS = ("image(1, 1, 1, 2, 1, 2), (1, 1, 1, 3)", "image(1, 1, 2, 3, 2, 2), (1, 1, 3, 4)", "image(2, 2, 2, 2, 3, 1), (2, 2, 4, 2)", "image(1, 1, 2, 2, 2, 2), (1, 1, 5, 4), (3, 2)", "image(1, 1, 2, 3, 2, 2), (1, 1, 4, 4), (1, 1), (2, 1)", "image(1, 1, 2, 1, 2, 3), (1, 1, 4, 6), (2, 3), (1, 2)", "image(1, 1, 1, 2, 2, 2, dtype='float32'), (1, 1, 2, 3)", "image(1, 1, 1, 1, 1, 1), (1, 1, 3, 3), stride=(3, 3)")  # fmt: skip
_INPUTS = ("(1, 1, 1, 3), image(1, 1, 1, 2), image(1, 1, 1, 2)", "(1, 1, 3, 4), image(1, 1, 2, 2), image(1, 1, 2, 3)", "(2, 2, 3, 3), image(3, 2, 2, 2), image(2, 3, 2, 2)", "(1, 1, 5, 4), image(2, 1, 2, 2), image(1, 2, 2, 2), (3, 2)", "(1, 1, 4, 5), image(1, 1, 2, 3), image(1, 1, 2, 1), (1, 1), (2, 2)", "(1, 2, 3, 3), image(4, 1, 2, 2), image(1, 4, 2, 2), groups=2", "(2, 4, 3, 5), image(6, 2, 2, 2), image(2, 6, 2, 2), (1, 2), (1, 2), 2", "(1, 1, 4, 5), image(1, 1, 2, 2), image(1, 1, 1, 2), (3, 2)", "(1, 2, 6, 6), image(2, 1, 2, 2), image(1, 2, 2, 2), (2, 3), (2, 1), 2", "(1, 1, 2, 3), image(1, 1, 1, 2, dtype='float32'), image(1, 1, 2, 2, dtype='float32')")  # fmt: skip
_WEIGHTS = ("image(1, 1, 1, 3), (1, 1, 1, 2), image(1, 1, 1, 2)", "image(1, 1, 3, 4), (1, 1, 2, 2), image(1, 1, 2, 3)", "image(2, 2, 3, 3), (3, 2, 2, 2), image(2, 3, 2, 2)", "image(1, 1, 5, 4), (2, 1, 2, 2), image(1, 2, 2, 2), (3, 2)", "image(1, 1, 4, 5), (1, 1, 2, 3), image(1, 1, 2, 1), (1, 1), (2, 2)", "image(1, 2, 3, 3), (4, 1, 2, 2), image(1, 4, 2, 2), groups=2", "image(2, 4, 3, 5), (6, 2, 2, 2), image(2, 6, 2, 2), (1, 2), (1, 2), 2", "image(1, 1, 4, 5), (1, 1, 2, 2), image(1, 1, 1, 2), (3, 2)", "image(1, 2, 6, 6), (2, 1, 2, 2), image(1, 2, 2, 2), (2, 3), (2, 1), 2", "image(1, 1, 2, 3, dtype='float32'), (1, 1, 1, 2), image(1, 1, 2, 2, dtype='float32')")  # fmt: skip
returning.compare_uses(
    "`fold` adds each window where it came from", uses(*(f"fold({text})" for text in _FOLDS))
)
returning.compare_uses(
    "`conv2d_input` is the gradient for the image", uses(*(f"conv2d_input({text})" for text in _INPUTS))
)  # fmt: skip
returning.compare_uses(
    "`conv2d_weight` is the gradient for the weight", uses(*(f"conv2d_weight({text})" for text in _WEIGHTS))
)  # fmt: skip
_ADD = "image[:, :, rows[:, i, None], columns[:, j]] += seen[..., i, j]"
_LOOP = f"for i, j in np.ndindex(seen.shape[4:]):\n    {_ADD}"
_TO_X, _TO_W = 'seen = np.einsum("nfhw,fcij->nchwij", part, w, optimize=True)', 'parts.append(np.einsum("nfhw,nchwij->fcij", part, seen, optimize=True))'  # fmt: skip
_BOTH, _SEEN_W = "parts.append(fold(seen, shape, stride, dilation))", "seen = windows(image, shape[2:], stride, dilation)"  # fmt: skip
_CUT_X, _CUT_W = "for w, part in zip(np.split(weight, groups), np.split(g, groups, 1)):", "for image, part in zip(np.split(x, groups, 1), np.split(g, groups, 1)):"  # fmt: skip
# fmt: off
returning.wrongs(
    ("overwritten", {_ADD: _ADD.replace("+=", "=")}, "where windows overlap, `fold` keeps the last number; add them up"),
    ("all at once", {_LOOP: "image[:, :, rows[:, None, :, None], columns[None, :, None, :]] += seen"}, "where windows overlap, `fold` adds only one number, as `+=` with an index array does; loop over the kernel's cells, or use `np.add.at`"),
    ("averaged", {"return image": "ones = np.zeros(shape)\nfor i, j in np.ndindex(seen.shape[4:]):\n    ones[:, :, rows[:, i, None], columns[:, j]] += 1\nreturn image / np.maximum(ones, 1)"}, "`fold` averages where windows overlap; a number that's used several times gets the sum"),
    ("always float64", {"np.zeros(shape, seen.dtype)": "np.zeros(shape)"}, "`fold` turns float32 into float64; pass the dtype of `seen` to `np.zeros`"),
    ("as far as the windows", {"return np.concatenate(parts, 1)": "rows = places(shape[2], weight.shape[2], stride[0], dilation[0]).max() + 1\ncolumns = places(shape[3], weight.shape[3], stride[1], dilation[1]).max() + 1\nreturn np.concatenate(parts, 1)[:, :, :rows, :columns]"}, "`conv2d_input` returns a smaller image if the last pixels are in no window; their gradient is 0"),
    ("kernel too large", {"conv2d_weight": "def conv2d_weight(x, shape, g, stride=(1, 1), dilation=(1, 1), groups=1):\n    parts = []\n    for image, part in zip(np.split(x, groups, 1), np.split(g, groups, 1)):\n        parts.append(convolve(image.swapaxes(0, 1), part.swapaxes(0, 1), dilation, stride).swapaxes(0, 1))\n    return np.concatenate(parts)"}, "`conv2d_weight` returns a larger kernel if the last pixels are in no window; cut it down to `shape`"),
    ("float64 for the image", {"return np.concatenate(parts, 1)": "return np.concatenate(parts, 1).astype(float)"}, "`conv2d_input` turns float32 into float64"),
    ("turned around", {_TO_X: _TO_X.replace("part, w,", "part, w[..., ::-1, ::-1],")}, "`conv2d_input` turns the kernel around; each weight sends its gradient to the pixel that it was multiplied by"),
    ("stride ignored for the image", {_BOTH: "parts.append(fold(seen, shape, (1, 1), dilation))"}, "`conv2d_input` ignores `stride`"),
    ("dilation ignored for the image", {_BOTH: "parts.append(fold(seen, shape, stride))"}, "`conv2d_input` ignores `dilation`"),
    ("stride ignored for the weight", {_SEEN_W: "seen = windows(image, shape[2:], (1, 1), dilation)[:, :, : g.shape[2], : g.shape[3]]"}, "`conv2d_weight` ignores `stride`"),
    ("dilation ignored for the weight", {_SEEN_W: "seen = windows(image, shape[2:], stride)[:, :, : g.shape[2], : g.shape[3]]"}, "`conv2d_weight` ignores `dilation`"),
    ("mean of the pictures", {_TO_W: f"{_TO_W[:-1]} / len(x))"}, "the weight's gradient is the mean over the pictures; a weight that's used in all of them gets the sum"),
    ("first picture", {_TO_W: _TO_W.replace("part, seen,", "part[:1], seen[:1],")}, "the weight's gradient comes from the first picture alone; sum over `n`"),
    ("groups ignored", {_CUT_X: "w = weight.repeat(groups, 1)\nfor part in (g,):", "shape = (shape[0], shape[1] // groups, *shape[2:])": "pass"}, "`conv2d_input` ignores `groups`: each filter sends its gradient to its own channels only"),
    ("image groups added up", {"return np.concatenate(parts, 1)": "return sum(parts)"}, "`conv2d_input` adds up its groups; join them along the channels"),
    ("weight groups along channels", {"return np.concatenate(parts)": "return np.concatenate(parts, 1)"}, "`conv2d_weight` joins its groups along the channels; the groups have different filters, so join them along dimension 0"),
    ("gradients in turn", {_CUT_W: "for image, part in zip(np.split(x, groups, 1), [g[:, n::groups] for n in range(groups)]):"}, "`conv2d_weight` deals out the filters to the groups in turn; the first group should take the first filters in a row"),
    ("g left out", {_TO_W: _TO_W.replace("part, seen,", "np.ones_like(part), seen,")}, "`conv2d_weight` doesn't use the gradient that arrives; multiply by `g`"),
)
# fmt: on
