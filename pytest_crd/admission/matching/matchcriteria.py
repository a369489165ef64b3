"""
Matching of requests by the criteria of webhooks and admission policies: rules, selectors, and the match policy.

Reference:
    apiserver admission/plugin/webhook/generic/webhook.go, ShouldCallHook; predicates/rules, namespace and object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.metadata import labelselectors
from pytest_crd.engine.metadata.labelselectors import Requirement
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.engine.registry.requestbody import RefusedError

# Returns the Namespace object with a name, or None.
NamespaceOf: TypeAlias = Callable[[str], Resource | None]

_ANY: Final = "*"
_NAMESPACES: Final = "namespaces"
_SCALE: Final = "scale"
_SCALE_GROUP: Final = "autoscaling"
_EXEMPT_GROUP: Final = "admissionregistration.k8s.io"
_EXEMPT_KINDS: Final = frozenset(
    {
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
    }
)


class RequestRule(NamedTuple):
    """
    A rule with the operations, the groups, the versions and the resources of requests.

    Attributes:
        operations: The operations; `*` for all.
        api_groups: The API groups; `*` for all.
        api_versions: The API versions; `*` for all.
        resources: The plurals with their subresources: `pods`, `pods/*`, `*/scale`, `*` for all resources alone.
        scope: `Cluster`, `Namespaced` or `*`.
        resource_names: The names of objects; empty for all.
    """

    operations: tuple[str, ...]
    api_groups: tuple[str, ...]
    api_versions: tuple[str, ...]
    resources: tuple[str, ...]
    scope: str = _ANY
    resource_names: tuple[str, ...] = ()

    def matches(self, request: AdmissionRequest, group: str, version: str) -> bool:
        """Return whether the rule matches a request, seen as one in another group and version of its objects."""
        return (
            self._matches_scope(request)
            and _lists(self.operations, request.operation)
            and _lists(self.api_groups, group)
            and _lists(self.api_versions, version)
            and any(_matches_resource(resource, request) for resource in self.resources)
            and (not self.resource_names or request.name in self.resource_names)
        )

    def _matches_scope(self, request: AdmissionRequest) -> bool:
        if self.scope == _ANY:
            return True
        # The namespace of a request for a Namespace is its name.
        is_namespace = not request.group and request.resource == _NAMESPACES
        return (self.scope == "Namespaced") == (bool(request.namespace) and not is_namespace)


def _lists(items: Sequence[str], requested: str) -> bool:
    return _ANY in items or requested in items


def _matches_resource(pattern: str, request: AdmissionRequest) -> bool:
    resource, _, subresource = pattern.partition("/")
    return resource in (_ANY, request.resource) and subresource in (_ANY, request.subresource)


class Criteria(NamedTuple):
    """
    The criteria of a webhook or a policy.

    Attributes:
        rules: The rules.
        match_policy: `Exact`, or `Equivalent` to match requests to other versions of a resource.
        namespace_selector: The requirements on the labels of the namespace.
        object_selector: The requirements on the labels of the object or the old object.
        excluded: The rules of requests that do not match.
        needs_rule: Whether a rule must match; a policy without rules matches all requests.
    """

    rules: tuple[RequestRule, ...]
    match_policy: str = "Equivalent"
    namespace_selector: tuple[Requirement, ...] = ()
    object_selector: tuple[Requirement, ...] = ()
    excluded: tuple[RequestRule, ...] = ()
    needs_rule: bool = True


class Invocation(NamedTuple):
    """
    The resource and the kind of a request in the version that a webhook or a policy matches.

    Attributes:
        group: The group of the resource.
        version: The version of the resource.
        kind_group: The group of the kind, which differs from that of the resource for a Scale.
        kind_version: The version of the kind.
        kind: The kind.
    """

    group: str
    version: str
    kind_group: str
    kind_version: str
    kind: str

    @property
    def api_version(self) -> str:
        """The apiVersion of the objects."""
        return declared.api_version(self.kind_group, self.kind_version)


def invocation(request: AdmissionRequest, version: str, group: str | None = None) -> Invocation:
    """
    Return the invocation of a request, seen as one in another version of its objects.

    Args:
        request: The request.
        version: The version.
        group: The group; None for that of the request.
    """
    group = request.group if group is None else group
    if request.subresource == _SCALE:
        return Invocation(group, version, _SCALE_GROUP, "v1", request.kind)
    if request.kind_api_version:
        kind_group, _, kind_version = request.kind_api_version.rpartition("/")
        return Invocation(group, version, kind_group, kind_version, request.kind)
    return Invocation(group, version, group, version, request.kind)


def is_exempt(request: AdmissionRequest) -> bool:
    """Return whether a request is for a webhook configuration or a policy, which no webhook and no policy sees."""
    return request.group == _EXEMPT_GROUP and request.kind in _EXEMPT_KINDS


def find_invocation(
    criteria: Criteria, request: AdmissionRequest, current: Resource | None, namespace_of: NamespaceOf
) -> Invocation | None:
    """
    Return the invocation of a request that matches *criteria*; None if it does not match.

    Args:
        criteria: The criteria.
        request: The request.
        current: Its object with the changes of earlier webhooks.
        namespace_of: Returns the Namespace with a name.

    Raises:
        RefusedError: 404: the rules match, and the namespace that the selector needs does not exist.
    """
    is_selected, is_lost = _select_namespace(criteria, request, current, namespace_of)
    if not is_selected and not is_lost:
        return None
    if criteria.object_selector and not _is_selected(criteria.object_selector, request, current):
        return None
    if any(_matching_versions(criteria.excluded, criteria.match_policy, request)):
        return None
    matching = _matching_versions(criteria.rules, criteria.match_policy, request)
    own = None if criteria.rules or criteria.needs_rule else (request.group, request.version)
    matched = next(matching, own)
    if matched is None:
        return None
    if is_lost:
        raise RefusedError(no_namespace(request.namespace))
    group, version = matched
    return invocation(request, version, group)


def _matching_versions(
    rules: Sequence[RequestRule], match_policy: str, request: AdmissionRequest
) -> Iterator[tuple[str, str]]:
    """Yield the group and version of the request if a rule matches it; then the equivalent ones by rules."""
    own = (request.group, request.version)
    if any(rule.matches(request, *own) for rule in rules):
        yield own
    if match_policy == "Equivalent":
        versions = [(request.group, version) for version in request.interfaces.versions]
        equivalents = [*versions, *request.interfaces.equivalents]
        for rule in rules:
            yield from (equivalent for equivalent in equivalents if rule.matches(request, *equivalent))


def _select_namespace(
    criteria: Criteria, request: AdmissionRequest, current: Resource | None, namespace_of: NamespaceOf
) -> tuple[bool, bool]:
    """Return whether the namespace is selected, and whether the needed Namespace does not exist."""
    is_namespace = request.resource == _NAMESPACES
    if not criteria.namespace_selector or not (request.namespace or is_namespace):
        return True, False
    if is_namespace and not request.subresource and request.operation in ("CREATE", "UPDATE"):
        return labelselectors.is_match(criteria.namespace_selector, labels_of(current)), False
    namespace = namespace_of(request.namespace)
    if namespace is None:
        return False, True
    return labelselectors.is_match(criteria.namespace_selector, labels_of(namespace)), False


def _is_selected(selector: Sequence[Requirement], request: AdmissionRequest, current: Resource | None) -> bool:
    """Return whether the labels of the object or the old object match; the options of a connection have no labels."""
    objects = () if request.operation == "CONNECT" else (current, request.old_object)
    return any(labelselectors.is_match(selector, labels_of(object_)) for object_ in objects if object_ is not None)


def labels_of(resource: Resource | None) -> dict[str, str]:
    """Return the labels of an object; empty if it has none or if they are malformed."""
    metadata = (resource or {}).get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    if not isinstance(labels, dict) or not all(isinstance(value, str) for value in labels.values()):
        return {}
    return labels


def no_namespace(name: str) -> Refusal:
    """Return the refusal of a request for a namespace that does not exist."""
    subject = {"name": name, "kind": _NAMESPACES}
    return Refusal(404, "NotFound", f"{_NAMESPACES} {printing.quote(name)} not found", subject=subject)
