"""Directives: comments at the top of a document about its objects, `# crd: refused spec.x` or `# crd: ignore REASON`."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pytest_crd.engine.yaml.document import Document

_DIRECTIVE: Final = re.compile(r"#\s*crd:(.*)")
_HOW: Final = "write `# crd: refused`, `# crd: refused FIELD …` or `# crd: ignore REASON`"


class Directive(NamedTuple):
    """
    The directive for the objects of a document.

    Attributes:
        is_refused: Whether a server must refuse them.
        fields: The fields of the expected errors, as the server spells them; empty for any.
        ignored: The reason to ignore them; empty if they are not ignored.
        problem: The mistake in the comment; may be empty.
    """

    is_refused: bool = False
    fields: tuple[str, ...] = ()
    ignored: str = ""
    problem: str = ""


def find_directive(document: Document) -> Directive:
    """Return the directive in the comments before the content of a document, or on its first line."""
    before, behind = document.comments
    directives = [match[1].strip() for line in before if (match := _DIRECTIVE.fullmatch(line.strip()))]
    if any(map(_DIRECTIVE.fullmatch, behind)):
        return Directive(
            problem="a comment `# crd:` counts only before the content of its document, or on its first line"
        )
    if len(directives) > 1:
        return Directive(problem="several comments `# crd:`; only one counts")
    return _read(directives[0]) if directives else Directive()


def _read(text: str) -> Directive:
    word, _, rest = text.partition(" ")
    if word == "refused":
        return Directive(is_refused=True, fields=tuple(rest.split()))
    if word == "ignore" and rest.strip():
        return Directive(ignored=rest.strip())
    return Directive(problem=f"`# crd: {text}` says nothing: {_HOW}")
