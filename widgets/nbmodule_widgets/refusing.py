"""What a view says of a wrong argument, said at the reader's line and not at the end of a list of ours."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from opcode import opmap
from pathlib import Path
from types import TracebackType
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")
_OURS = str(Path(__file__).parent / "_")[:-1]


def refusing(view: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function whose own refusals have one line of ours in their traceback; all other errors keep theirs."""

    @wraps(view)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return view(*args, **kwargs)
        except (TypeError, ValueError, KeyError) as error:
            if _is_refusal(error.__traceback__):
                raise error.with_traceback(None)  # noqa: B904 - the same error, from here on
            raise

    return called


def _is_refusal(trace: TracebackType | None) -> bool:
    """Whether nothing but our code ran, and it raised on purpose: a slip of ours or of the reader's is no refusal."""
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(_OURS):
            return False
        if trace.tb_next is None:
            return code.co_code[trace.tb_lasti] == opmap["RAISE_VARARGS"]
        trace = trace.tb_next
    return False
