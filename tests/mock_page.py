"""A page with one view in it, without JupyterLab: a mock model stands in for the kernel."""

from __future__ import annotations

import base64
from typing import Any

from anywidget import AnyWidget
from ipywidgets import Widget

MOCK = """
async ({script, state, inside}) => {
  const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const revive = (value) => {
    if (value === null || typeof value !== "object") return value;
    if ("base64" in value) return bytes(value.base64);
    if (Array.isArray(value)) return value.map(revive);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revive(item)]));
  };
  // A model as anywidget hands it over, and the view that is drawn with it.
  const make = ({ script, state }) => {
    const traits = revive(state), handlers = {}, sent = [], saved = [];
    const model = {
      get: (name) => traits[name],
      set: (name, value) => {
        if (traits[name] === value) return;
        traits[name] = value;
        for (const handler of handlers[`change:${name}`] ?? []) handler();
      },
      save_changes: () => saved.push(JSON.parse(JSON.stringify(traits.selection ?? traits.path ?? null))),
      send: (message) => {
        if (window.kernelGone) throw new Error("Cannot send");
        sent.push(message);
      },
      on: (event, handler) => (handlers[event] ??= []).push(handler),
      off: (event, handler) => { handlers[event] = handlers[event].filter((other) => other !== handler); },
    };
    const push = (changes) => {
      Object.assign(traits, revive(changes));
      for (const name of Object.keys(changes)) for (const handler of handlers[`change:${name}`] ?? []) handler();
    };
    const view = import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
    const render = async (el, signal) => {
      const cleanUp = await (await view).default.render({ model: { ...model }, el, host }); // another proxy each time
      signal?.addEventListener("abort", cleanUp);
      return cleanUp;
    };
    return { traits, handlers, sent, saved, push, render };
  };
  window.inside = {};
  window.add = (views) => { for (const [ref, view] of Object.entries(views)) window.inside[ref] ??= make(view); };
  const found = (ref) => window.inside[ref.replace(/^anywidget:/, "IPY_MODEL_")]; // as anywidget writes it
  const host = { getWidget: async (ref) => ({ render: ({ el, signal }) => found(ref).render(el, signal) }) };
  window.add(inside);
  const { traits, handlers, sent, saved, push, render } = make({ script, state });
  Object.assign(window, { sent, saved, push });
  window.happens = (event) => { for (const handler of handlers[event] ?? []) handler(); };
  window.receives = (message, buffers) => { for (const handler of handlers["msg:custom"] ?? []) handler(message, buffers.map(bytes)); };
  window.listening = () => Object.values(handlers).flat().length;
  window.trait = (name) => traits[name];
  window.draw = async () => { window.cleanUp = await render(document.querySelector("main")); };
  await window.draw();
}
"""

# Texts of a view whose contrast with what lies behind them is less than WCAG 2.2 AA asks for.
CONTRAST = """
(root) => {
  const channels = (text) => {
    const parts = text.match(/[\\d.]+/g).map(Number);
    const scaled = text.startsWith("color(srgb") ? parts.map((c, i) => (i < 3 ? c * 255 : c)) : parts;
    return scaled.length < 4 ? [...scaled, 1] : scaled;
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const light = (colour) => {
    const [r, g, b] = colour.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const poor = [];
  for (const element of root.querySelectorAll("*")) {
    const said = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!said || element.disabled || !element.getClientRects().length) continue;
    const stack = [];
    for (let at = element; at; at = at.parentElement) stack.push(channels(getComputedStyle(at).backgroundColor));
    const page = stack.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
    const ink = over(channels(getComputedStyle(element).color), page);
    const [dark, bright] = [light(ink), light(page)].sort((a, b) => a - b);
    const ratio = (bright + 0.05) / (dark + 0.05);
    if (ratio < 4.5) poor.push(`${element.className}: ${element.textContent.slice(0, 20)} ${ratio.toFixed(2)}`);
  }
  return poor;
}
"""


def encoded(value: Any) -> Any:
    """A trait as JSON, bytes as base64, another view by its name."""
    if isinstance(value, Widget):
        return f"IPY_MODEL_{id(value)}"
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {key: encoded(item) for key, item in value.items()}
    return [encoded(item) for item in value] if isinstance(value, (list, tuple)) else value


class Stage:
    """A page with one view in it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.trouble: list[str] = []
        page.on("console", lambda message: self.trouble.append(message.text))
        page.on("pageerror", lambda error: self.trouble.append(str(error)))
        page.on("request", lambda request: self._request(request.url))
        self.rows = page.locator("[role=treeitem]")
        self.tree = page.locator("[role=tree]")

    def _request(self, url: str) -> None:
        if not url.startswith(("blob:", "data:", "about:")):
            self.trouble.append(url)

    def show(self, view: Any, names: tuple[str, ...], background: str = "white") -> None:
        self.view = view
        self.page.set_content(f"<body style='background:{background}'><main></main></body>")
        made = {
            "script": str(view._esm),
            "state": self._state(names),
            "inside": self._inside(names),
        }
        self.page.evaluate(MOCK, made)

    def push(self, *names: str) -> None:
        """Sends traits of the Python view to the page, and the views that they name."""
        self.page.evaluate("(views) => window.add(views)", self._inside(names))
        self.page.evaluate("(changes) => window.push(changes)", self._state(names))

    def answer(self) -> None:
        """Lets Python do what the page last asked for, and delivers the messages that it sends."""
        self.view.send = lambda message, buffers=(): self.page.evaluate(
            "([message, buffers]) => window.receives(message, buffers)",
            [message, [base64.b64encode(buffer).decode() for buffer in buffers]],
        )
        for message in self.page.evaluate("() => window.sent.splice(0)"):
            self.view._handle_custom_msg(message, [])

    def _inside(self, names: tuple[str, ...]) -> dict[str, Any]:
        """The views that are named by traits, with all that they send."""
        views = [v for name in names if isinstance(v := getattr(self.view, name), Widget)]
        return {encoded(v): {"script": str(v._esm), "state": _own_state(v)} for v in views}

    def _state(self, names: tuple[str, ...]) -> dict[str, Any]:
        return {name: encoded(getattr(self.view, name)) for name in names}

    def names(self) -> list[str]:
        return self.page.locator("[role=treeitem] .name bdi").all_inner_texts()

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def selection(self) -> str:
        """The path that the page last told Python."""
        self.page.wait_for_function(
            """() => { const root = document.querySelector(".nbmodule-view").shadowRoot;
                 const row = root.querySelector("[aria-selected=true]")?.dataset.row;
                 return row !== undefined && window.saved.at(-1)?.[1] === Number(row); }"""
        )
        self.view.selection = self.page.evaluate("() => window.saved.at(-1)")
        return self.view.selected_path

    def comes_true(self, locator: Any, expression: str) -> bool:
        """Whether a function of an element returns true within three seconds; a layout settles in a later frame."""
        for _ in range(60):
            if locator.evaluate(expression):
                return True
            self.page.wait_for_timeout(50)
        return False


def _own_state(view: Any) -> dict[str, Any]:
    """The traits of a view that it sends, those of every widget apart."""
    names = view.trait_names(sync=True)
    own = [name for name in names if not hasattr(AnyWidget, name) and not name.startswith("_")]
    return {name: encoded(getattr(view, name)) for name in own}


TREE = (
    "columns",
    "numbers",
    "tree",
    "selection",
    "path",
    "detail",
    "unfold",
    "changed",
    "watched",
    "live",
    "metric",
)
ANATOMY = ("state", "landing")
