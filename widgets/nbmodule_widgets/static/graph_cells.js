// A small tensor as cells: one colour below zero, another above; few numbers are written in, others are named on pointing.

const WRITTEN_IN = 48;

/** @returns {{node: HTMLElement, show: (data: object|undefined, name: string) => void}} */
function cellMap() {
  const words = make("p.soft"), grid = make("div.grid", { role: "img" }), node = make("div.cells", { hidden: "" }, words, grid);
  function show(data, name) {
    node.hidden = !data?.cells;
    if (node.hidden) return;
    const { columns, rows, used, limit } = data, few = used <= WRITTEN_IN && columns < 7, size = few ? 40 : Math.max(2, Math.min(20, Math.floor(Math.min(250 / columns, 110 / rows))));
    words.textContent = `${name}: ${data.words}; colors to ±${decimal(limit)}`;
    grid.setAttribute("aria-label", words.textContent);
    grid.style = `grid-template-columns: repeat(${columns}, ${size}px); grid-auto-rows: ${few ? 18 : size}px`;
    grid.replaceChildren(...Array.from(floats(data.cells).subarray(0, used), (value, n) => {
      const part = Math.min(50, (50 * Math.abs(value)) / limit) || 0, said = decimal(value);
      return make("i", { title: `${said} in row ${Math.floor(n / columns)}, column ${n % columns}`, style: `background: color-mix(in srgb, var(--${value < 0 ? "negative" : "positive"}) ${part}%, transparent)` }, few ? decimal(Number(value.toPrecision(2))) : Number.isFinite(value) ? "" : "X");
    }));
  }
  return { node, show };
}
