// A small menu at the view's edge: the figure that Python draws, as a file.

const PICTURE_KINDS = { png: "image/png", svg: "image/svg+xml" };

/**
 * @param {Function} listen  of the frame
 * @param {Function} send  of the frame
 * @returns {HTMLElement}
 */
function pictureMenu(listen, send) {
  const said = make("span", { role: "status" }), choice = make("span", { hidden: true }, ...Object.keys(PICTURE_KINDS).map((kind) => make("button", { type: "button", click: () => ask(kind) }, kind.toUpperCase())));
  const opener = make("button", { type: "button", "aria-expanded": false, click: () => open(choice.hidden) }, "Save picture");
  let ticket = "";
  const open = (on) => {
    choice.hidden = !on;
    opener.setAttribute("aria-expanded", String(on));
    if (on) choice.firstElementChild.focus();
    else said.textContent = "";
  };
  function ask(kind) {
    ticket = Math.random().toString(36).slice(2); // the same view may be on the page twice
    said.textContent = "drawing, when no cell runs …";
    send({ kind: "picture", as: kind, ticket });
  }
  listen("msg:custom", (answer, buffers) => {
    if (answer?.kind !== "picture" || answer.ticket !== ticket) return;
    ticket = "";
    said.textContent = answer.problem ? `! ${answer.problem}` : `saved as ${answer.name}`;
    if (answer.problem) return;
    const href = URL.createObjectURL(new Blob([buffers[0]], { type: PICTURE_KINDS[answer.as] }));
    make("a", { href, download: answer.name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  });
  const node = make("div.picture-menu", {}, said, choice, opener);
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || choice.hidden) return;
    event.stopPropagation();
    open(false);
    opener.focus();
  });
  return node;
}
