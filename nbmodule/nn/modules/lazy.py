"""Modules that find out the sizes of their parameters on their first call."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NoReturn

from ...autograd import no_grad
from ..parameter import is_lazy
from ._state_dict import as_it_was
from .module import Module

__all__ = ["LazyModuleMixin"]

_Base = Module if TYPE_CHECKING else object


class LazyModuleMixin(_Base):
    """Makes a Module lazy: its parameters get their shapes from the first input.

    A lazy class derives from this one first and from the ordinary class second, makes `UninitializedParameter`
    and `UninitializedBuffer` where the shape depends on the input, and materializes them in
    `initialize_parameters`. A pre-hook calls that before the first `forward`; then the module becomes one of the
    ordinary class. Give a lazy network its dtype and device, and one input, before an optimizer uses it.

    Args:
        *args: for the ordinary class.
        **kwargs: for the ordinary class.

    Attributes:
        cls_to_become: the ordinary class; None leaves the class as it is.

    Raises:
        RuntimeError: on the first call, when something is left without a shape.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.modules.lazy.LazyModuleMixin.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> net = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(2))
        >>> net.state_dict()["0.weight"]
        <UninitializedParameter>
        >>> net(nbmodule.ones(3, 5)).shape
        nbmodule.Size([3, 2])
        >>> net[2]
        Linear(in_features=4, out_features=2, bias=True)
    """

    cls_to_become: type[Any] | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(
            self._infer_parameters, with_kwargs=True
        )

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Write down what this module itself holds; what has no shape yet cannot be detached."""
        for name, tensor in _own_tensors(self):
            if name not in self._non_persistent_buffers_set:
                as_it_is = keep_vars or is_lazy(tensor)
                destination[prefix + name] = tensor if as_it_is else tensor.detach()

    def _lazy_load_hook(self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], strict: bool, missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str]) -> None:  # fmt: skip
        """Give what has no shape yet the shape of what is to be loaded into it."""
        for name, tensor in _own_tensors(self):
            found = state_dict.get(prefix + name)
            if is_lazy(tensor) and found is not None and not is_lazy(found):
                with no_grad():
                    tensor.materialize(found.shape)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materialize the parameters for the arguments of the first call. Every lazy class defines it.

        Args:
            *args: what `forward` is going to get.
            **kwargs: likewise.

        Raises:
            NotImplementedError: the class does not define it.
        """
        raise NotImplementedError(
            f"initialize_parameters is not implemented for {type(self).__name__}"
        )

    def has_uninitialized_params(self) -> bool:
        """Return whether a parameter or buffer of this very module has no shape yet."""
        return any(is_lazy(tensor) for _, tensor in _own_tensors(self))

    def _infer_parameters(self, module: Any, args: tuple, kwargs: dict[str, Any] | None = None) -> None:  # fmt: skip
        """Before the first `forward`: settle the shapes, and be lazy no more."""
        with as_it_was(module, *(t for _, t in _own_tensors(module))):
            module.initialize_parameters(*args, **(kwargs or {}))
            if module.has_uninitialized_params():
                raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
            module._initialize_hook.remove()
            module._load_hook.remove()
            del module._initialize_hook, module._load_hook
            if module.cls_to_become is not None:
                module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self) -> NoReturn:
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy forward pass to "
            "correctly initialize the modules"
        )


def _own_tensors(module: Module) -> list[tuple[str, Any]]:
    """Return the parameters and buffers that `module` itself holds, by name."""
    drawers = itertools.chain(module._parameters.items(), module._buffers.items())
    return [(name, tensor) for name, tensor in drawers if tensor is not None]
