"""Classes that stand beside Module and belong to it, such as `RemovableHandle`: they land in `my_module.py`."""

from nbmodule_course import check
from nbmodule_course.mine.solved import solved_text
from nbmodule_course.referee.solutions import solution_source
from nbmodule_course.replay import Session

FIRST = """
from collections import OrderedDict
from nbmodule_course import carried
mine = carried(chapter="15")
Module = mine.so_far
"""


def test_a_class_beside_module_lands_with_module_and_keeps_its_count(tmp_path, monkeypatch):
    monkeypatch.setenv("NBMODULE_MINE", str(tmp_path / "my_module.py"))
    with Session() as session:
        assert session.run(FIRST) is None
        assert session.run(solution_source("15.1")) is None
        handle = session.names["RemovableHandle"]
        report = check("15.1", handle)
        assert report.passed, report
        assert "`RemovableHandle.remove`" in report.landing.to_text()
        assert not (tmp_path / "my_tape.py").exists()
        assert "class RemovableHandle:" in (tmp_path / "my_module.py").read_text()
        count = handle.next_id
        assert count > 0
        assert session.run(solution_source("15.2")) is None  # a later cell resets no counter
        assert handle.next_id == count
        assert session.run("tape = mine.on_my_tape()") is None
        assert session.run("heard = []; net = tape.Module()") is None
        assert session.run("h = net.register_forward_hook(lambda *given: None)") is None
        assert session.names["h"].__class__ is handle
        assert "your class RemovableHandle:" in str(session.names["mine"])


def test_the_file_alone_registers_and_removes_hooks():
    names = {"__name__": "my_module"}
    exec(compile(solved_text("16"), "my_module.py", "exec"), names)
    heard, net = [], names["Module"]()
    net.forward = lambda x: 2 * x
    with net.register_forward_hook(lambda module, args, output: heard.append(output)):
        assert net(3) == 6
    assert net(4) == 8
    assert heard == [6]
