"""What of a version decides which checks it gets: found by going through its schema, and known by its content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from pytest_crd import contentcache
from pytest_crd.checks.samplefiles import Sample
from pytest_crd.contentcache import ContentCache
from pytest_crd.engine import CustomResourceDefinition, Version
from pytest_crd.engine.schema import nodes
from pytest_crd.engine.schema.schemamap import RULES

_OF_VERSIONS: Final = "checks of versions"
_UNREACHED: Final = "lists without samples"


class VersionFacts(NamedTuple):
    """
    What decides which checks a version gets.

    Attributes:
        has_rules: Whether its schema has CEL rules.
        may_be_lost: Whether OpenAPI v2 may lose something of it.
        has_lists: Whether it is served and has lists whose items have owners of their own.
    """

    has_rules: bool
    may_be_lost: bool
    has_lists: bool


def of(crd: CustomResourceDefinition, cache: ContentCache) -> list[VersionFacts]:
    """Return what decides about the versions of a CRD, in their order."""
    found = cache.of(lambda: [_found(version) for version in crd.versions], _OF_VERSIONS, *_key(crd))
    return [VersionFacts(*one) for one in found]


def is_unreached(version: Version, samples: Sequence[Sample], cache: ContentCache) -> bool:
    """Return whether a version has lists with owners of their own items that none of the samples has."""
    told = [one.digest for one in samples if one.version == version.name and one.can_be_applied]
    key = (*_key(version.crd), version.name, contentcache.digest(" ".join(told).encode()))
    is_unreached: bool = cache.of(lambda: _is_unreached(version, samples), _UNREACHED, *key)
    return is_unreached


def _is_unreached(version: Version, samples: Sequence[Sample]) -> bool:
    from pytest_crd.checks import itemlists  # noqa: PLC0415 - only of a new content

    return any(True for _ in itemlists.unreached(version, samples))


def _found(version: Version) -> VersionFacts:
    from pytest_crd.checks import itemlists, published  # noqa: PLC0415 - only of a new content

    root = version.schema_map
    schemas = nodes.walk(root.schema)
    # All schemas are looked through sooner than the nodes of the places that rules can be for.
    has_rules = any(RULES in one for one in schemas) and any(node.rules for node in root)
    has_lists = version.served and any(True for _ in itemlists.of_version(version))
    return VersionFacts(has_rules, version.served and published.may_lose(schemas), has_lists)


def _key(crd: CustomResourceDefinition) -> tuple[str, str]:
    return crd.digest, crd.kubernetes_version
