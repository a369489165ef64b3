"""Additions: generated cases that are appended to the sections of an existing case file."""

from __future__ import annotations

import codecs
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pytest_crd import engine
from pytest_crd.casefiles import yamlspans
from pytest_crd.casefiles.yamlspans import Edit, Span
from pytest_crd.cases import loader
from pytest_crd.cases.model import AnyCase, CaseFile, CaseFileError
from pytest_crd.cases.objectsources import resolve
from pytest_crd.cases.sections import Section
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.engine.yaml.document import Document
from pytest_crd.engine.yaml.yamlstream import UnreadableError
from pytest_crd.generation import casefile, reach, words
from pytest_crd.generation.casefile import Generated
from pytest_crd.generation.layout import ANCHOR_KEY, SMALLEST, ExpectedCase, Layout
from pytest_crd.generation.reach import Reach
from pytest_crd.generation.scope import Wanted
from pytest_crd.progress import Progress, each, silent

_PARTLY_JSON: Final = "only a part of the file is JSON, or YAML reads it otherwise: write all documents as YAML"


def add(  # noqa: PLR0913 - a file and its options, by keyword
    versions: Sequence[engine.CrdVersion],
    content: bytes,
    *,
    source: str,
    folder: Path,
    wanted: Wanted = casefile.ALL_THAT_PROTECTS,
    progress: Progress = silent,
) -> Generated:
    """
    Return a case file with added cases for the schema points that its own cases do not reach.

    Args:
        versions: The version under each Kubernetes version for which new cases must pass; at least one.
        content: The file.
        source: The name of the file in messages.
        folder: The folder of the file, to which paths in it are relative.
        wanted: The requested coverage.
        progress: The progress reporter.

    Raises:
        CaseFileError: The file is invalid, is about another version, or has a form that cannot be extended.
        ManifestError: The file is not YAML.
        NothingToStateError: As in `casefile.generate`.
        UnsupportedExpressionError: As in `casefile.generate`.
    """
    version = versions[0]
    files = loader.load(content, source=source)
    number = _find_document(files, version, source)
    _check_kubernetes_version(files[number], {item.crd.kubernetes_version for item in versions}, source)
    reached = Reach(version, is_whole=wanted.is_whole)
    running = f"running cases of {version.crd.kind} {version.name}"
    with progress(running) as report:
        resolved = (resolve(case, folder) for case in each(files[number].cases, report, lambda case: case.name))
        passing = {case.name: case for case in resolved if reached.follow(case)}
    collected = casefile.collect_cases(versions, wanted, progress=progress)
    # A generated file has most of these cases already; they reach no new points.
    cases = {
        case.name: case
        for case in reach.parse_cases(casefile.write(versions, collected))
        if passing.get(case.name) != case
    }
    statements = [item for item in collected.statements if item.name in cases]
    with progress(running) as report:
        chosen = [*_select_gaining(each(statements, report, lambda item: item.name), cases, reached)]
    names = {case.name for case_file in files for case in case_file.cases}
    new = {words.make_unique(statement.name, names): statement for statement in chosen}
    text = content.decode()
    if new:
        text = _File(content, source).with_cases(
            number, [replace(statement, name=name) for name, statement in new.items()], collected.layout
        )
        _check(loader.load(text, source=source)[number], new, versions)
    missed = tuple(point.text for point in reached.missed)
    return Generated(text, len(new), reached.points, missed, collected.left_out)


def _check(case_file: CaseFile, names: Container[str], versions: Sequence[engine.CrdVersion]) -> None:
    """Run the added cases, which read no files, and raise if one does not pass."""
    for version in versions:
        checked = Reach(version)
        for case in case_file.cases:
            if case.name in names:
                checked.check(resolve(case, Path()))


def _names_crd(crd: engine.CustomResourceDefinition, name: str) -> bool:
    """Return True if *name* in a case file refers to *crd*."""
    try:
        return bool(engine.CustomResourceDefinitions([crd])[name])
    except engine.CrdLookupError:
        return False


def _find_document(files: Sequence[CaseFile], version: engine.CrdVersion, source: str) -> int:
    """Return the index of the document that is about *version*."""
    for number, case_file in enumerate(files):
        served = [candidate.name for candidate in version.crd.versions if candidate.served]
        if _names_crd(version.crd, case_file.crd) and (case_file.version or served[0]) == version.name:
            return number
    subjects = ", ".join(
        f"{case_file.crd or case_file.policy} {case_file.version or ''}".strip() for case_file in files
    )
    message = f"the file is about {subjects}, not about {version.crd.name} {version.name}: move it, or write `crd:` and `version:` so"
    raise CaseFileError([Mistake(source, files[0].lines.find_line("crd"), message)])


def _check_kubernetes_version(case_file: CaseFile, kubernetes_versions: set[str], source: str) -> None:
    """Raise CaseFileError if the file sets a Kubernetes version and *kubernetes_versions* has any other."""
    own = case_file.kubernetes_version
    if own is not None and kubernetes_versions != {own}:
        message = f"the file is run under Kubernetes {own}: generate with --crd-kubernetes-version {own}"
        raise CaseFileError([Mistake(source, case_file.lines.find_line("kubernetesVersion"), message)])


def _select_gaining(
    statements: Iterable[ExpectedCase], cases: Mapping[str, AnyCase], reached: Reach
) -> Iterator[ExpectedCase]:
    """Yield the *statements* that add a point when their cases, given by name in *cases*, are run in order."""
    before = reached.count
    for statement in statements:
        reached.check(cases[statement.name])
        count = reached.count
        if count > before:
            yield statement
        before = count


class _File:
    """The text of a case file."""

    def __init__(self, content: bytes, source: str) -> None:
        self._source = source
        text = yamlreader.decode(content, source=source)
        self._content = text.content
        self._mark = "\ufeff" if content.startswith(codecs.BOM_UTF8) else ""
        self._documents = yamlreader.read(text, source=source)
        try:
            self._layout = yamlspans.find_spans(text.content)
        except UnreadableError as error:
            raise CaseFileError([Mistake(source, error.line, f"{error.message}; {_PARTLY_JSON}")]) from None
        if len(self._layout.documents) != len(self._documents):
            raise CaseFileError([Mistake(source, 0, _PARTLY_JSON)])

    def with_cases(self, number: int, statements: Sequence[ExpectedCase], layout: Layout) -> str:
        """Return the text with *statements* added to the document at the index *number*."""
        document, root = self._documents[number], self._layout.documents[number]
        layout = layout if _has_anchor(root, document, layout) else Layout(None)
        edits = []
        # At equal positions, additions to existing sections come before new sections.
        for section in sorted(Section, key=lambda name: root.own(name) is None):
            additions = [item for item in statements if item.proposal.section is section]
            if additions:
                edits.append(self._edit(document, root, section, list(layout.cases(additions))))
        return self._mark + yamlspans.apply_edits(
            self._content, self._layout, sorted(edits, key=lambda edit: edit.start)
        )

    def _edit(self, document: Document, root: Span, section: Section, lines: list[str]) -> Edit:
        pair = root.own(section)
        if pair is None and not root.is_flow:
            return self._insert_after(root, ["", f"{section.value}:", *lines])
        if pair is not None and pair[1].kind == "list" and not pair[1].is_flow:
            return self._insert_after(pair[1], ["", *(" " * pair[1].column + line if line else "" for line in lines)])
        message = f"no case can be added to what stands in brackets: write `{section.value}:` as a list whose items have dashes"
        line = document.line if pair is None else document.line_of((section.value,), key=True)
        raise CaseFileError([Mistake(self._source, line, message)])

    def _insert_after(self, place: Span, lines: list[str]) -> Edit:
        """Return the edit that inserts *lines* after the line on which *place* ends."""
        index = self._layout.text.index("\n", place.end) + 1
        return Edit(index, index, "".join(f"{line}\n" for line in lines))


def _has_anchor(root: Span, document: Document, layout: Layout) -> bool:
    """Return True if the document anchors the smallest object before all sections."""
    pair = root.own(ANCHOR_KEY)
    if pair is None or pair[1].anchor != SMALLEST:
        return False
    sections = (entry[0].start for section in Section if (entry := root.own(section)))
    is_first = all(pair[0].start < start for start in sections)
    return is_first and jsonvalue.equal(document.value[ANCHOR_KEY], dict(layout.smallest or {}))
