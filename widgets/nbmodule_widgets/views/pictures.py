"""What a page saves of a view: its figure as a file, sent when somebody asks for it."""

from __future__ import annotations

import re
from typing import Any

from nbmodule_widgets.facts.words import visible
from nbmodule_widgets.protocol import attempt

_KINDS = ("png", "svg")


def picture(view: Any, message: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """The answer to a page that wants a picture, and the file.

    Args:
        view: What has a `figure()`.
        message: `as`: the kind of file; `ticket`: what tells this page's question from another's.

    Returns:
        The message, with the `name` of the file or the `problem` that forbids it, and the bytes, if there are any.
    """
    kind = message.get("as") if message.get("as") in _KINDS else _KINDS[0]
    made = attempt(lambda: view.figure().encoded(kind))
    answer = {
        "kind": "picture",
        "as": kind,
        "ticket": str(message.get("ticket"))[:40],
        "name": f"{file_name(view)}.{kind}",
        "problem": visible(made.problem, 400),
    }
    return answer, [made.value] if made.value else []


def file_name(view: Any) -> str:
    """A name for a file that every system takes: the kind of the view, and the tensor or module that it shows."""
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(view).__name__).lower()
    path = view.path if view.has_trait("path") else ""
    return f"{kind}-{re.sub(r'[^0-9A-Za-z_.-]+', '_', path)[:80]}".rstrip("-.")
