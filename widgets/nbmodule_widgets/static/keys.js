// Keys that are pressed in a view belong to the view.

/**
 * Keys pressed in the view stay there; otherwise the notebook takes "x" for "cut this cell". JupyterLab listens
 * before anybody else and cannot see that a field has the focus, so it is asked by an attribute to look away.
 * Shortcuts with Ctrl, Alt or Cmd, Shift+Enter, and Escape outside of a field still reach it.
 */
function keepKeys(root, host) {
  const ours = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return false;
    if (event.key === "Escape") return event.composedPath()[0].matches("input, select");
    return !(event.shiftKey && event.key === "Enter");
  };
  const claim = (event) => host.toggleAttribute("data-lm-suppress-shortcuts", event.composedPath().includes(host) && ours(event));
  const stop = (event) => ours(event) && event.stopPropagation();
  window.addEventListener("keydown", claim, true);
  root.addEventListener("keydown", stop);
  return () => {
    window.removeEventListener("keydown", claim, true);
    root.removeEventListener("keydown", stop);
  };
}
