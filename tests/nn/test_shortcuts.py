"""Where modules and their first numbers take a shorter way, it leads to the same as the plain one."""

import numpy as np
import pytest

import nbmodule
from nbmodule import nn
from nbmodule.nn.modules._registration import _has

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
