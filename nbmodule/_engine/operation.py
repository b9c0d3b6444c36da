"""`op`: how a rule on arrays becomes an operation on tensors that is recorded."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from inspect import CO_VARARGS, CO_VARKEYWORDS
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, overload

import numpy as np

from .. import _dtypes, _errors
from .._backend import mixed_devices, namespace_of, on_one_device
from .._cores import MUCH, over_elements
from .arrays import captured_arrays
from .graph import edge_of, node_class
from .observing import Event, heard, shown_node, tell
from .packing import pack_saved
from .signature import LazySignature, signature_of_rule
from .state import (
    InferenceStorage,
    Storage,
    TensorBase,
    TensorClass,
    be_silent,
    grad_mode,
    new,
    rare,
    silence,
)
from .unrolled import of_one, of_three, of_two

if TYPE_CHECKING:
    from .state import Tensor

ndarray = np.ndarray
P = ParamSpec("P")
Rule = Callable[Concatenate[Any, P], tuple[Any, ...]]


class Recording:
    """The base class of namespaces that record what is called on them: `xp` in a recorded walk."""

    def call(self, operation: Callable[..., Any], arrays: Iterable[Any], options: dict[str, Any]) -> Any:  # fmt: skip
        """Apply `operation` to recorded arrays and return a recorded array."""
        raise NotImplementedError


@overload
def op(rule: Rule[P]) -> Callable[P, Tensor]: ...
@overload
def op(*, name: str | None = None, promote: bool = False, floating: bool = False, widens: bool = False) -> Callable[[Rule[P]], Callable[P, Tensor]]: ...  # fmt: skip
def op(rule: Any = None, *, name: str | None = None, promote: bool = False, floating: bool = False, widens: bool = False) -> Any:  # fmt: skip
    """Turn ``rule(xp, *arrays, **options) -> (out, *vjps)`` into a function of tensors.

    Args:
        rule: see the contract in `_engine/__init__.py`.
        name: of the node; by default made of the rule's: "MulBackward0" for ``mul``.
        promote: bring operands of different types to their common one first, by PyTorch's rules.
        floating: as `promote`, and integers become the default floating point type.
        widens: compute float16 and a number in float32, which has room for the number, and round the result.
    """
    if rule is None:
        again: Any = op
        return lambda r: again(r, name=name, promote=promote, floating=floating, widens=widens)
    called = rule.__name__.strip("_")
    make_node = node_class(name or "".join(map(str.title, called.split("_"))) + "Backward0")
    harmonise = promote or floating

    def loop(*args: Any, **options: Any) -> Any:
        # Take the arrays out of the tensors, and ask for each where its gradient would go.
        xp, arrays, edges, storages = np, [], [], []
        ids: list[int] = []
        dtype: Any = None
        record, mixed, keeps = False, floating, False
        for a in args:
            edge = storage = None
            if isinstance(a, TensorBase):
                keeps = keeps or a._keeps_class
                edge, storage = a._node, a._storage
                if (a._requires_grad or a._base is not None) and grad_mode.enabled:
                    edge = edge_of(a)
                if edge is not None:
                    record = True
                a = a._array
                if type(a) is not ndarray:
                    xp = namespace_of[type(a)]
                if a.dtype is not dtype:
                    mixed, dtype = mixed or dtype is not None, a.dtype
            else:  # a Python number stays one: it must not widen the type
                mixed = True
            arrays.append(a)
            edges.append(edge)
            storages.append(storage)
        if xp is not np and (place := on_one_device((arrays, *options.values()))) is not None:
            return loop(*(a if held is None else a.to(place) for a, held in zip(args, storages, strict=True)), **options)  # fmt: skip
        try:
            if mixed and harmonise:
                arrays = to_common_type(arrays, dtype, floating)
                if widens:
                    arrays = with_wide_numbers(args, arrays)
            if record:
                record = grad_mode.enabled and not (rare and grad_mode.inference)
                ids = [*map(id, arrays)]  # by these a node knows later which array a vjp captured
                if len(set(ids)) < len(ids):
                    arrays = told_apart(arrays)
                    ids = [*map(id, arrays)]
            if not (filters := warnings.filters) or filters[0] is not silence.filter:
                be_silent()
            value_and_vjps = rule(xp, *arrays, **options)
        except Exception as error:  # only now are PyTorch's words looked for
            mixed = mixed_devices((arrays, *options.values()))
            reason = mixed or _errors.explain(called, error, arrays)
            if rare:
                tell(Event("operation", called, args, options, error=reason, operation=apply))
            raise reason from None
        raw = out = value_and_vjps[0]
        if type(out) not in namespace_of:  # NumPy turns 0-d results into scalars
            out = xp.asarray(out)
        if widens and mixed and out.dtype.char == "f":
            out = as_narrow(out, arrays)
        result = new(TensorClass.built)  # without `__init__`: there is nothing to check
        result._array = out
        if out.base is None:
            result._storage = Storage()
        else:  # the array shows memory of another one, perhaps of an argument
            share_storage(result, args)
        if record and out.dtype.kind == "f":  # a mask has no derivative
            vjps = value_and_vjps[1 : len(edges) + 1]  # an array that was left out has no edge
            if None in edges:  # keep nothing for a gradient that nobody wants
                vjps = [vjps[i] if edge else None for i, edge in enumerate(edges)]
            storages.append(result._storage)
            ids.append(id(raw))
            result._node = make_node(edges, vjps, out, storages, ids)
        if keeps:
            keep_class(result, args)
        if rare:
            look_twice(result, args, options)
        return result

    def look_twice(result: TensorBase, args: Sequence[Any], options: dict[str, Any]) -> None:
        """Do for `result` what a mode of this thread asks for, and tell the listeners of it."""
        try:
            obey_modes(result, args)
        except Exception as error:
            tell(Event("operation", called, args, options, error=error, operation=apply))
            raise
        if heard():
            node = shown_node(result)
            tell(Event("operation", called, args, options, result, node=node, operation=apply))

    # Most rules take one, two or three arrays: these get a form of `loop` with less to ask, in half the time.
    apply, code = loop, rule.__code__
    ingredients = rule, loop, make_node, share_storage, look_twice
    has_options = code.co_kwonlyargcount or code.co_flags & CO_VARKEYWORDS
    if not code.co_flags & CO_VARARGS:
        if code.co_argcount - len(rule.__defaults__ or ()) == 2:  # `xp` and one array
            apply = of_one(ingredients, floating)
        elif code.co_argcount == 3 and not has_options:
            apply = of_two(ingredients, floating)
        elif code.co_argcount == 4 and not has_options:
            apply = of_three(ingredients, floating)

    def inside(xp: Any, *arrays: Any, **options: Any) -> Any:
        """Apply the rule within the vjp of another one; recorded if `xp` records."""
        if xp is not np and isinstance(xp, Recording):
            return xp.call(apply, arrays, options)
        return rule(xp, *arrays, **options)[0]

    apply.inside, apply.loop = inside, loop  # type: ignore[attr-defined]
    apply.rule = apply.__wrapped__ = rule  # type: ignore[attr-defined]  # where `inspect.getsource` arrives
    apply.__signature__ = LazySignature(signature_of_rule, rule)  # type: ignore[attr-defined]
    apply.__annotations__ = {}  # which `typing` would look up where the rule stands; the signature has the types
    apply.__name__ = apply.__qualname__ = called
    apply.__doc__, apply.__module__ = rule.__doc__, rule.__module__
    return apply


def to_common_type(arrays: list[Any], dtype: np.dtype, floating: bool) -> list[Any]:
    """Cast `arrays` (Python numbers among them stay) to the type that PyTorch would compute in.

    `dtype` is the type of the last array. If no other type occurs, `arrays` stay as they are.
    """
    is_float = dtype.kind == "f"
    if is_float or not floating:
        for a in arrays:
            kind = type(a)
            if (
                (kind is not int and kind is not float)
                if kind not in namespace_of
                else a.dtype != dtype
            ):
                break
            if not is_float and (kind is float or (kind is int and dtype.itemsize < 8)):
                break
        else:
            return arrays
    arrays = [a.item() if isinstance(a, np.generic) else a for a in arrays]
    common = _dtypes.result_type(*arrays)
    if floating and not common.is_floating_point:
        common = _dtypes.get_default_dtype()
    target = common.numpy
    return [
        a.astype(target, copy=False) if hasattr(a, "dtype") else number(a, target) for a in arrays
    ]


def with_wide_numbers(args: Sequence[Any], arrays: list[Any]) -> list[Any]:
    """Return `arrays`, made of `args`, with a number that meets float16 in float32.

    So does PyTorch with a Python number, and with a tensor without dimensions if it comes second.
    """
    (a, b), (own, other) = arrays, (getattr(x, "_array", x) for x in args)
    if not hasattr(own, "dtype"):
        return [np.float32(a), b] if b.dtype == "e" else arrays
    if a.dtype != "e" or getattr(other, "ndim", 0) or getattr(other, "dtype", None) == "e":
        return arrays
    return [a, other.astype("f") if hasattr(other, "dtype") else np.float32(other)]


def as_narrow(out: Any, arrays: list[Any]) -> Any:
    """Return `out` in float16 if one of `arrays` is float16: the others were only numbers."""
    return out.astype("e") if any(getattr(a, "dtype", None) == "e" for a in arrays) else out


def number(value: Any, target: np.dtype) -> Any:
    """Return the Python number `value` in the kind of `target`, so that NumPy keeps the type.

    A whole number that does not fit wraps around, as in PyTorch.
    """
    if target.kind == "b":
        return bool(value)
    if isinstance(value, int) and value.bit_length() > 63:
        raise OverflowError(_errors.TOO_BIG)
    if target.kind == "f":
        return value
    room = 1 << 8 * target.itemsize
    wrapped = value % room
    return wrapped - room if target.kind == "i" and wrapped >= room // 2 else wrapped


def kept(xp: Any, g: Any, mask: Any) -> Any:
    """Return the gradient `g` where `mask` is True and 0 elsewhere, also where `g` is infinite or NaN.

    Multiplying by the mask is ten times faster than NumPy's `where`, and wrong only where ``0 * inf`` is NaN.
    """
    if xp is not np or type(g) is not np.ndarray:
        return xp.where(mask, g, 0)
    d = g * mask if g.size < MUCH else over_elements(np.multiply, g, mask)
    flat = d.ravel()
    total = flat.dot(flat)  # NaN if anything is
    return d if total == total else xp.where(mask, g, 0)


def told_apart(arrays: list[Any]) -> list[Any]:
    """Return `arrays` with a view in the place of an array that occurs twice, as in ``x * x.detach()``.

    Only the identity of the array that a vjp captured says which argument it was.
    """
    seen: set[int] = set()
    distinct = []
    for a in arrays:
        if id(a) in seen and type(a) in namespace_of:
            a = a.view()
        seen.add(id(a))
        distinct.append(a)
    return distinct


def share_storage(result: TensorBase, args: Iterable[Any]) -> None:
    """Make `result` a view of the argument whose memory its array shows, if there is one."""
    base = result._array.base
    for a in args:
        if isinstance(a, TensorBase) and (base is a._array or base is a._array.base):
            become_view(result, a)
            return
    result._storage = Storage()


def become_view(view: TensorBase, of: TensorBase) -> None:
    """Note that `view` shows the memory of the tensor `of`."""
    view._storage = of._storage
    view._base = of if of._base is None else of._base  # type: ignore[assignment]
    view._seen = of._storage.version
    if of._view_kind:
        view._view_kind = of._view_kind
    elif not grad_mode.enabled:
        view._view_kind = "inference" if grad_mode.inference else "no_grad"


def obey_modes(result: TensorBase, args: Sequence[Any]) -> None:
    """Do for `result` what inference mode, anomaly mode and hooks on saved tensors ask for."""
    node = result._node
    if node is None:
        if grad_mode.inference and result._base is None:
            result._storage = InferenceStorage()
        return
    if grad_mode.anomaly:
        node.own_notes().line = calling_line()
    marked = {
        number
        for number, storage in zip(node.ids, node.storages, strict=False)
        if storage is not None and storage.is_inference
    }
    if marked and any(id(a) in marked for vjp in node.vjps for a in captured_arrays(vjp)):
        raise RuntimeError(_errors.INFERENCE_SAVED)
    if grad_mode.packing:
        pack_saved(node, args)


def keep_class(result: TensorBase, args: Sequence[Any]) -> None:
    """Give `result` the class of its arguments, if a user has derived that class from Tensor."""
    cls: type | None = None
    for a in args:
        if isinstance(a, TensorBase) and a._keeps_class:
            cls = type(a) if cls is None or issubclass(type(a), cls) else cls
    if cls is not None:
        result.__class__ = cls


def calling_line() -> str:
    """Return the stack of the user's code that called an operation, as a traceback shows it."""
    import traceback

    own = __name__.partition(".")[0] + "."
    frames = [
        frame
        for frame, _ in traceback.walk_stack(None)
        if not frame.f_globals.get("__name__", "").startswith(own)
    ]
    stack = traceback.StackSummary.extract((f, f.f_lineno) for f in reversed(frames))
    return "".join(stack.format())
