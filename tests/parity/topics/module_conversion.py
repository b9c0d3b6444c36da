"""Other types and devices for a whole Module, and the tensors that a Module recognises."""

import copy
import pickle

from casebook import case, error


@case
def to_in_all_forms(t):
    m, out = t.nn.Linear(2, 1), []
    calls = (
        *(((), {}), ((None,), {}), (("cpu",), {}), (("cpu:0",), {}), ((t.device("cpu"),), {})),
        *(((t.float64,), {}), (("cpu", t.float32), {}), (("cpu", t.float64, True), {})),
        *(((None, t.float16), {}), ((), dict(device="cpu", dtype=t.float32)), ((float,), {})),
        *(
            ((t.float32, True), {}),
            ((t.ones(1),), {}),
            ((), dict(tensor=t.ones(1))),
        ),
        *(((), dict(non_blocking=True)), ((t.nn.Parameter(t.ones(1).double()),), {})),
    )
    for args, kwargs in calls:
        same = m.to(*args, **kwargs) is m
        out.append([same, str(m.weight.dtype), str(m.weight.device)])
    return out


@case
def to_refuses(t):
    m = t.nn.Linear(2, 1)
    calls = (
        *(((t.int64,), {}), ((int,), {}), ((bool,), {}), ((t.ones(1).long(),), {}), (([],), {})),
        *(
            (("a", 3, 4, 5), {}),
            (([],), dict(foo=1)),
            (([],), dict(foo=1, bar=None)),
            (("abc",), {}),
        ),
        *(((), dict(foo=1)), ((), dict(foo=1, bar=[])), ((), dict(dtype=3)), ((), dict(copy=True))),
        *(((t.float32, True, False), {}), ((), dict(device=t.float32)), (("cpu", "cpu"), {})),
        *(((t.float32,), dict(dtype=t.float32)), ((t.float32,), dict(device="cpu"))),
        *(
            ((t.ones(1), t.float64), {}),
            ((), dict(non_blocking=1)),
            (("cpu",), dict(non_blocking="x")),
        ),
        *(((t.float64, t.float32), {}), ((), dict(memory_format=3)), ((), dict(other=t.ones(1)))),
    )
    return [*[error(lambda a=a, k=k: m.to(*a, **k)) for a, k in calls], str(m.weight.dtype)]


@case
def casts(t):
    m = t.nn.Linear(2, 1)
    m.register_buffer("count", t.tensor([1]))
    calls = (m.double, m.half, m.float, lambda: m.type(t.float64), m.cpu)
    out = [[cast() is m, str(m.weight.dtype), str(m.count.dtype)] for cast in calls]
    return [
        *out,
        error(lambda: m.type(t.int64)),
        error(lambda: m.type("x")),
        error(lambda: m.type()),
        error(lambda: m.float(1)),
        error(lambda: m.to_empty("cpu")),
        error(lambda: m.to_empty()),
        tuple(m.to_empty(device="cpu").weight.shape),
        m.to_empty(device="cpu", recurse=False) is m,
    ]


@case
def what_stays_the_same(t):
    m = t.nn.Linear(2, 1)
    m.register_buffer("i", t.tensor([1]))
    m.register_buffer("f", t.ones(1))
    m(t.ones(1, 2)).sum().backward()
    w, g, i, f = m.weight, m.weight.grad, m.i, m.f
    m.double()
    return [
        [m.weight is w, w.grad is g, m.i is i, m.f is f],
        w.grad,
        [w.is_leaf, w.requires_grad],
        m.requires_grad_(False).float().weight.requires_grad,
    ]


@case
def apply_to_tensors(t):
    nn = t.nn
    m, seen = nn.Sequential(nn.Linear(2, 1)), []
    m.register_buffer("b", t.ones(1))
    m._apply(lambda x: seen.append([type(x).__name__, list(x.shape)]) or x)
    m._apply(lambda x: seen.append(list(x.shape)) or x, recurse=False)
    first, second = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
    second.weight = first.weight
    with t.no_grad():
        first.weight.fill_(1)
    nn.Sequential(first, second)._apply(lambda x: x * 3)
    return [seen, first.weight is second.weight, first.weight, error(lambda: m._apply(lambda x: 5))]


@case
def conversion_and_optimizer(t):
    m = t.nn.Linear(1, 1)
    with t.no_grad():
        m.weight.fill_(2)
    optimizer = t.optim.SGD(m.parameters(), lr=0.5)
    m.double()
    m(t.ones(1, 1, dtype=t.float64)).sum().backward()
    optimizer.step()
    return m.weight


@case
def meta(t):
    m = t.nn.Linear(1, 1)
    w = m.weight
    m.to("meta")
    out = [m.weight is w, str(m.weight.device), m.weight.requires_grad, error(lambda: m.to("cpu"))]
    w = m.weight
    m.to_empty(device="cpu")
    return [*out, m.weight is w, str(m.weight.device), m.weight.requires_grad]


@case
def parameters_are_made_of(t):
    P = t.nn.Parameter
    calls = (
        lambda: P(5),
        lambda: P([1.0]),
        lambda: P(t.tensor([1])),
        lambda: P(t.tensor([True])),
        lambda: P(t.tensor([1]), False),
        lambda: P(),
        lambda: P(None, False),
        lambda: P(t.ones(1), 1),
        lambda: P(t.ones(1), "x"),
        lambda: P(P(t.ones(1))),
        lambda: P(t.ones(1, requires_grad=True) * 2),
        lambda: P(t.ones(1), True, 3),
        lambda: P(data=t.ones(1), requires_grad=False),
    )
    return [error(f) for f in calls]


@case
def parameters_are_copied(t):
    p = t.nn.Parameter(t.ones(2))
    p.tag, p.grad = "x", t.ones(2)
    out = []
    for copied in (copy.deepcopy, copy.copy, lambda x: pickle.loads(pickle.dumps(x))):
        q = copied(p)
        out.append([type(q).__name__, hasattr(q, "tag"), q.requires_grad, q is p, q])
    pair = copy.deepcopy([p, p])
    return [*out, pair[0] is pair[1], copy.deepcopy(p).grad]


@case
def parameter_subclasses(t):
    class Named(t.nn.Parameter):
        def __new__(cls, data, name="n"):
            made = super().__new__(cls, data)
            made.label = name
            return made

        def __init__(self, data, name="n"):
            pass

    p, plain = Named(t.ones(1), "q"), t.nn.Parameter(t.ones(1))
    m = t.nn.Module()
    m.p = p
    return [
        p.label,
        type(p).__name__,
        repr(p),
        isinstance(p, t.nn.Parameter),
        isinstance(plain, Named),
        list(m._parameters),
        error(lambda: t.nn.Parameter(p)),
    ]


@case
def buffers(t):
    B = t.nn.Buffer
    b = B(t.ones(2))
    m = t.nn.Module()
    m.b, m.c = B(t.ones(1), persistent=False), B(t.zeros(1))
    return [
        [type(b).__name__, isinstance(b, B), isinstance(t.ones(1), B), b.persistent, repr(b)],
        [isinstance(x, B) for x in (b * 2, b.clone(), b.detach(), copy.deepcopy(b), copy.copy(b))],
        isinstance(pickle.loads(pickle.dumps(b)), B),
        [error(lambda a=a: B(a)) for a in (5, [1.0], None, t.tensor([1]))],
        error(lambda: B(t.ones(1), False)),
        [list(m._buffers), sorted(m._non_persistent_buffers_set), list(m.state_dict())],
        isinstance(m.double().b, B),
        type(B(t.nn.Parameter(t.ones(1)))).__name__,
    ]


@case
def to_with_too_many_and_with_odd_devices(t):
    m = t.nn.Linear(1, 1)
    out = [error(lambda: m.to("cpu", t.float64, True, True, 1)), error(lambda: m.to(1, 2, 3, 4, 5))]
    devices = "float64", "cpu1", "c pu", "cpu:", "cpu:01", "cpu:0:1", ":0", "no_pe", "CPU", ""
    return [*out, *(error(lambda text=text: m.to(text)) for text in devices)]
