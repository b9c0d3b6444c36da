"""Mechanical mutants of a solution: each is the solution with one small change that a tired author might not notice.

Mutation testers such as mutmut and cosmic-ray change files and run a test suite. What is changed here are cells
of notebooks, what looks at them is the referee, and the changes are those of this course: a drawer is forgotten,
a branch is dropped, two rows of a table change places.
"""

from __future__ import annotations

import ast
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass

DRAWERS = ("_parameters", "_buffers", "_modules")
OTHER_ERROR = {
    "TypeError": "ValueError",
    "AttributeError": "KeyError",
    "KeyError": "AttributeError",
}
OTHER_TEST: dict[type, type] = {
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}


@dataclass(frozen=True)
class Mutant:
    """A changed solution.

    Attributes:
        change: what was changed, in words that stay the same when other lines change.
        source: the cell.
    """

    change: str
    source: str


def mutants(source: str) -> list[Mutant]:
    """Return every mutant of a cell, each once."""
    tree = _without_docstrings(ast.parse(source))
    found: dict[str, Mutant] = {}
    same = ast.unparse(tree)
    nodes, kept = list(ast.walk(tree)), pickle.dumps(tree)
    names = _functions(tree)
    twin, twins = _copy_of(kept)
    for number, first in enumerate(nodes):
        if isinstance(first, SKIPPED):
            continue
        before = ast.unparse(first).strip().split("\n")[0]
        for change in CHANGES if before else ():
            for variant in range(12):
                words = change(twins[number], variant)
                if words is None:  # nothing has changed, so the copy is as good as new
                    break
                text = ast.unparse(ast.fix_missing_locations(twin))
                twin, twins = _copy_of(kept)
                if text != same and text not in found:
                    where = names.get(id(first), "cell")
                    found[text] = Mutant(f"{where}: {words}: {before}", text)
    return list(found.values())


def _without_docstrings(tree: ast.Module) -> ast.Module:
    """Take the docstrings out of functions: they change nothing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) and len(node.body) > 1:
            del node.body[0]
    return tree


SKIPPED = (ast.Module, ast.ClassDef, ast.arguments, ast.arg, ast.Load, ast.Store, ast.Del)


def _copy_of(kept: bytes) -> tuple[ast.Module, list[ast.AST]]:
    """Return a tree anew, and its nodes in order; several times as fast as copy.deepcopy."""
    tree = pickle.loads(kept)
    return tree, list(ast.walk(tree))


def _functions(tree: ast.Module) -> dict[int, str]:
    """Return the name of the innermost function around each node, by the node's id."""
    around = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {id(node): function.name for function in around for node in ast.walk(function)}


Change = Callable[[ast.AST, int], str | None]
"""Changes a node in place; returns words, or None where there is no such change or no further variant."""


def _drop_statement(node: ast.AST, variant: int) -> str | None:
    bodies = _bodies(node)
    places = [(body, index) for body in bodies for index in range(len(body))]
    if variant >= len(places):
        return None
    body, index = places[variant]
    line = ast.unparse(body[index]).split("\n")[0]
    body[index] = ast.Pass()
    return f"drop `{line}`"


def _bodies(node: ast.AST) -> list[list[ast.stmt]]:
    kinds = ast.FunctionDef | ast.If | ast.For | ast.While | ast.With | ast.Try | ast.ExceptHandler
    if not isinstance(node, kinds):
        return []
    lists = (getattr(node, part, None) for part in ("body", "orelse", "finalbody"))
    return [body for body in lists if body and not _only_a_docstring(body)]


def _only_a_docstring(body: list[ast.stmt]) -> bool:
    return len(body) == 1 and isinstance(body[0], ast.Pass)


def _condition(node: ast.AST, variant: int) -> str | None:
    if not isinstance(node, ast.If | ast.IfExp) or variant > 2:
        return None
    if variant == 2:
        node.test = ast.UnaryOp(ast.Not(), node.test)
        return "the opposite"
    node.test = ast.Constant(bool(variant))
    return "always" if variant else "never"


def _swap_rows(node: ast.AST, variant: int) -> str | None:
    """Let this `if` and the `elif` after it change places."""
    if variant or not isinstance(node, ast.If) or len(node.orelse) != 1:
        return None
    after = node.orelse[0]
    if not isinstance(after, ast.If):
        return None
    node.test, after.test = after.test, node.test
    node.body, after.body = after.body, node.body
    return "change places with the next row"


def _swap_lines(node: ast.AST, variant: int) -> str | None:
    places = [(body, index) for body in _bodies(node) for index in range(len(body) - 1)]
    if variant >= len(places):
        return None
    body, index = places[variant]
    line = ast.unparse(body[index]).split("\n")[0]
    body[index], body[index + 1] = body[index + 1], body[index]
    return f"one line later: `{line}`"


def _early(node: ast.AST, variant: int) -> str | None:
    if not isinstance(node, ast.For) or variant > 1:
        return None
    node.body.append(ast.Break() if variant == 0 else ast.Return(None))
    return "only the first" if variant == 0 else "return after the first"


def _return(node: ast.AST, variant: int) -> str | None:
    if variant or not isinstance(node, ast.Return) or node.value is None:
        return None
    node.value = ast.Constant(None)
    return "return None"


def _raise(node: ast.AST, variant: int) -> str | None:
    if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call) or variant > 1:
        return None
    if variant == 1:
        node.exc.args = []
        return "no message"
    kind = node.exc.func
    if not isinstance(kind, ast.Name):
        return None
    kind.id = OTHER_ERROR.get(kind.id, "ValueError")
    return "another exception"


def _forget(node: ast.AST, variant: int) -> str | None:
    """Forget one of several: a drawer in a tuple, a part of a condition, an argument of a star."""
    items = getattr(node, "values" if isinstance(node, ast.BoolOp) else "elts", None)
    if items is None or variant >= len(items) or len(items) < 2:
        return None
    return f"forget `{ast.unparse(items.pop(variant))}`"


def _compare(node: ast.AST, variant: int) -> str | None:
    if variant or not isinstance(node, ast.Compare) or type(node.ops[0]) not in OTHER_TEST:
        return None
    node.ops[0] = OTHER_TEST[type(node.ops[0])]()
    return "the opposite"


def _and_or(node: ast.AST, variant: int) -> str | None:
    if variant or not isinstance(node, ast.BoolOp):
        return None
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    return "or" if isinstance(node.op, ast.Or) else "and"


def _other_drawer(node: ast.AST, variant: int) -> str | None:
    name = getattr(node, "attr", None) or (node.value if isinstance(node, ast.Constant) else None)
    if name not in DRAWERS or variant > 1:
        return None
    other = [drawer for drawer in DRAWERS if drawer != name][variant]
    setattr(node, "attr" if isinstance(node, ast.Attribute) else "value", other)
    return f"`{other}` instead"


def _constant(node: ast.AST, variant: int) -> str | None:
    if variant or not isinstance(node, ast.Constant) or not isinstance(node.value, bool | int):
        return None
    node.value = not node.value if isinstance(node.value, bool) else node.value + 1
    return f"{node.value} instead"


def _exact_class(node: ast.AST, variant: int) -> str | None:
    """`isinstance(x, C)` becomes a comparison of classes: `type(x) in (C,)`."""
    if variant or not isinstance(node, ast.Call) or ast.unparse(node.func) != "isinstance":
        return None
    value, kinds = node.args
    kinds = kinds if isinstance(kinds, ast.Tuple) else ast.Tuple([kinds], ast.Load())
    test = ast.parse(f"type({ast.unparse(value)}) in {ast.unparse(kinds)}", mode="eval").body
    node.func, node.args = ast.Name("bool", ast.Load()), [test]
    return "exactly this class"


def _argument(node: ast.AST, variant: int) -> str | None:
    """Forget an argument with a default's meaning: the second of `pop(name, None)` or of `get`."""
    if variant or not isinstance(node, ast.Call) or len(node.args) < 2:
        return None
    if ast.unparse(node.func) in ("isinstance", "setattr"):
        return None
    return f"without `{ast.unparse(node.args.pop())}`"


CHANGES: tuple[Change, ...] = (
    _drop_statement,
    _condition,
    _swap_rows,
    _swap_lines,
    _early,
    _return,
    _raise,
    _forget,
    _compare,
    _and_or,
    _other_drawer,
    _constant,
    _exact_class,
    _argument,
)


def each_change(sources: dict[str, str]) -> Iterator[tuple[str, Mutant]]:
    """Yield (exercise, mutant) for all sources by exercise."""
    for exercise, source in sources.items():
        for mutant in mutants(source):
            yield exercise, mutant
