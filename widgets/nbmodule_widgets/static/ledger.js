// ParameterLedger: every tensor of a model in a row; learned, remembered, neither; moved or left behind. All of it is
// in the trait `ledger`: a pattern says what a row is, and rows share patterns.

const GROUPS = ["learned", "remembered", "neither"];
const GROUP_MEANING = {
  learned: "in parameters() and requires a gradient",
  remembered: "in state_dict(), but not learned",
  neither: "not saved and not learned",
};

function render({ model, el }) {
  const { root, listen, undo, dispose } = frame(model, el, "ledger of a model's tensors");
  let rows, group = "", names = [], pattern = [], twin = [], ties = new Set();

  const title = make("bdi.title");
  const field = make("input", { type: "search", placeholder: "part of a name", "aria-label": "show only names with", input: filter });
  const bar = make("div.share", { role: "img" }), memory = make("div.memory");
  const buttons = GROUPS.map((each) => make(`button.group.${each}`, { type: "button", "aria-pressed": false, title: GROUP_MEANING[each], click: () => toggle(each) }));
  const shared = make("button.group", { type: "button", "aria-pressed": false, title: "the same object in more than one place", click: () => toggle("shared") });
  const about = make("span"); // what stands beside the name
  const list = lines({ label: "tensors of the model", heads: ["name", about, "where it is", "learned", "saved", make("span", { title: "whether .to() would move it, and what .double() would cast it to" }, "by .double()"), "gradient"], row, pick, folds: 640 });
  const said = make("div.said", { role: "status", "aria-live": "polite" });
  const trial = make("div.trial.soft"), notes = make("ul.notes");
  root.append(make("div.head", {}, title, field), memory, bar, make("div.groups", { role: "group", "aria-label": "which tensors to show" }, ...buttons, shared), list.node, said, trial, notes);

  undo.push(list.stop);

  const of = (item) => rows.patterns[pattern[item]];
  const yes = (on, words, tone) => (on ? make(`span.yes.${tone}`, {}, `✓ ${words}`) : make("span.soft", {}, "–"));

  /** The mark of a dtype and a device: the hue says how many bytes a number has, the pattern where it is. */
  function key(place, tag = "span.key") {
    const [, , width, device] = rows.memory.flatMap((each) => each.shares).find(([name]) => name === place) ?? ["", "", 4, "cpu"];
    const kind = { "": "here", cpu: "here", meta: "nowhere" }[device] ?? "elsewhere";
    const whole = /^(u?int|bool)/.test(place) ? ".whole" : ""; // as wide as some floating point numbers, and other numbers
    return make(`${tag}.${kind}${whole}`, { "aria-hidden": true, style: `--wide:${{ 1: 0, 2: 33, 4: 66 }[width] ?? 100}%` });
  }

  function showMemory() {
    memory.hidden = !rows.memory;
    root.classList.toggle("with-memory", Boolean(rows.memory));
    about.textContent = rows.memory ? "dtype, device, shape" : "shape, dtype";
    memory.replaceChildren(...(rows.memory ?? []).map(({ title, shares }) => make("div", {}, make("b", {}, title),
      make("div.share", { role: "img", "aria-label": shares.map(([place, words]) => `${place}: ${words}`).join(", ") },
        ...shares.map(([place, words, , , part]) => {
          const node = key(place, "span.part");
          node.style.flex = `0 0 ${Math.max(1, 98 * part)}%`;
          node.title = `${place}: ${words}`;
          return node;
        })),
      make("div.places", {}, ...shares.map(([place, words]) => make("span", {}, key(place), `${place} `, make("span.soft", {}, words)))))));
  }

  function row(item) {
    const it = of(item), odd = it.moved.startsWith("left");
    const name = make("bdi", { title: names[item] }, names[item]);
    const link = twin[item] ? make("span.soft", { title: "an object that counts in another row" }, " ⇄") : null;
    return {
      cells: [
        make("span", {}, odd ? make("span.problem", { title: "neither learned nor saved nor moved" }, "✗ ") : null, name, link),
        make("span.mono.soft", {}, it.at ? key(it.at) : null, it.words),
        make(`span.chip.at-${it.kind}`, {}, it.place),
        yes(it.learned, "learned", "parameter"),
        yes(it.remembered, "saved", "buffer"),
        it.moved.startsWith("left") ? make("span.problem", {}, `✗ ${it.moved}`) : make("span", {}, it.moved),
        make("span.soft", {}, it.gradient || "–"),
      ],
      label: `${names[item]}: ${it.words}, ${it.place}, ${it.learned ? "" : "not "}learned, ${it.remembered ? "" : "not "}saved, ${it.moved}${it.tried ? ", not as the rules say" : ""}`,
      kind: it.tried ? "tried" : it.empty ? "kept" : "",
    };
  }

  function pick(item) {
    const it = of(item);
    const first = twin[item] - 1;
    said.replaceChildren(
      make("div", {}, make("b.mono", {}, make("bdi", {}, names[item])), " ", make("span.soft", {}, [it.owner ? `in ${it.owner}` : "", it.words].filter(Boolean).join(": "))),
      make("div", {}, ...withCode(it.verdict)),
      it.tried ? make("div.problem", {}, ...withCode(`! On a copy: ${it.tried}.`)) : "",
      first >= 0 ? make("button.link", { type: "button", click: () => jump(first) }, "⇄ go to ", make("bdi", {}, names[first])) : "",
    );
  }

  function jump(item) {
    toggle("");
    list.go(item);
    list.node.focus();
  }

  function toggle(which) {
    group = group === which ? "" : which;
    if (!which) field.value = "";
    filter();
  }

  function filter() {
    const part = field.value.trim().toLowerCase();
    const shown = [];
    for (let i = 0; i < names.length; i++) {
      const fits = !group || (group === "shared" ? ties.has(i) : of(i).group === group && !of(i).empty);
      if (fits && (!part || names[i].toLowerCase().includes(part))) shown.push(i);
    }
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(group === GROUPS[i])));
    shared.setAttribute("aria-pressed", String(group === "shared"));
    list.show(shown);
    if (list.at() < 0) said.replaceChildren(make("span.soft", {}, shown.length ? "Choose a row: what the Module knows of it is said here." : "No tensor here."));
  }

  function show() {
    rows = model.get("ledger");
    names = decodedNames(rows.names);
    pattern = numbers(rows.pattern);
    twin = [...numbers(rows.twin)];
    showMemory();
    title.textContent = title.title = rows.label;
    const all = GROUPS.reduce((sum, each) => sum + rows.totals[each][1], 0);
    bar.setAttribute("aria-label", rows.summary);
    bar.replaceChildren(...GROUPS.filter((each) => rows.totals[each][0]).map((each) => make(`span.part.${each}`, { style: `flex:${Math.max(0.02, rows.totals[each][1] / (all || 1))}`, title: `${each}: ${rows.totals[each][2]}` })));
    GROUPS.forEach((each, i) => {
      const [tensors, , words] = rows.totals[each];
      buttons[i].replaceChildren(make("span.key", { "aria-hidden": true }), make("b", {}, each), make("span.soft", {}, ` ${tensors.toLocaleString("en")} · ${words}`));
    });
    ties = new Set(twin.flatMap((first, i) => (first ? [first - 1, i] : []))); // the rows of objects in several places
    shared.textContent = `⇄ shared ${ties.size.toLocaleString("en")}`;
    shared.hidden = !ties.size;
    trial.replaceChildren(...withCode(rows.trial));
    notes.replaceChildren(...rows.notes.map((note) => {
      const later = note.startsWith("There is no `"); // a method that the class does not have yet is not a fault
      return make(later ? "li.soft" : "li.problem", {}, ...withCode(later ? note : `! ${note}`));
    }));
    const kept = list.at();
    list.tall(names.length);
    filter();
    if (kept >= 0 && kept < names.length) list.go(kept);
  }

  listen("change:ledger", show);
  show();
  return dispose;
}

export default { render };
