// The parts of the tree view that stay, and what is drawn into them.

/** The parts that stay; names for those that change. */
function skeleton() {
  const title = make("bdi.title"), totals = make("span.totals");
  const search = make("input", { type: "search", placeholder: "search name or class", "aria-label": "search name or class" });
  const which = make("select", { "aria-label": "which rows to show" });
  const depth = make("span.depth", { role: "group", "aria-label": "unfold to depth" });
  const [tensors, ledger, values] = ["", null, ""].map((checked) => make("input", { type: "checkbox", checked }));
  const tick = (box, text, title) => make("label.check", { title }, box, text);
  const found = make("span.found.soft", { role: "status" });
  const story = make("span.story", { role: "status" }), steps = make("span.steps"), changes = make("div.changes", { hidden: "" }, story, steps);
  const metric = make("select", { "aria-label": "what the colors show" });
  const columns = make(
    "div.columns", {}, make("span", {}, "name"), make("span.what", {}, "what it is"),
    make("span.right", { title: "here and below, shared ones once; (n) is in a buffer" }, "parameters"),
    make("span.right.memory", { title: "of parameters and buffers" }, "memory"), make("span.state", {}, "state"), make("span.metric-head", {}, metric),
    ...RULES.map(([name, title]) => make("span.rule", { title }, name)),
  );
  const space = make("div"), list = make("div.rows", { role: "tree", tabindex: "0", "aria-label": "modules, parameters and buffers" }, space);
  const inside = make("div.inside", { "aria-live": "polite", tabindex: "0" });
  const legend = make("span.legend");
  const keys = ["module", "parameter", "buffer"].map((kind) => make("span", {}, badge(kind), kind));
  const tabs = make("div.depth.tabs", { role: "tablist", "aria-label": "what is shown" }, ...[["tree", "Tree"], ["layers", "Layers"]].map(([tab, name]) => button(name, () => {}, { role: "tab", "data-tab": tab })));
  const again = button("The model has changed since its pass: run it again", () => {}, { class: "again", hidden: "" }), layers = make("div.layers", { hidden: "" });
  const all = [
    make("div.head", {}, title, totals),
    make("div.tools", {}, tabs, again, search, which, depth, tick(tensors, "tensors", "rows of parameters and buffers"), tick(ledger, "learned, saved, moved", "what becomes of each tensor, by the rules of a Module"), tick(values, "values", "values, histogram and gradient of the selected tensor, below"), found),
    changes,
    make("div.body", {}, make("div.table", {}, columns, list), make("aside.pane", { "aria-label": "details of the selected row" }, inside)),
    layers,
    make("div.foot", {}, ...keys, make("span", {}, "⇄ shared"), make("span", {}, "❄ frozen"), legend),
  ];
  const below = make("div.below", { hidden: "" });
  return { all, tabs, again, layers, below, ledger, values, title, totals, search, which, depth, tensors, found, changes, story, steps, metric, space, list, inside, legend };
}

/** Something to look at that a screen reader leaves out. */
const mute = (tag, ...children) => make(tag, { "aria-hidden": "true" }, ...children);
const words = (number) => number.toLocaleString("en");
const button = (text, action, more = {}) => make("button", { type: "button", click: action, ...more }, text);

/** Buffers hold numbers that are no parameters: in brackets, since they are not in the sums above them. */
function drawCount({ count, each, times }, kind) {
  if (times) return make("span.count.each", { title: each ? `each of the ${words(times)} has ${words(each)}` : "" }, each ? `${words(each)} each` : "–");
  const said = count ? words(count) : "–";
  return kind === "buffer" ? make("span.count.aside", {}, `(${said})`) : make("span.count", {}, said);
}

const RULES = [["learned", "in parameters(), and requires a gradient"], ["saved", "in state_dict()"], ["moved, cast", "by .to() and .double()"]];

/** What becomes of a tensor, in the columns of RULES; nothing for a Module. */
const drawRules = ({ rules = ["", "", ""] }) => rules.map((said, i) => make(`span.rule${/^(frozen|not|left)|stays/.test(said) ? ".strong" : ""}`, { title: said && RULES[i][1] }, said));

const badge = (kind) => mute(`span.badge.${kind}`, { module: "M", parameter: "P", buffer: "B", note: "!" }[kind]);

/** What stands in the column "what it is". */
function drawWhat(facts, change) {
  const what = make("span.what", { title: `${facts.class ?? ""}${facts.extra}` });
  const chip = (words, title, kind = "") => what.append(make(`span.chip${kind}`, { title }, words));
  if (facts.class) what.append(make("span.class", {}, facts.class));
  if (facts.extra) what.append(make("bdi", {}, facts.extra));
  if (facts.device) what.append(make("span.device", {}, facts.device));
  if (change) chip(`Δ ${change}`, `just changed: ${change}`, ".delta");
  if (facts.lazy) chip("lazy", "no numbers yet: the first forward() makes them");
  if (facts.hooks) chip(facts.times ? `${facts.hooks} each` : facts.hooks, hookWords(facts));
  if (facts.times && facts.notes) chip(`! ${words(facts.notes)} notes inside`, "unfold it to read them", ".problem");
  if (facts.twin) what.append(make("button.link", { type: "button", tabindex: "-1", "data-twin": facts.twin[0], title: facts.twin[1] }, `⇄ ${facts.twin[1]}`));
  return what;
}

const hookWords = (facts) => (facts.hookKinds ?? []).map(([kind, number]) => `${number} ${kind}`).join(", ") || facts.hooks;

/** A row as a screen reader says it. */
function spoken(facts, kind, change) {
  const said = [
    facts.name, kind === "module" ? facts.class : kind, facts.extra === "()" ? "" : facts.extra, facts.count && `${words(facts.count)} numbers`,
    facts.state.replace(/[●○❄] /u, ""), facts.each && `${words(facts.each)} numbers each`, facts.times && facts.notes && `${words(facts.notes)} notes inside`, facts.lazy && "lazy", facts.hooks && hookWords(facts), facts.twin?.[1], change && `just changed: ${change}`,
  ];
  return said.filter(Boolean).join(", ");
}

/** The number of a row in the column that the reader chose. */
function fillNumber(cell, value, scale) {
  cell.style.setProperty("--share", `${onScale(value, scale) * 100}%`);
  cell.firstChild.hidden = value === NOTHING;
  cell.lastChild.textContent = { "-1": "None", "-2": "unread", [NOTHING]: "" }[value] ?? short(value);
  cell.classList.toggle("problem", value === Infinity || Number.isNaN(value));
}

const drawNumber = () => make("span.metric", {}, mute("span.track", make("span.bar.moves")), make("span.number"));

/** The pane: lines about the selected row, and what can be done with it. */
function drawDetail(detail, act) {
  if (detail.row === undefined) {
    return [make("p.soft.start", {}, "Select a row to see what is behind it."), make("p.soft", {}, "In Python it's the view's ", make("code", {}, ".selected"), ".")];
  }
  const copy = button("copy", async () => {
    try {
      await navigator.clipboard.writeText(detail.path);
      copy.textContent = "copied";
    } catch {
      copy.textContent = "not allowed";
    }
  }, { "aria-label": "copy the path" });
  const title = make("h4", {}, badge(detail.kind), make("bdi", { title: detail.title }, detail.title), detail.path ? copy : null);
  const list = make("dl", {}, ...detail.lines.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, make("bdi", {}, ...withCode(value)))]));
  const drawn = [title, list];
  if (detail.actions?.length) {
    const buttons = detail.actions.map(([label, code, message]) => button(label, () => act(message), { title: code, "aria-label": `${label}: ${code}` }));
    drawn.splice(1, 0, make("div.acts", { role: "group", "aria-label": "changes the model" }, "changes the model:", ...buttons));
  }
  return drawn;
}

/** The pane for modules that are one row: in what they are alike, and how to see them. */
function drawGroup(facts) {
  const lines = [["what", `${facts.class}${facts.extra}`], ["each has", `${words(facts.each)} parameters, ${facts.bytes}`], ["mode", facts.state.replace(/[●○] /u, "")]];
  if (facts.hooks) lines.push(["hooks", `${hookWords(facts)} each`]);
  return [
    make("h4", {}, badge("module"), make("bdi", { title: facts.name }, facts.name)),
    make("dl", {}, ...lines.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, make("bdi", {}, value))])),
    make("p.soft", {}, "Neighbours that are alike in all that the tree says: class, arguments, mode, numbers of hooks, notes, and the shapes, types and flags of their tensors. Values and gradients are each one's own."),
    make("p.soft", {}, "Enter, or ▸, shows them one by one. None of them is selected."),
  ];
}
