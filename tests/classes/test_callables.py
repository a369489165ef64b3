"""Classes that are compared through a pair of callables, with or without their JSON Schema."""

from __future__ import annotations

from typing import Annotated, Any

import attrs
import cattrs
import msgspec
import pytest

from pytest_crd.classes import compare
from pytest_crd.engine import CrdVersion, CustomResourceDefinition

JSON = dict[str, Any]


@attrs.define
class Target:
    name: str


@attrs.define
class Backup:
    schedule: str
    days: int = 30
    targets: list[Target] = attrs.Factory(list)


class Struct(msgspec.Struct):
    schedule: str
    days: Annotated[int, msgspec.Meta(ge=1)] = 30
    targets: list[dict[str, str]] = []


def version(**fields: JSON) -> CrdVersion:
    spec = {
        "type": "object",
        "required": ["schedule"],
        "properties": {
            "schedule": {"type": "string"},
            "days": {"type": "integer", "default": 30},
            "targets": {
                "type": "array",
                "default": [],
                "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
            },
            **fields,
        },
    }
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "backups.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Backup", "plural": "backups"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {"spec": spec}}
                    },
                }
            ],
        },
    }
    return CustomResourceDefinition.from_manifest(manifest).versions[0]


CONVERTER = cattrs.Converter(forbid_extra_keys=True)


@CONVERTER.register_structure_hook
def _take_text(value: Any, _: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


@CONVERTER.register_structure_hook
def _take_integer(value: Any, _: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is no integer")
    return value


def structure(value: JSON) -> Backup:
    return CONVERTER.structure(value, Backup)


def summarize(model: Any, crd_version: CrdVersion) -> dict[str, str]:
    return {f"{item.path}: {item.kind}": item.words for item in compare(model, crd_version)}


def convert(value: JSON) -> Struct:
    return msgspec.convert(value, Struct)


OF_MSGSPEC = (convert, msgspec.to_builtins, msgspec.json.schema(Struct))


def test_a_class_of_attrs_is_compared_through_cattrs() -> None:
    divergences = summarize((structure, CONVERTER.unstructure), version())

    assert divergences.keys() == {
        "spec.targets: only the CRD refuses"
    }  # cattrs takes an object as the list of its keys


def test_an_error_of_cattrs_has_its_field_and_words() -> None:
    divergences = summarize((structure, CONVERTER.unstructure), version(schedule={"type": "integer"}))

    assert divergences["spec.schedule: only the class refuses"] == "0 is no text"
    assert "spec.schedule: only the CRD refuses" in divergences


def test_a_missing_field_of_cattrs_is_named() -> None:
    crd_version = version(targets={"type": "array", "default": [], "items": {"type": "object", "properties": {"name": {"type": "string"}}}})  # fmt: skip

    divergences = summarize((structure, CONVERTER.unstructure), crd_version)

    assert divergences["spec.targets[0].name: only the class refuses"] == "KeyError: 'name'"


def test_a_struct_is_compared_with_its_schema() -> None:
    divergences = summarize(OF_MSGSPEC, version())

    assert divergences["spec.days: only the class refuses"] == "Expected `int` >= 1"
    assert "spec.targets[0].name: only the CRD refuses" in divergences


def test_an_error_in_a_map_of_msgspec_belongs_to_the_map() -> None:
    class Labelled(msgspec.Struct):
        labels: dict[str, str] = {}

    crd_version = version(labels={"type": "object", "default": {}, "additionalProperties": {"type": "integer"}})

    def load(value: JSON) -> Labelled:
        return msgspec.convert({"labels": value.get("labels", {})}, Labelled)

    divergences = summarize((load, msgspec.to_builtins), crd_version)

    assert divergences["spec.labels: only the class refuses"] == "Expected `str`, got `int`"


class Silent(Exception):  # noqa: N818 - without a message
    pass


def test_an_error_without_a_message_has_its_name() -> None:
    def load(value: JSON) -> JSON:
        if value.get("days") == 1:
            raise Silent
        return {"days": 30, "targets": [], **value}

    divergences = summarize((load, dict), version())

    assert divergences["spec: only the class refuses"] == "Silent"


def test_a_note_of_the_project_is_no_field() -> None:
    def load(value: JSON) -> JSON:
        if value.get("days") == 1:
            error = ValueError("no single day")
            error.add_note("ask the team")
            raise error
        return {"days": 30, "targets": [], **value}

    assert summarize((load, dict), version())["spec: only the class refuses"] == "no single day"


@pytest.mark.parametrize("model", [(), (1, 2), (dict,), (dict, dict, {}, {})])
def test_other_tuples_are_misuse(model: Any) -> None:
    with pytest.raises(TypeError, match=r"is neither \(load, dump\) nor \(load, dump, schema\)"):
        compare(model, version())
