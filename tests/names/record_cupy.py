"""Write down what CuPy has: ``python tests/names/record_cupy.py``, where CuPy is installed; no GPU is needed.

The pretend device reads the record: what CuPy lacks, or an argument that it refuses, fails there as on a GPU.
"""

import inspect
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import recorded_cases

RECORD = Path(__file__).with_name("cupy_names.json")
OF_NDARRAY = re.compile(r"_ndarray_base\.(\w+)\((.*?)\)", re.DOTALL)
"""The first line of a docstring says the arguments of a compiled method."""


def arguments_of(function):
    """Return the names of the arguments: "=" follows those that may be left out, "*" begins those by name only."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    found, by_name = [], False
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL or (p.kind is p.KEYWORD_ONLY and not by_name):
            found.append("*")
            by_name = True
        if p.kind is p.VAR_KEYWORD:
            found.append("**")
        elif p.kind is p.VAR_POSITIONAL:
            found[-1] = "*" + p.name
        else:
            found.append(p.name + ("=" if p.default is not p.empty else ""))
    return found


def arguments_of_method(method):
    """Return the arguments of a compiled method of arrays, without `self`; None for an attribute."""
    found = OF_NDARRAY.match(method.__doc__ or "")
    if not callable(method) or isinstance(method, property):
        return None
    if found is None:
        return (arguments_of(method) or [])[1:]
    parts = [p.strip() for p in found[2].split(",")][1:]
    return [_argument(p) for p in parts]


def _argument(text):
    """Return "axis=" for "int axis=-1", and "*shape" as it stands."""
    name = text.split("=")[0].split()[-1] if text != "*" else text
    return name + ("=" if "=" in text else "")


def functions_of(module, ufunc):
    names = [n for n in dir(module) if not n.startswith("_")]
    found = {n: getattr(module, n) for n in names if callable(getattr(module, n))}
    return {
        n: arguments_of(f)
        for n, f in found.items()
        if not isinstance(f, (type, ufunc)) and arguments_of(f) is not None
    }


def main():
    import cupy

    kinds = [n for n in dir(cupy) if isinstance(getattr(cupy, n), cupy.ufunc)]
    members = {n: getattr(cupy.ndarray, n) for n in dir(cupy.ndarray) if not n.startswith("_")}
    record = {
        "version": cupy.__version__,
        "functions": {
            "": functions_of(cupy, cupy.ufunc),
            "linalg": functions_of(cupy.linalg, cupy.ufunc),
            "lib.stride_tricks": functions_of(cupy.lib.stride_tricks, cupy.ufunc),
        },
        "ufuncs": {
            n: {"types": list(u.types), "at": bool(u._scatter_op)}
            for n in kinds
            for u in [getattr(cupy, n)]
        },
        "values": [n for n in dir(cupy) if isinstance(getattr(cupy, n), (type, float, type(None)))],
        "methods": {n: arguments_of_method(m) for n, m in members.items()},
        "special": [n for n in dir(cupy.ndarray) if n.startswith("__")],
    }
    recorded_cases.write(RECORD, record, depth=3)


if __name__ == "__main__":
    main()
