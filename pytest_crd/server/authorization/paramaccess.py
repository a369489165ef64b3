"""
Access to params: the writer of a policy or a binding must be allowed to read the params that it refers to.

Reference:
    kubernetes pkg/registry/admissionregistration/*/authz.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry.admission import Admission, AdmissionRequest, Admitted, User
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.policies.definitions import BINDING_OF, KINDS, MUTATING_BINDING, ParamKind
from pytest_crd.server.authorization.accessattributes import AccessAttributes
from pytest_crd.server.authorization.authorizer import MASTERS, RoleAuthorizer

_ANY: Final = "*"
_POLICY_OF: Final = {binding: policy for policy, binding in BINDING_OF.items()}


class ParamSource(NamedTuple):
    """
    The objects of a server that decide about access to params.

    Attributes:
        authorizer: The authorizer.
        find_plural: Returns the plural of a served kind; empty if the kind is not served.
        find_policy: Returns the stored policy of a kind and a name, or None.
    """

    authorizer: RoleAuthorizer
    find_plural: Callable[[ParamKind], str]
    find_policy: Callable[[str, str], Resource | None]


class ParamAdmission(NamedTuple):
    """
    Admission plugins of the server, followed by the check of access to params, for writes of policies and bindings.

    Attributes:
        inner: The plugins; None without any.
        source: The objects of the server.
    """

    inner: Admission | None
    source: ParamSource

    def mutate(self, request: AdmissionRequest) -> Admitted:
        """Return the object after the mutating plugins; raise RefusedError if one refuses it."""
        return Admitted(request.object) if self.inner is None else self.inner.mutate(request)

    def validate(self, request: AdmissionRequest) -> Admitted:
        """Return the unchanged object and warnings; raise RefusedError if its user may not read the params, or a plugin refuses it."""
        if request.kind in KINDS and not request.subresource and request.object is not None:
            demand_access(request, request.object, self.source)
        return Admitted(request.object) if self.inner is None else self.inner.validate(request)


def demand_access(request: AdmissionRequest, new: Resource, source: ParamSource) -> None:
    """
    Refuse a policy or binding if the user may not read its params.

    Args:
        request: A create or an update of a policy or binding.
        new: The valid object.
        source: The objects of the server.

    Raises:
        RefusedError: 422: the user may not read them.
    """
    if MASTERS in request.user.groups:
        return
    spec, old = new["spec"], (request.old_object or {}).get("spec") or {}
    is_binding = request.kind in _POLICY_OF
    field = "paramRef" if is_binding else "paramKind"
    if spec.get(field) is None:
        return
    if is_binding:
        # The server compares the fields of a paramRef by address, so an unchanged one is checked, too.
        problem = _find_binding_problem(request, spec, source)
    else:
        problem = "" if old.get(field) == spec[field] else _find_policy_problem(request.user, spec[field], source)
    if problem:
        error = fielderror.forbidden(FieldPath(("spec", field)), problem)
        name = new["metadata"].get("name") or ""
        message = f"{request.kind}.{request.group} {printing.quote(name)} is invalid: {error}"
        subject = {"name": name, "group": request.group, "kind": request.kind}
        raise RefusedError(Refusal(422, "Invalid", message, errors=(error,), subject=subject))


def _find_policy_problem(user: User, value: Resource, source: ParamSource) -> str:
    kind = _read_kind(value)
    group = kind.api_version.rpartition("/")[0]
    question = AccessAttributes(user, "get", group, source.find_plural(kind) or _ANY, namespace=_ANY, name=_ANY)
    if source.authorizer.authorize(question).is_allowed:
        return ""
    return (
        f'user {_print_user(user)} must have "get" permission on all objects of the referenced paramKind '
        f"(kind={kind.kind}, apiVersion={kind.api_version})"
    )


def _find_binding_problem(request: AdmissionRequest, spec: Resource, source: ParamSource) -> str:
    reference, user = spec["paramRef"], request.user
    stored = source.find_policy(_POLICY_OF[request.kind], spec["policyName"])
    value = None if stored is None else stored["spec"].get("paramKind")
    kind = None if value is None else _read_kind(value)
    plural = "" if kind is None else source.find_plural(kind)
    group = _ANY if kind is None else kind.api_version.rpartition("/")[0]
    name, namespace = reference.get("name") or "", reference.get("namespace") or ""
    verb = "get" if name else "list"
    question = AccessAttributes(user, verb, group, plural or _ANY, namespace=namespace, name=name)
    if source.authorizer.authorize(question).is_allowed:
        return ""
    lacking = (
        f'to determine minimum required permissions and user {_print_user(user)} does not have "{verb}" permission '
        "for all groups, versions and resources"
    )
    if stored is None:
        return f"unable to get policy {spec['policyName']} {lacking}"
    if kind is not None and not plural:
        return f"unable to resolve paramKind &{{{kind.api_version} {kind.kind}}} {lacking}"
    texts = (_print_user(user), verb)
    # The server swaps both for the binding of a MutatingAdmissionPolicy.
    first, second = texts[::-1] if request.kind == MUTATING_BINDING else texts
    return f'user {first} does not have "{second}" permission on the object referenced by paramRef'


def _read_kind(value: Resource) -> ParamKind:
    return ParamKind(value.get("apiVersion") or "", value.get("kind") or "")


def _print_user(user: User) -> str:
    """Return a user as Go prints the struct with `%v`."""
    extra = " ".join(f"{key}:[{' '.join(user.extra[key])}]" for key in sorted(user.extra))
    return f"&{{{user.username} {user.uid} [{' '.join(user.groups)}] map[{extra}]}}"
