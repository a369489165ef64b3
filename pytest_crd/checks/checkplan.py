"""The checks of a project: which there are, in which order, and where each stands."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from pytest_crd.cases import questions
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.cases.questions import CrdQuestion
from pytest_crd.checks import itemlists, judges, samplefiles, samplehints, versionfacts
from pytest_crd.checks.judges import UnappliedSamples
from pytest_crd.checks.samplefiles import Claims, Samples
from pytest_crd.checks.verdict import Check, CheckFinding, CheckVerdict
from pytest_crd.checks.versionfacts import VersionFacts
from pytest_crd.discovery import samplepaths
from pytest_crd.engine import (
    CustomResourceDefinition,
    InputError,
    UnsupportedConstructError,
    UnsupportedExpressionError,
)
from pytest_crd.engine.loading.crdfiles import ReadCrd
from pytest_crd.engine.loading.remarks import Remark
from pytest_crd.engine.yaml.manifest import ManifestFile
from pytest_crd.progress import Progress, each

_MOST_KINDS: Final = 5


@dataclass(frozen=True, slots=True)
class CheckScope:
    """
    What a project asks for.

    Attributes:
        stored: Names of CRDs that are taken for stored.
        folder: The folder of the project.
        rule_budget: Which part of the server's budget rules may take.
        samples: Files, folders, globs, and `!pattern`; empty for the usual folders.
        lints: Names of lints.
    """

    stored: frozenset[str]
    folder: Path
    rule_budget: float
    samples: tuple[str, ...]
    lints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """
    The checks of a project.

    Attributes:
        checks: By the file that they stand in, the files in the order in which they were found.
        problem: What keeps the CRDs from being checked; None where nothing does.
        is_in_vain: Whether that is that there is none.
        words: How many checks there are, and what was left alone.
        notes: What was passed over.
        hints: What else somebody may want to have checked.
    """

    checks: Mapping[Path, Sequence[Check]] = field(default_factory=dict)
    problem: InputError | None = None
    is_in_vain: bool = False
    words: str = ""
    notes: tuple[Remark, ...] = ()
    hints: tuple[str, ...] = ()


def of(catalogs: Sequence[Catalog], scope: CheckScope, *, home: Path) -> CheckPlan:
    """
    Return the checks of a project: no two in a file have one name.

    Args:
        catalogs: Its CRDs, once for each Kubernetes version.
        scope: What is asked for.
        home: The file in which that stands which stands in no file.
    """
    found: list[Check] = []
    samples = Samples()
    hints: tuple[str, ...] = ()
    try:
        sources, claims = catalogs[0].sources, _claims(catalogs[0])
        files = samplepaths.files(scope.samples, folder=scope.folder)
        samples = _samples(files, claims, scope, sources.progress)  # groups and kinds are the same under all versions
        for catalog in catalogs:
            checks = [_placed(check, home) for check in _checks(catalog, samples, scope)]
            found += [_of_version(check) for check in checks] if len(catalogs) > 1 else checks
        told = samplehints.of(
            samples,
            claims,
            scope.samples,
            files,
            folder=scope.folder,
            progress=sources.progress,
            lists=sources.listed,
        )
        hints = tuple(told)
    except InputError as error:
        return CheckPlan(problem=error, is_in_vain=any(catalog.sources.is_in_vain for catalog in catalogs))
    by_path: dict[Path, list[Check]] = {}
    for check in _told_apart(found):
        by_path.setdefault(check.path or home, []).append(check)
    notes = (*samples.ignored, *samples.notes)
    return CheckPlan(by_path, words=_words(by_path, samples), notes=notes, hints=hints)


def _words(checks: Mapping[Path, Sequence[Check]], samples: Samples) -> str:
    """Say how many checks there are, and what was left alone."""
    count = sum(map(len, checks.values()))
    words = [f"{count} checks in {len(checks)} file{'' if len(checks) == 1 else 's'}"]
    if samples.count:
        words.append(f"{samples.count} sample{'' if samples.count == 1 else 's'}")
    if samples.ignored:
        words.append(f"{len(samples.ignored)} of them ignored")
    if others := samples.others.total():
        kinds = ", ".join(kind for kind, _ in samples.others.most_common(_MOST_KINDS))
        more = " …" if len(samples.others) > _MOST_KINDS else ""
        words.append(f"{others} object{'' if others == 1 else 's'} of other kinds left alone ({kinds}{more})")
    return "; ".join((words[0], ", ".join(words[1:]))) if len(words) > 1 else words[0]


def _samples(named: Sequence[ManifestFile], claims: Claims, scope: CheckScope, progress: Progress) -> Samples:
    files = samplehints.telling(named, claims)
    with progress("reading samples") as tell:
        found = samplefiles.read(each(files, tell, lambda one: one.name), claims)
    samplefiles.demand(scope.samples, files, found)
    return found


def _claims(catalog: Catalog) -> dict[tuple[str, str], list[CustomResourceDefinition]]:
    claims: dict[tuple[str, str], list[CustomResourceDefinition]] = {}
    for crd in catalog.crds:
        claims.setdefault((crd.group, crd.kind), []).append(crd)
    return claims


def _checks(catalog: Catalog, found: Samples, scope: CheckScope) -> Iterator[Check]:
    for read in catalog.sources.every(catalog.kubernetes_version):
        facts = [versionfacts.find(version) for version in read.crd.versions]
        yield from _of_crd(read, scope, facts)
        yield from _applied(read, found, facts)
    claims, version = _claims(catalog), catalog.kubernetes_version
    applied = UnappliedSamples(found.samples, claims)
    for number, sample in enumerate(found.samples):
        manifest = sample.manifest
        run = functools.partial(judges.sample, sample, claims[sample.group, sample.kind])
        known = functools.partial(_known, run, manifest.where)
        crd = claims[sample.group, sample.kind][0].name
        place = (sample.name, manifest.where, sample.path, manifest.line_of(), version)
        yield Check("samples", *place, known, crd, sample.version)
        if sample.can_be_applied:
            run = functools.partial(applied.verdict, number)
            yield Check("applies", *place, run, crd, sample.version)
    for broken in found.broken:
        verdict = CheckVerdict("not a sample, but meant to be one", (broken.finding,))
        answer = functools.partial(_same, verdict)
        yield Check("samples", broken.name, broken.finding.place, broken.path, broken.line, version, answer)


def _same(verdict: CheckVerdict) -> CheckVerdict:
    return verdict


def _of_crd(read: ReadCrd, scope: CheckScope, facts_of_versions: Sequence[VersionFacts]) -> Iterator[Check]:
    crd = read.crd
    is_stored = crd.name in scope.stored
    yield _check(read, "accepted", crd.name, functools.partial(judges.accepted, read, is_stored=is_stored))
    for version, facts in zip(crd.versions, facts_of_versions, strict=True):
        subject = f"{crd.name}-{version.name}"
        structural = functools.partial(judges.structural, read, version)
        yield _check(read, "structural", subject, structural, version=version.name)
        if facts.has_rules:
            within = functools.partial(judges.within_budget, read, version, share=scope.rule_budget)
            yield _check(read, "rules", subject, within, version=version.name)
        if facts.may_be_lost:
            lost = functools.partial(judges.published, read, version)
            yield _check(read, "published", subject, lost, version=version.name)
    for name in scope.lints:
        yield _check(read, "deployable", f"{crd.name}-{name}", functools.partial(judges.lint, read, name), lint=name)
    yield _check(read, "conditions", crd.name, functools.partial(judges.conditions, read))


def _applied(read: ReadCrd, found: Samples, facts_of_versions: Sequence[VersionFacts]) -> Iterator[Check]:
    """Yield the checks that made up objects can be applied, of versions with lists that no sample has."""
    crd = read.crd
    samples = [one for one in found.samples if (one.group, one.kind) == (crd.group, crd.kind)]
    for version, facts in zip(crd.versions, facts_of_versions, strict=True):
        if facts.has_lists and any(True for _ in itemlists.unreached(version, samples)):
            name = f"{crd.name}-{version.name}"
            run = functools.partial(judges.made_up, version, samples, crd.source)
            place = (name, crd.source, read.path, read.manifest.line_of(), crd.kubernetes_version)
            yield Check("applies", *place, run, crd.name, version.name)


def _check(  # noqa: PLR0913 - what a check is about
    read: ReadCrd, kind: str, subject: str, run: Callable[[], CheckVerdict], *, version: str = "", lint: str = ""
) -> Check:
    crd = read.crd
    known = functools.partial(_known, run, crd.source, lambda: CrdQuestion(crd, read.manifest.value, kind))
    place = (subject, crd.source, read.path, read.manifest.line_of(), crd.kubernetes_version)
    return Check(kind, *place, known, crd.name, version, lint)


def _known(
    run: Callable[[], CheckVerdict], source: str, question: Callable[[], CrdQuestion] | None = None
) -> CheckVerdict:
    """Return the verdict; that the engine cannot say what a server would is a flaw of its own."""
    try:
        verdict = run()
    except (UnsupportedExpressionError, UnsupportedConstructError) as error:
        return CheckVerdict("what a server makes of it is not known", (CheckFinding(source, str(error)),))
    if question is not None:
        questions.report_question(question())
    return verdict


def _placed(check: Check, home: Path) -> Check:
    """Return the check in the file that pytest shows, and with a name that pytest can show."""
    path = home if check.path is None else check.path
    if not path.is_absolute() or ".." in path.parts:
        path = Path(os.path.abspath(path))  # noqa: PTH100 - links stay links
    subject = check.subject
    if not subject.isprintable():
        subject = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in subject)
    return replace(check, subject=subject, path=path, line=0 if check.path is None else check.line)


def _of_version(check: Check) -> Check:
    return replace(check, subject=f"{check.subject}-{check.kubernetes_version}")


def _told_apart(found: list[Check]) -> list[Check]:
    """Return the checks with the line in the name of those that share one in their file."""
    names = Counter((check.path, check.name) for check in found)
    return [
        check if names[check.path, check.name] == 1 else replace(check, subject=f"{check.subject}@{check.source}")
        for check in found
    ]
