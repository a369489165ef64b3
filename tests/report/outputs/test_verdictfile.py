"""Every verdict as JSON, and the schema that states its form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any, Final

import jsonschema
from support import sessionfacts

from pytest_crd.report.outputs import verdictfile
from pytest_crd.report.testfacts import FilePlace, VerdictKind, VerdictOutcome

SCHEMA: Final[Any] = json.loads(
    resources.files("pytest_crd.report").joinpath("verdicts.schema.json").read_text(encoding="utf-8")
)
ANSWER: Final = {"accepted": True, "code": 201, "message": "", "stored": {}}
WITNESS: Final = {
    "object": {},
    "stored": None,
    "applied": [{"manager": "a", "object": {}}],
    "before": ANSWER,
    "after": ANSWER,
    "note": "",
    "source": "",
}


def _objects(schema: Any) -> Iterator[Any]:
    """Yield the parts of a schema that are about objects with fields."""
    if isinstance(schema, dict):
        if "properties" in schema and "type" in schema:
            yield schema
        for child in schema.values():
            yield from _objects(child)


def test_the_schema_lets_nothing_else_in() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    assert SCHEMA["$id"].endswith("/pytest_crd/report/verdicts.schema.json")
    assert len([*_objects(SCHEMA)]) == 10
    for item in _objects(SCHEMA):
        assert item["additionalProperties"] is False
        assert {*item["required"]} == item["properties"].keys()


def test_the_schema_knows_every_kind_and_outcome() -> None:
    verdict = SCHEMA["$defs"]["verdict"]["properties"]

    assert verdict["kind"]["enum"] == [*VerdictKind]
    assert verdict["outcome"]["enum"] == [*VerdictOutcome]
    assert SCHEMA["properties"]["version"]["const"] == verdictfile.VERSION


def test_the_file_is_valid_and_complete(tmp_path: Path) -> None:
    cause = sessionfacts.cause(field="spec.a", related=(FilePlace("v1:b.yaml"),), details=("x",), witness=WITNESS)
    facts = sessionfacts.session(
        sessionfacts.verdict(cause, sessionfacts.cause(place=None), summary="it is wrong"),
        sessionfacts.passed(),
        exit_code=1,
        others={VerdictOutcome.PASSED: 7},
    )

    written = json.loads(verdictfile.render(facts, sessionfacts.roots(tmp_path)))

    jsonschema.Draft202012Validator(SCHEMA).validate(written)
    assert written["summary"]["failed"] == written["summary"]["passed"] == 1
    assert written["summary"]["otherTests"]["passed"] == 7
    failed, points_held = written["verdicts"]
    assert (failed["path"], failed["line"], failed["crd"]) == ("test_a.crd.yaml", 4, "as.example.com")
    first, second = failed["causes"]
    assert first["origin"] == {"path": "crds/a.yaml", "line": 3, "column": None}
    assert first["related"] == [{"path": "v1:b.yaml", "line": None, "column": None}]
    assert second["origin"] is None
    assert points_held["causes"] == []
