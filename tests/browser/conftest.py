"""One JupyterLab for all browser tests, one Chromium for each module, a fresh page for each test."""

from __future__ import annotations

import contextlib

import pytest
from chromium import launch, require_chromium
from jupyter_lab import LabServer, NotebookPage

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


@pytest.fixture
def notebook(server, browser):
    context = browser.new_context(viewport={"width": 1200, "height": 1600}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(90_000)  # a limit for loaded machines, not a wait
    opened = NotebookPage(page, server)
    yield opened
    with contextlib.suppress(Exception):  # JupyterLab keeps its theme for the next page
        page.evaluate(LIGHT)
    opened.close()
    context.close()
