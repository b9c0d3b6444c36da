"""The same in a real JupyterLab in a real browser: time until something is drawn, and what a live view sends."""

from __future__ import annotations

import contextlib
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rows import CannotRun, Row

# Tells every change in the page and in all shadow roots; `painted` follows one that is on the screen.
EARLY = """
  window.changes = new EventTarget();
  const watcher = new MutationObserver(() => changes.dispatchEvent(new Event("change")));
  const how = { childList: true, subtree: true, characterData: true };
  watcher.observe(document, how);
  const real = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = real.call(this, options);
    watcher.observe(root, how);
    return root;
  };
  window.painted = (isThere) => new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("nothing was drawn within a minute")), 60_000);
    const look = () => {
      if (!isThere()) return;
      changes.removeEventListener("change", look);
      requestAnimationFrame(() => {
        const after = new MessageChannel();
        after.port1.onmessage = () => resolve(performance.now());
        after.port2.postMessage(0);
      });
    };
    changes.addEventListener("change", look);
    look();
  });
  window.views = () => [...document.querySelectorAll(".nbmodule-view")];
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) longest = Math.max(longest, task.duration);
  }).observe({ entryTypes: ["longtask"] });
"""

# Runs a cell; milliseconds until the first such element of a new view is painted.
FIRST = """
async ([cell, element]) => {
  const seen = new Set(views());
  const row = () => views().some((host) => !seen.has(host)
    && host.shadowRoot?.querySelector(element)?.getClientRects().length);
  const notebook = jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = notebook.widgets.findIndex((c) => c.model.id === cell);
  const start = performance.now();
  const done = jupyterapp.commands.execute("notebook:run-cell");
  const drawn = await painted(row);
  await done;
  return drawn - start;
}
"""

ROW, BOX = "[role=treeitem]", "g.box"  # of a tree, of a graph

# Types a query into the newest tree; milliseconds until its rows are painted.
FILTER = """
async (query) => {
  const root = views().at(-1).shadowRoot;
  const search = root.querySelector("input[type=search]");
  const found = () => root.querySelector(".found").textContent;
  const before = found();
  const start = performance.now();
  search.value = query;
  search.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
  const drawn = await painted(() => found() !== before);
  return [drawn - start, found(), root.querySelectorAll("[role=treeitem]").length];
}
"""

COUNT_SENDS = """
import json, time
from ipykernel.comm.comm import BaseComm

sends, step = [], [0]
really_publish = BaseComm.publish_msg

def publish(self, msg_type, data=None, metadata=None, buffers=None, **keys):
    start = time.thread_time()
    really_publish(self, msg_type, data, metadata, buffers, **keys)
    spent = time.thread_time() - start
    size = len(json.dumps(data or {}, default=str)) + sum(memoryview(b).nbytes for b in buffers or ())
    if msg_type == "comm_msg":
        sends.append((step[0], size, spent * 1e3))

BaseComm.publish_msg = publish
"""

# What a page is told when it opens is not counted: it is the whole state. A large model is shown rarely, since
# showing may take one part in twenty of the time: so the loop waits for three updates.
LOOP = """
def run(seconds, updates):
    sends.clear()
    step[0] = 0
    begin, most = time.perf_counter(), 45.0
    while (time.perf_counter() - begin < seconds or len({s for s, *_ in sends}) < updates) and most > 0:
        step[0] += 1
        w.tick(loss=train())
        most = begin + 45.0 - time.perf_counter()
    return time.perf_counter() - begin

with nw.watch(model, hz=10) as w:
    run(1.0, 1)
    took = run(SECONDS, 3)
    loop = list(sends)
"""

TRAIN_SMALL = """
from models import Trainer, simple_model
trainer = Trainer(nbmodule, simple_model)
model, train = trainer.model, trainer.step
"""

TRAIN_LARGE = """
model = tree(nbmodule, 10_000)
optimizer = nbmodule.optim.SGD(model.parameters(), lr=0.01)
for parameter in model.parameters():
    parameter.grad = nbmodule.randn(*parameter.shape)

def train():
    optimizer.step()
    return 1 / step[0]
"""

GRAPH = """
from models import Trainer, many_operations
trainer = Trainer(nbmodule, many_operations)
loss = trainer.loss(trainer.model(trainer.inputs))
print(len(nw.graph(loss, model=trainer.model).facts.nodes))
"""

BEGIN = "import nbmodule\nimport nbmodule_widgets as nw\nfrom models import tree\nnw.show(nbmodule.nn.Linear(1, 1))"


class Lab:
    """A notebook in JupyterLab, and the page that shows it.

    Args:
        cells: Sources by id.
    """

    def __init__(self, cells: dict[str, str]) -> None:
        self.cells = cells

    def __enter__(self) -> Lab:
        with contextlib.ExitStack() as stack:
            self._start(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.notebook.close()
        self._stack.close()

    def _start(self, stack: contextlib.ExitStack) -> None:
        try:
            import nbformat
            from chromium import find_chromium, launch
            from jupyter_lab import LabServer, NotebookPage
            from playwright.sync_api import sync_playwright
        except ImportError as missing:
            raise CannotRun(f"the browser part needs what the tests need: {missing}") from missing
        if find_chromium() is None:
            raise CannotRun(
                "no Chromium found; set NBMODULE_CHROMIUM to the path of its executable"
            )
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        home, work = Path(folder), Path(folder) / "work"
        work.mkdir()
        cells = [nbformat.v4.new_code_cell(text, id=name) for name, text in self.cells.items()]
        server = stack.enter_context(LabServer(work, home))  # wants an empty folder
        kernel = {
            "kernelspec": {"name": "python3", "display_name": "Python 3"}
        }  # else the page asks
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=kernel), work / "bench.ipynb")
        browser = launch(stack.enter_context(sync_playwright()))
        stack.callback(browser.close)
        self.page = browser.new_page(viewport={"width": 1280, "height": 1200})
        self.page.set_default_timeout(120_000)
        self.page.add_init_script(EARLY)
        self.notebook = NotebookPage(self.page, server)
        self.notebook.open("bench.ipynb")

    def first(self, cell: str, element: str = ROW) -> float:
        """Seconds from running a cell until the first such element of its view is painted."""
        return self.page.evaluate(FIRST, [cell, element]) / 1e3

    def filter(self, query: str) -> tuple[float, str, int]:
        """Seconds from typing until the rows found are painted; what is found; how many rows exist."""
        ms, found, rows = self.page.evaluate(FILTER, query)
        return ms / 1e3, found, rows

    def run(self, cell: str) -> None:
        """Runs a cell to its end."""
        self.page.evaluate(
            """async (cell) => {
                const notebook = jupyterapp.shell.currentWidget.content;
                notebook.activeCellIndex = notebook.widgets.findIndex((c) => c.model.id === cell);
                await jupyterapp.commands.execute("notebook:run-cell");
            }""",
            cell,
        )
        if errors := self.notebook.errors():
            raise CannotRun(f"the cell {cell!r} raised {errors[0]}")


def show(quick: bool) -> Iterator[Row]:
    """The first row of large trees, and the filter."""
    cells = {"begin": BEGIN}
    for size in (10_000, 100_000):
        cells[f"make-{size}"] = f"model = tree(nbmodule, {size})"
        cells[f"show-{size}"] = "nw.show(model)"
    with Lab(cells) as lab:
        yield Row("the very first view of a page: 1 module", lab.first("begin"), "s")
        for size, target, best in (
            *((10_000, 0.15, "marimo 0.68 s, treescope 26.6 s (drawing alone)"),),
            *((100_000, 1.0, "nothing shows it"),),
        ):
            lab.run(f"make-{size}")
            seconds = [lab.first(f"show-{size}") for _ in range(3 if quick else 5)]
            detail = f"median {statistics.median(seconds):.2f} s of {len(seconds)}"
            yield Row(
                f"run a cell to first row: {size:,} modules",
                min(seconds),
                "s",
                target,
                best,
                detail,
            )
            for query in ("m9", "linear"):
                took, found, rows = lab.filter(query)
                detail = f"{found}; {rows} rows in the DOM"
                yield Row(
                    f"filter {size:,} modules by {query!r}", took, "s", 0.3, "spike 0.04 s", detail
                )
            lab.filter("")
        yield Row("faults in the page", len(lab.notebook.faults), "faults", 0)


def live(quick: bool) -> Iterator[Row]:
    """What a watched loop sends in five seconds, and how long it kept the page busy at most."""
    seconds = 2.0 if quick else 5.0
    loop = f"SECONDS = {seconds}\n{LOOP}"
    cells = {"begin": COUNT_SENDS + BEGIN}
    subjects = {"SimpleModel": TRAIN_SMALL, "10,000 modules": TRAIN_LARGE}
    for number, source in enumerate(subjects.values()):
        cells |= {f"make-{number}": source, f"loop-{number}": loop}
    with Lab(cells) as lab:
        lab.run("begin")
        for number, subject in enumerate(subjects):
            lab.run(f"make-{number}")
            lab.page.evaluate("() => { longest = 0; }")
            lab.run(f"loop-{number}")
            told: list[tuple[int, int, float]] = json.loads(
                lab.notebook.python("print(json.dumps(loop))")
            )
            steps, took = json.loads(lab.notebook.python("print(json.dumps([step[0], took]))"))
            updates: dict[int, int] = {}
            for step, size, _ in told:
                updates[step] = updates.get(step, 0) + size
            if not updates:
                raise CannotRun(f"the watched loop over {subject} told the page nothing")
            sizes = sorted(updates.values())
            detail = f"median {statistics.median(sizes) / 1e3:.1f} kB, {len(told) / len(sizes):.1f} messages each"
            yield Row(f"largest update: {subject}", sizes[-1], "bytes", 40_000, "40 kB", detail)
            rate = len(sizes) / took
            yield Row(
                f"updates in a second: {subject}",
                rate,
                "/s",
                10.5,
                "10 /s",
                f"{steps} steps in {took:.1f} s",
            )
            each = statistics.median(spent for *_, spent in told)
            yield Row(f"one send in Python: {subject}", each, "ms", None, "0.5 ms")
            busy = lab.page.evaluate("() => longest")
            yield Row(f"longest task in the page: {subject}", busy, "ms")
        yield Row("faults in the page", len(lab.notebook.faults), "faults", 0)


def graph(quick: bool) -> Iterator[Row]:
    """The first box of a graph of 10,000 nodes, and how many are drawn at once however much is opened."""
    cells = {"begin": BEGIN, "make": GRAPH, "graph": "nw.graph(loss, model=trainer.model)"}
    with Lab(cells) as lab:
        lab.run("begin")
        lab.run("make")
        nodes = int(lab.notebook.text_of("make"))
        seconds = [lab.first("graph", BOX) for _ in range(3 if quick else 5)]
        detail = f"median {statistics.median(seconds):.2f} s of {len(seconds)}; folded by module"
        best = "torchviz 2,914 nodes: the browser hangs"
        yield Row(f"run a cell to first box: {nodes:,} nodes", min(seconds), "s", 0.5, best, detail)
        drawn = [
            lab.page.evaluate("() => views().at(-1).shadowRoot.querySelectorAll('g.box').length")
        ]
        view = lab.page.locator("section.view").last
        start = time.perf_counter()
        view.get_by_role("button", name="unfold").click()
        lab.page.wait_for_function(
            "(n) => views().at(-1).shadowRoot.querySelectorAll('g.box').length > n", arg=drawn[0]
        )
        took = time.perf_counter() - start
        drawn.append(view.locator(BOX).count())
        words = f"{drawn[0]} at first"
        yield Row(
            f"boxes drawn at once, as many as go unfolded: {nodes:,} nodes",
            drawn[1],
            "",
            500,
            "",
            words,
        )
        yield Row(f"click to all of these drawn: {nodes:,} nodes", took, "s")
        yield Row("faults in the page", len(lab.notebook.faults), "faults", 0)
