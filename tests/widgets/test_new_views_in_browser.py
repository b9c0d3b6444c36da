"""Each view of a pass, a graph or a rule, in a page: legible, named, inside its place, driven by keys, silent."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest
from every_view import LOOKS, convolutions, transformer
from mock_page import CONTRAST
from module_subjects import HOSTILE

import nbmodule
import nbmodule_widgets as nw

pytestmark = pytest.mark.browser

VIEWS = (
    "trace with a loss",
    "compare_modes",
    "graph",
    "call_tape",
    "lookup",
    "assignment",
    "match_keys",
    "visits",
    "ledger",
    "descent",
    "kernel_walk",
)
THEMES = {
    "light": "#fff; --jp-ui-font-color1: rgba(0,0,0,.87); --jp-content-font-color2: rgba(0,0,0,.54)",
    "dark": "#111; --jp-ui-font-color1: rgba(255,255,255,.87); --jp-content-font-color2: rgba(255,255,255,.7); --jp-layout-color1: #212121",
}
# Controls without a name, and elements with a role that needs one.
NAMELESS = """
(root) => [...root.querySelectorAll("button, input, select, textarea, [tabindex], [role=img], [role=application], canvas, svg")]
  .filter((e) => e.getClientRects().length && e.getAttribute("aria-hidden") !== "true" && !e.closest("[aria-hidden=true]"))
  .filter((e) => !(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.labels?.length || e.textContent.trim() || e.title))
  .map((e) => e.outerHTML.slice(0, 120))
"""
# What reaches beyond the view to the right, unless something around it scrolls or cuts it off on purpose.
OUTSIDE = """
(root) => {
  const edge = root.getBoundingClientRect().right + 1;
  const contained = (e) => { for (let at = e.parentElement; at && at !== root; at = at.parentElement) if (getComputedStyle(at).overflowX !== "visible") return true; };
  return [...root.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > edge && e.getClientRects().length && !contained(e))
    .map((e) => `${e.tagName}.${e.className}: ${e.textContent.slice(0, 30)}`);
}
"""
# Text that is too small to read, and text of which so little is left that it says nothing.
MEAGRE = """
(root) => [...root.querySelectorAll("*")].filter((e) => {
  const said = [...e.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()), style = getComputedStyle(e);
  if (!said || !e.getClientRects().length) return false;
  const row = e.parentElement.getBoundingClientRect(), seen = e.getBoundingClientRect().top < row.bottom - 1;
  return parseFloat(style.fontSize) < 11 || (seen && style.textOverflow === "ellipsis" && e.clientWidth > 1 && e.clientWidth < 24 && e.scrollWidth > e.clientWidth + 1);
}).map((e) => `${e.tagName}.${e.className}: ${e.textContent.slice(0, 30)}`)
"""

# Drawings whose pixels are not those of the screen: blurred, or larger than their place.
MISFITS = """
(root) => [...root.querySelectorAll("canvas")].filter((e) => e.getClientRects().length).map((e) =>
  [e.width / devicePixelRatio - e.clientWidth, e.height / devicePixelRatio - e.clientHeight, e.parentElement.className])
  .filter(([wide, tall]) => Math.abs(wide) > 1 || Math.abs(tall) > 1)
"""


class Made(dict[str, Any]):
    """One of each view, of a model with hooks, made when it is first asked for."""

    def __missing__(self, name: str) -> Any:
        nbmodule.manual_seed(0)
        own = WITHOUT_A_MODEL.get(name)
        self[name] = view = own() if own else LOOKS[name](*convolutions(nbmodule))
        return view


def walks() -> Any:
    """Three optimizers on a valley."""
    scale, sgd = nbmodule.tensor([0.05, 1.0]), nbmodule.optim.SGD
    return nw.lessons.descent(
        lambda w: ((w - 1) ** 2 * scale).sum(),
        {
            "SGD": lambda params: sgd(params, lr=0.5),
            "momentum": lambda params: sgd(params, lr=0.1, momentum=0.9),
            "decay": lambda params: sgd(params, lr=0.1, momentum=0.9, weight_decay=0.3),
        },
        nbmodule.nn.Parameter(nbmodule.tensor([-4.0, 1.5])),
        12,
    )


def circular() -> Any:
    """A kernel that reads beyond the border."""
    layer = nbmodule.nn.Conv2d(2, 1, 3, padding=1, padding_mode="circular")
    return nw.lessons.kernel_walk(layer, nbmodule.rand(1, 2, 4, 5))


WITHOUT_A_MODEL = {"descent": walks, "kernel_walk": circular}


@pytest.fixture(scope="module")
def made() -> Made:
    return Made()


def traits(view: Any) -> tuple[str, ...]:
    """What travels to the page, apart from what ipywidgets and anywidget add."""
    own = set(view.keys) - {"layout", "tabbable", "tooltip"}
    return tuple(sorted(name for name in own if not name.startswith("_")))


def shown(stage: Any, view: Any, theme: str = "light") -> Any:
    stage.show(view, traits(view), THEMES[theme])
    root = stage.page.locator("section.view")
    stage.page.wait_for_timeout(60)
    return root


@pytest.mark.parametrize("name", VIEWS)
def test_it_is_legible_driven_by_keys_silent_and_gone_in_the_end(stage, made, name):
    for theme, width in (("dark", 640), ("light", 420), ("light", 1100)):
        stage.page.set_viewport_size({"width": width, "height": 900})
        root = shown(stage, made[name], theme)
        assert root.evaluate(CONTRAST) == []
        assert root.evaluate(NAMELESS) == []
        assert root.evaluate(OUTSIDE) == []
        assert root.evaluate(MEAGRE) == []
        assert stage.page.evaluate("() => document.documentElement.scrollWidth") <= width
    if name not in ("match_keys", "ledger"):
        play_by_keys(stage, root)
    assert stage.page.get_by_text("Not connected").filter(visible=True).count() == 0
    stage.page.evaluate("() => { window.kernelGone = true; window.happens('comm_live_update'); }")
    stage.page.get_by_text("Not connected to a kernel").first.wait_for()
    stage.page.evaluate("() => window.cleanUp()")
    assert stage.page.evaluate("() => window.listening()") == 0
    assert stage.page.locator(".nbmodule-view").count() == 0


@pytest.mark.parametrize("stage", [1.5], indirect=True)
@pytest.mark.parametrize("name", [*VIEWS, "parameters"])
def test_drawings_fit_where_the_screen_has_other_pixels(stage, made, name):
    view = nw.parameters(nbmodule.nn.Linear(4, 3)) if name == "parameters" else made[name]
    root = shown(stage, view)
    assert root.evaluate(MISFITS) == []


@pytest.mark.parametrize("name", ["show", "summary of a pass"])
def test_no_word_is_too_small_or_cut_to_a_letter(stage, name):
    model, given = convolutions(nbmodule)
    view = nw.show(model) if name == "show" else LOOKS[name](model, given)
    for width in (1280, 800, 500):
        stage.page.set_viewport_size({"width": width, "height": 900})
        root = shown(stage, view)
        assert root.evaluate(MEAGRE) == []


def long_sizes(lib: Any) -> tuple[Any, Any]:
    parts = {"first": lib.nn.Conv2d(3, 64, 11, 4), "avgpooling": lib.nn.AdaptiveAvgPool2d(16)}
    return lib.nn.Sequential(OrderedDict(parts)), lib.zeros(1, 3, 224, 224)


@pytest.mark.parametrize(
    ("make", "width"), [(convolutions, 800), (transformer, 1000), (long_sizes, 640)]
)
def test_every_column_of_the_layers_can_be_seen(stage, make, width):
    """Notes stand below names, and sizes take two lines, before one goes out of sight."""
    stage.page.set_viewport_size({"width": width, "height": 900})
    table = shown(stage, LOOKS["summary of a pass"](*make(nbmodule))).locator(".layers")
    assert table.evaluate("e => e.scrollWidth - e.clientWidth") <= 0


def play_by_keys(stage: Any, root: Any) -> None:
    """Steps to both sides, plays and pauses; each moment has words, nothing jumps, only `step` is told."""
    slider = root.locator("input[type=range]").first
    said = []
    slider.focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowLeft", "End"):
        stage.keys(key)
        said.append(slider.get_attribute("aria-valuetext"))
    assert said[0] != said[1] == said[3] != said[2]
    assert all(": " in words and "undefined" not in words and "NaN" not in words for words in said)
    stage.keys("Home")
    height = root.evaluate("e => e.getBoundingClientRect().height")
    for _ in range(8):
        stage.keys("ArrowRight")
        assert abs(root.evaluate("e => e.getBoundingClientRect().height") - height) < 1
    stage.keys("Home", "Space")
    root.get_by_role("button", name="pause", exact=True).wait_for()
    stage.page.wait_for_function("(e) => e.value > 0", arg=slider.element_handle())
    stage.keys("Space")
    one_voice(stage, root)
    assert stage.page.evaluate("() => window.sent.map((message) => message.kind)") == ["opened"]
    assert stage.page.evaluate("() => window.trait('step')") == int(
        slider.input_value()
    )  # and no more


# Every word that a screen reader would say from now on.
LISTEN = """
(root) => {
  window.spoken = [];
  for (const region of root.querySelectorAll("[role=status], [role=alert], [role=log], [aria-live]"))
    new MutationObserver(() => window.spoken.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
}
"""


def one_voice(stage: Any, root: Any) -> None:
    """A step is said once, by the player, and by nothing beside it."""
    stage.keys("Home")
    button = root.get_by_role("button", name="step forward", exact=True)
    button.focus()
    stage.page.wait_for_timeout(300)
    root.evaluate(LISTEN)
    stage.keys("Enter")
    stage.page.wait_for_function("() => window.spoken.length")
    stage.page.wait_for_timeout(100)
    said = root.locator("input[type=range]").first.get_attribute("aria-valuetext")
    assert stage.page.evaluate("() => window.spoken") == [said.partition(": ")[2]]


@pytest.mark.parametrize("name", [name for name in VIEWS if name not in WITHOUT_A_MODEL])
def test_hostile_names_are_only_text(stage, name):
    nn = nbmodule.nn
    model = nn.Sequential()
    kind = type(
        "E<img src=x onerror=window.pwned=5>", (nn.Linear,), {"extra_repr": lambda self: HOSTILE}
    )
    for child in (HOSTILE, "b</script><script>window.pwned=3</script>", "x" * 10_000):
        model._modules[child] = kind(2, 2)
    hook: Any = type(HOSTILE, (), {"__call__": lambda *given: None})
    model.register_forward_hook(hook())
    model._buffers[HOSTILE] = nbmodule.ones(2)
    root = shown(stage, LOOKS[name](model, nbmodule.ones(1, 2)))
    if root.locator("input[type=range]").count():
        root.locator("input[type=range]").first.focus()
        stage.keys("ArrowRight", "ArrowRight", "End")
    assert stage.page.evaluate("() => window.pwned") is None
    assert stage.page.locator("main img, main script").count() == 0
    assert "\u202e" not in root.inner_text()
    assert root.evaluate(OUTSIDE) == []


def test_descent_explains_the_arrows_that_there_are_and_no_others(stage, made):
    def plain(params: Any) -> Any:
        return nbmodule.optim.SGD(params, lr=0.1)

    start = nbmodule.nn.Parameter(nbmodule.tensor([-4.0, 1.5]))
    alone = nw.lessons.descent(lambda w: (w**2).sum(), {"SGD": plain}, start, 3)
    for view, arrows in ((made["descent"], 3), (alone, 1)):
        assert shown(stage, view).locator(".part").count() == arrows


def test_the_tree_of_a_watch_is_never_cut_to_a_letter_nor_what_has_just_changed(stage):
    """In its column `what it is`, arguments give way first, then the class, and what has changed stays whole."""
    long_name = type("A_layer_with_a_name", (nbmodule.nn.Dropout,), {})
    model = nbmodule.nn.Sequential(nbmodule.nn.BatchNorm1d(3), long_name(), nbmodule.nn.ReLU())
    optimizer = nbmodule.optim.SGD(model.parameters(), lr=0.1)
    with nw.watch(model, optimizer=optimizer, display=False) as run:
        model(nbmodule.rand(4, 3)).sum().backward()
        optimizer.step()
        run.tick()
    model.eval()
    run.tree.refresh()
    for width in (1200, 960, 830, 750, 700, 650):
        stage.page.set_viewport_size({"width": width, "height": 900})
        root = shown(stage, run.tree).first
        assert [cut for cut in root.evaluate(MEAGRE) if "=" not in cut] == []  # but for arguments
        assert root.locator(".columns").first.evaluate(
            "e => [...e.children].every((c) => c.clientHeight < 24)"
        )
        chips = root.locator(".row .what").evaluate_all(
            "all => all.map((e) => [e.lastChild, e]).filter(([chip]) => chip.matches?.('.chip'))"
            ".map(([chip, e]) => e.getBoundingClientRect().right - chip.getBoundingClientRect().right)"
        )
        assert len(chips) >= 3
        assert min(chips) > -1
        assert root.evaluate(CUT_CLASSES) == []
        assert root.locator(".chip").evaluate_all(
            "all => all.every((e) => e.scrollWidth <= e.clientWidth)"
        )


# Classes that have lost letters although their arguments still take room.
CUT_CLASSES = """
(root) => [...root.querySelectorAll(".row .class")].filter((e) => {
  const letters = document.createRange();
  letters.selectNodeContents(e);
  const cut = letters.getBoundingClientRect().width - e.getBoundingClientRect().width > 0.001;
  return cut && e.nextSibling?.matches?.("bdi") && e.nextSibling.clientWidth > 1;
}).map((e) => e.textContent)
"""


# The numbers at both ends of each line, and whether the first lies in the padding and the second in the image.
LINKS = """
(root) => {
  const svg = root.querySelector("figure svg"), all = (kind) => [...svg.querySelectorAll(kind)], of = (e, name) => Number(e.getAttribute(name));
  const size = of(all(".cell")[0], "width") + 1, key = (x, y) => `${Math.floor(x / size)} ${Math.floor(y / size)}`;
  const told = new Map(all(".number").map((e) => [key(of(e, "x"), of(e, "y")), e.textContent]));
  const padding = new Set(all(".beyond").map((e) => key(of(e, "x"), of(e, "y"))));
  return all(".link").map((e) => [key(of(e, "x1"), of(e, "y1")), key(of(e, "x2"), of(e, "y2"))])
    .map(([from, to]) => [told.get(from), told.get(to), padding.has(from) && !padding.has(to)]);
}
"""


@pytest.mark.parametrize("mode", ["zeros", "reflect", "replicate", "circular"])
def test_each_line_of_a_kernel_walk_leads_from_the_padding_to_the_pixel_with_its_number(
    stage, mode
):
    """Every pixel has another number, so that a line to a neighbor would be seen."""
    layer = nbmodule.nn.Conv2d(1, 1, 3, padding=(1, 2), dilation=(1, 2), padding_mode=mode)
    view = nw.lessons.kernel_walk(layer, nbmodule.arange(20.0).reshape(1, 1, 4, 5))
    root = shown(stage, view)
    copies = ["where it's copied from"] if mode != "zeros" else []
    marks = ["above 0", "below 0", "under the kernel", "the image", "padding", *copies]
    assert root.locator(".legend span").all_inner_texts() == marks
    root.locator("input[type=range]").focus()
    for step in range(view.facts.gave.size):
        links = root.evaluate(LINKS)
        assert len(links) == sum(source is not None for _, source in view.facts.copied(step))
        assert all(start == end and right for start, end, right in links)
        stage.keys("ArrowRight")


def test_a_sample_is_no_alarm_and_what_a_trace_knows_of_a_moment_fits_its_table(stage):
    nn = nbmodule.nn
    model = nn.Sequential(nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 10))
    view = nw.trace(model, nbmodule.rand(50, 784), loss=lambda y: y.sum())
    for width in (1100, 640):
        stage.page.set_viewport_size({"width": width, "height": 900})
        root = shown(stage, view)
        table = root.locator(".table")
        assert table.locator(".soft").all_inner_texts()[0] == "std and zeros from 1 of 5 numbers"
        root.locator("input[type=range]").focus()
        for _ in range(view.facts.columns()["kind"].size):
            assert table.locator(".problem").count() == 0
            assert table.evaluate("e => e.scrollHeight - e.clientHeight") <= 0
            stage.keys("ArrowRight")


def test_a_trace_tells_what_pre_hooks_made_of_what_came_in_from_then_on(stage):
    """In both directions; and no row for hooks that changed nothing."""
    layer = nbmodule.nn.Linear(2, 2)
    layer.register_forward_pre_hook(lambda module, args: args[0] * 7)
    layer.register_forward_pre_hook(lambda module, args: None)
    layer.register_full_backward_pre_hook(lambda module, grads: (grads[0] * 5,))
    ones = nbmodule.ones(3, 2, requires_grad=True)
    view = nw.trace(layer, ones, loss=lambda y: y.sum())
    root = shown(stage, view)
    table = root.locator(".table")
    stage.page.locator("input[type=range]").focus()
    stage.keys("End")
    rows = [row.split("\t") for row in table.locator("tr").all_inner_texts()[1:]]
    found = [(row[0].strip().removesuffix("▦").strip(), row[2].split(" ±")[0]) for row in rows]
    came = dict.fromkeys(("in", "gradient of\u00a0output"))
    for at, (name, mean) in enumerate(found):
        if name in came:
            came[name] = (mean, *found[at + 1])
    assert came == {
        "in": ("1", "after hooks", "7"),
        "gradient of\u00a0output": ("1", "after hooks", "5"),
    }
    assert table.evaluate("e => e.scrollHeight - e.clientHeight") <= 0
    layer = nbmodule.nn.Linear(2, 2)
    layer.register_forward_pre_hook(lambda module, args: None)
    root = shown(stage, nw.trace(layer, ones))
    stage.page.locator("input[type=range]").focus()
    stage.keys("End")
    assert root.get_by_text("after hooks").count() == 0
