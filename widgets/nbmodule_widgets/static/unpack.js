// The rows of a tree, worked out from the columns that Python sent. Nothing here touches the page.

const MODULE = 0, PARAMETER = 1, BUFFER = 2, NOTE = 3;
const ROW_KINDS = ["module", "parameter", "buffer", "note"];

/**
 * Unpacks the trait `tree`. Each module becomes a row, followed by its tensors, its notes and its children.
 * The arrays have one entry for each row; `parent` is a row number, -1 for the model itself. `tensors` are the
 * rows of the tensors. A hundred thousand modules take some milliseconds: one pass, and typed arrays only.
 */
function unpack(tree) {
  const column = Object.fromEntries(Object.entries(tree.columns).map(([name, packed]) => [name, numbers(packed)]));
  const { pattern, depth: levels } = column, size = pattern.length;
  const inside = tree.patterns.map(({ tensors, notes }) =>
    Uint8Array.from([...tensors.map((tensor) => (tensor.kind === "buffer" ? BUFFER : PARAMETER)), ...notes.map(() => NOTE)]));
  const held = tree.patterns.map(({ tensors }) => tensors.length);
  let total = size, all = 0, deepest = 0;
  for (let i = 0; i < size; i++) {
    total += inside[pattern[i]].length;
    all += held[pattern[i]];
    deepest = Math.max(deepest, levels[i]);
  }
  const ints = (length = total) => new Int32Array(length), kind = new Uint8Array(total);
  const [module, place, parent, depth, children, position] = [ints(), ints(), ints(), ints(), ints(), ints()];
  const tensors = ints(all), above = ints(deepest + 1);
  let row = 0, tensor = 0;
  for (let i = 0; i < size; i++) {
    const own = row++, level = levels[i], kinds = inside[pattern[i]], up = level ? above[level - 1] : -1;
    above[level] = own;
    module[own] = i;
    place[own] = -1;
    parent[own] = up;
    depth[own] = level;
    if (up >= 0) position[own] = ++children[up];
    for (let at = 0; at < kinds.length; at++, row++) {
      kind[row] = kinds[at];
      module[row] = i;
      place[row] = kinds[at] === NOTE ? at - held[pattern[i]] : at;
      parent[row] = own;
      depth[row] = level + 1;
      position[row] = at + 1;
      if (kinds[at] !== NOTE) tensors[tensor++] = row;
    }
    children[own] = kinds.length;
  }
  return { tree, column, total, kind, module, place, parent, depth, children, position, tensors };
}
