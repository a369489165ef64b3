"""
Effects of another Kubernetes version on a project: CRDs and cases with other answers.

Each CRD and each case is asked once under both versions. Cases of webhooks and policies are left to `pytest-crd test`, which calls them.
"""

from __future__ import annotations

import enum
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from pytest_crd import folders
from pytest_crd.casefiles import observation, yamltext
from pytest_crd.casefiles.observation import Mode
from pytest_crd.cases import caseruns, loader
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.caseruns import RunCase
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.cases.model import AnyCase, CaseFile
from pytest_crd.cli import repository
from pytest_crd.discovery import inifiles
from pytest_crd.engine import CustomResourceDefinition, InputError, profile
from pytest_crd.engine.crds.rule import EXPRESSION_LIMIT
from pytest_crd.wording import counted


class ChangeKind(enum.StrEnum):
    """Kind of a change, in words of the summary."""

    REFUSED = "refused"
    ACCEPTED = "accepted"
    ERRORS = "errors"
    OBJECT = "object"
    MENDED = "mended"


_OF_SUITES: Final = "suites in the format of openshift/api are never written"


class CrdChange(NamedTuple):
    """
    A CRD with different verdicts of the two versions.

    Attributes:
        kind: REFUSED or ACCEPTED, under the new version.
        source: Its file and line.
        name: Its name.
        errors: The errors of the version that refuses it.
        costs: Rules that cost too much under one version alone: the path with both estimates.
    """

    kind: ChangeKind
    source: str
    name: str
    errors: tuple[str, ...]
    costs: tuple[str, ...]


class CaseChange(NamedTuple):
    """
    A case with different outcomes under the two versions.

    Attributes:
        kind: Kind of the change; MENDED for a case that holds under the new version alone.
        source: Its file and line.
        name: Its name.
        lines: The lines of YAML that hold under the new version; empty if none are known.
        problem: The reason for no lines.
    """

    kind: ChangeKind
    source: str
    name: str
    lines: tuple[str, ...]
    problem: str


class VersionChanges(NamedTuple):
    """
    The changes of a project by another Kubernetes version.

    Attributes:
        old: The version of today.
        new: The other version.
        crds: Changed CRDs.
        cases: Changed cases.
        crd_count: Number of CRDs.
        case_count: Number of cases that were run.
        notes: Files that are left to other commands, with the reasons, and cases that fail under both versions.
        unread: Files with mistakes under one of the versions, with the reasons.
    """

    old: str
    new: str
    crds: tuple[CrdChange, ...]
    cases: tuple[CaseChange, ...]
    crd_count: int
    case_count: int
    notes: tuple[str, ...]
    unread: tuple[str, ...]

    @property
    def breaks(self) -> bool:
        """Whether a CRD is refused, or a case fails, under the new version alone."""
        failing = any(change.kind is not ChangeKind.MENDED for change in self.cases)
        return failing or any(change.kind is ChangeKind.REFUSED for change in self.crds)


def find(folder: Path, old: str, new: str) -> VersionChanges:
    """
    Return the changes of the project in *folder* from the Kubernetes version *old* to *new*.

    Raises:
        InputError: There are no CRDs, or they have mistakes.
    """
    ini = inifiles.find_file(folder)
    sources = repository.find_sources(folder, ini)
    crds = sources.select_main(sources.crds(old))
    changes = [change for crd in crds if (change := _compare_crd(crd, crd.under(new))) is not None]
    catalogs = Catalog(sources, old), Catalog(repository.find_sources(folder, ini), new)
    comparison = _Comparison(folder, catalogs)
    for path in repository.find_case_files(folder, ini):
        comparison.compare_file(path)
    return VersionChanges(
        old=old,
        new=new,
        crds=tuple(changes),
        cases=tuple(comparison.changes),
        crd_count=len(crds),
        case_count=comparison.count,
        notes=tuple(comparison.notes),
        unread=tuple(comparison.unread),
    )


def _compare_crd(old: CustomResourceDefinition, new: CustomResourceDefinition) -> CrdChange | None:
    before, after = old.create(), new.create()
    if before.accepted == after.accepted:
        return None
    kind, refusal = (ChangeKind.ACCEPTED, before) if after.accepted else (ChangeKind.REFUSED, after)
    errors = tuple(map(str, refusal.errors))
    return CrdChange(kind, old.source, old.name, errors, tuple(_find_crossing(old, new)))


def _find_crossing(old: CustomResourceDefinition, new: CustomResourceDefinition) -> Iterator[str]:
    """Yield rules with an estimate that exceeds the limit under one version alone."""
    for version, newer in zip(old.versions, new.versions, strict=True):
        for rule, changed in zip(version.rules, newer.rules, strict=True):
            if (rule.cost > EXPRESSION_LIMIT) != (changed.cost > EXPRESSION_LIMIT):
                steps = "/".join(map(str, rule.steps))
                yield f"{version.name} {steps}: {rule.cost:,} -> {changed.cost:,}, limit {EXPRESSION_LIMIT:,}"


class _Comparison:
    """Comparison of the cases of a project, file by file."""

    def __init__(self, folder: Path, catalogs: tuple[Catalog, Catalog]) -> None:
        self._folder = folder
        self._catalogs = catalogs
        self.changes: list[CaseChange] = []
        self.notes: list[str] = []
        self.unread: list[str] = []
        self.count = 0

    def compare_file(self, path: Path) -> None:
        """Compare the cases of a file; a file with mistakes becomes a note."""
        source = path.relative_to(self._folder).as_posix()
        try:
            loaded = loader.load_any(folders.read_file(path), source=source)
            for part in loaded if isinstance(loaded, tuple) else (loaded,):
                if isinstance(part, CaseFile) and (part.policy or part.kubernetes_version):
                    reason = "of a policy" if part.policy else f"of Kubernetes {part.kubernetes_version} alone"
                    self.notes.append(f"{source}: not compared: its cases are {reason}")
                    continue
                runs = [caseruns.find(part, catalog, path.parent) for catalog in self._catalogs]
                for before, after in zip(*runs, strict=True):
                    self._compare(source, before, after, is_suite=not isinstance(part, CaseFile))
        except (InputError, OSError) as error:
            self.unread.append(f"{source}: not compared: {str(error).splitlines()[0]}")

    def _compare(self, source: str, before: RunCase, after: RunCase, *, is_suite: bool) -> None:
        (case, run), (case_after, run_after) = before, after
        if case.skip is not None or case.xfail is not None:
            return
        self.count += 1
        old, new = run(case), run_after(case_after)
        place = f"{source}:{case.line}"
        if old.holds == new.holds:
            if not new.holds:
                self.notes.append(f"{place}: {case.title}: fails under both versions")
            return
        if new.holds:
            self.changes.append(CaseChange(ChangeKind.MENDED, place, case.title, (), ""))
            return
        lines, problem = ((), _OF_SUITES) if is_suite else self._find_lines(cast("AnyCase", case_after), run_after)
        self.changes.append(CaseChange(_find_kind(old, new), place, case.title, lines, problem))

    def _find_lines(self, case: AnyCase, run: Callable[[Any], CaseResult]) -> tuple[tuple[str, ...], str]:
        """Return the lines of YAML for a case under the new version, and the reason if there are none."""
        observed = observation.observe(case, run, Mode.UPDATE_VERDICTS)
        values = observed.values
        if not values and observed.result.answer is not None:
            # The first key states the verdict; all others are lists of paths.
            values = dict(itertools.islice(observation.get_expectations(case, observed.result).items(), 1))
        if values.keys() == {"errors"} and "errors" in case.declared:
            values = {"errorsUnder": {self._catalogs[1].kubernetes_version: values["errors"]}}
        return tuple(yamltext.block(dict(values))) if values else (), observed.problem


def _find_kind(old: CaseResult, new: CaseResult) -> ChangeKind:
    before, after = (bool(result.answer and result.answer.errors) for result in (old, new))
    if before != after:
        return ChangeKind.REFUSED if after else ChangeKind.ACCEPTED
    return ChangeKind.ERRORS if after else ChangeKind.OBJECT


def describe(changes: VersionChanges) -> Iterator[str]:
    """Yield the report of *changes*, line by line."""
    old, new = profile.describe(changes.old), profile.describe(changes.new)
    for note in (*changes.notes, *changes.unread):
        yield f"note: {note}"
    for crd in changes.crds:
        verdicts = ("accepted", "refused") if crd.kind is ChangeKind.REFUSED else ("refused", "accepted")
        yield f"{crd.source}: {crd.name}: {verdicts[0]} by Kubernetes {old}, {verdicts[1]} by {new}"
        yield from (f"  {line}" for line in (*crd.errors, *(f"cost of {rule}" for rule in crd.costs)))
    for case in changes.cases:
        if case.kind is ChangeKind.MENDED:
            yield f"{case.source}: {case.name}: fails under Kubernetes {old}, holds under {new}"
            continue
        yield f"{case.source}: {case.name}: holds under Kubernetes {old}, fails under {new}; there, write:"
        yield from (f"    {line}" for line in case.lines or (f"# not known: {case.problem}",))
    yield (
        f"{len(changes.crds)} of {counted(changes.crd_count, 'CRD')} change{_count(changes.crds)}; "
        f"{len(changes.cases)} of {counted(changes.case_count, 'case')} change{_count(changes.cases)}; "
        f"from Kubernetes {old} to {new}"
    )


def _count(changes: Sequence[CrdChange | CaseChange]) -> str:
    """Return the numbers of changes by kind, as words."""
    counts = Counter(change.kind for change in changes)
    return f" ({', '.join(f'{count} {kind}' for kind, count in counts.items())})" if counts else ""
