"""Case files are collected, selected, marked and reported like Python's test files."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from support.sessions import Project

NAME = "test_garden.crd.yaml"
HEAD = "crd: gardens.stories.example.com\npruning:\n"
HOLDS = "  input: {spec: {size: 1}}\n  expected: {spec: {size: 1}}\n"
FAILS = "  input: {spec: {size: 1}}\n  expected: {spec: {size: 2}}\n"


def _ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line]


def test_each_case_is_a_test_with_the_name_of_the_case(gardener: Project) -> None:
    result = gardener.run("--collect-only", "-q")

    assert _ids(result) == [
        f"{NAME}::unknown fields go",
        f"{NAME}::known fields stay",
        f"{NAME}::the size is filled in",
    ]


def test_cases_run(gardener: Project) -> None:
    gardener.run().assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        pytest.param(("-k", "pruning"), 2, id="by section"),
        pytest.param(("-k", "defaulting"), 1, id="by the other section"),
        pytest.param(("-k", "known and stay"), 1, id="by words of the name"),
        pytest.param((f"{NAME}::known fields stay",), 1, id="by node id"),
        pytest.param((f"{NAME}::known fields stay", f"{NAME}::the size is filled in"), 2, id="by two node ids"),
    ],
)
def test_cases_are_selected_like_tests(gardener: Project, arguments: tuple[str, ...], passed: int) -> None:
    gardener.run(*arguments).assert_outcomes(passed=passed, deselected=3 - passed if arguments[0] == "-k" else 0)


def test_last_failed_runs_only_failed_items(gardener: Project) -> None:
    gardener.cases(f"{HEAD}- name: good\n{HOLDS}- name: bad\n{FAILS}")
    gardener.run("-p", "cacheprovider").assert_outcomes(passed=1, failed=1)

    gardener.run("-p", "cacheprovider", "--lf").assert_outcomes(failed=1)


@pytest.mark.parametrize("name", ["test_a.crd.yml", "deep/er/test_a.crd.yaml"])
def test_a_case_file_is_found_by_its_name(gardener: Project, name: str) -> None:
    gardener.cases(name=name)

    gardener.run().assert_outcomes(passed=6)


def test_the_patterns_of_case_files_can_be_set(gardener: Project) -> None:
    gardener.ini("crd_case_files = *_cases.yaml spec/*.yml")
    gardener.cases(name="garden_cases.yaml")
    gardener.cases(name="spec/garden.yml")

    gardener.run().assert_outcomes(passed=6)


@pytest.mark.parametrize("name", ["garden.yaml", "garden.yml", "cases/garden.yaml"])
def test_a_case_file_named_on_the_command_line_is_collected_whatever_its_name(project: Project, name: str) -> None:
    project.cases(name=name)

    project.run(name).assert_outcomes(passed=3)


def test_a_case_file_in_json_named_on_the_command_line_is_collected(project: Project) -> None:
    project.cases(
        '{"crd": "gardens.stories.example.com", "pruning": [{"name": "a", "input": {"spec": {}}, "expected": {"spec": {}}}]}',
        name="garden.json",
    )

    project.run("garden.json").assert_outcomes(passed=1)


def test_other_files_on_the_command_line_are_left_to_other_plugins(project: Project) -> None:
    project.write("other.yaml", "kind: ConfigMap\n")
    project.write(
        "conftest.py", "import pytest\ndef pytest_collect_file(file_path, parent):\n    print('SEEN', file_path.name)\n"
    )

    result = project.run("other.yaml", "-s")

    result.stdout.fnmatch_lines(["*SEEN other.yaml*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    assert result.ret in {pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR}


def test_junit_names_are_whole(gardener: Project) -> None:
    gardener.cases(f'{HEAD}- name: "a/b.yaml: dots, slashes & <marks>"\n{FAILS}')

    gardener.run("--junitxml=out.xml").assert_outcomes(failed=1)

    (case,) = ET.parse(gardener.path / "out.xml").iter("testcase")  # noqa: S314 - written by pytest just now
    failure = case.find("failure")
    assert case.get("name") == "a/b.yaml: dots, slashes & <marks>"
    assert failure is not None
    assert failure.get("message") == "spec.size is 1, expected 2"
    assert "\x1b" not in (failure.text or "")
    assert "spec.size  expected 2, got 1" in (failure.text or "")


def test_marks_of_cases_select_them(gardener: Project) -> None:
    gardener.ini("markers = slow: takes long")
    gardener.cases(f"{HEAD}- name: a\n  marks: [slow]\n{HOLDS}- name: b\n{HOLDS}")

    gardener.run("-m", "slow", "--strict-markers").assert_outcomes(passed=1, deselected=1)


def test_an_unknown_mark_is_an_error_under_strict_markers(gardener: Project) -> None:
    gardener.cases(f"{HEAD}- name: a\n  marks: [slwo]\n{HOLDS}")

    result = gardener.run("--strict-markers")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"{NAME}:3: 'slwo' not found in `markers` configuration option"])
    result.stdout.no_fnmatch_line("*plugin*.py*")


def test_a_skipped_case_shows_its_reason(gardener: Project) -> None:
    gardener.cases(f"{HEAD}- name: a\n  skip: not now\n{FAILS}")

    result = gardener.run("-rs")

    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*not now"])


def test_a_known_failure_is_expected_to_fail(gardener: Project) -> None:
    gardener.cases(f"{HEAD}- name: a\n  xfail: known\n{FAILS}")

    gardener.run().assert_outcomes(xfailed=1)


def test_a_known_failure_that_passes_fails(gardener: Project) -> None:
    gardener.cases(f"{HEAD}- name: a\n  xfail: known\n{HOLDS}")

    result = gardener.run()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["[[]XPASS(strict)[]] known"])


def test_a_wrong_input_text_is_no_expected_failure(gardener: Project) -> None:
    gardener.cases(f"{HEAD}- name: a\n  xfail: known\n  input: 'spec: ['\n  expected: {{spec: {{}}}}\n")

    result = gardener.run()

    outcomes = result.parseoutcomes()
    assert "xfailed" not in outcomes
    assert outcomes.keys() & {"failed", "error", "errors"}


def test_a_wrong_file_shows_all_its_mistakes(gardener: Project) -> None:
    gardener.cases(f"{HEAD}- name: a\n  inptu: {{}}\n{HOLDS}- name: a\n{HOLDS}defautling: []\n")

    result = gardener.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [f"{NAME}:4: *inptu*did you mean*input*", f"{NAME}:7: *name*", f"{NAME}:10: *defautling*"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.parametrize(
    "case",
    [
        "create:\n- {name: a, input: {spec: {}}, accepted: true, xfail: known}",
        "update:\n- {name: a, input: {spec: {}}, old: {spec: {}}, accepted: true}",
        "updateStatus:\n- {name: a, input: {spec: {}}, old: {spec: {}}, error: no rows}",
    ],
)
def test_a_rule_with_an_unsupported_construct_is_an_error(project: Project, case: str) -> None:
    """The server's answer is unknown, which is an error even for a case with xfail."""
    path = project.crd()
    rule = "{rule: '[google.protobuf.Any{}].size() == 1'}"
    ruled = path.read_text(encoding="utf-8").replace("size: {", f"size: {{x-kubernetes-validations: [{rule}], ")
    path.write_text(ruled, encoding="utf-8")
    project.cases(f"crd: gardens.stories.example.com\n{case}\n")

    result = project.run()

    result.assert_outcomes(errors=1)
    assert (
        "config/crd/bases/gardens.yaml:1: what a server makes of this CRD is not known: pytest-crd does not support protobuf "
        "messages of type google.protobuf.Any"
    ) in result.outlines
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*nodes.py*")


@pytest.mark.parametrize(
    ("case", "words"),
    [
        pytest.param(
            "{name: a, old: {spec: {size: x}}, input: {}, accepted: true}",
            "4: 'old' of update case \"a\" is not valid under its CRD, so no server has it stored: Garden.stories.example.com "
            '"example" is invalid: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
            id="an old object that is not valid",
        ),
        pytest.param(
            "{name: a, input: 'spec: [', old: {}, accepted: true}",
            "4: the input cannot be read: <text>:*: did not find *",
            id="an input that is no YAML",
        ),
    ],
)
def test_a_case_without_an_answer_is_no_expected_failure(project: Project, case: str, words: str) -> None:
    project.cases(f"crd: gardens.stories.example.com\nupdate:\n\n- {case[:-1]}, xfail: known}}\n")

    result = project.run()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"{NAME}:{words.replace('[', '[[]')}"])
    result.stdout.no_fnmatch_line("*nodes.py*")


def test_an_unknown_crd_is_a_collection_error_with_the_nearest_name(gardener: Project) -> None:
    gardener.cases(f"crd: gardns.stories.example.com\npruning:\n- name: a\n{HOLDS}")

    result = gardener.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [f"{NAME}:1: *'gardns.stories.example.com'*did you mean 'gardens.stories.example.com'?"]
    )


def test_several_served_versions_need_a_version(gardener: Project) -> None:
    path = gardener.crd()
    second = "  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n"
    path.write_text(path.read_text(encoding="utf-8") + second, encoding="utf-8")

    result = gardener.run()

    result.assert_outcomes(errors=1)
    assert f"{NAME}:1: gardens.stories.example.com serves v1, v2: say which one with `version:`" in result.outlines

    gardener.cases(f"crd: gardens.stories.example.com\nversion: v1\npruning:\n- name: a\n{HOLDS}")
    gardener.run().assert_outcomes(passed=1)


def test_a_case_file_in_a_project_without_crds_is_a_collection_error(empty: Project) -> None:
    empty.cases()

    result = empty.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*ERROR collecting {NAME} *", f"{empty.path}: no CRD was found: set crd_paths *"])


def test_a_case_file_may_name_the_file_of_its_crd(empty: Project) -> None:
    empty.crd("somewhere/gardens.yaml")
    empty.cases(f"crd: ../somewhere/gardens.yaml\npruning:\n- name: a\n{HOLDS}", name=f"tests/{NAME}")

    empty.run().assert_outcomes(passed=1)


BROKEN = "config/crd/bases/broken.yaml"


@pytest.mark.parametrize(
    ("flag", "whole", "broken"), [("-v", "type: object", "type: [a"), ("-q", "scope: Namespaced", "scope: [")]
)
def test_a_broken_file_is_a_line_of_the_header_if_no_case_asks_for_its_crd(
    project: Project, flag: str, whole: str, broken: str
) -> None:
    project.cases()
    project.crd(BROKEN)
    text = project.read(BROKEN).replace("gardens", "orchards").replace("Garden", "Orchard")
    project.write(BROKEN, text.replace(whole, broken, 1))

    result = project.run(flag)

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines([f"crd: {BROKEN}:*(no test asks for this file)"])


def test_a_broken_file_is_an_error_of_a_session_with_checks(gardener: Project) -> None:
    gardener.write(BROKEN, "kind: CustomResourceDefinition\nspec: {\n")

    result = gardener.run("--crd-checks")

    result.stdout.fnmatch_lines([f"{BROKEN}:3: *"])
    assert result.ret == pytest.ExitCode.INTERRUPTED


def test_a_broken_file_is_an_error_of_a_case_about_a_crd_that_is_not_found(project: Project) -> None:
    project.write(BROKEN, "kind: CustomResourceDefinition\nspec: {\n")
    project.cases("crd: orchards.stories.example.com\ncreate:\n- {name: a, input: {}, accepted: true}\n")

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"{BROKEN}:3: *"])


@pytest.mark.parametrize(
    ("head", "words"),
    [
        pytest.param("crd: gardns.stories.example.com", "*did you mean*", id="the name"),
        pytest.param("crd: gardens.stories.example.com\nversion: v7", "*has no version 'v7'*", id="the version"),
        pytest.param("crd: gardens.stories.example.com", "*missing.yaml*", id="a file of a case"),
    ],
)
def test_a_listing_shows_mistakes_of_a_case_file(gardener: Project, head: str, words: str) -> None:
    gardener.cases(f"{head}\ncreate:\n- {{name: a, inputFile: missing.yaml, accepted: true}}\n")

    result = gardener.run("--collect-only", "-q")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([words])


def test_a_manager_without_an_apply_is_a_collection_error(project: Project) -> None:
    project.cases(
        "crd: gardens.stories.example.com\napply:\n"
        "- {name: a, steps: [{manager: gitops, input: {}}], managers: {someone: [spec.size]}}\n"
    )

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f'{NAME}:3: *no manager is called "someone"*'])


def test_cases_of_a_listing_can_be_run(gardener: Project) -> None:
    """A plugin may run a test of any collected session."""
    gardener.cases(f"{HEAD}- name: good\n{HOLDS}- name: bad\n{FAILS}")
    gardener.write(
        "conftest.py",
        "def pytest_collection_finish(session):\n    print([item.bound.run().holds for item in session.items])\n",
    )

    gardener.run("--collect-only", "-s").stdout.fnmatch_lines(["*[[]True, False]*"])


def test_a_case_file_that_vanishes_is_a_collection_error(gardener: Project) -> None:
    gardener.write(
        "conftest.py",
        "import pathlib, pytest\n"
        "@pytest.hookimpl(wrapper=True)\n"
        "def pytest_make_collect_report(collector):\n"
        f"    pathlib.Path(collector.path).name == '{NAME}' and collector.path.unlink()\n"
        "    return (yield)\n",
    )

    result = gardener.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"{NAME}: cannot be read: No such file or directory"])


def test_a_bug_keeps_its_traceback(gardener: Project) -> None:
    gardener.write(
        "conftest.py",
        "import pytest\n"
        "@pytest.fixture(autouse=True)\n"
        "def _broken(monkeypatch):\n"
        "    pass\n"
        "def pytest_collection_modifyitems(items):\n"
        "    def broken():\n"
        "        raise RuntimeError('what we did not think of')\n"
        "    for item in items:\n"
        "        item.runtest = broken\n",
    )

    result = gardener.run()

    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["*raise RuntimeError('what we did not think of')*"])


def test_all_unreachable_paths_of_a_file_are_one_error(project: Project) -> None:
    case = "{{name: {}, input: {{spec: {{size: 1}}}}, absent: [{}]}}"
    project.cases(
        "crd: gardens.stories.example.com\ncreate:\n"
        f"- {case.format('a', 'spec.siez')}\n- {case.format('b', 'spec.label')}\n- {case.format('c', 'spec.x')}\n"
    )

    result = project.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            "*test_garden.crd.yaml:3: 'absent*' of create case \"a\" always holds: 'spec.siez' can be no field; did you mean spec.size?",
            "*test_garden.crd.yaml:5: 'absent*' of create case \"c\" always holds: 'spec.x' can be no field",
        ]
    )


def test_a_warning_about_a_conversion_webhook_is_shown_once(empty: Project) -> None:
    webhook = "{conversionReviewVersions: [v1], clientConfig: {url: 'https://example.com/convert'}}"
    schema = (
        "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}"
    )
    empty.write(
        "crds/tabs.yaml",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: tabs.example.com}\n"
        "spec:\n  group: example.com\n  scope: Namespaced\n  names: {plural: tabs, kind: Tab}\n"
        f"  conversion: {{strategy: Webhook, webhook: {webhook}}}\n  versions:\n"
        f"  - {{name: v1, served: true, storage: false, {schema}}}\n"
        f"  - {{name: v2, served: true, storage: true, {schema}}}\n",
    )
    case = "- {name: %s, input: {spec: {a: x}}, contains: {spec: {a: x}}}\n"
    empty.write("test_tabs.crd.yaml", f"crd: tabs.example.com\nversion: v1\ncreate:\n{case % 'a'}{case % 'b'}")

    result = empty.run()

    result.assert_outcomes(passed=2)
    words = (
        "crd: tabs.example.com v1: cases state what is stored, but a webhook converts v1 to v2 and does not run here: "
    )
    assert sum(line.startswith(words) for line in result.outlines) == 1
