"""Documents of YAML and JSON, as they were read: the value, and where its parts stand in the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from pytest_crd.engine.jsonvalue import JSONValue

if TYPE_CHECKING:
    from pytest_crd.engine.yaml.yamlmarks import BareBoolean
    from pytest_crd.engine.yaml.yamlnode import YamlNode

# What any word that is read as a boolean stands between; to look for it takes a fraction of the time that nodes take.
_MAYBE_BOOLEAN: Final = re.compile(r"[\s{\[,:](?:[yYnN](?:es|ES|o|O)?|[oO](?:n|N|ff|FF))[ \t]*[:,\]}#\r\n]")
_COMMENT: Final = re.compile(r"(?:^|\s)(#.*)")


class Duplicate(NamedTuple):
    """
    A key that was already set, of which the last value counts.

    Attributes:
        line: 1-based line in the file: of the value in YAML, of the key in JSON.
        key: The key.
        path: Where it is, the key included.
        message: The server's words: `line 2: key "a" already set in map`, lines counted within the document as it is
            sent; for JSON `duplicate field "spec.a"`.
        overrides_merge: Whether it replaces, as YAML's merge keys are meant, what `<<` brought in before; to the server
            that makes no difference.
    """

    line: int
    key: str
    path: tuple[str | int, ...]
    message: str
    overrides_merge: bool = False


class Marks:
    """The places in a document: the lines of items of lists right below the root as they were read, the rest when asked for."""

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
        """Take the text, how many lines stand before it, what makes its nodes, the lines that are known, and what `---` is followed by."""
        self.heading = heading
        self.text = text
        self.offset = offset
        self.items = items or {}
        self._make = make
        self._root: YamlNode | None = None
        self._bare_booleans: tuple[BareBoolean, ...] | None = None

    def root(self) -> YamlNode:
        """Return the root of the nodes, which are made when they are first asked for."""
        if self._root is None:
            self._root = self._make()
        return cast("YamlNode", self._root)

    def bare_booleans(self) -> tuple[BareBoolean, ...]:
        """Return the words that are read as booleans, which are looked for when they are first asked for."""
        if self._bare_booleans is None:
            found = self._looked_for() if _MAYBE_BOOLEAN.search(f"\n{self.text}\n") else ()
            self._bare_booleans = tuple(one._replace(line=self.offset + one.line) for one in found)
        return self._bare_booleans

    def _looked_for(self) -> Iterator[BareBoolean]:
        from pytest_crd.engine.yaml import yamlmarks  # noqa: PLC0415 - where things stand, few ask

        return yamlmarks.bare_booleans(self.root())


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """
    One document.

    Attributes:
        value: What the API server's decoder holds; shares nothing with other documents or within itself.
        source: The file as the user named it, or `<text>`.
        line: 1-based line on which the content begins.
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
        The comments up to the first line of the content, and those behind it, each from its `#` on.

        What stands behind `---` counts among the first. Of a `#` in a text of several lines it is not known that it begins no comment.
        """
        lines = self._marks.text.split("\n")
        begin = self.line - self._marks.offset
        before = [self._marks.heading, *lines[:begin]]
        return _comments(before), _comments(lines[begin:])

    def line_of(self, path: Sequence[str | int], *, key: bool = False) -> int:
        """
        Return the 1-based line of the value at *path*, or of the nearest ancestor that is there.

        Args:
            path: Mapping keys (str) and list indices (int).
            key: Whether the line of the value's key is wanted.
        """
        if (line := self._marks.items.get(tuple(path))) is None:
            from pytest_crd.engine.yaml import yamlmarks  # noqa: PLC0415 - as above

            line = yamlmarks.find(self._marks.root(), path, key=key)
        return self._marks.offset + line

    def key_lines(self, path: Sequence[str | int]) -> dict[tuple[str | int, ...], int]:
        """Return the 1-based lines of all keys and items below *path*, by their path from there."""
        from pytest_crd.engine.yaml import yamlmarks  # noqa: PLC0415 - as above

        offset, found = self._marks.offset, yamlmarks.key_lines(self._marks.root(), path)
        return {inner: offset + line for inner, line in found.items()} if offset else found

    @property
    def bare_booleans(self) -> tuple[BareBoolean, ...]:
        """The words without quotes that the server reads as booleans, but for `true` and `false`, in their order."""
        return self._marks.bare_booleans()

    @property
    def text_lines(self) -> tuple[int, list[str]]:
        """The number of lines before the text of the document, and its lines."""
        return self._marks.offset, [line.removesuffix("\r") for line in self._marks.text.split("\n")]

    def place_of(self, path: Sequence[str | int], offset: int) -> tuple[int, int] | None:
        """
        Return the line and the column, both from 1, of the character at *offset* of the string at *path*.

        Args:
            path: Mapping keys (str) and list indices (int).
            offset: In code points of the value; quotes, escapes, indentation and folding are seen through.

        Returns:
            None where there is no string, or where its characters do not stand in the text one by one.
        """
        from pytest_crd.engine.yaml import yamlmarks  # noqa: PLC0415 - as above

        text = self._marks.text
        index = yamlmarks.find_character(self._marks.root(), text, path, offset)
        if index is None:
            return None
        return self._marks.offset + text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def _comments(lines: Sequence[str]) -> list[str]:
    return [match[1] for line in lines if "#" in line and (match := _COMMENT.search(line))]
