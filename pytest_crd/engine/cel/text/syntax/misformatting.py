"""
Output of Go's Sprintf for a text used as a format without arguments.

Up to cel-go 0.22, messages of syntax errors pass through Sprintf with excerpts of the expression.

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
    """Return *text* with everything that resembles a format clause replaced by Go's error notation."""
    return _CLAUSE.sub(_complain, text)


def _complain(clause: re.Match[str]) -> str:
    bad = ("%!(BADWIDTH)" if clause["width"] == "*" else "") + ("%!(BADPREC)" if clause["precision"] == "*" else "")
    verb = clause["verb"]
    if not verb:
        return f"{bad}%!(NOVERB)"
    if verb == "%":
        return f"{bad}%"
    return f"{bad}%!{verb}({'BADINDEX' if clause['index'] else 'MISSING'})"
