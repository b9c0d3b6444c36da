"""The `nbmodule` command: lab, check, mine, exam, reset, doctor."""

from __future__ import annotations

import argparse
import errno
import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import nbmodule

from . import folders
from .folders import DEFAULT_FOLDER
from .launch import THREADS, one_thread
from .wording import UsageError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; return 0 when all is well, 1 when a check failed, 2 for a wrong call, 130 after Ctrl-C."""
    _never_fail_to_print()
    _use_one_thread()
    arguments, more = _split(list(sys.argv[1:] if argv is None else argv))
    asked = _parser().parse_args(arguments)
    if more and asked.run is not _lab:
        _parser().error("only `nbmodule lab` takes arguments after --")
    asked.more = more
    try:
        return asked.run(asked)
    except UsageError as error:
        print(f"nbmodule: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped. Run the same command again to go on.", file=sys.stderr)
        return 128 + signal.SIGINT
    except OSError as error:
        said = f"{error.filename or 'the disk'}: {error.strerror}. {_remedy(error)}"
        print(f"nbmodule: {said}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        print(
            f'nbmodule: {error.name} is not installed. Try: pip install "nbmodule[lab]"',
            file=sys.stderr,
        )
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="nbmodule", description="Understand nn.Module: chapters, exercises and live views."
    )
    parser.add_argument("--version", action="version", version=f"nbmodule {nbmodule.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    lab = commands.add_parser(
        "lab", help="write the chapters to a folder and open JupyterLab on them"
    )
    lab.add_argument(
        "folder", nargs="?", type=Path, metavar="DIR", help=f"default: ./{DEFAULT_FOLDER}"
    )
    lab.add_argument("--port", type=int, help="use this port (default: the first free one)")
    lab.add_argument(
        "--no-browser", action="store_true", help="print the address instead of opening it"
    )
    lab.epilog = "Arguments after -- go to JupyterLab itself."
    lab.set_defaults(run=_lab)
    check = commands.add_parser("check", help="check an exercise in your saved notebook")
    check.add_argument("exercise", metavar="ID", help='such as 02.3, or "all"')
    _add_folder(check)
    check.set_defaults(run=_check)
    mine = commands.add_parser("mine", help="show your class Module as it is so far")
    _add_folder(mine)
    mine.set_defaults(run=_mine)
    exam = commands.add_parser(
        "exam", help="take an exam with your class Module, and write a page to keep"
    )
    exam.add_argument(
        "--final",
        action="store_true",
        help="take the final exam instead of the first: all layers, rebuilt on your class",
    )
    _add_folder(exam)
    exam.set_defaults(run=_exam)
    reset = commands.add_parser(
        "reset", help="reset one exercise to its start, or take one method out of your class"
    )
    reset.add_argument("exercise", metavar="ID", help="such as 02.3, or a method such as __dir__")
    _add_folder(reset)
    reset.set_defaults(run=_reset)
    doctor = commands.add_parser("doctor", help="examine the installation and report every fault")
    doctor.set_defaults(run=_doctor)
    return parser


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="DIR", help="where your chapters are"
    )


def _lab(asked: argparse.Namespace) -> int:
    from . import lab
    from .doctor import missing_browser

    folder = asked.folder or folders.nearby() or Path(DEFAULT_FOLDER)
    folder = folder.expanduser().resolve()
    for line in lab.prepare(folder, asked.port).lines():
        print(line)
    print("Starting JupyterLab. Press Ctrl-C in this window to stop it.")
    browser = not asked.no_browser
    if browser and missing_browser():
        print("No browser was found. Open the address that JupyterLab prints.")
        browser = False
    return lab.start(lab.command(folder, asked.port, browser, asked.more), folder)


def _check(asked: argparse.Namespace) -> int:
    passed = []
    for verdict in _verdicts(asked.exercise, _existing_edition(asked.folder)):
        print(verdict.text, end="\n\n")
        passed.append(verdict.passed)
    if len(passed) > 1:
        print(f"{sum(passed)} of {len(passed)} exercises solved")
    return 0 if all(passed) else 1


def _verdicts(exercise: str, folder: Path) -> Iterator:
    """Check one exercise, or with "all" every one whose chapter is in `folder`."""
    from .chapters import chapters, read_cells
    from .editions import chapter_of, read_reader_notebook, reader_file
    from .exercise import find_exercise
    from .replay import check_notebook

    if exercise == "all":
        there = [chapter for chapter in chapters() if (folder / chapter.path.name).is_file()]
        wanted = [(chapter, chapter.exercise_ids) for chapter in there]
    else:
        wanted = [(chapter_of(find_exercise(exercise).id), [exercise])]
    for chapter, exercise_ids in wanted:
        file = reader_file(chapter, folder)
        read_reader_notebook(file)
        yield from check_notebook(read_cells(file), exercise_ids, file)


def _reset(asked: argparse.Namespace) -> int:
    from .editions import reset
    from .mine.commands import is_exercise, take_back

    folder = _existing_edition(asked.folder)
    said = [reset(asked.exercise, folder)] if is_exercise(asked.exercise) else []
    said.append(take_back(asked.exercise, folder))
    print("\n".join(filter(None, said)))
    return 0


def _mine(asked: argparse.Namespace) -> int:
    from .mine.commands import overview

    print(overview(_existing_edition(asked.folder)))
    return 0


def _exam(asked: argparse.Namespace) -> int:
    from .exams import exam
    from .mine import kept_file

    place = kept_file.place(_existing_edition(asked.folder))
    doing = "Rebuilding every layer on" if asked.final else "Asking"
    said = "This takes some seconds, and a minute on a busy computer."
    print(f"{doing} your {place.name}. {said}", flush=True)
    report = exam(place, final=asked.final)
    print(report)
    return 0 if report.passed else 1


def _doctor(_asked: argparse.Namespace) -> int:
    from .doctor import doctor_outside

    diagnosis = doctor_outside(tell=partial(print, flush=True))  # at once: a kernel takes its time
    print(diagnosis.summary)
    return 0 if diagnosis.well else 1


def _existing_edition(folder: Path | None) -> Path:
    """Return the reader's folder: the one named, or the one that is found."""
    from .editions import is_edition

    if folder is None:
        found = folders.anywhere()
    else:
        found = folder.expanduser().resolve() if is_edition(folder.expanduser()) else None
    if found is None:
        where = folder or f"this folder, nor in a {DEFAULT_FOLDER} here or above"
        raise UsageError(
            f"There are no chapters in {where}. Name the folder that holds yours, or write them with: nbmodule lab DIR"
        )
    return found


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """Divide the arguments at the first `--`."""
    if "--" not in argv:
        return argv, []
    here = argv.index("--")
    return argv[:here], argv[here + 1 :]


def _use_one_thread() -> None:
    """Let this process compute as the kernels do that `nbmodule lab` starts, unless the reader chose otherwise."""
    if not any(os.environ.get(name) for name in THREADS):
        nbmodule.set_num_threads(1)
    os.environ.update(one_thread())


def _remedy(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "Try: free some space, then run the command again. Your files are unharmed."
    return "Try: make it writable, or name another folder: nbmodule lab DIR"


def _never_fail_to_print() -> None:
    """A console that knows no ✓ shows a question mark instead of stopping the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


if __name__ == "__main__":
    sys.exit(main())
