"""
Helm templates of CRDs, as far as they can be read without Helm.

Only actions without effect on what copies are compared by can be left out: conditions around whole documents, and actions in `metadata`, in
`spec.conversion` and in descriptions. Each line keeps its number.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_crd import lazyre
from pytest_crd.engine.crds import declared
from pytest_crd.engine.inputerror import ManifestError
from pytest_crd.engine.loading.crdfiles import CrdFiles, FileOrigin, ReadCrd
from pytest_crd.engine.schema import subschemas
from pytest_crd.engine.yaml import manifest
from pytest_crd.engine.yaml.manifest import ManifestFile

FOLDER: Final = "templates"
_CHART: Final = "Chart.yaml"
_KEY: Final = lazyre.compile(r"( *)([\w.-]+):")
_ASSIGNMENT: Final = lazyre.compile(r"\$\w*\s*:?=")
_OPENING: Final = frozenset({"if", "with", "range", "block", "define"})
_END: Final = "end"
_ELSE: Final = "else"
# The place of an action's output inside of a line.
_MARK: Final = "pytest-crd-action"
_OUTSIDE: Final = "outside of documents"
_METADATA: Final = "metadata"
_CONVERSION: Final = "conversion"
_SCHEMA: Final = "openAPIV3Schema"


class UnreadTemplate(NamedTuple):
    """
    A template that cannot be read without Helm.

    Attributes:
        source: Its place, `file:line`.
        reason: The reason, with the action.
        content: The file.
    """

    source: str
    reason: str
    content: bytes


class _Action(NamedTuple):
    """An action of a template: its span, the index of its line, and its text without braces and dashes."""

    start: int
    end: int
    line: int
    text: str


class TemplateError(ValueError):
    """A template cannot be read without Helm; the message has the reason, `line` its line."""

    def __init__(self, line: int, reason: str) -> None:
        """Create it with the 1-based line and the reason."""
        super().__init__(reason)
        self.line = line


def is_of_chart(path: Path) -> bool:
    """Return whether a file is in the folder `templates` of a chart."""
    return any(folder.name == FOLDER and (folder.parent / _CHART).is_file() for folder in path.parents)


def read(file: ManifestFile, kubernetes_version: str, rank: int) -> Sequence[ReadCrd | UnreadTemplate]:
    """
    Return the CRDs of a template, or the template if it cannot be read without Helm; empty for a file without CRDs.

    Args:
        file: The file.
        kubernetes_version: The Kubernetes version of the CRDs.
        rank: The rank of the file among the places of CRDs.
    """
    content = b""
    try:
        content = file.read()
        if not manifest.may_mention(content, declared.KIND):
            return []
        return [crd.ranked(rank) for crd in _read_plain(remove_actions(content.decode()), file, kubernetes_version)]
    except (TemplateError, UnicodeDecodeError, ManifestError) as error:
        line = error.line if isinstance(error, TemplateError) else 1
        return [UnreadTemplate(f"{file.name}:{line}", str(error), content)]


def _read_plain(plain: str, file: ManifestFile, kubernetes_version: str) -> list[ReadCrd]:
    """
    Return the CRDs of a template without its actions.

    Raises:
        TemplateError: An action changes the CRD, or the rest cannot be read.
    """
    crd_files = CrdFiles(kubernetes_version)
    crd_files.take(plain.encode(), source=file.name, origin=FileOrigin.CONVENTIONAL, path=file.path)
    for mistake in crd_files.mistakes:
        raise TemplateError(mistake.line, mistake.message)
    for crd in crd_files.read_crds:
        for steps in _find_marks(crd.manifest.value, ()):
            if not _is_ignored(steps):
                raise TemplateError(crd.manifest.line_of(*steps), f"an action sets {'.'.join(map(str, steps))}")
    return crd_files.read_crds


def remove_actions(text: str) -> str:
    """
    Return a template without its actions; an action inside of a line leaves a mark.

    Raises:
        TemplateError: An action may change what a server makes of a CRD.
    """
    actions = [*_find_actions(text)]
    blank, marked = (_replace(text, actions, mark).split("\n") for mark in ("", _MARK))
    lines = [line if bare.strip() else "" for bare, line in zip(blank, marked, strict=True)]
    places = _Places(lines)
    opened: list[frozenset[str]] = []
    for action in actions:
        if blank[action.line].strip():
            continue  # inside of a line
        _check(action.text, action.line, places, opened)
    if opened:
        raise TemplateError(len(lines), "an action has no end")
    return "\n".join(lines)


def _find_actions(text: str) -> Iterator[_Action]:
    position = line = 0
    while (start := text.find("{{", position)) >= 0 and (end := text.find("}}", start + 2)) >= 0:
        line += text.count("\n", position, start)
        yield _Action(start, end + 2, line, text[start + 2 : end].removeprefix("-").removesuffix("-").strip())
        line += text.count("\n", start, end)
        position = end + 2


def _replace(text: str, actions: Sequence[_Action], mark: str) -> str:
    """Return a text with *mark* and the line breaks of each action in its place."""
    parts, position = list[str](), 0
    for action in actions:
        parts += [text[position : action.start], mark, "\n" * text.count("\n", action.start, action.end)]
        position = action.end
    return "".join([*parts, text[position:]])


def _check(action: str, number: int, places: _Places, opened: list[frozenset[str]]) -> None:
    """
    Check the action of a whole line, and add it to the open actions, or take the one that it ends from them.

    Raises:
        TemplateError: The action may change what a server makes of a CRD.
    """
    word = action.partition(" ")[0]
    if action.startswith("/*") or _ASSIGNMENT.match(action):
        return
    regions = places.find(number)
    if word in {_END, _ELSE}:
        regions &= opened.pop() if opened else frozenset()
    elif word not in _OPENING:
        regions -= {_OUTSIDE}  # its output may be anything
    if not regions:
        raise TemplateError(number + 1, f"{{{{ {' '.join(action.split())} }}}}")
    if word in _OPENING or word == _ELSE:
        opened.append(regions)


class _Places:
    """The lines with content, and their sections."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._numbers: list[int] = []
        self._sections: list[str] = []
        top, second, indent = "", "", 0
        for number, line in enumerate(lines):
            if line.startswith("---"):
                top = second = ""
            elif not line.strip() or line.lstrip().startswith("#"):
                continue
            elif key := _KEY.match(line):
                if not key[1]:
                    top, second, indent = key[2], "", 0
                elif not indent or len(key[1]) <= indent:
                    second, indent = key[2], len(key[1])
            self._numbers.append(number)
            self._sections.append("" if line.startswith("---") else f"{top} {second}".strip())

    def find(self, number: int) -> frozenset[str]:
        """Return the places of a line without content: outside of documents, in metadata, in a conversion; empty for any other place."""
        before = self._section(bisect_left(self._numbers, number) - 1)
        after = self._section(bisect_right(self._numbers, number))
        is_in = {
            _OUTSIDE: not (before and after),
            _METADATA: before.partition(" ")[0] == _METADATA,
            _CONVERSION: f"spec {_CONVERSION}" in {before, after},
        }
        return frozenset(place for place, is_there in is_in.items() if is_there)

    def _section(self, index: int) -> str:
        return self._sections[index] if 0 <= index < len(self._sections) else ""


def _find_marks(value: Any, steps: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Yield the places of texts and keys with the output of an action."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if _MARK in key:
                yield (*steps, key)
            yield from _find_marks(inner, (*steps, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _find_marks(inner, (*steps, index))
    elif isinstance(value, str) and _MARK in value:
        yield steps


def _is_ignored(steps: tuple[str | int, ...]) -> bool:
    """Return whether copies may differ at a place of a CRD."""
    if steps[0] == _METADATA:
        return steps[1:] != ("name",)
    if steps[:2] == ("spec", _CONVERSION):
        return True
    is_described = _SCHEMA in steps and steps[-1] == "description"
    return is_described and subschemas.is_schema(steps[steps.index(_SCHEMA) + 1 : -1])
