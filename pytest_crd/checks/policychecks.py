"""Checks of admission policies: the server accepts them, they match a resource, and their expressions have fitting types."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pytest_crd.admission.matching.matchcriteria import RequestRule
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.checks.verdict import Check, CheckFinding, CheckVerdict
from pytest_crd.engine import CustomResourceDefinition, profile
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.policies import reading, typechecking
from pytest_crd.policies.definitions import KINDS, VALIDATING, Policy
from pytest_crd.policies.invocations import PolicySet
from pytest_crd.policies.reading import PolicyError

_ANY: Final = "*"


class PolicyScope(NamedTuple):
    """
    The policies of a project for checks.

    Attributes:
        read: Returns the policies, bindings and params.
        base: The folder of their files.
        resources: The built-in resources: group, version and plural.
    """

    read: Callable[[], Sequence[Manifest]]
    base: Path
    resources: Callable[[], Sequence[tuple[str, str, str]]]

    def plan(self, catalog: Catalog) -> Iterator[Check]:
        """
        Yield the checks of the policies and bindings.

        Args:
            catalog: The CRDs under a Kubernetes version.

        Raises:
            InputError: A file or a command cannot be read, or there is no policy.
        """
        return _plan(self, catalog)


class _Judged(NamedTuple):
    """The policies of a project under a Kubernetes version, and the mistakes in them."""

    policies: PolicySet
    mistakes: Sequence[Mistake]


def _plan(scope: PolicyScope, catalog: Catalog) -> Iterator[Check]:
    manifests = [item for item in scope.read() if item.kind in KINDS]
    named = profile.named(catalog.kubernetes_version)
    judge = functools.cache(functools.partial(_judge, scope.read, named))
    for item in manifests:
        subject = f"{item.kind}/{(item.value.get('metadata') or {}).get('name', '')}"
        path = scope.base / item.source
        place = (subject, item.where, path if path.is_file() else None, item.line_of(), named.version)
        yield Check("policy", *place, functools.partial(_accepted, item, manifests, judge))
        if not item.kind.endswith("Binding"):
            find = functools.partial(_find, item, judge)
            resources = functools.partial(_resources, scope, catalog)
            yield Check("matches", *place, functools.partial(_matches, item, find, resources))
        if item.kind == VALIDATING:
            yield Check("types", *place, functools.partial(_types, item, find, lambda: list(catalog.crds), named))


def _judge(read: Callable[[], Sequence[Manifest]], named: Profile) -> _Judged:
    try:
        return _Judged(reading.read(read(), named).policies, ())
    except PolicyError as error:
        return _Judged(PolicySet(), error.mistakes)


def _find(item: Manifest, judge: Callable[[], _Judged]) -> Policy | None:
    """Return the policy of a manifest; None if the policies of the project have mistakes."""
    policies = judge().policies
    bound = (*policies.mutating, *policies.validating)
    place = (item.source, item.line_of())
    return next((each.policy for each in bound if (each.policy.source, each.policy.line) == place), None)


def _accepted(item: Manifest, manifests: Sequence[Manifest], judge: Callable[[], _Judged]) -> CheckVerdict:
    """Return whether the server accepts a policy or binding, and whether it has an effect."""
    following = [
        sibling.line_of()
        for sibling in manifests
        if sibling.source == item.source and sibling.line_of() > item.line_of()
    ]
    end = min(following, default=None)
    own = [
        mistake
        for mistake in judge().mistakes
        if mistake.source == item.source and item.line_of() <= mistake.line and (end is None or mistake.line < end)
    ]
    findings = tuple(CheckFinding(f"{mistake.source}:{mistake.line}", mistake.message) for mistake in own)
    return CheckVerdict("refused, or without an effect" if findings else "", findings)


def _matches(
    item: Manifest, find: Callable[[], Policy | None], resources: Callable[[], Sequence[tuple[str, str, str]]]
) -> CheckVerdict:
    """Return whether the rules of a policy match a resource of the project or of Kubernetes."""
    policy = find()
    if policy is None:
        return CheckVerdict(passed_over="the check `policy` tells the mistakes of the policies")
    candidates = resources()
    idle = [
        index
        for index, rule in enumerate(policy.criteria.rules)
        if not any(_covers(rule, *resource) for resource in candidates)
    ]
    findings = tuple(
        CheckFinding(
            f"{item.source}:{item.line_of('spec', 'matchConstraints', 'resourceRules', index)}",
            f"the rule matches no resource of the project's CRDs and of Kubernetes: {_spell(policy.criteria.rules[index])}",
        )
        for index in idle
    )
    return CheckVerdict("some requests never match" if findings else "", findings)


def _covers(rule: RequestRule, group: str, version: str, plural: str) -> bool:
    resources = {resource.partition("/")[0] for resource in rule.resources}
    return all(
        _ANY in listed or value in listed
        for listed, value in ((rule.api_groups, group), (rule.api_versions, version), (resources, plural))
    )


def _spell(rule: RequestRule) -> str:
    groups, versions, resources = (
        ", ".join(values) or "the core group" for values in (rule.api_groups, rule.api_versions, rule.resources)
    )
    return f"{resources} in {versions} of {groups or 'the core group'}"


def _resources(scope: PolicyScope, catalog: Catalog) -> list[tuple[str, str, str]]:
    own = (
        (crd.group, version.name, crd.name.partition(".")[0])
        for crd in catalog.crds
        for version in crd.versions
        if version.served
    )
    return [*own, *scope.resources()]


def _types(
    item: Manifest,
    find: Callable[[], Policy | None],
    crds: Callable[[], Sequence[CustomResourceDefinition]],
    named: Profile,
) -> CheckVerdict:
    """Return the warnings of the server about the types in the expressions of a policy."""
    policy = find()
    if policy is None:
        return CheckVerdict(passed_over="the check `policy` tells the mistakes of the policies")
    checked = typechecking.check(policy, crds(), named)
    warnings = tuple(
        CheckFinding(_place(item, warning.field_ref), warning.warning.rstrip(), field=warning.field_ref)
        for warning in checked.warnings
    )
    notes = tuple(f"{item.where}: not checked, as it is no CRD of the project: {name}" for name in checked.unchecked)
    return CheckVerdict(warnings=warnings, notes=notes)


def _place(item: Manifest, field: str) -> str:
    """Return the place of a field such as `spec.validations[0].expression`."""
    steps: list[str | int] = []
    for part in field.split("."):
        name, _, index = part.partition("[")
        steps += [name, int(index.rstrip("]"))] if index else [name]
    return f"{item.source}:{item.line_of(*steps)}"
