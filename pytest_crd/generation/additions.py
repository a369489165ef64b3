"""Additions: what a case file that is there does not say yet, put at the end of its sections."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from pytest_crd import coverage, engine
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
from pytest_crd.generation import casefile, reach, words
from pytest_crd.generation.casefile import Generated
from pytest_crd.generation.layout import ANCHOR_KEY, SMALLEST, Layout, StatedCase
from pytest_crd.generation.reach import Reach
from pytest_crd.generation.scope import Wanted
from pytest_crd.progress import Progress, each, silent

_BOM: Final = "\ufeff"


def add(  # noqa: PLR0913 - a file and what is wanted of it, each by name
    versions: Sequence[engine.Version],
    content: bytes,
    *,
    source: str,
    folder: Path,
    wanted: Wanted = casefile.ALL_THAT_PROTECTS,
    progress: Progress = silent,
) -> Generated:
    """
    Return a case file with the cases that reach what none of its own does.

    Args:
        versions: The version under each Kubernetes version for which new cases have to hold; at least one.
        content: The file.
        source: Its name for messages.
        folder: The folder of the file, to which paths in it are relative.
        wanted: What it has to hold.
        progress: Who is told meanwhile.

    Raises:
        CaseFileError: It is wrong, is about something else, or is written so that nothing can be put into it.
        ManifestError: It is not YAML.
        NothingToStateError: As `casefile.generate`.
        UnsupportedExpressionError: As `casefile.generate`.
    """
    version = versions[0]
    files = loader.load(content, source=source)
    number = _number(files, version, source)
    _refuse_other(files[number], {one.crd.kubernetes_version for one in versions}, source)
    reached = Reach(version)
    running = f"running cases of {version.crd.kind} {version.name}"
    with progress(running) as tell:
        followed = (resolve(one, folder) for one in each(files[number].cases, tell, lambda one: one.name))
        held = {case.name: case for case in followed if reached.follow(case)}
    stated = casefile.state(versions, wanted, progress=progress)
    # What the file says already, as most of it was written in the same way, gains nothing.
    cases = {
        case.name: case for case in reach.cases_of(casefile.written(versions, stated)) if held.get(case.name) != case
    }
    statements = [one for one in stated.statements if one.name in cases]
    with progress(running) as tell:
        chosen = [*_gaining(each(statements, tell, lambda one: one.name), cases, reached)]
    names = {case.name for case_file in files for case in case_file.cases}
    new = {words.free(one.name, names): one for one in chosen}
    text = content.decode()
    if new:
        text = _File(content, source).with_cases(
            number, [replace(one, name=name) for name, one in new.items()], stated.layout
        )
        _check(loader.load(text, source=source)[number], new, versions)
    missed = tuple(point.text for point in reached.missed)
    return Generated(text, len(new), len(coverage.points(version)), missed, stated.left_out)


def _check(case_file: CaseFile, names: Container[str], versions: Sequence[engine.Version]) -> None:
    """Run the cases that were added, for none of which a file is read."""
    for version in versions:
        checked = Reach(version)
        for case in case_file.cases:
            if case.name in names:
                checked.check(resolve(case, Path()))


def _is_named(crd: engine.CustomResourceDefinition, named: str) -> bool:
    """Return whether a case file that names its CRD so is about *crd*, by whatever name."""
    try:
        return bool(engine.CustomResourceDefinitions([crd])[named])
    except engine.CrdLookupError:
        return False


def _number(files: Sequence[CaseFile], version: engine.Version, source: str) -> int:
    """Return the number of the document that is about *version*."""
    for number, one in enumerate(files):
        served = [other.name for other in version.crd.versions if other.served]
        if _is_named(version.crd, one.crd) and (one.version or served[0]) == version.name:
            return number
    found = ", ".join(f"{one.crd} {one.version or ''}".strip() for one in files)
    message = f"the file is about {found}, not about {version.crd.name} {version.name}: move it, or write `crd:` and `version:` so"
    raise CaseFileError([Mistake(source, files[0].lines.find_line("crd"), message)])


def _refuse_other(case_file: CaseFile, known: set[str], source: str) -> None:
    """Raise CaseFileError where the file is run under another Kubernetes version than those that are *known*."""
    own = case_file.kubernetes_version
    if own is not None and known != {own}:
        message = f"the file is run under Kubernetes {own}: generate with --crd-kubernetes-version {own}"
        raise CaseFileError([Mistake(source, case_file.lines.find_line("kubernetesVersion"), message)])


def _gaining(statements: Iterable[StatedCase], cases: Mapping[str, AnyCase], reached: Reach) -> Iterator[StatedCase]:
    """Yield those *statements*, of which there are the *cases* by name, that reach something that was not *reached* before them."""
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
        self._mark = _BOM if content.startswith(_BOM.encode()) else ""
        self._documents = yamlreader.read(text, source=source)
        self._layout = yamlspans.find_spans(text.content)

    def with_cases(self, number: int, statements: Sequence[StatedCase], layout: Layout) -> str:
        """Return the text with *statements* in the document of that *number*."""
        document, root = self._documents[number], self._layout.documents[number]
        layout = layout if _has_anchor(root, document, layout) else Layout(None)
        edits = []
        # At one place, what belongs to a section that is there goes before those that are new.
        for section in sorted(Section, key=lambda one: root.own(one) is None):
            found = [one for one in statements if one.proposal.section is section]
            if found:
                edits.append(self._edit(document, root, section, list(layout.cases(found))))
        return self._mark + yamlspans.apply_edits(self._content, self._layout, sorted(edits, key=lambda one: one.start))

    def _edit(self, document: Document, root: Span, section: Section, lines: list[str]) -> Edit:
        pair = root.own(section)
        if pair is None and not root.is_flow:
            return self._behind(root, ["", f"{section.value}:", *lines])
        if pair is not None and pair[1].kind == "list" and not pair[1].is_flow:
            return self._behind(pair[1], ["", *(" " * pair[1].column + line if line else "" for line in lines)])
        message = f"no case can be added to what stands in brackets: write `{section.value}:` as a list whose items have dashes"
        line = document.line if pair is None else document.line_of((section.value,), key=True)
        raise CaseFileError([Mistake(self._source, line, message)])

    def _behind(self, place: Span, lines: list[str]) -> Edit:
        """Return what puts *lines* behind the line on which *place* ends."""
        index = self._layout.text.index("\n", place.end) + 1
        return Edit(index, index, "".join(f"{line}\n" for line in lines))


def _has_anchor(root: Span, document: Document, layout: Layout) -> bool:
    """Return whether the object from which cases are made has its anchor before all sections."""
    pair = root.own(ANCHOR_KEY)
    if pair is None or pair[1].anchor != SMALLEST:
        return False
    sections = (found[0].start for section in Section if (found := root.own(section)))
    is_first = all(pair[0].start < start for start in sections)
    return is_first and jsonvalue.equal(document.value[ANCHOR_KEY], dict(layout.smallest or {}))
