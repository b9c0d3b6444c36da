// The rows of a tree, worked out from the columns that Python sent. Nothing here touches the page.

const MODULE = 0, PARAMETER = 1, BUFFER = 2, NOTE = 3;
const KINDS = ["module", "parameter", "buffer", "note"];

/**
 * Unpacks the trait `tree`. Each module becomes a row, followed by its tensors, its notes and its children.
 * The arrays have one entry for each row; `parent` is a row number, -1 for the model itself.
 */
function unpack(tree) {
  const column = Object.fromEntries(Object.entries(tree.columns).map(([name, packed]) => [name, numbers(packed)]));
  const size = column.name.length;
  let total = size;
  for (let i = 0; i < size; i++) {
    const pattern = tree.patterns[column.pattern[i]];
    total += pattern.tensors.length + pattern.notes.length;
  }
  const rows = {
    tree, column, total,
    kind: new Uint8Array(total), module: new Int32Array(total), place: new Int32Array(total),
    parent: new Int32Array(total), depth: new Int32Array(total), children: new Int32Array(total),
    position: new Int32Array(total), tensors: [],
  };
  const above = [];
  let row = 0;
  const add = (kind, module, place, parent, depth) => {
    rows.kind[row] = kind;
    rows.module[row] = module;
    rows.place[row] = place;
    rows.parent[row] = parent;
    rows.depth[row] = depth;
    if (parent >= 0) rows.position[row] = ++rows.children[parent];
    return row++;
  };
  for (let i = 0; i < size; i++) {
    const depth = column.depth[i];
    const pattern = tree.patterns[column.pattern[i]];
    const own = add(MODULE, i, -1, depth ? above[depth - 1] : -1, depth);
    above[depth] = own;
    pattern.tensors.forEach((tensor, place) => rows.tensors.push(add(tensor.kind === "buffer" ? BUFFER : PARAMETER, i, place, own, depth + 1)));
    pattern.notes.forEach((_, place) => add(NOTE, i, place, own, depth + 1));
  }
  return rows;
}
