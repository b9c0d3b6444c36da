"""The switches of NVIDIA's matrix products: programs set them before they begin; here they change nothing.

Source: https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.torch.backends.cuda.matmul.allow_tf32
"""

from __future__ import annotations

from typing import Any

from .._settings import settings

ANY = ("allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction")


class cuBLASModule:
    """What `backends.cuda.matmul` is.

    ``allow_tf32`` is the switch that `set_float32_matmul_precision` turns, too: "highest" is off.

    Example:
        >>> import nbmodule as torch
        >>> torch.backends.cuda.matmul.allow_tf32 = True
        >>> torch.get_float32_matmul_precision()
        'high'
        >>> torch.backends.cuda.matmul.allow_tf32 = False
    """

    def __init__(self) -> None:
        vars(self).update(dict.fromkeys(ANY, True), allow_fp16_accumulation=False)

    def __getattr__(self, name: str) -> Any:
        if name == "allow_tf32":
            return settings.precision != "highest"
        raise AttributeError(f"Unknown attribute {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "allow_tf32":
            if not isinstance(value, bool):
                raise RuntimeError(
                    f"set_allow_tf32_cublas expects a bool, but got {type(value).__name__}"
                )
            settings.precision = "high" if value else "highest"
        elif name not in vars(self):
            raise AttributeError(f"Unknown attribute {name}")
        elif name in ANY and not isinstance(value, bool):
            raise TypeError(
                f"{name} expects a bool or a tuple/list of bools, but got {type(value)!r}"
            )
        else:
            vars(self)[name] = value
