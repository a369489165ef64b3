"""CRDs that are created and updated, as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds import defaulted, internal
from pytest_crd.engine.crds.declared import V1, V1BETA1
from pytest_crd.engine.crds.internal import InternalCrd
from pytest_crd.engine.crds.validation import wholecrd

NEWEST = profile.named("1.37")
OLD = profile.named("1.32")
OLDEST = profile.named("1.21")
GROUP = "example.com"
OBJECT = {"openAPIV3Schema": {"type": "object"}}


def _version(name: str = "v1", **more: Any) -> dict[str, Any]:
    return {"name": name, "served": True, "storage": name == "v1", "schema": OBJECT, **more}


def _crd(
    *versions: Any,
    api_version: str = V1,
    metadata: Any = None,
    status: Any = None,
    kubernetes: profile.Profile = NEWEST,
    **spec: Any,
) -> Any:
    named = {"group": GROUP, "scope": "Cluster", "names": {"plural": "as", "kind": "A"}} | spec
    if versions or api_version == V1:
        named.setdefault("versions", list(versions) or [_version()])
    crd = {"apiVersion": api_version, "metadata": {"name": f"as.{GROUP}"} | (metadata or {}), "spec": named}
    return defaulted.apply(crd | ({} if status is None else {"status": status}), kubernetes)


def _internal(crd: Any, kubernetes: profile.Profile, status: Any = None) -> InternalCrd:
    return internal.from_defaulted(crd if status is None else crd | {"status": status}, kubernetes)


def _created(crd: Any, kubernetes: profile.Profile = NEWEST) -> list[str]:
    new = _internal(crd, kubernetes, defaulted.created_status(crd))
    return [str(error) for error in wholecrd.create(new, kubernetes)]


def _updated(crd: Any, old: Any, kubernetes: profile.Profile = NEWEST) -> list[str]:
    new, stored = _internal(crd, kubernetes, defaulted.updated_status(crd, old)), _internal(old, kubernetes)
    return [str(error) for error in wholecrd.update(new, stored, kubernetes)]


def _warnings(crd: Any, kubernetes: profile.Profile, old: Any = None) -> tuple[str, ...]:
    stored = None if old is None else _internal(old, kubernetes)
    return wholecrd.warnings(_internal(crd, kubernetes), kubernetes, stored)


def test_valid_crds_are_accepted() -> None:
    assert _created(_crd()) == []
    assert _created(_crd(api_version=V1BETA1, version="v1"), OLDEST) == []
    assert _updated(_crd(), _crd()) == []


def test_a_crd_is_called_after_its_resource() -> None:
    assert _created(_crd(metadata={"name": "bs.example.com"})) == [
        'metadata.name: Invalid value: "bs.example.com": must be spec.names.plural+"."+spec.group'
    ]
    prefix = _created(_crd(metadata={"generateName": "as.example.com-"}))
    assert prefix == [
        'metadata.generateName: Invalid value: "as.example.com-": must be spec.names.plural+"."+spec.group'
    ]


def test_rules_for_all_stored_objects_are_checked_if_there_are_no_other_errors() -> None:
    (error,) = _created(_crd(metadata={"generateName": "a.b-"}, group="a.b"))[:1]
    assert error.startswith("metadata.generateName")


def test_errors_come_in_the_order_of_the_server() -> None:
    crd = _crd(
        _version("v1", storage=False),
        metadata={"annotations": {}},
        group="k8s.io",
        scope="",
        names={"plural": "As", "kind": "A", "listKind": "A"},
        conversion={"strategy": "X"},
        preserveUnknownFields=True,
    )
    assert [text.split(": ")[0] for text in _created(crd)] == [
        "metadata.name",
        "spec.scope",
        "spec.versions",
        "spec.names.plural",
        "spec.names.listKind",
        "spec.conversion.strategy",
        "spec.conversion.strategy",
        "status.storedVersions",
        "metadata.annotations[api-approved.kubernetes.io]",
        "spec.preserveUnknownFields",
    ]


def test_shared_fields_are_validated_in_the_spec() -> None:
    shared: dict[str, Any] = {
        "schema": {"openAPIV3Schema": {"type": "string"}},
        "subresources": {"scale": {}, "status": {}},
    }
    columns: dict[str, Any] = {"additionalPrinterColumns": [{}], "selectableFields": [{}]}
    errors = [text.split(": ")[0] for text in _created(_crd(_version(**shared, **columns)))]
    assert errors[0] == "spec.validation.openAPIV3Schema.type"
    assert errors[-6:] == [
        "spec.subresources.scale.specReplicasPath",
        "spec.subresources.scale.statusReplicasPath",
        "spec.additionalPrinterColumns[0].name",
        "spec.additionalPrinterColumns[0].type",
        "spec.additionalPrinterColumns[0].JSONPath",
        "spec.selectableFields[0].jsonPath",
    ]


def test_defaults_need_pruning() -> None:
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"a": {"type": "string", "default": "x"}}}}
    assert _created(_crd(_version(schema=schema), preserveUnknownFields=True)) == [
        "spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema",
        (
            "spec.preserveUnknownFields: Invalid value: true: cannot set to true, "
            "set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        ),
    ]


def test_a_v1beta1_schema_need_not_be_structural_unless_a_feature_requires_it() -> None:
    def errors(schema: Any, **spec: Any) -> list[str]:
        crd = _crd(api_version=V1BETA1, version="v1", validation={"openAPIV3Schema": schema}, **spec)
        return [text.split(": ")[0] for text in _created(crd, OLDEST)]

    missing = "spec.validation.openAPIV3Schema.type"
    assert errors({}) == []
    assert errors({}, preserveUnknownFields=False) == [missing]
    assert missing in errors({"properties": {"a": {"x-kubernetes-int-or-string": True}}})


def test_v1_refuses_preserve_unknown_fields_unless_the_old_crd_had_it() -> None:
    (error,) = _created(_crd(preserveUnknownFields=True), OLDEST)
    assert "set x-preserve-unknown-fields to true" in error
    preserving = _crd(preserveUnknownFields=True)
    assert _updated(preserving, preserving) == []
    assert len(_updated(preserving, _crd())) == 1


def test_v1beta1_needs_no_approval() -> None:
    metadata = {"name": "as.k8s.io"}
    crd = _crd(api_version=V1BETA1, version="v1", group="k8s.io", metadata=metadata)
    assert _created(crd, OLDEST) == []
    assert len(_created(_crd(group="k8s.io", metadata=metadata))) == 1


@pytest.mark.parametrize(
    ("group", "count"), [("k8s.io", 1), ("a.k8s.io", 1), ("kubernetes.io", 1), ("a.kubernetes.io", 1), ("xk8s.io", 0)]
)
def test_groups_of_the_community_need_an_approval(group: str, count: int) -> None:
    assert len(_created(_crd(group=group, metadata={"name": f"as.{group}"}))) == count


def test_the_storage_version_is_stored() -> None:
    assert _created(_crd(_version("v2")))[-1:] == [
        "status.storedVersions: Invalid value: null: must have at least one stored version"
    ]
    two = _crd(_version("v1"), _version("v2", storage=True))
    assert _created(two)[-1] == 'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2'
    assert _created(two, OLD)[-1] == (
        'status.storedVersions: Invalid value: []string{"v1"}: must have the storage version v2'
    )
    oldest = _created(two, OLDEST)[-1]
    assert oldest.startswith(
        'status.storedVersions: Invalid value: apiextensions.CustomResourceDefinitionVersion{Name:"v2"'
    )


def test_a_stored_version_is_not_removed() -> None:
    old = _crd(_version("v1"), _version("v2"), status={"storedVersions": ["v1", "v2"]})
    (error,) = _updated(_crd(_version("v1")), old)
    assert error.startswith(
        'status.storedVersions[1]: Invalid value: "v2": missing from spec.versions; v2 was previously'
    )
    (error,) = _updated(_crd(_version("v1")), old, OLD)
    assert error == 'status.storedVersions[1]: Invalid value: "v2": must appear in spec.versions'


def test_accepted_names_are_validated() -> None:
    old = _crd(status={"acceptedNames": {"plural": "A"}, "storedVersions": ["v1"]})
    (error,) = _updated(_crd(), old)
    assert error.startswith('status.acceptedNames.plural: Invalid value: "A"')


@pytest.mark.parametrize(
    ("conditions", "is_refused"),
    [
        ([], True),
        ([{"type": "NamesAccepted", "status": "False"}, {"type": "Established", "status": "False"}], False),
        ([{"type": "Established", "status": "True"}], True),
    ],
    ids=["served as far as one can see", "not served", "served"],
)
def test_the_kind_of_an_established_crd_is_immutable(conditions: Any, *, is_refused: bool) -> None:
    old = _crd(status={"conditions": conditions, "storedVersions": ["v1"]})
    errors = _updated(_crd(names={"plural": "as", "kind": "B"}), old)
    assert errors == (['spec.names.kind: Invalid value: "B": field is immutable'] if is_refused else [])


SETS = {
    name: {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": type_}}
    for name, type_ in (("a", "object"), ("b", "array"), ("c", "string"))
}
WARNING = (
    'x-kubernetes-list-type: set for items of type "{}" is not supported by server-side apply or CEL validation rules'
)


def test_sets_of_lists_and_objects_and_unknown_formats_cause_one_warning() -> None:
    properties = {**SETS, "f": {"type": "string", "format": "fancy"}}
    crd = _crd(_version(schema={"openAPIV3Schema": {"type": "object", "properties": properties}}))
    assert _warnings(crd, NEWEST) == (
        'unrecognized format "fancy"',
        WARNING.format("array"),
        WARNING.format("object"),
    )
    assert _warnings(crd, profile.named("1.36")) == ('unrecognized format "fancy"',)
    assert _warnings(crd, NEWEST, crd) == ()
    assert len(_warnings(crd, NEWEST, _crd())) == 3


def test_v1beta1_is_deprecated_where_it_is_served() -> None:
    crd = _crd(api_version=V1BETA1, version="v1")
    (warning,) = _warnings(crd, OLDEST)
    assert warning.startswith("apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+")
    assert wholecrd.deprecations(OLDEST, is_v1beta1=True) == (warning,)
    assert _warnings(crd, NEWEST) == ()
    assert _warnings(_crd(), OLDEST) == ()
