// Two charts with a cursor: histograms on one axis, and columns of marks (units of an output, channels of a norm).

/**
 * A canvas as wide as its place, a cursor over its columns, and a line that says what is under it.
 * @param {HTMLElement} root  the view, for its colours
 * @param {string} kind  "histogram", "chart"
 * @param {number} tall  in CSS pixels
 * @returns {{node: HTMLElement, show: (data: object) => void, draw: () => void, dispose: () => void}}
 *   show: takes {title, words, legend, ends, count, low, high, paint(pen, wide, tall, ink, y), tell(column)}
 */
function chart(root, kind, tall) {
  const canvas = make("canvas", { style: `height:${tall}px` }), reading = make("div.reading.mono");
  const title = make("figcaption"), legend = make("div.legend"), high = make("span"), low = make("span"), axis = make("div.axis", { "aria-hidden": true }, high, low);
  const node = make("figure", {}, title, make("div.plot", {}, axis, canvas), legend, reading);
  let data = null, at = -1;

  function paint() {
    const wide = canvas.clientWidth;
    if (!data || !wide) return;
    const pen = penOf(canvas, wide, tall), style = getComputedStyle(root), ink = (name) => (name ? style.getPropertyValue(name).trim() : style.backgroundColor);
    const y = (value) => tall - 6 - ((value - data.low) / (data.high - data.low || 1)) * (tall - 12);
    if (at >= 0) {
      pen.fillStyle = ink("--pick");
      pen.fillRect((at * wide) / data.count, 0, Math.max(2, wide / data.count), tall);
    }
    if (data.low < 0 && data.high > 0 && kind === "chart") stroke(pen, ink("--edge"), 1, [[0, y(0)], [wide, y(0)]]);
    data.paint(pen, wide, tall, ink, y);
  }

  function tell() {
    reading.role = at < 0 ? null : "status"; // spoken where the reader moves, not at every draw
    reading.textContent = at < 0 ? data.words : data.tell(at);
  }

  function show(now) {
    if (data?.count !== now.count) at = -1;
    data = now;
    title.textContent = data.title;
    legend.replaceChildren(...data.legend.map(([shape, ink, words, used]) => make(used ? "b" : "span", {}, make("i", { style: `color:var(${ink})` }, shape), ` ${words}`)));
    [high.textContent, low.textContent] = data.ends;
    surface(canvas, kind, `${data.title}. ${data.words}.`);
    paint();
    tell();
  }

  const move = (to) => {
    at = clamp(to, data.count - 1);
    paint();
    tell();
  };
  const leave = () => {
    at = -1;
    if (data) paint(), tell();
  };
  canvas.addEventListener("pointermove", (event) => move(Math.floor((event.offsetX / canvas.clientWidth) * data.count)));
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("blur", leave);
  onArrows(canvas, (right, down) => (right ? move(at + right) : down ? false : undefined));
  const watcher = new ResizeObserver(paint);
  watcher.observe(canvas);
  root.addEventListener("theme", paint);
  return { node, show, draw: paint, dispose: () => watcher.disconnect() };
}

function stroke(pen, colour, width, points) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  points.forEach(([x, y], n) => (n ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
}

/** How a mark is drawn; its shape says what its colour says. */
const MARKS = {
  "●": (pen, x, y, size) => {
    pen.beginPath();
    pen.arc(x, y, size, 0, 7);
    pen.fill();
  },
  "◇": (pen, x, y, size, colour) => stroke(pen, colour, 1.6, [[x - size - 1, y], [x, y - size - 1], [x + size + 1, y], [x, y + size + 1], [x - size - 1, y]]),
  "–": (pen, x, y, size, colour) => stroke(pen, colour, 1.6, [[x - size - 2, y], [x + size + 2, y]]),
};

/**
 * Columns of marks.
 * @param {object} data
 * @param {string} data.title
 * @param {string} data.noun  what a column is
 * @param {string} data.words
 * @param {number} data.low
 * @param {number} data.high
 * @param {number} data.count  of columns
 * @param {{shape: string, ink: string, words: string, values: ArrayLike<number>, used?: boolean}[]} data.series
 * @param {{low: ArrayLike<number>, high: ArrayLike<number>, words: string}} [data.spread]  a line in each column
 */
function columns({ title, noun, words, low, high, count, series, spread }) {
  return {
    title, words, low, high, count,
    ends: [decimal(high), decimal(low)],
    legend: [...series.map(({ shape, ink, words: called, used }) => [shape, ink, called, used]), ...(spread ? [["│", "--train", spread.words]] : [])],
    paint(pen, wide, tall, ink, y) {
      const step = wide / count, size = Math.max(1.5, Math.min(4.5, step / 3));
      for (let n = 0; n < count; n++) {
        const x = (n + 0.5) * step;
        if (spread) stroke(pen, ink("--train"), Math.min(2, step / 4), [[x, y(spread.low[n])], [x, y(spread.high[n])]]);
        for (const { shape, ink: colour, values } of series) {
          if (!Number.isFinite(values[n])) continue;
          pen.fillStyle = ink(colour);
          MARKS[shape](pen, x, y(values[n]), size, ink(colour));
        }
      }
    },
    tell: (n) => noun + " " + n + ": " + series.map(({ words: called, values }) => called + " " + decimal(values[n])).join(", "),
  };
}

/** The smallest and the largest of some lists of numbers, with a little room. */
function range(...lists) {
  let low = Infinity, high = -Infinity;
  for (const list of lists)
    for (const value of list)
      if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return low <= high ? [low, high > low ? high : low + 1] : [0, 1];
}

/** Two histograms: one filled, one as an outline. */
function histogram({ title, low, high, filled, outline }) {
  const count = filled.counts.length, most = Math.max(1, filled.most, outline.most), width = (high - low) / count;
  const edge = (n) => decimal(low + n * width);
  return {
    title, count, low: 0, high: 1,
    ends: [grouped(most), "0"],
    words: `values from ${decimal(low)} (left) to ${decimal(high)} (right)`,
    legend: [["█", filled.ink, filled.words, true], ["▁▆▁", outline.ink, outline.words]],
    paint(pen, wide, tall, ink) {
      const step = wide / count, at = (n) => tall - (n / most) * (tall - 4);
      pen.fillStyle = ink(filled.ink);
      filled.counts.forEach((n, bin) => n && pen.fillRect(bin * step + 1, Math.min(at(n), tall - 2), step - 2, tall));
      const runs = []; // where nothing is there is no line
      outline.counts.forEach((n, bin) => {
        if (!n) return;
        if (!outline.counts[bin - 1]) runs.push([[bin * step, tall]]);
        const y = Math.min(at(n), tall - 2), run = runs.at(-1);
        run.push([bin * step, y], [(bin + 1) * step, y]);
        if (!outline.counts[bin + 1]) run.push([(bin + 1) * step, tall]);
      });
      for (const run of runs) stroke(pen, ink(""), 3.6, run); // a rim, so that the line is seen in front of the bars
      for (const run of runs) stroke(pen, ink(outline.ink), 1.8, run);
    },
    tell: (n) => edge(n) + " … " + edge(n + 1) + ": " + [filled, outline].map((one) => grouped(one.counts[n]) + one.short).join(", "),
  };
}
