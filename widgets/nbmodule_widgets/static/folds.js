// Repeated blocks: modules that are alike but for their numbers are one row, which unfolds to them. Nothing here touches the page.

/**
 * The tree as it is shown. A row that stands for modules that are alike lies between them and their parent; it is numbered after
 * the rows there are, in the order of `rows.groups`. One whose modules bear different marks is left out, so that none is hidden.
 * @param changes  by row: the mark on it
 * @param plain  whether nothing is folded: the numbers beside the rows differ
 * @returns  for each row the one above it, its level, its position among its siblings and the number of its children; for each
 *   first of a group the row that stands for it, or -1
 */
function shapeOf(rows, changes, plain) {
  const ints = () => new Int32Array(rows.total + rows.groups.length);
  const [level, position, size] = [ints(), ints(), ints()], up = ints(), head = ints().fill(-1);
  up.set(rows.parent);
  rows.groups.forEach((group, nth) => {
    if (plain || !markedAlike(group, changes)) return;
    head[group.first] = rows.total + nth;
    for (let i = 0; i < group.times; i++) up[group.first + i * group.each] = rows.total + nth;
    up[rows.total + nth] = rows.parent[group.first];
  });
  eachShown(rows, head, (row) => {
    level[row] = up[row] < 0 ? 1 : level[up[row]] + 1;
    position[row] = up[row] < 0 ? 1 : ++size[up[row]];
  });
  return { up, head, level, position, size };
}

/** Calls `action` with each row in order, the rows of groups included. */
function eachShown(rows, head, action) {
  for (let row = 0; row < rows.total; row++) {
    if (head[row] >= 0) action(head[row]);
    action(row);
  }
}

function markedAlike({ first, times, each }, changes) {
  if (!changes.size) return true;
  for (let row = first; row < first + (times - 1) * each; row++) if (changes.get(row) !== changes.get(row + each)) return false;
  return true;
}

/** The rows that are unfolded, in order. */
function unfoldedRows(rows, { up, head }, open, tensors) {
  const shown = new Int32Array(open.length), inside = new Uint8Array(open.length);
  let size = 0;
  eachShown(rows, head, (row) => {
    if (up[row] >= 0 && !inside[up[row]]) return;
    inside[row] = open[row];
    if (tensors || row >= rows.total || rows.kind[row] === MODULE || rows.kind[row] === NOTE) shown[size++] = row;
  });
  return shown.subarray(0, size);
}

/**
 * What is unfolded at first: as deep as all that can be looked over, and nothing of what lies in a group.
 * @param most  rows that can be looked over
 */
function unfoldedAtFirst(rows, most) {
  const open = new Uint8Array(rows.total + rows.groups.length), away = new Uint8Array(rows.total), levels = [];
  const add = (row) => away[row] || (levels[rows.depth[row]] = (levels[rows.depth[row]] ?? 0) + 1);
  for (const { first, times, each } of rows.groups) {
    add(first); // the row that stands for them
    away.fill(1, first, first + times * each);
  }
  for (let row = 0; row < rows.total; row++) add(row);
  let deep = 1, sight = levels[0] + (levels[1] ?? 0);
  while (levels[deep + 1] && sight + levels[deep + 1] <= most) sight += levels[++deep];
  for (let row = 0; row < rows.total; row++) if (!away[row] && rows.children[row] && rows.depth[row] < deep) open[row] = 1;
  return open;
}

/** What the row of a group says: what all of them have in common, and the numbers of one. */
function describeGroup(rows, { first, times, each }) {
  const one = describe(rows, first), extra = one.extra === "()" ? "" : one.extra;
  let notes = 0;
  for (let row = first; row < first + each; row++) if (rows.kind[row] === NOTE) notes++;
  const name = `${one.name} … ${nameOf(rows, first + (times - 1) * each)}`;
  return { ...one, name, extra, class: `${words(times)} x ${one.class}`, count: 0, each: one.count, times, notes: notes * times };
}

/** Unfolds down to a depth; -1 is all the way, and then groups too. */
function unfoldTo(rows, open, depth) {
  open.fill(depth < 0 ? 1 : 0, rows.total);
  for (let row = 0; row < rows.total; row++) open[row] = rows.children[row] && (depth < 0 || rows.depth[row] < depth) ? 1 : 0;
}

/** Takes over what was unfolded in the tree before; `old` has for each row the one it was. */
function carryUnfolded(before, { rows, open }, old) {
  old.forEach((was, row) => was >= 0 && (open[row] = before.open[was]));
  before.rows.groups.forEach((_, nth) => {
    const now = groupLike(before.rows, before.rows.total + nth, rows, old);
    if (now >= 0) open[now] = before.open[before.rows.total + nth];
  });
}

/** The row of the group that begins where one of the tree before began, or -1. */
function groupLike(before, row, rows, old) {
  const found = rows.groups.findIndex(({ first }) => old[first] === before.groups[row - before.total].first);
  return found < 0 ? -1 : rows.total + found;
}
