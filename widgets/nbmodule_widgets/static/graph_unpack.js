// The graph as Python sent it, and what of it is drawn when some groups are open. Nothing here touches the page.
//
// Nodes are numbered 0 … n-1 in forward order; groups from 0, the whole graph, each after the one around it. An *item* is
// what a box stands for: a node (its number) or a group (n + its number). A group holds the nodes from `first` to `end`.

const OUTSIDE = -1, MOST_BOXES = 500, CARRIES = 1;

const lists = (length) => Array.from({ length }, () => []);

/** Unpacks the trait `graph` or `rest`: columns, and functions that look up what a number in them stands for. */
function unpackGraph(packed) {
  const table = (columns) => Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, numbers(column)]));
  const [node, group, edge, link] = ["nodes", "groups", "edges", "links"].map((name) => table(packed[name])), n = node.op.length;
  const { words, shapes, ops, values } = packed, parent = Array.from(group.parent, (up) => up - 1), bends = new Map(), orders = numbers(packed.bends);
  const up = [...node.group, ...parent], kids = parent.map(() => 0), depth = [], from = lists(n), into = lists(n);
  up.forEach((g) => kids[g]++);
  parent.forEach((g) => depth.push(g < 0 ? 0 : depth[g] + 1));
  edge.source.forEach((source, e) => (from[source].push(e), into[edge.target[e]].push(e)));
  const of = (what, g) => words[group[what][g]], said = (i) => words[node.label[i]];
  const label = (i) => (said(i)[0] === "." ? of("path", node.group[i]) : "") + said(i); // ".weight" in the frame of its module
  let at = 0;
  link.group.forEach((g, i) => bends.set(`${g} ${link.from[i] - 1} ${link.to[i] - 1}`, orders.subarray(at, (at += link.count[i]))));
  return {
    packed, n, node, group, edge, bends, parent, up, kids, depth, from, into, // up: of each item the group around it
    rank: [...node.rank, ...group.rank], order: [...node.order, ...group.order],
    op: (i) => ops[node.op[i]], isResult: (i) => node.is[i] & 1, isFreed: (i) => node.is[i] & 2, label, own: (i) => said(i).replace(/^\./, ""), shape: (i) => values[i] ?? shapes[node.shape[i]],
    name: (i) => label(i) || ops[node.op[i]].word, of,
    along: (e) => (edge.shape ? shapes[edge.shape[e]] : values[edge.source[e]] ?? shapes[node.shape[edge.source[e]]]),
    carried: (edges) => edges.filter((e) => edge.output[e] & CARRIES),
  };
}

/**
 * What is drawn.
 * @param {Set<number>} open  groups; what lies in a closed one is hidden
 * @returns {{shown: number[], children: number[][], lines: object[], links: object[][], open: number[]}}
 *   shown: the box that stands for each node; children: what stands in each open group; lines: the edges between two
 *   boxes, as one, with the links that they follow; links: those between the children of a group, or with the outside
 */
function visibleParts(graph, open) {
  const { n, node, parent, edge } = graph, hidden = [], children = lists(parent.length), links = lists(parent.length), lines = new Map(), known = new Map();
  parent.forEach((up, g) => {
    hidden[g] = up >= 0 && hidden[up] >= 0 ? hidden[up] : open.has(g) ? -1 : g;
    if (up >= 0 && hidden[up] < 0) children[up].push(n + g);
  });
  const shown = Array.from(node.group, (g, i) => (hidden[g] < 0 ? i : n + hidden[g]));
  shown.forEach((item, i) => item === i && children[node.group[i]].push(i));
  const link = (g, from, to) => {
    const key = `${g} ${from} ${to}`, rank = from < 0 ? 0 : graph.rank[from] + 1;
    if (!known.has(key)) {
      known.set(key, { g, from, to, bends: Array.from(graph.bends.get(key) ?? [], (order, i) => ({ order, rank: rank + i, w: 10, h: 0 })) });
      links[g].push(known.get(key));
    }
    return known.get(key);
  };
  edge.source.forEach((source, e) => {
    const [from, to] = [shown[source], shown[edge.target[e]]], key = `${from} ${to}`;
    if (from === to) return;
    if (!lines.has(key)) lines.set(key, { from, to, edges: [], way: wayOf(graph, from, to, link) });
    lines.get(key).edges.push(e);
  });
  return { shown, children, links, lines: [...lines.values()], open: [...open].filter((g) => hidden[g] < 0).sort((a, b) => a - b) };
}

/** The links that a line follows: out of the groups of the one box, across the first that holds both, into those of the other. */
function wayOf({ n, up, depth }, from, to, link) {
  const out = [], into = [];
  while (up[from] !== up[to]) {
    const g = up[from], h = up[to];
    if (depth[g] >= depth[h]) {
      out.push(link(g, from, OUTSIDE));
      from = n + g;
    } else {
      into.unshift(link(h, OUTSIDE, to));
      to = n + h;
    }
  }
  return [...out, link(up[from], from, to), ...into];
}

/** The groups around an item, from inside out. */
function around(graph, item) {
  const found = [];
  for (let g = graph.up[item]; g >= 0; g = graph.parent[g]) found.push(g);
  return found;
}

/** How many boxes are drawn. */
const boxCount = (graph, open) => [...open].reduce((sum, g) => sum + graph.kids[g] - 1, 1);

/** Folds a group and all that is in it. */
const folded = ({ group }, open, g) => new Set([...open].filter((other) => other < g || group.first[other] < group.first[g] || group.end[other] > group.end[g]));

/** Opens groups, the innermost first; where that would be too much to draw, others are folded, those opened first. */
function unfolded(graph, open, wanted) {
  const keep = new Set([...wanted, ...around(graph, graph.n + wanted[0])]);
  let now = new Set([...open, ...wanted]);
  for (const g of open) if (boxCount(graph, now) > MOST_BOXES && !keep.has(g)) now = folded(graph, now, g);
  return now;
}
