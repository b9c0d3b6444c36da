"""What a definition uses and does not define: the lines that import it, or a sentence."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .carried import Carried
from .cells import Definition, named_at_once, owner_of
from .given import Given
from .loading import Origin
from .solutions import OURS, exercise_of

_HOMES = ("nbmodule.nn", "nbmodule", "nbmodule_course")
_NOT_TO_IMPORT = ("__main__", "my_module", "my_tape", "builtins", OURS, "")


def imports_for(
    wanted: list[Definition], there: set[str], answer: list[Given], mine: Carried
) -> tuple[list[Definition], list[str]]:
    """Return the lines that import what the definitions use, and a sentence for each name that stays unknown.

    What another exercise writes stands in the file, or ours stands in for it when the file is read.
    """
    known = there | {item.name for item in wanted if item.kind != "method"}
    known |= {item.owner for item in wanted}
    outside: dict[str, Any] = {}
    for given in answer:
        outside.update(given.names)
    found: dict[str, Definition] = {}
    unknown: list[str] = []
    for item in wanted:
        for name in sorted(item.uses - known - found.keys()):
            other = _from_another(mine, name, outside.get(name))
            if other:
                stands_in = any(origin.whose == "ours" for origin in other)
                if not stands_in or name in named_at_once(item.text):
                    unknown.append(_waiting(item.name, name, other[0].exercise_id))
                continue
            line = _import_of(name, outside.get(name))
            exercise_id = _lent(mine, name, outside.get(name))
            if line:
                found[name] = Definition(name, "import", line)
            elif exercise_id:
                unknown.append(_waiting(item.name, name, exercise_id))
            else:
                unknown.append(_sentence(item.name, name, name in outside))
    return list(found.values()), unknown


def taken_from_before(wanted: list[Definition]) -> list[str]:
    """Return a sentence for each definition that keeps a method which the same answer replaces.

    In the notebook that's the method of before. In the file, it would be the new one, which then calls itself.
    """
    new = {
        (item.owner or "Module", item.name.rpartition(".")[2])
        for item in wanted
        if item.kind == "method"
    }
    return [
        f"`{item.name}` keeps `{owner}.{name}`. In the file, that would be the new `{name}` itself, "
        "so write out what the old one did, and check again."
        for item in wanted
        if item.kind in ("helper", "method", "function")
        for owner, name in _read_at_once(ast.parse(item.text))
        if (owner, name) in new
    ]


def _read_at_once(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield what is read of a named object, as `Module.forward`, outside of the bodies of functions."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield node.value.id, node.attr
    body = getattr(node, "body", [])
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    later = (body if isinstance(body, list) else [body]) if is_function else []
    for inner in ast.iter_child_nodes(node):
        if inner not in later:
            yield from _read_at_once(inner)


def _import_of(name: str, value: Any) -> str:
    """Return the line that imports `value` as `name`, or ''."""
    if isinstance(value, ModuleType):
        parent, _, last = value.__name__.rpartition(".")
        if last != name:
            parent, last = "", value.__name__
        if parent:
            return f"from {parent} import {name}"
        return f"import {last}" if last == name else _as(value.__name__, name)
    own = getattr(value, "__module__", "")
    called = getattr(value, "__name__", name)
    for home in (*_HOMES, own if isinstance(own, str) else ""):
        if home in _NOT_TO_IMPORT or own in _NOT_TO_IMPORT or not isinstance(called, str):
            continue
        if value is not None and getattr(sys.modules.get(home), called, None) is value:
            return f"from {home} import {called}" + (f" as {name}" if called != name else "")
    return ""


def _as(module: str, name: str) -> str:
    parent, _, last = module.rpartition(".")
    return f"from {parent} import {last} as {name}" if parent else f"import {module} as {name}"


def _waiting(method: str, name: str, exercise_id: str) -> str:
    return (
        f"`{method}` uses `{name}` of exercise {exercise_id}, which isn't saved there yet. "
        f'Run `check("{exercise_id}", …)` first, then check again.'
    )


def _sentence(method: str, name: str, in_notebook: bool) -> str:
    if name == "mine":
        return (
            f"`{method}` uses `mine`, which exists only in the notebook. Import what you need instead, "
            "for example `from nbmodule.nn import functional`, run the cell, and check again."
        )
    if in_notebook:
        return (
            f"`{method}` uses `{name}`, which another cell defines. Move that definition into the cell of "
            "this exercise, run it, and check again."
        )
    return f"`{method}` uses `{name}`, which isn't defined anywhere. Define it in the same cell, run it, and check again."


def _lent(mine: Carried, name: str, value: Any) -> str:
    """Return the exercise that writes a layer which nbmodule lends until then, such as `mine.Dropout`; or ''."""
    lent = isinstance(value, type) and value is getattr(mine, name, None)
    return exercise_of(f"{name}.__init__") if lent else ""


def _from_another(mine: Carried, name: str, value: Any) -> list[Origin]:
    """Return what an exercise gave under this name: a function, or the methods of a class; [] if `value` is another thing."""
    if name in mine.functions:
        found, known = [mine.functions[name]], mine.functions[name].value
    else:
        found = [origin for n, origin in mine.methods.items() if owner_of(n) == name]
        known = mine.own_layers.get(name)
    own = getattr(value, "__dict__", {}).get("_readers_own", value)  # `mine.MyLinear` is completed
    return found if value is None or own is known else []
