// HookTimeline: one recorded pass. Play, step and scrub happen here and send nothing; Python is asked for the values of
// larger tensors only.

function render({ model, el }) {
  const { root, listen, later, undo, send, alive, dispose } = frame(model, el, "one pass, moment by moment");
  const pass = unpackPass(model.get("moments")), { says, call, first, last, arrive, ends, word } = pass, { here, larger } = model.get("kept");
  let now = 0, slot, zoomed, patience;

  const button = (text, click, more) => make("button", { type: "button", click, ...more }, text), jump = (i) => i >= 0 && (transport.go(i), true), tell = (i) => tellMoment(pass, i).replaceAll("`", "");
  const extra = pass.steps.map(([how, label, title, key]) => ({ label, title, key, act: () => jump(stepFrom(pass, now, how)) })), transport = player(root, { label: says.moments, name: tell, move: show, extra });
  const lanes = timeline(root, pass, tell, (i) => transport.go(i, "scrub"));
  /** Goes to the next moment for which something holds; after the last one to the first. */
  const seek = (holds) => [now, -1].some((from) => jump(nextMoment(pass, from, holds)));
  const tree = moduleTree(pass, (node) => seek((i) => pass.nodes[i] === (pass.twins.get(node) ?? node)));
  const heat = heatMap(root, 150), sentence = make("div.sentence"), table = make("div.table"), why = make("p.why");
  const scales = pass.scales.map(([words, title], n) => button(words, () => setScale(n), { title })), zoomer = button("", () => zoom(!zoomed));
  const hooks = pass.hooks.map(([mark, words, i]) => {
    const line = button("", () => (i === null ? seek((at) => pass.mark(at) === mark) : jump(i)), { "data-mark": mark, disabled: i < 0 });
    line.append(make("span.number", {}, mark), make("span", {}, ...withCode(words)));
    return line;
  });
  root.append(
    make("div.head", {}, make("bdi.title", {}, pass.nameOf(0)), make("span.soft", {}, pass.totals), pass.failed < 0 ? null : button(says.jump, () => jump(pass.failed))),
    ...pass.notes.map((note) => make("div.note", {}, `! ${note}`)), transport.node, sentence, lanes.node,
    make("div.under", {}, ...scales, zoomer, ...pass.legend.map(([kind, words]) => make(`span.is-${kind}`, {}, words))),
    make("ol.hooks", {}, ...hooks.map((line) => make("li", {}, line))), make("div.body", { style: `--tall:${pass.tall}px` }, tree.node, make("div.pane", {}, table, heat.node, why)),
  );

  // ------------------------------------------------------------------ the present moment

  function show(i, how) {
    now = i;
    slot = null;
    const kind = word(i);
    sentence.className = `sentence is-${kind === "failed" ? kind : kind.includes("hook") ? "hook" : i < pass.back ? "run" : "back"}`;
    sentence.replaceChildren(make("b", {}, `${pass.signs[kind] ?? "◆"} ${kind}`), make("span", {}, ...withCode(tellMoment(pass, i))));
    tree.move(i, /step|jump/.test(how));
    lanes.move(i);
    showTensors();
    for (const line of hooks) line.ariaCurrent = pass.mark(i) === Number(line.dataset.mark) ? "true" : null;
  }

  /** What is known of the present call by now: `[label, tensors, whether it is of this moment, what to say if there are none]`. */
  function sections() {
    const c = call[now], kind = word(now), at = (codes, moment) => pass.tensorsOf(codes[moment]), found = [];
    const own = c >= 0 && says.edges.includes(kind) ? [] : [[says.own[kind] ?? "after", at(pass.tensor, now), true]];
    if (pass.before[now]) own.unshift(["before", at(pass.before, now)]);
    if (c >= 0) [first, last, arrive, pass.leave].slice(0, pass.back < pass.size ? 4 : 2).forEach((moments, n) => {
      const moment = moments[c], came = moment >= 0 && moment <= now && (n !== 1 || word(moment) === "return");
      if (moment > now) found.push(...own.splice(0)); // in the order of time
      found.push([pass.sections[n], came ? at(pass.tensor, moment) : [], came && moment === now, says[moment < 0 ? "never" : came ? "nothing" : "later"]]);
      const hooked = came ? lastHook(c, moment, says.pre[n]) : -1;
      if (hooked >= 0 && pass.tensor[hooked] !== pass.tensor[moment]) found.push([says.left, at(pass.tensor, hooked)]);
    });
    return [...found, ...own];
  }

  /** The last moment before this one in which a hook of a kind replaced what had come to a call; -1 if none did. */
  function lastHook(c, from, kind) {
    for (let i = now - 1; i > from; i--) if (call[i] === c && word(i) === kind && pass.before[i]) return i;
    return -1;
  }

  function showTensors() {
    const { activeElement: focus } = root.getRootNode(), held = focus?.dataset.slot, [path, kind] = whoAt(pass, now), c = call[now], rows = [], buttons = [], took = (name, from, to) => (from >= 0 ? `${name} ${duration(((pass.at[to] - pass.at[from]) / 65535) * pass.span)}` : "");
    let chosen;
    for (const [label, tensors, present, none = says.nothing] of sections()) {
      const row = (name, open, ...cells) => rows.push(make(`tr${present ? ".here" : ""}`, {}, make("th", { scope: "row" }, name, open), ...cells));
      if (!tensors.length) row(label, null, make("td.soft", { colspan: 4 }, none));
      for (const [name, tensor] of tensors) {
        const of = name ? `${label} ${name}` : label, asks = larger.includes(tensor.id), { mean, std, low, high, zeros } = tensor;
        if (slot ? slot === of : (present || now === pass.failed) && !chosen) chosen = { of, tensor, asks };
        const open = here[tensor.id] || asks ? button("▦", () => ((slot = of), showTensors()), { "data-slot": of, "aria-label": `values: ${of}` }) : null;
        if (open) buttons.push(open);
        row(of, open, make("td.mono", {}, tensor.form, tensor.odd && make("div.problem", {}, tensor.odd), tensor.sampled && make("div.soft", {}, tensor.sampled)), ...(tensor.numel === 1 ? [mean, "", ""] : [`${mean} ± ${std}`, `${low} … ${high}`, zeros]).map((words) => make("td", {}, words)));
      }
    }
    table.replaceChildren(
      make("h4", {}, make("bdi", {}, path || (c < 0 ? "" : says.root)), make("span", {}, kind), c < 0 ? null : make("small", {}, [took("forward", first[c], last[c]), took("backward", arrive[c], ends[c]), pass.marks.get(c)].filter(Boolean).join(" · "))),
      make("table", {}, make("tr", {}, ...pass.columns.map((words) => make("th", { scope: "col" }, words))), ...rows),
    );
    for (const open of buttons) {
      open.ariaPressed = String(open.dataset.slot === chosen?.of);
      if (open.dataset.slot === held) open.focus({ preventScroll: true });
    }
    table.scrollTop = table.querySelector(".here")?.offsetTop + 60 - table.clientHeight;
    showValues(chosen ?? {});
  }

  /**
   * The picture of a tensor, or why there is none.
   * @param {{of?: string, tensor?: any, asks?: boolean}} chosen
   */
  function showValues({ of, tensor, asks }) {
    clearTimeout(patience);
    const opened = model.get("opened"), data = here[tensor?.id] ?? (asks && opened.tensor === tensor.id ? opened : null);
    why.replaceChildren(data?.problem ?? "");
    if (!data && asks) why.append(grouped(tensor.numel) + says.held, button(says.ask, () => {
      patience = setTimeout(() => (why.textContent = alive() ? BUSY : GONE), send({ kind: "open", tensor: tensor.id }) ? 700 : 0);
    }));
    else if (!data && tensor?.numel) why.append(says.statistics);
    heat.show(data && !data.problem ? { ...data, cells: floats(data.cells) } : null, of);
  }

  // ------------------------------------------------------------------ the timeline, and listening

  function zoom(on) {
    const c = call[now];
    zoomed = on && c >= 0;
    zoomer.textContent = says.zoom[Number(zoomed)];
    zoomed ? lanes.zoom((now < pass.back ? first : arrive)[c], endOf(pass, c, now)) : lanes.zoom();
  }

  function setScale(chosen) {
    scales.forEach((each, n) => (each.ariaPressed = String(n === chosen)));
    lanes.scale(chosen);
    zoom(false);
  }

  const size = new ResizeObserver(() => later(lanes.paint));
  size.observe(lanes.node);
  undo.push(() => size.disconnect(), transport.dispose, () => clearTimeout(patience));
  listen("change:opened", showTensors);
  setScale(0);
  heat.show();
  transport.reset(pass.size, pass.failed);
  return dispose;
}

export default { render };
