"""Finding and starting the headless Chromium that the browser tests drive."""

from __future__ import annotations

import os
from typing import Any

import pytest

from nbmodule_course.chromium import REMEDY, find_chromium

# `--no-sandbox` is for containers, where tests run as root and Chromium refuses to start otherwise.
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
]


def require_chromium() -> str:
    """The path, or a skip that says what to do; a failure where NBMODULE_REQUIRE_BROWSER=1."""
    found = find_chromium()
    if found is None and os.environ.get("NBMODULE_REQUIRE_BROWSER") == "1":
        pytest.fail(f"no Chromium found: {REMEDY}")
    if found is None:
        pytest.skip(f"no Chromium found: {REMEDY}")
    return found


def launch(playwright: Any) -> Any:
    """Starts a headless browser with Playwright's sync API."""
    return playwright.chromium.launch(
        executable_path=require_chromium(), headless=True, args=_ARGUMENTS, timeout=120_000
    )
