"""What a page does not need of a source: comments, blanks that mean nothing, and the word "const".

A view's script travels with each view and is stored with it in the notebook. Names keep their letters, so it can
still be read and debugged in the browser. Strings, templates and regular expressions stay as they are; what a
template holds may have no braces in braces (`too_deep` finds them), and a loop no empty body.
"""

import re

_INSIDE = r"\$\{(?: [^`{}] | \{[^`{}]*\} | `(?:\\.|[^`\\])*` )*\}"  # what a template holds
_TOKEN = re.compile(
    r"""
    ( "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' | `(?: \\. | INSIDE | [^`\\] )*`   # a string
    | (?:(?<=[(,=:?&|!])|(?<=[(,=:?&|!][ ]))                                 # a regular expression:
      /(?![*/]) (?: \[(?:\\.|[^\]\\\n])*\] | \\. | [^/\\\[\n] )+ /[a-z]* )   # no division stands there
    | \b( const )\b                                                          # shorter: let
    | /\*.*?\*/ | //[^\n]*                                                   # a comment
    | [ ]*( => | [=!]==? | && | \|\| | \?\? | [-+*/|&?]?= | [<>?:] )[ ]*     # a sign
    | (?<=[\w)\]"'`])[ ]( [-+*/%] )[ ](?=[\w(\["'`.])                        # not `a + +b`
    | [,;]?\s*( \} )[ ]* | (?:(?<=[\w)\]}"'`]),)?\s*( [])] )[ ]*             # closing brackets, and a comma before
    | \s*( [{(,;] )\s*                                                       # opening ones, and new lines in them
    | (\s*\n\s*)
    """.replace("INSIDE", _INSIDE),
    re.DOTALL | re.VERBOSE,
)


def squeezed_script(source: str) -> str:
    """JavaScript without comments, without indentation and most blanks and line ends."""

    def kept(found: re.Match[str]) -> str:
        *tokens, line = found.groups()
        token = next(filter(None, tokens), "\n" if line else "")
        return "let" if token == "const" else token

    return re.sub(r"\n+", "\n", _TOKEN.sub(kept, source)).strip()


def too_deep(source: str) -> list[int]:
    """The lines on which a template begins that cannot be squeezed: it holds braces in braces."""
    return [
        source.count("\n", 0, found.start()) + 1
        for found in _TOKEN.finditer(source)
        if found[0].startswith("`")
        and re.search(r"(?<!\\)\$\{", re.sub(_INSIDE, "", found[0], flags=re.VERBOSE))
    ]


def squeezed_styles(source: str) -> str:
    """CSS without comments and without blanks that mean nothing; no string in it may hold such blanks."""
    words = " ".join(re.sub(r"/\*.*?\*/", "", source, flags=re.DOTALL).split())
    return re.sub(r" ?([{};,>]) ?|(:) ", lambda found: found[1] or found[2], words).replace(
        ";}", "}"
    )
