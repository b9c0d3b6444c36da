"""Values that nobody saved, worked out again: an addition keeps neither what it was given nor what it made.

Only operations that the nodes describe fully are worked out, and only from numbers that are at hand. The floating point
arithmetic is NumPy's, which for these operations is that of every library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nbmodule_widgets.protocol import attempt

_RULES: dict[str, tuple[int, Callable[..., Any]]] = {
    "AddBackward0": (2, lambda a, b, alpha: a + b * alpha),
    "SubBackward0": (2, lambda a, b, alpha: a - b * alpha),
    "MulBackward0": (2, lambda a, b, alpha: a * b),
    "NegBackward0": (1, lambda a, alpha: -a),
    "SumBackward0": (1, lambda a, alpha: a.sum(dtype=a.dtype)),
}
"""How many arguments an operation has, and what it makes of them."""


def worked_out(
    name: str, arguments: Mapping[int, np.ndarray | None], saved: Mapping[str, Any], shape: Any
) -> np.ndarray | None:
    """What an operation made, or None where that cannot be told.

    Args:
        name: The library's name for it.
        arguments: Slot -> the numbers of the argument, where they are known.
        saved: What the node saved, by name: a constant factor, and `alpha`.
        shape: Of what it made.
    """
    count, rule = _RULES.get(name, (0, None))
    if rule is None:
        return None
    operands = [arguments.get(slot) for slot in range(count)]
    if name == "MulBackward0":  # a number that was multiplied with has no node, but is saved
        constants = (saved.get("self"), saved.get("other"))
        operands = [c if o is None else o for o, c in zip(operands, constants, strict=True)]
    alpha = saved.get("alpha", 1)
    if any(operand is None for operand in operands) or type(alpha) not in (int, float):
        return None
    kind = next(
        (o.dtype for o in operands if isinstance(o, np.ndarray) and o.dtype.kind == "f"), None
    )
    if kind is None:
        return None
    with np.errstate(all="ignore"):
        made = attempt(lambda: np.asarray(rule(*operands, kind.type(alpha)))).value
    return made if made is not None and made.shape == shape and made.dtype == kind else None
