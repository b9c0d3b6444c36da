// The module tree of a pass, lit by what runs at the present moment. Only the rows in sight exist.

const ROW = 22;

/**
 * @param {object} pass  as `unpackPass` returns it
 * @param {(node: number) => void} choose  called with the module that the reader picks
 */
function moduleTree(pass, choose) {
  const { above, end, level, total } = pass, open = new Uint8Array(total), space = make("div"), list = make("div.rows", { role: "tree", tabindex: 0, "aria-label": pass.says.tree });
  let shown, now = 0, cursor = 0, lit = -1;
  level.forEach((deep, node) => (open[node] = Number(deep < pass.unfold)));
  const holds = (node) => end[node] > node + 1;

  function refresh() {
    shown = [];
    for (let node = 0; node < total; node = open[node] ? node + 1 : end[node]) shown.push(node);
    space.style.height = `${shown.length * ROW}px`;
    paint();
  }

  /** The row that stands for a module: its own, or that of a folded one around it. */
  function rowOf(node) {
    let row = node;
    for (let up = above[node]; up >= 0; up = above[up]) if (!open[up]) row = up;
    return row;
  }

  function paint() {
    const start = Math.max(0, Math.floor(list.scrollTop / ROW) - 4), lines = shown.slice(start, start + Math.ceil((list.clientHeight || 400) / ROW) + 8), here = rowOf(lit);
    list.replaceChildren(space, ...lines.map((node, n) => drawRow(node, start + n, node === here)));
    list.setAttribute("aria-activedescendant", `m${cursor}`);
  }

  function drawRow(node, line, here) {
    const twin = pass.twins.get(node), state = stateAt(pass, twin ?? node, now), [sign, words] = pass.states[state], why = twin === undefined ? (pass.reasons.get(node) ?? "") : pass.says.twin + (pathOf(pass, twin) || pass.says.root), kind = pass.kindOf(node), name = pass.nameOf(node), calls = pass.calls.get(node)?.length ?? 0, soft = node ? ` ${kind}` : "";
    return make(
      `div.row.is-${state}${here ? ".here" : ""}`,
      {
        role: "treeitem", id: `m${node}`, "data-node": node, "aria-level": level[node] + 1, "aria-selected": node === cursor, style: `top:${line * ROW}px`,
        "aria-expanded": holds(node) ? !!open[node] : null, "aria-label": [name + soft, words, why].join(", "), title: why || words,
      },
      make("span.sign", {}, sign), make("span.twisty", { style: `margin-left:min(${level[node] * 13}px,40%)` }, holds(node) ? (open[node] ? "▾" : "▸") : ""),
      make("bdi", {}, make("b", {}, name), soft), calls > 1 ? make("span.chip", {}, `${grouped(calls)} calls`) : null, make("span.why", {}, why),
    );
  }

  function reveal(node) {
    const at = shown.indexOf(node) * ROW;
    list.scrollTop = Math.min(at, Math.max(list.scrollTop, at + ROW + 4 - list.clientHeight));
  }

  /** Lights up a moment. A step also unfolds the way to its module; while it plays, nothing unfolds. */
  function move(i, unfolds) {
    now = i;
    lit = pass.nodes[i];
    if (unfolds && rowOf(lit) !== lit) {
      for (let up = above[lit]; up >= 0; up = above[up]) open[up] = 1;
      refresh();
    }
    if (lit >= 0) reveal(rowOf(lit));
    paint();
  }

  function place(node = cursor) {
    cursor = Math.max(0, node);
    reveal(cursor);
    paint();
  }

  function toggle(node) {
    open[node] ^= 1;
    refresh();
  }

  list.addEventListener("scroll", paint);
  list.addEventListener("click", (event) => {
    const row = event.target.closest("[data-node]"), node = Number(row?.dataset.node);
    if (!row) return;
    place(node);
    event.target.matches(".twisty") && holds(node) ? toggle(node) : choose(node);
  });
  list.addEventListener("keydown", (event) => {
    const at = shown.indexOf(cursor), folds = holds(cursor), [up, down] = [-1, 1].map((by) => () => place(shown[at + by])), fold = () => toggle(cursor);
    const act = { ArrowDown: down, ArrowUp: up, Enter: () => choose(cursor), ArrowRight: folds && !open[cursor] ? fold : down, ArrowLeft: folds && open[cursor] ? fold : () => place(above[cursor]) }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault(); // the player leaves alone what somebody took
    act();
  });
  refresh();
  return { node: list, move };
}
