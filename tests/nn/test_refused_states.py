"""A state that is refused leaves the module as it was, whoever has a say in how it is loaded."""

import itertools

import pytest

import nbmodule
from nbmodule import nn


class Scaled(nn.Linear):
    """Has a method of its own for loading, which looks at what was loaded."""

    def _load_from_state_dict(self, *args):
        super()._load_from_state_dict(*args)
        with nbmodule.no_grad():
            self.weight.mul_(2)


class Counting(nn.Module):
    """Has an extra state."""

    count = 3

    def get_extra_state(self):
        return self.count

    def set_extra_state(self, state):
        self.count = state


def add_one(module, keys):
    module.weight.data.add_(1)


def watched():
    m = nn.Linear(2, 2)
    m.register_load_state_dict_post_hook(add_one)
    return m


def read_only():
    m = nn.Linear(2, 2)
    m.weight._array.flags.writeable = False
    return m


def parametrized():
    return nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))


KINDS = {
    "plain": lambda: nn.Linear(2, 2),
    "norm": lambda: nn.BatchNorm1d(2),
    "lazy": lambda: nn.LazyLinear(2),
    "override": lambda: Scaled(2, 2),
    "extra state": Counting,
    "hook": watched,
    "parametrized": parametrized,
    "read-only": read_only,
}

DAMAGE = {
    "missing": lambda state, key: state.pop(key),
    "unexpected": lambda state, key: state.update(x=1),
    "shape": lambda state, key: state.update({key: nbmodule.ones(7)}),
    "no tensor": lambda state, key: state.update({key: 3}),
    "cannot be written": lambda state, key: None,
}


def model(kind):
    """A module of that kind between two plain ones, the last of which is shared."""
    last = nn.Linear(2, 2)
    tree = nn.Sequential(nn.Linear(2, 2), KINDS[kind](), last, nn.Sequential(last))
    setattr(tree, "a.b", nn.Linear(1, 1))
    return tree


def described(m):
    """Return all that loading could change: which tensors, of which class, with which numbers, and the extra state."""
    held = []
    for module in m.modules():
        held.append(module.get_extra_state() if isinstance(module, Counting) else None)
        for name, t in itertools.chain(module._parameters.items(), module._buffers.items()):
            lazy = t is None or nn.parameter.is_lazy(t)
            held.append((name, id(t), type(t), lazy or t.tolist(), lazy or t._storage))
    return held


def other_state(kind):
    """A state for such a model with other numbers, and shapes where the model has none yet."""
    source = model("plain" if kind == "lazy" else kind)
    state = source.state_dict()
    for key, value in state.items():
        state[key] = 5 if key.endswith("_extra_state") else nbmodule.full(value.shape, 7.0)
    state.pop("a.b.weight"), state.pop("a.b.bias")
    return state


@pytest.mark.parametrize("assign", [False, True])
@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_state_changes_nothing(kind, damage, assign):
    m, state = model(kind), other_state(kind)
    del m._modules["a.b"]
    DAMAGE[damage](state, "3.0.weight")
    if damage == "cannot be written":
        m[2].weight = nn.Parameter(nbmodule.ones(2).expand(2, 2))
        state["0.weight"] = state["0.weight"].long() if assign else state["0.weight"]
    before = described(m)
    with pytest.raises(RuntimeError, match=r"Error\(s\) in loading"):
        m.load_state_dict(state, assign=assign)
    assert described(m) == before


@pytest.mark.parametrize("assign", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_user_code_that_fails_changes_nothing(kind, assign):
    class Failing(Counting):
        def set_extra_state(self, state):
            if state == 5:
                raise KeyError("no")

    m, state = model(kind), other_state(kind)
    del m._modules["a.b"]
    m.append(Failing())
    state["4._extra_state"] = 5
    before = described(m)
    with pytest.raises((KeyError, RuntimeError)):
        m.load_state_dict(state, assign=assign)
    assert described(m) == before


def test_a_child_whose_name_has_a_dot_is_loaded_and_its_keys_are_told():
    m = nn.Module()
    setattr(m, "a.b", nn.Linear(1, 1, bias=False))
    loaded = m.load_state_dict({"a.b.weight": nbmodule.full((1, 1), 4.0)}, strict=False)
    assert loaded.unexpected_keys == ["a.b.weight"]  # as in PyTorch
    assert m._modules["a.b"].weight.item() == 4


def test_what_hooks_write_stays_when_a_state_is_refused():
    m = nn.Linear(2, 2)
    m.log = {}

    def note(module, *_):
        module.loads = getattr(module, "loads", 0) + 1
        module.log[module.loads] = "read"
        handle.remove()

    handle = m.register_load_state_dict_pre_hook(note)
    m.register_load_state_dict_post_hook(lambda module, keys: None)  # others look at what is loaded
    with pytest.raises(RuntimeError, match="Missing key"):
        m.load_state_dict({"weight": nbmodule.zeros(2, 2)})
    assert (m.loads, m.log, len(m._load_state_dict_pre_hooks)) == (1, {1: "read"}, 0)
    assert m.weight.any()  # the numbers are as they were
