"""What a comment at the top of a document says of its objects: `# crd: refused spec.x`, `# crd: ignore REASON`."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pytest_crd.engine.yaml.document import Document

_DIRECTIVE: Final = re.compile(r"#\s*crd:(.*)")
_HOW: Final = "write `# crd: refused`, `# crd: refused FIELD …` or `# crd: ignore REASON`"


class Directive(NamedTuple):
    """
    What is said of the objects of a document.

    Attributes:
        is_refused: Whether a server must refuse them.
        fields: Where, as it spells the fields; empty where that is not said.
        ignored: Why they are left alone; empty where they are not.
        problem: What is wrong with the comment; empty where nothing is.
    """

    is_refused: bool = False
    fields: tuple[str, ...] = ()
    ignored: str = ""
    problem: str = ""


def of_document(document: Document) -> Directive:
    """Return what the comments say that stand before the content of a document, or on its first line."""
    before, behind = document.comments
    found = [match[1].strip() for line in before if (match := _DIRECTIVE.fullmatch(line.strip()))]
    if any(map(_DIRECTIVE.fullmatch, behind)):
        return Directive(
            problem="a comment `# crd:` counts only before the content of its document, or on its first line"
        )
    if len(found) > 1:
        return Directive(problem="several comments `# crd:`; only one counts")
    return _read(found[0]) if found else Directive()


def _read(text: str) -> Directive:
    word, _, rest = text.partition(" ")
    if word == "refused":
        return Directive(is_refused=True, fields=tuple(rest.split()))
    if word == "ignore" and rest.strip():
        return Directive(ignored=rest.strip())
    return Directive(problem=f"`# crd: {text}` says nothing: {_HOW}")
