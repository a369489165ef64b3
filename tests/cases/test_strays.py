"""A field of an input that the server drops is misspelt, unless the case shows that it knows."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support import covered

from pytest_crd.cases import caserunner, loader, strays
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.deviations import NotReached, Strays
from pytest_crd.cases.model import CaseFileError
from pytest_crd.cases.schemafields import SchemaFields
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CrdVersion, CustomResourceDefinition

SPEC: dict[str, Any] = {
    "type": "object",
    "required": ["class"],
    "properties": {
        "class": {"type": "string", "enum": ["a", "b"]},
        "replicas": {"type": "integer", "default": 3},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "open": {"type": "object", "additionalProperties": True},
        "items": {"type": "array", "items": {"type": "object", "properties": {"image": {"type": "string"}}}},
        "pods": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "x-kubernetes-embedded-resource": True,
                "properties": {"image": {"type": "string"}},
            },
        },
        "free": {
            "type": "object",
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {"known": {"type": "object", "properties": {"deep": {"type": "string"}}}},
        },
    },
}
STATUS = {"type": "object", "properties": {"phase": {"type": "string"}}}
SCALE = {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}}


def _version(
    name: str = "v1",
    *,
    status: bool = True,
    api: str = "v1",
    preserve: bool | None = None,
    scale: bool = False,
    **kubernetes: str,
) -> CrdVersion:
    """Return a version of a CRD: v1, or the storage version v2, which knows nothing of `labels`."""
    stored = {**SPEC, "properties": {key: value for key, value in SPEC["properties"].items() if key != "labels"}}
    versions = [
        {
            "name": expected_names,
            "served": True,
            "storage": expected_names == "v2",
            "subresources": {**({"status": {}} if status else {}), **(SCALE if scale else {})},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": STATUS}}},
        }
        for expected_names, spec in (("v1", SPEC), ("v2", stored))
    ]
    names = {"plural": "gardens", "singular": "garden", "kind": "Garden", "listKind": "GardenList"}
    spec: dict[str, Any] = {"group": "strays.example.com", "scope": "Namespaced", "names": names, "versions": versions}
    if preserve is not None:
        spec["preserveUnknownFields"] = preserve
    return CustomResourceDefinition.from_manifest(
        {
            "apiVersion": f"apiextensions.k8s.io/{api}",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "gardens.strays.example.com"},
            "spec": spec,
        },
        **kubernetes,
    ).version(name)


def _run(section: str, case: str, *, head: str = "", version: CrdVersion | None = None) -> CaseResult:
    (case_file,) = loader.load(f"crd: x\n{head}\n{section}:\n- {{name: a, {case}}}\n", source="cases.yaml")
    return caserunner.run(case_file.cases[0], CaseSubject(version or _version()))


def _list_strays(result: CaseResult) -> list[tuple[str, bool, str | None]]:
    return [
        (field.path, field.is_lost, field.near)
        for mismatch in result.mismatches
        if isinstance(mismatch, Strays)
        for field in mismatch.fields
    ]


MISSPELT = "input: {spec: {class: a, replcas: 5}}"
NEAR = ("spec.replcas", False, "spec.replicas")


@pytest.mark.parametrize(
    ("section", "case"),
    [
        ("create", f"{MISSPELT}, accepted: true"),
        ("create", f"{MISSPELT}, contains: {{spec: {{class: a}}}}"),
        ("create", f"{MISSPELT}, defaulted: [spec.replicas]"),
        ("create", f"{MISSPELT}, absent: [spec.items]"),
        ("create", f"{MISSPELT}, lost: []"),
        ("create", "input: {spec: {class: c, replcas: 5}}, errors: [{field: spec.class}]"),
        ("create", "input: {spec: {class: c, replcas: 5}}, containsErrors: [{type: NotSupported}]"),
        ("create", "input: {spec: {class: c, replcas: 5}}, error: spec.class"),
        ("create", 'input: {spec: {class: c, replcas: 5}}, error: \'supported values: "a", "b"\''),
        ("update", f"old: {{spec: {{class: b}}}}, {MISSPELT}, accepted: true"),
        ("pruning", f"{MISSPELT}, contains: {{spec: {{class: a}}}}"),
        ("defaulting", f"{MISSPELT}, contains: {{spec: {{class: a}}}}"),
        ("defaulting", f"{MISSPELT}, contains: {{spec: {{replcas: 5}}}}"),
        ("defaulting", f"{MISSPELT}, defaulted: [spec.replicas]"),
    ],
)
def test_a_misspelt_field_is_found_with_a_suggestion(section: str, case: str) -> None:
    result = _run(section, case)

    assert [type(item) for item in result.mismatches] == [Strays]
    assert _list_strays(result) == [NEAR]


@pytest.mark.parametrize(
    ("section", "case"),
    [
        pytest.param("create", f"{MISSPELT}, pruned: [spec.replcas]", id="pruned"),
        pytest.param(
            "create", f"{MISSPELT}, accepted: true, warnings: ['unknown field \"spec.replcas\"']", id="a warning"
        ),
        pytest.param("create", f"{MISSPELT}, absent: [spec.replcas]", id="absent"),
        pytest.param("create", "input: {spec: {class: a, b: {c: 1}}}, absent: [spec.b]", id="absent, with all in it"),
        pytest.param("create", f"{MISSPELT}, expected: {{spec: {{class: a, replicas: 3}}}}", id="the whole object"),
        pytest.param("create", f"{MISSPELT}, accepted: true, fieldValidation: Warn", id="a stated fieldValidation"),
        pytest.param(
            "create", f"{MISSPELT}, fieldValidation: Strict, error: spec.replcas", id="an error that names it"
        ),
        pytest.param("create", "input: {spec: {class: a, replicas: null}}, accepted: true", id="null of a known field"),
        pytest.param(
            "create",
            "input: {metadata: {name: a, creationTimestamp: null}, spec: {class: a}}, accepted: true",
            id="null in metadata",
        ),
        pytest.param("create", "input: {spec: {class: a}, status: {b: 1}}, accepted: true", id="a status on create"),
        pytest.param(
            "update",
            "old: {spec: {class: a}}, input: {spec: {class: a}, status: {b: 1}}, accepted: true",
            id="a status on update",
        ),
        pytest.param(
            "updateStatus",
            "old: {spec: {class: a}}, input: {spec: {b: 1}, status: {phase: x}}, accepted: true",
            id="all but the status on an update of it",
        ),
        pytest.param("pruning", f"{MISSPELT}, pruned: [spec.replcas]", id="pruned by pruning"),
        pytest.param("pruning", f"{MISSPELT}, expected: {{spec: {{class: a}}}}", id="the whole pruned object"),
        pytest.param("pruning", f"{MISSPELT}, absent: [spec.replcas]", id="absent after pruning"),
        pytest.param(
            "defaulting", f"{MISSPELT}, expected: {{spec: {{class: a, replicas: 3, replcas: 5}}}}", id="expected"
        ),
        pytest.param("create", "input: 'x', error: 'cannot unmarshal string'", id="a text that is no object"),
    ],
)
def test_dropped_fields_that_a_case_mentions_are_accepted(section: str, case: str) -> None:
    assert _run(section, case).holds


@pytest.mark.parametrize(
    ("section", "case", "found"),
    [
        ("updateStatus", "old: {spec: {class: a}}, input: {status: {phas: x}}, accepted: true", "status.phas"),
        ("create", "input: {spec: {class: a, b: {c: null}}}, accepted: true", "spec.b"),
        ("create", "input: {spec: {class: a, b: ''}}, accepted: true", "spec.b"),
        ("create", "input: {spec: {class: a, b: null}}, accepted: true", "spec.b"),
        ("create", "input: {spec: {class: a, items: [{imag: null}]}}, accepted: true", "spec.items[0].imag"),
        ("create", "input: {metadata: {labelz: null}, spec: {class: a}}, accepted: true", "metadata.labelz"),
        ("update", "old: {spec: {class: a}}, input: {spec: {class: a, b: null}}, accepted: true", "spec.b"),
        ("updateStatus", "old: {spec: {class: a}}, input: {status: {phas: null}}, accepted: true", "status.phas"),
        ("patch", "old: {spec: {class: a}}, patch: [{op: add, path: /spec/b, value: null}], accepted: true", "spec.b"),
        ("pruning", "input: {spec: {b: null}}, contains: {spec: {}}", "spec.b"),
        ("defaulting", "input: {spec: {b: null}}, contains: {spec: {}}", "spec.b"),
        ("create", "input: {spec: {class: a, pods: {x: {apiVersion: v1, kind: P, metadata: {nme: a}}}}}, accepted: true",
         "spec.pods[x].metadata.nme"),
        ("create", "input: {metadata: {lables: {a: b}}, spec: {class: a}}, accepted: true", "metadata.lables"),
        ("create", "input: {spec: {class: a, b: 1}}, error: spec.b.c", "spec.b"),
        ("create", "input: {spec: {class: a, b: 1}}, error: xspec.b", "spec.b"),
        ("create", "input: {spec: {class: a, b: 1}}, error: spec.bc", "spec.b"),
        ("create", "input: {spec: {class: a, b: 1}}, absent: [spec.bc]", "spec.b"),
    ],
)  # fmt: skip
def test_dropped_fields_that_a_case_does_not_mention_are_found(section: str, case: str, found: str) -> None:
    assert [path for path, _, _ in _list_strays(_run(section, case))] == [found]


STORED = "old: {metadata: {annotations: {x: z}}, spec: {class: a}}"


@pytest.mark.parametrize(
    ("section", "case", "found"),
    [
        ("patch", "patch: {spec: {replcas: null}}, accepted: true", "spec.replcas"),
        ("patch", "patch: {spec: {replcas: null}}, pruned: []", "spec.replcas"),
        ("patch", "patch: {spec: {replcas: null}}, fieldValidation: Strict, accepted: true", "spec.replcas"),
        ("patch", "patch: {spec: {replcas: null, class: c}}, errors: [{field: spec.class}]", "spec.replcas"),
        ("patch", "patch: {metadata: {annotationz: null}}, accepted: true", "metadata.annotationz"),
        ("patch", "patch: {metadata: {annotations: {w: null}}}, accepted: true", "metadata.annotations.w"),
        ("patch", "patch: {spec: {free: {w: null}}}, accepted: true", "spec.free.w"),
        ("patch", "patch: {spec: {class: {w: {x: null}}}}, error: spec.class", "spec.class.w"),
        ("patch", "patch: [{op: test, path: /spec/replcas, value: null}], accepted: true", "spec.replcas"),
        ("patchStatus", "patch: {status: {phas: null}}, accepted: true", "status.phas"),
        ("patchScale", "patch: {spec: {replcas: null}}, accepted: true", "spec.replcas"),
        ("patchScale", "patch: {spec: {class: null}}, accepted: true", "spec.class"),
        ("patchScale", "patch: [{op: test, path: /spec/replcas, value: null}], accepted: true", "spec.replcas"),
    ],
)  # fmt: skip
def test_a_null_of_a_patch_that_does_nothing_is_found(section: str, case: str, found: str) -> None:
    result = _run(section, f"{STORED}, {case}", version=_version(scale=True))

    assert [path for path, _, _ in _list_strays(result)] == [found]


@pytest.mark.parametrize(
    ("section", "case"),
    [
        ("patch", "patch: {spec: {replicas: null}}, accepted: true"),
        ("patch", "patch: {metadata: {annotations: null}}, accepted: true"),
        ("patch", "patch: {metadata: {annotations: {x: null}}}, accepted: true"),
        ("patch", "patch: {spec: {items: [{image: null}]}}, accepted: true"),
        ("patch", "patch: {spec: {pods: {x: {apiVersion: v1, kind: P, metadata: {labels: null}}}}}, accepted: true"),
        ("patch", "patch: {spec: {free: {w: null}}}, absent: [spec.free.w]"),
        ("patch", "patch: [{op: test, path: /spec/items, value: null}], accepted: true"),
        ("patch", "patch: [{op: test, path: /spec/items/0/image, value: null}], error: spec"),
        ("patchStatus", "patch: {status: {phase: null}}, accepted: true"),
        ("patchScale", "patch: {spec: {replicas: null}}, accepted: true"),
    ],
)  # fmt: skip
def test_a_null_of_a_patch_with_a_known_field_or_an_effect_is_accepted(section: str, case: str) -> None:
    assert _list_strays(_run(section, f"{STORED}, {case}", version=_version(scale=True))) == []


def test_an_idle_null_is_explained_with_the_nearest_field() -> None:
    (mismatch,) = _run("patch", f"{STORED}, patch: {{spec: {{replcas: null}}}}, accepted: true").mismatches

    assert isinstance(mismatch, Strays)
    assert strays.describe(mismatch.fields[0])[0] == (
        "spec.replcas: its null removes and tests nothing; did you mean spec.replicas?"
    )
    assert mismatch.remedy.startswith("if this is intended, state the whole object in `expected`")


def test_without_the_subresource_a_status_counts() -> None:
    result = _run(
        "create", "input: {spec: {class: a}, status: {phas: x}}, accepted: true", version=_version(status=False)
    )

    assert _list_strays(result) == [("status.phas", False, "status.phase")]


def test_all_stray_fields_of_a_case_are_found_at_once() -> None:
    case = "input: {spec: {class: a, clas: b, items: [{imag: x}]}, spce: {}}, accepted: true"

    assert _list_strays(_run("create", case)) == [
        ("spce", False, "spec"),
        ("spec.clas", False, "spec.class"),
        ("spec.items[0].imag", False, "spec.items[0].image"),
    ]


def test_a_file_can_allow_unknown_fields_and_then_they_are_notes() -> None:
    result = _run("create", f"{MISSPELT}, accepted: true", head="unknownFields: allow")

    assert result.holds
    assert result.notes == ("spec.replcas: the schema does not specify it; did you mean spec.replicas?",)


def test_a_status_that_a_create_drops_is_a_note() -> None:
    result = _run("create", "input: {spec: {class: a}, status: {phase: x}}, accepted: true")

    assert result.notes == ("a create drops the status, which is a subresource",)


LABELS = "input: {spec: {class: a, labels: {x: z}}}"


@pytest.mark.parametrize(
    "expectation", ["accepted: true", "warnings: []", "pruned: []", "accepted: true, fieldValidation: Warn"]
)
def test_a_field_lost_by_the_storage_version_is_found(expectation: str) -> None:
    assert _list_strays(_run("create", f"{LABELS}, {expectation}")) == [("spec.labels", True, "")]


@pytest.mark.parametrize(
    "expectation",
    ["lost: [spec.labels]", "absent: [spec.labels]", "expected: {spec: {class: a, replicas: 3}}"],
)
def test_a_field_that_the_storage_version_loses_can_be_stated(expectation: str) -> None:
    assert _run("create", f"{LABELS}, {expectation}").holds


def test_a_lost_field_that_the_file_allows_is_a_note() -> None:
    result = _run("create", f"{LABELS}, accepted: true", head="unknownFields: allow\n")

    assert result.holds
    assert result.notes == ("spec.labels: the storage version does not specify it, so that it is lost",)


def test_fields_of_the_old_object_alone_are_not_lost_by_the_input() -> None:
    case = "old: {spec: {class: a}}, input: {spec: {class: b}}, accepted: true"

    assert _run("update", case).holds


def test_the_lost_fields_are_all_listed_or_the_case_fails() -> None:
    (mismatch,) = _run("create", f"{LABELS}, lost: []").mismatches

    assert (mismatch.key, mismatch.unasked) == ("lost", ("spec.labels",))  # type: ignore[union-attr]


def test_a_response_names_lost_fields() -> None:
    version = _version()
    answer = version.create({"spec": {"class": "a", "labels": {"x": "z"}}})

    assert (answer.lost, answer.pruned, answer.warnings) == (("spec.labels",), (), ())
    with pytest.raises(AssertionError, match=r'field "spec\.labels" is unknown to the storage version'):
        answer.assert_accepted(strict=True)
    assert _version("v2").create({"spec": {"class": "a"}}).lost == ()


@pytest.mark.parametrize("section", ["pruning", "defaulting"])
@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ("apiVersion: strays.example.com/v2", 'apiVersion is "strays.example.com/v2", not "strays.example.com/v1"'),
        ("kind: Gardn", 'kind is "Gardn", not "Garden"'),
        (
            "apiVersion: v1, kind: Pod",
            'apiVersion is "v1", not "strays.example.com/v1"; kind is "Pod", not "Garden"',
        ),
    ],
)
def test_a_pass_is_for_objects_of_its_own_type_only(section: str, stated: str, words: str) -> None:
    result = _run(section, f"input: {{{stated}, spec: {{}}}}, contains: {{spec: {{}}}}")

    assert result.mismatches == (NotReached(words),)


@pytest.mark.parametrize(
    ("section", "case"),
    [
        ("create", f"{MISSPELT}, accepted: true, xfail: why"),
        ("pruning", f"{MISSPELT}, contains: {{spec: {{class: b}}}}, xfail: why"),
    ],
)
def test_an_xfail_may_not_fail_for_a_misspelt_field(section: str, case: str) -> None:
    with pytest.raises(CaseFileError) as caught:
        _run(section, case)

    assert f'cases.yaml:4: {section} case "a" is expected to fail, but would for another reason' in str(caught.value)
    assert "did you mean spec.replicas?" in str(caught.value)


def test_a_crd_that_preserves_unknown_fields_drops_none() -> None:
    version = _version(api="v1beta1", preserve=True, kubernetes_version="1.21")

    assert _run("create", "input: {spec: {class: a, b: 1}}, accepted: true", version=version).holds
    assert SchemaFields(version).can_have("anything.at[0].all")


@pytest.mark.parametrize(
    "path",
    [
        "apiVersion", "metadata", "metadata.name", "metadata.labels.a.b/c", "metadata.labels[a.b/c]",
        "metadata.ownerReferences[0].uid", "metadata.managedFields[0].fieldsV1.f:x", "spec.items[7].image",
        "spec.labels.a", "spec.labels[a]", "spec.labels.a.b", "spec.open.a.b", "spec.pods.x.metadata.name",
        "spec.pods[x].image", "spec.pods[a.b].kind", "spec.free.x[0].y", "spec.free.known.deep",
    ],
)  # fmt: skip
def test_a_field_that_can_be(path: str) -> None:
    assert SchemaFields(_version()).can_have(path)


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("metadata.lables", "metadata.labels"),
        ("metadata.ownerReferences[0].uuid", "metadata.ownerReferences[0].uid"),
        ("spec.item[0].image", "spec.items"),
        ("spec.items.image", "spec.items[*].image"),
        ("spec.items[0].imag", "spec.items[0].image"),
        ("spec.items[x].image", "spec.items"),
        ("spec.free.known.deeep", "spec.free.known.deep"),
        ("spec.pods.x.metadata.nmae", "spec.pods.x.metadata.name"),
        ("spec.class.a", ""),
        ("replicas", "spec.replicas"),
        ("spec.metadata.name", "metadata"),
        ("image", "spec.items[*].image"),
        ("zzz", ""),
        ("spec[0]", "spec"),
        ("[0]", ""),
    ],
)
def test_a_field_that_cannot_be_has_one_near(path: str, near: str) -> None:
    fields = SchemaFields(_version())

    assert not fields.can_have(path)
    assert fields.near(path) == near


def test_every_field_is_possible_in_a_version_that_serves_nothing() -> None:
    crd = CustomResourceDefinition.from_manifest(
        {**_version().crd.manifest, "spec": {**_version().crd.manifest["spec"], "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"$ref": "x"}}}]}}
    )  # fmt: skip

    assert SchemaFields(crd.version("v1")).can_have("a.b")


@pytest.mark.parametrize(
    ("section", "case", "place"),
    [
        ("create", "input: {spec: {class: a, free: {on: 1}}}, accepted: true", 'key `on` of spec.free as "true"'),
        (
            "create",
            "input: {spec: {class: a, free: {n: 1}}}, contains: {spec: {free: {n: 1}}}",
            'key `n` of spec.free as "false"',
        ),
        (
            "create",
            "input: {spec: {class: a}}, patch: {spec: {free: {yes: 1}}}, accepted: true",
            'key `yes` of spec.free as "true"',
        ),
        (
            "update",
            "old: {spec: {class: a, free: {off: 1}}}, input: {spec: {class: a}}, accepted: true",
            'key `off` of spec.free as "false"',
        ),
        (
            "apply",
            "steps: [{manager: m, input: {spec: {class: a, free: {on: 1}}}}], accepted: true",
            'key `on` of spec.free as "true"',
        ),
    ],
)
def test_a_key_that_the_server_reads_as_a_boolean_is_a_mistake(section: str, case: str, place: str) -> None:
    with pytest.raises(CaseFileError, match=f"the server reads the {re.escape(place)}; quote it"):
        _run(section, case)


def test_a_key_that_the_schema_has_read_in_the_same_way_is_fine() -> None:
    version = covered.version_of(
        {"type": "object", "properties": {"spec": {"type": "object", "properties": {"false": {"type": "integer"}}}}}
    )

    assert _run("create", "input: {spec: {n: 1}}, accepted: true", version=version).holds


@pytest.mark.parametrize("key", ['"on"', "'n'", "on_", "1"])
def test_other_keys_are_texts(key: str) -> None:
    assert _run("create", f"input: {{spec: {{class: a, free: {{{key}: 1}}}}}}, accepted: true").holds
