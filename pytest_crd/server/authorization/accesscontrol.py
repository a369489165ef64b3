"""Authentication, impersonation and authorization of the requests to a server."""

from __future__ import annotations

import contextlib

from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import User
from pytest_crd.server.authorization import accessattributes, impersonationheaders
from pytest_crd.server.authorization.authorizer import RoleAuthorizer
from pytest_crd.server.authorization.impersonation import Impersonation
from pytest_crd.server.authorization.refusals import ForbiddenError
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.http.statuses import ApiError, PageError
from pytest_crd.server.http.users import Users


class AccessControl:
    """
    Access to a server.

    Attributes:
        users: The users, by their tokens.
    """

    def __init__(self, users: Users, authorizer: RoleAuthorizer, profile: Profile) -> None:
        """Create with the users and the authorizer of a server."""
        self.users = users
        self._authorizer = authorizer
        self._impersonation = Impersonation(authorizer, profile)
        self._profile = profile

    def authenticate(self, request: HTTPRequest) -> User:
        """
        Return the user of the token of a request; if the server asks for no token, return the user of the request.

        Raises:
            ApiError: 401: it has no token of a user.
        """
        if not self.users.are_known:
            return request.user
        return self.users.authenticate(request.headers.get("authorization", ""))

    def identify(self, request: HTTPRequest) -> HTTPRequest:
        """Return a request with its user, impersonated ones included, for logs; the user has no name without a valid token."""
        try:
            user = self.authenticate(request)
        except ApiError:
            return request._replace(user=User())
        with contextlib.suppress(ApiError, PageError):
            user = impersonationheaders.read(request, self._profile) or user
        return request._replace(user=user)

    def authorize(self, user: User, request: HTTPRequest, info: RequestInfo | None) -> User:
        """
        Return the user that a request acts as, if that user may send it.

        Args:
            user: The user of the token.
            request: The request.
            info: The resource that its path names; None if it names none.

        Raises:
            ApiError: 403: the user may not send it, or may not act as another; 400: the headers name no user to act as.
            PageError: 500: the same headers before 1.35.
        """
        wanted = impersonationheaders.read(request, self._profile) if request.impersonation else None
        attributes = accessattributes.of_request(request, info, user, self._profile)
        if wanted is not None:
            attributes = attributes._replace(user=self._impersonation.find_user(wanted, attributes))
        decision = self._authorizer.authorize(attributes, is_request=True)
        if not decision.is_allowed:
            raise ForbiddenError(attributes, decision.reason)
        return attributes.user
