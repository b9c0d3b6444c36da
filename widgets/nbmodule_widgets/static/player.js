// Play, step and scrub over recorded moments, as a video player does. It runs in the page; Python hears the moment in
// the trait `step`, and can set it.

const PLAY_PACE = 700; // milliseconds for a moment at 1×
const PLAY_LEAST = 40; // a page cannot show more than 25 moments in a second
const PLAY_ALL = 20_000; // milliseconds for a whole recording, however long, when all of it is asked for
/** @type {[number, string][]} */
const PLAY_SPEEDS = [[0.5, "½×"], [1, "1×"], [2, "2×"], [4, "4×"], [8, "8×"], [Infinity, "all in 20 s"]];
const PLAY_ICONS = {
  "first moment": "M2 3h2v10H2zM9 3v10L4 8zM14 3v10L9 8z",
  "step back": "M4 3h2v10H4zM13 3v10L6 8z",
  play: "M4 2v12L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  "step forward": "M3 3v10L10 8zM10 3h2v10h-2z",
  "last moment": "M2 3v10L7 8zM7 3v10L12 8zM12 3h2v10h-2z",
};

/**
 * Transport over recorded moments, which are numbered from 0.
 *
 * Keys work in the whole view where nobody else takes them: Space, the arrows to both sides, Home and End.
 * @param {HTMLElement} root  the view
 * @param {object} options
 * @param {string} options.label  what is played: "moments of the pass"
 * @param {(i: number) => string} options.name  a moment in words
 * @param {(i: number, why: string) => void} options.move  shows a moment; why: "step", "play", "scrub", "reset" or the one given to `go`
 * @param {boolean} [options.zero]  moment 0 stands before the first step, so the steps are counted and not the moments
 * @param {{label: string, title: string, key?: string, act: () => void}[]} [options.extra]  more buttons and their keys
 * @returns {{node: HTMLElement, go: (i: number, why?: string) => void, reset: (count: number, at?: number) => void, grow: (count: number) => void,
 *   at: () => number, playing: () => boolean, stop: () => void, dispose: () => void}}  `reset` also shows the moment that it starts at
 */
function player(root, { label, name, move, zero = false, extra = [] }) {
  const step = shared(root, "step", (to) => to !== now && go(to));
  let opening = true, count = 0, now = 0, timer = 0, holding = 0, held = false, saying = 0;

  const by = (many) => () => go(now + many, "step");
  const icon = (words) => draw("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, draw("path", { d: PLAY_ICONS[words] }));
  const called = (words, key) => ({ "aria-label": words, title: key ? `${words} (${key})` : words });
  const button = (words, key, click, more) => make("button", { type: "button", ...called(words, key), click, ...more }, icon(words));

  /** A button that goes on stepping while it is held down. */
  const stepper = (words, key, act) =>
    button(words, key, (event) => (held && event.detail) || act(), { // the click that ends a hold is no further step
      pointerdown: (event) => {
        release();
        held = false;
        const again = () => {
          held = true;
          act();
          holding = setTimeout(again, 90);
        };
        if (!event.button) holding = setTimeout(again, 400);
      },
      pointerup: release,
      pointerleave: release,
      pointercancel: release,
    });
  const [toFirst, toLast] = [() => go(0, "step"), () => go(count - 1, "step")];
  const first = button("first moment", "Home", toFirst);
  const back = stepper("step back", "←", by(-1));
  const start = button("play", "Space", toggle, { class: "player-play" });
  const forward = stepper("step forward", "→", by(1));
  const last = button("last moment", "End", toLast);
  const others = extra.map(({ label: shown, title, key, act: click }) => make("button", { type: "button", ...called(title, key), click }, shown));
  const slider = make("input", { type: "range", min: 0, step: 1, "aria-label": label, input: () => go(Number(slider.value), "scrub") });
  const counter = make("span.player-count");
  const speed = make("select", { "aria-label": "speed", title: "how fast it plays" }, ...PLAY_SPEEDS.map(([value, words]) => make("option", { value }, words)));
  speed.value = "1";
  const said = make("div.player-said", { role: "status" });
  const group = (...buttons) => make("div.player-keys", {}, ...buttons);
  const node = make("div.player", { role: "group", "aria-label": label }, group(first, back, start, forward, last), others.length ? group(...others) : null, slider, counter, speed, said);

  function release() {
    clearTimeout(holding);
  }

  /** Says the moment to those who do not see it; while it plays, the next one would come before it is spoken. */
  function say() {
    clearTimeout(saying);
    if (!timer) saying = setTimeout(() => (said.textContent = !count || root.getRootNode().activeElement === slider ? "" : name(now)), 200);
  }

  function show() {
    slider.max = String(Math.max(0, count - 1));
    slider.value = String(now);
    slider.disabled = count < 2;
    const [at, most] = zero ? [now, count - 1] : [count && now + 1, count];
    counter.textContent = `${zero ? "step " : ""}${at.toLocaleString("en")} of ${most.toLocaleString("en")}`;
    slider.setAttribute("aria-valuetext", count ? `${counter.textContent}: ${name(now)}` : "nothing recorded");
    // Not `disabled`, which would take the focus away from the one that has just been pressed.
    const off = (ended, ...buttons) => buttons.forEach((each) => each.setAttribute("aria-disabled", String(ended)));
    off(now <= 0, first, back);
    off(now >= count - 1, forward, last);
    off(count < 2, start);
    say();
  }

  function go(to, why = "jump") {
    if (why !== "play") stop();
    to = Math.max(0, Math.min(count - 1, to));
    if (!count) return;
    if (to !== now) {
      now = to;
      show();
      move(now, why);
    }
    step.tell(now);
  }

  function tick() {
    const all = speed.value === "Infinity", pace = Math.max(PLAY_LEAST, all ? PLAY_ALL / count : PLAY_PACE / Number(speed.value));
    timer = setTimeout(tick, pace);
    if (!node.isConnected) return stop();
    go(now + (all ? Math.max(1, Math.round((count * pace) / PLAY_ALL)) : 1), "play");
    if (now >= count - 1) stop();
  }

  function becomes(words) {
    for (const [key, value] of Object.entries(called(words, "Space"))) start.setAttribute(key, value);
    start.replaceChildren(icon(words));
  }

  function toggle() {
    if (timer || count < 2) return stop();
    becomes("pause");
    timer = setTimeout(tick, PLAY_PACE / Math.max(1, Number(speed.value)));
    if (now >= count - 1) go(0, "play");
  }

  function stop() {
    if (!timer) return;
    clearTimeout(timer);
    timer = 0;
    becomes("play");
    say();
  }

  function reset(moments, at = 0) {
    stop();
    count = moments;
    if (opening) at = step.get() ?? at; // as Python, a linked widget or the page before a reload has it
    opening &&= !count;
    now = Math.max(0, Math.min(count - 1, at));
    counter.style.minWidth = `${2 * count.toLocaleString("en").length + 4}ch`; // so that nothing moves at 9 → 10
    show();
    if (!count) return;
    move(now, "reset");
    step.tell(now);
  }

  /** There are more moments than before; the one that is shown stays. */
  function grow(moments) {
    count = moments;
    show();
  }

  function keys(event) {
    const from = event.composedPath()[0], { key } = event;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (from !== slider && from.matches("input, select, textarea")) return;
    if (key === " " && from.matches("button, summary, a, [role=tab]")) return; // it presses these
    const own = { " ": () => event.repeat || toggle(), ArrowLeft: by(-1), ArrowRight: by(1), Home: toFirst, End: toLast }[key];
    const act = own ?? extra.find((each) => each.key?.toLowerCase() === key.toLowerCase())?.act;
    if (!act) return;
    event.preventDefault();
    act();
  }

  function dispose() {
    stop();
    release();
    clearTimeout(saying);
    root.removeEventListener("keydown", keys);
  }

  root.addEventListener("keydown", keys);
  show();
  return { node, go, reset, grow, at: () => now, playing: () => timer > 0, stop, dispose };
}
