"""Generated case files: their cases, their text, and the changes of a CRD that they detect."""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd import engine
from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.model import AnyCase
from pytest_crd.cases.objectsources import resolve
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.generation import Generated, NothingToStateError, Wanted, expectedanswers, generate
from pytest_crd.synthesis import exampleobjects

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
RULES = "x-kubernetes-validations"
STATUS: dict[str, Any] = {
    "subresources": {"status": {}},
    "root": {"properties": {"status": fields(phase={**TEXT, "enum": ["Dry", "Wet"]})}},
}
SPEC = fields(
    days_={**NUMBER, "minimum": 1, "maximum": 30},
    mode={**TEXT, "enum": ["a", "b"], "default": "a"},
    name={**TEXT, "minLength": 2, "maxLength": 4, "pattern": "^[a-z]+$", "nullable": True},
    port={"x-kubernetes-int-or-string": True},
    tags={"type": "array", "items": TEXT, "x-kubernetes-list-type": "set", "minItems": 1, "maxItems": 3},
    labels={"type": "object", "additionalProperties": NUMBER, "maxProperties": 2},
    free={"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    size={**NUMBER, "multipleOf": 5, "format": "int32"},
    either={**fields(a=TEXT, b=TEXT), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    volumes={
        "type": "array",
        "items": fields(name_=TEXT, path={**TEXT, "default": "/"}),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    },
    most={**NUMBER, RULES: [{"rule": "self >= oldSelf", "message": "must not shrink"}]},
) | {RULES: [{"rule": "!has(self.most) || self.days <= self.most"}]}


@pytest.fixture(scope="module")
def version() -> engine.CrdVersion:
    return versions.create_version(SPEC, **copy.deepcopy(STATUS))


@pytest.fixture(scope="module")
def generated(version: engine.CrdVersion) -> Generated:
    return generate([version])


@functools.cache
def _cases(text: str) -> list[AnyCase]:
    return [resolve(case, Path()) for file in loader.load(text, source="generated") for case in file.cases]


def _failing(text: str, version: engine.CrdVersion, starts: Sequence[str] = ("",)) -> list[str]:
    """Return the names of failing cases, if they begin with a prefix in *starts*."""
    subject = CaseSubject(version)
    failing = []
    for case in (case for case in _cases(text) if case.name.startswith(tuple(starts))):
        try:
            is_failing = bool(caserunner.run(case, subject).mismatches)
        except engine.InputError:
            is_failing = True  # the old object is refused now
        if is_failing:
            failing.append(case.name)
    return failing


def test_every_case_passes(version: engine.CrdVersion, generated: Generated) -> None:
    assert _failing(generated.text, version) == []
    assert generated.cases == len(_cases(generated.text))
    assert generated.left_out == ()


def test_cases_are_named_for_behaviour_in_the_order_of_the_schema(generated: Generated) -> None:
    assert [f"{case.section}: {case.name}" for case in _cases(generated.text)] == EXPECTED


def test_cases_are_written_like_handwritten_ones(generated: Generated) -> None:
    assert "x-smallest: &smallest {spec: {days: 1}}" in generated.text
    assert (
        '- name: "spec.days: 0 is too small"\n'
        "  input: *smallest\n"
        "  patch: {spec: {days: 0}}\n"
        "  errors: [{field: spec.days, type: Invalid,"
        ' message: "Invalid value: 0: spec.days in body should be greater than or equal to 1"}]\n'
    ) in generated.text
    assert (
        '- {name: "spec.days: 30 is small enough", input: *smallest, patch: {spec: {days: 30}}, contains: {spec: {days: 30}}}\n'
        in generated.text
    )


CHANGES: dict[str, tuple[tuple[str, ...], Any, list[str]]] = {
    "minimum": (("days", "minimum"), 0, ["spec.days: 0 is too small"]),
    "maximum": (("days", "maximum"), 29, ["spec.days: 30 is small enough", "spec.days: 31 is too large"]),
    "enum": (("mode", "enum"), ["a"], ['spec.mode: "b" is allowed', 'spec.mode: "ax" is not allowed']),
    "default": (("mode", "default"), "b", ["spec: mode has a default"]),
    "minLength": (("name", "minLength"), 1, ["spec.name: 1 character is too short"]),
    "pattern": (("name", "pattern"), "^[a-y]+$", ["spec.name: "]),
    "nullable": (("name", "nullable"), False, ["spec: null is kept as name"]),
    "list type": (("tags", "x-kubernetes-list-type"), "atomic", ["spec.tags: the same item twice is refused"]),
    "maxItems": (("tags", "maxItems"), 4, ["spec.tags: 4 items are too many"]),
    "maxProperties": (("labels", "maxProperties"), 3, ["spec.labels: 3 fields are too many"]),
    "preserve": (("free", "x-kubernetes-preserve-unknown-fields"), None, ["spec.free: unknown fields are kept"]),
    "multipleOf": (("size", "multipleOf"), 10, ["spec.size: "]),
    "format": (("size", "format"), "int64", ["spec.size: 2147483648 is no valid int32"]),
    "oneOf": (("either", "oneOf"), None, ["spec.either: {} does not fit oneOf"]),
    "type": (("labels", "additionalProperties"), TEXT, ["spec.labels.*: "]),
    "a rule": ((RULES,), [], ["spec: breaks the rule '!has(self.most) || self.days <= self.most'"]),
    "a transition rule": (("most", RULES), [], ["spec.most: breaks the rule 'must not shrink'"]),
    "required": (("either", "required"), ["a"], ['spec.either: {"b": "a"} fits oneOf']),
    "a default in a list": (("volumes", "items", "properties", "path", "default"), "/x", ["spec.volumes.*: path has"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_a_crd_fails_the_case_about_it(generated: Generated, change: str) -> None:
    (*path, last), value, names = CHANGES[change]
    spec = copy.deepcopy(SPEC)
    node = spec
    for index, step in enumerate(path):
        node = node["properties"][step] if index == 0 else node[step]
    node.pop(last, None)
    if value is not None:
        node[last] = value

    failing = _failing(generated.text, versions.create_version(spec, **copy.deepcopy(STATUS)), names)

    for name in names:
        assert any(case.startswith(name) for case in failing), (name, failing)


def test_a_field_that_goes_is_noticed(generated: Generated) -> None:
    spec = copy.deepcopy(SPEC)
    del spec["properties"]["port"]

    assert "the fullest object is accepted" in _failing(
        generated.text, versions.create_version(spec, **copy.deepcopy(STATUS))
    )


@pytest.mark.parametrize("before", [{}, {"nullable": True}])
def test_null_as_an_item_is_noticed(before: dict[str, Any]) -> None:
    lists = [fields(a={"type": "array", "items": {**TEXT, **more}}) for more in (before, {"nullable": not before})]
    generated = generate([versions.create_version(lists[0])])

    assert generated.missed == ()
    assert "spec.a.*: null is " in " ".join(_failing(generated.text, versions.create_version(lists[1])))


def test_a_new_field_with_a_default_is_noticed() -> None:
    version = versions.create_version(fields(a=NUMBER))
    text = generate([version]).text
    wider = versions.create_version(fields(a=NUMBER, b={**TEXT, "default": "x"}))

    assert _failing(text, version) == []
    assert {"the smallest object is accepted", "the fullest object is accepted"} & {*_failing(text, wider)}


def test_cases_without_room_are_listed(version: engine.CrdVersion) -> None:
    short = generate([version], most_lines=110)

    assert 60 <= short.text.count("\n") <= 110
    assert "# Left out when this was generated:\n# - " in short.text
    assert "; no case holds:\n# - a new field that may be left out; `pytest --crd-generate Tab` adds" in short.text
    assert "# `pytest --crd-generate Tab --crd-generate-path PATH` adds what lies at a path and below," in short.text
    assert any(line.startswith("types of the object, spec, ") for line in short.left_out)


def test_a_whole_file_has_no_limit(version: engine.CrdVersion, generated: Generated) -> None:
    whole = generate([version], Wanted(is_whole=True), most_lines=110)

    assert _failing(whole.text, version) == []
    assert (whole.missed, whole.left_out) == ((), ())
    assert "--crd-generate-path" not in whole.text
    assert "spec.either: null is dropped" in {case.name for case in _cases(whole.text)}


@functools.cache
def _text_for_rules() -> str:
    return generate([versions.create_version(RULED)]).text


RULED = {
    **fields(a=NUMBER, b=NUMBER, c={"type": "array", "items": NUMBER, "maxItems": 5}),
    RULES: [{"rule": "!has(self.a) || self.a > 3 || has(self.b)"}, {"rule": "!has(self.c) || self.c.all(i, i > 3)"}],
}


@pytest.mark.parametrize(
    ("place", "changed"),
    [
        (0, "!has(self.a) || self.a > 3 && has(self.b)"),
        (0, "!has(self.a) && self.a > 3 || has(self.b)"),
        (0, "self.a > 3 || has(self.b)"),
        (0, "!has(self.a) || has(self.b)"),
        (1, "!has(self.c) || self.c.exists(i, i > 3)"),
    ],
)
def test_a_weaker_operand_is_noticed(place: int, changed: str) -> None:
    text = _text_for_rules()
    rules = [{"rule": changed} if index == place else rule for index, rule in enumerate(RULED[RULES])]

    assert _failing(text, versions.create_version({**RULED, RULES: rules})) != []


@pytest.mark.parametrize("changed", ["^[a-y]([-a-z]*[a-z])?$", "^[a-z]([-a-z]?[a-z])?$", "^[a-z]([-a-z]*[a-z]){0}$"])
def test_a_weaker_pattern_is_noticed(changed: str) -> None:
    text = generate([versions.create_version(fields(a={**TEXT, "pattern": "^[a-z]([-a-z]*[a-z])?$"}))]).text

    assert _failing(text, versions.create_version(fields(a={**TEXT, "pattern": changed}))) != []


LONG = fields(a={**TEXT, "maxLength": 5000}, b={"type": "array", "items": TEXT, "maxItems": 1000}, c_=TEXT)


@pytest.mark.parametrize("kubernetes_version", ["1.37", "1.21"])
def test_a_long_bound_has_cases_that_are_short(kubernetes_version: str) -> None:
    version = versions.create_version(LONG).crd.under(kubernetes_version).version("v1")

    text = generate([version]).text

    assert _failing(text, version) == []
    assert "  - {op: add, path: /spec/a, value: a, times: 5000}\n  accepted: true\n" in text
    assert "  - {op: add, path: /spec/a, value: a, times: 5001}\n  errors: [{field: spec.a, type: " in text
    assert "{op: add, path: /spec/b, value: [a], times: 1001}" in text
    assert max(map(len, text.splitlines())) < 300


@pytest.mark.parametrize(("field", "keyword", "limit"), [("a", "maxLength", 4999), ("b", "maxItems", 1001)])
def test_a_long_bound_that_changes_is_noticed(field: str, keyword: str, limit: int) -> None:
    text = generate([versions.create_version(LONG)]).text
    changed = copy.deepcopy(LONG)
    changed["properties"][field][keyword] = limit

    assert any(name.startswith(f"spec.{field}: ") for name in _failing(text, versions.create_version(changed)))


def test_the_length_of_a_long_text_with_a_prefix_is_noticed() -> None:
    text, longer = (fields(a={**TEXT, "pattern": "^https://", "maxLength": most}) for most in (4096, 4097))

    generated = generate([versions.create_version(text)])

    assert "spec.a: 4097 characters are too long" in _failing(generated.text, versions.create_version(longer))


@pytest.mark.parametrize("smallest", [{}, {"required": False}])
def test_the_smallest_object_may_be_long(smallest: dict[str, Any]) -> None:
    version = versions.create_version(fields(a_={**TEXT, "minLength": 1500}, b={**TEXT, "minLength": 2}), **smallest)

    text = generate([version]).text

    assert _failing(text, version) == []
    assert "spec.a: 1499 characters are too short" in text


def test_unreadably_large_bounds_are_left_out_and_listed() -> None:
    items = {"type": "array", "items": {**TEXT, "enum": ["x", "y"]}, "x-kubernetes-list-type": "set"}
    spec = fields(
        a={**TEXT, "maxLength": 2_000_000},
        b={**items, "maxItems": 3},
        c={"type": "object", "additionalProperties": TEXT},
    )
    spec["properties"]["c"]["maxProperties"] = 500

    left_out = generate([versions.create_version(spec)]).left_out

    assert left_out[:3] == (
        "spec.a: maxLength 2,000,000 is too large for a case",
        "spec.b: maxItems 3, beyond which no object was found",
        "spec.c: maxProperties 500 is too large for a case",
    )


def test_a_bound_of_a_list_with_many_keys_is_noticed() -> None:
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    items = {**fields(name={**TEXT, "pattern": "^[a-z]+$"}, value=TEXT), "required": ["name", "value"]}
    version, wider = (
        versions.create_version(fields(a={"type": "array", "maxItems": most, "items": items, **keyed}))
        for most in (256, 257)
    )
    text = generate([version]).text

    assert "spec.a: 257 items are too many" in _failing(text, wider)
    assert text.count("\n") < 200


def test_a_bound_that_a_rule_repeats_is_noticed() -> None:
    rules = [{"rule": "self.a >= 2"}]
    version, wider = (
        versions.create_version({**fields(a={**NUMBER, "minimum": least}), "required": ["a"], RULES: rules})
        for least in (2, 1)
    )

    assert "spec.a: 1 is too small" in _failing(generate([version]).text, wider)


def test_enums_bounds_and_defaults_may_need_more_lines_than_other_cases() -> None:
    names = [f"field{index}" for index in range(40)]
    rules = [{"rule": f"!has(self.{name}) || self.{name} < 9"} for name in names[:2]]
    version = versions.create_version({**fields(**{name: {**NUMBER, "minimum": 1} for name in names}), RULES: rules})
    generated = generate([version], most_lines=80)

    assert 80 < generated.text.count("\n") < 130
    assert generated.text.count("should be greater than or equal to 1") == len(names)
    assert any(line.startswith("rules of spec: would make it too long") for line in generated.left_out)


def test_a_case_that_several_servers_answer_differently_is_left_out() -> None:
    version = versions.create_version(fields(a={**TEXT, "maxLength": 3}))
    old_server = version.crd.under("1.21").version("v1")

    generated = generate([version, old_server])

    assert _failing(generated.text, version) == []
    assert _failing(generated.text, old_server) == []
    assert any("the answers of 1.37, 1.21 differ" in line for line in generated.left_out)


def test_a_version_without_a_valid_object_has_nothing_to_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exampleobjects, "_MOST_TRIALS", 50)
    version = versions.create_version(fields(a_={**NUMBER, "minimum": 3, RULES: [{"rule": "self < 3"}]}))

    with pytest.raises(NothingToStateError, match="no object of Tab v1 was found that a server accepts"):
        generate([version])


def test_a_generated_case_that_fails_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    version = versions.create_version(fields(a={**NUMBER, "maximum": 3}))
    monkeypatch.setattr(
        expectedanswers, "expect_answer", lambda proposal, _: proposal.expectation or {"accepted": True}
    )

    with pytest.raises(RuntimeError, match=r"tabs\.example\.com v1: .* case "):
        generate([version])


EXPECTED: list[str] = [
    "pruning: the object: unknown fields are dropped",
    "pruning: spec: unknown fields are dropped",
    "pruning: spec.free: unknown fields are kept",
    "pruning: spec.either: unknown fields are dropped",
    "pruning: spec.volumes.*: unknown fields are dropped",
    "pruning: status: unknown fields are dropped",
    "defaulting: null is dropped as status, spec.days, spec.labels.*, spec.either.a and 1 more",
    "defaulting: spec: mode has a default",
    "defaulting: spec: null is kept as name",
    "defaulting: spec: null gives way to a default",
    "defaulting: spec.volumes.*: path has a default",
    "defaulting: status: null is dropped",
    "create: the smallest object is accepted",
    "create: the fullest object is accepted",
    "create: the object: optional fields may be left out",
    "create: the object: optional fields may be left out (2)",
    "create: the object: spec is missing",
    "create: the object: spec must not be null",
    "create: the object: values of a wrong type",
    "create: spec: breaks the rule '!has(self.most) || self.days <= self.most'",
    "create: spec: keeps the rule '!has(self.most) || self.days <= self.most'",
    "create: spec: days is missing",
    "create: spec: values of a wrong type",
    "create: spec.days: 1 is large enough",
    "create: spec.days: 0 is too small",
    "create: spec.days: 30 is small enough",
    "create: spec.days: 31 is too large",
    'create: spec.mode: "ax" is not allowed',
    'create: spec.mode: "a" is allowed',
    'create: spec.mode: "b" is allowed',
    "create: spec.name: 2 characters are long enough",
    "create: spec.name: 1 character is too short",
    "create: spec.name: 4 characters are short enough",
    "create: spec.name: 5 characters are too long",
    'create: spec.name: "aa " does not match the pattern',
    'create: spec.name: "az" matches the pattern',
    'create: spec.name: "0a" does not match the pattern',
    'create: spec.port: "a" is allowed',
    "create: spec.port: 0 is allowed",
    "create: spec.tags: 1 item is enough",
    "create: spec.tags: 0 items are too few",
    "create: spec.tags: 3 items are few enough",
    "create: spec.tags: 4 items are too many",
    "create: spec.tags: items that differ are allowed",
    "create: spec.tags: the same item twice is refused",
    "create: spec.tags.*: null is not allowed",
    "create: spec.tags.*: 1 is of the wrong type",
    "create: spec.labels: 2 fields are few enough",
    "create: spec.labels: 3 fields are too many",
    'create: spec.labels.*: "a" is of the wrong type',
    "create: spec.size: 0 is a multiple of 5",
    "create: spec.size: 1 is no multiple of 5",
    "create: spec.size: 2147483648 is no valid int32",
    'create: spec.either: {"a": "a"} fits oneOf',
    "create: spec.either: {} does not fit oneOf",
    'create: spec.either: {"b": "a"} fits oneOf',
    "create: spec.either: values of a wrong type",
    "create: spec.volumes.*: name is missing",
    "create: spec.volumes: keys that differ are allowed",
    "create: spec.volumes: the same key twice is refused",
    "create: spec.volumes.*: null is not allowed",
    "create: spec.volumes.*: values of a wrong type",
    'create: spec.volumes.*: "a" is of the wrong type',
    "create: status: a create drops it",
    "update: spec.most: keeps the rule 'must not shrink' when nothing changes",
    "update: spec.most: breaks the rule 'must not shrink'",
    "update: status: an update leaves it alone",
    "updateStatus: status: an update of the status is stored",
    "updateStatus: status: optional fields may be left out",
    "updateStatus: status: values of a wrong type",
    'updateStatus: status.phase: "Dryx" is not allowed',
    'updateStatus: status.phase: "Dry" is allowed',
    'updateStatus: status.phase: "Wet" is allowed',
    "apply: spec.tags: two managers apply",
    "apply: spec.volumes: two managers apply",
]
