"""Recorded facts of apimachinery's managedfields, and how they are written."""

from __future__ import annotations

import json
from typing import Any

from conformance import fieldmanagers

TYPES = """
- {name: a, map: {fields: [{name: z, type: {namedType: b}}, {name: y, type: {scalar: string}}]}}
- {name: b, list: {elementType: {namedType: a}}}
- {name: c, scalar: string}
"""


def test_facts_are_written_once_with_the_types_that_they_reach() -> None:
    first: dict[str, Any] = {"file": "f", "call": "FieldManager.Update", "time": "2000-01-01T00:01:07Z"}
    later = first | {"time": "2000-01-01T01:00:00Z"}
    created = first | {"call": "FieldManager.Apply", "creationTimestamp": "2026-01-01T00:00:00Z"}
    too_long = first | {"live": "x" * 40_000}
    schema = {"call": "schema", "type": "a", "types": TYPES}
    files = fieldmanagers.file_texts([schema, first, later, created, too_long])

    facts = [json.loads(line) for line in files["facts.jsonl"].splitlines()]
    assert facts == [
        created | {"time": "2000-01-01T00:00:00Z", "creationTimestamp": None},
        first | {"time": "2000-01-01T00:00:00Z"},
    ]
    types = [json.loads(line) for line in files["types.jsonl"].splitlines()]
    assert [type_["name"] for type_ in types] == ["a", "b"]
    assert [field["name"] for field in types[0]["map"]["fields"]] == ["y", "z"]


def test_recorded_facts_are_in_canonical_form() -> None:
    facts = fieldmanagers.facts()

    assert fieldmanagers.file_texts(facts)["facts.jsonl"].splitlines() == [
        json.dumps(fact, ensure_ascii=False, sort_keys=True, separators=(",", ":")) for fact in facts
    ]
    assert sum(fieldmanagers.counts().values()) == len(facts)
