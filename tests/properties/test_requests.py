"""Laws that hold for every request, with any body and for updates without a change."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from typing import Any, Final, get_args

import pytest
import tiers
from hypothesis import given
from hypothesis import strategies as st
from support import crds

from pytest_crd import strategies
from pytest_crd.engine import (
    CrdError,
    CrdVersion,
    CustomResourceDefinition,
    FieldValidation,
    ManifestError,
    Response,
    jsonvalue,
)
from pytest_crd.engine.jsonvalue import JSONValue

NAMES: Final = st.sampled_from(
    [
        *(
            "a",
            "b",
            "k",
            "spec",
            "status",
            "kind",
            "apiVersion",
            "metadata",
            "name",
            "namespace",
            "labels",
            "finalizers",
        ),
        *(
            "annotations",
            "generateName",
            "managedFields",
            "ownerReferences",
            "uid",
            "resourceVersion",
            "generation",
            "",
        ),
        *("creationTimestamp", "deletionTimestamp", "selfLink", "versions", "names", "scope", "schema", "é"),
    ]
)
SCALARS: Final = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["a", "1", "v1", "Tab", "example.com/v1", "2020-01-01T00:00:00Z", "\ud800", "\0", "a" * 300])
)
VALUES: Final[st.SearchStrategy[JSONValue]] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
RULES: Final = [
    {"rule": "self == oldSelf || true"},
    {"rule": "!oldSelf.hasValue() || oldSelf.value() == self || true", "optionalOldSelf": True},
    {"rule": "self.metadata == oldSelf.metadata || true", "messageExpression": "self.metadata.name"},
    {"rule": "self.kind == 'Tab' && self.apiVersion != ''"},
    {"rule": "self.metadata.name != 'refused'"},
]
SPECS: Final[dict[str, dict[str, Any]]] = {
    "rules at the root": {
        "x-kubernetes-validations": RULES,
        "properties": {
            "spec": {
                "type": "object",
                "x-kubernetes-validations": [{"rule": "self == oldSelf || has(self.a)"}],
                "properties": {"a": {"type": "integer", "default": 1}, "b": {"x-kubernetes-int-or-string": True}},
            }
        },
    },
    "lists": {
        "properties": {
            "spec": {
                "type": "object",
                "properties": {
                    "a": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                    "b": {
                        "type": "array",
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["k"],
                        "items": {
                            "type": "object",
                            "required": ["k"],
                            "properties": {"k": {"type": "string"}, "a": {"type": "number", "minimum": 0.5}},
                        },
                    },
                },
            }
        },
    },
    "preserved fields": {
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {
            "spec": {"x-kubernetes-preserve-unknown-fields": True},
            "a": {
                "type": "object",
                "x-kubernetes-embedded-resource": True,
                "x-kubernetes-preserve-unknown-fields": True,
            },
            "b": {"type": "string", "nullable": True, "format": "date-time", "pattern": "^a", "maxLength": 3},
        },
    },
    "junctors": {
        "properties": {
            "spec": {
                "type": "object",
                "additionalProperties": {"type": "string", "enum": ["a", "1"]},
                "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
                "not": {"maxProperties": 0},
            },
            "status": {"type": "object", "properties": {"a": {"type": "boolean"}}},
        },
    },
}


def _manifest(schema: dict[str, Any], scope: str = "Namespaced") -> dict[str, Any]:
    return crds.manifest({"type": "object", **schema}, scope=scope, subresources={"status": {}})


VERSIONS: Final = {
    f"{name}, {scope}, {kubernetes}": CustomResourceDefinition.from_manifest(
        _manifest(schema, scope), kubernetes_version=kubernetes
    ).version("v1")
    for name, schema in SPECS.items()
    for scope, kubernetes in (("Namespaced", "1.37"), ("Cluster", "1.32" if "rules" in name else "1.21"))
}
RESOURCES: Final = {version: strategies.resources(version) for version in VERSIONS.values()}
WORDS: Final = st.dictionaries(
    st.sampled_from(["a", "b", "example.com/c"]), st.sampled_from(["", "a", "1"]), max_size=3
)
METADATA: Final = st.fixed_dictionaries(
    {"name": st.sampled_from(["a", "b.c"])},
    optional={
        "labels": WORDS,
        "annotations": WORDS,
        "finalizers": st.lists(st.sampled_from(["example.com/a", "example.com/b"]), unique=True),
        "generation": st.integers(-1, 5),
        "managedFields": st.just([]),
        "creationTimestamp": st.just("2020-01-01T00:00:00Z"),
        "selfLink": st.just("a"),
        "uid": st.just("1"),
    },
)
PARTS: Final = ("apiVersion", "kind", "metadata", "spec", "status", "a", "b")
OBJECTS: Final = st.fixed_dictionaries(
    {}, optional={part: VALUES | st.dictionaries(NAMES, VALUES, max_size=3) for part in PARTS}
)
OLD_OBJECTS: Final = OBJECTS.filter(lambda old: not old.get("metadata") or isinstance(old["metadata"], dict))
HOW: Final = st.sampled_from(get_args(FieldValidation))


@pytest.mark.parametrize("version", VERSIONS.values(), ids=VERSIONS)
@tiers.examples(60)
@given(VALUES | OBJECTS, OLD_OBJECTS, HOW)
def test_every_body_gets_a_response(version: CrdVersion, sent: Any, old: Any, how: FieldValidation) -> None:
    before = copy.deepcopy([sent, old])
    asks: list[Callable[[], Response]] = [
        lambda: version.create(sent, field_validation=how),
        lambda: version.update(sent, old=old, field_validation=how),
        lambda: version.update_status(sent, old=old),
    ]
    for ask in asks:
        with contextlib.suppress(*([ManifestError] if isinstance(sent, str) else [])):  # a text is parsed as YAML first
            answer = ask()
            assert answer.accepted == (answer.code in {200, 201})
            assert answer.accepted or (answer.status or {})["message"]
    assert jsonvalue.equal(before, [sent, old])


@pytest.mark.parametrize("version", VERSIONS.values(), ids=VERSIONS)
@tiers.examples(30)
@given(st.data())
def test_an_update_that_changes_nothing_is_accepted(version: CrdVersion, data: st.DataObject) -> None:
    resource = data.draw(RESOURCES[version])
    created = version.create({**resource, "metadata": data.draw(METADATA)})
    assert created.accepted, created.status
    stored = created.stored

    for answer in (version.update(stored, old=stored), version.update_status(stored, old=stored)):
        assert answer.accepted, answer.status
        assert jsonvalue.equal(_without_managed_fields(answer.stored), _without_managed_fields(stored))


@pytest.mark.parametrize("metadata", [True, 1, "a", ["a"]])
def test_metadata_of_a_stored_object_must_be_a_mapping(metadata: JSONValue) -> None:
    version = VERSIONS["lists, Namespaced, 1.37"]

    with pytest.raises(TypeError, match="the metadata of a stored object is a mapping, not "):
        version.update({}, old={"metadata": metadata})


def _without_managed_fields(stored: Any) -> Any:
    """Return *stored* without `managedFields`, which every update writes again."""
    return {**stored, "metadata": {key: value for key, value in stored["metadata"].items() if key != "managedFields"}}


PLACES: Final = st.sampled_from(
    [
        *(
            (),
            ("metadata",),
            ("spec",),
            ("status",),
            ("apiVersion",),
            ("kind",),
            ("spec", "names"),
            ("spec", "versions"),
        ),
        *(("spec", "versions", 0), ("spec", "versions", 0, "schema"), ("spec", "versions", 0, "subresources")),
        *(
            ("spec", "conversion"),
            ("spec", "scope"),
            ("spec", "group"),
            ("metadata", "name"),
            ("metadata", "annotations"),
        ),
        *(("spec", "versions", 0, "schema", "openAPIV3Schema"), ("spec", "versions", 0, "additionalPrinterColumns")),
        ("spec", "versions", 0, "schema", "openAPIV3Schema", "properties", "spec"),
        ("spec", "versions", 0, "schema", "openAPIV3Schema", "x-kubernetes-validations"),
        ("spec", "versions", 0, "selectableFields"),
    ]
)


@given(PLACES, VALUES, st.sampled_from(["1.37", "1.32", "1.21"]))
def test_every_crd_manifest_gets_a_response(place: tuple[str | int, ...], value: JSONValue, kubernetes: str) -> None:
    manifest: Any = _manifest(SPECS["rules at the root"])
    inner = manifest
    for step in place[:-1]:
        inner = inner[step]
    if place:
        inner[place[-1]] = value
    else:
        manifest = value
    if not isinstance(manifest, dict):
        with pytest.raises(TypeError, match="a manifest is a mapping"):
            CustomResourceDefinition.from_manifest(manifest)
        return
    try:
        crd = CustomResourceDefinition.from_manifest(manifest, kubernetes_version=kubernetes)
    except CrdError:
        return
    assert crd.response.accepted == (not crd.response.errors and crd.response.code in {200, 201})
    assert crd.create().code
    for version in crd.versions:
        assert isinstance(version.structural_errors, tuple)
        if crd.response.accepted and version.served:
            assert isinstance(version.create({"spec": {"a": 1}}), Response)
