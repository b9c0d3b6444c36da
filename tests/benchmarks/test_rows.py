"""The benchmarks run, and NumPy by hand computes what nbmodule computes.

Rows that take long do so in `python benchmarks/run.py` alone; of each kind of them one is run here.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pretend_cupy
import pytest

import nbmodule

ROOM = Path(__file__).parents[2] / "benchmarks"
NAMES = [path.stem for path in ROOM.glob("*.py")] + ["by_hand", "by_hand.networks"]

LONG = ("zebra net", "transformer block", "100 MB", "workers", "of nothing", "FashionMini")
"""Parts of the names of rows that take a second or more."""


@pytest.fixture(scope="module")
def room() -> Iterator[dict[str, ModuleType]]:
    """Return the benchmarks' modules, which import each other as scripts do."""
    sys.path.insert(0, str(ROOM))
    before = set(sys.modules)
    try:
        yield {name: importlib.import_module(name) for name in NAMES}
    finally:
        sys.path.remove(str(ROOM))
        for name in set(sys.modules) - before:
            if name.split(".")[0] in NAMES:
                del sys.modules[name]


def test_every_short_row_runs(room: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:
    modules = room["modules"]
    whole = modules.tree
    monkeypatch.setattr(modules, "tree", lambda t: whole(t, 200))
    for rows in room["tables"].TABLES.values():
        for row, prepare in rows.items():
            if not any(part in row for part in LONG):
                prepare(nbmodule)()


def test_growth_at_the_smallest_sizes(room: dict[str, ModuleType]) -> None:
    for make, sizes in room["growth"].GROWING.values():
        make(nbmodule, sizes[0])()
    assert room["growth"].slope([1, 2, 4], [3.0, 6.0, 12.0]) == pytest.approx(1)


Net = Callable[[ModuleType], Any]
NETS: dict[str, tuple[Net, tuple[int, ...]]] = {
    "linear layers of few rows": (
        lambda nn: nn.Sequential(nn.Linear(1100, 1000), nn.ReLU()),
        (3, 1100),
    ),
    "batch last": (
        lambda nn: nn.Sequential(
            *(nn.Conv2d(2, 3, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(3, 4, 3)),
            *(nn.Flatten(), nn.Linear(36, 5)),
        ),
        (48, 2, 10, 10),
    ),
    "sample by sample": (
        lambda nn: nn.Sequential(nn.Conv2d(1, 4, 5), nn.ReLU(), nn.Conv2d(4, 3, 3, padding=1)),
        (3, 1, 9, 11),
    ),
    "channels last": (
        lambda nn: nn.Sequential(
            *(nn.Conv2d(3, 6, 5, 4, 2), nn.ReLU(), nn.MaxPool2d(3, 2)),
            *(nn.Conv2d(6, 5, 3, padding=1), nn.Flatten(), nn.Linear(45, 4)),
        ),
        (2, 3, 29, 29),
    ),
    "norm": (lambda nn: nn.Sequential(nn.BatchNorm2d(3), nn.ReLU()), (4, 3, 5, 6)),
    "transformer block": (
        lambda nn: nn.TransformerEncoderLayer(16, 4, 32, 0.0, batch_first=True, norm_first=True),
        (3, 7, 16),
    ),
    "LSTM": (lambda nn: nn.LSTM(5, 6, batch_first=True), (3, 4, 5)),
}


@pytest.mark.parametrize("name", NETS)
def test_gradients_by_hand(room: dict[str, ModuleType], name: str) -> None:
    net, shape = NETS[name]
    nbmodule.manual_seed(1)
    to_input = name != "LSTM"
    workload = room["networks"].forward_and_backward(
        nbmodule, net(nbmodule.nn), shape, to_input=to_input
    )
    step = room["by_hand.networks"].StepByHand(workload)
    assert step() == pytest.approx(workload().item(), rel=1e-5)
    gradients = step.gradients()
    for parameter, value in workload.net.named_parameters():
        expected = value.grad.numpy()
        largest = np.abs(expected).max()
        np.testing.assert_allclose(gradients[parameter], expected, rtol=1e-3, atol=1e-4 * largest)
    if to_input:
        expected, axes = workload.x.grad.numpy(), np.argsort(step.order)
        found = step.input_grad.transpose(axes) if expected.ndim == 4 else step.input_grad
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["tiny_mlp", "mlp_with_adam", "lenet"])
def test_updates_by_hand(room: dict[str, ModuleType], name: str) -> None:
    nbmodule.manual_seed(1)
    workload = getattr(room["networks"], name)(nbmodule)
    step = room["by_hand.networks"].StepByHand(workload)
    losses = [(workload().item(), step()) for _ in range(3)]
    for ours, by_hand in losses:
        assert by_hand == pytest.approx(ours, rel=1e-5)


def test_a_peer_that_computes_something_else_is_found(
    room: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    peers, networks = room["peers"], room["networks"]
    peers.check_that_losses_agree(networks.tiny_mlp, [nbmodule])
    monkeypatch.setattr(peers, "works", lambda prepare: {"by hand": lambda: 1.0})
    with pytest.raises(ValueError, match="by hand computes other losses"):
        peers.check_that_losses_agree(networks.tiny_mlp, [nbmodule])


def test_goals_are_about_rows_that_there_are(room: dict[str, ModuleType]) -> None:
    tables = room["tables"]
    everything = tables.chosen([], 1)
    for group, rows in room["goals"].rows(1).items():
        assert set(rows) <= set(everything[group])
    assert tables.chosen(["goals"], 2).keys() == {"workloads"}


def test_words_choose_rows(room: dict[str, ModuleType]) -> None:
    chosen = room["tables"].chosen
    assert chosen(["to"], 1) == {"modules": ["to"]}
    assert chosen(["lenet", "zeros"], 1) == {"workloads": ["lenet"], "engine": ["zeros"]}
    with pytest.raises(SystemExit, match="no group and no row is called 'nonsense'"):
        chosen(["nonsense"], 1)


def test_a_race_compares_round_by_round(room: dict[str, ModuleType]) -> None:
    race = room["harness"].Race({"a": [1.0, 4.0, 1.5], "b": [2.0, 8.0, 1.0]})
    assert (race.ratio("a", "b"), race.ratio_of_least("a", "b"), race.median("b")) == (
        0.5,
        1.0,
        2.0,
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["zeros", "--quick"], "engine "),
        (["profile", "tiny mlp"], "_ops/linalg.py"),
    ],
)
def test_the_command(words: list[str], said: str) -> None:
    command = [sys.executable, str(ROOM / "run.py"), *words]
    assert said in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_column_of_a_gpu(room: dict[str, ModuleType]) -> None:
    with pretend_cupy.installed():
        tiny = room["networks"].tiny_mlp
        works, finish = room["tables"].contestants(tiny, {"nbmodule": nbmodule}, "cuda")
        assert {works["nbmodule"].x.device.type, works["nbmodule"]().device.type} == {"cuda"}
        race = room["harness"].Timing(rounds=2, turn=0.001).race(works, finish)
    assert len(race.seconds["nbmodule"]) == 2
    assert nbmodule.ones(1).device.type == "cpu"


def test_goals_are_shown(room: dict[str, ModuleType], capsys: pytest.CaptureFixture[str]) -> None:
    race = room["harness"].Race({"nbmodule": [8.0], "torch": [10.0]})
    room["goals"].show(
        {"workloads": {"lenet": race, "tiny mlp": race}, "engine": {"zeros": race}}, 1
    )
    head, tiny, lenet = capsys.readouterr().out.strip().splitlines()
    assert head.split() == ["goals", "measured", "goal"]
    assert lenet.split() == ["lenet", "0.80", "0.85", "met"]
    assert tiny.split()[-1] == "missed"


def test_without_a_gpu_one_line_says_so(room: dict[str, ModuleType]) -> None:
    def library(available: bool) -> Any:
        return SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: available))

    reason = room["tables"].missing_device
    assert reason({"a": library(True), "b": library(False)}) == "no GPU that b can use"
    assert not reason({"a": library(True)})


def test_peak_of_memory() -> None:
    command = [sys.executable, str(ROOM / "memory.py"), "by hand", "tiny_mlp"]
    before, after = map(float, subprocess.check_output(command, text=True).split())
    assert 10 < before <= after < 500
