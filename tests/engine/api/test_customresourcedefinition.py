"""CRDs and their versions: each answer by its name."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.spelling import spelled

from pytest_crd import engine
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.crds import internal
from pytest_crd.engine.inputerror import CrdError
from pytest_crd.engine.schema import declaredschema

REF_MESSAGE = "OpenAPIV3Schema '$ref' is not supported"
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "properties": {"a": {"type": "integer", "default": 1}, "s": {"type": "string"}}}
    },
}


def _crd(
    *schemas: Any, api_version: str = "apiextensions.k8s.io/v1", source: str = "", **spec: Any
) -> CustomResourceDefinition:
    versions = [
        {
            "name": f"v{number}",
            "served": True,
            "storage": number == 1,
            **({} if schema is None else {"schema": {"openAPIV3Schema": schema}}),
        }
        for number, schema in enumerate(schemas, 1)
    ]
    return CustomResourceDefinition.from_manifest(
        {
            "apiVersion": api_version,
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "tabs.example.com"},
            "spec": {
                "group": "example.com",
                "names": {"plural": "tabs", "kind": "Tab"},
                "scope": "Namespaced",
                "versions": versions,
                **spec,
            },
        },
        source=source,
    )


def test_a_crd_shows_what_it_declares() -> None:
    crd = _crd(SCHEMA, SCHEMA, source="a.yaml:1")
    assert (crd.name, crd.group, crd.kind, crd.scope) == ("tabs.example.com", "example.com", "Tab", "Namespaced")
    assert [(version.name, version.served, version.storage) for version in crd.versions] == [
        ("v1", True, True),
        ("v2", True, False),
    ]
    assert crd.version("v2").crd is crd
    assert repr(crd) == "<CustomResourceDefinition tabs.example.com (v1, v2) from a.yaml:1>"
    assert repr(crd.version("v1")) == "<CrdVersion v1 of tabs.example.com>"
    assert repr(_crd(SCHEMA)) == "<CustomResourceDefinition tabs.example.com (v1)>"


@pytest.mark.parametrize(("schemas", "known"), [((SCHEMA,), "v1"), ((), "none")])
def test_an_error_about_an_unknown_version_lists_the_existing_ones(schemas: tuple[Any, ...], known: str) -> None:
    with pytest.raises(LookupError, match=f"^tabs.example.com has no version 'v9'; it has: {known}$"):
        _crd(*schemas).version("v9")


def test_the_kubernetes_version_can_be_changed() -> None:
    crd = _crd(SCHEMA, source="a.yaml:1")
    assert crd.under("v1.37.1") is crd
    other_crd = crd.under("1.35")
    assert (other_crd.kubernetes_version, other_crd.source, other_crd.name) == ("1.35", "a.yaml:1", crd.name)
    with pytest.raises(engine.UnknownVersionError):
        crd.under("0.1")


def test_manifests_of_other_kinds_are_refused() -> None:
    with pytest.raises(engine.InputError, match=r"^the manifest: not a CustomResourceDefinition of "):
        CustomResourceDefinition.from_manifest({"kind": "Pod"})


def test_errors_about_undecodable_manifests_have_a_place() -> None:
    with pytest.raises(engine.InputError, match=r"^a\.yaml:3: .*cannot unmarshal"):
        _crd({"type": 5}, source="a.yaml:3")


def test_a_structural_version_passes() -> None:
    version = _crd(SCHEMA).version("v1")
    assert version.is_structural
    version.assert_structural()
    assert [condition.type for condition in version.crd.conditions] == ["NamesAccepted", "Established"]


def test_a_version_without_a_schema_has_no_structural_errors() -> None:
    version = _crd(None).version("v1")
    assert version.structural_errors == ()
    assert version.schema is None


@pytest.mark.parametrize(("source", "shown"), [("a.yaml:1", " (a.yaml:1)"), ("", "")])
def test_a_version_that_is_not_structural_fails_with_every_violation(source: str, shown: str) -> None:
    version = _crd({"properties": {"a": {}}}, source=source).version("v1")
    assert not version.is_structural
    with pytest.raises(engine.NotStructuralError) as raised:
        version.assert_structural()
    path = "spec.validation.openAPIV3Schema"
    assert str(raised.value) == (
        f"tabs.example.com v1 is not structural{shown}:\n"
        f"  {path}.properties[a].type: Required value: must not be empty for specified object fields\n"
        f"  {path}.type: Required value: must not be empty at the root"
    )
    assert [condition.reason for condition in version.crd.conditions][2:] == ["Violations"]


def test_an_unsupported_construct_is_a_violation_and_no_resource_is_served() -> None:
    version = _crd({"type": "object", "$ref": "a"}).version("v1")
    assert [str(error) for error in version.structural_errors] == [
        "spec.validation.openAPIV3Schema.$ref: Forbidden: $ref is not supported"
    ]
    with pytest.raises(engine.UnsupportedConstructError) as raised:
        version.prune({"kind": "Tab"})
    assert str(raised.value) == REF_MESSAGE


def test_a_crd_that_preserves_unknown_fields_ignores_a_schema_with_unsupported_constructs() -> None:
    crd = _crd({"$ref": "a"}, api_version="apiextensions.k8s.io/v1beta1")
    assert crd.version("v1").schema is None
    assert crd.version("v1").prune({"x": 1}).value == {"x": 1}


def test_a_resource_is_pruned_and_defaulted() -> None:
    version = _crd(SCHEMA).version("v1")
    assert version.prune({"spec": {"a": 2, "x": 1}}) == engine.Pruned({"spec": {"a": 2}}, spelled("spec.x"))
    assert version.default({"spec": {"s": None}}) == engine.Defaulted(
        {"spec": {"a": 1}}, spelled("spec.a"), spelled("spec.s")
    )


def test_a_resource_may_be_a_text() -> None:
    assert _crd(SCHEMA).version("v1").prune("spec: {a: 0x10, x: 1}").value == {"spec": {"a": 16}}


@pytest.mark.parametrize(("resource", "kind"), [("[1]", "array"), ("a text", "string")])
def test_a_resource_is_a_mapping(resource: str, kind: str) -> None:
    with pytest.raises(TypeError, match=f"^a custom resource is a mapping, not {kind}$"):
        _crd(SCHEMA).version("v1").default(resource)


def test_a_crd_that_a_server_takes_is_accepted() -> None:
    _crd(SCHEMA, names={"plural": "tabs", "singular": "tab", "kind": "Tab"}).assert_accepted(strict=True)


def test_a_crd_that_a_server_refuses_is_not_accepted_and_every_error_is_shown() -> None:
    with pytest.raises(engine.NotAcceptedError) as caught:
        _crd(None, source="a.yaml:3").assert_accepted()
    assert str(caught.value) == (
        "tabs.example.com is not accepted (a.yaml:3): 422\n  spec.versions[0].schema.openAPIV3Schema: Required value"
    )


def test_a_crd_of_an_api_version_that_is_no_longer_served_is_not_accepted() -> None:
    crd = _crd(SCHEMA, api_version="apiextensions.k8s.io/v1beta1")

    with pytest.raises(engine.NotAcceptedError, match="404\n  the server could not find the requested resource"):
        crd.assert_accepted()


def test_strict_acceptance_refuses_unknown_fields() -> None:
    crd = _crd({**SCHEMA, "minProprties": 1})
    crd.assert_accepted()

    with pytest.raises(
        engine.NotAcceptedError, match=r'tabs.example.com is accepted, but loses fields:\n.*minProprties"$'
    ):
        crd.assert_accepted(strict=True)


def test_a_schema_that_is_too_deep_for_python_is_an_error_with_its_place() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(130):
        schema = {"type": "object", "properties": {"a": schema}}
    with pytest.raises(CrdError) as raised:
        _crd(schema, source="crds.yaml:3")
    place = "spec.versions[0].schema.openAPIV3Schema.properties.a.propert"
    problem = "nested more than 256 levels deep, or a cycle; a server takes more"
    assert str(raised.value) == f"crds.yaml:3: {place}\u2026: {problem}"


def test_a_crd_of_more_than_three_mebibytes_is_refused() -> None:
    crd = _crd({"type": "object", "description": "a" * (3 << 20)})
    for answer in (crd.response, crd.update_from(_crd({"type": "object"}))):
        assert (answer.code, answer.message) == (413, "Request entity too large: limit is 3145728")


@pytest.mark.parametrize(
    ("nested", "version", "path"),
    [
        ({"items": {"properties": {"b": {"type": 1}}}}, "1.35", "items.properties.type"),
        ({"items": {"properties": {"b": {"type": 1}}}}, "1.34", "items"),
        ({"additionalProperties": {"items": {"type": 1}}}, "1.34", "additionalProperties"),
        ({"not": {"type": 1}}, "1.34", "not.type"),
    ],
)
def test_older_servers_name_the_keyword_around_a_nested_schema(nested: Any, version: str, path: str) -> None:
    manifest = {**_crd({"type": "object"}).manifest}
    schema = {"type": "object", "properties": {"a": nested}}
    manifest["spec"] = manifest["spec"] | {
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]
    }
    with pytest.raises(CrdError) as raised:
        CustomResourceDefinition.from_manifest(manifest, kubernetes_version=version)
    field = f"JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.{path}"
    assert str(raised.value).endswith(f"json: cannot unmarshal number into Go struct field {field} of type string")


EXAMPLE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {
            "type": "object",
            "default": {"b": [1]},
            "properties": {"b": {"type": "array", "items": {"type": "integer"}}},
        },
        "c": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "enum": [{"d": {}}],
            "default": {"d": {}},
        },
    },
}


def _parts(value: Any) -> Iterator[Any]:
    """Yield every list and mapping in *value*."""
    if isinstance(value, dict | list):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from _parts(item)


def _answers(crd: CustomResourceDefinition) -> list[Any]:
    version = crd.version("v1")
    old: dict[str, Any] = {"c": {"d": {}}}
    responses = [crd.response, crd.create(field_validation="Ignore"), crd.update_from(crd)]
    responses += [version.create({"c": {"e": {}}}), version.create({}), version.update({"a": None}, old=old)]
    parts = [
        part
        for answer in responses
        for part in (answer.stored_if_accepted, answer.status, *(e.bad_value for e in answer.errors))
    ]
    return [*parts, version.prune({}).value, version.default({}).value]


@pytest.mark.parametrize("schema", [EXAMPLE, EXAMPLE | {"default": {"a": [{}]}}], ids=["accepted", "refused"])
def test_answers_share_nothing_with_the_crd_or_with_each_other(schema: Any) -> None:
    crd = _crd(schema)
    before = json.dumps(_answers(crd))
    for answer in _answers(crd):
        for part in list(_parts(answer)):
            part.clear()
    assert json.dumps(_answers(crd)) == before


def test_a_crd_and_its_versions_can_be_pickled_after_requests() -> None:
    crd = _crd(EXAMPLE, EXAMPLE, source="a.yaml:1")
    answers = json.dumps(_answers(crd))
    assert crd.conditions and crd.version("v2").structural_errors == ()  # noqa: PT018 - kept since
    again, version = pickle.loads(pickle.dumps((crd, crd.version("v2"))))  # noqa: S301 - made here
    assert json.dumps(_answers(again)) == answers
    assert (again.name, again.source, again.conditions) == (crd.name, crd.source, crd.conditions)
    assert (version.name, version.crd) == ("v2", again)


def test_an_unknown_version_is_a_lookup_error() -> None:
    with pytest.raises(engine.CrdLookupError, match="has no version 'v9'; it has: v1"):
        _crd(EXAMPLE).version("v9")


@pytest.mark.parametrize("manifest", ["kind: CustomResourceDefinition", None, []])
def test_a_manifest_is_a_mapping(manifest: Any) -> None:
    with pytest.raises(TypeError, match=r"^a manifest is a mapping, not (str|NoneType|list); for files there is load"):
        CustomResourceDefinition.from_manifest(manifest)


UNKNOWN = 'unknown field "spec.foo"'
STRICT = (
    'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: strict decoding error: '
    f"{UNKNOWN}"
)


@pytest.mark.parametrize(
    ("mode", "codes", "warnings"),
    [("Strict", (400, 400), ()), ("Warn", (201, 200), (UNKNOWN,)), ("Ignore", (201, 200), ())],
)
def test_field_validation_decides_about_unknown_fields_of_a_crd(mode: Any, codes: Any, warnings: Any) -> None:
    crd = _crd(EXAMPLE, foo=1)
    for answer, code in zip(
        (crd.create(field_validation=mode), crd.update_from(crd, field_validation=mode)), codes, strict=True
    ):
        assert (answer.code, answer.warnings, answer.pruned) == (code, warnings, ("spec.foo",))
        assert answer.message == (STRICT if code == 400 else "")


def test_a_crd_without_unknown_fields_passes_strictly() -> None:
    assert _crd(EXAMPLE).create(field_validation="Strict").accepted
    assert _crd(EXAMPLE, foo=1).under("1.21").create(field_validation="Strict").accepted  # it does not know the option


def test_an_unknown_mode_of_validation_is_a_usage_error() -> None:
    mode: Any = "strict"
    with pytest.raises(ValueError, match="field_validation 'strict': one of Strict, Warn, Ignore"):
        _crd(EXAMPLE).create(field_validation=mode)


def test_dir_of_the_engine_lists_the_public_names() -> None:
    assert dir(engine) == sorted(engine.__all__)
    assert {"CrdError", "ManifestError", "FieldValidation"} <= set(dir(engine))


def test_a_crd_and_each_of_its_schemas_are_converted_once_for_all_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    converted: list[str] = []

    def counted(module: Any, name: str) -> None:
        original = getattr(module, name)

        def convert(*arguments: Any) -> Any:
            converted.append(name)
            return original(*arguments)

        monkeypatch.setattr(module, name, convert)

    counted(declaredschema, "to_structural")
    counted(internal, "from_defaulted")
    rule = {"x-kubernetes-validations": [{"rule": "has(self.a)"}]}
    fields = [{"a": {"type": "string", "default": "x"}}, {"a": {"type": "integer", "default": 1}}]
    schemas = [
        {"type": "object", "properties": {"spec": {"type": "object", "properties": properties} | rule}}
        for properties in fields
    ]
    crd = _crd(*schemas)
    assert crd.response.accepted
    assert crd.response.stored
    assert crd.update_from(crd).accepted
    assert crd.conditions
    for version in crd.versions:
        assert version.is_structural
        assert version.rules
        stored = version.create({"spec": {}}).stored
        assert version.update(stored, old=stored).accepted
        assert version.default(version.prune({"spec": {}}).value).paths == ("spec.a",)
    assert converted == ["from_defaulted", "to_structural", "to_structural"]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda crd: crd.version("v1").create({}, namespace=5), "a namespace is a text, not int: 5"),
        (lambda crd: crd.version("v1").update({}, old={}, namespace=b"a"), "a namespace is a text, not bytes: b'a'"),
        (lambda crd: crd.update_from(None), "what a CRD replaces is a CustomResourceDefinition, not NoneType; "),
        (lambda crd: crd.update_from({}), "what a CRD replaces is a CustomResourceDefinition, not dict; "),
        (lambda _: engine.load(5), "paths are texts or pathlib.Path, not int: 5; "),  # type: ignore[arg-type]
        (lambda _: engine.load(b"crds"), "paths are texts or pathlib.Path, not bytes: b'crds'; "),  # type: ignore[arg-type]
        (lambda _: engine.load(["crds", {}]), "paths are texts or pathlib.Path, not dict: {}; "),  # type: ignore[list-item]
    ],
)
def test_errors_about_argument_types_name_the_argument(ask: Any, words: str) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(words)}"):
        ask(_crd({"type": "object"}))
