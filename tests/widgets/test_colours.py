"""Colours that everybody can tell apart: contrast in each front end's themes, forced colours, motion."""

from __future__ import annotations

import re
import sysconfig
from itertools import product
from pathlib import Path

import pytest
from mock_page import ANATOMY, TREE
from module_subjects import Net

import nbmodule_widgets as nw
from nbmodule_widgets.views.script import STATIC

SHEETS = sorted(STATIC.glob("*.css"))
THEMES = Path(sysconfig.get_path("data"), "share/jupyter/lab/themes/@jupyterlab").glob("theme-*")
# What VS Code tells a page: background, foreground, description (its default themes and both high contrast ones).
VSCODE = {
    "Dark Modern": ("vscode-dark", "#1f1f1f", "#cccccc", "#9d9d9d"),
    "Light Modern": ("vscode-light", "#ffffff", "#3b3b3b", "#3b3b3b"),
    "Dark+": ("vscode-dark", "#1e1e1e", "#d4d4d4", "#ccccccb3"),
    "Light+": ("vscode-light", "#ffffff", "#000000", "#717171"),
    "Dark High Contrast": ("vscode-high-contrast", "#000000", "#ffffff", "#ffffffb3"),
    "Light High Contrast": ("vscode-high-contrast-light", "#ffffff", "#292929", "#292929"),
}
TEXTS = ("text", "soft", "module", "parameter", "buffer", "problem")
GROUNDS = ("page", "wash")
# Ink, ground, and the contrast that WCAG 2.2 AA asks for: 4.5 for text, 3 for what shows a control or the focus.
PAIRS = [
    *((ink, ground, 4.5) for ink, ground in product(TEXTS, GROUNDS)),
    ("text", "pick", 4.5),
    *(("ring", ground, 3.0) for ground in (*GROUNDS, "pick")),
    ("edge", "page", 3.0),
]
RESOLVE = """
(root, names) => Object.fromEntries(names.map((name) => {
  const probe = root.appendChild(document.createElement("i"));
  probe.style.color = `var(--${name})`;
  const parts = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
  probe.remove();
  return [name, parts.length < 4 ? [...parts, 1] : parts];
}))
"""


def luminance(colour: list[float]) -> float:
    parts = [c / 255 for c in colour]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(ink: list[float], ground: list[float]) -> float:
    mixed = [
        top * ink[3] + below * (1 - ink[3]) for top, below in zip(ink[:3], ground, strict=False)
    ]
    low, high = sorted((luminance(mixed), luminance(ground[:3])))
    return (high + 0.05) / (low + 0.05)


def poor_pairs(stage) -> list[str]:
    names = sorted({name for ink, ground, _ in PAIRS for name in (ink, ground)})
    colours = stage.page.locator("section.view").evaluate(RESOLVE, names)
    measured = [
        (contrast(colours[ink], colours[ground]), ink, ground, need) for ink, ground, need in PAIRS
    ]
    return [
        f"{ink} on {ground}: {ratio:.2f}" for ratio, ink, ground, need in measured if ratio < need
    ]


@pytest.mark.browser
@pytest.mark.parametrize("system", ["light", "dark"])
@pytest.mark.parametrize("theme", sorted(THEMES), ids=lambda folder: folder.name)
def test_contrast_in_jupyterlab(stage, theme, system):
    sheet, kind = theme / "index.css", theme.name.split("-")[1]
    stage.page.emulate_media(color_scheme=system)
    stage.show(nw.show(Net()), TREE, "transparent")
    stage.page.add_style_tag(content=re.sub(r"url\([^)]*\)", "none", sheet.read_text("utf-8")))
    stage.page.evaluate(
        "(light) => document.body.dataset.jpThemeLight = light", str(kind == "light").lower()
    )
    stage.page.wait_for_selector(f"section.view[data-theme={kind}]")
    assert poor_pairs(stage) == []


@pytest.mark.browser
@pytest.mark.parametrize("theme", VSCODE.values(), ids=VSCODE)
def test_contrast_in_visual_studio_code(stage, theme):
    """Its page is transparent, and it puts a white sheet under widgets whatever the theme."""
    dark = theme[0] in ("vscode-dark", "vscode-high-contrast")
    stage.show(nw.lessons.anatomy(Net()), ANATOMY, "transparent")
    stage.page.evaluate(
        """([body, background, foreground, description]) => {
             document.querySelector("main").style.background = "white";
             document.documentElement.style.cssText = `--vscode-editor-background: ${background};
               --vscode-editor-foreground: ${foreground}; --vscode-descriptionForeground: ${description}`;
             document.body.className = body; }""",
        list(theme),
    )
    stage.page.wait_for_selector(f"section.view[data-theme={'dark' if dark else 'light'}]")
    assert poor_pairs(stage) == []


@pytest.mark.browser
@pytest.mark.parametrize("system", ["light", "dark"])
def test_contrast_on_a_page_that_says_nothing(stage, system):
    stage.page.emulate_media(color_scheme=system)
    stage.show(nw.show(Net()), TREE, "transparent")
    assert poor_pairs(stage) == []


@pytest.mark.browser
def test_forced_colours_leave_the_selection_and_the_bars(stage):
    stage.page.emulate_media(forced_colors="active")
    stage.show(nw.show(Net()).select("first"), TREE)
    chosen = stage.page.locator("[aria-selected=true]")
    chosen.wait_for()
    assert chosen.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    bar = stage.page.locator("section.view").evaluate(
        """root => { const bar = root.appendChild(document.createElement("span"));
             bar.className = "bar"; return getComputedStyle(bar).forcedColorAdjust; }"""
    )
    assert bar == "none"


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.stem)
def test_nothing_moves_for_those_who_asked_for_stillness(sheet):
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text("utf-8"), flags=re.S)
    allowed = (
        r"@media \(prefers-reduced-motion: no-preference\) \{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
    )
    still = re.sub(allowed, "", text)
    assert not re.search(r"\b(transition|animation|scroll-behavior)\b", still)


def test_no_script_scrolls_smoothly():
    smooth = re.compile(r"behavior\W+smooth")
    assert [
        file.name for file in STATIC.glob("*.js") if smooth.search(file.read_text("utf-8"))
    ] == []
