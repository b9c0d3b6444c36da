// LayerSummary: one table.

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
