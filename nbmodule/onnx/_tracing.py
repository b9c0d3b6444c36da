"""Running a model and writing down its operations, several times: with the sizes given, and once for each dynamic axis.

What a single run can't tell, the comparison of several does. A size that differs between runs follows a dynamic axis. A tensor
that differs, and that no operation made, was computed behind the back of the trace. Two runs of different operations mean that
`forward` decides by the numbers in its input.
"""

from __future__ import annotations

import copy
import inspect
import itertools
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .. import nn
from .._factories import from_numpy
from .._tensor import Tensor
from ..autograd import no_grad
from ..observer import Event, observe
from ..random import fork_rng, manual_seed


class OnnxExporterError(RuntimeError):
    """A model can't be exported; the message says why, and where.

    Source: https://docs.pytorch.org/docs/stable/onnx.html
    """


class Traced(Tensor):
    """An input of a trace and whatever is computed from it: nobody outside of the library may read its numbers."""


def _refusing(name: str, read: Any) -> Any:
    def method(self: Any, *args: Any, **options: Any) -> Any:
        caller = sys._getframe(1)
        if not caller.f_globals.get("__name__", "").startswith("nbmodule."):
            line = f"{caller.f_code.co_filename}:{caller.f_lineno}"
            raise OnnxExporterError(
                f"the model reads numbers out of a tensor ({name}, {line}). A graph can't follow what Python makes of them. "
                "Keep to operations on tensors, such as `where`."
            )
        return read(self, *args, **options)

    return method


for _name in ("item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__index__", "__complex__", "__array__", "__format__"):  # fmt: skip
    if hasattr(Tensor, _name):
        setattr(Traced, _name, _refusing(_name, getattr(Tensor, _name)))


class Step:
    """An operation of a run: an event of the engine, and the path of the Module in whose `forward` it happened."""

    def __init__(self, event: Event, path: str) -> None:
        self.kind, self.name, self.path = event.kind, event.name, path
        self.args, self.options, self.result = event.args, event.options, event.result
        tensors = [
            t for t in (*self.args, *self.options.values(), *self.results) if isinstance(t, Tensor)
        ]
        self.versions = {id(t): t._version for t in tensors}

    @property
    def results(self) -> tuple[Any, ...]:
        return self.result if isinstance(self.result, tuple) else (self.result,)


class Run:
    """One pass of a copy of the model.

    Attributes:
        inputs: the tensors given, by their names in the graph.
        feed: their numbers, for onnxruntime.
        sizes: the size of each dynamic axis, by its name.
        held: the parameters and buffers of the copy, by their names.
        values, versions: their numbers, and how often they were written to, before the run.
        steps: the operations.
        outputs: the tensors returned, by name.
        results: their numbers.
    """

    def __init__(self, model: nn.Module, args: tuple, kwargs: dict, inputs: dict[str, Tensor], sizes: dict[str, int], seed: int) -> None:  # fmt: skip
        self.inputs, self.sizes = inputs, sizes
        self.feed = {name: _numbers(t).copy() for name, t in inputs.items()}
        left = iter(inputs.values())
        args = tuple(next(left) if isinstance(a, Tensor) else a for a in args)
        kwargs = {name: next(left) if isinstance(a, Tensor) else a for name, a in kwargs.items()}
        model = copy.deepcopy(model).eval()
        self.held: dict[str, Tensor] = dict(model.named_parameters()) | dict(model.named_buffers())
        self.versions = {name: t._version for name, t in self.held.items()}
        self.values = {name: _numbers(t).copy() for name, t in self.held.items()}
        self.steps: list[Step] = []
        place: list[str] = []  # the paths of the Modules that are being called, the innermost last
        for path, module in model.named_modules():
            module.register_forward_pre_hook(
                lambda m, a, path=path: place.append(path), prepend=True
            )
            module.register_forward_hook(lambda m, a, y: place.__delitem__(-1), always_call=True)

        def note(event: Event) -> None:
            if event.error is None:
                self.steps.append(Step(event, place[-1] if place else ""))

        with fork_rng(), no_grad(), observe(note):
            manual_seed(seed)
            found = [*_tensors("output", model(*args, **kwargs))]
        if not found:
            raise OnnxExporterError("forward returned no tensor; a graph returns tensors")
        self.outputs = dict(found)
        if len(self.outputs) < len(found):
            raise OnnxExporterError(
                f"two outputs have one name: {[name for name, _ in found]}; return a tuple"
            )
        self.results = [_numbers(t).copy() for t in self.outputs.values()]


def _numbers(t: Tensor) -> np.ndarray:
    return t.detach().as_subclass(Tensor).numpy()


def _tensors(name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors in `value`, with names."""
    if isinstance(value, Tensor):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _tensors(str(key) if name == "output" else f"{name}_{key}", item)
    elif isinstance(value, (tuple, list)):
        for number, item in enumerate(value):
            yield from _tensors(f"{name}_{number}", item)
    elif value is not None:
        raise OnnxExporterError(
            f"forward returned a {type(value).__name__}; a graph returns tensors"
        )


def traced_runs(
    model: nn.Module,
    args: tuple,
    kwargs: dict,
    input_names: Sequence[str] | None,
    dynamic_axes: Mapping,
) -> list[Run]:
    """Return a run with the sizes given, and one more for each dynamic axis, or one if there is none."""
    given = _named_inputs(model, args, kwargs, input_names)
    axes = _dynamic(dynamic_axes, given)
    sizes: dict[str, int] = {}
    for name, labels in axes.items():
        for axis, label in labels.items():
            if sizes.setdefault(label, given[name].shape[axis]) != given[name].shape[axis]:
                raise ValueError(
                    f"dynamic axis {label!r} has the sizes {sizes[label]} and {given[name].shape[axis]}"
                )
    used = {*sizes.values()}
    runs = [Run(model, args, kwargs, _others(given, axes, sizes, False), sizes, 0)]
    for seed, label in enumerate(sizes or [""], 1):
        changed = dict(sizes)
        if label:  # a size that no other axis has
            changed[label] = next(n for n in itertools.count(sizes[label] + 2) if n not in used)
            used.add(changed[label])
        try:
            run = Run(model, args, kwargs, _others(given, axes, changed, True), changed, seed)
        except OnnxExporterError:
            raise
        except Exception as error:
            if not label:
                raise
            why = f"with size {changed[label]} instead of {sizes[label]}, forward raises {error!r}"
            raise OnnxExporterError(f"the axis {label!r} can't be dynamic: {why}") from error
        _compare(runs[0], run)
        runs.append(run)
    return runs


def _named_inputs(
    model: nn.Module, args: tuple, kwargs: dict, names: Sequence[str] | None
) -> dict[str, Tensor]:
    try:
        parameters = list(inspect.signature(model.forward).bind(*args, **kwargs).arguments)
    except TypeError as error:
        raise TypeError(
            f"{type(model).__name__}.forward can't be called with these args: {error}"
        ) from None
    own = [*parameters, *(f"input_{i}" for i in range(len(parameters), len(args)))][: len(args)]
    given = [
        (n, a) for n, a in (*zip(own, args, strict=True), *kwargs.items()) if isinstance(a, Tensor)
    ]
    if names is not None and (len(names) != len(given) or len({*names}) < len(names)):
        raise ValueError(
            f"input_names must be {len(given)} different names, one for each tensor, but got {list(names)}"
        )
    return {name: t for name, (_, t) in zip(names or [n for n, _ in given], given, strict=True)}


def _dynamic(dynamic_axes: Mapping, given: dict[str, Tensor]) -> dict[str, dict[int, str]]:
    """Return the names of the dynamic axes of each input; the axes as numbers from the front."""
    axes = {}
    for name, which in dynamic_axes.items():
        if name not in given:
            continue  # an output
        named = which.items() if isinstance(which, Mapping) else ((a, f"{name}_dynamic_axes_{i + 1}") for i, a in enumerate(which))  # fmt: skip
        many = given[name].dim()
        axes[name] = {}
        for axis, label in named:
            if not (isinstance(axis, int) and -many <= axis < many):
                raise ValueError(
                    f"dynamic_axes: {name!r} has {many} axes, and none with the number {axis!r}"
                )
            axes[name][axis % many] = str(label)
    return axes


def _others(given: dict[str, Tensor], axes: dict[str, dict[int, str]], sizes: dict[str, int], changed: bool) -> dict[str, Tensor]:  # fmt: skip
    """Return copies of the inputs with these sizes, and if `changed` with other numbers, as good as those given."""
    made = {}
    for name, t in given.items():
        array = _numbers(t)
        for axis, label in axes.get(name, {}).items():
            array = array.take(np.arange(sizes[label]) % max(array.shape[axis], 1), axis)
        if changed:
            array = np.roll(array.reshape(-1), 1).reshape(array.shape)
            if array.dtype.kind == "f":
                array = array * array.dtype.type(0.875) + array.dtype.type(0.0625)
        made[name] = from_numpy(np.array(array, order="C")).as_subclass(Traced)
    return made


def _compare(a: Run, b: Run) -> None:
    """Raise unless two runs did the same operations."""
    names = [[(s.name, s.path, len(s.args), len(s.results)) for s in run.steps] for run in (a, b)]
    if names[0] != names[1] or len(a.outputs) != len(b.outputs):
        pairs = zip(names[0], names[1], strict=False)
        first = next(
            (i for i, (one, other) in enumerate(pairs) if one != other), min(map(len, names))
        )
        here = (
            a.steps[first]
            if first < len(a.steps)
            else b.steps[first]
            if first < len(b.steps)
            else None
        )
        at = f", from `{here.name}` in {described(here.path)} on" if here else ""
        raise OnnxExporterError(
            f"the operations of the model depend on its input{at}: with other numbers or sizes, it runs different ones. "
            "A graph is one list of operations."
        )


def described(path: str) -> str:
    return f"the Module {path!r}" if path else "the model itself"
