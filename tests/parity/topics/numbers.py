"""Numbers of Python that do not fit into the type of the tensor that they meet: they wrap around, or are refused."""

import operator

from casebook import case

NUMBERS = [-1, 300, 1.5, True, float("inf")]
KINDS = ["uint8", "int16", "bool"]
METHODS = [
    "add", "sub", "mul", "div", "floor_divide", "remainder", "fmod", "pow", "eq", "lt", "bitwise_and", "bitwise_left_shift", "bitwise_right_shift", "clamp_min",
    "add_", "mul_", "pow_", "floor_divide_", "fill_", "new_tensor",
]  # fmt: skip
REFLECTED = ["sub", "truediv", "floordiv", "mod", "pow", "and_", "lshift", "rshift"]


def calls(t):
    """What a tensor and a number do together, by name."""
    F = t.nn.functional
    return {
        **{n: lambda x, v, n=n: getattr(x.clone(), n)([v] if n == "new_tensor" else v) for n in METHODS if n != "clamp_min"},
        **{f"number {n}": lambda x, v, n=n: getattr(operator, n)(v, x) for n in REFLECTED},
        "add alpha": lambda x, v: t.add(x, x, alpha=v), "rsub alpha": lambda x, v: t.rsub(x, 2, alpha=v), "where": lambda x, v: t.where(x > 0, x, v),
        "index_fill": lambda x, v: x.index_fill(0, t.tensor([0]), v), "masked_fill": lambda x, v: x.masked_fill(x == 1, v), "full_like": lambda x, v: t.full_like(x, v), "new_full": lambda x, v: t.ones(1).new_full((2,), v, dtype=x.dtype),
        "write": lambda x, v: operator.setitem(x, slice(1), v) or x, "pad": lambda x, v: F.pad(x, (1, 0), value=v), "linspace": lambda x, v: t.linspace(0, v, 3, dtype=x.dtype),
        "logspace": lambda x, v: t.logspace(0, v, 3, base=2, dtype=x.dtype), "arange": lambda x, v: t.arange(v, v + 3, dtype=x.dtype), "div trunc": lambda x, v: t.div(x, v, rounding_mode="trunc"),
        "addmm": lambda x, v: t.addmm(x[:, None], x[:, None], x[:1, None], beta=v, alpha=v), "addmv": lambda x, v: t.addmv(x, x[:, None], x[:1], alpha=v), "addr": lambda x, v: t.addr(x[None], x[:1], x, beta=v),
        "hardtanh": lambda x, v: F.hardtanh(x, 0, v), "threshold": lambda x, v: F.threshold(x, v, 1), "threshold's value": lambda x, v: F.threshold(x, 1, v),
        "fill_diagonal_": lambda x, v: x.expand(2, 3).clone().fill_diagonal_(v), "bucketize": lambda x, v: t.bucketize(v, x), "clip": lambda x, v: x.clip(v, 2),
        "of nothing": lambda x, v: [x[:0] // v, x[:0] % v, t.fmod(x[:0], v), t.div(x[:0], v, rounding_mode="trunc")],
    }  # fmt: skip


def outcome(function):
    """Return the type and the numbers of what comes out, or what is refused, in one line."""
    try:
        out = function()
    except Exception as e:
        return f"{type(e).__name__}: {str(e).splitlines()[0]}"[:60]
    return " ".join(f"{str(y.dtype).rpartition('.')[2]} {y.flatten().tolist()}" for y in ([out] if hasattr(out, "dtype") else out))  # fmt: skip


@case
def numbers_that_do_not_fit(t):
    made = {kind: t.tensor([0, 1, 2]).to(getattr(t, kind)) for kind in KINDS}
    skipped = {"clip", "bucketize", "arange", "number lshift"}  # of booleans
    return {
        name: {kind: [outcome(lambda call=call, x=x, v=v: call(x.clone(), v)) for v in NUMBERS] for kind, x in made.items() if kind != "bool" or name not in skipped}
        for name, call in calls(t).items()
    }  # fmt: skip


@case
def numbers_that_float16_cannot_hold(t):
    x = t.tensor([0.0, 1.0]).half()
    return [
        [outcome(lambda f=f, v=v: f(v)) for v in (7e4, -1e30)]
        for f in (x.clone().fill_, x.new_full((1,), 1).add_, lambda v: t.full((2,), v, dtype=t.float16), lambda v: t.add(x, x, alpha=v), lambda v: t.where(x > 0, x, v), lambda v: operator.setitem(x, 0, v) or x)
    ]  # fmt: skip


@case
def a_power_of_two_beyond_the_type(t):
    x = t.tensor([0.0, 1e-30, -1.0, 3.0], requires_grad=True)
    y = t.ldexp(x, t.tensor([300, 200, 100, 3]))
    y[3].backward()
    return [y, y.grad_fn.name(), x.grad, t.ldexp(x.detach().half(), t.tensor([30, 120, 3, -2]))]


@case
def numbers_beside_float16(t):
    """A product and a quotient are computed in float32: 1 / 70,000 is not 0."""
    x = t.tensor([3.0, -0.5, 0.0, 6e4]).half().requires_grad_()
    numbers = [7e4, 65536, 1e-8, 0.1]
    asked = [lambda v: x * v, lambda v: v * x, lambda v: x / v, lambda v: x.detach().clone().div_(v), lambda v: x * t.tensor(v), lambda v: t.autograd.grad((x * v / v).sum(), x)[0]]  # fmt: skip
    return [[f(v) for v in numbers] for f in asked] + [x + 0.1, x.eq(0.1), 7e4 / t.tensor([2.0]).half()]  # fmt: skip
