"""All parameters as one long vector, and back.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parameters_to_vector.html
"""

from __future__ import annotations

from collections.abc import Iterable

from ..._functions.joining import cat
from ..._legacy import typename
from ..._tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return the elements of all `parameters`, one after the other.

    Args:
        parameters: tensors of any shapes, on one device.

    Returns:
        A tensor of shape (number of all elements,); gradients pass through it.

    Raises:
        TypeError: they are on several devices.
        RuntimeError: there is none, or one of them does not lie in memory in the order of its elements.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.parameters_to_vector.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.Linear(10, 3)
        >>> nbmodule.nn.utils.parameters_to_vector(layer.parameters()).shape
        nbmodule.Size([33])
    """
    device = None
    flat = []
    for parameter in parameters:
        device = _check_param_device(parameter, device)
        flat.append(parameter.view(-1))
    return cat(flat)


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let `parameters` have the values of the elements of `vec`, one after the other.

    The parameters then share the memory of `vec`.

    Args:
        vec: (number of all elements,).
        parameters: tensors of any shapes, on one device.

    Raises:
        TypeError: `vec` is not a tensor, or the parameters are on several devices.
        RuntimeError: `vec` is too short.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.vector_to_parameters.html

    Example:
        >>> import nbmodule
        >>> layer = nbmodule.nn.Linear(2, 1)
        >>> nbmodule.nn.utils.vector_to_parameters(nbmodule.arange(3.0), layer.parameters())
        >>> layer.weight.tolist(), layer.bias.tolist()
        ([[0.0, 1.0]], [2.0])
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    device = None
    start = 0
    for parameter in parameters:
        device = _check_param_device(parameter, device)
        end = start + parameter.numel()
        parameter.data = vec[start:end].view_as(parameter).data
        start = end


def _check_param_device(param: Tensor, old_param_device: int | None) -> int:
    """Return the number of the device of `param`, -1 for the CPU.

    Raises:
        TypeError: `old_param_device`, which this returned for another parameter, is a different one.
    """
    device = param.get_device() if param.device.type == "cuda" else -1
    if old_param_device is not None and device != old_param_device:
        raise TypeError(
            "Found two parameters on different devices, this is currently not supported."
        )
    return device
