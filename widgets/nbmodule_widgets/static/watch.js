// The head of a watched run: where it is, its curves, what was found, and the buttons that steer the loop.

const PHASES = { ready: "○", running: "●", paused: "❚❚", done: "✓", failed: "✕" };
const SPEEDS = [["0", "full speed"], ["10", "10 steps/s"], ["3", "3 steps/s"], ["1", "1 step/s"]];
// The three views of a run lie close to each other, as one panel.
const ONE_PANEL = `
  .nbmodule-watch > * { margin: 0; }
  .nbmodule-watch .nbmodule-view { --apart: 0 0 -1px; --round: 0; }
  .nbmodule-watch > :first-child .nbmodule-view { --round: 8px 8px 0 0; }
  .nbmodule-watch > :last-child .nbmodule-view { --apart: 0; --round: 0 0 8px 8px; }
`;
const kept = { log: false, smooth: false }; // how the reader has set the view; each view has this module for itself, and may be drawn anew

function render({ model, el }) {
  const { root, listen, later, undo, send, alive, dispose } = frame(model, el, "training");
  let phase = model.get("status").phase;
  let drawn = 0, hurry = 0;

  const lamp = make("span.lamp", { "aria-hidden": "true" });
  const words = make("b.words", { role: "status", "aria-live": "polite" });
  const counters = make("span.counters");
  const newest = make("bdi.newest");
  const pace = make("div.pace", { role: "group", "aria-label": "steer the loop" });
  const go = make("button.go", { type: "button", click: () => press(model.get("control").paused ? "play" : "pause") });
  const step = make("button", { type: "button", title: "do one step, then wait", click: () => press("step") }, "Step ▸❙");
  const speed = make("select", { "aria-label": "speed", change: () => send({ kind: "speed", speed: Number(speed.value) }) });
  for (const [value, name] of SPEEDS) speed.append(make("option", { value }, name));
  const hint = make("span.hint.soft", { role: "status" });
  pace.append(hint, go, step, speed);

  const log = toggle("log scale", "log");
  const smooth = toggle("smooth", "smooth");
  const curves = make("div.curves");
  const findings = make("ul.list", { "aria-label": "findings" });
  const told = make("h4", {}, "Findings");
  root.append(
    make("div.top", {}, make("span.state", {}, lamp, words), counters, newest, pace),
    make("div.body", {}, make("div.plots", {}, make("div.set.soft", {}, "curves:", log, smooth), curves), make("div.found", {}, told, findings)),
  );
  el.append(make("style", {}, ONE_PANEL));
  const plots = new Map();

  function toggle(name, key) {
    const box = make("input", { type: "checkbox", change: () => ((kept[key] = box.checked), later(showCurves)) });
    box.checked = kept[key];
    return make("label.toggle", {}, box, name);
  }

  /** Sends a button off, and says so if Python does not hear it soon. */
  function press(kind) {
    clearTimeout(hurry);
    if (!send({ kind })) return;
    hurry = setTimeout(() => (hint.textContent = BUSY), 700);
  }

  function showControl() {
    const { by, paused, speed: limit } = model.get("control");
    clearTimeout(hurry);
    hint.textContent = by && paused ? (by === "idle" ? "Step or Play runs your function." : "The cell waits for you.") : "";
    pace.hidden = !by || !alive();
    go.textContent = paused ? "▶ Play" : "❚❚ Pause";
    if (root.getRootNode().activeElement !== speed) speed.value = String(limit);
    if (speed.selectedIndex < 0) {
      speed.append(make("option", { value: String(limit) }, `${decimal(limit)} steps/s`));
      speed.value = String(limit);
    }
  }

  function showStatus() {
    const now = model.get("status");
    if (phase !== now.phase && ["done", "failed"].includes(now.phase)) holdHeight(el);
    phase = now.phase;
    root.dataset.phase = phase;
    lamp.textContent = PHASES[phase] ?? "";
    if (words.textContent !== now.words) words.textContent = now.words;
    const time = now.seconds ? [clock(now.seconds), now.rate && phase !== "paused" ? `${decimal(Number(now.rate.toPrecision(2)))} steps/s` : ""] : [];
    counters.textContent = [now.counters, ...time].filter(Boolean).join(" · ");
    newest.textContent = newest.title = now.numbers;
  }

  function showCurves() {
    const shown = model.get("curves");
    const names = new Set(shown.map((curve) => curve.name));
    for (const [name, plot] of plots) if (!names.has(name)) plots.delete(name), plot.place.remove();
    shown.forEach((curve, index) => {
      if (!plots.has(curve.name)) plots.set(curve.name, new Plot(curve.name, index));
      const plot = plots.get(curve.name);
      if (curves.children[index] !== plot.place) curves.insertBefore(plot.place, curves.children[index] ?? null);
      plot.show(curve, kept);
    });
    curves.querySelector(".none")?.remove();
    if (!shown.length) curves.append(make("p.none.soft", {}, "No curve yet: ", make("code", {}, "w.tick(loss=loss)"), " in the loop draws one."));
  }

  function showFindings() {
    const list = model.get("findings");
    const key = JSON.stringify(list);
    if (findings.dataset.key === key) return; // keeps the focus where it is
    findings.dataset.key = key;
    told.textContent = list.length ? `Findings (${list.length})` : "Findings";
    findings.replaceChildren(...list.map((item) => {
      const show = (() => {
        model.set("path", "");
        model.set("path", item.path);
        model.save_changes();
      });
      const said = [make("b", {}, `! ${item.kind}:`), " ", make("bdi", {}, ...withCode(item.text))];
      return make("li", {}, item.path ? make("button.finding", { type: "button", title: "select it in the tree", click: show }, ...said) : make("div.finding", {}, ...said));
    }));
    if (!list.length) findings.append(make("li.soft", {}, phase === "ready" ? "No step looked at yet." : "Nothing unusual over these steps."));
  }

  function showAll() {
    showStatus();
    showControl();
    showCurves();
    showFindings();
    const { number } = model.get("status");
    if (alive() && number > drawn) send({ kind: "drawn", number: (drawn = number) });
  }

  for (const trait of ["status", "curves", "findings", "control"]) listen(`change:${trait}`, () => later(showAll));
  undo.push(() => clearTimeout(hurry));
  showAll();
  return dispose;
}

/** At the end the output is written anew, for the notebook to store; until it is there, its place is kept. */
function holdHeight(el) {
  const area = el.closest(".jp-OutputArea-output, .output_area");
  if (!area) return;
  area.style.minHeight = `${area.offsetHeight}px`;
  setTimeout(() => (area.style.minHeight = ""), 2000);
}

/** "35 ms", "12.3 s", "4 min 05 s" */
function clock(seconds) {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  return whole < 3600 ? `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s` : `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** One metric over the steps. The pointer, or the arrow keys, read its values. */
class Plot {
  constructor(name, index) {
    this.line = draw("path", { class: "line" });
    this.raw = draw("path", { class: "raw" });
    this.svg = draw("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" }, this.raw, this.line);
    this.said = make("span.value");
    this.high = make("span.axis.high");
    this.low = make("span.axis.low");
    this.first = make("span");
    this.last = make("span");
    this.note = make("div.note.soft");
    this.marks = make("div.marks", { "aria-hidden": "true" });
    this.cursor = make("div.cursor", { hidden: "" });
    this.field = make(
      "div.field",
      { role: "slider", tabindex: 0, "aria-label": `${name}, over the steps`, pointermove: (e) => this.point(e), pointerleave: () => this.leave(), keydown: (e) => this.key(e), blur: () => this.leave() },
      this.svg, this.marks, this.cursor, this.high, this.low,
    );
    this.place = make("figure.plot", {}, make("figcaption", {}, make("bdi.name", { title: name }, name), this.said), this.field, make("div.steps.soft", {}, this.first, this.last), this.note);
    this.at = -1;
  }

  show(curve, { log, smooth }) {
    this.curve = curve;
    this.steps = numbers({ kind: "I", bytes: curve.steps });
    this.values = floats(curve.values);
    const height = (value) => (log ? (value > 0 ? Math.log10(value) : NaN) : value);
    const heights = Float64Array.from(this.values, height);
    const window = smooth ? Math.max(3, Math.round(heights.length / 20)) : 1;
    const drawn = smooth ? averaged(Float64Array.from(this.values), window).map(height) : heights;
    const real = heights.filter(Number.isFinite);
    this.bottom = Math.min(...real);
    this.top = Math.max(...real);
    const ends = [this.top, this.bottom].map((end) => (log ? 10 ** end : end));
    if (!real.length) [this.bottom, this.top] = [0, 1];
    const flat = this.top === this.bottom;
    if (flat) [this.bottom, this.top] = [this.bottom - 0.5, this.top + 0.5];
    this.heights = heights;
    this.line.setAttribute("d", this.path(drawn));
    this.raw.setAttribute("d", smooth ? this.path(heights) : "");
    const [high, low] = short(ends[0]) === short(ends[1]) ? ends.map((end) => String(Number(end.toPrecision(6)))) : ends.map(short);
    this.high.textContent = real.length && !flat ? high : "";
    this.low.textContent = real.length && !flat ? low : "";
    this.first.textContent = `step ${this.steps[0].toLocaleString("en")}`;
    this.last.textContent = this.steps.at(-1).toLocaleString("en");
    const lost = log ? this.values.filter((value) => value <= 0 && Number.isFinite(value)).length : 0;
    this.note.textContent = [curve.words, lost ? `${lost} at or below 0 cannot be shown on a log scale` : "", smooth ? `line: mean of ${window} points` : ""].filter(Boolean).join(" · ");
    this.mark();
    this.field.setAttribute("aria-valuemin", this.steps[0]);
    this.field.setAttribute("aria-valuemax", this.steps.at(-1));
    this.read(this.at < 0 ? -1 : Math.min(this.at, this.steps.length - 1));
  }

  across(index) {
    const span = this.steps.at(-1) - this.steps[0];
    return span ? (100 * (this.steps[index] - this.steps[0])) / span : 50;
  }

  down(height) {
    return 96 - (92 * (height - this.bottom)) / (this.top - this.bottom);
  }

  /** A path with a gap wherever a value is no number. */
  path(heights) {
    let text = "", pen = false;
    heights.forEach((height, index) => {
      const real = Number.isFinite(height);
      if (real) text += `${pen ? "L" : "M"}${this.across(index).toFixed(2)} ${this.down(height).toFixed(2)}`;
      if (real && !pen && !Number.isFinite(heights[index + 1])) text += "h.01"; // a lone point is a dot
      pen = real;
    });
    return text;
  }

  /** The last and the lowest value as dots, and × where a value is NaN or infinite. */
  mark() {
    const marks = [];
    const put = (kind, index, y, text) => marks.push(make(`span.${kind}`, { style: `left:${this.across(index)}%;top:${y}%` }, text));
    let odd = 0, lowest = -1, last = -1;
    this.heights.forEach((height, index) => {
      if (Number.isFinite(height)) {
        last = index;
        if (lowest < 0 || height < this.heights[lowest]) lowest = index;
      } else if (!Number.isFinite(this.values[index]) && odd++ < 60) put("odd", index, 6, "×");
    });
    if (lowest >= 0 && lowest !== last) put("dot.lowest", lowest, this.down(this.heights[lowest]), "");
    if (last >= 0) put("dot", last, this.down(this.heights[last]), "");
    this.marks.replaceChildren(...marks);
  }

  point(event) {
    const box = this.field.getBoundingClientRect();
    const aim = (100 * (event.clientX - box.left)) / box.width;
    let best = 0;
    for (let index = 1; index < this.steps.length; index++) if (Math.abs(this.across(index) - aim) <= Math.abs(this.across(best) - aim)) best = index;
    this.read(best);
  }

  key(event) {
    const end = this.steps.length - 1, from = this.at < 0 ? end : this.at;
    const to = { ArrowLeft: from - 1, ArrowRight: from + 1, PageUp: from - 20, PageDown: from + 20, Home: 0, End: end }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.read(Math.max(0, Math.min(end, to)));
  }

  leave() {
    this.read(-1);
  }

  /** Says the value at a point; the newest if none is pointed at. */
  read(index) {
    this.at = index;
    const shown = index < 0 ? this.steps.length - 1 : index;
    const text = decimal(this.values[shown]);
    this.said.textContent = index < 0 ? this.curve.last : `step ${this.steps[shown].toLocaleString("en")}: ${text}`;
    this.field.setAttribute("aria-valuenow", this.steps[shown]);
    this.field.setAttribute("aria-valuetext", `step ${this.steps[shown]}, ${text}`);
    this.cursor.hidden = index < 0;
    this.cursor.style.left = `${this.across(shown)}%`;
  }
}

/** Three digits, for the few pixels beside an axis. */
function short(value) {
  const size = Math.abs(value);
  return size && (size < 1e-3 || size >= 1e5) ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

/** The mean of each value and its neighbours; what is no number stays a gap. */
function averaged(heights, window) {
  const half = Math.floor(window / 2);
  return heights.map((height, index) => {
    if (!Number.isFinite(height)) return NaN;
    let sum = 0, count = 0;
    for (let at = Math.max(0, index - half); at <= Math.min(heights.length - 1, index + half); at++) if (Number.isFinite(heights[at])) (sum += heights[at]), count++;
    return sum / count;
  });
}

export default { render };
