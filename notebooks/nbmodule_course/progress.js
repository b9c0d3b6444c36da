// The live map of the course: a list of chapters, each with its exercises, a bar and words for it. Nothing to press.

function render({ model, el }) {
  const { root, listen, dispose } = frame(model, el, "your progress");
  const style = make("style", {}, OWN_STYLES);
  const title = make("b.title", {}, "Your progress"), total = make("span.soft"), next = make("div.next", { role: "status" });
  const list = make("ol.chapters");
  root.before(style);
  root.append(make("div.head", {}, title, total), next, list, make("div.legend.soft", {}, "✓ solved   ✗ tried, not solved yet   ○ open"));

  /** What is done of something, as a bar; the words stand beside it. */
  function bar(words, done, all, half = 0) {
    const part = (share, kind) => make(`span.${kind}`, { style: `width:${all ? (100 * share) / all : 0}%` });
    return [make("span.soft", {}, words), make("span.track", {}, part(done, "done"), part(half, "half"))];
  }

  function chapter({ number, title: words, summary, solved, right, answered, questions, exercises }) {
    const marks = exercises.map(([name, status, mark, said]) => make(`li.chip.is-${status}`, { "aria-label": `exercise ${name}: ${said}` }, `${mark} ${name}`));
    return make(
      "li.chapter",
      {},
      make("b.number", {}, number),
      make("div.what", {}, make("div", {}, ...withCode(words)), make("div.soft.summary", {}, summary), marks.length ? make("ul.exercises", { "aria-label": `exercises of chapter ${number}` }, ...marks) : null),
      make("div.bars", { "aria-hidden": "true" }, ...(exercises.length ? bar("exercises", solved, exercises.length) : []), ...(questions ? bar("predictions", right, questions, answered - right) : [])),
    );
  }

  function show() {
    const { chapters, next: words } = model.get("map");
    const sum = (of) => chapters.reduce((total, each) => total + of(each), 0);
    total.textContent = `${sum((each) => each.solved)} of ${sum((each) => each.exercises.length)} exercises solved, ${sum((each) => each.answered)} of ${sum((each) => each.questions)} predictions made, ${sum((each) => each.right)} right`;
    if (next.textContent !== words) next.textContent = words;
    list.replaceChildren(...(chapters.length ? chapters.map(chapter) : [make("li", {}, "No chapters are installed.")]));
  }

  listen("change:map", show);
  show();
  return dispose;
}

export default { render };
