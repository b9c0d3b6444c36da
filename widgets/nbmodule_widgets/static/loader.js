// What a view brings instead of its script: it takes the script from the widget that holds it (views/held.py).

let loaded; // once for a view, which may be drawn in several places

async function load(model) {
  const id = model.get("_code").replace("IPY_MODEL_", "");
  const text = (await model.widget_manager.get_model(id)).get("text");
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  try {
    return (await import(url)).default;
  } finally {
    URL.revokeObjectURL(url);
  }
}

export default {
  async render(all) {
    try {
      loaded ??= load(all.model);
      const view = await loaded;
      return await view.render(all);
    } catch (error) {
      all.model.send({ kind: "script" }); // Python sends the script itself, and the view is drawn with that
      console.warn("nbmodule_widgets: the view asks Python for its script.", error);
    }
  },
};
