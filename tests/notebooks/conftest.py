"""Every test here has its own progress file and its own `my_module.py`; `course` replaces the chapters by a tiny one."""

from __future__ import annotations

import pytest
import scratch_course
from course_chapters import ROOT, load

from nbmodule_course import chapters, progress_file, stubs
from nbmodule_course.mine import kept_file


@pytest.fixture(autouse=True)
def progress_path(tmp_path, monkeypatch):
    path = tmp_path / "kept" / "progress.json"
    monkeypatch.setenv(progress_file.ENVIRONMENT, str(path))
    monkeypatch.setenv(kept_file.ENVIRONMENT, str(tmp_path / "mine" / kept_file.NAME))
    return path


@pytest.fixture
def course(tmp_path, monkeypatch):
    """The folder of a course that holds chapter 98 alone."""
    folder = tmp_path / "course"
    scratch_course.write_course(folder)
    monkeypatch.setattr(chapters, "folder", lambda: folder)
    stubs._work_places.cache_clear()
    yield folder
    stubs._work_places.cache_clear()


@pytest.fixture
def builder():
    """`scripts/build_notebooks.py` as a module."""
    return load(ROOT / "scripts" / "build_notebooks.py")
