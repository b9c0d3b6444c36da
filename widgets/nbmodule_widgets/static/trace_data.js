// A recorded pass, unpacked: what each moment says, who runs then, and where a step leads. Nothing here touches the page.

/** Whole numbers that are mostly below 255: one byte each, or 255 and three more. */
function smallNumbers(bytes) {
  const flat = numbers({ kind: "B", bytes }), found = [];
  for (let i = 0; i < flat.length; i++) found.push(flat[i] < 255 ? flat[i] : flat[++i] + 256 * flat[++i] + 65536 * flat[++i]);
  return found;
}

/**
 * Unpacks the trait `moments`. Some arrays have one entry for each moment, the others one for each call: `first` and
 * `last` are the moments of its forward part, `arrive` and `leave` those of its gradients, -1 if there are none.
 * @param {any} moments  as Python packs them
 */
function unpackPass({ step, tree, strangers, marks, ...pass }) {
  const less = (column) => Int32Array.from(numbers(column), (n) => n - 1), [what, before, formOf] = [step.what, step.before, step.form].map(numbers); // -1 travels as 0
  const [said, node, parent] = [step.call, step.node, step.parent].map(less), size = what.length, many = node.length, { back } = pass;
  const call = said.map((c) => (c < many ? c : -1)), nodes = said.map((c) => (c < many ? (node[c] ?? -1) : c - many)), calls = new Map();
  let time = 0, newest = 0;
  const at = smallNumbers(step.at).map((wait) => (time += wait)), tensor = smallNumbers(step.tensor).map((n) => {
    const code = n && newest + (n % 2 ? (n - 1) / 2 : -n / 2);
    if (code <= formOf.length) newest = Math.max(newest, code);
    return code;
  });
  const [word, name, change, mark, owner] = [0, 1, 2, 3, 4].map((part) => (i) => pass.what[what[i]][part]), [first, last, arrive, leave, ends, depth] = Array.from({ length: 6 }, () => new Int32Array(many).fill(-1));
  for (let i = 0; i < size; i++) {
    const c = call[i], moments = { call: first, return: last, "gradient in": arrive, "gradient out": leave }[word(i)];
    if (c < 0) continue;
    if (moments?.[c] < 0 || moments === leave) moments[c] = i;
    if (i >= back) ends[c] = i;
  }
  for (let c = 0; c < many; c++) {
    depth[c] = parent[c] < 0 ? 0 : depth[parent[c]] + 1;
    if (last[c] < 0) last[c] = back - 1; // it never returned
    calls.has(node[c]) ? calls.get(node[c]).push(c) : calls.set(node[c], [c]);
  }
  for (let c = many - 1; c >= 0; c--) if (parent[c] >= 0) ends[parent[c]] = Math.max(ends[parent[c]], ends[c]);
  return {
    ...pass, ...unpackModules(tree), size, many, word, name, change, mark, owner, before, at, tensor, call, nodes, node, parent, calls, first, last, arrive, leave, ends, depth,
    strangers: new Map(strangers), marks: new Map(marks), tensorsOf: unpackTensors(step, formOf, pass),
  };
}

/** The modules; `end` is the first one that is no longer below it. */
function unpackModules(tree) {
  const [name, kind, level] = [tree.name, tree.class, tree.depth].map(numbers), total = level.length, above = new Int32Array(total).fill(-1), end = new Int32Array(total).fill(total), open = [];
  level.forEach((deep, row) => {
    while (open.length > deep) end[open.pop()] = row;
    above[row] = open.at(-1) ?? -1;
    open.push(row);
  });
  return { total, above, end, level, nameOf: (row) => tree.names[name[row]], kindOf: (row) => tree.classes[kind[row]], twins: new Map(tree.twins), reasons: new Map(tree.reasons.flatMap(([why, rows]) => [...numbers(rows)].map((row) => [row, why]))) };
}

/** A function from what an event says of its tensors to these: `[[name, tensor], …]`. */
function unpackTensors({ sizes: s, called: n, listed: t, numbers: bytes, scale }, formOf, { forms, words }) {
  const [sizes, called, listed] = [s, n, t].map(numbers), raw = scale ? numbers({ kind: "H", bytes }) : floats(bytes);
  const value = (n) => {
    if (!scale) return decimal(n);
    const step = n & 32767, size = n === 65535 ? NaN : step === 32766 ? Infinity : step && 2 ** (scale[0] + (step - 1) * scale[1]);
    return decimal(Number((n > 32767 ? -size : size).toPrecision(3)));
  };
  const tensor = (id) => {
    const [mean, std, low, high] = [...raw.subarray(4 * id, 4 * id + 4)].map(value), [form, numel, zeros, odd, sampled] = forms[formOf[id]];
    return { id, form, numel, mean, std, low, high, zeros, odd, sampled };
  };
  return (code) => {
    const list = code - formOf.length - 1;
    if (list < 0) return code ? [["", tensor(code - 1)]] : [];
    const start = sizes.slice(0, list).reduce((a, b) => a + b, 0);
    return Array.from({ length: sizes[list] }, (_, n) => [words[called[start + n]], tensor(listed[start + n])]);
  };
}

/** The path of a module as people read it. */
function pathOf(pass, node) {
  const names = [];
  for (let at = node; at > 0; at = pass.above[at]) names.unshift(pass.nameOf(at));
  if (names.length > 12) names.splice(6, names.length - 11, "…");
  return names.join(".");
}

/** Path and class of the module that a moment is about. */
function whoAt(pass, i) {
  const node = pass.nodes[i];
  return pass.strangers.get(pass.call[i]) ?? [pathOf(pass, node), node < 0 ? "" : pass.kindOf(node)];
}

/** The moment as a sentence with its names between backticks, from the templates that Python sent. */
function tellMoment(pass, i) {
  const { says, call } = pass, kind = pass.word(i), [path, cls] = whoAt(pass, i), forms = pass.tensorsOf(pass.tensor[i]).map(([, t]) => (kind === "loss" && t.numel === 1 ? t.mean : t.form));
  const all = pass.calls.get(pass.nodes[i]) ?? [], owner = pass.owner(i), code = (text) => `\`${text}\``;
  const parts = {
    kind, name: code(pass.name(i)), who: path ? code(path) : says.root, class: cls, what: forms.join(", ") || says.nothing,
    nth: all.length > 1 ? says.nth.replace("#", all.indexOf(call[i]) + 1) : "", parameter: code(path ? `${path}.${owner}` : owner), changed: pass.change(i), problem: pass.problem,
  };
  const form = kind === "call" && pass.marks.get(call[i]) === "direct" ? "direct" : kind === "gradient out" && !forms[0] ? "stops" : kind;
  return says[form].replace(/\{(\w+)\}/g, (_, key) => parts[key]);
}

/** What a module does at a moment: "run", "back", "both", "done", "wait", "never", or "lost" if its calls were left out. */
function stateAt({ calls, reasons, first, last, arrive, ends }, node, i) {
  const mine = calls.get(node);
  let state = mine ? "wait" : reasons.has(node) ? "never" : "lost";
  for (const c of mine ?? []) {
    if (first[c] <= i && i <= last[c]) return "run";
    if (arrive[c] >= 0 && arrive[c] <= i) {
      if (i <= ends[c]) return "back";
      state = "both";
    } else if (last[c] < i && state !== "both") state = "done";
  }
  return state;
}

/** The first moment after `i` for which something holds; -1 if there is none. */
function nextMoment(pass, i, holds, end = pass.size - 1) {
  while (++i <= end) if (holds(i)) return i;
  return -1;
}

/** The last moment of a call in the part of the pass that `i` lies in. */
const endOf = (pass, c, i) => (i < pass.back ? pass.last : pass.ends)[c];

/** Where "into", "over" and "out" lead. */
function stepFrom(pass, i, how) {
  const { call, parent, word } = pass, opens = i < pass.back ? "call" : "gradient in", end = (c) => endOf(pass, c, i);
  let c = call[i];
  if (c >= 0 && how === "into") return Math.max(i + 1, nextMoment(pass, i, (j) => word(j) === opens && parent[call[j]] === c, end(c)));
  if (how === "over" && word(i) !== opens) return i + 1;
  while (c >= 0 && end(c) <= i) c = how === "out" ? parent[c] : -1;
  return c < 0 ? i + 1 : end(c);
}

/** Microseconds as people say them. */
function duration(us) {
  const [value, unit] = us < 1000 ? [us, "µs"] : us < 1e6 ? [us / 1000, "ms"] : [us / 1e6, "s"];
  return `${Number(value.toPrecision(3))} ${unit}`;
}
