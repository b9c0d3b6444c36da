// AssignmentFlow: the questions that `__setattr__` asks, one below the other, and the way that a line takes through them.
// All of it is in the trait `flow`; another line goes to Python as a message and runs there on a copy.

function render({ model, el }) {
  const { root, listen, send, undo, dispose } = frame(model, el, "which way an assignment takes");
  const title = make("bdi.title");
  const ask = asking({ label: "Try a line", button: "Try it", hint: "self.fc = nn.Linear(2, 2)", send: (line) => send({ kind: "try", line }) });
  const again = make("button", { type: "button", title: "throw the copy away and run the line on a copy of the module as it is now", click: () => send({ kind: "again" }) }, "Fresh copy");
  ask.node.insertBefore(again, ask.said);
  const stale = make("div.stale", { role: "status" }, "The module has changed since this line ran. Press “Fresh copy” to run it again.");
  const call = make("div.call"), clerk = make("div.clerk");
  const chart = make("ol.chart", { "aria-label": "the questions, in the order in which they are asked" });
  const removed = make("div.removed"), verdict = make("div.verdict");
  const notes = make("ul.notes", { "aria-label": "remarks" });
  const listing = make("div.listing");
  const after = make("div.after", {}, removed, verdict, notes);
  const transport = player(root, { label: "steps of the decision", name: (at) => flow.moments[at][2].replaceAll("`", ""), move });
  undo.push(transport.dispose, ask.dispose);
  root.append(make("div.head", {}, title, make("span.soft", {}, "which way the line takes; it runs on a copy")), ask.node, stale, call, clerk, transport.node, listing, chart, after);
  let flow, parts = new Map();

  /** Shows what is known at a moment, and lights the part that it is about. */
  function move(at) {
    const last = at === flow.moments.length - 1;
    const known = new Set(flow.moments.slice(0, at + 1).map(([row, part]) => `${row} ${part}`));
    const now = `${flow.moments[at][0]} ${flow.moments[at][1]}`;
    for (const [key, node] of parts) {
      node.classList.toggle("known", known.has(key));
      node.classList.toggle("now", key === now);
      if (key === now) node.setAttribute("aria-current", "step");
      else node.removeAttribute("aria-current");
    }
    [...chart.children].forEach((node, row) => {
      const { question, leaves } = flow.rows[row];
      const asked = known.has(`${row} question`);
      node.classList.toggle("left", question ? asked && question.answer === leaves : known.has(`${row} check`) || known.has(`${row} ending`));
      node.classList.toggle("passed", asked && question.answer !== leaves);
    });
    const ran = new Set(flow.moments.slice(0, at + 1).filter(([, part]) => part === "line").map(([line]) => line));
    const line = flow.moments[at][1] === "line" ? flow.moments[at][0] : -1;
    [...listing.querySelectorAll("li")].forEach((node, place) => {
      node.classList.toggle("ran", last ? flow.source[place][1] > 0 : ran.has(place + 1));
      node.classList.toggle("now", place + 1 === line);
    });
    call.classList.toggle("now", flow.moments[at][1] === "call");
    after.classList.toggle("known", last);
    chart.classList.toggle("done", last);
  }

  function show() {
    ask.answered();
    const before = flow;
    flow = model.get("flow");
    parts = new Map();
    title.textContent = title.title = flow.label;
    if (before?.number !== flow.number) ask.field.value = flow.line;
    call.hidden = !flow.call;
    call.replaceChildren(make("bdi.mono", {}, flow.line), make("span.soft", {}, " is the call "), make("bdi.mono", {}, flow.call));
    clerk.replaceChildren(...withCode(flow.clerk));
    chart.hidden = !flow.rows.length;
    chart.replaceChildren(...flow.rows.map(row));
    removed.hidden = !flow.removed;
    removed.replaceChildren(...withCode(flow.removed));
    verdict.className = flow.failed ? "verdict failed" : "verdict";
    verdict.replaceChildren(make("span", { "aria-hidden": "true" }, flow.failed ? "✗ " : "● "), ...withCode(flow.verdict));
    listNotes(notes, flow.notes);
    listSource(listing, flow.sourceOf, flow.source);
    transport.node.hidden = flow.moments.length < 3;
    const ended = before && transport.at() === before.moments.length - 1; // who looks at the ends of lines goes on so
    transport.reset(flow.moments.length, transport.node.hidden || ended ? flow.moments.length - 1 : 0);
  }

  function row({ question, leaves, check, endings }, at) {
    const asked = question ? box(question, "question", at) : make("div.otherwise.soft", {}, "otherwise");
    const [out, on] = leaves ? ["yes", "no"] : ["no", "yes"];
    const ends = endings.map((ending, place) => {
      const mark = { refused: "✗", deleted: "–", kept: "○" }[ending.kind] ?? "●";
      const node = make(`div.end.is-${ending.kind}`, {}, check ? make("span.answer", {}, place ? "no" : "yes") : null, make("span.mark", { "aria-hidden": "true" }, mark), make("span.text", {}, ...withCode(ending.text)));
      if (ending.lit) parts.set(`${at} ending`, node);
      return node;
    });
    return make(
      "li.row",
      {},
      make("div.ask", {}, asked, at < flow.rows.length - 1 ? make("div.down", {}, `${on} ↓`) : null),
      make("div.out", { "aria-hidden": "true" }, question ? `${out} →` : "→"),
      make("div.ways", {}, check ? box(check, "check", at) : null, make("div.ends", {}, ...ends)),
    );
  }

  function box({ text, answer, because }, part, at) {
    const known = answer === null ? null : make("span.because", {}, make("b", {}, answer ? "yes" : "no"), because ? ": " : "", ...withCode(because));
    const node = make(`div.box.is-${part}`, {}, make("span.what", {}, ...withCode(text)), known ?? make("span.because.soft", {}, "not asked"));
    if (known) parts.set(`${at} ${part}`, node);
    return node;
  }

  const mark = () => (stale.hidden = !model.get("stale"));
  listen("change:flow", show);
  listen("change:stale", mark);
  show();
  mark();
  return dispose;
}

export default { render };
