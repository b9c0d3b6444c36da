// What a view brings instead of its script: it takes the script from the widget that holds it (views/held.py).

const GIVEN_UP = "Error displaying widget: model not found"; // what JupyterLab says in place of a view
const MISSING = "The script of this view is not on this page. If Python does not send it, run the cell again.";
let loaded, asked; // once for a view, which may be drawn in several places

/** A widget that a front end may restore after the view: some managers wait for it, some say at once that it is not there. */
async function restored(manager, id, patience = 3000) {
  for (const began = Date.now(); ; await new Promise((done) => setTimeout(done, 50))) {
    try {
      return (await manager.get_model(id)).get("text");
    } catch (error) {
      if (Date.now() - began > patience) throw error;
    }
  }
}

const load = async (model) => viewOf(await restored(model.widget_manager, model.get("_code").replace("IPY_MODEL_", "")));

async function viewOf(text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return (await import(url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The view as Python sends it, when it is free; never, if there is no Python. */
function ask(model, error) {
  console.warn("nbmodule_widgets: the view asks Python for its script.", error);
  return new Promise((resolve) => {
    const hear = (answer) => {
      if (answer?.kind !== "script") return;
      model.off("msg:custom", hear);
      resolve((loaded = viewOf(answer.text)));
    };
    model.on("msg:custom", hear);
    try {
      model.send({ kind: "script" });
    } catch (gone) {
      console.warn("nbmodule_widgets: no kernel.", gone);
    }
  });
}

/**
 * On a slow machine JupyterLab draws a saved notebook before it has read the widgets that are stored with it, and
 * gives up on each that it misses for two seconds, for good. Once they are there it is asked to draw ours again.
 */
function initialize({ model }) {
  const manager = model.widget_manager, notebook = manager?.context?.model;
  const mark = Symbol.for("nbmodule_widgets.drawn again");
  if (!notebook?.cells || manager[mark]) return;
  manager[mark] = true;
  for (const wait of [500, 3000, 10000]) setTimeout(() => drawAgain(manager, notebook).catch(console.warn), wait);
}

async function drawAgain(manager, notebook) {
  const inPlaces = document.querySelectorAll(".jp-OutputArea-output.jupyter-widgets");
  if (![...inPlaces].some((place) => place.textContent === GIVEN_UP)) return;
  const missed = [];
  for (const { outputs } of notebook.cells) {
    for (let i = 0; i < (outputs?.length ?? 0); i++) {
      const id = outputs.get(i).data?.["application/vnd.jupyter.widget-view+json"]?.model_id;
      if (!id || !manager.has_model(id)) continue;
      const shown = await manager.get_model(id);
      if (!Object.keys(shown.views ?? {}).length) missed.push(() => outputs.set(i, outputs.get(i).toJSON()));
    }
  }
  const isDirty = notebook.dirty; // nothing of what is stored changes
  for (const draw of missed) draw();
  if (!isDirty) notebook.dirty = false;
}

export default {
  initialize,
  async render(all) {
    const { model, el, signal } = all, mine = (loaded ??= load(model));
    const view = await mine.catch(async (error) => {
      if (loaded === mine) loaded = undefined; // another place may have more luck
      el.textContent = MISSING;
      const sent = await (asked ??= ask(model, error));
      el.textContent = "";
      return sent;
    });
    return signal?.aborted ? undefined : view.render(all);
  },
};
