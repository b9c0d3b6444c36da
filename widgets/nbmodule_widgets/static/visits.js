// VisitPlayer: two walks over one tree, side by side. The left one is played; the right one keeps step with it, visit
// by visit. All walks are in the trait `visits`: playing and choosing another walk send nothing. A path is followed in
// Python, since the object's own methods are asked.

const VISIT = 0, DOWN = 1, SKIP = 2, CUT = 3;

function render({ model, el }) {
  const { root, listen, send, undo, dispose } = frame(model, el, "order of visits");
  let all, how = "", beside = "", left, right;

  const title = make("bdi.title");
  const choice = make("select", { "aria-label": "the walk that is played", input: () => choose(choice.value, beside) });
  const other = make("select", { "aria-label": "the walk beside it", input: () => choose(how, other.value) });
  const said = make("div.said");
  const panes = make("div.panes"), listings = make("div.panes.listings");
  const memo = make("div.memo", { role: "group" });
  const notes = make("ul.notes");
  const places = make("datalist", { id: "places" });
  const box = asking({ label: "Follow a path", button: "Follow", hint: "such as body.0.weight", send: (path) => send({ kind: "follow", path }) });
  box.field.setAttribute("list", "places");
  const way = make("div.way", { role: "status" });
  let typed = "";
  const transport = player(root, { label: "moments of the walk", name: (i) => plain(left.walk.words[i]), move });
  undo.push(transport.dispose, box.dispose);
  root.append(
    make("div.head", {}, title, make("label", {}, "play ", choice), make("label", {}, "beside ", other)),
    transport.node, said, memo, panes, notes, make("div.path", {}, box.node, places, way), listings,
  );

  const plain = (text) => text.replaceAll("`", "");

  /** One walk: its moments, and the rows of its own copy of the tree. */
  function pane(name, place) {
    const walk = all.walks[name];
    const kind = numbers(walk.kind), node = numbers(walk.node), into = numbers(walk.memo);
    const withParameters = name === "named_parameters";
    const rows = new Map();
    const list = make("ol.tree", { "aria-label": `tree in the order of ${walk.call}`, tabindex: 0 });
    all.nodes.forEach(([label, cls, depth, parent, twin, cycle, isParameter, path], i) => {
      if (isParameter && !withParameters) return;
      const badge = make("span.number");
      const link = twin < 0 ? null : make("span.twin", { title: `${cycle ? "cycle back to" : "same object as"} ${all.nodes[twin][7] || "the model itself"}` }, cycle ? "↺" : "⇄", make("bdi", {}, ` ${all.nodes[twin][7] || "the model itself"}`));
      const row = make("li", { style: `--depth:${Math.min(depth, 12)}` }, badge, make("bdi.where", { title: path || null }, label ? make("b", {}, label) : null, label ? ": " : "", make(isParameter ? "span.parameter" : "span", {}, cls)), link);
      rows.set(i, { row, badge });
      list.append(row);
    });
    const verdict = make(`div.verdict${walk.same === false ? ".problem" : ".soft"}`, {}, walk.same === true ? "✓ " : walk.same === false ? "✗ " : "○ ", ...withCode(walk.verdict));
    const yours = walk.same === false && walk.yours.length ? make("details", { open: "" }, make("summary", {}, "the order of your own method"), make("ol.yours", {}, ...walk.yours.map((each) => make("li", {}, make("bdi", {}, each))))) : null;
    const lines = walk.lines.map(([whose, source]) => {
      const listing = make("div.listing");
      listSource(listing, whose, source);
      return listing;
    });
    const box = make(`section.pane.${place}`, { "aria-label": walk.call }, make("h4", {}, walk.call, make("span.soft", {}, ` ${walk.summary}`)), make("p.soft", {}, walk.order), list, verdict, yours);
    const visited = [];
    kind.forEach((each, i) => each === VISIT && visited.push(i));
    return { walk, kind, node, into, rows, list, box, visited, lines: make("div", {}, ...lines) };
  }

  /** Draws a pane as it is after the moment `at`. */
  function paint({ kind, node, rows, list }, at, past) {
    const turns = new Map(), skipped = new Set(), inside = new Set();
    let count = 0;
    for (let i = 0; i <= at; i++) {
      if (kind[i] === VISIT) turns.set(node[i], [...(turns.get(node[i]) ?? []), ++count]);
      if (kind[i] === SKIP || kind[i] === CUT) skipped.add(node[i]);
      if (kind[i] === DOWN) inside.add(node[i]);
    }
    for (const [i, { row, badge }] of rows) {
      const mine = turns.get(i), now = at >= 0 && node[at] === i;
      const kindNow = now ? ["visit", "down", "skip", "cut"][kind[at]] : "";
      badge.textContent = mine ? mine.join(" ") : skipped.has(i) ? "✕" : inside.has(i) ? "↓" : "·";
      badge.title = mine ? `visit ${mine.join(" and ")}` : skipped.has(i) ? "left out" : inside.has(i) ? "its turn comes later" : "not visited yet";
      row.className = `${now ? `lit now-${kindNow}` : ""}${mine ? " done" : ""}${skipped.has(i) ? " skipped" : ""}`;
      row.toggleAttribute("aria-current", now);
      if (now && !past) {
        const top = row.offsetTop - list.offsetTop;
        if (top < list.scrollTop || top + row.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
      }
    }
    return count;
  }

  function move(at) {
    const count = paint(left, at);
    const same = right?.visited[Math.min(count, right.visited.length) - 1] ?? -1;
    if (right) paint(right, same);
    const kind = left.kind[at];
    said.className = `said said-${kind}`;
    const turn = kind === VISIT ? make("b.turn", {}, String(count)) : make("b.turn", {}, ["", "↓", "✕", "✕"][kind]);
    said.replaceChildren(turn, make("div", {}, ...withCode(left.walk.words[at]), right && same >= 0 && kind === VISIT ? make("div.soft", {}, `beside, visit ${Math.min(count, right.visited.length)}: `, ...withCode(plain(right.walk.words[same]))) : null));
    const kept = [...left.into.slice(0, at + 1)].filter(Boolean).map((one) => one - 1);
    const uses = left.into.some(Boolean);
    const chips = kept.slice(-60).map((i, place, shown) => make(place === shown.length - 1 && left.into[at] ? "span.chip.lit" : "span.chip", {}, make("bdi", {}, all.nodes[i][7] || "the model itself")));
    memo.replaceChildren(make("b", {}, uses ? `memo (${kept.length})` : "no memo"), ...(uses ? [] : [make("span.soft", {}, "nothing is remembered, so a shared Module has a turn at each of its places")]), ...(kept.length > 60 ? [make("span.soft", {}, "…")] : []), ...chips);
    memo.setAttribute("aria-label", uses ? `memo: ${kept.length} remembered` : "no memo");
  }

  /** Shows where the path leads, and marks its places in both trees. */
  function follow() {
    const found = all.path, on = new Set();
    if (found) for (const [, node] of found.steps) if (node >= 0) on.add(node);
    for (const side of [left, right]) for (const [i, { row }] of side?.rows ?? []) row.dataset.path = on.has(i) ? "on" : "";
    way.hidden = !found;
    if (!found) return;
    if (found.path !== typed) box.field.value = typed = found.path;
    const steps = found.steps.map(([text, , there, where]) => make(there ? "li" : "li.lost", { title: where || null }, make("bdi", {}, text)));
    const answers = found.answers.map(([mark, call, says, wrong]) => make(wrong ? "li.problem" : "li", {}, `${mark} `, make("code", {}, call), " ", ...withCode(says)));
    way.replaceChildren(make("ol.steps", { "aria-label": "the path, name by name" }, ...steps), make("div", {}, ...withCode(found.words)), make("ul.answers", { "aria-label": "what the object's own methods say" }, ...answers));
  }

  function choose(next, second, at = 0) {
    [how, beside] = [next, second];
    choice.value = how;
    other.value = beside;
    left = pane(how, "left");
    right = beside ? pane(beside, "right") : null;
    panes.replaceChildren(left.box, ...(right ? [right.box] : []));
    listings.replaceChildren(left.lines, ...(right ? [right.lines] : []));
    for (const grid of [panes, listings]) grid.classList.toggle("single", !right);
    transport.reset(left.walk.words.length, at);
    follow();
  }

  function show() {
    const kept = left ? transport.at() : 0, before = left?.walk.words.join("\n");
    box.answered();
    all = model.get("visits");
    title.textContent = title.title = all.label;
    const options = () => Object.entries(all.walks).map(([name, walk]) => make("option", { value: name }, walk.call));
    choice.replaceChildren(...options());
    other.replaceChildren(make("option", { value: "" }, "nothing"), ...options());
    places.replaceChildren(...all.nodes.slice(1, 200).map(([, , , , , , , path]) => make("option", { value: path })));
    notes.replaceChildren(...all.notes.map((note) => make("li.problem", {}, `! ${note}`)));
    choose(how || all.how, left ? beside : all.beside);
    if (before === left.walk.words.join("\n")) transport.go(kept);
  }

  listen("change:visits", show);
  show();
  return dispose;
}

export default { render };
