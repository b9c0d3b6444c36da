"""`my_module.py`: a passed check puts the reader's own text into it, and nothing that the reader wrote is ever lost."""

import ast
import os
from pathlib import Path

import growing_course
import nbformat
import pytest

from nbmodule_course import chapters, check, editions, stubs
from nbmodule_course.__main__ import main
from nbmodule_course.markers import stub_of, without_markers
from nbmodule_course.mine import course_map, kept_blocks, kept_file, kept_text
from nbmodule_course.mine.cells import read_cell
from nbmodule_course.mine.view import growing_class
from nbmodule_course.replay import Session

INIT, ROWS, ROOM, FIND, COUNT = map(
    without_markers,
    (
        growing_course.INIT,
        growing_course.ROWS,
        growing_course.ROOM,
        growing_course.FIND,
        growing_course.COUNT,
    ),
)
FILE = Path("my_module.py")


@pytest.fixture(autouse=True)
def in_a_course(tmp_path, monkeypatch):
    folder = growing_course.write_course(tmp_path / "course")
    monkeypatch.setattr(chapters, "folder", lambda: folder)
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    stubs._work_places.cache_clear()
    yield
    stubs._work_places.cache_clear()


class Notebook:
    """A chapter that runs."""

    def __init__(self, chapter):
        self.chapter = chapter
        self.session = Session()
        self.session.__enter__()
        self.run(growing_course.START + f"# {chapter}")

    def run(self, source):
        error = self.session.run(source)
        assert error is None, error

    def solve(self, exercise_id, source, takes="Module"):
        self.run(source)
        report = check(exercise_id, self.session.names[takes])
        assert report.passed, report
        return report

    @property
    def mine(self):
        return self.session.names["mine"]

    def end(self):
        self.session.__exit__()


@pytest.fixture
def notebook():
    opened = []

    def start(chapter):
        opened.append(Notebook(chapter))
        return opened[-1]

    yield start
    for each in reversed(opened):
        each.end()


def solve_all(notebook):
    notebook("91").solve("91.1", INIT)
    second = notebook("92")
    second.solve("92.1", ROWS)
    second.solve("92.2", ROOM)
    third = notebook("93")
    third.solve("93.1", FIND)
    third.solve("93.2", COUNT, "count")
    return third


def test_the_file_is_one_class_in_the_readers_own_words(notebook):
    first = notebook("91")
    report = first.solve("91.1", INIT)
    assert report.landing.to_text() == "Saved in my_module.py: `__init__`."
    assert '<a href="my_module.py">my_module.py</a>' in report.to_html()
    assert "Saved in my_module.py" in report.to_text()
    text = FILE.read_text()
    assert "    # The drawers come first.\n    def __init__(self):\n        # Past any" in text
    second = notebook("92")
    assert second.mine.methods["__init__"].whose == "yours"
    second.solve("92.1", ROWS)
    report = second.solve("92.2", ROOM)
    assert report.landing.names == ("__setattr__", "_make_room")
    assert report.landing.kept_as == "my_module_earlier/002.py"
    third = notebook("93")
    third.solve("93.2", COUNT, "count")
    third.solve("93.1", FIND)
    names = {}
    exec(FILE.read_text(), names)  # it stands alone
    net = names["Module"]()
    net.child = names["Module"]()
    assert names["count"](net) == 1
    assert net.child is net._modules["child"]
    tree = ast.parse(FILE.read_text())
    module = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    methods = [node.name for node in module.body if isinstance(node, ast.FunctionDef)]
    assert methods == ["__init__", "__setattr__", "_make_room", "__getattr__"]
    assert "if isinstance(value, Parameter):" not in FILE.read_text()  # of 92.1


def test_restart_and_run_all_changes_nothing(notebook):
    solve_all(notebook)
    before, versions = FILE.read_text(), sorted(os.listdir("my_module_earlier"))
    again = notebook("92")
    assert "__getattr__" not in vars(again.mine.so_far)
    said = again.solve("92.1", ROWS).landing.to_text()
    assert said == "my_module.py keeps your `__setattr__` from 92.2, which comes later."
    again.solve("92.2", ROOM)
    assert (FILE.read_text(), sorted(os.listdir("my_module_earlier"))) == (before, versions)


def test_what_the_reader_wrote_by_hand_stays(notebook):
    solve_all(notebook)
    by_hand = "    def shout(self):\n        return 'hey'  # mine\n"
    FILE.write_text(FILE.read_text() + "\n" + by_hand + "\n\nTEN = 10\n")
    again = notebook("92")
    assert again.mine.methods["shout"].whose == "yours"
    again.run(ROOM.replace("_make_room", "_free"))
    assert check("92.2", again.session.names["Module"]).passed
    text = FILE.read_text()
    assert by_hand in text
    assert "TEN = 10" in text
    assert "_free" in text
    assert "_make_room" not in text  # it was part of this exercise and is gone from its cell
    assert "_make_room" in Path("my_module_earlier/005.py").read_text()


def test_an_edit_by_hand_counts_in_the_next_chapter(notebook):
    solve_all(notebook)
    FILE.write_text(FILE.read_text().replace("training=True", "training='edited'"))
    assert notebook("92").mine.so_far().training == "edited"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("class Module:\n    def f(self:\n", "is not valid Python in line 2"),
        ("import nothing_at_all\n", "Line 1 raises ModuleNotFoundError"),
        ("x = 1\n", "There is no class `Module`"),
        ("class Module(dict): pass\n", "inherits from `dict`"),
        ("class Module:\n    def f(self):\n        return lost\n", "your `f` uses `lost`"),
    ],
)
def test_a_damaged_file_is_explained_and_locks_nobody_out(notebook, capsys, text, said):
    FILE.write_text(text)
    second = notebook("92")
    second.run("carried_again = __import__('nbmodule_course').carried(chapter='92')")
    from nbmodule_course import carried

    assert said in (carried(chapter="92") and capsys.readouterr().out)
    assert second.mine.methods["__init__"].whose == "ours"
    report = second.solve("92.1", ROWS)
    if "valid Python" in said or "inherits" in said:
        assert "Not saved in my_module.py: " in report.to_text()
        assert FILE.read_text() == text
    else:
        assert text.strip().splitlines()[0] in FILE.read_text()
        assert "def __setattr__" in FILE.read_text()


def test_an_empty_class_on_one_line_is_filled(notebook):
    FILE.write_text("class Module: pass\n")
    notebook("91").solve("91.1", INIT)
    names = {}
    exec(FILE.read_text(), names)
    assert names["Module"]().training


def test_a_file_that_is_gone_begins_again(notebook):
    solve_all(notebook)
    FILE.unlink()
    third = notebook("93")
    assert third.mine.methods["__init__"].whose == "ours"
    third.solve("93.1", FIND)
    assert "__getattr__" in FILE.read_text()


def test_two_notebooks_do_not_overwrite_each_other(notebook):
    first, third = notebook("91"), notebook("93")
    third.solve("93.1", FIND)
    first.solve("91.1", INIT)
    text = FILE.read_text()
    assert text.index("def __init__") < text.index("def __getattr__")


def test_only_the_readers_own_work_lands(notebook):
    second = notebook("92")
    second.run(stub_of(growing_course.ROWS))
    report = check("92.1", second.session.names["Module"])
    assert report.status == "not started"
    assert not FILE.exists()
    second.run(ROOM)
    second.run(stub_of(growing_course.ROWS))  # the cell above is run again, untouched
    assert check("92.2", second.session.names["Module"]).landing is None or not FILE.exists()


def test_a_missing_decorator_is_said(notebook):
    third = notebook("93")
    report = third.solve("93.2", COUNT.replace("@mine.extend\n", ""), "count")
    assert "Not saved in my_module.py: the line `@mine.extend` is missing" in report.to_text()


def test_a_file_of_an_older_edition_still_counts(notebook):
    solve_all(notebook)
    text = FILE.read_text().replace("# exercise 92.2", "# exercise 92.7")
    FILE.write_text(text.replace("# exercise 91.1\n", "# exercise 90.1, as it was then\n"))
    third = notebook("93")
    assert {origin.whose for origin in third.mine.methods.values()} == {"yours"}
    assert third.mine.methods["__init__"].exercise_id == "91.1"
    third.solve("93.1", FIND)
    assert "as it was then" in FILE.read_text()


def test_names_from_elsewhere_are_imported_moved_along_or_named(notebook):
    second = notebook("92")
    second.run("import nbmodule.nn.functional as F\nfrom collections import OrderedDict as Table")
    helper = "LIMIT = 3\n\ndef tidy(name):\n    return name[:LIMIT * 9]\n\n"
    body = ROWS.replace("        if", "        Table, F.relu, tidy(name)\n        if")
    second.solve("92.1", helper + body)
    text = FILE.read_text()
    for line in ("from nbmodule.nn import functional as F", "from collections import OrderedDict as Table", "LIMIT = 3", "def tidy"):  # fmt: skip
        assert line in text
    exec(text, {})
    second.run("def elsewhere(name):\n    return name")
    report = second.solve("92.1", body.replace("tidy(", "elsewhere("))
    assert "`__setattr__` uses `elsewhere`, which another cell defines" in report.to_text()
    assert FILE.read_text() == text
    report = second.solve("92.1", body.replace("tidy(name)", "mine.functional"))
    assert "`mine`, which exists only in the notebook" in report.to_text()


@pytest.mark.parametrize(
    "before", ["before = Module.__setattr__", "class Old:\n    before = Module.__setattr__"]
)
def test_the_method_of_before_is_not_kept_in_a_file_where_it_would_be_the_new_one(notebook, before):
    second = notebook("92")
    second.run("from nbmodule.nn import Module")
    text = FILE.read_text() if FILE.exists() else ""
    call = "Old.before, name" if "Old" in before else "before, name"
    body = ROWS.replace("        if", f"        {call}\n        if", 1)
    report = second.solve("92.1", f"{before}\n\n\n{body}")
    name = "Old" if "Old" in before else "before"
    assert f"`{name}` keeps `Module.__setattr__`" in report.to_text()
    assert (FILE.read_text() if FILE.exists() else "") == text
    report = second.solve("92.1", ROWS)
    assert "Saved in" in report.to_text()


def test_a_method_in_a_cell_of_its_own_moves_along_if_the_answer_calls_it(notebook):
    first = notebook("91")
    first.run("@mine.extend\nclass Module:\n    def _drawer(self):\n        return {}\n")
    first.run("@mine.extend\nclass Module:\n    def alone(self):\n        return 1\n")
    assert first.mine.methods["_drawer"].exercise_id == ""
    first.solve("91.1", INIT.replace("_modules={}", "_modules=self._drawer()"))
    assert "def _drawer" in FILE.read_text()
    assert "def alone" not in FILE.read_text()


def test_a_method_written_again_is_of_the_later_exercise_whatever_its_text_is_like(notebook):
    """The cell of 92.2 looks like that of 92.1, and the frontend sends no id: the check tells them apart."""
    notebook("91").solve("91.1", INIT)
    second = notebook("92")
    second.solve("92.1", ROWS)
    again = ROWS.replace("else:", "elif True:")
    second.solve("92.2", again)
    assert second.mine.methods["__setattr__"].exercise_id == "92.2"
    shown = [row.note for row in second.mine.view.methods if row.name == "__setattr__"]
    assert shown == ["yours, exercise 92.2"]
    assert "# exercise 92.2\n    def __setattr__" in FILE.read_text()
    second.run(
        'from nbmodule_course import check; check("92.1", Module)'
    )  # it's still the later one's
    assert second.mine.methods["__setattr__"].exercise_id == "92.2"


def test_texts_over_several_lines_are_kept_to_the_letter(notebook):
    odd = INIT.replace(
        "        # Past any",
        '        """Make the drawers.\n\n        All of them.\n        """\n        note = """\nfirst column\n  two\n"""\n        # Past any',
    )
    notebook("91").solve("91.1", odd)
    names = {}
    exec(FILE.read_text(), names)
    assert "\nfirst column\n  two\n" in names["Module"].__init__.__code__.co_consts
    assert '"""Make the drawers.\n\n        All of them.\n        """' in FILE.read_text()
    two = "@mine.extend\nclass Module:\n  def __init__(self):\n    vars(self).update(training=1, _modules={})\n"
    notebook("91").solve("91.1", two)
    exec(FILE.read_text(), {})


def test_taking_one_method_back(notebook):
    solve_all(notebook)
    text = FILE.read_text()
    gone = [block for block in kept_blocks.blocks(text) if block.exercise_id == "92.2"]
    after = kept_text.remove(text, gone)
    assert "def __setattr__" not in after
    assert "__init__" in after
    everything = [block for block in kept_blocks.blocks(text) if block.kind == "method"]
    ast.parse(kept_text.remove(text, everything))
    put_back = kept_text.add(after, "92.2", read_cell(ROOM).methods)
    assert put_back == text


@pytest.fixture
def edition(tmp_path):
    editions.write_edition(tmp_path / "mine")
    return tmp_path / "mine"


def put(edition, name, cell, source):
    file = edition / name
    notebook = nbformat.read(file, 4)
    notebook.cells[cell].source = source
    nbformat.write(notebook, file)


def test_the_command_shows_the_class_and_takes_methods_back(edition, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # the file is beside the notebooks, wherever the command is called
    put(edition, "92_setattr.ipynb", 2, ROWS)
    put(edition, "92_setattr.ipynb", 4, ROOM)
    assert main(["mine", str(edition)]) == 0
    assert "There is no my_module.py" in capsys.readouterr().out
    assert main(["check", "92.2", str(edition)]) == 0
    assert "Saved in my_module.py: `__setattr__` and `_make_room`." in capsys.readouterr().out
    assert main(["mine", str(edition)]) == 0
    out = capsys.readouterr().out
    assert "✓ __setattr__  yours, exercise 92.2" in out
    assert "✓ _make_room   yours, exercise 92.2" in out
    assert str(edition / "my_module.py") in out
    assert main(["reset", "_make_rom", str(edition)]) == 2
    assert 'Did you mean "_make_room"?' in capsys.readouterr().err
    assert main(["reset", "_make_room", str(edition)]) == 0
    assert "Taken out of my_module.py: _make_room." in capsys.readouterr().out
    assert main(["reset", "92.2", str(edition)]) == 0
    out = capsys.readouterr().out
    assert "Exercise 92.2 in 92_setattr.ipynb is as it was at the start." in out
    assert "Taken out of my_module.py: __setattr__." in out
    assert "__setattr__" not in (edition / "my_module.py").read_text()
    assert (edition / "my_module_earlier" / "001.py").exists()
    (edition / "my_module.py").write_text("class Module(:")
    assert main(["mine", str(edition)]) == 0
    assert "is not valid Python in line 1" in capsys.readouterr().out
    assert main(["reset", "__init__", str(edition)]) == 2
    assert "nothing was taken out" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_said(notebook, monkeypatch):
    first = notebook("91")
    first.mine.file = Path("nowhere/my_module.py").absolute()
    report = first.solve("91.1", INIT)
    assert "Not saved in my_module.py: No such file or directory" in report.to_text()


def test_versions_are_kept_once(tmp_path):
    file = tmp_path / "my_module.py"
    texts = ["a = 1\n", "a = 2\n", "a = 1\n", "a = 2\n", "a = 3\n"]
    kept = [kept_file.update(file, lambda _, text=text: text).kept_as for text in texts]
    assert kept == ["", *(f"my_module_earlier/00{n}.py" for n in (1, 2, 1, 2))]


HAND = "\n    def shout(self):\n        return 'hey'  # mine, précieux\n"


@pytest.mark.parametrize(
    "edited",
    [
        lambda text: text.replace("    ", "\t"),
        lambda text: text.replace("    ", "  "),
        lambda text: text.replace("class Module:", "class Module(object):"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("class Module:", "class Module:\n    def old(self): pass\n\n\nclass Module:"),
    ],
    ids=["tabs", "two spaces", "object as a parent", "Windows line ends", "a mark at the start", "two classes"],
)  # fmt: skip
def test_a_file_in_another_style_takes_the_next_answer(notebook, edited):
    notebook("91").solve("91.1", INIT)
    FILE.write_bytes(edited(FILE.read_text() + HAND).encode())
    report = notebook("92").solve("92.1", ROWS)
    assert report.landing.problem == ""
    names = {}
    exec(FILE.read_text(encoding="utf-8-sig"), names)
    module = names["Module"]()
    assert module.shout() == "hey"
    assert "__setattr__" in vars(names["Module"])


@pytest.mark.parametrize(
    ("text", "notice", "problem"),
    [
        ("raise SystemExit\n", "Line 1 raises SystemExit", ""),
        ("x = 1\0\n", "is not valid Python: ", "it is not valid Python"),
        ("x = " + "-" * 20000 + "1\n", "cannot be", "nested too deep"),
        ("class Module: old = 1\nclass Module: pass\n", "two classes `Module`", ""),
    ],
)
def test_a_strange_file_is_a_sentence_and_no_traceback(notebook, capsys, text, notice, problem):
    from nbmodule_course import carried

    FILE.write_text(text)
    assert notice in (carried(chapter="92") and capsys.readouterr().out)
    assert problem in notebook("92").solve("92.1", ROWS).landing.problem


def test_a_file_that_its_owner_made_read_only_stays_as_it_is(notebook):
    notebook("91").solve("91.1", INIT)
    before = FILE.read_text()
    FILE.chmod(0o444)
    report = notebook("92").solve("92.1", ROWS)
    assert "Not saved in my_module.py: the file is read-only." in report.to_text()
    assert FILE.read_text() == before


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own there")
def test_a_link_stays_a_link(notebook, tmp_path):
    elsewhere = tmp_path / "kept_elsewhere.py"
    elsewhere.write_text("")
    elsewhere.chmod(0o644)
    FILE.symlink_to(elsewhere)
    notebook("91").solve("91.1", INIT)
    assert FILE.is_symlink()
    assert "__init__" in elsewhere.read_text()
    assert elsewhere.stat().st_mode & 0o777 == 0o644


def test_no_earlier_version_is_overwritten_whatever_its_name(tmp_path):
    file, folder = tmp_path / "my_module.py", kept_file.earlier_beside(tmp_path / "my_module.py")
    folder.mkdir()
    for name in ("9.py", "010.py", "1000.py", "999.py"):
        (folder / name).write_text(name)
    file.write_text("mine")
    kept_file.update(file, lambda text: text + "more")
    assert (folder / "1001.py").read_text() == "mine"
    assert all(
        (folder / name).read_text() == name for name in ("9.py", "010.py", "1000.py", "999.py")
    )


def test_what_is_to_come_names_every_chapter_that_writes_something():
    beside, methods = course_map.beside_by_chapter(), course_map.methods_by_chapter()
    shown = dict(
        growing_class({}, {}, {name for names in methods.values() for name in names}).missing
    )
    assert sorted(shown) == sorted({*beside, *methods})
    for chapter, names in [*beside.items(), *methods.items()]:
        assert {*names} <= {*shown[chapter]}, chapter
