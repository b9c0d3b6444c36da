"""Finding and starting the headless Chromium that the browser tests drive."""

from __future__ import annotations

import os
import shutil
from typing import Any

import pytest

_NAMES = (
    "chromium",
    "chromium-browser",
    "chromium-headless-shell",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
_PATHS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
_REMEDY = (
    "no Chromium found: install one (Debian: apt-get install chromium-headless-shell) or set NBMODULE_CHROMIUM "
    "to the path of its executable"
)
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


def find_chromium() -> str | None:
    """Path of a Chromium, Chrome or Edge on this machine, or None."""
    for candidate in (os.environ.get("NBMODULE_CHROMIUM"), *_NAMES, *_PATHS):
        found = shutil.which(candidate) if candidate else None
        if found:
            return found
    return None


def require_chromium() -> str:
    """The path, or a skip that says what to do; a failure where NBMODULE_REQUIRE_BROWSER=1."""
    found = find_chromium()
    if found is None and os.environ.get("NBMODULE_REQUIRE_BROWSER") == "1":
        pytest.fail(_REMEDY)
    if found is None:
        pytest.skip(_REMEDY)
    return found


def launch(playwright: Any) -> Any:
    """Starts a headless browser with Playwright's sync API."""
    return playwright.chromium.launch(
        executable_path=require_chromium(), headless=True, args=_ARGUMENTS, timeout=120_000
    )
