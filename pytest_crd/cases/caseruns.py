"""Cases of a file with the functions that run them, for one Kubernetes version."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_crd import lazyimport
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.cases.model import (
    AnyCase,
    ApplyCase,
    Case,
    CaseFile,
    CaseFileError,
    PolicyCase,
    RequestCase,
    UpdateCase,
)
from pytest_crd.engine import Mistake

if TYPE_CHECKING:
    from pytest_crd import suggestions
    from pytest_crd.cases import caserunner, expectedowners, objectsources, unreachable
    from pytest_crd.cases import subject as casesubject
    from pytest_crd.cases.caseresult import CaseResult
    from pytest_crd.cases.openshift.suite import Suite
    from pytest_crd.suggestions import WorkBudget
else:
    suggestions = lazyimport.module("pytest_crd.suggestions")
    casesubject = lazyimport.module("pytest_crd.cases.subject")
    caserunner = lazyimport.module("pytest_crd.cases.caserunner")
    objectsources = lazyimport.module("pytest_crd.cases.objectsources")
    expectedowners = lazyimport.module("pytest_crd.cases.expectedowners")
    unreachable = lazyimport.module("pytest_crd.cases.unreachable")

# A case, and the function that runs it, also with other expectations.
RunCase: TypeAlias = "tuple[Case, Callable[[Any], CaseResult]]"


def find(part: CaseFile | Suite, catalog: Catalog, folder: Path, *, lists: bool = False) -> Iterator[RunCase]:
    """
    Yield the cases of a part of a case file in *folder*, each with the function that runs it.

    With *lists*, names and versions of CRDs are enough, and mistakes in their schemas wait for a run.

    Raises:
        InputError: The part or its CRDs have mistakes.
    """
    if not isinstance(part, CaseFile):
        return _suite_runs(part, catalog, folder)
    if part.policy:
        return _policy_runs(part, catalog, folder)
    return (_listed if lists and catalog.can_list(part) else _runs)(part, catalog, folder)


def _policy_runs(case_file: CaseFile, catalog: Catalog, folder: Path) -> Iterator[RunCase]:
    """Yield the cases of a policy, each with the function that runs it."""
    from pytest_crd.cases.policies import policyrunner, policysubjects  # noqa: PLC0415 - only cases of policies need a server

    run = functools.partial(policyrunner.run, subject=policysubjects.find(case_file, catalog))
    mistakes: list[Mistake] = []
    yield from ((case, run) for case in _resolve(case_file, catalog, folder, mistakes))
    if mistakes:
        raise CaseFileError(sorted(mistakes))


def _listed(case_file: CaseFile, catalog: Catalog, folder: Path) -> Iterator[RunCase]:
    """Yield the cases of a file, each with a function that finds its CRD first."""

    def run(case: Case) -> CaseResult:
        return next(bound for listed, bound in _runs(case_file, catalog, folder) if listed.name == case.name)(case)

    mistakes: list[Mistake] = []
    yield from ((case, run) for case in _resolve(case_file, catalog, folder, mistakes))
    if mistakes:
        raise CaseFileError(sorted(mistakes))


def _runs(case_file: CaseFile, catalog: Catalog, folder: Path) -> Iterator[RunCase]:
    """Yield the cases of a file, each with the function that runs it; cases of one CRD version share a subject."""
    version = catalog.version_of(case_file, folder=folder)
    subjects = {version: casesubject.CaseSubject(version)}
    budget: WorkBudget | None = None
    mistakes: list[Mistake] = []
    for case in _resolve(case_file, catalog, folder, mistakes):
        old = catalog.old_version_of(case, version, folder=folder)
        old_subject = subjects.setdefault(old, casesubject.CaseSubject(old))
        if case.absent or (isinstance(case, RequestCase) and (case.errors or case.contains_errors)):
            mistakes += unreachable.find_mistakes(case, subjects[version], old_subject)
        if isinstance(case, ApplyCase):
            budget = budget or suggestions.WorkBudget()
            mistakes += expectedowners.find_mistakes(case, budget)
        yield case, functools.partial(caserunner.run, subject=subjects[version], old_subject=old_subject)
    if mistakes:
        raise CaseFileError(sorted(mistakes))


def _resolve(case_file: CaseFile, catalog: Catalog, folder: Path, mistakes: list[Mistake]) -> Iterator[AnyCase]:
    """Yield the cases of a file with the objects of other files; add the mistakes of the other cases to *mistakes*."""
    read = catalog.find_boundary(folder).read if any(map(_has_sources, case_file.cases)) else None
    for declared in case_file.cases:
        try:
            case = declared if read is None else objectsources.resolve(declared, folder, read=read)
            yield _select_errors(case, catalog.kubernetes_version)
        except CaseFileError as error:
            mistakes += error.mistakes


def _has_sources(case: AnyCase) -> bool:
    """Return whether an object of *case* may come from another file or have a patch."""
    old = case.old_source if isinstance(case, UpdateCase | PolicyCase) else None
    return case.input_source is not None or old is not None or isinstance(case, ApplyCase)


def _select_errors(case: AnyCase, kubernetes_version: str) -> AnyCase:
    """Return *case* with the errors that it states for a Kubernetes version."""
    under = case.errors_under if isinstance(case, RequestCase) else None
    if not isinstance(case, RequestCase) or under is None or kubernetes_version not in under:
        return case
    return dataclasses.replace(case, errors=under[kubernetes_version])


def _run_suite_case(run: Callable[[], CaseResult], _: Case) -> CaseResult:
    return run()


def _suite_runs(suite: Suite, catalog: Catalog, folder: Path) -> Iterator[RunCase]:
    """Yield the cases of a suite, each for every CRD variant of the suite."""
    from pytest_crd.cases.openshift import suiterunner  # noqa: PLC0415 - most projects have no suites

    for variant in catalog.variants_of(suite, folder=folder):
        subject = casesubject.CaseSubject(variant.version)
        for suite_case in suite.cases:
            old = catalog.suite_old_version_of(suite, suite_case.case, variant)
            old_subject = subject if old is variant.version else casesubject.CaseSubject(old)
            name = f"{suite_case.case.name} ({variant.label})" if variant.label else suite_case.case.name
            run = functools.partial(
                _run_suite_case, functools.partial(suiterunner.run, suite_case, subject, old_subject=old_subject)
            )
            yield dataclasses.replace(suite_case.case, name=name), run
