"""Roles and bindings of a project on a server: installation, their subjects, and the rules that no request needed."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_crd.engine.golang import decoding
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.inputerror import ManifestError, Mistake
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry import usernames
from pytest_crd.engine.registry.admission import User
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.server import installing
from pytest_crd.server.api import Api
from pytest_crd.server.authorization import policy, resolution, rules
from pytest_crd.server.authorization.authorizer import RuleKey
from pytest_crd.server.authorization.policy import Binding
from pytest_crd.server.authorization.resolution import RoleNotFoundError
from pytest_crd.server.authorization.rules import Permission
from pytest_crd.server.builtin import builtingotypes

_DEFAULT: Final = "default"
_NEAREST: Final = 3


class UnboundSubjectError(LookupError):
    """A user without a role; the message has the nearest names of users with one."""


class DeclaredRule(NamedTuple):
    """
    A rule of a role in a file.

    Attributes:
        place: `file:line` of the rule.
        role: Kind and name of the role.
        permissions: The parts of the rule.
    """

    place: str
    role: str
    permissions: tuple[Permission, ...]


class InstalledRoles:
    """
    The roles and bindings of a project on a server.

    Attributes:
        warnings: The bindings without a role, each with its place.
    """

    def __init__(self, api: Api, manifests: Sequence[Manifest]) -> None:
        """
        Store the roles and bindings of the project and of a new cluster.

        Args:
            api: The server.
            manifests: The roles and bindings, and Namespaces.

        Raises:
            ManifestError: The server refuses some of them.
        """
        self._api = api
        self._rules: dict[RuleKey, DeclaredRule] = {}
        catalog = api.catalog
        catalog.roles.store_defaults()
        catalog.authorizer.has_project_roles = True
        mistakes = [mistake for item in manifests for mistake in self._install(item)]
        if mistakes:
            raise ManifestError(mistakes)
        catalog.settle()
        self.warnings = tuple(self._find_missing_roles(manifests))

    def _install(self, item: Manifest) -> Iterator[Mistake]:
        """Store an object, and yield the reasons why a server refuses it."""
        if item.kind == "Namespace":
            installing.create_namespace(self._api, str(_metadata(item.value).get("name", "")))
            return
        value, problems = _decode(item, self._api)
        yield from (Mistake(item.source, item.line_of(), problem) for problem in problems)
        if problems:
            return
        type_ = self._api.catalog.find_type(policy.GROUP, "v1", policy.PLURALS[item.kind])
        assert type_ is not None  # noqa: S101 - each version serves roles
        if problem := installing.create(self._api, type_, value):
            yield Mistake(item.source, item.line_of(), problem)
        elif item.kind in ("Role", "ClusterRole"):
            self._declare(item, value)

    def _declare(self, item: Manifest, value: Resource) -> None:
        role = policy.read_role(value)
        for number, rule in enumerate(role.rules):
            place = f"{item.source}:{item.line_of('rules', number)}"
            declared = DeclaredRule(place, f"{role.kind} {role.name}", tuple(rules.permissions(rule)))
            self._rules[role.kind, role.namespace, role.name, number] = declared

    def _find_missing_roles(self, manifests: Iterable[Manifest]) -> Iterator[str]:
        for item in manifests:
            if not item.kind.endswith("Binding"):
                continue
            binding = policy.read_binding(_decode(item, self._api)[0])
            if isinstance(resolution.find_bound_role(self._api.catalog.roles, binding), RoleNotFoundError):
                name = f"{binding.role_kind} {binding.role_name}"
                yield f"{item.where}: warning: {binding.kind} {binding.name} binds {name}, which does not exist"

    def count_needs(self) -> dict[str, bool]:
        """Return for each part of a rule whether a request needed it; the keys are JSON lists of place, role, verb and target."""
        needed = self._api.catalog.authorizer.needed
        return {
            json.dumps([rule.place, rule.role, permission.verb, _target(permission)]): permission in needed.get(key, ())
            for key, rule in self._rules.items()
            for permission in rule.permissions
        }

    def make_user(self, name: str, groups: Sequence[str] = (), *, may_be_unbound: bool = False) -> User:
        """
        Return a user with the groups that the server adds.

        Args:
            name: The name; `system:serviceaccount:NAMESPACE:NAME` for a service account.
            groups: Further groups.
            may_be_unbound: True for a user that no binding names.

        Raises:
            UnboundSubjectError: No binding of the project names the user or one of its groups.
        """
        account = usernames.split_service_account(name)
        own = () if account is None else usernames.service_account_groups(account[0])
        user = User(name, groups=tuple(dict.fromkeys((*own, *groups, usernames.AUTHENTICATED))))
        bindings = self._api.catalog.roles.own_bindings()
        if not may_be_unbound and not any(resolution.find_subject(binding, user) for binding in bindings):
            raise UnboundSubjectError(_describe_unbound(name, bindings))
        return user


def _decode(item: Manifest, api: Api) -> tuple[Resource, Sequence[str]]:
    """Return an object of its Go type with its namespace and default groups, and its problems."""
    go_type = builtingotypes.of_kind(policy.API_VERSION, item.kind, api.profile)
    try:
        decoded = decoding.decode(item.value, go_type)
    except DecodeError as error:
        return {}, [str(error)]
    metadata: dict[str, Any] = {key: value for key, value in decoded.value["metadata"].items() if value}
    problems = [
        *decoded.problems,
        *(() if metadata.get("name") else ("metadata.name: Required value: name is required",)),
    ]
    if item.kind in policy.NAMESPACED:
        metadata = {"namespace": _DEFAULT, **metadata}
    else:
        metadata.pop("namespace", None)
    value = {**decoded.value, "kind": item.kind, "apiVersion": policy.API_VERSION, "metadata": metadata}
    return value, problems


def _describe_unbound(name: str, bindings: Iterable[Binding]) -> str:
    subjects = sorted({_username(subject, binding) for binding in bindings for subject in binding.subjects})
    nearest = difflib.get_close_matches(name, subjects, _NEAREST, 0.0)
    names = f"; the nearest subjects are {', '.join(nearest)}" if nearest else ""
    return f"no binding names {name!r} or one of its groups{names}"


def _username(subject: policy.BindingSubject, binding: Binding) -> str:
    if subject.kind == policy.SERVICE_ACCOUNT:
        return usernames.service_account(subject.namespace or binding.namespace, subject.name)
    return subject.name


def _target(permission: Permission) -> str:
    return f"{permission.target}.{permission.group}" if permission.group else permission.target


def _metadata(value: Any) -> Mapping[str, Any]:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    return metadata if isinstance(metadata, dict) else {}
