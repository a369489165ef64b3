"""Judges of checks: the function behind each check, with modules that are loaded when the first check of a kind runs."""

from __future__ import annotations

# ruff: noqa: PLC0415 - a run of one case plans all checks, and runs none
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pytest_crd.checks.samplefiles import Claims, Sample
from pytest_crd.checks.verdict import CheckVerdict
from pytest_crd.discovery.helmtemplates import UnreadTemplate
from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.loading.crdfiles import ReadCrd

if TYPE_CHECKING:
    from pytest_crd.checks import appliedsamples

SCHEMA_EFFECTS: Final = (
    *(
        "applysize",
        "column",
        "droppedfield",
        "droppedrules",
        "emptyobject",
        "excludedvalue",
        "novalue",
        "otherkeyword",
        "scalepath",
        "uncheckedformat",
        "unreachabledefault",
    ),
)
RULE_EFFECTS: Final = ("alwaystrue", "bypass", "evaluationerror", "messageerror", "nevertrue")


def accepted(
    read: ReadCrd, find_crds: Callable[[], Iterable[CustomResourceDefinition]], *, is_stored: bool
) -> CheckVerdict:
    """Return whether the server accepts a CRD."""
    from pytest_crd.checks import crdchecks

    return crdchecks.accepted(read, find_crds, is_stored=is_stored)


def structural(read: ReadCrd, version: CrdVersion, *, with_effects: bool) -> CheckVerdict:
    """Return whether the schema of a version is structural; *with_effects* adds warnings about parts of the CRD without effect."""
    from pytest_crd.checks import crdchecks
    from pytest_crd.checks.effects import schemaeffects

    verdict = crdchecks.structural(read, version)
    return (
        replace(verdict, warnings=schemaeffects.find_warnings(read))
        if with_effects and not verdict.findings
        else verdict
    )


def conditions(read: ReadCrd) -> CheckVerdict:
    """Return the conditions that a CRD would have."""
    from pytest_crd.checks import crdchecks

    return crdchecks.conditions(read)


def within_budget(read: ReadCrd, version: CrdVersion, *, share: float, with_effects: bool) -> CheckVerdict:
    """Return whether the rules of a version compile and stay within their budget; *with_effects* as for `structural`."""
    from pytest_crd.checks import crdchecks
    from pytest_crd.checks.effects import ruleeffects

    verdict = crdchecks.within_budget(read, version, share=share)
    return (
        replace(verdict, warnings=ruleeffects.find_warnings(read)) if with_effects and not verdict.findings else verdict
    )


def published(read: ReadCrd, version: CrdVersion) -> CheckVerdict:
    """Return the losses of a version's schema in OpenAPI v2."""
    from pytest_crd.checks import published

    return published.find_losses(read, version)


def lint(read: ReadCrd, name: str) -> CheckVerdict:
    """Return whether a CRD is free of the mistake *name*."""
    from pytest_crd.checks import lints

    return lints.lint(read, name)


def sample(
    custom_resource: Sample, crds: Sequence[CustomResourceDefinition], copies: Sequence[CustomResourceDefinition]
) -> CheckVerdict:
    """Return whether a sample meets its directive, or is stored unchanged without one."""
    from pytest_crd.checks import samples

    return samples.judge(custom_resource, crds, copies)


def copies(main: Sequence[ReadCrd], others: Sequence[ReadCrd], unread: Sequence[UnreadTemplate]) -> CheckVerdict:
    """Return the differences between a CRD and its copies in other places."""
    from pytest_crd.checks import crdcopies

    return crdcopies.compare(main, others, unread)


def judge_generated(version: CrdVersion, samples: Sequence[Sample], source: str) -> CheckVerdict:
    """Return whether generated objects can be applied."""
    from pytest_crd.checks import appliedsamples, itemlists

    return appliedsamples.judge_generated(version, [*itemlists.find_unreached(version, samples)], source)


def judge_roundtrips(crd: CustomResourceDefinition, samples: Sequence[Sample]) -> CheckVerdict:
    """Return the differences that conversions to another version and back make."""
    from pytest_crd.checks.roundtrips import judging

    return judging.judge(crd, samples)


class UnappliedSamples:
    """The samples of a project; each is applied when its check runs."""

    def __init__(self, samples: Sequence[Sample], claims: Claims) -> None:
        """Create from samples and CRDs, as `appliedsamples.AppliedSamples` does."""
        self._arguments = samples, claims

    def verdict(self, number: int) -> CheckVerdict:
        """Return the verdict on the sample *number*."""
        return self._samples.verdict(number)

    @cached_property
    def _samples(self) -> appliedsamples.AppliedSamples:
        from pytest_crd.checks import appliedsamples

        return appliedsamples.AppliedSamples(*self._arguments)
