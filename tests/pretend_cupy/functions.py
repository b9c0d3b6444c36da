"""Functions of the pretend CuPy: NumPy's, called as the record says that CuPy's can be."""

import contextlib
import functools
import inspect

import numpy as np

from .arrays import arrays_in, device_value, ndarray, on_current_card, wrapped

SCATTERED = {"add": "iIfdeQ", "other": "iIQ"}
"""Types of elements to which CuPy can add, or of which it can take the larger, at places given by indices.

It takes the larger of floats, too, but compares float64 as float32, and drops NaN.
"""


def signature_of(arguments):
    """Return the signature that the record wrote down."""
    kinds = inspect.Parameter
    found, kind = [], kinds.POSITIONAL_OR_KEYWORD
    for a in arguments:
        if a == "*":
            kind = kinds.KEYWORD_ONLY
        elif a == "**":
            found.append(kinds("options", kinds.VAR_KEYWORD))
        elif a.startswith("*"):
            found.append(kinds(a[1:], kinds.VAR_POSITIONAL))
            kind = kinds.KEYWORD_ONLY
        else:
            default = None if a.endswith("=") else kinds.empty
            found.append(kinds(a.rstrip("="), kind, default=default))
    return inspect.Signature(found)


def checked(name, arguments):
    """Return a function that raises TypeError where CuPy's `name` would refuse how it is called."""
    signature, known = signature_of(arguments), set()

    def check(count, options):
        if options.get("kind") not in (None, "stable"):
            raise ValueError("CuPy knows stable sorting only")
        key = (count, *sorted(options))
        if key not in known:
            try:
                signature.bind(*(None,) * count, **options)
            except TypeError as error:
                raise TypeError(f"cupy.{name}: {error}") from None
            known.add(key)

    return check


OF_CUPY_ALONE = {"blocking"}
MAKERS = {"asarray", "array", "ascontiguousarray", "asfortranarray", "asanyarray", "copyto"}
"""Functions that take arrays of the host."""


def function_of(name, arguments, home=np):
    """Return the function `name` of NumPy for the arrays of the device."""
    plain, check = getattr(home, name), checked(name, arguments)

    def function(*args, **options):
        check(len(args), options)
        options = {k: v for k, v in options.items() if k not in OF_CUPY_ALONE}
        out = options.get("out")
        if name in MAKERS and not isinstance(args[0], ndarray):
            array = np.array(
                args[0], *args[1:2], **{k: v for k, v in options.items() if k != "copy"}
            )
            array = array if array.ndim or name != "ascontiguousarray" else array.reshape(1)
            return wrapped(array, keeps_order=True)
        if name in MAKERS and len(args) == 1 and not options:
            return args[0] if plain is np.asarray or args[0].flags.c_contiguous else args[0].copy()
        if home is np.linalg:
            refuse_unchecked(name, args)
        found = plain(*map(device_value, args), **{k: device_value(v) for k, v in options.items()})
        if out is not None:
            return out
        keeps_order = name in MAKERS or name.endswith("_like") or home is np.linalg
        sources = (*arrays_in(args), *arrays_in([*options.values()]))
        return wrapped(found, *sources, keeps_order=keeps_order)

    return functools.wraps(plain, updated=())(function)


class LinearAlgebra:
    """Whether CuPy is asked to look at what its linear algebra found out about the matrices."""

    looks = False


@contextlib.contextmanager
def errstate(*, linalg):
    before, LinearAlgebra.looks = LinearAlgebra.looks, linalg == "raise"
    try:
        yield
    finally:
        LinearAlgebra.looks = before


def refuse_unchecked(name, args):
    """Raise where CuPy would return wrong numbers in silence, or not broadcast."""
    if name in ("cholesky", "inv", "solve") and not LinearAlgebra.looks:
        raise AssertionError(f"cupy.linalg.{name} does not say when a matrix is not as it must be")
    if name == "solve" and args[0].shape[:-1] != args[1].shape[:-1]:
        raise AssertionError("cupy.linalg.solve wants matrices of the same batch")


VIEWS = {"diagonal", "reshape", "squeeze", "swapaxes", "transpose"}
"""Methods that compute nothing, so that it does not matter which card is the current one."""


def method_of(name, arguments):
    plain, check = getattr(np.ndarray, name, None), checked(f"ndarray.{name}", arguments)
    if plain is None:
        return None

    def method(self, *args, **options):
        check(len(args), options)
        out = options.get("out")
        found = plain(
            self._host if name in VIEWS else device_value(self),
            *map(device_value, args),
            **{k: device_value(v) for k, v in options.items()},
        )
        if name in VIEWS and not np.may_share_memory(found, self._host):
            on_current_card((self,))
        return out if out is not None else wrapped(found, self)

    return functools.wraps(plain, updated=())(method)


class Ufunc:
    """A function of CuPy's that works on each element, written for the types that the record lists."""

    def __init__(self, name, types, at):
        self.__name__, self.types, self._at = name, types, at
        self._plain = getattr(np, name)
        self._known = {}

    def __call__(self, *args, out=None, where=None, dtype=None, casting=None):
        options = {} if casting is None else {"casting": casting}
        if where is not None:
            options["where"] = device_value(where)
        if dtype is not None:
            options["dtype"] = dtype
        count = self._plain.nin
        out = args[count] if len(args) > count else out
        args = args[:count]
        if out is not None:
            options["out"] = (
                tuple(map(device_value, out)) if isinstance(out, tuple) else device_value(out)
            )
        found = self._plain(*map(device_value, args), **options)
        if dtype is None and out is None:
            self._check_types(args, found)
        return out if out is not None else wrapped(found, *args)

    def _check_types(self, args, found):
        """Raise if CuPy has no kernel for these types, or one with another type of result."""
        kinds = tuple(a.dtype.char for a in args if hasattr(a, "dtype"))
        if (
            len(kinds) < len(args) or kinds in self._known
        ):  # a Python number takes the type of its partner
            return
        for entry in self.types:
            given, made = entry.split("->")
            if all(np.can_cast(a, b) for a, b in zip(kinds, given, strict=True)):
                break
        else:
            raise TypeError(f"Wrong type {kinds} of arguments for cupy.{self.__name__}")
        results = found if isinstance(found, tuple) else (found,)
        if [np.dtype(c) for c in made] != [r.dtype for r in results]:
            raise TypeError(
                f"cupy.{self.__name__} makes {made} of {kinds}, NumPy {[str(r.dtype) for r in results]}"
            )
        self._known[kinds] = True

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False):
        if self.__name__ not in ("add", "multiply"):
            raise NotImplementedError(f"`cupy_{self.__name__}.reduce` is not supported yet")
        return (array.sum if self.__name__ == "add" else array.prod)(
            axis, dtype=dtype, keepdims=keepdims
        )

    def accumulate(self, array, axis=0, dtype=None, out=None):
        if self.__name__ not in ("add", "multiply"):
            raise NotImplementedError(f"`cupy_{self.__name__}.accumulate` is not supported yet")
        return (array.cumsum if self.__name__ == "add" else array.cumprod)(axis, dtype=dtype)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        if self.__name__ != "add":
            raise NotImplementedError(f"`cupy_{self.__name__}.reduceat` is not supported yet")
        return wrapped(np.add.reduceat(device_value(array), device_value(indices), axis))

    def at(self, a, indices, b=None):
        if not self._at:
            raise NotImplementedError(f"`cupy_{self.__name__}.at` is not supported yet")
        kinds = SCATTERED["add" if self.__name__ in ("add", "subtract") else "other"]
        if a.dtype.char not in kinds and a.dtype != np.uint64:
            raise TypeError(
                f"cupy.{self.__name__}.at only supports int32, float16, float32, ..., not {a.dtype}"
            )
        self._plain.at(device_value(a), a._key(indices), device_value(b))

    def outer(self, a, b, **options):
        return wrapped(self._plain.outer(device_value(a), device_value(b), **options))
