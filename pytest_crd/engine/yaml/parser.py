"""
YAML events from libyaml's parser, with plain error messages.

Texts that libyaml accepts and the server's own scanner refuses are refused here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, cast

import yaml
from yaml.events import DocumentStartEvent, ScalarEvent
from yaml.reader import ReaderError

from pytest_crd import lazyre
from pytest_crd.engine.yaml import yamlstream
from pytest_crd.engine.yaml.yamlstream import UnreadableError

# The message of libyaml 0.2.6 and later at a thousand levels; a server accepts more, this engine fewer.
TOO_DEEP: Final = "exceeded maximum nesting depth"
# The server's scanner only supports YAML 1.1.
_VERSIONS: Final = (None, (1, 1))
_BREAK: Final = lazyre.compile("\r\n|[\n\r\x85\u2028\u2029]")
# libyaml skips it, the server's scanner treats it as text.
_INNER_BOM: Final = lazyre.compile("(?:\\A|(?<=[\n\r\x85\u2028\u2029]))\ufeff")
_TAG_AT_END: Final = lazyre.compile(r"(?<!\S)!\S*\Z")
_ESCAPED_SLASH: Final = lazyre.compile(r"[^\\]*(?:\\[^/][^\\]*)*\\/", re.DOTALL)
_REMEDIES: Final = {
    "found character that cannot start any token": "quote a value that begins with it, and indent with spaces, not tabs",
    "mapping values are not allowed in this context": "quote a value that contains ': ', and check the indentation",
    "could not find expected ':'": "a key ends with ': '; check the indentation of the lines around it",
    "did not find expected key": "check the indentation",
    "did not find expected '-' indicator": "check the indentation",
    "found unexpected ':'": "quote a value that ends with ':' inside [] or {}",
    "did not find expected ',' or ']'": "quote a value that contains ':', ',' or brackets inside []",
    "did not find expected ',' or '}'": "quote a value that contains ':', ',' or brackets inside {}",
    "found incompatible YAML document": "the server reads YAML 1.1: leave the %YAML line out",
    "found a tab character that violates indentation": "indent with spaces",
    "found unknown escape character": "write the character itself, or double a backslash that is meant",
}


def events(text: str) -> Callable[[], Any]:
    """
    Return a function that returns the next event of *text*, starting with that of the first document.

    Raises:
        UnreadableError: From here or from the function: only the server's own scanner refuses the text, or libyaml is
            missing.
        UnicodeEncodeError: The text holds a lone surrogate.
        yaml.YAMLError: From here or from the function: the text is not YAML. See problem.
    """
    if not yaml.__with_libyaml__:
        raise UnreadableError(0, "PyYAML was built without libyaml: install one of its wheels, which have it")
    if "\ufeff" in text and (mark := _INNER_BOM.search(text)):
        raise UnreadableError(line_at(text, mark.start()), "byte order mark inside the text: remove it")
    advance: Callable[[], Any] = yaml.cyaml.CParser(text).get_event  # type: ignore[attr-defined]  # the stubs hide it
    advance()
    if "\\/" not in text:
        return advance

    def next_event() -> Any:
        event = advance()
        if type(event) is ScalarEvent and event.style == '"':
            _refuse_escaped_slash(event, text)
        return event

    return next_event


def is_parsable(content: bytes) -> bool:
    """Return whether libyaml can parse a text: much faster than its events, without a verdict on values."""
    try:
        yaml.cyaml.CParser(content).raw_parse()  # type: ignore[attr-defined]  # the stubs hide it
    except yaml.YAMLError:
        return False
    return True


def check_version(event: Any) -> None:
    """
    Check the `%YAML` directive of a document start event.

    Raises:
        UnreadableError: The server does not support that version.
    """
    if type(event) is DocumentStartEvent and event.version not in _VERSIONS:
        raise UnreadableError(_line(event), _with_remedy("found incompatible YAML document"))


def check_flow_scalar(event: Any) -> None:
    """
    Check a scalar inside [] or {}.

    Raises:
        UnreadableError: It is plain and has a `?`, where the server's scanner ends it.
    """
    if type(event) is ScalarEvent and "?" in event.value and not event.style:
        raise UnreadableError(_line(event), "a plain scalar inside [] or {} has a '?': quote it")


def check_flow_tag(event: Any, text: str) -> None:
    """
    Check the tag of a scalar inside [] or {}.

    Raises:
        UnreadableError: A comma follows it directly, which the server's scanner treats as a part of the tag.
    """
    start, end = event.start_mark.index, event.end_mark.index
    if event.tag is not None and text.startswith(",", end) and _TAG_AT_END.search(text[start:end]):
        raise UnreadableError(_line(event), "a comma follows a tag: write a blank between them")


def problem(text: str, error: yaml.YAMLError | UnicodeEncodeError) -> UnreadableError:
    """Return libyaml's error about *text*, with its line and a remedy for common errors."""
    if isinstance(error, UnicodeEncodeError):
        return UnreadableError(line_at(text, error.start), _undecodable(text[error.start]))
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        if error.problem == TOO_DEEP:
            return UnreadableError(mark.line + 1 if mark else 0, yamlstream.TOO_DEEP)
        message = _with_remedy(str(error.problem))
        return UnreadableError(
            mark.line + 1 if mark else 0, f"{message} ({error.context})" if error.context else message
        )
    error = cast("ReaderError", error)
    # The position counts bytes; the character is its code point.
    index = len(text.encode()[: error.position].decode(errors="ignore"))
    return UnreadableError(line_at(text, index), f"{error.reason}: U+{error.character:04X}")


def line_at(text: str, index: int) -> int:
    """Return the 1-based line of the character at *index*, with YAML's line breaks."""
    return 1 + sum(1 for _ in _BREAK.finditer(text, 0, index))


def _refuse_escaped_slash(event: Any, text: str) -> None:
    if _ESCAPED_SLASH.match(text[event.start_mark.index : event.end_mark.index]):
        raise UnreadableError(_line(event), _with_remedy("found unknown escape character"))


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _undecodable(char: str) -> str:
    if "\udc80" <= char <= "\udcff":
        return f"not UTF-8: byte 0x{ord(char) - 0xDC00:02x}; save the file as UTF-8"
    return f"not Unicode: the lone surrogate U+{ord(char):04X}"


def _with_remedy(problem: str) -> str:
    remedy = _REMEDIES.get(problem)
    return f"{problem}: {remedy}" if remedy else problem
