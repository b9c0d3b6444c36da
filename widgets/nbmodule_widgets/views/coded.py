"""Long lists of names for the page, each as how much it shares with the one before, and the rest."""

from __future__ import annotations

from collections.abc import Iterable
from os.path import commonprefix
from typing import Any

from nbmodule_widgets.views.columns import column
from nbmodule_widgets.views.live import sendable

_MOST_SHARED = 2**16


def coded_names(names: Iterable[str]) -> dict[str, Any]:
    """Front-coded names: 10,000 paths of a model are a tenth of the bytes.

    Args:
        names: The names in order; `static/lines.js` puts them together again.
    """
    shared, rests, before = [], [], ""
    for name in names:
        name = sendable(name)
        same = min(len(commonprefix((before, name))), _MOST_SHARED)  # noqa: RUF071 - characters are meant
        shared.append(same)
        rests.append(name[same:])
        before = name
    return {"shared": column(shared), "rests": rests}
