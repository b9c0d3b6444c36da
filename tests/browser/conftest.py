"""One JupyterLab for all browser tests, one Chromium for each module, a fresh page for each test."""

from __future__ import annotations

import contextlib

import pytest
from chromium import launch, require_chromium
from jupyter_lab import LabServer, NotebookPage

FAILED = pytest.StashKey[bool]()
LIGHT = """async () => {
    if (document.body.dataset.jpThemeLight === "false")
        await jupyterapp.commands.execute("apputils:change-theme", { theme: "JupyterLab Light" });
}"""


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    require_chromium()  # before anything is started
    home = tmp_path_factory.mktemp("jupyter")
    (home / "work").mkdir()
    with LabServer(home / "work", home) as running:
        yield running


# Not for the session: a process can run one synchronous Playwright at a time, and other tests need theirs.
@pytest.fixture(scope="module")
def browser():
    require_chromium()
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        running = launch(started)
        yield running
        running.close()


@pytest.fixture(scope="module")
def lab(server, browser):
    """A page that keeps JupyterLab from test to test: to load it costs four times what a notebook costs."""
    kept = Lab(browser, server)
    yield kept
    kept.close()


@pytest.fixture
def notebook(lab, request):
    opened = lab.page()
    yield opened
    lab.give_back(well=not request.node.stash.get(FAILED, False))


@pytest.fixture
def fresh_notebook(browser, server):
    """A page of its own, for tests that reload, change the theme, or move tabs around."""
    alone = Lab(browser, server)
    yield alone.page()
    alone.close()


class Lab:
    """A page with JupyterLab in it, and a new one where a test has failed or has gone elsewhere."""

    def __init__(self, browser, server) -> None:
        self._browser, self._server, self._opened = browser, server, None

    def page(self) -> NotebookPage:
        """Return the page, with no notebook open and no fault noted."""
        if self._opened is None:
            size = {"width": 1200, "height": 1600}
            self._context = self._browser.new_context(viewport=size, reduced_motion="reduce")
            page = self._context.new_page()
            page.set_default_timeout(90_000)  # a limit for loaded machines, not a wait
            self._opened = NotebookPage(page, self._server)
        self._opened.faults.clear()
        return self._opened

    def give_back(self, well: bool) -> None:
        """End the kernels; keep the page, unless something in it went wrong."""
        if not (well and self._opened is not None and self._opened.empty()):
            self.close()

    def close(self) -> None:
        """End the kernels and close the page."""
        if self._opened is not None:
            with contextlib.suppress(Exception):  # JupyterLab keeps its theme for the next page
                self._opened.page.evaluate(LIGHT)
            self._opened.close()
            self._context.close()
            self._opened = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Note a failure for the fixtures, and add to it what the page shows and what the server said."""
    report = yield
    if report.failed:
        item.stash[FAILED] = True
        opened = next(
            (v for v in getattr(item, "funcargs", {}).values() if isinstance(v, NotebookPage)), None
        )
        if opened is not None:
            report.sections.append(("the notebook's page", opened.described()))
    return report
