// The rows of a tree, worked out from the columns that Python sent. Nothing here touches the page.

const MODULE = 0, PARAMETER = 1, BUFFER = 2, NOTE = 3;
const ROW_KINDS = ["module", "parameter", "buffer", "note"];

/**
 * Unpacks the trait `tree`. Each module becomes a row, followed by its tensors, its notes and its children.
 * The arrays have one entry for each row; `parent` is a row number, -1 for the model itself. `tensors` are the
 * rows of the tensors, `groups` the modules that are alike but for their numbers: the row of the first, how many
 * they are, and how many rows each takes. A hundred thousand modules take some milliseconds: one pass, and typed arrays only.
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
  const [module, place, parent, depth, children] = [ints(), ints(), ints(), ints(), ints()];
  const tensors = ints(all), above = ints(deepest + 1), own = ints(size);
  let row = 0, tensor = 0;
  for (let i = 0; i < size; i++) {
    const at = (own[i] = row++), level = levels[i], kinds = inside[pattern[i]], up = level ? above[level - 1] : -1;
    above[level] = at;
    module[at] = i;
    place[at] = -1;
    parent[at] = up;
    depth[at] = level;
    if (up >= 0) children[up]++;
    for (let nth = 0; nth < kinds.length; nth++, row++) {
      kind[row] = kinds[nth];
      module[row] = i;
      place[row] = kinds[nth] === NOTE ? nth - held[pattern[i]] : nth;
      parent[row] = at;
      depth[row] = level + 1;
      if (kinds[nth] !== NOTE) tensors[tensor++] = row;
    }
    children[at] = kinds.length;
  }
  const firsts = numbers(tree.repeated.first), times = numbers(tree.repeated.times), groups = [];
  firsts.forEach((i, nth) => {
    let next = i + 1;
    while (levels[next] > levels[i]) next++;
    groups.push({ first: own[i], times: times[nth], each: own[next] - own[i] });
  });
  return { tree, column, total, kind, module, place, parent, depth, children, tensors, groups };
}
