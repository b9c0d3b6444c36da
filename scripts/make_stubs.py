#!/usr/bin/env python3
"""Make the stubs, which tell type checkers and editors what the source cannot say to them.

    python scripts/make_stubs.py            writes nbmodule/**/*.pyi
    python scripts/make_stubs.py --check    says whether they are as this script would write them

A function that the source defines with all its types is only imported by the stub. Others come from PyTorch's
signatures (`nbmodule/_methods/_signature_table.py`) and from `stub_forms.py`.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import keyword
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import stub_forms as forms  # noqa: E402

import nbmodule as nb  # noqa: E402
from nbmodule import _tensor, linalg, return_types, special  # noqa: E402
from nbmodule._legacy import tensortype  # noqa: E402
from nbmodule._methods._signatures import Parameter, Signature, signatures_of  # noqa: E402
from nbmodule.nn import functional as F  # noqa: E402

HEADER = """# Made by scripts/make_stubs.py: do not edit.
# pyright: reportOverlappingOverload=false
# (The first form that a call fits decides its type.)
"""
TYPES = {
    "Tensor+": "Tensor | Number",
    "int": "_int",
    "float": "_float",
    "bool": "_bool",
    "ints": "Sequence[_int]",
    "ints1": "_int | Sequence[_int]",
    "floats": "Sequence[_float]",
    "Tensors": "Sequence[Tensor]",
    "dtype": "_dtype",
}
"""What the kinds of the table are called in a stub; the others keep their names."""


class Form(NamedTuple):
    """One way to call a function: the text of its parameters, as a stub has it, and of its result."""

    parameters: str
    result: str
    comment: str = ""


# ---- forms out of PyTorch's table


def from_table(name: str, method: bool, shown: str = "") -> list[Form]:
    """Return the forms of the function that the table calls `name`, and the stub calls `shown`."""
    known = list(signatures_of(name, method))
    if name.endswith("_") and not method:  # it writes to a tensor, whatever else its namesake takes
        known = [s for s in known if s[0].kind.startswith("Tensor")]
    signatures = merged(known)
    found = [
        Form(
            written(s, method, result_of(name, s, method), name.endswith("_")),
            result_of(name, s, method),
        )
        for s in signatures
    ]
    return list(dict.fromkeys(found))


def merged(signatures: list[Signature]) -> list[Signature]:
    """Join signatures that differ in one parameter alone, and drop those that another one covers."""
    for i, one in enumerate(signatures):
        for other in signatures[i + 1 :]:
            joined = joined_with(one, other)
            if joined:
                rest = [s for s in signatures if s is not one and s is not other]
                return merged([*rest[:i], joined, *rest[i:]])
    return [s for s in signatures if not any(t is not s and covers(t, s) for t in signatures)]


def joined_with(one: Signature, other: Signature) -> Signature | None:
    """Return a signature for the calls of both, which name the same parameters; None where they do not."""
    if [(p.name, p.by_keyword) for p in one] != [(p.name, p.by_keyword) for p in other]:
        return None
    pairs = list(zip(one, other, strict=True))
    if sum(p != q for p, q in pairs) != 1:
        return None
    return tuple(p if p == q else joined_parameter(p, q) for p, q in pairs)


def joined_parameter(p: Parameter, q: Parameter) -> Parameter:
    """Return a parameter that takes what either takes."""
    kind = "ints1" if {p.kind, q.kind} == {"int", "ints"} else f"{p.kind}|{q.kind}"
    default = q.default if p.default is None else p.default
    return p._replace(kind=kind, default=default, nullable=p.nullable or q.nullable)


def covers(wide: Signature, narrow: Signature) -> bool:
    """Return whether every call that fits `narrow` fits `wide`."""
    places = [p for p in narrow if not p.by_keyword]
    pairs = list(zip(places, wide, strict=False))
    pairs += [(p, next((q for q in wide if q.name == p.name), p)) for p in narrow if p.by_keyword]
    if len(places) > len(wide) or {p.name for p in narrow} - {q.name for q in wide}:
        return False
    left = {q.name for q in wide} - {p.name for p in narrow}
    return all(takes_all(q, p) for p, q in pairs) and all(
        q.default is not None for q in wide if q.name in left
    )


def takes_all(wide: Parameter, narrow: Parameter) -> bool:
    """Return whether what may be given for `narrow` may be given for `wide`."""
    same = (wide.name, wide.by_keyword) == (narrow.name, narrow.by_keyword)
    optional = wide.default is not None or narrow.default is None
    return (
        same
        and optional
        and wide.nullable >= narrow.nullable
        and kinds_of(wide) >= kinds_of(narrow)
    )


def kinds_of(p: Parameter) -> set[str]:
    """Return the kinds of what `p` takes."""
    kinds = set(p.kind.split("|"))
    for wide, more in (
        ("Tensor+", {"Tensor", "Number"}),
        ("Number", {"float", "bool"}),
        ("float", {"int"}),
        ("ints1", {"int", "ints"}),
    ):
        kinds |= more if wide in kinds else set()
    return kinds


def result_of(name: str, signature: Signature, method: bool) -> str:
    """Return the type of the result of a call with this signature."""
    stem = name.rstrip("_")
    if method and name != stem:
        return "Self"
    named = hasattr(return_types, name) and (
        name not in forms.BY_DIM.split() or any(p.name == "dim" for p in signature)
    )
    if named:
        return f"return_types.{name}"
    for result, names in forms.RESULTS.items():
        if name in names.split():
            return plain(result)
    said = said_result(name, method)
    return (
        plain(said)
        if said in ("bool", "int", "tuple[Tensor, ...]", "tuple[Tensor, Tensor]")
        else "Tensor"
    )


def said_result(name: str, method: bool) -> str:
    """Return the result that the source says, of a method of that name where there is one."""
    for holder in (nb.Tensor, nb):
        found = inspect.unwrap(getattr(holder, name, None))  # type: ignore[arg-type]
        said = getattr(found, "__annotations__", {}).get("return", "Any")
        if said != "Any":
            return said if isinstance(said, str) else getattr(said, "__name__", str(said))
    return "Any"


def plain(text: str) -> str:
    """Return the text of a type by the names of the stubs."""
    text = re.sub(r"\b(int|float|bool)\b", r"_\1", text)
    return re.sub(r"\b(_dtypes\.dtype|Dtype|dtype)\b", "_dtype", text)


def written(signature: Signature, method: bool, result: str, in_place: bool) -> str:
    """Return the parameters as a stub has them."""
    parts, star, optional = ["self"] * method, False, False
    for p in signature:
        if p.name == "out" and in_place:
            continue
        if p.by_keyword and not star:
            parts.append("*")
            star = True
        name = "from_" if keyword.iskeyword(p.name) else p.name
        kind = " | ".join(dict.fromkeys(type_of(p, k) for k in p.kind.split("|")))
        if p.name == "out" and ("return_types" in result or result.startswith("tuple")):
            kind = "Sequence[Tensor]"
        optional |= p.default is not None
        default = p.default if p.default is not None else "..." if optional and not star else None
        if default and default.count("(") > default.count(")"):
            default += ")"  # the table's last one is taken for the end of the signature
        if default and "::" in default:
            default = "..."
        kind += " | None" if p.nullable or default == "None" else ""
        parts.append(f"{name}: {kind}" + (f" = {default}" if default is not None else ""))
    return ", ".join(parts)


def type_of(p: Parameter, kind: str) -> str:
    """Return the type of a parameter, or of one of its kinds, as a stub has it."""
    if p.name == "memory_format":
        return "_memory_format"
    return TYPES.get(kind, kind)


# ---- forms that are written by hand


@cache
def by_hand(text: str) -> dict[str, list[Form]]:
    """Return the forms of the functions in one of the lists of `stub_forms.py`."""
    found: dict[str, list[Form]] = {}
    for line in text.strip().splitlines():
        code, _, comment = line.partition("  # ")
        name, parameters, result = re.fullmatch(r"def (\w+)\((.*)\) -> (.*)", code).groups()  # type: ignore[union-attr]
        found.setdefault(name, []).append(Form(parameters, result, comment and f"  # {comment}"))
    return found


# ---- forms out of the source


KEEP_TYPES = {"pytorch_errors", "checked_function", "top_level"}
"""Decorators that give checkers the function as it stands below them."""


def is_defined(name: str, module: ModuleType) -> bool:
    """Return whether a checker that reads `module` comes to a class or a `def` by that name."""
    if not inspect.isfunction(getattr(module, name, None)):
        return True
    found = definition(name, module)
    return found is not None and {ast.unparse(d) for d in found.decorator_list} <= KEEP_TYPES


def definition(name: str, module: ModuleType) -> ast.FunctionDef | None:
    """Return the `def` by that name, in the source of the module or where it is imported from."""
    for node in body_of(module):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node
        if isinstance(node, ast.ImportFrom) and name in [a.asname or a.name for a in node.names]:
            home = "." * node.level + str(node.module)
            return definition(name, import_module(home, module.__spec__.parent))  # type: ignore[union-attr]
    return None


@cache
def body_of(module: ModuleType) -> list[ast.stmt]:
    """Return the statements in the source of a module."""
    return ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body


def has_method(name: str) -> bool:
    """Return whether the source of `Tensor`, or of a class that it is made of, has a `def` by that name."""
    return any(
        isinstance(node, ast.FunctionDef) and node.name == name
        for kind in nb.Tensor.__mro__[:-1]
        for holder in body_of(_tensor if kind is nb.Tensor else sys.modules[kind.__module__])
        if isinstance(holder, ast.ClassDef) and holder.name == kind.__name__
        for node in holder.body
    )


def doc_of(name: str, module: ModuleType) -> str | None:
    """Return the docstring of a function, unless editors come to it in the source."""
    return None if definition(name, module) else inspect.getdoc(getattr(module, name))


def from_source(found: Any, method: bool = False) -> list[Form]:
    """Return the form of a function or a method, as its annotations say it."""
    signature = inspect.signature(inspect.unwrap(found))
    parts: list[str] = []
    for p in signature.parameters.values():
        name = "input" if p.name == "self" and not method else p.name
        said = "Tensor" if p.annotation is p.empty else plain(p.annotation)
        kind = "_dtype | None" if name == "dtype" else said
        if p.kind is p.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        simple = isinstance(p.default, int | float | str | None)
        default = "" if p.default is p.empty else f" = {p.default!r}" if simple else " = ..."
        parts.append("self" if name == "self" else f"{name}: {kind}{default}")
    return [Form(", ".join(parts), plain(signature.return_annotation))]


# ---- the stubs


def lines_of(name: str, found: list[Form], indent: str = "", doc: str | None = None) -> list[str]:
    """Return the definitions of a function with all its forms.

    Args:
        name: of the function.
        found: its forms.
        indent: what stands before each line.
        doc: the docstring, of which the first sentence is shown; None where editors come to it in the source.
    """
    overload = f"{indent}@overload\n" if len(found) > 1 else ""
    lines = [
        f"{overload}{indent}def {name}({f.parameters}) -> {f.result}: ...{f.comment}" for f in found
    ]
    if doc:
        start = doc.partition("\n\n")[0].replace("\n", f"\n{indent}    ")
        raw = "r" if "\\" in start else ""
        lines[0] = lines[0].replace(": ...", f':\n{indent}    {raw}"""{start}"""', 1)
    return lines


TENSOR_HEADER = """
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Callable, Iterator, Sequence
from types import EllipsisType
from typing import Any, Literal, Self, SupportsIndex, TypeAlias, TypeVar, overload

import numpy as np

from . import return_types
from ._backend import device as _device
from ._dtypes import dtype as _dtype
from ._engine import TensorBase
from ._engine.graph import Node
from ._formats import layout as _layout, memory_format as _memory_format
from ._generator import Generator
from ._methods.casting import parse_to as parse_to
from .storage import TypedStorage, UntypedStorage
from .utils.hooks import RemovableHandle

_T = TypeVar("_T")
Number: TypeAlias = _int | _float | _bool
Device: TypeAlias = _device | str | _int | None
Index: TypeAlias = SupportsIndex | slice | EllipsisType | Tensor | np.ndarray | list[Any] | tuple[Any, ...] | None

class Size(tuple[_int, ...]):
    def numel(self) -> _int: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> _int: ...
    @overload
    def __getitem__(self, key: slice, /) -> Size: ...
    def __add__(self, other: tuple[_int, ...], /) -> Size: ...  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
    def __radd__(self, other: tuple[_int, ...], /) -> Size: ...
    def __mul__(self, times: SupportsIndex, /) -> Size: ...
    def __rmul__(self, times: SupportsIndex, /) -> Size: ...

class Tensor(TensorBase):
"""


def tensor_stub() -> str:
    """Return `_tensor.pyi`: the class Tensor with all attributes and methods."""
    tensor = nb.Tensor
    written = by_hand(forms.METHODS)
    body: list[str] = []
    known = [n for n in dir(tensor) if n[0] != "_" or n == "_version"]
    for name in (n for n in known if isinstance(getattr(tensor, n), property)):
        body += attribute(name, getattr(tensor, name))
    for name in sorted({*known, *written}):
        if isinstance(getattr(tensor, name), property):
            continue
        method = inspect.getattr_static(tensor, name)
        found = written.get(name) or from_table(name, True) or from_source(method, True)
        doc = None if name[0] == "_" or has_method(name) else inspect.getdoc(method)
        body += lines_of(name, found, "    ", doc)
    return TENSOR_HEADER + "\n".join(body)


ATTRIBUTE_TYPES = {
    "device": "_device",
    "dtype": "_dtype",
    "layout": "_layout",
    "grad_dtype": "_dtype | None",
}


def attribute(name: str, found: property) -> list[str]:
    """Return the lines of a property: those of a variable where it can be set."""
    said = getattr(found.fget, "__annotations__", {}).get(
        "return", "bool"
    )  # `_never` makes the others
    kind = ATTRIBUTE_TYPES.get(name) or plain({"Any": "Tensor"}.get(said, said))
    if found.fset is None or found.fset.__qualname__.startswith("_not_writable"):
        return [f"    @property\n    def {name}(self) -> {kind}: ..."]
    return [f"    {name}: {kind}"]


TOP_HEADER = """
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from typing_extensions import TypeIs

from ._dtypes import dtype as _dtype
from ._formats import layout as _layout, memory_format as _memory_format
from ._tensor import Device, Number
"""


def top_stub() -> str:
    """Return `__init__.pyi`: what `nbmodule` imports, and the functions whose types the source does not say."""
    written = by_hand(forms.FUNCTIONS)
    imports: list[str] = ["from . import storage as storage"]
    body = ["bool: _dtype", "float: _dtype", "int: _dtype"]
    for home, names in imported_names(nb):
        module, kept = import_module(home, "nbmodule"), []
        for there, name in (n for n in names if n[1][0] != "_" or n[1] == "__version__"):
            found = getattr(nb, name)
            if isinstance(found, tensortype):
                body.append(f"class {name}(Tensor): ...")
            elif (
                name in written or len(from_table(name, False)) > 1 or not is_defined(there, module)
            ):
                shown = written.get(name) or from_table(name, False) or from_source(found)
                body += lines_of(name, shown, doc=doc_of(there, module))
            else:
                kept.append(there if there != name else f"{name} as {name}")
                body += [f"{name} = {there}"] * (there != name)
        if kept:
            imports.append(f"from {home} import {', '.join(kept)}")
    return "\n".join([TOP_HEADER, *imports, "", *body])


FUNCTIONAL_HEADER = """
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Sequence
from typing import Literal, overload

from ..._tensor import Tensor
"""


def functional_stub() -> str:
    """Return `nn/functional/__init__.pyi`, which differs from the source where a function has several forms."""
    written = by_hand(forms.FUNCTIONAL)
    body: list[str] = []
    imports: dict[str, list[str]] = {}
    for home, names in imported_names(F):
        module = import_module(home, "nbmodule.nn.functional")
        for name in (shown for _, shown in names):
            found = getattr(module, name)
            if name in written:
                body += lines_of(name, written[name], doc=doc_of(name, module))
            elif name != "logsigmoid":  # which the table knows by its older name
                same = getattr(nb, name, None) is found and not is_defined(name, module)
                imports.setdefault("..." if same else home, []).append(f"{name} as {name}")
    source = ast.parse(Path(str(F.__file__)).read_text(encoding="utf-8"))
    body += [ast.unparse(node) for node in source.body if isinstance(node, ast.Assign)]
    body += lines_of(
        "logsigmoid", from_table("log_sigmoid", False), doc=inspect.getdoc(F.logsigmoid)
    )
    lines = [f"from {home} import {', '.join(names)}" for home, names in imports.items()]
    return "\n".join([FUNCTIONAL_HEADER, *lines, *body])


def imported_names(module: ModuleType) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the names that the source of a package imports, by the module that each comes from.

    A name is a pair, what it is called there and here: ``nbmodule.kl_div`` is ``_kl_div`` in its file.
    """
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not (node.level or node.module == "math"):
            continue
        home = "." * node.level + (node.module or "")
        if node.names[0].name == "*":
            inner = imported_names(import_module(home, module.__name__))
            found += [(f"{home.rpartition('.')[0]}{path}", names) for path, names in inner]
        else:
            names = [(a.name, a.asname or a.name) for a in node.names]
            found.append((home, [n for n in names if n[0] in (n[1], f"_{n[1]}")]))
    return found


MODULE_HEADER = """
from builtins import bool as _bool, float as _float, int as _int
from collections.abc import Sequence
from typing import Any, overload

from . import return_types
from ._dtypes import dtype as _dtype
from ._tensor import Number, Tensor
"""


def module_stub(module: ModuleType) -> str:
    """Return the stub of `linalg` or `special`, whose functions have a prefix in the table."""
    prefix = module.__name__.rpartition(".")[2]
    body = [MODULE_HEADER]
    for name in sorted(module.__all__):
        found = getattr(module, name)
        if inspect.isclass(found):
            body.append(f"from ._ops.linalg_solving import {name} as {name}")
        else:
            forms = from_table(f"{prefix}_{name}", False) or (
                is_defined(name, module) and from_source(found)
            )
            body += lines_of(name, forms or from_table(name, False), doc=doc_of(name, module))
    return "\n".join(body)


def return_types_stub() -> str:
    """Return `return_types.pyi`: a tuple with names for each function that returns one."""
    body = [
        "from typing import Any",
        "from ._tensor import Tensor",
        "def results(name: str, *fields: str) -> Any: ...",
    ]
    for name, kind in sorted(vars(return_types).items()):
        if getattr(kind, "_names", ()) and not name.endswith("_out"):  # which calls with `out` make
            body.append(f"class {name}(tuple[{', '.join(['Tensor'] * len(kind._names))}]):")
            body += [
                f"    @property\n    def {field}(self) -> Tensor: ..." for field in kind._names
            ]
    return "\n".join(body)


def stubs() -> dict[Path, str]:
    """Return the text of every stub by its place."""
    texts = {
        "_tensor.pyi": tensor_stub(),
        "__init__.pyi": top_stub(),
        "linalg.pyi": module_stub(linalg),
        "special.pyi": module_stub(special),
        "nn/functional/__init__.pyi": functional_stub(),
        "return_types.pyi": return_types_stub(),
    }
    return {ROOT / "nbmodule" / name: formatted(HEADER + text) for name, text in texts.items()}


def main(arguments: list[str]) -> int:
    """Write the stubs, or compare them; another release of the formatter may break lines elsewhere."""
    stale = False
    for path, text in stubs().items():
        known = path.read_text(encoding="utf-8") if path.exists() else ""
        if "--check" not in arguments:
            path.write_text(text, encoding="utf-8")
        elif ast.dump(ast.parse(known)) != ast.dump(ast.parse(text)):
            stale = True
            lines = difflib.unified_diff(
                known.splitlines(),
                text.splitlines(),
                path.name,
                "as it would be written",
                lineterm="",
            )
            print(*lines, sep="\n")
    return int(stale)


def formatted(text: str) -> str:
    """Return the text without imports that it does not use, as the project's formatter would have it."""
    for task in (["check", "--quiet", "--fix", "--exit-zero", "--select=F401"], ["format"]):
        command = [sys.executable, "-m", "ruff", *task, "--stdin-filename=stub.pyi", "-"]
        done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", cwd=ROOT)
        if done.returncode:
            sys.exit(done.stderr)
        text = done.stdout
    return text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
