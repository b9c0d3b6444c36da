// Where the boxes stand. In which row of its group a box is, and where in the row, Python has worked out once, whatever
// is open; here the rows get their heights, and each box the place across at which its lines run straight.

const ROW_GAP = 44, BOX_GAP = 16, FRAME = 14, HEADER = 44;

/**
 * Gives every box, frame and bend its place: x and y of the upper left corner, w and h.
 * @param {(item: number) => number[]} measure  width and height of a box, and the least width of a frame in its place
 * @returns {{box: Map<number, object>, w: number, h: number}}  box: by item, frames before what is in them
 */
function placeParts(graph, parts, measure) {
  const { n } = graph, inner = new Map(), box = new Map();
  for (const g of [...parts.open].reverse()) {
    const cells = new Map(parts.children[g].map((item) => {
      const within = inner.get(item - n), [w, h, title] = measure(item);
      return [item, { item, w: within ? Math.max(within.w + 2 * FRAME, title) : w, h: within ? within.h + HEADER + FRAME : h, rank: graph.rank[item], order: graph.order[item] }];
    }));
    inner.set(g, arrange([...cells.values()], parts.links[g].map(({ from, to, bends }) => [cells.get(from), ...bends, cells.get(to)].filter(Boolean))));
  }
  for (const g of parts.open) {
    const frame = box.get(n + g), { w, cells } = inner.get(g), [x, y] = frame ? [frame.x + (frame.w - w) / 2, frame.y + HEADER] : [0, 0];
    for (const cell of cells) {
      cell.x += x;
      cell.y += y;
      cell.top += y;
      if (cell.item !== undefined) box.set(cell.item, cell);
    }
  }
  return { box, w: inner.get(0).w, h: inner.get(0).h };
}

/**
 * Rows from top to bottom, and in each the boxes as near as can be to those that they are linked with.
 * @param {object[][]} chains  each a box, the bends of a link, and the other box
 */
function arrange(cells, chains) {
  const all = [...new Set([...cells, ...chains.flat()])], rows = [];
  for (const cell of all) {
    [cell.up, cell.down] = [[], []];
    (rows[cell.rank] ??= []).push(cell);
  }
  for (const chain of chains) {
    chain.slice(1).forEach((cell, i) => {
      chain[i].down.push(cell);
      cell.up.push(chain[i]);
    });
  }
  const filled = rows.filter(Boolean);
  let y = 0;
  for (const row of filled) {
    const h = Math.max(...row.map((cell) => cell.h));
    row.sort((a, b) => a.order - b.order).forEach((cell, i) => Object.assign(cell, { x: 100 * (i - row.length / 2), y: y + (h - cell.h) / 2, top: y, row: h })); // x: of the middle, for now
    y += h + ROW_GAP;
  }
  for (const side of ["up", "down", "up", "down", "both"]) for (const row of side === "down" ? [...filled].reverse() : filled) settle(row, side);
  const left = Math.min(...all.map((cell) => cell.x - cell.w / 2)), right = Math.max(...all.map((cell) => cell.x + cell.w / 2));
  for (const cell of all) cell.x -= left + cell.w / 2; // from here on x is the left edge
  return { cells: all, w: all.length && right - left, h: all.length && y - ROW_GAP };
}

/**
 * Moves the boxes of a row to the middle of those that they are linked with, as far as their order and their widths
 * allow: the least sum of squares, found by pooling neighbours that would overlap into blocks that move together.
 */
function settle(row, side) {
  const blocks = [];
  let offset = 0;
  row.forEach((cell, i) => {
    if (i) offset += (row[i - 1].w + cell.w) / 2 + BOX_GAP;
    const near = side === "both" ? [...cell.up, ...cell.down] : cell[side], firm = cell.h ? 1 : 4; // bends make long lines straight
    const weight = near.length * firm || 0.1, wanted = near.length ? near.reduce((sum, other) => sum + other.x, 0) / near.length : cell.x;
    let block = { cells: [[cell, offset]], weight, sum: weight * (wanted - offset) };
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).weight > block.sum / block.weight) {
      const before = blocks.pop();
      block = { cells: [...before.cells, ...block.cells], weight: before.weight + block.weight, sum: before.sum + block.sum };
    }
    blocks.push(block);
  });
  for (const { cells, weight, sum } of blocks) for (const [cell, at] of cells) cell.x = sum / weight + at;
}
