"""
What Go's Sprintf makes of a text that it takes for a format, although there is nothing to format.

Until cel-go 0.22 the messages of syntax errors go through it, with what stands in the expression.

Reference:
    Go fmt/print.go, doPrintf.
"""

from __future__ import annotations

import re
from typing import Final

_CLAUSE: Final = re.compile(
    r"""
    %[+\-#\ 0]*+
    (?P<index>\[[^\]]*+\])?
    (?P<width>\*|[0-9]*+)
    (?:\.(?P<precision>\*|[0-9]*+))?
    (?P<verb>.?)
    """,
    re.VERBOSE | re.DOTALL,
)


def misformat(text: str) -> str:
    """Return *text* with what looks like clauses of a format replaced by complaints that there is nothing for them."""
    return _CLAUSE.sub(_complain, text)


def _complain(clause: re.Match[str]) -> str:
    bad = ("%!(BADWIDTH)" if clause["width"] == "*" else "") + ("%!(BADPREC)" if clause["precision"] == "*" else "")
    verb = clause["verb"]
    if not verb:
        return f"{bad}%!(NOVERB)"
    if verb == "%":
        return f"{bad}%"
    return f"{bad}%!{verb}({'BADINDEX' if clause['index'] else 'MISSING'})"
