// ModuleTree: rows of a fixed height, of which only those in sight exist; the keyboard of an ARIA tree.

const ROW = 24, MOST_ROWS = 18, UNFOLD_TO = 40, MOST_DEPTHS = 5;
const KEPT = new Map(); // what the reader has unfolded and asked for, by view: the same view may be drawn again

function render({ model, el, host }) {
  const { root, listen, later, undo, send, alive, dispose } = frame(model, el, "tree of a model");
  const prefix = `row-${Math.random().toString(36).slice(2)}-`; // ids are looked up inside this view only
  const own = model.get("tree").view;
  let rows, kinds, open, depths, shape; // of the tree that is shown
  let shown = new Int32Array(0), keep = null; // the rows to show, and in a search which of them were searched for
  let cursor = model.get("selection")[1] ?? -1;
  let changes = new Map(), drawn = new Map(); // by row: what has changed in it, and its element

  const parts = skeleton();
  root.append(...parts.all);
  root.after(parts.below);
  const { list, which, tensors, metric, ledger, values } = parts;
  const painting = painter(model, parts), inner = innerViews({ model, root, host, parts, send, listen });
  const query = () => parts.search.value.trim().toLowerCase();
  const searching = () => !!(query() || which.value);

  // ------------------------------------------------------------------ the tree

  function takeTree() {
    const before = rows && { rows, open };
    rows = unpack(model.get("tree"));
    kinds = kindsOf(rows);
    let widest = depths = 0;
    rows.depth.forEach((depth, row) => {
      depths = Math.max(depths, depth);
      if (rows.kind[row] !== NOTE) widest = Math.max(widest, Math.min(depth * 16, 160) + nameOf(rows, row).length * 7.6);
    });
    root.style.setProperty("--names", `${widest + 52}px`); // room for the longest name, as far as there is
    const earlier = before ?? KEPT.get(own), old = earlier && counterparts(earlier.rows, rows);
    open = unfoldedAtFirst(rows, UNFOLD_TO);
    if (earlier) carryUnfolded(earlier, { rows, open }, old);
    else if (model.get("unfold")?.[0]) unfoldTo(rows, open, model.get("unfold")[1]);
    if (before && cursor >= 0) cursor = cursor < before.rows.total ? old.indexOf(cursor) : groupLike(before.rows, cursor, rows, old);
    painting.forget();
  }

  function showTree() {
    const { tree } = rows, { extra, class: kind } = describe(rows, 0);
    parts.title.textContent = kind + (extra === "()" ? "" : extra);
    parts.totals.replaceChildren(...tree.totals.map(([name, number]) => make("span.total.soft", {}, `${name} `, make("b", {}, number))));
    const choice = which.value, counts = {}, alike = new Uint32Array(1024); // rows of the same kinds
    for (const bits of kinds) alike[bits]++;
    which.replaceChildren(make("option", { value: "" }, "all rows"));
    for (const [name, bit] of Object.entries(WHICH)) {
      const number = (counts[name] = alike.reduce((sum, n, bits) => sum + (bits & bit ? n : 0), 0));
      if (number) which.append(make("option", { value: bit }, `${name} (${words(number)})`));
    }
    which.value = choice;
    if (which.selectedIndex < 0) which.value = "";
    if (counts.notes) parts.totals.append(button(`! ${words(counts.notes)} note${counts.notes > 1 ? "s" : ""}`, () => ask(WHICH.notes), { class: "link problem" }));
    const steps = [...Array(Math.min(MOST_DEPTHS, depths)).keys()].map((n) => n + 1);
    parts.depth.replaceChildren("depth\u00a0", ...[...steps, -1].map((n) => button(n < 0 ? "all" : n, () => unfold(n))));
    refresh();
  }

  function unfold(depth) {
    unfoldTo(rows, open, depth);
    clearSearch();
    refresh();
  }

  function ask(bit) {
    which.value = bit;
    list.scrollTop = 0;
    refresh();
  }

  function clearSearch() {
    parts.search.value = which.value = "";
  }

  // ------------------------------------------------------------------ drawing

  function refresh() {
    const found = searching() ? search(rows, kinds, { query: query(), which: Number(which.value), tensors: tensors.checked }) : null;
    keep = found?.keep;
    shape = shapeOf(rows, changes, keep || painting.values);
    shown = found?.shown ?? unfoldedRows(rows, shape, open, tensors.checked);
    list.style.height = `${Math.max(6, Math.min(MOST_ROWS, shown.length)) * ROW + 2}px`;
    parts.found.textContent = `${words(found?.hits ?? shown.filter((row) => row < rows.total).length)} of ${words(rows.total)} row${rows.total > 1 ? "s" : ""}`;
    paint();
  }

  function paint() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
    const last = Math.min(shown.length, first + MOST_ROWS + 10); // not by its height: what is hidden has none
    parts.space.style.height = `${shown.length * ROW}px`;
    drawn = new Map();
    for (let line = first; line < last; line++) drawn.set(shown[line], drawRow(shown[line], line));
    list.replaceChildren(parts.space, ...drawn.values(), ...(shown.length ? [] : [make("p.nothing.soft", { role: "none" }, "nothing found")]));
    if (!ledger.checked) painting.fill(rows, drawn);
    if (drawn.has(cursor)) list.setAttribute("aria-activedescendant", prefix + cursor);
    else list.removeAttribute("aria-activedescendant");
  }

  /** Only numbers and bars change; the rows stay, and with them a click that is just being made. */
  function showMetric() {
    const before = painting.values;
    root.classList.toggle("live", painting.take(rows, kinds));
    if (!before !== !painting.values) refresh();
    else if (!ledger.checked) painting.fill(rows, drawn);
  }

  function drawRow(row, line) {
    const group = row >= rows.total, facts = describe(rows, row);
    const change = changes.get(group ? rows.groups[row - rows.total].first : row), kind = group ? "module" : ROW_KINDS[rows.kind[row]];
    const folds = keep ? rows.parent[shown[line + 1]] === row : hasChildren(row);
    const unfolded = folds && (open[row] || keep);
    const twisty = mute("span.twisty", folds ? (unfolded ? "▾" : "▸") : "");
    const name = make("span.name", { title: facts.name }, twisty, badge(kind), make("bdi", {}, ...(kind === "note" ? withCode(facts.name) : [facts.name])));
    name.style.paddingLeft = `min(${(shape.level[row] - 1) * 16}px, 45%)`; // a name has room at any depth
    const node = make(`div.row${keep?.[row] === 1 ? ".way" : ""}${change ? ".changed" : ""}`, {
      role: "treeitem", id: prefix + row, "data-row": row, "aria-level": shape.level[row],
      "aria-selected": String(row === cursor), "aria-expanded": folds ? String(!!unfolded) : null,
      "aria-posinset": shape.position[row], "aria-setsize": shape.up[row] < 0 ? 1 : shape.size[shape.up[row]],
      "aria-label": spoken(facts, kind, change),
    });
    node.style.top = `${line * ROW}px`;
    if (kind === "note") {
      name.classList.add("note", facts.note);
      node.append(name);
    } else {
      node.append(name, drawWhat(facts, change), drawCount(facts, kind));
      if (ledger.checked) node.append(...drawRules(facts));
      else node.append(group ? "" : make("span.memory", {}, facts.bytes), make("span.state", { class: `state ${facts.tone}` }, facts.state), painting.values ? drawNumber() : "");
    }
    return node;
  }

  // ------------------------------------------------------------------ changes and the pane

  function showChanges() {
    const news = model.get("changed") ?? {};
    for (const row of changes.keys()) kinds[row] &= ~WHICH.changed;
    changes = new Map();
    if (news.version === rows.tree.version) {
      const word = numbers(news.word);
      numbers(news.rows).forEach((row, i) => changes.set(row, news.words[word[i]]));
    }
    for (const row of changes.keys()) kinds[row] |= WHICH.changed;
    parts.changes.hidden = !news.line;
    parts.changes.classList.toggle("problem", !!news.failed);
    parts.story.replaceChildren(...withCode(news.line ?? ""));
    const steps = [button("‹ previous", () => jump(-1)), button("next ›", () => jump(1)), button("only these", () => ask(WHICH.changed))];
    parts.steps.replaceChildren(...(changes.size ? steps : []), button("clear", forget, { "aria-label": "clear the marks of what changed" }));
  }

  function jump(direction) {
    const all = [...changes.keys()].sort((a, b) => a - b);
    const next = direction > 0 ? all.find((row) => row > cursor) : all.findLast((row) => row < cursor);
    choose(next ?? all.at(direction > 0 ? 0 : -1));
  }

  function forget() {
    send({ kind: "forget" });
    model.set("changed", {});
    showChanges();
    showTree();
    list.focus();
  }

  function showDetail() {
    clearTimeout(patience);
    const focused = root.getRootNode().activeElement, had = parts.inside.contains(focused) && focused.textContent;
    parts.inside.replaceChildren(...(cursor >= rows.total ? drawGroup(describe(rows, cursor)) : drawDetail(model.get("detail") ?? {}, act)));
    if (had) [...parts.inside.querySelectorAll("button")].find((each) => each.textContent === had)?.focus();
  }

  /** What stands beside the names: sizes and states, or what is learned, saved and moved. */
  function showColumns() {
    ledger.checked = model.get("columns") === "ledger";
    root.classList.toggle("ledger", ledger.checked);
    paint();
  }

  /** Asks Python to do something to the model. */
  function act(message) {
    clearTimeout(patience);
    patience = setTimeout(showPatience, send({ ...message, selection: [rows.tree.version, chosen()] }) ? 700 : 0);
  }

  // ------------------------------------------------------------------ choosing

  const hasChildren = (row) => row >= rows.total || rows.children[row] > 0 && (tensors.checked || rows.kind[row] !== MODULE || rows.children[row] > patternOf(rows, row).tensors.length);
  const chosen = () => (cursor < rows.total ? cursor : -1); // as Python knows it: a group is no object

  /** Whether the details of a row are here already. */
  function known(row) {
    if (row >= rows.total) return true;
    const detail = model.get("detail") ?? {};
    return detail.row === row && detail.version === rows.tree.version;
  }

  function showPatience() {
    parts.inside.replaceChildren(make("p.soft", {}, alive() ? BUSY : GONE));
  }

  /** Tells Python which row is chosen. Not sooner than it is sent: Python's echo of the row before would take it back. */
  function sayChosen() {
    model.set("selection", [rows.tree.version, chosen()]);
    model.set("path", pathOf(rows, chosen()));
    model.save_changes();
  }

  let patience = 0, saving = 0;
  function choose(row) {
    if (row === undefined || row < 0) return;
    cursor = row;
    clearTimeout(saving);
    saving = setTimeout(sayChosen, 60); // a held arrow key asks for the last row only
    clearTimeout(patience);
    if (!known(row)) patience = setTimeout(showPatience, 700);
    else showDetail(); // nothing new to ask for, so no answer would come
    reveal(row);
  }

  function reveal(row) {
    if (keep && !keep[row]) clearSearch();
    shape = shapeOf(rows, changes, searching() || painting.values);
    for (let at = shape.up[row]; at >= 0; at = shape.up[at]) open[at] = 1;
    refresh();
    const y = shown.indexOf(row) * ROW;
    if (y < 0) return;
    if (y < list.scrollTop) list.scrollTop = y;
    else if (y + ROW > list.scrollTop + list.clientHeight) list.scrollTop = y + ROW - list.clientHeight;
    paint();
  }

  function toggle(row) {
    if (!hasChildren(row) || keep) return;
    open[row] ^= 1;
    refresh();
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = shown.indexOf(cursor);
    const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -shown.length, End: shown.length };
    const step = steps[event.key];
    if (step !== undefined) choose(shown[Math.max(0, Math.min(shown.length - 1, at + step))]);
    else if (event.key === "ArrowRight") at < 0 || !hasChildren(cursor) ? choose(cursor) : open[cursor] || keep ? choose(shown[at + 1]) : toggle(cursor);
    else if (event.key === "ArrowLeft") at >= 0 && open[cursor] && hasChildren(cursor) && !keep ? toggle(cursor) : choose(shape.up[cursor]);
    else if (event.key === "Enter" || event.key === " ") hasChildren(cursor) ? toggle(cursor) : cursor >= 0 && choose(describe(rows, cursor).twin?.[0]);
    else if (event.key === "*") unfoldSiblings();
    else if (event.key === "/") parts.search.focus();
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
    choose([...shown.slice(from), ...shown.slice(0, from)].find((row) => nameOf(rows, row).toLowerCase().startsWith(typed)));
  }

  function unfoldSiblings() {
    for (const row of shown) if (shape.up[row] === shape.up[cursor] && hasChildren(row)) open[row] = 1;
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
  /** Notes what the reader did in this view, so that another one may begin with it. */
  const remember = () => KEPT.set(own, { rows, open, query: parts.search.value, which: which.value, tensors: tensors.checked, values: values.checked, top: list.scrollTop });
  for (const event of ["click", "input", "change", "keyup"]) root.addEventListener(event, remember);
  list.addEventListener("scroll", () => {
    later(paint);
    remember();
  });
  parts.search.addEventListener("input", () => {
    list.scrollTop = 0;
    refresh();
  });
  parts.search.addEventListener("keydown", (event) => {
    if (event.key === "Escape") clearSearch();
    else if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    list.focus();
    if (event.key !== "Escape" && !shown.includes(cursor)) choose(shown.find((row) => keep?.[row] === 2) ?? shown[0]);
    else refresh();
  });
  which.addEventListener("change", () => ask(which.value));
  tensors.addEventListener("change", refresh);
  metric.addEventListener("change", () => {
    model.set("metric", metric.value);
    model.save_changes();
    showMetric();
  });
  listen("change:tree", () => {
    takeTree();
    showChanges();
    showTree();
    showMetric();
  });
  listen("change:selection", () => {
    const [version, row] = model.get("selection");
    if (version !== rows.tree.version || row === chosen()) return;
    cursor = row;
    row >= 0 ? reveal(row) : paint();
  });
  listen("change:path", () => {
    const path = model.get("path");
    const [version, asked] = model.get("selection"); // Python sends both at once
    const here = version === rows.tree.version && asked >= 0 ? asked : chosen();
    if (path === (here < 0 ? "" : pathOf(rows, here))) return;
    const row = rowAt(rows, path);
    if (row >= 0) choose(row);
  });
  listen("change:detail", () => {
    showDetail();
    inner.showNumbers();
  });
  listen("change:columns", showColumns);
  ledger.addEventListener("change", () => {
    model.set("columns", ledger.checked ? "ledger" : "size");
    model.save_changes();
    showColumns();
  });
  listen("change:changed", () => {
    showChanges();
    showTree();
    showDetail();
  });
  listen("change:unfold", () => unfold(model.get("unfold")[1]));
  listen("change:live", () => later(showMetric));
  listen("change:metric", () => later(showMetric));
  let placed = false;
  const size = new ResizeObserver(() => {
    if (!placed && kept) list.scrollTop = kept.top;
    else if (!placed && cursor >= 0) reveal(cursor); // what Python has selected, as soon as there is room to show it
    placed = true;
    later(paint);
  });
  size.observe(list);
  undo.push(() => size.disconnect(), inner.close, () => clearTimeout(patience), () => clearTimeout(saving), () => clearTimeout(typing));

  const kept = KEPT.get(own);
  if (kept) [parts.search.value, tensors.checked, values.checked] = [kept.query, kept.tensors, kept.values];
  takeTree();
  showChanges();
  if (kept) which.append(make("option", { value: kept.which, selected: "" }));
  showTree();
  showDetail();
  showMetric();
  showColumns();
  inner.showTab();
  return dispose;
}

export default { render };
