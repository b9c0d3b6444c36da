"""`Function`: an operation whose derivative its author writes.

Source: https://docs.pytorch.org/docs/stable/autograd.html#function
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from .. import _dtypes, _errors
from .._backend import namespace_of
from .._engine import (
    Event,
    Packed,
    Port,
    Shared,
    TensorBase,
    Walk,
    calling_line,
    clock,
    edge_of,
    grad_mode,
    graft,
    heard,
    note_write,
    rare,
    repeated_axes,
    told_as_one,
    wants_grad,
    with_history,
    wrap,
)
from .._tensor import Tensor
from .grad_mode import no_grad

SPENT = "freed"


class FunctionCtx:
    """What `forward` leaves for `backward`: the first argument of both."""

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `backward`, which finds them in ``ctx.saved_tensors``.

        Unlike an attribute of `ctx`, they are watched: if one is written in place in between, `backward`
        raises.
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `jvp`; there is no forward mode here, so nobody asks for them."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say that `forward` wrote to these inputs in place. They must be among its outputs."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say that these outputs have no derivative; `backward` gets zeros for them."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Say whether `backward` gets zeros (True, as it is at first) or None for unused outputs."""
        self.materialize_grads = value


class BackwardCFunction(Shared, FunctionCtx):
    """The node of a `Function`, and its `ctx`: one object, as in PyTorch."""

    _forward_cls: type[Function]
    to_save: Sequence[Tensor | None] = ()
    dirty_tensors: Sequence[Tensor] = ()
    non_differentiable: Sequence[Tensor] = ()
    materialize_grads = True
    sees_nothing = True
    needs_input_grad: tuple[bool, ...] = ()
    _is_tensor: Sequence[bool] = ()

    def __init__(self) -> None:
        """`Function.apply` fills in the rest once it is known that the call is recorded."""
        self.edges, self.vjps, self.storages, self.ids, self.notes = (), (), (), (), None
        self._saved, self._metas = (), ()
        self.shape, self.dtype = (), None

    def name(self) -> str:
        """Return the name of the class with "Backward"."""
        return type(self).__name__

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What `save_for_backward` kept.

        Raises:
            RuntimeError: it was freed by an earlier walk, or written in place.
        """
        if self._saved is SPENT:
            raise RuntimeError(_errors.SECOND_BACKWARD)
        return tuple(map(self._unpacked, self._saved))

    saved_variables = saved_tensors

    def _unpacked(self, entry: Any) -> Any:
        if entry is None:
            return None
        t, version, port = entry
        if isinstance(t, Packed):  # `version` is the edge
            t = with_history(t.tensor(), version)
        elif t._storage.version != version:
            maker = self if port is not None else t._node
            which = (
                ""
                if maker is None
                else _errors.output_text(type(maker.shown), port or getattr(maker, "index", 0))
            )
            raise _errors.overwritten(
                f"[{t.type()} {list(t.shape)}]{which} is at version {t._storage.version}; expected version "
                f"{version} instead"
            )
        if port is None:
            return t
        out = wrap(t._array, t._storage)  # an output: holding it itself would be a cycle
        reference = self._ports[port]
        if reference is None:  # it has no derivative
            return out
        out._node = reference()
        if out._node is None:  # the user has let go of it
            out._node = Port(self, port, len(self._metas), t._array)
            self._ports[port] = weakref.ref(out._node)
        return out

    def _save(self, outputs: Sequence[Any]) -> None:
        """Keep what `forward` asked for; of outputs only what makes no cycle."""
        for t in self.to_save:
            if t is not None and not isinstance(t, TensorBase):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument 0 is of type {type(t).__name__}"
                )
        places = {id(o): i for i, o in enumerate(outputs)}
        self._ports: list[Any] = [
            weakref.ref(o._node) if isinstance(o, TensorBase) and o._node is not None else None
            for o in outputs
        ]
        entries: list[Any] = []
        for t in self.to_save:
            if t is None:
                entries.append(None)
                continue
            port = places.get(id(t))
            if grad_mode.packing:
                entries.append((Packed(t), None if port is not None else edge_of(t), port))
                continue
            kept = t if port is None else wrap(t._array, t._storage)
            entries.append((kept, t._storage.version, port))
        self._saved, self.to_save = tuple(entries), ()

    def __repr__(self) -> str:
        return f"<nbmodule.autograd.function.{type(self).__name__} object at {id(self):#x}>"

    def count_of_outputs(self) -> int:
        """Return how many outputs `forward` has returned."""
        return len(self._metas)

    # ---- the walk

    def send(self, g: Any, walk: Walk) -> None:
        """Call `backward`, and send what it returns to the inputs."""
        walk.send_with_care(self, walk.replaced_outputs(self, g))
        if not walk.retain and self._saved != ():
            self._saved = SPENT

    def with_outputs(self, grads: Sequence[Any], g: Any) -> Any:
        """Return the gradients as tensors: `derivatives` takes either."""
        return list(grads)

    def derivatives(self, g: Any, walk: Walk) -> list[Any]:
        """Return what `backward` makes of the gradients `g` of the outputs, one for each argument."""
        cls = self._forward_cls
        if cls.backward is not Function.backward and cls.vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        if cls.backward is Function.backward and cls.vjp is Function.vjp:
            raise NotImplementedError(
                "You must implement either the backward or vjp method for your custom autograd.Function to use "
                "it with backward mode AD."
            )
        backward = cls.backward if cls.vjp is Function.vjp else cls.vjp
        given = [self._materialised(d, meta) for d, meta in zip(g, self._metas, strict=True)]
        found = backward(self, *given)
        grads = found if isinstance(found, tuple) else (found,)
        grads = self._checked_number(grads)
        out: list[Any] = []
        edges = iter(self.edges)
        for place, d in enumerate(grads):
            if d is not None and not isinstance(d, TensorBase):
                raise RuntimeError(f"expected Variable or None (got {type(d).__name__})")
            if not self._is_tensor[place]:
                if d is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different than None at position "
                        f"{place + 1}, but the corresponding forward input was not a Variable"
                    )
                continue
            edge = next(edges)
            if d is None or (edge is not None and not walk.wants(edge)):
                out.append(None)
                continue
            if edge is not None:  # else only hooks look at it
                d = self._fitted(d, edge, place)
            out.append(d if walk.create else d._array)
        return out

    def _materialised(self, d: Any, meta: Any) -> Any:
        if d is not None:
            return d if isinstance(d, TensorBase) else wrap(d)
        if not self.materialize_grads or meta is None:
            return None
        shape, dtype, kind = meta
        return wrap(namespace_of[kind].zeros(shape, dtype))

    def _checked_number(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        expected = len(self._is_tensor)
        extra = grads[expected:]
        if len(grads) > expected and all(d is None for d in extra):
            return grads[:expected]
        if len(grads) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(grads)})"
            )
        return grads

    def _fitted(self, d: Any, edge: Any, place: int) -> Any:
        if d._array.shape != edge.shape:
            if not fits_into(edge.shape, d._array.shape):
                raise RuntimeError(
                    f"Function {self.name()} returned an invalid gradient at index {place} - got "
                    f"{list(d._array.shape)} but expected shape compatible with {list(edge.shape)}"
                )
            axes = repeated_axes(d._array.shape, edge.shape)
            d = d.sum(axes, keepdim=True).reshape(edge.shape)
        if d._array.dtype != edge.dtype:
            d = d.to(_dtypes.of_numpy[edge.dtype])
        return d


def fits_into(small: tuple[int, ...], large: tuple[int, ...]) -> bool:
    """Return whether an array of shape `small` can be repeated to shape `large`."""
    if len(small) > len(large):
        return False
    back = zip(reversed(small), reversed(large), strict=False)
    return all(m in (1, n) for m, n in back)


class FunctionMeta(type):
    """Makes for every `Function` the class of its nodes: ``ExpBackward`` for ``Exp``."""

    def __init__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> None:
        cls._backward_cls = type(name + "Backward", (BackwardCFunction,), {"_forward_cls": cls})
        cls._backward_cls.__module__ = "nbmodule.autograd.function"
        super().__init__(name, bases, attributes)


def _of_any_form(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function`, of which type checkers shall know that subclasses may name its arguments."""
    return function


class Function(FunctionCtx, metaclass=FunctionMeta):
    """The base class of operations that bring their own derivative.

    A subclass has two static methods: ``forward(ctx, *args)``, which computes with tensors that are not
    recorded, and ``backward(ctx, *grad_outputs)``, which returns one gradient for each argument of
    `forward`, None for those that need none. Call it as ``MyFunction.apply(x)``. A subclass may divide
    `forward` in two: ``forward(*args)`` and ``setup_context(ctx, inputs, output)``.

    Source: https://docs.pytorch.org/docs/stable/autograd.html#function

    Example:
        >>> import nbmodule
        >>> class Exp(nbmodule.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, i):
        ...         result = i.exp()
        ...         ctx.save_for_backward(result)
        ...         return result
        ...     @staticmethod
        ...     def backward(ctx, grad_output):
        ...         (result,) = ctx.saved_tensors
        ...         return grad_output * result
        >>> Exp.apply(nbmodule.zeros(2, requires_grad=True))
        tensor([1., 1.], grad_fn=<ExpBackward>)
    """

    _backward_cls: type[BackwardCFunction]
    generate_vmap_rule = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you "
            "should invoke them on the class itself. Instantiating an autograd function will raise an error in "
            "a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the result. Every subclass defines it."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Note in `ctx` what `backward` needs, where `forward` itself gets no `ctx`."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    @_of_any_form
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return the gradient for each argument of `forward`. Every subclass defines it."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it "
            "with backward mode AD."
        )

    vjp = backward

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`; record the call if an argument requires grad."""
        if rare and heard():
            event = Event("operation", cls.__name__, args, kwargs)
            return told_as_one(event, Function.apply.__func__, cls, *args, **kwargs)
        ctx: Any = cls._backward_cls()
        ctx.needs_input_grad = tuple(isinstance(a, TensorBase) and wants_grad(a) for a in args)
        recorded = grad_mode.enabled and any(ctx.needs_input_grad)
        ctx._is_tensor = [isinstance(a, TensorBase) for a in args]
        if recorded:
            ctx.edges = [edge_of(a) for a in args if isinstance(a, TensorBase)]
        with no_grad():
            if cls.setup_context is Function.setup_context:
                output = cls.forward(ctx, *args, **kwargs)
            else:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
        single = not isinstance(output, tuple)
        outputs = (output,) if single else output
        wrapped = _with_history(ctx, args, outputs, recorded)
        if recorded:
            ctx._save(wrapped)
            if grad_mode.anomaly:
                ctx.own_notes().line = calling_line()
        ctx.dirty_tensors = ctx.non_differentiable = ctx.to_save = ()  # they may hold the node
        return wrapped[0] if single else tuple(wrapped)


def _with_history(
    ctx: Any, args: Sequence[Any], outputs: Sequence[Any], recorded: bool
) -> list[Any]:
    """Return the outputs of a call as tensors that `ctx` has made, where it is recorded."""
    dirty = {id(t) for t in ctx.dirty_tensors}
    fixed = {id(t) for t in ctx.non_differentiable}
    inputs = {id(a) for a in args}
    for t in ctx.dirty_tensors:
        if id(t) not in {id(o) for o in outputs}:
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The "
                "inputs that are modified inplace must all be outputs of the Function."
            )
        if recorded and t._requires_grad and t._node is None:
            raise RuntimeError(_errors.LEAF_WAS_WRITTEN)
        note_write(t._storage, t._array)
    ctx.birth = clock()
    ctx._metas = [
        (o._array.shape, o._array.dtype, type(o._array)) if isinstance(o, TensorBase) else None
        for o in outputs
    ]
    wrapped: list[Any] = []
    saved = {id(t): i for i, t in enumerate(ctx.to_save) if t is not None}
    for number, out in enumerate(outputs):
        if not isinstance(out, TensorBase):
            wrapped.append(out)
            continue
        t: Any = out
        if id(out) in inputs and id(out) not in dirty:
            t = wrap(out._array, out._storage)  # an input that came back is another tensor
            if recorded:
                t._base, t._view_kind = (out._base if out._base is not None else out), "function"
                t._seen = out._storage.version
        if id(out) in fixed or t._array.dtype.kind != "f":
            if t._node is not None or t._requires_grad:
                t = t.detach()
        elif recorded:
            port = Port(ctx, number, len(outputs), t._array)
            if id(out) in dirty and t._base is not None:
                graft(t._base, t, port)
            else:
                t._node, t._requires_grad = port, False
            if t._base is not None and id(out) not in dirty:
                t._view_kind = "function"
        if id(out) in saved and t is not out and id(out) not in inputs:
            to_save = list(ctx.to_save)
            to_save[saved[id(out)]] = t
            ctx.to_save = to_save
        wrapped.append(t)
    return wrapped


class InplaceFunction(Function):
    """A `Function` that may be told to work in place; kept for old code."""

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate `backward` to say that it cannot be differentiated itself: a second derivative raises."""

    @wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            outputs = fn(ctx, *args)
        recorded = grad_mode.enabled and any(
            isinstance(a, TensorBase) and edge_of(a) is not None for a in args
        )
        if not recorded:
            return outputs
        single = not isinstance(outputs, tuple)
        grads = (outputs,) if single else outputs
        wants = [a for a in args if isinstance(a, TensorBase) and edge_of(a) is not None]
        refused = tuple(
            _Refuse.apply(wrap(g._array), *wants) if isinstance(g, TensorBase) else g for g in grads
        )
        return refused[0] if single else refused

    return wrapper


class _Refuse(Function):
    """Passes a gradient on, and raises when it is differentiated."""

    @staticmethod
    def forward(ctx: Any, g: Tensor, *wants: Tensor) -> Tensor:
        """Return a copy of `g`, which now depends on `wants`."""
        return g.clone()

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Raise."""
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


__all__ = [
    "BackwardCFunction", "Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "once_differentiable",
]  # fmt: skip
