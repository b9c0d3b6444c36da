"""Containers, and the classes that layers of a kind have in common."""

import warnings

from ..module_row import Row

A = (3, 4)
NO_FORWARD = dict.fromkeys(("hooks", "functional_call"), "it can't be called")


def deprecated(make):
    """A row's `make` for a class that warns."""

    def quietly(t):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make(t)

    return quietly


def layers(t):
    return [t.nn.Linear(4, 4), t.nn.BatchNorm1d(4), t.nn.ReLU()]


def named(t):
    from collections import OrderedDict

    return t.nn.Sequential(OrderedDict(zip(("hidden", "norm", "act"), layers(t), strict=True)))


def parameters(t):
    return [t.nn.Parameter(t.ones(4)), t.nn.Parameter(t.zeros(2, 4))]


def one_after_the_other(module, x):
    for layer in module:
        x = layer(x)
    return x


def by_keys(module, x):
    for key in module:
        x = module[key](x)
    return x


ROWS = [
    Row("Sequential", lambda t: t.nn.Sequential(*layers(t)), (A,)),
    Row("Sequential_names", named, (A,)),
    Row("Sequential_nested", lambda t: t.nn.Sequential(t.nn.Sequential(*layers(t)), t.nn.Dropout(0.5), t.nn.Linear(4, 2)), (A,)),
    Row("Sequential_slice", lambda t: t.nn.Sequential(*layers(t))[1:], (A,)),
    Row("ModuleList", lambda t: t.nn.ModuleList(layers(t)), (A,), one_after_the_other, skip=NO_FORWARD),
    Row("ModuleList_alike", lambda t: t.nn.ModuleList([t.nn.Linear(4, 4) for _ in range(3)]), (A,), one_after_the_other, skip=NO_FORWARD),
    Row("ModuleDict", lambda t: t.nn.ModuleDict({"first": t.nn.Linear(4, 4), "then": t.nn.Tanh()}), (A,), by_keys, skip=NO_FORWARD),
    Row("ParameterList", lambda t: t.nn.ParameterList(parameters(t)), (A,), lambda m, x: x * m[0] + m[1].sum(0), skip=NO_FORWARD),
    Row("ParameterDict", lambda t: t.nn.ParameterDict(dict(zip("ab", parameters(t), strict=True))), (A,), lambda m, x: x * m["a"] + m["b"].sum(0), skip=NO_FORWARD),
    Row("Container", deprecated(lambda t: t.nn.Container(hidden=t.nn.Linear(4, 4))), (A,), lambda m, x: m.hidden(x), skip=NO_FORWARD),
    Row("RNNBase", lambda t: t.nn.RNNBase("GRU", 4, 3), (A,), lambda m, x: x @ m.weight_ih_l0.T, skip=NO_FORWARD),
    Row("RNNCellBase", lambda t: t.nn.RNNCellBase(4, 3, True, 2), (A,), lambda m, x: x @ m.weight_ih.T, skip=NO_FORWARD),
]  # fmt: skip
