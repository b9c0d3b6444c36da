"""Colours that everybody can tell apart: contrast in each front end's themes, forced colours, motion."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from mock_page import ANATOMY, TREE
from module_subjects import Net

import nbmodule_widgets as nw
from nbmodule_widgets.inks import INKS, channels, pale, wash
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
# What Colab tells it in its two themes: surface and text.
COLAB = {"light": ("#ffffff", "#212121"), "dark": ("#383838", "#e3e3e3")}
# What ipywidgets says of a page that is not JupyterLab, in VS Code, in Colab and in exports: that it is light.
LIGHT_WIDGETS = """:root { --jp-layout-color1: white; --jp-ui-font-color1: rgba(0, 0, 0, .8); --jp-ui-font-color2: rgba(0, 0, 0, .5);
    --jp-content-font-color2: #616161; }"""
TEXTS = ("text", "soft", *INKS)
GROUNDS = ("page", "wash")
# Ink, ground, and the contrast that WCAG 2.2 AA asks for: 4.5 for text, 3 for what shows a control or the focus.
PAIRS = [
    *((ink, ground, 4.5) for ink, ground in product(TEXTS, GROUNDS)),
    ("text", "pick", 4.5),
    *(("ring", ground, 3.0) for ground in (*GROUNDS, "pick")),
    ("edge", "page", 3.0),
]
PARTNERS = (
    *(("value", "gradient"), ("positive", "negative"), ("forward", "backward"), ("train", "eval")),
    *(("module", "parameter"), ("parameter", "buffer")),
)
# Where each meaning is at home: a sheet or a script that takes a colour of another meaning is not in this table.
HOMES = {
    "module": "anatomy core graph tree visits",
    "parameter": "anatomy core graph ledger tree visits",
    "buffer": "anatomy core ledger tree",
    "hook": "core tape trace trace_lanes",
    "fine": "anatomy assignment core keymatcher lookup tape watch",
    "value": "charts core descent parameters watch",
    "gradient": "charts core descent graph parameters trace trace_lanes",
    "positive": "core graph_cells heat kernel_walk parameters trace",
    "negative": "core graph_cells heat kernel_walk parameters trace",
    "forward": "core summary tape trace trace_lanes",
    "backward": "core trace trace_lanes",
    "train": "compare compare_charts compare_pane core",
    "eval": "compare compare_pane core",
}
LIGHT_PAGE, DARK_PAGE = "#ffffff", "#181a1f"
# What readers see who lack one kind of cone (Machado, Oliveira, Fernandes 2009; for linear light).
CONES = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
    "all three": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}  # fmt: skip
TO_CONES = ((0.412221, 0.536333, 0.051446), (0.211903, 0.680700, 0.107397), (0.088302, 0.281719, 0.629979))  # fmt: skip
TO_OKLAB = ((0.210454, 0.793618, -0.004072), (1.977998, -2.428592, 0.450594), (0.025904, 0.782772, -0.808676))  # fmt: skip
RESOLVE = """
(root, names) => Object.fromEntries(names.map((name) => {
  const probe = root.appendChild(document.createElement("i"));
  probe.style.color = `var(--${name})`;
  const parts = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
  probe.remove();
  return [name, parts.length < 4 ? [...parts, 1] : parts];
}))
"""


def linear(colour: Sequence[float]) -> list[float]:
    parts = [c / 255 for c in colour[:3]]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def luminance(colour: list[float]) -> float:
    red, green, blue = linear(colour)
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
    stage.page.add_style_tag(content=LIGHT_WIDGETS)
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
@pytest.mark.parametrize("theme", COLAB)
def test_contrast_in_colab(stage, theme):
    """Its widget manager gives JupyterLab's text the page's colour, and leaves the background white.

    On its dark page, which is lighter than all others, some colours of meanings have 4.3 : 1.
    """
    stage.show(nw.show(Net()), TREE, "transparent")
    surface, text = COLAB[theme]
    stage.page.add_style_tag(
        content=f"""{LIGHT_WIDGETS} :root {{ --colab-primary-surface-color: {surface};
            --colab-primary-text-color: {text}; --jp-ui-font-color1: {text}; }}"""
    )
    stage.page.wait_for_selector(f"section.view[data-theme={theme}]")
    assert [pair for pair in poor_pairs(stage) if pair.startswith(("text", "soft"))] == []


@pytest.mark.browser
def test_contrast_where_ipywidgets_names_the_colours(stage):
    """As in a notebook that is exported with its widgets."""
    stage.page.emulate_media(color_scheme="dark")
    stage.show(nw.show(Net()), TREE, "transparent")
    stage.page.add_style_tag(content=LIGHT_WIDGETS)
    stage.page.wait_for_selector("section.view[data-theme=light]")
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
    unseen = r"\.theme-teller \{[^}]* width: 0; height: 0; visibility: hidden;[^}]*\}"  # tells of a change of theme
    still = re.sub(unseen, "", re.sub(allowed, "", text))
    assert not re.search(r"\b(transition|animation|scroll-behavior)\b", still)


@pytest.mark.browser
def test_nothing_that_can_be_seen_takes_time_when_the_theme_changes(stage):
    """Also: what is read right after a change is the new colour, not one on the way."""
    stage.show(nw.show(Net()), TREE)
    slow = """(root) => [root, ...root.querySelectorAll("*")].filter((e) => {
      const style = getComputedStyle(e), takes = [style.transitionDuration, style.animationDuration].join();
      return style.visibility !== "hidden" && takes.split(",").some((time) => parseFloat(time) > 0);
    }).map((e) => e.className)"""
    view = stage.page.locator("section.view")
    assert view.evaluate(slow) == []
    now = """(root) => { root.dataset.theme = "dark"; const seen = getComputedStyle(root).backgroundColor;
                         root.dataset.theme = "light"; return [seen, getComputedStyle(root).backgroundColor]; }"""
    dark, light = view.evaluate(now)
    assert dark != light == "rgb(255, 255, 255)"
    stage.page.add_style_tag(content=":root { --jp-layout-color1: #111 }")  # no attribute tells
    stage.page.wait_for_selector("section.view[data-theme=dark]")


def test_no_script_scrolls_smoothly():
    smooth = re.compile(r"behavior\W+smooth")
    assert [
        file.name for file in STATIC.glob("*.js") if smooth.search(file.read_text("utf-8"))
    ] == []


# ------------------------------------------------------------------------------------------- one meaning a colour


def hex_contrast(ink: str, ground: str) -> float:
    return contrast([*channels(ink), 1], [*channels(ground)])


def seen(colour: str, cones: Sequence[Sequence[float]]) -> np.ndarray:
    """A colour in a space in which equal distances look equally far (OKLab)."""
    light = np.clip(np.array(cones) @ linear(channels(colour)), 0, 1)
    return np.array(TO_OKLAB) @ np.cbrt(np.array(TO_CONES) @ light)


def blocks_of_core() -> list[dict[str, str]]:
    """The plain colours of core.css: in light, in dark."""
    text = (STATIC / "core.css").read_text("utf-8")
    parts = (re.search(head + r" \{(.*?)\n\}", text, re.S) for head in (r"\.view", r'"dark"\]'))
    return [dict(re.findall(r"--(\w+): (#\w+);", part[1])) for part in parts if part]


def test_the_page_and_python_have_the_same_colours():
    light, dark = blocks_of_core()
    assert {name: light.get(name) for name in INKS} == {name: ink.light for name, ink in INKS.items()}  # fmt: skip
    assert {name: dark.get(name) for name in INKS} == {name: ink.dark for name, ink in INKS.items()}
    assert light.keys() == dark.keys()


@pytest.mark.parametrize("role", INKS)
def test_a_role_can_be_read_on_every_ground(role):
    ink, (light, dark) = INKS[role], blocks_of_core()
    grounds = [(ink.light, LIGHT_PAGE, 4.5), (ink.dark, DARK_PAGE, 4.5)]
    for mine, block in ((ink.light, light), (ink.dark, dark)):
        grounds += [(mine, block["wash"], 4.5), (mine, block["pick"], 4.5)]
    grounds += [(ink.either, LIGHT_PAGE, 3), (ink.either, DARK_PAGE, 3)]
    grounds += [("#1f2328", pale(role), 4.5)]
    assert [pair for pair in grounds if hex_contrast(*pair[:2]) < pair[2]] == []
    assert re.fullmatch(r"rgba\(\d+,\d+,\d+,0\.2\)", wash(role))


@pytest.mark.parametrize("cones", CONES)
@pytest.mark.parametrize("pair", PARTNERS, ids="/".join)
def test_partners_are_told_apart_with_any_colour_vision(pair, cones):
    for one, other in zip(*(INKS[role] for role in pair), strict=True):
        assert np.linalg.norm(seen(one, CONES[cones]) - seen(other, CONES[cones])) > 0.08


def test_no_two_meanings_share_a_colour():
    for theme in zip(*INKS.values(), strict=True):
        apart = [
            float(np.linalg.norm(seen(one, CONES["all three"]) - seen(other, CONES["all three"])))
            for number, one in enumerate(theme)
            for other in theme[:number]
        ]
        assert min(apart) > 0.04


def test_colours_are_written_in_one_place():
    """Elsewhere only their roles are named; black and white on a cell that is painted, and grey washes, have none."""
    literal = re.compile(r"(?<![&\w])#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b|\b(?:rgb|hsl|oklch|light-dark)a?\((?!128,128,128)", re.I)  # fmt: skip
    meant = {"core.css", "inks.py"}
    found = {}
    for file in sorted(STATIC.parent.rglob("*")):
        if file.suffix not in (".css", ".js", ".py") or file.name in meant:
            continue
        text = re.sub(r"/\*.*?\*/|// .*", "", file.read_text("utf-8"), flags=re.S if file.suffix == ".css" else 0)  # fmt: skip
        odd = [one for one in literal.findall(text) if one not in ("#000", "#fff")]
        found |= {file.name: odd} if odd else {}
    assert found == {}


def roles_in(file: Path) -> set[str]:
    return set(re.findall(r"--([a-z]+)\b", file.read_text("utf-8"))) | set(
        re.findall(r'"([a-z]+)"', file.read_text("utf-8")) if file.name in ("graph_cells.js", "trace_lanes.js") else ()
    )  # fmt: skip


def test_each_role_is_at_home_where_it_is_meant():
    used = {role: set() for role in HOMES}
    for file in (*STATIC.glob("*.css"), *STATIC.glob("*.js")):
        for role in roles_in(file) & used.keys():
            used[role].add(file.stem)
    assert {role: " ".join(sorted(files)) for role, files in used.items()} == HOMES


def test_every_variable_that_is_used_exists():
    texts = [file.read_text("utf-8") for file in (*SHEETS, *STATIC.glob("*.js"))]
    given = {name for text in texts for name in re.findall(r"--([a-z]+)(?:: |:\$|\", )", text)}
    asked = {name for text in texts for name in re.findall(r"var\(--([a-z]+)\b(?!-)", text)}
    assert asked - given == set()
