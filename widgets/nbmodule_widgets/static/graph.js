// GraphView: the autograd graph, folded by module, and the backward walk over it. All of it runs in the page; Python
// is asked for the inside of a large graph, and for the numbers of a node that the page does not have.

function render({ model, el }) {
  const { root, listen, later, undo, send, dispose } = frame(model, el, "autograd graph");
  const value = cellMap(), gradient = cellMap();
  let width, graph, walk, parts, place, elements, open = new Set([0]), picked = -1, moment = 0, x = 0, y = 0, zoom = 0, w = 0, h = 0, found = [], looks, waiting, grip;

  const press = (words, title, click) => make("button", { title, "aria-label": title, click }, words);
  const title = make("b"), lead = make("div"), legend = make("div.bar.soft"), totals = make("span.soft"), alarm = make("div.alarm", { role: "alert" }), notes = make("div.soft"), said = make("span.soft", { role: "status" });
  const search = make("input", { type: "search", placeholder: "find a node or NaN", "aria-label": "find a node", input: seek, keydown: (event) => event.key === "Enter" && found.length && next() });
  const labels = make("select", { change: light }, ...["values, shapes", "gradients"].map((words) => make("option", {}, words))), arrows = make("label", {}, "at the arrows ", labels);
  const ask = press("record the backward walk", "walks in Python; changes no .grad", () => tell({ kind: "walk" }));
  const world = draw("g"), picture = draw("svg", { class: "picture", tabindex: 0, role: "application", "aria-label": "graph: ↑ what made it, ↓ what uses it, Enter folds, 0 [ ] zoom" }, world);
  const list = make("div.list", { role: "tree", tabindex: 0, "aria-label": "what is drawn", keydown: keys, click: ({ target }) => (target.className === "mark" ? toggle : pick)(itemAt(target.closest(".row"))) });
  const words = make("div"), story = make("div.story", { tabindex: 0, role: "group", "aria-label": "step of the walk" });
  const transport = player(root, { label: "backward walk", name: (i) => (i ? `${graph.name(walk.steps[i - 1])}: ${sumOf(graph, walk, walk.steps[i - 1])}` : "before the walk"), move, zero: true });
  const all = make("div", {},
    make("div.bar", {}, search, arrows, make("span", {}, press("fold", "fold all", () => reshape(new Set([0]))), press("unfold", `unfold, up to ${MOST_BOXES} boxes`, unfoldAll)), make("span", {}, press("−", "zoom out ([)", () => scale(0.8)), press("+", "zoom in (])", () => scale(1.25)), press("fit", "show all (0)", fit)), ask, said),
    make("div.body", {}, list, picture, make("aside.about", { tabindex: 0, "aria-label": "the selected box" }, words, value.node, gradient.node)), story, transport.node,
    legend,
  );
  root.append(make("div.bar", {}, title, totals), lead, alarm, all, notes);

  // ---- what is drawn

  function take() {
    const rest = model.get("rest"), before = graph, opened = new Set(before ? [...open].map((g) => before.group.id[g]) : model.get("opened"));
    answered();
    graph = unpackGraph(rest?.nodes ? rest : model.get("graph"));
    walk = unpackWalk(model.get("played"), graph);
    looks = new Map((model.get("looks") ?? []).map((look) => [look.node, look]));
    const { packed, group, n } = graph;
    open = new Set([0, ...group.id.keys()].filter((g) => opened.has(group.id[g])));
    title.textContent = packed.title;
    totals.textContent = packed.totals;
    fill(lead, packed.lead);
    const signs = packed.forward ? ["○ was there before"] : ["● leaf", "○ takes no gradient", "‖g‖ norm of a gradient"];
    if (graph.node.is.some((_, i) => graph.isFreed(i))) signs.push("freed: backward() let go of what the node kept");
    legend.replaceChildren(...[...signs, "▸ folded", "↓ forward"].map((sign) => make("span", {}, sign)));
    fill(alarm, [...packed.alarm, walk?.problem]);
    alarm.hidden = !alarm.firstChild;
    all.hidden = !n;
    fill(notes, [...packed.notes, ...(walk?.notes ?? [])]);
    if (!before || before.n !== n) picked = packed.about;
    story.hidden = transport.node.hidden = arrows.hidden = !walk;
    ask.hidden = walk || !packed.walkable;
    redraw();
    transport.reset(walk ? walk.steps.length + 1 : 0, transport.at());
  }

  const fill = (node, lines) => node.replaceChildren(...lines.filter(Boolean).map((line) => make("p", {}, ...withCode(line))));
  const isLeaf = (item) => walk && item < graph.n && graph.op(item).kind === "leaf";

  function measure(item) {
    const { sign, lines } = textsOf(graph, item), leaf = isLeaf(item) ? 1 : 0;
    return [Math.max(54, leaf * 100, ...lines.map((line, i) => width(i ? line : sign + line, i ? "11px" : "600 12px") + 22)), 10 + 15 * (lines.length + leaf), width(titleOf(lines), "600 12px") + 30];
  }

  function redraw() {
    parts = visibleParts(graph, open);
    if (picked >= 0 && picked < graph.n) picked = parts.shown[picked];
    width = ruler(root);
    place = placeParts(graph, parts, measure);
    const drawn = drawParts(graph, parts, place);
    elements = drawn.elements;
    world.replaceChildren(...drawn.layers);
    drawList();
    light();
    tellPicked(true);
  }

  /** Folds and unfolds; the box that was touched stays where it is on the screen. */
  function reshape(now, item) {
    const before = place.box.get(item);
    open = now;
    redraw();
    const after = place.box.get(item);
    before && after ? look(x + zoom * (before.x - after.x), y + zoom * (before.y - after.y)) : overview();
  }

  function toggle(item) {
    const g = item - graph.n;
    if (g <= 0) return;
    if (graph.group.stub[g]) return tell({ kind: "rest" });
    pick(item, true);
    reshape(open.has(g) ? folded(graph, open, g) : unfolded(graph, open, [g]), item);
  }

  function unfoldAll() {
    if (!graph.packed.whole) return tell({ kind: "rest" });
    const now = new Set(open);
    graph.parent.forEach((up, g) => now.has(up) && boxCount(graph, new Set([...now, g])) <= MOST_BOXES && now.add(g));
    reshape(now);
  }

  function tell(message) {
    answered();
    if (send(message)) waiting = setTimeout(() => (said.textContent = BUSY), 400);
  }

  function answered() {
    clearTimeout(waiting);
    said.textContent = "";
  }

  // ---- where one looks

  function look(toX, toY) {
    [x, y] = [toX, toY];
    world.setAttribute("transform", `translate(${x},${y}) scale(${zoom})`);
  }

  function scale(by, dx = w / 2, dy = h / 2) {
    const now = clamp(zoom * by, 0.05, 2.5), share = now / zoom;
    zoom = now;
    look(dx - (dx - x) * share, dy - (dy - y) * share);
  }

  const clamp = (n, least, most) => Math.max(least, Math.min(most, n));

  function fit() {
    zoom = clamp(Math.min((w - 24) / place.w, (h - 32) / place.h), 0.05, 1.2);
    look((w - zoom * place.w) / 2, (h - zoom * place.h) / 2);
  }

  /** All of it, if that can be read; otherwise what is probably a fault, or else the top. */
  function overview() {
    fit();
    if (zoom > 0.65) return;
    zoom = 0.85;
    follow(picked, true);
    if (graph.packed.fault || moment) return;
    const first = [...place.box.values()].reduce((high, box) => (box.y < high.y ? box : high));
    look(place.w * zoom < w ? (w - place.w * zoom) / 2 : clamp(w / 2 - zoom * (first.x + first.w / 2), w - zoom * place.w - 16, 16), 16);
  }

  /** Brings a box into sight if it is not. */
  function follow(item, anyway) {
    const box = place.box.get(item);
    if (!box || !w) return;
    const [left, top, wide, tall] = [x + zoom * box.x, y + zoom * box.y, zoom * box.w, zoom * box.h];
    if (!anyway && left >= 0 && top >= 0 && left + wide <= w && top + tall <= h) return;
    const keep = (to, size, room) => (size < room ? (room - size) / 2 : clamp(to, room - size - 16, 16)); // no more empty space than need be
    look(keep(x + w / 2 - left - wide / 2, zoom * place.w, w), keep(y + h / 2 - top - tall / 2, zoom * place.h, h));
  }

  // ---- the walk

  function move(at, why) {
    const item = at ? parts.shown[walk.steps[at - 1]] : picked;
    moment = at;
    if (why !== "reset") {
      labels.value = "gradients";
      picked = item;
      follow(item);
    }
    light();
    tellPicked(true);
    story.replaceChildren(...storyOf(graph, walk, moment));
  }

  const put = (node, text) => node.textContent === text || (node.textContent = text); // what stays is not drawn again
  const mark = (node, kinds) => Object.entries(kinds).forEach(([kind, on]) => node.classList.toggle(kind, Boolean(on)));

  /** Shows the moment: what has run, what runs, and the numbers at the arrows. */
  function light() {
    const now = walk && moment ? walk.steps[moment - 1] : -1, ran = graph.up.map(() => 0), all = [...ran], mode = labels.value;
    walk?.steps.forEach((i, turn) => {
      const item = parts.shown[i];
      all[item]++;
      if (turn < moment) ran[item]++;
    });
    for (const [item, element] of elements) {
      const done = ran[item], lit = now >= 0 && parts.shown[now] === item, state = element.querySelector(".state");
      mark(element, { lit, ran: done && done === all[item], picked: item === picked });
      if (state) put(state, item >= graph.n ? (done ? `${done} of ${all[item]} ran` : "") : walk ? `grad ${done ? walk.node(item) : "–"}` : "");
      element.querySelector(".sum")?.remove();
      const sum = lit && item === now ? sumOf(graph, walk, item) : "", box = place.box.get(item);
      if (sum.includes(" + ")) element.append(draw("text", { class: "sum", x: box.w / 2, y: box.h + 14 }, sum));
    }
    for (const { from, to, edges, wire, tag } of parts.lines) {
      const came = walk ? walk.came(edges, moment) : [], shapes = new Set(edges.map(graph.along));
      mark(wire, { flows: came.length, fresh: came.some((e) => graph.edge.target[e] === now), near: from === picked || to === picked });
      mark(tag, { flow: mode === "gradients", bad: to === graph.packed.failed });
      put(tag, mode[0] === "v" ? (shapes.size > 1 ? `${shapes.size} tensors` : [...shapes][0]) : came.length ? terms(walk, came) : "");
    }
  }

  // ---- the selected box, and the list

  function pick(item, still) {
    if (!(item >= 0)) return;
    picked = item;
    light();
    tellPicked();
    if (!still) follow(item);
  }

  /** @param {boolean} [quiet]  nothing is sent, as while the walk is played */
  function tellPicked(quiet) {
    list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
    list.querySelector(`#row-${picked}`)?.setAttribute("aria-selected", "true");
    later(scrollList);
    list.setAttribute("aria-activedescendant", `row-${picked}`);
    picture.setAttribute("aria-activedescendant", `item-${picked}`);
    if (picked < 0) return;
    const node = picked < graph.n, known = looks.get(picked), turn = walk?.turn[picked], texts = textsOf(graph, picked);
    const when = !walk || !node ? [] : [["gradient", turn < 0 ? "none: the walk does not come here" : turn < moment ? [sumOf(graph, walk, picked), known?.came].filter(Boolean).join("; ") : `arrives in step ${turn + 1}`]];
    const lines = [...when, ...((node && known?.lines) || texts.lines.slice(1).map((line) => ["", line]))];
    words.replaceChildren(make("h4", {}, `${texts.sign} `, make("bdi", {}, texts.name)), make("dl", {}, ...lines.flatMap(([what, line]) => [make("dt", {}, what), make("dd", {}, make("bdi", {}, ...withCode(line)))])));
    value.show(node && known?.value, "value");
    gradient.show(node && turn < moment && known?.gradient, "gradient");
    if (!quiet && node && (!known || known.more) && graph.packed.whole) tell({ kind: "look", node: picked });
  }

  function scrollList() {
    const below = (list.querySelector("[aria-selected=true]")?.offsetTop ?? 0) - list.scrollTop;
    if (below < 0 || below > list.clientHeight - 22) list.scrollTop += below - 60;
  }

  function drawList() {
    const rows = [], start = (item) => (item < graph.n ? item : graph.group.first[item - graph.n]);
    const within = (g, level) => [...parts.children[g]].sort((a, b) => start(a) - start(b)).forEach((item) => {
      const { sign, lines, whole } = textsOf(graph, item), inside = open.has(item - graph.n), group = item >= graph.n;
      rows.push(make("div.row", { role: "treeitem", title: whole.join(" · "), id: `row-${item}`, "aria-level": level, "aria-selected": "false", "aria-expanded": group ? inside : null, style: `padding-left:${level * 12 - 8}px` }, make("span.mark", {}, inside ? "▾" : sign), make("bdi", {}, lines[0]), make("span.soft", {}, lines[1])));
      if (inside) within(item - graph.n, level + 1);
    });
    within(0, 1);
    list.replaceChildren(...rows);
  }

  const itemAt = (node) => Number(node?.id.split("-")[1]);

  function keys(event) {
    const tree = event.currentTarget === list, rows = [...list.children], at = rows.findIndex((row) => itemAt(row) === picked), g = picked - graph.n, inside = open.has(g);
    const go = (to) => rows[to] && pick(itemAt(rows[to])), outer = () => graph.up[picked] > 0 && graph.n + graph.up[picked];
    const along = (end, other) => pick(parts.lines.find((line) => line[end] === picked)?.[other]);
    const [up, down, left, right] = tree
      ? [() => go(at - 1), () => go(at + 1), () => (inside ? toggle(picked) : outer() && pick(outer())), () => (g > 0 && !inside ? toggle(picked) : go(at + 1))]
      : [() => along("to", "from"), () => along("from", "to"), () => go(at - 1), () => go(at + 1)];
    const act = {
      ArrowUp: up, ArrowDown: down, ArrowLeft: left, ArrowRight: right, Enter: () => toggle(picked), "+": () => inside || toggle(picked), "-": () => toggle(inside ? picked : outer()),
      "[": () => scale(0.8), "]": () => scale(1.25), 0: fit, ...(tree ? { Home: () => go(0), End: () => go(rows.length - 1) } : {}),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  function seek() {
    const wanted = search.value.trim().toLowerCase();
    const has = ({ name, lines }, item) => [name, ...lines, walk && item < graph.n ? walk.node(item) || "no gradient" : ""].join(" ").toLowerCase().includes(wanted);
    found = [...graph.up.keys()].filter((item) => wanted && item !== graph.n && has(textsOf(graph, item), item));
    said.textContent = wanted ? `${found.length.toLocaleString("en")} found; Enter shows the next` : "";
  }

  function next() {
    const at = (found.indexOf(picked) + 1) % found.length, item = found[at], needed = around(graph, item).filter((g) => !open.has(g));
    picked = item;
    if (needed.length && graph.packed.whole) reshape(unfolded(graph, open, needed));
    pick(item);
    said.textContent = `${at + 1} of ${found.length.toLocaleString("en")}`;
  }

  // ---- what the reader does

  /** @type {Record<string, (event: any) => void>} */
  const acts = {
    keydown: keys,
    pointerdown: ({ clientX, clientY, target }) => (grip = { clientX, clientY, x, y, on: target.closest("g[id]") }),
    pointermove: ({ clientX, clientY, buttons, pointerId }) => {
      if (!grip || !buttons) return;
      const dx = clientX - grip.clientX, dy = clientY - grip.clientY;
      if (!grip.moved && Math.abs(dx) + Math.abs(dy) < 5) return;
      picture.setPointerCapture(pointerId);
      grip.moved = true;
      look(grip.x + dx, grip.y + dy);
    },
    pointerup: () => {
      const on = !grip?.moved && grip?.on;
      grip = null;
      if (on) pick(itemAt(on), true), toggle(picked);
    },
    wheel: (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, top } = picture.getBoundingClientRect();
      scale(Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top);
    },
  };
  for (const [name, act] of Object.entries(acts)) picture.addEventListener(name, act, { passive: false });
  const seen = new ResizeObserver(([{ contentRect }]) => {
    ({ width: w, height: h } = contentRect); // asked for at each step, it would be worked out at each step
    if (w && !zoom) overview();
  });
  seen.observe(picture);
  undo.push(() => seen.disconnect(), answered, transport.dispose);
  for (const name of ["graph", "rest", "played"]) listen(`change:${name}`, () => later(take));
  listen("change:looked", () => {
    answered();
    looks.set(model.get("looked").node, model.get("looked"));
    tellPicked();
  });
  take();
  return dispose;
}

export default { render };
