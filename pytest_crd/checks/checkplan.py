"""The plan of a project's checks: all checks in order, with their files."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pytest_crd.cases import questions
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.cases.questions import CrdQuestion
from pytest_crd.checks import allowedchecks, itemlists, judges, published, samplefiles, samplehints
from pytest_crd.checks.allowedchecks import AllowedCheck
from pytest_crd.checks.judges import UnappliedSamples
from pytest_crd.checks.roundtrips import planning
from pytest_crd.checks.samplefiles import Claims, Samples
from pytest_crd.checks.verdict import Check, CheckFinding, CheckKind, CheckVerdict
from pytest_crd.discovery import samplepaths
from pytest_crd.discovery.helmtemplates import UnreadTemplate
from pytest_crd.engine import (
    CrdVersion,
    CustomResourceDefinition,
    InputError,
    UnsupportedConstructError,
    UnsupportedExpressionError,
    jsonvalue,
)
from pytest_crd.engine.loading.crdfiles import ReadCrd, Remark
from pytest_crd.engine.schema import subschemas
from pytest_crd.engine.schema.schemamap import RULES
from pytest_crd.engine.yaml.manifest import ManifestFile
from pytest_crd.progress import Progress, each
from pytest_crd.wording import counted

if TYPE_CHECKING:
    from pytest_crd.checks.policychecks import PolicyScope  # slow to import

_MOST_KINDS: Final = 5


@dataclass(frozen=True, slots=True)
class CheckScope:
    """
    The settings of a project's checks.

    Attributes:
        stored: Names of CRDs that count as stored.
        folder: The folder of the project.
        rule_budget: The share of the server's budget that rules may take.
        samples: Files, folders, globs, and `!pattern`; empty for the usual folders.
        lints: Names of lints.
        allowed: The checks whose findings the project accepts.
        policies: The admission policies; None without any.
    """

    stored: frozenset[str]
    folder: Path
    rule_budget: float
    samples: tuple[str, ...]
    lints: tuple[str, ...]
    allowed: tuple[AllowedCheck, ...] = ()
    policies: PolicyScope | None = None


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """
    The checks of a project.

    Attributes:
        checks: The checks by file, in the order of discovery.
        problem: The error that prevents the checks; None if there is none.
        is_in_vain: True if no CRD was found.
        words: A summary of the checks and of the objects left alone.
        notes: Remarks about skipped files and objects.
        hints: Suggestions of more objects to check.
    """

    checks: Mapping[Path, Sequence[Check]] = field(default_factory=dict)
    problem: InputError | None = None
    is_in_vain: bool = False
    words: str = ""
    notes: tuple[Remark, ...] = ()
    hints: tuple[str, ...] = ()


def plan_checks(catalogs: Sequence[Catalog], scope: CheckScope, *, home: Path) -> CheckPlan:
    """
    Return the checks of a project, with unique names in each file.

    Args:
        catalogs: Its CRDs, once for each Kubernetes version.
        scope: The settings.
        home: The file that shows checks of CRDs that are in no file.
    """
    all_checks: list[Check] = []
    samples = Samples()
    hints: tuple[str, ...] = ()
    try:
        sources, claims = catalogs[0].sources, samplefiles.group_crds(catalogs[0].crds)
        files = samplepaths.files(scope.samples, folder=scope.folder)
        samples = _samples(files, claims, scope, sources.progress)  # groups and kinds are the same under all versions
        for catalog in catalogs:
            checks = [_placed(check, home) for check in _checks(catalog, samples, scope)]
            all_checks += [_name_version(check) for check in checks] if len(catalogs) > 1 else checks
        found_hints = samplehints.find_hints(
            samples,
            claims,
            scope.samples,
            files,
            folder=scope.folder,
            progress=sources.progress,
            lists=sources.listed,
        )
        hints = tuple(found_hints)
        by_path: dict[Path, list[Check]] = {}
        for check in _make_unique(all_checks):
            by_path.setdefault(check.path or home, []).append(check)
        by_path = allowedchecks.apply(scope.allowed, by_path)
    except InputError as error:
        return CheckPlan(problem=error, is_in_vain=any(catalog.sources.is_in_vain for catalog in catalogs))
    notes = (*samples.ignored, *samples.notes, *planning.find_notes(catalogs[0].crds))
    return CheckPlan(by_path, words=_words(by_path, samples), notes=notes, hints=hints)


def _words(checks: Mapping[Path, Sequence[Check]], samples: Samples) -> str:
    """Return a summary of the number of checks and of the objects left alone."""
    count = sum(map(len, checks.values()))
    words = [f"{count} checks in {counted(len(checks), 'file')}"]
    if allowed := sum(check.is_allowed for same_file in checks.values() for check in same_file):
        words[0] += f" ({allowed} of them allowed by {allowedchecks.SETTING})"
    if samples.count:
        words.append(counted(samples.count, "sample"))
    if samples.ignored:
        words.append(f"{len(samples.ignored)} of them ignored")
    if others := samples.others.total():
        kinds = ", ".join(kind for kind, _ in samples.others.most_common(_MOST_KINDS))
        more = " …" if len(samples.others) > _MOST_KINDS else ""
        words.append(f"{counted(others, 'object')} of other kinds left alone ({kinds}{more})")
    return "; ".join((words[0], ", ".join(words[1:]))) if len(words) > 1 else words[0]


def _samples(named: Sequence[ManifestFile], claims: Claims, scope: CheckScope, progress: Progress) -> Samples:
    files = samplehints.select_files(named, claims)
    with progress("reading samples") as report_step:
        samples = samplefiles.read(each(files, report_step, lambda file: file.name), claims)
    samplefiles.require_matches(scope.samples, files, samples)
    return samples


def _checks(catalog: Catalog, samples: Samples, scope: CheckScope) -> Iterator[Check]:
    distinct = {crd.source: crd for crd in catalog.crds}
    for read in catalog.every():
        if read.crd.source not in distinct:
            if not any(_have_same_metadata(read.crd, crd) for crd in distinct.values()):
                yield _plan_accepted(read, catalog, scope)
            continue  # a copy, about which `copies` says everything else
        facts = [_find_facts(version) for version in read.crd.versions]
        yield from _plan_crd(read, catalog, scope, facts)
        yield from _applied(read, samples, facts)
        yield from _plan_roundtrips(read, samples)
    yield from _plan_copies(catalog)
    all_claims, version = samplefiles.group_crds(catalog.crds), catalog.kubernetes_version
    claims = samplefiles.group_crds(catalog.sources.select_main(catalog.crds))
    applied = UnappliedSamples(samples.samples, claims)
    for number, sample in enumerate(samples.samples):
        manifest = sample.manifest
        crds = claims[sample.group, sample.kind]
        copies = [crd for crd in all_claims[sample.group, sample.kind] if crd not in crds]
        run = functools.partial(judges.sample, sample, crds, copies)
        run_or_unknown = functools.partial(_run_or_report_unknown, run, manifest.where)
        crd = crds[0].name
        place = (sample.name, manifest.where, sample.path, manifest.line_of(), version)
        yield Check("samples", *place, run_or_unknown, crd, sample.version)
        if sample.can_be_applied:
            run = functools.partial(applied.verdict, number)
            yield Check("applies", *place, run, crd, sample.version)
    for broken in samples.broken:
        verdict = CheckVerdict("not a sample, but meant to be one", (broken.finding,))
        answer = functools.partial(_return, verdict)
        yield Check("samples", broken.name, broken.finding.place, broken.path, broken.line, version, answer)
    if scope.policies is not None:
        yield from scope.policies.plan(catalog)


def _have_same_metadata(copy: CustomResourceDefinition, crd: CustomResourceDefinition) -> bool:
    """Return whether a copy has the metadata of a CRD; labels and annotations of a copy may differ, and a server refuses malformed ones."""
    return jsonvalue.equal(copy.declared.get("metadata"), crd.declared.get("metadata"))


def _plan_copies(catalog: Catalog) -> Iterator[Check]:
    """Yield a check for each CRD that has copies in places of lower rank, or in templates of charts."""
    by_name: dict[str, list[ReadCrd]] = {}
    sources, version = catalog.sources, catalog.kubernetes_version
    for read in (*sources.every(version), *sources.find_copies(version)):
        by_name.setdefault(read.crd.name, []).append(read)
    templates = sources.find_templates(version)
    unread = [item for item in templates if isinstance(item, UnreadTemplate)]
    for name, same_name in by_name.items():
        main = [read for read in same_name if read.rank == min(other.rank for other in same_name)]
        rendered = [item for item in templates if isinstance(item, ReadCrd) and item.crd.name == name]
        others = [*(read for read in same_name if read not in main), *rendered]
        hidden = [item for item in unread if name.encode() in item.content]
        if others or hidden:
            yield _check(main[0], "copies", name, functools.partial(judges.copies, main, others, hidden))


def _return(verdict: CheckVerdict) -> CheckVerdict:
    return verdict


def _plan_accepted(read: ReadCrd, catalog: Catalog, scope: CheckScope) -> Check:
    is_stored = read.crd.name in scope.stored
    judge = functools.partial(judges.accepted, read, catalog.find_all, is_stored=is_stored)
    return replace(_check(read, "accepted", read.crd.name, judge), fails_if_refused=not is_stored)


def _plan_crd(
    read: ReadCrd, catalog: Catalog, scope: CheckScope, facts_of_versions: Sequence[VersionFacts]
) -> Iterator[Check]:
    crd = read.crd
    yield _plan_accepted(read, catalog, scope)
    # The first check of a kind warns about all versions.
    first = next((version for version in crd.versions if version.served), None)
    pairs = list(zip(crd.versions, facts_of_versions, strict=True))
    first_with_rules = next((version for version, facts in pairs if version.served and facts.has_rules), None)
    for version, facts in pairs:
        subject = f"{crd.name}-{version.name}"
        structural = functools.partial(judges.structural, read, version, with_effects=version is first)
        check = _check(read, "structural", subject, structural, version=version.name)
        yield replace(check, effects=judges.SCHEMA_EFFECTS) if version is first else check
        if facts.has_rules:
            warns = version is first_with_rules
            within = functools.partial(judges.within_budget, read, version, share=scope.rule_budget, with_effects=warns)
            check = _check(read, "rules", subject, within, version=version.name)
            yield replace(check, effects=judges.RULE_EFFECTS) if warns else check
        if facts.may_be_lost:
            lost = functools.partial(judges.published, read, version)
            yield _check(read, "published", subject, lost, version=version.name)
    for name in scope.lints:
        yield _check(read, "deployable", f"{crd.name}-{name}", functools.partial(judges.lint, read, name), lint=name)
    yield _check(read, "conditions", crd.name, functools.partial(judges.conditions, read))


def _applied(read: ReadCrd, samples_found: Samples, facts_of_versions: Sequence[VersionFacts]) -> Iterator[Check]:
    """Yield the checks that generated objects can be applied, for versions with lists that no sample has."""
    crd = read.crd
    samples = [sample for sample in samples_found.samples if (sample.group, sample.kind) == (crd.group, crd.kind)]
    for version, facts in zip(crd.versions, facts_of_versions, strict=True):
        if facts.has_lists and any(True for _ in itemlists.find_unreached(version, samples)):
            name = f"{crd.name}-{version.name}"
            run = functools.partial(judges.judge_generated, version, samples, crd.source)
            place = (name, crd.source, read.path, read.manifest.line_of(), crd.kubernetes_version)
            yield Check("applies", *place, run, crd.name, version.name)


def _plan_roundtrips(read: ReadCrd, samples_found: Samples) -> Iterator[Check]:
    """Yield the check of round trips, if the conversion of the CRD is known."""
    crd = read.crd
    if planning.has_pairs(crd) and planning.is_known(crd):
        samples = [item for item in samples_found.samples if (item.group, item.kind) == (crd.group, crd.kind)]
        run = functools.partial(
            _run_or_report_unknown, functools.partial(judges.judge_roundtrips, crd, samples), crd.source
        )
        place = (crd.kind, crd.source, read.path, read.manifest.line_of(), crd.kubernetes_version)
        yield Check("roundtrip", *place, run, crd.name)


def _check(  # noqa: PLR0913 - the parts of a check
    read: ReadCrd, kind: CheckKind, subject: str, run: Callable[[], CheckVerdict], *, version: str = "", lint: str = ""
) -> Check:
    crd = read.crd
    run_or_unknown = functools.partial(
        _run_or_report_unknown, run, crd.source, lambda: CrdQuestion(crd, read.manifest.value, kind)
    )
    place = (subject, crd.source, read.path, read.manifest.line_of(), crd.kubernetes_version)
    return Check(kind, *place, run_or_unknown, crd.name, version, lint)


def _run_or_report_unknown(
    run: Callable[[], CheckVerdict], source: str, question: Callable[[], CrdQuestion] | None = None
) -> CheckVerdict:
    """Return the verdict of *run*, or a finding if the engine does not know the server's answer."""
    try:
        verdict = run()
    except (UnsupportedExpressionError, UnsupportedConstructError) as error:
        return CheckVerdict("the server's answer is unknown", (CheckFinding(source, str(error)),))
    if question is not None:
        questions.report_question(question())
    return verdict


def _placed(check: Check, home: Path) -> Check:
    """Return the check with a file that pytest can show, and with a printable name."""
    path = home if check.path is None else check.path
    if not path.is_absolute() or ".." in path.parts:
        path = Path(os.path.abspath(path))  # noqa: PTH100 - links stay links
    subject = check.subject
    if not subject.isprintable():
        subject = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in subject)
    return replace(check, subject=subject, path=path, line=0 if check.path is None else check.line)


def _name_version(check: Check) -> Check:
    return replace(check, subject=f"{check.subject}-{check.kubernetes_version}")


def _make_unique(checks: list[Check]) -> list[Check]:
    """Return the checks, with the line added to names that are not unique in their file."""
    names = Counter((check.path, check.name) for check in checks)
    return [
        check if names[check.path, check.name] == 1 else replace(check, subject=f"{check.subject}@{check.source}")
        for check in checks
    ]


class VersionFacts(NamedTuple):
    """
    Facts for the choice of a version's checks.

    Attributes:
        has_rules: Whether its schema has CEL rules.
        may_be_lost: Whether OpenAPI v2 may lose something of it.
        has_lists: Whether it is served and has lists whose items have owners of their own.
    """

    has_rules: bool
    may_be_lost: bool
    has_lists: bool


def _find_facts(version: CrdVersion) -> VersionFacts:
    """Return the facts of a version."""
    root = version.schema_map
    schemas = subschemas.walk(root.schema)
    # Searching all schemas is faster than finding the nodes that can have rules.
    has_rules = any(RULES in schema for schema in schemas) and any(node.rules for node in root)
    has_lists = version.served and any(True for _ in itemlists.find_all(version))
    return VersionFacts(has_rules, version.served and published.may_lose(schemas), has_lists)
