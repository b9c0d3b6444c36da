"""Make a module without drawing its parameters."""

from __future__ import annotations

from typing import Any

from ..modules.module import Module


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Module:
    """Make a module whose parameters and buffers are left as the memory was.

    Worthwhile where every value is overwritten at once, such as by ``load_state_dict``, and for the
    random generator, which stays as it is.

    Args:
        module_cls: the class. Its ``__init__`` takes ``device``, and makes all tensors there.
        args: of the class.
        kwargs: of the class.

    Raises:
        RuntimeError: the class is not one of a Module, or takes no ``device``.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.skip_init.html

    Example:
        >>> import nbmodule
        >>> nbmodule.nn.utils.skip_init(nbmodule.nn.Linear, 5, 1).weight.shape
        nbmodule.Size([1, 5])
    """
    from inspect import signature  # here: it loads a third of what NumPy does

    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **kwargs, device="meta").to_empty(device=device)
