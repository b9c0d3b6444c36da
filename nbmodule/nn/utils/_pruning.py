"""What all pruning has in common: a mask, and a hook that multiplies by it before each call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from ..._factories import ones_like
from ..._tensor import Tensor
from ..modules._state_dict import as_it_was
from ..modules.module import Module


class BasePruningMethod(ABC):
    """A way to prune: a subclass says in `compute_mask` which numbers stay.

    `apply` moves the parameter ``<name>`` to ``<name>_orig``, keeps the mask as the buffer ``<name>_mask``, and
    puts the method before each call of the module, where it sets ``<name>`` to their product. What is pruned
    stays 0 while ``<name>_orig`` is learned.

    Attributes:
        PRUNING_TYPE: what a second pruning of the same tensor may choose from: "unstructured", the numbers
            that are left; "structured", the channels along ``dim`` that are left; "global", everything.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.BasePruningMethod.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import prune
        >>> class EveryOther(prune.BasePruningMethod):
        ...     PRUNING_TYPE = "unstructured"
        ...     def compute_mask(self, t, default_mask):
        ...         mask = default_mask.clone()
        ...         mask.view(-1)[::2] = 0
        ...         return mask
        >>> layer = nn.Linear(2, 2)
        >>> method = EveryOther.apply(layer, "bias")
        >>> layer.bias_mask
        tensor([0., 1.])
    """

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Any, inputs: Any) -> None:
        """Set the tensor of `module` to its original times the mask; a forward pre-hook."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return 1 for what stays and 0 for what goes.

        Args:
            t: the importance of each number, or of those that are left.
            default_mask: the mask before, of the shape of `t`.
        """

    def apply_mask(self, module: Any) -> Tensor:
        """Return the original tensor times the mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, self._tensor_name + "_mask")
        orig = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=orig.dtype) * orig

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any) -> Any:  # fmt: skip
        """Prune a parameter, once more if it is pruned already.

        Args:
            module: is changed.
            name: of the parameter.
            args: of the class.
            importance_scores: what counts instead of the values of the parameter; of its shape.
            kwargs: of the class.

        Returns:
            The method, or the `PruningContainer` of it and those before.
        """
        new = cls(*args, **kwargs)
        new._tensor_name = name
        orig = getattr(module, name)
        scores = orig if importance_scores is None else importance_scores
        if scores.shape != orig.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, "
                f"got {scores.shape} vs {orig.shape}"
            )
        key = _key_of_hook(module, name)
        if key is None:
            return new._begin(module, orig, scores)
        hooks = module._forward_pre_hooks
        method = _container_of(hooks[key])
        before = method._pruning_methods
        try:
            with as_it_was(module):
                method.add_pruning_method(new)
                method._set_mask(module, scores, getattr(module, name + "_mask").detach().clone())
                del hooks[key]
                module.register_forward_pre_hook(method)
        except BaseException:
            method._pruning_methods = before
            raise
        return method

    def _begin(self, module: Any, orig: Any, importance_scores: Tensor) -> Any:
        """Prune the parameter `orig`, which has not been yet."""
        name = self._tensor_name
        with as_it_was(module):
            module.register_parameter(name + "_orig", orig)
            del module._parameters[name]
            self._set_mask(module, importance_scores, ones_like(orig))
            module.register_forward_pre_hook(self)
        return self

    def _set_mask(self, module: Any, importance_scores: Tensor, default_mask: Tensor) -> None:
        mask = self.compute_mask(importance_scores, default_mask=default_mask)
        module.register_buffer(self._tensor_name + "_mask", mask)
        setattr(module, self._tensor_name, self.apply_mask(module))

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:  # fmt: skip
        """Return `t` with 0 in the places that are pruned; nothing is changed.

        Args:
            t: any tensor.
            default_mask: a mask before; None stands for ones.
            importance_scores: what counts instead of the values of `t`; of its shape.
        """
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError(
                "importance_scores should have the same shape as tensor t, "
                f"got {importance_scores.shape} vs {t.shape}"
            )
        default_mask = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(importance_scores, default_mask=default_mask)

    def remove(self, module: Any) -> None:
        """Make the tensor a parameter again, of its pruned value. The hook stays: see `prune.remove`."""
        name = self._tensor_name
        if name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        orig = module._parameters[name + "_orig"]
        with as_it_was(module, orig):
            if hasattr(module, name):
                delattr(module, name)
            orig.data = weight.data
            del module._parameters[name + "_orig"]
            del module._buffers[name + "_mask"]
            setattr(module, name, orig)


class PruningContainer(BasePruningMethod):
    """Several ways to prune the same tensor, one after the other.

    Args:
        args: pruning methods.

    Raises:
        TypeError: one of them is no `BasePruningMethod`.
        ValueError: they act on several tensors.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.prune.PruningContainer.html

    Example:
        >>> from nbmodule import nn
        >>> from nbmodule.nn.utils import prune
        >>> layer = nn.Linear(4, 4)
        >>> for _ in range(2):
        ...     layer = prune.l1_unstructured(layer, "weight", amount=0.5)
        >>> type(layer._forward_pre_hooks.popitem()[1]).__name__, int(layer.weight_mask.sum())
        ('PruningContainer', 4)
    """

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method that acts on the same tensor.

        Args:
            method: a `BasePruningMethod`, or None.

        Raises:
            TypeError: it is neither.
            ValueError: it acts on another tensor.
        """
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                f"PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask of the last method, applied to what the methods before have left.

        Args:
            t: the importance of each number.
            default_mask: the mask before.

        Raises:
            AttributeError: the method prunes channels and does not say along which ``dim``.
            IndexError: there is no such dimension.
            ValueError: the method is of an unknown type.
        """
        method = self._pruning_methods[-1]
        left = _left(method, t, default_mask)
        mask = default_mask.to(dtype=t.dtype, copy=True)
        chosen = method.compute_mask(t[left], default_mask=default_mask[left])
        mask[left] = chosen.to(dtype=mask.dtype)
        return mask


def _left(method: Any, t: Tensor, mask: Tensor) -> Any:
    """Return an index of what `method` may choose from."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    everything: list[Any] = [slice(None)] * t.dim()
    if method.PRUNING_TYPE == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
            )
        dim = method.dim + t.dim() if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {t.dim()}")
        everything[dim] = mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
    elif method.PRUNING_TYPE != "global":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    return tuple(everything)


def _key_of_hook(module: Module, name: str) -> int | None:
    """Return the key of the hook that prunes the tensor `name` of `module`, or None."""
    keys = [
        key
        for key, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]
    if len(keys) > 1:
        raise AssertionError(
            f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. "
            "Use a PruningContainer."
        )
    return keys[0] if keys else None


def _container_of(hook: Any) -> PruningContainer:
    return hook if isinstance(hook, PruningContainer) else PruningContainer(hook)
