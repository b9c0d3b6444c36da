"""Calls of a Module, and forward hooks."""

import warnings

from casebook import case, error, make_net


@case
def forward_missing(t):
    return [error(lambda: t.nn.Module()(1)), error(lambda: t.nn.Module().forward(1))]


@case
def call_passes_arguments(t):
    net = make_net(t)
    with t.no_grad():
        for p in net.parameters():
            p.fill_(1.0)
    return [net(t.ones(1, 2)), net(t.ones(1, 2), scale=2), net(x=t.ones(1, 2), scale=3)]


@case
def hook_order_and_replacement(t):
    log, m = [], t.nn.Identity()
    m.register_forward_pre_hook(lambda m, args: log.append("pre0"))
    m.register_forward_pre_hook(lambda m, args: log.append("pre1") or args[0] + 1)
    m.register_forward_pre_hook(lambda m, args: log.append("first"), prepend=True)
    m.register_forward_hook(lambda m, args, out: log.append(("fwd", args[0].tolist())) or out * 10)
    m.register_forward_hook(lambda m, args, out: log.append("prepended"), prepend=True)
    return [m(t.ones(1)), log, m.forward(t.ones(1)), len(log)]


@case
def hooks_with_kwargs(t):
    net = make_net(t)
    seen = []
    net.register_forward_pre_hook(lambda m, a, k: (a, {**k, "scale": 0}), with_kwargs=True)
    net.register_forward_hook(lambda m, a, k, out: seen.append(sorted(k)), with_kwargs=True)
    out = net(t.ones(1, 2), scale=5)
    bad = make_net(t)
    bad.register_forward_pre_hook(lambda m, a, k: 5, with_kwargs=True)
    return [out, seen, error(lambda: bad(t.ones(1, 2)))]


@case
def hook_handles(t):
    m, log = t.nn.Identity(), []
    h = m.register_forward_hook(lambda *_: log.append(1))
    with m.register_forward_pre_hook(lambda *_: log.append(2)) as inner:
        m(1)
    m(1)
    h.remove()
    h.remove()
    m(1)
    return [log, len(m._forward_hooks), len(m._forward_pre_hooks), type(inner).__name__]


@case
def always_called(t):
    class Bad(t.nn.Module):
        def forward(self, x):
            raise ValueError("boom")

    log, m = [], Bad()
    m.register_forward_hook(lambda m, a, out: log.append(("plain", out)))
    m.register_forward_hook(lambda m, a, out: log.append(("always", out)), always_call=True)
    return [error(lambda: m(1)), log]


@case
def global_hooks(t):
    log = []
    mod = t.nn.modules.module
    a = mod.register_module_forward_hook(lambda m, i, o: log.append("global"))
    b = mod.register_module_forward_pre_hook(lambda m, i: log.append("global pre"))
    m = t.nn.Identity()
    m.register_forward_hook(lambda *_: log.append("local"))
    m.register_forward_pre_hook(lambda *_: log.append("local pre"))
    m(1)
    a.remove()
    b.remove()
    m(1)
    return log


@case
def global_hooks_with_options(t):
    class Bad(t.nn.Module):
        def forward(self, x, k=1):
            raise ValueError("boom")

    log = []

    def loud(m, args, out):
        raise KeyError("hook")

    register = t.nn.modules.module.register_module_forward_hook
    handles = [
        register(lambda m, a, k, out: log.append(sorted(k)), with_kwargs=True),
        register(lambda m, a, out: log.append(("always", out)), always_call=True),
        register(loud, always_call=True),
    ]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        said = error(lambda: Bad()(1, k=2))
    handles.pop().remove()
    t.nn.Identity()(1)
    for handle in handles:
        handle.remove()
    return [said, log, [str(w.message) for w in caught]]


@case
def registration_hooks(t):
    log, nn, where = [], t.nn, t.nn.modules.module
    other = nn.Tanh()
    handles = [
        where.register_module_parameter_registration_hook(
            lambda m, n, p: log.append(("parameter", n))
        ),
        where.register_module_buffer_registration_hook(
            lambda m, n, b: log.append(("buffer", n)) or t.ones(2)
        ),
        where.register_module_module_registration_hook(
            lambda m, n, c: log.append(("module", n)) or other
        ),
    ]
    m = nn.Module()
    m.p = nn.Parameter(t.ones(1))
    m.register_parameter("none", None)
    m.b = nn.Buffer(t.zeros(1))
    m.c = nn.ReLU()
    m.add_module("d", nn.ReLU())
    m.c = None
    for handle in handles:
        handle.remove()
    return [log, m.b, m.c is other, m.d is other, list(m._modules)]


@case
def what_pre_hooks_return(t):
    m, x, out = make_net(t), t.ones(1, 2), []
    m.forward = lambda x, scale=1: x * scale
    plain = (
        lambda mod, a: None,
        lambda mod, a: a,
        lambda mod, a: a[0] * 2,
        lambda mod, a: (a[0] * 2,),
        lambda mod, a: (a[0], 5),
        lambda mod, a: [a[0]],
    )
    for hook in plain:
        with m.register_forward_pre_hook(hook):
            out.append([error(lambda: m(x)), error(lambda: m(x, scale=3))])
    with_kwargs = (
        lambda mod, a, k: None,
        lambda mod, a, k: (a, {"scale": 7}),
        lambda mod, a, k: [a, k],
        lambda mod, a, k: (a, k, 1),
        lambda mod, a, k: (a[0], k),
    )
    for hook in with_kwargs:
        with m.register_forward_pre_hook(hook, with_kwargs=True):
            out.append([error(lambda: m(x)), error(lambda: m(x, scale=3))])
    return out


@case
def always_called_hooks_in_a_chain(t):
    class Bad(t.nn.Module):
        def forward(self, x, k=1):
            raise ValueError("boom")

    m, log = Bad(), []
    m.register_forward_pre_hook(lambda mod, a: (a[0] * 10,))
    m.register_forward_hook(lambda mod, a, o: log.append([a, o]) or 7, always_call=True)
    m.register_forward_hook(lambda mod, a, o: 1 / 0, always_call=True)
    m.register_forward_hook(
        lambda mod, a, k, o: log.append([k, o]), always_call=True, with_kwargs=True
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        said = error(lambda: m(1, k=2))
    m.register_forward_pre_hook(lambda mod, a: 1 / 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = error(lambda: m(1))
    return [said, again, log, [str(w.message) for w in caught]]


@case
def hooks_that_cannot_be_called(t):
    out = []
    for bad in (None, 5, "x"):
        for register, use in (
            ("register_forward_hook", lambda m: m(t.ones(1, 1))),
            ("register_forward_pre_hook", lambda m: m(t.ones(1, 1))),
            ("register_state_dict_pre_hook", lambda m: m.state_dict()),
            ("register_state_dict_post_hook", lambda m: len(m.state_dict())),
            ("register_load_state_dict_pre_hook", lambda m: m.load_state_dict(m.state_dict())),
            ("register_load_state_dict_post_hook", lambda m: m.load_state_dict(m.state_dict())),
        ):
            m = t.nn.Linear(1, 1)
            said = error(lambda m=m, r=register, b=bad: getattr(m, r)(b) and None)
            out.append([register, said, error(lambda m=m, u=use: u(m))])
    return out


@case
def hooks_change_while_they_run(t):
    m, log = t.nn.Identity(), []

    def remove(*args):
        handle.remove()

    def add(*args):
        log.append("adds")
        m.register_forward_hook(lambda *args: log.append("new"))

    handle = m.register_forward_hook(remove)
    m.register_forward_hook(add)
    m(1)
    first = log[:]
    m(1)
    return [first, log, len(m._forward_hooks)]


@case
def a_pre_hook_replaces_forward(t):
    """The call that runs the hook still runs the old one."""
    m = t.nn.Identity()

    def replace(module, args):
        module.forward = lambda x: x + 100

    m.register_forward_pre_hook(replace)
    return [m(1), m(1)]
