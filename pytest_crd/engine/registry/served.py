"""A served version of a CRD, in the forms that requests need."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pytest_crd.engine.crds.declared import VersionSpec
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.passes.versionpasses import Passes
from pytest_crd.engine.schema.structural import Structural
from pytest_crd.records import NamedTuple


class Served(NamedTuple):
    """
    One served version of a CRD.

    Attributes:
        spec: The declared version.
        schema: The structural schema; None without one.
        passes: The passes that change its resources.
        published: Returns the schema for its OpenAPI document; None without one.
    """

    spec: VersionSpec
    schema: Structural | None
    passes: Passes
    published: Callable[[], Mapping[str, JSONValue] | None]
