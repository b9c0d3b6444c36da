// ParameterView: one tensor, its gradient, their past, and the gradients around it. Tabs, cursors, scales and the
// norms over time need no Python; another slice of a large tensor, and another tensor, do.

const TABS = [["values", "Values"], ["histogram", "Histogram"], ["time", "Over time"], ["flow", "Gradient flow"], ["moments", "Before / after"]];
const METRICS = [["weight", "weight norm"], ["gradient", "gradient norm"], ["update", "update norm"], ["ratio", "update / weight"]];

let looks = { tab: "values", all: true }; // how the reader has set the view; each view has this module for itself, and may be drawn anew

function render({ model, el }) {
  const { root, listen, later, undo, send, alive, dispose } = frame(model, el, "weights and gradients");
  const own = Math.random().toString(36).slice(2); // ids are looked up inside this view only
  const get = (name) => model.get(name) ?? {};
  let { log, oneAxis, all } = looks, tab = model.get("tab") || looks.tab, want = fresh(), heard = "", at = -1, newTools = "";
  let path = get("shown").path ?? "", past = null, live = null;

  // ------------------------------------------------------------------ the parts that stay

  const title = make("bdi.title.mono"), words = make("bdi.words.soft");
  const known = make("datalist", { id: `known-${own}` });
  const field = make("input", { type: "search", list: `known-${own}`, placeholder: "search for a tensor by its path", "aria-label": "search for a tensor by its path", autocomplete: "off", spellcheck: "false" });
  const step = (by, sign, label) => make("button", { type: "button", "aria-label": label, title: label, click: () => neighbour(by) }, sign);
  const head = make("div.top", {}, make("div.what", {}, title, words), make("div.choose", {}, step(-1, "‹", "previous tensor"), field, known, step(1, "›", "next tensor")));
  const tabs = make("div.tabs", { role: "tablist", "aria-label": "what is shown" });
  for (const [key, label] of TABS) tabs.append(make("button", { type: "button", role: "tab", id: `tab-${key}-${own}`, "aria-controls": `panel-${own}`, "data-tab": key, click: () => open(key) }, label));
  const panel = make("div.panel", { role: "tabpanel", id: `panel-${own}`, tabindex: "-1" });
  const wait = make("div.wait.soft", { role: "status" });
  root.append(head, tabs, panel, wait);
  const heat = heatMap(root, 340), change = heatMap(root, 110);
  const charts = METRICS.map(([, label]) => timeChart(root, label, (n) => ((at = n), drawTime())));

  // ------------------------------------------------------------------ what is chosen

  function fresh() {
    return { of: "weight", axes: [], index: [], how: "mean", tiles: true };
  }

  const here = () => get("shown").path === path;

  function choose(next) {
    if (next === undefined || next === path) return;
    path = next;
    want = fresh();
    model.set("path", next);
    model.save_changes();
    patience(here);
    show();
  }

  function neighbour(by) {
    const { paths = [] } = get("index");
    choose(paths[(paths.indexOf(path) + by + paths.length) % paths.length]);
  }

  let waiting = 0;
  /** Says that Python is busy if something that was asked for does not come. */
  function patience(come) {
    clearTimeout(waiting);
    wait.textContent = alive() ? "" : GONE;
    waiting = setTimeout(() => !come() && (wait.textContent = alive() ? BUSY : GONE), 700);
  }

  let asking = 0;
  function ask(part) {
    want = { ...want, ...part };
    clearTimeout(asking);
    asking = setTimeout(() => {
      const before = get("shown");
      if (send({ kind: "slice", ...want }) && !before.whole) patience(() => get("shown") !== before);
    }, 60);
    drawHeat();
  }

  // ------------------------------------------------------------------ the panels

  const opened = shared(root, "tab", (key) => key !== tab && open(key, false));
  function open(key, focus = true) {
    tab = key;
    opened.tell(key);
    for (const button of tabs.children) {
      const on = button.dataset.tab === key;
      button.setAttribute("aria-selected", String(on));
      button.tabIndex = on ? 0 : -1;
      if (on && focus) button.focus();
    }
    panel.setAttribute("aria-labelledby", `tab-${key}-${own}`);
    show();
  }

  function show() {
    looks = { tab, log, oneAxis, all };
    const { paths = [], names = [], words: about = [], kinds = [] } = get("index"), n = paths.indexOf(path), shown = get("shown");
    title.textContent = title.title = here() ? shown.name : names[n] ?? path;
    words.textContent = here() ? shown.words : n < 0 ? "" : `${kinds[n]} ${about[n]}`;
    const focus = root.getRootNode().activeElement, kept = panel.contains(focus) && focus.tagName + (focus.className && "." + focus.className);
    ({ values: showValues, histogram: showHistograms, time: showTime, flow: showFlow, moments: showMoments })[tab]();
    if (kept) panel.querySelector(kept)?.focus({ preventScroll: true });
  }

  const empty = (...content) => panel.replaceChildren(make("p.nothing.soft", {}, ...content));
  const absent = () => !here() && (empty("…"), true);
  const named = (of) => (of === "gradient" ? `${path}.grad` : path).slice(0, 80);

  function showValues() {
    if (absent()) return;
    const { lines, gradient, weight } = get("shown");
    const table = make("table.stats", {}, make("tr", {}, make("td"), make("th", { scope: "col" }, "values"), make("th", { scope: "col" }, "gradient")));
    for (const [name, ...numbers] of lines) table.append(make("tr", {}, make("th", { scope: "row" }, name), ...numbers.map((number) => make("td", {}, number))));
    const tools = make("div.tools");
    const small = [weight, gradient].map((facts, k) => histogramOf(facts, facts.histogram, k));
    panel.replaceChildren(tools, make("div.split.three", {}, make("div", {}, heat.node, make("p.nothing.soft")), make("div.small", {}, ...small), table));
    drawTools(tools);
    drawHeat();
  }

  function chooser(name, choices, value, onPick) {
    const list = make("select", { change: () => onPick(list.value) }, ...choices.map(([key, text]) => make("option", { value: key }, text)));
    list.value = String(value);
    return make("label.pick", {}, name, list);
  }

  const axesOf = (drawn) => (want.axes.length ? want.axes : drawn.axes);

  function drawTools(tools) {
    const { heat: drawn } = get("shown"), shape = drawn.shape, size = shape.length;
    tools.replaceChildren(chooser("show", [["weight", "values"], ["gradient", "gradient"]], want.of, (of) => ask({ of })));
    if (drawn.block[0] * drawn.block[1] > 1) tools.append(chooser("each cell", [["mean", "mean of its block"], ["extreme", "farthest from 0"]], want.how, (how) => ask({ how })));
    if (size < 3) return;
    const { whole } = get("shown");
    const many = whole ? all : !!drawn.tile; // a small tensor is cut in the page
    if (whole || many || (size === 4 && !want.tiles)) tools.append(chooser("slices", [["all", "all"], ["one", "one"]], many ? "all" : "one", (how) => {
      looks.all = all = how === "all";
      ask({ tiles: all, ...(all && !whole ? { axes: [], index: [] } : {}) });
      newTools = "slices";
      if (whole) redrawTools();
    }));
    const axes = axesOf(drawn);
    ["down", "across"].forEach((name, which) => {
      const choices = shape.map((length, axis) => [axis, `dim ${axis} (${length})`]);
      tools.append(chooser(name, choices, axes[which], (value) => {
        const next = [...axes];
        if (next[1 - which] === Number(value)) next[1 - which] = next[which];
        next[which] = Number(value);
        ask({ axes: next, tiles: false });
        newTools = name;
        if (whole) redrawTools();
      }));
    });
    if (!many) shape.forEach((length, axis) => {
      if (axes.includes(axis) || length < 2) return;
      const slider = make("input", { type: "range", min: 0, max: length - 1, value: want.index[axis] ?? 0 }), number = make("output.mono");
      const tell = () => (number.textContent = `${slider.value} of ${length - 1}`);
      slider.addEventListener("input", () => {
        tell();
        ask({ index: shape.map((_, n) => (n === axis ? Number(slider.value) : want.index[n] ?? 0)) });
      });
      tell();
      tools.append(make("label.pick", {}, `dim ${axis}`, slider, number));
    });
  }

  /** The tools for what is shown now; the one that was used keeps the focus. */
  function redrawTools() {
    const tools = panel.querySelector(".tools");
    drawTools(tools);
    [...tools.children].find((one) => one.firstChild.textContent === newTools)?.lastElementChild.focus();
    newTools = "";
  }

  function drawHeat() {
    if (tab !== "values" || !here()) return;
    const { heat: drawn, whole, ...shown } = get("shown"), nothing = panel.querySelector("p.nothing");
    let data = null, said = drawn.problem;
    if (whole) {
      const bytes = whole[want.of];
      said = shown[want.of].problem;
      if (bytes.byteLength) data = sliceOf(floats(bytes), whole.shape, { ...want, axes: axesOf(drawn) }, all);
      if (data) data = { ...drawn, ...data, shape: whole.shape, used: data.cells.length, block: [1, 1], steps: [], limit: shown[want.of].limit, words: data.words ?? drawn.words };
    } else if (!said) data = { ...drawn, cells: floats(drawn.cells) };
    heat.show(data, named(whole ? want.of : drawn.of));
    nothing.textContent = data ? "" : `no picture: ${said || shown.gradient.problem}`;
  }

  const tick = (name, on, onPick) => make("label.pick", {}, make("input", { type: "checkbox", checked: on ? "" : null, change: (event) => onPick(event.target.checked) }), name);

  /** A histogram under its name, or why there is none. */
  function histogramOf(facts, found, k) {
    const chart = found ? histogramChart([found], ["numbers"], log, [k ? "gradients" : "values"]) : make("p.nothing.soft", {}, facts.problem || "its numbers are too far apart for bins");
    return make("figure", {}, make("figcaption", {}, `histogram of the ${k ? "gradient" : "values"}`), chart);
  }

  function showHistograms() {
    if (absent()) return;
    const { weight, gradient, shared } = get("shown");
    const tools = make("div.tools", {}, tick("counts on a log scale", log, (on) => ((log = on), show())), shared ? tick("one axis for both", oneAxis, (on) => ((oneAxis = on), show())) : null);
    const two = oneAxis && shared ? [shared.first, shared.second] : [weight.histogram, gradient.histogram];
    panel.replaceChildren(tools, make("div.pair", {}, ...[weight, gradient].map((facts, k) => histogramOf(facts, two[k], k))));
  }

  // ------------------------------------------------------------------ over time

  function readPast() {
    const { rows, steps, more, ...columns } = get("past"), { paths } = get("index");
    past = rows && { paths: [...numbers({ kind: "H", bytes: rows })].map((row) => paths[row]), steps: [...steps], more };
    if (past) for (const key of ["weight", "gradient", "update"]) past[key] = split(norms(columns[key]), steps.length, past.paths.length);
    live = null;
  }

  /** One array for each look. */
  const split = (flat, looks, width) => Array.from({ length: looks }, (_, n) => flat.subarray(n * width, (n + 1) * width));

  function readNews() {
    const news = get("news");
    if (!past || !(news.step > past.steps.at(-1))) return;
    past.steps.push(news.step);
    for (const key of ["weight", "gradient", "update"]) past[key].push(norms(news[key]));
    if (past.steps.length > 600) for (const key of ["steps", "weight", "gradient", "update"]) past[key] = past[key].filter((_, n) => n % 2 === 0 || n > 598);
    live = { step: news.step, gradient: past.gradient.at(-1), largest: norms(news.largest) };
  }

  function curve(key, column) {
    if (key !== "ratio") return past[key].map((row) => row[column]);
    return past.update.map((row, n) => (row[column] < 0 ? row[column] : row[column] / past.weight[n][column]));
  }

  function showTime() {
    if (!past) return empty("Nothing has been watched yet. Norms over time come from ", make("code", {}, "with nw.watch(model) as w: …"));
    const more = past.more ? ` of the first ${grouped(past.paths.length)} parameters` : " of all parameters";
    panel.replaceChildren(make("div.quarters", {}, ...charts.map((chart) => chart.node)), make("p.soft.hint", {}, `Thick: ${named("weight")}. Faint: the norms${more}. Log scales. Large tensors are judged by a sample; a ratio near 1e-3 is a common rule of thumb.`));
    drawTime();
  }

  function drawTime() {
    if (tab !== "time" || !past) return;
    const column = past.paths.indexOf(path), last = past.steps.length - 1, now = at < 0 ? last : Math.min(at, last);
    const every = Math.ceil(past.paths.length / FAINT);
    const others = [...past.paths.keys()].filter((n) => n !== column && n % every === 0);
    METRICS.forEach(([key], n) => charts[n].show(past.steps, column < 0 ? null : curve(key, column), others.map((other) => curve(key, other)), now));
  }

  // ------------------------------------------------------------------ gradient flow

  function showFlow() {
    const flow = get("flow");
    if (!flow.words?.length) return empty("There are no parameters here.");
    const top = scrolled(), findings = live ? [] : flow.findings;
    const list = findings.map((one) => make("li", {}, "⚠ ", make("bdi", {}, one.text), " ", make("button.link", { type: "button", click: () => choose(one.path) }, "show")));
    panel.replaceChildren(make("ul.findings", {}, ...list), barList(flowRows(flow), path, "gradients by parameter", choose, "RMS of its gradient"), make("p.soft.hint", {}, flow.caption, live ? ` Step ${grouped(live.step)}.` : ""));
    settle(top);
  }

  function flowRows({ words, ...flow }) {
    const rms = floats(flow.rms), largest = floats(flow.largest), index = get("index");
    return [...numbers({ kind: "H", bytes: flow.rows })].map((at, n) => {
      const path = index.paths[at], row = { path, name: index.names[at], value: rms[n], far: largest[n], words: words[n] }, column = live ? past.paths.indexOf(path) : -1;
      if (column < 0) return row;
      const norm = live.gradient[column], value = norm / Math.sqrt(index.numels[at] || 1);
      return { ...row, value, far: live.largest[column], words: norm === -1 ? "no gradient" : norm === -2 ? "unknown" : rounded(value) };
    });
  }

  const scrolled = () => panel.querySelector(".bars")?.scrollTop ?? 0;

  /** Keeps a list where it was, and the chosen row in sight. */
  function settle(top) {
    const list = panel.querySelector(".bars"), row = list.querySelector("[aria-selected=true]")?.offsetTop ?? top;
    list.scrollTop = row < top || row + 22 > top + list.clientHeight ? row - 60 : top;
  }

  // ------------------------------------------------------------------ before and after

  function showMoments() {
    const { names, keys, chosen, table, heat: moved, overlay } = get("moments");
    const button = make("button", { type: "button", click: () => send({ kind: "remember" }) && patience(() => get("moments").keys?.length > (keys?.length ?? 0)) }, "Remember this moment");
    if (!names) return panel.replaceChildren(make("div.tools", {}, button), make("p.nothing.soft", {}, "No moment is remembered yet. Remember one, train or load weights, and look here again. In Python: ", make("code", {}, 'view.remember("before")')));
    const pair = [...chosen];
    const pick = (n, name) => chooser(name, keys.map((key, k) => [key, names[k]]), chosen[n], (key) => {
      pair[n] = key;
      send({ kind: "compare", before: pair[0], after: pair[1] });
      patience(() => get("moments").chosen !== chosen);
    });
    const tools = make("div.tools", {}, button, pick(0, "from"), pick(1, "to"));
    const far = floats(table.percent), n = table.paths.indexOf(path), top = scrolled();
    const rows = table.paths.map((key, k) => ({ path: key, name: table.names[k], value: far[k], words: table.words[k] }));
    const detail = make("div.side", {}, make("p", {}, table.lines[n] ?? ""));
    if (here() && overlay) detail.append(make("p", {}, make("span.before", {}, "■ "), table.from, " ", make("span.after", {}, "□ "), table.to), histogramChart([overlay.first, overlay.second], [`in ${table.from}`, `in ${table.to}`], false, ["before", "after"]));
    if (here()) detail.append(make("p", {}, "what was added to each number:"), change.node);
    panel.replaceChildren(tools, make("div.split", {}, make("div", {}, barList(rows, path, "how far each tensor moved", choose, "distance, share of its norm", " %"), make("p.soft.hint", {}, table.caption)), detail));
    if (here()) change.show(moved?.cells && !moved.problem ? { ...moved, cells: floats(moved.cells) } : null, `Δ ${path.slice(0, 60)}`);
    settle(top);
  }

  // ------------------------------------------------------------------ search and tabs

  function listTensors() {
    const { paths = [], words: about } = get("index");
    known.replaceChildren(...paths.map((key, n) => make("option", { value: key }, about[n])));
  }

  field.addEventListener("change", () => {
    const wanted = field.value.trim(), { paths = [] } = get("index");
    field.value = "";
    if (wanted) choose(paths.find((key) => key === wanted) ?? paths.find((key) => key.toLowerCase().includes(wanted.toLowerCase())) ?? wanted);
  });
  onArrows(tabs, (by) => by && open(TABS[Math.abs(by) > 1 ? clamp(by, TABS.length - 1) : (TABS.findIndex(([key]) => key === tab) + by + TABS.length) % TABS.length][0]));

  // ------------------------------------------------------------------ listening

  /** What Python chose, unless it is what Python had chosen before. */
  function hear() {
    const shown = get("shown"), { of, axes, index, how, tiled } = shown.heat ?? {}, now = JSON.stringify([shown.path, of, axes, index, how, tiled]);
    if (shown.asked === model.get("path") || !path) path = shown.path ?? path;
    if (now !== heard && here() && shown.heat) {
      const asked = index?.map((_, n) => (axes.includes(n) ? 0 : want.index[n] ?? 0));
      if (String([want.axes.length ? want.axes : axes, asked]) !== String([axes, index])) all = false; // Python chose a slice
      want = { of, axes, index, how, tiles: tiled };
    }
    heard = now;
    if (here()) (wait.textContent = ""), clearTimeout(waiting);
  }

  listen("change:path", () => {
    const { paths = [] } = get("index"), next = model.get("path"), first = paths.find((key) => key === next || key.startsWith(next + "."));
    if (!next || next === path || !first) return;
    path = first; // a module stands for its first tensor
    want = fresh();
    patience(here);
    later(show);
  });
  listen("change:shown", () => later(() => (hear(), refresh("values", "histogram", "moments"))));
  listen("change:index", () => later(() => (listTensors(), show())));
  listen("change:flow", () => later(() => ((live = null), refresh("flow"))));
  listen("change:past", () => later(() => (readPast(), refresh("time", "flow"))));
  listen("change:news", () => (readNews(), later(() => refresh("time", "flow"))));
  listen("change:moments", () => later(() => ((wait.textContent = ""), refresh("moments"))));
  /** Draws the panel again if it is one of these; a slider in use stays. */
  function refresh(...which) {
    if (!which.includes(tab)) return;
    if (tab === "values" && here() && panel.contains(root.getRootNode().activeElement)) drawHeat(), newTools && redrawTools();
    else if (tab === "time" && panel.contains(charts[0].node)) drawTime();
    else show();
  }
  const redraw = () => later(() => (heat.draw(), change.draw(), drawTime()));
  const size = new ResizeObserver(redraw);
  size.observe(root);
  root.addEventListener("theme", redraw);
  undo.push(() => size.disconnect(), () => clearTimeout(waiting), () => clearTimeout(asking));

  listTensors();
  hear();
  readPast();
  readNews();
  open(tab, false);
  return dispose;
}

export default { render };
