// A long list of rows of one height, of which only those in sight are in the page. A grid for keys and screen readers.

const LINE = 26; // pixels, as in lines.css

/** Names of which each was sent as how much it shares with the one before, counted in code points, and the rest. */
function decodedNames({ shared, rests }) {
  const counts = numbers(shared);
  let before = [];
  return rests.map((rest, i) => {
    before = [...before.slice(0, counts[i]), ...rest];
    return before.join("");
  });
}

/**
 * @param {object} options
 * @param {string} options.label  what the rows are
 * @param {(Node|string)[]} options.heads  what stands above the columns
 * @param {(item: number) => {cells: (Node|string)[], label: string, kind?: string}} options.row  a row as it is drawn and said
 * @param {(item: number) => void} options.pick  the reader has chosen a row
 * @param {(item: number, event: Event) => void} [options.act]  Enter, or a double click
 * @param {number} [options.most]  rows in sight
 * @param {number} [options.folds]  in a list narrower than so many pixels a row takes two lines; the view's CSS says how (`.two`)
 * @returns {{node: HTMLElement, show: (items: number[], keep?: boolean) => void, at: () => number, go: (item: number) => void, tall: (rows: number) => void, redraw: () => void, stop: () => void}}
 *   tall: makes room for so many rows at most; `show` alone changes no height;
 *   stop: ends what listens
 */
function lines({ label, heads, row, pick, act = () => {}, most = 12, folds = 0 }) {
  let items = [], at = -1, first = 0, last = 0, high = LINE, rows = most;
  const head = make("div.line.heads", { role: "row" }, ...heads.map((text) => make("span", { role: "columnheader" }, text)));
  const inner = make("div.inner", { role: "rowgroup" });
  const scroll = make("div.scroll", { role: "presentation", style: `height:${most * LINE}px` }, inner);
  const node = make("div.lines", { role: "grid", "aria-label": label, tabindex: 0 }, head, scroll);

  function drawRows(always) {
    const from = Math.max(0, Math.floor(scroll.scrollTop / high) - 4), to = Math.min(items.length, from + most + 9);
    if (!always && from === first && to === last) return;
    [first, last] = [from, to];
    inner.replaceChildren(...items.slice(from, to).map((item, offset) => drawRow(item, from + offset)));
    node.setAttribute("aria-activedescendant", at >= from && at < to ? `line${at}` : "");
  }

  function drawRow(item, place) {
    const { cells, label: said, kind = "" } = row(item);
    const chosen = place === at;
    return make(
      "div", { class: `line ${kind}`, role: "row", id: `line${place}`, style: `top:${place * high}px`, "aria-rowindex": place + 2, "aria-selected": chosen, "aria-label": said, "data-item": item },
      ...cells.map((cell) => make("span", { role: "gridcell" }, cell)),
    );
  }

  function choose(place) {
    if (!items.length) return;
    at = Math.max(0, Math.min(items.length - 1, place));
    const top = at * high, height = scroll.clientHeight || most * high;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (top + high > scroll.scrollTop + height) scroll.scrollTop = top + high - height;
    drawRows(true);
    pick(items[at]);
  }

  function room() {
    inner.style.height = `${items.length * high}px`;
    scroll.style.height = `${rows * high}px`;
  }

  /** Rows of two lines where one would cut the names off; what was on top stays there. */
  const size = new ResizeObserver(([{ contentRect }]) => {
    const two = contentRect.width > 0 && contentRect.width < folds, top = scroll.scrollTop / high;
    if (two === node.classList.contains("two")) return;
    node.classList.toggle("two", two);
    high = two ? 2 * LINE - 4 : LINE;
    room();
    scroll.scrollTop = top * high;
    drawRows(true);
  });
  if (folds) size.observe(node);

  const placeOf = (event) => items.indexOf(Number(event.target.closest?.("[data-item]")?.dataset.item ?? NaN));
  scroll.addEventListener("scroll", () => drawRows(false));
  inner.addEventListener("click", (event) => {
    const place = placeOf(event);
    if (place >= 0 && !event.target.closest("button")) choose(place);
  });
  inner.addEventListener("dblclick", (event) => placeOf(event) >= 0 && act(items[placeOf(event)], event));
  node.addEventListener("keydown", (event) => {
    const page = most - 1;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (event.target !== node) return;
    if (step) choose(Math.max(-1, at) + step);
    else if ((event.key === "Enter" || event.key === " ") && at >= 0) act(items[at], event);
    else return;
    event.preventDefault();
  });

  return {
    node,
    show(shown, keep = false) {
      const item = items[at];
      items = shown;
      at = items.indexOf(item);
      room();
      if (!keep) scroll.scrollTop = 0;
      node.setAttribute("aria-rowcount", String(items.length + 1));
      drawRows(true);
    },
    tall(wanted) {
      rows = Math.max(3, Math.min(most, wanted));
      room();
    },
    at: () => items[at] ?? -1,
    go: (item) => items.includes(item) && choose(items.indexOf(item)),
    redraw: () => drawRows(true),
    stop: () => size.disconnect(),
  };
}
