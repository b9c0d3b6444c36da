"""The parametrizations of one tensor, one after the other, and what they begin with."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ..modules.container import ModuleList
from ..modules.module import Module
from ..parameter import Parameter


def _register_parameter_or_buffer(module: Module, name: str, X: Any) -> None:
    if isinstance(X, Parameter):
        module.register_parameter(name, X)
    else:
        module.register_buffer(name, X)


def _maybe_set(dest: Tensor, src: Tensor) -> None:
    """Let `dest` be a tensor on the memory of `src`."""
    with no_grad():
        dest.set_(src.detach())


def _class_name(value: object) -> str:
    """Return the name of the class of `value`."""
    return type(value).__name__


class ParametrizationList(ModuleList):
    """Computes a tensor from what is learned: the parametrizations of one tensor, one after the other.

    `register_parametrization` makes it; the first one takes ``original``, or ``original0``, ``original1`` and
    so on, each other one the result of the one before it.

    Args:
        modules: the parametrizations.
        original: the tensor, a parameter or a buffer.
        unsafe: allow another shape and dtype for the result, and check neither.

    Attributes:
        original: what is learned, if it is one tensor; ``original0``, ``original1`` and so on if not.
        unsafe: as given.
        is_tensor: whether ``original`` is one tensor.
        ntensors: how many there are.

    Raises:
        ValueError: there are no parametrizations, or they change the dtype or the shape of `original`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.ParametrizationList.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils.parametrize import ParametrizationList
        >>> listed = ParametrizationList([nn.Sigmoid(), nn.Tanh()], nn.Parameter(nbmodule.zeros(1)))
        >>> listed(), listed.ntensors
        (tensor([0.4621], grad_fn=<TanhBackward0>), 1)
    """

    original: Tensor
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        # Both before `original` gets its new value: the list must give back what there was.
        shape, dtype = original.shape, original.dtype
        new = self._inverse_of(original)
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {_class_name(new)}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if isinstance(new, Tensor) else len(new)
        if isinstance(new, Tensor):
            self._begin_with_one(original, new)
        else:
            self._begin_with_several(original, new)
        if not self.unsafe:
            self._check_result(shape, dtype)

    def _inverse_of(self, value: Any) -> Any:
        """Run the list backwards, past parametrizations that cannot be."""
        with no_grad():
            for module in reversed(self):  # type: ignore[call-overload]
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):
                        value = module.right_inverse(value)
        return value

    def _begin_with_one(self, original: Tensor, new: Tensor) -> None:
        for what in ("dtype", "device"):
            before, after = getattr(original, what), getattr(new, what)
            if before != after:
                raise ValueError(
                    f"When `right_inverse` outputs one tensor, it may not change the {what}.\n"
                    f"original.{what}: {before}\nright_inverse(original).{what}: {after}"
                )
        # The tensor stays the same object, for an optimizer may hold it.
        _maybe_set(original, new)
        _register_parameter_or_buffer(self, "original", original)

    def _begin_with_several(self, original: Tensor, new: Sequence[Any]) -> None:
        for i, part in enumerate(new):
            if not isinstance(part, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                    f"Got element {i} of the sequence with type {_class_name(part)}."
                )
            if isinstance(original, Parameter):
                part = Parameter(part, original.requires_grad)
            part.requires_grad_(original.requires_grad)
            _register_parameter_or_buffer(self, f"original{i}", part)

    def _check_result(self, shape: Any, dtype: Any) -> None:
        Z = self()
        if not isinstance(Z, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {_class_name(Z)}.")
        for what, before in (("dtype", dtype), ("shape", shape)):
            after = getattr(Z, what)
            if before != after:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` "
                    f"flag is enabled.\nunparametrized {what}: {before}\nparametrized {what}: {after}"
                )

    def right_inverse(self, value: Any) -> None:
        """Set what is learned such that the list computes `value`, by the ``right_inverse`` of each.

        Raises:
            RuntimeError: a parametrization has no ``right_inverse``.
            ValueError: what they return is not of the number and dtypes of what is learned.
        """
        with no_grad():
            for module in reversed(self):  # type: ignore[call-overload]
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {_class_name(module)} does not implement right_inverse."
                    )
                value = module.right_inverse(value)
        if self.is_tensor:
            self._set_one(value)
        else:
            self._set_several(value)

    def _set_one(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError(f"`right_inverse` should return a tensor. Got {_class_name(value)}")
        if value.dtype != self.original.dtype:
            raise ValueError(
                f"The tensor returned by `right_inverse` has dtype {value.dtype} "
                f"while `original` has dtype {self.original.dtype}"
            )
        _maybe_set(self.original, value)

    def _set_several(self, value: Any) -> None:
        must = "'right_inverse' must return a sequence of tensors"
        if not isinstance(value, Sequence):
            raise ValueError(f"{must}. Got {_class_name(value)}.")
        if len(value) != self.ntensors:
            raise ValueError(
                f"{must} of length {self.ntensors}. Got a sequence of length {len(value)}."
            )
        originals = [getattr(self, f"original{i}") for i in range(self.ntensors)]
        for i, (part, original) in enumerate(zip(value, originals, strict=True)):
            if not isinstance(part, Tensor):
                raise ValueError(
                    f"{must} or reference-type opaques. Got element {i} of type {_class_name(part)}."
                )
            if original.dtype != part.dtype:
                raise ValueError(
                    f"Tensor {i} returned by `right_inverse` has dtype {part.dtype} "
                    f"while `original{i}` has dtype {original.dtype}"
                )
        for part, original in zip(value, originals, strict=True):
            _maybe_set(original, part)

    def forward(self) -> Tensor:
        """Return the tensor."""
        if self.is_tensor:
            x = self[0](self.original)
        else:
            x = self[0](*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        # Not a slice of the list, which would make a list of the same class.
        i = 1
        while hasattr(self, str(i)):
            x = self[i](x)
            i += 1
        return x


def _check_another(module: Module, name: str, parametrization: Any) -> None:
    """Refuse a further parametrization that changes the dtype or the shape.

    Raises:
        ValueError: it does, itself or by its ``right_inverse``.
    """
    Y = getattr(module, name)
    X = parametrization(Y)
    if not isinstance(X, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {_class_name(X)}.")
    unless = f"of the tensor, unless the `unsafe` flag is enabled.\nmodule.{name}."
    for what in ("dtype", "shape"):
        before, after = getattr(Y, what), getattr(X, what)
        if before != after:
            raise ValueError(
                f"Registering a parametrization may not change the {what} {unless}{what}: {before}\n"
                f"parametrization(module.{name}).{what}: {after}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        Z = parametrization.right_inverse(X)
    except NotImplementedError:
        return
    if not isinstance(Z, Tensor):
        raise ValueError(
            f"parametrization.right_inverse must return a tensor. Got: {_class_name(Z)}"
        )
    for what in ("dtype", "shape"):
        before, after = getattr(Y, what), getattr(Z, what)
        if before != after:
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as "
                f"module.{name}, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{what}: {before}\nreturned {what}: {after}"
            )
