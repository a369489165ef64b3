"""Lines of points in the text of a CRD, and the points that comments and settings exclude."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from pytest_crd import lazyre
from pytest_crd.coverage.points import Point
from pytest_crd.engine import CustomResourceDefinition, fieldpath
from pytest_crd.engine.api.context import WrittenCrd
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.origin import Steps

NO_COVER: Final = "# crd: no cover"
# Part of every exclusion comment; other lines need not be searched.
_NAME: Final = "crd:"
_COMMENT: Final = lazyre.compile(r"(?<!\S)#\s*+crd:\s*+no cover\s*+$")
_NEARLY: Final = lazyre.compile(
    r"(?<!\S)#\s*+crd:\s*+(?:no|pragma)[\s_:-]*+(?:no[\s_-]*+)?cov\w*+(?!\S)", re.IGNORECASE
)


class Exclusion(NamedTuple):
    """
    A line of the `crd_cov_exclude` setting.

    Attributes:
        name: The name of the CRD.
        version: The version; empty for all.
        path: The excluded path in objects, with everything below.
    """

    name: str
    version: str
    path: str

    @property
    def text(self) -> str:
        """The line of the setting."""
        return f"{self.name}{f'/{self.version}' if self.version else ''} {self.path}"

    def leaves_out(self, name: str, version: str, point: Point) -> bool:
        """Return True if *point* of a version of the CRD *name* is excluded."""
        return bool(point.place) and self.is_about(name, version) and fieldpath.leads_to(self.path, point.path)

    def is_about(self, name: str, version: str) -> bool:
        """Return True if the exclusion applies to *version* of the CRD *name*."""
        return self.name == name and self.version in {"", version}


def read_exclusion(text: str) -> Exclusion:
    """
    Parse a line of the setting: `NAME PATH` or `NAME/VERSION PATH`.

    Raises:
        ValueError: The line has another form.
    """
    name, _, path = text.strip().partition(" ")
    if not path.strip() or " " in path.strip():
        raise ValueError(f"{text!r}: write the name of a CRD and a path, as in `backups.example.com spec.legacy`")
    name, _, version = name.partition("/")
    return Exclusion(name, version, path.strip())


class CrdLines:
    """
    The text of a CRD that was read.

    Attributes:
        file: The source: a file or a command.
        before: The number of lines before the document.
        text: The lines of the document.
    """

    def __init__(self, crd: CustomResourceDefinition, written: WrittenCrd) -> None:
        """Index the lines and the exclusion comments of a CRD."""
        manifest = written.manifest
        self.file = manifest.document.source
        self.before, self.text = manifest.document.text_lines
        self._manifest = crd.declared
        self._lines = manifest.document.key_lines(manifest.path)
        outermost: dict[int, Steps] = {}
        for steps, line in self._lines.items():
            outermost.setdefault(line, steps)
        numbered = [(line, text) for line, text in enumerate(self.text, self.before + 1) if _NAME in text.lower()]
        self._left_out = {line: outermost.get(line) for line, text in numbered if _COMMENT.search(text)}
        self._comments = {excluded: line for line, excluded in self._left_out.items() if excluded is not None}
        self._misspelt = [line for line, text in numbered if _is_misspelt(text) and line not in self._left_out]
        self._used: set[int] = set()

    def steps_of(self, version: str, point: Point) -> Steps:
        """Return the steps of a point of *version* in the CRD."""
        if point.kind == "conversion":
            names = [item["name"] for item in self._manifest["spec"]["versions"]]
            return ("spec", "versions", names.index(version), "name")
        return (*declared.place_of_schema(self._manifest, version), *point.steps)

    def line_of(self, steps: Steps) -> int:
        """Return the line of the key or item at *steps*."""
        return self._lines[steps]

    def are_left_out(self, steps: Steps) -> bool:
        """Return True if a comment excludes *steps* or a parent; the comment counts as used."""
        prefixes = (steps[:length] for length in range(len(steps) + 1))
        matching = [self._comments[prefix] for prefix in prefixes if prefix in self._comments]
        self._used.update(matching)
        return bool(matching)

    def problems(self) -> Sequence[tuple[int, str]]:
        """Return the problems of exclusion comments by line; call it after `are_left_out` for all points."""
        idle = f"`{NO_COVER}` leaves out nothing: write it behind a key of the schema, or behind an item of a list"
        unused = [(line, idle) for line in self._left_out if line not in self._used]
        return sorted([*unused, *((line, f"says nothing: write `{NO_COVER}`") for line in self._misspelt)])


def _is_misspelt(text: str) -> bool:
    """Return whether a line has a comment like an exclusion comment; quotes behind it make it part of a text."""
    return _NEARLY.search(text, max(map(text.rfind, "\"'")) + 1) is not None
