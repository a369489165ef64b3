"""Case files are collected, selected, marked and reported like Python's test files."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
from support.sessions import CASES, GARDEN, Folder

from pytest_crd.plugin.items import casefiles
from pytest_crd.plugin.settings import project as settings

if TYPE_CHECKING:
    from support.sessions import Project

NAME = "test_garden.crd.yaml"
BROKEN = "config/crd/bases/broken.yaml"
HEAD = "crd: gardens.stories.example.com\npruning:\n"
HOLDS = "  input: {spec: {size: 1}}\n  expected: {spec: {size: 1}}\n"
FAILS = "  input: {spec: {size: 1}}\n  expected: {spec: {size: 2}}\n"


def _ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line]


TABS = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: tabs, kind: Tab}
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://example.com/convert"}}}
  versions:
  - {name: v1, served: true, storage: false, schema: SCHEMA}
  - {name: v2, served: true, storage: true, schema: SCHEMA}
""".replace(
    "SCHEMA", "{openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}"
)
TAB_CASE = "- {name: %s, input: {spec: {a: x}}, contains: {spec: {a: x}}}\n"
UPDATE = "crd: gardens.stories.example.com\nupdate:\n\n- {{{}, xfail: known}}\n"
JSON = '{"crd": "gardens.stories.example.com", "pruning": [{"name": "a", "input": {"spec": {}}, "expected": {"spec": {}}}]}'
# Files with their cases, and the outcome of each case.
FILES = {
    f"found/{NAME}": (CASES, "..."),
    "found/test_a.crd.yml": (CASES, "..."),
    "found/deep/er/test_a.crd.yaml": (CASES, "..."),
    "named.yaml": (CASES, "..."),
    "named.yml": (CASES, "..."),
    "cases/named.yaml": (CASES, "..."),
    "named.json": (JSON, "."),
    "found/test_path.crd.yaml": (f"crd: ../somewhere/ponds.yaml\npruning:\n- name: a\n{HOLDS}", "."),
    "found/test_version.crd.yaml": (
        f"crd: tabs.example.com\nversion: v1\ncreate:\n{TAB_CASE % 'a'}{TAB_CASE % 'b'}",
        "..",
    ),
    "found/test_names.crd.yaml": (
        f'{HEAD}- name: "a/b.yaml: dots, slashes & <marks>"\n{FAILS}- name: good\n{HOLDS}',
        "F.",
    ),
    "found/test_marks.crd.yaml": (
        (
            f"{HEAD}- name: skipped\n  skip: not now\n{FAILS}- name: known\n  xfail: known\n{FAILS}"
            f"- name: unexpected\n  xfail: known\n{HOLDS}- name: slow\n  marks: [slow]\n{HOLDS}"
        ),
        "sxF.",
    ),
    "found/test_text.crd.yaml": (
        f"{HEAD}- name: a\n  xfail: known\n  input: 'spec: ['\n  expected: {{spec: {{}}}}\n",
        "F",
    ),
    "found/test_old.crd.yaml": (UPDATE.format("name: a, old: {spec: {size: x}}, input: {}, accepted: true"), "F"),
    "found/test_input.crd.yaml": (UPDATE.format("name: a, input: 'spec: [', old: {}, accepted: true"), "F"),
}
NAMED = ("named.yaml", "named.yml", "cases/named.yaml", "named.json")


@pytest.fixture(scope="module")
def run_files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Folder, pytest.RunResult]:
    """A project after a run of all files."""
    folder = Folder(tmp_path_factory.mktemp("files"))
    folder.crd()
    folder.crd("somewhere/ponds.yaml", plural="ponds", kind="Pond")
    folder.write("config/crd/bases/tabs.yaml", TABS)
    for name, (text, _) in FILES.items():
        folder.cases(text, name)
    folder.ini("markers = slow: takes long", "crd_paths = config")
    return folder, folder.run("-p", "cacheprovider", "-rs", "--strict-markers", "--junitxml=out.xml", "found", *NAMED)


@pytest.mark.session
def test_a_case_file_is_found_by_its_name_or_on_the_command_line(run_files: tuple[Folder, pytest.RunResult]) -> None:
    _, result = run_files
    outcomes = {words[0]: words[1] for line in result.outlines if len(words := line.split()) > 1}

    assert {name: outcomes.get(name) for name in FILES} == {name: outcome for name, (_, outcome) in FILES.items()}


@pytest.mark.session
def test_junit_names_are_whole(run_files: tuple[Folder, pytest.RunResult]) -> None:
    tests = ET.parse(run_files[0].path / "out.xml").iter("testcase")  # noqa: S314 - written by pytest just now
    (case,) = (test for test in tests if "slashes" in str(test.get("name")))

    failure = case.find("failure")
    assert case.get("name") == "a/b.yaml: dots, slashes & <marks>"
    assert failure is not None
    assert failure.get("message") == "spec.size is 1, expected 2"
    assert "\x1b" not in (failure.text or "")
    assert "spec.size  expected 2, got 1" in (failure.text or "")


@pytest.mark.session
def test_marks_of_cases_select_them(run_files: tuple[Folder, pytest.RunResult]) -> None:
    result = run_files[0].run("-m", "slow", "found/test_marks.crd.yaml")

    result.assert_outcomes(passed=1, deselected=3)


@pytest.mark.session
def test_skipped_cases_and_known_failures_have_their_reasons(run_files: tuple[Folder, pytest.RunResult]) -> None:
    run_files[1].stdout.fnmatch_lines(["[[]XPASS(strict)[]] known", "SKIPPED*not now"])


@pytest.mark.session
def test_a_case_without_an_answer_is_no_expected_failure(run_files: tuple[Folder, pytest.RunResult]) -> None:
    _, result = run_files

    result.stdout.fnmatch_lines_random(
        [
            (
                "found/test_old.crd.yaml:4: 'old' of update case \"a\" is not valid under its CRD, so no server has it stored: "
                'Garden.stories.example.com "example" is invalid: spec.size: Invalid value: "string": spec.size in body must be '
                'of type integer: "string"'
            ),
            "found/test_input.crd.yaml:4: the input cannot be read: <text>:*: did not find *",
        ]
    )
    result.stdout.no_fnmatch_line("*nodes.py*")


@pytest.mark.session
def test_a_warning_about_a_conversion_webhook_is_shown_once(run_files: tuple[Folder, pytest.RunResult]) -> None:
    words = (
        "crd: tabs.example.com v1: cases state what is stored, but a webhook converts v1 to v2 and does not run here: "
    )

    assert sum(line.startswith(words) for line in run_files[1].outlines) == 1


@pytest.mark.session
def test_last_failed_runs_only_failed_items(run_files: tuple[Folder, pytest.RunResult]) -> None:
    folder, first = run_files

    again = folder.run("-p", "cacheprovider", "--lf", "--tb=no", "found", *NAMED)

    failed = first.parseoutcomes()["failed"]
    assert failed == sum(outcomes.count("F") for _, outcomes in FILES.values())
    again.assert_outcomes(failed=failed, deselected=again.parseoutcomes().get("deselected", 0))


ANY = "create:\n- {name: a, input: {spec: {}}, accepted: true, xfail: known}"
ABSENT = "{{name: {}, input: {{spec: {{size: 1}}}}, absent: [{}]}}"
UNKNOWN_RULE = (
    "config/crd/bases/ponds.yaml:1: what a server makes of this CRD is not known: pytest-crd does not support protobuf "
    "messages of type google.protobuf.Any"
)
# Files that cannot be collected, and lines of the report.
MISTAKEN = {
    "mark": (
        f"{HEAD}- name: a\n  marks: [slwo]\n{HOLDS}",
        ["NAME:3: 'slwo' not found in `markers` configuration option"],
    ),
    "mistakes": (
        f"{HEAD}- name: a\n  inptu: {{}}\n{HOLDS}- name: a\n{HOLDS}defautling: []\n",
        ["NAME:4: *inptu*did you mean*input*", "NAME:7: *name*", "NAME:10: *defautling*"],
    ),
    # The server's answer is unknown, which is an error even for a case with xfail.
    "rule_create": (f"crd: ponds.stories.example.com\n{ANY}\n", [UNKNOWN_RULE]),
    "rule_update": (
        "crd: ponds.stories.example.com\nupdate:\n- {name: a, input: {spec: {}}, old: {spec: {}}, accepted: true}\n",
        [UNKNOWN_RULE],
    ),
    "rule_status": (
        "crd: ponds.stories.example.com\nupdateStatus:\n- {name: a, input: {spec: {}}, old: {spec: {}}, error: no rows}\n",
        [UNKNOWN_RULE],
    ),
    "crd": (
        f"crd: gardns.stories.example.com\npruning:\n- name: a\n{HOLDS}",
        ["NAME:1: *'gardns.stories.example.com'*did you mean 'gardens.stories.example.com'?"],
    ),
    "versions": (
        f"crd: tabs.example.com\ncreate:\n{TAB_CASE % 'a'}",
        ["NAME:1: tabs.example.com serves v1, v2: say which one with `version:`"],
    ),
    "version": (
        "crd: gardens.stories.example.com\nversion: v7\ncreate:\n- {name: a, input: {}, accepted: true}\n",
        ["*has no version 'v7'*"],
    ),
    "unknown_kubernetes": (
        f'kubernetesVersion: "1.99"\n{HEAD}- name: a\n{HOLDS}',
        ["NAME:1: unknown Kubernetes version '1.99'*known versions: *"],
    ),
    "unquoted_kubernetes": (f"kubernetesVersion: 1.30\n{HEAD}- name: a\n{HOLDS}", ["NAME:1: *quote*"]),
    "file": (
        "crd: gardens.stories.example.com\ncreate:\n- {name: a, inputFile: missing.yaml, accepted: true}\n",
        ["*missing.yaml*"],
    ),
    "manager": (
        (
            "crd: gardens.stories.example.com\napply:\n"
            "- {name: a, steps: [{manager: gitops, input: {}}], managers: {someone: [spec.size]}}\n"
        ),
        ['NAME:3: *no manager is called "someone"*'],
    ),
    "paths": (
        (
            "crd: gardens.stories.example.com\ncreate:\n"
            f"- {ABSENT.format('a', 'spec.siez')}\n- {ABSENT.format('b', 'spec.label')}\n- {ABSENT.format('c', 'spec.x')}\n"
        ),
        [
            "NAME:3: 'absent*' of create case \"a\" always holds: 'spec.siez' can be no field; did you mean spec.size?",
            "NAME:5: 'absent*' of create case \"c\" always holds: 'spec.x' can be no field",
        ],
    ),
}


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A project with files that cannot be collected."""
    folder = Folder(tmp_path_factory.mktemp("mistaken"))
    folder.crd()
    folder.write("config/crd/bases/tabs.yaml", TABS)
    ponds = folder.crd("config/crd/bases/ponds.yaml", plural="ponds", kind="Pond")
    rule = "{rule: '[google.protobuf.Any{}].size() == 1'}"
    ruled = ponds.read_text(encoding="utf-8").replace("size: {", f"size: {{x-kubernetes-validations: [{rule}], ")
    ponds.write_text(ruled, encoding="utf-8")
    for name, (text, _) in MISTAKEN.items():
        folder.cases(text, f"test_{name}.crd.yaml")
    return folder


@pytest.mark.session
@pytest.mark.parametrize(
    ("arguments", "names"),
    [((), tuple(MISTAKEN)), (("--collect-only", "-q"), ("mark", "mistakes", "crd", "version", "file"))],
)
def test_mistakes_of_case_files_are_collection_errors(
    mistaken: Folder, arguments: tuple[str, ...], names: tuple[str, ...]
) -> None:
    """A listing has no mistakes that only the CRD shows."""
    result = mistaken.run("--strict-markers", *arguments)

    for name in names:
        file = f"test_{name}.crd.yaml"
        lines = [line.replace("NAME", file) for line in MISTAKEN[name][1]]
        result.stdout.fnmatch_lines([f"*ERROR collecting {file} *", *lines])
    if not arguments:
        result.assert_outcomes(errors=len(MISTAKEN))
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*nodes.py*")
    result.stdout.no_fnmatch_line("*plugin*.py*")


@pytest.mark.session
def test_a_broken_file_is_an_error_of_a_case_about_a_crd_that_is_not_found(mistaken: Folder) -> None:
    mistaken.write(BROKEN, "kind: CustomResourceDefinition\nspec: {\n")

    result = mistaken.run("test_crd.crd.yaml")

    (mistaken.path / BROKEN).unlink()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"{BROKEN}:3: *"])


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("-k", "(pruning and stay) or defaulting"), id="by section and words of the name"),
        pytest.param((f"{NAME}::known fields stay", f"{NAME}::the size is filled in"), id="by two node ids"),
    ],
)
def test_cases_are_selected_like_tests(gardener: Project, arguments: tuple[str, ...]) -> None:
    """A plugin may run a test of any collected session."""
    gardener.write(
        "conftest.py",
        "def pytest_collection_finish(session):\n    print([item.bound.run().holds for item in session.items])\n",
    )

    result = gardener.run("--collect-only", "-q", "-s", *arguments)

    assert _ids(result) == [f"{NAME}::known fields stay", f"{NAME}::the size is filled in"]
    assert "[True, True]" in result.outlines


def test_the_patterns_of_case_files_can_be_set(empty: Project) -> None:
    empty.ini("crd_case_files = *_cases.yaml spec/*.yml")
    config = empty.parse()

    settings.read(config)

    names = ("a/garden_cases.yaml", "a/spec/garden.yml", NAME, "a/garden.yml", "spec/a/garden.yml")
    assert [casefiles.has_name(f"{empty.path}/{name}", config) for name in names] == [True, True, False, False, False]


def test_other_files_on_the_command_line_are_left_to_other_plugins(project: Project) -> None:
    project.write("other.yaml", "kind: ConfigMap\n")
    project.write(
        "conftest.py", "import pytest\ndef pytest_collect_file(file_path, parent):\n    print('SEEN', file_path.name)\n"
    )

    result = project.run("other.yaml", "-s")

    result.stdout.fnmatch_lines(["*SEEN other.yaml*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    assert result.ret in {pytest.ExitCode.NO_TESTS_COLLECTED, pytest.ExitCode.USAGE_ERROR}


def test_a_case_file_in_a_project_without_crds_is_a_collection_error(empty: Project) -> None:
    empty.cases()

    result = empty.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*ERROR collecting {NAME} *", f"{empty.path}: no CRD was found: set crd_paths *"])


def test_broken_files_are_lines_of_the_header_if_no_case_asks_for_their_crds(gardener: Project) -> None:
    text = GARDEN.replace("gardens", "orchards").replace("Garden", "Orchard")
    gardener.write(BROKEN, text.replace("type: object", "type: [a", 1))
    gardener.write("config/crd/bases/more.yaml", text.replace("scope: Namespaced", "scope: [", 1))

    result = gardener.run("-q")

    result.assert_outcomes(passed=3)
    for file in (BROKEN, "config/crd/bases/more.yaml"):
        result.stdout.fnmatch_lines([f"crd: {file}:*(no test asks for this file)"])


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

    result = gardener.run("-k", "stay", "--tb=line")

    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(["*conftest.py:7: RuntimeError: what we did not think of"])
