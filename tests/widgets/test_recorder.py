"""The Recorder: its numbers are NumPy's, its findings are true, and nobody notices that it was there."""

from __future__ import annotations

import gc
import importlib
import threading
from typing import Any

import module_subjects as subjects
import numpy as np
import pytest
from training_runs import kinds, mlp, task, train

from nbmodule_widgets.watching import NO_GRADIENT, UNREADABLE, Recorder, Sample
from nbmodule_widgets.watching.strips import strips


def optimizer_hooks(lib: Any) -> tuple[int, int]:
    place = importlib.import_module(f"{lib.__name__}.optim.optimizer")
    return len(place._global_optimizer_pre_hooks), len(place._global_optimizer_post_hooks)


def numbers(tensor: Any) -> np.ndarray:
    return tensor.detach().numpy().astype(np.float64)


def newest(recorder: Recorder) -> Sample:
    assert recorder.latest is not None
    return recorder.latest


# ---- which values are read


@pytest.mark.parametrize(
    "shape",
    [
        (),
        (0,),
        (7,),
        (4096,),
        (4097,),
        (128, 1568),
        (768, 768),
        (50257, 64),
        (3, 1024, 4),
        (2**20,),
    ],
)
def test_strips_lie_in_the_tensor_and_meet_its_columns(shape):
    plan = strips(shape)
    assert plan.numel == int(np.prod(shape))
    places = (np.arange(plan.runs)[:, None] * plan.step + np.arange(plan.width)).ravel()
    assert len(set(places)) == plan.size <= 4096
    if plan.size:
        assert places.max() < plan.numel
    if plan.size < plan.numel:
        assert places.max() > 0.9 * plan.numel
        row = int(np.prod(shape[1:]))
        assert len(set(places % row)) >= min(row, plan.size) * 0.6


# ---- what is measured


def test_statistics_are_those_of_numpy(lib):
    lib.manual_seed(0)
    model = mlp(lib, 100, 64, 1)  # 6,400 weights: more than are read
    names = [name for name, _ in model.named_parameters()]
    recorder = Recorder(model)
    recorder.start()
    loss, optimizer = task(lib, model), lib.optim.SGD(model.parameters(), lr=0.1)
    before: list[np.ndarray] = []
    for _ in range(3):
        optimizer.zero_grad()
        loss().backward()
        before = [numbers(p).copy() for p in model.parameters()]
        optimizer.step()
        recorder.step({"loss": 1.0})
    sample = newest(recorder)
    recorder.stop()
    assert list(recorder.paths) == names
    assert sample.step == 3
    for i, (p, old) in enumerate(zip(model.parameters(), before, strict=True)):
        new, grad = numbers(p), numbers(p.grad)
        exact = 1e-4 if sample.share[i] == 1 else 0.25
        for got, wanted in (
            (sample.weight_norm, np.linalg.norm(new)),
            (sample.gradient_norm, np.linalg.norm(grad)),
            (sample.update_norm, np.linalg.norm(new - old)),
            (sample.ratio, np.linalg.norm(new - old) / np.linalg.norm(new)),
        ):
            assert got[i] == pytest.approx(wanted, rel=exact)
        if sample.share[i] > 1:
            continue
        assert sample.weight_min[i] == np.float32(new.min())
        assert sample.weight_max[i] == np.float32(new.max())
        assert sample.gradient_absmax[i] == np.float32(np.abs(grad).max())
        assert sample.gradient_zeros[i] == pytest.approx((grad == 0).mean())
        edges, counts = sample.weight_histograms()
        assert np.array_equal(counts[i], np.histogram(new, bins=edges[i])[0])
        edges, counts = sample.gradient_histograms(log=True)
        assert np.array_equal(counts[i], np.histogram(np.abs(grad), bins=edges[i])[0])
    assert sample.share[0] > 1
    assert all(
        not column.flags.writeable
        for column in (sample.ratio, sample.weight_min, *sample.weight_histograms())
    )


@pytest.mark.parametrize("layers", [2, 40])
def test_norms_too_small_or_large_for_float32_squares(lib, layers):
    model = lib.nn.ModuleList(lib.nn.Linear(3, 2) for _ in range(layers))
    sizes = [10.0 ** (45 * (i % 2) - 25) for i in range(2 * layers)]  # 1e-25, 1e20
    for parameter, size in zip(model.parameters(), sizes, strict=True):
        parameter.grad = lib.full(tuple(parameter.shape), size)
    recorder = Recorder(model)
    recorder.start()
    recorder.step()
    norms = [s * np.prod(p.shape) ** 0.5 for p, s in zip(model.parameters(), sizes, strict=True)]
    assert newest(recorder).gradient_norm == pytest.approx(norms, rel=1e-5, abs=0)
    assert not newest(recorder).update_norm.any()


def test_what_was_seen_stays_while_training_goes_on(lib):
    model = mlp(lib, 4, 3, 1)
    recorder, kept = Recorder(model), []
    recorder.start()
    for _ in range(40):
        train(lib, model, 1, recorder)
        sample = newest(recorder)
        assert sample is recorder.latest
        norms = [np.linalg.norm(numbers(p)) for p in model.parameters()]
        kept.append((sample, norms, [numbers(p).max() for p in model.parameters()]))
    for step, (sample, norms, largest) in enumerate(kept, start=1):
        assert sample.step == step
        assert sample.weight_norm == pytest.approx(norms, rel=1e-5)
        assert sample.weight_max == pytest.approx(largest)


def test_histograms_of_two_steps_can_be_merged():
    model = subjects.Module()
    model._parameters["w"] = np.linspace(-0.9, 0.9, 1000, dtype=np.float32)
    recorder = Recorder(model)
    recorder.start()
    recorder.step()
    edges, counts = newest(recorder).weight_histograms()
    model._parameters["w"] *= 2
    recorder.step()
    wider_edges, _ = newest(recorder).weight_histograms()
    assert np.allclose(wider_edges[0][10:31], edges[0][::2])
    assert counts.sum() == 1000
    assert counts.dtype == np.uint32


@pytest.mark.parametrize("sparse", [False, True])
def test_a_sparse_gradient_is_not_missed(torch, sparse):
    model = torch.nn.Embedding(50_000, 32, sparse=sparse)
    recorder = Recorder(model)
    recorder.start()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(20):
        optimizer.zero_grad()
        model(torch.tensor([3, 49_123])).square().sum().backward()
        optimizer.step()
        recorder.step()
    sample = newest(recorder)
    gradient = model.weight.grad.to_dense()
    assert sample.gradient_norm[0] == pytest.approx(float(gradient.norm()), rel=1e-4)
    assert sample.gradient_zeros[0] == pytest.approx(1 - 2 / 50_000, abs=1e-4)
    assert sample.gradient_absmax[0] == pytest.approx(float(gradient.abs().max()))
    assert sample.update_norm[0] == UNREADABLE  # and not 0, which would be wrong
    assert kinds(recorder) == []


def test_the_gradient_of_an_embedding_may_be_sparse(torch):
    small, larger = torch.nn.Embedding(50, 4, sparse=True), torch.nn.Embedding(300, 32, sparse=True)
    recorder = Recorder(torch.nn.ModuleList([small, larger]))
    recorder.start()
    optimizer = torch.optim.SGD([small.weight, larger.weight], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        small(torch.tensor([3, 3, 41])).square().sum().backward()
        larger(torch.arange(0, 300, 2)).square().sum().backward()
        norms = [float(e.weight.grad.to_dense().norm()) for e in (small, larger)]
        optimizer.step()
        sample = newest(recorder)
        assert sample.gradient_norm == pytest.approx(norms, rel=0.1)
        assert sample.update_norm == pytest.approx([0.1 * norm for norm in norms], rel=0.1)
        assert sample.gradient_zeros == pytest.approx([1 - 2 / 50, 0.5], abs=0.03)


def test_what_cannot_be_measured_has_a_code(torch):
    nn = torch.nn
    model = nn.Module()
    tensors = {
        "plain": torch.tensor([3.0, 4.0]),
        "double": torch.tensor([3e200, 4e200], dtype=torch.float64),
        "brain": torch.tensor([3.0, 4.0], dtype=torch.bfloat16),
        "half": torch.tensor([3.0, 4.0], dtype=torch.float16),
        "turned": torch.arange(20_000.0).reshape(100, 200).t(),
        "channels": torch.ones(40, 40, 3, 3).contiguous(memory_format=torch.channels_last),
        "complex": torch.tensor([3 + 4j]),
        "scalar": torch.tensor(5.0),
        "empty": torch.zeros(0, 3),
        "bool": torch.tensor([True, False]),
        "integer": torch.tensor([3, 4]),
        "tiny": torch.full((4,), 1e-30),
        "huge": torch.full((4,), 1e30),
        "sparse": torch.eye(3).to_sparse(),
        "meta": torch.zeros(3, device="meta"),
    }
    for name, tensor in tensors.items():
        model.register_parameter(f"a_{name}", nn.Parameter(tensor, requires_grad=False))
    model.lazy = nn.LazyLinear(3)
    model.register_parameter("none", None)
    recorder = Recorder(model)
    recorder.start()
    for _ in range(2):
        recorder.step()
    norms = newest(recorder).weight_norm.tolist()
    got = {p.removeprefix("a_"): n for p, n in zip(recorder.paths, norms, strict=True)}
    for name in ("plain", "brain", "half", "complex", "scalar", "integer"):
        assert got[name] == pytest.approx(5)
    assert got["double"] == np.inf
    assert got["empty"] == 0
    assert got["bool"] == 1
    assert got["turned"] == pytest.approx(float(tensors["turned"].norm()), rel=0.05)
    assert got["channels"] == pytest.approx(120)
    assert got["tiny"] == pytest.approx(2e-30)
    assert got["huge"] == pytest.approx(2e30)
    assert got["meta"] == got["sparse"] == got["lazy.weight"] == UNREADABLE
    assert (newest(recorder).gradient_norm <= NO_GRADIENT).all()
    for made in (newest(recorder).weight_histograms(), newest(recorder).gradient_histograms()):
        assert made[1].shape == (len(recorder.paths), 40)
    assert "unreadable" in str(recorder.history())


@pytest.mark.parametrize("make", [subjects.Module, subjects.Net, *subjects.MISBEHAVING])
def test_any_object_with_drawers_can_be_watched(make):
    model = make()
    recorder = Recorder(model)
    recorder.start()
    assert recorder.step({"loss": 1, "word": "x", "many": np.zeros(3)})
    assert len(newest(recorder).weight_norm) == len(recorder.paths)
    assert list(recorder.history().metrics) == ["loss"]
    recorder.stop()


def test_infinite_and_nan_weights_are_counted_and_reported(lib):
    model = mlp(lib, 4, 3, 1)
    recorder = Recorder(model)
    recorder.start()
    train(lib, model, 3, recorder)
    with lib.no_grad():
        model[0].weight[0, 0] = float("nan")
        model[0].weight[1, 0] = float("inf")
    train(lib, model, 2, recorder)
    sample = newest(recorder)
    assert np.isnan(sample.weight_norm[0])
    assert sample.weight_nans[0] >= 1
    assert kinds(recorder)[0] == "NaN"
    assert "0.weight" in recorder.history().problems[0].text
    assert "step 4" in recorder.history().problems[0].text


# ---- when it looks


def test_it_looks_at_every_nth_step(lib):
    model = mlp(lib, 4, 3, 1)
    recorder = Recorder(model, every=3)
    recorder.start()
    train(lib, model, 10, recorder)
    history = recorder.history()
    assert history.steps.tolist() == [1, 4, 7, 10]
    assert history.metrics["loss"][0].tolist() == list(range(1, 11))
    assert (history.update_norm > 0).all()


def test_two_optimizers_make_one_step(lib):
    one, two = mlp(lib, 4, 3), mlp(lib, 3, 1)
    model = lib.nn.Sequential(one, two)
    loss, recorder = task(lib, model), Recorder(model)
    recorder.start()
    first = lib.optim.SGD(one.parameters(), lr=0.1)
    second = lib.optim.SGD(two.parameters(), lr=0.2)
    start: list[np.ndarray] = []
    for _ in range(3):
        start = [numbers(p).copy() for p in model.parameters()]
        loss().backward()
        first.step()
        first.zero_grad()
        assert newest(recorder).step == recorder.history().steps[-1]
        second.step()
        second.zero_grad()
        assert recorder.step({})
    sample = newest(recorder)
    assert recorder.history().steps.tolist() == [1, 2, 3]
    moved = [np.linalg.norm(numbers(p) - s) for p, s in zip(model.parameters(), start, strict=True)]
    assert sample.update_norm == pytest.approx(moved, rel=1e-3)
    assert (sample.gradient_norm[:2] > 0).all()
    assert sample.ratio.min() > 0


@pytest.mark.parametrize("every", [1, 4])
def test_a_new_head_with_an_optimizer_of_its_own_is_seen_at_once(lib, every):
    model = mlp(lib, 4, 3, 2)
    recorder = Recorder(model, every=every)
    recorder.start()
    model[0].requires_grad_(False)
    for _ in range(2):  # the second head is one that the Recorder does not know
        optimizer = lib.optim.SGD(model[2].parameters(), lr=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            task(lib, model)().backward()
            optimizer.step()
            recorder.step({})
        model[2] = lib.nn.Linear(3, 5)
    history = recorder.history()
    assert history.steps.tolist() == list(range(1, 11, every))
    sample = newest(recorder)
    assert sample.update_norm[2:] == pytest.approx(0.1 * sample.gradient_norm[2:], rel=1e-3)


def test_what_the_loop_itself_moves_is_seen(lib):
    trained, average = mlp(lib, 4, 1), mlp(lib, 4, 1)
    recorder = Recorder(lib.nn.ModuleList([trained, average]))
    recorder.start()
    optimizer = lib.optim.SGD(trained.parameters(), lr=0.1)
    looked: list[Any] = []
    for _ in range(12):
        looked.append([numbers(p).copy() for p in average.parameters()])
        optimizer.zero_grad()
        task(lib, trained)().backward()
        optimizer.step()
        recorder.step({})
        for mean, new in zip(average.parameters(), trained.parameters(), strict=True):
            mean.data.copy_(0.9 * mean.data + 0.1 * new.data)
    sample = newest(recorder)
    before, last = looked[-2:]
    moved = [np.linalg.norm(b - a) for a, b in zip(before, last, strict=True)]
    assert sample.weight_norm[2:] == pytest.approx([np.linalg.norm(w) for w in last], rel=1e-4)
    assert sample.update_norm[2:] == pytest.approx(moved, rel=1e-3)
    assert not recorder.history().problems


def test_gradients_of_several_batches_make_one_look(lib):
    model = mlp(lib, 4, 3, 1)
    loss, recorder = task(lib, model), Recorder(model)
    recorder.start()
    optimizer = lib.optim.SGD(model.parameters(), lr=0.1)
    fresh = []
    for batch in range(12):
        (loss() / 4).backward()
        if batch % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()
        fresh.append(recorder.step({"loss": 0.0}))
    assert [i for i, new in enumerate(fresh) if new][-2:] == [7, 11]
    assert not any(fresh[i] for i in (4, 5, 6, 8, 9, 10))
    assert newest(recorder).step == 12
    assert newest(recorder).gradient_norm.min() > 0


def test_a_closure_computes_the_gradients_that_are_seen(lib):
    model = mlp(lib, 4, 3, 1)
    loss, recorder = task(lib, model), Recorder(model)
    recorder.start()
    optimizer = lib.optim.SGD(model.parameters(), lr=0.1)

    def closure() -> Any:
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    optimizer.step(closure)
    norms = [np.linalg.norm(numbers(p.grad)) for p in model.parameters()]
    assert newest(recorder).gradient_norm == pytest.approx(norms, rel=1e-3)


class OwnSGD:
    """What a reader writes: no hooks, no groups."""

    def __init__(self, params: Any, lr: float) -> None:
        self.params, self.lr = list(params), lr

    def step(self) -> None:
        for p in self.params:
            p.data -= self.lr * p.grad

    def zero_grad(self) -> None:
        for p in self.params:
            p.grad = None


@pytest.mark.parametrize("every", [1, 3])
def test_an_optimizer_of_ones_own_is_seen_from_step(lib, every):
    model = mlp(lib, 4, 3, 1)
    loss, recorder = task(lib, model), Recorder(model, every=every)
    recorder.start()
    optimizer = OwnSGD(model.parameters(), lr=0.1)
    for _ in range(7):
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()
        recorder.step({})
    sample = newest(recorder)
    assert sample.step == 7
    assert sample.update_norm == pytest.approx(0.1 * sample.gradient_norm, rel=1e-3)


def test_gradients_that_are_gone_are_said_to_be(lib):
    model = mlp(lib, 4, 3, 1)
    loss, recorder = task(lib, model), Recorder(model)
    recorder.start()
    optimizer = OwnSGD(model.parameters(), lr=0.1)
    for _ in range(4):
        loss().backward()
        optimizer.step()
        optimizer.zero_grad()
        recorder.step({})
    (finding,) = recorder.history().problems
    assert finding.kind == "no gradient"
    assert "before zero_grad()" in finding.text


def test_hooks_of_an_unknown_optimizer_are_used():
    heard: list[Any] = []

    class Hooked:
        param_groups: list[Any] = []

        def register_step_pre_hook(self, hook: Any) -> Any:
            heard.append(hook)
            return type("Handle", (), {"remove": lambda _: heard.remove(hook)})()

        register_step_post_hook = register_step_pre_hook

    model, optimizer = subjects.Net(), Hooked()
    recorder = Recorder(model, optimizer=optimizer)
    optimizer.param_groups = [{"params": [p for m in (model, *model._modules.values()) if m is not None for p in m._parameters.values()]}]  # fmt: skip
    recorder.start()
    for hook in heard:
        hook(optimizer, (optimizer,), {})
    assert recorder.step({})
    assert newest(recorder).step == 1
    recorder.stop()
    assert heard == []


# ---- nobody notices


def test_training_is_the_same_to_the_last_bit(lib):
    nn = lib.nn

    def run(watched: bool) -> list[bytes]:
        lib.manual_seed(0)
        model = nn.Sequential(
            nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Dropout(0.3), nn.Linear(8 * 36, 3)
        )  # fmt: skip
        x, y = lib.randn(8, 1, 8, 8), lib.randint(0, 3, (8,))
        recorder = Recorder(model)
        if watched:
            recorder.start()
        train(
            lib,
            model,
            20,
            recorder if watched else None,
            lambda: nn.functional.cross_entropy(model(x), y),
        )
        recorder.history()
        found = [*model.parameters(), *model.buffers(), *(p.grad for p in model.parameters())]
        return [
            *(t.detach().numpy().tobytes() for t in found),
            lib.get_rng_state().numpy().tobytes(),
        ]

    assert run(True) == run(False)


@pytest.mark.parametrize("subject", ["transformer", "lstm", "tied", "parametrized"])
def test_torch_models_are_trained_the_same(torch, subject):
    nn = torch.nn

    def run(watched: bool) -> list[Any]:
        torch.manual_seed(0)
        x = torch.randn(2, 5, 16)
        if subject == "transformer":
            layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
            model: Any = nn.TransformerEncoder(layer, 2)
        elif subject == "lstm":
            model = nn.LSTM(16, 8, batch_first=True)
        elif subject == "tied":
            model = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16))
            model[2].weight = model[0].weight
        else:
            model = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(16, 16)))
        optimizer, recorder = torch.optim.Adam(model.parameters()), Recorder(model)
        if watched:
            recorder.start()
        for _ in range(8):
            optimizer.zero_grad()
            out = model(x)
            (out[0] if isinstance(out, tuple) else out).square().mean().backward()
            optimizer.step()
            recorder.step({})
        recorder.stop()
        versions = [(p._version, p.untyped_storage().resizable()) for p in model.parameters()]
        found = [t for p in model.parameters() for t in (p, p.grad)]
        assert len(recorder.paths) == len(list(model.parameters()))
        return [versions, *(t.detach().clone().numpy().tobytes() for t in found)]

    assert run(True) == run(False)


def test_no_hook_stays(lib):
    before = optimizer_hooks(lib)
    model = mlp(lib, 4, 3, 1)
    one, two = Recorder(model), Recorder(model, every=2)
    for recorder in (one, two):
        recorder.start()
        recorder.start()
    assert optimizer_hooks(lib) == (before[0] + 2, before[1] + 2)
    train(lib, model, 3)
    one.stop()
    one.stop()
    assert optimizer_hooks(lib) == (before[0] + 1, before[1] + 1)
    assert two.history().steps.tolist() == [1, 3]
    assert one.history().steps.tolist() == [1, 2, 3]
    del two, recorder
    gc.collect()
    assert optimizer_hooks(lib) == before
    train(lib, model, 1)
    assert len(one.history().steps) == 3


def test_a_look_that_fails_does_not_stop_training(lib, monkeypatch):
    model = mlp(lib, 4, 3, 1)
    recorder = Recorder(model)
    recorder.start()
    monkeypatch.setattr(recorder._sampler, "read_weights", lambda *_: 1 / 0)
    train(lib, model, 2, recorder)
    assert "ZeroDivisionError" in str(recorder.history())


# ---- the model changes


def test_parameters_come_and_go(lib):
    model = mlp(lib, 4, 3, 1)
    recorder = Recorder(model)
    recorder.start()
    train(lib, model, 10, recorder)
    model[2] = lib.nn.Linear(3, 2)
    model.append(lib.nn.Linear(2, 1))
    train(lib, model, 10, recorder)
    history = recorder.history()
    assert history.paths == recorder.paths == tuple(name for name, _ in model.named_parameters())
    assert history.weight_norm.shape == (20, 6)
    assert np.isnan(history.weight_norm[:10, -1]).all()
    assert (history.gradient_norm[:, 0] > 0).all()
    assert (history.gradient_norm[-2:] > 0).all()


def test_a_lazy_parameter_is_found_when_it_is_there(torch):
    model = torch.nn.Sequential(torch.nn.LazyLinear(3), torch.nn.Linear(3, 1))
    recorder = Recorder(model)
    recorder.start()
    recorder.step({})
    assert newest(recorder).weight_norm[0] == UNREADABLE
    model(torch.zeros(1, 4))
    train(torch, model, 2, recorder)
    assert newest(recorder).weight_norm[0] == pytest.approx(float(model[0].weight.detach().norm()))


# ---- the run as a whole


def test_the_whole_run_stays_in_bounded_memory():
    model = subjects.Module()
    model._parameters["w"] = weight = np.ones(4, np.float32)
    recorder = Recorder(model)
    recorder.start()
    for step in range(1, 3001):
        weight[0] = step
        recorder.step({"loss": float(step)})
    history = recorder.history()
    assert 200 <= len(history.steps) <= 513
    assert history.steps[0] == 1
    assert history.steps[-1] == 3000
    assert (np.diff(history.steps) > 0).all()
    assert np.diff(history.steps)[:-1].max() <= 16
    assert history.weight_norm[:, 0] == pytest.approx(np.sqrt(history.steps**2.0 + 3))
    steps, values = history.metrics["loss"]
    assert len(steps) <= 1025
    assert values[-1] == 3000
    assert np.array_equal(steps, values)


def test_history_may_be_asked_for_from_another_thread(lib):
    model = mlp(lib, 4, 3, 1)
    recorder = Recorder(model)
    recorder.start()
    done, trouble = threading.Event(), []

    def ask() -> None:
        while not done.wait(0.002):
            try:
                history = recorder.history()
                assert len(history.steps) == len(history.ratio)
            except Exception as error:
                trouble.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    train(lib, model, 50, recorder)
    done.set()
    thread.join()
    assert trouble == []
    assert recorder.history().steps.tolist() == list(range(1, 51))


def test_the_text_is_a_table_with_the_findings(lib):
    lib.manual_seed(0)
    model = mlp(lib, 4, 3, 1)
    model[0].bias.requires_grad = False
    recorder = Recorder(model)
    assert "not looked yet" in str(recorder.history())
    recorder.start()
    train(lib, model, 5, recorder)
    text = str(recorder.history())
    assert text == str(recorder.history())
    lines = text.splitlines()
    assert lines[0].startswith("5 training steps, 5 looks kept · loss ")
    assert [line.split()[0] for line in lines[3:7]] == list(recorder.paths)
    assert "none" in lines[4]
    assert lines[-1] == "! not moving: frozen, no step changes it (requires_grad is False): 0.bias"


@pytest.mark.parametrize(("every", "error"), [(0, ValueError), (1.5, TypeError), (True, TypeError)])
def test_wrong_arguments_are_refused(every, error):
    with pytest.raises(error, match="every"):
        Recorder(subjects.Module(), every=every)
    with pytest.raises(TypeError, match="Module"):
        Recorder([])
