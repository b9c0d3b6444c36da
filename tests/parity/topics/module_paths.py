"""Modules, parameters and buffers by their paths, and what may be registered under which name."""

import copy
import pickle

from casebook import case, error

PATHS = (
    *("", "0", "1.0", "1.2", "x", "1.0.weight", "1..0", ".0", "1.", "buf", "training", "forward"),
    "1.0.weight.x",
)


def make(t):
    nn = t.nn
    m = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Sequential(nn.Linear(1, 1), nn.ReLU()))
    m.register_buffer("buf", t.ones(1))
    return m


@case
def get_submodule(t):
    m = make(t)
    found = [error(lambda p=p: m.get_submodule(p)) for p in PATHS]
    return [*found, error(lambda: m.get_submodule(5)), error(lambda: m.get_submodule(None))]


@case
def get_parameter(t):
    m = make(t)
    return [
        *[error(lambda p=p: tuple(m.get_parameter(p).shape)) for p in PATHS],
        error(lambda: m.get_parameter("0.bias")),
        error(lambda: m.get_parameter("1.0.bias").shape),
    ]


@case
def get_buffer(t):
    m = make(t)
    m.register_buffer("none", None)
    found = [error(lambda p=p: tuple(m.get_buffer(p).shape)) for p in PATHS]
    return [*found, m.get_buffer("none")]


@case
def set_submodule(t):
    out = []
    for path in PATHS:
        for strict in (False, True):
            m = make(t)
            said = error(lambda p=path, s=strict, m=m: m.set_submodule(p, t.nn.Tanh(), strict=s))
            out.append([path, strict, said, repr(m)])
    m = make(t)
    return [*out, [error(lambda v=v: m.set_submodule("0", v)) for v in (5, None, t.nn.ReLU)]]


@case
def computed_attributes(t):
    class Computed(t.nn.Module):
        @property
        def child(self):
            return t.nn.ReLU()

        @property
        def parameter(self):
            return t.nn.Parameter(t.ones(1))

    m = Computed()
    return [
        error(lambda: m.get_submodule("child")),
        error(lambda: tuple(m.get_parameter("parameter").shape)),
        error(lambda: m.get_buffer("parameter")),
        error(lambda: m.register_parameter("parameter", None)),
    ]


@case
def names_that_are_refused(t):
    nn, m, out = t.nn, t.nn.Module(), []
    for name in ("", "a.b", 5, None, "training", "forward", "a.", "."):
        out += [
            error(lambda n=name: m.register_parameter(n, nn.Parameter(t.ones(1)))),
            error(lambda n=name: m.register_parameter(n, None)),
            error(lambda n=name: m.register_buffer(n, t.ones(1))),
            error(lambda n=name: m.register_buffer(n, None)),
            error(lambda n=name: m.add_module(n, nn.ReLU())),
            error(lambda n=name: m.add_module(n, None)),
            error(lambda n=name: m.register_module(n, 5)),
        ]
    setattr(m, "q.r", 5)
    return [
        *out,
        error(lambda: m.add_module("q.r", nn.ReLU())),
        error(lambda: m.register_parameter("q.r", None)),
        error(lambda: m.register_parameter("a")),
        error(lambda: m.register_buffer("a")),
        error(lambda: m.add_module("a")),
    ]


@case
def values_of_all_kinds(t):
    nn, m, out = t.nn, t.nn.Module(), []
    values = (
        *(5, "s", None, int, [1], nn.ReLU),
        *(t.ones(1), t.ones(1, dtype=t.int64), t.ones(1, requires_grad=True) * 1),
        *(nn.Parameter(t.ones(1)), nn.Parameter(t.ones(1)) * 2, nn.Buffer(t.ones(1)), nn.ReLU()),
    )
    for v in values:
        out += [
            error(lambda v=v: m.register_parameter("p", v)),
            error(lambda v=v: m.register_buffer("b", v)),
            error(lambda v=v: m.add_module("c", v)),
            error(lambda v=v: setattr(m, "p", v)),
            error(lambda v=v: setattr(m, "b", v)),
            error(lambda v=v: setattr(m, "c", v)),
            [sorted(d) for d in (m._parameters, m._buffers, m._modules)],
            sorted(k for k in vars(m) if k in "pbc"),
        ]
    return out


@case
def buffers_of_old_subclasses(t):
    class NoOption(t.nn.Module):
        def register_buffer(self, name, tensor):
            super().register_buffer(name, tensor)

    class Option(t.nn.Module):
        def register_buffer(self, name, tensor, persistent=True):
            super().register_buffer(name, tensor, persistent)

    out = []
    for kind in (NoOption, Option):
        m = kind()
        m.b = t.nn.Buffer(t.ones(1))
        m.b = t.zeros(1)
        said = error(lambda m=m: setattr(m, "c", t.nn.Buffer(t.ones(1), persistent=False)))
        out.append([said, list(m._buffers), m._non_persistent_buffers_set == {"c"}])
    return out


@case
def half_built(t):
    class Half(t.nn.Module):
        def __init__(self):
            self.x = 3

    calls = {
        "repr": repr,
        "dir": dir,
        "call": lambda m: m(1),
        "state_dict": lambda m: m.state_dict(),
        "load_state_dict": lambda m: m.load_state_dict({}),
        "train": lambda m: m.train(),
        "parameters": lambda m: list(m.parameters()),
        "buffers": lambda m: list(m.buffers()),
        "children": lambda m: list(m.children()),
        "modules": lambda m: list(m.modules()),
        "to": lambda m: m.to("cpu"),
        "half": lambda m: m.half(),
        "zero_grad": lambda m: m.zero_grad(),
        "apply": lambda m: m.apply(print),
        "delattr": lambda m: delattr(m, "x"),
        "get_submodule": lambda m: m.get_submodule("x"),
        "add_module": lambda m: m.add_module("a", t.nn.ReLU()),
        "register_buffer": lambda m: m.register_buffer("a", t.ones(1)),
        "register_parameter": lambda m: m.register_parameter("a", None),
        "register_forward_hook": lambda m: m.register_forward_hook(print),
        "register_full_backward_hook": lambda m: m.register_full_backward_hook(print),
        "drawer": lambda m: m._modules,
        "missing": lambda m: m.nope,
        "parameter": lambda m: setattr(m, "p", t.nn.Parameter(t.ones(1))),
        "module": lambda m: setattr(m, "c", t.nn.ReLU()),
        "buffer": lambda m: setattr(m, "b", t.nn.Buffer(t.ones(1))),
    }
    return {name: error(lambda f=f: f(Half())) for name, f in calls.items()}


@case
def old_pickles(t):
    out = {}
    for slot in sorted(vars(t.nn.Module())):
        state = t.nn.Identity().__getstate__()
        del state[slot]
        m = t.nn.Identity.__new__(t.nn.Identity)
        m.__setstate__(state)
        out[slot] = [slot in vars(m), repr(vars(m).get(slot)), error(lambda m=m: m(3))]
    return out


@case
def copies_share(t):
    m = t.nn.Linear(1, 1)
    twin, deep = copy.copy(m), copy.deepcopy(m)
    twin.new = t.nn.Parameter(t.ones(1))
    return [
        twin.weight is m.weight,
        twin._parameters is m._parameters,
        hasattr(m, "new"),
        deep.weight is m.weight,
        deep.weight.requires_grad,
        len(pickle.loads(pickle.dumps(t.nn.Sequential(m, m))).state_dict()),
    ]


def named_hook(module, args, output):
    return output


@case
def copies_keep_hooks(t):
    m = t.nn.Identity()
    handle = m.register_forward_hook(named_hook)
    twin, again = copy.deepcopy(m), pickle.loads(pickle.dumps(m))
    handle.remove()
    return [
        [len(x._forward_hooks) for x in (m, twin, again)],
        type(twin._forward_hooks).__name__,
        next(iter(again._forward_hooks.values())) is named_hook,
        handle.id in twin._forward_hooks,
    ]


@case
def walks_with_options(t):
    nn = t.nn
    m = nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))
    m.b = nn.Buffer(t.ones(1))
    m[1].weight = m[0].weight
    m.z = m[0]
    out = []
    for remove in (True, False):
        for prefix in ("", "x"):
            out += [
                [n for n, _ in m.named_parameters(prefix=prefix, remove_duplicate=remove)],
                [n for n, _ in m.named_parameters(prefix, False, remove)],
                [n for n, _ in m.named_buffers(prefix=prefix, remove_duplicate=remove)],
                [n for n, _ in m.named_modules(prefix=prefix, remove_duplicate=remove)],
            ]
    members = [("q", 1), ("r", None)]
    return [
        *out,
        len(list(m.modules(remove_duplicate=False))),
        [n for n, _ in m.named_modules(memo={m[0]})],
        [n for n, _ in m._named_members(lambda module: members, prefix="a")],
        error(lambda: m.parameters(remove_duplicate=False)),
        error(lambda: m.apply(5)),
        error(lambda: m.train(None)),
        type(m.parameters()).__name__,
    ]


@case
def method_names(t):
    asked = ("state_dict", "load_state_dict", "to", "float", "type", "apply", "named_modules")
    asked += ("register_forward_hook", "register_full_backward_hook", "_apply", "add_module")
    methods = [getattr(t.nn.Module, name) for name in asked]
    return [
        [[m.__name__, m.__qualname__, m.__module__] for m in methods],
        [c.__name__ for c in t.nn.Module.__mro__],
        t.nn.modules.module.register_module_forward_hook.__module__,
    ]
