#!/usr/bin/env python3
"""Make the pictures of docs/looking-at-a-model.md: its code, run in a real JupyterLab on real PyTorch.

    python scripts/make_pictures.py [NAME ...]

Each picture on the page stands below a block of code, and is what that block's last line shows. It needs the extras
`test` and `referee`, and Chromium. A picture has a light page, 1,000 pixels wide, and 256 colours.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from chromium import launch  # noqa: E402
from jupyter_lab import LabServer, NotebookPage  # noqa: E402

PAGE = ROOT / "docs" / "looking-at-a-model.md"
PICTURES = ROOT / "docs" / "pictures"
PART = re.compile(
    r"^```python\n(?P<code>.*?)^```$|^!\[.*?\]\(pictures/(?P<name>\w+)\.png\)", re.M | re.S
)

RUN = """async (index) => {
    jupyterapp.shell.currentWidget.content.activeCellIndex = index;
    await jupyterapp.commands.execute('notebook:run-cell');
}"""
TALLEST = 1500  # pixels of the screen; what lies below is cut


def cells() -> tuple[list[str], dict[str, int]]:
    """Return the code of the page, block by block, and the block that each picture belongs to."""
    code: list[str] = []
    pictured: dict[str, int] = {}
    for part in PART.finditer(PAGE.read_text(encoding="utf-8")):
        if part["name"]:
            pictured[part["name"]] = len(code) - 1
        else:
            code.append(part["code"].strip())
    return code, pictured


def main(wanted: list[str]) -> None:
    """Make the pictures that are wanted, or all."""
    code, pictured = cells()
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        folder = Path(home) / "work"
        folder.mkdir()
        made = [new_code_cell(text, id=f"cell{number}") for number, text in enumerate(code)]
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        with LabServer(folder, Path(home)) as server:
            nbformat.write(new_notebook(cells=made, metadata=kernel), folder / "page.ipynb")
            browser = launch(playwright)
            context = browser.new_context(
                viewport={"width": 1180, "height": 2600},
                device_scale_factor=1.5,
                reduced_motion="reduce",
            )
            notebook = NotebookPage(context.new_page(), server)
            notebook.open("page.ipynb")
            done = 0
            for name, number in pictured.items():
                for cell in range(done, number + 1):  # what later cells change is not seen yet
                    notebook.page.evaluate(RUN, cell)
                done = number + 1
                if not wanted or name in wanted:
                    view = notebook.output(f"cell{number}").locator(".jp-OutputArea-output").last
                    view.scroll_into_view_if_needed()
                    notebook.page.wait_for_timeout(1500)  # until it is drawn, and nothing moves
                    keep(view.screenshot(), PICTURES / f"{name}.png")
            if notebook.errors():
                sys.exit("\n".join(notebook.errors()))
            notebook.close()
            browser.close()
            if notebook.faults:
                sys.exit("\n".join(notebook.faults))


def keep(shot: bytes, path: Path) -> None:
    """Store a picture with 256 colours, rare ones among them, which halves it and is not seen."""
    whole = Image.open(io.BytesIO(shot)).convert("RGB")
    part = whole.crop((0, 0, whole.width, min(whole.height, TALLEST)))
    few = part.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1000} kB, {few.width} x {few.height}")


if __name__ == "__main__":
    main(sys.argv[1:])
