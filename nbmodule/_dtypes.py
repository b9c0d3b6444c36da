"""PyTorch's dtypes, and its rules for what comes out when two of them meet.

PyTorch and NumPy disagree about mixed types: int64 with float32 is float32 in PyTorch and float64 in
NumPy. The library follows PyTorch, so the engine settles the type here, before NumPy sees the arrays.

Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

BOOL, INTEGER, FLOATING, COMPLEX = range(4)
"""The categories of types, in the order in which they win over one another."""


_C_NAMES = {
    "float16": "c10::Half", "float32": "float", "float64": "double", "uint8": "unsigned char",
    "int8": "signed char", "int16": "short", "int32": "int", "int64": "long int",
    "uint16": "unsigned short", "uint32": "unsigned int", "uint64": "unsigned long",
    **{f"complex{2 * n}": f"c10::complex<{c}>" for n, c in ((16, "c10::Half"), (32, "float"), (64, "double"))},
}  # fmt: skip
"""What C++ calls the types, as some of PyTorch's messages do."""

NO_COMPLEX = "nbmodule has no complex tensors: keep the real and the imaginary part in two tensors."


class dtype:  # PyTorch spells this class in lower case
    """The type of a tensor's elements, such as ``nbmodule.float32``. There is one object for each.

    The complex ones are names to compare with: no tensor has one, and they have no `numpy`.

    Raises:
        TypeError: someone tries to make another one, or to use a complex one.

    Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#torch.dtype
    """

    __slots__ = ("c_name", "category", "itemsize", "legacy", "name", "numpy", "scalar_name")

    __module__ = "nbmodule"
    c_name: str
    category: int
    itemsize: int
    legacy: str
    name: str
    numpy: np.dtype
    scalar_name: str

    def __new__(cls, *args: Any, **kwargs: Any) -> dtype:
        """Refuse: the objects that there are stand at the end of this file's list."""
        raise TypeError("cannot create 'nbmodule.dtype' instances")

    if not TYPE_CHECKING:  # a checker of types would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Say why there is no NumPy type, which whatever makes, casts or reads a tensor asks for."""
            if name == "numpy":
                raise TypeError(NO_COMPLEX)
            raise AttributeError(f"'nbmodule.dtype' object has no attribute '{name}'")

    def to_real(self) -> dtype:
        """Return the dtype of the real part; for real numbers that is this one."""
        return named(f"float{4 * self.itemsize}") if self.is_complex else self

    def to_complex(self) -> dtype:
        """Return the dtype of complex numbers whose real part has this dtype.

        Raises:
            RuntimeError: it is a dtype of integers, or of booleans.
        """
        if self.category < FLOATING:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.scalar_name}")
        return self if self.is_complex else named(f"complex{16 * self.itemsize}")

    @property
    def abbr(self) -> str:
        """A short name, such as "f32"."""
        return f"{'b' if self.category == BOOL else self.name[0]}{8 * self.itemsize}"

    @property
    def is_floating_point(self) -> bool:
        """Whether this is float16, float32 or float64."""
        return self.category == FLOATING

    @property
    def is_complex(self) -> bool:
        """Whether this is complex32, complex64 or complex128. No tensor here has one of them."""
        return self.category == COMPLEX

    @property
    def is_signed(self) -> bool:
        """Whether negative numbers fit."""
        return self.category >= FLOATING or self.numpy.kind == "i"

    def __repr__(self) -> str:
        return f"nbmodule.{self.name}"

    def __reduce__(self) -> tuple:
        return named, (self.name,)


def _make(name: str, legacy: str, category: int) -> dtype:
    d = object.__new__(dtype)
    d.name, d.legacy, d.category = name, legacy, category
    d.scalar_name = legacy.removesuffix("Tensor")  # as most messages write it: "Float"
    d.c_name = _C_NAMES.get(name, name)
    if category == COMPLEX:
        d.itemsize = int(name.removeprefix("complex")) // 8
    else:
        d.numpy = np.dtype(name)
        d.itemsize = d.numpy.itemsize
    return d


float16 = half = _make("float16", "HalfTensor", FLOATING)
float32 = _make("float32", "FloatTensor", FLOATING)
float64 = double = _make("float64", "DoubleTensor", FLOATING)
uint8 = _make("uint8", "ByteTensor", INTEGER)
int8 = _make("int8", "CharTensor", INTEGER)
int16 = short = _make("int16", "ShortTensor", INTEGER)
int32 = _make("int32", "IntTensor", INTEGER)
int64 = long = _make("int64", "LongTensor", INTEGER)
uint16 = _make("uint16", "UInt16Tensor", INTEGER)
uint32 = _make("uint32", "UInt32Tensor", INTEGER)
uint64 = _make("uint64", "UInt64Tensor", INTEGER)
bool_ = _make("bool", "BoolTensor", BOOL)
complex32 = _make("complex32", "ComplexHalfTensor", COMPLEX)
complex64 = cfloat = _make("complex64", "ComplexFloatTensor", COMPLEX)
complex128 = cdouble = _make("complex128", "ComplexDoubleTensor", COMPLEX)

ALL = (
    float16, float32, float64, uint8, int8, int16, int32, int64, bool_, uint16, uint32, uint64,
)  # fmt: skip
"""The types that a tensor can have."""

KNOWN = (*ALL, complex32, complex64, complex128)
"""The types that have a name."""

NEVER_PROMOTED = (uint16, uint32, uint64)
"""The types that PyTorch holds and casts, but lets meet no other type."""

of_numpy = {d.numpy: d for d in ALL}
"""The dtype of a NumPy dtype."""

_by_name = {d.name: d for d in KNOWN}
_default = float32


of_python = {float: float64, int: int64, bool: bool_}
"""The dtype that a type of Python stands for, as in ``zeros(2, dtype=int)``."""


def checked(given: Any, function: str) -> Any:
    """Return `given`, which `function` got as a dtype, as one; None stays.

    Raises:
        TypeError: it is none.
    """
    if given is None or isinstance(given, dtype):
        return given
    if not isinstance(given, type) or given not in of_python:
        kind = type(given)
        shown = f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__
        raise TypeError(f"{function}(): argument 'dtype' must be nbmodule.dtype, not {shown}")
    return of_python[given]


def named(name: str) -> dtype:
    """Return the dtype called `name` (for pickle)."""
    return _by_name[name]


def get_default_dtype() -> dtype:
    """Return the dtype that floating point tensors get when none is asked for."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Make `d` the dtype that floating point tensors get when none is asked for.

    Raises:
        TypeError: `d` is not a floating point dtype.
    """
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        prefix = "" if isinstance(d, dtype) else "invalid dtype object: "
        raise TypeError(prefix + "only floating-point types are supported as the default type")
    _default = d


def from_numpy_dtype(numpy_dtype: np.dtype) -> dtype:
    """Return our dtype for NumPy's.

    Raises:
        TypeError: there is none, as for strings, objects and complex numbers.
    """
    found = of_numpy.get(numpy_dtype.newbyteorder("="))
    if found is not None:
        return found
    name = f"numpy.{numpy_dtype.type.__name__}"
    if numpy_dtype.kind == "c":
        raise TypeError(f"can't convert np.ndarray of type {name}. {NO_COMPLEX}")
    raise TypeError(
        f"can't convert np.ndarray of type {name}. The only supported types are: float64, float32, "
        "float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and "
        "bool.\n(The complex ones are PyTorch's; nbmodule has none.)"
    )


def of_number(value: Any) -> dtype:
    """Return the dtype that a Python number takes when it becomes a tensor.

    Raises:
        TypeError: it is no number.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return int64
    if isinstance(value, complex):
        raise TypeError(f"can't convert a complex number. {NO_COMPLEX}")
    if not isinstance(value, float):
        raise TypeError(f"expected a number, got {type(value).__name__}")
    return _default


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the smallest dtype of the higher category that holds `type1` and `type2`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.promote_types.html
    """
    for position, d in enumerate((type1, type2)):
        if not isinstance(d, dtype):
            raise TypeError(
                f"promote_types(): argument 'type{position + 1}' (position {position + 1}) must be "
                f"nbmodule.dtype, not {type(d).__name__}"
            )
    if type1 is type2:
        return type1
    whole = not (type1.is_floating_point or type2.is_floating_point)
    if whole and (type1 in NEVER_PROMOTED or type2 in NEVER_PROMOTED):
        met = " and ".join(d.scalar_name for d in (type1, type2))
        raise RuntimeError(
            f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {met}"
        )
    if type1.is_complex or type2.is_complex:
        return promote_types(type1.to_real(), type2.to_real()).to_complex()
    if type1.category != type2.category:
        return max(type1, type2, key=lambda d: d.category)
    return of_numpy[np.promote_types(type1.numpy, type2.numpy)]


def can_cast(from_: dtype, to: dtype) -> bool:
    """Return whether results of type `from_` may be written into a tensor of type `to`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.can_cast.html
    """
    for position, (name, d) in enumerate((("from_", from_), ("to", to))):
        if not isinstance(d, dtype):
            raise TypeError(
                f"can_cast(): argument '{name}' (position {position + 1}) must be nbmodule.dtype, not "
                f"{type(d).__name__}"
            )
    return from_.category <= to.category


def result_type(*operands: Any) -> dtype:
    """Return the dtype of an elementwise operation on raw arrays and Python numbers.

    Tensors with dimensions speak first. A tensor without dimensions, and after it a Python number, is
    heard only where its category is higher than all before it.
    """
    winner: dtype | None = None
    for rank in range(3):
        found: dtype | None = None
        for x in operands:
            is_array = hasattr(x, "dtype")
            if rank == (2 if not is_array else 0 if x.ndim else 1):
                d = of_numpy[x.dtype] if is_array else of_number(x)
                found = d if found is None else promote_types(found, d)
        if found is not None and (winner is None or found.category > winner.category):
            winner = found
    assert winner is not None, "an operation has at least one operand"
    return winner
