"""
The admission plugin OwnerReferencesPermissionEnforcement: permissions for owner references that block deletions.

OpenShift switches it on; other servers do by `--enable-admission-plugins`.

Reference:
    kubernetes plugin/pkg/admission, gc_admission.go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from pytest_crd.admission.chain import Reinvocation
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry.admission import AdmissionRequest, User
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.server.authorization.accessattributes import AccessAttributes
from pytest_crd.server.authorization.authorizer import RoleAuthorizer
from pytest_crd.server.resourcetypes import ResourceType

PLUGIN: Final = "OwnerReferencesPermissionEnforcement"


class OwnerTypes(Protocol):
    """The resources of a server."""

    def find_kinds(self, group: str, version: str, kind: str) -> Sequence[ResourceType]:
        """Return the resources with the objects of a kind."""


class OwnerPlugin(NamedTuple):
    """
    The plugin.

    Attributes:
        authorizer: The authorizer.
        served: The resources of the server.
    """

    authorizer: RoleAuthorizer
    served: OwnerTypes

    def mutate(self, request: AdmissionRequest, _reinvocation: Reinvocation, _warnings: list[str]) -> Resource | None:
        """Return the unchanged object."""
        return request.object

    def validate(self, request: AdmissionRequest, _warnings: list[str]) -> None:
        """Raise RefusedError if the user may not set the owner references."""
        if request.operation in ("CREATE", "UPDATE") and (problem := self._find_problem(request)):
            name = str(((request.object or {}).get("metadata") or {}).get("name") or request.name)
            qualified = f"{request.resource}.{request.group}" if request.group else request.resource
            subject = {"name": name, "group": request.group, "kind": request.resource}
            message = f"{qualified} {printing.quote(name)} is forbidden: {problem}"
            raise RefusedError(Refusal(403, "Forbidden", message, subject=subject))

    def _find_problem(self, request: AdmissionRequest) -> str:
        """Return the refusal in the server's words; empty if the user may set the owner references."""
        new, old = _references(request.object), _references(request.old_object)
        if new == old:
            return ""
        if request.operation == "UPDATE":
            deletion = AccessAttributes(
                request.user, "delete", request.group, request.resource, "", request.namespace, request.name
            )
            decision = self.authorizer.authorize(deletion, is_request=True)
            if not decision.is_allowed:
                return f"cannot set an ownerRef on a resource you can't delete: {decision.reason}, <nil>"
        problems = (self._refuse_owner(request, owner) for owner in _added(new, old))
        return next(filter(None, problems), "")

    def _refuse_owner(self, request: AdmissionRequest, owner: Resource) -> str:
        type_ = _find_type(self.served, owner)
        if type_ is None:
            version, kind = owner.get("apiVersion", ""), owner.get("kind", "")
            return (
                f"cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion {version} Kind {kind}: "
                f'no matches for kind "{kind}" in version "{version}"'
            )
        decision = self.authorizer.authorize(_describe(request.user, type_, request.namespace, owner), is_request=True)
        if decision.is_allowed:
            return ""
        return f"cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: {decision.reason}, <nil>"


def note_needs(authorizer: RoleAuthorizer, served: OwnerTypes, user: User, namespace: str, written: Resource) -> None:
    """Note the rules that a written object with blocking owners needs on a server with the plugin, so that they do not count as unneeded."""
    for owner in _references(written) if authorizer.has_project_roles else ():
        if owner.get("blockOwnerDeletion") and (type_ := _find_type(served, owner)) is not None:
            authorizer.authorize(_describe(user, type_, namespace, owner), is_request=True)


def _references(resource: Resource | None) -> list[Resource]:
    return ((resource or {}).get("metadata") or {}).get("ownerReferences") or []


def _added(new: Sequence[Resource], old: Sequence[Resource]) -> Iterator[Resource]:
    """Yield the new references that block the deletion of their owner and did not before."""
    blocking = {owner.get("uid") for owner in old if owner.get("blockOwnerDeletion")}
    yield from (owner for owner in new if owner.get("blockOwnerDeletion") and owner.get("uid") not in blocking)


def _find_type(served: OwnerTypes, owner: Resource) -> ResourceType | None:
    """Return the resource of an owner; None if the server has no such kind."""
    group, _, version = str(owner.get("apiVersion", "")).rpartition("/")
    return next(iter(served.find_kinds(group, version, str(owner.get("kind", "")))), None)


def _describe(user: User, type_: ResourceType, namespace: str, owner: Resource) -> AccessAttributes:
    """Return the update of an owner's finalizers."""
    place = namespace if type_.is_namespaced else ""
    name = str(owner.get("name", ""))
    return AccessAttributes(user, "update", type_.group, type_.names.plural, "finalizers", place, name)
