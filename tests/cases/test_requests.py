"""A case of a whole request holds if verdict, errors, warnings and stored object are as expected."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.cases import caserunner, loader
from pytest_crd.cases.caseresult import CaseResult, Disregarded
from pytest_crd.cases.deviations import (
    Accepted,
    ErrorsMismatch,
    MessageMismatch,
    NotReached,
    ObjectMismatch,
    PathsMismatch,
    Rejected,
)
from pytest_crd.cases.model import CaseFileError
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CustomResourceDefinition, ErrorType, FieldError

SPEC: dict[str, Any] = {
    "type": "object",
    "required": ["class"],
    "properties": {
        "class": {"type": "string", "enum": ["a", "b"]},
        "size": {"type": "integer", "default": 3, "maximum": 10},
        "note": {"type": "string", "maxLength": 5},
        "sizes": {"type": "array", "items": {"type": "integer", "maximum": 10}},
    },
}
STATUS = {"type": "object", "properties": {"phase": {"type": "string", "enum": ["x", "z"]}}}
CLASS_C = 'spec.class: Unsupported value: "c": supported values: "a", "b"'


def _crd(*, spec: Any = None, old_spec: Any = None, status: bool = True) -> CustomResourceDefinition:
    """Return a CRD with a version v1, and with v2, stored and without limits, where *old_spec* is given."""
    names = {"plural": "gardens", "singular": "garden", "kind": "Garden", "listKind": "GardenList"}
    versions = [
        {
            "name": name,
            "served": True,
            "storage": is_storage,
            "subresources": {"status": {}} if status else {},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": declared, "status": STATUS}}},
        }
        for name, is_storage, declared in (("v1", old_spec is None, spec or SPEC), ("v2", True, old_spec))
        if declared is not None
    ]
    return CustomResourceDefinition.from_manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "gardens.requests.example.com"},
            "spec": {"group": "requests.example.com", "scope": "Namespaced", "names": names, "versions": versions},
        }
    )


def _run(section: str, case: str, **crd: Any) -> CaseResult:
    old_crd = crd.pop("old_crd", None)
    (case_file,) = loader.load(f"crd: x\n{section}:\n- {{name: a, {case}}}\n", source="cases.yaml")
    subject = CaseSubject(_crd(**crd).version("v1"))
    old_subject = CaseSubject(old_crd.version("v1")) if old_crd else None
    return caserunner.run(case_file.cases[0], subject, old_subject=old_subject)


HOLDING = [
    pytest.param("create", "input: {spec: {class: a}}, expected: {spec: {class: a, size: 3}}", id="the stored object"),
    pytest.param(
        "update",
        "old: {metadata: {name: it, uid: u, generation: 2, resourceVersion: '5', managedFields: [], selfLink: x, "
        "creationTimestamp: '2020-01-01T00:00:00Z', deletionTimestamp: '2020-01-01T00:00:00Z', "
        "deletionGracePeriodSeconds: 3}, spec: {class: a}}, input: {spec: {class: b}}, accepted: true",
        id="the old object has what a server sets",
    ),
    pytest.param(
        "update",
        "old: {metadata: {name: it}, spec: {class: a}}, input: {metadata: {namespace: ns}, spec: {class: b}}, "
        "contains: {metadata: {namespace: ns}}",
        id="the namespace is that of the input where the old object has none",
    ),
    pytest.param(
        "update",
        "old: {metadata: {name: it, namespace: ns}, spec: {class: a}}, input: {metadata: {namespace: other}, spec: {class: b}}, "
        "error: the namespace of the provided object does not match the namespace sent on the request",
        id="the namespace is that of the old object where it has one",
    ),
    pytest.param("create", "input: {spec: {class: a}}, accepted: true", id="no more than acceptance"),
    pytest.param(
        "create",
        "input: {spec: {class: a}}, defaulted: [spec.size], pruned: [], nullsDropped: []",
        id="what was changed",
    ),
    pytest.param("create", "input: {spec: {class: a}, status: {phase: x}}, absent: [status]", id="no status"),
    pytest.param(
        "create",
        "input: {spec: {class: a, b: 1}}, warnings: ['unknown field \"spec.b\"'], pruned: [spec.b]",
        id="a warning",
    ),
    pytest.param("create", "input: {spec: {class: a, b: 1}}, fieldValidation: Ignore, warnings: []", id="no warning"),
    pytest.param(
        "create",
        "input: {spec: {class: a}}, expected: {metadata: {uid: u, selfLink: x}, spec: {class: a, size: 3}}",
        id="what only a server sets is not compared",
    ),
    pytest.param(
        "create",
        "input: {spec: {class: a}}, expected: {metadata: {}, spec: {class: a, size: 3}}",
        id="a name that was made up is not compared",
    ),
    pytest.param(
        "create",
        "input: {metadata: {name: it, namespace: ns}, spec: {class: a}}, contains: {metadata: {name: it, namespace: ns}}",
        id="the namespace is that of the object",
    ),
    pytest.param(
        "create",
        "input: {spec: {size: 11}}, errors: [{field: spec.class}, {field: spec.size, type: Invalid}]",
        id="all errors, in any order",
    ),
    pytest.param(
        "create",
        "input: {spec: {sizes: [11, 12], class: a}}, errors: [{type: Invalid}, {field: 'spec.sizes[0]'}]",
        id="an error that says little leaves to another what only that can have",
    ),
    pytest.param(
        "create", "input: {spec: {size: 11}}, containsErrors: [{matches: '^Invalid value: 1+:'}]", id="some errors"
    ),
    pytest.param(
        "create",
        "input: {spec: {class: a, size: 11}}, error: 'Garden.requests.example.com \"example\" is invalid'",
        id="a part",
    ),
    pytest.param("create", "input: 'x', error: 'cannot unmarshal string'", id="a text that is no object"),
    pytest.param(
        "create",
        'input: \'{"apiVersion": "requests.example.com/v1", "kind": "Garden", "metadata": {"name": "it"}, "spec": {"class": "a", '
        '"class": "b"}}\', contains: {metadata: {name: it}, spec: {class: b}}, warnings: [\'duplicate field "spec.class"\']',
        id="a text is sent as it is",
    ),
    pytest.param(
        "update",
        "old: {metadata: {name: it, namespace: ns}, spec: {class: a}, status: {phase: x}}, input: {spec: {class: b}}, "
        "expected: {metadata: {name: it, namespace: ns}, spec: {class: b, size: 3}, status: {phase: x}}",
        id="name and namespace come from the old object, and the status stays",
    ),
    pytest.param(
        "update",
        "old: {apiVersion: requests.example.com/v1, kind: Garden, metadata: {uid: u, resourceVersion: '7', generation: 2, "
        "creationTimestamp: '2020-01-01T00:00:00Z'}, spec: {class: a}}, input: {spec: {class: a}}, accepted: true",
        id="an old object as a server gives it",
    ),
    pytest.param(
        "updateStatus",
        "old: {spec: {class: a}}, input: {spec: {class: z}, status: {phase: x}}, contains: {spec: {class: a}, status: {phase: x}}",
        id="only the status counts",
    ),
    pytest.param(
        "updateStatus",
        "old: {spec: {class: a}}, input: {status: {phase: b}}, errors: [{field: status.phase}]",
        id="a status",
    ),
]


@pytest.mark.parametrize(("section", "case"), HOLDING)
def test_a_case_holds(section: str, case: str) -> None:
    assert _run(section, case).mismatches == ()


def _error(field: str, type_: ErrorType, value: Any, detail: str) -> FieldError:
    return FieldError(type_, field, value, detail)


def test_a_refusal_that_is_not_expected_keeps_all_errors() -> None:
    (mismatch,) = _run("create", "input: {spec: {class: c, size: 11}}, expected: {spec: {}}").mismatches

    assert isinstance(mismatch, Rejected)
    assert (mismatch.code, mismatch.hint) == (422, "")
    assert [str(error) for error in mismatch.errors] == [
        CLASS_C,
        "spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10",
    ]


@pytest.mark.parametrize("expectation", ["warnings: []", "pruned: []", "absent: [spec.x]"])
def test_a_case_that_expects_no_refusal_expects_acceptance(expectation: str) -> None:
    """Otherwise only the warnings of a misspelt object would be checked."""
    (mismatch,) = _run("create", f"input: {{spec: {{}}}}, {expectation}").mismatches

    assert isinstance(mismatch, Rejected)


def test_other_expectations_are_checked_besides_the_verdict() -> None:
    actual = _run("create", "input: {spec: {b: 1}}, warnings: [], pruned: [], accepted: true").mismatches

    assert [type(item) for item in actual] == [Rejected, PathsMismatch, PathsMismatch]


def test_a_status_update_without_the_subresource_says_so() -> None:
    (mismatch,) = _run("updateStatus", "old: {spec: {class: a}}, input: {}, accepted: true", status=False).mismatches

    assert isinstance(mismatch, Rejected)
    assert (mismatch.code, mismatch.hint) == (404, "v1 has no status subresource")


@pytest.mark.parametrize("key", ["errors", "containsErrors"])
def test_an_acceptance_that_is_not_expected_keeps_what_was_expected(key: str) -> None:
    (mismatch,) = _run("create", f"input: {{spec: {{class: a}}}}, {key}: [{{field: spec.size}}]").mismatches

    assert isinstance(mismatch, Accepted)
    assert (mismatch.code, mismatch.part, mismatch.ratcheted) == (201, None, ())
    assert [expected.field for expected in mismatch.expected] == ["spec.size"]


def test_an_invalid_part_that_an_update_keeps_is_named() -> None:
    lax = _crd(spec={**SPEC, "properties": {**SPEC["properties"], "class": {"type": "string"}}})
    case = "old: {spec: {class: c}}, input: {spec: {class: c, size: 1}}"

    remaining = _run("update", f"{case}, contains: {{spec: {{class: c, size: 1}}}}", old_crd=lax)
    (mismatch,) = _run("update", f"{case}, error: Unsupported", old_crd=lax).mismatches

    assert remaining.holds
    assert isinstance(mismatch, Accepted)
    assert (mismatch.part, [str(error) for error in mismatch.ratcheted]) == ("Unsupported", [CLASS_C])


def _errors_of(case: str) -> ErrorsMismatch:
    (mismatch,) = _run("create", case).mismatches
    assert isinstance(mismatch, ErrorsMismatch)
    return mismatch


def test_errors_are_met_missing_or_unasked() -> None:
    actual = _errors_of(
        "input: {spec: {class: c, size: 11, note: too long}}, errors: [{field: spec.class}, {field: spec.sizes, type: Required}]"
    )

    assert actual.key == "errors"
    assert [error.field for error in actual.met] == ["spec.class"]
    assert [error.field for error in actual.unasked] == ["spec.note", "spec.size"]
    assert [(expected.field, near) for expected, near in actual.missing] == [("spec.sizes", None)]
    assert actual.refusal == ""


def test_an_error_that_is_expected_twice_is_there_twice() -> None:
    actual = _errors_of("input: {spec: {class: c}}, errors: [{field: spec.class}, {field: spec.class}]")

    assert [(expected.field, near) for expected, near in actual.missing] == [("spec.class", None)]
    assert ([error.field for error in actual.met], actual.unasked) == (["spec.class"], ())


@pytest.mark.parametrize(
    ("expected", "wrong"),
    [
        pytest.param("{field: spec.size, type: TooLong}", ("type",), id="another type"),
        pytest.param("{field: spec.size, message: 'no'}", ("message",), id="another message"),
        pytest.param(
            "{field: spec.siz, detail: 'spec.size in body should be less than or equal to 9'}",
            ("field", "detail"),
            id="alike",
        ),
        pytest.param("{field: spec.size, type: TooLong, matches: x$}", ("type", "matches"), id="several"),
        pytest.param("{field: spec.else, matches: zzz}", None, id="nothing near"),
    ],
)
def test_a_near_miss_says_what_is_wrong(expected: str, wrong: tuple[str, ...] | None) -> None:
    actual = _errors_of(f"input: {{spec: {{class: a, size: 11}}}}, containsErrors: [{expected}]")

    ((_, near),) = actual.missing
    assert (near and near.wrong) == wrong
    assert near is None or near.error.field == "spec.size"


def test_errors_of_a_refusal_without_causes_are_missing_with_its_message() -> None:
    actual = _errors_of("input: {spec: {class: a, b: 1}}, fieldValidation: Strict, errors: [{field: spec.b}]")

    assert actual.refusal.startswith('400: Garden in version "v1" cannot be handled as a Garden: strict decoding error')


RULES = {**SPEC, "x-kubernetes-validations": [{"rule": "true"}]}


@pytest.mark.parametrize(
    ("errors", "held"),
    [
        pytest.param("[{field: spec.class}]", True, id="left out"),
        pytest.param("[{field: spec.class}, {matches: some validation rules were not checked}]", True, id="listed"),
        pytest.param("[{field: spec.class}, {field: spec.size}]", False, id="another is missing"),
    ],
)
def test_that_rules_were_not_checked_need_not_be_expected(errors: str, *, held: bool) -> None:
    assert _run("create", f"input: {{spec: {{class: c}}}}, errors: {errors}", spec=RULES).holds is held


def test_that_rules_were_not_checked_must_be_there_where_it_is_expected() -> None:
    errors = "[{field: spec.class}, {matches: some validation rules were not checked}]"

    assert not _run("create", f"input: {{spec: {{class: c}}}}, errors: {errors}").holds


@pytest.mark.parametrize(
    "expected",
    ["{type: Request}", "{matches: 'unknown field .spec[.]b.$'}", "{detail: 'DETAIL'}", "{message: 'DETAIL'}"],
)
def test_a_refusal_without_causes_is_one_error_of_type_request(expected: str) -> None:
    detail = 'Garden in version "v1" cannot be handled as a Garden: strict decoding error: unknown field "spec.b"'

    assert _run(
        "create",
        f"input: {{spec: {{class: a, b: 1}}}}, fieldValidation: Strict, errors: [{expected.replace('DETAIL', detail)}]",
    ).holds


def test_a_message_without_the_expected_part_is_kept() -> None:
    (mismatch,) = _run("create", "input: {spec: {class: c}}, error: immutable").mismatches

    assert mismatch == MessageMismatch("immutable", f'Garden.requests.example.com "example" is invalid: {CLASS_C}')


@pytest.mark.parametrize(
    ("section", "case", "kept"),
    [
        ("create", "input: {spec: {class: a}, status: {phase: x}}", {"status": Disregarded.DROPPED_ON_CREATE}),
        ("create", "input: {spec: {class: a}}", {}),
        (
            "update",
            "old: {spec: {class: a}, status: {phase: x}}, input: {spec: {class: a}}",
            {"status": Disregarded.STATUS_ON_UPDATE},
        ),
        ("update", "old: {spec: {class: a}}, input: {spec: {class: a}}", {}),
        (
            "updateStatus",
            "old: {spec: {class: a}}, input: {status: {phase: x}}",
            dict.fromkeys(("apiVersion", "kind", "metadata", "spec"), Disregarded.REST_ON_STATUS_UPDATE),
        ),
    ],
)
def test_disregarded_parts_are_in_the_trace(section: str, case: str, kept: dict[str, Disregarded]) -> None:
    result = _run(section, f"{case}, contains: {{spec: {{note: z}}}}")

    assert isinstance(result.mismatches[0], ObjectMismatch)
    assert result.trace.disregarded == kept


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("{spec: {class: c}}", "spec.class: Unsupported value"),
        ("{spec: {class: a}, status: {phase: b}}", "status.phase: Unsupported value"),
        ("{spec: {class: a, b: 1}}", 'unknown field "spec.b"'),
        ("{metadata: {labels: {a: 1}}, spec: {class: a}}", "cannot unmarshal number"),
        ("{metadata: x, spec: {class: a}}", "cannot unmarshal string"),
        ("{apiVersion: other/v1, spec: {class: a}}", "does not match the expected API version"),
        ("{kind: Pond, spec: {class: a}}", "kind: Invalid value"),
    ],
)
def test_an_old_object_that_no_server_stores_is_a_mistake(old: str, words: str) -> None:
    with pytest.raises(CaseFileError) as caught:
        _run("update", f"old: {old}, input: {{spec: {{class: a}}}}, accepted: true")

    assert str(caught.value).startswith(
        "cases.yaml:3: 'old' of update case \"a\" is not valid under its CRD, so no server has it stored: "
    )
    assert words in str(caught.value)


def test_an_old_object_is_stored_in_the_storage_version() -> None:
    lax = {"type": "object", "properties": {"class": {"type": "string"}}}
    old = "old: {apiVersion: requests.example.com/v1, spec: {class: c}}"

    assert _run("update", f"{old}, input: {{spec: {{class: c}}}}, accepted: true", old_spec=lax).holds


def test_the_old_object_of_a_crd_in_v1beta1_is_checked() -> None:
    crd = CustomResourceDefinition.from_manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1beta1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "gardens.requests.example.com"},
            "spec": {
                "group": "requests.example.com",
                "version": "v1",
                "names": {"plural": "gardens", "kind": "Garden"},
                "subresources": {"status": {}},
                "validation": {"openAPIV3Schema": {"properties": {"spec": SPEC, "status": STATUS}}},
            },
        }
    )
    subject = CaseSubject(crd.version("v1"))

    stored = subject.store({"spec": {"class": "a"}, "status": {"phase": "x"}})
    refused = subject.store({"spec": {"class": "a"}, "status": {"phase": "b"}})

    assert (stored.code, refused.code) == (201, 422)


def test_a_rule_refuses_objects_that_violate_it() -> None:
    ruled = {**SPEC, "x-kubernetes-validations": [{"rule": "self.size > 1", "message": "too small"}]}
    case = "old: {spec: {class: a, size: 2}}, input: {spec: {class: a, size: 1}}, errors: [{field: spec, detail: too small}]"

    assert _run("update", case, spec=ruled).holds


def test_an_old_object_for_which_a_rule_does_not_hold_is_a_mistake() -> None:
    ruled = {**SPEC, "x-kubernetes-validations": [{"rule": "self.size > 1", "message": "too small"}]}

    with pytest.raises(CaseFileError, match=r"so no server has it stored: .*: spec: Invalid value: too small$"):
        _run(
            "update", "old: {spec: {class: a, size: 1}}, input: {spec: {class: a, size: 3}}, accepted: true", spec=ruled
        )


def test_a_rule_with_an_unsupported_expression_is_an_error() -> None:
    ruled = {**SPEC, "x-kubernetes-validations": [{"rule": "[google.protobuf.Any{}].size() == 1"}]}

    with pytest.raises(CaseFileError, match="does not support"):
        _run("create", "input: {spec: {class: a}}, accepted: true", spec=ruled)


def test_a_server_that_does_not_come_to_the_rules_gives_a_verdict() -> None:
    ruled = {**SPEC, "x-kubernetes-validations": [{"rule": "self.size > 1"}]}

    result = _run(
        "create", "input: {spec: {}}, errors: [{field: spec.class}, {matches: rules were not checked}]", spec=ruled
    )

    assert result.holds


def test_a_schema_under_which_nothing_is_served_refuses_the_case() -> None:
    result = _run("create", "input: {spec: {}}, accepted: true", spec={"$ref": "#/x"})

    message = "gardens.requests.example.com v1 serves no objects: OpenAPIV3Schema '$ref' is not supported"
    assert result.mismatches == (NotReached(message),)


def test_an_old_object_whose_deletion_is_no_time_is_a_mistake() -> None:
    with pytest.raises(CaseFileError, match=r"ObjectMeta\.deletionTimestamp"):
        _run(
            "update",
            "old: {metadata: {deletionTimestamp: 5}, spec: {class: a}}, input: {spec: {class: b}}, accepted: true",
        )


RULED = {
    "type": "object",
    "properties": {"size": {"type": "integer"}, "max": {"type": "integer"}},
    "x-kubernetes-validations": [
        {"rule": "self.size <=\n  self.max", "message": "too large"},
        {"rule": "self.size != 4", "message": "too large"},
    ],
}
TOO_LARGE = "{spec: {size: 3, max: 2}}"


@pytest.mark.parametrize("part", ["self.size <= self.max", "size <=", "<=\\n self"])
def test_an_expected_error_may_name_the_rule_that_it_means(part: str) -> None:
    assert _run("create", f'input: {TOO_LARGE}, errors: [{{rule: "{part}"}}]', spec=RULED).holds


def test_another_rule_with_the_same_message_is_not_the_one_that_is_meant() -> None:
    case = f'input: {TOO_LARGE}, errors: [{{field: spec, detail: too large, rule: "!= 4"}}]'
    (mismatch,) = _run("create", case, spec=RULED).mismatches

    assert isinstance(mismatch, ErrorsMismatch)
    ((_, near),) = mismatch.missing
    assert near is not None
    assert near.wrong == ("rule",)


def test_a_rule_of_another_place_is_near_only_where_no_place_is_named() -> None:
    anywhere, elsewhere = (
        _run("create", f'input: {TOO_LARGE}, errors: [{{{place} rule: "!= 4"}}]', spec=RULED).mismatches[0]
        for place in ("", "field: status,")
    )

    assert isinstance(anywhere, ErrorsMismatch)
    assert isinstance(elsewhere, ErrorsMismatch)
    assert anywhere.missing[0][1] is not None
    assert elsewhere.missing[0][1] is None


def test_an_error_of_no_rule_is_none_that_names_one() -> None:
    case = 'input: {spec: {size: a}}, containsErrors: [{type: TypeInvalid, rule: "self"}]'

    assert not _run("create", case, spec=RULED).holds
