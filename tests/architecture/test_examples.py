"""The examples in docstrings print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import nbmodule

MODULES = ["nbmodule", *(m.name for m in pkgutil.walk_packages(nbmodule.__path__, "nbmodule."))]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0
