"""`--crd-checks`: every check of a CRD is an item below the CRD's file, wherever that lies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pytest_crd import engine

if TYPE_CHECKING:
    from support.sessions import Project

FILE = "config/crd/bases/gardens.yaml"
NAMES = [
    f"{FILE}::accepted[gardens.stories.example.com]",
    f"{FILE}::structural[gardens.stories.example.com-v1]",
    f"{FILE}::published[gardens.stories.example.com-v1]",
    f"{FILE}::conditions[gardens.stories.example.com]",
    f"{FILE}::applies[gardens.stories.example.com-v1]",
]


def _change(project: Project, old: str, new: str, file: str = FILE) -> None:
    path = project.path / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def _ponds(project: Project) -> str:
    """Write another CRD, with other names."""
    path = str(project.crd("config/crd/bases/ponds.yaml", plural="ponds", kind="Pond"))
    _change(project, "singular: garden", "singular: pond", path)
    return path


def _ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line and " " not in line]


@pytest.mark.parametrize("way", ["--crd-checks", "crd_checks = true"])
def test_every_crd_is_checked_even_outside_of_collected_folders(project: Project, way: str) -> None:
    project.write("tests/test_it.py", "def test_it(): pass\n")
    project.ini("testpaths = tests", *([] if way.startswith("-") else [way]))
    arguments = [way] if way.startswith("-") else []

    result = project.run("--collect-only", "-q", *arguments)

    assert _ids(result) == ["tests/test_it.py::test_it", *NAMES]
    project.run(*arguments).assert_outcomes(passed=6)


def test_nothing_is_checked_without_the_option(project: Project) -> None:
    project.write("test_it.py", "def test_it(): pass\n")

    project.run().assert_outcomes(passed=1)

    project.ini("crd_checks = false", "crd_warnings = error")
    project.run().assert_outcomes(passed=1)


def test_the_header_counts_the_checks(project: Project) -> None:
    result = project.run("--crd-checks")

    result.stdout.fnmatch_lines(
        ["crd: 1 CRD, 1 version from config/crd/bases; Kubernetes 1.37", "crd: 5 checks in 1 file"]
    )


def test_a_run_with_node_ids_has_no_other_checks(project: Project) -> None:
    project.write("test_it.py", "def test_it(): pass\n")

    assert _ids(project.run("--collect-only", "-q", "--crd-checks", "test_it.py::test_it")) == ["test_it.py::test_it"]
    assert _ids(project.run("--collect-only", "-q", "--crd-checks", NAMES[1])) == [NAMES[1]]
    assert _ids(project.run("--collect-only", "-q", "--crd-checks", f"{FILE}::accepted")) == [NAMES[0]]


def test_a_run_with_files_that_have_checks_has_no_other_checks(project: Project) -> None:
    ponds = _ponds(project)
    project.write("test_it.py", "def test_it(): pass\n")

    assert _ids(project.run("--collect-only", "-q", "--crd-checks", FILE)) == NAMES
    assert len(_ids(project.run("--collect-only", "-q", "--crd-checks", "test_it.py"))) == 11
    assert len(_ids(project.run("--collect-only", "-q", "--crd-checks", "."))) == 11
    assert len(_ids(project.run("--collect-only", "-q", "--crd-checks", ponds, FILE))) == 10


def test_checks_are_selected_by_their_kind(project: Project) -> None:
    result = project.run("--crd-checks", "-k", "accepted")

    result.assert_outcomes(passed=1, deselected=4)


def test_a_refusal_has_each_cause_at_its_line(project: Project) -> None:
    _change(project, "scope: Namespaced", "scope: Namespacd")
    _change(project, "size: {type: integer, default: 3}", "size: {type: integer, default: a}")

    result = project.run("--crd-checks", "-k", "accepted")

    result.assert_outcomes(failed=1, deselected=4)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            f"{FILE}:1: accepted[[]gardens.stories.example.com], Kubernetes 1.37",
            "refused (422):",
            f'  {FILE}:6: spec.scope: Unsupported value: "Namespacd": supported values: "Cluster", "Namespaced"',
            f"  {FILE}:20: spec.validation.openAPIV3Schema.properties[[]spec].properties[[]size].default: Invalid value: *",
            f"FAILED {FILE}::accepted*",
        ]
    )


def test_unknown_and_repeated_fields_are_refused(project: Project) -> None:
    _change(project, "  scope: Namespaced", "  scope: Cluster\n  scop: Namespaced\n  scope: Namespaced")
    _change(project, "label: {type: string}", "label: {type: string, patern: a}")

    result = project.run("--crd-checks", "-k", "accepted")

    result.stdout.fnmatch_lines(
        [
            "refused (400):",
            f'  {FILE}:8: key "scope" is set twice; only the last value counts',
            f'  {FILE}:7: unknown field "spec.scop"',
            f'  {FILE}:23: unknown field "spec.versions[[]0].schema.openAPIV3Schema.properties.spec.properties.label.patern"',
        ]
    )


def test_a_rule_that_does_not_compile_is_shown_with_its_position(project: Project) -> None:
    _change(
        project,
        "            type: object\n            properties:\n              size",
        "            type: object\n            x-kubernetes-validations: [{rule: self.size > foo}]\n"
        "            properties:\n              size",
    )

    result = project.run("--crd-checks", "-k", "accepted")

    result.stdout.fnmatch_lines([f"  {FILE}:19:*: spec.validation.openAPIV3Schema*undeclared reference to 'foo'*"])


def test_warnings_are_shown_or_errors(project: Project) -> None:
    _change(project, "label: {type: string}", "label: {type: string, format: fancy}")
    _change(project, "note: {type: string}", "note: {type: string, format: fancy}")
    warning = f'{FILE}:21: warning: unrecognized format "fancy", which checks nothing; also at {FILE}:22'

    result = project.run("--crd-checks")
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines([f"crd: {warning}"])

    project.ini("crd_checks = true", "crd_warnings = error")
    result = project.run()
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(
        ["the server warns:", f"  {warning.replace('warning: ', '', 1).replace(': unrec', ': warning: unrec')}"]
    )
    result.stdout.no_fnmatch_line("crd: *warning*")


def test_a_warning_names_a_few_of_its_places(project: Project) -> None:
    for name in ("size: {type: integer", "rows: {type: integer", "label: {type: string", "note: {type: string"):
        _change(project, name, f"{name}, format: fancy")

    result = project.run("--crd-checks")

    assert re.search(r"also at \S+:21, \S+:22 …", result.stdout.str())


def test_every_violation_of_a_structural_schema_has_its_line(project: Project) -> None:
    _change(project, "label: {type: string}", "label: {}")
    _change(project, "note: {type: string}", "note: {}")

    result = project.run("--crd-checks", "-k", "structural")

    result.stdout.fnmatch_lines(
        [
            "the schema of v1 is not structural:",
            f"  {FILE}:21: spec.*properties[[]label].type: Required value: *",
            f"  {FILE}:22: spec.*properties[[]note].type: Required value: *",
        ]
    )


def test_names_that_are_taken_show_in_the_conditions(project: Project) -> None:
    _change(project, "singular: pond", "singular: garden", _ponds(project))

    result = project.run("--crd-checks")

    result.assert_outcomes(passed=9, failed=1)
    result.stdout.fnmatch_lines(
        [
            "stored, but with flaws that only its conditions tell:",
            '  config/crd/bases/ponds.yaml:7: NamesAccepted would be False (SingularConflict): "garden" is already in use',
            "  config/crd/bases/ponds.yaml:4: Established would be False (NotAccepted): not all names are accepted",
        ]
    )


def test_a_missing_approval_is_at_the_metadata(project: Project) -> None:
    project.crd("config/crd/bases/gardens.yaml")
    _change(project, "group: stories.example.com", "group: stories.k8s.io")
    _change(
        project,
        "{name: gardens.stories.example.com}",
        "\n  name: gardens.stories.k8s.io\n  annotations: {api-approved.kubernetes.io: unapproved}",
    )

    result = project.run("--crd-checks", "-k", "conditions")

    result.stdout.fnmatch_lines(
        [f"  {FILE}:5: KubernetesAPIApprovalPolicyConformant would be False (Unapproved…*".replace("…", "")]
    )


def test_a_crd_that_is_refused_has_no_conditions(project: Project) -> None:
    _change(project, "scope: Namespaced", "scope: Namespacd")

    result = project.run("--crd-checks", "-k", "conditions")

    result.assert_outcomes(failed=1, deselected=4)
    result.stdout.fnmatch_lines(
        ["it would have no conditions, as the server refuses it:", f"  {FILE}:6: spec.scope: Unsupported value: *"]
    )


def test_a_crd_declared_stored_has_a_note_that_it_is_refused(project: Project) -> None:
    _change(project, "scope: Namespaced", "scope: Namespacd")
    project.ini("crd_checks = true", "crd_stored = gardens.stories.example.com")

    result = project.run("-rs", "-k", "accepted")

    result.assert_outcomes(skipped=1, deselected=4)
    assert "crd_stored says that it is stored; created anew: CustomResourceDefinition" in result.stdout.str()


def test_alternatives_are_checked_each_and_copies_once(project: Project) -> None:
    project.crd("config/crd/bases/copy.yaml")
    project.crd("config/crd/bases/other.yaml")
    _change(project, "default: 3", "default: a", "config/crd/bases/other.yaml")

    result = project.run("--crd-checks")

    result.assert_outcomes(passed=8, failed=1, skipped=1)
    result.stdout.fnmatch_lines(["FAILED config/crd/bases/other.yaml::accepted*"])


def test_two_crds_of_one_name_in_one_file_are_told_apart(project: Project) -> None:
    text = (project.path / FILE).read_text(encoding="utf-8")
    project.write(FILE, f"{text}---\n{text.replace('maximum: 10', 'maximum: 11')}")

    names = _ids(project.run("--collect-only", "-q", "--crd-checks", "-k", "accepted"))

    line = text.count("\n") + 2
    assert names == [
        f"{FILE}::accepted[gardens.stories.example.com@{FILE}:1]",
        f"{FILE}::accepted[gardens.stories.example.com@{FILE}:{line}]",
    ]


def test_checks_run_for_each_kubernetes_version(project: Project) -> None:
    names = _ids(
        project.run("--collect-only", "-q", "--crd-checks", "--crd-kubernetes-version", "1.36 1.37", "-k", "accepted")
    )

    assert names == [f"{FILE}::accepted[gardens.stories.example.com-{version}]" for version in ("1.36", "1.37")]


def test_the_output_of_commands_is_checked_under_the_ini_file(empty: Project) -> None:
    empty.crd("crd.txt")
    empty.ini("crd_checks = true", "crd_commands = cat crd.txt")

    names = _ids(empty.run("--collect-only", "-q"))
    assert names == [name.replace(FILE, "pytest.ini") for name in NAMES]

    empty.run(names[1]).assert_outcomes(passed=1)
    _change(empty, "scope: Namespaced", "scope: Namespacd", "crd.txt")
    empty.run().stdout.fnmatch_lines(["  cat crd.txt:6: spec.scope: *"])
    empty.run("--tb=line").stdout.fnmatch_lines(["pytest.ini:3: spec.scope: *"])


def test_a_run_of_checks_without_a_crd_fails(empty: Project) -> None:
    empty.write("test_it.py", "def test_it(): pass\n")
    empty.ini()

    result = empty.run("--crd-checks")

    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["crd: nothing to check: *no CRD was found: *"])
    assert empty.run("--crd-checks", "-k", "nothing").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_crd_that_cannot_be_read_is_an_error(project: Project) -> None:
    project.write("config/crd/bases/ponds.yaml", "kind: CustomResourceDefinition\na: [\n")

    result = project.run("--crd-checks")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["config/crd/bases/ponds.yaml:*: *"])
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result = project.run("--crd-checks", f"{FILE}::accepted")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["config/crd/bases/ponds.yaml:*: *"])


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["crd_checks = maybe"], "crd_checks: *maybe*; write true or false"),
        (["crd_checks = true", "crd_warnings = fail"], "crd_warnings: 'fail': write show or error"),
        (["crd_checks = true", "crd_rule_budget = 50"], "crd_rule_budget: '50': write a part *, such as 50%"),
        (["crd_checks = true", "crd_rule_budget = 0%"], "crd_rule_budget: '0%': write a part *, such as 50%"),
        (["crd_checks = true", "crd_rule_budget = 101%"], "crd_rule_budget: '101%': write a part *, such as 50%"),
        (["crd_rule_budget = 50%"], "crd_rule_budget does nothing without checks: *"),
        (["crd_warnings = error"], "crd_warnings does nothing without checks: set crd_checks = true, or *"),
    ],
)
def test_a_setting_that_is_wrong_or_without_effect_is_a_usage_error(
    project: Project, lines: list[str], words: str
) -> None:
    project.ini(*lines)

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {words}"])


BETA = """\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: gardens.stories.example.com}
spec:
  group: stories.example.com
  version: v1
  scope: Namespaced
  names: {plural: gardens, singular: garden, kind: Garden, listKind: GardenList}
  additionalPrinterColumns:
  - {name: size, type: integer, JSONPath: .spec.size}
  conversion:
    strategy: Webhook
    conversionReviewVersions: [v1]
    webhookClientConfig: {url: "https://example.com"}
  validation:
    openAPIV3Schema:
      type: object
      properties:
        spec: {}
"""


def test_a_v1beta1_crd_has_a_list_of_changes_that_v1_needs(empty: Project) -> None:
    empty.write(FILE, BETA)

    result = empty.run("--crd-checks", "-k", "accepted")

    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(
        [
            "refused (404):",
            f"  {FILE}:1: the server could not find the requested resource: Kubernetes 1.37 serves no *v1beta1, only *v1",
            f"  {FILE}:1: in v1: apiVersion: apiextensions.k8s.io/v1",
            f"  {FILE}:6: in v1: spec.version is a list: spec.versions, with name, served and storage",
            f"  {FILE}:15: in v1: spec.validation stands in each version: spec.versions[[]*].schema",
            f"  {FILE}:9: in v1: spec.additionalPrinterColumns stands in each version: *",
            f"  {FILE}:9: in v1: JSONPath of a column is spelled jsonPath",
            f"  {FILE}:4: in v1: unknown fields are dropped; *",
            f"  {FILE}:14: in v1: spec.conversion.webhookClientConfig is spec.conversion.webhook.clientConfig",
            f"  {FILE}:13: in v1: spec.conversion.conversionReviewVersions is *",
            f"  {FILE}:19: in v1: spec.validation*properties[[]spec].type: Required value: *",
        ]
    )


def test_a_v1beta1_crd_shows_its_nonstructural_condition(empty: Project) -> None:
    empty.write(FILE, re.sub(r"  conversion:\n(    .*\n)+", "", BETA))

    result = empty.run("--crd-checks", "--crd-kubernetes-version", "1.21")

    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "the schema of v1 is not structural; the condition NonStructuralSchema would be True (Violations):",
            f"  {FILE}:15: spec.validation.openAPIV3Schema.properties[[]spec].type: Required value: *",
            f"  {FILE}:1: in v1: apiVersion: apiextensions.k8s.io/v1",
            f"  {FILE}:4: NonStructuralSchema would be True (Violations): *",
        ]
    )
    assert result.stdout.str().count("in v1: spec.validation.openAPIV3Schema.properties[spec].type") == 0
    result.stdout.fnmatch_lines(
        [f"crd: {FILE}:1: warning: apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated*"]
    )


def test_a_structural_v1beta1_crd_lists_needed_changes_with_v(empty: Project) -> None:
    empty.write(
        FILE,
        BETA.replace("spec: {}", "spec: {type: object}").replace(
            "  scope:", "  preserveUnknownFields: false\n  scope:"
        ),
    )

    result = empty.run("--crd-checks", "--crd-kubernetes-version", "1.21", "-v")

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines([f"crd: {FILE}::structural*: {FILE}:6: in v1: spec.version is a list*"])
    result.stdout.no_fnmatch_line("*unknown fields are dropped*")


def _with_rules(project: Project, *rules: str) -> None:
    """Add rules to the spec and to the list of beds, which has no bound."""
    listed = "".join(f"                  - rule: {rule}\n" for rule in rules)
    _change(
        project,
        "                items:\n                  type: object\n",
        f"                items:\n                  type: object\n                  x-kubernetes-validations:\n{listed}",
    )


def test_rules_are_listed_with_cost_and_share(project: Project) -> None:
    _with_rules(project, "self.rows >= 0", "self.rows < 9")

    result = project.run("--crd-checks", "-v", "-k", "rules")

    result.assert_outcomes(passed=1, deselected=5)
    result.stdout.fnmatch_lines(
        [
            f"crd: {FILE}::rules[[]gardens.stories.example.com-v1]: spec.beds[[]*]: self.rows >= 0: costs at most 725,*",
            f"crd: {FILE}::rules*: spec.beds[[]*]: self.rows < 9: costs at most 725,* by estimate, 7.2*% of a rule's budget",
            f"crd: {FILE}::rules*: all rules of v1 cost at most * by estimate, *% of a schema's budget",
        ]
    )


def test_a_rule_fails_before_the_server_refuses_it(project: Project) -> None:
    _with_rules(project, "self.rows >= 0 && self.rows < 9", "self.rows >= 0")
    project.ini("crd_checks = true", "crd_rule_budget = 7.5%")

    result = project.run()

    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(
        [
            "rules that do not compile, or that cost too much:",
            f"  {FILE}:34: spec.beds[[]*]: self.rows >= 0 && self.rows < 9: costs at most *, more than the 7.5% of crd_rule_budget",
        ]
    )
    result.stdout.no_fnmatch_line(f"  {FILE}:35: *")


@pytest.mark.parametrize("check", ["accepted", "rules"])
def test_a_costly_rule_has_the_limits_that_it_needs(project: Project, check: str) -> None:
    _with_rules(project, "self.name.contains(self.plant)", "self.rows >= 0")

    result = project.run("--crd-checks", "-k", check)

    advice = [
        line.strip() for line in result.outlines if line.startswith("      ") and ("has no" in line or "with " in line)
    ]
    assert advice == [
        f"spec.beds ({FILE}:28) has no maxItems: the server counts the most that fits into a request",
        f"spec.beds[*].name ({FILE}:37) has no maxLength: the server counts the most that fits into a request",
        f"spec.beds[*].plant ({FILE}:37) has no maxLength: the server counts the most that fits into a request",
        "with maxItems: 500 and maxLength: 253 there, it costs at most 10408; 5204000 for up to 500 values, 52.04% of a rule's budget",
    ]


def test_a_costly_rule_with_an_optional_old_value_has_its_limits(project: Project) -> None:
    rule = "oldSelf.hasValue() && self.name.contains(self.plant)"
    _with_rules(project, rule)
    text = project.read(FILE).replace(f"- rule: {rule}", f"- optionalOldSelf: true\n                    rule: {rule}")
    project.write(FILE, text)

    lines = [line.strip() for line in project.run("--crd-checks", "-k", "rules").outlines]

    assert any(line.startswith("spec.beds[*].name (") for line in lines)


def test_all_rules_together_have_a_budget(project: Project) -> None:
    _with_rules(project, *["self.rows >= 0"] * 12)
    project.ini("crd_checks = true", "crd_rule_budget = 8%")

    result = project.run("-k", "rules")

    result.stdout.fnmatch_lines([f"  {FILE}:1: all rules of v1 cost at most *, more than the 8% of crd_rule_budget"])
    result.stdout.no_fnmatch_line(f"  {FILE}:34: *")


def test_rules_that_do_not_compile_or_that_the_server_finds_too_costly_fail(project: Project) -> None:
    _with_rules(project, "foo", "self.name.contains(self.plant)")

    result = project.run("--crd-checks", "-k", "rules")

    result.stdout.fnmatch_lines(
        [
            f"  {FILE}:34: spec.beds[[]*]: foo: compilation failed: ERROR: *",
            f"  {FILE}:35: spec.beds[[]*]: self.name.contains(self.plant): costs at most * times a rule's budget, more than the server takes",
        ]
    )


def test_a_rule_that_the_engine_cannot_evaluate_is_a_failure_with_the_reason(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object) -> None:
        raise engine.UnsupportedExpressionError("a message of protobuf")

    _with_rules(project, "self.rows >= 0")
    monkeypatch.setattr("pytest_crd.engine.crds.validation.schemas.declaredrules.find_rules", unknown)

    result = project.run("--crd-checks", "-k", "rules")

    result.assert_outcomes(failed=1, deselected=5)
    result.stdout.fnmatch_lines(
        ["the server's answer is unknown:", f"  {FILE}:1: pytest-crd does not support a message of protobuf"]
    )


def test_a_v1beta1_crd_with_versions_lists_only_differences(empty: Project) -> None:
    plain = re.sub(r"  conversion:\n(    .*\n)+|  additionalPrinterColumns:\n  - .*\n", "", BETA)
    empty.write(FILE, plain.replace("version: v1\n", "versions: [{name: v1, served: true, storage: true}]\n"))

    result = empty.run("--crd-checks", "-k", "accepted")

    text = result.stdout.str()
    assert "spec.validation stands in each version" in text
    assert "is a list" not in text
    assert "JSONPath" not in text
    assert "webhook" not in text
