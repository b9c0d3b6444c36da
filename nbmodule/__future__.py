"""How the conversion of a module puts new numbers into it: choices that programs make for themselves.

Source: https://docs.pytorch.org/docs/stable/future_mod.html
"""

from __future__ import annotations

_overwrite = False
_swap = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Say whether ``module.to()``, ``.double()`` and the like make new parameters.

    Otherwise the parameters stay the same objects and get other numbers, so that an optimizer goes on knowing them.

    Args:
        value: True for new ones.

    Source: https://docs.pytorch.org/docs/stable/future_mod.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> layer = nn.Linear(2, 2)
        >>> weight = layer.weight
        >>> nbmodule.__future__.set_overwrite_module_params_on_conversion(True)
        >>> layer.double().weight is weight, weight.dtype
        (False, nbmodule.float32)
        >>> nbmodule.__future__.set_overwrite_module_params_on_conversion(False)
    """
    global _overwrite
    _overwrite = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Return whether ``module.to()`` and the like make new parameters.

    Source: https://docs.pytorch.org/docs/stable/future_mod.html

    Example:
        >>> import nbmodule
        >>> nbmodule.__future__.get_overwrite_module_params_on_conversion()
        False
    """
    return _overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Say whether ``module.to()`` and the like keep the parameters, whatever is said about new ones.

    It goes before `set_overwrite_module_params_on_conversion`. As parameters are kept without either, it changes
    nothing by itself.

    Args:
        value: True to keep them.

    Source: https://docs.pytorch.org/docs/stable/future_mod.html

    Example:
        >>> import nbmodule
        >>> from nbmodule import nn
        >>> layer = nn.Linear(2, 2)
        >>> weight = layer.weight
        >>> nbmodule.__future__.set_swap_module_params_on_conversion(True)
        >>> layer.double().weight is weight, weight.dtype
        (True, nbmodule.float64)
        >>> nbmodule.__future__.set_swap_module_params_on_conversion(False)
    """
    global _swap
    _swap = value


def get_swap_module_params_on_conversion() -> bool:
    """Return whether ``module.to()`` and the like keep the parameters in any case.

    Source: https://docs.pytorch.org/docs/stable/future_mod.html

    Example:
        >>> import nbmodule
        >>> nbmodule.__future__.get_swap_module_params_on_conversion()
        False
    """
    return _swap
