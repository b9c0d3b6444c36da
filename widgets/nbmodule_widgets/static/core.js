// What every view uses. Plain JavaScript: Python joins this file and the view's own into one module, because
// a module that was loaded from text cannot import its neighbours.

/**
 * The element of a tag with classes.
 * @template {string} T
 * @typedef {T extends `${infer N}.${string}` ? Made<N> : T extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[T] : HTMLElement} Made
 */

/**
 * Makes an element. Texts become text nodes, never markup: names in a model may be anything.
 * @template {string} T
 * @param {T} tag  "span.name.soft": a tag and its classes
 * @param {Record<string, unknown>} attributes  null and false leave one out, but an ARIA state may be "false"; functions become listeners
 * @param {...(Node|string|null|undefined)} children
 * @returns {Made<T>}
 */
function make(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const node = document.createElement(name);
  if (classes.length) node.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, /** @type {EventListener} */ (value));
    else if (value != null && (value !== false || /^aria/.test(key))) node.setAttribute(key, String(value));
  }
  node.append(...children.filter((child) => child != null));
  return /** @type {Made<T>} */ (node);
}

/**
 * Makes an SVG element.
 * @param {string} tag
 * @param {Record<string, unknown>} attributes
 * @param {...(Node|string)} children
 */
function draw(tag, attributes = {}, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/** "`fc` is a Module" as text and code elements. */
function withCode(sentence) {
  return sentence.split("`").map((part, position) => (position % 2 ? make("code", {}, part) : document.createTextNode(part)));
}

/** A column of whole numbers. Copied, since bytes in a message may start anywhere. */
function numbers({ kind, bytes }) {
  const Kind = { B: Uint8Array, H: Uint16Array, I: Uint32Array }[kind];
  return new Kind(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** A column of float32. */
function floats(bytes) {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** Four significant digits, as Python's `.4g`. */
function decimal(value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size < 1e-4 || size >= 1e4 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}
