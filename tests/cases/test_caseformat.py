"""The format of case files, and the JSON Schema that editors use."""

from __future__ import annotations

import dataclasses
import json
from importlib import resources
from typing import Any

import jsonschema
import pytest

from pytest_crd.cases import builder, caseformat, casekeys, conflicts, diagnosis, formvalidator, loader
from pytest_crd.cases.model import APPLIES, KINDS, PATCHES
from pytest_crd.cases.sections import Section
from pytest_crd.engine import inputerror
from pytest_crd.engine.yaml import yamlreader

CASE = {"name": "x", "input": {}}
REFUSED = {**CASE, "old": {}, "error": "no"}
OPERATION = {"op": "add", "path": "/spec", "value": 1}


def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(caseformat.schema())


def test_shipped_schema_is_that_of_the_format() -> None:
    shipped = resources.files("pytest_crd.cases").joinpath("case-file.schema.json").read_text(encoding="utf-8")
    assert shipped == caseformat.schema_text(), "`python -m handbook` writes it"


def test_schema_is_a_valid_schema_with_an_address() -> None:
    schema = json.loads(caseformat.schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"].startswith("https://")
    assert schema == caseformat.schema()


def test_every_key_has_a_title_and_a_meaning_for_editors() -> None:
    schema = caseformat.schema()
    for name, form in {**schema["properties"], **schema["$defs"]}.items():
        assert form["title"], name
        assert form["description"].endswith("."), name


@pytest.mark.parametrize(
    ("section", "keys"),
    [
        ("pruning", {"expected", "contains", "absent", "pruned"}),
        ("defaulting", {"expected", "contains", "absent", "defaulted", "nullsDropped"}),
        (
            "create",
            {
                *("expected", "contains", "absent", "errors", "containsErrors", "error", "accepted", "warnings"),
                "errorsUnder",
                *("pruned", "defaulted", "nullsDropped", "lost", "mutated", "denied"),
            },
        ),
    ],
)
def test_a_section_has_the_expectations_that_apply_to_it(section: str, keys: set[str]) -> None:
    assert {key for key in casekeys.case_keys(Section(section)) if key in builder.EXPECTATIONS} == keys
    others = {"fieldValidation", "user", "namespaceObject", "params", "authorizer"} if section == "create" else set()
    assert set(casekeys.case_keys(Section(section))) == keys | others | BESIDES


@pytest.mark.parametrize("section", [Section.UPDATE, Section.UPDATE_STATUS])
def test_updates_have_the_keys_of_create_and_the_old_object(section: Section) -> None:
    created = casekeys.case_keys(Section.CREATE)
    assert set(casekeys.case_keys(section)) == {*created, "old", "oldFile", "oldDocument", "oldPatch", "oldCRD"}


@pytest.mark.parametrize("section", sorted(PATCHES))
def test_patches_have_the_keys_of_updates_without_an_input(section: Section) -> None:
    updated = casekeys.case_keys(Section.UPDATE)
    assert set(casekeys.case_keys(section)) == {*updated} - {"input", "inputFile", "document"}


@pytest.mark.parametrize("section", sorted(APPLIES))
def test_applies_have_the_keys_of_updates_and_those_of_owners(section: Section) -> None:
    updated = casekeys.case_keys(Section.UPDATE)
    without = {*updated} - {"input", "inputFile", "document", "patch"}
    assert set(casekeys.case_keys(section)) == {*without, "steps", "managers", "conflicts"}


OF_PASSES = {
    "pruned",
    "defaulted",
    "nulls_dropped",
    "lost",
    "errors",
    "errors_under",
    "contains_errors",
    "field_validation",
}


@pytest.mark.parametrize("section", Section)
def test_the_keys_of_a_section_are_the_attributes_of_its_kind(section: Section) -> None:
    sources = {"inputFile", "document", "patch", "oldFile", "oldDocument", "oldPatch"}
    keys = {*casekeys.case_keys(section)} - sources
    made_otherwise = {"lines", "allows_unknown_fields", "input_source", "old_source", "blanks", "is_open", "files"}
    # The input of a patch case is the patch, and each apply has an input.
    made_otherwise |= {"input"} if section in PATCHES | APPLIES else set()
    # A case of a policy inherits the expectations about passes of a CRD.
    made_otherwise |= OF_PASSES if section is Section.POLICY else set()
    fields = {field.name for field in dataclasses.fields(KINDS[section])} - made_otherwise

    assert {builder.ATTRIBUTES.get(key, key) for key in keys} == fields


def test_loader_knows_every_key_of_a_case() -> None:
    of_sources = {"inputFile", "document", "patch", "oldFile", "oldDocument", "oldPatch"}
    assert set(builder._CONVERSIONS) | of_sources == set(casekeys.CASE_KEYS)


def test_every_conflict_is_between_keys_that_some_mapping_has() -> None:
    """A conflict of keys that never meet would be dead."""
    texts = caseformat.schema_text()
    for first, second in conflicts.CONFLICTS:
        assert f'"{first}"' in texts
        assert f'"{second}"' in texts


BESIDES = {"name", "input", "inputFile", "document", "patch", "skip", "xfail", "marks"}
FILE = {"name": "a", "inputFile": "a.yaml", "accepted": True}
PATCHED = {"name": "a", "old": {}, "patch": {"a": None}, "accepted": True}
STEPS = [{"manager": "a", "input": {}, "force": True}, {"manager": "b", "inputFile": "b.yaml", "document": 2}]
APPLIED = {"name": "a", "steps": STEPS, "accepted": True}
CONFLICTING = {"name": "a", "steps": STEPS, "conflicts": [{"manager": "a", "field": "spec.a"}]}
DOCUMENTS = [
    pytest.param({"crd": "x", "create": [FILE]}, True, id="an input in a file"),
    pytest.param(
        {"crd": "x", "create": [{**FILE, "document": 2, "patch": {"a": None}}]}, True, id="a document, patched"
    ),
    pytest.param({"crd": "x", "create": [{**FILE, "patch": [OPERATION]}]}, True, id="a list as a patch"),
    pytest.param({"crd": "x", "create": [{**FILE, "patch": [{"op": "add"}]}]}, False, id="a wrong operation"),
    pytest.param({"crd": "x", "create": [{**FILE, "patch": []}]}, False, id="a patch without operations"),
    pytest.param({"crd": "x", "create": [{**FILE, "patch": {}}]}, False, id="an empty patch"),
    pytest.param({"crd": "x", "create": [{**FILE, "document": 0}]}, False, id="a document before the first"),
    pytest.param({"crd": "x", "create": [{**FILE, "input": {}}]}, False, id="an input twice"),
    pytest.param({"crd": "x", "create": [{"name": "a", "accepted": True}]}, False, id="no input"),
    pytest.param(
        {"crd": "x", "create": [{"name": "a", "input": {}, "document": 1, "accepted": True}]}, False, id="no file"
    ),
    pytest.param({"crd": "x", "update": [{**FILE, "oldFile": "b.yaml", "oldPatch": {"a": 1}}]}, True, id="two files"),
    pytest.param({"crd": "x", "update": [FILE]}, False, id="no old object"),
    pytest.param({"crd": "x", "patch": [PATCHED]}, True, id="a merge patch"),
    pytest.param({"crd": "x", "patchScale": [{**PATCHED, "patch": [OPERATION]}]}, True, id="a JSON Patch"),
    pytest.param({"crd": "x", "patch": [{**PATCHED, "input": {}}]}, False, id="an input beside a patch"),
    pytest.param({"crd": "x", "patch": [{**PATCHED, "patch": "{}"}]}, False, id="a text as a patch"),
    pytest.param({"crd": "x", "patchStatus": [{"name": "a", "patch": {"a": 1}, "error": "a"}]}, False, id="not stored"),
    pytest.param({"crd": "x", "patch": [{**PATCHED, "managers": {"a": []}}]}, False, id="the managers of a patch"),
    pytest.param({"crd": "x", "apply": [{**APPLIED, "managers": {"a": []}}]}, True, id="an apply"),
    pytest.param({"crd": "x", "apply": [{**APPLIED, "managers": {}}]}, False, id="managers that say nothing"),
    pytest.param({"crd": "x", "apply": [{**APPLIED, "patch": {"a": 1}}]}, False, id="a patch of many inputs"),
    pytest.param({"crd": "x", "apply": [{"name": "a", "steps": [], "accepted": True}]}, False, id="no step"),
    pytest.param({"crd": "x", "apply": [{**CONFLICTING, "contains": {"a": 1}}]}, False, id="a conflict, stored"),
    pytest.param({"crd": "x", "applyStatus": [{**CONFLICTING, "error": "a"}]}, True, id="a conflict in words"),
    pytest.param({"crd": "x", "pruning": [{**CASE, "expected": {}}]}, True, id="a small file"),
    pytest.param({"crd": "x", "x-a": 1, "pruning": [{**CASE, "pruned": []}]}, True, id="a free key"),
    pytest.param({"crd": "x", "update": [{**REFUSED, "oldCRD": {"patch": [OPERATION]}}]}, True, id="an update"),
    pytest.param(
        {"crd": "x", "update": [{**REFUSED, "oldCRD": {"patch": [{"op": "add", "path": "/a"}]}}]}, False, id="no value"
    ),
    pytest.param(
        {"crd": "x", "update": [{**REFUSED, "oldCRD": {"path": "a", "patch": [OPERATION]}}]}, False, id="both old CRDs"
    ),
    pytest.param({"crd": "x", "update": [{**REFUSED, "oldCRD": {}}]}, False, id="no old CRD"),
    pytest.param(
        {"crd": "x", "create": [{**CASE, "errors": [{"field": "a", "detail": ""}]}]}, True, id="an error entry"
    ),
    pytest.param({"crd": "x", "create": [{**CASE, "errors": [{}]}]}, False, id="an empty error entry"),
    pytest.param(
        {"crd": "x", "create": [{**CASE, "errors": [{"message": "a", "detail": "b"}]}]}, False, id="two messages"
    ),
    pytest.param({"crd": "x", "create": [{**CASE, "error": "a", "expected": {}}]}, False, id="refused and stored"),
    pytest.param({"crd": "x", "create": [{**CASE, "error": "a", "warnings": []}]}, True, id="refused with warnings"),
    pytest.param({"crd": "x", "create": [{**CASE, "accepted": True, "expected": {}}]}, True, id="accepted and stored"),
    pytest.param({"crd": "x", "create": [{**CASE, "accepted": 1}]}, False, id="accepted: 1"),
    pytest.param({"crd": "x", "pruning": [CASE]}, False, id="expects nothing"),
    pytest.param(
        {"crd": "x", "pruning": [{**CASE, "name": "a\n", "pruned": []}]}, False, id="a line break at the end of a name"
    ),
    pytest.param(
        {"crd": "x", "pruning": [{**CASE, "marks": ["a\n"], "pruned": []}]}, False, id="a line break in a mark"
    ),
    pytest.param({"crd": "x", "pruning": [{**CASE, "marks": ["skipper"], "pruned": []}]}, True, id="a mark like skip"),
    pytest.param({"crd": "x"}, False, id="no section"),
    pytest.param([], False, id="a list"),
]


@pytest.mark.parametrize(("document", "right"), DOCUMENTS)
def test_schema_and_loader_agree(document: Any, *, right: bool) -> None:
    """Editors underline the same mistakes that pytest refuses."""
    assert validator().is_valid(document) is right
    read = yamlreader.read_one(json.dumps(document), source="f")
    assert (not list(diagnosis.find_mistakes(read))) is right


@pytest.mark.parametrize(("document", "right"), DOCUMENTS)
def test_the_quick_check_agrees_with_jsonschema(document: Any, *, right: bool) -> None:
    """The loader's own keywords are quicker, not different."""
    slow = sorted((str(list(error.absolute_path)), str(error.validator)) for error in validator().iter_errors(document))
    quick = sorted(
        (str(list(error.absolute_path)), str(error.validator)) for error in formvalidator.get().iter_errors(document)
    )
    assert slow == quick


def test_base_of_case_file_errors_is_the_users_mistake() -> None:
    with pytest.raises(inputerror.InputError):
        loader.load("", source="f")
