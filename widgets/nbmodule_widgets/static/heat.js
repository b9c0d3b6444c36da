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
  const canvas = make("canvas"), reading = make("div.reading.mono");
  const low = make("span"), high = make("span"), note = make("span.soft");
  const holder = make("div", {}, canvas), legend = make("div.legend", {}, low, make("span.scale", {}, "0"), high, note);
  const node = make("div.heat", {}, holder, reading, legend);
  let data = null, name = "", cursor = null, size = 1, tile = [1, 1], gap = 0;

  const beyond = (value) => Math.abs(value) > data.limit * 1.0001;
  /** What the colour alone cannot say. */
  const markOf = (value) => (Number.isNaN(value) ? "X" : !Number.isFinite(value) ? "∞" : beyond(value) ? (value > 0 ? "+" : "−") : "");

  function show(now, called) {
    if (!now || data?.rows !== now.rows || data.columns !== now.columns) cursor = null;
    [data, name] = [now, called];
    node.hidden = !data;
    if (!data) return;
    tile = data.tile || [data.rows, data.columns];
    gap = data.tile ? 4 : 0;
    surface(canvas, "heat map", `${name}: ${data.words}.`);
    low.textContent = `−${decimal(data.limit)}`;
    high.textContent = decimal(data.limit);
    const marks = { "+": 0, "−": 0, X: 0, "∞": 0 };
    for (const value of data.cells) marks[markOf(value)]++;
    note.textContent = [[marks["+"] + marks["−"], "beyond the scale: + −"], [marks.X, "NaN: X"], [marks["∞"], "infinite: ∞"]].map(([n, words]) => (n ? `${grouped(n)} ${words}` : "")).filter(Boolean).join(" · ");
    paint();
    tell();
  }

  function paint() {
    if (!data || !holder.clientWidth) return;
    const between = [data.rows / tile[0] - 1, data.columns / tile[1] - 1].map((n) => n * gap);
    size = Math.min(BIGGEST, (holder.clientWidth - between[1]) / data.columns, (tallest - between[0]) / data.rows);
    if (size > 4) size = Math.floor(size);
    const wide = size * data.columns + between[1], tall = size * data.rows + between[0], pen = penOf(canvas, wide, tall), style = getComputedStyle(root);
    canvas.style.width = `${wide}px`;
    canvas.style.height = `${tall}px`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const minus = style.getPropertyValue("--negative"), plus = style.getPropertyValue("--positive"), line = size > 12 ? 1 : 0;
    const [cold, warm, page] = [minus, plus, style.backgroundColor].map(channels);
    const put = (n, edge) => n * size + Math.floor(n / edge) * gap;
    for (let n = 0; n < data.cells.length; n++) {
      const column = n % data.columns, row = Math.floor(n / data.columns);
      if (!numberOf(row, column)) continue;
      const value = data.cells[n], x = put(column, tile[1]), y = put(row, tile[0]);
      const part = Number.isFinite(value) ? Math.min(1, Math.abs(value) / data.limit) : 0, mark = markOf(value);
      pen.fillStyle = value < 0 ? minus : plus;
      pen.globalAlpha = part;
      pen.fillRect(x, y, size - line, size - line);
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
      pen.strokeRect(put(cursor[1], tile[1]) + out, put(cursor[0], tile[0]) + out, edge - 1, edge - 1);
    }
  }

  const short = (value) => (value && (Math.abs(value) < 0.01 || Math.abs(value) >= 1000) ? value.toExponential(0) : String(Number(value.toPrecision(2))));

  /** Whether a number belongs to a cell: the last line of a folded tensor, or of tiles, may be incomplete. */
  function numberOf(row, column) {
    return data.tile ? tileAt(row, column) < data.tiles : row * data.columns + column < data.used;
  }

  const tileAt = (row, column) => Math.floor(row / tile[0]) * (data.columns / tile[1]) + Math.floor(column / tile[1]);

  /** The index of a cell as one would write it in Python. */
  function placeOf(row, column) {
    const { shape, axes, block, steps } = data, index = data.tile ? unravel(tileAt(row, column), shape, data.others) : data.index;
    const range = (at, count, axis) => {
      const last = Math.min(at + count, shape[axis]) - 1, step = steps[axis] ?? 1;
      return last > at ? `${at * step}…${last * step}` : `${at * step}`;
    };
    if (!shape.length) return "";
    if (!axes.length) return `[${range((row * data.columns + column) * block[1], block[1], 0)}]`;
    const parts = index.map((at, axis) => String(at * (steps[axis] ?? 1)));
    [row, column].forEach((at, n) => (parts[axes[n]] = range((at % tile[n]) * block[n], block[n], axes[n])));
    return `[${parts.join(", ")}]`;
  }

  function tell() {
    const many = data.block[0] * data.block[1] > 1 ? ` ${data.how}` : "";
    reading.role = cursor && "status"; // spoken where the reader moves, not where the values change
    reading.textContent = cursor ? `${name}${placeOf(...cursor)}${many} = ${decimal(data.cells[cursor[0] * data.columns + cursor[1]])}` : data.words;
  }

  function move(row, column) {
    if (!numberOf(row, column) || String(cursor) === `${row},${column}`) return;
    cursor = [row, column];
    paint();
    tell();
  }

  const under = (offset, edge, length) => {
    const pitch = edge * size + gap, before = Math.floor(offset / pitch);
    return clamp(before * edge + clamp(Math.floor((offset - before * pitch) / size), edge - 1), length - 1);
  };
  canvas.addEventListener("pointermove", (event) => move(under(event.offsetY, tile[0], data.rows), under(event.offsetX, tile[1], data.columns)));
  const leave = () => {
    cursor = null;
    if (data) paint(), tell();
  };
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("blur", leave);
  root.addEventListener("theme", paint);
  onArrows(canvas, (x, y) => (cursor ? move(clamp(cursor[0] + y, data.rows - 1), clamp(cursor[1] + x, data.columns - 1)) : move(0, 0)));
  return { node, show, draw: paint };
}

/** The n-th index along some dimensions of a tensor, 0 along the others. */
function unravel(n, shape, some) {
  const index = shape.map(() => 0);
  for (const axis of [...some].reverse()) [index[axis], n] = [n % shape[axis], Math.floor(n / shape[axis])];
  return index;
}
