// A prediction: a question, its code, an option on each button, and what the code did. Python runs it and says what is right.

function render({ model, el }) {
  const { root, listen, send, undo, dispose } = frame(model, el, `prediction ${model.get("card").name}`);
  const options = make("div.options", { role: "group", "aria-label": `Your prediction for ${model.get("card").name}` });
  const waiting = make("p.soft", { role: "status" }), answer = make("div.answer", { role: "status" });
  const code = make("pre", { tabindex: 0, "aria-label": "the code" }), question = make("p"), title = make("b.title");
  let timer = 0, asked = false;
  root.before(make("style", {}, OWN_STYLES));
  root.append(title, question, code, options, waiting, answer);

  function choose(letter) {
    if (asked || model.get("card").chosen) return; // the first answer counts
    asked = send({ kind: "answer", letter });
    if (!asked) return;
    timer = setTimeout(() => (waiting.textContent = "Python is busy; the code runs when it is free …"), 400);
  }

  /** "✓ b) 42": what its color says is in its words, too. A surprise isn't a failure, so nothing is marked as wrong. */
  function option([letter, label], { chosen, truth }) {
    const right = letter === truth, mine = letter === chosen, look = [mine && "chosen", chosen && right && "right"].filter(Boolean);
    const mark = look.includes("right") ? "✓ " : mine ? "→ " : "";
    const name = `${mark}${letter}) `, button = make("button", { type: "button", "aria-disabled": !!chosen, "aria-pressed": mine, title: chosen ? (mine ? "your prediction" : right ? "this is what came out" : "") : `I predict ${letter}): run the code and see`, click: () => choose(letter) }, name, make("bdi", {}, ...withCode(label)));
    button.classList.add(...look);
    return button;
  }

  function show() {
    const card = model.get("card"), held = [...options.children].indexOf(root.getRootNode().activeElement);
    clearTimeout(timer);
    asked = false;
    waiting.replaceChildren(...withCode(card.said || (card.chosen ? "" : "Choose what you expect. Your click runs the code.")));
    root.dataset.tone = card.tone;
    title.textContent = `Predict ${card.name}`;
    question.replaceChildren(...withCode(card.question));
    code.replaceChildren(...card.code.map(([kind, text]) => (kind ? make(`span.is-${kind.replace(".", "-")}`, {}, text) : text)));
    options.classList.toggle("outputs", card.outputs);
    options.replaceChildren(...card.options.map((one) => option(one, card)));
    if (held >= 0) options.children[held]?.focus();
    answer.hidden = !card.chosen;
    const told = card.chosen ? [make(`b.${card.tone}`, {}, ...withCode(card.verdict)), make("p.soft", {}, "What came out:"), make("pre", { tabindex: 0, "aria-label": "what came out" }, card.output), card.why && make("p", {}, ...withCode(card.why))] : [];
    answer.replaceChildren(...told.filter(Boolean));
  }

  listen("change:card", show);
  undo.push(() => clearTimeout(timer));
  show();
  return dispose;
}

export default { render };
