"""What happens inside IPython: display of last lines, refreshing after cells, the reader's names."""

from __future__ import annotations

import signal
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from module_subjects import Forgetful, Linear, Module, Net, ReturnsNone

import nbmodule_widgets as nw
from nbmodule_widgets.views import kernel, live, tree


@pytest.fixture
def ipython(monkeypatch, tmp_path):
    """A shell of our own, which the views take for the running one."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    running = InteractiveShell()
    monkeypatch.setattr(live, "shell", lambda: running)
    monkeypatch.setattr("nbmodule_widgets.display.shell", lambda: running)
    monkeypatch.setattr("nbmodule_widgets.views.anatomy.shell", lambda: running)
    return running


def shown(running: InteractiveShell, obj: object) -> dict[str, Any]:
    return running.display_formatter.format(obj)[0]


def test_install_shows_modules_and_leaves_everything_else_alone(ipython):
    class WithHtml(Module):
        def _repr_html_(self) -> str:
            return "mine"

    class WithBundle(Module):
        def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
            return {"text/plain": "mine"}, {}

    others = (
        WithHtml(),
        WithBundle(),
        [1, {"a": 2}],
        Net,
        "text",
        None,
        3.5,
        np.ones(2),
        Forgetful,
    )
    before = [shown(ipython, obj) for obj in others]
    nw.install()
    nw.install()
    assert [shown(ipython, obj) for obj in others] == before
    bundle = shown(ipython, Net())
    assert bundle["text/plain"] == nw.text(Net())
    assert "text/html" in bundle
    nw.uninstall()
    assert "text/html" not in shown(ipython, Net())


def test_install_respects_what_was_registered_before(ipython):
    formatter = ipython.display_formatter.mimebundle_formatter
    formatter.for_type(object, lambda obj: {"text/x-other": "other"})
    nw.install()
    assert shown(ipython, 5)["text/x-other"] == "other"
    assert "text/x-other" not in shown(ipython, Net())
    nw.uninstall()
    assert shown(ipython, Net())["text/x-other"] == "other"


def test_a_seen_view_looks_again_after_each_cell(ipython, wire, from_page):
    model = Net()
    view, unseen = nw.show(model), nw.show(model)
    from_page(view, kind="opened")
    model.third = Linear(1, 1)
    wire.sent.clear()
    ipython.events.trigger("post_run_cell", None)
    assert "third" in view.tree["names"]
    assert "third" not in unseen.tree["names"]
    wire.sent.clear()
    ipython.events.trigger("post_run_cell", None)
    assert wire.sent == []
    from_page(view, kind="closed")
    del model.third
    ipython.events.trigger("post_run_cell", None)
    assert "third" in view.tree["names"]  # nobody sees it, so nobody pays for it
    nw.uninstall()


def test_lines_know_the_variables_of_the_notebook_and_leave_them_alone(ipython):
    ipython.user_ns.update(Linear=Linear, width=2)
    view = nw.lessons.anatomy(Net())
    assert view.try_line("self.fc = Linear(width, width)").after == "_modules"
    view.try_line("width = 99")
    assert ipython.user_ns["width"] == 2
    assert "self" not in ipython.user_ns
    nw.uninstall()


def test_a_closed_view_is_left_alone(ipython, wire, from_page):
    model = Net()
    view = nw.show(model)
    from_page(view, kind="opened")
    view.close()
    model.third = Linear(1, 1)
    ipython.events.trigger("post_run_cell", None)
    assert "third" not in view.tree["names"]
    nw.uninstall()


def test_lines_from_the_page_run_where_the_cells_run(ipython, monkeypatch, from_page):
    """JupyterLab may deliver them on another thread, which "interrupt" does not reach."""
    waiting: list[tuple[Any, ...]] = []
    loop = SimpleNamespace(add_callback=lambda *call: waiting.append(call))
    running = SimpleNamespace(kernel=SimpleNamespace(io_loop=loop), user_ns={})
    view = nw.lessons.anatomy(Net(), namespace={"threading": threading, "found": (found := [])})
    monkeypatch.setattr(kernel, "shell", lambda: running)
    line = "found.append(threading.current_thread())"
    page = threading.Thread(target=lambda: from_page(view, kind="try", line=line))
    page.start()
    page.join()
    assert found == []
    assert not view.state["copy"]
    ((run, *arguments),) = waiting
    before = signal.getsignal(signal.SIGINT)
    run(*arguments)
    assert found == [threading.main_thread()]
    assert signal.getsignal(signal.SIGINT) is before
    nw.uninstall()


def test_what_goes_wrong_after_a_cell_is_shown_in_the_view(ipython, from_page, capsys):
    model = ReturnsNone()
    view = nw.show(model)
    from_page(view, kind="opened")
    kept = dict(vars(model))
    vars(model).clear()  # nothing about it is like a Module any more
    ipython.events.trigger("post_run_cell", None)
    assert view.problem.startswith("TypeError: facts() needs a Module")
    vars(model).update(kept)
    ipython.events.trigger("post_run_cell", None)
    assert view.problem == ""
    assert capsys.readouterr() == ("", "")
    nw.uninstall()


def test_a_model_on_the_last_line_is_read_once(ipython, monkeypatch):
    monkeypatch.setattr(kernel, "shell", lambda: ipython)
    nw.install()
    mine, read = Net(), []
    monkeypatch.setattr(tree, "facts", lambda model: read.append(model) or nw.facts(model))
    ipython.user_ns["model"] = mine
    assert ipython.run_cell("model").success
    assert sum(model is mine for model in read) == 1
    nw.uninstall()


def test_load_ext_is_install(ipython, monkeypatch):
    """`%load_ext nbmodule_widgets` and `%unload_ext`, as a reader writes them."""
    monkeypatch.setattr(kernel, "shell", lambda: ipython)
    ipython.user_ns["model"] = model = Net()
    assert "text/html" not in shown(ipython, model)
    for _ in range(2):
        assert ipython.run_cell("%load_ext nbmodule_widgets").success
        assert shown(ipython, model)["text/plain"] == nw.text(model)
        assert ipython.run_cell("model").success
        assert ipython.run_cell("%unload_ext nbmodule_widgets").success
        assert "text/html" not in shown(ipython, model)
    assert ipython.run_cell("%reload_ext nbmodule_widgets").success
    assert "text/html" in shown(ipython, model)
    nw.uninstall()
