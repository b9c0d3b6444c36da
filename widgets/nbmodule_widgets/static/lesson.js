// What the views of the chapters share: a line of input that Python answers, and the reader's own code with the lines that ran.

/**
 * A labelled field with a button; what is typed goes to Python.
 * @param {object} options
 * @param {string} options.label  says what to type
 * @param {string} options.button  the word on the button
 * @param {string} options.hint  an example
 * @param {(text: string) => boolean} options.send  false if nobody is there to answer
 * @returns {{node: HTMLElement, field: HTMLInputElement, said: HTMLElement, answered: () => void, dispose: () => void}}
 */
function asking({ label, button, hint, send }) {
  const past = [];
  let recalled = 0, waiting = 0;
  const field = make("input", { id: "asked", type: "text", placeholder: hint, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const said = make("span.soft", { role: "status" });
  const node = make("form.asking", {}, make("label", { for: "asked" }, label), field, make("button", { type: "submit" }, button), said);
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    if (past.at(-1) !== text) past.push(text);
    recalled = past.length;
    answered();
    if (send(text)) waiting = setTimeout(() => (said.textContent = BUSY), 400);
  });
  field.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || !past.length || field.list) return; // a field with suggestions uses these keys for them
    event.preventDefault();
    recalled = Math.max(0, Math.min(past.length, recalled + step));
    field.value = past[recalled] ?? "";
  });
  function answered() {
    clearTimeout(waiting);
    said.textContent = "";
  }
  return { node, field, said, answered, dispose: () => clearTimeout(waiting) };
}

/** Fills a list with the lines of a function; those that ran are marked. */
function listSource(node, whose, source) {
  node.hidden = !source.length;
  node.replaceChildren(
    make("div.soft", {}, make("bdi.mono", {}, whose), ": the lines with ▸ ran"),
    make(
      "ol.source",
      { "aria-label": `lines of ${whose}` },
      ...source.map(([text, ran]) => make(ran ? "li.ran" : "li", {}, make("span.arrow", {}, ran ? "▸" : ""), make("bdi.code", {}, text), ran > 1 ? make("span.chip", {}, `${ran}×`) : null)),
    ),
  );
}

/** Fills a list with remarks; calm ones are no warnings. */
function listNotes(node, notes, calm = false) {
  node.hidden = !notes.length;
  node.classList.toggle("calm", calm);
  node.replaceChildren(...notes.map((note) => make("li", {}, calm ? null : make("span.problem", { "aria-hidden": "true" }, "! "), ...withCode(note))));
}
