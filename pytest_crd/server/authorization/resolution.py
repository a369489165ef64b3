"""
Resolution of a user to rules, by the bindings that name the user.

Reference:
    kubernetes pkg/registry/rbac/validation/rule.go, DefaultRuleResolver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from pytest_crd.engine.golang import printing
from pytest_crd.engine.registry import usernames
from pytest_crd.engine.registry.admission import User
from pytest_crd.server.authorization import policy
from pytest_crd.server.authorization.policy import Binding, BindingSubject, PolicyRule, Role


class RoleSource(Protocol):
    """The roles and bindings of a server."""

    def find_role(self, kind: str, namespace: str, name: str) -> Role | None:
        """Return a Role or ClusterRole; None if it does not exist."""

    def bindings(self, kind: str, namespace: str) -> Iterable[Binding]:
        """Return the ClusterRoleBindings, or the RoleBindings of a namespace."""

    def own_bindings(self) -> Sequence[Binding]:
        """Return the bindings that a new cluster lacks."""


class GrantedRule(NamedTuple):
    """
    A rule that a user has.

    Attributes:
        role: The role with the rule.
        number: The index of the rule in the role.
        binding: The binding of the role.
        subject: The subject of the binding that is the user.
    """

    role: Role
    number: int
    binding: Binding
    subject: BindingSubject

    @property
    def rule(self) -> PolicyRule:
        """The rule."""
        return self.role.rules[self.number]

    def __str__(self) -> str:
        """Return the binding, the role and the subject in the server's words."""
        binding = self.binding
        name = f"{binding.name}/{binding.namespace}" if binding.namespace else binding.name
        parts = (binding.kind, name, binding.role_kind, binding.role_name)
        kind, quoted, role_kind, role = (part if index % 2 == 0 else _quote(part) for index, part in enumerate(parts))
        return f"{kind} {quoted} of {role_kind} {role} to {_describe(self.subject, binding.namespace)}"


class RoleNotFoundError(Exception):
    """
    A binding of a role that does not exist; the message is the server's.

    Attributes:
        binding: The binding.
    """

    def __init__(self, binding: Binding) -> None:
        """Create for a binding."""
        super().__init__(f"{binding.role_kind.lower()}.{policy.GROUP} {_quote(binding.role_name)} not found")
        self.binding = binding


def resolve(source: RoleSource, user: User, namespace: str) -> Iterator[GrantedRule | RoleNotFoundError]:
    """
    Yield the rules of a user in a namespace, and the bindings without a role.

    Args:
        source: The roles and bindings.
        user: The user.
        namespace: The namespace; empty for requests outside of namespaces.
    """
    yield from _resolve(source, user, source.bindings("ClusterRoleBinding", ""))
    if namespace:
        yield from _resolve(source, user, source.bindings("RoleBinding", namespace))


def _resolve(source: RoleSource, user: User, bindings: Iterable[Binding]) -> Iterator[GrantedRule | RoleNotFoundError]:
    for binding in bindings:
        subject = find_subject(binding, user)
        if subject is None:
            continue
        role = find_bound_role(source, binding)
        if isinstance(role, RoleNotFoundError):
            yield role
        else:
            yield from (GrantedRule(role, number, binding, subject) for number in range(len(role.rules)))


def find_bound_role(source: RoleSource, binding: Binding) -> Role | RoleNotFoundError:
    """Return the role of a binding, or the error that it does not exist."""
    namespace = binding.namespace if binding.role_kind == "Role" else ""
    return source.find_role(binding.role_kind, namespace, binding.role_name) or RoleNotFoundError(binding)


def find_subject(binding: Binding, user: User) -> BindingSubject | None:
    """Return the first subject of a binding that is a user; None without one."""
    return next((subject for subject in binding.subjects if _is_user(subject, user, binding.namespace)), None)


def _is_user(subject: BindingSubject, user: User, namespace: str) -> bool:
    match subject.kind:
        case policy.USER:
            return subject.name == user.username
        case policy.GROUP_KIND:
            return subject.name in user.groups
        case policy.SERVICE_ACCOUNT:
            own = subject.namespace or namespace
            return bool(own) and user.username == usernames.service_account(own, subject.name)
    return False


def _describe(subject: BindingSubject, namespace: str) -> str:
    if subject.kind == policy.SERVICE_ACCOUNT:
        return f"{subject.kind} {_quote(f'{subject.name}/{subject.namespace or namespace}')}"
    return f"{subject.kind} {_quote(subject.name)}"


def _quote(text: str) -> str:
    return printing.quote(text)
