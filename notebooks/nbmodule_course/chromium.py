"""Where this computer has a Chromium: the browser tests drive one, and `doctor` says where there is none."""

from __future__ import annotations

import os
import shutil

REMEDY = (
    "install one (Debian: apt-get install chromium-headless-shell) or set NBMODULE_CHROMIUM to the path of its "
    "executable"
)
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


def find_chromium() -> str | None:
    """Path of a Chromium, Chrome or Edge on this machine, or None."""
    for candidate in (os.environ.get("NBMODULE_CHROMIUM"), *_NAMES, *_PATHS):
        found = shutil.which(candidate) if candidate else None
        if found:
            return found
    return None
