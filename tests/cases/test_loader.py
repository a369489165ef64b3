"""Right case files, and the YAML that they may be written in."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from pytest_crd.cases import loader
from pytest_crd.cases.model import (
    CaseFile,
    CreateCase,
    DefaultingCase,
    PruningCase,
    StatusUpdateCase,
    UpdateCase,
)
from pytest_crd.cases.parts import ExpectedError, OldCRD
from pytest_crd.engine import inputerror
from pytest_crd.engine.errors.fielderror import ErrorType

EVERYTHING = """\
crd: crontabs.stable.example.com
version: v1
kubernetesVersion: "1.36"
x-common: &common {spec: {replicas: 1}}
pruning:
- name: unknown fields are dropped, also inside lists
  input: {spec: {replicas: 1, bogus: x}}
  expected: *common
  pruned: [spec.bogus]
- name: text is sent as it is
  input: |
    spec: {a: 1, a: 2}
  contains: {spec: {a: 2}}
  absent: [spec.b]
  marks: [slow, nightly]
update:
- name: the class cannot change
  old: {spec: {class: a}}
  oldCRD: {patch: [{op: remove, path: /spec/x}]}
  input: {spec: {class: b}}
  errors:
  - {field: spec.class, type: Invalid, message: "Invalid value: immutable"}
  - {detail: immutable}
  warnings: []
  xfail: known
defaulting:
- name: image falls back to latest
  input: {spec: {}}
  expected: {spec: {image: "cron:latest"}}
  defaulted: [spec.image]
  nullsDropped: []
  skip: later
create:
- name: a valid object is stored
  input: {metadata: {name: a}}
  accepted: true
- {name: refused, input: {}, containsErrors: [{matches: "^a"}]}
- {name: refused in short, input: {}, error: "no", fieldValidation: Strict}
updateStatus:
- {name: status, input: {}, old: {}, oldCRD: {path: old.yaml}, error: "no"}
"""


def load(text: str | bytes) -> tuple[CaseFile, ...]:
    return loader.load(text, source="f.yaml")


def only(text: str | bytes) -> CaseFile:
    (case_file,) = load(text)
    return case_file


@pytest.fixture(scope="module")
def everything() -> CaseFile:
    return only(EVERYTHING)


def test_file_says_what_it_is_about(everything: CaseFile) -> None:
    assert (everything.source, everything.crd) == ("f.yaml", "crontabs.stable.example.com")
    assert (everything.version, everything.kubernetes_version) == ("v1", "1.36")
    assert everything.lines.find_line("kubernetesVersion") == 3
    assert everything.lines.find_line() == 1


def test_cases_come_in_the_order_of_the_file(everything: CaseFile) -> None:
    assert [(case.section, case.line) for case in everything.cases] == [
        ("pruning", 6),
        ("pruning", 10),
        ("update", 17),
        ("defaulting", 27),
        ("create", 34),
        ("create", 37),
        ("create", 38),
        ("updateStatus", 40),
    ]


def test_cases_keep_what_they_state(everything: CaseFile) -> None:
    pruned, text, update, defaulted, created, refused, short, status = everything.cases
    assert isinstance(pruned, PruningCase)
    assert pruned.input == {"spec": {"replicas": 1, "bogus": "x"}}
    assert pruned.expected == {"spec": {"replicas": 1}}
    assert (pruned.pruned, pruned.contains, pruned.marks) == (("spec.bogus",), None, ())
    assert pruned.id == pruned.name == "unknown fields are dropped, also inside lists"
    assert text.input == "spec: {a: 1, a: 2}\n"
    assert (text.contains, text.absent, text.marks) == ({"spec": {"a": 2}}, ("spec.b",), ("slow", "nightly"))
    assert isinstance(update, UpdateCase)
    assert update.old == {"spec": {"class": "a"}}
    assert update.old_crd == OldCRD(patch=({"op": "remove", "path": "/spec/x"},), place=("oldCRD", "patch"))
    assert update.errors == (
        ExpectedError(type=ErrorType.INVALID, field="spec.class", message="Invalid value: immutable"),
        ExpectedError(detail="immutable"),
    )
    assert (update.warnings, update.xfail) == ((), "known")
    assert isinstance(defaulted, DefaultingCase)
    assert (defaulted.defaulted, defaulted.nulls_dropped, defaulted.skip) == (("spec.image",), (), "later")
    assert isinstance(created, CreateCase)
    assert isinstance(refused, CreateCase)
    assert isinstance(short, CreateCase)
    assert (created.accepted, created.errors) == (True, None)
    assert (refused.accepted, refused.contains_errors) == (False, (ExpectedError(matches="^a"),))
    assert (short.error, short.field_validation, refused.field_validation) == ("no", "Strict", None)
    assert isinstance(status, StatusUpdateCase)
    assert status.old_crd == OldCRD(path="old.yaml", place=("oldCRD", "path"))


def test_lines_of_keys_and_items_can_be_asked_for(everything: CaseFile) -> None:
    update = everything.cases[2]
    assert update.lines.find_line("errors") == 21
    assert update.lines.find_line("errors", 1) == 23
    assert update.lines.find_line("errors", 1, "detail") == 23
    assert update.lines.find_line("xfail") == 25


def test_several_documents_have_a_crd_each() -> None:
    first, second = load(
        "# first\ncrd: a\npruning:\n- {name: a, input: {}, pruned: []}\n---\n\n---\ncrd: b\n"
        "defaulting:\n- {name: b, input: {}, defaulted: []}\n---\n# nothing\n"
    )
    assert (first.crd, first.cases[0].line) == ("a", 4)
    assert (second.crd, second.cases[0].line, second.lines.find_line("crd")) == ("b", 10, 8)


SAME = {
    "block style": "crd: x\npruning:\n- name: a\n  input:\n    spec: {a: 1}\n  expected:\n    spec: {a: 1}\n",
    "flow style": "{crd: x, pruning: [{name: a, input: {spec: {a: 1}}, expected: {spec: {a: 1}}}]}",
    "JSON": json.dumps(
        {"crd": "x", "pruning": [{"name": "a", "input": {"spec": {"a": 1}}, "expected": {"spec": {"a": 1}}}]}
    ),
    "JSON over several lines": json.dumps(
        {"crd": "x", "pruning": [{"name": "a", "input": {"spec": {"a": 1}}, "expected": {"spec": {"a": 1}}}]}, indent=2
    ),
    "an anchor": "crd: x\npruning:\n- {name: a, input: &i {spec: {a: 1}}, expected: *i}\n",
    "an anchor at the top": "crd: x\nx-i: &i {spec: {a: 1}}\npruning:\n- {name: a, input: *i, expected: *i}\n",
    "a merge key": "crd: x\nx-i: &i {input: {spec: {a: 1}}}\npruning:\n- <<: *i\n  name: a\n  expected: {spec: {a: 1}}\n",
    "quoted keys": '"crd": x\n"pruning":\n- {"name": a, \'input\': {spec: {a: 1}}, "expected": {spec: {a: 1.0}}}\n',
    "an end of the document": "---\ncrd: x\npruning:\n- {name: a, input: {spec: {a: 1}}, expected: {spec: {a: 1}}}\n...\n# end\n\n",
    "an end and a separator": (
        "crd: x\npruning:\n- {name: a, input: {spec: {a: 1}}, expected: {spec: {a: 1}}}\n... # end\n---\n# nothing\n"
    ),
    "Windows line ends": "crd: x\r\npruning:\r\n- {name: a, input: {spec: {a: 1}}, expected: {spec: {a: 1}}}\r\n",
    "an alias for the whole case": (
        "crd: x\nx-a: &a {name: a, input: {spec: {a: 1}}, expected: {spec: {a: 1}}}\npruning: [*a]\n"
    ),
}


@pytest.mark.parametrize(
    ("mapping", "value"),
    [
        pytest.param("{<<: *one, a: 2}", {"a": 2, "b": 1}, id="a key overrides what a merge brings in"),
        pytest.param("{<<: [*two, *one]}", {"a": 2, "b": 1}, id="the first of several merges wins"),
        pytest.param("{<<: *two, a: 3}", {"a": 3, "b": 1}, id="a key overrides a merge that overrides a merge"),
        pytest.param("{<<: [*two, *one], b: 2}", {"a": 2, "b": 2}, id="a key overrides one of several merges"),
    ],
)
def test_a_merge_key_is_there_to_be_overridden(mapping: str, value: object) -> None:
    case_file = only(
        "crd: x\nx-one: &one {a: 1, b: 1}\nx-two: &two {<<: *one, a: 2}\n"
        f"pruning:\n- {{name: a, input: {mapping}, pruned: []}}\n"
    )

    assert case_file.cases[0].input == value


@pytest.mark.parametrize("text", [pytest.param(text, id=id_) for id_, text in SAME.items()])
@pytest.mark.parametrize(
    "encode", [str, str.encode, lambda text: b"\xef\xbb\xbf" + text.encode()], ids=["str", "bytes", "BOM"]
)
def test_ways_to_write_the_same_case(text: str, encode: Callable[[str], str | bytes]) -> None:
    (case,) = only(encode(text)).cases
    assert (case.name, case.section, case.input, case.expected) == (
        "a",
        "pruning",
        {"spec": {"a": 1}},
        {"spec": {"a": 1}},
    )


def test_anchors_work_across_cases_and_share_nothing() -> None:
    """A pass that changed one case's input could otherwise change another's."""
    cases = only(
        "crd: x\npruning:\n- {name: a, input: &i {spec: {a: 1}}, pruned: []}\n"
        "- {name: b, input: *i, expected: *i}\n- {name: c, input: {<<: *i, b: 2}, pruned: []}\n"
    ).cases
    assert [case.input for case in cases] == [{"spec": {"a": 1}}, {"spec": {"a": 1}}, {"spec": {"a": 1}, "b": 2}]
    assert cases[0].input["spec"] is not cases[1].input["spec"]
    assert cases[1].input["spec"] is not cases[1].expected["spec"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2001-01-01", "2001-01-01"),
        ("1e3", 1000),
        ("y", True),
        ("0777", 511),
        ("=", "="),
        ("1:30", "1:30"),
        ("1.0", 1),
        ("null", None),
        ("18446744073709551615", 18446744073709551615.0),
    ],
)
def test_values_are_those_that_the_server_reads(written: str, value: object) -> None:
    (case,) = only(f"crd: x\npruning:\n- name: a\n  input: {{a: {written}}}\n  pruned: []\n").cases
    assert (case.input, type(case.input["a"])) == ({"a": value}, type(value))


@pytest.mark.parametrize("name", ["é 日本 🙂", "a: b", "a/b", 'say "hi"', "a:b", "(x)", " padded "])
def test_names_may_be_sentences_in_any_language(name: str) -> None:
    (case,) = only(json.dumps({"crd": "x", "pruning": [{"name": name, "input": {}, "pruned": []}]})).cases
    assert case.name == name


@pytest.mark.parametrize("version", ["1.37", "v1.36", "1.32.4"])
def test_kubernetes_version_may_be_written_as_releases_are_named(version: str) -> None:
    text = f"crd: x\nkubernetesVersion: '{version}'\npruning:\n- {{name: a, input: {{}}, pruned: []}}\n"
    assert only(text).kubernetes_version == version


@pytest.mark.parametrize("text", ["crd: [", "crd: x\n\tpruning: []", b"\xff\xfe\x00", "a: *b", "&a [*a]"])
def test_invalid_yaml_is_a_mistake_of_the_user(text: str) -> None:
    with pytest.raises(inputerror.InputError, match=r"^f\.yaml"):
        load(text)


@pytest.mark.parametrize("convert", [str, str.encode])
def test_a_template_gets_a_hint(convert: Callable[[str], str]) -> None:
    with pytest.raises(
        inputerror.InputError, match=r"^f\.yaml:2: .* \(this is a Helm template, which nothing renders here\)$"
    ):
        load(convert("crd: x\npruning: {{ .Values.a }}\n"))


@pytest.mark.session
def test_jsonschema_is_imported_with_the_first_mistake_in_a_case_file() -> None:
    """It costs more than all of ours."""
    code = (
        "import sys; from pytest_crd.cases import loader; assert 'jsonschema' not in sys.modules\n"
        "loader.load('{crd: x, pruning: [{name: a, input: {}, pruned: []}]}', source='f'); assert 'jsonschema' not in sys.modules\n"
        "try: loader.load('{crd: x, pruning: [{name: a, inputs: {}}]}', source='f')\n"
        "except loader.CaseFileError: assert 'jsonschema' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
