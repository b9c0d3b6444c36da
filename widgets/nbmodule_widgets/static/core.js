// What every view uses. Plain JavaScript: Python joins this file and the view's own into one module, because
// a module that was loaded from text cannot import its neighbours.

/**
 * Makes an element. Texts become text nodes, never markup: names in a model may be anything.
 * @param {string} tag  "span.name.soft": a tag and its classes
 * @param {Record<string, unknown>} attributes  null and false leave one out; functions become listeners
 * @param {...(Node|string|null|undefined)} children
 */
function make(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const node = document.createElement(name);
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}

/** Makes an SVG element. */
function draw(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/** "`fc` is a Module" as text and code elements. */
function withCode(sentence) {
  return sentence.split("`").map((part, position) => (position % 2 ? make("code", {}, part) : document.createTextNode(part)));
}

/** A column of whole numbers. Copied, since bytes in a message may start anywhere. */
function numbers({ kind, bytes }) {
  const Kind = { B: Uint8Array, H: Uint16Array, I: Uint32Array }[kind];
  return new Kind(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** A column of float32. */
function floats(bytes) {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** Four significant digits, as Python's `.4g`. */
function decimal(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size < 1e-4 || size >= 1e4 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

const GONE = "The kernel that this view belongs to is gone: run the cell again.";

/**
 * The view's place in the page: a shadow root with its styles, its theme, and one clean-up for everything.
 * @returns {{root: HTMLElement, listen: Function, later: Function, undo: Function[], send: Function, alive: Function, dispose: Function}}
 */
function frame(model, el, label) {
  const host = make("div.nbmodule-view");
  const shadow = host.attachShadow({ mode: "open" });
  const root = make("section.view", { "aria-label": label });
  const style = make("style");
  style.textContent = STYLES;
  shadow.append(style, root);
  el.append(host);
  const undo = [];
  const listen = (event, handler) => {
    model.on(event, handler);
    undo.push(() => model.off(event, handler));
  };
  const waiting = new Set();
  let pending = 0;
  const later = (action) => {
    waiting.add(action);
    pending ||= requestAnimationFrame(() => {
      const due = [...waiting];
      waiting.clear();
      pending = 0;
      for (const each of due) each();
    });
  };
  undo.push(() => cancelAnimationFrame(pending), followTheme(root, host), keepKeys(root, host));
  const trouble = make("div.trouble", { role: "alert" });
  let alive = true;
  const showTrouble = () => {
    const problem = model.get("problem");
    trouble.hidden = alive && !problem;
    trouble.textContent = !alive ? `! ${GONE}` : problem ? `! This view could not be brought up to date: ${problem}` : "";
  };
  /** Tells Python something; false when the kernel has been restarted and nobody is left to be told. */
  const send = (message) => {
    try {
      model.send(message);
      alive = true;
    } catch {
      alive = false;
    }
    showTrouble();
    return alive;
  };
  listen("change:problem", showTrouble);
  listen("comm_live_update", () => send({ kind: "opened" })); // ipywidgets says so when the kernel goes or comes
  root.append(trouble);
  send({ kind: "opened" });
  const dispose = () => {
    for (const action of undo) action();
    send({ kind: "closed" });
    host.remove();
  };
  return { root, listen, later, undo, send, alive: () => alive, dispose };
}

/**
 * Keys pressed in the view stay there; otherwise the notebook takes "x" for "cut this cell". JupyterLab listens
 * before anybody else and cannot see that a field has the focus, so it is asked by an attribute to look away.
 * Shortcuts with Ctrl, Alt or Cmd, Shift+Enter, and Escape outside of a field still reach it.
 */
function keepKeys(root, host) {
  const ours = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return false;
    if (event.key === "Escape") return event.composedPath()[0].matches("input, select");
    return !(event.shiftKey && event.key === "Enter");
  };
  const claim = (event) => host.toggleAttribute("data-lm-suppress-shortcuts", event.composedPath().includes(host) && ours(event));
  const stop = (event) => ours(event) && event.stopPropagation();
  window.addEventListener("keydown", claim, true);
  root.addEventListener("keydown", stop);
  return () => {
    window.removeEventListener("keydown", claim, true);
    root.removeEventListener("keydown", stop);
  };
}

/** Keeps data-theme in step with what lies behind the view. */
function followTheme(root, host) {
  const query = matchMedia("(prefers-color-scheme: dark)");
  const look = () => {
    const dark = behind(host) ?? query.matches;
    root.dataset.theme = dark ? "dark" : "light";
  };
  const observer = new MutationObserver(look);
  const names = ["class", "style", "data-jp-theme-light", "data-jp-theme-name", "data-vscode-theme-kind"];
  for (const node of [document.documentElement, document.body]) observer.observe(node, { attributes: true, attributeFilter: names });
  query.addEventListener("change", look);
  const soon = requestAnimationFrame(look);
  look();
  return () => {
    observer.disconnect();
    query.removeEventListener("change", look);
    cancelAnimationFrame(soon);
  };
}

/** Whether the first painted background behind an element is dark; undefined if none is painted. */
function behind(node) {
  for (let at = node; at; at = at.parentElement) {
    const parts = getComputedStyle(at).backgroundColor.match(/[\d.]+/g)?.map(Number);
    if (parts && (parts.length < 4 || parts[3] > 0.5)) return 0.3 * parts[0] + 0.59 * parts[1] + 0.11 * parts[2] < 128;
  }
  return undefined;
}
