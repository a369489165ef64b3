"""CustomResourceDefinitions as the server stores them and returns them in answers."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_crd.engine.crds import encoded, storeddefaults
from pytest_crd.engine.crds.crdforms import Forms
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.schema import subschemas
from pytest_crd.engine.schema.declaredschema import OpenAPISchema


def encode(crd: Forms, profile: Profile) -> JSONObject:
    """
    Return a CRD as the server stores it.

    Args:
        crd: The CRD with the metadata and status that the server sets.
        profile: The Kubernetes version.
    """
    spec = crd.defaulted["spec"]
    versions = [_with_schema(version, "schema", crd, profile) for version in spec.get("versions") or ()]
    spec = _with_schema({**spec, "versions": versions}, "validation", crd, profile)
    return encoded.encode({**crd.defaulted, "spec": spec})


def _with_schema(holder: Mapping[str, JSONValue], field: str, crd: Forms, profile: Profile) -> Mapping[str, JSONValue]:
    """Return a version or a spec with the stored form of the schema in *field*."""
    schema = (holder.get(field) or {}).get("openAPIV3Schema")
    if schema is None:
        return holder
    declared = crd.internal.schema_in(holder[field]) or OpenAPISchema(schema, profile)
    stored = storeddefaults.coerce(declared) if declared.has_defaults else schema
    if any(node.get("items") == [] for node in declared.nodes):
        # Go encodes an empty list of schemas as null, which means no schema.
        stored = subschemas.without(stored, lambda keyword, value: keyword == "items" and value == [])
    return holder if stored is schema else {**holder, field: {**holder[field], "openAPIV3Schema": stored}}
