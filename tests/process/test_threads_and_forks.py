"""What the threads of a process share, and what the child of a fork finds of it."""

import os
import sys
import threading
import time

import pytest

import nbmodule
from nbmodule import nn
from nbmodule._engine.graph import accumulating
from nbmodule._forks import lock_of_object
from nbmodule._generator import OF_THREADS, drawing
from nbmodule_widgets.watching.recorder import Recorder

DRAWS = {
    "rand": lambda: nbmodule.rand(5),
    "float64": lambda: nbmodule.rand(5, dtype=nbmodule.float64),
    "a few normal numbers": lambda: nbmodule.randn(3),
    "normal numbers": lambda: nbmodule.randn(20),
    "many": lambda: nbmodule.rand(2**16 + 9)[:: 2**13],
    "many normal numbers": lambda: nbmodule.randn(2**16 + 9)[:: 2**13],
    "randperm": lambda: nbmodule.randperm(9),
    "wide integers": lambda: nbmodule.randint(0, 2**40, (3,)),
    "random_": lambda: nbmodule.empty(3).random_(),
    "poisson": lambda: nbmodule.poisson(nbmodule.full((3,), 20.0)),
    "dropout": lambda: nbmodule.dropout(nbmodule.ones(64), 0.5, True),
    "init": lambda: nn.Linear(4, 4, bias=False).weight.detach(),
    "multinomial": lambda: nbmodule.multinomial(nbmodule.ones(9), 3),
}


@pytest.fixture
def impatient():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # a shorter one takes minutes on a loaded machine
    yield
    sys.setswitchinterval(interval)


def drawn(draw, times):
    return [tuple(draw().reshape(-1).tolist()) for _ in range(times)]


def drawn_by_threads(draw, count, times):
    """Return what `count` threads draw that begin together, each so many times."""
    found, together = [], threading.Barrier(count)

    def work():
        together.wait()
        found.extend(drawn(draw, times))

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.parametrize("name", DRAWS)
def test_threads_share_out_the_numbers_that_one_would_draw(name, impatient):
    times = 3 if name.startswith("many") else 25
    for seed in range(2):
        nbmodule.manual_seed(seed)  # the first draws race for the twister, too
        found = drawn_by_threads(DRAWS[name], 6, times)
        nbmodule.manual_seed(seed)
        assert sorted(found) == sorted(drawn(DRAWS[name], 6 * times))


def test_a_state_that_is_asked_for_meanwhile_is_whole(impatient):
    states = drawn_by_threads(lambda: (nbmodule.rand(1), nbmodule.get_rng_state())[1], 4, 40)
    assert len(set(states)) > 100
    for state in states[::7]:
        nbmodule.set_rng_state(nbmodule.tensor(state, dtype=nbmodule.uint8))
        assert nbmodule.rand(9).max() < 1


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks")


def succeeds_in_a_child(work, seconds=20):
    """Return whether `work` comes to its end in the child of a fork, in time."""
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    for _ in range(100 * seconds):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


@forks
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("lock", ["accumulating", "drawing", "of an object", "of a recorder"])
def test_a_child_finds_the_locks_free_that_other_threads_held(lock):
    lock = {
        "accumulating": accumulating,
        "drawing": drawing,
        "of an object": lock_of_object(),
        "of a recorder": Recorder(nn.Linear(1, 1))._lock,
    }[lock]
    taken, let_go = threading.Event(), threading.Event()

    def hold():
        with lock:
            taken.set()
            let_go.wait(0.2)

    def work():
        with lock:
            w = nbmodule.rand(3, requires_grad=True)
            (w * w).sum().backward()
            assert w.grad is not None

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait()
    assert succeeds_in_a_child(work)
    let_go.set()
    thread.join()


@forks
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_children_of_a_busy_process_work():
    w, done = nbmodule.ones(1000, requires_grad=True), threading.Event()

    def busy():
        while not done.is_set():
            w.sum().backward()
            nbmodule.rand(1000)

    def work():
        for _ in range(3):
            w.sum().backward()
            nbmodule.rand(10)
        assert nbmodule.equal(w.grad, w.grad[0].expand(1000))  # no gradient half added

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        assert all(succeeds_in_a_child(work) for _ in range(8))
    finally:
        done.set()
        for thread in threads:
            thread.join()


@forks
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_forgets_the_generators_of_threads_that_it_has_not():
    OF_THREADS[-1] = nbmodule.Generator()
    try:

        def work():
            assert not OF_THREADS

        assert succeeds_in_a_child(work)
    finally:
        del OF_THREADS[-1]
