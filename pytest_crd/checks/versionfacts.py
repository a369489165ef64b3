"""Facts of a version's schema that decide which checks the version gets."""

from __future__ import annotations

from typing import NamedTuple

from pytest_crd.checks import itemlists, published
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.schema import subschemas
from pytest_crd.engine.schema.schemamap import RULES


class VersionFacts(NamedTuple):
    """
    Facts for the choice of a version's checks.

    Attributes:
        has_rules: Whether its schema has CEL rules.
        may_be_lost: Whether OpenAPI v2 may lose something of it.
        has_lists: Whether it is served and has lists whose items have owners of their own.
    """

    has_rules: bool
    may_be_lost: bool
    has_lists: bool


def find_facts(version: CrdVersion) -> VersionFacts:
    """Return the facts of a version."""
    root = version.schema_map
    schemas = subschemas.walk(root.schema)
    # Searching all schemas is faster than finding the nodes that can have rules.
    has_rules = any(RULES in schema for schema in schemas) and any(node.rules for node in root)
    has_lists = version.served and any(True for _ in itemlists.find_all(version))
    return VersionFacts(has_rules, version.served and published.may_lose(schemas), has_lists)
