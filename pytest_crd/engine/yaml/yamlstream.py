"""
Streams: decoding of bytes to text, splitting into documents, and errors about unreadable texts.

kubectl splits a stream at lines that begin with `---` before it parses anything; a request body is not split.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine import jsonvalue
from pytest_crd.records import NamedTuple

# The message about a line that `find_unread_line` returns.
UNREAD_MESSAGE: Final = "Kubernetes reads nothing between `...` and the next `---`; remove `...`, or add `---` here"

_BOM: Final = "\ufeff"
# With an explicit line break, because a search for `^` would stop at every line of a large text.
_SEPARATOR: Final = lazyre.compile(r"(?:\A|\n)---([^\n]*)")
_BODY_SEPARATOR: Final = lazyre.compile(r"[\n\r\x85\u2028\u2029]---(?=[\s\x85\u2028\u2029]|\Z)")
_EMPTY_LINE: Final = lazyre.compile(r"(?:---(?: +#[ -~]*| *)| *(?:#[ -~]*)?)\r?\n")
_DOCUMENT_END: Final = lazyre.compile(r"\.\.\.(?:\s|\Z)")
TOO_DEEP: Final = f"nested more than {jsonvalue.MAX_DEPTH} levels deep"


class Text(NamedTuple):
    """
    A text to read.

    Attributes:
        content: The text without its byte order mark; invalid UTF-8 bytes are lone surrogates.
        maybe_json: Whether it begins like JSON; with a byte order mark, the server treats it as YAML.
        has_mark: Whether there was a byte order mark; kubectl treats it as a part of the first line.
        is_utf16: Whether it was UTF-16, which is allowed in a request body but not in a stream.
    """

    content: str
    maybe_json: bool
    has_mark: bool = False
    is_utf16: bool = False


class Chunk(NamedTuple):
    """A part of a text, the number of lines before it, and the text behind the preceding `---` on its line."""

    text: str
    offset: int
    heading: str = ""


def decode(text: str | bytes) -> Text:
    """
    Return *text* decoded from UTF-8, or from UTF-16 with a byte order mark.

    Raises:
        UnreadableError: UTF-16 that is truncated or invalid.

    Reference:
        go.yaml.in/yaml/v2 readerc.go, yaml_parser_determine_encoding.
    """
    if isinstance(text, bytes):
        if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            try:
                return Text(text.decode("utf-16"), maybe_json=False, has_mark=True, is_utf16=True)
            except UnicodeDecodeError as error:
                raise UnreadableError(0, f"not UTF-16: {error.reason}; save the file as UTF-8") from None
        text = text.decode(errors="surrogateescape")
    content = text.removeprefix(_BOM)
    return Text(content, maybe_json=text.lstrip()[:1] == "{", has_mark=content is not text)


def split(text: str, offset: int = 0, *, after_mark: bool = False) -> list[Chunk]:
    """
    Return the documents of a stream, split as by kubectl.

    Args:
        text: The stream.
        offset: The number of lines before it.
        after_mark: Whether a byte order mark precedes it, so that its first line does not begin with `---`.

    Raises:
        UnreadableError: Text other than a comment follows `---` on a line.

    Reference:
        apimachinery util/yaml decoder.go, (*YAMLReader).Read: a separator stays only at the beginning of a document.
    """
    text = text.replace("\r\n", "\n")
    if text and not text.endswith("\n"):
        text += "\n"
    chunks: list[Chunk] = []
    start, heading = 0, ""
    for separator in _separators(text, after_mark=after_mark):
        behind = separator[1].strip()
        if behind and not behind.startswith("#"):
            line = offset + text.count("\n", start, separator.start(1)) + 1
            raise UnreadableError(line, f"invalid Yaml document separator: {behind}: {_remedy(separator[1])}")
        begin = separator.start(1) - len("---")
        if begin > start:
            chunks.append(Chunk(text[start:begin], offset, heading))
            offset += text.count("\n", start, separator.end() + 1)
            start, heading = separator.end() + 1, behind
    chunks.append(Chunk(text[start:], offset, heading))
    # Each document is parsed separately, so each may begin with a byte order mark; that of the text is already removed.
    return chunks[:1] + [chunk._replace(text=chunk.text.removeprefix(_BOM)) for chunk in chunks[1:]]


def next_document(text: str, end: int) -> int | None:
    """Return the index of the next document separator in a body, from *end* on; None without one."""
    if "---" not in text:
        return None
    # A document without an end marker ends at the separator, one character behind the line break.
    separator = _BODY_SEPARATOR.search(text, max(end - 1, 0))
    return separator.end() - len("---") if separator else None


def empty_documents(text: str) -> int:
    """
    Return the length of the empty documents at the start of a body: blank lines, comments and `---`.

    Parsing them separately would read the body once for each.
    """
    position = end = 0
    while line := _EMPTY_LINE.match(text, position):
        if line[0].startswith("---"):
            end = position
        position = line.end()
    return end


def find_unread_line(text: str) -> int | None:
    """
    Return the 1-based line of text that Kubernetes silently skips; None if it reads everything.

    Args:
        text: The stream.

    Reference:
        apimachinery util/yaml decoder.go splits at `---` only; go.yaml.in/yaml/v2 yaml.go, unmarshal, reads one
        document of each part, which `...` ends.
    """
    if not text.startswith("...") and "\n..." not in text:
        return None  # `...` inside a line does not matter
    ended = False
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("---"):
            ended = False
        elif _DOCUMENT_END.match(line):
            ended = True
        elif ended and line.strip() and not line.lstrip().startswith("#"):
            return number
    return None


def _separators(text: str, *, after_mark: bool) -> Iterator[re.Match[str]]:
    start = 0 if text.startswith("---") and not after_mark else text.find("\n---")
    while start >= 0 and (separator := _SEPARATOR.match(text, start)):
        yield separator
        start = text.find("\n---", separator.end())


def _remedy(behind: str) -> str:
    return "put the document on the next line" if behind[0].isspace() else "quote or indent what is no separator"


class UnreadableError(Exception):
    """
    A text that cannot be read.

    Attributes:
        line: 1-based line within that text, or 0 for all of it.
        message: The error, and its correction if one is known.
    """

    def __init__(self, line: int, message: str) -> None:
        """Create with a line, counted within the text, and a message."""
        super().__init__(message)
        self.line = line
        self.message = message
