"""An observer never changes a model of PyTorch, nor what is trained, nor what becomes of the memory."""

from __future__ import annotations

import contextlib
import gc
import importlib
import random
import sys
import weakref
from typing import Any

import numpy as np
import pytest
from every_view import LOOKS, STILL, loss_of, used_up
from hub_zoo import HUB
from torch_zoo import ZOO

import nbmodule
import nbmodule_widgets as nw

pytestmark = pytest.mark.torch
torch: Any = pytest.importorskip("torch")
step_hooks = sys.modules[torch.optim.Optimizer.__module__]._global_optimizer_pre_hooks


@pytest.fixture(autouse=True)
def one_thread():
    """Small models; threads that wait for each other would take most of the time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def lstm(nn: Any) -> Any:
    return nn.LSTM(4, 8, 2, bidirectional=True)


def encoder(nn: Any) -> Any:
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    return nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)


def tied(nn: Any) -> Any:
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(), nn.Linear(4, 4))
    model[3].weight = model[0].weight
    model[0].register_forward_hook(lambda *given: None)
    model[0].weight.register_hook(lambda gradient: gradient)
    return model


def reparametrized(nn: Any) -> Any:
    ways = nn.utils.parametrizations
    prune = importlib.import_module("torch.nn.utils.prune")
    pruned = prune.l1_unstructured(nn.Linear(4, 4), "weight", 0.5)
    return nn.Sequential(
        ways.weight_norm(nn.Linear(4, 4)),
        ways.spectral_norm(nn.Linear(4, 4)),
        ways.orthogonal(nn.Linear(4, 4)),
        pruned,
    )


def odd(nn: Any) -> Any:
    model = nn.Module()
    parameters = {
        "short": torch.ones(3, 4, dtype=torch.bfloat16), "meta": torch.ones(3, 4, device="meta"),
        "conjugate": torch.ones(3, dtype=torch.complex64).conj(), "expanded": torch.ones(1).expand(5, 6),
        "transposed": torch.ones(70, 80).t(), "empty": torch.ones(0, 3), "number": torch.tensor(5.0),
        "channels last": torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
    }  # fmt: skip
    for name, tensor in parameters.items():
        model.register_parameter(name, nn.Parameter(tensor))
    model.register_buffer("sparse", torch.eye(3).to_sparse())
    model.register_buffer("negative", torch.tensor([1 + 2j]).conj().imag)
    model.register_buffer("computed", torch.ones(3) * nn.Parameter(torch.ones(3)))
    return model


def state_of(model: Any) -> list[Any]:
    """Everything of a model of PyTorch that looking could disturb."""
    found: list[Any] = [repr(random.getstate()), torch.get_rng_state().tolist()]
    found += [repr(np.random.get_state()), nbmodule.get_rng_state().numpy().tobytes()]  # noqa: NPY002
    found += [torch.is_grad_enabled(), len(step_hooks)]
    tensors = {}
    for module in model.modules():
        for name, value in vars(module).items():
            found.append((name, id(value), value if isinstance(value, bool) else None))
            if isinstance(value, dict):
                found.append([(key, id(item)) for key, item in value.items()])
            if isinstance(value, list):
                found.append([id(item) for item in value])
        found.append(module.training)
        if type(module).__module__.startswith("torch.ao"):  # packed, in no drawer
            module._save_to_state_dict(packed := {}, "", True)
            found.append(repr(packed))
        for drawer in (module._parameters, module._buffers):
            tensors.update({id(t): t for t in drawer.values() if t is not None})
    for tensor in tensors.values():
        gradient = tensor.grad if tensor.is_leaf else None
        found.append(
            (
                id(gradient),
                tensor.requires_grad,
                sorted(vars(tensor)),
                tensor._backward_hooks is None,
            )
        )
        for each in (one for one in (tensor, gradient) if one is not None):
            held = each.layout is torch.strided and each.device.type != "meta"
            if held and not torch.nn.parameter.is_lazy(each):
                found.append((each._version, each.data_ptr(), each.untyped_storage().resizable()))
                found.append(bits(each))
    return found


def bits(tensor: Any) -> bytes:
    """Its numbers as they lie in memory, from a copy: `numpy()` would change the tensor's own."""
    plain = tensor.detach().resolve_conj().resolve_neg()
    copy = plain.clone(memory_format=torch.contiguous_format)
    return copy.reshape(-1).view(torch.uint8).numpy().tobytes()


def trained(model: Any, *inputs: Any, **named: Any) -> Any:
    """An optimizer with momentum after a step, and gradients that are there; None where nothing can be trained."""
    loss = loss_of(model(*inputs, **named))
    if not loss.requires_grad:  # what packed weights give
        return None
    loss.backward()
    optimizer = torch.optim.AdamW(model.parameters())
    optimizer.step()
    return optimizer


def state_of_steps(optimizer: Any) -> list[Any]:
    """What an optimizer remembers, to the last bit."""
    if optimizer is None:
        return []
    found: list[Any] = [(id(group), repr(group)) for group in optimizer.param_groups]
    for parameter, kept in optimizer.state.items():
        found.append((id(parameter), id(kept)))
        found += [(name, id(t), t._version, bits(t)) for name, t in kept.items()]
    return found


def tokens(model: Any) -> Any:
    """Something to train on."""
    if isinstance(model, torch.nn.Sequential):
        return torch.randn(3, 4)
    return torch.randn(5, 3, 16 if isinstance(model, torch.nn.TransformerEncoder) else 4)


def everything(model: Any, run: Any, *inputs: Any, **named: Any) -> None:
    """Looks at a model in every way there is, as a reader and as a page do; with inputs, also at a pass."""
    for look in (LOOKS if inputs or named else STILL).values():
        used_up(look(model, *inputs, **named)).close()
    tree, pane, drawers = nw.show(model), nw.parameters(model), nw.lessons.anatomy(model)
    pane.remember("then")
    for view in (tree, pane, drawers, run.header, run.tree, run.parameters):
        view._handle_custom_msg({"kind": "opened"}, [])
        assert str(view)
        assert view.to_html()
        assert view.bundle()
    for row in range(min(tree.facts.rows, 6)):
        tree.selection = [tree._version, row]
        pane.path = tree.selected_path
    drawers.try_line("self.extra = 5")
    run.refresh()
    run.bundle()
    with contextlib.suppress(ValueError):  # nothing to draw
        pane.figure("values")
    for view in (tree, pane, drawers):
        assert view.problem == ""
        view.close()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "make",
    [lstm, encoder, tied, reparametrized, odd, *ZOO, *HUB],
    ids=lambda make: make.__name__,
)
def test_looking_changes_nothing(make):
    torch.manual_seed(0)
    if make in (*ZOO, *HUB):
        model, given = make()
    else:
        model = make(torch.nn)
        given = None if make is odd else tokens(model)
    named = given if isinstance(given, dict) else {}
    inputs = () if given is None or named else (given,)
    optimizer = trained(model, *inputs, **named) if inputs or named else None
    before = state_of(model), state_of_steps(optimizer)
    run = nw.watch(model, display=False)
    everything(model, run, *inputs, **named)
    assert str(nw.diagnose(model, given, optimizer=optimizer))
    assert (state_of(model), state_of_steps(optimizer)) == before
    with run:
        run.tick(loss=1.0)
        everything(model, run)
    run.close()
    assert (state_of(model), state_of_steps(optimizer)) == before
    gone = weakref.ref(model)
    del model, run, optimizer
    gc.collect()
    assert gone() is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [lstm, encoder, tied, reparametrized])
def test_training_is_the_same_to_the_last_bit(make):
    def trained(looked_at: bool) -> list[Any]:
        torch.manual_seed(0)
        model = make(torch.nn)
        optimizer = torch.optim.Adam(model.parameters())
        run = nw.watch(model, display=False)
        if looked_at:
            run.start()
        for step in range(3):
            batch = tokens(model)
            found = model(batch)
            loss = (found[0] if isinstance(found, tuple) else found).square().mean()
            optimizer.zero_grad()
            loss.backward()
            if looked_at and step == 1:
                everything(model, run, batch)
            optimizer.step()
            if looked_at:
                run.tick(loss=loss)
        run.close()
        hooks = [
            len(value)
            for m in model.modules()
            for key, value in vars(m).items()
            if key.endswith("_hooks")
        ]
        return [
            [p.detach().numpy().tobytes() for p in model.parameters()],
            hooks,
            torch.get_rng_state().tolist(),
        ]

    assert trained(looked_at=True) == trained(looked_at=False)


@pytest.mark.filterwarnings("ignore")
def test_looking_compiles_nothing():
    """What listens would be compiled, too, and the reader's own would be given up after a few times."""
    made = []

    def backend(graph: Any, inputs: Any) -> Any:
        made.append(graph)
        return graph.forward

    x = torch.ones(2, 4)
    model = torch.compile(torch.nn.Sequential(torch.nn.Linear(4, 4)), backend=backend)
    model(x)
    before = len(made)
    assert before
    for look in (*LOOKS.values(), nw.diagnose):
        assert str(look(model, x))
    model(x)
    assert len(made) == before


def test_bits_of_many_small_tensors_are_put_back_also_where_nobody_counts_the_writes():
    """NaN and -0 stay what they are, and what was not written to is left alone."""
    numbers = torch.tensor([[float("nan"), -0.0, 1.0], [0.0, 2.0, 3.0]])

    class Writes(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.many = torch.nn.ParameterList(numbers.clone() for _ in range(30))
            self.short = torch.nn.Parameter(numbers.t().half())

        def forward(self, x: Any) -> Any:
            self.many[7].data[0, 1] = 0.0
            self.many[8].data.mul_(2)
            self.many[9].data = torch.zeros(2, 3)
            self.many[10].data = self.many[10].data.view(3, 2)
            self.short.data[0] = 5
            return x * self.many[0].nan_to_num().sum()

    model = Writes()
    before = [(p.data_ptr(), p.shape, p.numpy(force=True).tobytes()) for p in model.parameters()]
    for look in ("trace", "compare_modes", "graph", "call_tape", "summary of a pass"):
        LOOKS[look](model, torch.ones(2))
        now = [(p.data_ptr(), p.shape, p.numpy(force=True).tobytes()) for p in model.parameters()]
        assert now == before, look
    versions = [p._version for p in model.parameters()]
    assert versions == [versions[0]] * len(versions)


@pytest.mark.parametrize("numbers", [8, 9_000])
def test_a_tensor_whose_memory_is_freed_ends_no_kernel(numbers):
    """As FSDP does it, before the pass or in it; PyTorch crashes when it is read."""

    class Frees(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lin = torch.nn.Linear(2, 2)
            self.register_buffer("kept", torch.ones(numbers))

        def forward(self, x: Any) -> Any:
            self.kept.untyped_storage().resize_(0)
            return self.lin(x)

    model, x = Frees(), torch.ones(1, 2)
    assert any("freed" in note for note in nw.trace(model, x).facts.notes)
    for look in LOOKS:  # freed by now
        str(LOOKS[look](model, x))


def test_memory_that_nobody_has_written_to_has_no_numbers():
    def drops(x: Any) -> Any:
        torch.empty_like(x).copy_(x)
        return torch.empty_like(x).fill_(float("nan"))

    with torch.no_grad():
        found = nw.graph(drops, torch.ones(2)).facts
    made = {node.name: node.value for node in found.nodes}
    assert made["empty_like"] is None
    assert made["fill_"].nans == 2
