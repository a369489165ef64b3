"""
Variables of a policy's expressions for one request.

Reference:
    apiserver admission/plugin/cel/activation.go, and condition.go, CreateNamespaceObject.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pytest_crd.admission.expressions import admissionexpressions
from pytest_crd.admission.expressions.admissionexpressions import PARAMS, Variables
from pytest_crd.admission.matching import matchcriteria
from pytest_crd.admission.matching.matchcriteria import NamespaceOf
from pytest_crd.admission.versionedobjects import VersionedObjects
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.policies.definitions import MUTATING
from pytest_crd.policies.invocations import PolicyInvocation
from pytest_crd.webhooks import admissionreview

_NAMESPACE: Final = "namespaceObject"
# The groups of built-in kinds that the server watches as Go types, besides those without a dot.
_BUILT_IN: Final = frozenset(
    {
        "admissionregistration.k8s.io",
        "certificates.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "networking.k8s.io",
        "node.k8s.io",
        "rbac.authorization.k8s.io",
        "resource.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
    }
)
_METADATA: Final = (
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "finalizers",
)


class Activation(NamedTuple):
    """
    The variables of the expressions of a policy for one request.

    Attributes:
        conditions: Those of match conditions.
        expressions: Those of validations and mutations.
        messages: Those of message expressions.
        annotations: Those of audit annotations.
    """

    conditions: Variables
    expressions: Variables
    messages: Variables
    annotations: Variables


def activate(
    item: PolicyInvocation, request: AdmissionRequest, objects: VersionedObjects, namespace: Resource | None
) -> Activation:
    """
    Return the variables.

    Args:
        item: The policy with its binding and param.
        request: The request.
        objects: The objects in the version that the policy matches.
        namespace: The Namespace of the request; None without one.
    """
    described = admissionreview.describe(request, item.invocation)
    expressions = admissionexpressions.variables_of(request, described, objects.new, objects.old)
    expressions[PARAMS] = _typed(item)
    # Match conditions see the resource of the request, and the kind of the policy.
    conditions = {**expressions, "request": {**described, "resource": described["requestResource"]}}
    expressions[_NAMESPACE] = None if namespace is None else _visible(namespace)
    messages = admissionexpressions.without_authorizer(expressions)
    return Activation(conditions, expressions, messages, {**messages, _NAMESPACE: namespace})


def find_namespace(request: AdmissionRequest, namespace_of: NamespaceOf) -> Resource | None:
    """
    Return the Namespace of a request; None for a resource of the cluster and for a Namespace.

    Raises:
        RefusedError: 404: it does not exist.
    """
    if not request.namespace or (request.kind == "Namespace" and not request.group):
        return None
    namespace = namespace_of(request.namespace)
    if namespace is None:
        raise RefusedError(matchcriteria.no_namespace(request.namespace))
    return namespace


def _typed(item: PolicyInvocation) -> Resource | None:
    """Return the param with apiVersion and kind, which mutating policies do not see of built-in kinds."""
    kind = item.policy.param_kind
    if item.param is None or kind is None:
        return None
    group = kind.api_version.rpartition("/")[0]
    if item.policy.kind == MUTATING and ("." not in group or group in _BUILT_IN):
        return {key: value for key, value in item.param.items() if key not in ("apiVersion", "kind")}
    return {"apiVersion": kind.api_version, "kind": kind.kind, **item.param}


def _visible(namespace: Resource) -> Resource:
    """Return a Namespace with the fields that expressions see."""
    metadata = namespace.get("metadata") or {}
    visible = {key: metadata[key] for key in _METADATA if key in metadata}
    parts = {key: namespace[key] for key in ("spec", "status") if key in namespace}
    return {"metadata": visible, **parts}
