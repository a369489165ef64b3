"""Cases about patches and server-side applies: requests, expectations and failures."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import pots

from pytest_crd import suggestions
from pytest_crd.cases import caserunner, expectedowners, loader, objectsources, unreachable
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.model import AnyCase, ApplyCase, CaseFileError
from pytest_crd.cases.subject import CaseSubject
from pytest_crd.engine import CustomResourceDefinition
from pytest_crd.report import text

GATES = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gates.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gates, singular: gate, kind: Gate, listKind: GateList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, maximum: 5}
              class: {type: string, x-kubernetes-validations: [{rule: self == oldSelf, message: is fixed}]}
              hosts: {type: array, items: {type: string}}
              tags:
                type: array
                items: {type: string}
                x-kubernetes-list-type: set
              files:
                type: array
                x-kubernetes-list-type: atomic
                items: {type: string}
              limits:
                type: object
                x-kubernetes-map-type: atomic
                additionalProperties: {type: integer}
              doors:
                type: array
                x-kubernetes-list-map-keys: [name]
                x-kubernetes-list-type: map
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string}
                    port: {type: integer, default: 80}
          status: {type: object, properties: {replicas: {type: integer}, ready: {type: boolean}}}
"""


@pytest.fixture(scope="module")
def crd(tmp_path_factory: pytest.TempPathFactory) -> CustomResourceDefinition:
    return pots.read(tmp_path_factory.mktemp("crds"), GATES, "gates.yaml")


def case_of(section: str, declared: str, *, top: str = "") -> AnyCase:
    (case_file,) = loader.load(f"crd: x\n{top}{section}:\n- {{name: a, {declared}}}\n", source="cases.yaml")
    return case_file.cases[0]


def run(crd: CustomResourceDefinition, section: str, declared: str, *, top: str = "") -> CaseResult:
    return caserunner.run(case_of(section, declared, top=top), CaseSubject(crd.version("v1")))


TWO_DOORS = (
    "steps: [{manager: gitops, input: {spec: {doors: [{name: front, port: 1}]}}}, "
    "{manager: operator, input: {spec: {doors: [{name: back}]}}}, {manager: gitops, input: {spec: {doors: []}}}]"
)
ONE_NUMBER = "steps: [{manager: a, input: {spec: {replicas: 1}}}, {manager: b, input: {spec: {replicas: 2}}}]"
SHARED = "steps: [{manager: a, input: {spec: {replicas: 1}}}, {manager: b, input: {spec: {replicas: 1, class: c}}}]"
MANAGED = (
    "old: {metadata: {managedFields: [{manager: kubectl, operation: Update, apiVersion: example.com/v1, "
    "fieldsType: FieldsV1, fieldsV1: {'f:spec': {'f:class': {}}}}]}, spec: {class: c, replicas: 1}}"
)
HOLDING = [
    pytest.param(
        "patch", "old: {spec: {class: c}}, patch: {spec: {replicas: 2}}, expected: {spec: {class: c, replicas: 2}}"
    ),
    pytest.param("patch", "old: {spec: {class: c}}, patch: {spec: {hosts: null}}, expected: {spec: {class: c}}"),
    pytest.param(
        "patch",
        "old: {spec: {class: c}}, patch: [{op: replace, path: /spec/class, value: de, times: 2}], "
        "errors: [{field: spec.class, message: 'Invalid value: \"dede\": is fixed'}]",
    ),
    pytest.param(
        "patch", "old: {spec: {}}, patch: [{op: test, path: /spec/class, value: c}], error: rejected our request"
    ),
    pytest.param("patch", "old: {spec: {}}, patch: {spec: {clas: c}}, pruned: [spec.clas]"),
    pytest.param("patch", "old: {spec: {}}, patch: {status: {ready: true}}, absent: [status]"),
    pytest.param(
        "patchStatus",
        "old: {spec: {class: c}}, patch: {spec: {class: d}, status: {ready: true}}, "
        "expected: {spec: {class: c}, status: {ready: true}}",
    ),
    pytest.param(
        "patchScale", "old: {spec: {replicas: 1}}, patch: {spec: {replicas: 2}}, expected: {spec: {replicas: 2}}"
    ),
    pytest.param(
        "patchScale",
        "old: {spec: {replicas: 1}}, patch: {spec: {replica: 2}}, warnings: ['unknown field \"spec.replica\"']",
    ),
    pytest.param("apply", f"{TWO_DOORS}, expected: {{spec: {{doors: [{{name: back, port: 80}}]}}}}"),
    pytest.param("apply", f"{TWO_DOORS}, managers: {{operator: ['spec.doors[name=\"back\"]']}}"),
    pytest.param("apply", f"{TWO_DOORS}, managers: {{operator: [spec.doors], gitops: []}}"),
    pytest.param("apply", f"{TWO_DOORS}, managers: {{operator: [spec]}}"),
    pytest.param("apply", f"{ONE_NUMBER}, conflicts: [{{manager: a, field: spec.replicas}}]"),
    pytest.param(
        "apply", f"{ONE_NUMBER}, conflicts: [{{manager: a, field: spec.replicas}}], error: 'conflict with \"a\"'"
    ),
    pytest.param("apply", f"{ONE_NUMBER}, errors: [{{field: .spec.replicas, type: FieldManagerConflict}}]"),
    pytest.param("apply", f"{ONE_NUMBER.replace('b,', 'b, force: true,')}, managers: {{a: [], b: [spec.replicas]}}"),
    pytest.param("apply", f"{SHARED}, managers: {{a: [spec.replicas], b: [spec.replicas, spec.class]}}"),
    pytest.param(
        "apply",
        "old: {spec: {replicas: 1}}, steps: [{manager: a, input: {spec: {replicas: 2}}}], "
        "conflicts: [{manager: before-first-apply, field: spec.replicas}]",
    ),
    pytest.param(
        "apply",
        f"{MANAGED}, steps: [{{manager: a, input: {{spec: {{replicas: 1}}}}}}], managers: {{kubectl: [spec.class], a: [spec]}}",
    ),
    pytest.param("apply", "steps: [{manager: a, input: {spec: {}, status: {ready: true}}}], absent: [status]"),
    pytest.param("apply", "old: {spec: {}}, steps: [{manager: a, input: {status: {ready: true}}}], absent: [status]"),
    pytest.param(
        "apply",
        "fieldValidation: Strict, steps: [{manager: a, input: 'apiVersion: example.com/v1\n\n  kind: Gate\n\n  "
        "metadata: {name: x}\n\n  spec: {replicas: 1, replicas: 2}'}], error: 'key \"replicas\" already set'",
    ),
    pytest.param(
        "applyStatus",
        "old: {spec: {class: c}}, steps: [{manager: a, input: {spec: {class: d}, status: {ready: true}}}], "
        "expected: {spec: {class: c}, status: {ready: true}}, managers: {a: [status.ready]}",
    ),
    pytest.param(
        "applyScale",
        "old: {spec: {replicas: 1}}, steps: [{manager: a, input: {spec: {replicas: 1}}}], "
        "error: request to convert CR to an invalid group/version",
    ),
]


@pytest.mark.parametrize(("section", "declared"), HOLDING)
def test_case_holds(crd: CustomResourceDefinition, section: str, declared: str) -> None:
    assert run(crd, section, declared).mismatches == ()


FAILING = [
    pytest.param(
        "patch",
        "old: {spec: {class: c}}, patch: {spec: {clas: d}}, accepted: true",
        """\
fields of the input that are dropped:
  spec.clas  the schema does not specify it; did you mean spec.class?
  if this is intended, list it in `pruned`, or in `lost` if the storage version drops it, or write \
`unknownFields: allow` at the top of the file
""",
        id="a misspelt field of a patch",
    ),
    pytest.param(
        "patchStatus",
        "old: {spec: {}}, patch: {ready: true}, accepted: true",
        """\
fields of the input that are dropped:
  ready  the schema does not specify it; did you mean status.ready?
  if this is intended, list it in `pruned`, or in `lost` if the storage version drops it, or write \
`unknownFields: allow` at the top of the file
""",
        id="a field beside the status that is patched",
    ),
    pytest.param(
        "patch",
        "old: {spec: {}}, patch: {status: {redy: true}}, accepted: true",
        """\
fields of the input that are dropped:
  status.redy  the schema does not specify it; did you mean status.ready?
  if this is intended, list it in `pruned`, or in `lost` if the storage version drops it, or write \
`unknownFields: allow` at the top of the file
""",
        id="a misspelt status that a patch leaves alone",
    ),
    pytest.param(
        "patchScale",
        "old: {spec: {replicas: 1}}, patch: {spec: {replica: 2}}, accepted: true",
        """\
fields of the input that are dropped:
  spec.replica  the schema does not specify it
  if this is intended, list its warning in `warnings`, or write `unknownFields: allow` at the top of the file
""",
        id="a misspelt field of a Scale",
    ),
    pytest.param(
        "patch",
        "old: {spec: {}}, patch: {status: {ready: true}}, expected: {spec: {}, status: {ready: true}}",
        """\
expected:
  status  expected {"ready": true}, but it is absent (kept from `old`: an update leaves the status alone, which is a subresource)
""",
        id="a status that a patch leaves alone",
    ),
    pytest.param(
        "apply",
        "old: {spec: {}}, steps: [{manager: a, input: {spec: {}, status: {ready: true}}}], contains: {status: {ready: true}}",
        """\
contains:
  status  expected {"ready": true}, but it is absent (kept from `old`: an update leaves the status alone, which is a subresource)

a owns spec
before-first-apply owns spec
""",
        id="a status that an apply leaves alone",
    ),
    pytest.param(
        "apply",
        "old: {spec: {}, status: {ready: true}}, steps: [{manager: a, input: {spec: {class: c}}}], "
        "contains: {status: {ready: false}}",
        """\
contains:
  status.ready  expected false, got true

a owns spec.class
before-first-apply owns spec
""",
        id="an apply without the status of the old object",
    ),
    pytest.param(
        "apply",
        f"{ONE_NUMBER.replace(']', ', {manager: c, input: {}}]')}, accepted: true",
        """\
  step 2 of 3, by b, is refused: 409: Apply failed with 1 conflict: conflict with "a": .spec.replicas
""",
        id="a step before the last is refused",
    ),
    pytest.param(
        "apply",
        "steps: [{manager: a, input: {spec: {hosts: [x]}}}, {manager: b, input: {spec: {hosts: [z]}}}], accepted: true",
        """\
refused (409), but expected to be accepted:
  .spec.hosts: conflict with "a"

spec.hosts has no x-kubernetes-list-type, so that it is atomic: who applies it owns all of it (gates.yaml:24)
""",
        id="a conflict about a list that is atomic",
    ),
    pytest.param(
        "apply",
        "steps: [{manager: a, input: {spec: {hosts: [x]}}}, {manager: b, force: true, input: {spec: {hosts: [z]}}}], "
        "contains: {spec: {hosts: [x, z]}}, managers: {a: [spec.hosts], b: ['spec.hosts[=\"z\"]']}",
        """\
contains:
  spec.hosts[0]  expected "x", got "z"
  spec.hosts[1]  expected "z", but it is absent (the input does not have it, and no default puts it in)

managers:
  spec.hosts        listed for a, but b owns it
  spec.hosts[="z"]  listed for b, but nobody owns it
  spec.hosts        owned by b, but not listed

b owns spec.hosts
spec.hosts has no x-kubernetes-list-type, so that it is atomic: who applies it owns all of it (gates.yaml:24)
""",
        id="a list that does not merge",
    ),
    pytest.param(
        "apply",
        "steps: [{manager: a, input: {spec: {replica: 1}}}], accepted: true",
        """\
refused (500), but expected to be accepted:
  failed to create typed patch object (/example; example.com/v1, Kind=Gate): .spec.replica: field not declared in schema \
(spec.replica: the schema does not specify it; did you mean spec.replicas?)
""",
        id="misspelt fields of an apply",
    ),
    pytest.param(
        "apply",
        f"{SHARED}, managers: {{a: [spec.class], b: [spec.replicas]}}, absent: [spec.class]",
        """\
absent:
  spec.class  must be absent, but is "c"

managers:
  spec.class     listed for a, but b owns it
  spec.replicas  owned by a (as by b), but not listed
  spec.class     owned by b, but not listed

a owns spec.replicas
b owns spec.class, spec.replicas
""",
        id="fields of others",
    ),
    pytest.param(
        "apply",
        f"{SHARED.replace('c}', 'c, doors: [{name: d}]}')}, managers: {{a: ['spec.doors[name=\"d\"]']}}",
        """\
managers:
  spec.doors[name="d"]  listed for a, but b owns it
  spec.replicas         owned by a (as by b), but not listed

a owns spec.replicas
b owns spec.class, spec.doors[name="d"], spec.replicas
spec.doors is a map by name (x-kubernetes-list-type: map): each item has its own owners (gates.yaml:40)
""",
        id="an item of another",
    ),
    pytest.param(
        "apply",
        f"{SHARED}, conflicts: [{{manager: a, field: spec.replicas}}], error: words",
        """\
accepted (200), but expected to be refused:
  missing  "words"
  missing  {manager: a, field: spec.replicas}

a owns spec.replicas
b owns spec.class, spec.replicas
""",
        id="no conflict",
    ),
    pytest.param(
        "apply",
        "steps: [{manager: a, input: {spec: {limits: {cpu: 1}, tags: [x]}}}, "
        "{manager: b, input: {spec: {limits: {cpu: 2}, tags: [z]}}}], "
        "conflicts: [{manager: a, field: spec.tags}]",
        """\
conflicts:
  missing  {manager: a, field: spec.tags}
  unasked  {manager: a, field: spec.limits}

spec.tags is a set (x-kubernetes-list-type: set): each item has its own owners (gates.yaml:28)
spec.limits is atomic (x-kubernetes-map-type: atomic): who applies it owns all of it (gates.yaml:35)
""",
        id="another conflict",
    ),
    pytest.param(
        "apply",
        "steps: [{manager: a, input: {spec: {replicas: 9}}}], conflicts: [{manager: a, field: 'spec.files[0]'}]",
        """\
conflicts:
  refused  422: Gate.example.com "example" is invalid: spec.replicas: Invalid value: 9: spec.replicas in body should be \
less than or equal to 5
  missing  {manager: a, field: spec.files[0]}
""",
        id="a refusal for another reason",
    ),
    pytest.param(
        "apply",
        "steps: [{manager: a, input: {spec: {files: [x]}}}, {manager: b, input: {spec: {files: [z]}}}], "
        "conflicts: [{manager: a, field: 'spec.files[0]'}]",
        """\
conflicts:
  missing  {manager: a, field: spec.files[0]}
  unasked  {manager: a, field: spec.files}

spec.files is atomic (x-kubernetes-list-type: atomic): who applies it owns all of it (gates.yaml:31)
""",
        id="an item of an atomic list",
    ),
    pytest.param(
        "apply",
        f"{SHARED}, conflicts: [{{manager: a, field: spec.hosts.name}}, {{manager: a, field: spec.hostss}}]",
        """\
accepted (200), but expected to be refused:
  missing  {manager: a, field: spec.hosts.name}
  missing  {manager: a, field: spec.hostss}

a owns spec.replicas
b owns spec.class, spec.replicas
spec.hosts has no x-kubernetes-list-type, so that it is atomic: who applies it owns all of it (gates.yaml:24)
""",
        id="paths that lead to nothing",
    ),
]


@pytest.mark.parametrize(("section", "declared", "expected"), FAILING)
def test_a_failure_shows_the_owners(crd: CustomResourceDefinition, section: str, declared: str, expected: str) -> None:
    title, context, empty, *lines = text.lines("title", run(crd, section, declared))

    assert (title, context, empty) == ("title", "gates.example.com v1 (gates.yaml:1), Kubernetes 1.37", "")
    assert "\n".join(lines) + "\n" == expected


def test_the_summary_names_fields_with_other_owners(crd: CustomResourceDefinition) -> None:
    declared = f"{SHARED}, managers: {{a: [spec.class]}}"
    assert text.summary(run(crd, "apply", declared)) == "spec.class is not owned by a, but listed (+1 more)"
    declared = f"{SHARED}, managers: {{a: []}}"
    assert text.summary(run(crd, "apply", declared)) == "spec.replicas is owned by a, but not listed"
    declared = f"{SHARED}, conflicts: [{{manager: a, field: spec.replicas}}]"
    words = "accepted, expected the conflict {manager: a, field: spec.replicas}"
    assert text.summary(run(crd, "apply", declared)) == words
    declared = f"{ONE_NUMBER}, conflicts: [{{manager: a, field: spec.class}}]"
    assert text.summary(run(crd, "apply", declared)) == "missing {manager: a, field: spec.class} (+1 more)"


def test_many_fields_of_a_manager_are_cut(crd: CustomResourceDefinition) -> None:
    doors = ", ".join(f"{{name: d{number}}}" for number in range(10))
    result = run(crd, "apply", f"steps: [{{manager: a, input: {{spec: {{doors: [{doors}]}}}}}}], managers: {{a: []}}")
    few, many = ("\n".join(text.lines("title", result, verbosity=verbosity)) for verbosity in (0, 1))

    assert 'spec.doors[name="d7"] and 2 more (-v lists them)\n' in few
    assert '[name="d7"], spec.doors[name="d8"], spec.doors[name="d9"]\n' in many


@pytest.mark.parametrize(
    ("section", "word"), [("patchStatus", "status"), ("applyStatus", "status"), ("patchScale", "scale")]
)
def test_a_subresource_that_is_missing_is_named(tmp_path: Path, section: str, word: str) -> None:
    lines = GATES.replace("status: {}\n", "").splitlines(keepends=True)
    crd = pots.read(tmp_path, "".join(line for line in lines if "scale:" not in line).replace("subresources:", "x: {}"))
    sent = "steps: [{manager: a, input: {}}]" if section.startswith("apply") else "patch: {spec: {}}"

    result = run(crd, section, f"old: {{spec: {{}}}}, {sent}, accepted: true")

    assert f"v1 has no {word} subresource" in "\n".join(text.lines("title", result))


def test_an_old_object_that_nothing_stores_is_a_mistake(crd: CustomResourceDefinition) -> None:
    with pytest.raises(CaseFileError, match=r"'old' of patch case \"a\" is not valid under its CRD"):
        run(crd, "patch", "old: {spec: {replicas: 7}}, patch: {spec: {}}, accepted: true")


def test_a_text_that_cannot_be_read_is_a_mistake_of_its_step(crd: CustomResourceDefinition) -> None:
    for steps, number in (
        ("{manager: a, input: 'a: b: c'}", 1),
        ("{manager: a, input: {}}, {manager: b, input: '['}", 2),
    ):
        with pytest.raises(CaseFileError, match=f"cases.yaml:3: the input of step {number} cannot be read"):
            run(crd, "apply", f"steps: [{steps}], accepted: true")
    with pytest.raises(CaseFileError, match="the input of step 1 cannot be read"):
        run(crd, "apply", "steps: [{manager: a, input: '['}, {manager: b, input: {}}], accepted: true")


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (
            "managers: {gitop: []}",
            "'managers.gitop' of apply case \"a\": no manager is called \"gitop\"; did you mean 'gitops'?",
        ),
        (
            "conflicts: [{manager: someone, field: spec}]",
            (
                '\'conflicts[0].manager\' of apply case "a": no manager is called "someone"; there are ancient-changes, '
                "before-first-apply, gitops, kubectl"
            ),
        ),
    ],
)
def test_an_unknown_manager_is_a_mistake(declared: str, message: str) -> None:
    case = case_of("apply", f"{MANAGED}, steps: [{{manager: gitops, input: {{}}}}], {declared}")
    assert isinstance(case, ApplyCase)
    assert [item.message for item in expectedowners.find_mistakes(case, suggestions.WorkBudget())] == [message]


@pytest.mark.parametrize(
    "declared",
    [
        f"{MANAGED}, steps: [{{manager: a, input: {{}}}}], managers: {{a: [], kubectl: [], ancient-changes: []}}",
        "old: {metadata: {managedFields: [a, {manager: 1}]}}, steps: [{manager: a, input: {}}], managers: {a: []}",
        "old: {metadata: 1}, steps: [{manager: a, input: {}}], managers: {a: []}",
    ],
)
def test_managers_of_the_steps_and_of_the_old_object_are_known(declared: str) -> None:
    case = case_of("apply", declared)
    assert isinstance(case, ApplyCase)
    assert [*expectedowners.find_mistakes(case, suggestions.WorkBudget())] == []


def test_a_path_that_must_be_absent_may_be_one_of_a_step(crd: CustomResourceDefinition) -> None:
    subject = CaseSubject(crd.version("v1"))
    steps = "steps: [{manager: a, input: {spec: {gone: 1}}}, {manager: a, input: {}}], absent: [spec.gone]"
    assert [*unreachable.find_mistakes(case_of("apply", steps), subject, subject)] == []
    patched = case_of("patch", "old: {spec: {}}, patch: {spec: {gone: 1}}, absent: [spec.gone, spec.other]")
    (mistake,) = unreachable.find_mistakes(patched, subject, subject)
    assert "'absent[1]' of patch case \"a\" always holds: 'spec.other' can be no field" in mistake.message
    unread = case_of("apply", "steps: [{manager: a, input: '['}], absent: [spec.gone]")
    assert [*unreachable.find_mistakes(unread, subject, subject)] == []


def test_steps_come_from_files_and_are_patched(tmp_path: Path) -> None:
    (tmp_path / "gate.yaml").write_text("spec: {class: c}\n---\nspec: {class: d}\n", encoding="utf-8")
    case = case_of(
        "apply",
        "steps: [{manager: a, inputFile: gate.yaml, document: 2, patch: {spec: {replicas: 1}}}, {manager: b, input: {}}], "
        "accepted: true",
    )
    actual = objectsources.resolve(case, tmp_path)
    assert actual.objects == ({"spec": {"class": "d", "replicas": 1}}, {}, None)
    assert [document.source for document in actual.files] == ["gate.yaml"]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (
            "inputFile: none.yaml",
            "'steps[1].inputFile' of apply case \"a\" cannot be read: No such file or directory: none.yaml",
        ),
        (
            "input: {}, patch: {a: null}",
            "'steps[1].patch' of apply case \"a\" cannot be applied: the null at a removes nothing; to send a null, write operations (`op: add`)",
        ),
        ("input: {a: 1}, patch: {a: 1}", "'steps[1].patch' of apply case \"a\" changes nothing"),
    ],
)
def test_mistakes_in_the_source_of_a_step_have_its_place(tmp_path: Path, step: str, message: str) -> None:
    case = case_of("apply", f"steps: [{{manager: a, input: {{}}}}, {{manager: a, {step}}}], accepted: true")
    with pytest.raises(CaseFileError) as raised:
        objectsources.resolve(case, tmp_path)
    assert [item.message for item in raised.value.mistakes] == [message]


def test_bare_words_of_steps_are_reported(crd: CustomResourceDefinition) -> None:
    result = run(crd, "apply", "steps: [{manager: a, input: {spec: {tags: [on]}}}], error: typed patch")
    (word,) = result.barewords
    assert word.startswith("cases.yaml:3: spec.tags[0]: the server reads `on` as true")
    result = run(crd, "apply", "steps: [{manager: a, input: {}, force: on}], accepted: true")
    assert result.barewords == ()


def test_a_misspelt_field_is_no_reason_for_which_a_case_may_be_expected_to_fail(crd: CustomResourceDefinition) -> None:
    misspelt = "steps: [{manager: a, input: {spec: {replica: 1}}}], xfail: later"
    with pytest.raises(CaseFileError) as raised:
        run(crd, "apply", f"{misspelt}, accepted: true")
    assert str(raised.value) == (
        'cases.yaml:3: apply case "a" is expected to fail, but would for another reason: spec.replica: the schema does not '
        "specify it; did you mean spec.replicas?"
    )
    assert run(crd, "apply", f"{misspelt}, error: 'spec.replica: field not declared'").holds


def test_an_apply_that_is_refused_before_the_last_is_no_reason_either(crd: CustomResourceDefinition) -> None:
    steps = "steps: [{manager: a, input: {spec: {replicas: 9}}}, {manager: a, input: {}}], xfail: later, managers: {a: [spec]}"
    with pytest.raises(CaseFileError) as raised:
        run(crd, "apply", steps)
    assert str(raised.value).startswith(
        'cases.yaml:3: apply case "a" is expected to fail, but would for another reason: step 1 of 2, by a, is refused: 422: '
    )
    assert not run(crd, "apply", f"{ONE_NUMBER}, xfail: later, accepted: true").holds
