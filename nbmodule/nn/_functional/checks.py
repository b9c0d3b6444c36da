"""What the functions ask of their arguments before they compute.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html
"""

from __future__ import annotations

from typing import Any

from ..._errors import not_a_tensor
from ..._tensor import Tensor


def first_not_a_tensor(function: str, **arguments: Any) -> TypeError:
    """Return the error for the first of `arguments` that is no tensor."""
    return next(
        not_a_tensor(function, name, position + 1, value)
        for position, (name, value) in enumerate(arguments.items())
        if not isinstance(value, Tensor)
    )
