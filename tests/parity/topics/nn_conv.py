"""Convolution, padding, folding: errors, shapes at the edge, dtypes, nodes, layers and lazy layers."""

import copy
import importlib
import pickle

from casebook import case, error


def _x(t, *shape):
    n = 1
    for s in shape:
        n *= s
    return t.arange(float(n)).reshape(shape) * 7 % 5 - 1.5


def _seen(x):
    name = x.grad_fn.name() if x.grad_fn else None
    return (
        str(x.dtype).partition(".")[2],
        list(x.shape),
        [round(v, 4) for v in x.detach().flatten().tolist()],
        name,
    )


def _errors(*calls):
    return [error(call) for call in calls]


def _beginnings(*calls):
    """Say how the errors begin: how they go on depends on which of PyTorch's kernels would have computed."""
    return [error(call)[:22] for call in calls]


def _of(t, function, x, w, *args, **options):
    """Call a function of convolution with ones of the given shapes."""
    return lambda: _seen(
        getattr(t.nn.functional, function)(t.ones(*x), t.ones(*w), *args, **options)
    )


def _module(t, name):
    return importlib.import_module(f"{t.__name__}.nn.modules.{name}")


# ---- convolution


@case
def shapes_that_do_not_fit(t):
    def conv(*args, **options):
        return _of(t, "conv2d", *args, **options)

    x, w = (1, 3, 5, 5), (4, 3, 2, 2)
    return _errors(
        conv((5, 5), w), conv((5,), w), conv((1, *x), w), conv(x, (4, 3, 2)), conv(x, (4, 3)), conv(x, (4, 3, 2, 2, 2)),
        conv(x, (4, 2, 2, 2)), conv(x, (4, 3, 6, 2)), conv(x, (4, 3, 3, 2), dilation=3), conv(x, (0, 3, 2, 2)),
        conv((1, 3, 0, 5), w), conv((1, 3, 0, 5), w, padding=1),
        conv(x, w, t.ones(3)), conv(x, w, t.ones(4, 1)), conv(x, w, t.ones(())), conv(x, w, groups=0), conv(x, w, groups=-1),
        conv(x, w, groups=3), conv((1, 6, 5, 5), w, groups=5), _of(t, "conv1d", (1, 3, 5), (4, 3, 6)),
        _of(t, "conv1d", (3,), (4, 3, 2)), _of(t, "conv1d", (1, 5), (1, 1, 2, 2)),
        _of(t, "conv3d", (3, 5, 5), (4, 3, 2, 2, 2)), _of(t, "conv3d", (1, 3, 5, 5, 5), (4, 3, 6, 2, 2)),
    )  # fmt: skip


@case
def sizes_of_zero(t):
    x, w, back = (1, 4, 5, 5), (4, 3, 2, 2), "conv_transpose2d"
    return _beginnings(
        _of(t, "conv2d", x, (3, 4, 0, 2)), _of(t, "conv2d", x, (3, 4, 2, 0), dilation=2),
        _of(t, "conv1d", (1, 1, 4), (1, 1, 0)), _of(t, "conv3d", (1, 1, 4, 4, 4), (1, 1, 2, 0, 2)),
        _of(t, "conv1d", (1, 1, 4), (1, 1, 2), dilation=0), _of(t, back, x, w, dilation=0), _of(t, back, x, (4, 0, 2, 2)),
        _of(t, "conv_transpose1d", (1, 4, 5), (4, 0, 2)), _of(t, "conv_transpose3d", (1, 4, 5, 5, 5), (4, 0, 2, 2, 2)),
    )  # fmt: skip


@case
def output_paddings_that_are_too_large(t):
    two = "conv_transpose2d"
    return _beginnings(
        _of(t, two, (1, 4, 5, 5), (4, 3, 2, 2), output_padding=1),
        _of(t, two, (1, 4, 5, 5), (4, 3, 2, 2), output_padding=2, stride=2),
        _of(t, "conv_transpose1d", (1, 4, 5), (4, 3, 2), output_padding=1),
        _of(t, "conv_transpose1d", (1, 4, 5), (4, 3, 2), padding=3),
        _of(t, "conv_transpose3d", (1, 4, 5, 5, 5), (4, 3, 2, 2, 2), output_padding=1),
    )


@case
def options_that_do_not_fit(t):
    x, w = (1, 3, 5, 5), (4, 3, 2, 2)
    options = [
        {"stride": 0}, {"stride": -1}, {"dilation": 0}, {"dilation": (0, 2)}, {"dilation": -1}, {"padding": -1},
        {"padding": -1, "stride": -1}, {"stride": (1, 2, 3)}, {"padding": (1, 2, 3)}, {"dilation": ()}, {"stride": (2,)},
        {"padding": "foo"}, {"padding": "same", "stride": 2}, {"padding": "same", "dilation": (1, 2, 3)},
        {"padding": "same", "dilation": 0}, {"padding": "same", "groups": 0}, {"padding": "same", "stride": -1},
        {"stride": 1.5}, {"stride": "a"}, {"stride": None}, {"groups": 1.0}, {"foo": 1}, {"stride": True},
    ]  # fmt: skip
    return _errors(
        *(_of(t, "conv2d", x, w, **o) for o in options),
        _of(t, "conv2d", x, w, [1]),
        _of(t, "conv2d", x, w, t.ones(4), 1, 1, 1, 1, 1),
        _of(t, "conv1d", (1, 4, 5), (4, 4, 2, 2), padding="same"),
        _of(t, "conv1d", (1, 4, 5), (4, 4, 2), stride=(1, 1), padding="same"),
        _of(t, "conv1d", (1, 4, 5), (4, 4, 2), stride=(1, 1)),
        lambda: t.conv2d(t.ones(*x)),
        lambda: t.conv2d([1.0], t.ones(*w)),
        lambda: t.convolution(t.ones(*x), t.ones(*w), None, 1, [0], [1], False, [0], 1),
        lambda: t.convolution(t.ones(*x[1:]), t.ones(*w), None, [1], [0], [1], False, [0], 1),
    )


@case
def transposed_that_do_not_fit(t):
    def back(*args, **options):
        return _of(t, "conv_transpose2d", *args, **options)

    x, w = (1, 4, 5, 5), (4, 3, 2, 2)
    return _errors(
        back((5, 5), w), back((1, 3, 5, 5), w), back(x, w, t.ones(4)), back(x, w, output_padding=-1, stride=2), back(x, w, padding=5),
        back(x, w, padding=3), back(x, w, padding=-1), back(x, w, stride=0), back(x, w, groups=3),
        back(x, w, groups=5), back(x, (4, 3, 2)), back(x, w, padding="same"), back((1, 4, 0, 5), w, stride=2),
        back(x, w, output_padding=(1, 2, 3)), back(x, w, foo=3), back(x, w, stride=(1.0, 1)),
    )  # fmt: skip


@case
def dtypes_of_convolution(t):
    conv, x, w = t.nn.functional.conv2d, t.ones(1, 1, 3, 3), t.ones(1, 1, 2, 2)
    kinds = (t.int64, t.int32, t.uint8, t.float16, t.float64)
    found = [_seen(conv(x.to(kind) * 60, w.to(kind))) for kind in kinds]
    # PyTorch's words for half pictures depend on whether the processor computes in half, so here half is the weight
    mixed = [(t.float64, t.float32), (t.int64, t.float32), (t.float64, t.float16)]
    return (
        found,
        _errors(
            *(lambda a=a, b=b: conv(x.to(a), w.to(b)) for a, b in mixed),
            lambda: conv(x.double(), w.double(), t.ones(1)),
            lambda: conv(x, w, t.ones(1).double()),
        ),
        _beginnings(
            lambda: conv(x.bool(), w.bool()),
            lambda: conv(x.int(), w.int(), dilation=2),
            lambda: t.nn.functional.conv_transpose2d(x.int(), w.int()),
        ),
    )


@case
def empty_and_unbatched(t):
    found = []
    for shape in ((0, 2, 4, 4), (2, 4, 4), (1, 2, 4, 4)):
        x, w, b = (
            t.ones(shape, requires_grad=True),
            t.ones(3, 2, 2, 2, requires_grad=True),
            t.ones(3, requires_grad=True),
        )
        for y in (
            t.conv2d(x, w, b, 2),
            t.conv2d(x, w, b, padding="same"),
            t.conv_transpose2d(x, w.transpose(0, 1), b),
        ):
            y.sum().backward()
            found.append((_seen(y), x.grad.sum().item(), w.grad.sum().item(), b.grad.tolist()))
    x, w = t.ones(1, 0, 5, 5, requires_grad=True), t.ones(4, 0, 2, 2, requires_grad=True)
    t.conv2d(x, w).sum().backward()
    return found, list(t.conv2d(x, w).shape), list(x.grad.shape), list(w.grad.shape)


@case
def infinities_and_nan(t):
    inf, nan, one = (
        t.full((1, 1, 2, 3), float("inf")),
        t.full((1, 1, 2, 2), float("nan")),
        t.ones(1, 1, 2, 2),
    )
    half = t.full((1, 1, 3), 1e4).half()
    return [
        repr(x.tolist())
        for x in (
            t.conv2d(inf, one),
            t.conv2d(nan, t.zeros(1, 1, 2, 2), padding=1),
            t.conv_transpose2d(inf, one * 0, stride=2),
            t.conv1d(half, half / 1e4 * 3),
        )
    ]


@case
def one_name_for_functions(t):
    F = t.nn.functional
    names = [f"conv{kind}{n}d" for kind in ("", "_transpose") for n in (1, 2, 3)] + ["conv_tbc"]
    return [getattr(t, n) is getattr(F, n) for n in names], F.grad is t.nn.grad


@case
def time_batch_channels(t):
    ones, tbc = t.ones, t.nn.functional.conv_tbc
    x, w, b = ones(5, 2, 3), ones(3, 3, 4), ones(4)
    return [_seen(tbc(x, w, b, pad)[:, 0]) for pad in (-1, 0, 2)], _errors(
        lambda: tbc(x[0], w, b), lambda: tbc(x, w[0], b), lambda: tbc(x, w, ones(4, 1)), lambda: tbc(x, w, ones(5)),
        lambda: tbc(x, ones(3, 4, 4), b), lambda: tbc(x, w), lambda: tbc(x, w, None), lambda: tbc(x.double(), w, b),
        lambda: list(tbc(x, ones(6, 3, 4), b).shape),
    )  # fmt: skip


# ---- padding


@case
def widths_that_do_not_fit(t):
    pad, shape = t.nn.functional.pad, (3, 3, 3)
    tries = [
        ((2, 3, 4), (1,)), ((2, 3, 4), (1,) * 8), ((2, 3, 4), (-2, -3)), ((2, 3, 4), (-5, 6)), ((), (1, 1)),
        ((2, 3, 4), (1.0, 1)), ((2, 3, 4), (1, 1.0)), ((2, 3, 4), 1), ((2, 3, 4), None), ((2, 3), (1, 1), "foo"),
        ((2, 3, 4), (1, 1), 1), ((2, 3, 4), (1, 1), "constant", "a"), ((2, 3, 4), (1, 1), "reflect", 1.0),
        ((3,), (1, 1), "reflect"), ((3, 3), (1, 1, 1, 1), "reflect"), ((3, 3, 3, 3), (1, 1), "replicate"),
        (shape, (), "circular"), (shape, (3, 0), "reflect"), (shape, (0, 3), "reflect"), (shape, (3, 4), "circular"),
        ((3, 3, 3, 3), (1, 1, 3, 1), "reflect"), ((3, 3, 3, 3, 3), (1, 1, 1, 1, 3, 1), "reflect"),
        ((2, 3, 4), (-3, -3), "reflect"), ((2, 3, 4), (-3, -3), "replicate"), ((2, 3, 4), (-3, -3), "circular"),
        ((3, 3, 3, 3), (1, 1, -3, -1), "replicate"), *(((1, *[2] * n), (-2,) * 2 * (n - 1), m) for n in (2, 3, 4) for m in ("reflect", "replicate")), ((3, 0, 3), (1, 1), "replicate"), ((0, 3), (1, 1), "reflect"),
        ((3, 3, 0, 3), (1, 1, 1, 1), "reflect"), ((3, 0, 3, 3, 3), (1,) * 6, "replicate"),
    ]  # fmt: skip
    return _errors(
        *(lambda a=args: pad(t.ones(a[0]), *a[1:]) for args in tries),
        lambda: pad(t.ones(shape).bool(), (1, 1), "reflect"),
        lambda: pad(t.ones(shape).bool(), (1, 1, 1, 1), "replicate"),
        lambda: pad(t.ones(2).byte(), (1, 1), value=300),
        lambda: pad(t.ones(2).half(), (1, 1), value=1e6),
        lambda: pad([1.0], (1, 1)),
        lambda: t.constant_pad_nd(t.ones(2, 3), (1,)),
        lambda: t.constant_pad_nd(t.ones(2, 3), (1,) * 6),
        lambda: t.constant_pad_nd(t.ones(2, 3), (1, 1), None),
    )


@case
def padding_of_every_kind(t):
    pad, x = t.nn.functional.pad, _x(t, 1, 4).requires_grad_()
    modes = ("constant", "reflect", "replicate", "circular")
    widths = ((2, 1), (-1, 2), (2, -1), (-1, -1), (0, 0), (-2, 2), (0, -3))
    kinds = (t.int64, t.uint8, t.float16, t.float64)
    return (
        [_seen(pad(x, w, mode)) for mode in modes for w in widths],
        [
            _seen(pad(t.arange(6).reshape(1, 2, 3).to(k), (1, 1, 1, 0), mode))
            for mode in modes
            for k in kinds
        ],
        [list(pad(t.ones(0, 2, 3), (1, 2), mode).shape) for mode in modes],
    )


@case
def numbers_to_pad_with(t):
    pad = t.nn.functional.pad
    kinds = (t.int64, t.bool, t.float16, t.float32)
    found = [
        _seen(pad(t.ones(2).to(k), (1, 1), value=v)) for k in kinds for v in (2.7, -1, None, True)
    ]
    x = _x(t, 2, 3)
    same = pad(x, ())
    same[0] = 9.0
    return (
        found,
        x.tolist(),
        repr(pad(x, (1, 0), value=float("nan")).tolist()),
        _seen(t.constant_pad_nd(x, (1, -1), 5)),
    )


# ---- folding


@case
def folding_that_does_not_fit(t):
    F, x, columns = t.nn.functional, t.ones(1, 1, 5, 5), t.ones(1, 4, 16)
    return _errors(
        *(lambda o=o: F.unfold(x, **{"kernel_size": 2, **o}) for o in (
            {"stride": 0}, {"dilation": 0}, {"padding": -1}, {"kernel_size": 0}, {"kernel_size": 6}, {"kernel_size": (2,)},
            {"stride": (1, 2, 3)}, {"kernel_size": 1.5},
        )),
        *(lambda s=s: F.unfold(t.ones(*s), 2) for s in ((5, 5), (1, 1, 5), (1, 0, 5, 5), (1, 1, 0, 5), (1, 1, 5, 5, 5))),
        lambda: F.unfold([1], 2), lambda: F.unfold(x.long(), 2),
        *(lambda o=o: F.fold(columns, **{"output_size": (5, 5), "kernel_size": 2, **o}) for o in (
            {"output_size": (4, 5)}, {"output_size": (5, 5, 5)}, {"output_size": (-5, 5)}, {"output_size": (1, 1)},
            {"output_size": (5.0, 5)}, {"kernel_size": 3}, {"kernel_size": 0}, {"padding": -1}, {"stride": (1, 1, 1)},
        )),
        *(lambda s=s: F.fold(t.ones(*s), 5, 2) for s in ((4,), (1, 1, 4, 16), (1, 0, 16), (1, 4, 0))),
        lambda: F.fold(columns.long(), 5, 2),
    )  # fmt: skip


@case
def folding_of_other_types(t):
    F, x = t.nn.functional, t.arange(9.0).reshape(1, 3, 3)
    return [
        _seen(y)
        for y in (
            F.unfold(x.half(), 2), F.unfold(x > 3, (2, 3)), F.fold(F.unfold(x.double(), 2), 3, 2), F.unfold(x[None][:0], 2),
            F.fold(t.ones(0, 4, 4), 3, 2), F.fold(t.ones(4, 4, requires_grad=True), 3, 2),
        )
    ]  # fmt: skip


# ---- layers


@case
def layers_that_cannot_be(t):
    nn = t.nn
    return _errors(
        lambda: nn.Conv2d(3, 4, 3, groups=2), lambda: nn.Conv2d(4, 3, 3, groups=2), lambda: nn.Conv2d(4, 4, 3, groups=0),
        lambda: nn.Conv2d(4, 4, 3, padding="same", stride=(1, 2)), lambda: nn.Conv2d(4, 4), lambda: nn.Conv2d(4, 4, -3),
        lambda: nn.ConvTranspose2d(4, 4, 3, padding_mode="reflect"), lambda: nn.ConvTranspose1d(4, 4, 3, padding_mode="?"),
        lambda: nn.LazyConv2d(4, 3, groups=0), lambda: nn.ConstantPad1d(2), lambda: nn.LazyConv2d(4, 3)(t.ones(5, 5)),
        lambda: nn.LazyConv2d(4, 3, groups=2)(t.ones(1, 3, 5, 5)), lambda: nn.LazyConvTranspose1d(4, 3)(t.ones(1, 2, 3, 4)),
        lambda: nn.Conv2d(4, 4, 3)(t.ones(5, 5)), lambda: nn.Conv2d(4, 4, 3)(None), lambda: nn.CircularPad1d(1)(t.ones(3)),
        lambda: nn.CircularPad3d(1)(t.ones(3, 3)), lambda: nn.ReflectionPad2d(1)(t.ones(3, 3)),
        lambda: nn.Conv2d(4, 4, 3, padding=2, padding_mode="reflect")(t.ones(1, 4, 2, 2)),
    )  # fmt: skip


@case
def output_sizes(t):
    layer, x = t.nn.ConvTranspose2d(2, 2, 3, 2), t.ones(1, 2, 2, 2)
    sizes = ((5, 5), (6, 6), [6, 5], (1, 2, 6, 6), (7, 6), (4, 6), (6,), (2, 6, 5))
    found = _errors(*(lambda size=size: list(layer(x, output_size=size).shape) for size in sizes))
    return (
        found,
        error(lambda: list(layer(x[0], output_size=(2, 6, 5)).shape)),
        list(layer(x, (6, 6)).shape),
    )


@case
def what_layers_hold(t):
    layers = (
        t.nn.Conv2d(4, 4, (3, 2), padding="same", padding_mode="circular"), t.nn.Conv1d(4, 4, 3, padding=2),
        t.nn.Conv3d(4, 4, 3, padding="valid"), t.nn.ConvTranspose2d(4, 4, 3, output_padding=(0, 1), stride=2),
        t.nn.LazyConv2d(4, 3), t.nn.ConstantPad2d(4, 3), t.nn.Fold(4, 3),
    )  # fmt: skip
    held = [[(k, v) for k, v in vars(m).items() if not k.startswith("_")] for m in layers]
    widths = [list(m._reversed_padding_repeated_twice) for m in layers[:4]]
    return (
        held,
        widths,
        [repr(m) for m in layers],
        [[n for n, _ in m.named_parameters()] for m in layers],
    )


@case
def lazy_layers(t):
    layer, found = t.nn.LazyConv2d(4, 3), []
    found += [repr(layer), list(layer.state_dict()), repr(layer.weight), layer.in_channels]
    copies = [copy.deepcopy(layer), pickle.loads(pickle.dumps(layer)), copy.deepcopy(layer)]
    copies[2].load_state_dict(t.nn.Conv2d(2, 4, 3).state_dict())
    for c in copies:
        found += [
            type(c).__name__,
            list(c(t.ones(1, 2, 5, 5)).shape),
            type(c).__name__,
            c.in_channels,
        ]
    layer.reset_parameters()
    refused = error(lambda: t.nn.Conv2d(2, 4, 3).load_state_dict(layer.state_dict()))
    return found, refused.partition("\n")[0], t.nn.LazyConv3d.cls_to_become.__name__


@case
def old_layers(t):
    """A layer that was pickled before there were padding modes."""
    layer = t.nn.Conv2d(1, 1, 2)
    state = {k: v for k, v in layer.__dict__.items() if k != "padding_mode"}
    again = t.nn.Conv2d.__new__(t.nn.Conv2d)
    again.__setstate__(state)
    return again.padding_mode, list(again(t.ones(1, 1, 3, 3)).shape)


@case
def bases_of_layers(t):
    conv, pad, utils = (_module(t, name) for name in ("conv", "padding", "utils"))
    kinds = [getattr(t.nn, n) for n in (*conv.__all__, *pad.__all__, "Fold", "Unfold")]
    return (
        [
            (k.__module__.partition(".")[2], k.__mro__[1].__name__, k.__bases__[-1].__name__)
            for k in kinds
        ],
        [issubclass(k, conv._ConvNd) for k in kinds],
        [list(k.__constants__) for k in kinds],
        [
            utils._pair(3),
            utils._triple([1, 2, 3]),
            utils._reverse_repeat_tuple((1, 2), 2),
            utils._pair.__name__,
        ],
        [utils._list_with_default([2, None], [1, 2, 3]), utils._list_with_default(3, [1])],
        error(lambda: utils._list_with_default([2, None], [1, 2])),
    )


@case
def without_numbers(t):
    """Layers and functions on the device that holds shapes alone."""
    nn, x = t.nn, t.ones(2, 4, 5, 6, device="meta")
    layers = (
        nn.Conv2d(4, 3, 2, 2, device="meta"), nn.ConvTranspose2d(4, 3, 3, 2, device="meta"), nn.ReflectionPad2d(1),
        nn.ConstantPad2d(1, 2.0), nn.Unfold(2), nn.LazyConv2d(3, 2, device="meta"),
    )  # fmt: skip
    return [(list(y.shape), y.device.type) for y in (m(x) for m in layers)]


@case
def prefixes_of_states(t):
    utils = _module(t, "utils")
    state = t.nn.Sequential(t.nn.Conv1d(1, 1, 1)).state_dict(prefix="module.")
    utils.consume_prefix_in_state_dict_if_present(state, "module.")
    return list(state), list(state._metadata)
