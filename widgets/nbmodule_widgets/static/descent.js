// DescentView: optimizers walk down a loss in step. The trails and the parts of each step are in the trait `descent`, in the
// units of the picture; nothing is asked of Python.

const PARTS = ["gradient", "decay", "rest"];
const PART_WORDS = { gradient: "−lr · gradient", decay: "−lr · weight decay · weight", rest: "momentum and scaling" };

function render({ model, el }) {
  const { root, listen, undo, dispose } = frame(model, el, "descent of a loss");
  let known, chosen = 0, at = 0;
  const legend = make("div.trails", { role: "group", "aria-label": "whose step is taken apart" });
  const picture = draw("svg", { role: "img" });
  const says = make("ul.places", { "aria-label": "where the optimizers are" });
  const zoom = make("span.zoom"), scene = make("div.scene", {}, picture), signs = make("div.parts");
  const arrows = make("div.parts");
  const transport = player(root, { label: "steps", name: (step) => `${known.trails[chosen].name}: ${words(known.trails[chosen], step)}`, move, zero: true });
  undo.push(transport.dispose);
  root.append(make("div.head", {}, make("b", {}, "descent"), legend), transport.node, scene, arrows, signs, says);

  const words = (trail, step) => trail.words[Math.min(step, trail.words.length - 1)];
  const text = (points) => points.map((point) => point.join(",")).join(" ");

  function mark(trail, [x, y], classes) {
    const node = draw("text", { x, y, class: classes, "text-anchor": "middle", "dominant-baseline": "central" });
    node.textContent = trail.mark;
    return node;
  }

  /** The three parts of a step, one after the other: they lead from a place to the next, unless they are drawn larger. */
  function chain(trail) {
    const nodes = [], parts = trail.parts[at] ?? [];
    const longest = Math.max(...parts.map((part) => Math.hypot(...part)), 0);
    const larger = [1, 2, 5, 10, 20, 50].find((times) => longest * times > 24) ?? 50;
    zoom.textContent = larger > 1 && parts.length ? `drawn ${larger} times as large` : "";
    let [x, y] = trail.points[at] ?? trail.points.at(-1), before = NaN;
    for (const [n, [dx, dy]] of parts.map((part) => part.map((way) => way * larger)).entries()) {
      if (Math.hypot(dx, dy) < 0.3) continue;
      const size = Math.min(8, Math.hypot(dx, dy) / 2), turn = Math.atan2(dy, dx);
      const aside = Math.cos(turn - before) < -0.97 ? 7 : 0; // it would hide the one that it turns back on
      const [fromX, fromY] = [x - aside * Math.sin(turn), y + aside * Math.cos(turn)], [toX, toY] = [fromX + dx, fromY + dy];
      const head = [-0.45, 0.45].map((side) => [toX - size * Math.cos(turn + side), toY - size * Math.sin(turn + side)]);
      nodes.push(draw("line", { x1: fromX, y1: fromY, x2: toX, y2: toY, class: `arrow is-${PARTS[n]}` }));
      nodes.push(draw("polygon", { points: text([[toX, toY], ...head]), class: `head-of is-${PARTS[n]}` }));
      [x, y, before] = [x + dx, y + dy, turn];
    }
    return nodes;
  }

  function move(step) {
    at = step;
    const lines = known.lines.map((d, n) => draw("path", { d, class: "contour", style: `--high: ${(100 * n) / (known.lines.length - 1)}%` }));
    const cross = [mark({ mark: "+" }, known.origin, "origin"), ...(known.lowest.length ? [mark({ mark: "×" }, known.lowest, "lowest")] : [])];
    const order = [...known.trails.keys()].filter((n) => n !== chosen).concat(chosen);
    const trails = order.flatMap((n) => {
      const trail = known.trails[n], points = trail.points.slice(0, at + 1), mine = n === chosen ? " mine" : "";
      return [draw("polyline", { points: text(points), class: `trail${mine}` }), mark(trail, points.at(-1), `place${mine}`)];
    });
    picture.replaceChildren(...lines, ...cross, ...trails, ...chain(known.trails[chosen]));
    picture.setAttribute("aria-label", `after ${at} steps: ${known.trails.map((trail) => `${trail.name} ${words(trail, at)}`).join("; ")}`);
    says.replaceChildren(...known.trails.map((trail, n) => make(n === chosen ? "li.mine" : "li", {}, `${trail.mark} `, make("b", {}, make("bdi", {}, trail.name)), ` ${words(trail, at)}`)));
  }

  function choose(n) {
    chosen = n;
    [...legend.children].forEach((button, place) => button.setAttribute("aria-pressed", String(place === n)));
    move(at);
  }

  function show() {
    known = model.get("descent");
    picture.setAttribute("viewBox", `0 0 ${known.size.join(" ")}`);
    scene.style.maxWidth = `${(420 * known.size[0]) / known.size[1]}px`; // the lines go up to its edge
    signs.replaceChildren(make("span", {}, "low ", make("span.scale", { "aria-hidden": "true" }), " high loss"), make("span", {}, "+ where both numbers are 0"), ...(known.lowestWords ? [make("span", {}, `× ${known.lowestWords}`)] : []));
    const occurs = (_, n) => known.trails.some((trail) => trail.parts.some((parts) => Math.hypot(...parts[n])));
    arrows.replaceChildren(...PARTS.filter(occurs).map((part) => make(`span.part.is-${part}`, {}, make("span.sample", { "aria-hidden": "true" }), PART_WORDS[part])), zoom);
    chosen = Math.min(chosen, known.trails.length - 1);
    legend.replaceChildren(...known.trails.map((trail, n) => make("button", { type: "button", "aria-pressed": n === chosen, click: () => choose(n) }, `${trail.mark} ${trail.name}`)));
    transport.reset(known.steps + 1);
  }

  listen("change:descent", show);
  show();
  return dispose;
}

export default { render };
