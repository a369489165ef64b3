"""Built-in resources of a Kubernetes version, by URL and by kind."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.profile import Profile
from pytest_crd.policies import definitions
from pytest_crd.server.authorization.reviewtypes import review_types
from pytest_crd.server.builtin.builtintypes import BuiltInType, built_in
from pytest_crd.webhooks import configurationtypes

_CONFIGURATIONS: Final = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")


class BuiltInResources(NamedTuple):
    """
    Built-in resources of a Kubernetes version.

    Attributes:
        types: The resources in the order of discovery.
        by_path: The resources by group, version and plural.
        by_kind: The resources by group, version and kind.
        policies: The resources of policies and bindings.
        configurations: The resources of webhook configurations.
    """

    types: tuple[BuiltInType, ...]
    by_path: Mapping[tuple[str, str, str], BuiltInType]
    by_kind: Mapping[tuple[str, str, str], BuiltInType]
    policies: tuple[BuiltInType, ...]
    configurations: tuple[BuiltInType, ...]


@functools.cache
def find(profile: Profile) -> BuiltInResources:
    """Return the resources of a Kubernetes version, each at its place."""
    reviews = review_types(profile)
    answered = {type_.resource for type_ in reviews}
    types = (*(type_ for type_ in built_in(profile) if type_.resource not in answered), *reviews)
    by_path = {(type_.group, type_.version, type_.names.plural): type_ for type_ in types}
    by_kind = {(type_.group, type_.version, type_.names.kind): type_ for type_ in types}
    served = {type_.names.kind: type_ for type_ in types if type_.group == definitions.GROUP}
    policies = tuple(served[kind] for kind in definitions.KINDS if kind in served)
    paths = ((configurationtypes.GROUP, configurationtypes.V1, plural) for plural in _CONFIGURATIONS)
    return BuiltInResources(types, by_path, by_kind, policies, tuple(by_path[path] for path in paths))
