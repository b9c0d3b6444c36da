// KernelWalk: a kernel walks over an image. The numbers and the places are in the trait `walk`; nothing is asked of Python.

const CELL_MOST = 38, CELL_LEAST = 7, CELL_NUMBERS = 34, WALK_WIDE = 340, KERNEL_WIDE = 190;

function render({ model, el }) {
  const { root, listen, undo, dispose } = frame(model, el, "walk of a kernel");
  let known, channel = 0, at = 0, above, outputs;
  const about = make("span.soft");
  const channels = make("div.channels", { role: "group", "aria-label": "which channel is shown" });
  const [input, kernel, output] = ["the image with its padding", "the kernel", "what comes out"].map((words) => {
    const picture = draw("svg", { role: "img", "aria-label": words });
    return { picture, node: make("figure", {}, make("figcaption", {}, words), picture) };
  });
  const says = make("p.says");
  const transport = player(root, { label: "positions", name: (step) => known.words[step], move });
  undo.push(transport.dispose);
  root.append(make("div.head", {}, make("b", {}, "kernel walk"), about, channels), transport.node, make("div.scene", {}, input.node, kernel.node, output.node), says);

  const cellSize = (columns, wide = WALK_WIDE) => Math.max(CELL_LEAST, Math.min(CELL_MOST, Math.floor(wide / columns)));
  const holds = (axis, place) => place >= axis.before && place < axis.before + axis.size;
  const most = (numbers) => Math.max(1e-9, ...numbers.map((n) => Math.abs(Number(n))).filter(Number.isFinite));

  /** A number in at most five letters. */
  function short(value) {
    if (typeof value !== "number") return value;
    const digits = Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
    return value.toFixed(digits).replace("-", "−");
  }

  /** A cell of a grid: its shade is its number's size, its colour the sign. The number is drawn apart, above all lines. */
  function cell(row, column, size, value, limit, classes) {
    const numbers = size >= CELL_NUMBERS, sign = Number(value) < 0 ? "is-negative" : "is-positive";
    const shade = Math.min(1, Math.abs(Number(value)) / limit) * (numbers ? 0.35 : 0.9);
    const box = { x: column * size + 0.5, y: row * size + 0.5, width: size - 1, height: size - 1 };
    const ground = draw("rect", { ...box, class: `cell ${sign}${classes}`, "fill-opacity": Number.isFinite(shade) ? shade.toFixed(3) : 0 });
    if (!numbers) return { ground, number: "" };
    const number = draw("text", { x: (column + 0.5) * size, y: (row + 0.5) * size, class: "number" });
    number.textContent = short(value);
    return { ground, number };
  }

  function sized({ picture }, columns, rows, wide = WALK_WIDE) {
    const size = cellSize(columns, wide);
    picture.setAttribute("viewBox", `0 0 ${columns * size} ${rows * size}`);
    picture.style.width = `${columns * size}px`;
    return size;
  }

  function drawInput() {
    const [down, across] = known.axes, image = known.image[channel], limit = most(image.flat());
    const size = sized(input, across.sources.length, down.sources.length);
    const cells = down.sources.flatMap((y, row) =>
      across.sources.map((x, column) => {
        const beyond = !holds(down, row) || !holds(across, column);
        return cell(row, column, size, y < 0 || x < 0 ? 0 : image[y][x], limit, beyond ? " beyond" : "");
      }),
    );
    above = draw("g");
    input.picture.replaceChildren(...cells.map((one) => one.ground), above, ...cells.map((one) => one.number));
  }

  function drawKernel() {
    const weight = known.weight[channel], size = sized(kernel, weight[0].length, weight.length, KERNEL_WIDE), limit = most(known.weight.flat(2));
    const cells = weight.flatMap((row, i) => row.map((value, j) => cell(i, j, size, value, limit, "")));
    kernel.picture.replaceChildren(...cells.flatMap(({ ground, number }) => [ground, number]));
    kernel.picture.setAttribute("aria-label", `the kernel for channel ${known.channels[channel]}: ${weight.map((row) => row.join(" ")).join("; ")}`);
  }

  function drawOutput() {
    const [down, across] = known.axes, limit = most(known.gave), wide = across.places.length;
    const size = sized(output, wide, down.places.length);
    outputs = known.gave.map((value, step) => {
      const { ground, number } = cell(Math.floor(step / wide), step % wide, size, value, limit, "");
      return draw("g", {}, ground, number);
    });
    output.picture.replaceChildren(...outputs);
  }

  /** The pixels under the kernel, and for those beyond the border a line to their source. */
  function move(step) {
    at = step;
    const [down, across] = known.axes, wide = across.places.length, size = cellSize(across.sources.length);
    const rows = down.places[Math.floor(at / wide)], columns = across.places[at % wide];
    const middle = (n) => (n + 0.5) * size;
    const frames = [], links = [];
    for (const row of rows) {
      for (const column of columns) {
        frames.push(draw("rect", { x: column * size + 1, y: row * size + 1, width: size - 2, height: size - 2, class: "under" }));
        if (down.sources[row] < 0 || across.sources[column] < 0 || (holds(down, row) && holds(across, column))) continue;
        const [y, x] = [down.sources[row] + down.before, across.sources[column] + across.before];
        links.push(draw("rect", { x: x * size + 3, y: y * size + 3, width: size - 6, height: size - 6, class: "source" }));
        links.push(draw("line", { x1: middle(column), y1: middle(row), x2: middle(x), y2: middle(y), class: "link" }));
        links.push(draw("circle", { cx: middle(x), cy: middle(y), r: Math.min(3, size / 5), class: "end" }));
      }
    }
    above.replaceChildren(...frames, ...links);
    outputs.forEach((node, n) => node.setAttribute("class", n === at ? "now" : n < at ? "done" : "later"));
    says.textContent = known.words[at];
    input.picture.setAttribute("aria-label", `the image with its padding; ${known.words[at]}`);
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
    drawInput();
    drawKernel();
    drawOutput();
    transport.reset(known.gave.length);
  }

  listen("change:walk", show);
  show();
  return dispose;
}

export default { render };
