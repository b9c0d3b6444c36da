// CallTape: what model(x) runs and what model.forward(x) runs, moment by moment in two columns. All of it is in the
// trait `tape`; nothing is asked of Python.

const SIDES = ["called", "direct"];
const TEXTS = ["kind", "side", "mark", "title", "detail", "words", "called", "direct"];

/** A row of numbers as an object: the first are places among the texts that were sent. */
function unpackedRow(row, texts) {
  const [depth, differs, stack] = row.slice(TEXTS.length);
  return { ...Object.fromEntries(TEXTS.map((name, at) => [name, texts[row[at]]])), depth, differs, stack };
}

function render({ model, el }) {
  const { root, listen, undo, dispose } = frame(model, el, "what a call runs, against forward");
  const title = make("bdi.title");
  const verdict = make("div.verdict");
  const stack = make("div.stack");
  const says = make("div.saying");
  const numbersNow = make("dl.seen");
  const now = make("div.moment", {}, stack, says, numbersNow);
  const list = make("ol.tape", { "aria-label": "moments of both passes", tabindex: 0 });
  const more = make("div.soft"), notes = make("ul.notes", { "aria-label": "remarks" }), listing = make("div.listing");
  const transport = player(root, { label: "moments of the call", name: (at) => sentence(tape.rows[at]).replaceAll("`", ""), move });
  undo.push(transport.dispose);
  const heads = make("div.heads", { "aria-hidden": "true" }, make("span.mono", {}, "model(x)"), make("span.mono", {}, "model.forward(x)"));
  root.append(make("div.head", {}, title, make("span.soft", {}, "what model(x) runs, against model.forward(x)")), transport.node, now, heads, list, more, verdict, notes, listing);
  let tape, lit;

  function sentence({ words, side }) {
    return words + (side === "called" ? " `model.forward(x)` skips it." : side === "direct" ? " Only `model.forward(x)` does this." : "");
  }

  function move(at) {
    const row = tape.rows[at];
    verdict.classList.toggle("early", at < tape.rows.length - 1); // whoever is still on the way makes up their own mind
    lit?.classList.remove("now");
    lit?.removeAttribute("aria-current");
    lit = /** @type {HTMLElement} */ (list.children[at]);
    lit.classList.add("now");
    lit.setAttribute("aria-current", "step");
    [...list.children].forEach((node, place) => node.classList.toggle("ahead", place > at));
    const top = lit.offsetTop - list.offsetTop;
    if (top < list.scrollTop + 20) list.scrollTop = top - 20;
    else if (top + lit.offsetHeight > list.scrollTop + list.clientHeight - 20) list.scrollTop = top + lit.offsetHeight - list.clientHeight + 20;
    const open = tape.stacks[row.stack];
    stack.replaceChildren(make("span.soft", {}, "open: "), ...(open.length ? open.flatMap((name, place) => [place ? make("span.soft", {}, " › ") : "", make("bdi.mono", {}, name)]) : [make("span.soft", {}, "nothing, the call is over")]));
    says.replaceChildren(...withCode(sentence(row)));
    const seen = SIDES.map((side) => [side === "called" ? "model(x)" : "model.forward(x)", row.side === "both" || row.side === side ? row[side] || row.called || "–" : "skipped"]);
    numbersNow.replaceChildren(...seen.map(([name, words]) => make("div", {}, make("dt.mono.soft", {}, name), make("dd", {}, words))));
  }

  function cell(row, side) {
    const there = row.side === "both" || row.side === side;
    const differs = row.differs && side === "direct";
    const words = [make("span.mark", { "aria-hidden": "true" }, row.mark), make(there ? "bdi.what" : "s.what", {}, there && /hook|failed/.test(row.kind) ? `${row.title}:` : row.title)];
    if (!there && row.kind === "failed") return make("span.cell.soft", {}, "–");
    if (there) words.push(make("bdi.soft.detail", {}, ...withCode(row.detail)));
    else words.push(make("span.chip.skipped", {}, side === "direct" ? "skipped" : "not here"));
    if (differs) words.push(make("span.chip", {}, "other numbers"));
    return make(there ? "span.cell" : "span.cell.out", { style: `padding-left:${24 + Math.min(row.depth, 12) * 11}px` }, ...words);
  }

  function show() {
    tape = { ...model.get("tape") };
    tape.rows = tape.rows.map((row) => unpackedRow(row, tape.texts));
    title.textContent = title.title = tape.label;
    verdict.className = tape.same === true ? "verdict" : "verdict failed";
    verdict.replaceChildren(make("span", { "aria-hidden": "true" }, { true: "● ", false: "≠ " }[tape.same] ?? "⚠ "), ...withCode(tape.verdict));
    list.replaceChildren(...tape.rows.map((row, at) => make(`li.pair.is-${row.kind}`, { click: () => transport.go(at) }, ...SIDES.map((side) => cell(row, side)))));
    more.textContent = tape.more ? `… ${tape.more.toLocaleString("en")} more moments` : "";
    listNotes(notes, tape.notes, true);
    listSource(listing, tape.sourceOf, tape.source);
    lit = null;
    transport.reset(tape.rows.length);
  }

  listen("change:tape", show);
  show();
  return dispose;
}

export default { render };
