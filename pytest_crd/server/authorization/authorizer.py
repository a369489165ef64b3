"""Decisions about requests: administrators may do everything, others need a rule."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import User
from pytest_crd.server.authorization import resolution, rules
from pytest_crd.server.authorization.accessattributes import AccessAttributes
from pytest_crd.server.authorization.policy import PolicyRule
from pytest_crd.server.authorization.resolution import GrantedRule, RoleNotFoundError, RoleSource
from pytest_crd.server.authorization.rules import Permission

MASTERS: Final = "system:masters"
"""The group of administrators."""

# The kind, namespace and name of a role, and the index of a rule.
RuleKey: TypeAlias = "tuple[str, str, str, int]"


class AccessDecision(NamedTuple):
    """
    A decision about a request.

    Attributes:
        is_allowed: True if the request is allowed.
        reason: The reason in the server's words; empty without one.
    """

    is_allowed: bool
    reason: str = ""


class UserRules(NamedTuple):
    """
    The rules of a user.

    Attributes:
        rules: The rules.
        missing: The errors about bindings without a role.
    """

    rules: Sequence[PolicyRule]
    missing: Sequence[RoleNotFoundError] = ()

    @property
    def problem(self) -> str:
        """The bindings without a role, in the server's words; empty without any."""
        return aggregate(map(str, self.missing))


class RoleAuthorizer:
    """
    The authorizer of a server: the group of administrators, then RBAC.

    Attributes:
        source: The roles and bindings.
        has_project_roles: True if the server has the roles of a project, not only those of a new cluster.

    Reference:
        kubernetes plugin/pkg/auth/authorizer/rbac/rbac.go; apiserver authorization/union/union.go.
    """

    def __init__(self, source: RoleSource, profile: Profile) -> None:
        """Create for roles and a Kubernetes version."""
        self.has_project_roles = False
        self.source = source
        self._profile = profile
        self._needed: defaultdict[RuleKey, set[Permission]] = defaultdict(set)
        self._lock = threading.Lock()

    @property
    def knows_roles(self) -> bool:
        """True if the server has the roles of a project, or a binding that a client created."""
        return self.has_project_roles or bool(self.source.own_bindings())

    @property
    def needed(self) -> Mapping[RuleKey, frozenset[Permission]]:
        """The parts of rules that allowed a request."""
        with self._lock:
            return {key: frozenset(permissions) for key, permissions in self._needed.items()}

    def authorize(self, attributes: AccessAttributes, *, is_request: bool = False) -> AccessDecision:
        """
        Return the decision about a request.

        Args:
            attributes: The request.
            is_request: True for a request that a client sent, which needs its rule; False for a question about access.
        """
        if MASTERS in attributes.user.groups:
            return AccessDecision(is_allowed=True)
        problems: list[str] = []
        for item in resolution.resolve(self.source, attributes.user, attributes.namespace):
            if isinstance(item, RoleNotFoundError):
                problems.append(str(item))
                continue
            permission = rules.find_permission(item.rule, attributes)
            if permission is not None:
                if is_request:
                    self._note(item, permission)
                return AccessDecision(is_allowed=True, reason=f"RBAC: allowed by {item}")
        if not problems:
            return AccessDecision(is_allowed=False)
        named = "rbac: " if self._profile.names_authorizers else ""
        return AccessDecision(is_allowed=False, reason=f"{named}RBAC: {aggregate(problems)}")

    def find_rules(self, user: User, namespace: str) -> UserRules:
        """Return the rules of a user in a namespace."""
        items = [*resolution.resolve(self.source, user, namespace)]
        missing = [item for item in items if isinstance(item, RoleNotFoundError)]
        return UserRules([item.rule for item in items if isinstance(item, GrantedRule)], missing)

    def _note(self, granted: GrantedRule, permission: Permission) -> None:
        role = granted.role
        with self._lock:
            self._needed[role.kind, role.namespace, role.name, granted.number].add(permission)


def aggregate(problems: Iterable[str]) -> str:
    """Return several errors as one text, repeated ones once, as apimachinery util/errors does; empty without any."""
    distinct = [*dict.fromkeys(problems)]
    return "".join(distinct) if len(distinct) < 2 else f"[{', '.join(distinct)}]"
