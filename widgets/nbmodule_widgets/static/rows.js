// What the rows of a tree say and which of them to show. Nothing here touches the page.

// The kinds of rows that the reader can ask for, each a bit.
const WHICH = {
  trainable: 1, frozen: 2, "train mode": 4, "eval mode": 8, shared: 16, "with hooks": 32, buffers: 64, notes: 128, lazy: 256,
  changed: 512,
};

const patternOf = (rows, row) => rows.tree.patterns[rows.column.pattern[rows.module[row]]];

/** The name of a row, without the rest of what it says. */
function nameOf(rows, row) {
  if (row >= rows.total) return describe(rows, row).name;
  const pattern = patternOf(rows, row);
  if (rows.kind[row] === MODULE) return rows.tree.names[rows.column.name[rows.module[row]]] || pattern.class;
  return rows.kind[row] === NOTE ? pattern.notes[rows.place[row]].text : pattern.tensors[rows.place[row]].name;
}

/** What a row says, as texts. */
function describe(rows, row) {
  if (row >= rows.total) return describeGroup(rows, rows.groups[row - rows.total]);
  const { tree, column } = rows;
  const i = rows.module[row], pattern = patternOf(rows, row), name = nameOf(rows, row);
  if (rows.kind[row] === MODULE) {
    const [state, tone] = pattern.training ? ["● train", ""] : pattern.training === false ? ["○ eval", "strong"] : ["no flag", "strong"];
    return { ...pattern, name, state, tone, extra: `(${pattern.extra})`, count: tree.counts[column.count[i]], bytes: tree.sizes[column.bytes[i]] };
  }
  if (rows.kind[row] === NOTE) return { name, note: pattern.notes[rows.place[row]].kind, extra: "", state: "" };
  const tensor = pattern.tensors[rows.place[row]], frozen = tensor.state === "frozen";
  return { ...tensor, extra: tensor.words, state: frozen ? "❄ frozen" : tensor.state, tone: frozen || tensor.state === "not saved" ? "strong" : "" };
}

/** For each pattern something about its module, then about its tensors and its notes. */
const perPattern = (rows, of, ofNote) => rows.tree.patterns.map((p) => [of(p), ...p.tensors.map(of), ...p.notes.map(ofNote)]);

/** Calls `action` with each row, the number of its pattern, and its place in the list of `perPattern`. */
function eachRow(rows, action) {
  for (let row = 0, first = 0; row < rows.total; row++) {
    if (rows.kind[row] === MODULE) first = row;
    action(row, rows.column.pattern[rows.module[row]], row - first);
  }
}

/** The kinds of every row, as bits of WHICH. */
function kindsOf(rows) {
  const flag = (on, name) => (on ? WHICH[name] : 0);
  const bits = perPattern(
    rows,
    (it) => flag(it.training, "train mode") | flag(it.training === false, "eval mode") | flag(it.twin, "shared") | flag(it.hooks, "with hooks") | flag(it.lazy, "lazy") | flag(it.kind === "buffer", "buffers") | WHICH[it.state],
    (note) => flag(note.kind !== "empty", "notes"),
  );
  const found = new Uint16Array(rows.total);
  eachRow(rows, (row, pattern, place) => (found[row] = bits[pattern][place]));
  return found;
}

/**
 * What a search finds, with the way to it: a part of a name or of a class, or the end of a dotted path.
 * @returns {{shown: Int32Array, keep: Uint8Array, hits: number}}  `keep` is 2 for a hit, 1 for a row on the way to one
 */
function search(rows, kinds, { query, which, tensors }) {
  const way = query.split("."), last = way.pop();
  const has = (text) => (text.toLowerCase().includes(query) ? 2 : text.toLowerCase().includes(last) ? 1 : 0);
  const names = rows.tree.names.map(has), hit = perPattern(rows, (it) => has(it.name ?? it.class), (note) => has(note.text));
  const keep = new Uint8Array(rows.total);
  let hits = 0, size = 0;
  eachRow(rows, (row, pattern, place) => {
    const kind = rows.kind[row];
    if (which ? !(kinds[row] & which) : !tensors && (kind === PARAMETER || kind === BUFFER)) return;
    const found = Math.max(hit[pattern][place], kind === MODULE ? names[rows.column.name[rows.module[row]]] : 0);
    if (!found || (found === 1 && !comesBy(rows, row, way))) return;
    hits++;
    if (!keep[row]) size++;
    keep[row] = 2;
    for (let at = rows.parent[row]; at >= 0 && !keep[at]; at = rows.parent[at], size++) keep[at] = 1;
  });
  const shown = new Int32Array(size);
  for (let row = 0, at = 0; at < size; row++) if (keep[row]) shown[at++] = row;
  return { shown, keep, hits };
}

/** Whether the names above a row are those of a path; of the first, the end is enough. */
function comesBy(rows, row, way) {
  let at = row;
  for (let i = way.length - 1; i >= 0; i--) {
    at = rows.parent[at];
    if (at <= 0) return false;
    const above = nameOf(rows, at).toLowerCase();
    if (i ? above !== way[i] : !above.endsWith(way[i])) return false;
  }
  return true;
}

/** For each row of the new tree the row of the old one with the same path, or -1. */
function counterparts(old, now) {
  const key = (rows, row, parent) => `${parent} ${Math.min(rows.kind[row], 1)} ${nameOf(rows, row)}`;
  const before = new Map(), found = new Int32Array(now.total);
  const same = (parent, row) => parent === old.parent[row] && !old.kind[row] === !now.kind[row] && nameOf(old, row) === nameOf(now, row);
  if (old.total === now.total && now.parent.every((parent, row) => !row || same(parent, row))) return found.map((_, row) => row); // only flags changed
  for (let row = 1; row < old.total; row++) before.set(key(old, row, old.parent[row]), row);
  for (let row = 1; row < now.total; row++) found[row] = before.get(key(now, row, found[now.parent[row]])) ?? -1;
  return found;
}

/** The dotted path of a row; of a note, that of its module. */
function pathOf(rows, row) {
  const names = [];
  for (let at = row; at > 0 && names.length < 2000; at = rows.parent[at]) if (rows.kind[at] !== NOTE) names.push(nameOf(rows, at));
  return names.reverse().join(".");
}

/** The row of a dotted path, or -1. Names may have dots in them. */
function rowAt(rows, path) {
  if (!path) return 0;
  const after = new Int32Array(rows.total).fill(-1); // how much of the path leads to a row
  after[0] = 0;
  for (let row = 1; row < rows.total; row++) {
    const from = after[rows.parent[row]];
    if (from < 0 || rows.kind[row] === NOTE) continue;
    const name = nameOf(rows, row), end = from + name.length;
    if (!path.startsWith(name, from)) continue;
    if (end === path.length) return row;
    if (path[end] === ".") after[row] = end + 1;
  }
  return -1;
}
