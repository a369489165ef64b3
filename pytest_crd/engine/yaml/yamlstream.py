"""
Streams: which bytes are which text, and where one document of it ends and the next begins.

kubectl cuts a stream at lines that begin with `---` before anything is parsed; a request body is not cut.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from pytest_crd.engine.yaml.unreadable import UnreadableError

# What to say of a line that `unread` finds.
UNREAD: Final = "Kubernetes reads nothing between `...` and the next `---`; remove `...`, or add `---` here"

_BOM: Final = "\ufeff"
# The line break is written out: a search for `^` would stop at every line of a large text.
_SEPARATOR: Final = re.compile(r"(?:\A|\n)---([^\n]*)")
_BODY_SEPARATOR: Final = re.compile(r"[\n\r\x85\u2028\u2029]---(?=[\s\x85\u2028\u2029]|\Z)")
_JSON_START: Final = re.compile(r"\s*\{")
_EMPTY_LINE: Final = re.compile(r"(?:---(?: +#[ -~]*| *)| *(?:#[ -~]*)?)\r?\n")
_DOCUMENT_END: Final = re.compile(r"\.\.\.(?:\s|\Z)")


class Text(NamedTuple):
    """
    A text to read.

    Attributes:
        content: The text without its byte order mark; bytes that are not UTF-8 are lone surrogates.
        maybe_json: Whether it begins as JSON does; a byte order mark makes the server take it for YAML.
        has_mark: Whether there was a byte order mark; to kubectl it is a part of the first line.
        is_utf16: Whether it came as UTF-16, which a request body may be and a stream may not.
    """

    content: str
    maybe_json: bool
    has_mark: bool = False
    is_utf16: bool = False


class Chunk(NamedTuple):
    """A part of a text, how many lines stand before it, and what follows the `---` before it on its line."""

    text: str
    offset: int
    heading: str = ""


def decode(text: str | bytes) -> Text:
    """
    Return *text* as text: UTF-8, or UTF-16 where a byte order mark says so.

    Raises:
        UnreadableError: UTF-16 that is cut off or not Unicode.

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
    return Text(content, maybe_json=_JSON_START.match(text) is not None, has_mark=content is not text)


def split(text: str, offset: int = 0, *, after_mark: bool = False) -> list[Chunk]:
    """
    Return the documents of a stream, as kubectl cuts it.

    Args:
        text: The stream.
        offset: How many lines stand before it.
        after_mark: Whether a byte order mark stands before it, so that its first line does not begin with `---`.

    Raises:
        UnreadableError: A line begins with `---` and goes on with something other than a comment.

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
    # Each document is parsed by itself, so each may begin with a byte order mark; that of the text is gone already.
    return chunks[:1] + [chunk._replace(text=chunk.text.removeprefix(_BOM)) for chunk in chunks[1:]]


def next_document(text: str, end: int) -> int | None:
    """Return the index of the next separator of documents in a body, from *end* on; None when there is none."""
    if "---" not in text:
        return None
    # A document without an end marker ends where the separator begins, one behind the line break.
    separator = _BODY_SEPARATOR.search(text, max(end - 1, 0))
    return separator.end() - len("---") if separator else None


def empty_documents(text: str) -> int:
    """
    Return the length of the empty documents that a body begins with, as far as they are blank lines, comments and `---`.

    To parse each of them by itself would read the body once for each.
    """
    at = end = 0
    while line := _EMPTY_LINE.match(text, at):
        if line[0].startswith("---"):
            end = at
        at = line.end()
    return end


def unread(text: str) -> int | None:
    """
    Return the 1-based line where something stands that Kubernetes passes over without a word; None when all is read.

    Args:
        text: The stream.

    Reference:
        apimachinery util/yaml decoder.go cuts at `---` alone; go.yaml.in/yaml/v2 yaml.go, unmarshal, reads one document of
        each part, which `...` ends.
    """
    if not text.startswith("...") and "\n..." not in text:
        return None  # dots stand in many a description
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
