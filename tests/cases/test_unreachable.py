"""A path at which there can be no field is a mistake where a case would hold for it, and a hint where it does not."""

from __future__ import annotations

import pytest
from cases.test_mistakes import mistakes_of
from cases.test_strays import _version

from pytest_crd.cases import caserunner, loader, unreachable
from pytest_crd.cases.deviations import ErrorsMismatch, PathsMismatch
from pytest_crd.cases.model import AnyCase, CaseFileError
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition

NAMES = {"plural": "as", "singular": "a", "kind": "A", "listKind": "AList"}


def _case(section: str, case: str) -> AnyCase:
    (case_file,) = loader.load(f"crd: x\n{section}:\n- {{name: a, {case}}}\n", source="cases.yaml")
    return case_file.cases[0]


def _mistakes(case: str, section: str = "update") -> list[str]:
    subject, old_subject = CaseSubject(_version("v2")), CaseSubject(_version("v1"))
    return [str(mistake) for mistake in unreachable.find_mistakes(_case(section, case), subject, old_subject)]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            "old: {}, input: {}, absent: [spec.replicas, 'spec.items[3].image', metadata.labels.a]", id="a field"
        ),
        pytest.param("old: {}, input: {spec: {b: {c: 1}}}, absent: [spec.b.c]", id="a field of the input"),
        pytest.param("old: {}, input: 'spec: {b: 1}', absent: [spec.b]", id="a field of an input as text"),
        pytest.param("old: {spec: {b: 1}}, input: {}, absent: [spec.b]", id="a field of the old object"),
        pytest.param("old: {}, input: {}, absent: [spec.labels]", id="a field of the old CRD"),
        pytest.param("old: {}, input: {}, absent: [spec.free.x]", id="a field that is preserved"),
        pytest.param("old: {}, input: 'spec: [', absent: [spec.b]", id="a text that cannot be read"),
    ],
)
def test_possible_fields_may_be_absent(case: str) -> None:
    assert _mistakes(case) == []


def test_an_absent_impossible_field_is_a_mistake() -> None:
    assert _mistakes("old: {}, input: {spec: {b: {}}}, absent: [spec.replcas, status.phase, spec.b.c, zzz]") == [
        "cases.yaml:3: 'absent[0]' of update case \"a\" always holds: 'spec.replcas' can be no field; did you mean spec.replicas?",
        "cases.yaml:3: 'absent[2]' of update case \"a\" always holds: 'spec.b.c' can be no field",
        "cases.yaml:3: 'absent[3]' of update case \"a\" always holds: 'zzz' can be no field",
    ]


@pytest.mark.parametrize("path", [".a", "a.", "a..b", "a[]", "a[0", "a]", "[0]", "a.[0]", "a[0]b"])
def test_a_path_that_cannot_be_read_is_a_mistake(path: str) -> None:
    assert mistakes_of(f"crd: x\ncreate:\n- name: a\n  input: {{}}\n  absent:\n  - '{path}'\n") == [
        f'f:6: \'absent[0]\' of create case "a" is not a field path, as in spec.items[0].name: "{path}"'
    ]


@pytest.mark.parametrize("path", ["metadata.uid", "metadata.selfLink", "metadata.managedFields[0].manager"])
def test_absent_fields_that_only_a_server_sets_are_a_mistake(path: str) -> None:
    text = "crd: x\n{}:\n- name: a\n  input: {{}}\n  absent: ['{}']\n"

    assert mistakes_of(text.format("create", path)) == [
        f"f:5: 'absent[0]' of create case \"a\" always holds: what only a server sets, like {path}, is left out"
    ]
    assert loader.load(text.format("pruning", path), source="f")


@pytest.mark.parametrize(
    "contains",
    ["{}", "{kind: Garden}", "{apiVersion: g/v1, metadata: {}}", "{metadata: {uid: a, generation: 1}}"],
)
def test_a_part_that_every_object_has_is_a_mistake(contains: str) -> None:
    text = f"- name: a\n  input: {{}}\n  contains: {contains}\n"

    assert mistakes_of(f"crd: x\ncreate:\n{text}") == [
        "f:5: 'contains' of create case \"a\" holds whatever the object is; write `accepted: true`"
    ]
    assert mistakes_of(f"crd: x\npruning:\n{text}") == [
        "f:5: 'contains' of pruning case \"a\" holds whatever the object is; state a field of the object"
    ]


@pytest.mark.parametrize("contains", ["{spec: {}}", "{metadata: {name: a}}", "{metadata: null}", "{kind: A, spec: {}}"])
def test_a_part_that_an_object_may_lack_is_none(contains: str) -> None:
    assert loader.load(f"crd: x\ncreate:\n- name: a\n  input: {{}}\n  contains: {contains}\n", source="f")


@pytest.mark.parametrize("key", ["pruned", "defaulted", "nullsDropped", "lost"])
def test_an_impossible_path_gets_a_hint(key: str) -> None:
    case = _case("create", f"input: {{spec: {{class: a}}}}, {key}: [spec.replcas, spec.items]")
    (mismatch,) = caserunner.run(case, CaseSubject(_version())).mismatches

    assert isinstance(mismatch, PathsMismatch)
    assert mismatch.hints == {"spec.replcas": "can be no field; did you mean spec.replicas?"}


@pytest.mark.parametrize(
    ("field", "hints"),
    [
        ("spec.clas", {"spec.clas": "can be no field; did you mean spec.class?"}),
        ("spec.replicas", {}),
        (".spec.replicas", {}),
        ("<nil>", {}),
    ],
)
def test_an_impossible_field_of_an_error_gets_a_hint(field: str, hints: dict[str, str]) -> None:
    case = _case("create", f"input: {{spec: {{class: c}}}}, containsErrors: [{{field: '{field}'}}, {{matches: zzz}}]")
    (mismatch,) = caserunner.run(case, CaseSubject(_version())).mismatches

    assert isinstance(mismatch, ErrorsMismatch)
    assert mismatch.hints == hints


@pytest.mark.parametrize(
    "expectation", ["pruned: [spec.replcas]", "errors: [{field: spec.clas}]", "errors: [{rule: a > b}]"]
)
def test_an_xfail_may_not_fail_for_an_impossible_path_or_rule(expectation: str) -> None:
    case = _case("create", f"input: {{spec: {{class: c}}}}, {expectation}, xfail: why")

    with pytest.raises(
        CaseFileError, match=r"cases.yaml:3: create case \"a\" is expected to fail, but would for another"
    ):
        caserunner.run(case, CaseSubject(_version()))


def test_warnings_are_no_paths() -> None:
    case = _case("create", "input: {spec: {class: a}}, warnings: [zzz]")
    (mismatch,) = caserunner.run(case, CaseSubject(_version())).mismatches

    assert mismatch == PathsMismatch("warnings", ("zzz",), (), ())


def test_an_absent_path_other_than_text_is_a_mistake_of_form_only() -> None:
    with pytest.raises(CaseFileError) as caught:
        _case("update", "old: {}, input: {}, absent: [1]")

    assert [mistake.message for mistake in caught.value.mistakes] == [
        "'absent[0]' of update case \"a\" must be a field path, as in spec.items[0].name, not the number 1; quote it"
    ]


@pytest.mark.parametrize(
    ("part", "hints"),
    [
        pytest.param("self.a < 2", {}, id="of a rule that holds"),
        pytest.param("|| self.a", {}, id="of a rule that is written on two lines"),
        pytest.param("self.a > 2", {"self.a > 2": "is in no rule of the CRD"}, id="of no rule"),
    ],
)
def test_a_missing_rule_of_an_error_gets_a_hint(part: str, hints: dict[str, str]) -> None:
    case = _case("create", f"input: {{spec: {{a: x}}}}, errors: [{{rule: '{part}'}}]")
    (mismatch,) = caserunner.run(case, _ruled("has(self.b) ||\n  self.a < 3", "self.a < 2")).mismatches

    assert isinstance(mismatch, ErrorsMismatch)
    assert mismatch.hints == hints


def _ruled(*texts: str) -> CaseSubject:
    """Return a version with rules."""
    rules = [{"rule": text} for text in texts]
    spec = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}
    schema = {"type": "object", "properties": {"spec": spec | {"x-kubernetes-validations": rules}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    crd = CustomResourceDefinition.from_manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "as.rules.example.com"},
            "spec": {"group": "rules.example.com", "scope": "Namespaced", "names": NAMES, "versions": [version]},
        }
    )
    return CaseSubject(crd.version("v1"))


@pytest.mark.parametrize(
    ("entry", "count"),
    [
        ("rule: self", 2),
        ("rule: oldSelf", 0),
        ("rule: self.a", 2),
        ("type: Invalid, rule: self.a", 2),
        ("field: spec, rule: self.a", 2),
        ("message: never, rule: ' self '", 2),
    ],
)
def test_a_rule_that_names_no_rule_is_a_mistake(entry: str, count: int) -> None:
    subject = _ruled("has(self.b) || self.a < 3", "self.a < 2")
    (mistake,) = unreachable.find_mistakes(_case("create", f"input: {{}}, errors: [{{{entry}}}]"), subject, subject)

    assert "'errors[0].rule' of create case \"a\" names no rule: " in str(mistake)
    assert f"is a part of {count}; write more of the rule" in str(mistake)


@pytest.mark.parametrize(
    ("entry", "rules"),
    [
        ("rule: self.a < 2", ("self.a < 2", "self.a < 2 || self.a > 7")),
        ("rule: has", ("has(self.b) || self.a < 3", "self.a < 2")),
        ("field: spec, rule: self.a", ("self.a < 3", "self.a < 2", "has(self.b)")),
        ("rule: self.b", ("self.b == oldSelf.b", "self.b == oldSelf.b")),
        ("rule: self", ("self",)),
        ("field: spec.a", ("self.a < 3",)),
    ],
)
def test_a_rule_that_names_one_or_is_beside_a_field_is_none(entry: str, rules: tuple[str, ...]) -> None:
    subject = _ruled(*rules)

    assert not [*unreachable.find_mistakes(_case("create", f"input: {{}}, errors: [{{{entry}}}]"), subject, subject)]
