"""Where points stand: the lines of a CRD's text, and what its comments and the settings leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from pytest_crd.coverage.points import Point
from pytest_crd.engine import CustomResourceDefinition, fieldpath
from pytest_crd.engine.api.context import WrittenCrd
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.failedrule import Steps

NO_COVER: Final = "# crd: no cover"
# What every comment has that may be meant for us: no other line need be searched.
_NAME: Final = "crd:"
_COMMENT: Final = re.compile(r"(?:^|\s)#\s*crd:\s*no cover\s*$")
_NEARLY: Final = re.compile(
    r"(?:^|\s)#\s*crd:\s*(?:no|pragma)[\s_:-]*(?:no[\s_-]*)?cov\w*(?:\s[^\"']*)?$", re.IGNORECASE
)


class Exclusion(NamedTuple):
    """
    What a setting leaves out.

    Attributes:
        name: The name of the CRD.
        version: One of its versions; empty for all.
        path: Where objects have it: the place and what is below it.
    """

    name: str
    version: str
    path: str

    @property
    def text(self) -> str:
        """The exclusion as the setting has it."""
        return f"{self.name}{f'/{self.version}' if self.version else ''} {self.path}"

    def leaves_out(self, name: str, version: str, point: Point) -> bool:
        """Return whether *point* of a version of the CRD *name* is left out."""
        return bool(point.place) and self.is_about(name, version) and fieldpath.leads_to(self.path, point.path)

    def is_about(self, name: str, version: str) -> bool:
        """Return whether something of a *version* of the CRD *name* is left out."""
        return self.name == name and self.version in {"", version}


def read_exclusion(text: str) -> Exclusion:
    """
    Return what a line of the setting says: `NAME PATH` or `NAME/VERSION PATH`.

    Raises:
        ValueError: It says something else.
    """
    name, _, path = text.strip().partition(" ")
    if not path.strip() or " " in path.strip():
        raise ValueError(f"{text!r}: write the name of a CRD and a path, as in `backups.example.com spec.legacy`")
    name, _, version = name.partition("/")
    return Exclusion(name, version, path.strip())


class CrdLines:
    """
    The lines of a CRD that was read.

    Attributes:
        file: What it was read from: the file, or the command.
        before: How many lines stand before its document.
        text: The lines of its document.
    """

    def __init__(self, crd: CustomResourceDefinition, written: WrittenCrd) -> None:
        """Take the CRD, and where it is written."""
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
        self._misspelt = [line for line, text in numbered if _NEARLY.search(text) and line not in self._left_out]
        self._used: set[int] = set()

    def steps_of(self, version: str, point: Point) -> Steps:
        """Return where in the CRD a point of *version* stands."""
        if point.kind == "conversion":
            names = [one["name"] for one in self._manifest["spec"]["versions"]]
            return ("spec", "versions", names.index(version), "name")
        return (*declared.place_of_schema(self._manifest, version), *point.steps)

    def line_of(self, steps: Steps) -> int:
        """Return the line of the key or item at *steps*."""
        return self._lines[steps]

    def are_left_out(self, steps: Steps) -> bool:
        """Return whether a comment says that what stands at *steps* need not be covered."""
        found = [line for line, left in self._left_out.items() if left is not None and steps[: len(left)] == left]
        self._used.update(found)
        return bool(found)

    def problems(self) -> Sequence[tuple[int, str]]:
        """Return what is wrong with its comments, once it was asked of all points whether they are left out, by line."""
        idle = f"`{NO_COVER}` leaves out nothing: write it behind a key of the schema, or behind an item of a list"
        found = [(line, idle) for line in self._left_out if line not in self._used]
        return sorted([*found, *((line, f"says nothing: write `{NO_COVER}`") for line in self._misspelt)])
