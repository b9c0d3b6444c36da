// Numbers beside the rows: how they are unpacked, what a module makes of those below it, and their scale.

const NOTHING = -3;

/** A column of numbers: float32, or positions on a logarithmic scale, where the highest codes are words. */
function unpackNumbers({ kind, bytes, low, high }) {
  if (kind === "f") return floats(bytes);
  const top = kind === "B" ? 255 : 65535;
  const words = [NaN, Infinity, -1, -2];
  return Float64Array.from(numbers({ kind, bytes }), (code) => (code ? words[top - code] ?? 2 ** (low + ((code - 1) / (top - 5)) * (high - low)) : 0));
}

/**
 * A number for every row. A module's is that of all parameters in it together: of norms the norm, of ratios the
 * ratio of the norms.
 * @param watched  the rows that the column speaks of
 * @param ratio  whether the numbers are ratios
 * @param weights  for a ratio, the column of what it is a ratio to
 */
function spread(rows, watched, column, ratio, weights) {
  const values = new Float64Array(rows.total).fill(NOTHING), above = new Float64Array(rows.total);
  const below = new Float64Array(rows.total), some = new Uint8Array(rows.total);
  watched.forEach((row, index) => {
    const value = (values[row] = column[index] ?? NOTHING), weight = ratio ? weights?.[index] ?? -1 : 1;
    if (value < 0 || weight < 0) return;
    above[row] = (value * weight) ** 2;
    below[row] = weight ** 2;
    some[row] = 1;
  });
  for (let row = rows.total - 1; row > 0; row--) {
    const parent = rows.parent[row];
    above[parent] += above[row];
    below[parent] += below[row];
    some[parent] |= some[row];
  }
  for (let row = 0; row < rows.total; row++) {
    if (rows.kind[row] === MODULE && some[row]) values[row] = Math.sqrt(above[row] / ((ratio && below[row]) || 1));
  }
  return values;
}

/**
 * The ends of the scale, as powers of ten, four to eight apart. They stay until the numbers have clearly left them.
 * @param {Float64Array} values
 * @param {number[]} before  the ends so far, if there are any
 */
function scaleOf(values, [low, high]) {
  let least = Infinity, most = 0;
  for (const value of values)
    if (value > 0 && value < Infinity) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  const top = most ? Math.ceil(Math.log10(most)) : 0;
  if (top > high || !(top >= high - 1)) high = top;
  const bottom = Math.max(high - 8, Math.min(high - 4, Math.floor(Math.log10(least))));
  return [bottom >= low && bottom <= low + 1 && low <= high - 4 ? low : bottom, high];
}

/** Three significant digits, in seven characters at most. */
function short(value) {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size === 0) return decimal(value);
  return size < 1e-3 || size >= 1e5 ? value.toExponential(2).replace("+", "") : String(Number(value.toPrecision(3)));
}

/** Where a number lies on the scale, from 0 to 1. */
const onScale = (value, [low, high]) => (value > 0 ? Math.max(0, Math.min(1, (Math.log10(value) - low) / (high - low))) : 0);

/** The rows that the numbers belong to: those that Python names, or else every parameter at its first place. */
function watchedRows(rows, kinds, packed) {
  const first = (row) => rows.kind[row] === PARAMETER && !(kinds[row] & WHICH.shared) && patternOf(rows, row).tensors[rows.place[row]].state !== "none";
  return packed ? numbers(packed) : rows.tensors.filter(first);
}

/** The numbers of one view: `take` those that Python has sent, `fill` them into the rows that are drawn. */
function painter(model, { metric, legend }) {
  let columns = {}, taken = null, scale = [];
  const painting = { values: null, forget, take, fill };

  function forget() {
    columns = {};
    painting.values = taken = null;
  }

  /** Of a very large model only a part comes at a time. Returns whether there are numbers for this tree. */
  function take(rows, kinds) {
    const live = model.get("live") ?? {};
    if (live.version !== rows.tree.version) return !!legend.replaceChildren();
    if (taken !== live) {
      for (const [name, packed] of Object.entries(live.columns)) {
        if (columns[name]?.length !== live.size) columns[name] = new Float64Array(live.size).fill(NOTHING);
        columns[name].set(unpackNumbers(packed), live.from);
      }
      const names = [...metric.options].map((option) => option.value);
      if (names.join() !== live.names.join()) metric.replaceChildren(...live.names.map((name) => make("option", { value: name }, name)));
      taken = live;
    }
    metric.value = model.get("metric");
    if (metric.selectedIndex < 0) metric.selectedIndex = 0;
    const name = metric.value, watched = watchedRows(rows, kinds, model.get("watched").rows);
    const values = spread(rows, watched, columns[name] ?? [], name.includes("/"), columns["weight norm"]);
    for (let row = 1; row < rows.total; row++) if (kinds[row] & WHICH.shared) values[row] = values[describe(rows, row).twin[0]];
    scale = scaleOf(values, scale);
    legend.replaceChildren(`${name}, log scale: 1e${scale[0]}`, mute("span.scale"), `1e${scale[1]}`);
    painting.values = values;
    return true;
  }

  function fill(rows, drawn) {
    if (painting.values) for (const [row, node] of drawn) if (rows.kind[row] !== NOTE) fillNumber(node.lastChild, painting.values[row], scale);
  }
  return painting;
}
