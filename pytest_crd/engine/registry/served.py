"""A version of a CRD as it is served: in the forms from which requests for custom resources are answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pytest_crd.engine.crds.declared import VersionSpec
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.passes.versionpasses import Passes
from pytest_crd.engine.schema.structural import Structural


class Served(NamedTuple):
    """
    One version of a CRD as the server holds it.

    Attributes:
        spec: What the CRD declares of it.
        schema: Its schema in structural form; None where it has none.
        passes: What changes its resources.
        published: Returns the schema of which its OpenAPI document is made; None where it is made without one.
    """

    spec: VersionSpec
    schema: Structural | None
    passes: Passes
    published: Callable[[], Mapping[str, JSONValue] | None]
