// Anatomy: the drawers of one Module. What the page knows is in two traits: `state`, what lies where, and
// `landing`, what the last line did. A line that the reader types goes to Python as a message, never as state,
// so that nothing stored in a notebook can run.

const PLACE_OF_PLAIN = "__dict__";

function render({ model, el }) {
  const { root, listen, send, dispose } = frame(model, el, "anatomy of a Module");
  const past = [];
  let recalled = 0;
  let waiting = 0;

  const title = make("bdi.title");
  const subtitle = make("span.soft");
  const field = make("input", { id: "line", type: "text", placeholder: "self.w = 5", autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  const go = make("button.go", { type: "submit" }, "Try it");
  const back = make("button", { type: "button", title: "throw the copy away and show the original" }, "Reset");
  const form = make("form.try", {}, make("label", { for: "line" }, "Try a line"), field, go, back);
  const said = make("div.said", { role: "status", "aria-live": "polite" });
  const drawers = make("div.drawers");
  const rest = make("div.rest");
  root.append(make("div.head", {}, title, subtitle), form, said, drawers, rest);

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const line = field.value.trim();
    if (!line) return;
    past.push(line);
    recalled = past.length;
    clearTimeout(waiting);
    if (send({ kind: "try", line })) waiting = setTimeout(() => tell("soft", BUSY), 400);
  });
  back.addEventListener("click", () => {
    send({ kind: "reset" });
    field.focus(); // the button is about to be switched off
  });
  field.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step || !past.length) return;
    event.preventDefault();
    recalled = Math.max(0, Math.min(past.length, recalled + step));
    field.value = past[recalled] ?? "";
  });

  function tell(kind, ...content) {
    said.className = `said ${kind}`;
    said.replaceChildren(...content);
  }

  function showLanding() {
    clearTimeout(waiting);
    const landing = model.get("landing");
    if (!landing?.line) {
      tell("", make("span.soft", {}, "The line runs on a copy, with your notebook's names and self for this Module. The original does not change."));
      return;
    }
    const error = landing.error ? make("span.error", {}, landing.error) : null;
    const line = make("code.line", {}, `>>> ${landing.line}`);
    tell(error ? "failed" : landing.name ? "landed" : "", line, ...withCode(landing.sentence), ...(error ? [error] : []));
    if (!error && field.value.trim() === landing.line) field.value = "";
  }

  function show() {
    const state = model.get("state");
    const moves = model.get("landing")?.moves ?? [];
    title.textContent = title.title = state.label;
    subtitle.textContent = state.copy ? "a copy, changed by your lines" : "what lies in its __dict__";
    back.disabled = !state.copy;
    drawers.replaceChildren(...state.drawers.map((slot) => drawer(slot, moves, state.untouched)));
    const fold = rest.querySelector("details")?.open;
    rest.replaceChildren(plain(state, moves), others(state, moves, fold));
    for (const item of root.querySelectorAll("li.lit")) item.parentElement.scrollTop = item.offsetTop - item.parentElement.offsetTop - 40;
  }

  const onLanding = () => {
    show();
    showLanding();
  };
  listen("change:state", show);
  listen("change:landing", onLanding);
  onLanding();
  return () => {
    clearTimeout(waiting);
    dispose();
  };
}

function drawer(slot, moves, untouched) {
  const missing = slot.present ? "" : ".missing";
  const note = slot.summary;
  const hint = untouched ? make("p", {}, "Was ", make("code", {}, "super().__init__()"), " called?") : null;
  return make(
    `div.drawer.ink-${slot.name}${missing}`,
    { role: "group", "aria-label": `${slot.name}: ${note}` },
    make("h4", {}, slot.name, make("span.chip", {}, note)),
    make("p", {}, slot.meaning),
    hint,
    slot.problem ? make("div.problem", {}, ...withCode(`! ${slot.problem}`)) : null,
    entries(slot.entries, slot.count, slot.name, moves),
  );
}

function plain(state, moves) {
  const note = state.plainCount ? `${state.plainCount} ${state.plainCount === 1 ? "entry" : "entries"}` : "none";
  return make(
    "div.drawer.plain.ink-plain",
    { role: "group", "aria-label": `plain attributes: ${note}` },
    make("h4", {}, "plain attributes", make("span.chip", {}, note)),
    make("p", {}, state.plainNote),
    entries(state.plain, state.plainCount, PLACE_OF_PLAIN, moves),
  );
}

/** The switch, the set of unsaved buffers, and the hook drawers, folded together. */
function others(state, moves, open) {
  const lines = state.switches.map((slot) => {
    const lamp = slot.name === "training" && slot.present ? ({ True: "● ", False: "○ " })[slot.summary] ?? "" : "";
    return oneLine(slot, lamp + slot.summary, moves);
  });
  const hooks = state.hooks.map((slot) => oneLine(slot, slot.summary, moves));
  const busy = state.hooks.some((slot) => moves.some((move) => move.after === slot.name));
  const fold = make("details", { open: open || busy ? "" : null }, make("summary", {}, state.hooksSummary), ...hooks);
  return make("div.drawer.ink-plain", { role: "group", "aria-label": "switch and hooks" }, make("h4", {}, "switch and hooks"), ...lines, fold);
}

function oneLine(slot, value, moves) {
  const lit = moves.some((move) => move.name === slot.name && move.after);
  const item = make(
    lit ? "li.lit" : "li",
    { title: slot.meaning || null },
    make("b", {}, slot.name),
    make("span.sum", {}, ` ${value}`),
    slot.problem ? make("span.problem", {}, ...withCode(`! ${slot.problem}`)) : null,
  );
  const inside = entries(slot.entries, slot.count, slot.name, moves);
  return make("ul", {}, item, inside.childElementCount ? make("li.inner", {}, inside) : null);
}

/** The entries of a place; what has just come is lit, what has just left is struck out. */
function entries(list, count, place, moves) {
  const here = new Map(moves.filter((move) => move.after === place).map((move) => [move.name, move]));
  const left = moves.filter((move) => move.before === place && move.after !== place);
  const items = list.map((entry) => {
    const move = here.get(entry.name);
    const news = move ? make("span.chip", {}, move.before === place ? "replaced" : "just landed") : null;
    return make(
      move ? "li.lit" : "li",
      {},
      make("bdi", {}, make("b", {}, entry.name)), " ", make("bdi", {}, make("span.sum", {}, entry.summary)),
      news,
      entry.note ? make("span.problem", {}, ...withCode(`! ${entry.note}`)) : null,
    );
  });
  for (const move of left) items.push(make("li.gone", {}, make("bdi", {}, make("b", {}, move.name)), make("span.chip", {}, move.after ? `left for ${move.after}` : "removed")));
  if (count > list.length) items.push(make("li.soft", {}, `… ${(count - list.length).toLocaleString("en")} more`));
  return make("ul", { tabindex: items.length > 15 ? 0 : null }, ...items); // long ones scroll, by keyboard too
}

export default { render };
