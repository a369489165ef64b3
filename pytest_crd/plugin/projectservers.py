"""Servers with roles and params of a session's project, for its admission policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest

from pytest_crd.discovery import rolefiles
from pytest_crd.engine.api.context import Webhooks
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.profile import Profile
from pytest_crd.plugin import session
from pytest_crd.plugin.settings.manifestplaces import ManifestPlaces
from pytest_crd.policies.params import ParamSource
from pytest_crd.policies.projectadmission import ProjectPolicies
from pytest_crd.server import installedparams
from pytest_crd.server.api import Api
from pytest_crd.server.authorization.authorizer import RoleAuthorizer
from pytest_crd.server.installedroles import InstalledRoles
from pytest_crd.server.policyparams import StoredParams

_AUTHORIZER: Final[pytest.StashKey[RoleAuthorizer]] = pytest.StashKey()


def get_authorizer(config: pytest.Config, places: ManifestPlaces) -> RoleAuthorizer:
    """
    Return the authorizer with the roles of the project; they are read once in a session.

    Args:
        config: The session's configuration.
        places: The places of the roles.

    Raises:
        InputError: A place has no role, or a manifest or a command has mistakes.
    """
    if _AUTHORIZER not in config.stash:
        manifests = rolefiles.read(places.paths, places.commands, base=places.base, folder=places.folder)
        api = Api()
        InstalledRoles(api, manifests)
        config.stash[_AUTHORIZER] = api.catalog.authorizer
    return config.stash[_AUTHORIZER]


def store_params(
    config: pytest.Config,
    project: ProjectPolicies,
    given: Sequence[JSONObject],
    webhooks: Webhooks | None,
    profile: Profile,
) -> ParamSource:
    """
    Store params on a server with the CRDs of the project that it accepts.

    Args:
        config: The session's configuration.
        project: The policies of the project, and the objects beside them.
        given: The objects of a test.
        webhooks: The webhooks that convert objects; None if there are none.
        profile: The Kubernetes version.

    Raises:
        GivenParamError: An object of the test cannot be stored.
        InputError: Objects of the project cannot be stored.
    """
    crds = [crd.under(profile.version) for crd in session.catalogs(config)[0].find_admitted()[0]]
    api = installedparams.start([crd for crd in crds if crd.response.accepted], webhooks, profile)
    bound = (*project.policies.mutating, *project.policies.validating)
    installedparams.install(api, project.objects, given, [item.policy for item in bound])
    return StoredParams(api.store, api.catalog.find_kinds)
