"""
Policies of a project: read from manifests, with defaults, and validated as the API server does.

A manifest that the server refuses is an error with its file and line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from pytest_crd import suggestions
from pytest_crd.admission import strictdecoding
from pytest_crd.engine.inputerror import InputError, Mistake
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.policies import definitions, invocations, policytypes
from pytest_crd.policies.definitions import BINDING_OF, KINDS, MUTATING, VALIDATING, Policy, PolicyBinding
from pytest_crd.policies.invocations import BoundPolicy, PolicySet
from pytest_crd.policies.projectadmission import ProjectPolicies
from pytest_crd.policies.validation import objectvalidation

_KINDS_OF_GROUP: Final = (*KINDS, "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


class PolicyError(InputError):
    """Policies or bindings that the server refuses, that exist twice, or that have no effect."""


def read(manifests: Sequence[Manifest], profile: Profile) -> ProjectPolicies:
    """
    Return the policies of a project.

    Args:
        manifests: Policies, bindings, and other objects, which may be params.
        profile: The Kubernetes version.

    Raises:
        PolicyError: Policies or bindings are refused, exist twice, or have no effect; all of them at once.
    """
    own = [item for item in manifests if _is_own(item)]
    others = tuple(item for item in manifests if not _is_own(item))
    mistakes = [*_find_twins(own), *_find_unknown(others)]
    by_kind: dict[str, list[_Valid]] = {kind: [] for kind in KINDS}
    for item in own:
        value, problems = _read(item, profile)
        mistakes += problems
        by_kind[item.kind] += [] if problems else [_Valid(item, value)]
    if mistakes:
        raise PolicyError(mistakes)
    sets: dict[str, tuple[BoundPolicy, ...]] = {}
    for kind, binding_kind in BINDING_OF.items():
        policies = [definitions.read_policy(valid.value, *valid.place) for valid in by_kind[kind]]
        bindings = [definitions.read_binding(valid.value, *valid.place) for valid in by_kind[binding_kind]]
        mistakes += _find_idle(policies, bindings)
        sets[kind] = invocations.group(policies, bindings)
    if mistakes:
        raise PolicyError(mistakes)
    return ProjectPolicies(PolicySet(sets[MUTATING], sets[VALIDATING]), others, tuple(manifests))


class _Valid(NamedTuple):
    """A manifest that the server accepts, and its object with defaults."""

    manifest: Manifest
    value: JSONObject

    @property
    def place(self) -> tuple[str, int]:
        """The file and the line."""
        return self.manifest.source, self.manifest.line_of()


def _read(item: Manifest, profile: Profile) -> tuple[JSONObject, list[Mistake]]:
    """Return the object of a manifest with its defaults, and the mistakes that make a server refuse it."""
    version = item.api_version.rpartition("/")[2]
    served = policytypes.served_versions(item.kind, profile)
    if version not in served:
        wanted = f": write {definitions.GROUP}/{served[0]}" if served else ""
        problem = f"Kubernetes {profile.version} does not serve {item.kind} of {item.api_version}{wanted}"
        return {}, [Mistake(item.source, item.line_of("apiVersion"), problem)]
    decoded, mistakes = strictdecoding.decode(item, policytypes.type_of(item.kind, version, profile))
    if mistakes:
        return {}, mistakes
    # A server drops the namespace of an object of the cluster.
    metadata = {key: value for key, value in (decoded.get("metadata") or {}).items() if key != "namespace"}
    if not metadata.get("name") and metadata.get("generateName"):
        problem = f"from {metadata['generateName']}: cannot use generate name with apply"
        return {}, [Mistake(item.source, item.line_of("metadata", "generateName"), problem)]
    value = policytypes.defaulted({**decoded, "metadata": metadata}, item.kind, version)
    errors = objectvalidation.validate_create(item.kind, value, profile)
    return value, [
        Mistake(item.source, item.line_of(*(error.path.steps if error.path else ())), str(error)) for error in errors
    ]


def _is_own(item: Manifest) -> bool:
    return definitions.is_own(item.kind, item.api_version)


def _find_unknown(others: Iterable[Manifest]) -> Iterable[Mistake]:
    """Yield a mistake for each kind that the group of policies does not have."""
    for item in others:
        if item.api_version.partition("/")[0] == definitions.GROUP and item.kind not in _KINDS_OF_GROUP:
            near = suggestions.nearest_ignoring_case(item.kind, _KINDS_OF_GROUP)
            remedy = f": did you mean {near}?" if near else ""
            problem = f"{definitions.GROUP} has no {item.kind}{remedy}"
            yield Mistake(item.source, item.line_of("kind"), problem)


def _find_twins(items: Sequence[Manifest]) -> Iterable[Mistake]:
    """Yield a mistake for each object with the kind and name of another one."""
    first: dict[tuple[str, str], Manifest] = {}
    for item in items:
        name = _name(item)
        if not name:
            continue
        before = first.setdefault((item.kind, name), item)
        if before is not item:
            message = f"{item.kind} {name} is also in {before.where}: leave one of the two"
            yield Mistake(item.source, item.line_of(), message)


def _find_idle(policies: Sequence[Policy], bindings: Sequence[PolicyBinding]) -> Iterable[Mistake]:
    """Yield a mistake for each policy without a binding, and for each binding without its policy."""
    bound, names = {binding.policy_name for binding in bindings}, {policy.name for policy in policies}
    for policy in policies:
        if policy.name not in bound:
            problem = f"the policy {policy.name} has no binding, so it has no effect: add its binding to crd_policies"
            yield Mistake(policy.source, policy.line, problem)
    for binding in bindings:
        if binding.policy_name not in names:
            problem = f"the binding {binding.name} names the policy {binding.policy_name}, which is not in crd_policies"
            yield Mistake(binding.source, binding.line, problem)


def _name(item: Manifest) -> str:
    metadata = item.value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""
