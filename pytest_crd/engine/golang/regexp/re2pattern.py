"""
Writer of patterns in RE2's syntax that match the same texts as in Go.

It spells out all parts that RE2 and Go may interpret differently: flags, and the code points of every class.
"""

from __future__ import annotations

import functools
from typing import Final, NamedTuple

from pytest_crd.engine.golang.regexp import runesets
from pytest_crd.engine.golang.regexp.patterntree import Alternate, Assertion, Chars, Concat, Node, Repeat
from pytest_crd.engine.golang.regexp.runesets import RuneSet

_NOTHING: Final = "(?:)"
_OPERATORS: Final = {(0, None): "*", (1, None): "+", (0, 1): "?"}
_SHORT_CLASSES: Final = {runesets.ALL: "(?s:.)", runesets.NO_NEWLINE: "[^\\n]"}


class Written(NamedTuple):
    """
    Pattern in RE2's syntax.

    Attributes:
        text: The pattern.
        splits_characters: It might match between the bytes of one character, where Go does not match.
    """

    text: str
    splits_characters: bool


def write(root: Node) -> Written:
    """Return the syntax tree *root* in RE2's syntax."""
    texts: list[str] = []
    # An explicit stack, because patterns may nest thousands of groups, beyond Python's recursion limit.
    remaining: list[str | Node] = [root]
    while remaining:
        node = remaining.pop()
        if isinstance(node, Chars):
            texts.append(_class(node.runes))
        elif isinstance(node, str):
            texts.append(node)
        elif isinstance(node, Concat):
            remaining += node.parts[::-1] or (_NOTHING,)
        elif isinstance(node, Alternate):
            remaining.append(")")
            for branch in node.branches[:0:-1]:
                remaining += (branch, "|")
            remaining += (node.branches[0], "(?:")
        elif isinstance(node.part, Chars | Alternate):
            remaining += (_bounds(node), node.part)
        else:
            remaining += (f"){_bounds(node)}", node.part, "(?:")
    return Written("".join(texts), Assertion.NO_WORD_BOUNDARY in texts)


def _bounds(repeat: Repeat) -> str:
    bounds = _OPERATORS.get((repeat.least, repeat.most))
    if bounds is None:
        bounds = f"{{{repeat.least},{'' if repeat.most is None else repeat.most}}}"
    return f"{bounds}?" if repeat.is_lazy else bounds


@functools.lru_cache(maxsize=1024)
def _class(runes: RuneSet) -> str:
    if short := _SHORT_CLASSES.get(runes):
        return short
    if not runes:
        return f"[^\\x{{0}}-\\x{{{runesets.LAST:x}}}]"
    if len(runes) == 1 and runes[0][0] == runes[0][1]:
        return _rune(runes[0][0])
    return "[" + "".join(f"{_rune(first)}-{_rune(last)}" for first, last in runes) + "]"


def _rune(char: int) -> str:
    return chr(char) if char < 0x80 and chr(char).isalnum() else f"\\x{{{char:x}}}"
