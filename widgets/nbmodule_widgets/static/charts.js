// Charts with their axes in numbers: histograms, curves on a log scale, and bars on a log scale.

const FAINT = 120, POINTS = 160; // curves of other tensors, and points of each

/** Norms that travelled as 16-bit steps of a log scale; -1 is no gradient, -2 is not readable. */
function norms(bytes) {
  const words = { 0: 0, 65535: NaN, 65534: Infinity, 65533: -1, 65532: -2 };
  return Float32Array.from(numbers({ kind: "H", bytes }), (code) => words[code] ?? 10 ** (code / 700 - 46));
}

const rounded = (number) => decimal(Number(number.toPrecision(3))); // what travelled in two bytes has no more digits
const real = (number) => number > 0 && number < Infinity;
const power = (exponent) => (exponent >= -2 && exponent <= 3 ? String(Number((10 ** exponent).toPrecision(1))) : `1e${exponent}`);

/**
 * One or two histograms in one picture, with a cursor over the bins.
 * @param {{low: number, high: number, counts: number[]}[]} all  on one axis
 * @param {string[]} names  of what is counted in each
 */
function histogramChart(all, names, log, classes) {
  const [{ low, high, counts }] = all, bins = counts.length, most = Math.max(1, ...all.flatMap((one) => one.counts));
  const height = (n) => (n ? 100 * Math.max(0.02, log ? Math.log1p(n) / Math.log1p(most) : n / most) : 0);
  const marks = all.flatMap((one, k) => one.counts.map((n, i) => draw("rect", { class: classes[k], x: i + 0.05, width: 0.9, y: 100 - height(n), height: height(n) })));
  const cursor = draw("rect", { class: "at", x: -2, width: 1, y: 0, height: 100 }), x = (-low / (high - low)) * bins;
  const picture = draw("svg", { viewBox: `0 0 ${bins} 100`, preserveAspectRatio: "none" }, cursor, ...marks);
  if (x > 0 && x < bins) picture.append(draw("line", { x1: x, x2: x, y1: 0, y2: 100, class: "zero" }));
  surface(picture, "histogram", `${names.join(" and ")} from ${decimal(low)} to ${decimal(high)}.`);
  const reading = make("div.reading.mono", { role: "status" }, `most in one bin: ${grouped(most)}`);
  let at = -1;
  const move = (bin) => {
    at = clamp(bin, bins - 1);
    cursor.setAttribute("x", String(at));
    const edge = (n) => decimal(low + (n * (high - low)) / bins);
    reading.textContent = `${edge(at)} … ${edge(at + 1)}: ${all.map((one, k) => grouped(one.counts[at]) + " " + names[k]).join(", ")}`;
  };
  picture.addEventListener("pointermove", (event) => move(Math.floor((event.offsetX / picture.clientWidth) * bins)));
  onArrows(picture, (right, down) => move(at + (right || down)));
  const part = x / bins, zero = part > 0 && part < 1 ? make("span.origin", { style: `left:${100 * part}%`, hidden: part < 0.15 || part > 0.85 }, "0") : null;
  const counted = make("div.counts", { "aria-hidden": true }, make("span", {}, grouped(most)), log ? make("span", {}, "log") : null, make("span", {}, "0"));
  const ends = make("div.ends", {}, make("span", {}, decimal(low)), zero, make("span", {}, decimal(high)));
  return make("div.histogram", {}, counted, picture, ends, reading);
}

/** The powers of ten between which the positive numbers of some curves lie. */
function decades(curves) {
  let low = Infinity, high = 0;
  for (const curve of curves)
    for (const value of curve)
      if (real(value)) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
  if (!high) return [-1, 0];
  const from = Math.floor(Math.log10(low) + 1e-6);
  return [from, Math.max(from + 1, Math.ceil(Math.log10(high) - 1e-6))];
}

/**
 * A metric over the steps on a log scale: the chosen tensor, and faint lines of the others.
 * @param {(look: number) => void} onMove  the reader points at a look, or at none (-1)
 */
function timeChart(root, title, onMove) {
  const ink = title.startsWith("gradient") ? "--gradient" : "--value";
  const value = make("b"), canvas = make("canvas"), axis = make("div.axis"), ends = make("div.ends");
  const node = make("figure.time", {}, make("figcaption", {}, title, value), make("div.plot", {}, axis, canvas), ends);
  let times = [0], here = 0;
  function show(steps, chosen, others, at) {
    [times, here] = [steps, at];
    const first = steps[0], last = steps.at(-1);
    value.textContent = chosen ? ({ "-1": "no gradient", "-2": "unknown" })[chosen[at]] ?? rounded(chosen[at]) : "not watched";
    surface(canvas, "chart", `${title} from step ${first} to ${last}; at step ${steps[at]}: ${value.textContent}.`);
    ends.replaceChildren(...[first, at < steps.length - 1 ? `at step ${steps[at]}` : "", last].map((step) => make("span", {}, typeof step === "number" ? `step ${grouped(step)}` : step)));
    const wide = canvas.clientWidth, tall = canvas.clientHeight, pen = penOf(canvas, wide, tall), style = getComputedStyle(root);
    const [from, to] = decades([chosen ?? [], ...others]), every = Math.ceil((to - from) / 4);
    const x = (n) => 1 + ((steps[n] - first) / (last - first || 1)) * (wide - 6), y = (log) => tall - 4 - ((log - from) / (to - from)) * (tall - 8);
    const line = (colour, width, points) => {
      pen.strokeStyle = style.getPropertyValue(colour);
      pen.lineWidth = width;
      pen.beginPath();
      let drawing = false; // NaN and zero have no place on a log scale: a gap
      for (const point of points) {
        if (point) pen[drawing ? "lineTo" : "moveTo"](...point);
        drawing = !!point;
      }
      pen.stroke();
    };
    const path = (curve, thin) => [...curve.keys()].filter((n) => n % thin === 0).map((n) => real(curve[n]) && [x(n), y(Math.log10(curve[n]))]);
    axis.replaceChildren();
    for (let exponent = to; exponent >= from; exponent -= every) {
      axis.append(make("span", { style: `top:${y(exponent)}px` }, power(exponent)));
      line("--line", 1, [[0, y(exponent)], [wide, y(exponent)]]);
    }
    pen.globalAlpha = 0.4;
    for (const curve of others) line("--edge", 1, path(curve, Math.ceil(steps.length / POINTS)));
    pen.globalAlpha = 1;
    if (!chosen) return;
    line("--edge", 1, [[x(at), 0], [x(at), tall]]);
    line(ink, 2, path(chosen, 1));
    if (real(chosen[at])) line(ink, 7, [[x(at) - 3, y(Math.log10(chosen[at]))], [x(at) + 4, y(Math.log10(chosen[at]))]]);
  }
  canvas.addEventListener("pointermove", (event) => {
    const wanted = times[0] + (event.offsetX / canvas.clientWidth) * (times.at(-1) - times[0]), far = (n) => Math.abs(times[n] - wanted);
    onMove([...times.keys()].reduce((best, n) => (far(n) < far(best) ? n : best), 0));
  });
  canvas.addEventListener("pointerleave", () => onMove(-1));
  onArrows(canvas, (right, down) => onMove(clamp(here + (right || down), times.length - 1)));
  return { node, show };
}

/**
 * Rows of names and bars on a log scale; one row is chosen, the arrow keys move.
 * @param {{path: string, name: string, value: number, far?: number, words: string}[]} rows
 * @param {string} head  what the words of a row are
 * @param {string} unit  of the scale
 */
function barList(rows, chosen, label, onChoose, head, unit = "") {
  const [least, to] = decades([rows.flatMap((row) => [row.value, row.far])]), from = Math.max(least, to - (unit ? 4 : 8));
  const place = (number) => (real(number) ? Math.max(0.5, (100 * (Math.log10(number) - from)) / (to - from)) : 0);
  const list = make("div.bars", { role: "listbox", tabindex: "0", "aria-label": label });
  for (const { path, name, value, far, words } of rows) {
    const near = place(value), track = make("span.track", {}, make("span.fill", { style: `width:${near}%` }), make("span.far", { style: `left:${near}%;width:${Math.max(0, place(far) - near)}%` }));
    list.append(make("div.bar-row", { role: "option", "aria-selected": path === chosen, title: `${name}: ${words}`, click: () => onChoose(path) }, make("span.cut", {}, make("bdi.mono", {}, name)), track, make("span.words", {}, words)));
  }
  onArrows(list, (right, down) => onChoose(rows[clamp(rows.findIndex((row) => row.path === chosen) + (right || down), rows.length - 1)].path));
  const between = make("span.ends", {}, ...[from, to].map((end) => make("span", {}, power(end) + unit)));
  return make("div", {}, make("div.bar-row.ticks", {}, make("span"), between, make("span.ends", {}, head)), list);
}
