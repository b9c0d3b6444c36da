"""What a Module does with a tensor, by the rules: learn it, remember it, move it, or none of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nbmodule_widgets.facts.records import TensorFacts

Group = Literal["learned", "remembered", "neither"]

_CASTS = ("float", "bfloat")  # `.double()` leaves whole, complex numbers and truth values alone


@dataclass(frozen=True, slots=True)
class Standing:
    """What becomes of one tensor.

    Attributes:
        learned: Whether it is among `parameters()` and wants a gradient.
        remembered: Whether `state_dict()` has it.
        moved: Whether `.to()` reaches it.
        cast: Whether `.double()` changes its dtype.
    """

    learned: bool
    remembered: bool
    moved: bool
    cast: bool

    @property
    def group(self) -> Group:
        """Learned, remembered (saved but not learned), or neither."""
        return "learned" if self.learned else "remembered" if self.remembered else "neither"


def standing(tensor: TensorFacts, registered: bool = True) -> Standing:
    """What the rules of a Module say of a tensor.

    Args:
        tensor: Its facts.
        registered: Whether it lies in the drawer that they name. What lies elsewhere the Module does not know.
    """
    here = registered and not tensor.empty
    parameter = tensor.kind == "parameter"
    return Standing(
        learned=here and parameter and tensor.requires_grad is not False,
        remembered=here and tensor.persistent,
        moved=here,
        cast=here and tensor.dtype.startswith(_CASTS),
    )


def moved_words(dtype: str, moved: bool, cast: bool, after: str = "") -> str:
    """What `.to()` and `.double()` do with it: `"yes"`, `"yes, stays int64"`, `"left behind"`, `"float32 → float64"`.

    Args:
        dtype: Its dtype.
        moved: As in `Standing`.
        cast: Likewise.
        after: The dtype that a trial ended with; empty if nothing was tried.
    """
    if after and after != dtype:
        return f"{dtype} → {after}"
    if not moved:
        return "left behind"
    return "yes" if cast or not dtype else f"yes, stays {dtype}"
