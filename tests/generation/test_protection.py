"""Generated files without room for all cases: changes of enums, bounds, defaults and served versions are noticed first."""

from __future__ import annotations

import copy
import re
from typing import Any, Final

import pytest
from crdchanges import measure
from support import crds

from pytest_crd import engine
from pytest_crd.cases import loader
from pytest_crd.cases.model import CaseFile
from pytest_crd.generation import Wanted, generate

_COUNT: Final = 5
_PROPERTIES: Final[dict[str, Any]] = {
    "kind": {"type": "string", "enum": ["a", "b", "c"]},
    "days": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
    "name": {"type": "string", "minLength": 2, "maxLength": 200},
    "size": {"type": "object", "default": {}, "properties": {"unit": {"type": "string", "default": "Mi"}}},
}
_FIELD: Final = {"type": "object", "required": ["kind"], "properties": _PROPERTIES}
_SCHEMA: Final = {
    "type": "object",
    "properties": {"spec": {"type": "object", "properties": {f"f{index}": _FIELD for index in range(_COUNT)}}},
}


def _load(*others: dict[str, Any]) -> engine.CustomResourceDefinition:
    """Return a CRD with the version v1 and *others*."""
    manifest = crds.manifest(_SCHEMA)
    versions = manifest["spec"]["versions"]
    versions += [{**versions[0], "storage": False, **keys} for keys in others]
    crd = engine.CustomResourceDefinition.from_manifest(manifest)
    assert crd.response.accepted, crd.response.message
    return crd


@pytest.fixture(scope="module")
def crd() -> engine.CustomResourceDefinition:
    return _load({"name": "v1beta1"})


@pytest.fixture(scope="module")
def text(crd: engine.CustomResourceDefinition) -> str:
    return generate([crd.versions[0]], most_lines=150).text


@pytest.fixture(scope="module")
def files(text: str) -> tuple[CaseFile, ...]:
    return loader.load(text, source="generated")


@pytest.mark.parametrize(
    ("keyword", "values"),
    [
        ("enum", [["a", "b"], ["a", "b", "c", "d"]]),
        ("minimum", [0, 2]),
        ("maximum", [8, 10]),
        ("minLength", [1, 3]),
        ("maxLength", [199, 201]),
        ("default", [4, None]),
    ],
)
def test_each_change_of_a_value_that_a_field_takes_or_gets_is_noticed(
    crd: engine.CustomResourceDefinition, files: tuple[CaseFile, ...], keyword: str, values: list[Any]
) -> None:
    name = next(name for name, schema in _PROPERTIES.items() if keyword in schema)

    for field in ("f0", f"f{_COUNT - 1}"):
        for value in values:
            manifest = copy.deepcopy(crd.manifest)
            schema = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
            node = schema["properties"]["spec"]["properties"][field]["properties"][name]
            node[keyword] = value
            if value is None:
                del node[keyword]

            assert measure.is_noticed(files, engine.CustomResourceDefinition.from_manifest(manifest)), (field, value)


def test_a_version_that_is_no_longer_served_is_noticed(
    crd: engine.CustomResourceDefinition, files: tuple[CaseFile, ...]
) -> None:
    changes = dict(measure.change_serving(crd))

    assert [*changes] == [verb for name in ("v1", "v1beta1") for verb in (f"serve {name} no longer", f"rename {name}")]
    assert all(measure.is_noticed(files, changed) for changed in changes.values())
    assert not measure.is_noticed(files, crd)


def test_refusals_and_defaults_are_merged_before_other_cases_if_the_file_is_short(text: str) -> None:
    assert "are refused together" in text
    assert "have their defaults together" in text
    assert re.search(r"^# - (?!enums|bounds|defaults).* of spec.*: would make it too long$", text, re.MULTILINE)
    assert not re.search(r"^# - (?:enums|defaults) of", text, re.MULTILINE)


def test_versions_that_are_not_served_or_have_no_short_object_have_no_document() -> None:
    names = [f"field{index}" for index in range(50)]
    spec = {"type": "object", "required": names, "properties": dict.fromkeys(names, _FIELD)}
    long = {"type": "object", "required": ["spec"], "properties": {"spec": spec}}
    contradiction = {"x-kubernetes-validations": [{"rule": "false"}]}
    crd = _load(
        {"name": "v1alpha1", "served": False},
        {"name": "v1beta1", "schema": {"openAPIV3Schema": {**_SCHEMA, **contradiction}}},
        {"name": "v1beta2", "schema": {"openAPIV3Schema": long}},
    )

    assert len(loader.load(generate([crd.versions[0]], most_lines=150).text, source="generated")) == 1


def test_files_about_a_path_have_no_documents_of_other_versions(crd: engine.CustomResourceDefinition) -> None:
    generated = generate([crd.versions[0]], Wanted(("spec.f0.kind",)))

    assert len(loader.load(generated.text, source="generated")) == 1
