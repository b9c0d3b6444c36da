"""Arrays that record: what a rule's vjps run on when the walk itself is to be differentiated.

A vjp is a formula on arrays. With ``create_graph=True`` the same formula runs on `Recorded` arrays, each of
which is a tensor that looks like an array, in a namespace whose functions are the operations of `_ops`. What the vjp captured is
told apart by identity: an argument of the rule becomes a tensor with the history of that argument, the
result one with the history of the node. PyTorch does the same when it unpacks a saved variable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _errors
from ._backend import namespace_of
from ._engine import (
    Copier,
    Node,
    Recorder,
    Recording,
    Since,
    TensorBase,
    grad_mode,
    repeated_axes,
    saved_text,
    wrap,
)
from ._ops import elementwise as e
from ._ops import linalg, reduce, shape
from ._ops import waves as w


class Recorded:
    """An array whose operations are recorded: a tensor with the manners of a NumPy array."""

    __slots__ = ("t",)
    __array_ufunc__ = None  # NumPy leaves ``array * recorded`` to us
    __hash__ = None  # type: ignore[assignment]

    base = None

    def __init__(self, t: Any) -> None:
        self.t = t

    shape = property(lambda self: self.t._array.shape)
    dtype = property(lambda self: self.t._array.dtype)
    ndim = property(lambda self: self.t._array.ndim)
    size = property(lambda self: self.t._array.size)
    itemsize = property(lambda self: self.t._array.itemsize)
    T = property(lambda self: self.transpose())

    def __len__(self) -> int:
        return len(self.t._array)

    # ---- smooth

    def sum(self, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Recorded:
        axes = _axes(axis, self.ndim)
        return Recorded(reduce.sum(self.t, axes=axes, keepdim=keepdims, dtype=dtype))

    def mean(self, axis: Any = None, keepdims: bool = False) -> Recorded:
        return Recorded(reduce.mean(self.t, axes=_axes(axis, self.ndim), keepdim=keepdims))

    def prod(self, axis: Any = None, keepdims: bool = False) -> Recorded:
        return Recorded(reduce.prod(self.t, axes=_axes(axis, self.ndim), keepdim=keepdims))

    def cumsum(self, axis: int) -> Recorded:
        return Recorded(reduce.cumsum(self.t, axis=axis))

    def reshape(self, *to: Any) -> Recorded:
        to = to[0] if len(to) == 1 and not isinstance(to[0], int) else to
        return Recorded(shape.reshape(self.t, shape=tuple(to)))

    def transpose(self, *dims: Any) -> Recorded:
        dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
        order = tuple(d % self.ndim for d in dims) if dims else tuple(range(self.ndim))[::-1]
        return Recorded(shape.permute(self.t, dims=order))

    def swapaxes(self, a: int, b: int) -> Recorded:
        return Recorded(shape.transpose(self.t, dim0=a % self.ndim, dim1=b % self.ndim))

    def astype(self, dtype: Any, copy: bool = True) -> Recorded:
        return Recorded(e.cast(self.t, dtype=np.dtype(dtype)))

    def dot(self, other: Any) -> Recorded:
        return self @ other

    def copy(self, order: str = "C") -> Recorded:
        return Recorded(e.clone(self.t))

    def ravel(self) -> Recorded:
        return self.reshape(-1)

    def __getitem__(self, key: Any) -> Recorded:
        return Recorded(shape.index(self.t, key=key))

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, Recorded):
            key = key.t._array
        value = tensor_of(value, self)
        if value._array.dtype != self.dtype:
            value = e.cast(value, dtype=self.dtype)
        self.t = shape.put(self.t, value, key=key)

    # ---- not smooth: plain arrays

    def __bool__(self) -> bool:
        return bool(self.t._array)

    def any(self, *args: Any, **options: Any) -> Any:
        return self.t._array.any(*args, **options)

    def all(self, *args: Any, **options: Any) -> Any:
        return self.t._array.all(*args, **options)

    def max(self, *args: Any, **options: Any) -> Any:
        raise NotImplementedError("use amax of _ops/reduce.py, which has a derivative")

    def argmax(self, *args: Any, **options: Any) -> Any:
        return self.t._array.argmax(*args, **options)

    def argsort(self, *args: Any, **options: Any) -> Any:
        return self.t._array.argsort(*args, **options)


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    return tuple(a % ndim for a in (axis if isinstance(axis, tuple) else (axis,)))


def tensor_of(x: Any, like: Any = None) -> Any:
    """Return `x` (a recorded or plain array, or a number where `like` tells the type) as a tensor."""
    if isinstance(x, Lost):
        x.refuse()
    if isinstance(x, Recorded):
        return x.t
    if type(x) in namespace_of:
        return wrap(x)
    if like is not None:
        xp = namespace_of[type(like.t._array)]
        return wrap(xp.asarray(x, dtype=like.dtype))
    return wrap(np.asarray(x)) if isinstance(x, np.generic) else x


def plain(x: Any) -> Any:
    """Return `x` without its record."""
    if isinstance(x, Lost):
        x.refuse()
    if isinstance(x, (tuple, list)):
        return type(x)(plain(v) for v in x)
    return x.t._array if isinstance(x, Recorded) else x


def _binary(operation: Callable[..., Any], swapped: bool = False) -> Callable[[Any, Any], Recorded]:
    def method(self: Recorded, other: Any) -> Recorded:
        a, b = self.t, tensor_of(other)
        return Recorded(operation(b, a) if swapped else operation(a, b))

    return method


def _comparison(name: str) -> Callable[[Any, Any], Any]:
    def method(self: Recorded, other: Any) -> Any:
        return getattr(self.t._array, name)(plain(other))

    return method


for _name, _operation in {
    "add": e.add, "sub": e.sub, "mul": e.mul, "truediv": e.div, "pow": e.pow, "matmul": linalg.matmul,
    "mod": e.remainder,
}.items():  # fmt: skip
    setattr(Recorded, f"__{_name}__", _binary(_operation))
    setattr(Recorded, f"__r{_name}__", _binary(_operation, swapped=True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "floordiv", "rfloordiv"):
    setattr(Recorded, f"__{_name}__", _comparison(f"__{_name}__"))
Recorded.__neg__ = lambda self: Recorded(e.neg(self.t))  # type: ignore[attr-defined]
Recorded.__abs__ = lambda self: Recorded(e.abs(self.t))  # type: ignore[attr-defined]


class Namespace(Recording):
    """`xp` for recorded arrays: smooth functions are operations, all others work on the plain arrays."""

    __name__ = "recorded"

    def __init__(self, xp: Any) -> None:
        self.xp = xp
        self.add = Add(self)

    def __getattr__(self, name: str) -> Any:
        """Return the operation for a function of one or two arrays, or what the array library has."""
        operation = SMOOTH.get(name)
        found = getattr(self.xp, name)
        if operation is None and not callable(found):
            return found

        def function(*args: Any, **options: Any) -> Any:
            if operation is not None and any(isinstance(a, Recorded) for a in args):
                return Recorded(operation(*map(tensor_of, args), **options))
            if name not in FLAT and any(isinstance(a, Recorded) for a in args):
                raise NotImplementedError(
                    f"xp.{name} is not known to `create_graph`: use what `_recorded.py` lists"
                )
            return found(*map(plain, args), **{k: plain(v) for k, v in options.items()})

        return found if isinstance(found, type) else function

    def call(self, operation: Callable[..., Any], arrays: Any, options: dict[str, Any]) -> Any:
        """Apply `operation`, an `op`, and return the result as a recorded array."""
        return Recorded(operation(*map(tensor_of, arrays), **options))

    # ---- new arrays: they may be written to, so they record

    def zeros(self, shape: Any, dtype: Any = np.float64) -> Recorded:
        return Recorded(wrap(self.xp.zeros(shape, dtype)))

    def ones(self, shape: Any, dtype: Any = np.float64) -> Recorded:
        return Recorded(wrap(self.xp.ones(shape, dtype)))

    def empty(self, shape: Any, dtype: Any = np.float64) -> Recorded:
        return self.zeros(shape, dtype)

    def full(self, shape: Any, value: Any, dtype: Any = None) -> Recorded:
        return Recorded(wrap(self.xp.full(shape, value, dtype)))

    def zeros_like(self, x: Any, dtype: Any = None) -> Recorded:
        return Recorded(wrap(self.xp.zeros_like(plain(x), dtype=dtype)))

    empty_like = zeros_like

    def ones_like(self, x: Any, dtype: Any = None) -> Recorded:
        return Recorded(wrap(self.xp.ones_like(plain(x), dtype=dtype)))

    # ---- smooth functions with other signatures than the operations

    def where(self, condition: Any, a: Any, b: Any) -> Recorded:
        like = a if isinstance(a, Recorded) else b
        if not isinstance(like, Recorded):
            return self.xp.where(plain(condition), a, b)
        sides = [tensor_of(x, like) for x in (a, b)]
        kind = self.xp.result_type(*(s._array.dtype for s in sides))
        sides = [s if s._array.dtype == kind else e.cast(s, dtype=kind) for s in sides]
        return Recorded(e.where(wrap(self.xp.asarray(plain(condition))), *sides))

    def broadcast_to(self, x: Any, shape_: Any) -> Recorded:
        return Recorded(shape.expand(tensor_of(x), shape=tuple(shape_)))

    def expand_dims(self, x: Recorded, axis: int) -> Recorded:
        to = list(x.shape)
        to.insert(axis % (x.ndim + 1), 1)
        return x.reshape(tuple(to))

    def concatenate(self, parts: Any, axis: int = 0) -> Recorded:
        return Recorded(shape.cat(*map(tensor_of, parts), axis=axis))

    def stack(self, parts: Any, axis: int = 0) -> Recorded:
        return Recorded(shape.stack(*map(tensor_of, parts), axis=axis))

    def flip(self, x: Recorded, axis: Any) -> Recorded:
        return Recorded(shape.flip(x.t, axes=axis))

    def cumsum(self, x: Recorded, axis: int) -> Recorded:
        return x.cumsum(axis)

    def swapaxes(self, x: Recorded, a: int, b: int) -> Recorded:
        return x.swapaxes(a, b)

    def moveaxis(self, x: Recorded, source: int, destination: int) -> Recorded:
        order = [i for i in range(x.ndim) if i != source % x.ndim]
        order.insert(destination % x.ndim, source % x.ndim)
        return x.transpose(tuple(order))

    def sum(self, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return x.sum(axis, keepdims=keepdims)

    def asarray(self, x: Any, dtype: Any = None) -> Any:
        if isinstance(x, Recorded):
            return x if dtype is None else x.astype(dtype)
        return self.xp.asarray(x, dtype)

    ascontiguousarray = asarray


class Add:
    """``xp.add``: the sum, and ``xp.add.at``, which adds to some elements of an array in place."""

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace

    def __call__(self, a: Any, b: Any) -> Any:
        return a + b

    def at(self, target: Any, key: Any, values: Any) -> None:
        """Add `values` at `key`; an element that `key` names twice gets both."""
        if not isinstance(target, Recorded):
            self.namespace.xp.add.at(target, key, plain(values))
            return
        added = shape.put_add(tensor_of(values, target), key=plain(key), shape=target.shape)
        target.t = e.add(target.t, added)


SMOOTH = {
    "abs": e.abs, "cos": e.cos, "divide": e.div, "exp": e.exp, "log": e.log, "log1p": e.log1p,
    "matmul": linalg.matmul, "maximum": e.maximum, "minimum": e.minimum, "multiply": e.mul, "negative": e.neg,
    "arctan": w.atan, "cosh": w.cosh, "exp2": w.exp2, "expm1": w.expm1, "power": e.pow, "sin": e.sin,
    "sinh": w.sinh, "tan": w.tan, "sqrt": e.sqrt, "subtract": e.sub, "tanh": e.tanh,
}  # fmt: skip
"""Functions of the array library that are operations of ours, under NumPy's names."""

FLAT = {
    "argmax", "argmin", "argsort", "ceil", "floor", "isfinite", "isinf", "isnan", "ndim", "round", "shape",
    "sign", "signbit", "trunc",
}  # fmt: skip
"""Functions whose result changes in steps: they see plain arrays."""


# ---- the vjps of a node, on recorded arrays


class Lost:
    """Stands for a captured array of which nobody knows how it came about: whoever touches it raises."""

    __array_ufunc__ = None

    def __init__(self, name: str) -> None:
        self.name = name

    def refuse(self, *args: Any) -> Any:
        """Raise."""
        raise NotImplementedError(
            f"the derivative of {self.name} cannot be recorded (create_graph=True): one of its vjps captured "
            "an array that is neither an argument of the rule nor its result. Compute it inside the vjp."
        )

    __getattr__ = __getitem__ = __bool__ = __len__ = __iter__ = refuse


for _name in (
    "add", "sub", "mul", "truediv", "pow", "matmul", "floordiv", "mod", "eq", "ne", "lt", "le", "gt", "ge", "neg",
    "radd", "rsub", "rmul", "rtruediv", "rpow", "rmatmul",
):  # fmt: skip
    setattr(Lost, f"__{_name}__", Lost.refuse)


class Saved(Copier):
    """What the vjps of `node` captured, as recorded arrays."""

    def __init__(self, node: Node, xp: Any) -> None:
        super().__init__()
        self.node, self.xp, self.namespace = node, xp, Namespace(xp)
        self.known: dict[int, Any] = {}

    def stand_in(self, value: Any) -> Any:
        """Return a recorded array for an array, and the namespace that records for the library."""
        if value is self.xp:
            return self.namespace
        is_array = type(value) in namespace_of or isinstance(value, np.generic)
        return self.array(value) if is_array else value

    def array(self, value: Any) -> Any:
        """Return the recorded array for an argument or the result of the node."""
        node = self.node
        if id(value) not in node.ids:
            return value if value.dtype.kind != "f" else Lost(node.name())
        if id(value) not in self.known:
            place = node.ids.index(id(value))
            edge = node.shown if place == len(node.edges) else node.edges[place]
            storage = node.storages[place]
            if storage is not None and storage.written > node.birth:
                maker = node.maker_of(value, place)
                text = saved_text(value, storage, node.birth, maker)
                raise _errors.overwritten(text, grad_mode.anomaly)
            if isinstance(storage, Since):
                storage = storage.storage
            t = wrap(self.xp.asarray(value), storage)
            t._node = edge
            self.known[id(value)] = Recorded(t)
        return self.known[id(value)]


def derivatives(node: Node, g: Any, wanted: list[Node | None]) -> list[Any]:
    """Return what the vjps of `node` make of the tensor `g`, as recorded tensors, for the edges `wanted`."""
    several = not isinstance(g, TensorBase)  # outputs, of which some were not used
    given: Any = [d if d is None else Recorded(d) for d in g] if several else Recorded(g)
    first = next(d for d in g if d is not None) if several else g
    saved = Saved(node, namespace_of[type(first._array)])
    grads: list[Any] = []
    for edge, vjp in zip(wanted, node.vjps, strict=True):
        if edge is None or vjp is None:
            grads.append(None)
            continue
        grads.append(fitted(tensor_of(saved.rebuilt(vjp)(given)), edge))
    return grads


def fitted(d: Any, edge: Node) -> Any:
    """Return the gradient `d` in the shape and type of what `edge` stands for."""
    if not isinstance(d, TensorBase):
        d = wrap(np.asarray(d))
    if d._array.shape != edge.shape:
        axes = repeated_axes(d._array.shape, edge.shape)
        d = shape.reshape(reduce.sum(d, axes=axes, keepdim=True), shape=edge.shape)
    return d if d._array.dtype == edge.dtype else e.cast(d, dtype=edge.dtype)


Recorder.derivatives = staticmethod(derivatives)
