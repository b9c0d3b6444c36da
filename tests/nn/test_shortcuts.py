"""Where modules and their first numbers take a shorter way, it leads to the same as the plain one."""

import numpy as np
import pytest

import nbmodule
from nbmodule import nn
from nbmodule.nn.modules.module import _has

SIZES = (1, 15, 16, 17, 100, 2047, 2048, 4095, 4096, 4097, 65535, 65536, 65537, 140_003)


def words(n: int) -> np.ndarray:
    """Return the first `n` words of the twister for seed 3."""
    return np.random.RandomState(3).randint(0, 2**32, n, np.uint32)


@pytest.mark.parametrize("n", SIZES)
def test_words_are_those_of_the_twister(n):
    source = nbmodule.Generator().manual_seed(3)
    first, rest = source._bits32(n // 3), source._bits32(n - n // 3)
    assert (np.concatenate((first, rest)) == words(n)).all()


@pytest.mark.parametrize("n", SIZES)
def test_even_numbers_in_blocks_are_those_of_the_formula(n):
    found = nbmodule.empty(n).uniform_(-0.3, 0.7, generator=nbmodule.Generator().manual_seed(3))
    low, high = np.float32(-0.3), np.float32(0.7)
    plain = (words(n) & 0xFFFFFF) * 2.0**-24 * float(high - low) + float(low)
    assert (found.numpy() == plain.astype(np.float32)).all()

    found = nbmodule.empty(n, dtype=nbmodule.float64).uniform_(
        -0.3, 0.7, generator=nbmodule.Generator().manual_seed(3)
    )
    pairs = words(2 * n).astype(np.uint64)
    whole = ((pairs[0::2] << np.uint64(32)) | pairs[1::2]) & np.uint64(2**53 - 1)
    assert (found.numpy() == whole * 2.0**-53 * (0.7 - -0.3) + -0.3).all()


@pytest.mark.parametrize("n", [n for n in SIZES if n >= 16])
def test_normal_numbers_in_blocks_are_those_of_the_formula(n):
    found = nbmodule.empty(n).normal_(1.0, 2.0, generator=nbmodule.Generator().manual_seed(3))
    u = ((words(n + 16) & 0xFFFFFF) * 2.0**-24).astype(np.float32)

    def pairs(u: np.ndarray) -> np.ndarray:
        blocks = u.reshape(-1, 2, 8)
        radius, angle = np.sqrt(-2 * np.log(1 - blocks[:, 0])), 2 * np.pi * blocks[:, 1]
        return np.stack((radius * np.cos(angle), radius * np.sin(angle)), 1).reshape(-1)

    plain = pairs(u[: n - n % 16])
    if n % 16:
        plain = np.concatenate((plain, np.empty(n % 16, np.float32)))
        plain[-16:] = pairs(u[n : n + 16])
    np.testing.assert_allclose(found.numpy(), plain.astype(np.float64) * 2 + 1, 1e-5, 1e-5)


class Dynamic(nn.Module):
    label = 3

    @property
    def broken(self):
        raise AttributeError

    def __getattr__(self, name):
        return 5 if name == "made_up" else super().__getattr__(name)


class Watched(nn.Module):
    def __getattribute__(self, name):
        return 5 if name == "made_up" else super().__getattribute__(name)


@pytest.mark.parametrize("kind", [nn.Module, Dynamic, Watched])
def test_whether_a_name_is_taken(kind):
    module = kind()
    module.plain, module.weight = 1, nn.Parameter(nbmodule.ones(1))
    module.child, module.mean = nn.Identity(), nn.Buffer(nbmodule.ones(1))
    names = "plain weight child mean label broken made_up forward training mro __name__ new 0"
    for name in names.split():
        assert _has(module, name) == hasattr(module, name), name


def test_children_that_are_repeated_or_missing():
    leaf = nn.Linear(2, 2)
    net = nn.Sequential(leaf, nn.ReLU(), leaf, nn.Sequential(leaf))
    net.add_module("none", None)

    def plain(module, memo, prefix, remove_duplicate):
        if module in memo:
            return
        if remove_duplicate:
            memo.add(module)
        yield prefix, module
        for name, child in module._modules.items():
            if child is not None:
                path = prefix + ("." if prefix else "") + name
                yield from plain(child, memo, path, remove_duplicate)

    for once in (True, False):
        found = list(net.named_modules(remove_duplicate=once))
        assert found == list(plain(net, set(), "", once))


class Leaf(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.small = (
            nn.Parameter(nbmodule.zeros(2)),
            nn.Parameter(nbmodule.zeros(2).half()),
        )
        self.register_parameter("bias", None)
        self.register_buffer("mean", nbmodule.zeros(()))
        self.register_buffer("hidden", nbmodule.zeros(1), persistent=False)
        self.turned = nn.Parameter(nbmodule.zeros(3, 2).t())


def new_tree():
    inner = nn.Sequential(Leaf(), nn.ReLU(), Leaf())
    net = nn.ModuleDict({"a": inner, "b": Leaf(), "again": inner})
    net.none = None
    net.add_module("empty", None)
    return net


def full():
    return {k: nbmodule.rand(v.shape) for k, v in new_tree().state_dict().items()}


def without(*keys):
    return {k: v for k, v in full().items() if k not in keys}


STATES = {
    "all": full,
    "other order": lambda: dict(reversed(full().items())),
    "missing": lambda: without("a.2.weight", "b.mean", "again.0.turned"),
    "unexpected": lambda: {
        "x": 1, "b.bias": 2, **full(), "a.0.new": 3, "a.7.weight": 4, "b._extra_state": 5, "a.": 6,
        "_extra_state": 7, "a.0.hidden": 8, "a.0.weight.more": 9, "empty.weight": 10, ".": 11,
    },
    "both": lambda: {**without("b.mean", "a.0.weight"), "zzz": 1, "a.zzz": 2, "aa.0.weight": 3},
    "wrong": lambda: {**full(), "a.0.weight": nbmodule.ones(5), "b.turned": nbmodule.ones(3, 2), "b.mean": 3},
    "one dimension": lambda: {**full(), "b.mean": nbmodule.ones(1)},
    "doubles": lambda: {k: v.double() for k, v in full().items()},
    "parameters": lambda: {k: nn.Parameter(v) for k, v in full().items()},
    "expanded": lambda: {**full(), "b.weight": nbmodule.ones(1).expand(2)},
    "empty": dict,
}  # fmt: skip


def loaded(net, state, strict):
    """Return everything that can be seen of loading `state`."""
    try:
        found = net.load_state_dict(state, strict=strict)
    except Exception as error:
        found = (type(error), str(error))
    values = [(k, v.tolist(), v._version) for k, v in net.state_dict().items()]
    return found, values


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("name", STATES)
def test_a_plain_tree_is_loaded_as_one_with_hooks(name, strict):
    state, plain, hooked = STATES[name](), new_tree(), new_tree()
    hooked.register_load_state_dict_pre_hook(lambda *args: None)
    assert loaded(plain, state, strict) == loaded(hooked, state, strict)


def test_a_state_of_its_own_counts_as_a_write():
    net = nn.Linear(2, 2)
    net.load_state_dict(net.state_dict())
    assert net.weight._version == nn.Linear(2, 2).weight._version + 1
    state = net.state_dict()
    state["weight"] = state["weight"].t()
    with pytest.raises(RuntimeError, match="single memory location"):
        net.load_state_dict(state)


class Own(nn.Module):
    def _load_from_state_dict(self, state_dict, *args):
        self.seen = list(state_dict)


def test_whoever_has_a_say_is_asked():
    net = nn.Sequential(nn.Linear(1, 1), Own())
    net.load_state_dict({**net.state_dict(), "1.x": 1})
    assert net[1].seen == ["1.x"]

    net = nn.Sequential(nn.Linear(1, 1))
    net[0]._load_from_state_dict = lambda *args: None
    assert net.load_state_dict({}) == ([], [])

    net, met = nn.Sequential(nn.Linear(1, 1)), []
    net[0].register_load_state_dict_post_hook(lambda module, keys: met.append(module))
    net.load_state_dict(net.state_dict())
    assert met == [net[0]]


FEW = (0, 1, 4, 16, 17, 4095, 4096, 4097)


@pytest.mark.parametrize("n", FEW)
@pytest.mark.parametrize("bounds", [(-0.5, 0.5), (0, 1), (2.0, 2.0), (-3e38, 0.0), (1e-3, 1e30)])
def test_small_parameters_are_filled_as_by_the_method(n, bounds):
    a, b = nn.Parameter(nbmodule.empty(n)), nn.Parameter(nbmodule.empty(n))
    first, second = (nbmodule.Generator().manual_seed(7) for _ in range(2))
    for _ in range(2):
        assert nn.init.uniform_(a, *bounds, generator=first) is a
        with nbmodule.no_grad():
            b.uniform_(*bounds, generator=second)
    assert nbmodule.equal(a, b)
    assert a._version == b._version == 2
    assert nbmodule.equal(first.get_state(), second.get_state())


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.double(),
        lambda t: t.half(),
        lambda t: t.t(),
        lambda t: t[:, 1:],
        lambda t: t[1:],
    ],
)
def test_other_tensors_are_filled_too(change):
    a, b = change(nbmodule.empty(4, 6)), change(nbmodule.empty(4, 6))
    nn.init.uniform_(a, -1, 2, generator=nbmodule.Generator().manual_seed(7))
    b.uniform_(-1, 2, generator=nbmodule.Generator().manual_seed(7))
    assert nbmodule.equal(a, b)
    with pytest.raises(RuntimeError, match="uniform_ expects"):
        nn.init.uniform_(a, 2.0, 1.0)
    with nbmodule.inference_mode():
        made_inside = nbmodule.empty(3)
    with pytest.raises(RuntimeError, match=r"[Ii]nference"):
        nn.init.uniform_(made_inside)


@pytest.mark.parametrize("make", [nbmodule.zeros, nbmodule.ones, nbmodule.empty])
@pytest.mark.parametrize("size", [(3,), (2, 3), ((2, 3),), (0,), ((0, 4),), ([2, 3],), (np.int64(2), 3)])  # fmt: skip
def test_sizes_without_options(make, size):
    shape = tuple(size[0]) if isinstance(size[0], (list, tuple)) else tuple(map(int, size))
    for options in ({}, {"dtype": None}, {"device": None, "dtype": None}, {"device": "cpu"}):
        made = make(*size, **options)
        assert made.shape == shape
        assert made.dtype == nbmodule.float32
        assert not made.requires_grad
        if make is not nbmodule.empty:
            assert (made == float(make is nbmodule.ones)).all()
    with nbmodule.device("meta"):
        assert make(*size).is_meta
    for wrong in ((-1,), (2, -1), (2**62,), (2**40, 2**40), (True,), (2.0,)):
        with pytest.raises((RuntimeError, TypeError)) as plain:
            make(*wrong)
        with pytest.raises((RuntimeError, TypeError)) as closer:
            make(*wrong, requires_grad=False)
        assert str(plain.value) == str(closer.value)


def test_the_order_in_memory_is_an_option():
    made = nbmodule.empty(1, 2, 3, 4, memory_format=nbmodule.channels_last, dtype=None)
    assert made.stride() == (24, 1, 8, 2)


class Hidden(nn.Module):
    """Shows a child that it does not hold."""

    def __init__(self):
        super().__init__()
        self.__dict__["kept"] = [nn.Linear(1, 1)]

    def children(self):
        return iter(self.kept)


class Named(Hidden):
    children = nn.Module.children

    def named_children(self):
        return iter([("shown", self.kept[0])])


@pytest.mark.parametrize("kind", [Hidden, Named])
def test_children_that_a_leaf_shows_are_visited(kind):
    net, met = nn.Sequential(kind()), []
    child = net[0].kept[0]
    net.apply(met.append)
    assert met == [child, net[0], net]
    assert not net.eval()[0].kept[0].training
    assert net.double()[0].kept[0].weight.dtype == nbmodule.float64


def test_a_leaf_may_apply_in_its_own_way():
    class Refusing(nn.Module):
        def apply(self, fn):
            return self

    net, met = nn.Sequential(Refusing(), nn.ReLU()), []
    net.apply(met.append)
    assert met == [net[1], net]
