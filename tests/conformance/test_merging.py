"""Recorded facts of the tests of structured-merge-diff: reading and writing them in the form described in `merging`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance import converters, merging

CALLS = (
    *("value.Compare", "value.Equals"),
    *("PathElement.Compare", "Path.String", "DeserializePathElement"),
    *(
        "Set.Union",
        "Set.Intersection",
        "Set.Difference",
        "Set.RecursiveDifference",
        "Set.Equals",
        "Set.Has",
        "Set.Leaves",
    ),
    *("Set.Iterate", "Set.FromJSON", "Set.ToJSON", "Set.EnsureNamedFieldsAreMembers", "SetFromValue"),
    *("ManagedFields.Equals", "ManagedFields.Difference"),
    *("Validate", "ToFieldSet", "Merge", "Compare", "RemoveItems", "ExtractItems", "Comparison.ExcludeFields"),
    *("ReconcileFieldSetWithSchema", "ConflictsFromManagers", "Update", "Apply"),
)
SCHEMA = {"types": [{"name": "t", "scalar": "string"}]}


def typed(value: Any) -> dict[str, Any]:
    return {"schema": SCHEMA, "type": {"namedType": "t"}, "value": value}


def test_each_call_is_recorded_and_each_fact_has_an_answer() -> None:
    facts = [*merging.facts()]

    assert {fact["call"] for fact in facts} == {*CALLS}
    for fact in facts:
        assert len({"answer", "error", "errors"} & fact.keys()) == 1, fact


def test_facts_are_counted_by_test_file() -> None:
    counts = merging.counts()

    assert sum(counts.values()) == len([*merging.facts()])
    assert counts["merge/multiple_appliers_test.go"] > 300
    assert counts["typed/symdiff_test.go"] > 200
    assert {name.partition("/")[0] for name in counts} == {*merging.PACKAGES}
    assert len([*merging.facts("Update", "Apply")]) > 350


def test_facts_share_whole_schemas() -> None:
    used = {id(fact["left"]["schema"]) for fact in merging.facts("Merge", "Compare")}

    assert used <= {id(schema) for schema in merging.schemas()}
    assert all("types" in schema for schema in merging.schemas())


def test_facts_are_written_once_without_random_parts(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    merged = {"file": "typed/a_test.go", "call": "Merge", "left": typed("a"), "right": typed("b"), "answer": "b"}
    element = {"file": "fieldpath/a_test.go", "call": "DeserializePathElement", "text": 'k:{"a":{}}', "spelled": "[a=]"}
    excluded = {"call": "value.Less", "file": "value/a_test.go", "left": 1, "right": 2, "answer": True}
    many = [
        {"file": "fieldpath/serialize_test.go", "call": "Set.Leaves", "set": "x" * number, "answer": ""}
        for number in range(2000)
    ]

    files = merging.file_texts([merged, merged, element | {"answer": "k"}, excluded, *many])

    assert set(files) == {"schemas.jsonl", *(f"{package}.jsonl" for package in merging.PACKAGES)}
    assert files["schemas.jsonl"] == json.dumps(SCHEMA, separators=(",", ":")) + "\n"
    assert (files["value.jsonl"], files["merge.jsonl"]) == ("", "")
    assert "spelled" not in files["fieldpath.jsonl"]
    assert 20 < files["fieldpath.jsonl"].count("\n") < 200
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(merging, "FOLDER", tmp_path)
    merging._schemas.cache_clear()
    try:
        (read,) = merging.facts("Merge")
    finally:
        merging._schemas.cache_clear()
    assert read == merged | {"left": typed("a") | {"type": "t"}, "right": typed("b") | {"type": "t"}}


def converted(converter: str, kind: str, value: Any, version: str) -> Any:
    typed = converters.convert(f"*merge_test.{converter}", {"schema": {}, "type": kind, "value": value}, version)
    return typed["type"], typed["value"]


def test_converters() -> None:
    assert converted("dummyConverter", "t", 1, "v9") == ("t", 1)
    assert converted("specificVersionConverter[v1 v2]", "t", 1, "v2") == ("t", 1)
    assert converted("repeatingConverter", "t", {"m": {"a": {"b": None}}}, "v2") == ("t", {"m": {"aa": {"bb": None}}})
    assert converted("repeatingConverter", "t", None, "v2") == ("t", None)
    assert converted("renamingConverter", "v1", {"a_v1": [{"b_v1": 1}], "c": []}, "v2") == (
        "v2",
        {"a_v2": [{"b_v2": 1}], "c": None},
    )
    assert converted("reliantFieldsConverter", "v1", {"field_foo_rely_on_bar": 1}, "v2") == (
        "v2",
        {"required_field_bar": 1},
    )
    assert converted("versionDoesntMatchTypenameConverter", "TypeV2", {"required_field_bar": 1}, "v1") == (
        "TypeV1",
        {"field_foo_rely_on_bar": 1},
    )
    assert converted("reliantFieldsConverter", "v1", None, "v1") == ("v1", None)


@pytest.mark.parametrize(
    ("converter", "version", "message", "is_missing"),
    [
        ("specificVersionConverter[v1]", "v2", "Unknown version: v2", True),
        ("repeatingConverter", "x", "cannot convert to invalid version", True),
        ("reliantFieldsConverter", "v3", "cannot convert to invalid version", True),
        ("reliantFieldsConverter", "v1", "missing requried field bar", False),
    ],
)
def test_failed_conversions_are_errors(converter: str, version: str, message: str, *, is_missing: bool) -> None:
    with pytest.raises(converters.ConversionError, match=message) as raised:
        converted(converter, "v2", {}, version)

    assert raised.value.is_missing is is_missing
