"""Keys of dicts and members of sets in files: those that would take forever to hash or to tell apart are refused.

Hashing a tuple hashes all that it holds; and ints of more than 64 bits can be chosen by the thousand to have
one and the same hash, so that each is compared with all before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pickle import UnpicklingError
from typing import Any

PARTS = 1000
"""How many values a tuple may hold, those of tuples in it included."""
BITS = 1000
"""How long an int may be."""
WIDE_BITS = 64
WIDE_KEYS = 1000
"""How many keys may be ints of more than `WIDE_BITS`, or complex."""


def check_keys(keys: Iterable[Any], wide: int = 0) -> int:
    """Return how many of `keys` have wide numbers in them, and `wide`, the number of those before.

    Raises:
        UnpicklingError: a key is too large, or there are too many wide ones.
    """
    for key in keys:
        if type(key) is not str:
            wide += _is_wide(key)
    if wide > WIDE_KEYS:
        raise UnpicklingError(
            f"more than {WIDE_KEYS} keys with numbers of more than {WIDE_BITS} bits"
        )
    return wide


def checked_set(members: Iterable[Any]) -> set:
    """Return the set of `members`."""
    members = list(members)
    check_keys(members)
    return set(members)


def _is_wide(key: Any) -> bool:
    parts, count, wide = [key], 0, False
    while parts:
        part = parts.pop()
        if isinstance(part, tuple):
            count += len(part)
            parts += part if count <= PARTS else ()
        bits = part.bit_length() if isinstance(part, int) else 0
        if count > PARTS or bits > BITS:
            raise UnpicklingError(f"a key of more than {PARTS} parts, or {BITS} bits")
        wide = wide or bits > WIDE_BITS or isinstance(part, complex)
    return wide
