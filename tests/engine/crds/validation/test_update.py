"""Updates of a CRD: immutable fields, and waived requirements."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.crds import internal
from pytest_crd.engine.crds.declared import V1, V1BETA1
from pytest_crd.engine.crds.internal import InternalCrd
from pytest_crd.engine.crds.validation import options as crdoptions
from pytest_crd.engine.crds.validation import update
from pytest_crd.engine.crds.validation.options import ValidationOptions

NEWEST = profile.named("1.37")
OLD = profile.named("1.32")
OBJECT: dict[str, Any] = {"type": "object"}


def _crd(*schemas: Any, api_version: str = V1, **spec: Any) -> InternalCrd:
    versions = [
        {"name": f"v{number}", **({} if schema is None else {"schema": {"openAPIV3Schema": schema}})}
        for number, schema in enumerate(schemas, 1)
    ]
    return internal.from_defaulted({"apiVersion": api_version, "spec": {"versions": versions} | spec}, NEWEST)


def _options(old: InternalCrd, new: InternalCrd | None = None, *, is_established: bool = True) -> ValidationOptions:
    return update.options(new or _crd(OBJECT), old, NEWEST, is_established=is_established)


def _with(schema: Any) -> Any:
    return {"type": "object", "properties": {"a": schema}}


def test_a_valid_crd_must_stay_valid() -> None:
    options = _options(_crd(OBJECT))
    assert options == ValidationOptions(
        require_immutable_names=True,
        allow_invalid_ca_bundle=False,
        versions_with_unchanged_schemas=frozenset({"v1"}),
    )


@pytest.mark.parametrize(
    ("schema", "demand"),
    [
        (_with({"type": "strange"}), "require_valid_property_type"),
        (_with({}), "require_structural_schema"),
        ({"id": "x"}, "require_structural_schema"),
        (_with({"type": "object", "default": {"x": 1}}), "require_pruned_defaults"),
        (
            _with({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object"}}),
            "require_atomic_set_type",
        ),
        (
            _with({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "nullable": True}}),
            "require_map_list_keys_map_set_validation",
        ),
    ],
)
def test_requirements_that_the_old_schema_does_not_meet_are_waived(schema: Any, demand: str) -> None:
    assert getattr(_options(_crd(OBJECT)), demand) is True
    assert getattr(_options(_crd(OBJECT, schema)), demand) is False


def test_defaults_of_a_schema_that_is_not_structural_do_not_count_as_unpruned() -> None:
    schema = {"properties": {"a": {"type": "object", "default": {"x": 1}}}}
    assert _options(_crd(schema)).require_pruned_defaults
    assert _options(_crd(_with({"type": "string", "default": "x"}))).require_pruned_defaults


def test_schemas_are_required_if_all_old_versions_had_one() -> None:
    assert _options(_crd(OBJECT, _with({"type": "string"}))).require_openapi_schema
    assert not _options(_crd(OBJECT, None)).require_openapi_schema


def test_v1beta1_has_fewer_requirements() -> None:
    new = _crd(OBJECT, api_version=V1BETA1)
    options = _options(_crd(OBJECT), new)
    assert not options.allow_defaults
    assert options.disallow_defaults_reason.startswith("(cannot set default values in apiextensions.k8s.io/v1beta1")
    assert not options.require_openapi_schema
    assert not options.require_structural_schema
    assert not options.require_valid_property_type
    assert _options(_crd(_with({"default": 1})), new).allow_defaults
    assert crdoptions.create_options(new).disallow_defaults_reason == options.disallow_defaults_reason
    assert crdoptions.create_options(_crd(OBJECT)) == ValidationOptions()


def test_rules_of_the_old_crd_are_preexisting() -> None:
    rules = [{"rule": "a", "messageExpression": "m"}, {"rule": "b"}]
    options = _options(_crd(_with({"type": "string", "x-kubernetes-validations": rules})))
    assert options.preexisting_rules == {"a", "b"}
    assert options.preexisting_message_expressions == {"m"}


@pytest.mark.parametrize(
    ("old", "new", "unchanged"),
    [
        ((OBJECT, OBJECT), (OBJECT, _with({})), {"v1"}),
        ((OBJECT,), (OBJECT, OBJECT), {"v1", "v2"}),
        ((OBJECT, _with({})), (OBJECT, _with({}), _with({"type": "string"})), {"v1", "v2"}),
    ],
)
def test_unchanged_schemas_are_listed_by_version(old: Any, new: Any, unchanged: set[str]) -> None:
    assert _options(_crd(*old), _crd(*new)).versions_with_unchanged_schemas == unchanged


def test_schemas_in_two_places_do_not_count_as_unchanged() -> None:
    both = _crd(OBJECT, api_version=V1BETA1, validation={"openAPIV3Schema": OBJECT})
    assert _options(both, both).versions_with_unchanged_schemas == frozenset()


def _webhook(versions: Any, bundle: str | None = None) -> Any:
    config = {"url": "https://a"} if bundle is None else {"url": "https://a", "caBundle": bundle}
    return {"strategy": "Webhook", "webhook": {"clientConfig": config, "conversionReviewVersions": versions}}


@pytest.mark.parametrize(("versions", "demanded"), [(["v1"], True), ([], True), (["v2"], False)])
def test_a_supported_version_of_conversion_review_is_required_if_the_old_crd_had_one(
    versions: Any, *, demanded: bool
) -> None:
    old = _crd(OBJECT, conversion=_webhook(versions))
    assert _options(old).require_recognized_conversion_review_version is demanded


def test_a_ca_bundle_may_stay_invalid_and_be_so_before_the_crd_is_established() -> None:
    assert not _options(_crd(OBJECT)).allow_invalid_ca_bundle
    assert not _options(_crd(OBJECT, conversion=_webhook(["v1"]))).allow_invalid_ca_bundle
    assert _options(_crd(OBJECT, conversion=_webhook(["v1"], "YWJj"))).allow_invalid_ca_bundle
    assert _options(_crd(OBJECT), is_established=False).allow_invalid_ca_bundle


def test_too_many_selectable_fields_may_stay_as_they_are() -> None:
    fields = [{"jsonPath": f".f{number}"} for number in range(9)]
    versions = [{"name": "v1", "selectableFields": fields}, {"name": "v2"}]
    of_one, of_all = _crd(versions=versions), _crd(versions=versions[:1])
    assert update.options(of_one, of_one, NEWEST, is_established=True).too_many_selectable_fields == {"v1"}
    assert update.options(of_all, of_all, NEWEST, is_established=True).too_many_selectable_fields == {""}
    assert update.options(_crd(OBJECT), of_all, NEWEST, is_established=True).too_many_selectable_fields == set()
    assert update.options(of_all, of_all, OLD, is_established=True).too_many_selectable_fields == set()


NAMES = {"plural": "as", "kind": "A"}


def _changed(*, is_established: bool, **spec: Any) -> list[str]:
    old = _crd(OBJECT, group="a.b", scope="Cluster", names=NAMES)
    new = _crd(OBJECT, **({"group": "a.b", "scope": "Cluster", "names": NAMES} | spec))
    options = _options(old, new, is_established=is_established)
    return [str(error) for error in update.immutable(new, old, options, NEWEST)]


def test_group_and_plural_never_change() -> None:
    errors = _changed(is_established=False, group="<", scope="Namespaced", names={"plural": "bs", "kind": "B"})
    assert errors == [
        'spec.group: Invalid value: "<": field is immutable',
        'spec.names.plural: Invalid value: "bs": field is immutable',
    ]


def test_scope_and_kind_change_until_the_crd_is_established() -> None:
    errors = _changed(is_established=True, scope="<", names={"plural": "as", "kind": "<"})
    assert errors == [
        'spec.scope: Invalid value: "\\u003c": field is immutable',
        'spec.names.kind: Invalid value: "<": field is immutable',
    ]
    assert _changed(is_established=True) == []
