"""Kubernetes types and parameters that accompany custom resources in OpenAPI documents, for each Kubernetes version."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile

# The major version of OpenAPI.
OpenAPIVersion: TypeAlias = Literal[2, 3]
Schema: TypeAlias = "Mapping[str, JSONValue]"

PREFIXES: Final[Mapping[OpenAPIVersion, str]] = {2: "#/definitions/", 3: "#/components/schemas/"}
META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"
SCALE: Final = "io.k8s.api.autoscaling.v1.Scale"
# The types that custom resources and their operations refer to.
OBJECT_META, LIST_META, STATUS = f"{META}.ObjectMeta", f"{META}.ListMeta", f"{META}.Status"
DELETE_OPTIONS, PATCH = f"{META}.DeleteOptions", f"{META}.Patch"

_GVK: Final = "x-kubernetes-group-version-kind"
# In v2 the server adds its own groups.
_SERVED: Final = ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")


class Parameter(NamedTuple):
    """
    A parameter of operations.

    Attributes:
        value: The parameter as in v2.
        actions: The operations that have it: `list`, `get`, `put` …
        shared_as: Its name in references of v2; empty if each operation has a copy.
    """

    value: Mapping[str, JSONValue]
    actions: frozenset[str] = frozenset()
    shared_as: str = ""

    @property
    def name(self) -> str:
        """Its name in requests."""
        return str(self.value["name"])


class Types(NamedTuple):
    """
    Types and parameters of a server of one Kubernetes version.

    Attributes:
        openapi: The version of OpenAPI.
        schemas: The types by name.
        parameters: The parameters.
    """

    openapi: OpenAPIVersion
    schemas: Mapping[str, Schema]
    parameters: tuple[Parameter, ...]

    def ref(self, name: str) -> str:
        """Return the reference to the type *name*; 1.21 has types with defaults twice, and refers to the second one."""
        second = f"{name}_v2"
        return f"{PREFIXES[self.openapi]}{second if second in self.schemas else name}"

    def reachable(self, refs: Iterable[str]) -> dict[str, Schema]:
        """Return the types reachable from *refs*, by name; references to other schemas are ignored."""
        types: dict[str, Schema] = {}
        pending = list(refs)
        while pending:
            name = pending.pop().removeprefix(PREFIXES[self.openapi])
            if name in self.schemas and name not in types:
                types[name] = self.schemas[name]
                pending += references(types[name])
        return types


@functools.cache
def load(profile: Profile, openapi: OpenAPIVersion, *, scales: bool) -> Types:
    """Return the types of a server of a Kubernetes version; *scales*: the CRD has the subresource scale."""
    content = _recorded()
    schemas = {
        name: _whole(name, form["schema"])
        for name, forms in content["definitions"].items()
        for form in forms
        if profile.recorded_version in form["versions"]
    }
    parameters = [
        _parameter(entry["parameter"])
        for entry in content["parameters"]
        if profile.recorded_version in entry["versions"]
    ]
    if not scales:
        # This second version belongs to the type of scales.
        schemas.pop(f"{OBJECT_META}_v2", None)
    if openapi == 2 and profile.publishes_v3:
        schemas = {name: as_v2(schema) for name, schema in schemas.items()}
        _add_served(schemas[DELETE_OPTIONS])
    return Types(openapi, schemas, tuple(parameters))


@functools.cache
def _recorded() -> Mapping[str, Any]:
    """Return the recording of `python -m oracle record types`: types as in v3 if the version has v3."""
    content: Mapping[str, Any] = json.loads(
        resources.files(__package__).joinpath("types.json").read_text(encoding="utf-8")
    )
    return content


def _parameter(recorded: Mapping[str, JSONValue]) -> Parameter:
    value = {key: item for key, item in recorded.items() if key not in ("actions", "sharedAs")}
    return Parameter(value, frozenset(recorded["actions"]), recorded.get("sharedAs", ""))


def _whole(name: str, recorded: Schema) -> dict[str, JSONValue]:
    """Return a recorded schema with full kinds, which are named like the type."""
    if _GVK not in recorded:
        return dict(recorded)
    kind = name.rpartition(".")[2].partition("_")[0]
    return {**recorded, _GVK: [_kind(api_version, kind) for api_version in recorded[_GVK]]}


def _kind(api_version: str, kind: str) -> dict[str, str]:
    group, _, version = api_version.rpartition("/")
    return {"group": group, "version": version, "kind": kind}


def _add_served(options: dict[str, JSONValue]) -> None:
    kinds = [*options[_GVK], *(_kind(api_version, "DeleteOptions") for api_version in _SERVED)]
    options[_GVK] = sorted(kinds, key=lambda kind: f"{kind['group']}/{kind['version']}")


def as_v2(schema: Schema) -> dict[str, JSONValue]:
    """Return a v3 schema as v2 has it: references beside other keywords, and neither defaults nor alternatives."""
    merged = {key: item for key, item in schema.items() if key not in ("allOf", "default", "oneOf")}
    for reference in schema.get("allOf", ()):
        merged |= reference
    if "oneOf" in schema:
        merged["type"] = "string"
    for key in ("items", "additionalProperties"):
        if isinstance(merged.get(key), dict):
            merged[key] = as_v2(merged[key])
    if "properties" in merged:
        merged["properties"] = {name: as_v2(field) for name, field in merged["properties"].items()}
    if "$ref" in merged:
        merged["$ref"] = merged["$ref"].replace(PREFIXES[3], PREFIXES[2])
    return merged


def references(value: JSONValue) -> Iterator[str]:
    """Yield all values of `$ref` in *value*."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)
