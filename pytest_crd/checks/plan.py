"""The checks of a project: which there are, in which order, and where each stands."""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pytest_crd.cases.catalog import Catalog
from pytest_crd.checks import definitions, rules
from pytest_crd.checks.verdict import Check, Finding, Verdict
from pytest_crd.engine import InputError, UnsupportedConstructError, UnsupportedExpressionError
from pytest_crd.engine.crdfiles import ReadCrd


@dataclass(frozen=True, slots=True)
class Scope:
    """
    What a project asks for.

    Attributes:
        stored: Names of CRDs that are taken for stored.
        folder: The folder of the project.
        rule_budget: Which part of the server's budget rules may take.
    """

    stored: frozenset[str]
    folder: Path
    rule_budget: float = 1.0


@dataclass(frozen=True, slots=True)
class Plan:
    """
    The checks of a project.

    Attributes:
        checks: By the file that they stand in, the files in the order in which they were found.
        problem: What keeps the CRDs from being checked; None where nothing does.
        is_in_vain: Whether that is that there is none.
        notes: What was passed over.
    """

    checks: Mapping[Path, Sequence[Check]] = field(default_factory=dict)
    problem: InputError | None = None
    is_in_vain: bool = False
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """How many checks there are."""
        count = sum(map(len, self.checks.values()))
        return f"{count} checks in {len(self.checks)} file{'' if len(self.checks) == 1 else 's'}"


def of(catalogs: Sequence[Catalog], scope: Scope, *, home: Path) -> Plan:
    """
    Return the checks of a project: no two in a file have one name.

    Args:
        catalogs: Its CRDs, once for each Kubernetes version.
        scope: What is asked for.
        home: The file in which that stands which stands in no file.
    """
    found: list[Check] = []
    try:
        for catalog in catalogs:
            checks = [_placed(check, home) for check in _checks(catalog, scope)]
            found += [_of_version(check) for check in checks] if len(catalogs) > 1 else checks
    except InputError as error:
        return Plan(problem=error, is_in_vain=any(catalog.sources.is_in_vain for catalog in catalogs))
    by_path: dict[Path, list[Check]] = {}
    for check in _told_apart(found):
        by_path.setdefault(check.path or home, []).append(check)
    return Plan(by_path)


def _checks(catalog: Catalog, scope: Scope) -> Iterator[Check]:
    _ = catalog.crds  # what is told of them, and who guards them
    for read in catalog.sources.every(catalog.kubernetes_version):
        yield from _of_crd(read, scope)


def _of_crd(read: ReadCrd, scope: Scope) -> Iterator[Check]:
    crd = read.crd
    is_stored = crd.name in scope.stored
    yield _check(read, "accepted", crd.name, lambda: definitions.accepted(read, is_stored=is_stored))
    for version in crd.versions:
        subject = f"{crd.name}-{version.name}"
        yield _check(read, "structural", subject, functools.partial(definitions.structural, read, version))
        if rules.are_in(read, version):
            within = functools.partial(rules.within_budget, read, version, share=scope.rule_budget)
            yield _check(read, "rules", subject, within)
    yield _check(read, "conditions", crd.name, lambda: definitions.conditions(read))


def _check(read: ReadCrd, kind: str, subject: str, run: Callable[[], Verdict]) -> Check:
    crd = read.crd
    known = functools.partial(_known, run, crd.source)
    return Check(kind, subject, crd.source, read.path, read.manifest.line_of(), crd.kubernetes_version, known)


def _known(run: Callable[[], Verdict], source: str) -> Verdict:
    """Return the verdict; that the engine cannot say what a server would is a flaw of its own."""
    try:
        return run()
    except (UnsupportedExpressionError, UnsupportedConstructError) as error:
        return Verdict("what a server makes of it is not known", (Finding(source, str(error)),))


def _placed(check: Check, home: Path) -> Check:
    """Return the check in the file that pytest shows, and with a name that pytest can show."""
    path = home if check.path is None else Path(os.path.abspath(check.path))  # noqa: PTH100 - links stay links
    subject = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in check.subject)
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
