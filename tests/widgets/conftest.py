"""What the tests of the views share: a wire that remembers, and messages from a page that is not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ipywidgets
import pytest
from chromium import launch
from mock_page import Stage


class Wire:
    """A comm that remembers what was sent through it."""

    sent: list[tuple[dict[str, Any], list[Any]]] = []

    def __init__(self, **opening: Any) -> None:
        self.comm_id = f"{id(self):x}"
        Wire.sent.append((opening.get("data") or {}, opening.get("buffers") or []))

    def send(self, data: Any = None, metadata: Any = None, buffers: Any = None) -> None:
        Wire.sent.append((data or {}, buffers or []))

    def on_msg(self, callback: Any) -> None: ...

    def on_close(self, callback: Any) -> None: ...

    def close(self, *arguments: Any, **more: Any) -> None: ...


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever asks for PyTorch belongs to the tests that CI runs with it."""
    for item in items:
        if "torch" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.torch)


@pytest.fixture(params=["nbmodule", pytest.param("torch", marks=pytest.mark.torch)])
def lib(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Wire]]:
    """Records what the views send to the page."""
    monkeypatch.setattr(ipywidgets.widgets.widget.comm, "create_comm", Wire)
    Wire.sent = []
    yield Wire
    ipywidgets.Widget.close_all()


@pytest.fixture
def from_page() -> Callable[..., None]:
    """Delivers a message to a view as it comes from the page."""

    def deliver(view: Any, **message: Any) -> None:
        view._handle_custom_msg(message, [])

    return deliver


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        running = launch(playwright)
        yield running
        running.close()


@pytest.fixture
def stage(browser: Any, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """A page; a parameter says how many pixels of the screen one of its own takes."""
    context = browser.new_context(
        viewport={"width": 1100, "height": 800}, reduced_motion="reduce", color_scheme="light",
        device_scale_factor=getattr(request, "param", 1),
    )  # fmt: skip
    page = context.new_page()
    page.set_default_timeout(60_000)  # a limit for loaded machines, not a wait
    made = Stage(page)
    yield made
    assert made.trouble == []
    context.close()
