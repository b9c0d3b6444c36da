"""Bools that are drawn early: the stream gives the same ones, and stands at the same place, whatever is asked for in between."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbmodule
from nbmodule import _ahead, _generator
from nbmodule._random_states import default_generator

COUNT = 300


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before, state = nbmodule.get_num_threads(), default_generator.get_state()
    monkeypatch.setattr(_generator, "LARGE", COUNT)
    monkeypatch.setattr(_ahead, "MOST", 8 * COUNT)
    yield
    nbmodule.set_num_threads(before)
    default_generator.set_state(state)


@pytest.fixture
def early_ones(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each draw that was made early, and then asked for, was there."""
    taken, noted = _ahead._Early.taken, []

    def noting(self: _ahead._Early) -> Any:
        found = taken(self)
        noted.append(found is not None)
        return found

    monkeypatch.setattr(_ahead._Early, "taken", noting)
    return noted


STEPS = {
    "draw": lambda g: g._bernoulli(COUNT, 0.5),
    "another": lambda g: g._bernoulli(2 * COUNT, 0.5),
    "other odds": lambda g: g._bernoulli(COUNT, 0.1),
    "few": lambda g: g._bernoulli(3, 0.5),
    "one number": lambda g: g._uniform(1, np.dtype("f4")),
    "one normal": lambda g: g._few_normal(1),
    "seed": lambda g: g.manual_seed(3).initial_seed(),
    "state": lambda g: g.get_state().numpy(),
    "back": lambda g: g.set_state(nbmodule.Generator().manual_seed(5).get_state()).initial_seed(),
    "copy": lambda g: g.clone_state()._bernoulli(COUNT, 0.5),
}


@given(names=st.lists(st.sampled_from(["draw", *STEPS]), max_size=12), times=st.integers(1, 4))
def test_any_program_draws_the_same_with_one_thread_and_with_two(
    names: list[str], times: int
) -> None:
    found = []
    for threads in (1, 2):
        nbmodule.set_num_threads(threads)
        g = nbmodule.Generator().manual_seed(0)
        each = [STEPS[name](g) for name in names * times]
        found.append([*each, g.get_state().numpy()])
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)


def test_what_is_drawn_again_and_again_is_there_early(early_ones: list[bool]) -> None:
    nbmodule.set_num_threads(2)
    g = nbmodule.Generator()
    for _ in range(6):
        for count in (COUNT, 2 * COUNT, 2 * COUNT):
            g._bernoulli(count, 0.5)
    # After the second of two equal draws, another one follows, or the first: that is never usual.
    assert early_ones == [True] * 4


def test_no_more_is_drawn_early_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ahead, "MOST", 5 * COUNT + 1)
    nbmodule.set_num_threads(2)
    g = nbmodule.Generator()
    for _ in range(9):
        g._bernoulli(COUNT, 0.5)
    assert len(g._stream.ahead.early) == 5


def test_where_memory_fails_the_stream_goes_on_as_if_nothing_had_been_drawn_early(
    monkeypatch: pytest.MonkeyPatch, early_ones: list[bool]
) -> None:
    make, failed = _generator._bools, threading.Event()

    def fail(twister: Any, draw: Any) -> Any:
        found = make(twister, draw)
        if threading.current_thread() is threading.main_thread():
            return found
        failed.set()
        raise MemoryError

    monkeypatch.setattr(_generator, "_bools", fail)
    sums = []
    for threads in (1, 2):
        nbmodule.set_num_threads(threads)
        g = nbmodule.Generator().manual_seed(0)
        sums.append([g._bernoulli(COUNT, 0.5).sum() for _ in range(4)])
        assert threads == 1 or failed.wait(60)
        sums[-1] += [g._bernoulli(COUNT, 0.5).sum() for _ in range(4)]
    assert sums[0] == sums[1]
    assert False in early_ones


@pytest.mark.parametrize("change", ["few", "another", "other odds", "seed", "back"])
def test_what_was_drawn_early_is_forgotten_when_something_comes_between(
    early_ones: list[bool], change: str
) -> None:
    nbmodule.set_num_threads(2)
    g = nbmodule.Generator()
    for _ in range(4):
        g._bernoulli(COUNT, 0.5)
    assert g._stream.ahead.early
    before = len(early_ones)
    STEPS[change](g)
    g._bernoulli(COUNT, 0.5)
    assert len(early_ones) == before
    assert not g._stream.ahead.early


def test_with_one_thread_nothing_is_drawn_early() -> None:
    nbmodule.set_num_threads(1)
    g = nbmodule.Generator()
    for _ in range(4):
        g._bernoulli(COUNT, 0.5)
    assert not g._stream.ahead.early


def test_threads_that_share_a_generator_get_all_its_numbers_between_them() -> None:
    nbmodule.set_num_threads(2)
    g = nbmodule.Generator().manual_seed(0)

    def draw(_: int) -> list[bytes]:
        return [g._bernoulli(COUNT, 0.5).tobytes() for _ in range(20)]

    with ThreadPoolExecutor(3) as pool:
        found = sorted(chain.from_iterable(pool.map(draw, range(3))))
    nbmodule.set_num_threads(1)
    alone = nbmodule.Generator().manual_seed(0)
    assert found == sorted(alone._bernoulli(COUNT, 0.5).tobytes() for _ in found)


# ---- whatever comes in between


@pytest.fixture
def at_leisure(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What waits for a free thread, which never comes."""
    waiting: list[Any] = []
    monkeypatch.setattr(_ahead, "at_leisure", waiting.append)
    nbmodule.set_num_threads(2)
    return waiting


def _goes_on(g: nbmodule.Generator) -> bool:
    """Return whether `g` draws, within a minute, what its state says."""
    same = []

    def draw() -> None:
        alone = np.random.Generator(np.random.MT19937(0))
        words, place = g._stream.words()
        alone.bit_generator.state = {"bit_generator": "MT19937", "state": {"key": words, "pos": place}}  # fmt: skip
        for _ in range(3):
            expected = (alone.integers(0, 2**64, COUNT, np.uint64) & np.uint64(2**53 - 1)) < 2**52
            same.append(np.array_equal(g._bernoulli(COUNT, 0.5), expected))

    thread = threading.Thread(target=draw, daemon=True)
    thread.start()
    thread.join(60)
    return same == [True] * 3


@pytest.mark.parametrize("change", [*STEPS.keys() - {"copy", "one normal"}])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", ["go", "give_up", "taken", "_plan", "_learn", "forget"])
def test_after_an_interrupt_the_stream_goes_on_from_its_state(
    monkeypatch: pytest.MonkeyPatch, at_leisure: list[Any], name: str, when: str, change: str
) -> None:
    g = nbmodule.Generator().manual_seed(0)
    for _ in range(5):
        g._bernoulli(COUNT, 0.5)
    of = _ahead._Early if hasattr(_ahead._Early, name) else _ahead.Ahead
    usual = getattr(of, name)

    def interrupted(self: Any, *args: Any) -> None:
        monkeypatch.setattr(of, name, usual)
        if when == "after":
            usual(self, *args)
        raise KeyboardInterrupt

    monkeypatch.setattr(of, name, interrupted)
    with contextlib.suppress(KeyboardInterrupt):
        STEPS[change](g)
    monkeypatch.setattr(of, name, usual)
    assert _goes_on(g)


def test_a_draw_that_was_interrupted_halfway_spoils_none_after_it(at_leisure: list[Any]) -> None:
    g = nbmodule.Generator().manual_seed(0)
    for _ in range(5):
        g._bernoulli(COUNT, 0.5)
    first, usual = g._stream.ahead.early[0], _generator._bools

    def interrupted(twister: Any, draw: Any) -> Any:
        usual(twister, (COUNT // 2, draw[1]))
        raise KeyboardInterrupt

    first.make = interrupted
    with pytest.raises(KeyboardInterrupt):
        g._bernoulli(COUNT, 0.5)
    for go in at_leisure:
        go()
    g._bits32(2 * COUNT)  # now the stream stands where the second early draw would begin
    assert _goes_on(g)


@pytest.mark.parametrize("given_up", [False, True])
def test_early_draws_may_begin_in_any_order(at_leisure: list[Any], given_up: bool) -> None:
    g = nbmodule.Generator().manual_seed(0)
    for _ in range(5):
        g._bernoulli(COUNT, 0.5)
    if given_up:
        g._stream.ahead.early[0].give_up()
    for go in reversed(at_leisure):
        helper = threading.Thread(target=go, daemon=True)
        helper.start()
        helper.join(60)
        assert not helper.is_alive()
    assert _goes_on(g)


def test_what_was_taken_is_not_kept_for_a_thread_that_is_late(at_leisure: list[Any]) -> None:
    g = nbmodule.Generator()
    found = [g._bernoulli(COUNT, 0.5) for _ in range(40)]
    assert len(at_leisure) > 30
    kept = [go.__self__.found for go in at_leisure if go.__self__.place[1] < 2 * COUNT * len(found)]
    assert all(each is None for each in kept)


def test_a_handler_of_a_signal_may_draw_in_the_midst_of_a_draw(at_leisure: list[Any]) -> None:
    g = nbmodule.Generator().manual_seed(0)
    for _ in range(5):
        g._bernoulli(COUNT, 0.5)
    first, usual, drawn = g._stream.ahead.early[0], _generator._bools, []

    def make(twister: Any, draw: Any) -> Any:
        drawn.extend(g._bernoulli(COUNT, 0.5).tobytes() for _ in range(4))  # as a handler may
        return usual(twister, draw)

    first.make = make
    drawn.append(g._bernoulli(COUNT, 0.5).tobytes())
    assert len(set(drawn)) == 5
    assert _goes_on(g)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no forks")
def test_the_child_of_a_fork_draws_what_its_parent_draws() -> None:
    code = (
        "import os, nbmodule as n; n.set_num_threads(2); n.manual_seed(0)\n"
        "from nbmodule._random_states import default_generator as g\n"
        "draw = lambda: g._bernoulli(1 << 18, 0.5).sum().item()\n"
        "[draw() for _ in range(4)]\n"
        "read, write = os.pipe(); child = os.fork(); ten = [draw() for _ in range(10)]\n"
        "if not child: os.write(write, repr(ten).encode()); os._exit(0)\n"
        "os.waitpid(child, 0); print(os.read(read, 1000).decode() == repr(ten))"
    )
    started = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    assert (
        subprocess.check_output([sys.executable, "-c", code], text=True, env=started, timeout=60)
        == "True\n"
    )
