"""`device`: where a tensor lives, and where new ones are made.

Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.device
"""

from __future__ import annotations

import operator
import re
import threading
from typing import Any

KINDS = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla",
    "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip
"""All types of device that PyTorch can name. Tensors live on "cpu", "cuda" and "meta" only."""

MISSING: Any = object()
NO_ACCELERATOR = "Cannot access accelerator device when none is available."


class device:  # PyTorch spells this class in lower case
    """Where a tensor lives: ``device("cpu")``, ``device("cuda", 0)``, or ``device("meta")``: nowhere.

    As a context manager it says where the factories make new tensors.

    Args:
        type: "cpu", "cuda", "meta", or with the card in one string such as "cuda:1".
        index: which card; None means the current one.

    Raises:
        RuntimeError: the type is unknown, or the index no number.
        TypeError: `type` is no string.

    Example:
        >>> import nbmodule
        >>> with nbmodule.device("meta"):
        ...     nbmodule.zeros(2)
        tensor(..., device='meta', size=(2,))
    """

    __slots__ = ("_index", "_type")

    __module__ = "nbmodule"
    _type: str
    _index: int | None

    def __new__(cls, type: Any = MISSING, index: int | None = None, *, device: Any = None) -> Any:
        """Read the type and the index from what was given."""
        type = device if device is not None else type
        if isinstance(type, cls):
            return type
        if isinstance(type, bool) or not (isinstance(type, str) or hasattr(type, "__index__")):
            got = "()" if type is MISSING else f"({type.__class__.__name__})"
            raise TypeError(
                f"device() received an invalid combination of arguments - got {got}, but expected one of:\n"
                ' * (device device)\n * (str type, int index = -1): "cpu", "cuda", "cuda:1" or "meta"'
            )
        if not isinstance(type, str):
            if operator.index(type) < 0:
                raise RuntimeError("Device index must not be negative")
            type = f"{_accelerator()}:{operator.index(type)}"
        self = super().__new__(cls)
        self._type, self._index = _read(type)
        if index is not None:
            self._index = _checked_index(type, self._index, index)
        return self

    @property
    def type(self) -> str:
        """The kind of device, such as "cpu"."""
        return self._type

    @property
    def index(self) -> int | None:
        """Which card, or None for the current one."""
        return self._index

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("type", "index"):
            raise AttributeError(f"attribute '{name}' of 'nbmodule.device' objects is not writable")
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        index = "" if self._index is None else f", index={self._index}"
        return f"device(type='{self._type}'{index})"

    def __str__(self) -> str:
        return self._type if self._index is None else f"{self._type}:{self._index}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, device):
            return NotImplemented
        return self._type == other._type and self._index == other._index

    def __hash__(self) -> int:
        return hash((self._type, self._index))

    def __reduce__(self) -> tuple:
        return device, (self._type,) if self._index is None else (self._type, self._index)

    def __enter__(self) -> device:
        chosen.stack = (*chosen.stack, self)
        return self

    def __exit__(self, *error: object) -> None:
        chosen.stack = chosen.stack[:-1]


def _read(text: str) -> tuple[str, int | None]:
    if not text:
        raise RuntimeError("Device string must not be empty")
    parts = re.fullmatch(r"([a-zA-Z_]+)(?::(0|[1-9][0-9]*))?", text)
    if parts is None:
        raise RuntimeError(f"Invalid device string: '{text}'")
    kind, number = parts.groups()
    if kind not in KINDS:
        raise RuntimeError(
            f"Expected one of {', '.join(KINDS)} device type at start of device string: {text}"
        )
    return kind, None if number is None else int(number)


def _checked_index(text: str, found: int | None, index: Any) -> int:
    if not isinstance(index, int):
        raise TypeError(
            f"device(): argument 'index' (position 2) must be int, not {index.__class__.__name__}"
        )
    if found is not None:
        raise RuntimeError(
            f"type (string) must not include an index because index was passed explicitly: {text}"
        )
    if index < 0:
        raise RuntimeError("Device index must not be negative")
    return index


class Accelerator:
    """Whether there is one: told by `_backend.py`, which lies above."""

    is_there: Any = staticmethod(lambda: False)


def _accelerator() -> str:
    if not Accelerator.is_there():
        raise RuntimeError(NO_ACCELERATOR)
    return "cuda"


CPU = device("cpu")


class _Chosen(threading.local):
    """Where each thread makes new tensors: the innermost ``with device(...)``, else what was set.

    `card` is the number that "cuda" alone stands for.
    """

    stack: tuple[device, ...] = ()
    default: device | None = None
    card = 0


chosen = _Chosen()


def chosen_device() -> device | None:
    """Return where new tensors are to be made; None stands for the CPU that nobody asked for."""
    return chosen.stack[-1] if chosen.stack else chosen.default


def get_default_device() -> device:
    """Return where new tensors are made when no device is asked for."""
    found = chosen_device() or CPU
    return device("cuda", chosen.card) if found.type == "cuda" and found.index is None else found


def set_default_device(device: Any) -> None:
    """Make new tensors on `device` from now on, in this thread; None goes back to the CPU.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_default_device.html
    """
    chosen.default = None if device is None else _as_device(device)


_as_device = device
