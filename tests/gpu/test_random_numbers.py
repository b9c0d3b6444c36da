"""Random numbers on a GPU: those of the CPU for the same seed; only dropout draws there, by a hash."""

import numpy as np
import pytest

import nbmodule
from nbmodule._ops import hashing
from nbmodule.nn import functional as F


def draws(place="cuda"):
    x = nbmodule.ones(1000, device=place)
    return [
        F.dropout(x, 0.3).tolist(),
        F.dropout(x, 0.3).tolist(),
        nbmodule.randn(4, device=place).tolist(),
    ]


def test_a_seed_decides(gpu):
    nbmodule.manual_seed(0)
    first = draws()
    nbmodule.manual_seed(0)
    assert draws() == first
    assert first[0] != first[1]
    state = nbmodule.get_rng_state()
    again = draws()
    nbmodule.set_rng_state(state)
    assert draws() == again


def test_dropout_scales_what_it_keeps(gpu):
    kept = F.dropout(nbmodule.ones(100_000, device="cuda"), 0.3)
    assert set(kept.unique().tolist()) == {0, nbmodule.tensor(1 / 0.7).item()}
    assert kept.mean().item() == pytest.approx(1, abs=0.01)
    channels = F.dropout2d(nbmodule.ones(50, 40, 3, 3, device="cuda"), 0.5)
    assert set(channels.mean((2, 3)).unique().tolist()) == {0, 2}
    assert F.dropout(nbmodule.ones(3, device="cuda"), 1.0).tolist() == [0, 0, 0]


def test_the_hash_is_splitmix64():
    """The first words for key 0, from the generator's authors: https://prng.di.unimi.it/splitmix64.c"""
    words = hashing.bits(np, 0, 4)
    assert [hex(w) for w in words[1:]] == [
        "0xe220a8397b1dcdaf",
        "0x6e789e6aa1b965f4",
        "0x6c45d188009454f",
    ]


@pytest.mark.parametrize("key", [0, 1, 2**63, 2**64 - 1])
def test_its_bits_look_random(key):
    words = hashing.bits(np, key, 1 << 16)
    ones = np.unpackbits(words.view(np.uint8)).reshape(-1, 64).mean(0)
    assert abs(ones - 0.5).max() < 0.01  # five standard deviations
    numbers = (words >> np.uint64(11)) * 2.0**-53
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.02
    counts = np.histogram(numbers, 256, (0, 1))[0]
    assert (
        (counts - 256) ** 2 / 256
    ).sum() < 370  # chi square of 255 degrees of freedom, 1 in 10**6


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_as_many_are_chosen_as_asked_for(p):
    assert hashing.chosen(np, 7, 1 << 18, p).mean() == pytest.approx(p, abs=0.005)
