// The picture: boxes, frames and lines as SVG.

/** Widths of texts as the view's own font draws them. */
function ruler(root) {
  const pen = make("canvas").getContext("2d"), family = getComputedStyle(root).fontFamily || "system-ui"; // none before it is in the page
  return (text, font) => {
    pen.font = `${font} ${family}`;
    return pen.measureText(text).width;
  };
}

const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** What is written in a box: its kind, a sign that says it without colour, and up to three lines. */
function textsOf(graph, item) {
  const g = item - graph.n, texts = (kind, sign, name, ...lines) => ({ kind, sign, name, whole: [...new Set([name, ...lines])].filter(Boolean), lines: lines.filter(Boolean).map((line) => cut(line, 36)) });
  if (g >= 0) return texts("group", "▸", ...["name", "name", "kind", "size"].map((what) => graph.of(what, g)));
  const { kind, word, name } = graph.op(item), label = graph.label(item), said = graph.name(item), own = graph.own(item);
  if (kind !== "operation") return texts(kind, { leaf: "●", input: "○" }[kind] ?? "✕", said, own || word, (kind === "failed" && graph.packed.met) || graph.shape(item));
  const made = label ? `${label} = ${word}` : word;
  return texts(graph.isResult(item) ? "result" : kind, "", made, made, name !== word && name, graph.isFreed(item) && "freed");
}

/** What is written on a frame. */
const titleOf = (lines) => cut(lines.slice(0, 2).join(" · "), 44);

/** Draws what is visible; gives back the layers, and the elements by item and by line. */
function drawParts(graph, parts, { box }) {
  const [frames, wires, nodes, tags, titles] = ["frames", "wires", "nodes", "tags", "titles"].map((name) => draw("g", { class: name })), elements = new Map(), arriving = new Map();
  for (const [item, { x, y, w, h }] of box) {
    const { kind, sign, lines, whole } = textsOf(graph, item), frame = parts.open.includes(item - graph.n);
    const rect = (name, at) => draw("rect", { class: name, x: at, y: at, width: w, height: h });
    const line = (words, i) => draw("text", { class: i ? "soft" : "first", x: w / 2, y: 17 + 15 * i }, i ? words : `${sign} ${words}`);
    const written = frame ? [] : lines.map(line), transform = `translate(${x},${y})`;
    if (frame) titles.append(draw("g", { id: `title-${item}`, transform }, draw("text", { class: "first", x: 10, y: 19 }, `▾ ${titleOf(lines)}`), draw("title", {}, whole.join(" · ")))); // above the lines that come in through the frame
    if (!frame && (kind === "leaf" || kind === "group")) written.push(draw("text", { class: "state", x: w / 2, y: 17 + 15 * lines.length }));
    const element = draw("g", { class: frame ? "frame" : `box ${kind}`, id: `item-${item}`, transform, "data-item": item, role: "img", "aria-label": [kind, ...whole].join(", ") }, draw("title", {}, whole.join(" · ")), ...(item >= graph.n && !frame ? [rect("outline", 4)] : []), rect("outline", 0), ...written);
    (frame ? frames : nodes).append(element);
    elements.set(item, element);
  }
  for (const line of parts.lines) arriving.set(line.to, [...(arriving.get(line.to) ?? []), line]);
  for (const [to, lines] of arriving) {
    const last = (line) => line.way.at(-1).bends.at(-1) ?? box.get(line.way.at(-1).from) ?? box.get(line.from), { x, y, w } = box.get(to);
    lines.sort((a, b) => last(a).x + last(a).w / 2 - last(b).x - last(b).w / 2).forEach((line, i) => {
      const share = (i + 1) / (lines.length + 1), end = [x + w * share, y], anchor = share < 0.49 ? "end" : share > 0.51 ? "start" : "middle";
      line.wire = draw("g", { class: graph.packed.forward || graph.carried(line.edges).length ? "wire" : "wire still" }, draw("path", { d: curve(points(graph, line, box, end)) }), draw("path", { class: "head", d: `M${end}l-4 -7h8z` }));
      line.tag = draw("text", { class: "tag", x: end[0] + { end: -5, middle: 0, start: 5 }[anchor], y: y - (lines.length > 2 && i % 2 ? 24 : 11), style: `text-anchor: ${anchor}` });
      wires.append(line.wire);
      tags.append(line.tag);
    });
  }
  return { layers: [frames, wires, nodes, tags, titles], elements };
}

/** The points of a line: out at the bottom of a box, through bends and the edges of frames, to its end. */
function points(graph, { from, way }, box, end) {
  const start = box.get(from), found = [[start.x + start.w / 2, start.y + start.h]];
  way.forEach((link, i) => {
    const frame = box.get(graph.n + link.g), ahead = way.slice(i).find(({ bends }) => bends.length)?.bends[0];
    if (link.from < 0) found.push([ahead ? ahead.x + ahead.w / 2 : end[0], frame.y]);
    for (const { x, w, top, row } of link.bends) found.push([x + w / 2, top], [x + w / 2, top + row]);
    if (link.to < 0) found.push([found.at(-1)[0], frame.y + frame.h]);
  });
  return [...found, end];
}

/** A smooth path through points that go down. */
const curve = (found) => found.map(([x, y], i) => {
  const [px, py] = found[i - 1] ?? [], half = (y - py) / 2;
  return i ? `C${px} ${py + half} ${x} ${y - half} ${x} ${y}` : `M${x} ${y}`;
}).join("");
