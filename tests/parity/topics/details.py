"""Small things of tensors: comparisons that overwrite, signs of zeros, attributes, strict arguments."""

import math

import numpy as np
from casebook import case, error


@case
def comparisons_that_overwrite(t):
    found = []
    for name in ("eq_", "ne_", "lt_", "le_", "gt_", "ge_", "greater_", "not_equal_"):
        for other in (1, t.tensor([0.0, 1.0, 4.0])):
            x = t.tensor([0.0, 0.5, 3.0], requires_grad=True)
            y = x * 2
            getattr(y, name)(other)
            found += [y.detach().clone(), y.requires_grad, y.grad_fn.name()]
            y.sum().backward()
            found.append(x.grad)
    z = t.ones(3)
    z.gt_(t.zeros(3, requires_grad=True))
    whole = t.tensor([1, 2, 3]).gt_(1)
    return [*found, z.requires_grad, z.grad_fn.name(), whole, t.tensor([True, False]).eq_(1)]


@case
def logical_methods_that_overwrite(t):
    found = []
    for name in ("logical_and_", "logical_or_", "logical_xor_"):
        x = t.tensor([0.0, 0.5, 3.0], requires_grad=True)
        y = x * 2
        getattr(y, name)(t.tensor([0.0, 1.0, 1.0]))
        found += [y.detach().clone(), y.grad_fn.name(), y._version]
        y.sum().backward()
        found.append(x.grad)
    leaf = t.tensor([0.0, 2.0], requires_grad=True)
    leaf.logical_not_()
    return [*found, leaf.detach(), leaf.is_leaf, leaf.requires_grad]


@case
def sign_of_what_is_left(t):
    a = t.tensor([-4.0, -2.0, 0.0, -0.0, 2.0, 5.0, -5.0])
    one = t.ones(7)
    found = []
    for b in (2.0, -2.0, 3.0):
        found += [a % b, one.copysign(a % b), one.copysign(t.remainder(b, a + 0.5))]
        found += [one.copysign(a.double() % t.tensor(b))]
    return found


@case
def logit_of_odd_margins(t):
    x = t.tensor([0.0, 0.1, 0.5, 0.9, 1.0])
    return [t.logit(x, eps=e) for e in (0.6, 0.5, 1.5, 0.1, -1.0, math.nan)]


@case
def places_of_wrong_indices(t):
    x = t.zeros(2, 3)
    far = t.tensor([0, 5])
    keys = [
        5, (None, 5), (5, None), (None, slice(None), 5), (..., None, 5), (None, None, 0, 7), (0, 5),
        (slice(None), 5), (True, 5), (True, 0, far), (None, far), (slice(None), far), (0, far), (None, 0, [5]),
        (far, 0), (-3, 0), (0, 0, 0),
    ]  # fmt: skip

    def write(key):
        x[key] = 1.0

    return [error(lambda k=k: x[k]) for k in keys] + [error(lambda k=k: write(k)) for k in keys]


@case
def attributes_that_cannot_be_set(t):
    x = t.zeros(3)
    names = ["shape", "ndim", "dtype", "device", "is_leaf", "grad_fn", "T", "mT", "H", "layout", "itemsize", "nbytes", "output_nr", "_version", "is_cuda"]  # fmt: skip
    found = [error(lambda n=n: setattr(x, n, 3)) for n in [*names, "retains_grad"]]
    return [*found, error(lambda: delattr(x, "shape")), x.shape, x.dtype is t.float32]


@case
def numbers_for_truth_values(t):
    x = t.zeros(3, 2)
    calls = [
        lambda: x.sum(0, keepdim=1), lambda: x.mean(0, keepdim=1), lambda: x.max(0, keepdim=1),
        lambda: x.max(0, 1), lambda: x.argmax(0, keepdim=1), lambda: x.sum(0, 1),
        lambda: x.unique(5), lambda: t.unique(x, 5), lambda: x.sort(0, 1),
        lambda: x.sort(descending=1), lambda: t.max(x, x, x), lambda: t.min(x, x, x),
        lambda: x.max(dim=None), lambda: x.min(dim=None), lambda: x.median(dim=None),
        lambda: x.prod(dim=None), lambda: x.logsumexp(dim=None), lambda: t.sum(x, 0, keepdim=1),
    ]  # fmt: skip
    return [error(call) for call in calls]


@case
def methods_without_arguments(t):
    x = t.zeros(3)
    found = [error(lambda: x.dim(1)), error(lambda: x.numel(1)), error(lambda: x.ndimension(1))]
    found += [error(lambda: x.item(1)), error(lambda: x.tolist(1)), error(lambda: x.data_ptr(1))]
    found += [error(lambda: x.dim(a=1)), error(lambda: x.contiguous(5))]
    found += [error(lambda: x.contiguous(memory_format=5)), error(lambda: x.is_contiguous(5))]
    return [*found, error(lambda: t.randint(0, 5, 2)), error(lambda: t.randint(5, 2))]


@case
def copies_in_other_orders(t):
    x, images = t.arange(6.0).reshape(3, 2).t(), t.arange(24.0).reshape(2, 3, 2, 2)
    found = [x.clone(), x.clone(memory_format=t.preserve_format)]
    found += [
        x.clone(memory_format=t.contiguous_format),
        t.clone(x, memory_format=t.contiguous_format),
    ]
    found += [images.clone(memory_format=t.channels_last)]
    w = t.ones(2, 3, 2, 2, requires_grad=True)
    (w.clone(memory_format=t.channels_last) * images).sum().backward()
    found.append(w.grad)
    wrong = error(lambda: x.clone(memory_format=t.channels_last))
    parts = (*x.unsafe_split(1), *x.unsafe_chunk(2), *x.unsafe_split_with_sizes([1, 1]))
    return [*found, [f.stride() for f in found], wrong, [p._is_view() for p in parts], *parts]


@case
def sums_in_their_older_forms(t):
    m, v, b = t.ones(2, 2), t.ones(2), t.ones(1, 2, 2)
    return [
        t.addmm(0.5, m, m, m), m.addmm(0.5, m, m), t.addmm(0.5, m, 2.0, m, m),
        m.addmm(0.5, 2.0, m, m), m.clone().addmm_(0.5, m, m), v.addmv(0.5, m, v),
        v.addmv(0.5, 2.0, m, v), t.addmv(0.5, v, m, v), m.addr(0.5, v, v), m.addr(0.5, 2.0, v, v),
        b.baddbmm(0.5, b, b), b.baddbmm(0.5, 2, b, b), m.addbmm(0.5, b, b), m.addbmm(0.5, 2.0, b, b),
    ]  # fmt: skip


@case
def results_keep_the_class_of_a_subclass(t):
    class Marked(t.Tensor):
        pass

    class Closer(Marked):
        pass

    m, n = t.ones(2, 2).as_subclass(Marked), t.zeros(2, 2).as_subclass(Closer)
    p = t.nn.Parameter(t.ones(2))
    results = [
        m + 1, m @ m, m[0], m.sum(), m.t(), m.detach(), m.split(1)[0], m.max(0)[0], t.cat([m, m]),
        t.ones(2) + m, m + n, n + m, p * 2, p * m[0], t.nn.Linear(2, 2)(m),
    ]  # fmt: skip
    return [type(r).__name__ for r in results]


@case
def small_corners(t):
    x, v = t.ones(3, 4, requires_grad=True), t.tensor(2.0, requires_grad=True)
    weights, bytes_, yes = (
        t.arange(12.0).reshape(3, 4),
        t.ones(2, 1, 2, dtype=t.uint8),
        t.tensor([True, False]),
    )
    filled = [
        t.autograd.grad((x.index_fill(0, t.tensor(i), v) * weights).sum(), [x, v])
        for i in ([0, 0], [1])
    ]
    order, (a, b) = [], (t.tensor(1.0, requires_grad=True), t.tensor(2.0, requires_grad=True))
    a.register_hook(lambda g: order.append("a"))
    b.register_hook(lambda g: order.append("b"))
    t.where(t.tensor(True), a, b).backward()
    return [
        filled, order, t.prod(yes, dtype=t.bool), yes.prod(0, dtype=t.bool), t.tensordot(bytes_[:1], bytes_, ([0, 1], [2, 0])),
        t.linalg.vander(t.tensor(3.0), N=2), error(lambda: t.roll(t.tensor(1), 0, 0)), t.roll(t.tensor(1), 1), error(lambda: t.dist(t.ones(2).int(), t.ones(2).int())),
        error(lambda: t.renorm(t.ones(2, 2).int(), 2, 0, 1.0)),
    ]  # fmt: skip


@case
def numbers_written_to_integers_bring_no_gradient(t):
    w, found = t.tensor(2.0, requires_grad=True), []
    for kind in (t.int64, t.bool):
        z = t.zeros(3, dtype=kind)
        z[0] = w
        z[1:].copy_(w.expand(2))
        found += [z, z.requires_grad, z.is_leaf]
    x = t.ones(1, 3)
    x[None] = x
    return [found, x._version]


# ---- numbers that do not fit, and quantities without degrees of freedom


@case
def numbers_that_do_not_fit(t):
    half, mask = t.ones(3, dtype=t.float16), t.tensor([True, False, True])
    byte = t.tensor([1, 2, 3], dtype=t.uint8)
    written = t.zeros(3, dtype=t.float16)
    written[0] = 1e9
    return [
        [error(lambda v=v: half.masked_fill(mask, v)) for v in (-1e9, 65504, 65505, -math.inf)],
        [error(lambda v=v: byte.masked_fill(mask, v)) for v in (300, -1, 1.5)],
        [error(lambda v=v: byte.addcmul(byte, byte, value=v)) for v in (-1, 300, 1.5)],
        [error(lambda e=e: byte.clamp(*e)) for e in ((None, -1), (None, 300), (None, 1.5))],
        error(lambda: half.index_fill(0, t.tensor([1]), 1e9)),
        error(lambda: half.fill_(1e9)),
        error(lambda: half.clamp(None, 1e9)),
        error(lambda: half.clamp(-math.inf)),
        half.masked_fill(mask, math.inf),
        written,
    ]


@case
def factors_beyond_float16(t):
    """Float16 is computed in float32, into which these factors fit; what is converted first does not run."""
    half, small = (
        t.tensor([1.0, 2.0], dtype=t.float16),
        t.tensor([2.0**-10, 2.0**-9], dtype=t.float16),
    )
    square = small[:, None] * t.ones(1, 2, dtype=t.float16)
    tiny = t.tensor([1e-6, 2e-6], dtype=t.float16).requires_grad_()
    gradients = [
        t.autograd.grad(norm(), tiny)[0]
        for norm in (tiny.norm, lambda: t.linalg.vector_norm(tiny, 2, 0))
    ]
    refused = [
        lambda: half.pow(70000),
        lambda: half**-70000,
        lambda: t.linspace(0, 70000, 3, dtype=t.float16),
        lambda: t.nn.functional.hardtanh(half, -70000.0, 1.0),
        lambda: t.nn.functional.hardshrink(half, 70000.0),
        lambda: half.addmv(square, small, alpha=70000),
    ]
    return [
        half.addcmul(small, half, value=2**17),
        half.addcdiv(small, half, value=2**17),
        square.addmm(square, square, alpha=2**17),
        square[None].baddbmm(square[None], square[None], alpha=2**17),
        gradients,
        [error(call) for call in refused],
    ]


@case
def masks_are_clamped_as_numbers(t):
    mask = t.tensor([True, False])
    ends = (
        (None, 1),
        (0, 1),
        (1,),
        (-5, None),
        (None, 0.5),
        (False, 1),
        (False, True),
        (None, True),
    )
    return [
        *[error(lambda e=e: mask.clamp(*e)) for e in ends],
        *[mask.clamp(*e) for e in ends[:6]],
    ]


@case
def variances_without_degrees_of_freedom(t):
    found = []
    for correction in (4, 4.5, 7):
        for values in ([0.0, 1.0, 2.0, 3.0], [2.0] * 4, [1.0, math.nan, 0.0, 0.0]):
            x = t.tensor(values, requires_grad=True)
            spread = x.var(correction=correction)
            spread.backward()
            found += [spread.detach(), x.grad, x.detach().std(correction=correction)]
    return [*found, t.arange(4.0).reshape(2, 2).var(1, correction=2)]


@case
def histograms_have_100_bins(t):
    counts, edges = t.histogram(t.arange(10.0), density=True)
    return [counts.sum(), counts.shape, edges.shape]


@case
def quantiles_are_differentiated_by_the_fractions(t):
    found = []
    values = t.tensor([[1.0, 5.0, 2.0, 7.0], [0.0, 3.0, 9.0, 4.0]], dtype=t.float64)
    holed = values.clone()
    holed[0, 1] = math.nan
    for function in (t.quantile, t.nanquantile):
        for x in (values, holed):
            x = x.clone().requires_grad_()
            q = t.tensor([0.3, 0.5, 1.0], dtype=t.float64, requires_grad=True)
            out = function(x, q, 1)
            (row,) = t.autograd.grad(out.nansum(), q, create_graph=True)
            found += [out.detach(), row.detach(), *t.autograd.grad((row * q).sum(), (x, q))]
    q = t.tensor(0.3, dtype=t.float64, requires_grad=True)
    found.append(t.autograd.grad(values.quantile(q), q)[0])
    kinds = ("lower", "higher", "midpoint", "nearest", "linear")
    return [*found, *[values.quantile(q, 1, interpolation=k).requires_grad for k in kinds]]


@case
def numbers_of_numpy_as_powers_and_orders(t):
    two = np.int64(2)
    x = t.tensor([[3.0, 1.0], [0.0, 4.0]])
    return [
        t.matrix_power(x, two),
        t.linalg.norm(x, two),
        t.linalg.norm(x, 2, np.int64(1)),
        t.linalg.vector_norm(x, two),
        t.linalg.vector_norm(x, np.float32(1)),
        error(lambda: t.linalg.vector_norm(x, "2")).partition(":")[0],
        error(lambda: t.matrix_power(x, np.float64(2))).partition(":")[0],
    ]


@case
def which_types_convolutions_refuse(t):
    kinds = ("bool", "int32", "uint8", "int64", "int16", "float64")
    refused = {}
    for dims in (1, 2, 3):
        for name in (f"conv{dims}d", f"conv_transpose{dims}d"):
            convolve = getattr(t.nn.functional, name)
            for kind in kinds:
                for filters in ("float32", kind):
                    x = t.ones((1, 2) + (4,) * dims).to(getattr(t, kind))
                    w = t.ones((2, 2) + (2,) * dims).to(getattr(t, filters))
                    refused[f"{name} {kind} {filters}"] = error(
                        lambda c=convolve, x=x, w=w: c(x, w).shape and None
                    ).partition(":")[0]
    return refused
