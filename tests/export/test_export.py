"""Models as ONNX files: onnxruntime computes what the model computes, and what can't be exported is named.

`export` itself refuses to write a graph whose numbers differ. So these tests run the written file on inputs that `export`
has never seen, of other sizes too.
"""

import copy
import os
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from fingerprints import fingerprint
from onnx_zoo import CALLS, DYNAMIC, LAYERS, REFUSED, Bigram, Counting

import nbmodule
from nbmodule import nn
from nbmodule.nn import functional as F
from nbmodule.onnx import OnnxExporterError, export
from nbmodule_course import carried


def run(file, inputs):
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    feed = {i.name: a.numpy() for i, a in zip(session.get_inputs(), inputs, strict=True)}
    return session.run(None, feed)


def leaves(value):
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return [t for item in value for t in leaves(item)]
    return [] if value is None else [value]


def agrees(model, file, inputs):
    """The file, of which a fresh process could know nothing but its bytes, gives what the model gives."""
    with nbmodule.no_grad():
        wanted = leaves(copy.deepcopy(model).eval()(*inputs))
    found = run(str(file), inputs)
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-4, atol=1e-5)
        assert a.dtype == b.numpy().dtype


def grown(t, axes):
    """Other numbers, and along `axes` other sizes."""
    for axis, size in axes.items():
        t = t.index_select(axis, nbmodule.arange(size) % t.shape[axis])
    return t if not t.is_floating_point() else nbmodule.randn(t.shape, dtype=t.dtype)


@pytest.mark.parametrize("name", [*LAYERS, *CALLS])
def test_a_layer_computes_the_same_for_any_batch(name, tmp_path):
    nbmodule.manual_seed(0)
    model, args = LAYERS[name]() if name in LAYERS else CALLS[name]()
    names = [f"in{i}" for i in range(len(args))]
    before = fingerprint(model)
    export(
        model,
        args,
        tmp_path / "m.onnx",
        input_names=names,
        dynamic_axes={n: {0: "batch"} for n in names},
    )
    assert fingerprint(model) == before
    for batch in (1, 5):
        agrees(model, tmp_path / "m.onnx", [grown(a, {0: batch}) for a in args])


@pytest.mark.parametrize("name", DYNAMIC)
def test_all_axes_may_be_dynamic(name, tmp_path):
    nbmodule.manual_seed(0)
    model, inputs = DYNAMIC[name]()
    axes = {n: labels for n, (_, labels) in inputs.items()}
    args = tuple(t for t, _ in inputs.values())
    export(model, args, tmp_path / "m.onnx", input_names=[*axes], dynamic_axes=axes)
    for sizes in (
        {},
        {"b": 1, "t": 3, "s": 9, "h": 20, "w": 13},
        {"b": 4, "t": 8, "s": 2, "h": 9, "w": 31},
    ):
        other = [
            grown(t, {a: sizes[x] for a, x in labels.items() if x in sizes})
            for t, labels in inputs.values()
        ]
        agrees(model, tmp_path / "m.onnx", other)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_exported_is_named_and_nothing_is_written(name, tmp_path):
    make, axes, words = REFUSED[name]
    model, args = make()
    (tmp_path / "m.onnx").write_bytes(b"what was there")
    with pytest.raises(OnnxExporterError) as caught:
        export(model, args, tmp_path / "m.onnx", input_names=["x"], dynamic_axes={"x": axes})
    for word in words:
        assert word in str(caught.value)
    assert os.listdir(tmp_path) == ["m.onnx"]
    assert (tmp_path / "m.onnx").read_bytes() == b"what was there"


def test_names_are_those_of_the_state_and_of_the_reader(tmp_path):
    model = Bigram()
    export(
        model,
        nbmodule.tensor([[1, 2]]),
        tmp_path / "m.onnx",
        output_names=["scores"],
        dynamic_axes={"ids": [0, 1]},
    )
    proto = onnx.load(tmp_path / "m.onnx")
    assert [i.name for i in proto.graph.input] == ["ids"]
    assert [o.name for o in proto.graph.output] == ["scores"]
    held = {i.name for i in proto.graph.initializer}
    assert {"table.weight"} <= held  # which is the head's too, and in the file once
    assert "head.weight" not in held
    shape = [d.dim_param or d.dim_value for d in proto.graph.output[0].type.tensor_type.shape.dim]
    assert shape == ["ids_dynamic_axes_1", "ids_dynamic_axes_2", 7]
    assert any(node.name.startswith("head/") for node in proto.graph.node)
    assert proto.opset_import[0].version == 18


@pytest.mark.parametrize("opset", [18, 20, 22])
def test_every_opset_that_is_offered_runs(opset, tmp_path):
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.GroupNorm(2, 4), nn.GELU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2))  # fmt: skip
    x = nbmodule.randn(2, 1, 8, 8)
    export(model, x, tmp_path / "m.onnx", opset_version=opset)
    assert onnx.load(tmp_path / "m.onnx").opset_import[0].version == opset
    agrees(model, tmp_path / "m.onnx", [x * 2])


def test_looking_changes_nothing(tmp_path):
    """Modes, buffers that `forward` writes to, random states and hooks stay as they are."""
    model = Counting().train()
    model.norm.eval()
    handles = [m.register_forward_hook(lambda m, a, y: None) for m in model.modules()]
    x = nbmodule.randn(2, 3)
    state, before = nbmodule.get_rng_state().tolist(), fingerprint(model)
    export(model, x, tmp_path / "m.onnx")
    assert fingerprint(model) == before
    assert [m.training for m in model.modules()] == [True, False]
    assert model.seen.item() == 0
    assert nbmodule.get_rng_state().tolist() == state
    assert all(len(m._forward_hooks) == 1 for m in model.modules())
    assert len(handles) == 2


class Foreign:
    """A Module's methods, and a Parameter of another library."""

    forward = eval = named_modules = register_forward_hook = register_forward_pre_hook = print

    def named_parameters(self):
        return [("weight", np.ones(2))]

    def named_buffers(self):
        return []


class WithForward:
    """A Module that isn't finished yet."""

    def forward(self, x):
        return x


@pytest.mark.parametrize(
    ("change", "error", "word"),
    [
        ({"model": nbmodule.relu}, TypeError, "Module, but got function"),
        ({"model": nn.Linear}, TypeError, "the class Linear"),
        ({"model": Foreign()}, TypeError, "weight is a numpy.ndarray"),
        ({"f": None}, TypeError, "path"),
        ({"model": nn.Linear(3, 2, device="meta")}, ValueError, "weight is on meta"),
        ({"opset_version": 11}, ValueError, "18"),
        ({"input_names": ["a", "b"]}, ValueError, "1 different"),
        ({"output_names": ["a", "b"]}, ValueError, "1 different"),
        ({"output_names": ["x"], "input_names": ["x"]}, ValueError, "two values"),
        ({"dynamic_axes": {"x": {7: "n"}}, "input_names": ["x"]}, ValueError, "axes"),
        ({"dynamic_axes": {"x": {0: "n"}}, "input_names": ["z"]}, ValueError, "'x' is none of"),
        ({"args": (nbmodule.ones(2, 3), 1, 2)}, TypeError, "forward"),
        ({"model": nn.Identity(), "args": (None,)}, OnnxExporterError, "returned no tensor"),
        ({"model": WithForward()}, TypeError, "WithForward, which has no eval"),
    ],
)
def test_bad_arguments_get_a_clear_error(change, error, word, tmp_path):
    given = {
        "model": nn.Linear(3, 2),
        "args": (nbmodule.ones(2, 3),),
        "f": tmp_path / "m.onnx",
    } | change
    with pytest.raises(error, match=word):
        export(**given)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("package", ["onnx", "onnxruntime"])
def test_a_missing_package_is_named_with_the_remedy(package, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=r'pip install "nbmodule\[onnx\]"'):
        export(nn.Linear(3, 2), nbmodule.ones(1, 3), tmp_path / "m.onnx")
    assert os.listdir(tmp_path) == []


def of_a_reader():
    """A class of a reader's, complete, that knows nothing of ours, and the layers on it."""
    source = Path(nn.modules.module.__file__).read_text(encoding="utf-8")
    names = {"__name__": "my_module", "__package__": "nbmodule.nn.modules"}
    exec(compile(source, "my_module.py", "exec"), names)
    return carried(names["Module"], chapter="99")


def test_models_on_a_class_of_a_readers_are_exported_with_their_control_flow(tmp_path):
    mine = of_a_reader()

    class Net(mine.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = mine.Conv2d(1, 4, 3), mine.BatchNorm2d(4)
            self.blocks = mine.ModuleList(mine.Linear(16, 16) for _ in range(3))
            self.drop, self.skips = mine.Dropout(0.5), True

        def forward(self, x):
            x = F.max_pool2d(F.relu(self.norm(self.conv(x))), 2).flatten(1)
            for block in self.blocks:
                x = x + block(x) if self.skips else block(x)
            return self.drop(x) / x.shape[0]

    model = Net()
    assert not isinstance(model, nn.Module)
    before = fingerprint(model)
    x = nbmodule.randn(2, 1, 6, 6)
    export(model, x, tmp_path / "m.onnx", dynamic_axes={"x": {0: "batch"}})
    assert fingerprint(model) == before
    assert all(module.training for module in model.modules())
    for batch in (1, 5):
        agrees(model, tmp_path / "m.onnx", [grown(x, {0: batch})])
    model.forward = lambda x: x * 2 if x.mean() > 0 else -x
    with pytest.raises(OnnxExporterError, match="__bool__"):
        export(model, x, tmp_path / "branch.onnx")
    assert os.listdir(tmp_path) == ["m.onnx"]


def test_a_model_without_drawers_is_told_to_call_init(tmp_path):
    def bare(Module, **given):
        return type("Net", (Module,), {"__init__": lambda self: None, **given})()

    whole = type("Whole", (nn.Module,), {})()
    whole.child = bare(nn.Module)
    for model in (bare(of_a_reader().Module), bare(nn.Module), whole):
        with pytest.raises(
            AttributeError, match=r"^'Net' object has no .*\n.*call super\(\)"
        ) as said:
            export(model, nbmodule.ones(2), tmp_path / "m.onnx")
        assert str(said.value).count("super()") == 1
    bugged = bare(of_a_reader().Module, named_parameters=lambda self: self.wegiht)
    with pytest.raises(AttributeError, match=r"has no attribute 'wegiht'$"):
        export(bugged, nbmodule.ones(2), tmp_path / "m.onnx")


def test_a_single_number_is_an_input_too(tmp_path):
    export(nn.Tanh(), nbmodule.tensor(3.0), tmp_path / "m.onnx")
    agrees(nn.Tanh(), tmp_path / "m.onnx", [nbmodule.tensor(-1.0)])


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    with pytest.raises(RuntimeError, match="nowhere"):
        export(nn.Linear(3, 2), nbmodule.ones(1, 3), tmp_path / "nowhere" / "m.onnx")
    assert os.listdir(tmp_path) == []


TWINS = {
    "Linear": ((4, 3), {}),
    "Conv2d": ((4, 6, 3), {"padding": 1, "groups": 2, "dilation": 2}),
    "BatchNorm2d": ((4,), {}),
    "LSTM": ((4, 3), {"num_layers": 2, "batch_first": True, "bidirectional": True}),
    "GRU": ((4, 3), {"num_layers": 2, "batch_first": True, "bidirectional": True}),
    "MultiheadAttention": ((4, 2), {"batch_first": True}),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", TWINS)
def test_the_file_computes_what_pytorch_computes(name, tmp_path):
    """The same state in PyTorch's layer of that name."""
    torch = pytest.importorskip("torch", reason="the referee: pip install torch")
    nbmodule.manual_seed(0)
    model, args = LAYERS[name]()
    export(model, args, tmp_path / "m.onnx")
    twin = getattr(torch.nn, name)(*TWINS[name][0], **TWINS[name][1]).eval()
    twin.load_state_dict({k: torch.from_numpy(v.numpy()) for k, v in model.state_dict().items()})
    with torch.no_grad():
        wanted = twin(*(torch.from_numpy(a.numpy()) for a in args))
    for a, b in zip(run(str(tmp_path / "m.onnx"), args), leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-4, atol=1e-5)
