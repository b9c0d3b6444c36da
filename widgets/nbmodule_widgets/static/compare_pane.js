// What one module does: its words, its flags, and for a dropout or a batch norm a picture of the draw.

/**
 * @param {HTMLElement} root  the view
 * @returns {{node: HTMLElement, show: (found: object, chosen: number, train: boolean, draw: number) => void, dispose: () => void}}
 */
function modulePane(root) {
  const heat = heatMap(root, 150), charts = ["mean", "var"].map(() => chart(root, "chart", 112));
  const head = make("h4"), words = make("p"), lines = make("dl"), over = make("p.over"), under = make("p.soft.under");
  const both = make("div.both", {}, ...charts.map(({ node }) => node));
  const node = make("div.pane", { role: "group", "aria-label": "the chosen module", tabindex: 0 }, head, words, over, heat.node, both, under, lines);
  const watcher = new ResizeObserver(heat.draw);
  watcher.observe(node);

  function show(found, chosen, train, draw) {
    const it = found.modules[chosen];
    head.replaceChildren(make("bdi", {}, it.name), make("bdi.soft", {}, it.label));
    words.replaceChildren(...withCode(`${it.sign} ${it.words}`));
    lines.replaceChildren(...facts(found, it, chosen).flatMap(([term, said]) => [make("dt", {}, term), make("dd", {}, said)]));
    const mask = found.masks.find((one) => one.module === chosen), norm = found.norms.find((one) => one.module === chosen);
    both.hidden = !norm;
    over.hidden = !mask && !norm;
    if (mask) showMask(found, mask, train, draw);
    heat.node.hidden = !mask || (mask.always && !train);
    under.hidden = heat.node.hidden && !norm;
    if (norm) showNorm(norm, train, it.flags[train ? 1 : 2], draw, found.output?.after.length > 0);
  }

  function facts(found, it, chosen) {
    const lamp = (flag) => ["○ none", "○ eval", "● train"][flag];
    const rows = [["training", `${lamp(it.flags[0])} before, ${lamp(it.flags[1])} by train(), ${lamp(it.flags[2])} by eval()`]];
    const spread = (mean, std) => `${number(mean)} ± ${number(std)}`;
    if (it.calls) rows.push(["mean ± std", `train() ${spread(it.means[1], it.stds[1])}; eval() ${spread(it.means[0], it.stds[0])}`]);
    if (it.gap) rows.push(["mean |train − eval|", number(it.gap) + (it.share === null ? "" : ", " + share(it.share) + " of its size")]);
    if (it.role === "holds a cause") {
      const rest = found.modules.slice(chosen + 1), end = rest.findIndex((one) => one.depth <= it.depth);
      const inside = rest.slice(0, end < 0 ? undefined : end).filter(isReason);
      rows.push(["the causes", inside.slice(0, 12).map((one) => one.name).join(", ") + (inside.length > 12 ? " …" : "")]);
    }
    if (it.calls > 1) rows.push(["calls", grouped(it.calls) + " in a pass"]);
    return rows;
  }

  function showMask(found, mask, train, draw) {
    const bits = mask.bits, wide = Math.ceil(mask.units / 8), cells = new Float32Array(mask.units);
    let kept = 0;
    for (let n = 0; n < mask.units; n++) {
      const on = train ? (bits[draw * wide + (n >> 3)] >> (7 - (n & 7))) & 1 : 1;
      kept += on;
      cells[n] = on ? (train ? mask.scale : 1) : mask.dropped;
    }
    const folded = Math.min(mask.units, Math.max(8, 8 * Math.ceil(Math.sqrt(mask.units * 4) / 8)));
    const wideRow = mask.rows ? mask.units / mask.rows : folded, rows = Math.ceil(mask.units / wideRow);
    const all = new Float32Array(rows * wideRow);
    all.set(cells);
    const percent = `${((100 * kept) / mask.units).toFixed(0)}%`;
    over.textContent = train ? `train(), draw ${draw + 1}: ${grouped(kept)} of ${grouped(mask.units)} ${mask.noun}s kept (${percent}) and multiplied by ${number(mask.scale)}` : mask.always ? "eval(): drops here too; the masks were kept under train() alone" : "eval(): nothing is dropped or scaled, so every draw is the same";
    under.textContent = mask.words;
    heat.show({ rows, columns: wideRow, cells: all, used: mask.units, limit: Math.max(Math.abs(mask.scale), Math.abs(mask.dropped), 1e-9), words: `what becomes of a 1, ${mask.noun} by ${mask.noun}`, shape: [mask.units], axes: [], index: [0], block: [1, 1], steps: [1], how: "" }, mask.noun);
  }

  /** `flag` is the module's own in this mode: 0 none, 1 False, 2 True; a frozen one is in eval mode under train(). */
  function showNorm(norm, train, flag, draw, follows) {
    const { channels, running, batch } = norm, moments = running.length / 2 / channels;
    const now = Math.min(draw + 1, moments - 1), shown = train || follows ? now : 0, batched = flag ? flag === 2 : train, odd = batched === train ? "" : `stays in ${batched ? "train" : "eval"} mode: `;
    over.textContent = `${train ? "train" : "eval"}(): ${odd}uses the ${batched ? "batch statistics, and updates the running ones" + (train ? ": " + now + " so far" : "") : `running statistics${follows && !train ? ` after ${now} ${now === 1 ? "batch" : "batches"}` : ""}, and changes nothing`}`;
    under.textContent = norm.words;
    ["mean", "variance"].forEach((what, kind) => {
      const at = (moment) => running.subarray((kind * moments + moment) * channels, (kind * moments + moment + 1) * channels);
      const target = batch.subarray(kind * channels, (kind + 1) * channels), [low, high] = range(target, running.subarray(kind * moments * channels, (kind + 1) * moments * channels));
      charts[kind].show(columns({
        title: `${what} of each channel`, noun: "channel", words: channels > 4 ? `${channels} channels` : `running ${[...at(shown)].map(decimal).join(", ")}`, low, high, count: channels,
        series: [
          { shape: "–", ink: "--ring", words: "start", values: at(0) },
          { shape: "◇", ink: "--train", words: batched ? "batch (used)" : "batch", values: target, used: batched },
          { shape: "●", ink: "--eval", words: batched ? "running" : "running (used)", values: at(shown), used: !batched },
        ],
      }));
    });
  }

  const dispose = () => {
    watcher.disconnect();
    for (const one of charts) one.dispose();
  };
  return { node, show, dispose };
}

const number = (value) => (value === null ? "–" : decimal(value));

/** A share as a percentage: "157%", "< 1%". */
function share(part) {
  if (part === null) return "";
  if (part === 0) return "0%";
  return part >= 0.01 ? `${(100 * part).toFixed(0)}%` : "< 1%";
}
