"""The admission policies of a session's project, which `crd_policies` and `crd_policies_commands` name."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Final

import pytest

from pytest_crd.checks.policychecks import PolicyScope
from pytest_crd.discovery import policyfiles
from pytest_crd.engine.api.context import Webhooks
from pytest_crd.engine.cel.library.accesschecks import AccessAnswer, AccessRequest, Authorize
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.plugin.settings import server
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.policies import reading
from pytest_crd.policies.definitions import Policy
from pytest_crd.policies.invocations import PolicyInvocation
from pytest_crd.policies.params import ParamSource
from pytest_crd.policies.policycontext import Evaluation, PolicyListeners
from pytest_crd.policies.policycoverage import PolicyMeter
from pytest_crd.policies.projectadmission import ProjectAdmission, ProjectFacts, ProjectPolicies
from pytest_crd.server.authorization import admissionauthorizer
from pytest_crd.server.builtin import builtinkinds

_MANIFESTS: Final[pytest.StashKey[Sequence[Manifest]]] = pytest.StashKey()
# The policies of admission, and the kinds and names of the matched ones.
_READ: Final[pytest.StashKey[ProjectPolicies]] = pytest.StashKey()
_MATCHED: Final[pytest.StashKey[set[tuple[str, str]]]] = pytest.StashKey()
_METER: Final[pytest.StashKey[PolicyMeter]] = pytest.StashKey()


def read_manifests(config: pytest.Config, places: ManifestPlaces) -> Sequence[Manifest]:
    """
    Return the policies, bindings and params of the project; they are read once in a session.

    Raises:
        InputError: A place has none, or a manifest or a command has mistakes.
    """
    if _MANIFESTS not in config.stash:
        config.stash[_MANIFESTS] = policyfiles.read(
            places.paths, places.commands, base=places.base, folder=places.folder
        )
    return config.stash[_MANIFESTS]


def add(config: pytest.Config, places: ManifestPlaces, webhooks: Webhooks | None) -> ProjectAdmission:
    """
    Return the admission of the project's policies, then of its webhooks.

    Args:
        config: The session's configuration.
        places: The places of the policies.
        webhooks: The webhooks; None without any.
    """

    @functools.cache
    def read_policies(profile: Profile) -> ProjectPolicies:
        config.stash[_READ] = reading.read(read_manifests(config, places), profile)
        return config.stash[_READ]

    @functools.cache
    def store_own(profile: Profile) -> ParamSource:
        return store_all((), profile)

    def store_all(given: Sequence[JSONObject], profile: Profile) -> ParamSource:
        params: ParamSource = _servers().store_params(config, read_policies(profile), given, webhooks, profile)
        return params

    def store_params(given: Sequence[JSONObject], profile: Profile) -> ParamSource:
        return store_all(given, profile) if given else store_own(profile)

    facts = ProjectFacts(
        read_policies, get_listeners(config), store_params, admissionauthorizer.is_granted, _authorize(config)
    )
    return ProjectAdmission(facts, webhooks)


def get_listeners(config: pytest.Config) -> PolicyListeners:
    """Return the listeners to the policies of a session, which measure coverage."""
    matched = config.stash.setdefault(_MATCHED, set())

    def observe(evaluation: Evaluation) -> None:
        config.stash[_METER].observe(evaluation)

    def observe_match(item: PolicyInvocation) -> None:
        config.stash[_METER].observe_match(item)
        matched.add((item.policy.kind, item.policy.name))

    config.stash.setdefault(_METER, PolicyMeter())
    return PolicyListeners(observe=observe, observe_match=observe_match)


def matched_policies(config: pytest.Config) -> set[tuple[str, str]]:
    """Return the kinds and names of the policies that match a request of the session."""
    return config.stash.get(_MATCHED, set())


def read_policies(config: pytest.Config) -> Sequence[Policy]:
    """Return the policies that requests of the session were shown to; empty if there was no such request."""
    if _READ not in config.stash:
        return ()
    policies = config.stash[_READ].policies
    return [bound.policy for bound in (*policies.mutating, *policies.validating)]


def take_reached(config: pytest.Config) -> set[tuple[str, ...]]:
    """Return the points that requests have reached since the last call."""
    meter = config.stash.get(_METER, PolicyMeter())
    config.stash[_METER] = PolicyMeter()
    return {tuple(point) for point in meter.reached}


@contextlib.contextmanager
def unmeasured(config: pytest.Config) -> Iterator[None]:
    """Count no results of policies as coverage until the end of the `with` block."""
    meter = config.stash.get(_METER, PolicyMeter())
    config.stash[_METER] = PolicyMeter()
    try:
        yield
    finally:
        config.stash[_METER] = meter


def make_scope(config: pytest.Config, places: ManifestPlaces) -> PolicyScope:
    """Return the policies of the project for checks."""
    return PolicyScope(functools.partial(read_manifests, config, places), places.base, _built_in_resources)


def _built_in_resources() -> list[tuple[str, str, str]]:
    """Return group, version and plural of the resources of built-in kinds."""
    return [(record.group, record.version, record.plural) for record in builtinkinds.records()]


def _authorize(config: pytest.Config) -> Authorize | None:
    """Return the authorizer with the roles of `crd_server_rbac`; None without the setting."""
    places = server.read(config).roles
    if places is None:
        return None

    def authorize(access: AccessRequest) -> AccessAnswer:
        return admissionauthorizer.authorize(_servers().get_authorizer(config, places), access)

    return authorize


def _servers() -> ModuleType:
    from pytest_crd.plugin import projectservers  # noqa: PLC0415 - few policies need them, and a server is slow to import

    return projectservers
