"""`autograd.functional` and `func`: products with vectors, Jacobians, Hessians, batches."""

from functools import partial

from casebook import case, error


def points(t):
    x = t.linspace(0.1, 1.0, 3)
    return x, t.linspace(0.5, 1.5, 3), t.linspace(-1.0, 1.0, 3).requires_grad_()


FUNCTIONS = {
    "square": lambda t: lambda x: x * x,
    "sum_of_cubes": lambda t: lambda x: (x**3).sum(),
    "two_results": lambda t: lambda *a: (a[0] * 2, (a[-1] ** 2).sum()),
    "exp_adder": lambda t: lambda x, y: 2 * x.exp() + 3 * y,
    "scalar_of_two": lambda t: lambda x, y: (2 * x**2 + 3 * y**2 * x).sum(),
    "constant": lambda t: lambda *a: t.ones(2),
    "number": lambda t: lambda *a: 3,
    "linear": lambda t: lambda *a: (a[0] * 2).sum(),
    "unused": lambda t: lambda x, y: (x**2).sum(),
    "one_by_one": lambda t: lambda x: (x * x).sum().reshape(1, 1),
    "detached": lambda t: lambda *a: a[0].detach(),
}


BOTH = {"create_graph": True, "strict": True}


def told(found):
    """Return values and whether they have a history, or the nesting of such."""
    if isinstance(found, (tuple, list)):
        return [type(found).__name__, [told(f) for f in found]]
    if isinstance(found, dict):
        return {k: told(v) for k, v in found.items()}
    return (
        f"{rounded(found.tolist())} {found.requires_grad}"
        if hasattr(found, "requires_grad")
        else found
    )


def rounded(x):
    return [rounded(v) for v in x] if isinstance(x, list) else round(x, 4) + 0.0


def outcome(function):
    said = []
    said.append(error(lambda: said.append(told(function()))))
    return said[0] if len(said) == 2 else said[-1]


def products(t, name):
    x, y, w = points(t)
    call = getattr(t.autograd.functional, name)
    found = {}
    for which, make in FUNCTIONS.items():
        f = make(t)
        found[f"{which}, too long"] = outcome(partial(call, f, x, t.ones(4)))
        for place, inputs in enumerate([x, (x, y), (w, y), (x, 3)]):
            for kind, v in enumerate([None, t.ones(3), (t.ones(3), y)]):
                for options in ({}, BOTH):
                    key = f"{which} {place} {kind} {options}"
                    found[key] = outcome(partial(call, f, inputs, v, **options))
    return found


@case
def vjp(t):
    return products(t, "vjp")


@case
def jvp(t):
    return products(t, "jvp")


@case
def vhp(t):
    return products(t, "vhp")


@case
def hvp(t):
    return products(t, "hvp")


def matrices(t, name):
    x, y, w = points(t)
    call = getattr(t.autograd.functional, name)
    strategy = "strategy" if name == "jacobian" else "outer_jacobian_strategy"
    found = {}
    for which, make in FUNCTIONS.items():
        f = make(t)
        for place, inputs in enumerate([x, (x,), (x, y), (w, y), 3, (x, 3), t.tensor(2.0)]):
            for options in (
                {},
                {"create_graph": True},
                {"strict": True},
                {"create_graph": True, "strict": True},
                {"vectorize": True},
                {"vectorize": True, "strict": True},
                {strategy: "forward-mode"},
                {strategy: "forward-mode", "create_graph": True},
                {strategy: "forward-mode", "strict": True},
                {strategy: "sideways"},
            ):
                found[f"{which} {place} {options}"] = outcome(partial(call, f, inputs, **options))
    return found


@case
def jacobian(t):
    return matrices(t, "jacobian")


@case
def hessian(t):
    return matrices(t, "hessian")


@case
def forward_mode(t):
    x, y, _ = points(t)
    f = t.autograd.functional.jacobian
    options = {"strategy": "forward-mode", "vectorize": True}
    return [
        f(lambda x: x**3, x, **options),
        list(f(lambda x, y: x.sin() * y, (x, y), **options)),
        list(f(lambda x: (x.sum(), x * 2), x, **options)),
    ]


@case
def a_history_reaches_the_inputs(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    w = t.tensor([3.0, 4.0], requires_grad=True)
    f = t.autograd.functional
    matrix = f.jacobian(lambda x: x**3 * w, x, create_graph=True)
    matrix.sum().backward()
    seen = [x.grad.clone(), w.grad.clone()]
    x.grad = w.grad = None
    f.hessian(lambda x: (x**3 * w).sum(), x, create_graph=True).sum().backward()
    seen += [x.grad.clone(), w.grad.clone()]
    before = w.grad
    f.jacobian(lambda x: x**3 * w, x)
    return [*seen, w.grad is before]


@case
def jacobian_of_nothing(t):
    return error(lambda: t.autograd.functional.jacobian(lambda x: x[:0], t.ones(3)))


# ---- func


def both(t):
    return t.func, *points(t)


@case
def func_grad(t):
    f, x, y, w = both(t)
    return [
        told(f.grad(lambda x: (x**2).sum())(x)),
        told(f.grad(lambda x: (x**2).sum())(w)),
        told(f.grad(lambda x: (w * x**2).sum())(x)),
        told(f.grad(lambda x, y: (x * y).sum(), argnums=(1, 0))(x, y)),
        told(f.grad(lambda x, y: (x * y).sum(), argnums=-1)(x, y)),
        told(f.grad(lambda d: (d["a"] ** 2).sum() + d["b"][0].sum())({"a": x, "b": [y, x]})),
        told(f.grad(lambda x, *, k: (x * k).sum())(x, k=3)),
        told(f.grad(lambda x: (x.sum(), {"a": [x * 2]}), has_aux=True)(x)),
        told(f.grad_and_value(lambda x: ((x**2).sum(), x * 2), has_aux=True)(x)),
        told(f.grad_and_value(lambda x: (x**2).sum())(w)),
        f.grad(f.grad(f.grad(lambda x: x**4)))(t.tensor(2.0)),
        f.grad(lambda x: x * f.grad(lambda z: x + z)(x))(t.tensor(2.0)),
        f.grad(t.sin).__name__,
    ]


@case
def func_grad_errors(t):
    f, x, y, _ = both(t)
    whole = t.ones(2, dtype=t.int64)
    return [
        error(lambda: f.grad(lambda x: x.sum())(3.0)),
        error(lambda: f.grad(lambda x: x.sum())(whole)),
        error(lambda: f.grad(lambda x: x * 2)(x)),
        error(lambda: f.grad(lambda x: 3)(x)),
        error(lambda: f.grad(lambda x: x.sum(), argnums=2)(x)),
        error(lambda: f.grad(lambda x: x.sum(), argnums=())(x)),
        error(lambda: f.grad(lambda x: x.sum(), argnums="a")(x)),
        error(lambda: f.grad(lambda x, y: x.sum(), argnums=(0, 0))(x, y)),
        error(lambda: f.grad(lambda x: (x.sum(), x, 3), has_aux=True)(x)),
        error(lambda: f.grad(lambda x: (x.sum(), 3), has_aux=True)(x)),
    ]


@case
def func_grad_and_no_grad(t):
    f, x, _, w = both(t)

    def inner(x):
        with t.no_grad():
            c = x**2
        return (x - c).sum()

    with t.no_grad():
        outside = told(f.grad(lambda x: (x**2).sum())(w))
    return [told(f.grad(inner)(x)), outside, w.grad]


@case
def func_vjp(t):
    f, x, y, w = both(t)
    value, multiply = f.vjp(lambda a, b: a * b, x, w)
    nested = f.vjp(lambda d: {"p": d["a"] * d["b"]}, {"a": x, "b": y})[1]
    return [
        told(value),
        told(multiply(y)),
        told(multiply(y)),
        told(nested({"p": y})),
        f.vjp(lambda x: (x * 2, x), x, has_aux=True)[2],
        error(lambda: f.vjp(lambda x: 3, x)),
        error(lambda: f.vjp(lambda x: None, x)),
        error(lambda: f.vjp(lambda x: (x, 3), x)),
        error(lambda: f.vjp(lambda x: x.long(), x)),
        error(lambda: multiply(t.ones(4))),
        error(lambda: multiply((x,))),
    ]


@case
def func_jvp(t):
    f, x, y, w = both(t)
    return [
        told(f.jvp(lambda x: x**2, (x,), (y,))),
        told(f.jvp(lambda a, b: {"p": a * b}, (x, w), (y, y))),
        told(f.jvp(lambda x: (x**2, x * 3), (x,), (y,), has_aux=True)),
        told(f.jvp(lambda x: y, (x,), (y,))),
        error(lambda: f.jvp(lambda x: y, (x,), (y,), strict=True)),
        error(lambda: f.jvp(lambda x: x, x, x)),
        error(lambda: f.jvp(lambda x: x, (x,), x)),
        error(lambda: f.jvp(lambda x: x, (x,), (x, x))),
        error(lambda: f.jvp(lambda x: 3, (x,), (x,))),
        error(lambda: f.jvp(lambda x: x, (3,), (3,))),
        error(lambda: f.jvp(lambda x: x, (), ())),
        error(lambda: f.jvp(lambda x: x * 2, (x,), (t.ones(4),))),
    ]


@case
def func_jacobians(t):
    f, x, y, w = both(t)
    m = t.arange(6.0).reshape(2, 3)
    found = []
    for make in (f.jacrev, f.jacfwd):
        found += [
            told(make(lambda x: x**2)(x)),
            told(make(t.sin)(w)),
            told(make(lambda a, b: a @ b, argnums=(0, 1))(m, y)),
            told(make(lambda a, b: a @ b, argnums=1)(m, y)),
            told(make(lambda x: (x, {"q": x * 2}), argnums=(0,))(x)),
            told(make(lambda x: (x["p"], (x["p"] * 2,)))({"p": x})),
            told(make(lambda x: (x, x * 2), has_aux=True)(x)),
            make(lambda x: x[:0])(x),
            error(partial(make(lambda x: x, argnums=3), x)),
        ]
    return [
        *found,
        f.jacrev(lambda x: x**2, chunk_size=2)(x),
        error(lambda: f.jacrev(lambda x: x, chunk_size=0)),
        error(lambda: f.jacrev(lambda x: x > 1)(x)),
        f.hessian(lambda x: x.sin().sum())(x),
        told(f.hessian(lambda a, b: (a * b**2).sum(), argnums=(0, 1))(x, w)),
        f.jacrev(f.jacrev(lambda x: (x**3).sum()))(x),
        f.jacfwd(f.jacfwd(lambda x: x**3))(x),
        f.jacrev(f.jacfwd(lambda x: x**3))(x),
    ]


@case
def func_vmap(t):
    f, x, y, w = both(t)
    m = t.arange(6.0).reshape(2, 3)
    twice = f.vmap(lambda a, b: a * b, in_dims=(0, None))
    return [
        f.vmap(t.dot)(m, m),
        f.vmap(t.dot, in_dims=(0, None))(m, y),
        f.vmap(twice, in_dims=(None, 0))(m[0], m[1]),
        f.vmap(lambda x: x + 1, in_dims=1, out_dims=1)(m),
        f.vmap(lambda x: x + 1, in_dims=-1, out_dims=-1)(m),
        f.vmap(lambda x, c: x * c, in_dims=(0, None))(m, 3),
        told(f.vmap(lambda x, c: x * c, in_dims=(0, None))(x, w)),
        f.vmap(f.jacrev(lambda x: x**2))(m),
        told(f.vmap(lambda d: {"s": d["a"].sum()})({"a": m})),
        f.vmap(lambda x: (x, 7), out_dims=(0, None))(x)[1],
        f.vmap(lambda x: x, chunk_size=2)(x),
        f.vmap(lambda x: x)(t.ones(0, 2)),
        f.vmap(f.grad(lambda p, a: ((a * p) ** 2).sum()), in_dims=(None, 0))(y, m),
    ]


@case
def func_vmap_errors(t):
    f, x, y, _ = both(t)
    same = lambda x: x  # noqa: E731
    return [
        error(lambda: f.vmap(same, randomness="x")(x)),
        error(lambda: f.vmap(lambda x: t.randn(1))(x)),
        error(lambda: f.vmap(lambda x: 3)(x)),
        error(lambda: f.vmap(same)()),
        error(lambda: f.vmap(same, in_dims="a")(x)),
        error(lambda: f.vmap(same, in_dims=1)(x)),
        error(lambda: f.vmap(same)(3)),
        error(lambda: f.vmap(lambda a, b: a)(x, t.ones(4))),
        error(lambda: f.vmap(same, in_dims=None)(x)),
        error(lambda: f.vmap(same, in_dims=(None,))(x)),
        error(lambda: f.vmap(same, out_dims=1)(x)),
        error(lambda: f.vmap(same, out_dims="a")(x)),
        error(lambda: f.vmap(same, out_dims=(0, 1))(x)),
        error(lambda: f.vmap(same, chunk_size=0)),
        error(lambda: f.vmap(lambda x: (x, x), out_dims=(0, None))(x)),
        error(lambda: f.vmap(same, in_dims=({"a": 0},))(y)),
    ]


@case
def jacobians_of_transposed_tensors(t):
    x = t.arange(6.0).reshape(3, 2)
    v = t.ones(2, 3)
    return [
        t.func.jacrev(lambda a: a.sin().t())(x),
        t.func.jacfwd(lambda a: (a * a).t())(x.t()),
        t.func.hessian(lambda a: a.t().softmax(0).square().sum())(x.t()),
        t.func.jvp(lambda a: a.t().cumsum(0), (x.t(),), (v,))[1],
        t.autograd.functional.jacobian(lambda a: a.exp().t(), x.t(), vectorize=True),
    ]


@case
def products_where_the_gradient_is_zero(t):
    """The derivative of a vjp by the gradient, at a gradient of 0, is what `jvp` takes."""
    x = t.tensor([[0.3, -1.2], [1.1, 0.4]], dtype=t.float64)
    v = t.tensor([[0.5, 0.1], [0.2, -0.3]], dtype=t.float64)
    F, found = t.nn.functional, []
    for call in (
        t.linalg.det,
        lambda a: a.logcumsumexp(1),
        F.gelu,
        lambda a: F.softplus(a, 2.0),
        F.logsigmoid,
        lambda a: t.special.entr(a.square()),
    ):

        def total(a, call=call):
            return (call(a) * 1.5).sin().sum()

        found += [t.func.jvp(call, (x,), (v,))[1], t.func.hessian(total)(x).flatten()]
    return found
