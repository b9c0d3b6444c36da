// What the rows of a tree say, which of them to show, and the norms beside them. Nothing here touches the page.

/** What a row says, as texts. */
function describe(rows, row) {
  const { tree, column } = rows;
  const i = rows.module[row];
  const pattern = tree.patterns[column.pattern[i]];
  if (rows.kind[row] === MODULE) {
    const state = pattern.training === null ? "no flag" : pattern.training ? "● train" : "○ eval";
    const tone = pattern.training === false ? "eval" : pattern.training === null ? "special" : "";
    const numel = tree.counts[column.count[i]];
    return {
      name: tree.names[column.name[i]] || pattern.class, class: pattern.class, extra: `(${pattern.extra})`,
      count: numel, state, tone, twin: pattern.twin, hooks: pattern.hooks,
    };
  }
  if (rows.kind[row] === NOTE) {
    const note = pattern.notes[rows.place[row]];
    return { name: note.text, note: note.kind, extra: "", count: 0, state: "", tone: "" };
  }
  const tensor = pattern.tensors[rows.place[row]];
  const tone = { frozen: "frozen", "not saved": "special" }[tensor.state] ?? "";
  const state = tensor.state === "frozen" ? "❄ frozen" : tensor.state;
  return { name: tensor.name, extra: tensor.words, count: tensor.count, state, tone, twin: tensor.twin };
}

/** The rows to show: what is unfolded, or in a search what matches together with the way to it. */
function visibleRows(rows, open, query, tensors) {
  const shown = [];
  const wanted = (row) => tensors || rows.kind[row] === MODULE || rows.kind[row] === NOTE;
  if (query) {
    const keep = matches(rows, query.toLowerCase(), wanted);
    for (let row = 0; row < rows.total; row++) if (keep[row]) shown.push(row);
    return shown;
  }
  const unfolded = new Uint8Array(rows.total);
  for (let row = 0; row < rows.total; row++) {
    const parent = rows.parent[row];
    if (parent >= 0 && !unfolded[parent]) continue;
    if (open.has(row)) unfolded[row] = 1;
    if (wanted(row)) shown.push(row);
  }
  return shown;
}

/** Marks the rows whose name or class contains the query, and their ancestors. */
function matches(rows, query, wanted) {
  const keep = new Uint8Array(rows.total);
  const names = rows.tree.names.map((name) => name.toLowerCase().includes(query));
  const classes = rows.tree.patterns.map((pattern) => pattern.class.toLowerCase().includes(query));
  for (let row = 0; row < rows.total; row++) {
    const pattern = rows.column.pattern[rows.module[row]];
    let hit = false;
    if (rows.kind[row] === MODULE) hit = names[rows.column.name[rows.module[row]]] || classes[pattern];
    else if (wanted(row) && rows.kind[row] !== NOTE) hit = describe(rows, row).name.toLowerCase().includes(query);
    for (let at = row; hit && at >= 0 && !keep[at]; at = rows.parent[at]) keep[at] = 1;
  }
  return keep;
}

/** For each row of the new tree the row of the old one with the same path, or -1. */
function counterparts(old, now) {
  const key = (rows, row) => `${Math.min(rows.kind[row], 1)} ${describe(rows, row).name}`;
  const before = new Map();
  for (let row = 1; row < old.total; row++) {
    const parent = old.parent[row];
    if (!before.has(parent)) before.set(parent, new Map());
    before.get(parent).set(key(old, row), row);
  }
  const found = new Int32Array(now.total).fill(-1);
  found[0] = 0;
  for (let row = 1; row < now.total; row++) {
    const parent = found[now.parent[row]];
    if (parent >= 0) found[row] = before.get(parent)?.get(key(now, row)) ?? -1;
  }
  return found;
}

/** Norms for all rows from the norms of the tensors; a module has the norm of all its own together. */
function spread(rows, column) {
  const values = new Float64Array(rows.total).fill(-3);
  const squares = new Float64Array(rows.total);
  const some = new Uint8Array(rows.total);
  rows.tensors.forEach((row, index) => {
    const value = column[index];
    values[row] = value;
    if (value < 0 || describe(rows, row).twin || rows.kind[row] !== PARAMETER) return;
    squares[row] = value * value;
    some[row] = 1;
  });
  for (let row = rows.total - 1; row > 0; row--) {
    squares[rows.parent[row]] += squares[row];
    some[rows.parent[row]] |= some[row];
  }
  for (let row = 0; row < rows.total; row++) if (rows.kind[row] === MODULE && some[row]) values[row] = Math.sqrt(squares[row]);
  return values;
}
