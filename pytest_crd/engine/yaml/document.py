"""Documents of YAML and JSON: their values, and the places of values in the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from pytest_crd import lazyimport, lazyre
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.records import NamedTuple, dataclass, field

if TYPE_CHECKING:
    from pytest_crd.engine.yaml import marks
    from pytest_crd.engine.yaml.marks import BareBoolean
    from pytest_crd.engine.yaml.yamlnode import YamlNode
else:
    marks = lazyimport.module("pytest_crd.engine.yaml.marks")

# A boolean word between delimiters; this search is much faster than creating nodes.
_MAYBE_BOOLEAN: Final = lazyre.compile(r"[\s{\[,:](?:[yYnN](?:es|ES|o|O)?|[oO](?:n|N|ff|FF))[ \t]*[:,\]}#\r\n]")
_COMMENT: Final = lazyre.compile(r"(?:^|\s)(#.*)")


class Duplicate(NamedTuple):
    """
    A key that was already set; the last value wins.

    Attributes:
        line: 1-based line in the file: of the value in YAML, of the key in JSON.
        key: The key.
        path: The path including the key.
        message: The server's message: `line 2: key "a" already set in map`, with the line in the document as it is
            sent; for JSON `duplicate field "spec.a"`.
        overrides_merge: Whether it replaces a value merged by `<<`, which is the purpose of YAML's merge keys; the
            server reports it all the same.
    """

    line: int
    key: str
    path: tuple[str | int, ...]
    message: str
    overrides_merge: bool = False


class Marks:
    """Places in a document: lines of items of top-level lists are known from reading, all others are computed on demand."""

    __slots__ = ("_bare_booleans", "_make", "_root", "heading", "items", "offset", "text")

    def __init__(
        self,
        text: str,
        offset: int,
        make: Callable[[], YamlNode | None],
        items: Mapping[Sequence[str | int], int] | None = None,
        *,
        heading: str = "",
    ) -> None:
        """
        Create for a text.

        Args:
            text: The text of the document.
            offset: The number of lines before the text.
            make: Returns the root node of the text.
            items: Known lines of items, by path.
            heading: The text behind `---` on its line.
        """
        self.heading = heading
        self.text = text
        self.offset = offset
        self.items = items or {}
        self._make = make
        self._root: YamlNode | None = None
        self._bare_booleans: tuple[BareBoolean, ...] | None = None

    def root(self) -> YamlNode:
        """Return the root node; nodes are created on first use."""
        if self._root is None:
            self._root = self._make()
        return cast("YamlNode", self._root)

    def bare_booleans(self) -> tuple[BareBoolean, ...]:
        """Return the words that are read as booleans; they are searched for on first use."""
        if self._bare_booleans is None:
            words = self._find_words() if _MAYBE_BOOLEAN.search(f"\n{self.text}\n") else ()
            self._bare_booleans = tuple(word._replace(line=self.offset + word.line) for word in words)
        return self._bare_booleans

    def _find_words(self) -> Iterator[BareBoolean]:
        return marks.bare_booleans(self.root())


@dataclass(frozen=True, eq=False)
class Document:
    """
    One document.

    Attributes:
        value: The decoded value; shares nothing with other documents or within itself.
        source: The file as the user named it, or `<text>`.
        line: 1-based line of the beginning of the content.
        duplicates: Keys that were set twice, in the server's order.
    """

    value: JSONValue
    source: str
    line: int
    duplicates: tuple[Duplicate, ...]
    _marks: Marks = field(repr=False)

    @property
    def comments(self) -> tuple[list[str], list[str]]:
        """
        The comments up to the first line of the content, and the comments behind it, each from its `#` on.

        A comment behind `---` is in the first list. A `#` in a block scalar is not recognized, and counts as a comment.
        """
        lines = self._marks.text.split("\n")
        begin = self.line - self._marks.offset
        before = [self._marks.heading, *lines[:begin]]
        return _comments(before), _comments(lines[begin:])

    def line_of(self, path: Sequence[str | int], *, key: bool = False) -> int:
        """
        Return the 1-based line of the value at *path*, or of its nearest existing ancestor.

        Args:
            path: Mapping keys (str) and list indices (int).
            key: Whether to return the line of the value's key.
        """
        if (line := self._marks.items.get(tuple(path))) is None:
            line = marks.find_line(self._marks.root(), path, key=key)
        return self._marks.offset + line

    def key_lines(self, path: Sequence[str | int]) -> dict[tuple[str | int, ...], int]:
        """Return the 1-based lines of all keys and items below *path*, by their relative path."""
        offset, lines = self._marks.offset, marks.key_lines(self._marks.root(), path)
        return {inner: offset + line for inner, line in lines.items()} if offset else lines

    @property
    def bare_booleans(self) -> tuple[BareBoolean, ...]:
        """The unquoted words that the server reads as booleans, except `true` and `false`, in their order."""
        return self._marks.bare_booleans()

    @property
    def text_lines(self) -> tuple[int, list[str]]:
        """The number of lines before the text of the document, and its lines."""
        return self._marks.offset, [line.removesuffix("\r") for line in self._marks.text.split("\n")]

    def place_of(self, path: Sequence[str | int], offset: int) -> tuple[int, int] | None:
        """
        Return line and column, both 1-based, of the character at *offset* of the string at *path*.

        Args:
            path: Mapping keys (str) and list indices (int).
            offset: In code points of the value, after removing quotes, escapes, indentation and folding.

        Returns:
            None if there is no string, or its characters do not occur one by one in the text.
        """
        text = self._marks.text
        index = marks.find_character(self._marks.root(), text, path, offset)
        if index is None:
            return None
        return self._marks.offset + text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _comments(lines: Sequence[str]) -> list[str]:
    return [match[1] for line in lines if "#" in line and (match := _COMMENT.search(line))]
