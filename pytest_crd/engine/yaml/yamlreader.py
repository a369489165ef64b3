"""
Reading of YAML and JSON texts as the API server and kubectl do: same values, same duplicates, same errors.

The content of documents does not matter here. A mistake is a ManifestError with the line; no other exception is raised.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import yaml
from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, StreamEndEvent

from pytest_crd import lazyimport, lazyre
from pytest_crd.engine import inputerror, jsonvalue
from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.yaml import parser, yamlscalar, yamlstream
from pytest_crd.engine.yaml.document import Document, Duplicate, Marks
from pytest_crd.engine.yaml.yamlstream import Chunk, UnreadableError
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from pytest_crd.engine.yaml import decoder, jsonreader, yamlnode
    from pytest_crd.engine.yaml.decoder import DuplicateKey
    from pytest_crd.engine.yaml.jsonreader import Parsed
    from pytest_crd.engine.yaml.yamlnode import YamlNode
else:
    jsonreader = lazyimport.module("pytest_crd.engine.yaml.jsonreader")
    decoder = lazyimport.module("pytest_crd.engine.yaml.decoder")
    yamlnode = lazyimport.module("pytest_crd.engine.yaml.yamlnode")

Format = Literal["yaml", "json"]

NONE: Final = "no document: the text is empty, null, or has nothing but comments"
SEVERAL: Final = "several documents where one is expected: leave one, or put the others into files of their own"

# A text that is meant as JSON, not as a flow mapping: report JSON's error.
_MEANT_AS_JSON: Final = lazyre.compile(r'\s*\{\s*["}]')
_BLANK_IN_LINE: Final = lazyre.compile(r"[^\S\n]*")
# kubectl reads this many bytes ahead before it treats the rest of a JSON stream as YAML.
_LOOK_AHEAD_BYTES: Final = 4


def decode(text: str | bytes, *, source: str = "<text>") -> yamlstream.Text:
    """
    Return the bytes of a file as text.

    Raises:
        ManifestError: UTF-16 that is truncated or invalid.
    """
    return _Source(source).decode(text)


def read(
    text: str | bytes | yamlstream.Text,
    *,
    source: str = "<text>",
    format: Format | None = None,  # noqa: A002 - the usual name of this argument
) -> list[Document]:
    """
    Return the documents of a file.

    Args:
        text: A stream of YAML documents or JSON values; or the result of `decode`, if the caller needs it too.
        source: The file as errors shall name it.
        format: The format of the text; None to decide as kubectl does: JSON, as far as possible, if it begins with `{`.

    Returns:
        The documents in order, without empty ones.

    Raises:
        ManifestError: It cannot be read; with the line if it is known.

    Reference:
        apimachinery util/yaml decoder.go, (*YAMLOrJSONDecoder).Decode; kubectl (cli-runtime visitor.go) skips empty
        documents.
    """
    with_source = _Source(source)
    decoded = text if isinstance(text, yamlstream.Text) else with_source.decode(text)
    if decoded.is_utf16:
        raise with_source.error(UnreadableError(0, "UTF-16, which kubectl does not read: save the file as UTF-8"))
    if format == "yaml" or (format is None and not decoded.maybe_json):
        return with_source.yaml_stream(decoded.content, 0, after_mark=decoded.has_mark)
    return with_source.json_stream(decoded.content, only_json=format == "json")


def read_one(
    text: str | bytes, *, source: str = "<text>", as_yaml: bool = False, takes_first: bool = False
) -> Document:
    """
    Return the document of one request body.

    Args:
        text: One YAML document or one JSON value.
        source: The name in errors.
        as_yaml: Whether to read JSON as YAML too.
        takes_first: True to return the first of several documents, as servers do; otherwise several are an error.

    Raises:
        ManifestError: It cannot be read, or it has no document or several.

    Reference:
        apimachinery runtime/serializer/json json.go, (*Serializer).Decode.
    """
    with_source = _Source(source)
    decoded = with_source.decode(text)
    documents = with_source.json_body(decoded.content) if decoded.maybe_json and not as_yaml else []
    documents = documents or with_source.yaml_body(decoded.content, only_first=takes_first)
    if len(documents) == 1:
        return documents[0]
    if documents:
        raise with_source.error(UnreadableError(documents[1].line, SEVERAL))
    raise with_source.error(UnreadableError(0, NONE))


class _Source(NamedTuple):
    """Name of a text in messages, with the steps of reading it."""

    name: str

    def error(self, problem: UnreadableError, offset: int = 0) -> ManifestError:
        line = problem.line + offset if problem.line else 0
        return ManifestError([inputerror.Mistake(self.name, line, problem.message)])

    def decode(self, text: str | bytes) -> yamlstream.Text:
        try:
            return yamlstream.decode(text)
        except UnreadableError as problem:
            raise self.error(problem) from None

    def yaml_stream(self, text: str, offset: int, *, after_mark: bool = False) -> list[Document]:
        try:
            chunks = yamlstream.split(text, offset, after_mark=after_mark)
        except UnreadableError as problem:
            raise self.error(problem) from None
        documents = (self.yaml_document(chunk)[0] for chunk in chunks)
        return [document for document in documents if document is not None]

    def yaml_body(self, text: str, *, only_first: bool = False) -> list[Document]:
        """Return the first document, and the documents behind `---`; like the server, ignore text behind `...`."""
        documents: list[Document] = []
        start = yamlstream.empty_documents(text)
        if only_first and "---" in text[:start]:
            return []  # the first document is empty
        chunk = Chunk(text[start:], text.count("\n", 0, start))
        while True:
            try:
                document, end = self.yaml_document(chunk)
            except ManifestError:
                if documents:
                    raise self.error(UnreadableError(chunk.offset + 1, SEVERAL)) from None
                raise
            if document is not None:
                documents.append(document)
            if only_first:
                return documents
            following = yamlstream.next_document(chunk.text, end)
            if following is None or len(documents) > 1:
                return documents
            chunk = Chunk(chunk.text[following:], chunk.offset + chunk.text.count("\n", 0, following))

    def yaml_document(self, chunk: Chunk) -> tuple[Document | None, int]:
        """Return the first document of *chunk*, None for an empty one, and the index of its end."""
        duplicate_keys: tuple[DuplicateKey, ...] = ()
        try:
            if (plain := load_plain(chunk.text)) is not None:
                line, value, end = plain.line, plain.value, plain.end
                marks = Marks(
                    chunk.text, chunk.offset, lambda: _nodes(chunk.text), _item_lines(plain), heading=chunk.heading
                )
            else:
                composed = yamlnode.compose(chunk.text)
                if composed.root is None:
                    return None, composed.end
                line, end = composed.root.line, composed.end
                decoded = decoder.decode(composed.root)
                value, duplicate_keys = decoded.value, decoded.duplicates
                marks = Marks(chunk.text, chunk.offset, lambda: composed.root, heading=chunk.heading)
        except UnreadableError as problem:
            raise self.error(problem, chunk.offset) from None
        except RecursionError:
            raise self.error(UnreadableError(0, yamlstream.TOO_DEEP)) from None
        if value is None:
            return None, end
        duplicates = tuple(
            Duplicate(
                key.line + chunk.offset,
                key.key,
                key.path,
                f"line {key.line}: key {key.printed} already set in map",
                key.overrides_merge,
            )
            for key in duplicate_keys
        )
        return Document(value, self.name, line + chunk.offset, duplicates, marks), end

    def json_stream(self, text: str, *, only_json: bool) -> list[Document]:
        documents: list[Document] = []
        end = count = 0
        while jsonreader.skip_blank(text, end) < len(text):
            try:
                parsed = self.json_parsed(text, end)
            except json.JSONDecodeError as error:
                # After two values kubectl takes the stream for JSON and no longer for YAML.
                if only_json or count > 1:
                    raise self.not_json(error) from None
                return documents + self.yaml_rest(text, end, error)
            count, end = count + 1, parsed.end
            if parsed.value is not None:
                documents.append(self.json_document(text, parsed))
        return documents

    def yaml_rest(self, text: str, end: int, error: json.JSONDecodeError) -> list[Document]:
        """Return the documents behind the JSON that ends at *end*; *error* says that they are not JSON."""
        blank = _BLANK_IN_LINE.match(text, end)
        start = blank.end() if blank else end
        if len(text[start : start + _LOOK_AHEAD_BYTES].encode(errors="replace")) < _LOOK_AHEAD_BYTES:
            raise self.not_json(error) from None
        start += text.startswith("\n", start)
        try:
            return self.yaml_stream(text[start:], text.count("\n", 0, start))
        except ManifestError:
            if end == 0 and _MEANT_AS_JSON.match(text):
                raise self.not_json(error) from None
            raise

    def json_body(self, text: str) -> list[Document]:
        """Return the JSON value of a body; empty if it must be read as YAML."""
        try:
            parsed = self.json_parsed(text, 0)
            if jsonreader.skip_blank(text, parsed.end) == len(text):
                return [self.json_document(text, parsed)]
            second = self.json_parsed(text, parsed.end)
            raise self.error(UnreadableError(text.count("\n", 0, second.start) + 1, SEVERAL))
        except json.JSONDecodeError as error:
            if _MEANT_AS_JSON.match(text) and not self.is_yaml(text):
                raise self.not_json(error) from None
            return []

    def is_yaml(self, text: str) -> bool:
        try:
            return bool(self.yaml_body(text))
        except ManifestError as error:
            return error.mistakes[0].message == SEVERAL

    def json_parsed(self, text: str, start: int) -> Parsed:
        try:
            return jsonreader.parse(text, start)
        except UnreadableError as problem:
            raise self.error(problem) from None

    def json_document(self, text: str, parsed: Parsed) -> Document:
        if parsed.problem:
            raise self.error(parsed.problem)
        marks = Marks(text, 0, lambda: jsonreader.nodes(text, parsed.start, parsed.end))
        fields = jsonreader.duplicates(marks.root()) if parsed.has_duplicates else []
        duplicates = tuple(Duplicate(field.line, field.key, field.path, field.message) for field in fields)
        line = text.count("\n", 0, parsed.start) + 1
        return Document(parsed.value, self.name, line, duplicates, marks)

    def not_json(self, error: json.JSONDecodeError) -> ManifestError:
        return self.error(UnreadableError(error.lineno, f"not JSON: {error.msg}"))


def _nodes(text: str) -> YamlNode | None:
    """Return the root node of a text that the fast path has read."""
    return yamlnode.compose(text).root


def _item_lines(plain: PlainDocument) -> dict[Sequence[str | int], int]:
    """Return the lines of the items of top-level lists, by key and index."""
    keys = (
        [key for key, value in plain.value.items() if isinstance(value, list)] if isinstance(plain.value, dict) else []
    )
    named = zip(keys, plain.item_lines, strict=False)
    return {(key, index): line for key, lines in named for index, line in enumerate(lines)}


class PlainDocument(NamedTuple):
    """
    A YAML document without unusual features.

    Attributes:
        value: JSON value.
        line: 1-based line of its beginning.
        end: The index of its end in the text.
        item_lines: The 1-based lines of the items of each top-level list, in order.
    """

    value: JSONValue
    line: int
    end: int
    item_lines: list[list[int]]


class _UnusualError(Exception):
    """A feature that the fast path does not support."""


def load_plain(text: str) -> PlainDocument | None:
    """
    Return the first document of *text*; None if it needs the complete decoder.

    Args:
        text: YAML, without a byte order mark.

    Raises:
        UnreadableError: The server cannot read it, though libyaml can.
    """
    try:
        next_event = parser.events(text)
        start = next_event()
        if type(start) is StreamEndEvent or start.version is not None:
            return None
        root = next_event()
        item_lines: list[list[int]] = []
        value = _scalar(root) if type(root) is ScalarEvent else _collection(root, next_event, 1, item_lines)
        return PlainDocument(value, root.start_mark.line + 1, next_event().end_mark.index, item_lines)
    except (yaml.YAMLError, yamlscalar.ScalarError, UnicodeEncodeError, _UnusualError):
        return None


def _collection(event: Any, next_event: Callable[[], Any], depth: int, item_lines: list[list[int]]) -> JSONValue:
    """Return the mapping or list that *event* starts; raise _UnusualError for anchors and aliases."""
    return (_mapping if type(event) is MappingStartEvent else _sequence)(event, next_event, depth, item_lines)


def _mapping(
    start: Any, next_event: Callable[[], Any], depth: int, item_lines: list[list[int]]
) -> dict[str, JSONValue]:
    # The hot loop of reading: it makes as few calls, and accesses as few attributes of each event, as possible.
    if start.anchor is not None or depth > jsonvalue.MAX_DEPTH:
        raise _UnusualError
    if start.flow_style and type(next_event) is not _FlowEvents:
        next_event = _FlowEvents(next_event)
    hints, resolve, resolve_key = yamlscalar.HINTS, yamlscalar.value, yamlscalar.key
    result: dict[str, JSONValue] = {}
    while type(event := next_event()) is ScalarEvent:
        key = event.value
        if event.implicit[0] and key[:1] in hints:
            key = resolve_key(key)
        if key in result or key == yamlscalar.MERGE or event.anchor is not None or event.tag is not None:
            raise _UnusualError
        event = next_event()
        kind = type(event)
        if kind is not ScalarEvent:
            read = _mapping if kind is MappingStartEvent else _sequence
            result[key] = read(event, next_event, depth + 1, item_lines)
            continue
        if event.anchor is not None or event.tag is not None:
            raise _UnusualError
        text = event.value
        result[key] = resolve(text) if event.implicit[0] and text[:1] in hints else text
    if type(event) is not MappingEndEvent:
        raise _UnusualError
    return result


def _sequence(start: Any, next_event: Callable[[], Any], depth: int, item_lines: list[list[int]]) -> list[JSONValue]:
    """Return the list that *start* begins; an alias, which is no list, has an anchor."""
    if start.anchor is not None or depth > jsonvalue.MAX_DEPTH:
        raise _UnusualError
    if start.flow_style and type(next_event) is not _FlowEvents:
        next_event = _FlowEvents(next_event)
    result: list[JSONValue] = []
    lines: list[int] = []
    if depth == 2:
        item_lines.append(lines)
    while type(event := next_event()) is not SequenceEndEvent:
        if depth == 2:
            lines.append(event.start_mark.line + 1)
        result.append(
            _scalar(event) if type(event) is ScalarEvent else _collection(event, next_event, depth + 1, item_lines)
        )
    return result


def _scalar(event: Any) -> JSONValue:
    if event.anchor is not None or event.tag is not None:
        raise _UnusualError
    text = event.value
    return yamlscalar.value(text) if event.implicit[0] and text[:1] in yamlscalar.HINTS else text


class _FlowEvents:
    """Events inside [] or {}, where the server's scanner is stricter."""

    __slots__ = ("next_event",)

    def __init__(self, next_event: Callable[[], Any]) -> None:
        self.next_event = next_event

    def __call__(self) -> Any:
        event = self.next_event()
        parser.check_flow_scalar(event)
        return event
