// TrainEvalCompare: one switch for the whole picture, a player over the draws. All that it shows was recorded; only
// other numbers of draws and other seeds ask Python.

/** Whether a module is a reason itself. */
const isReason = ({ role }) => role === "cause" || role === "random in both";

/** The trait with its columns unpacked. */
function unpackModes(found) {
  const modules = found.modules.map(([name, label, depth, role, says, flags, calls, gap, part, meanEval, stdEval, meanTrain, stdTrain]) => ({
    name, label: found.labels[label], depth, calls, gap, share: part, role: found.roles[role][0], sign: found.roles[role][1], meaning: found.roles[role][2], words: found.says[says],
    flags: [flags % 3, Math.floor(flags / 3) % 3, Math.floor(flags / 9) % 3], means: [meanEval, meanTrain], stds: [stdEval, stdTrain],
  }));
  const bytes = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength), words = (view) => numbers({ kind: "H", bytes: view });
  const out = found.output, given = out.units > 0;
  const output = given ? { ...out, eval: floats(out.eval), mean: floats(out.mean), std: floats(out.std), draws: floats(out.draws), counts: words(out.counts), drawCounts: words(out.drawCounts), after: floats(out.after), afterCounts: words(out.afterCounts) } : null;
  return {
    ...found, modules, output,
    masks: found.masks.map((mask) => ({ ...mask, bits: bytes(mask.bits) })),
    norms: found.norms.map((norm) => ({ ...norm, batch: floats(norm.batch), running: floats(norm.running) })),
  };
}

function render({ model, el }) {
  const { root, listen, send, alive, dispose } = frame(model, el, "train() against eval()");
  let found = null, train = true, chosen = 0, draw = 0, waiting = 0, rows = [];

  const path = shared(root, "path", (to) => choose(found.modules.findIndex((it) => it.name === to)));
  const sentence = make("p.sentence");
  const switches = [["train()", "●"], ["eval()", "○"]].map(([name, lamp], n) => make("button", { type: "button", class: n ? "to-eval" : "to-train", title: `show the model under ${name} (${name[0]})`, click: () => flip(!n) }, make("span.lamp", {}, lamp), ` ${name}`));
  const field = (name, least, most) => make("input", { type: "number", min: least, max: most, step: 1, "aria-label": name, change: ask });
  const [draws, seed] = [field("draws", 1, 256), field("seed", 0, 2 ** 31)];
  const keep = make("input", { type: "checkbox", change: ask }), kept = make("label", { title: "as keep_modes=True" }, keep, "");
  const again = make("button", { type: "button", title: "run the model again, as it is now", click: ask }, "Run again");
  const busy = make("span.soft.busy", { role: "status" });
  const line = make("progress", { "aria-label": "draws", max: 1, value: 0 }), far = make("span.soft", { role: "status" });
  const halt = make("button", { type: "button", title: "keep the draws so far", click: () => send({ kind: "stop" }) }, "Stop");
  const more = make("button", { type: "button", title: "run the model under train() again, with the next random numbers", click: () => send({ kind: "on" }) }, "Draw more");
  const drawn = make("div.drawn", {}, line, far, halt, more);
  const controls = make("div.controls", {}, make("label", {}, "draws", draws), make("label", {}, "seed", seed), kept, again);
  const list = make("div.list", { role: "listbox", tabindex: 0, "aria-label": "modules" });
  const pane = modulePane(root);
  const player_ = player(root, { label: "draws under train()", name: (n) => (found?.draws ? `draw ${n + 1}: random numbers from seed ${found.seed + n}` : "no draw: nothing was recorded"), move: (n) => ((draw = n), showDraw()) });
  const bars = chart(root, "histogram", 120), units = chart(root, "chart", 120);
  const output = make("div.output", {}, bars.node, units.node), table = make("div.table", { tabindex: 0, role: "region", "aria-label": "modes and gradients" }), notes = make("ul.notes");
  const rule = make("h3", {}, "train() / eval() is one switch, recording gradients is another");
  root.append(
    sentence,
    make("div.bar-top", {}, make("div.switch", { role: "group", "aria-label": "mode of the whole model" }, ...switches), player_.node, drawn),
    make("div.stage", {}, make("div.side", {}, make("div.row.titles", { "aria-hidden": true }, make("span"), make("span", {}, "module"), make("span.class", {}, "class"), make("span.spread", {}, "output: mean ± std"), make("span.against", {}, "train() against eval()")), list), pane.node),
    output, rule, table, notes, make("div.bar-end", {}, controls, busy),
  );

  function flip(to) {
    train = to;
    show();
  }

  const letters = (event) => {
    if (event.composedPath()[0].matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { t: true, e: false }[event.key];
    if (to !== undefined) flip(to);
  };
  root.addEventListener("keydown", letters);
  onArrows(list, (right, down) => (right ? false : choose(clamp(chosen + down, rows.length - 1)))); // left and right belong to the player

  function choose(n) {
    if (n < 0 || !found.modules[n]) return;
    chosen = n;
    path.tell(found.modules[n].name);
    rows.forEach((row, at) => row.setAttribute("aria-selected", String(at === chosen)));
    list.setAttribute("aria-activedescendant", rows[chosen]?.id ?? "");
    const row = rows[chosen];
    if (row) list.scrollTop = clamp(list.scrollTop, row.offsetTop), list.scrollTop = Math.max(list.scrollTop, row.offsetTop + row.offsetHeight - list.clientHeight);
    showDraw();
  }

  function ask() {
    clearTimeout(waiting);
    if (!draws.validity.valid || !seed.validity.valid || draws.value === "" || seed.value === "") return tell("draws: 1 to 256; seed: a whole number from 0");
    waiting = setTimeout(() => {
      if (send({ kind: "again", draws: Number(draws.value), seed: Number(seed.value), keep: keep.checked })) waiting = setTimeout(() => tell(BUSY), 400);
      else tell(GONE);
    }, 250);
  }

  const tell = (words) => (busy.textContent = words);

  /** How far the draws are that run while one looks; nothing is to be pressed where no kernel is. */
  function showProgress() {
    const { done, goal, runs, more: left, words } = model.get("progress") ?? {}, live = runs && alive();
    [line.max, line.value] = [goal || 1, done || 0];
    far.replaceChildren(...withCode(words ?? ""));
    line.hidden = halt.hidden = !live;
    more.hidden = live || !left || !alive();
  }

  /** More draws of the same experiment: what one looks at stays where it is. */
  function grow(now) {
    found = now;
    rows.forEach((row, n) => (row.lastChild.textContent = share(found.modules[n].share || null)));
    say();
    player_.grow(found.draws);
    showRows();
    showTable();
    showDraw();
  }

  /** What is said in sentences. */
  function say() {
    sentence.replaceChildren(...withCode(found.sentence));
    notes.replaceChildren(...found.notes.map((note) => make("li", {}, ...withCode(`! ${note}`))));
    output.hidden = !found.output;
  }

  function arrive() {
    clearTimeout(waiting);
    tell("");
    const now = unpackModes(model.get("found"));
    if (found?.number === now.number && found.modules.length === now.modules.length) return grow(now);
    const before = (found ? found.modules[chosen]?.name : path.get()) || undefined;
    found = now;
    [draws.value, seed.value, keep.checked] = found.asked;
    kept.hidden = !found.odd;
    kept.lastChild.textContent = found.odd;
    const same = found.modules.findIndex((it) => it.name === before), reason = found.modules.findIndex((it) => isReason(it));
    chosen = Math.max(0, before === undefined || same < 0 ? reason : same);
    say();
    const above = []; // the paths on the way to a module, of which its row shows the last step
    const step = ({ name, depth }) => {
      const front = above[depth - 1] + ".";
      above[depth] = name;
      return name.startsWith(front) ? name.slice(front.length) : name;
    };
    rows = found.modules.map((it, n) => make("div.row", { role: "option", id: `m${n}`, click: () => choose(n) },
      make("span.lamp"), make("bdi.name.mono", { title: it.name, style: `padding-left:${Math.min(it.depth, 8) * 10}px` }, step(it)), make("bdi.class.soft", { title: it.label }, it.label), make("span.spread.mono"),
      make("span.role", { title: it.meaning, "data-role": it.role }, make("b", { "aria-hidden": true }, it.sign), " " + it.role), make("span.share.mono", { title: "mean |train − eval| of its output, in % of its size" }, share(it.share || null))));
    list.replaceChildren(...rows, ...(found.more ? [make("div.soft", {}, `… ${grouped(found.more)} more`)] : []));
    player_.reset(found.draws, Math.min(draw, Math.max(0, found.draws - 1)));
    show();
  }

  /** All that the switch changes. */
  function show() {
    switches.forEach((one, n) => one.setAttribute("aria-pressed", String(train === !n)));
    root.dataset.mode = train ? "train" : "eval";
    showRows();
    showTable();
    choose(chosen);
  }

  function showRows() {
    found.modules.forEach((it, n) => {
      const [lamp, , , spread] = rows[n].children, flag = it.flags[train ? 1 : 2];
      lamp.textContent = ["·", "○", "●"][flag];
      lamp.title = ["no training flag", "training = False", "training = True"][flag];
      spread.textContent = it.calls && it.means[+train] !== null ? [it.means, it.stds].map((of) => number(+of[+train].toPrecision(3))).join(" ± ") : "";
    });
  }

  /** All that the player changes. */
  function showDraw() {
    if (!found?.modules.length) return;
    pane.show(found, chosen, train, draw);
    const out = found.output;
    if (!out) return;
    const called = `train(), draw ${draw + 1}`, bins = out.counts.length, of = (counts) => counts.subarray(draw * bins, (draw + 1) * bins);
    const moves = out.after.length > 0, beside = moves ? `eval() after ${draw + 1} ${draw ? "batches" : "batch"}` : "eval()"; // as the running statistics are then
    const most = Math.max(...out.counts, ...out.drawCounts, ...out.afterCounts), one = { counts: of(out.drawCounts), most, ink: "--train", words: called, short: " in this draw" }, other = { counts: moves ? of(out.afterCounts) : out.counts, most, ink: "--eval", words: beside, short: " under eval()" };
    bars.show(histogram({ title: out.title, low: out.low, high: out.high, filled: train ? one : other, outline: train ? other : one }));
    const now = out.draws.subarray(draw * out.units, (draw + 1) * out.units), low = out.mean.map((m, n) => m - out.std[n]), high = out.mean.map((m, n) => m + out.std[n]);
    const still = moves ? out.after.subarray(draw * out.units, (draw + 1) * out.units) : out.eval, [least, top] = range(out.eval, out.draws, out.after, low, high);
    units.show(columns({
      title: out.unitsTitle, noun: "unit", words: `${out.units} ${out.units === 1 ? "unit" : "units"}, ${found.draws} ${found.draws === 1 ? "draw" : "draws"}`, low: least, high: top, count: out.units,
      spread: found.draws > 1 ? { low, high, words: `train(): mean ± std over ${found.draws} draws` } : undefined,
      series: [{ shape: "●", ink: "--train", words: called, values: now, used: train }, { shape: "◇", ink: "--eval", words: beside, values: still, used: !train }],
    }));
  }

  function showTable() {
    const { columns: ran, rows: lines } = found.table, now = (n) => (ran[n][1] === train ? "now" : "");
    const head = make("tr", {}, make("td"), ...ran.map(([name, mode], n) => make("th", { scope: "col", class: now(n) }, (mode ? "● " : "○ ") + name)));
    table.replaceChildren(make("div.soft", { hidden: !found.table.later }, found.table.later), make("table", {}, head, ...lines.map(([question, ...cells]) => make("tr", {}, make("th", { scope: "row" }, question), ...cells.map((cell, n) => make("td", { class: now(n) }, cell))))));
  }

  listen("change:found", arrive);
  listen("change:progress", showProgress);
  listen("comm_live_update", showProgress);
  arrive();
  showProgress();
  return () => {
    clearTimeout(waiting);
    root.removeEventListener("keydown", letters);
    player_.dispose();
    pane.dispose();
    bars.dispose();
    units.dispose();
    dispose();
  };
}

export default { render };
