// The live report of a check: one row for each thing that was looked at. Python decides what a button does; it is told
// by a message, and answers through the trait.

const TONES = { passed: "good", failed: "bad", "not started": "open" };

function render({ model, el }) {
  const { root, listen, send, undo, dispose } = frame(model, el, `check of exercise ${model.get("report").name}`);
  const opened = new Map(); // what the reader folded or unfolded, by the name of its row
  let waiting = 0, asked = "", solved = false; // the last: whether the solution is unfolded

  const heading = make("b.title"), verdict = make("b.verdict"), changed = make("div.changed", { role: "status" });
  const rows = make("ul.rows"), landed = make("div.landed"), next = make("div.next");
  const again = button("check again", "run the check again on your code as it is now", () => ask("again"));
  const clue = button("next hint", "", () => ask("hint"));
  const solve = button("", "", () => (model.get("report").solution ? unfold(!solved) : ask("solution")));
  const said = make("span.soft", { role: "status" });
  const clues = make("summary"), list = make("ol", { "aria-live": "polite" }), hints = make("details.hints", {}, clues, list);
  const answer = make("div.answer", { id: "answer", role: "region", "aria-label": "solution" });
  root.before(make("style", {}, OWN_STYLES));
  root.append(make("div.head", {}, heading, verdict), changed, rows, landed, next, make("div.acts", {}, again, clue, solve, said), hints, answer);

  function button(words, title, click) {
    return make("button", { type: "button", title, click }, words);
  }

  function ask(kind) {
    if (asked || (kind === "hint" && clue.getAttribute("aria-disabled") === "true")) return; // one press, one answer
    if (!send({ kind })) return tell(GONE);
    asked = kind;
    waiting = setTimeout(() => tell(kind === "again" ? "Python is checking …" : BUSY), 400);
  }

  function tell(words) {
    said.replaceChildren(...withCode(words));
  }

  function settled() {
    clearTimeout(waiting);
    asked = "";
  }

  function unfold(open) {
    solved = open;
    show();
  }

  /** What was looked at, with what came of it; the reader unfolds the rest. */
  function row([tone, said, name, lines, printed], i, all) {
    const mark = make(`span.${tone}`, {}, said);
    const words = make("span", {}, ...withCode(name));
    if (!lines.length && !printed) return make("li", {}, make("div.plain", {}, mark, words));
    const open = opened.get(name) ?? i === all.findIndex((each) => each[0] === "bad"); // one thing at a time
    const turn = () => {
      opened.set(name, !open);
      show();
    };
    return make(
      "li",
      {},
      make("button.fold", { type: "button", "aria-expanded": open, "data-key": name, click: turn }, make("span.arrow", { "aria-hidden": "true" }, open ? "▾" : "▸"), mark, words),
      open ? make("dl", {}, ...lines.flatMap(([label, text]) => [make("dt", {}, label), make("dd", {}, ...withCode(text))]), ...(printed ? [make("dt", {}, "your code printed"), make("dd", {}, make("pre", { tabindex: 0, "aria-label": "what your code printed" }, printed))] : [])) : null,
    );
  }

  function show() {
    const report = model.get("report");
    root.dataset.tone = TONES[report.status];
    heading.replaceChildren(...withCode(report.heading));
    verdict.textContent = report.verdict;
    verdict.className = `verdict ${TONES[report.status]}`;
    const news = report.changed && `${report.changed} Press “check again”.`;
    if (changed.dataset.words !== news) changed.replaceChildren(...withCode((changed.dataset.words = news)));
    again.classList.toggle("go", Boolean(report.changed));
    const held = root.getRootNode().activeElement?.dataset.key;
    rows.replaceChildren(...report.rows.map(row));
    if (held) [...rows.querySelectorAll("[data-key]")].find((each) => each.dataset.key === held)?.focus();
    landed.hidden = !report.landed;
    landed.replaceChildren(...withCode(report.landed), ...(report.file ? [" ", make("a", { href: beside(report.file), target: "_blank", rel: "noopener" }, `Open ${report.file}`)] : []));
    next.replaceChildren(...withCode(report.next));

    const { hints: open, all } = report, done = open.length >= all;
    clue.title = done ? "all of them are open" : `hint("${report.name}")`;
    clue.setAttribute("aria-disabled", String(done));
    clues.textContent = `hints: ${open.length} of ${all} open`;
    while (list.children.length < open.length) list.append(make("li", {}, ...withCode(open[list.children.length])));
    hints.hidden = !open.length;
    const allowed = report.status === "passed" || done, seen = solved && report.solution;
    solve.textContent = seen ? "hide the solution" : "show the solution";
    solve.title = allowed ? `solution("${report.name}")` : `opens when it is solved, or after hint ${all}`;
    solve.setAttribute("aria-expanded", String(Boolean(seen)));
    solve.classList.toggle("closed", !allowed);
    answer.hidden = !seen;
    if (seen) answer.replaceChildren(make("div.soft", {}, report.solution[0]), make("pre", { tabindex: 0, "aria-label": `solution of ${report.name}` }, ...report.solution[1].map(([kind, text]) => (kind ? make(`span.is-${kind.replace(".", "-")}`, {}, text) : text))));
  }

  let answers = model.get("report").answers;
  listen("change:report", () => {
    const report = model.get("report");
    if (report.answers !== answers) {
      answers = report.answers;
      if (asked === "hint") hints.open = true;
      solved = asked === "solution" ? Boolean(report.solution) : solved;
      settled();
      tell(report.said);
    }
    show();
  });
  listen("comm_live_update", settled); // no answer will come from a kernel that is gone
  undo.push(() => clearTimeout(waiting));
  show();
  return dispose;
}

/** The address under which JupyterLab shows a file of the notebook's folder. */
function beside(file) {
  const { pathname } = window.location, tree = pathname.indexOf("/tree/");
  if (tree >= 0) return pathname.slice(0, pathname.lastIndexOf("/") + 1) + file;
  return `${pathname.replace(/\/$/, "")}/tree/${file}`;
}

export default { render };
