// The views that the tree has inside: the table of layers in place of it, the values of the selected tensor below it.

function innerViews({ model, root, host, parts, send, listen }) {
  const { values } = parts;
  const showLayers = inset(host, parts.layers, "This front end cannot draw a view inside another one: `nw.summary(model, x)` shows the table.");
  const showBelow = inset(host, parts.below, "This front end cannot draw a view inside another one: `nw.parameters(model, path)` shows the values.");
  let stale = false, wanted = false;
  /** The tree, or the table of layers. Python makes that when it is looked at first; one that needs a pass is not made again unasked. */
  function showTab() {
    const tab = model.get("tab"), ref = model.get("layers"), open = tab === "layers";
    for (const each of parts.tabs.children) {
      const on = each.dataset.tab === tab;
      each.setAttribute("aria-selected", String(on));
      each.tabIndex = on ? 0 : -1;
    }
    root.classList.toggle("at-layers", open);
    if (ref) stale = wanted = false;
    parts.again.hidden = !(open && stale);
    if (open && !ref && !stale && !wanted) wanted = send({ kind: "layers" });
    showLayers(open ? ref : null);
    showNumbers();
  }

  function openTab(tab) {
    model.set("tab", tab);
    model.save_changes();
    showTab();
  }

  let asked = false;
  /** The values of the selected tensor, below the tree; Python makes that view when a tensor is selected first. */
  function showNumbers() {
    const ref = model.get("numbers"), { kind } = model.get("detail") ?? {};
    if (!ref && !asked && values.checked && (kind === "parameter" || kind === "buffer")) asked = send({ kind: "numbers" });
    if (ref) asked = false;
    showBelow((values.checked && model.get("tab") !== "layers" && ref) || null);
    root.classList.toggle("joined", !parts.below.hidden);
  }

  listen("change:numbers", showNumbers);
  listen("change:tab", showTab);
  listen("change:layers", () => {
    stale = !model.get("layers") && model.get("calls");
    showTab();
  });
  parts.tabs.addEventListener("click", (event) => event.target.dataset.tab && openTab(event.target.dataset.tab));
  parts.tabs.addEventListener("keydown", (event) => {
    if (!/^Arrow(Left|Right)$/.test(event.key)) return;
    openTab(model.get("tab") === "layers" ? "tree" : "layers");
    parts.tabs.querySelector("[tabindex='0']").focus();
  });
  parts.again.addEventListener("click", () => {
    stale = false;
    showTab();
  });
  values.addEventListener("change", showNumbers);
  const close = () => [showBelow, showLayers].forEach((show) => show(null));
  return { showTab, showNumbers, close };
}
