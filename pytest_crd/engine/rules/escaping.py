"""
Escaping of property names as CEL identifiers: `a-b` becomes `a__dash__b`.

Reference:
    apiserver pkg/cel/escaping.go.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_crd import lazyre

RESERVED: Final = frozenset(
    {
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if"),
        *("import", "let", "loop", "package", "namespace", "return", "var", "void", "while"),
    }
)
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_NAMES: Final = {escape[2:-2]: text for text, escape in _ESCAPES.items()}
_PLAIN: Final = lazyre.compile(r"[A-Za-z0-9_./-]*", re.ASCII)
_ESCAPABLE: Final = lazyre.compile(r"__|[-./]")
_ESCAPED: Final = lazyre.compile(r"__[^_]+__")


def escape(name: str) -> str | None:
    """Return the property *name* as an identifier; None if it has no escaped form, so that expressions cannot use it."""
    if name.isidentifier() and name.isascii() and "__" not in name and name not in RESERVED:
        return name  # the usual case
    if not name or name[0] in "0123456789" or not _PLAIN.fullmatch(name):
        return None
    if name in RESERVED:
        return f"__{name}__"
    return _ESCAPABLE.sub(lambda match: _ESCAPES[match[0]], name)


def unescape(identifier: str) -> str | None:
    """Return the property name of an *identifier*; None if it is not a valid escape."""
    if "__" not in identifier:
        return identifier
    is_wrong = False

    def replace(match: re.Match[str]) -> str:
        nonlocal is_wrong
        contents = match[0][2:-2]
        if contents in _NAMES:
            return _NAMES[contents]
        is_wrong = is_wrong or contents not in RESERVED or match[0] != identifier
        return contents

    name = _ESCAPED.sub(replace, identifier)
    return None if is_wrong else name
