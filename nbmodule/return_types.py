"""The tuples with names that functions with several results return: ``nbmodule.return_types``."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any


class _Results(tuple):
    """A tuple whose places have names. `results` makes a subclass for each function."""

    __slots__ = ()
    n_fields = n_sequence_fields = 0
    n_unnamed_fields = 0
    _names: tuple[str, ...] = ()

    def __new__(cls, iterable: Iterable[Any], dict: Any = None) -> Any:
        if not isinstance(iterable, (tuple, list, Iterable)):
            raise TypeError("constructor requires a sequence")
        values = tuple(iterable)
        if len(values) != cls.n_fields:
            raise TypeError(
                f"{__name__}.{cls.__name__}() takes a {cls.n_fields}-sequence "
                f"({len(values)}-sequence given)"
            )
        return super().__new__(cls, values)

    def __repr__(self) -> str:
        parts = (f"{n}={v!r}" for n, v in zip(self._names, self, strict=True))
        return f"{__name__}.{type(self).__name__}(\n" + ",\n".join(parts) + ")"

    def __reduce__(self) -> Any:
        return type(self), (tuple(self), {})


def results(name: str, *fields: str) -> Any:
    """Return the class of results that is called `name` and has `fields`; there is one for each name."""
    found = globals().get(name)
    if found is None:
        places = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
        counts = {
            "n_fields": len(fields),
            "n_sequence_fields": len(fields),
            "_names": fields,
            "__match_args__": fields,
        }
        found = type(
            name, (_Results,), {"__slots__": (), "__module__": __name__, **counts, **places}
        )
        globals()[name] = found
    return found


max, min, sort, topk, mode, median, nanmedian, kthvalue, cummax, cummin = (
    results(name, "values", "indices")
    for name in (
        "max", "min", "sort", "topk", "mode", "median", "nanmedian", "kthvalue", "cummax", "cummin",
    )
)  # fmt: skip
aminmax = results("aminmax", "min", "max")
histogram = results("histogram", "hist", "bin_edges")
