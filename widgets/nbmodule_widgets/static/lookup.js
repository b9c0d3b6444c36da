// AttributeLookup: the places where Python looks for a name, one below the other, and the search going down.
// All of it is in the trait `ladder`; another name is looked for in Python.

function render({ model, el }) {
  const { root, listen, send, undo, dispose } = frame(model, el, "where Python looks for an attribute");
  const title = make("bdi.title");
  const names = make("datalist", { id: "names" });
  const ask = asking({ label: "Look for", button: "Look", hint: "a name", send: (name) => send({ kind: "look", name }) });
  ask.field.setAttribute("list", "names");
  const steps = make("ol.ladder", { "aria-label": "the lookup ladder" });
  const verdict = make("div.verdict", { role: "status" });
  const asks = make("dl.asks");
  const tried = make("div.tried.soft");
  const near = make("div.near");
  const notes = make("ul.notes", { "aria-label": "remarks" });
  const listing = make("div.listing");
  const after = make("div.after", {}, verdict, near, asks, tried, notes, listing);
  const transport = player(root, { label: "steps of the search", name, move });
  undo.push(transport.dispose, ask.dispose);
  root.append(make("div.head", {}, title, make("span.soft", {}, "where Python looks for a name")), ask.node, names, transport.node, steps, after);
  let ladder, rungs = [], shown = "";

  function name(at) {
    const [rung, says] = ladder.moments[at];
    return `${ladder.rungs[rung].title}: ${says}`.replaceAll("`", "");
  }

  /** Lights the rung that the search has come to; what it has not reached yet waits. */
  function move(at) {
    const last = at === ladder.moments.length - 1;
    const told = new Map(ladder.moments.map(([rung], place) => [rung, place])); // a rung may be visited twice: it answers at last
    rungs.forEach((node, rung) => {
      const now = ladder.moments[at][0] === rung;
      const known = last || told.get(rung) <= at;
      node.classList.toggle("now", now);
      node.classList.toggle("known", known);
      if (now) node.setAttribute("aria-current", "step");
      else node.removeAttribute("aria-current");
    });
    after.classList.toggle("known", last);
  }

  function show() {
    ask.answered();
    const before = ladder;
    ladder = model.get("ladder");
    title.textContent = title.title = `${ladder.label}.${ladder.name}`;
    if (ladder.name !== shown) ask.field.value = shown = ladder.name;
    names.replaceChildren(...ladder.names.map((value) => make("option", { value })));
    rungs = ladder.rungs.map(rung);
    steps.replaceChildren(...rungs);
    verdict.className = ladder.failed ? "verdict failed" : "verdict";
    verdict.replaceChildren(make("span", { "aria-hidden": "true" }, ladder.failed ? "✗ " : "● "), ...withCode(ladder.verdict));
    asks.replaceChildren(...ladder.asks.map(([what, says]) => make("div", {}, make("dt", {}, make("bdi.mono", {}, what)), make("dd", {}, says))));
    tried.textContent = ladder.tried;
    tried.classList.toggle("problem", ladder.doubt);
    near.hidden = !ladder.near.length;
    near.replaceChildren("Did you mean ", ...ladder.near.map((each) => make("button", { type: "button", click: () => send({ kind: "look", name: each }) }, make("bdi.mono", {}, each))), "?");
    listNotes(notes, ladder.notes);
    listSource(listing, ladder.sourceOf, ladder.source);
    const kept = before && before.name === ladder.name && before.moments.length === ladder.moments.length;
    const ended = before && transport.at() === before.moments.length - 1; // who looks at the ends of searches goes on so
    transport.reset(ladder.moments.length, kept ? transport.at() : ended ? ladder.moments.length - 1 : 0);
  }

  function rung({ step, title: what, where, state, mark, says }) {
    return make(
      `li.rung.is-${state}${step.length > 1 ? ".deep" : ""}`,
      {},
      make("span.step", {}, step),
      make("span.place", {}, make("b", {}, what), make("bdi.soft", { title: where }, where)),
      make("span.chip.mark", {}, mark),
      make("span.says", {}, ...withCode(says)),
    );
  }

  listen("change:ladder", show);
  show();
  return dispose;
}

export default { render };
