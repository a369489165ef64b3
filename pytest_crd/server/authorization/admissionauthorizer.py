"""The authorizer in the match conditions of webhooks."""

from __future__ import annotations

from typing import NamedTuple

from pytest_crd.engine.cel.library.accesschecks import AccessRequest
from pytest_crd.engine.registry.admission import Admission, AdmissionRequest, Admitted, User
from pytest_crd.server.authorization.accessattributes import AccessAttributes
from pytest_crd.server.authorization.authorizer import RoleAuthorizer


class AuthorizedAdmission(NamedTuple):
    """
    Admission plugins with the authorizer of the server, if it has the roles of a project.

    Attributes:
        inner: The plugins.
        authorizer: The authorizer.
    """

    inner: Admission
    authorizer: RoleAuthorizer

    def mutate(self, request: AdmissionRequest) -> Admitted:
        """Return the object after the mutating plugins; raise RefusedError if one refuses it."""
        return self.inner.mutate(self._authorized(request))

    def validate(self, request: AdmissionRequest) -> Admitted:
        """Return the unchanged object and warnings; raise RefusedError if a validating plugin refuses it."""
        return self.inner.validate(self._authorized(request))

    def _authorized(self, request: AdmissionRequest) -> AdmissionRequest:
        return request._replace(authorize=self._authorize) if self.authorizer.has_project_roles else request

    def _authorize(self, access: AccessRequest) -> bool:
        """Return whether an expression may do something."""
        fields = (access.verb, access.group, access.resource, access.subresource, access.namespace, access.name)
        user = User(access.username, groups=access.groups)
        attributes = AccessAttributes(user, *fields, access.path, is_resource=not access.path)
        return self.authorizer.authorize(attributes).is_allowed
