"""Origins of errors in a schema, for every keyword and for all recorded answers."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, Final

import pytest
from conformance import casefile, replies
from support import crds

from pytest_crd import engine
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.engine.errors.origin import Origin
from pytest_crd.engine.fieldpath import Key

RULE: Final = "x-kubernetes-validations"
EMBEDDED: Final = "x-kubernetes-embedded-resource"
TEXTS: Final = {"type": "array", "items": {"type": "string"}}


def _crd(spec: Any, **more: Any) -> CustomResourceDefinition:
    schema = {"type": "object", "properties": {"spec": spec, **more}}
    manifest = crds.manifest(schema, scope="Cluster", subresources={"status": {}})
    return CustomResourceDefinition.from_manifest(manifest)


@pytest.mark.parametrize(
    ("schema", "value", "keyword", "steps", "path"),
    [
        pytest.param({"type": "integer"}, "a", "type", (), (), id="type"),
        pytest.param(TEXTS, [None], "type", ("items",), (0,), id="null"),
        pytest.param({"x-kubernetes-int-or-string": True}, 1.5, "x-kubernetes-int-or-string", (), (), id="either"),
        pytest.param({"type": "string", "format": "ipv4"}, "a", "format", (), (), id="format"),
        pytest.param({"type": "integer", "format": "int32"}, 2**40, "format", (), (), id="format of numbers"),
        pytest.param({"type": "integer"}, 2.0**70, "type", (), (), id="more than the type holds"),
        pytest.param({"type": "integer", "minimum": 1}, 0, "minimum", (), (), id="minimum"),
        pytest.param({"type": "integer", "maximum": 1}, 2, "maximum", (), (), id="maximum"),
        pytest.param({"type": "integer", "multipleOf": 2}, 1, "multipleOf", (), (), id="multipleOf"),
        pytest.param({"type": "integer", "multipleOf": -2}, 1, "multipleOf", (), (), id="a factor that is none"),
        pytest.param({"type": "integer", "maximum": 2.0**70}, 1, "maximum", (), (), id="a limit that is none"),
        pytest.param({"type": "string", "minLength": 2}, "a", "minLength", (), (), id="minLength"),
        pytest.param({"type": "string", "maxLength": 2}, "abc", "maxLength", (), (), id="maxLength"),
        pytest.param({"type": "string", "pattern": "^b"}, "a", "pattern", (), (), id="pattern"),
        pytest.param({"type": "string", "enum": ["b"]}, "a", "enum", (), (), id="enum"),
        pytest.param({**TEXTS, "minItems": 1}, [], "minItems", (), (), id="minItems"),
        pytest.param({**TEXTS, "maxItems": 1}, ["a", "b"], "maxItems", (), (), id="maxItems"),
        pytest.param(TEXTS, ["a", 1], "type", ("items",), (1,), id="items"),
        pytest.param({"type": "object", "properties": {"a": {"type": "string"}}}, {"a": 1}, "type", ("properties", "a"), ("a",), id="properties"),
        pytest.param({"type": "object", "additionalProperties": {"type": "string"}}, {"a.b": 1}, "type", ("additionalProperties",), (Key("a.b"),), id="additionalProperties"),
        pytest.param({"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}, {"a": ""}, "required", (), ("b",), id="required"),
        pytest.param({"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1}, {}, "minProperties", (), (), id="minProperties"),
        pytest.param({"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 0}, {"a": ""}, "maxProperties", (), (), id="maxProperties"),
        pytest.param({"type": "string", "not": {"enum": ["a"]}}, "a", "not", (), (), id="not"),
        pytest.param({"type": "string", "oneOf": [{"minLength": 1}, {"maxLength": 1}]}, "a", "oneOf", (), (), id="oneOf"),
        pytest.param({**TEXTS, "x-kubernetes-list-type": "set"}, ["a", "a"], "x-kubernetes-list-type", (), (1,), id="a set"),
        pytest.param(
            {"type": "object", EMBEDDED: True, "x-kubernetes-preserve-unknown-fields": True},
            {"kind": "a", "metadata": {}}, EMBEDDED, (), ("apiVersion",), id="an embedded resource",
        ),
        pytest.param({"type": "string", RULE: [{"rule": "self == ''"}]}, "a", RULE, (), (), id="a rule"),
    ],
)  # fmt: skip
def test_the_origin_is_the_violated_keyword(
    schema: Any, value: Any, keyword: str, steps: tuple[str | int, ...], path: tuple[Any, ...]
) -> None:
    for crd, around in (
        (_crd(schema), ()),
        (_crd({"type": "object", "properties": {"inner": schema}}), ("inner",)),
    ):
        sent: Any = {"spec": value} if not around else {"spec": {"inner": value}}
        response = crd.version("v1").create(sent)

        error = response.errors[0]
        assert error.origin is not None, response.status
        assert error.path is not None
        inside = [step for name in ("spec", *around) for step in ("properties", name)]
        assert (error.origin.keyword, error.origin.schema) == (keyword, (*inside, *steps))
        assert error.path.segments == ("spec", *around, *path)


def test_the_origin_in_a_junctor_is_the_failed_branch() -> None:
    branches = [{"required": ["a"]}, {"properties": {"b": {"minimum": 5}}}]
    fields = {"a": {"type": "integer"}, "b": {"type": "integer"}}
    for junctor in ("anyOf", "oneOf", "allOf"):
        crd = _crd({"type": "object", "properties": fields, junctor: branches})

        response = crd.version("v1").create({"spec": {"b": 1}})

        origins = {
            error.origin and (error.origin.schema, error.origin.keyword, error.origin.inner)
            for error in response.errors
        }
        spec_steps = ("properties", "spec")
        assert (spec_steps, junctor, ()) in origins
        assert origins & {
            ((*spec_steps, junctor, 0), "required", (0,)),
            ((*spec_steps, junctor, 1, "properties", "b"), "minimum", ()),
        }


def test_origins_of_status_errors_start_at_the_schema_of_the_version() -> None:
    crd = _crd({"type": "object"}, status={"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}})

    response = crd.version("v1").update_status({"status": {"a": 0}}, old={})

    assert [error.origin for error in response.errors] == [
        Origin(("properties", "status", "properties", "a"), "minimum")
    ]


def test_errors_without_a_schema_have_no_origin() -> None:
    response = _crd({"type": "object"}).version("v1").create({"metadata": {"name": "A"}})

    assert [(error.path and str(error.path), error.origin) for error in response.errors] == [("metadata.name", None)]
    assert [
        (error.path, error.origin) for error in _crd({"type": "object"}).version("v1").create({"kind": 5}).errors
    ] == [(None, None)]
    refused = _crd({"type": "string", "default": 5}).response
    assert {error.origin for error in refused.errors} == {None}
    assert {error.path and str(error.path) == error.field for error in refused.errors} == {True}


def test_the_place_of_the_keyword_survives_pickling(tmp_path: Path) -> None:
    file = tmp_path / "crd.yaml"
    file.write_text(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: tabs.example.com}\n"
        "spec:\n  group: example.com\n  scope: Cluster\n  names: {plural: tabs, kind: Tab}\n  versions:\n"
        "  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n"
        "        properties:\n          spec:\n            type: object\n            required:\n            - a\n"
        "            - b\n            properties:\n              a: {type: integer}\n              b: {type: integer}\n"
    )
    (crd,) = engine.load(file)

    response = crd.version("v1").create({"spec": {"a": 1}})

    (error,) = response.errors
    assert error.text_with_origin == f"spec.b: Required value ({file}:20 required)"
    (again,) = pickle.loads(pickle.dumps(response)).errors  # noqa: S301 - of this test's own making
    assert (again.text_with_origin, again.origin) == (error.text_with_origin, error.origin)
    assert repr(again.origin) == f"<Origin properties/spec/required/1 ({file}:20)>"
    assert {again.origin} == {Origin(("properties", "spec"), "required", (1,))}
    assert again.origin != "required"
    assert (str(Origin((), "required")), repr(Origin((), "required"))) == ("required", "<Origin required>")


@pytest.mark.replay
def test_origins_of_all_recorded_errors_exist_in_the_schema() -> None:
    count = 0
    folders = [casefile.FOLDER / "1.37" / name for name in ("value-validation", "list-types", "ratcheting")]
    for file in (file for folder in folders for file in casefile.read_folder(folder)):
        crd = replies.definition(file.crd, file.version)
        for request in file.requests if "response" in file.content["asks"] and crd.response.accepted else ():
            if request.verb in {"updateCRD", "createCRDText"}:
                continue
            schema = {version["name"]: version.get("schema") for version in crd.manifest["spec"]["versions"]}[
                request.version
            ]
            for error in replies.response(crd, file, request).errors:
                if error.origin is not None:
                    count += 1
                    assert _follow(schema["openAPIV3Schema"], error.origin.steps) is not None, error
                    assert error.path is not None
    assert count > 150


def _follow(schema: Any, steps: tuple[str | int, ...]) -> Any:
    for step in steps:
        schema = schema[step]
    return schema
