"""The cores of the machine: what is cut into parts is the same number, whoever works on them and however often."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import nbmodule
from nbmodule import _blas, _cores, nn
from nbmodule._engine import arrays, operation
from nbmodule._ops import elementwise


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = nbmodule.get_num_threads()
    yield
    nbmodule.set_num_threads(before)


@pytest.fixture
def everything_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the smallest work be worth a part."""
    for name in ("PART", "LONG"):
        monkeypatch.setattr(_cores, name, 1)
    for module in (_cores, operation, elementwise):
        monkeypatch.setattr(module, "MUCH", 1)
    monkeypatch.setattr(arrays, "BLOCK", 4)


def in_a_process(code: str, **variables: str) -> str:
    """Return what the program `code` prints where the environment says nothing of threads but `variables`."""
    started = {k: v for k, v in os.environ.items() if k not in _cores.VARIABLES} | variables
    started["PYTHONPATH"] = os.pathsep.join(sys.path)
    return subprocess.check_output([sys.executable, "-c", code], text=True, env=started).strip()


# ---- how many


def test_threads_are_those_that_were_asked_for() -> None:
    for count in (2, 1):
        nbmodule.set_num_threads(count)
        assert nbmodule.get_num_threads() == count


@pytest.mark.parametrize("count", [0, -1, True, 2.0, "2", None])
def test_a_number_that_is_none_changes_nothing(count: Any) -> None:
    nbmodule.set_num_threads(3)
    with pytest.raises(RuntimeError, match="set_num_threads expects a"):
        nbmodule.set_num_threads(count)
    assert nbmodule.get_num_threads() == 3


@pytest.mark.parametrize(
    ("variables", "count"),
    [
        ({"NBMODULE_NUM_THREADS": "3", "OMP_NUM_THREADS": "5"}, "3"),
        ({"OMP_NUM_THREADS": "5,2", "OPENBLAS_NUM_THREADS": "7"}, "5"),
        ({"NBMODULE_NUM_THREADS": "many", "MKL_NUM_THREADS": "6"}, "6"),
        ({"OMP_NUM_THREADS": "0"}, str(min(_cores._cores(), _cores.MOST))),
    ],
)
def test_the_environment_says_how_many(variables: dict[str, str], count: str) -> None:
    code = "import threading, nbmodule as n; print(n.get_num_threads(), threading.active_count())"
    assert in_a_process(code, **variables).split() == [count, "1"]  # an import starts none


# ---- the same numbers


def _norms() -> nn.Module:
    return nn.Sequential(nn.BatchNorm2d(4), nn.GroupNorm(2, 4), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.3))  # fmt: skip


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "linear": (lambda: nn.Sequential(nn.Linear(9, 40), nn.Tanh(), nn.Linear(40, 3)), (33, 9)),
    "stacks": (lambda: nn.Bilinear(4, 4, 5), (6, 4)),
    "convolution": (lambda: nn.Conv2d(3, 5, 3, padding=1), (7, 3, 12, 13)),
    "tiny images": (lambda: nn.Conv2d(3, 5, 3, padding=1), (40, 3, 6, 6)),
    "images in groups": (lambda: nn.Conv2d(4, 6, 3, groups=2, stride=2), (17, 4, 9, 9)),
    "single pixels": (lambda: nn.Conv2d(4, 6, 1), (5, 4, 9, 9)),
    "transposed": (lambda: nn.ConvTranspose2d(4, 3, 3, stride=2), (9, 4, 8, 8)),
    "norms": (_norms, (9, 4, 12, 12)),
    "few samples": (lambda: nn.BatchNorm1d(7), (30, 7)),
    "rows": (lambda: nn.LayerNorm(11), (5, 8, 11)),
    "attention": (lambda: nn.TransformerEncoderLayer(16, 2, 20, batch_first=True), (6, 5, 16)),
    "smooth": (
        lambda: nn.Sequential(nn.GELU(), nn.SiLU(), nn.Mish(), nn.Softplus(), nn.Sigmoid()),
        (7, 33),
    ),
    "lstm": (lambda: nn.LSTM(5, 7, 2, bidirectional=True), (4, 37, 5)),
    "gru": (lambda: nn.GRU(5, 7), (4, 32, 5)),
    "rnn": (lambda: nn.RNN(5, 7, nonlinearity="relu"), (4, 50, 5)),
    "projected": (lambda: nn.LSTM(5, 7, proj_size=3), (4, 33, 5)),
}


def _numbers(name: str, threads: int) -> list[np.ndarray]:
    """Return a model's result and all gradients, from the same start."""
    nbmodule.set_num_threads(threads)
    nbmodule.manual_seed(0)
    make, shape = MODELS[name]
    model, x = make(), nbmodule.randn(*shape, requires_grad=True)
    y = model(x, x.detach()) if name == "stacks" else model(x)
    y = y[0] if isinstance(y, tuple) else y
    (y * nbmodule.randn_like(y)).sum().backward()
    return [y.detach().numpy(), *(t.grad.numpy() for t in (x, *model.parameters()) if t.grad is not None)]  # fmt: skip


@pytest.mark.usefixtures("everything_is_cut")
@pytest.mark.parametrize("name", MODELS)
def test_however_many_work_the_numbers_are_right_and_come_again(name: str) -> None:
    alone = _numbers(name, 1)
    for threads in (2, 3):
        together, again = _numbers(name, threads), _numbers(name, threads)
        for one, a, b in zip(alone, together, again, strict=True):
            np.testing.assert_allclose(a, one, rtol=2e-4, atol=2e-5)
            assert a.tobytes() == b.tobytes()


def test_one_thread_hears_of_the_whole_batch_and_others_of_parts_that_cover_it() -> None:
    for threads in (1, 2, 3, 8):
        nbmodule.set_num_threads(threads)
        for count in (1, 2, 5, 100):
            parts = _cores.in_parts(np, lambda rows: rows, count, 10 * _cores.LONG)
            covered = [i for rows in parts for i in range(count)[rows]]
            assert covered == [*range(count)]
            assert len(parts) == 1 if threads == 1 else len(parts) >= min(threads, count)
    assert _cores.in_parts(np, lambda rows: rows, 9, _cores.MUCH - 1) == [slice(0, 9)]
    assert _cores.in_parts(nbmodule, lambda rows: rows, 9, 10 * _cores.LONG) == [slice(0, 9)]


def test_sums_are_added_in_the_order_of_the_rows() -> None:
    nbmodule.set_num_threads(4)
    numbers = np.random.default_rng(0).standard_normal((1000, 3)).astype("f4")
    once = _cores.sum_of_parts(np, lambda rows: numbers[rows].sum(0), 1000, 1e9)
    parts = [numbers[i : i + 250].sum(0) for i in range(0, 1000, 250)]
    expected = parts[0].copy()
    for part in parts[1:]:
        expected += part
    assert once.tobytes() == expected.tobytes()


@pytest.mark.usefixtures("everything_is_cut")
def test_how_results_lie_in_memory_does_not_depend_on_the_threads() -> None:
    for threads in (1, 2):
        nbmodule.set_num_threads(threads)
        convolution, norm = nn.Conv2d(64, 64, 3, padding=1), nn.LayerNorm(8).double()
        convolution(nbmodule.randn(8, 64, 7, 7)).sum().backward()
        assert convolution.weight.grad.is_contiguous()
        norm(nbmodule.randn(4, 8).double()).sum().backward()
        assert norm.weight.grad.untyped_storage().nbytes() == 64
        y = nn.functional.linear(nbmodule.randn(1100, 32), nbmodule.randn(33, 32))
        assert y.detach().numpy().flags.owndata


@pytest.mark.usefixtures("everything_is_cut")
def test_products_of_what_does_not_lie_in_one_piece() -> None:
    rng, pick = np.random.default_rng(0), (slice(None, None, 2), slice(None, None, -3))
    a, b = rng.standard_normal((2, 40, 60, 90))
    nbmodule.set_num_threads(2)
    for left in (a[0][pick], np.broadcast_to(a[0, 0], (30, 90)), a[:, 0], a.transpose(0, 2, 1)[3]):
        for right in (b[1].T[: left.shape[1]], np.broadcast_to(b[0, 0, :1], (left.shape[1], 7))):
            if left.shape[1] == right.shape[0]:
                expected = np.einsum("ij,jk->ik", left, right)
                np.testing.assert_allclose(_cores.product(left, right), expected)


# ---- whatever happens


def _many(work: Callable[[slice], Any]) -> list[Any]:
    return _cores.in_parts(np, work, 100, 100 * _cores.LONG)


def test_parts_are_worked_on_by_more_than_one_thread() -> None:
    nbmodule.set_num_threads(2)
    both = threading.Barrier(2)  # which nobody passes alone

    def work(rows: slice) -> int:
        if rows.start in (0, 25):
            both.wait(60)
        return threading.get_ident()

    assert len(set(_many(work))) == 2
    assert [t.daemon for t in threading.enumerate() if t.name == "nbmodule"] != []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_an_error_in_a_part_arrives_and_leaves_the_threads_at_work(error: type, where: str) -> None:
    nbmodule.set_num_threads(2)
    own, raised, written = threading.get_ident(), threading.Event(), []

    def work(rows: slice) -> None:
        if (threading.get_ident() == own) == (where == "here"):
            raised.set()
            raise error("of a part")
        raised.wait(60)
        written.append(rows)

    with pytest.raises(error, match="of a part"):
        _many(work)
    count = len(written)
    assert len(set(_many(lambda rows: (rows.start, rows.stop)))) == 4
    assert len(written) == count  # nobody goes on with what was given up


def test_a_part_may_ask_for_work_and_so_may_other_threads() -> None:
    nbmodule.set_num_threads(3)

    def outer(rows: slice) -> list[slice]:
        return _many(lambda inner: slice(rows.start, inner.stop))

    found: dict[int, Any] = {}

    def ask(number: int) -> None:
        found[number] = [_many(outer) for _ in range(20)]

    others = [threading.Thread(target=ask, args=(number,)) for number in range(3)]
    for thread in others:
        thread.start()
    ask(3)
    for thread in others:
        thread.join()
    rows = [part.start for part in _cores._cut(100, 1e9, False) or ()]
    expected = [[slice(start, part.stop) for part in _cores._cut(100, 1e9, False) or ()] for start in rows]  # fmt: skip
    assert all(each == expected for asked in found.values() for each in asked)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no such timer")
def test_an_interrupt_is_raised_when_nobody_works_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    nbmodule.set_num_threads(2)
    own, at_work, before = threading.get_ident(), set(), signal.getsignal(signal.SIGALRM)

    def work(rows: slice) -> None:
        who = threading.get_ident()
        at_work.add(who)
        time.sleep(0.001 if who == own else 0.1)
        at_work.discard(who)

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(5):
            with pytest.raises(KeyboardInterrupt):  # noqa: PT012
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                while True:
                    _many(work)
            assert at_work <= {own}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(_many(lambda rows: rows)) == 4


def test_an_interrupt_on_the_way_to_wait_waits_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nbmodule.set_num_threads(2)
    own, at_work, usual = threading.get_ident(), threading.Event(), _cores._Task.wait
    left: list[float] = []

    def work(rows: slice) -> None:
        if threading.get_ident() != own:
            at_work.set()
            time.sleep(0.1)
            left.append(rows.start)
        else:
            at_work.wait(60)

    def interrupted(task: _cores._Task) -> None:
        monkeypatch.setattr(_cores._Task, "wait", usual)
        raise KeyboardInterrupt

    monkeypatch.setattr(_cores._Task, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _many(work)
    count = len(left)
    assert count
    time.sleep(0.15)
    assert len(left) == count


def test_a_thread_outlives_what_fails_at_its_leisure_and_keeps_little() -> None:
    nbmodule.set_num_threads(2)
    go, done, times = threading.Event(), threading.Event(), []

    def fail() -> None:
        go.wait(60)
        raise AttributeError

    _cores.at_leisure(fail)
    for _ in range(3 * _cores.WAITING):
        _cores.at_leisure(lambda: times.append(1))
    _cores.at_leisure(done.set)
    go.set()
    assert done.wait(60)
    assert len(times) <= _cores.WAITING


def test_what_is_done_keeps_no_array() -> None:
    nbmodule.set_num_threads(2)
    array = np.ones(3)
    seen = weakref.ref(array)
    _many(lambda rows, array=array: array)  # type: ignore[misc]
    del array
    assert seen() is None


def test_parts_see_what_numpy_was_told_of_errors() -> None:
    nbmodule.set_num_threads(2)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        _many(lambda rows: np.ones(1) / (0 if rows.start == 99 - 24 else 1))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no forks")
def test_the_child_of_a_fork_has_threads_of_its_own() -> None:
    code = (
        "import os, nbmodule as n; n.set_num_threads(2); x = n.ones(600, 600); y = (x @ x).sum().item()\n"
        "child = os.fork()\n"
        "if not child: os._exit(0 if (x @ x).sum().item() == y else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), (x @ x).sum().item() == y)"
    )
    assert in_a_process(code).split() == ["0", "True"]


def test_where_no_thread_can_be_started_one_does_it_all_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(_cores, "_crew", _cores._Crew())
    nbmodule.set_num_threads(3)
    assert len(_many(lambda rows: rows)) == 6
    assert nbmodule.get_num_threads() == 1


# ---- the linear algebra under NumPy


@pytest.mark.parametrize("setter", _blas.SETTERS)
def test_it_is_held_at_one_thread_by_every_name(
    monkeypatch: pytest.MonkeyPatch, setter: str
) -> None:
    """One library has the function; another, which is asked before, has none."""
    kept: list[ctypes.c_int] = []
    library = SimpleNamespace(**{setter: kept.append})
    monkeypatch.setattr(_blas, "_blas_libraries", lambda: iter([SimpleNamespace(), library]))
    assert _blas.hold_linear_algebra()
    assert [count.value for count in kept] == [1]


def test_it_is_left_alone_where_the_environment_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBMODULE_HOLD_BLAS", "0")
    assert not _blas.hold_linear_algebra()


def test_the_wheels_own_library_is_held() -> None:
    """NumPy's wheels for Linux, Windows and most of macOS bring OpenBLAS along."""
    blas: Any = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    if "openblas" in blas["name"]:
        assert _blas.hold_linear_algebra()
