// The timeline: one lane for each depth, a box for each call, and the hooks as numbered marks.

const TOP = 18;

/**
 * @param {HTMLElement} root  the view, for its colours
 * @param {object} pass  as `unpackPass` returns it
 * @param {(i: number) => string} tell  a moment in words
 * @param {(i: number) => void} scrub  called with the moment under the pointer
 */
function timeline(root, pass, tell, scrub) {
  const canvas = make("canvas", { "aria-hidden": "true" }), cursor = make("div.cursor"), edges = make("div.ends"), box = make("div.lanes", {}, canvas, cursor), { lane } = pass, tall = pass.high + TOP + 3;
  let byTime = false, from = 0, to = 1, now = 0, wide = 0;
  box.style.height = `${tall}px`;

  /** Where a moment begins, as a share of the whole pass, and in pixels. */
  const begin = (i) => (byTime ? (pass.at[i] ?? 65535) / 65535 : i / pass.size);
  const x = (i) => ((begin(i) - from) / (to - from)) * wide;

  function paint() {
    wide = box.clientWidth;
    if (!wide) return;
    const pen = penOf(canvas, wide, tall), style = getComputedStyle(root), [ahead, back, hook, grad, bad, mono] = ["forward", "backward", "hook", "gradient", "problem", "mono"].map((name) => style.getPropertyValue(`--${name}`));
    const { size, first, last, arrive, ends, depth, node } = pass, each = wide / size / (to - from), write = (words, left, y) => pen.fillText(words, left, y);
    pen.textBaseline = "middle";
    pen.font = `11px ${mono}`;

    function block(c, start, end, stop, backward) {
      const left = Math.max(-2, x(start)), right = x(byTime ? end : end + 1), y = TOP + depth[c] * lane, width = Math.max(1, right - left - 1);
      if (start < 0 || right < 0 || left > wide) return;
      pen.fillStyle = pen.strokeStyle = backward ? back : ahead;
      pen.globalAlpha = width < 3 ? 0.6 : 0.22;
      pen.fillRect(left, y, width, lane - 1);
      pen.globalAlpha = 1;
      if (width < 3 || lane < 6) return;
      pen.setLineDash(backward ? [3, 2] : []);
      pen.strokeRect(left + 0.5, y + 0.5, width - 1, lane - 2);
      const name = pass.strangers.get(c)?.[0] ?? pass.nameOf(node[c]), room = Math.floor((Math.min(right, x(stop ?? size) + each / 3) - left - 18) / 6.7);
      pen.fillStyle = style.color;
      if (room > 0 && lane > 12) write(`${backward ? "◀" : "▶"} ${name.length > room ? `${name.slice(0, room - 1)}…` : name}`, left + 4, y + lane / 2);
    }
    const until = [[], []], starts = []; // for each part of each call where its name has to end: at a mark, or where another box begins
    for (let i = size; i--; ) {
      const c = pass.call[i], part = until[Number(i < pass.back)], kind = pass.word(i);
      if (i === first[c] || i === arrive[c]) {
        part[c] = Math.min(part[c] ?? size, starts[depth[c]] ?? size);
        starts[depth[c]] = i;
      }
      if (pass.mark(i) || kind === "parameter gradient") part[c] = i;
    }
    for (let c = 0; c < pass.many; c++) {
      block(c, first[c], last[c], until[1][c]);
      block(c, arrive[c], ends[c], until[0][c], true);
    }
    const turn = clamp(x(pass.back), wide), drawn = []; // for each lane where its last number stands
    pen.fillStyle = style.color;
    if (turn > 70) write("forward ▶", 4, 9);
    if (wide - turn > 80) write("◀ backward", turn + 4, 9);
    pen.fillRect(turn, 0, 1, tall);
    pen.textAlign = "center";
    pen.font = `600 10px ${mono}`;
    for (let i = 0; i < size; i++) {
      const c = pass.call[i], kind = pass.word(i), number = pass.mark(i), failed = kind === "failed", at = x(i) + (byTime ? 0 : each / 2);
      if (!(number || failed || kind === "parameter gradient") || at < -9 || at > wide + 9) continue;
      const y = TOP + (depth[c] ?? 0) * lane + (lane - 1) / 2, half = Math.min(8, lane / 2), round = failed || !number || (half > 6 && !(at - drawn[y] < 14) && (drawn[y] = at));
      pen.fillStyle = failed ? bad : number ? hook : grad;
      if (failed) pen.fillRect(at - 1, 0, 2, tall);
      if (round) {
        pen.beginPath();
        pen.arc(at, y, failed || number ? half : 3, 0, 7);
        pen.fill();
      } else pen.fillRect(at - 1, y - half, 2, 2 * half);
      pen.fillStyle = style.backgroundColor;
      if (round && half > 6) write(failed ? "!" : (number || ""), at, y + 0.5);
    }
    edges.replaceChildren(...[from, to].map((share) => make("span", {}, byTime ? duration(share * pass.span) : `moment ${grouped(Math.ceil(share * size) || 1)}`)));
    point();
  }

  /** Puts the cursor at the present moment. */
  function point() {
    cursor.style.transform = `translateX(${x(now)}px)`;
    cursor.style.width = `${Math.max(2, x(now + 1) - x(now))}px`;
  }

  function move(i) {
    now = i;
    const size = to - from;
    if (begin(i) >= from && begin(i) < to) return point();
    from = Math.max(0, Math.min(1 - size, begin(i) - size / 4));
    to = from + size;
    paint();
  }

  /** Shows the pass from the beginning of one moment to the end of another. */
  function zoom(first = 0, last = pass.size - 1) {
    from = begin(first);
    to = Math.max(from + 1e-6, begin(last + 1));
    paint();
  }

  const under = ({ offsetX }) => {
    let share = from + ((to - from) * offsetX) / wide, i = pass.size - 1;
    while (i && begin(i) > share) i--;
    return i;
  };
  root.addEventListener("theme", paint);
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    scrub(under(event));
  });
  canvas.addEventListener("pointermove", (event) => (event.buttons ? scrub(under(event)) : (canvas.title = tell(under(event)))));
  return { node: make("div", {}, box, edges), move, zoom, paint, scale: (time) => (byTime = time) };
}
