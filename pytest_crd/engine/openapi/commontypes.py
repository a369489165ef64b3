"""The types of Kubernetes and the parameters that stand beside custom resources in documents, as servers of each version have them."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile

# The version of OpenAPI.
OpenAPIVersion: TypeAlias = Literal[2, 3]
Schema: TypeAlias = "Mapping[str, JSONValue]"

PREFIXES: Final[Mapping[OpenAPIVersion, str]] = {2: "#/definitions/", 3: "#/components/schemas/"}
META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"
SCALE: Final = "io.k8s.api.autoscaling.v1.Scale"
# What custom resources and their operations refer to.
OBJECT_META, LIST_META, STATUS = f"{META}.ObjectMeta", f"{META}.ListMeta", f"{META}.Status"
DELETE_OPTIONS, PATCH = f"{META}.DeleteOptions", f"{META}.Patch"

_GVK: Final = "x-kubernetes-group-version-kind"
# In v2 the server adds the groups that it serves itself.
_SERVED: Final = ("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1")


class Parameter(NamedTuple):
    """
    A parameter of operations.

    Attributes:
        value: The parameter in the form of v2.
        actions: Which operations have it: `list`, `get`, `put` …
        shared_as: What it is called where operations refer to it, in v2; empty where it stands in each of them.
    """

    value: Mapping[str, JSONValue]
    actions: frozenset[str] = frozenset()
    shared_as: str = ""

    @property
    def name(self) -> str:
        """What it is called in requests."""
        return str(self.value["name"])


class Types(NamedTuple):
    """
    What a server of one Kubernetes version has.

    Attributes:
        openapi: In which form.
        schemas: The types by their name.
        parameters: The parameters.
    """

    openapi: OpenAPIVersion
    schemas: Mapping[str, Schema]
    parameters: tuple[Parameter, ...]

    def ref(self, name: str) -> str:
        """Return the reference to the type *name*, which 1.21 has twice where it has defaults, and then means the second one."""
        second = f"{name}_v2"
        return f"{PREFIXES[self.openapi]}{second if second in self.schemas else name}"

    def reachable(self, refs: Iterable[str]) -> dict[str, Schema]:
        """Return the types to which *refs* lead, by name; references to other schemas lead nowhere."""
        found: dict[str, Schema] = {}
        rest = list(refs)
        while rest:
            name = rest.pop().removeprefix(PREFIXES[self.openapi])
            if name in self.schemas and name not in found:
                found[name] = self.schemas[name]
                rest += references(found[name])
        return found


@functools.cache
def of(profile: Profile, openapi: OpenAPIVersion, *, scales: bool) -> Types:
    """Return what a server of a Kubernetes version has beside a CRD, which *scales* or does not."""
    content = _recorded()
    schemas = {
        name: _whole(name, form["schema"])
        for name, forms in content["definitions"].items()
        for form in forms
        if profile.version in form["versions"]
    }
    parameters = [_parameter(one["parameter"]) for one in content["parameters"] if profile.version in one["versions"]]
    if not scales:
        # Of the second forms this one comes with the type of scales.
        schemas.pop(f"{OBJECT_META}_v2", None)
    if openapi == 2 and profile.publishes_v3:
        schemas = {name: _as_v2(schema) for name, schema in schemas.items()}
        _add_served(schemas[DELETE_OPTIONS])
    return Types(openapi, schemas, tuple(parameters))


@functools.cache
def _recorded() -> Mapping[str, Any]:
    """Return what `python -m oracle record types` has written down: types in the form of v3 where a version has that."""
    content: Mapping[str, Any] = json.loads(
        resources.files(__package__).joinpath("types.json").read_text(encoding="utf-8")
    )
    return content


def _parameter(recorded: Mapping[str, JSONValue]) -> Parameter:
    value = {key: item for key, item in recorded.items() if key not in ("actions", "sharedAs")}
    return Parameter(value, frozenset(recorded["actions"]), recorded.get("sharedAs", ""))


def _whole(name: str, recorded: Schema) -> dict[str, JSONValue]:
    """Return a schema with its kinds written out: all are called as the type."""
    if _GVK not in recorded:
        return dict(recorded)
    kind = name.rpartition(".")[2].partition("_")[0]
    return {**recorded, _GVK: [_kind(one, kind) for one in recorded[_GVK]]}


def _kind(api_version: str, kind: str) -> dict[str, str]:
    group, _, version = api_version.rpartition("/")
    return {"group": group, "version": version, "kind": kind}


def _add_served(options: dict[str, JSONValue]) -> None:
    kinds = [*options[_GVK], *(_kind(one, "DeleteOptions") for one in _SERVED)]
    options[_GVK] = sorted(kinds, key=lambda one: f"{one['group']}/{one['version']}")


def _as_v2(value: JSONValue) -> JSONValue:
    """Return a schema of v3 as v2 has it: a reference beside other keywords, and no defaults."""
    if isinstance(value, list):
        return [_as_v2(item) for item in value]
    if not isinstance(value, dict):
        return value.replace(PREFIXES[3], PREFIXES[2]) if isinstance(value, str) else value
    merged = {key: item for key, item in value.items() if key not in ("allOf", "default")}
    for reference in value.get("allOf", ()):
        merged |= reference
    return {key: _as_v2(item) for key, item in merged.items()}


def references(value: JSONValue) -> Iterator[str]:
    """Yield what *value* refers to, as it is spelled there."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from references(item)
    elif isinstance(value, list):
        for item in value:
            yield from references(item)
