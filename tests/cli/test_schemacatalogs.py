"""`pytest-crd validate --crd` with the JSON Schemas of a public catalogue, and with CRDs among the objects."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from support import crds

from pytest_crd import __main__ as program
from pytest_crd.cli.schemacatalogs import SchemaCatalog
from pytest_crd.engine.yaml.manifest import ManifestFile

Validate: TypeAlias = "Callable[..., tuple[int, str, str]]"

TAB = "apiVersion: example.com/v1\nkind: Tab\nmetadata: {name: a}\nspec:\n"
FILE = "catalog/example.com/tab_v1.json"
ALONE = "accepted, by a JSON Schema alone\n"
SPEC: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
        "name": {"type": "string", "pattern": "^(?i)[a-z]+$"},
        "port": {"oneOf": [{"type": "integer"}, {"type": "string"}]},
        "since": {"type": "string", "format": "date-time"},
        "count": {"type": "integer", "format": "int32"},
        "colour": {"$ref": "#/definitions/colour"},
        "notes": {"type": "array", "items": {"type": "string", "maxLength": 2}},
    },
}
SCHEMA = {
    "type": "object",
    "properties": {"apiVersion": {"type": "string"}, "kind": {}, "metadata": {"type": "object"}, "spec": SPEC},
    "definitions": {"colour": {"enum": ["red"]}},
}


@pytest.fixture
def validate(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Validate:
    """Run the command for an object in a file, and return its code and output."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, SCHEMA)

    def run(text: str, *arguments: str) -> tuple[int, str, str]:
        (tmp_path / "a.yaml").write_text(text)
        code = program.main(["validate", "a.yaml", *(arguments or ("--crd", "catalog"))])
        return code, *capsys.readouterr()

    return run


def write(folder: Path, schema: object, name: str = FILE) -> None:
    """Write a schema into the catalogue."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(schema if isinstance(schema, str) else json.dumps(schema))


@pytest.mark.parametrize("named", ["catalog", "catalog/example.com", FILE, "catalog/**/*.json"])
def test_an_object_without_a_crd_is_judged_by_its_schema(named: str, validate: Validate) -> None:
    text = f"{TAB}  {{size: 1.0, name: Ab, port: a, since: 2026-01-01T00:00:00Z, count: 1, colour: red}}\n"

    assert validate(text, "--crd", named) == (
        0,
        f"a.yaml:1: Tab/a: {ALONE}1 custom resource, 0 refused, 1 by a JSON Schema alone (1 Tab); Kubernetes 1.37\n",
        "",
    )


@pytest.mark.parametrize(
    ("spec", "finding"),
    [
        ("  size: 0\n", "a.yaml:5: spec.size: 0 is less than or equal to the minimum of 0\n"),
        ("  sizes: 1\n  size: 1\n", "a.yaml:5: spec.sizes: the JSON Schema does not specify it; did you mean size?\n"),
        ("  name: a\n", "a.yaml:4: spec: 'size' is a required property\n"),
        ("  size: 1\n  name: '1'\n", "a.yaml:6: spec.name: '1' does not match '^(?i)[a-z]+$'\n"),
        ("  size: 1\n  since: now\n", "a.yaml:6: spec.since: 'now' is not a 'date-time'\n"),
        ("  size: 1\n  notes:\n  - abc\n", "a.yaml:7: spec.notes[0]: 'abc' is too long\n"),
        (
            "  size: 1\n  port: 1.5\n",
            (
                "a.yaml:6: spec.port: 1.5 is not valid under any of the given schemas\n"
                "      1.5 is not of type 'integer'\n      1.5 is not of type 'string'\n"
            ),
        ),
        ("  size: 1\n  size: 2\n", 'a.yaml:6: key "size" is set twice; only the last value counts\n'),
        (
            f"  {'a' * 100}\n",
            f"a.yaml:4: spec: '{'a' * 79}… is not of type 'object'\n",
        ),
    ],
)
def test_errors_name_the_field_and_its_line(spec: str, finding: str, validate: Validate) -> None:
    code, out, _ = validate(f"{TAB}{spec}")

    assert (code, out) == (
        1,
        (
            f"a.yaml:1: Tab/a: refused by the JSON Schema {FILE}\n  {finding}"
            "1 custom resource, 1 refused, 1 by a JSON Schema alone (1 Tab); Kubernetes 1.37\n"
        ),
    )


def test_suggestions_end_with_their_budget(validate: Validate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_crd.cli.schemacatalogs.WORK_OF_MESSAGE", 1_000)
    unknown = "".join(f"  siz{number}: 1\n" for number in range(50))

    assert "similar names were not looked for, as too many are unknown" in validate(f"{TAB}{unknown}")[1]


def test_an_object_of_another_type_has_no_field(validate: Validate, tmp_path: Path) -> None:
    write(tmp_path, {"required": ["spec"]})

    assert "  a.yaml:1: 'spec' is a required property\n" in validate(TAB.removesuffix("spec:\n"))[1]


@pytest.mark.parametrize(
    ("spec", "code", "words"),
    [
        ("  size: ${SIZE}\n", 5, "not judged, as spec.size is ${SIZE}\n1 custom resource, 0 refused, 1 not judged, "),
        ("  size: ${SIZE}\n  name: '1'\n", 1, "refused by"),
        ("  size: ${SIZE}\n  size: ${SIZE}\n", 1, "refused by"),
    ],
)
def test_a_value_that_is_not_in_the_file_is_not_judged(spec: str, code: int, words: str, validate: Validate) -> None:
    answer = validate(f"{TAB}{spec}")

    assert answer[0] == code
    assert words in answer[1]


def test_a_crd_decides_before_a_schema(tmp_path: Path, validate: Validate) -> None:
    (tmp_path / "catalog/tabs.yaml").write_text(crds.text("plural: tabs, kind: Tab", "type: object"))

    code, out, _ = validate(f"{TAB}  size: 1\n")

    assert code == 1
    assert "a.yaml:4: spec: the schema does not specify it, so that it is dropped" in out


def test_a_version_without_a_schema_is_not_judged(validate: Validate) -> None:
    code, out, _ = validate(TAB.replace("v1", "v2"))

    assert code == 5
    assert "not judged (1 Tab of example.com/v2, with a JSON Schema for v1)" in out
    assert validate(TAB.replace("v1", "v2"), "--crd", "catalog", "--strict")[0] == 1


def test_a_misspelt_kind_fails(validate: Validate) -> None:
    code, out, _ = validate(TAB.replace("kind: Tab", "kind: Tap"))

    assert code == 1
    assert "no CRD is for kind 'Tap' of example.com; did you mean kind 'tab'?" in out


def test_the_name_of_a_schema_needs_a_group_and_a_version(tmp_path: Path, validate: Validate) -> None:
    write(tmp_path, SCHEMA, "other/example/tab_v1.json")
    write(tmp_path, SCHEMA, "other/example.com/tab.json")

    assert validate(TAB, "--crd", "other") == (2, "", "other: no CustomResourceDefinition in 2 files\n")


def test_a_crd_with_the_name_of_a_schema_is_a_crd(tmp_path: Path, validate: Validate) -> None:
    write(tmp_path, crds.manifest({"type": "object"}))

    assert validate(TAB.removesuffix("spec:\n"))[1].startswith("a.yaml:1: Tab/a: accepted\n")


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ("{", "not readable as JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("[]", "no JSON object"),
        ("[" * 100_000, "not readable as JSON: maximum recursion depth exceeded"),
        ({"$schema": "http://example.com/draft"}, "the draft http://example.com/draft is not known"),
        ({"properties": {"spec": 1}}, "properties.spec is no schema"),
        ({"apiVersion": "v1", "kind": "List", "items": []}, "an object of kind List"),
        ({"properties": {"spec": {"type": "text"}}}, 'properties.spec.type is "text"'),
        ({"properties": {"spec": {"type": ["text", "null"]}}}, 'properties.spec.type is ["text", "null"]'),
        ({"items": {"minLength": "1"}}, 'items.minLength is "1"'),
        ({"anyOf": [True, {"required": "a"}]}, 'anyOf[1].required is "a"'),
        ({"patternProperties": {}}, "patternProperties is not supported"),
        ({"$ref": "http://example.com/a"}, "$ref leads to http://example.com/a, which is not in the file; nothing is"),
        ({"$ref": "#a"}, "$ref leads to #a, which is not in the file; nothing is fetched"),
        ({"a": True, "$ref": "#/a/b"}, "$ref leads to #/a/b, which is not in the file"),
        ({"$ref": "#"}, "a `$ref` leads back to itself"),
        (
            {"properties": {"kind": {"pattern": "(?=a)"}}},
            "error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
        ),
    ],
)
def test_a_schema_that_cannot_be_used_is_a_mistake(
    schema: object, problem: str, tmp_path: Path, validate: Validate
) -> None:
    write(tmp_path, schema)

    code, out, err = validate(TAB)

    assert (code, out) == (2, "")
    assert err.startswith(f"{FILE}: no usable JSON Schema: {problem}")


def test_a_schema_that_the_system_keeps_back_is_a_mistake(tmp_path: Path, validate: Validate) -> None:
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).symlink_to("/proc/self/mem")  # it opens, and gives nothing

    assert validate(TAB)[0] == 2


def test_a_schema_judges_all_objects_of_its_kind(validate: Validate) -> None:
    code, out, _ = validate(f"{TAB}  {{size: a}}\n---\n{TAB}  {{size: b}}\n")

    assert (code, out.count("refused by the JSON Schema")) == (1, 2)


def test_schemas_judge_no_updates(tmp_path: Path, validate: Validate) -> None:
    (tmp_path / "old.yaml").write_text(TAB)

    code, out, err = validate(f"{TAB}  size: 1\n", "--crd", "catalog", "--old", "old.yaml")

    assert (code, out.startswith(f"a.yaml:1: Tab/a: {ALONE}")) == (2, True)
    assert err.startswith("--old: none of the objects")


def test_json_names_the_schema(validate: Validate) -> None:
    answer = json.loads(validate(f"{TAB}  size: 1\n", "--crd", "catalog", "-o", "json")[1])

    assert [(item["outcome"], item["jsonSchema"]) for item in answer["objects"]] == [("accepted", FILE)]


def test_a_file_that_is_gone_is_no_crd(tmp_path: Path) -> None:
    path = tmp_path / "example.com" / "tab_v1.json"
    catalog = SchemaCatalog()

    assert catalog.take([ManifestFile(path, path.name, named=False)]) == []
    assert catalog.find("example.com", "Tab", "v1") is not None
