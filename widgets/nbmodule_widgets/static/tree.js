// ModuleTree: rows of a fixed height, of which only those in sight exist; the keyboard of an ARIA tree.

const ROW = 24, MOST_ROWS = 18, UNFOLD_ALL = 40, DECADES = 3;

function render({ model, el }) {
  const { root, listen, later, undo, alive, dispose } = frame(model, el, "tree of a model");
  const prefix = `row-${Math.random().toString(36).slice(2)}-`; // ids are looked up inside this view only
  let rows = unpack(model.get("tree"));
  let open = unfoldedAtFirst(rows);
  let shown = [];
  let cursor = model.get("selection")[1] ?? -1;
  let query = "";
  let norms = null;
  let highest = 1;

  const parts = skeleton();
  root.append(...parts.all);
  const { list, search, tensors, metric } = parts;

  // ------------------------------------------------------------------ drawing

  function refresh() {
    shown = visibleRows(rows, open, query, tensors.checked);
    list.style.height = `${Math.max(6, Math.min(MOST_ROWS, shown.length)) * ROW + 2}px`;
    const all = rows.total === 1 ? "1 row" : `${rows.total.toLocaleString("en")} rows`;
    parts.found.textContent = `${shown.length.toLocaleString("en")} of ${all}`;
    paint();
  }

  function paint() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
    const last = Math.min(shown.length, first + Math.ceil(list.clientHeight / ROW) + 10);
    parts.space.style.height = `${shown.length * ROW}px`;
    const drawn = [parts.space];
    for (let line = first; line < last; line++) drawn.push(drawRow(shown[line], line));
    if (!shown.length) drawn.push(make("p.nothing.soft", { role: "none" }, "nothing found"));
    list.replaceChildren(...drawn);
    const at = shown.indexOf(cursor);
    if (at >= first && at < last) list.setAttribute("aria-activedescendant", prefix + cursor);
    else list.removeAttribute("aria-activedescendant");
  }

  function drawRow(row, line) {
    const facts = describe(rows, row);
    const kind = KINDS[rows.kind[row]];
    const parent = rows.parent[row];
    const folds = query ? rows.parent[shown[line + 1]] === row : hasChildren(row);
    const unfolded = folds && (open.has(row) || !!query);
    const twisty = make("span.twisty", { "aria-hidden": "true" }, folds ? (unfolded ? "▾" : "▸") : "");
    const name = make("span.name", { title: facts.name }, twisty, badge(kind), make("bdi", {}, ...(kind === "note" ? withCode(facts.name) : [facts.name])));
    name.style.paddingLeft = `min(${rows.depth[row] * 16}px, 45%)`; // a name has room at any depth
    const what = make("span.what", { title: `${facts.class ?? ""}${facts.extra}` });
    if (facts.class) what.append(make("span.class", {}, facts.class));
    if (facts.extra) what.append(make("bdi", {}, facts.extra));
    if (facts.hooks) what.append(" ", make("span.chip", {}, facts.hooks));
    if (facts.twin) what.append(" ", make("button.link", { type: "button", tabindex: "-1", "data-twin": facts.twin[0], title: facts.twin[1] }, `⇄ ${facts.twin[1]}`));
    const node = make(
      "div.row",
      {
        role: "treeitem", id: prefix + row, "data-row": row, "aria-level": rows.depth[row] + 1,
        "aria-selected": String(row === cursor), "aria-expanded": folds ? String(unfolded) : null,
        "aria-posinset": parent >= 0 ? rows.position[row] : 1, "aria-setsize": parent >= 0 ? rows.children[parent] : 1,
        "aria-label": spoken(facts, kind),
      },
    );
    node.style.top = `${line * ROW}px`;
    if (kind === "note") {
      name.style.gridColumn = "1 / -1";
      node.append(name);
    } else {
      node.append(name, what, drawCount(facts.count, kind), make(`span.state${facts.tone ? "." + facts.tone : ""}`, {}, facts.state));
      if (norms) node.append(drawNorm(norms[row], kind === "buffer" || facts.state === "none"));
    }
    return node;
  }

  function drawNorm(value, aside) {
    const cell = make("span.metric");
    const bar = make("span.bar.moves");
    const above = value > 0 ? 1 + Math.log10(value / highest) / DECADES : 0;
    bar.style.width = `${Math.max(0, Math.min(1, above)) * 100}%`;
    const words = { "-1": aside ? "–" : "None", "-2": aside ? "–" : "unread", "-3": "" }[value] ?? decimal(value);
    cell.append(make("span.track", { "aria-hidden": "true" }, bar), make("span.number", {}, words));
    if (Number.isNaN(value)) cell.classList.add("problem");
    return cell;
  }

  function showTree() {
    const { tree } = rows;
    parts.title.textContent = describe(rows, 0).class + (describe(rows, 0).extra === "()" ? "" : describe(rows, 0).extra);
    parts.totals.replaceChildren(...tree.totals.map(([name, number]) => make("span.total.soft", {}, `${name} `, make("b", {}, number))));
    refresh();
  }

  function showDetail() {
    const detail = model.get("detail") ?? {};
    clearTimeout(patience);
    parts.inside.replaceChildren(...drawDetail(detail));
  }

  function showPulse() {
    const live = model.get("live") ?? {};
    parts.pulse.hidden = !live.status;
    root.classList.toggle("live", !!live.status);
    if (!live.status) return;
    parts.status.textContent = live.status;
    parts.curve.replaceChildren(...drawCurve(live.curve));
    const column = floats(live.columns[metric.value]);
    norms = column.length === rows.tensors.length ? spread(rows, column) : null;
    highest = norms ? rows.tensors.reduce((most, row) => Math.max(most, Number.isFinite(norms[row]) ? norms[row] : 0), 1e-30) : 1;
    parts.legend.textContent = norms ? `bar: ${metric.value}, log scale over ${DECADES} decades, full at ${decimal(highest)}` : "";
    paint();
  }

  // ------------------------------------------------------------------ choosing

  const hasChildren = (row) => rows.children[row] > 0 && (tensors.checked || rows.kind[row] !== MODULE || childModules(row));

  /** Whether a row still has something to unfold when the tensors are hidden. */
  function childModules(row) {
    const pattern = rows.tree.patterns[rows.column.pattern[rows.module[row]]];
    return rows.children[row] > pattern.tensors.length;
  }

  /** Whether the details of a row are here already. */
  function known(row) {
    const detail = model.get("detail") ?? {};
    return detail.row === row && detail.version === rows.tree.version;
  }

  function showPatience() {
    parts.inside.replaceChildren(make("p.soft", {}, alive() ? "Python is busy; the details follow when it is free." : GONE));
  }

  let patience = 0, saving = 0;
  function choose(row) {
    if (row === undefined || row < 0) return;
    cursor = row;
    model.set("selection", [rows.tree.version, row]);
    clearTimeout(saving);
    saving = setTimeout(() => model.save_changes(), 60); // a held arrow key asks for the last row only
    clearTimeout(patience);
    if (!known(row)) patience = setTimeout(showPatience, 700);
    else showDetail(); // nothing new to ask for, so no answer would come
    reveal(row);
  }

  function reveal(row) {
    for (let at = rows.parent[row]; at >= 0; at = rows.parent[at]) open.add(at);
    refresh();
    const top = shown.indexOf(row) * ROW;
    if (top < 0) return;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    paint();
  }

  function toggle(row) {
    if (!hasChildren(row) || query) return;
    if (!open.delete(row)) open.add(row);
    refresh();
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = shown.indexOf(cursor);
    const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -shown.length, End: shown.length };
    const step = steps[event.key];
    if (step !== undefined) choose(shown[Math.max(0, Math.min(shown.length - 1, at + step))]);
    else if (event.key === "ArrowRight") at < 0 || !hasChildren(cursor) ? choose(cursor) : open.has(cursor) || query ? choose(shown[at + 1]) : toggle(cursor);
    else if (event.key === "ArrowLeft") at >= 0 && open.has(cursor) && hasChildren(cursor) && !query ? toggle(cursor) : choose(rows.parent[cursor]);
    else if (event.key === "Enter" || event.key === " ") hasChildren(cursor) ? toggle(cursor) : choose(describe(rows, cursor).twin?.[0]);
    else if (event.key === "*") unfoldSiblings();
    else if (event.key === "/") search.focus();
    else if (event.key.length === 1) typeAhead(event.key, at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  let typed = "", typing = 0;
  /** Letters lead to the next row whose name begins with them, as in every tree. */
  function typeAhead(letter, at) {
    clearTimeout(typing);
    typing = setTimeout(() => (typed = ""), 700);
    typed += letter.toLowerCase();
    const from = at + (typed.length === 1 ? 1 : 0);
    choose([...shown.slice(from), ...shown.slice(0, from)].find((row) => describe(rows, row).name.toLowerCase().startsWith(typed)));
  }

  function unfoldSiblings() {
    for (const row of shown) if (rows.parent[row] === rows.parent[cursor] && hasChildren(row)) open.add(row);
    refresh();
  }

  function onClick(event) {
    const twin = event.target.closest("[data-twin]");
    if (twin) return choose(Number(twin.dataset.twin));
    const row = event.target.closest("[role=treeitem]");
    if (!row) return;
    if (event.target.closest(".twisty")) toggle(Number(row.dataset.row));
    else choose(Number(row.dataset.row));
  }

  // ------------------------------------------------------------------ listening

  list.addEventListener("keydown", onKey);
  list.addEventListener("click", onClick);
  list.addEventListener("dblclick", (event) => {
    const row = event.target.closest("[role=treeitem]");
    if (row && !event.target.closest(".twisty, .link")) toggle(Number(row.dataset.row));
  });
  list.addEventListener("scroll", () => later(paint));
  search.addEventListener("input", () => {
    query = search.value.trim();
    list.scrollTop = 0;
    refresh();
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape") search.value = query = "";
    else if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    list.focus();
    if (event.key !== "Escape" && !shown.includes(cursor)) choose(firstMatch());
    else refresh();
  });
  const firstMatch = () => shown.find((row) => describe(rows, row).name.toLowerCase().includes(query.toLowerCase())) ?? shown[0];
  tensors.addEventListener("change", refresh);
  metric.addEventListener("change", showPulse);
  parts.unfold.addEventListener("click", () => {
    for (let row = 0; row < rows.total; row++) if (rows.children[row]) open.add(row);
    refresh();
  });
  parts.fold.addEventListener("click", () => {
    open = new Set([0]);
    refresh();
  });
  listen("change:tree", () => {
    const before = rows;
    rows = unpack(model.get("tree"));
    const old = counterparts(before, rows);
    const kept = new Set([0]);
    for (let row = 0; row < rows.total; row++) if (old[row] >= 0 ? open.has(old[row]) : rows.total <= UNFOLD_ALL && rows.children[row]) kept.add(row);
    cursor = old.indexOf(cursor);
    open = kept;
    norms = null;
    showTree();
    showPulse();
  });
  listen("change:selection", () => {
    const [version, row] = model.get("selection");
    if (version !== rows.tree.version || row === cursor) return;
    cursor = row;
    row >= 0 ? reveal(row) : paint();
  });
  listen("change:detail", showDetail);
  listen("change:live", () => later(showPulse));
  let placed = false;
  const size = new ResizeObserver(() => {
    later(paint);
    if (!placed && cursor >= 0) reveal(cursor); // what Python has selected, as soon as there is room to show it
    placed = true;
  });
  size.observe(list);
  undo.push(() => size.disconnect(), () => clearTimeout(patience), () => clearTimeout(saving), () => clearTimeout(typing));

  showTree();
  showDetail();
  showPulse();
  return dispose;
}

/** Small models are unfolded, large ones show their first level. */
function unfoldedAtFirst(rows) {
  const open = new Set([0]);
  if (rows.total <= UNFOLD_ALL) for (let row = 0; row < rows.total; row++) if (rows.children[row]) open.add(row);
  return open;
}

/** The parts that stay; names for those that change. */
function skeleton() {
  const title = make("bdi.title"), totals = make("span.head");
  const search = make("input", { type: "search", placeholder: "search name or class", "aria-label": "search name or class" });
  const unfold = make("button", { type: "button" }, "Unfold all"), fold = make("button", { type: "button" }, "Fold");
  const tensors = make("input", { type: "checkbox", checked: "" });
  const found = make("span.found.soft", { role: "status", "aria-live": "polite" });
  const status = make("span.status"), curve = draw("svg", { viewBox: "0 0 100 20", preserveAspectRatio: "none", "aria-hidden": "true" });
  const pulse = make("div.pulse", { hidden: "" }, make("span", { "aria-hidden": "true" }, "♥"), status, curve);
  const metric = make("select", { "aria-label": "what the bars show" }, ...["weight norm", "gradient norm", "last change"].map((name) => make("option", { value: name }, name)));
  const columns = make("div.columns", {}, make("span", {}, "name"), make("span.what", {}, "what it is"), make("span.right", { title: "numbers in parameters here and below, shared ones once; those in buffers stand in brackets" }, "parameters"), make("span", {}, "state"), make("span.metric-head", {}, metric));
  const space = make("div"), list = make("div.rows", { role: "tree", tabindex: "0", "aria-label": "modules, parameters and buffers" }, space);
  const inside = make("div.inside", { "aria-live": "polite", tabindex: "0" });
  const legend = make("span.legend");
  const keys = ["module", "parameter", "buffer"].map((kind) => make("span", {}, badge(kind), kind));
  const foot = make("div.foot", {}, ...keys, make("span", {}, "⇄ shared"), make("span", {}, "❄ frozen"), legend);
  const all = [
    make("div.head", {}, title, totals),
    make("div.tools", {}, search, unfold, fold, make("label.check", {}, tensors, "tensors"), found),
    pulse,
    make("div.body", {}, make("div.table", {}, columns, list), make("aside.pane", { "aria-label": "details of the selected row" }, inside)),
    foot,
  ];
  return { all, title, totals, search, unfold, fold, tensors, found, status, curve, pulse, metric, space, list, inside, legend };
}

/** Buffers hold numbers that are no parameters: in brackets, since they are not in the sums above them. */
function drawCount(count, kind) {
  const words = count ? count.toLocaleString("en") : "–";
  return kind === "buffer" ? make("span.count.aside", {}, `(${words})`) : make("span.count", {}, words);
}

function badge(kind) {
  const letter = { module: "M", parameter: "P", buffer: "B", note: "!" }[kind];
  return make(`span.badge.${kind}`, { "aria-hidden": "true" }, letter);
}

/** A row as a screen reader says it. */
function spoken(facts, kind) {
  const words = [facts.name, kind === "module" ? facts.class : kind, facts.extra === "()" ? "" : facts.extra];
  if (facts.count) words.push(`${facts.count.toLocaleString("en")} numbers`);
  words.push(facts.state.replace(/[●○❄] /u, ""), facts.hooks, facts.twin?.[1]);
  return words.filter(Boolean).join(", ");
}

function drawDetail(detail) {
  if (detail.row === undefined) {
    return [make("p.soft", {}, "Select a row to see what is behind it."), make("p.soft", {}, "In Python the selected object is ", make("code", {}, "view.selected"), ".")];
  }
  const copy = make("button", { type: "button", "aria-label": "copy the path" }, "copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(detail.path);
      copy.textContent = "copied";
    } catch {
      copy.textContent = "not allowed";
    }
  });
  const title = make("h4", {}, badge(detail.kind), make("bdi", { title: detail.title }, detail.title), detail.path ? copy : null);
  const list = make("dl", {}, ...detail.lines.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, make("bdi", {}, ...withCode(value)))]));
  return detail.histogram ? [title, list, drawHistogram(detail)] : [title, list];
}

function drawHistogram({ histogram, ends }) {
  const most = Math.max(...histogram, 1);
  const bars = histogram.map((n, i) => draw("rect", { x: i + 0.06, width: 0.88, y: 20 - (20 * n) / most, height: (20 * n) / most }));
  const picture = draw("svg", { viewBox: `0 0 ${histogram.length} 20`, preserveAspectRatio: "none", role: "img", "aria-label": `histogram of the values from ${ends[0]} to ${ends[1]}` }, ...bars);
  return make("figure", {}, picture, make("figcaption", {}, make("span", {}, ends[0]), make("span", {}, "how the values lie"), make("span", {}, ends[1])));
}

function drawCurve(curve) {
  const points = (curve?.points ?? []).filter(Number.isFinite);
  if (points.length < 2) return [];
  const low = Math.min(...points), span = Math.max(...points) - low || 1;
  const place = points.map((value, i) => `${(100 * i) / (points.length - 1)},${19 - (18 * (value - low)) / span}`);
  return [draw("polyline", { points: place.join(" ") })];
}

export default { render };
