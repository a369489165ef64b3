"""
Protection against escalation: a user may grant only held permissions, unless allowed to `escalate` a role or to `bind` it.

Reference:
    kubernetes pkg/registry/rbac/role/policybased/storage.go and its neighbours; pkg/registry/rbac/escalation_check.go;
    pkg/registry/rbac/validation/rule.go, ConfirmNoEscalation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry.admission import Admission, AdmissionRequest, Admitted
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.authorization import policy, resolution, rulecoverage
from pytest_crd.server.authorization.accessattributes import AccessAttributes
from pytest_crd.server.authorization.authorizer import MASTERS, RoleAuthorizer, aggregate
from pytest_crd.server.authorization.policy import PolicyRule
from pytest_crd.server.authorization.resolution import RoleNotFoundError

_ROLES: Final = frozenset({"clusterroles", "roles"})
_EVERYTHING: Final = (
    PolicyRule(("*",), ("*",), ("*",)),
    PolicyRule(("*",), non_resource_urls=("*",)),
)
_NO_AGGREGATION: Final = "must have cluster-admin privileges to use the aggregationRule"
# Metadata that the garbage collector and the server write.
_COLLECTED: Final = ("ownerReferences", "finalizers", "managedFields", "selfLink")


class GrantAdmission(NamedTuple):
    """
    Admission plugins of the server, followed by the check of grants, for writes of roles and bindings.

    The server checks grants after the mutating plugins and before validation.

    Attributes:
        inner: The plugins; None without any.
        authorizer: The authorizer.
    """

    inner: Admission | None
    authorizer: RoleAuthorizer

    def mutate(self, request: AdmissionRequest) -> Admitted:
        """Return the object after the mutating plugins; raise RefusedError if one refuses it, or if its user may not grant it."""
        admitted = Admitted(request.object) if self.inner is None else self.inner.mutate(request)
        if request.operation in ("CREATE", "UPDATE") and admitted.object is not None:
            demand_grant(request._replace(object=admitted.object), self.authorizer)
        return admitted

    def validate(self, request: AdmissionRequest) -> Admitted:
        """Return the unchanged object and warnings; raise RefusedError if a validating plugin refuses it."""
        return Admitted(request.object) if self.inner is None else self.inner.validate(request)


def demand_grant(request: AdmissionRequest, authorizer: RoleAuthorizer) -> None:
    """
    Refuse a role or binding that grants more than its user holds.

    Args:
        request: A create or an update of a role or binding.
        authorizer: The authorizer of the server.

    Raises:
        RefusedError: 403: the user may not grant it; 404: the role of a binding does not exist.
    """
    new = request.object
    if MASTERS in request.user.groups or new is None or changes_only_collection(new, request.old_object):
        return
    if request.resource in _ROLES:
        _demand_role(request, new, authorizer)
    else:
        _demand_binding(request, new, authorizer)


def _demand_role(request: AdmissionRequest, new: Resource, authorizer: RoleAuthorizer) -> None:
    # The URL of a create names no object.
    name = request.name if request.operation == "UPDATE" else ""
    question = AccessAttributes(
        request.user, "escalate", request.group, request.resource, namespace=request.namespace, name=name
    )
    if authorizer.authorize(question, is_request=True).is_allowed:
        return
    rules = tuple(map(policy.read_rule, new.get("rules") or ()))
    problem = find_problem(request, rules, authorizer)
    if not problem and (_is_aggregated(new) or _is_aggregated(request.old_object)):
        problem = find_problem(request, _EVERYTHING, authorizer) and _NO_AGGREGATION
    if problem:
        raise _forbidden(request, new, problem)


def _demand_binding(request: AdmissionRequest, new: Resource, authorizer: RoleAuthorizer) -> None:
    binding = policy.read_binding({**new, "kind": request.kind, "metadata": _place(request, new)})
    question = AccessAttributes(
        request.user,
        "bind",
        str((new.get("roleRef") or {}).get("apiGroup", "")),
        policy.PLURALS.get(binding.role_kind, ""),
        namespace=request.namespace,
        name=binding.role_name,
    )
    if binding.role_kind in ("Role", "ClusterRole") and authorizer.authorize(question, is_request=True).is_allowed:
        return
    role = resolution.find_bound_role(authorizer.source, binding)
    if isinstance(role, RoleNotFoundError):
        raise RefusedError(_missing(request, binding.role_name))
    if problem := find_problem(request, role.rules, authorizer):
        raise _forbidden(request, new, problem)


def find_problem(request: AdmissionRequest, rules: Sequence[PolicyRule], authorizer: RoleAuthorizer) -> str:
    """
    Return the refusal of a grant in the server's words; empty if the user holds all rules.

    Args:
        request: The write of a role or binding.
        rules: The granted rules.
        authorizer: The authorizer of the server.
    """
    user = request.user
    owned = authorizer.find_rules(user, request.namespace)
    uncovered = rulecoverage.find_uncovered(owned.rules, rules)
    if not uncovered:
        return ""
    lines = "\n".join(rulecoverage.describe(uncovered))
    named = f"user {printing.quote(user.username)} (groups={rulecoverage.quote_all(user.groups)})"
    missing = aggregate(_not_found(request, error.binding.role_name) for error in owned.missing)
    errors = f"; resolution errors: [{missing}]" if missing else ""
    return f"{named} is attempting to grant RBAC permissions not currently held:\n{lines}{errors}"


def _not_found(request: AdmissionRequest, name: str) -> str:
    """Return the server's words about a missing role, which name the resource of the request instead of the role's."""
    return f"{request.resource}.{request.group} {printing.quote(name)} not found"


def _is_aggregated(role: Resource | None) -> bool:
    return bool(((role or {}).get("aggregationRule") or {}).get("clusterRoleSelectors"))


def changes_only_collection(new: Resource, old: Resource | None) -> bool:
    """Return whether an update changes only owner references and finalizers."""
    if old is None:
        return False

    def compared(value: Resource) -> dict[str, Any]:
        metadata = {key: field for key, field in value["metadata"].items() if key not in _COLLECTED and field}
        fields = {key: field for key, field in value.items() if key not in ("kind", "apiVersion") and field}
        return {**fields, "metadata": metadata}

    return compared(new) == compared(old)


def _place(request: AdmissionRequest, new: Resource) -> dict[str, str]:
    return {"name": str((new.get("metadata") or {}).get("name", "")), "namespace": request.namespace}


def _forbidden(request: AdmissionRequest, new: Resource, problem: str) -> RefusedError:
    name = _place(request, new)["name"]
    qualified = f"{request.resource}.{request.group} {printing.quote(name)}"
    subject = {"name": name, "group": request.group, "kind": request.resource}
    return RefusedError(Refusal(403, "Forbidden", f"{qualified} is forbidden: {problem}", subject=subject))


def _missing(request: AdmissionRequest, name: str) -> Refusal:
    subject = {"name": name, "group": request.group, "kind": request.resource}
    return Refusal(404, "NotFound", _not_found(request, name), subject=subject)
