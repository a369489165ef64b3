"""Patterns as the server compiles them: RE2, and errors in the words of Go's regexp."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Final

# What google-re2 takes and Go refuses: `\C`, and group names that are not ASCII.
_ONE_BYTE: Final = re.compile(r"(?<!\\)(?:\\\\)*\\C")
_GROUP_NAME: Final = re.compile(r"(?<!\\)(?:\\\\)*\(\?P?<([^>=!][^>]*)>")
_GO_WORDS: Final = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "trailing \\": "trailing backslash at end of expression",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
}


class PatternError(ValueError):
    """A pattern that does not compile; the message is that of Go's regexp.Compile."""


@functools.cache
def compile(pattern: str) -> Callable[[str], bool]:  # noqa: A001 - read as patterns.compile
    """
    Return a function that says whether a text contains a match of *pattern*.

    Raises:
        PatternError: The server could not compile it.

    Reference:
        Go's regexp.Compile and MatchString: unanchored, `$` is the end of the text, classes are ASCII.
    """
    import re2  # noqa: PLC0415 - costs 2 ms, and most sessions need no pattern

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    if found := _ONE_BYTE.search(pattern):
        raise PatternError(f"error parsing regexp: invalid escape sequence: `{found.group()[-2:]}`")
    for name in _GROUP_NAME.finditer(pattern):
        if not name.group(1).isascii():
            raise PatternError(f"error parsing regexp: invalid named capture: `{name.group()}`")
    try:
        search = re2.compile(pattern, options).search
    except re2.error as error:
        raise PatternError(_in_go_words(error)) from None
    # Given as bytes, because of a str RE2's binding counts where each character begins.
    return lambda text: search(text.encode("utf-8", "surrogatepass")) is not None


def problem_of(pattern: str) -> str:
    """Return why *pattern* does not compile, in Go's words; empty when it does."""
    try:
        compile(pattern)
    except PatternError as error:
        return str(error)
    return ""


def _in_go_words(error: Exception) -> str:
    text = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
    code, _, fragment = text.partition(": ")
    # Go prints the fragment even where it is empty, as after a trailing backslash.
    return f"error parsing regexp: {_GO_WORDS.get(code, code)}: `{fragment}`"
