// A heat map: cells on a canvas, a cursor for pointer and keyboard, and the number under it in words.

const BIGGEST = 46, NUMBERS_FROM = 42, MARKS_FROM = 7;

const grouped = (n) => n.toLocaleString("en");
const clamp = (n, most) => Math.max(0, Math.min(most, n));

/** Something to look at that has a cursor of its own. */
const surface = (node, kind, label) => {
  for (const [key, value] of [["tabindex", 0], ["role", "application"], ["aria-roledescription", kind], ["aria-label", `${label} Arrow keys move.`]]) node.setAttribute(key, value);
};

/** Arrow and page keys as steps to the right and down; Home and End as very large ones. */
function onArrows(node, act) {
  node.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], PageUp: [0, -10], PageDown: [0, 10], Home: [-1e9, 0], End: [1e9, 0] }[event.key];
    if (step && act(...step) !== false) event.preventDefault();
  });
}

/** A canvas of this size in CSS pixels, and a pen that draws in them. */
function penOf(canvas, wide, tall) {
  const sharp = devicePixelRatio || 1, pen = canvas.getContext("2d");
  canvas.width = Math.ceil(wide * sharp);
  canvas.height = Math.ceil(tall * sharp);
  pen.scale(sharp, sharp);
  return pen;
}

/** Red, green and blue of "#0b62b8" or "rgb(11, 98, 184)". */
const channels = (colour) => (colour.includes("#") ? [1, 3, 5].map((n) => parseInt(colour.trim().slice(n, n + 2), 16)) : colour.match(/[\d.]+/g).slice(0, 3).map(Number));

/** Black or white, whichever can be read on a colour that covers a part of another one: always 4.5 to 1 or more. */
function inkOn(part, above, below) {
  const [r, g, b] = above.map((n, i) => ((part * n + (1 - part) * below[i]) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000" : "#fff";
}

/**
 * @param {HTMLElement} root  the view, for its colours
 * @param {number} tallest  in CSS pixels
 * @returns {{node: HTMLElement, show: (data: object|null, name?: string) => void, draw: () => void}}
 */
function heatMap(root, tallest) {
  const canvas = make("canvas"), reading = make("div.reading.mono", { role: "status" });
  const low = make("span"), high = make("span"), note = make("span.soft");
  const holder = make("div", {}, canvas), legend = make("div.legend", {}, low, make("span.scale", {}, "0"), high, note);
  const node = make("div.heat", {}, holder, reading, legend);
  let data = null, name = "", cursor = null, size = 1;

  const beyond = (value) => Math.abs(value) > data.limit * 1.0001;
  /** What the colour alone cannot say. */
  const markOf = (value) => (Number.isNaN(value) ? "X" : !Number.isFinite(value) ? "I" : beyond(value) ? (value > 0 ? "+" : "−") : "");

  function show(now, called) {
    if (!now || data?.rows !== now.rows || data.columns !== now.columns) cursor = null;
    [data, name] = [now, called];
    node.hidden = !data;
    if (!data) return;
    surface(canvas, "heat map", `${name}: ${data.words}.`);
    low.textContent = `−${decimal(data.limit)}`;
    high.textContent = decimal(data.limit);
    const marks = { "+": 0, "−": 0, X: 0, I: 0 };
    for (const value of data.cells) marks[markOf(value)]++;
    note.textContent = [[marks["+"] + marks["−"], "beyond the scale: + −"], [marks.X, "NaN: X"], [marks.I, "infinite: I"]].map(([n, words]) => (n ? `${grouped(n)} ${words}` : "")).filter(Boolean).join(" · ");
    paint();
    tell();
  }

  function paint() {
    if (!data || !holder.clientWidth) return;
    size = Math.min(BIGGEST, holder.clientWidth / data.columns, tallest / data.rows);
    if (size > 4) size = Math.floor(size);
    const wide = size * data.columns, tall = size * data.rows, pen = penOf(canvas, wide, tall), style = getComputedStyle(root);
    canvas.style.width = `${wide}px`;
    canvas.style.height = `${tall}px`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const minus = style.getPropertyValue("--minus"), plus = style.getPropertyValue("--plus"), gap = size > 12 ? 1 : 0;
    const [cold, warm, page] = [minus, plus, style.backgroundColor].map(channels);
    for (let n = 0; n < data.used; n++) {
      const value = data.cells[n], x = (n % data.columns) * size, y = Math.floor(n / data.columns) * size;
      const part = Number.isFinite(value) ? Math.min(1, Math.abs(value) / data.limit) : 0, mark = markOf(value);
      pen.fillStyle = value < 0 ? minus : plus;
      pen.globalAlpha = part;
      pen.fillRect(x, y, size - gap, size - gap);
      pen.globalAlpha = 1;
      if (size < MARKS_FROM || (!mark && size < NUMBERS_FROM)) continue;
      const words = size >= NUMBERS_FROM && Number.isFinite(value) ? short(value) + mark : mark;
      pen.fillStyle = inkOn(part, value < 0 ? cold : warm, page);
      pen.font = `${words.length > 1 ? 11 : Math.min(14, size)}px monospace`;
      pen.fillText(words, x + size / 2, y + size / 2 + 0.5);
    }
    if (!cursor) return;
    const edge = Math.max(4, size), out = (size - edge) / 2;
    for (const [colour, width] of [[style.backgroundColor, 4], [style.color, 2]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.strokeRect(cursor[1] * size + out, cursor[0] * size + out, edge - 1, edge - 1);
    }
  }

  const short = (value) => (value && (Math.abs(value) < 0.001 || Math.abs(value) >= 1000) ? value.toExponential(0) : String(Number(value.toPrecision(2))));

  /** The index of a cell as one would write it in Python. */
  function placeOf(row, column) {
    const { shape, axes, index, block, steps } = data;
    const range = (at, count, axis) => {
      const last = Math.min(at + count, shape[axis]) - 1, step = steps[axis] ?? 1;
      return last > at ? `${at * step}…${last * step}` : `${at * step}`;
    };
    if (!shape.length) return "";
    if (!axes.length) return `[${range((row * data.columns + column) * block[1], block[1], 0)}]`;
    const parts = index.map((at, axis) => String(at * (steps[axis] ?? 1)));
    [row, column].forEach((at, n) => (parts[axes[n]] = range(at * block[n], block[n], axes[n])));
    return `[${parts.join(", ")}]`;
  }

  function tell() {
    const many = data.block[0] * data.block[1] > 1 ? ` ${data.how}` : "";
    reading.textContent = cursor ? `${name}${placeOf(...cursor)}${many} = ${decimal(data.cells[cursor[0] * data.columns + cursor[1]])}` : data.words;
  }

  function move(row, column) {
    if (row * data.columns + column >= data.used || String(cursor) === `${row},${column}`) return;
    cursor = [row, column];
    paint();
    tell();
  }

  canvas.addEventListener("pointermove", (event) => move(clamp(Math.floor(event.offsetY / size), data.rows - 1), clamp(Math.floor(event.offsetX / size), data.columns - 1)));
  const leave = () => {
    cursor = null;
    if (data) paint(), tell();
  };
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("blur", leave);
  onArrows(canvas, (x, y) => (cursor ? move(clamp(cursor[0] + y, data.rows - 1), clamp(cursor[1] + x, data.columns - 1)) : move(0, 0)));
  return { node, show, draw: paint };
}

/** Two dimensions of a small tensor, of which the page has every number. */
function sliceOf(values, shape, wanted) {
  const size = shape.length;
  if (size < 2) {
    const wide = values.length <= 32 ? values.length : Math.min(128, 8 * Math.ceil(Math.sqrt(4 * values.length) / 8));
    return { axes: [], index: [0], rows: Math.ceil(values.length / wide), columns: wide, cells: values };
  }
  const axes = wanted.axes.length ? wanted.axes : [size - 2, size - 1];
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  const index = shape.map((length, axis) => (axes.includes(axis) ? 0 : clamp(wanted.index[axis] ?? 0, length - 1)));
  const start = index.reduce((sum, at, axis) => sum + at * strides[axis], 0);
  const [rows, columns] = axes.map((axis) => shape[axis]);
  const cells = new Float32Array(rows * columns);
  cells.forEach((_, n) => (cells[n] = values[start + Math.floor(n / columns) * strides[axes[0]] + (n % columns) * strides[axes[1]]]));
  return { axes, index, rows, columns, cells };
}
