"""What the checks of chapter 22 use: small models, steps made by hand, and graphs and files in plain Python."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import nbmodule
from nbmodule import Tensor, nn, tensor
from nbmodule.nn import functional as F
from nbmodule.observer import observe

from ..exercise import attempt
from .lines import compiled, tried, vocabulary

_MEANING = {
    "x": "`x` is a tensor of shape (2, 4)",
    "other": "`other` is a tensor of shape (3, 4)",
    "third": "`third` is a tensor of shape (5, 4)",
    "many": "`many()` calls the layers of a ModuleList",
    "net": "`net()` has the layers body, drop and head, the Parameter scale and the buffer shift",
    "brave": "`brave()` catches the error of its layer bad",
    "failing": "`failing()` has a layer that raises an error",
    "listed": "`listed` gives path, name and shapes of each step",
    "modes": "`modes` lists `training` of all Modules",
    "hooks": "`hooks` counts the hooks of all Modules",
    "step": "`step` makes a Step by hand",
    "shown": "`shown` lists the nodes; it writes #0 for the first node's result, and the array in place of an initializer's name",
    "steps_of": "`steps_of` lists the steps of a layer",
    "run": "`run` makes a Run by hand",
    "whose": "`whose` tells of each step which arguments and options it has",
    "file": "`file` is a path",
    "ran": "`ran` runs the file in onnxruntime",
    "ends": "`ends` gives the names, types and shapes of its inputs and outputs",
    "operators": "`operators` lists the operators in the file",
    "stored": "`stored` lists the names of Parameters and buffers in the file",
    "wrongly": "`wrongly` changes an entry of `SAME` during the call",
    "tried": "`tried` names the exception",
    "names": "`names` says which of these words are in the error's message",
}


def _x(rows: int, salt: int = 0) -> Tensor:
    return tensor(((np.arange(rows * 4.0) * 5 + salt) % 7 - 3).reshape(rows, 4).astype(np.float32))


# ---- models


class _Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.drop, self.head = nn.Linear(4, 3), nn.Dropout(0.5), nn.Linear(3, 2)
        self.scale = nn.Parameter(tensor([2.0, 3.0]))
        self.register_buffer("shift", tensor([5.0, 6.0]))

    def forward(self, x: Any) -> Any:
        y = self.head(self.drop(F.relu(self.body(x))))
        return y * self.scale + self.get_buffer("shift")


class _Bad(nn.Module):
    def forward(self, x: Any) -> Any:
        x = x.exp()
        return x @ x  # of shapes that don't fit


class _Failing(nn.Module):
    def __init__(self, catches: bool) -> None:
        super().__init__()
        self.bad, self.fine, self.catches = _Bad(), nn.Tanh(), catches

    def forward(self, x: Any) -> Any:
        try:
            x = self.bad(x)
        except RuntimeError:
            if not self.catches:
                raise
            x = x.neg()
        return self.fine(x).relu()


class _Many(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Tanh(), nn.Sigmoid()])

    def forward(self, x: Any) -> Any:
        for layer in self.layers:  # the list itself is never called
            x = layer(x).exp()
        return x


class _Own(nn.Module):
    """A model whose forward is a function of its own."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Any) -> Any:
        return self.function(x)


def _net() -> Any:
    return pickle.loads(_net_as_bytes())


@lru_cache(maxsize=1)
def _net_as_bytes() -> bytes:
    """Return a model that's ready: to fill a new one with random numbers takes four times as long as to read this one."""
    nbmodule.manual_seed(3)
    return pickle.dumps(_Net())


def _deep() -> Any:
    inner = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
    return nn.Sequential(inner, _Own(lambda x: x.exp()), inner, nn.ReLU())


# ---- steps by hand


class Step:
    """A step as the reader's `Run` lists them."""

    def __init__(self, path: str, name: str, args: tuple, options: dict, result: Any) -> None:
        self.path, self.name = path, name
        self.args, self.options, self.result = args, options, result

    def __repr__(self) -> str:
        return f"{self.name} in {self.path or 'the model itself'}"


class _Run:
    def __init__(self, x: Any, steps: tuple[Step, ...]) -> None:
        self.x, self.steps = x, list(steps)
        self.output = steps[-1].result if steps else x


def _step(name: str, *args: Any, path: str = "", **options: Any) -> Step:
    first = next(each for each in args if isinstance(each, Tensor))
    return Step(path, name, args, options, first.detach().clone())


def _steps_of(layer: Any, x: Any) -> list[Step]:
    events: list[Any] = []
    with nbmodule.no_grad(), observe(events.append):
        layer.eval()(x)
    return [Step("", each.name, each.args, each.options, each.result) for each in events]


# ---- in plain Python


def _plain(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.detach().tolist()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in sorted(value.items())}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _listed(run: Any) -> list[Any]:
    shape = lambda t: tuple(t.shape) if hasattr(t, "shape") else t  # noqa: E731
    return [(s.path, s.name, [shape(a) for a in s.args], sorted(s.options), shape(s.result)) for s in run.steps]  # fmt: skip


_USUAL = {
    "Conv": {"group": 1, "auto_pad": "NOTSET"},
    "Gemm": {"alpha": 1, "beta": 1, "transA": 0, "transB": 0},
    "Reshape": {"allowzero": 0},
    "Softmax": {"axis": -1},
}


def _shown(graph: Any) -> list[Any]:
    results = {name: f"#{number}" for number, (_, _, name, _) in enumerate(graph.nodes)}
    if len({*results, *graph.initializers, "x"}) < len(graph.nodes) + len(graph.initializers) + 1:
        return ["two values have one name"]

    def label(name: str) -> Any:
        if name in results or name not in graph.initializers:
            return results.get(name, name)
        array = np.asarray(graph.initializers[name])
        kept = name if not name.startswith("constant") and name in _OWN else "constant"
        return (kept, str(array.dtype), array.tolist())

    def given(operator: str, inputs: Any, attributes: dict[str, Any]) -> Any:
        """Return the attributes with those that may be left out."""
        usual = dict(_USUAL.get(operator, {}))
        if operator == "Conv":
            size = list(np.shape(graph.initializers.get(inputs[1])))[2:]
            ones, zeros = [1] * len(size), [0] * len(size) * 2
            usual |= {"strides": ones, "dilations": ones, "pads": zeros, "kernel_shape": size}
        found = {**usual, **attributes}
        if operator == "Softmax":  # of `x`, which has two axes
            found["axis"] = {-2: 0, -1: 1}.get(found["axis"], found["axis"])
        return _plain(found)

    return [
        (operator, [label(name) for name in inputs], given(operator, inputs, attributes))
        for operator, inputs, _, attributes in graph.nodes
    ]


_OWN = {name for name, _ in (*_Net().named_parameters(), *_Net().named_buffers())}


def _whose(steps: list[Any], *runs: Any) -> list[Any]:
    """Return of each step what it is, whether its arguments are those of the first run, and its options."""
    first = runs[0].steps
    same = [[a is b for a, b in zip(s.args, f.args, strict=True)] + [s.result is f.result] for s, f in zip(steps, first, strict=True)]  # fmt: skip
    return [(s.path, s.name, kept, _plain(s.options)) for s, kept in zip(steps, same, strict=True)]


# ---- files


def _ran(file: Any, x: Any) -> Any:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    return [np.round(np.asarray(each, float), 4).tolist() for each in session.run(None, {"x": x.numpy()})]  # fmt: skip


def _ends(file: Any) -> list[Any]:
    import onnx

    graph = onnx.load(str(file)).graph
    kinds = [(end.name, end.type.tensor_type) for end in (*graph.input, *graph.output)]
    return [(name, kind.elem_type, [(d.dim_param and "any") or d.dim_value for d in kind.shape.dim]) for name, kind in kinds]  # fmt: skip


def _operators(file: Any) -> list[str]:
    import onnx

    return [node.op_type for node in onnx.load(str(file)).graph.node]


def _stored(file: Any) -> list[str]:
    import onnx

    return sorted(
        each.name
        for each in onnx.load(str(file)).graph.initializer
        if not each.name.startswith("constant")
    )


def _value_of(text: str, given: Any) -> Any:
    before, last = compiled(text)
    beside = getattr(given if not isinstance(given, type) else given.__init__, "__globals__", {})
    names = {name: beside.get(name) for name in ("Run", "Graph", "merged", "export")}
    names |= _WORDS | {given.__name__: given, "x": _x(2), "other": _x(3, 2), "third": _x(5, 1)}
    made: list[Any] = []  # a name goes by the `id` of a tensor, which therefore has to live

    def living(make: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **options: made.append(make(*args, **options)) or made[-1]

    names |= {"step": living(_step), "net": living(_net), "steps_of": living(_steps_of)}
    names["wrongly"] = lambda call, **other: _wrongly(names["Graph"], call, other)
    folder = _folder() if "file" in text else nullcontext("")
    with folder as folder, nbmodule.set_grad_enabled(True):  # an answer may have switched it off
        names["file"] = Path(folder, "model.onnx")
        names["there"] = lambda: sorted(os.listdir(folder))
        exec(before, names)
        return _plain(eval(last, names))


@contextmanager
def _folder() -> Iterator[str]:
    """Give a folder for a file; meanwhile a session has one thread, since there are many, and writes nothing into the terminal."""
    import onnxruntime

    Session = onnxruntime.InferenceSession

    def session(content: Any, sess_options: Any = None, *args: Any, **more: Any) -> Any:
        if sess_options is None:
            sess_options = onnxruntime.SessionOptions()
            sess_options.intra_op_num_threads, sess_options.log_severity_level = 1, 4
        return Session(content, sess_options, *args, **more)

    folder = _scratch().name
    setattr(onnxruntime, "InferenceSession", session)  # noqa: B010  # pyright knows a class there
    try:
        yield folder
    finally:
        setattr(onnxruntime, "InferenceSession", Session)  # noqa: B010
        for left in Path(folder).iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()


@lru_cache(maxsize=1)
def _scratch() -> tempfile.TemporaryDirectory[str]:
    """Return one folder for all files: to remove one takes longer than to make a file."""
    return tempfile.TemporaryDirectory()


def _wrongly(Graph: Any, call: Callable[[], Any], other: dict[str, str]) -> Any:
    kept = dict(Graph.SAME)
    Graph.SAME.update(other)
    try:
        return call()
    finally:
        Graph.SAME.clear()
        Graph.SAME.update(kept)


uses = vocabulary(_MEANING, _value_of)

_WORDS: dict[str, Any] = {
    "np": np, "nbmodule": nbmodule, "nn": nn, "tensor": tensor, "F": F, "deep": _deep, "own": _Own,
    "brave": lambda: _Failing(True), "failing": lambda: _Failing(False),
    "listed": _listed, "shown": _shown, "whose": _whose, "ran": _ran, "ends": _ends, "stored": _stored, "operators": _operators, "many": _Many,
    "modes": lambda model: [each.training for each in model.modules()],
    "hooks": lambda model: sum(len(each._forward_hooks) + len(each._forward_pre_hooks) for each in model.modules()),
    "run": lambda x, *steps: _Run(x, steps),
    "tried": tried,
    "names": lambda call, *words: [word for word in words if word in str(attempt(call).error)],
}  # fmt: skip
