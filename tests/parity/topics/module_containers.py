"""Modules that hold modules or parameters, used as lists and dictionaries are."""

import copy
import pickle
import warnings
from collections import OrderedDict

from casebook import case, error


def names(container):
    """Return the names and kinds of the children."""
    return [[name, type(module).__name__] for name, module in container._modules.items()]


@case
def sequential_as_a_list(t):
    nn = t.nn
    m = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
    out = [
        *[repr(m[i]) for i in (0, -1, slice(1, None), slice(None, None, 2))],
        *[error(lambda i=i: m[i]) for i in (3, -4, "0", 1.0, None)],
        len(m),
        [repr(c) for c in m],
        names(m.insert(0, nn.Sigmoid())),
        names(m.insert(-1, nn.ReLU())),
        error(lambda: m.insert(99, nn.ReLU())),
        error(lambda: m.insert(0, 5)).partition("'")[0],
        names(m.append(nn.Tanh())),
        error(lambda: m.append(5)),
        repr(m.pop(0)),
        repr(m.pop(-1)),
        names(m),
        names(m.pop(slice(0, 2))),
        names(m),
    ]
    m[0] = nn.Sigmoid()
    return [
        *out,
        names(m),
        error(lambda: m.__setitem__(0, 5)),
        error(lambda: m.__setitem__(99, nn.ReLU())),
        error(lambda: m.__delitem__(99)),
        names(m.extend([nn.ReLU()])),
        error(lambda: m.extend(5)),
        error(lambda: m.extend([5])),
    ]


@case
def sequential_deletes(t):
    nn, out = t.nn, []
    for key in (0, -1, slice(1, 3), slice(None, None, 2)):
        m = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid(), nn.Identity())
        del m[key]
        out.append(names(m))
    return out


@case
def sequential_arithmetic(t):
    nn = t.nn
    m = nn.Sequential(nn.ReLU(), nn.Tanh())
    shared = m * 2
    out = [
        names(m + nn.Sequential(nn.Sigmoid())),
        names(shared),
        shared[0] is shared[2],
        names(2 * m),
        *[
            error(lambda f=f: m * f).replace("nbmodule", "torch")
            for f in (0, -1, 1.5, "a", None, [1])
        ],
        error(lambda: m + [nn.ReLU()]),
        error(lambda: m.__iadd__(5)),
        error(lambda: m.__imul__(0)),
        error(lambda: m.__imul__(1.5)),
    ]
    kept = m
    m += nn.Sequential(nn.Sigmoid())
    m *= 2
    return [*out, names(m), m is kept]


@case
def sequential_with_names(t):
    nn = t.nn
    m = nn.Sequential(OrderedDict([("x", nn.ReLU()), ("y", nn.Tanh())]))
    out = [
        repr(m),
        repr(m.x),
        names(m[1:]),
        names(m * 2),
        names(m + m),
        error(lambda: m.insert(0, nn.ReLU())),
        error(lambda: m.__imul__(2)),
        names(m.append(nn.Sigmoid())),
    ]
    del m[0]
    return [*out, names(m)]


@case
def sequential_refuses(t):
    nn = t.nn
    return [
        [error(lambda a=a: nn.Sequential(a)) for a in (5, None, [nn.ReLU()], "s", nn.ReLU)],
        error(lambda: nn.Sequential({"x": nn.ReLU()})),
        error(lambda: nn.Sequential(nn.ReLU())(1, 2)),
        nn.Sequential()(3),
        repr(nn.Sequential()),
    ]


@case
def module_list_as_a_list(t):
    nn = t.nn
    m = nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.Sigmoid()])
    out = [
        *[repr(m[i]) for i in (0, -1, slice(1, None), slice(None, None, -1))],
        *[error(lambda i=i: m[i]) for i in (3, -4, "a", 1.5)],
        names(m.append(nn.ReLU())),
        names(m.extend([nn.Tanh(), nn.Tanh()])),
        error(lambda: m.extend(5)),
        error(lambda: m.append(5)),
        m.insert(1, nn.Sigmoid()),
        names(m),
        names(m + [nn.ReLU()]),
        names(m + nn.ModuleList([nn.ReLU()])),
        error(lambda: m + 5),
        error(lambda: m.pop()),
        repr(m.pop(0)),
        repr(m.pop(-1)),
        names(m.pop(slice(0, 2))),
        names(m),
        error(lambda: m(1)),
        error(lambda: m.__setitem__(0, 5)),
        error(lambda: m.__delitem__(9)),
    ]
    m[0] = None
    return [*out, repr(m), len(m), m[1] in m, nn.ReLU() in m]


@case
def module_list_deletes(t):
    nn, out = t.nn, []
    for key in (0, -1, slice(1, 3), slice(None, None, 2)):
        m = nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.Sigmoid(), nn.Identity()])
        del m[key]
        out.append([names(m), len(m), repr(m[-1])])
    return out


@case
def module_list_refuses(t):
    nn = t.nn
    bad = ([1], {"a": 1}, nn.ReLU(), 3, "ab", [nn.ReLU(), 5])
    return [error(lambda b=b: nn.ModuleList(b)) for b in bad]


@case
def module_list_repr(t):
    nn = t.nn
    block = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Tanh()))
    return [
        repr(nn.ModuleList()),
        repr(nn.ModuleList(nn.Linear(1, 1) for _ in range(3))),
        repr(nn.ModuleList([block, block, nn.ReLU(), block])),
    ]


@case
def module_dict_as_a_dict(t):
    nn = t.nn
    m = nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.ReLU()})
    out = [
        repr(m),
        list(m),
        len(m),
        "a" in m,
        "z" in m,
        m["a"] is m.a,
        list(m.keys()),
        [k for k, _ in m.items()],
        [repr(v) for v in m.values()],
        list(m.state_dict()),
        error(lambda: m["z"]),
        error(lambda: m.pop("z")),
        error(lambda: m.pop("a", None)),
        error(lambda: m.__delitem__("z")),
        error(lambda: m("x")),
        repr(m.pop("a")),
        list(m),
    ]
    m["none"] = None
    m.clear()
    return [*out, repr(m), len(m)]


@case
def module_dict_names(t):
    nn = t.nn
    m = nn.ModuleDict()
    bad = ("", "a.b", 5, "keys", "training", "forward", None)
    return [
        [error(lambda n=n: m.__setitem__(n, nn.ReLU())) for n in bad],
        [error(lambda v=v: m.__setitem__("x", v)) for v in (5, "s", nn.ReLU, t.ones(1))],
        list(m),
    ]


@case
def module_dict_update(t):
    nn = t.nn
    m = nn.ModuleDict([("x", nn.ReLU())])
    m.update({"z": nn.Tanh(), "a": nn.Tanh()})
    m.update(nn.ModuleDict({"y": nn.Sigmoid()}))
    m.update(OrderedDict(x=nn.Identity()))
    m.update([["q", nn.ReLU()]])
    bad = (5, None, [5], [("a", 1, 2)], [("a", 5)], "ab")
    return [names(m), [error(lambda b=b: m.update(b)) for b in bad]]


@case
def parameter_list_as_a_list(t):
    nn = t.nn
    m = nn.ParameterList([t.ones(2), nn.Parameter(t.zeros(3, 4)), "text"])
    out = [
        repr(m),
        len(m),
        m[0],
        type(m[0]).__name__,
        m[-2],
        repr(m[0:1]),
        repr(m[::-1]),
        *[error(lambda i=i: m[i]) for i in (3, -4, "a", 1.5)],
        list(m.state_dict()),
        [n for n, _ in m.named_parameters()],
        repr(m.append(t.ones(()))),
        repr(m.extend([t.ones(1), 5])),
        error(lambda: m.extend(t.ones(2))),
        error(lambda: m.extend(5)),
        error(lambda: m(1)),
        error(lambda: m.__setitem__(0, "s")),
        error(lambda: m.__setitem__(99, 1)),
        error(lambda: m.append(t.tensor([1]))),
        error(lambda: m.__delitem__(0)),
        "0" in dir(m),
        len(m),
    ]
    m[2] = t.ones(2)
    m.other = nn.Parameter(t.ones(1))
    m += [None]
    return [*out, repr(nn.ParameterList(m[i] for i in range(4))), len(m), len(list(m.parameters()))]


@case
def parameter_list_of_kinds(t):
    nn = t.nn
    m = nn.ParameterList([nn.Linear(1, 1), None, 5, t.ones(2, dtype=t.float64)])
    return [
        repr(m),
        repr(m.float()),
        repr(nn.ParameterList()),
        error(lambda: nn.ParameterList(5)),
        error(lambda: nn.ParameterList(t.ones(2))),
        repr(nn.ParameterList([nn.Parameter(t.ones(1), requires_grad=False)])),
    ]


@case
def parameter_dict_as_a_dict(t):
    nn = t.nn
    m = nn.ParameterDict({"b": t.ones(2), "a": nn.Parameter(t.zeros(3, 4)), "c": "text"})
    return [
        repr(m),
        list(m),
        len(m),
        "a" in m,
        m["a"],
        m.b,
        list(m.keys()),
        [k for k, _ in m.items()],
        len(list(m.values())),
        list(reversed(m)),
        repr(m.copy()),
        m.get("z"),
        m.get("z", 4),
        m.get("b"),
        m.setdefault("d", t.ones(1)),
        m.setdefault("b", t.zeros(1)),
        m.setdefault("e"),
        list(m),
        m.popitem(),
        m.pop("d"),
        error(lambda: m.pop("z")),
        error(lambda: m["z"]),
        error(lambda: m[5]),
        error(lambda: m.__delitem__("z")),
        error(lambda: m("x")),
        error(lambda: m()),
        repr(m.fromkeys(["x", "y"], t.ones(1))),
        repr(m.fromkeys(["x"])),
        list(m.state_dict()),
        [n for n, _ in m.named_parameters()],
        m.clear(),
        repr(m),
    ]


@case
def parameter_dict_update(t):
    nn = t.nn
    m = nn.ParameterDict([("z", t.ones(1)), ("a", "s")])
    first = list(m)
    m.update({"y": 1, "x": 2})
    m.update(OrderedDict([("w", 1), ("v", 2)]))
    m.update(nn.ParameterDict([("u", 1), ("t", 2)]))
    bad = (5, None, [5], [("a", 1, 2)])
    m |= nn.ParameterDict({"q": t.ones(1)})
    return [
        first,
        list(m),
        [error(lambda b=b: m.update(b)) for b in bad],
        list(m | nn.ParameterDict({"r": t.ones(1)})),
        list(nn.ParameterDict({"r": t.ones(1)}) | m),
        error(lambda: m | 5),
        [
            error(lambda k=k: nn.ParameterDict({k: t.ones(1)}))
            for k in ("keys", "a.b", "", 1, "forward")
        ],
    ]


@case
def containers_are_copied(t):
    nn = t.nn
    made = [
        nn.Sequential(nn.ReLU()),
        nn.ModuleList([nn.ReLU()]),
        nn.ModuleDict({"a": nn.ReLU()}),
        nn.ParameterList([t.ones(1), 5]),
        nn.ParameterDict({"a": t.ones(1)}),
    ]
    return [
        [repr(pickle.loads(pickle.dumps(m))) for m in made],
        [repr(copy.deepcopy(m)) for m in made],
        [[type(m).__module__, type(m).__qualname__, len(type(m).__mro__)] for m in made],
        ["0" in dir(m) for m in made],
    ]


@case
def old_container(t):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        m = t.nn.Container(a=t.nn.ReLU())
    return [names(m), [[w.category.__name__, str(w.message)] for w in caught]]


@case
def reprs(t):
    class Many(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = t.nn.Linear(1, 1)
            self.b = t.nn.ModuleDict()

        def extra_repr(self):
            return "x=1\n\ny=2"

    class One(t.nn.Module):
        def extra_repr(self):
            return "one"

        def _get_name(self):
            return "Other"

    one = One()
    first = repr(one)
    one.child = None
    wraps = (t.nn.Sequential(Many()), t.nn.ModuleList([Many()]), t.nn.ModuleDict({"q": Many()}))
    return [first, repr(one), repr(Many()), *map(repr, wraps)]


@case
def data_parallel(t):
    """Without GPUs it only calls the module; files of programs with GPUs have its names."""
    inner = t.nn.Linear(2, 3)
    m = t.nn.DataParallel(inner, device_ids=[0, 1], output_device=0, dim=1)
    x = t.ones(4, 2)
    return [
        repr(m), list(m.state_dict()), m.device_ids, m.module is inner, hasattr(m, "dim"),
        t.equal(m(input=x), inner(x)), error(lambda: m(x, x)).replace("nn.modules.linear.", ""),
        str(m.load_state_dict(m.state_dict())), names(m), t.nn.parallel.DataParallel is t.nn.DataParallel,
    ]  # fmt: skip
