"""`pytest-crd cel`."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import crds

from pytest_crd import __main__ as program

CRD = crds.text(
    "plural: tabs, kind: Tab",
    """\
    type: object
    properties:
      any: {type: object, x-kubernetes-preserve-unknown-fields: true}
      what: {x-kubernetes-preserve-unknown-fields: true}
      spec:
        type: object
        properties:
          max: {type: integer, default: 10}
          replicas: {type: integer}
          names: {type: array, maxItems: 9, items: {type: string, maxLength: 9}}
          labels: {type: object, additionalProperties: {type: string}}
          lists: {type: array, maxItems: 2, items: {type: array, maxItems: 9, items: {type: string, maxLength: 9}}}
          few: {type: object, maxProperties: 3, additionalProperties: {type: integer}}
          large: {type: array, items: {type: integer}}
    """,
)
OBJECT = """\
any: {thing: 1}
what: 1
spec: {replicas: 11, names: [a, bc], labels: {a: x, "b[c]": z, b: w}, lists: [[a]], few: {a: 1}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds/tabs.yaml").write_text(CRD)
    (tmp_path / "tab.yaml").write_text(OBJECT)
    (tmp_path / "list.yaml").write_text("[1]")
    (tmp_path / "large.yaml").write_text(f"spec: {{large: {[1] * 5000}}}")
    (tmp_path / "old.yaml").write_text(OBJECT.replace("11", "9"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _ask(rule: str, *options: str, crd: str = "crds/tabs.yaml") -> int:
    return program.main(["cel", rule, "--crd", crd, "--self", "tab.yaml", *options])


def test_a_rule_is_evaluated_where_it_would_stand(capsys: pytest.CaptureFixture[str]) -> None:
    assert _ask("self.replicas <= self.max", "--path", "spec") == 1
    assert capsys.readouterr() == (
        "value  false\ntype   bool\ncost   5, at most 5 by estimate, 0.00% of a rule's budget\n  self.replicas = 11\n  self.max = 10\n",
        "",
    )


@pytest.mark.parametrize(
    ("path", "all_values"),
    [
        ("spec.names[0]", "; 54 for up to 9 values, 0.00% of a rule's budget"),
        ("spec.lists[0][0]", "; 108 for up to 18 values, 0.00% of a rule's budget"),
        ("spec.lists[0]", "; 6 for up to 2 values, 0.00% of a rule's budget"),
        ("spec.few.a", "; 6 for up to 3 values, 0.00% of a rule's budget"),
        ("spec.labels.a", "; 329855795200 for up to 1048576 values, 32986 times a rule's budget"),
    ],
)
def test_the_cost_for_all_possible_values_is_printed(
    path: str, all_values: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _ask("self == self", "--path", path) == 0
    assert capsys.readouterr().out.splitlines()[2].split(" by estimate")[1] == all_values


def test_an_object_refused_before_rules_run_gets_a_note(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tab.yaml").write_text(OBJECT.replace("11", '"11"'))

    assert _ask("true") == 0
    assert capsys.readouterr().err == (
        "note: tab.yaml: the server refuses the object before it runs rules: "
        'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"\n'
    )


def test_an_object_refused_by_a_rule_gets_no_note(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = "            x-kubernetes-validations: [{rule: self.replicas <= self.max}]\n"
    (folder / "crds/tabs.yaml").write_text(
        CRD.replace("            properties:\n              max", f"{rule}            properties:\n              max")
    )

    assert _ask("self.spec.replicas > self.spec.max") == 0
    output = capsys.readouterr()
    assert output.err == ""
    assert output.out.startswith("value  true\n")


def test_the_whole_object_is_meant_without_a_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert _ask("self.kind + ' of ' + string(self.spec.max)", crd="tabs.example.com") == 0
    assert capsys.readouterr().out.startswith('value  "Tab of 10"\ntype   string\ncost   ')


@pytest.mark.parametrize(
    ("path", "value"),
    [("spec.names[1]", '"bc"'), ("spec.labels.a", '"x"'), ("spec.labels[a]", '"x"'), ("any", "{}"), ("spec.max", "10")],
)
def test_a_path_leads_to_items_values_and_defaults(path: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _ask("self", "--path", path) == 0
    assert capsys.readouterr().out.startswith(f"value  {value}\n")


def test_a_change_is_evaluated_with_the_old_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert _ask("self.replicas > oldSelf.replicas", "--path", "spec", "--old", "old.yaml") == 0
    assert "  self.replicas = 11\n  oldSelf.replicas = 9\n" in capsys.readouterr().out


def test_an_error_at_run_time_is_shown_with_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert _ask("self.names[5] == 'a'", "--path", "spec") == 1
    assert capsys.readouterr().out.startswith("error  index out of bounds: 5\ntype   bool\n")


@pytest.mark.parametrize(
    ("rule", "options", "problem"),
    [
        ("self.b > 1", ["--path", "spec"], "compilation failed: ERROR: <input>:1:5: undefined field 'b'"),
        ("int('a') > 1", ["--path", "spec"], "program instantiation failed: "),
        ("oldSelf.max > 1", ["--path", "spec"], "the expression speaks of oldSelf, and no old value is given"),
        ("true", ["--path", "spec.mox"], "tab.yaml: there is nothing at spec.mox"),
        ("true", ["--path", "spec.labels.b[c]"], None),
        ("true", ["--path", "any.thing"], "the schema says nothing of 'thing' in the path"),
        ("true", ["--path", "spec.names[0]", "--self", "list.yaml"], "list.yaml:1: is no mapping, as every object is"),
        (
            "self.large.all(x, self.large.all(y, y < 9))",
            ["--path", "spec", "--self", "large.yaml"],
            "operation cancelled",
        ),
        ("true", ["--path", "what"], "expressions cannot speak of the value at the path"),
        ("true", ["--version", "v2"], "tabs.example.com has no version 'v2'; it has: v1"),
        ("true", ["--kubernetes-version", "0.1"], "unknown Kubernetes version '0.1'"),
        ("true", ["--old", "gone.yaml"], "gone.yaml: cannot be read: No such file or directory"),
    ],
)
def test_an_expression_that_cannot_be_tried_gets_the_reason(
    rule: str, options: list[str], problem: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _ask(rule, *options) == (0 if problem is None else 2)
    assert capsys.readouterr().err.startswith(problem or "")


def test_one_of_several_versions_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "crds/tabs.yaml").write_text(CRD + "  - {name: v2, served: true, storage: false}\n")

    assert _ask("true") == 2
    assert capsys.readouterr().err == "tabs.example.com serves 2 versions of v1, v2; say which: CRD/VERSION\n"
    assert _ask("true", "--version", "v1") == 0
    assert _ask("true", "--version", "v2") == 2
    message = "v2 of tabs.example.com has no schema, so that rules cannot speak of its objects\n"
    assert capsys.readouterr().err == message


def test_a_dropped_field_gets_a_note(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tab.yaml").write_text("spec: {maxx: 5}")

    assert _ask("self.max == 10", "--path", "spec") == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("value  true\n")
    assert printed.err == "note: tab.yaml: spec.maxx is dropped, as the schema does not specify it\n"


def test_the_object_says_which_crd_it_is_of(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tab.yaml").write_text(f"apiVersion: example.com/v1\nkind: Tab\n{OBJECT}")
    rule = ["cel", "self.spec.replicas == 11", "--self", "tab.yaml"]

    assert program.main(rule) == 0
    assert program.main([*rule, "--crd-path", "crds"]) == 0
    assert program.main([rule[0], rule[1], "tab/v1", *rule[2:]]) == 0
    assert program.main([rule[0], rule[1], "crds/tabs.yaml", *rule[2:]]) == 0
    capsys.readouterr()
    (folder / "tab.yaml").write_text(OBJECT)
    assert program.main(rule) == 2
    assert capsys.readouterr().err == (
        "tab.yaml: no CRD is of the object's apiVersion and kind; say which: RULE CRD[/VERSION]\n"
    )


def test_the_version_of_the_object_is_used_if_there_are_several(folder: Path) -> None:
    served = CRD[CRD.index("  - name: v1") :] if "  - name: v1" in CRD else ""
    assert served
    (folder / "crds/tabs.yaml").write_text(
        CRD + served.replace("name: v1", "name: v2").replace("storage: true", "storage: false")
    )
    (folder / "tab.yaml").write_text(f"apiVersion: example.com/v2\nkind: Tab\n{OBJECT}")

    assert program.main(["cel", "self.apiVersion == 'example.com/v2'", "--self", "tab.yaml"]) == 0


def _cost(rule: str, *options: str) -> int:
    return program.main(["cel", rule, "crds/tabs.yaml", *options])


def test_without_an_object_the_cost_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert _cost("self.names.all(n, n != 'a')", "--path", "spec") == 0
    assert capsys.readouterr() == (
        "type   bool\ncost   at most 48 by estimate, 0.00% of a rule's budget\n",
        "",
    )


def test_each_missing_limit_is_named_with_its_line_and_values_that_suffice(capsys: pytest.CaptureFixture[str]) -> None:
    assert _cost("self.large.all(x, self.large.all(y, y == x)) && self.names.size() < 3", "--path", "spec") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "type   bool"
    assert lines[1].endswith(" times a rule's budget")
    assert lines[2:] == [
        "  spec.large (crds/tabs.yaml:27) has no maxItems: the server counts the most that fits into a request",
        "  with maxItems: 1000 there, it costs at most 5006007, 50.06% of a rule's budget",
    ]


def test_limits_around_the_value_count(capsys: pytest.CaptureFixture[str]) -> None:
    assert _cost("self.matches('a')", "--path", "spec.labels[*]") == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": the")[0] for line in lines[2:4]] == [
        "  spec.labels (crds/tabs.yaml:24) has no maxProperties",
        "  spec.labels[*] (crds/tabs.yaml:24) has no maxLength",
    ]
    assert lines[4] == (
        "  with maxProperties: 1000 and maxLength: 253 there, it costs at most 103; 103000 for up to 1000 values, 1.03% of a rule's budget"
    )


@pytest.mark.parametrize(
    ("loops", "last"),
    [
        (4, "  with maxItems: 20 there, it costs at most "),
        (8, "  with 10 items and 63 characters there, it still costs "),
    ],
)
def test_a_rule_that_no_limit_helps_gets_other_advice(
    loops: int, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = "self.large.all(x, " * loops + "x > 0" + ")" * loops

    assert _cost(rule, "--path", "spec") == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith(last)


def test_a_rule_over_limited_lists_gets_other_advice(capsys: pytest.CaptureFixture[str]) -> None:
    rule = "self.names.all(x, " * 8 + "x != 'a'" + ")" * 8

    assert _cost(rule, "--path", "spec") == 1
    assert capsys.readouterr().out.splitlines()[2:] == [
        "  the schema has all limits: lower them, or loop less, or over smaller lists"
    ]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["self"], "without --self, say which CRD and leave out --old: RULE CRD[/VERSION] --path spec.items[*]\n"),
        (["self", "crds/tabs.yaml", "--old", "old.yaml"], "without --self, say which CRD and leave out --old: "),
        (["self", "crds/tabs.yaml", "--path", "spec.mox"], "the schema of tabs.example.com v1 has no spec.mox; "),
        (["self.b", "crds/tabs.yaml", "--path", "spec"], "compilation failed: ERROR: <input>:1:5: undefined field"),
        (["self", "crds/tabs.yaml", "--path", "what"], "expressions cannot speak of the value at the path\n"),
    ],
)
def test_a_cost_that_cannot_be_estimated_gets_the_reason(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["cel", *arguments]) == 2
    assert capsys.readouterr().err.startswith(problem)
