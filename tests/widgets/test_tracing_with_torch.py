"""`record` and `Preserved` on models of PyTorch: the same bits, the fused fast path, lazy and normed weights."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from model_picture import picture

from nbmodule_widgets.preserved import Preserved
from nbmodule_widgets.tracing import record

pytestmark = pytest.mark.torch
torch: Any = pytest.importorskip("torch")
nn = torch.nn


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    yield
    torch.set_num_threads(before)


def conv() -> tuple[Any, Any]:
    layers = (
        nn.Conv2d(1, 4, 3),
        nn.BatchNorm2d(4),
        nn.ReLU(inplace=True),
        nn.Dropout(),
        nn.Flatten(),
        nn.Linear(36, 2),
    )
    return nn.Sequential(*layers), torch.randn(3, 1, 5, 5)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(3, 4, 2, dropout=0.5), nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        return self.head(self.lstm(x)[0])


def encoder() -> tuple[Any, Any]:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), torch.randn(2, 5, 8)


def encoder_in_eval() -> tuple[Any, Any]:
    model, x = encoder()
    return model.eval(), x


def tied() -> tuple[Any, Any]:
    model = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Linear(4, 4))
    model[2].weight = model[0].weight
    return model, torch.randn(2, 4, requires_grad=True)


def parametrized() -> tuple[Any, Any]:
    of = nn.utils.parametrizations
    model = nn.Sequential(of.weight_norm(nn.Linear(4, 4)), of.spectral_norm(nn.Linear(4, 2)))
    return model, torch.randn(3, 4)


def normed_by_hooks() -> tuple[Any, Any]:
    model = nn.Sequential(
        nn.utils.spectral_norm(nn.Linear(4, 4)), nn.utils.spectral_norm(nn.Linear(4, 2))
    )
    return model, torch.randn(3, 4)


def watched() -> tuple[Any, Any]:
    model, x = conv()
    model[3].register_full_backward_hook(lambda m, i, o: None)
    model[5].register_full_backward_pre_hook(lambda m, o: (o[0] * 2,))
    model[5].register_forward_pre_hook(lambda m, a, k: ((a[0] + 1,), k), with_kwargs=True)
    return model, x


MODELS = {
    "conv": conv,
    "lstm": lambda: (Recurrent(), torch.randn(4, 2, 3)),
    "encoder": encoder,
    "encoder in eval": encoder_in_eval,
    "tied": tied,
    "parametrized": parametrized,
    "normed by hooks": normed_by_hooks,
    "with hooks": watched,
}


@pytest.mark.parametrize("name", MODELS)
def test_the_pass_is_bit_for_bit_the_plain_one_and_leaves_no_trace(name: str) -> None:
    model, x = MODELS[name]()
    (model(x) ** 2).sum().backward()
    seen: dict[str, list[Any]] = {}
    now = ""

    def loss(y: Any) -> Any:
        seen[now] = [y.detach().numpy().tobytes()]
        return (y * y).sum()

    handles = [
        p.register_hook(lambda g: seen[now].append(g.numpy().tobytes()) or None)
        for p in model.parameters()
    ]
    before, given = picture(model, torch), x.detach().numpy().tobytes()
    now = "traced"
    found = record(model, (x,), loss=loss)
    assert picture(model, torch) == before
    assert x.detach().numpy().tobytes() == given
    again = record(model, (x,), loss=loss)
    assert picture(model, torch) == before
    assert [(e.kind, e.path) for e in again.events] == [(e.kind, e.path) for e in found.events]
    assert not found.problem
    assert not found.notes
    now = "plain"
    with Preserved(model, x):
        loss(model(x)).backward()
    assert len(seen["plain"]) == 1 + len(handles)
    assert seen["traced"] == seen["plain"]


def test_the_fused_path_is_kept_and_said() -> None:
    model, x = encoder_in_eval()
    with torch.no_grad():
        expected = model(x)
        found = record(model, (x,))
    assert not found.problem
    assert torch.equal(torch.from_numpy(found.events[-1].tensors[0][1].values.copy()), expected)
    assert [(c.path, c.fused) for c in found.calls if c.depth == 2] == []
    fused = {n.path: n.why for n in found.never_fired}
    assert fused["layers"].startswith("container")
    assert fused["layers.0.linear1"].startswith("fused: layers.0 (TransformerEncoderLayer)")
    assert [c.fused for c in found.calls if c.path == "layers.1"] == [True]


def test_hooks_that_a_fused_parent_leaves_out_never_ran() -> None:
    model = nn.MultiheadAttention(8, 2, batch_first=True)
    model.out_proj.register_forward_hook(lambda *_: None)
    x = torch.randn(1, 3, 8)
    found = record(model, (x, x, x), loss=lambda y: y[0].sum())
    assert [n.path for n in found.never_fired] == ["out_proj"]
    assert found.never_fired[0].why.startswith("fused: the model (MultiheadAttention)")
    assert [(h.path, h.ran) for h in found.hooks] == [("out_proj", 0)]


def test_a_lazy_model_is_lazy_again() -> None:
    model = nn.Sequential(nn.LazyLinear(3), nn.ReLU())
    found = record(model, (torch.ones(1, 2),), loss=lambda y: y.sum())
    assert not found.problem
    (note,) = found.notes
    assert "this pass created 2 parameters, and the model is as before, without them" in note
    (hook,) = found.hooks
    assert (
        hook.changed
        == "made weight (3, 2), bias (3,); set in_features; turned its module into a Linear"
    )
    gradients = [e.parameter for e in found.events if e.kind == "parameter gradient"]
    assert sorted(gradients) == ["bias", "weight"]
    assert type(model[0]) is nn.LazyLinear
    assert nn.parameter.is_lazy(model[0].weight)
    assert len(model[0]._forward_pre_hooks) == 1
    assert model(torch.ones(1, 5)).shape == (1, 3)


def test_lazy_buffers_have_no_numbers_again() -> None:
    model = nn.LazyBatchNorm2d()
    assert not record(model, (torch.randn(2, 3, 4, 4),)).problem
    assert nn.parameter.is_lazy(model.running_mean)
    assert int(model.num_batches_tracked) == 0
    assert model(torch.randn(2, 5, 4, 4)).shape == (2, 5, 4, 4)


def test_hooks_of_all_modules_are_listed_and_stay() -> None:
    ran = []
    handle = nn.modules.module.register_module_forward_hook(lambda m, a, o: ran.append(m))
    try:
        model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        found = record(model, (torch.ones(1, 2),), loss=lambda y: y.sum())
        model(torch.ones(1, 2))
    finally:
        handle.remove()
    assert len(ran) == 6
    assert not found.problem
    assert [(h.kind, h.ran) for h in found.hooks] == [("global forward", 3)]


def test_an_input_with_a_history_can_be_traced_twice() -> None:
    model, x = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True) * 2
    for _ in range(2):
        # Its graph is the reader's: only a walk that keeps it may go through it.
        found = record(model, (x,), loss=lambda y: _Kept(y.sum()))
        assert [e.kind for e in found.events if e.path == "" and e.kind.startswith("gradient")] == [
            "gradient in",
            "gradient out",
        ]
    assert x.grad_fn.metadata == {}


class _Kept(torch.Tensor):
    def __new__(cls, tensor: Any) -> Any:
        return tensor.as_subclass(cls)

    def backward(self, *args: Any, **kwargs: Any) -> None:
        super().backward(retain_graph=True)


def test_checkpointing_runs_calls_in_the_backward_pass() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body, self.head = nn.Linear(2, 2), nn.Linear(2, 1)

        def forward(self, x: Any) -> Any:
            return self.head(torch.utils.checkpoint.checkpoint(self.body, x, use_reentrant=False))

    found = record(Net(), (torch.ones(1, 2, requires_grad=True),), loss=lambda y: y.sum())
    assert not found.problem
    assert [c.times for c in found.calls if c.path == "body"] == [1, 2]
    assert any("checkpointing" in note for note in found.notes)


def test_tensors_without_numbers_are_no_problem() -> None:
    model = nn.Linear(4, 4, device="meta")
    found = record(model, (torch.randn(2, 4, device="meta"),))
    assert not found.problem
    assert not found.notes
    shape, seen = found.events[-1].tensors[0][1].shape, found.events[-1].tensors[0][1]
    assert shape == (2, 4)
    assert "meta" in seen.problem


def test_a_copy_that_forward_makes_computes_with_its_own_weights() -> None:
    class Copies(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            other = copy.deepcopy(self.fc)
            nn.init.zeros_(other.weight)
            nn.init.zeros_(other.bias)
            return other(x)

    found = record(Copies(), (torch.ones(1, 2),))
    assert [c.path for c in found.calls] == ["", "(not in the tree)"]
    assert found.events[-1].tensors[0][1].high == 0


def test_sparse_inputs_are_seen_and_left_alone() -> None:
    x = torch.eye(2).to_sparse()
    found = record(nn.Identity(), (x,))
    assert not found.notes
    assert found.events[0].tensors[0][1].mean == 0.5


@pytest.mark.filterwarnings("ignore")
def test_compiled_models_run_as_they_are_written_and_scripted_ones_in_one_piece() -> None:
    model, x = nn.Sequential(nn.Linear(2, 2), nn.ReLU()), torch.ones(1, 2)
    compiled = torch.compile(model, backend="eager")
    found = record(compiled, (x,), loss=lambda y: y.sum())
    assert not found.problem
    assert [call.path for call in found.calls] == ["", "_orig_mod", "_orig_mod.0", "_orig_mod.1"]
    assert any("torch.compile" in note for note in found.notes)
    assert torch._dynamo.eval_frame._stance.stance == "default"
    scripted = torch.jit.script(model)
    found = record(scripted, (x,), loss=lambda y: y.sum())
    assert [call.path for call in found.calls] == [""]
    assert any("TorchScript" in note for note in found.notes)
    assert all(parameter.grad is None for parameter in scripted.parameters())


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
def test_nothing_is_said_of_what_a_script_calls() -> None:
    inner = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
    model = torch.nn.Sequential(torch.jit.script(inner), torch.nn.ReLU())
    never = record(model, (torch.ones(1, 2),)).never_fired
    assert {(n.path, n.why) for n in never} == {
        (path, "not recorded: inside 0 (RecursiveScriptModule), a TorchScript program")
        for path in ("0.0", "0.1")
    }
