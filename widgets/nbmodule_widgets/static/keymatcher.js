// KeyMatcher: the keys of a model on the left, those of a state on the right, the line between them in the middle. A
// key of the state is carried to a free key of the model by dragging it, or with Enter, the arrows and Enter.

const STATUS = ["matched", "shape", "value", "missing", "unexpected", "ignored", "filled", "untold"];
const TROUBLE = [1, 2, 3, 4];
const TIES = ["M0 8H60", "M0 8H60M24 2L36 14M36 2L24 14", "M0 8H60M24 2L36 14M36 2L24 14", "M0 8H20", "M40 8H60", "M40 8H60", "M0 8H20"];

function render({ model, el }) {
  const { root, listen, send, undo, dispose } = frame(model, el, "keys of a state and of a model");
  let all, left, right, status, renamed, notes, hints = new Map(), shown = null, carried = -1, waiting = 0, drag = null;

  const title = make("bdi.title");
  const field = make("input", { type: "search", placeholder: "part of a key", "aria-label": "show only keys with", input: filter });
  const filters = make("div.groups", { role: "group", "aria-label": "which keys to show" });
  const offers = make("div.offers");
  const list = lines({ label: "keys of the model and of the state", heads: ["the model's key", make("span.unsaid", {}, "tie"), "the state's key", "result"], row, pick, act, folds: 560 });
  const pane = make("div.said");
  const answer = make("div.answer", { role: "status", "aria-live": "polite" });
  const loads = make("div.loads");
  const rest = make("div.rest");
  root.append(make("div.head", {}, title, field), filters, offers, list.node, answer, pane, loads, rest);

  /** Room for each column as its words need; once, so that no column moves while keys are tied. */
  let fitted = false;
  function fitColumns() {
    const most = (words) => Math.max(12, Math.min(48, status.reduce((longest, kind, i) => Math.max(longest, words(kind, i).length), 0)));
    const sides = [left, right].map((it) => most((_, i) => (it.there[i] ? `${it.names[i]} ${text(it.words, i)}` : "")));
    const result = most((kind, i) => `${all.statuses[kind][0]} ${text(notes, i)}`);
    root.style.setProperty("--grid", `minmax(0, ${sides[0]}fr) 48px minmax(0, ${sides[1] + 4}fr) minmax(100px, ${0.85 * result}fr)`);
    fitted = true;
  }

  const text = ({ texts, which }, i) => texts[which[i]];
  const side = (it) => ({ names: decodedNames(it.names), there: numbers(it.there), words: { texts: it.words.texts, which: numbers(it.words.which) } });
  const fitsHere = (item) => left.there[item] && !right.there[item];
  const key = (it, i, title) => make("span.key", {}, make("bdi", { title: it.names[i] }, it.names[i]), " ", make("span.soft.mono", {}, text(it.words, i)), title ?? "");

  function row(item) {
    const kind = status[item], hint = hints.get(item), wrong = TROUBLE.includes(kind);
    const words = all.statuses[kind][0], note = text(notes, item);
    const ghost = kind === 3 && hint ? make("span.ghost", { title: `perhaps: ${hint.reason}` }, "? ", make("bdi", {}, right.names[hint.from])) : make("span.soft", {}, kind === 3 ? "–" : "");
    const handle = right.there[item] ? make("span.handle", { title: "drag it to a free key of the model", "aria-hidden": "true" }, "⠿") : "";
    const stands = left.there[item] ? key(left, item) : make("span.soft", {}, "–");
    const here = right.there[item] ? make("span.key", {}, handle, key(right, item)) : ghost;
    const tie = draw("svg", { viewBox: "0 0 60 16", class: `tie tie-${STATUS[kind]}`, "aria-hidden": "true" }, draw("path", { d: TIES[kind] }));
    const open = carried >= 0 && fitsHere(item) ? " open" : "";
    return {
      cells: [stands, tie, here, make("span", { title: note }, renamed[item] ? make("span.chip", {}, "renamed") : "", make(wrong ? "span.problem" : kind ? "span.soft" : "span.fine", {}, `${wrong ? "✗" : kind ? "·" : "✓"} ${words}`), note ? make("span.soft", {}, `: ${plain(note)}`) : "")],
      label: [left.there[item] ? `model: ${left.names[item]} ${text(left.words, item)}` : "", right.there[item] ? `state: ${right.names[item]} ${text(right.words, item)}${renamed[item] ? ", renamed" : ""}` : "", words, plain(note)].filter(Boolean).join("; "),
      kind: `is-${STATUS[kind]}${item === carried ? " carried" : ""}${open}`,
    };
  }

  const plain = (sentence) => sentence.replaceAll("`", "");
  const button = (words, click, more = {}) => make("button", { type: "button", click, ...more }, ...(Array.isArray(words) ? words : [words]));

  function pick(item) {
    const hint = hints.get(item), kind = status[item];
    const acts = [];
    if (carried >= 0) acts.push(button("let go (Esc)", letGo), fitsHere(item) ? button("tie it here (Enter)", () => act(item), { class: "go" }) : null);
    else {
      if (hint && kind === 3) acts.push(button(["use ", make("bdi", {}, right.names[hint.from])], () => ask({ kind: "accept", row: hint.from }), { class: "go" }));
      if (right.there[item]) acts.push(button("pick up (Enter)", () => act(item)));
      if (renamed[item]) acts.push(button("take the renaming back", () => ask({ kind: "undo", row: item })));
    }
    const note = text(notes, item);
    pane.replaceChildren(
      make("div.pair", {}, left.there[item] ? key(left, item) : make("span.soft", {}, "no key of the model"), make("span.soft", {}, " ⟷ "), right.there[item] ? key(right, item) : make("span.soft", {}, "nothing in the state")),
      make("div", {}, all.statuses[kind][0], note ? ": " : ".", ...withCode(note), hint && kind === 3 ? make("span.soft", {}, " Perhaps ", make("bdi.mono", {}, right.names[hint.from]), ", ", ...withCode(hint.reason), hint.fits ? "." : "; but the shape differs.") : ""),
      make("div.acts", {}, ...acts),
    );
  }

  /** Enter: takes up a key of the state, or ties the one that is carried. */
  function act(item) {
    if (carried >= 0 && fitsHere(item)) return tie(carried, item);
    if (!right.there[item]) return carried >= 0 ? undefined : tell("There is no key of the state here to pick up.");
    carried = item;
    filter();
    const free = items().filter(fitsHere), words = text(right.words, item);
    const best = free.find((each) => hints.get(each)?.from === item) ?? free.find((each) => text(left.words, each) === words) ?? free[0];
    if (best === undefined) {
      carried = -1;
      filter();
      return tell("No key of the model is free.");
    }
    list.go(best);
    list.node.focus();
    tell(`Carrying ${right.names[item]}: the arrows choose a free key of the model, Enter ties it, Esc lets go.`);
  }

  function letGo() {
    if (carried < 0) return;
    const item = carried;
    carried = -1;
    filter();
    list.go(item);
    list.node.focus();
    tell("Let go.");
  }

  function tie(from, to) {
    carried = -1;
    ask({ kind: "rename", row: from, to });
    filter();
    list.go(to);
    list.node.focus();
  }

  function ask(message) {
    clearTimeout(waiting);
    if (!send(message)) return tell(GONE);
    waiting = setTimeout(() => tell(BUSY), 400);
  }

  function tell(words) {
    answer.replaceChildren(...withCode(words));
  }

  // ------------------------------------------------------------------ dragging

  const hears = Object.entries({ pointermove: dragged, pointerup: dropped, pointercancel: dropped });
  function startDrag(event) {
    const item = Number(event.target.closest?.("[data-item]")?.dataset.item ?? NaN);
    if (event.button || !event.target.closest?.(".handle") || !(item >= 0)) return;
    event.preventDefault();
    carried = item;
    list.redraw();
    const box = root.getBoundingClientRect();
    const line = draw("svg", { class: "string", width: box.width, height: box.height, "aria-hidden": "true" }, draw("path", {}));
    root.append(line);
    drag = { line, box, x: event.clientX - box.left, y: event.clientY - box.top, over: -1 };
    for (const [kind, handler] of hears) window.addEventListener(kind, handler);
  }

  function dragged(event) {
    const x = event.clientX - drag.box.left, y = event.clientY - drag.box.top, half = (drag.x + x) / 2;
    drag.line.firstChild.setAttribute("d", `M${drag.x} ${drag.y}C${half} ${drag.y} ${half} ${y} ${x} ${y}`);
    const scroll = root.querySelector(".scroll"), edges = scroll.getBoundingClientRect();
    if (event.clientY < edges.top + 14) scroll.scrollTop -= LINE;
    if (event.clientY > edges.bottom - 14) scroll.scrollTop += LINE;
    const under = root.getRootNode().elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-item]");
    root.querySelector(".over")?.classList.remove("over");
    drag.over = under && fitsHere(Number(under.dataset.item)) ? Number(under.dataset.item) : -1;
    if (drag.over >= 0) under.classList.add("over");
  }

  function dropped(event) {
    const { over, line } = drag;
    endDrag();
    line.remove();
    const from = carried;
    if (over >= 0 && event.type === "pointerup") return tie(from, over);
    carried = -1;
    list.redraw();
  }

  function endDrag() {
    drag = null;
    for (const [kind, handler] of hears) window.removeEventListener(kind, handler);
  }
  undo.push(endDrag, list.stop, () => clearTimeout(waiting));

  list.node.addEventListener("pointerdown", startDrag);
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || carried < 0) return;
    event.preventDefault();
    event.stopPropagation();
    letGo();
  });

  // ------------------------------------------------------------------ what is shown

  function items() {
    const part = field.value.trim().toLowerCase(), found = [];
    for (let i = 0; i < status.length; i++) {
      const fits = carried >= 0 && !drag ? fitsHere(i) || i === carried : shown === null || (shown === "problems" ? TROUBLE.includes(status[i]) : status[i] === shown);
      if (fits && (!part || left.names[i].toLowerCase().includes(part) || right.names[i].toLowerCase().includes(part))) found.push(i);
    }
    return found;
  }

  function filter() {
    for (const each of filters.children) each.setAttribute("aria-pressed", String(chooses.get(each) === shown));
    const found = items();
    list.show(found);
    if (list.at() < 0) pane.replaceChildren(make("span.soft", {}, found.length ? "Choose a row. A key of the state is picked up with Enter, or dragged by its handle ⠿, and tied to a free key of the model." : "No such key."));
  }

  const chooses = new WeakMap(); // what a button shows, by the button
  function showFilters() {
    const wrong = all.statuses.reduce((sum, [, number], i) => sum + (TROUBLE.includes(i) ? number : 0), 0);
    const one = (which, words, number, tone) => {
      const made = button([make(`b.${tone}`, {}, words), make("span.soft", {}, ` ${number.toLocaleString("en")}`)], () => {
        shown = shown === which ? null : which;
        filter();
      });
      chooses.set(made, which);
      return made;
    };
    const each = all.statuses.map(([words, number], i) => (number ? one(i, words, number, TROUBLE.includes(i) ? "problem" : i ? "soft" : "fine") : null));
    filters.replaceChildren(one(null, "all", status.length, "plain"), one("problems", "only problems", wrong, wrong ? "problem" : "plain"), ...each.filter(Boolean));
  }

  /** A button that copies a text, and what came of it. */
  function copying(words) {
    const copied = make("span.soft", { role: "status" });
    return [button("copy", () => navigator.clipboard?.writeText(words).then(() => (copied.textContent = " copied"), () => (copied.textContent = " the browser does not allow it: select the text"))), copied];
  }

  function showRest() {
    const many = [...numbers(all.fits)].filter(Boolean).length, changed = renamed.some(Boolean);
    const hint = all.hints.map((each) => make("div", {}, "! ", ...withCode(each)));
    offers.replaceChildren(...hint, make("div.acts", {}, many ? button(`accept ${many.toLocaleString("en")} ${many === 1 ? "suggestion" : "suggestions"}`, () => ask({ kind: "accept" }), { class: "go" }) : null, changed ? button("take all renamings back", () => ask({ kind: "undo" })) : null));
    offers.hidden = !hint.length && !many && !changed;
    const box = (words, tone) => make(`div.load.${tone}`, {}, make("b", {}, { bad: "✗ ", partly: "! ", good: "✓ " }[tone]), ...withCode(words));
    const errors = all.errors.length ? make("details", {}, make("summary", {}, "the error as it would be raised"), make("pre", { tabindex: 0 }, `RuntimeError: ${all.errors.join("\n\t")}`)) : null;
    loads.replaceChildren(box(all.strict, all.errors.length ? "bad" : "good"), box(all.lenient, all.lenientFails ? "bad" : all.errors.length ? "partly" : "good"));
    const code = (words, python, open) => (python ? make("details", { open: open ? "" : null }, make("summary", {}, ...withCode(words)), make("pre", { tabindex: 0 }, python), ...copying(python)) : null);
    const renaming = code("the renaming as Python", all.code, true), remedy = code(...all.remedy, true);
    const leftOut = all.leftOutCount ? make("details", {}, make("summary", {}, `${all.leftOutCount} of the model without a key`), make("ul", {}, ...all.leftOut.map(([name, why]) => make("li", {}, make("bdi.mono", {}, name), ": ", ...withCode(why))))) : null;
    rest.replaceChildren(...all.remarks.map((each) => (each.startsWith("The class has ") ? make("div.soft", {}, ...withCode(each)) : make("div.problem", {}, "! ", ...withCode(each)))), ...[errors, renaming, remedy, leftOut].filter(Boolean));
  }

  function show() {
    const at = list.at();
    all = model.get("matched");
    left = side(all.model);
    right = side(all.state);
    right.there.forEach((there, i) => there === 2 && (right.names[i] = left.names[i])); // the same key is not sent twice
    status = numbers(all.status);
    renamed = [...numbers(all.renamed)];
    notes = { texts: all.notes.texts, which: numbers(all.notes.which) };
    const reasons = { texts: all.reasons.texts, which: numbers(all.reasons.which) }, fits = numbers(all.fits), from = numbers(all.from);
    hints = new Map([...numbers(all.to)].map((to, i) => [to, { from: from[i], fits: fits[i], reason: text(reasons, i) }]));
    title.textContent = title.title = all.label;
    carried = -1;
    list.tall(status.length);
    if (!fitted) fitColumns();
    showFilters();
    showRest();
    filter();
    if (at >= 0 && items().includes(at)) list.go(at);
  }

  const onAnswer = () => {
    clearTimeout(waiting);
    const [number, words] = model.get("answer");
    if (number) tell(words);
  };
  listen("change:matched", show);
  listen("change:answer", onAnswer);
  show();
  tell("");
  return dispose;
}

export default { render };
