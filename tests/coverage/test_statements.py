"""The points of a request that a case holds; other reached points are only seen."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.covered import version_of
from support.webhooks import FixedWebhooks, FunctionConverter

from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.objectsources import resolve
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.coverage import Collector
from pytest_crd.engine import CrdVersion
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.registry.conversion import ConversionFailedError

OPEN = "x-kubernetes-preserve-unknown-fields"
RULES = "x-kubernetes-validations"
TEXT = {"type": "string"}
PATTERN = "^[a-z]*$"
SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "size": {"type": "integer", "default": 2, "minimum": 1, "maximum": 5},
        "name": {**TEXT, "minLength": 2, "maxLength": 3, "pattern": PATTERN},
        "date": {**TEXT, "format": "date"},
        "soil": {**TEXT, "enum": ["clay", "sand"]},
        "note": {**TEXT, "nullable": True},
        "bed": {"type": "object", "default": {"rows": 1}, "properties": {"rows": {"type": "integer"}, "a": TEXT}},
        "tags": {"type": "array", "default": ["a"], "items": TEXT, "maxItems": 2, "x-kubernetes-list-type": "set"},
        "doors": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {"type": "object", "required": ["name"], "properties": {"name": TEXT, "width": {"type": "integer", "default": 1}}},
        },
        "free": {"type": "object", OPEN: True},
        "keyed": {"type": "object", "required": ["a", "b"], "properties": {"a": TEXT, "b": TEXT}},
        "either": {"type": "integer", "oneOf": [{"minimum": 5}, {"maximum": 3}], "not": {"enum": [7]}},
        "low": {"type": "integer"},
        "high": {"type": "integer"},
        "word": {**TEXT, "maxLength": 5},
    },
    RULES: [
        {"rule": "!has(self.low) || !has(self.high) || self.low <= self.high", "messageExpression": "self.low > 2 ? 'low is over 2' : 'low'"},
        {"rule": "!has(self.word) || self.word != 'bad'", "message": "say no bad words", "reason": "FieldValueRequired"},
    ],
}  # fmt: skip
VERSION = version_of(SPEC)
TOO_LARGE = "spec.size in body should be less than or equal to 5"


def find_points(declared: str, *, section: str = "create", version: CrdVersion = VERSION) -> tuple[set[str], set[str]]:
    """Return the ids of held and of reached points below the spec."""
    collector, result = _run(declared, version, section)
    assert result.holds, result.mismatches
    held_ids, reached = (
        {id_.removeprefix("properties/spec").removeprefix("/").removeprefix("properties/") for id_ in ids}
        for ids in (collector.held_points(version), collector.reached(version))
    )
    return held_ids, reached


def _run(declared: str, version: CrdVersion, section: str = "create") -> tuple[Collector, CaseResult]:
    """Run a case; return the collector and the result."""
    case = {"name": "a", **yaml.safe_load(f"{{{declared}}}")}
    head = {"crd": "pots.example.com", "unknownFields": "allow"}  # the cases need not list them
    text = yaml.safe_dump({**head, section: [case]}, sort_keys=False)
    [file] = loader.load(text.encode(), source="cases")
    collector = Collector()
    subject = CaseSubject(version.observed_by(collector.observer))
    return collector, caserunner.run(resolve(file.cases[0], Path()), subject)


def _wrong(spec: str, errors: str) -> str:
    return f"input: {{spec: {spec}}}, {errors}"


@pytest.mark.parametrize(
    ("point", "declared", "is_held"),
    [
        # A value is stored.
        ("size:set", "input: {spec: {size: 3}}, accepted: true", False),
        ("size:set", "input: {spec: {size: 3}}, warnings: []", False),
        ("size:set", "input: {spec: {size: 3}}, contains: {spec: {size: 3}}", True),
        ("size:set", "input: {spec: {size: 3}}, contains: {spec: {}}", False),
        (":set", "input: {spec: {size: 3}}, contains: {spec: {}}", True),
        ("size:set", "input: {spec: {size: 3}}, expected: {spec: {size: 3, bed: {rows: 1}, tags: [a]}}", True),
        ("note/nullable:null-kept", "input: {spec: {note: null}}, accepted: true", False),
        ("note/nullable:null-kept", "input: {spec: {note: null}}, contains: {spec: {note: null}}", True),
        (f"free/{OPEN}:unknown-kept", "input: {spec: {free: {x: 1}}}, contains: {spec: {free: {}}}", False),
        (f"free/{OPEN}:unknown-kept", "input: {spec: {free: {x: 1}}}, contains: {spec: {free: {x: 1}}}", True),
        ("doors/items/properties/width:set", "input: {spec: {doors: [{name: a}, {name: b, width: 2}]}}, contains: {spec: {doors: [{name: b, width: 2}]}}", True),
        ("doors/items/properties/width:set", "input: {spec: {doors: [{name: a}, {name: b, width: 2}]}}, contains: {spec: {doors: [{name: a, width: 1}]}}", False),
        # A default is set: it must be expected, and completely.
        ("size/default:applied", "input: {spec: {}}, accepted: true", False),
        ("size/default:applied", "input: {spec: {}}, defaulted: [spec.bed, spec.size, spec.tags]", False),
        ("size/default:applied", "input: {spec: {}}, contains: {spec: {bed: {}}}", False),
        ("size/default:applied", "input: {spec: {}}, contains: {spec: {size: 2}}", True),
        ("size/default:applied", "input: {spec: {}}, expected: {spec: {size: 2, bed: {rows: 1}, tags: [a]}}", True),
        ("tags/default:applied", "input: {spec: {}}, contains: {spec: {tags: [a]}}", True),
        ("bed/default:applied", "input: {spec: {}}, contains: {spec: {bed: {rows: 1}}}", False),
        ("bed/default:applied", "input: {spec: {}}, expected: {spec: {size: 2, bed: {rows: 1}, tags: [a]}}", True),
        ("doors/items/properties/width/default:applied", "input: {spec: {doors: [{name: b, width: 2}, {name: a}]}}, contains: {spec: {doors: [{name: a, width: 1}]}}", True),
        # A field is dropped.
        (":null-dropped", "input: {spec: {name: null}}, accepted: true", False),
        (":null-dropped", "input: {spec: {name: null}}, nullsDropped: [spec.name]", True),
        (":null-dropped", "input: {spec: {name: null}}, absent: [spec.name]", True),
        (":null-dropped", "input: {spec: {name: null}}, expected: {spec: {size: 2, bed: {rows: 1}, tags: [a]}}", True),
        (":unknown-dropped", "input: {spec: {x: null}}, accepted: true", False),
        (":unknown-dropped", "input: {spec: {x: 1}}, pruned: [spec.x]", True),
        (":unknown-dropped", "input: {spec: {x: 1}}, absent: [spec.x]", True),
        (":unknown-dropped", "input: {spec: {x: 1}}, warnings: ['unknown field \"spec.x\"']", True),
        (":unknown-dropped", "input: {spec: {x: 1}}, fieldValidation: Strict, errors: [{type: Request}]", False),
        (":unknown-dropped", "input: {spec: {x: 1}}, fieldValidation: Strict, error: 'unknown field \"spec.x\"'", True),
        # A constraint is satisfied.
        ("size/maximum:held", "input: {spec: {size: 5}}, accepted: true", False),
        ("size/maximum:held", "input: {spec: {size: 5}}, contains: {spec: {size: 5}}", True),
        ("size/maximum:held", "input: {spec: {size: 5, soil: x}}, errors: [{type: NotSupported}]", False),
        ("name/pattern:held", "input: {spec: {name: ab}}, contains: {spec: {name: ab}}", True),
        ("date/format:held", "input: {spec: {date: '2020-01-01'}}, contains: {spec: {date: '2020-01-01'}}", True),
        ("soil/enum/0:used", "input: {spec: {soil: clay}}, accepted: true", False),
        ("soil/enum/0:used", "input: {spec: {soil: clay}}, contains: {spec: {soil: clay}}", True),
        ("either/oneOf/1:taken", "input: {spec: {either: 1}}, contains: {spec: {either: 1}}", True),
        ("either/not:held", "input: {spec: {either: 1}}, contains: {spec: {either: 1}}", True),
        (f"{RULES}/0:true", "input: {spec: {low: 1, high: 2}}, accepted: true", False),
        (f"{RULES}/0:true", "input: {spec: {low: 1, high: 2}}, contains: {spec: {low: 1}}", True),
        # A value is refused; keywords with a limit are held by the words of the error, which contain the limit.
        ("size/maximum:broken", _wrong("{size: 6}", "errors: [{type: Invalid}]"), False),
        ("size/maximum:broken", _wrong("{size: 6}", "errors: [{type: Invalid, field: spec.size}]"), False),
        ("size/maximum:broken", _wrong("{size: 6}", f"errors: [{{detail: {TOO_LARGE}}}]"), True),
        ("size/maximum:broken", _wrong("{size: 6}", f"errors: [{{message: 'Invalid value: 6: {TOO_LARGE}'}}]"), True),
        ("size/maximum:broken", _wrong("{size: 6}", "errors: [{matches: should be less than or equal}]"), False),
        ("size/maximum:broken", _wrong("{size: 6}", "errors: [{matches: Invalid}]"), False),
        ("size/maximum:broken", _wrong("{size: 6}", "errors: [{matches: or equal to 5$}]"), True),
        ("size/maximum:broken", _wrong("{size: 6}", "error: or equal to 5"), True),
        ("size/maximum:broken", _wrong("{size: 6}", "error: '5'"), False),
        ("size/maximum:broken", _wrong("{size: 6}", "errors: [{matches: '5$'}]"), False),
        ("size/maximum:broken", _wrong("{size: 6}", f"error: 'is invalid: spec.size: Invalid value: 6: {TOO_LARGE}'"), True),
        ("size/maximum:broken", _wrong("{size: 6}", "error: is invalid"), False),
        ("size/maximum:broken", _wrong("{size: 6}", "error: spec.size"), False),
        ("size/maximum:broken", _wrong("{size: 6}", "error: spec.size in body should be less"), False),
        ("size/maximum:broken", _wrong("{size: 6, name: aB}", "error: 'Invalid value: 6'"), False),
        ("name/maxLength:broken", _wrong("{name: abcd}", "errors: [{type: TooLong}]"), False),
        ("name/maxLength:broken", _wrong("{name: abcd}", "errors: [{type: TooLong, matches: more than 3}]"), True),
        ("name/minLength:broken", _wrong("{name: a}", "error: at least 2 chars"), True),
        ("name/pattern:broken", _wrong("{name: aB}", "errors: [{matches: should match}]"), False),
        ("name/pattern:broken", _wrong("{name: aB}", "error: '[a-z]'"), False),
        ("name/pattern:broken", _wrong("{name: aB}", f"error: \"should match '{PATTERN}'\""), True),
        ("name/pattern:broken", _wrong("{name: aB}", f"error: \"should match '{PATTERN[:-1]}\""), False),
        ("date/format:broken", _wrong("{date: x}", "error: must be of type"), False),
        ("date/format:broken", _wrong("{date: x}", "error: must be of type date"), False),
        ("date/format:broken", _wrong("{date: x}", "error: 'must be of type date:'"), True),
        ("tags/maxItems:broken", _wrong("{tags: [a, b, c]}", "containsErrors: [{matches: at most 2}]"), True),
        ("either/oneOf:broken", _wrong("{either: 4}", "containsErrors: [{type: Invalid}]"), False),
        ("either/oneOf:broken", _wrong("{either: 4}", "error: must validate one and only one schema"), True),
        ("either/not:broken", _wrong("{either: 7}", "error: must not validate the schema (not)"), True),
        # Keywords without a limit are held by the type of the error.
        ("soil/enum:broken", _wrong("{soil: x}", "errors: [{type: NotSupported}]"), True),
        ("soil/enum:broken", _wrong("{soil: x}", "errors: [{field: spec.soil}]"), False),
        ("tags/x-kubernetes-list-type:broken", _wrong("{tags: [a, a]}", "errors: [{type: Duplicate}]"), True),
        ("keyed/required/0:missing", _wrong("{keyed: {b: x}}", "errors: [{type: Required}]"), True),
        ("keyed/required/0:missing", _wrong("{keyed: {b: x}}", "errors: [{matches: Required value}]"), True),
        ("keyed/required/0:missing", _wrong("{keyed: {}}", "errors: [{type: Required}, {type: Required}]"), True),
        ("keyed/required/0:missing", _wrong("{keyed: {}}", "containsErrors: [{type: Required}]"), False),
        ("keyed/required/0:missing", _wrong("{keyed: {}}", "containsErrors: [{type: Required, field: spec.keyed.a}]"), True),
        ("keyed/required/0:missing", _wrong("{keyed: {}}", "error: 'spec.keyed.a: Required value'"), True),
        ("keyed/required/0:missing", _wrong("{keyed: {}}", "error: 'Required value'"), False),
        # A rule is false: its words or parts are expected.
        (f"{RULES}/0:false", _wrong("{low: 3, high: 2}", "errors: [{type: Invalid}]"), False),
        (f"{RULES}/0:false", _wrong("{low: 3, high: 2}", "errors: [{rule: self.low}]"), True),
        (f"{RULES}/0:false", _wrong("{low: 3, high: 2}", "error: low is over 2"), True),
        (f"{RULES}/0/messageExpression:evaluated", _wrong("{low: 3, high: 2}", "errors: [{rule: self.low}]"), False),
        (f"{RULES}/0/messageExpression:evaluated", _wrong("{low: 3, high: 2}", "errors: [{matches: over 2}]"), True),
        (f"{RULES}/1:false", _wrong("{word: bad}", "errors: [{type: Required}]"), False),
        (f"{RULES}/1:false", _wrong("{word: bad}", "error: say no bad words"), True),
    ],
)  # fmt: skip
def test_a_point_is_held_if_a_case_expects_its_result(point: str, declared: str, is_held: bool) -> None:  # noqa: FBT001
    held_ids, reached = find_points(declared)

    assert point in reached
    assert (point in held_ids) is is_held


@pytest.mark.parametrize(
    ("section", "point", "declared", "is_held"),
    [
        ("pruning", ":unknown-dropped", "input: {spec: {x: 1}}, pruned: [spec.x]", True),
        ("pruning", ":unknown-dropped", "input: {spec: {x: 1}}, expected: {spec: {}}", True),
        ("pruning", ":set", "input: {spec: {x: 1}}, pruned: [spec.x]", False),
        ("pruning", ":unknown-dropped", "input: {spec: {size: 1, x: null}}, contains: {spec: {size: 1}}", False),
        ("defaulting", "size/default:applied", "input: {spec: {}}, contains: {spec: {size: 2}}", True),
        ("defaulting", "size/default:applied", "input: {spec: {}}, defaulted: [spec.bed, spec.size, spec.tags]", False),
        ("defaulting", ":null-dropped", "input: {spec: {name: null}}, nullsDropped: [spec.name]", True),
        ("update", "size:set", "old: {spec: {}}, input: {spec: {size: 3}}, contains: {spec: {size: 3}}", True),
        ("update", "size:set", "old: {spec: {}}, input: {spec: {size: 3}}, accepted: true", False),
        ("update", "soil/enum:broken", "old: {spec: {}}, input: {spec: {soil: x}}, errors: [{type: NotSupported}]", True),
    ],
)  # fmt: skip
def test_cases_of_each_section_hold_points(section: str, point: str, declared: str, is_held: bool) -> None:  # noqa: FBT001
    held_ids, reached = find_points(declared, section=section)

    assert point in reached
    assert (point in held_ids) is is_held


def test_a_conversion_is_held_if_the_stored_object_is_expected() -> None:
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": TEXT}}}
    manifest: dict[str, Any] = {**VERSION.crd.manifest}
    versions = [{"name": name, "served": True, "storage": name == "v1", "schema": schema} for name in ("v2", "v1")]
    manifest["spec"] = {**manifest["spec"], "versions": versions}
    version = type(VERSION.crd).from_manifest(manifest).version("v2")

    assert ":stored" in find_points("input: {spec: a}, contains: {spec: a}", version=version)[0]
    assert ":stored" not in find_points("input: {spec: a}, accepted: true", version=version)[0]


@pytest.mark.parametrize(
    ("declared", "is_held"),
    [
        ("to: v1, input: {spec: a}, expected: {spec: a}", {":to-v1"}),
        ("from: v1, to: v2, input: {spec: a}, contains: {spec: a}", {":to-v2"}),
        ("to: v1, input: {spec: refused}, refused: no such text", set()),
    ],
)
def test_a_conversion_by_a_webhook_is_held_by_an_expected_result(declared: str, is_held: set[str]) -> None:
    def convert(resource: JSONObject, _api_version: str) -> JSONObject:
        if resource["spec"] == "refused":
            raise ConversionFailedError("no such text")
        return resource

    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": TEXT}}}
    manifest: dict[str, Any] = {**VERSION.crd.manifest}
    versions = [{"name": name, "served": True, "storage": name == "v1", "schema": schema} for name in ("v2", "v1")]
    client = {"clientConfig": {"url": "https://example.com/convert"}, "conversionReviewVersions": ["v1"]}
    conversion = {"strategy": "Webhook", "webhook": client}
    manifest["spec"] = {**manifest["spec"], "versions": versions, "conversion": conversion}
    collector = Collector()
    crd = type(VERSION.crd).from_manifest(manifest).with_webhooks(FixedWebhooks(FunctionConverter(convert)))
    text = yaml.safe_dump({"crd": "pots.example.com", "convert": [{"name": "a", **yaml.safe_load(f"{{{declared}}}")}]})
    [file] = loader.load(text.encode(), source="cases")

    with crd.observer.heard_by(request=collector.take, verdict=collector.hear):
        result = caserunner.run(resolve(file.cases[0], Path()), CaseSubject(crd.version("v2")))

    assert result.holds
    assert {id_ for version in crd.versions for id_ in collector.held_points(version)} == is_held


def test_a_failed_case_holds_nothing() -> None:
    collector, result = _run("input: {spec: {size: 3}}, contains: {spec: {size: 4}}", VERSION)

    assert not result.holds
    assert collector.held_points(VERSION) == frozenset()
    assert "properties/spec/properties/size:set" in collector.reached(VERSION)


@pytest.mark.parametrize(
    ("keyword", "changed"),
    [("default", 3), ("default", None), ("maximum", 4), ("maximum", 6), ("maximum", None), ("minimum", 2), ("minimum", 0)],
)  # fmt: skip
def test_a_change_of_a_held_point_fails_a_case(keyword: str, changed: int | None) -> None:
    cases = [
        "input: {spec: {}}, contains: {spec: {size: 2}}",
        "input: {spec: {size: 5}}, contains: {spec: {size: 5}}",
        "input: {spec: {size: 1}}, contains: {spec: {size: 1}}",
        f"input: {{spec: {{size: 9}}}}, errors: [{{detail: {TOO_LARGE}}}]",
        "input: {spec: {size: -9}}, error: should be greater than or equal to 1",
    ]
    held_ids = set().union(*(find_points(case)[0] for case in cases))
    size = {"type": "integer", "default": 2, "minimum": 1, "maximum": 5, keyword: changed}
    spec = copy.deepcopy(SPEC)
    spec["properties"]["size"] = {key: value for key, value in size.items() if value is not None}

    assert any(id_.startswith(f"size/{keyword}:") for id_ in held_ids)
    assert not all(_run(case, version_of(spec))[1].holds for case in cases)
