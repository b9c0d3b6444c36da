"""The graph of a traced model: a name for every value, constants, and sizes that may be dynamic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._tensor import Tensor
from ._tracing import OnnxExporterError, Run, Step, described

EVERYTHING = np.iinfo(np.int64).max


class Graph:
    """A graph in the making.

    Attributes:
        step: the operation that is being translated, of the first run.
        steps: the same one of each run.
        opset: the version of ONNX' operators.
    """

    def __init__(self, runs: Sequence[Run], opset: int) -> None:
        self.runs, self.opset = runs, opset
        self.nodes: list[Any] = []
        self.refused: dict[
            str, OnnxExporterError
        ] = {}  # why a value can't be exported, which may not be needed
        self.constants: dict[str, np.ndarray] = {}
        self.steps: tuple[Step, ...] = ()
        self._named: set[str] = set()
        self._values: dict[
            int, str
        ] = {}  # the name of a value, by the identity of its tensor, or its place in memory
        self._written: dict[int, int] = {}
        self._alive: list[Any] = []  # so that no identity is given away again
        self._known: dict[Any, str] = {}  # constants by their content
        self._places: dict[
            tuple[int, ...], tuple[str, int]
        ] = {}  # axes of inputs, by their sizes in all runs
        first = runs[0]
        for name, t in first.inputs.items():
            self.name(t, self.new(name))
            for axis in range(t.dim()):
                sizes = tuple(run.inputs[name].shape[axis] for run in runs)
                self._places.setdefault(sizes, (name, axis))
        for name, t in first.held.items():
            if name in first.inputs:
                raise OnnxExporterError(
                    f"{name!r} is an input and a parameter; give the input another name"
                )
            self.name(t, self.new(name), first.versions[name])
            self.constants[name] = first.values[name]

    @property
    def step(self) -> Step:
        return self.steps[0]

    def fail(self, why: str) -> OnnxExporterError:
        """Return the error that says why this step can't be exported."""
        return OnnxExporterError(
            f"`{self.step.name}` in {described(self.step.path)} can't be exported: {why}"
        )

    # ---- values

    def name(self, t: Tensor, name: str, version: int = 0) -> None:
        self._values[id(t)] = self._values[_place(t._array)] = name
        self._alive += t, t._array
        self._written[id(t)] = version

    def new(self, wish: str) -> str:
        name, number = wish, 1
        while name in self._named:
            name, number = f"{wish}_{number}", number + 1
        self._named.add(name)
        return name

    def value(self, get: Callable[[Step], Any], dtype: Any = None) -> str:
        """Return the name of the tensor, array or number that `get` finds in a step, cast to `dtype` if that is given."""
        here = get(self.step)
        if isinstance(here, (bool, int, float)):
            return self._number([get(s) for s in self.steps], dtype)
        array = here._array if isinstance(here, Tensor) else here
        known = self._values.get(id(here)) or self._values.get(_place(array))
        if not known:
            known = self._outside([get(s) for s in self.steps])
        elif known in self.refused:
            return known
        elif self.step.kind != "write" and isinstance(here, Tensor) and self._stale(here):
            raise self.fail(
                "it reads a tensor that was written to in place through another view. Write to a clone, or make it anew, as with `where`"
            )
        own = getattr(here, "dtype", None)
        if dtype is None or _numpy_type(own) == dtype.numpy:
            return known
        return self.add("Cast", [known], to=onnx_type(dtype.numpy))

    def _number(self, found: Sequence[Any], dtype: Any) -> str:
        if len({*map(repr, found)}) == 1:
            return self.constant(np.asarray(found[0], dtype.numpy if dtype else None))
        size = self.size(found) if all(type(n) is int for n in found) else None
        if size is None:
            raise self.fail(
                f"the number {found[0]} follows the dynamic sizes of the input, and isn't the size of an axis"
            )
        size = self.add("Squeeze", [size])
        return self.add("Cast", [size], to=onnx_type(dtype.numpy)) if dtype else size

    def tensor(self, place: int, dtype: Any = None) -> str:
        """Return the name of an argument of this step."""
        return self.value(lambda s: s.args[place], dtype)

    def _stale(self, t: Tensor) -> bool:
        noted = self._written.get(id(t))
        return noted is not None and self.step.versions.get(id(t), noted) != noted

    def _outside(self, found: Sequence[Any]) -> str:
        """Return the name of a constant that no operation of the run has made."""
        arrays = [
            t.detach().as_subclass(Tensor).numpy() if isinstance(t, Tensor) else np.asarray(t)
            for t in found
        ]
        first = arrays[0]
        if all(
            a.shape == first.shape and np.array_equal(a, first, equal_nan=a.dtype.kind == "f")
            for a in arrays
        ):
            return self.constant(first)
        made = self._pattern(arrays)
        if made:
            return made
        raise self.fail(
            "it uses a tensor that follows the numbers or the dynamic sizes of the input, and that was made by something that isn't "
            "recorded as an operation (such as `sort`, `nonzero`, `one_hot` or a random number)"
        )

    def _pattern(self, arrays: Sequence[np.ndarray]) -> str | None:
        """Return the name of a tensor with dynamic sizes that holds 0, 1, 2 …, or one number, or a triangle of it."""
        first = arrays[0]
        if len({a.ndim for a in arrays}) > 1 or any(not a.size for a in arrays):
            return None
        sizes = [self.size(each) for each in zip(*(a.shape for a in arrays), strict=True)]
        names = [name for name in sizes if name]
        if not names or len(names) < len(sizes):
            return None
        if first.ndim == 1 and all(np.array_equal(a, np.arange(len(a))) for a in arrays):
            zero, one = self.constant(np.asarray(0)), self.constant(np.asarray(1))
            numbers = self.add("Range", [zero, self.add("Squeeze", names), one])
            return self.add("Cast", [numbers], to=onnx_type(first.dtype))
        value = first[np.unravel_index(np.argmax(first != 0), first.shape)]
        whole = self.add("Expand", [self.constant(value), self.add("Concat", names, axis=0)])
        if all(np.all(a == value) for a in arrays):
            return whole
        for upper, part in enumerate((np.tril, np.triu)):
            for k in (-1, 0, 1):
                if first.ndim == 2 and all(
                    (a == part(np.full_like(a, value), k)).all() for a in arrays
                ):
                    return self.add("Trilu", [whole, self.constant(np.asarray(k))], upper=upper)
        return None

    def constant(self, array: np.ndarray) -> str:
        """Return the name of a constant with these numbers."""
        array = np.asarray(array)
        key = array.shape, array.dtype.str, array.tobytes()
        if key not in self._known:
            self._known[key] = self.new("constant")
            self.constants[self._known[key]] = array
        return self._known[key]

    def ints(self, *numbers: int) -> str:
        """Return the name of a one-dimensional constant."""
        return self.constant(np.asarray(numbers, np.int64))

    def number(self, number: float, dtype: Any) -> str:
        """Return the name of a constant without dimensions."""
        return self.constant(np.asarray(number, dtype.numpy))

    # ---- sizes

    def size(self, found: Sequence[int], operand: int | None = None) -> str | None:
        """Return the name of a tensor (1,) with a size, from what it is in each run.

        It is that of an axis of the argument `operand`, or of an input of the model; None if it is neither.
        """
        if len({*found}) == 1:
            return self.ints(found[0])
        name, axis = self._places.get(tuple(found), (None, 0))
        if operand is not None:
            shapes = zip(*(s.args[operand].shape for s in self.steps), strict=True)
            for own, sizes in enumerate(shapes):
                if sizes == tuple(found):
                    name, axis = self.tensor(operand), own
                    break
        return None if name is None else self.add("Shape", [name], start=axis, end=axis + 1)

    def sizes(
        self, get: Callable[[Step], Sequence[int]], operand: int | None = 0, rest: bool = False
    ) -> str:
        """Return the name of a tensor with the sizes that `get` finds in a step.

        `rest`: one of them may be what is left over, -1.
        """
        found = [*zip(*map(get, self.steps), strict=True)]
        differing = [sizes for sizes in found if len({*sizes}) > 1]
        if not differing:
            return self.ints(*get(self.step))
        names = []
        for sizes in found:
            alone = rest and len(differing) == 1 and sizes in differing
            name = self.ints(-1) if alone else self.size(sizes, operand)
            if name is None and rest:
                name, rest = self.ints(-1), False
            if name is None:
                raise self.fail(
                    f"the size {sizes[0]} follows a dynamic axis, and isn't the size of any axis of the input"
                )
            names.append(name)
        return self.add("Concat", names, axis=0)

    def fixed(self, get: Callable[[Step], Any], what: str) -> Any:
        """Return what `get` finds in a step, which must be the same in all runs."""
        found = [get(s) for s in self.steps]
        if any(repr(other) != repr(found[0]) for other in found):
            raise self.fail(f"{what} follows a dynamic axis")
        return found[0]

    # ---- nodes

    def add(
        self,
        kind: str,
        inputs: Sequence[str],
        outputs: int = 0,
        names: Sequence[str] = (),
        **attributes: Any,
    ) -> Any:
        """Add a node; return the name of its result, or for `outputs` the names of so many."""
        import onnx

        path = self.step.path.replace(".", "/")
        wish = f"{path}/{kind}" if path else kind
        names = names or [self.new(wish) for _ in range(outputs or 1)]
        given = {name: value for name, value in attributes.items() if value is not None}
        self.nodes.append(onnx.helper.make_node(kind, list(inputs), names, name=names[0], **given))
        return names if outputs else names[0]

    def give(self, names: str | Sequence[str]) -> None:
        """Note how the results of this step are called."""
        names = [names] if isinstance(names, str) else names
        for t, name in zip(self.step.results, names, strict=True):
            self.name(t, name, self.step.versions[id(t)])


def _place(array: Any) -> Any:
    """Return where in memory the elements of an array lie: operations pass on arrays without the tensors around them."""
    return array.__array_interface__["data"], array.shape, array.strides, array.dtype.str


def _numpy_type(dtype: Any) -> Any:
    return getattr(dtype, "numpy", dtype)


def onnx_type(dtype: Any) -> int:
    import onnx

    return int(onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
