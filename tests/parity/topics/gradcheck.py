"""`gradcheck` and `gradgradcheck`: what passes, and what is said where something does not."""

import warnings
from functools import partial

from casebook import case, error


def functions(t):
    """Return functions of tensors, right and wrong, by name."""

    class Wrong(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0] * 3

    class Constant(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return t.full_like(g, 2.0)

    class Noisy(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2 + t.rand_like(g) * 1e-9

    class NeedsBoth(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g, h):
            return g * 2 + h * 3

    class NeedsNone(NeedsBoth):
        @staticmethod
        def backward(ctx, g, h):
            given = [d * k for d, k in ((g, 2), (h, 3)) if d is not None]
            return sum(given[1:], given[0]) if given else None

    return {
        "sin": lambda *a: a[0].sin(),
        "mul": lambda *a: a[0] * a[-1],
        "two": lambda *a: (a[0] * 2, a[0].exp()),
        "a_list": lambda *a: [a[0] * 2, a[0] * 3],
        "scalar": lambda *a: (a[0] ** 3).sum(),
        "nothing_left": lambda *a: a[0][:0],
        "detached": lambda *a: a[0].detach(),
        "flat": lambda *a: a[0].detach() * 0,
        "a_number": lambda *a: 3,
        "wrong": lambda *a: Wrong.apply(a[0]),
        "constant": lambda *a: Constant.apply(a[0]),
        "noisy": lambda *a: Noisy.apply(a[0]),
        "needs_both": lambda *a: NeedsBoth.apply(a[0]),
        "needs_none": lambda *a: NeedsNone.apply(a[0]),
    }


def inputs(t):
    double = {"dtype": t.float64, "requires_grad": True}
    x = t.tensor([0.3, 0.7, 1.1], **double)
    return {
        "x": x,
        "pair": (x, t.tensor([0.9, 0.2, 0.4], **double)),
        "matrix": t.tensor([[0.1, 0.2], [0.3, 0.4]], **double),
        "scalar": t.tensor(2.0, **double),
        "with_number": (x, 3.0),
        "list": [x, x.detach()],
        "none_required": t.ones(2),
    }


OPTIONS = [
    {},
    {"fast_mode": True},
    {"raise_exception": False},
    {"check_undefined_grad": False},
    {"nondet_tol": 1e-6},
    {"masked": True},
    {"check_grad_dtypes": True},
    {"check_batched_grad": True},
    {"eps": 1e-3, "atol": 1e-2, "rtol": 0.1},
]


def results(t, name):
    check, found = getattr(t.autograd, name), {}
    for which, f in functions(t).items():
        for kind, x in inputs(t).items():
            for options in OPTIONS:
                t.manual_seed(0)
                with warnings.catch_warnings(record=True) as seen:
                    warnings.simplefilter("always")
                    said = error(partial(check, f, x, **options))
                said = said, sorted({str(w.message) for w in seen})
                found[f"{which} {kind} {options}"] = list(said)
    return found


@case
def gradcheck(t):
    return results(t, "gradcheck")


@case
def gradgradcheck(t):
    return results(t, "gradgradcheck")


@case
def messages(t):
    x = inputs(t)["x"]
    seen = []
    for options in ({}, {"fast_mode": True}):
        try:
            t.autograd.gradcheck(functions(t)["wrong"], x, **options)
        except RuntimeError as e:
            first, numerical, analytical = str(e).split("\n\n")[0].split(":", 2)
            seen += [first, analytical.startswith("tensor") is not bool(options)]
            seen += [type(e).__name__, type(e).__module__, numerical.count("[")]
    return seen


@case
def single_precision(t):
    x = t.tensor([0.5, 1.0], requires_grad=True)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        passed = t.autograd.gradcheck(lambda x: x * 2, x, eps=1e-2, atol=1e-2)
    return [passed, [str(w.message) for w in seen]]


@case
def refused(t):
    x = inputs(t)["x"]
    check = t.autograd.gradcheck
    wide = t.ones(1, dtype=t.float64).expand(3).requires_grad_()
    return [
        error(lambda: check(t.sin, wide)),
        error(lambda: check(t.sin, x, check_backward_ad=False)),
        error(lambda: check(t.sin, x, check_batched_forward_grad=True)),
        error(lambda: t.autograd.gradgradcheck(t.sin, x, check_rev_over_rev=False)),
        error(
            lambda: t.autograd.gradgradcheck(
                t.sin, x, check_rev_over_rev=False, check_fwd_over_rev=True
            )
        ),
    ]


@case
def changed_forms(t):
    x = inputs(t)["x"]
    calls = []

    def other_shape(x):
        calls.append(1)
        return x[: len(calls) % 2 + 1] * 2

    return error(lambda: t.autograd.gradcheck(other_shape, x))


@case
def leaves_no_trace(t):
    x = inputs(t)["x"]
    t.manual_seed(3)
    before = x.detach().clone()
    t.autograd.gradcheck(t.sin, x, fast_mode=True)
    return [x.grad, (x.detach() == before).all(), t.rand(2)]


@case
def grad_outputs(t):
    x = inputs(t)["x"]
    weights = t.tensor([1.0, -2.0, 3.0], dtype=t.float64, requires_grad=True)
    t.manual_seed(0)
    return [
        t.autograd.gradgradcheck(t.sin, x, weights),
        t.autograd.gradgradcheck(t.sin, (x,), (weights.detach(),)),
        t.autograd.gradgradcheck(t.sin, x, gen_non_contig_grad_outputs=True),
    ]
