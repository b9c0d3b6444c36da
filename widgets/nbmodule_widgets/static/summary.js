// LayerSummary: one table, drawn from plain data.

/**
 * Draws the table.
 * @param {Element} root  where to
 * @param {object} data  what `summarizing/wire.py` packs
 * @param {(fold: boolean) => void} [refold]  asks for the table with equal neighbours as one row, or each as its own
 */
function summaryTable(root, data, refold) {
  const box = make("div.layers", { tabindex: 0, role: "region", "aria-label": "layers" });
  const heads = data.heads.map(([name, meaning, right]) => make(right ? "th.right" : "th", { scope: "col", title: meaning }, name));
  const computing = data.computed ? data.heads.findIndex(([name]) => name === "multiply-adds") : -1;
  const rows = data.cells.map((cells, n) => {
    const notes = data.notes[n].map((note) => make(note === "raised" ? "span.chip.problem" : "span.chip", {}, note));
    const label = [data.names[n] && make("b", {}, data.names[n]), data.names[n] ? ": " : "", data.kinds[n]];
    const first = make("th.layer.mono", { scope: "row", title: data.labels[n], style: `--depth:${Math.min(data.depths[n], 20)}` }, make("bdi", {}, ...label.filter(Boolean)), ...notes);
    const rest = cells.map((text, at) => {
      const cell = make(data.heads[at + 1][2] ? "td.right" : "td.mono", {}, text);
      if (at + 1 === computing && data.parts[n]) {
        cell.classList.add("part");
        cell.style.setProperty("--part", `${100 * data.parts[n]}%`);
        cell.title = `${(100 * data.parts[n]).toFixed(1)} % of the pass`;
      }
      return cell;
    });
    return make("tr", {}, first, ...rest);
  });
  box.append(make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
  const remarks = data.remarks.map((text) => make("li.problem", {}, `! ${text}`));
  const fold = data.folds && refold ? make("label.fold", {}, make("input", { type: "checkbox", change: (event) => refold(event.target.checked) }), "equal blocks as one row") : null;
  if (fold) fold.querySelector("input").checked = data.folded;
  root.replaceChildren(
    make("div.title", {}, make("code", {}, make("bdi", {}, data.label)), " ", make("span.soft", {}, data.headline)),
    make("ul.remarks", {}, ...remarks),
    box,
    make("div.soft", {}, ...withCode(data.more)),
    make("div.sums", {}, ...data.totals.map((text) => make("div", {}, text))),
    make("div.foot", {}, fold, ...data.foot.map((text) => make("div.soft", {}, text))),
  );
}

function render({ model, el }) {
  const { root, listen, send, dispose } = frame(model, el, "summary of a model");
  const table = make("div.summary");
  root.append(table);
  const show = () => summaryTable(table, model.get("table"), (fold) => send({ kind: "fold", fold }));
  listen("change:table", show);
  show();
  return dispose;
}

export default { render };
