"""Patterns as the server compiles and matches them: read as Go's regexp reads them, and matched by RE2."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from pytest_crd.engine.golang.regexp.error import PatternError
from pytest_crd.engine.golang.release import NEWEST, GoRelease

if TYPE_CHECKING:
    from pytest_crd.engine.golang.regexp.patterntree import Node
    from pytest_crd.engine.golang.regexp.re2pattern import Written

# What RE2 may use, in bytes, and what it may use where that is too little: a large class that is repeated a thousand times.
_USUAL_MEMORY: Final = 8 << 20
_MOST_MEMORY: Final = 1 << 30
_KEPT_TEXTS: Final = 64


class PatternTooLargeError(ValueError):
    """A pattern that the server matches, but that takes more memory here than there should be."""


def compile(pattern: str, go: GoRelease = NEWEST) -> Callable[[str], bool]:  # noqa: A001 - read as patterns.compile
    """
    Return a function that says whether a text contains a match of *pattern*.

    Args:
        pattern: As it stands in a schema or a rule.
        go: The Go that the server is built with; left out, for patterns that stand in neither, it is the newest.

    Raises:
        PatternError: The server could not compile it.
        PatternTooLargeError: It would take more than a gigabyte.

    Reference:
        Go's regexp.Compile and MatchString: unanchored, `$` is the end of the text, classes are ASCII.
    """
    written = _for_re2(pattern, go.has_short_group_names, go.has_loose_class_names)
    # Between the bytes of one character RE2 sees no boundary of words, either.
    return _searching(f"\\A(?s:.)*?{written.text}" if written.splits_characters else written.text)


def expression(pattern: str, go: GoRelease) -> Any:
    """
    Return *pattern* as RE2 has compiled it, which says where a match in the bytes of a text begins and ends.

    Raises:
        PatternError: The server could not compile it.
        PatternTooLargeError: It would take more than a gigabyte.
    """
    return _compiled(_for_re2(pattern, go.has_short_group_names, go.has_loose_class_names).text)


def problem_of(pattern: str, go: GoRelease = NEWEST) -> str:
    """Return why *pattern* does not compile, in Go's words; empty when it does."""
    try:
        _for_re2(pattern, go.has_short_group_names, go.has_loose_class_names)
    except PatternError as error:
        return str(error)
    return ""


def tree(pattern: str, go: GoRelease = NEWEST) -> Node:
    """
    Return what *pattern* says.

    Raises:
        PatternError: The server could not compile it.
    """
    return _read(pattern, go.has_short_group_names, go.has_loose_class_names)


@functools.cache
def _for_re2(pattern: str, short_group_names: bool, loose_class_names: bool) -> Written:  # noqa: FBT001 - keys of a cache
    from pytest_crd.engine.golang.regexp import re2pattern  # noqa: PLC0415 - most sessions need no pattern

    return re2pattern.written(_read(pattern, short_group_names, loose_class_names))


def _read(pattern: str, short_group_names: bool, loose_class_names: bool) -> Node:  # noqa: FBT001 - as _for_re2 has them
    from pytest_crd.engine.golang.regexp import patternsyntax  # noqa: PLC0415 - most sessions need no pattern

    reader = patternsyntax.Reader(pattern, short_group_names=short_group_names, loose_class_names=loose_class_names)
    return reader.read()


@functools.cache
def _searching(pattern: str) -> Callable[[str], bool]:
    search = _compiled(pattern).search

    # The same names and defaults come again in the objects of a suite, and RE2's binding takes ten times as long.
    @functools.lru_cache(_KEPT_TEXTS)
    def matches(text: str) -> bool:
        # Given as bytes, because of a str the binding counts where each character begins.
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
                raise  # what was read was not written as RE2 takes it
    raise PatternTooLargeError(f"the pattern takes more than {_MOST_MEMORY >> 30} GiB to match: {pattern[:60]}…")
