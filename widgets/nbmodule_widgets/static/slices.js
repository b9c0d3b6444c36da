// Slices of a small tensor, cut in the page.

/**
 * Two dimensions of a small tensor, of which the page has every number.
 * @param {boolean} all  every slice as a tile; in a line as many whole groups of them as fill the place, if it can be so
 */
function sliceOf(values, shape, wanted, all) {
  const size = shape.length;
  if (size < 2) {
    const wide = values.length <= 32 ? values.length : Math.min(128, 8 * Math.ceil(Math.sqrt(4 * values.length) / 8));
    return { axes: [], index: [0], rows: Math.ceil(values.length / wide), columns: wide, cells: values };
  }
  const axes = wanted.axes.length ? wanted.axes : [size - 2, size - 1], others = [...shape.keys()].filter((axis) => !axes.includes(axis));
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  const index = shape.map((length, axis) => (axes.includes(axis) ? 0 : clamp(wanted.index[axis] ?? 0, length - 1)));
  const [high, wide] = axes.map((axis) => shape[axis]), tiles = all ? values.length / (high * wide) : 1;
  const group = shape[others.at(-1)] ?? 1, best = Math.ceil(Math.sqrt((1.2 * tiles * high) / wide));
  const across = group > best ? Math.ceil(group / Math.ceil(group / best)) : Math.floor(best / group) * group;
  const used = tiles > 1 ? across : 1, rows = high * Math.ceil(tiles / used), columns = wide * used, cells = new Float32Array(rows * columns);
  for (let n = 0; n < tiles * high * wide; n++) {
    const tile = Math.floor(n / (high * wide)), row = Math.floor(n / wide) % high, column = n % wide, at = tiles > 1 ? unravel(tile, shape, others) : [...index];
    [at[axes[0]], at[axes[1]]] = [row, column];
    cells[(Math.floor(tile / used) * high + row) * columns + (tile % used) * wide + column] = values[at.reduce((sum, i, axis) => sum + i * strides[axis], 0)];
  }
  const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const words = (tiles > 1 ? tiles + " slices of " : "") + `${many(high, "row")} by ${many(wide, "column")}`;
  return { axes, index, rows, columns, cells, words, tile: tiles > 1 && [high, wide], tiles, others };
}
