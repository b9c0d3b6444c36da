// A view's place in the page: shadow root, theme, keys, the way to Python, and one clean-up for everything.

const GONE = "Not connected to a kernel: this is the last state. Run the cell again to make it live.";
const BUSY = "Python is busy; this follows when it is free.";

// ipywidgets puts a red icon above what has lost its kernel; the view says it in words, and of views in one box only
// the first does. A rule knows the neighbours whenever they come; a view is drawn before it is put into its box.
const AROUND = ".jupyter-widgets-disconnected:has(.nbmodule-view)::before { display: none }" +
  ".widget-vbox > :has(.nbmodule-view) ~ * .nbmodule-view { --said: none }";

/**
 * The view's place in the page.
 * @returns {{root: HTMLElement, listen: Function, later: Function, undo: Function[], send: Function, alive: Function, dispose: Function}}
 *   send: tells Python something, false if nobody is there; alive: whether somebody is; dispose: what `render` returns
 */
function frame(model, el, label) {
  const host = make("div.nbmodule-view");
  const shadow = host.attachShadow({ mode: "open" });
  const root = make("section.view", { "aria-label": label });
  const style = make("style");
  style.textContent = STYLES;
  shadow.append(style, root);
  el.append(host);
  host.append(make("style", {}, AROUND));
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
  const absent = make("div.absent", { role: "status" });
  SHARED.set(root, { model, listen });
  const pictures = pictureMenu(listen, (message) => send(message));
  let reached = true;
  const alive = () => reached && connected(model);
  const showTrouble = () => {
    const problem = model.get("problem");
    trouble.hidden = !problem;
    trouble.textContent = problem ? `! This view could not be brought up to date: ${problem}` : "";
    absent.hidden = alive();
    absent.textContent = alive() ? "" : `○ ${GONE}`;
    pictures.hidden = !model.get("pictures") || !alive(); // Python draws them
  };
  const send = (message) => {
    try {
      if (connected(model)) model.send(message);
      reached = true;
    } catch {
      reached = false; // the kernel has been restarted
    }
    showTrouble();
    return alive();
  };
  listen("change:problem", showTrouble);
  listen("comm_live_update", () => send({ kind: "opened" })); // ipywidgets says so when the kernel goes or comes
  const layout = model.get("layout"); // goes the same way, and a little earlier or later
  layout?.on?.("comm_live_update", showTrouble);
  undo.push(() => layout?.off?.("comm_live_update", showTrouble));
  root.append(absent, trouble);
  queueMicrotask(() => root.append(pictures)); // below what the view draws
  send({ kind: "opened" });
  const dispose = () => {
    for (const action of undo) action();
    send({ kind: "closed" });
    host.remove();
  };
  return { root, listen, later, undo, send, alive, dispose };
}

const SHARED = new WeakMap(); // by its root, what a view shares with Python

/**
 * A trait that a part of a view shares with Python and with linked widgets.
 * @param {HTMLElement} root  the view
 * @param {string} name  of the trait
 * @param {(value: any) => void} hear  called with a value that came from there
 * @returns {{get: () => any, tell: (value: any) => void}}  `get` returns undefined if the view has no such trait
 */
function shared(root, name, hear) {
  const { model, listen } = SHARED.get(root) ?? {}, get = () => model?.get(name);
  listen?.(`change:${name}`, () => hear(get()));
  const tell = (value) => {
    if (get() === undefined || get() === value) return;
    model.set(name, value);
    model.save_changes();
  };
  return { get, tell };
}

/** Whether a kernel knows this view. anywidget does not say, but the view's layout is a widget too, and shares its fate. */
function connected(model) {
  return model.get("layout")?.comm_live !== false;
}

/**
 * Keeps data-theme in step with what lies behind the view. Whoever paints on a canvas listens to "theme" at the root.
 *
 * A theme's stylesheet may arrive long after the view was drawn, or be changed for another one, and no attribute says
 * so. An element that nobody sees takes a millisecond for each change (core.css), and so it tells us. Where nothing is
 * laid out nothing takes time; the size of the view changes when it is shown.
 */
function followTheme(root, host) {
  const query = matchMedia("(prefers-color-scheme: dark)");
  let before = "";
  const look = () => {
    root.dataset.theme = (declared(root) ?? behind(host) ?? query.matches) ? "dark" : "light";
    if (!host.clientWidth) return; // a front end may hide the page while it changes its theme: nothing can be painted
    const { backgroundColor, color } = getComputedStyle(root), now = `${root.dataset.theme} ${backgroundColor} ${color}`;
    if (before && now !== before) root.dispatchEvent(new Event("theme"));
    before = now;
  };
  const teller = make("i.theme-teller", { "aria-hidden": "true" });
  const attributes = new MutationObserver(look), size = new ResizeObserver(look);
  for (const node of [document.documentElement, document.body]) attributes.observe(node, { attributes: true }); // each front end has another
  size.observe(host);
  root.append(teller);
  teller.addEventListener("transitionend", look);
  query.addEventListener("change", look);
  look();
  return () => {
    attributes.disconnect();
    size.disconnect();
    query.removeEventListener("change", look);
  };
}

/**
 * Whether the page colour that the front end names, and core.css takes, is dark; undefined if it names none. What
 * lies behind may be another: VS Code puts a white sheet under widgets in its dark themes too.
 */
function declared(root) {
  const styles = getComputedStyle(root);
  const named = ["--jp-layout-color1", "--vscode-editor-background", "--colab-primary-surface-color"].some((name) => styles.getPropertyValue(name));
  return named ? isDark(styles.backgroundColor) : undefined;
}

/** Whether the first painted background behind an element is dark; undefined if none is painted. */
function behind(node) {
  for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) {
    const dark = isDark(getComputedStyle(at).backgroundColor);
    if (dark !== undefined) return dark;
  }
  return undefined;
}

/** Whether a computed colour is dark; undefined if one sees through it. */
function isDark(colour) {
  const parts = colour.match(/[\d.]+/g)?.map(Number);
  if (!parts || (parts.length > 3 && parts[3] <= 0.5)) return undefined;
  return 0.3 * parts[0] + 0.59 * parts[1] + 0.11 * parts[2] < 128;
}
