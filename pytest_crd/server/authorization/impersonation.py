"""
Impersonation: the headers `Impersonate-*` let a user act as another.

Reference:
    apiserver endpoints/filters/impersonation/impersonation.go, constrained_impersonation.go and mode.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import usernames
from pytest_crd.engine.registry.admission import User
from pytest_crd.server.authorization.accessattributes import AccessAttributes
from pytest_crd.server.authorization.authorizer import MASTERS, RoleAuthorizer
from pytest_crd.server.authorization.refusals import ForbiddenError

_AUTHENTICATION: Final = "authentication.k8s.io"
_VERB: Final = "impersonate"
# From this number of groups or extra values, a constrained mode first asks about all.
_MANY: Final = 4
_ANONYMOUS: Final = "system:anonymous"
_NODE_NAME: Final = "authentication.kubernetes.io/node-name"
_HTTP_PATH: Final = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"


class _Mode(NamedTuple):
    """
    A way to impersonate.

    Attributes:
        name: The name in verbs; empty for the mode without constraints.
        applies: Returns whether a wanted user can be impersonated this way by a requestor.
        is_associated: True for the node that a service account runs on.
    """

    name: str
    applies: Callable[[User, User], bool]
    is_associated: bool = False

    @property
    def verb(self) -> str:
        """The verb of the questions about the wanted user."""
        return f"{_VERB}:{self.name}" if self.name else _VERB


def _is_bare(user: User) -> bool:
    return not (user.uid or user.groups or user.extra)


def _runs_on(wanted: User, requestor: User) -> bool:
    node = usernames.find_node(wanted.username)
    is_account = usernames.split_service_account(requestor.username) is not None
    return _is_bare(wanted) and bool(node) and is_account and requestor.extra.get(_NODE_NAME) == (node,)


_MODES: Final = (
    _Mode("associated-node", _runs_on, is_associated=True),
    _Mode("arbitrary-node", lambda wanted, _: _is_bare(wanted) and bool(usernames.find_node(wanted.username))),
    _Mode(
        "serviceaccount",
        lambda wanted, _: _is_bare(wanted) and usernames.split_service_account(wanted.username) is not None,
    ),
    _Mode(
        "user-info",
        lambda wanted, _: (
            not usernames.find_node(wanted.username) and usernames.split_service_account(wanted.username) is None
        ),
    ),
    _Mode("", lambda _wanted, _requestor: True),
)


class Impersonation:
    """Impersonation on a server; it remembers the last successful mode of each user, which is tried first."""

    def __init__(self, authorizer: RoleAuthorizer, profile: Profile) -> None:
        """Create with the authorizer of the server."""
        self._authorizer = authorizer
        self._profile = profile
        self._last: dict[str, _Mode] = {}

    def find_user(self, wanted: User, attributes: AccessAttributes) -> User:
        """
        Return the impersonated user.

        Args:
            wanted: The user in the headers.
            attributes: The request, with its own user.

        Raises:
            ForbiddenError: No mode allows the impersonation; the error is that of the first mode.
        """
        requestor = attributes.user
        modes = _MODES if self._profile.constrains_impersonation else _MODES[-1:]
        last = self._last.get(requestor.username)
        first_error: ForbiddenError | None = None
        for mode in sorted(modes, key=lambda mode: mode is not last):
            if not mode.applies(wanted, requestor):
                continue
            try:
                user = _Attempt(self._authorizer, mode, wanted, requestor).find_user(attributes)
            except ForbiddenError as error:
                first_error = first_error or error
                continue
            self._last[requestor.username] = mode
            return user
        assert first_error is not None  # noqa: S101 - the last mode applies to each user
        raise first_error


class _Attempt(NamedTuple):
    """An attempt to impersonate in one mode."""

    authorizer: RoleAuthorizer
    mode: _Mode
    wanted: User
    requestor: User

    def find_user(self, attributes: AccessAttributes) -> User:
        """
        Return the impersonated user.

        Raises:
            ForbiddenError: The mode does not allow it.
        """
        if self.mode.name:
            self._demand(attributes._replace(verb=f"impersonate-on:{self.mode.name}:{attributes.verb}"))
        groups = self._groups_of_name()
        if self.wanted.uid:
            self._demand(self._question("uids", self.wanted.uid, group=_AUTHENTICATION))
        self._demand_groups()
        self._demand_extra()
        return self.wanted._replace(groups=_with_common_group(self.wanted.username, groups))

    def _question(self, resource: str, name: str, *, group: str | None = None) -> AccessAttributes:
        """Return the question whether the requestor may be something."""
        own_group = _AUTHENTICATION if self.mode.name else ""
        group = own_group if group is None else group
        return AccessAttributes(self.requestor, self.mode.verb, group, resource, name=name)

    def _demand(self, attributes: AccessAttributes) -> None:
        if self.mode.is_associated:
            # The server asks for all nodes at once, whichever the service account runs on.
            name = "*" if attributes.verb == self.mode.verb else attributes.name
            attributes = attributes._replace(name=name)
        decision = self.authorizer.authorize(attributes, is_request=True)
        if not decision.is_allowed:
            raise ForbiddenError(attributes, decision.reason)

    def _groups_of_name(self) -> tuple[str, ...]:
        """Demand the username, and return the groups of the user."""
        username, groups = self.wanted.username, self.wanted.groups
        question = self._question("users", username)
        node = usernames.find_node(username) if self.mode.name else ""
        account = usernames.split_service_account(username)
        if node:
            question, groups = question._replace(resource="nodes", name=node), (usernames.NODES,)
        elif account is not None:
            namespace, name = account
            question = question._replace(resource="serviceaccounts", namespace=namespace, name=name)
            groups = groups or usernames.service_account_groups(namespace)
        self._demand(question)
        return groups

    def _demand_groups(self) -> None:
        groups, question = self.wanted.groups, self._question("groups", "")
        if self.mode.name and "" in groups:
            raise ForbiddenError(question, "impersonating the empty string group is not allowed")
        if self.mode.name and MASTERS in groups:
            reason = f"impersonating the {MASTERS} group is not allowed"
            raise ForbiddenError(question._replace(name=MASTERS), reason)
        if self.mode.name and len(groups) >= _MANY and self._allows(question._replace(name="*")):
            return
        for group in groups:
            self._demand(question._replace(name=group))

    def _demand_extra(self) -> None:
        extra, question = self.wanted.extra, self._question("userextras", "", group=_AUTHENTICATION)
        if not extra:
            return
        if self.mode.name and (problem := _find_problem_of_extra(extra)):
            raise ForbiddenError(question, problem)
        is_large = len(extra) >= _MANY or sum(map(len, extra.values())) >= _MANY
        if self.mode.name and is_large and self._allows(question._replace(subresource="*", name="*")):
            return
        for key, values in extra.items():
            for value in values:
                self._demand(question._replace(subresource=key, name=value))

    def _allows(self, question: AccessAttributes) -> bool:
        return self.authorizer.authorize(question, is_request=True).is_allowed


def _find_problem_of_extra(extra: Mapping[str, tuple[str, ...]]) -> str:
    """Return why a constrained mode refuses extra values; empty if it takes them."""
    for key, values in extra.items():
        if not key:
            return "impersonating the empty string key in extra is not allowed"
        if problem := _find_problem_of_key(key):
            return f"impersonating an invalid key in extra is not allowed: {problem}"
        if "" in values:
            return "impersonating the empty string value in extra is not allowed"
    return ""


def _find_problem_of_key(key: str) -> str:
    """
    Return why a key is no domain-prefixed path; empty if it is.

    Reference:
        apimachinery util/validation/validation.go, IsDomainPrefixedPath.
    """
    host, _, path = key.partition("/")
    place = FieldPath(("extra", "key"))
    if not host or not path:
        return str(fielderror.invalid(place, key, 'must be a domain-prefixed path (such as "acme.io/foo")'))
    errors = [fielderror.invalid(place, host, problem) for problem in names.dns1123_subdomain(host)]
    if not re.fullmatch(_HTTP_PATH, path):
        problem = f"Invalid path (regex used for validation is '{_HTTP_PATH}')"
        errors.append(fielderror.invalid(place, path, problem))
    return fielderror.aggregate(errors) if errors else ""


def _with_common_group(username: str, groups: tuple[str, ...]) -> tuple[str, ...]:
    """Return the groups of a user with the group of all authenticated or all unauthenticated users."""
    common = usernames.UNAUTHENTICATED if username == _ANONYMOUS else usernames.AUTHENTICATED
    has_common = common in groups or usernames.UNAUTHENTICATED in groups
    return groups if has_common else (*groups, common)
