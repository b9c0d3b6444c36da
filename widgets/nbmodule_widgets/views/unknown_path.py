"""What to say of a path that leads nowhere."""

from __future__ import annotations

from difflib import get_close_matches

from nbmodule_widgets.facts import ModuleFacts
from nbmodule_widgets.facts.words import visible


def unknown_path(known: ModuleFacts, path: str) -> str:
    """Says how far the path leads, and what there is instead."""
    steps = path.split(".") if isinstance(path, str) else []
    reached = ""
    for end in range(1, len(steps)):
        if known.find(".".join(steps[:end])) >= 0:
            reached = ".".join(steps[:end])
    node, _ = known.at(known.find(reached))
    index = known.index(node)
    names = [tensor.name for tensor in node.tensors]
    names += [known.nodes[child].name for child in known.children().get(index, ())]
    rest = path[len(reached) :].lstrip(".") if isinstance(path, str) else repr(path)
    close = get_close_matches(rest, names, n=1)
    hint = f" Did you mean {visible(close[0])!r}?" if close else ""
    listed = ", ".join(repr(visible(name, 60)) for name in names[:20]) or "nothing"
    more = f" and {len(names) - 20:,} more" if len(names) > 20 else ""
    return f"no {visible(rest)!r} in {repr(visible(reached)) if reached else 'the model'}: there is {listed}{more}.{hint}"
