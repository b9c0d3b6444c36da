// The walk, and what is said about one of its steps.

/** The walk as Python sent it: which node runs when, and the gradient on each edge as a norm or, if it is tiny, in full. */
function unpackWalk(packed, graph) {
  if (!packed?.steps || !graph.packed.whole) return null;
  const steps = numbers(packed.steps), turn = new Array(graph.n).fill(-1);
  steps.forEach((node, i) => (turn[node] = i));
  const said = (codes, texts) => {
    const norms = numbers({ kind: "H", bytes: codes });
    return (i) => texts[i] ?? { 65533: "", 65535: "NaN", 65534: "inf" }[norms[i]] ?? `‖${decimal(norms[i] && Number((10 ** (norms[i] / 700 - 46)).toPrecision(3)))}‖`;
  };
  const walk = { ...packed, steps, turn, edge: said(packed.edges, packed.edgeTexts), node: said(packed.nodes, packed.nodeTexts) };
  walk.came = (edges, before = steps.length) => graph.carried(edges).filter((e) => turn[graph.edge.target[e]] >= 0 && turn[graph.edge.target[e]] < before && walk.edge(e));
  return walk;
}

/** Gradients as a sum: "1 + 2", "‖0.3‖ + ‖0.1‖ + 4 more". */
const terms = (walk, edges) => [...edges.slice(0, 3).map(walk.edge), ...(edges.length > 3 ? [`${edges.length - 3} more`] : [])].join(" + ");

/** What came to a node, with the sum where several gradients of one tensor are added up. */
function sumOf(graph, walk, i) {
  const came = walk.came(graph.from[i]), total = walk.node(i), outputs = new Set(came.map((e) => graph.edge.output[e]));
  return came.length > 1 && outputs.size < 2 ? `${terms(walk, came)} ${total.startsWith("‖") ? "→" : "="} ${total}` : total;
}

/** A step in words: what arrived, and what was made of it. */
function storyOf(graph, walk, moment) {
  if (!moment) return [make("p", {}, make("b", {}, "Before the walk. "), `It starts with ${walk.start}.`)];
  const i = walk.steps[moment - 1], { kind, name, word, rules } = graph.op(i), from = new Set(walk.came(graph.from[i]).map((e) => graph.name(graph.edge.target[e])));
  const leaf = kind === "leaf", flow = (words) => make("span.flow", {}, words), came = from.size ? ` from ${[...from].slice(0, 3).join(", ")}` : "";
  const sent = graph.carried(graph.into[i]).slice(0, 20).map((e) => {
    const rule = rules[rules.length > 1 ? graph.edge.slot[e] : 0];
    return make("li", {}, "to ", make("bdi", {}, graph.name(graph.edge.source[e])), ": ", rule ? make("code", {}, `${rule} = `) : null, flow(walk.edge(e) || "no gradient"));
  });
  const called = graph.label(i) && !leaf ? `${graph.label(i)} = ${word}` : leaf ? graph.name(i) : word;
  const title = [make("b", {}, called), leaf || name === word ? "" : ` (${name})`];
  return [make("p", {}, ...title, " gets ", flow(`g = ${sumOf(graph, walk, i)}`), came, leaf ? ": backward() adds it to .grad." : sent.length ? " and sends" : "."), make("ul", {}, ...sent)];
}
