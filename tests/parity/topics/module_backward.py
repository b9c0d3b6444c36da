"""Hooks on the gradients of a Module."""

import warnings
from collections import OrderedDict, namedtuple

from casebook import case, error


def layer(t):
    m = t.nn.Linear(2, 1)
    with t.no_grad():
        m.weight.fill_(2.0)
        m.bias.fill_(1.0)
    return m


def does(t, function):
    """Return a module whose forward is `function`."""

    class Does(t.nn.Module):
        def forward(self, *args, **kwargs):
            return function(*args, **kwargs)

    return Does()


def warned(function):
    """Return what `function` raises or returns, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function()
        except Exception as e:
            value = f"{type(e).__name__}: {e}"
    return [value, [[w.category.__name__, str(w.message)] for w in caught]]


@case
def full_hook_sees(t):
    m, log = layer(t), []
    m.register_full_backward_hook(lambda mod, gi, go: log.append([type(mod).__name__, gi, go]))
    x = t.ones(3, 2, requires_grad=True)
    y = m(x)
    y.sum().backward()
    return [y.grad_fn.name(), log, x.grad, m.weight.grad, m.bias.grad]


@case
def full_hooks_change_and_order(t):
    m, log = layer(t), []
    m.register_full_backward_hook(lambda mod, gi, go: log.append(["hook", gi, go]))
    m.register_full_backward_hook(
        lambda *a: log.append("first") or (a[1][0] * 0 + 5,), prepend=True
    )
    m.register_full_backward_pre_hook(lambda mod, go: log.append(["pre", go]))
    m.register_full_backward_pre_hook(lambda *a: log.append("pre0") or (a[1][0] * 2,), prepend=True)
    x = t.ones(3, 2, requires_grad=True)
    m(x).sum().backward()
    return [log, x.grad, m.weight.grad, m._is_full_backward_hook]


@case
def no_input_wants_gradients(t):
    x, log, out = t.ones(3, 2), [], []
    m = layer(t)
    m.register_full_backward_hook(lambda mod, gi, go: log.append([gi, go]))
    y = m(x)
    out.append(warned(lambda: y.sum().backward()))
    for answer in ((t.ones(3, 2),), (None,), 5):
        m = layer(t)
        m.register_full_backward_hook(lambda mod, gi, go, a=answer: a)
        out.append([warned(lambda m=m: m(x).sum().backward()), m.bias.grad])
    m = layer(t)
    m.register_full_backward_pre_hook(lambda mod, go: (go[0] * 3,))
    warned(lambda: m(x).sum().backward())
    return [out, log, m.bias.grad]


@case
def wrong_counts(t):
    x, out = t.ones(3, 2, requires_grad=True), []
    for answer in (lambda g: (g[0], g[0]), lambda g: (), lambda g: 5, lambda g: [g[0] * 0]):
        for kind in ("register_full_backward_hook", "register_full_backward_pre_hook"):
            m = layer(t)
            getattr(m, kind)(lambda mod, gi, go=None, f=answer: f(gi))
            x.grad = None
            out.append([error(lambda m=m: m(x).sum().backward()), x.grad])
    return out


@case
def several_inputs_and_outputs(t):
    def forward(a, b=None, c=3):
        return a * 2, (a * b if b is not None else 1), c

    m, log, out = does(t, forward), [], []
    m.register_full_backward_hook(lambda mod, gi, go: log.append(["hook", gi, go]))
    m.register_full_backward_pre_hook(lambda mod, go: log.append(["pre", go]))
    a, fixed, free = t.ones(2, requires_grad=True), t.ones(2), t.ones(2, requires_grad=True)
    for args, kwargs, which in (
        ((a, free), {}, (0, 1)),
        ((a, free), {}, (0,)),
        ((a, free, 4), {}, (1,)),
        ((a,), {"b": free}, (1,)),
        ((a, 5), {}, (0,)),
    ):
        log.clear()
        a.grad = free.grad = None
        results = m(*args, **kwargs)
        sum(results[i].sum() for i in which).backward()
        out.append([log[:], a.grad, free.grad, [type(r).__name__ for r in results]])
    log.clear()
    with t.no_grad():
        silent = m(a, free)[0].requires_grad
    return [out, silent, m(fixed, fixed)[0].requires_grad, log]


@case
def odd_results(t):
    x, out = t.ones(2, requires_grad=True), []
    kinds = {
        "dict": lambda x: {"a": x * 2},
        "list": lambda x: [x * 2],
        "text": lambda x: "s",
        "none": lambda x: None,
        "empty": lambda x: (),
        "mixed": lambda x: (x * 2, "s"),
        "same": lambda x: x,
        "twice": lambda x: (x, x),
        "detached": lambda x: x.detach(),
    }
    for name, function in kinds.items():
        m = does(t, function)
        m.register_full_backward_hook(lambda *args: None)
        out.append([name, warned(lambda m=m: m(x) is None)])
    Pair = namedtuple("Pair", "a b")
    log, m = [], does(t, lambda x: Pair(x * 2, 3))
    m.register_full_backward_hook(lambda mod, gi, go: log.append([gi, list(go)]))
    pair = m(x)
    pair.a.sum().backward()
    return [out, type(pair).__name__, pair.b, log, x.grad]


@case
def without_arguments(t):
    class Alone(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = t.nn.Parameter(t.ones(2))

        def forward(self):
            return self.w * 2

    m, log = Alone(), []
    m.register_full_backward_hook(lambda mod, gi, go: log.append([gi, go]))
    return [warned(lambda: m().sum().backward()), log, m.w.grad]


@case
def written_in_place_afterwards(t):
    x = t.ones(2, requires_grad=True) * 1
    m, inside = t.nn.Identity(), does(t, lambda x: x.add_(1))
    m.register_full_backward_hook(lambda *args: None)
    inside.register_full_backward_hook(lambda *args: None)
    return [error(lambda: m(x).add_(1)), error(lambda: inside(x))]


@case
def order_in_a_chain(t):
    nn, log = t.nn, []
    net = nn.Sequential(layer(t), nn.ReLU())
    for name, m in net.named_modules():
        m.register_full_backward_hook(lambda mod, gi, go, n=name: log.append(["hook", n, gi, go]))
        m.register_full_backward_pre_hook(lambda mod, go, n=name: log.append(["pre", n]))
        m.register_forward_hook(lambda mod, a, o, n=name: log.append(["forward", n]))
        m.register_forward_pre_hook(lambda mod, a, n=name: log.append(["forward pre", n]))
    x = t.ones(3, 2, requires_grad=True)
    y = net(x)
    y.sum().backward(retain_graph=True)
    once = len(log)
    y.sum().backward()
    return [log, once, x.grad]


@case
def called_twice(t):
    m, log = t.nn.Linear(1, 1), []
    with t.no_grad():
        m.weight.fill_(3.0)
    m.register_full_backward_hook(lambda mod, gi, go: log.append([gi, go]))
    x = t.ones(1, 1, requires_grad=True)
    m(m(x)).sum().backward()
    return [log, x.grad]


@case
def second_derivative(t):
    m, log = t.nn.Sigmoid(), []
    m.register_full_backward_hook(lambda mod, gi, go: log.append([g.requires_grad for g in gi]))
    x = t.ones(2, requires_grad=True)
    (g,) = t.autograd.grad(m(x).sum(), x, create_graph=True)
    g.sum().backward()
    return [g, x.grad, log]


@case
def a_hook_that_raises(t):
    m = layer(t)

    def boom(*args):
        raise ValueError("boom")

    m.register_full_backward_hook(boom)
    return error(lambda: m(t.ones(1, 2, requires_grad=True)).sum().backward())


@case
def kinds_do_not_mix(t):
    m, n = layer(t), layer(t)
    handle = m.register_backward_hook(lambda *args: None)
    first = error(lambda: m.register_full_backward_hook(lambda *args: None))
    handle.remove()
    n.register_full_backward_hook(lambda *args: None)
    return [
        first,
        error(lambda: m.register_full_backward_hook(lambda *args: None)),
        error(lambda: n.register_backward_hook(lambda *args: None)),
        [m._is_full_backward_hook, n._is_full_backward_hook],
    ]


@case
def old_hooks_and_their_advice(t):
    out = []
    kinds = {
        "one step": lambda x: x * 2,
        "several steps": lambda x: (x * 2).sum(),
        "several results": lambda x: (x * 2, x * 3),
        "dict": lambda x: {"a": x * 2},
        "list": lambda x: [x * 2],
        "mixed": lambda x: (x * 2, "s"),
        "detached": lambda x: x.detach(),
        "none": lambda x: None,
        "empty": lambda x: {},
    }
    for name, function in kinds.items():
        for leaf in (True, False):
            x = t.ones(2, requires_grad=True)
            m = does(t, function)
            m.register_backward_hook(lambda *args: None)
            out.append([name, warned(lambda m=m, x=x, f=leaf: m(x if f else x * 1.5) is None)])
    return out


@case
def old_hooks_see_and_change(t):
    m, log = does(t, lambda x: x * 3), []
    m.register_backward_hook(lambda mod, gi, go: log.append([gi[0], go]) or (gi[0] * 10, *gi[1:]))
    x = t.ones(2, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m(x).sum().backward()
    return [log, x.grad]


@case
def global_backward_hooks(t):
    home, log = t.nn.modules.module, []
    handles = [
        home.register_module_full_backward_hook(lambda m, gi, go: log.append("hook everywhere")),
        home.register_module_full_backward_pre_hook(lambda m, go: log.append("pre everywhere")),
    ]
    m = t.nn.ReLU()
    m.register_full_backward_hook(lambda *args: log.append("hook"))
    m.register_full_backward_pre_hook(lambda *args: log.append("pre"))
    x = t.ones(2, requires_grad=True)
    m(x).sum().backward()
    said = error(lambda: home.register_module_backward_hook(lambda *args: None))
    for handle in handles:
        handle.remove()
    home._global_is_full_backward_hook = None
    old = home.register_module_backward_hook(lambda *args: log.append("old everywhere"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = t.nn.Sigmoid()
        other(x).sum().backward()
    again = error(lambda: home.register_module_full_backward_hook(lambda *args: None))
    old.remove()
    home._global_is_full_backward_hook = None
    return [log, said, again, len(home._global_backward_hooks)]


@case
def global_hooks_are_assigned_away(t):
    home, log = t.nn.modules.module, []
    home.register_module_forward_hook(lambda *args: log.append(1))
    home.register_module_forward_pre_hook(lambda *args: log.append(2))
    home.register_module_full_backward_hook(lambda *args: log.append(3))
    home._global_forward_hooks = OrderedDict()
    home._global_forward_pre_hooks = OrderedDict()
    home._global_backward_hooks = OrderedDict()
    home._global_is_full_backward_hook = None
    m = t.nn.Identity()
    m(t.ones(1, requires_grad=True)).sum().backward()
    return log


@case
def handles(t):
    Handle = t.utils.hooks.RemovableHandle
    hooks, marks = OrderedDict(), OrderedDict()
    h = Handle(hooks, extra_dict=marks)
    hooks[h.id] = marks[h.id] = 1
    h.remove()
    h.remove()
    emptied = [len(hooks), len(marks)]
    other = Handle(hooks, extra_dict=[marks, marks])
    state = other.__getstate__()
    again = Handle.__new__(Handle)
    again.__setstate__(state)
    dead = Handle.__new__(Handle)
    dead.__setstate__((None, 5))
    with Handle(hooks) as inner:
        hooks[inner.id] = 1
        inside = len(hooks)
    return [
        emptied,
        other.id - h.id,
        [len(state), state[0] is hooks, len(state[2])],
        [again.id == other.id, again.hooks_dict_ref() is hooks],
        [dead.id, len(dead.extra_dict_ref), dead.hooks_dict_ref() is None],
        [inside, len(hooks)],
        error(lambda: Handle()),
        error(lambda: Handle({})),
    ]


@case
def pre_hooks_that_return_what_does_not_fit(t):
    x, out = t.ones(3, 2, requires_grad=True), []
    for wrong in (t.ones(7, 1), t.ones(3, 1, dtype=t.int64), 3):
        m = layer(t)
        m.register_full_backward_pre_hook(lambda mod, go, wrong=wrong: (wrong,))
        out.append(error(lambda m=m: m(x).sum().backward()))
    return out


@case
def a_hook_on_a_module_that_ends_in_place(t):
    seen = []
    net = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.ReLU(inplace=True))
    net.register_full_backward_hook(
        lambda module, grad_input, grad_output: seen.append(
            [None if g is None else list(g.shape) for g in (*grad_input, *grad_output)]
        )
    )
    net(t.randn(3, 2, requires_grad=True)).sum().backward()
    return seen
