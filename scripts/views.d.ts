// What TypeScript cannot know of the pages that the scripts of the views run in; for scripts/check_scripts.py.

/** Every view draws in a shadow root. */
interface Node {
  getRootNode(): ShadowRoot;
}

/** All elements there are HTML or SVG, */
interface Element extends HTMLOrSVGElement {}

/** and those that a view looks up are HTML, except where it asks for the tag itself. */
interface ParentNode {
  querySelector<K extends keyof HTMLElementTagNameMap>(tag: K): HTMLElementTagNameMap[K] | null;
  querySelector(selectors: string): HTMLElement | null;
  querySelectorAll<K extends keyof HTMLElementTagNameMap>(tag: K): NodeListOf<HTMLElementTagNameMap[K]>;
  querySelectorAll(selectors: string): NodeListOf<HTMLElement>;
}

/** Pointers and keys are heard at elements. */
interface UIEvent {
  readonly target: HTMLElement;
}
