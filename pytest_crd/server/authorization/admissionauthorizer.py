"""The authorizer in the expressions of admission: decisions by the roles of a server, or by the rules of a test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pytest_crd.engine.cel.library.accesschecks import AccessAnswer, AccessRequest
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.registry.admission import Admission, AdmissionRequest, Admitted, User
from pytest_crd.server.authorization import policy, rules
from pytest_crd.server.authorization.accessattributes import AccessAttributes
from pytest_crd.server.authorization.authorizer import RoleAuthorizer


class AuthorizedAdmission(NamedTuple):
    """
    Admission plugins with the authorizer of the server, if it knows roles.

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
        return request._replace(authorize=self._authorize) if self.authorizer.knows_roles else request

    def _authorize(self, access: AccessRequest) -> AccessAnswer:
        return authorize(self.authorizer, access)


def authorize(authorizer: RoleAuthorizer, access: AccessRequest) -> AccessAnswer:
    """Return whether the roles of a server allow the access that an expression checks."""
    decision = authorizer.authorize(_attributes(access))
    return AccessAnswer(decision.is_allowed, decision.reason)


def is_granted(declared: Iterable[JSONObject], access: AccessRequest) -> AccessAnswer:
    """
    Return whether rules allow the access that an expression checks.

    Args:
        declared: The rules, as in a Role.
        access: The access.
    """
    attributes = _attributes(access)
    return AccessAnswer(any(rules.find_permission(policy.read_rule(rule), attributes) is not None for rule in declared))


def _attributes(access: AccessRequest) -> AccessAttributes:
    fields = (access.verb, access.group, access.resource, access.subresource, access.namespace, access.name)
    user = User(access.username, groups=access.groups)
    return AccessAttributes(user, *fields, access.path, is_resource=not access.path)
