"""Compilation and matching of patterns as in the server: Go's syntax, matched by RE2."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from pytest_crd.engine.golang.regexp.patterntree import PatternError
from pytest_crd.engine.golang.release import NEWEST, GoRelease

if TYPE_CHECKING:
    from pytest_crd.engine.golang.regexp.patterntree import Node
    from pytest_crd.engine.golang.regexp.re2pattern import Written

# Memory limit of RE2 in bytes, and the limit for larger patterns, such as a thousand repetitions of a large class.
_USUAL_MEMORY: Final = 8 << 20
_MOST_MEMORY: Final = 1 << 30
_KEPT_TEXTS: Final = 64


class PatternTooLargeError(ValueError):
    """Pattern that the server matches but that exceeds the memory limit here."""


def compile(pattern: str, go: GoRelease = NEWEST) -> Callable[[str], bool]:  # noqa: A001 - read as patterns.compile
    """
    Return a predicate that tests whether a text contains a match of *pattern*.

    Args:
        pattern: The pattern in Go's syntax.
        go: Go release of the server. The default suits patterns that do not come from a schema or a rule.

    Raises:
        PatternError: The server cannot compile it.
        PatternTooLargeError: It takes more than a gigabyte.

    Reference:
        Go's regexp.Compile and MatchString: unanchored, `$` is the end of the text, classes are ASCII.
    """
    written = _for_re2(pattern, go.has_short_group_names, go.has_loose_class_names)
    # RE2 would match `\\B` between the bytes of one character, so the prefix consumes whole characters.
    return _searching(f"\\A(?s:.)*?{written.text}" if written.splits_characters else written.text)


def expression(pattern: str, go: GoRelease) -> Any:
    """
    Return *pattern* as a compiled RE2 object; match positions are in bytes.

    Raises:
        PatternError: The server cannot compile it.
        PatternTooLargeError: It takes more than a gigabyte.
    """
    return _compiled(_for_re2(pattern, go.has_short_group_names, go.has_loose_class_names).text)


def find_problem(pattern: str, go: GoRelease = NEWEST) -> str:
    """Return Go's error for *pattern*; empty if it compiles."""
    try:
        _for_re2(pattern, go.has_short_group_names, go.has_loose_class_names)
    except PatternError as error:
        return str(error)
    return ""


def tree(pattern: str, go: GoRelease = NEWEST) -> Node:
    """
    Return the syntax tree of *pattern*.

    Raises:
        PatternError: The server cannot compile it.
    """
    return _read(pattern, go.has_short_group_names, go.has_loose_class_names)


@functools.cache
def _for_re2(pattern: str, short_group_names: bool, loose_class_names: bool) -> Written:  # noqa: FBT001 - keys of a cache
    from pytest_crd.engine.golang.regexp import re2pattern  # noqa: PLC0415 - most sessions need no pattern

    return re2pattern.write(_read(pattern, short_group_names, loose_class_names))


def _read(pattern: str, short_group_names: bool, loose_class_names: bool) -> Node:  # noqa: FBT001 - as _for_re2 has them
    from pytest_crd.engine.golang.regexp import patternsyntax  # noqa: PLC0415 - most sessions need no pattern

    reader = patternsyntax.Reader(pattern, short_group_names=short_group_names, loose_class_names=loose_class_names)
    return reader.read()


@functools.cache
def _searching(pattern: str) -> Callable[[str], bool]:
    search = _compiled(pattern).search

    # The objects of a suite repeat names and defaults, and a call of RE2's binding takes ten times as long as the cache.
    @functools.lru_cache(_KEPT_TEXTS)
    def matches(text: str) -> bool:
        # Bytes, because for a str the binding computes the offset of every character.
        return search(text.encode("utf-8", "surrogatepass")) is not None

    return matches


def _compiled(pattern: str) -> Any:
    import re2  # noqa: PLC0415 - costs 2 ms, and most sessions need no pattern

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    for memory in (_USUAL_MEMORY, _MOST_MEMORY):
        options.max_mem = memory
        try:
            return re2.compile(pattern, options)
        except re2.error as error:
            if b"pattern too large" not in error.args[0]:
                raise  # a bug in re2pattern
    raise PatternTooLargeError(f"the pattern takes more than {_MOST_MEMORY >> 30} GiB to match: {pattern[:60]}…")
