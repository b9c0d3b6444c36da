// KernelWalk: a kernel walks over an image. The numbers and the places are in the trait `walk`; nothing is asked of Python.

const CELL_MOST = 38, CELL_LEAST = 7, CELL_NUMBERS = 34, WALK_WIDE = 340, KERNEL_WIDE = 190, WALK_EDGE = 20;

function render({ model, el }) {
  const { root, listen, undo, dispose } = frame(model, el, "walk of a kernel");
  let known, channel = 0, at = 0, above, outputs;
  const about = make("span.soft");
  const channels = make("div.channels", { role: "group", "aria-label": "which channel is shown" });
  const [input, kernel, output] = ["the image", "its kernel", "what comes out"].map((words) => {
    const caption = make("figcaption", {}, words), picture = draw("svg", { role: "img", "aria-label": words });
    return { caption, picture, node: make("figure", {}, caption, picture) };
  });
  const legend = make("div.legend.soft");
  const [says, room] = [make("p"), make("p.room", { "aria-hidden": "true" })]; // as tall as the longest moment: nothing jumps
  const transport = player(root, { label: "positions", name: (step) => known.words[step], move });
  undo.push(transport.dispose);
  root.append(
    make("div.head", {}, make("b", {}, "kernel walk"), about, channels),
    transport.node,
    make("div.scene", {}, input.node, kernel.node, output.node),
    legend,
    make("div.says", {}, room, says),
  );

  const cellSize = (columns, wide = WALK_WIDE) => Math.max(CELL_LEAST, Math.min(CELL_MOST, Math.floor(wide / columns)));
  const holds = (axis, place) => place >= axis.before && place < axis.before + axis.size;
  const beyond = (row, column) => !holds(known.axes[0], row) || !holds(known.axes[1], column);
  const copied = (row, column) => beyond(row, column) && known.axes[0].sources[row] >= 0 && known.axes[1].sources[column] >= 0;
  const most = (numbers) => Math.max(1e-9, ...numbers.map((n) => Math.abs(Number(n))).filter(Number.isFinite));

  /** A number in at most five letters. */
  function short(value) {
    if (typeof value !== "number") return value;
    const size = Math.abs(value), digits = Number.isInteger(value) || size >= 100 ? 0 : size >= 10 ? 1 : 2;
    if (value && size < 0.005) return "≈0";
    return (size >= 9999.5 ? value.toExponential(0).replace("+", "") : value.toFixed(digits)).replace("-", "−");
  }

  /** A cell of a grid: its shade is its number's size, its color the sign. The number is drawn apart, above all lines. */
  function cell(row, column, size, value, limit, classes = "") {
    const numbers = size >= CELL_NUMBERS, sign = Number(value) < 0 ? "is-negative" : "is-positive";
    const shade = Math.min(1, Math.abs(Number(value)) / limit) * (numbers ? 0.35 : 0.9);
    const box = { x: column * size + 0.5, y: row * size + 0.5, width: size - 1, height: size - 1 };
    const ground = draw("rect", { ...box, class: `cell ${sign}${classes}`, "fill-opacity": Number.isFinite(shade) ? shade.toFixed(3) : 0 });
    return { ground, number: numbers ? words((column + 0.5) * size, (row + 0.5) * size, short(value), "number") : "" };
  }

  function words(x, y, said, kind) {
    const node = draw("text", { x, y, class: kind });
    node.textContent = said;
    return node;
  }

  /** Sizes a picture for a grid, and numbers its rows and columns, if there is room for numbers. */
  function sized({ picture }, rows, columns, before = [0, 0]) {
    const size = cellSize(columns), edge = size >= CELL_NUMBERS ? WALK_EDGE : 0;
    picture.setAttribute("viewBox", `${-edge} ${-edge} ${columns * size + edge} ${rows * size + edge}`);
    picture.style.width = `${columns * size + edge}px`;
    if (!edge) return { size, edges: [] };
    const count = (many, first, place) =>
      Array.from({ length: many }, (_, n) => words(...place((n + 0.5) * size), String(n - first).replace("-", "−"), "index"));
    return { size, edges: [...count(rows, before[0], (y) => [-edge / 2, y]), ...count(columns, before[1], (x) => [x, -edge / 2])] };
  }

  function drawInput() {
    const shown = known.padded[channel], limit = most(shown.flat());
    const { size, edges } = sized(input, shown.length, shown[0].length, known.axes.map((axis) => axis.before));
    const cells = shown.flatMap((row, i) => row.map((value, j) => cell(i, j, size, value, limit, beyond(i, j) ? " beyond" : "")));
    const [down, across] = known.axes, image = { x: across.before * size, y: down.before * size, width: across.size * size, height: down.size * size };
    above = draw("g");
    input.caption.textContent = known.shown[channel];
    input.picture.replaceChildren(...edges, ...cells.map((one) => one.ground), ...(known.bordered ? [draw("rect", { ...image, class: "border" })] : []), above, ...cells.map((one) => one.number));
  }

  function drawKernel() {
    const weight = known.weight[channel], size = cellSize(weight[0].length, KERNEL_WIDE), limit = most(known.weight.flat(2));
    const cells = weight.flatMap((row, i) => row.map((value, j) => cell(i, j, size, value, limit)));
    kernel.picture.setAttribute("viewBox", `0 0 ${weight[0].length * size} ${weight.length * size}`);
    kernel.picture.style.width = `${weight[0].length * size}px`;
    kernel.picture.replaceChildren(...cells.flatMap(({ ground, number }) => [ground, number]));
    kernel.picture.setAttribute("aria-label", `the kernel for channel ${known.channels[channel]}: ${weight.map((row) => row.join(" ")).join("; ")}`);
  }

  function drawOutput() {
    const [down, across] = known.axes, limit = most(known.gave), wide = across.places.length;
    const { size, edges } = sized(output, down.places.length, wide);
    outputs = known.gave.map((value, step) => {
      const { ground, number } = cell(Math.floor(step / wide), step % wide, size, value, limit);
      return draw("g", {}, ground, number);
    });
    output.picture.replaceChildren(...edges, ...outputs);
  }

  /** What each mark means, drawn as in the grids; only those that occur. */
  function drawLegend() {
    const [down, across] = known.axes;
    const copies = down.sources.some((_, row) => across.sources.some((_, column) => copied(row, column)));
    const box = (kind) => draw("rect", { x: 1, y: 1, width: 14, height: 14, class: kind, "fill-opacity": 0.5 });
    const link = [draw("line", { x1: 0, y1: 8, x2: 12, y2: 8, class: "link" }), draw("circle", { cx: 12, cy: 8, r: 3, class: "end" })];
    const marks = [
      ["above 0", true, box("cell is-positive")],
      ["below 0", true, box("cell is-negative")],
      ["under the kernel", true, box("under")],
      ["the image", known.bordered, box("border")],
      ["padding", known.bordered, box("cell beyond blank")],
      ["where it's copied from", copies, ...link],
    ];
    const drawn = marks.filter(([, occurs]) => occurs);
    legend.replaceChildren(...drawn.map(([said, , ...parts]) => make("span", {}, draw("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, ...parts), said)));
  }

  /** The pixels under the kernel, and for those beyond the border a line to their source. */
  function move(step) {
    at = step;
    const [down, across] = known.axes, wide = across.places.length, size = cellSize(across.sources.length);
    const rows = down.places[Math.floor(at / wide)], columns = across.places[at % wide];
    const middle = (n) => (n + 0.5) * size;
    const square = (row, column, inset, kind, tall = 1, wide = 1) =>
      draw("rect", { x: column * size + inset, y: row * size + inset, width: wide * size - 2 * inset, height: tall * size - 2 * inset, class: kind });
    const pairs = rows.flatMap((row) => columns.map((column) => [row, column]));
    const close = [rows, columns].every((places) => places.at(-1) - places[0] === places.length - 1);
    const frames = close ? [square(rows[0], columns[0], 1, "under", rows.length, columns.length)] : pairs.map(([row, column]) => square(row, column, 1, "under"));
    const links = pairs.filter(([row, column]) => copied(row, column)).flatMap(([row, column]) => {
      const [y, x] = [down.sources[row] + down.before, across.sources[column] + across.before];
      return [
        square(y, x, Math.min(3, size / 5), "source"),
        draw("line", { x1: middle(column), y1: middle(row), x2: middle(x), y2: middle(y), class: "link" }),
        draw("circle", { cx: middle(x), cy: middle(y), r: Math.min(3, size / 5), class: "end" }),
      ];
    });
    above.replaceChildren(...frames, ...links);
    outputs.forEach((node, n) => node.setAttribute("class", n === at ? "now" : n < at ? "done" : "later"));
    says.textContent = known.words[at];
    input.picture.setAttribute("aria-label", `${known.shown[channel]}; ${known.words[at]}`);
    output.picture.setAttribute("aria-label", `what comes out: ${at + 1} of ${known.gave.length} numbers`);
  }

  function choose(n) {
    channel = n;
    [...channels.children].forEach((button, place) => button.setAttribute("aria-pressed", String(place === n)));
    drawInput();
    drawKernel();
    move(at);
  }

  function show() {
    known = model.get("walk");
    about.textContent = `${known.layer}: ${known.head}`;
    channel = Math.min(channel, known.channels.length - 1);
    const buttons = known.channels.length > 1 ? known.channels : [];
    channels.replaceChildren(...buttons.map((number, n) => make("button", { type: "button", "aria-pressed": n === channel, click: () => choose(n) }, `channel ${number}`)));
    room.textContent = known.words.reduce((longest, words) => (words.length > longest.length ? words : longest));
    drawInput();
    drawKernel();
    drawOutput();
    drawLegend();
    transport.reset(known.gave.length);
  }

  listen("change:walk", show);
  show();
  return dispose;
}

export default { render };
