"""Additions to an existing case file: cases for unreached points, without a change of its text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd import coverage, engine
from pytest_crd.cases import loader
from pytest_crd.cases.model import CaseFileError
from pytest_crd.engine.yaml import yamlreader
from pytest_crd.generation import Generated, add, additions, generate
from pytest_crd.generation.reach import Reach

NUMBER = {"type": "integer"}
VERSION = versions.create_version(fields(a={**NUMBER, "maximum": 3}, b={"type": "string", "default": "x"}))
HEAD = "crd: tabs.example.com\n"
OTHER = "crd: others.example.com\ncreate:\n- {name: other, input: {}, accepted: true}\n"
OLD = """\
crd: tabs.example.com  # the only one
create:
  # what is here stays
  - name: "spec.a: 4 is too large"
    input: {spec: {a: 4}}
    error: should be less than or equal to 3   # in words

  - name: skipped
    skip: later
    input: {spec: {a: 3}}
    accepted: true
  # the end

update:
- {name: wrong, old: {spec: {a: 9}}, input: {spec: {a: 3}}, accepted: true}
"""


def _add(text: str, version: engine.CrdVersion = VERSION) -> Generated:
    return add([version], text.encode(), source="old", folder=Path())


def _names(text: str) -> list[str]:
    return [case.name for file in loader.load(text, source="new") for case in file.cases]


def test_existing_text_is_kept_literally() -> None:
    generated = _add(OLD)

    new = generated.text.splitlines()
    assert [line for line in new if line in OLD.splitlines()][: len(OLD.splitlines())]
    position = 0
    for line in OLD.splitlines():
        position = new.index(line, position) + 1
    assert generated.missed == ()
    assert generated.points == len(coverage.points(VERSION))


@pytest.mark.parametrize(("crd", "place"), [("x", "old: "), ("x\\/y", "old:1: .*; ")])
def test_a_file_that_is_partly_json_is_refused(crd: str, place: str) -> None:
    case = f'{{"crd": "{crd}", "create": [{{"name": "a", "input": {{}}}}]}}'
    text = f"{case}\ncrd: x\ncreate: [{{name: b, input: {{}}, expected: {{}}}}]\n"

    with pytest.raises(CaseFileError, match=f"^{place}only a part"):
        additions._File(text.encode(), "old")


def test_cases_are_added_for_unreached_points_only() -> None:
    names = _names(_add(OLD).text)

    assert names[:2] == ["spec.a: 4 is too large", "skipped"]
    assert "spec.a: 3 is small enough" in names
    assert "spec.a: 4 is too large (2)" not in names
    assert "the smallest object is accepted" in names  # an error does not show the stored object


@pytest.mark.parametrize("reference", ["Tab", "tabs", "tab.example.com"])
def test_a_file_may_name_its_crd_in_any_way(reference: str) -> None:
    generated = _add(OLD.replace(HEAD.strip(), f"crd: {reference}", 1))

    assert f"crd: {reference}  # the only one" in generated.text
    assert generated.missed == ()


def test_new_items_are_indented_as_old_ones() -> None:
    text = _add(OLD).text

    assert '\n  - {name: "spec.a: 3 is small enough"' in text
    assert '\npruning:\n- {name: "the object: unknown fields are dropped", input: ' in text


def test_a_file_of_another_kubernetes_version_is_refused() -> None:
    words = "old:2: the file is run under Kubernetes 1.21: generate with --crd-kubernetes-version 1.21"
    with pytest.raises(CaseFileError, match=re.escape(words)):
        _add(OLD.replace("create:", 'kubernetesVersion: "1.21"\ncreate:'))


def test_a_file_of_the_same_kubernetes_version_is_added_to() -> None:
    own = OLD.replace("create:", f'kubernetesVersion: "{VERSION.crd.kubernetes_version}"\ncreate:')

    assert _add(own).missed == ()


def test_a_second_time_there_is_nothing_to_add() -> None:
    once = _add(OLD)

    again = _add(once.text)

    assert (again.cases, again.text) == (0, once.text)


def test_generated_cases_are_not_run_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    text = generate([VERSION]).text
    checked: list[str] = []
    monkeypatch.setattr(Reach, "check", lambda _, case: checked.append(case.name))

    assert _add(text).text == text
    assert checked == []
    changed = text.replace("a: 4", "a: 5", 1)
    assert changed != text
    _add(changed)
    assert checked


def test_additions_to_a_generated_file_use_its_anchor() -> None:
    text = generate([VERSION]).text
    wider = versions.create_version(
        fields(a={**NUMBER, "maximum": 3}, b={"type": "string", "default": "x"}, c={**NUMBER, "minimum": 7})
    )

    generated = _add(text, wider)

    assert "  patch: {spec: {c: 6}}\n" in generated.text
    added = yamlreader.read_one(generated.text).value
    assert [case["name"] for case in added["create"] if case["name"].startswith("spec.c")]
    assert generated.missed == ()


@pytest.mark.parametrize(
    "anchor", ["x-smallest: &other {spec: {}}", "x-smallest: {spec: {}}", "x-smallest: &smallest {spec: {a: 1}}"]
)
def test_other_anchors_are_not_used(anchor: str) -> None:
    generated = _add(f"{HEAD}{anchor}\ncreate:\n- {{name: one, input: {{spec: {{}}}}, accepted: true}}\n")

    assert "*smallest" not in generated.text
    assert generated.missed == ()


def test_an_anchor_after_the_cases_is_not_used() -> None:
    generated = _add(
        f"{HEAD}create:\n- {{name: one, input: {{spec: {{}}}}, accepted: true}}\nx-smallest: &smallest {{spec: {{}}}}\n"
    )

    assert "*smallest" not in generated.text
    assert generated.missed == ()


def test_cases_are_added_to_the_document_of_the_version() -> None:
    generated = _add(f"{OTHER}---\n{HEAD}create:\n- {{name: one, input: {{spec: {{}}}}, accepted: true}}\n")

    first, own = yamlreader.read(generated.text)
    assert len(first.value["create"]) == 1
    assert len(own.value["create"]) > 1


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_line_ends_and_marks_stay(mark: str, ending: str, last: str) -> None:
    text = f"{mark}{HEAD}create:\n- {{name: one, input: {{spec: {{}}}}, accepted: true}}{last}".replace("\n", ending)

    generated = _add(text)

    assert generated.text.startswith(text.removesuffix(ending))
    assert generated.text.count("\n") == generated.text.count(ending)
    assert generated.text.endswith(ending) == bool(last)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OTHER, "old:1: the file is about others.example.com, not about tabs.example.com v1: move it, or write `crd:`"),
        (
            f"{HEAD}version: v2\ncreate:\n- {{name: a, input: {{}}, accepted: true}}\n",
            "old:1: the file is about tabs.example.com v2, not about tabs.example.com v1",
        ),
        (
            f"{HEAD}create: [{{name: a, input: {{spec: {{}}}}, accepted: true}}]\n",
            "old:2: no case can be added to what stands in brackets",
        ),
        (
            "{crd: tabs.example.com, update: [{name: a, old: {spec: {}}, input: {spec: {}}, accepted: true}]}",
            "old:1: no case can be added to what stands in brackets: write `pruning:` as a list",
        ),
        ("crd: [", "old:2: "),
    ],
)
def test_files_that_cannot_be_extended_are_refused(text: str, message: str) -> None:
    with pytest.raises((CaseFileError, engine.InputError)) as caught:
        _add(text)

    assert message in str(caught.value)


def test_cases_with_input_files_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("spec: {}\n", encoding="utf-8")
    text = f"{HEAD}create:\n- {{name: one, inputFile: a.yaml, accepted: true}}\n"

    generated = add([VERSION], text.encode(), source="old", folder=tmp_path)

    assert generated.cases > 0
    assert generated.missed == ()
