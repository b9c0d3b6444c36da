// A view inside another one. The front end draws it; Python made it, and the two tell each other what is chosen.

/**
 * Keeps a place in step with the view that Python names for it.
 * @param {{getWidget: Function}|undefined} host  what anywidget gives to `render`; older front ends give none
 * @param {HTMLElement} place  where it is drawn
 * @param {string} otherwise  what stands there if the front end cannot draw it
 * @returns {(ref: string|null) => void}  shows the view of this name, or nothing
 */
function inset(host, place, otherwise) {
  let shown = null, drawn = null;
  return (ref) => {
    if (ref === shown) return;
    drawn?.abort();
    drawn = new AbortController();
    shown = ref;
    place.hidden = !ref;
    if (!ref) return place.replaceChildren();
    const { signal } = drawn, el = make("div");
    const failed = () => signal.aborted || place.replaceChildren(make("p.view.soft", {}, ...withCode(otherwise)));
    place.replaceChildren(el);
    Promise.resolve().then(() => host.getWidget(ref.replace("IPY_MODEL_", "anywidget:"))).then((view) => view.render({ el, signal })).catch(failed);
  };
}
