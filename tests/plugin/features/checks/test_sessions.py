"""`--crd-checks`: every check of a CRD is an item below the CRD's file, wherever that lies."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.sessions import Folder

from pytest_crd import engine
from pytest_crd.plugin.settings import checks
from pytest_crd.plugin.settings.checks import CHECKS, RULE_BUDGET, WARNINGS
from pytest_crd.plugin.settings.setting import Setting, SettingEntry

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


def _change(project: Folder, old: str, new: str, file: str = FILE) -> None:
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


def test_every_crd_is_checked_even_outside_of_collected_folders(project: Project) -> None:
    project.write("tests/test_it.py", "def test_it(): pass\n")
    project.ini("testpaths = tests")

    result = project.run("-v", "--crd-checks")

    assert [line.split()[0] for line in result.outlines if " PASSED " in line] == ["tests/test_it.py::test_it", *NAMES]
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(
        ["crd: 1 CRD, 1 version from config/crd/bases; Kubernetes 1.37", "crd: 5 checks in 1 file*"]
    )


def test_a_run_with_node_ids_has_no_other_checks(project: Project) -> None:
    project.write("test_it.py", "def test_it(): pass\n")

    result = project.run("--collect-only", "-q", "--crd-checks", NAMES[1], f"{FILE}::accepted")

    assert _ids(result) == [NAMES[1], NAMES[0]]


def test_a_run_with_a_file_that_has_checks_has_no_other_checks(project: Project) -> None:
    _ponds(project)
    project.write("test_it.py", "def test_it(): pass\n")

    names = _ids(project.run("--collect-only", "-q", "--crd-checks", "--crd-kubernetes-version", "1.36 1.37", FILE))

    assert names == [f"{name[:-1]}-{version}]" for version in ("1.36", "1.37") for name in NAMES]


def test_alternatives_are_checked_each_and_copies_once(project: Project) -> None:
    project.crd("config/crd/bases/copy.yaml")
    project.crd("config/crd/bases/other.yaml")
    _change(project, "default: 3", "default: a", "config/crd/bases/other.yaml")

    result = project.run("--crd-checks", "-k", "not applies")

    result.assert_outcomes(passed=6, failed=1, skipped=1, deselected=2)
    result.stdout.fnmatch_lines(["FAILED config/crd/bases/other.yaml::accepted*"])


def test_the_output_of_commands_is_checked_under_the_ini_file(empty: Project) -> None:
    empty.crd("crd.txt")
    empty.ini("crd_checks = true", "crd_commands = cat crd.txt")

    _change(empty, "scope: Namespaced", "scope: Namespacd", "crd.txt")
    names = [name.replace(FILE, "pytest.ini") for name in NAMES]

    some = empty.run(*names[:2])
    short = empty.run("--tb=line", "-v")

    some.assert_outcomes(passed=1, failed=1)
    some.stdout.fnmatch_lines(["  cat crd.txt:6: spec.scope: *"])
    assert [line.split()[0] for line in short.outlines if line.startswith("pytest.ini::")] == names
    short.stdout.fnmatch_lines(["pytest.ini:3: spec.scope: *"])


def test_a_run_of_checks_without_a_crd_fails(empty: Project) -> None:
    empty.write("test_it.py", "def test_it(): pass\n")
    empty.ini()

    result = empty.run("--crd-checks")

    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["crd: nothing to check: *no CRD was found: *"])


def test_a_crd_that_cannot_be_read_is_an_error(project: Project) -> None:
    project.write("config/crd/bases/ponds.yaml", "kind: CustomResourceDefinition\na: [\n")

    result = project.run("--crd-checks")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["config/crd/bases/ponds.yaml:*: *"])
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result = project.run("--crd-checks", f"{FILE}::accepted")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["config/crd/bases/ponds.yaml:*: *"])


@pytest.mark.parametrize("value", ["50", "0%", "101%"])
def test_a_budget_is_a_part(value: str) -> None:
    with pytest.raises(pytest.UsageError, match=f"^crd_rule_budget: '{value}': write a part .*, such as 50%"):
        RULE_BUDGET.read(SettingEntry(value, "crd_rule_budget", Path()))


def test_a_switch_that_is_neither_true_nor_false_is_a_usage_error(project: Project) -> None:
    project.ini("crd_checks = maybe")

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: crd_checks: *maybe*; write true or false"])


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({CHECKS: True, WARNINGS: "fail"}, r"--crd-warnings: 'fail': write show or error$"),
        ({RULE_BUDGET: "50%"}, "--crd-rule-budget does nothing without checks: "),
        ({WARNINGS: "error"}, "--crd-warnings does nothing without checks: set crd_checks = true, or "),
    ],
)
def test_a_setting_that_is_wrong_or_without_effect_is_a_usage_error(
    unset_config: pytest.Config, values: dict[Setting[Any], Any], words: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for setting, value in values.items():
            patch.setattr(unset_config.option, setting.dest, value)
        with pytest.raises(pytest.UsageError, match=f"^{words}"):
            checks.read(unset_config)


def test_settings_may_wait_for_the_option_if_checks_are_off(empty: Project) -> None:
    empty.ini("crd_checks = false", "crd_warnings = error")

    assert checks.read(empty.parse()) is None


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


def _with_rules(project: Folder, *rules: str, file: str = FILE) -> None:
    """Add rules to the spec and to the list of beds, which has no bound."""
    listed = "".join(f"                  - rule: {rule}\n" for rule in rules)
    _change(
        project,
        "                items:\n                  type: object\n",
        f"                items:\n                  type: object\n                  x-kubernetes-validations:\n{listed}",
        file,
    )


# Many CRDs in one session


def _file(kind: str) -> str:
    return f"config/crd/bases/{kind.lower()}s.yaml"


def _beta(kind: str, text: str) -> str:
    return text.replace("gardens", f"{kind.lower()}s").replace("garden,", f"{kind.lower()},").replace("Garden", kind)


def _create(folder: Folder, *kinds: str) -> None:
    for kind in kinds:
        folder.crd(_file(kind), plural=f"{kind.lower()}s", kind=kind)
        _change(folder, "singular: garden", f"singular: {kind.lower()}", _file(kind))


OPTIONAL = "oldSelf.hasValue() && self.name.contains(self.plant)"
SPEC_RULE = "            x-kubernetes-validations: [{rule: self.size > foo}]\n"
BETA_WITH_VERSIONS = re.sub(r"  conversion:\n(    .*\n)+|  additionalPrinterColumns:\n  - .*\n", "", BETA).replace(
    "version: v1\n", "versions: [{name: v1, served: true, storage: true}]\n"
)


@pytest.fixture(scope="module")
def flawed(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A project with CRDs that have a flaw each."""
    folder = Folder(tmp_path_factory.mktemp("flawed"))
    _create(folder, "Refusal", "Unknown", "Rule", "Fancy", "Manyfancy", "Loose", "Taken", "Taking", "Twice", "Priced")
    _create(folder, "Costly", "Optional", "Uncompiled")
    _change(folder, "scope: Namespaced", "scope: Namespacd", _file("Refusal"))
    _change(folder, "size: {type: integer, default: 3}", "size: {type: integer, default: a}", _file("Refusal"))
    _change(
        folder, "  scope: Namespaced", "  scope: Cluster\n  scop: Namespaced\n  scope: Namespaced", _file("Unknown")
    )
    _change(folder, "label: {type: string}", "label: {type: string, patern: a}", _file("Unknown"))
    above = "            type: object\n"
    below = "            properties:\n              size"
    _change(folder, above + below, above + SPEC_RULE + below, _file("Rule"))
    for name in ("label", "note"):
        _change(folder, f"{name}: {{type: string}}", f"{name}: {{type: string, format: fancy}}", _file("Fancy"))
        _change(folder, f"{name}: {{type: string}}", f"{name}: {{}}", _file("Loose"))
    for name in ("size: {type: integer", "rows: {type: integer", "label: {type: string", "note: {type: string"):
        _change(folder, name, f"{name}, format: fancy", _file("Manyfancy"))
    _change(folder, "singular: taking", "singular: taken", _file("Taking"))
    folder.crd("config/crd/bases/protected.yaml", plural="protecteds", kind="Protected")
    _change(folder, "singular: garden", "singular: protected", "config/crd/bases/protected.yaml")
    _change(folder, "group: stories.example.com", "group: stories.k8s.io", "config/crd/bases/protected.yaml")
    _change(
        folder,
        "{name: protecteds.stories.example.com}",
        "\n  name: protecteds.stories.k8s.io\n  annotations: {api-approved.kubernetes.io: unapproved}",
        "config/crd/bases/protected.yaml",
    )
    text = folder.read(_file("Twice"))
    folder.write(_file("Twice"), f"{text}---\n{text.replace('maximum: 10', 'maximum: 11')}")
    folder.write(_file("Beta"), _beta("Beta", BETA))
    folder.write(_file("Betaversion"), _beta("Betaversion", BETA_WITH_VERSIONS))
    _with_rules(folder, "self.rows >= 0", "self.rows < 9", file=_file("Priced"))
    _with_rules(folder, "self.name.contains(self.plant)", "self.rows >= 0", file=_file("Costly"))
    _with_rules(folder, OPTIONAL, file=_file("Optional"))
    _change(
        folder,
        f"- rule: {OPTIONAL}",
        f"- optionalOldSelf: true\n                    rule: {OPTIONAL}",
        _file("Optional"),
    )
    _with_rules(folder, "foo", "self.name.contains(self.plant)", file=_file("Uncompiled"))
    return folder


@pytest.fixture(scope="module")
def report(flawed: Folder) -> pytest.RunResult:
    """The report of three checks of each CRD."""
    return flawed.run("--crd-checks", "-v", "-k", "not (structural or published or applies)")


@pytest.fixture(scope="module")
def alone(flawed: Folder) -> pytest.RunResult:
    """The report of checks that are skipped after `accepted` has failed."""
    return flawed.run("--crd-checks", "-k", "structural or conditions", _file("Refusal"), _file("Loose"))


def _failures(result: pytest.RunResult, check: str, kind: str) -> list[str]:
    """Return the lines of the failure of a check, without the rule around its name."""
    title = re.compile(rf"_+ {check}\[{kind.lower()}s\.\S+\] _+")
    start = next(number for number, line in enumerate(result.outlines) if title.fullmatch(line)) + 1
    lines = itertools.takewhile(lambda line: not line.startswith(("___", "===")), result.outlines[start:])
    return [*lines]


def _assert_lines(lines: list[str], *patterns: str) -> None:
    pytest.LineMatcher(lines).fnmatch_lines(patterns)


@pytest.mark.session
def test_a_refusal_has_each_cause_at_its_line(report: pytest.RunResult) -> None:
    file = _file("Refusal")

    _assert_lines(
        _failures(report, "accepted", "Refusal"),
        f"{file}:1: accepted[[]refusals.stories.example.com], Kubernetes 1.37",
        "refused (422):",
        f'  {file}:6: spec.scope: Unsupported value: "Namespacd": supported values: "Cluster", "Namespaced"',
        f"  {file}:20: spec.validation.openAPIV3Schema.properties[[]spec].properties[[]size].default: Invalid value: *",
    )
    report.stdout.fnmatch_lines([f"FAILED {file}::accepted*"])
    assert report.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.session
def test_a_crd_that_is_refused_has_no_conditions(alone: pytest.RunResult) -> None:
    _assert_lines(
        _failures(alone, "conditions", "Refusal"),
        "it would have no conditions, as the server refuses it:",
        f"  {_file('Refusal')}:6: spec.scope: Unsupported value: *",
    )


@pytest.mark.session
def test_unknown_and_repeated_fields_are_refused(report: pytest.RunResult) -> None:
    file = _file("Unknown")

    _assert_lines(
        _failures(report, "accepted", "Unknown"),
        "refused (400):",
        f'  {file}:8: key "scope" is set twice; only the last value counts',
        f'  {file}:7: unknown field "spec.scop"',
        f'  {file}:23: unknown field "spec.versions[[]0].schema.openAPIV3Schema.properties.spec.properties.label.patern"',
    )


@pytest.mark.session
def test_a_rule_that_does_not_compile_is_shown_with_its_position(report: pytest.RunResult) -> None:
    _assert_lines(
        _failures(report, "accepted", "Rule"),
        f"  {_file('Rule')}:19:*: spec.validation.openAPIV3Schema*undeclared reference to 'foo'*",
    )


FANCY = f'{_file("Fancy")}:21: warning: unrecognized format "fancy", which checks nothing; also at {_file("Fancy")}:22'


@pytest.mark.session
def test_warnings_are_shown(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines([f"{_file('Fancy')}::accepted* PASSED*", f"crd: {FANCY}"])


@pytest.mark.session
def test_a_warning_names_a_few_of_its_places(report: pytest.RunResult) -> None:
    file = _file("Manyfancy")

    assert re.search(rf"also at {file}:21, {file}:22 …", report.stdout.str())


@pytest.mark.session
def test_every_violation_of_a_structural_schema_has_its_line(alone: pytest.RunResult) -> None:
    _assert_lines(
        alone.outlines,
        "the schema of v1 is not structural:",
        f"  {_file('Loose')}:21: spec.*properties[[]label].type: Required value: *",
        f"  {_file('Loose')}:22: spec.*properties[[]note].type: Required value: *",
    )


@pytest.mark.session
def test_names_that_are_taken_show_in_the_conditions(report: pytest.RunResult) -> None:
    _assert_lines(
        _failures(report, "conditions", "Taking"),
        "stored, but with flaws that only its conditions tell:",
        f'  {_file("Taking")}:7: NamesAccepted would be False (SingularConflict): "taken" is already in use',
        f"  {_file('Taking')}:4: Established would be False (NotAccepted): not all names are accepted",
    )
    report.stdout.fnmatch_lines([f"{_file('Taking')}::accepted* PASSED*"])


@pytest.mark.session
def test_a_missing_approval_is_at_the_metadata(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(
        ["  config/crd/bases/protected.yaml:5: KubernetesAPIApprovalPolicyConformant would be False (Unapproved*"]
    )


@pytest.mark.session
def test_two_crds_of_one_name_in_one_file_are_told_apart(flawed: Folder, report: pytest.RunResult) -> None:
    file = _file("Twice")
    second = flawed.read(file).count("\n") // 2 + 2

    names = [line.split()[0] for line in report.outlines if line.startswith(f"{file}::accepted")]
    assert names == [f"{file}::accepted[twices.stories.example.com@{file}:{line}]" for line in (1, second)]


@pytest.mark.session
def test_a_v1beta1_crd_has_a_list_of_changes_that_v1_needs(report: pytest.RunResult) -> None:
    file = _file("Beta")

    _assert_lines(
        _failures(report, "accepted", "Beta"),
        "refused (404):",
        f"  {file}:1: the server could not find the requested resource: Kubernetes 1.37 serves no *v1beta1, only *v1",
        f"  {file}:1: in v1: apiVersion: apiextensions.k8s.io/v1",
        f"  {file}:6: in v1: spec.version is a list: spec.versions, with name, served and storage",
        f"  {file}:15: in v1: spec.validation stands in each version: spec.versions[[]*].schema",
        f"  {file}:9: in v1: spec.additionalPrinterColumns stands in each version: *",
        f"  {file}:9: in v1: JSONPath of a column is spelled jsonPath",
        f"  {file}:4: in v1: unknown fields are dropped; *",
        f"  {file}:14: in v1: spec.conversion.webhookClientConfig is spec.conversion.webhook.clientConfig",
        f"  {file}:13: in v1: spec.conversion.conversionReviewVersions is *",
        f"  {file}:19: in v1: spec.validation*properties[[]spec].type: Required value: *",
    )


@pytest.mark.session
def test_a_v1beta1_crd_with_versions_lists_only_differences(report: pytest.RunResult) -> None:
    text = "\n".join(_failures(report, "accepted", "Betaversion"))

    assert "spec.validation stands in each version" in text
    assert "is a list" not in text
    assert "JSONPath" not in text
    assert "webhook" not in text


def test_v1beta1_crds_are_judged_by_a_server_that_has_them(empty: Project) -> None:
    without = re.sub(r"  conversion:\n(    .*\n)+", "", BETA)
    structural = BETA.replace("spec: {}", "spec: {type: object}")
    empty.write(FILE, without)
    empty.write(
        _file("Good"), _beta("Good", structural.replace("  scope:", "  preserveUnknownFields: false\n  scope:"))
    )

    result = empty.run("--crd-checks", "--crd-kubernetes-version", "1.21", "-v")

    result.assert_outcomes(passed=4, failed=2)
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
    good = _file("Good")
    result.stdout.fnmatch_lines([f"crd: {good}::structural*: {good}:6: in v1: spec.version is a list*"])
    result.stdout.no_fnmatch_line(f"*{good}*unknown fields are dropped*")


@pytest.mark.session
def test_rules_are_listed_with_cost_and_share(report: pytest.RunResult) -> None:
    name = f"crd: {_file('Priced')}::rules"

    report.stdout.fnmatch_lines(
        [
            f"{name}[[]priceds.stories.example.com-v1]: spec.beds[[]*]: self.rows >= 0: costs at most 725,*",
            f"{name}*: spec.beds[[]*]: self.rows < 9: costs at most 725,* by estimate, 7.2*% of a rule's budget",
            f"{name}*: all rules of v1 cost at most * by estimate, *% of a schema's budget",
        ]
    )
    report.stdout.fnmatch_lines([f"{_file('Priced')}::rules* PASSED*"])


@pytest.mark.session
def test_warnings_fail_and_rules_fail_before_the_server_refuses_them_with_stricter_settings(flawed: Folder) -> None:
    """A CRD that is declared stored has a note that it is refused."""
    _create(flawed, "Dear", "Together")
    dear, together = _file("Dear"), _file("Together")
    _with_rules(flawed, "self.rows >= 0 && self.rows < 9", "self.rows >= 0", file=dear)
    _with_rules(flawed, *["self.rows >= 0"] * 14, file=together)
    stored = "crd_stored=refusals.stories.example.com"
    settings = ("crd_checks=true", "crd_warnings=error", "crd_rule_budget=7.5%", stored)
    options = [word for setting in settings for word in ("-o", setting)]

    files = (_file("Fancy"), dear, together, f"{_file('Refusal')}::accepted")

    result = flawed.run(*options, *files, "-rs", "-k", "not applies")

    result.assert_outcomes(passed=11, failed=3, skipped=1, deselected=3)
    assert "crd_stored says that it is stored; created anew: CustomResourceDefinition" in result.stdout.str()
    words = "more than the 7.5% of crd_rule_budget"
    result.stdout.fnmatch_lines(
        [
            "the server warns:",
            f"  {FANCY.replace('warning: ', '', 1).replace(': unrec', ': warning: unrec')}",
            "rules that do not compile, or that cost too much:",
            f"  {dear}:34: spec.beds[[]*]: self.rows >= 0 && self.rows < 9: costs at most *, {words}",
        ]
    )
    result.stdout.no_fnmatch_line("crd: *warning*")
    result.stdout.no_fnmatch_line(f"  {dear}:35: *")
    result.stdout.fnmatch_lines([f"  {together}:1: all rules of v1 cost at most *, {words}"])
    result.stdout.no_fnmatch_line(f"  {together}:34: *")


@pytest.mark.session
@pytest.mark.parametrize("check", ["accepted", "rules"])
def test_a_costly_rule_has_the_limits_that_it_needs(report: pytest.RunResult, check: str) -> None:
    file = _file("Costly")
    lines = _failures(report, check, "Costly")

    advice = [line.strip() for line in lines if line.startswith("      ") and ("has no" in line or "with " in line)]
    assert advice == [
        f"spec.beds ({file}:28) has no maxItems: the server counts the most that fits into a request",
        f"spec.beds[*].name ({file}:37) has no maxLength: the server counts the most that fits into a request",
        f"spec.beds[*].plant ({file}:37) has no maxLength: the server counts the most that fits into a request",
        "with maxItems: 500 and maxLength: 253 there, it costs at most 10408; 5204000 for up to 500 values, 52.04% of a rule's budget",
    ]


@pytest.mark.session
def test_a_costly_rule_with_an_optional_old_value_has_its_limits(report: pytest.RunResult) -> None:
    lines = map(str.strip, _failures(report, "rules", "Optional"))

    assert any(line.startswith("spec.beds[*].name (") for line in lines)


@pytest.mark.session
def test_rules_that_do_not_compile_or_that_the_server_finds_too_costly_fail(report: pytest.RunResult) -> None:
    file = _file("Uncompiled")

    _assert_lines(
        _failures(report, "rules", "Uncompiled"),
        f"  {file}:34: spec.beds[[]*]: foo: compilation failed: ERROR: *",
        f"  {file}:35: spec.beds[[]*]: self.name.contains(self.plant): costs at most * times a rule's budget, more than the server takes",
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
