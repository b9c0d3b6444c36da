"""The path through the machine stays short, and what its page says of the files is true."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "nbmodule"
PAGE = (ROOT / "docs" / "reading-the-machine.md").read_text(encoding="utf-8")
LONGEST = 6000  # lines, of the whole path
LONGEST_CLOSELY = 1800  # of them, those that are read closely

STOP = re.compile(r"^## (\d+)\. .*\n\nRead: (.*), (\d+) lines\.\n\n((?:.*\n)*?)(?=^## )", re.M)


def readings(text):
    """Return the pairs of a file and the names in it that `text` says to read; no names stand for the whole file."""
    names = []
    for word in re.findall(r"`([^`]+)`", text):
        if word.endswith(".py"):
            yield word, tuple(names)
            names = []
        else:
            names.append(word)


STOPS = [(n, list(readings(read)), int(lines), body) for n, read, lines, body in STOP.findall(PAGE)]
READ = [reading for _, stop, _, _ in STOPS for reading in stop]
LEANED_ON = PAGE.partition("## What these files lean on")[2].partition("## Answers")[0]
each = pytest.mark.parametrize("stop", STOPS, ids=[f"stop {stop[0]}" for stop in STOPS])


def definitions(tree, prefix=""):
    """Return the classes, functions and methods in `tree` by their names, such as "Node.send"."""
    own = {prefix + node.name: node for node in tree.body if hasattr(node, "name")}
    classes = [(name, node) for name, node in own.items() if isinstance(node, ast.ClassDef)]
    return own | {k: v for name, node in classes for k, v in definitions(node, f"{name}.").items()}


@cache
def nodes(file, names):
    """Return the parts of `file` that are read, as syntax trees."""
    tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
    if not names:
        return [tree]
    defined = definitions(tree)
    assert set(names) <= defined.keys(), f"{file} has no {set(names) - defined.keys()}"
    return [defined[name] for name in names]


def source(file, names):
    """Return the text of what is read of `file`."""
    text = (PACKAGE / file).read_text(encoding="utf-8")
    if not names:
        return text
    lines = text.splitlines()
    starts = [min([n.lineno, *(d.lineno for d in n.decorator_list)]) for n in nodes(file, names)]
    ends = [node.end_lineno for node in nodes(file, names)]
    return "\n".join("\n".join(lines[a - 1 : b]) for a, b in zip(starts, ends, strict=True))


def length(stop):
    return sum(len(source(*reading).splitlines()) for reading in stop)


def told(pattern):
    """Return the number that the page says in these words, across line breaks."""
    return int(re.search(pattern, PAGE.replace("\n", " "))[1].replace(",", ""))


def closely(stop):
    """Return the readings of `stop` that its line "Closely:" names; without such a line, all of them."""
    _, read, _, body = stop
    named = re.match(r"Closely: (.*)\.\n", body)
    if not named:
        return read
    homes = {name: file for file, _ in read for name in definitions(nodes(file, ())[0])}
    return [(homes[name], (name,)) for name in re.findall(r"`([^`]+)`", named[1])]


def imported(file, names):
    """Return the files of the library that the parts that are read import from, also for annotations alone."""
    used = {n.id for part in nodes(file, names) for n in ast.walk(part) if isinstance(n, ast.Name)}
    files = set()
    for statement in ast.walk(nodes(file, ())[0]):
        if isinstance(statement, ast.ImportFrom) and statement.level:
            home = (PACKAGE / file).parents[statement.level - 1]
            module = home.joinpath(*(statement.module or "").split("."))
            for alias in statement.names:
                places = (module / f"{alias.name}.py", module / alias.name / "__init__.py")
                places += (module.with_suffix(".py"), module / "__init__.py")
                place = next(p for p in places if p.exists())
                if not names or (alias.asname or alias.name) in used:
                    files.add(place.relative_to(PACKAGE).as_posix())
    return files


def test_the_page_has_stops_in_order():
    assert [int(n) for n, *_ in STOPS] == list(range(1, len(STOPS) + 1))
    assert len(STOPS) == PAGE.count("\nRead: ") == PAGE.count("*Question:*")
    answers = PAGE.partition("## Answers")[2]
    assert re.findall(r"^(\d+)\. ", answers, re.M) == [n for n, *_ in STOPS]


def test_the_path_is_read_in_a_weekend():
    assert sum(length(stop) for _, stop, _, _ in STOPS) <= LONGEST


def test_what_is_read_closely_fits_into_two_days():
    lines = sum(len(source(*reading).splitlines()) for stop in STOPS for reading in closely(stop))
    assert lines <= LONGEST_CLOSELY
    assert abs(lines - told(r"depends, about ([\d,]+) lines")) <= lines / 20, lines


def test_the_page_says_how_long_the_path_is():
    lines = sum(length(stop) for _, stop, _, _ in STOPS)
    assert abs(lines - told(r"about ([\d,]+) lines take you")) <= lines / 20, lines


@each
def test_a_stop_is_as_long_as_it_says(stop):
    _, read, told, _ = stop
    assert abs(length(read) - told) <= 5 + told / 10, length(read)


@each
def test_what_a_stop_names_stands_there(stop):
    """Names in backticks, here or at a stop before; letters and formulas are no names."""
    number, _, _, body = stop
    seen = "\n".join(source(*reading) for _, stop, _, _ in STOPS[: int(number)] for reading in stop)
    names = re.findall(r"`(\w\w+)`", body)
    assert [name for name in names if not re.search(rf"\b{name}\b", seen)] == []


def test_the_path_imports_nothing_that_the_page_does_not_explain():
    """In both directions: what is leaned on no more leaves the list."""
    whole = {file for file, names in READ if not names}
    needed = {
        other
        for file, names in READ
        for other in imported(file, names) - whole
        if other not in {f for f, _ in READ}
    }
    assert needed == set(re.findall(r"`([\w/]+\.py)`", LEANED_ON))
