// A saved notebook shows its views without a kernel, in a JupyterLab that nobody has configured. This comes to the
// page as a widget without a view, once for a kernel.

const VIEW = "application/vnd.jupyter.widget-view+json", STATE = "application/vnd.jupyter.widget-state+json";

/**
 * When a notebook is saved, stores the state of the views that it displays: ours, and no other widget's. JupyterLab
 * stores none unless "Save Widget State Automatically" is on, and says "model not found" when such a notebook is
 * opened without its kernel. Other front ends have no such notebook here, and nothing happens.
 */
function initialize({ model }) {
  const manager = model.widget_manager;
  keep(manager, manager?.context);
  model.on("msg:custom", ({ shown }) => setTimeout(() => keepAround(manager, shown).catch(console.warn), 300)); // when it has its place
}

/** Two notebooks on one kernel share a manager, which knows the first only. */
async function keepAround(manager, id) {
  for (const view of Object.values((await manager.get_model(id)).views ?? {})) {
    let widget = (await view).luminoWidget;
    while (widget && !widget.context) widget = widget.parent;
    keep(manager, widget?.context);
  }
}

function keep(manager, notebook) {
  const mark = Symbol.for("nbmodule_widgets.kept"); // the page knows the notebook longer than one kernel
  if (!notebook?.saveState?.connect || !notebook.model?.setMetadata) return;
  const isKept = notebook[mark];
  notebook[mark] = manager;
  if (isKept) return;
  notebook.saveState.connect((_, phase) => {
    const manager = notebook[mark];
    if (phase !== "started" || (manager._settings?.saveState && notebook === manager.context)) return; // JupyterLab stores all of them itself
    try {
      storeOurs(manager, notebook.model);
    } catch (error) {
      console.warn("nbmodule_widgets: the views are not stored with the notebook.", error);
    }
  });
}

function storeOurs(manager, notebook) {
  const known = manager.get_state_sync({ drop_defaults: true });
  const before = notebook.getMetadata("widgets")?.[STATE]?.state ?? {};
  const displayed = displayedIds(notebook);
  const ours = withParts(known.state, displayed);
  const stale = withParts(before, Object.keys(before));
  if (!ours.size && !stale.size) return;
  const others = Object.entries(before).filter(([id]) => !stale.has(id));
  const state = Object.fromEntries([...others, ...[...ours].map((id) => [id, known.state[id]])]);
  if (Object.keys(state).length) notebook.setMetadata("widgets", { [STATE]: { ...known, state } });
  else notebook.deleteMetadata("widgets");
}

/** The models that the notebook's outputs show. */
function displayedIds(notebook) {
  const ids = [];
  for (const { outputs } of notebook.cells) {
    for (let i = 0; i < (outputs?.length ?? 0); i++) {
      const id = outputs.get(i).data?.[VIEW]?.model_id;
      if (id) ids.push(id);
    }
  }
  return ids;
}

/** Those of the models that are views of ours or hold some, with all that they refer to. */
function withParts(state, roots) {
  const kept = new Set();
  for (const root of roots) {
    const reached = new Set([root]);
    for (const id of reached) {
      const text = JSON.stringify(state[id]?.state ?? {});
      for (const [, part] of text.matchAll(/IPY_MODEL_([-\w]+)/g)) reached.add(part);
    }
    const isOurs = (id) => /^nbmodule_(widgets|course)[.]/.test(state[id]?.state._anywidget_id);
    if ([...reached].some(isOurs)) for (const id of reached) if (state[id]) kept.add(id);
  }
  return kept;
}

export default { initialize };
