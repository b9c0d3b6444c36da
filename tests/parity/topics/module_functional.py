"""A Module called with other parameters than its own."""

import importlib
import warnings

from casebook import case, error


def of(t, path):
    return importlib.import_module(f"{t.__name__}.{path}")


def tied(t):
    class Tied(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.foo = t.nn.Parameter(t.tensor([2.0]))
            self.bar = t.nn.Parameter(t.tensor([3.0]))
            self.foo_tied = self.foo
            self.register_buffer("buf", t.tensor([1.0]))
            self.buf_tied = self.buf

        def forward(self, x):
            return x * self.foo + self.foo_tied + self.bar + self.buf + self.buf_tied

    return Tied()


@case
def call_forms(t):
    call, m, x = of(t, "func").functional_call, t.nn.Linear(2, 1), t.ones(2)
    w, d = m.weight, {"weight": t.ones(1, 2), "bias": t.zeros(1)}
    return [
        call(m, d, x),
        call(m, d, (x,)),
        call(m, (d,), x),
        call(m, [{"weight": t.ones(1, 2)}, {"bias": t.ones(1)}], (x,)),
        call(m, d, kwargs={"input": x}),
        call(m, d, (), {"input": x}),
        list(call(m, {}, x).shape),
        m.weight is w,
    ]


@case
def call_refuses(t):
    call, m, x = of(t, "func").functional_call, t.nn.Linear(2, 1), t.ones(2)
    w, d = m.weight, {"weight": t.ones(1, 2), "bias": t.zeros(1)}
    given = (
        *([d, d], [d, 5], 5, {"weight": 5}, {"a.b": t.ones(1)}, {"": t.ones(1)}, {"a": 5}),
        *({"weight.q": t.ones(1)}, {"in_features": t.ones(1)}, {"weight": t.ones(5, 5)}),
    )
    said = [error(lambda g=g: call(m, g, x)) for g in given]
    strict = [{"a": t.ones(1)}, {**d, "a": t.ones(1)}, {"weight": t.ones(1, 2)}]
    return [
        said,
        [error(lambda g=g: call(m, g, x, strict=True)) for g in strict],
        call(m, d, x, strict=True),
        m.weight is w,
        list(m._parameters),
        hasattr(m, "a"),
        error(lambda: call(m, d)),
        error(lambda: call(m)),
    ]


@case
def tied_weights(t):
    call, m, x = of(t, "func").functional_call, tied(t), t.ones(1)
    a, b = t.tensor([10.0]), t.tensor([20.0])
    both, full = {"foo": a, "foo_tied": b}, {"foo": a, "bar": a, "buf": a}
    return [
        m(x),
        call(m, {"foo": a}, x),
        call(m, {"foo_tied": a}, x),
        call(m, {"foo": a}, x, tie_weights=False),
        call(m, {"foo": a, "foo_tied": a}, x),
        error(lambda: call(m, both, x)),
        call(m, both, x, tie_weights=False),
        call(m, full, x, strict=True),
        error(lambda: call(m, full, x, strict=True, tie_weights=False)),
        m(x),
    ]


@case
def buffers_are_written_back(t):
    class Counts(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", t.zeros(1))

        def forward(self, x):
            self.n = self.n + 1
            return x + self.n

    call, m, d = of(t, "func").functional_call, Counts(), {"n": t.tensor([5.0])}
    first, second = call(m, d, t.ones(1)), call(m, d, t.ones(1))
    return [first, second, d, m.n]


@case
def everything_is_put_back(t):
    class Fails(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = t.nn.Parameter(t.ones(1))

        def forward(self, x):
            raise ValueError("boom")

    call, m = of(t, "func").functional_call, Fails()
    w = m.w
    said = error(lambda: call(m, {"w": t.zeros(1), "extra": t.zeros(1)}, t.ones(1)))
    return [said, m.w is w, hasattr(m, "extra")]


@case
def gradients_reach_the_given(t):
    call, m = of(t, "func").functional_call, t.nn.Linear(2, 1)
    given = {k: t.ones(*v.shape, requires_grad=True) for k, v in m.named_parameters()}
    call(m, given, t.ones(3, 2)).sum().backward()
    return [{k: v.grad for k, v in given.items()}, m.weight.grad]


@case
def the_older_name(t):
    call, m = of(t, "nn.utils.stateless").functional_call, t.nn.Linear(2, 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call(m, {"weight": t.ones(1, 2), "bias": t.zeros(1)}, t.ones(2))
    return [found, [[w.category.__name__, str(w.message)] for w in caught]]


@case
def stacked_state(t):
    stack, nn = of(t, "func").stack_module_state, t.nn
    models = [nn.Linear(2, 1) for _ in range(3)]
    parameters, buffers = stack(models)
    shapes = {k: [list(v.shape), v.requires_grad, v.is_leaf] for k, v in parameters.items()}
    models[0].weight.requires_grad_(False)
    return [
        shapes,
        buffers,
        error(lambda: stack([])),
        error(lambda: stack([nn.Linear(1, 1), nn.ReLU()])),
        error(lambda: stack([nn.Linear(1, 1), nn.Linear(1, 1).eval()])),
        error(lambda: stack(models)),
    ]
