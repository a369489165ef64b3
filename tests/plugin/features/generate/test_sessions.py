"""`--crd-generate`: writes a case file about the behaviour of a CRD instead of running tests."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_crd import generation
from pytest_crd.generation import filenames
from pytest_crd.plugin.features.generate import hooks as generatehooks

if TYPE_CHECKING:
    from support.sessions import Project

NAME = "gardens.stories.example.com"
GENERATE = ("--crd-generate", NAME)


# Of the fields of the CRD, so that few cases are generated.
KEPT = ("size:", "rows: {type: integer, minimum")


@pytest.fixture
def gardens(project: Project) -> Project:
    """A project with a CRD of two fields."""
    crd = project.path / "config/crd/bases/gardens.yaml"
    above, below = crd.read_text(encoding="utf-8").split("              size:")
    fields = f"              size:{below}".splitlines(keepends=True)
    crd.write_text(above + "".join(line for line in fields if line.strip().startswith(KEPT)), encoding="utf-8")
    return project


def test_a_file_is_written_and_passes(project: Project) -> None:
    result = project.run(*GENERATE)
    second = project.write("other", "")

    assert result.ret == pytest.ExitCode.OK
    path = project.path / "test_gardens.crd.yaml"
    count = path.read_text(encoding="utf-8").count("name: ")
    written = [line for line in result.outlines if line.startswith("crd: wrote ")]
    assert len(written) == 1
    assert written[0].startswith("crd: wrote test_gardens.crd.yaml: ")
    assert written[0].endswith(f" cases about {NAME} v1")
    project.run("-W", "error").assert_outcomes(passed=int(written[0].split()[3]))
    assert count > int(written[0].split()[3])
    # The permissions of any new file.
    modes = [stat.S_IMODE(file.stat().st_mode) for file in (path, second)]
    assert modes[0] == modes[1]


def test_collect_only_generates_nothing(gardens: Project) -> None:
    result = gardens.run(*GENERATE, "--collect-only")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --crd-generate writes files: leave out --collect-only"])
    assert not list(gardens.path.glob("test_*"))


@pytest.mark.parametrize("flags", [("--crd-fill",), ("--crd-update-verdicts",), ("--crd-live", "http://127.0.0.1:1")])
def test_options_that_need_a_test_run_are_refused(gardens: Project, flags: tuple[str, ...]) -> None:
    result = gardens.run(*GENERATE, *flags)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --crd-generate runs no tests: leave out {flags[0]}"])
    assert not list(gardens.path.glob("test_*"))


def test_generating_keeps_results_of_earlier_runs(gardens: Project) -> None:
    gardens.cases()
    gardens.run("--crd-cov")
    stored = (gardens.path / ".crd_coverage").read_bytes()

    result = gardens.run(*GENERATE, "--crd-cov", "--crd-cov-fail-under=100")

    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*coverage*")
    assert (gardens.path / ".crd_coverage").read_bytes() == stored


def test_workers_have_nothing_to_do(gardens: Project) -> None:
    result = gardens.run("-p", "xdist", "-n", "2", *GENERATE)

    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["crd: wrote test_gardens.crd.yaml: *"])


@pytest.mark.parametrize(
    ("testpaths", "folders", "expected"),
    [
        ([], (), "."),
        ([], ("tests",), "tests"),
        (["other", "e2e"], ("tests", "e2e"), "e2e"),
        (["*/cases"], ("a/cases", "b/cases"), "a/cases"),
        (["."], ("tests",), "."),
        (["./e2e/"], ("tests", "e2e"), "e2e"),
    ],
)
def test_a_generated_file_goes_to_the_folder_of_tests(
    tmp_path_factory: pytest.TempPathFactory, testpaths: list[str], folders: tuple[str, ...], expected: str
) -> None:
    base = tmp_path_factory.mktemp("project")
    for folder in folders:
        (base / folder).mkdir(parents=True)

    assert (filenames.folder(base, testpaths) or base).resolve() == (base / expected).resolve()


@pytest.mark.parametrize(("ini", "expected"), [("testpaths = other FOLDER/e2e", "e2e"), ("testpaths = ''", "tests")])
def test_a_generated_file_goes_to_the_testpaths(gardens: Project, ini: str, expected: str) -> None:
    gardens.ini(ini.replace("FOLDER", str(gardens.path)))
    for folder in ("tests", "e2e"):
        (gardens.path / folder).mkdir()

    assert gardens.run(*GENERATE).ret == pytest.ExitCode.OK
    assert [str(path.relative_to(gardens.path)) for path in gardens.path.rglob("test_*")] == [
        f"{expected}/test_gardens.crd.yaml"
    ]


def test_a_folder_of_tests_outside_of_the_project_gets_no_file(
    gardens: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    gardens.ini(f"testpaths = {outside}")

    result = gardens.run(*GENERATE)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --crd-generate: * leads out of the project; name another folder in testpaths"])
    assert [*outside.iterdir()] == []


def test_a_file_that_no_run_would_collect_is_not_written(gardens: Project) -> None:
    gardens.ini("crd_case_files = case_*.yaml *.cases.yaml")

    result = gardens.run(*GENERATE)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    words = "no pattern of crd_case_files (case_[*].yaml [*].cases.yaml) matches test_gardens.crd.yaml, which no run would collect"
    result.stderr.fnmatch_lines([f"ERROR: --crd-generate: {words}: add test_[*].crd.yaml"])
    assert not list(gardens.path.glob("test_*"))


def test_a_version_named_in_all_ways_has_one_file_and_no_test_runs(gardens: Project) -> None:
    gardens.cases("crd: nothing\n")
    file = "config/crd/bases/gardens.yaml"
    names = (f"{NAME}/v1", "Garden", file, f"{file}/v1")

    result = gardens.run(*GENERATE, *(word for name in names for word in ("--crd-generate", name)))

    assert result.ret == pytest.ExitCode.OK
    [line] = [line for line in result.outlines if line.startswith("crd: wrote ")]
    assert line.startswith("crd: wrote test_gardens.crd.yaml: ")
    assert line.endswith(f" {NAME} v1")
    assert "no tests ran" in result.outlines[-1]


@pytest.mark.parametrize("name", ["Garden/v1", "config/crd/bases/others.yaml"])
def test_no_file_is_generated_for_alternatives(gardens: Project, name: str) -> None:
    second = gardens.crd("config/crd/bases/others.yaml")
    second.write_text(second.read_text(encoding="utf-8").replace("default: 3", "default: 4"), encoding="utf-8")

    result = gardens.run("--crd-generate", name)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    words = "has alternatives, so no file is generated: write one whose `crd:` is the path of an alternative"
    result.stderr.fnmatch_lines([f"ERROR: --crd-generate: {NAME} {words}"])
    assert not list(gardens.path.glob("test_*"))


def test_a_folder_where_the_file_would_be_is_an_error(gardens: Project) -> None:
    (gardens.path / "test_gardens.crd.yaml").mkdir()

    result = gardens.run(*GENERATE)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --crd-generate: cannot read test_gardens.crd.yaml: Is a directory"])


def test_crds_of_one_plural_have_files_of_their_own(gardens: Project) -> None:
    second = gardens.crd("config/crd/bases/others.yaml")
    second.write_text(second.read_text(encoding="utf-8").replace("stories", "tales"), encoding="utf-8")

    gardens.run(*GENERATE, "--crd-generate", "gardens.tales.example.com")

    assert sorted(path.name for path in gardens.path.glob("test_*")) == [
        "test_gardens.stories.example.com.crd.yaml",
        "test_gardens.tales.example.com.crd.yaml",
    ]


def _with_alpha(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    alpha = text[text.index("  - name: v1") :].replace("v1", "v1alpha1", 1).replace("storage: true", "storage: false")
    path.write_text(text + alpha, encoding="utf-8")


def test_each_version_has_a_file_of_its_own(gardens: Project) -> None:
    _with_alpha(gardens.path / "config/crd/bases/gardens.yaml")

    first = gardens.run(*GENERATE)
    second = gardens.run("--crd-generate", f"{NAME}/v1alpha1")
    both = gardens.run(*GENERATE, "--crd-generate", f"{NAME}/v1alpha1")

    first.stdout.fnmatch_lines([f"crd:   for other versions: --crd-generate {NAME}/v1alpha1"])
    second.stdout.fnmatch_lines(["crd: wrote test_gardens.v1alpha1.crd.yaml: * v1alpha1"])
    assert len([line for line in both.outlines if line.startswith("crd: nothing to add")]) == 2
    both.stdout.no_fnmatch_line("*for other versions*")
    assert gardens.run("-W", "error").ret == pytest.ExitCode.OK


def test_omitted_parts_are_listed(gardens: Project) -> None:
    path = gardens.path / "config/crd/bases/gardens.yaml"
    fields = "".join(f"\n              text{index}: {{type: string, maxLength: 2000000}}" for index in range(7))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("{type: integer, default: 3}", "{type: integer}" + fields), encoding="utf-8")

    result = gardens.run(*GENERATE)

    result.stdout.fnmatch_lines(
        [
            "crd:   left out: spec.text0: maxLength 2,000,000 is too large for a case",
            "crd:   left out: and 2 more, of which the end of the file names the first",
        ]
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gardens.stories.example.co", "no CRD is called 'gardens.stories.example.co'; did you mean *"),
        (f"{NAME}/v2", f"{NAME} has no version 'v2'; it has: v1"),
    ],
)
def test_an_unknown_crd_or_version_is_an_error(gardens: Project, name: str, words: str) -> None:
    result = gardens.run(*GENERATE, "--crd-generate", name)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --crd-generate: {words}"])
    assert not list(gardens.path.glob("test_*"))


def test_a_crd_that_serves_nothing_has_no_behaviour(gardens: Project) -> None:
    path = gardens.path / "config/crd/bases/gardens.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("served: true", "served: false"), encoding="utf-8")

    result = gardens.run(*GENERATE)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --crd-generate: {NAME} serves no version"])


def test_a_crd_that_the_server_refuses_is_an_error(gardens: Project) -> None:
    path = gardens.path / "config/crd/bases/gardens.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("minimum: 1,", "minimum: 1, $ref: x,"), encoding="utf-8")

    result = gardens.run(*GENERATE)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --crd-generate: *the server refuses this CRD:*"])


def test_a_file_is_generated_for_a_refused_crd_declared_stored(gardens: Project) -> None:
    gardens.ini(f"crd_stored = {NAME}")

    assert gardens.run(*GENERATE).ret == pytest.ExitCode.OK


def test_missing_cases_are_added_to_an_existing_file(gardens: Project) -> None:
    path = gardens.cases(name="test_gardens.crd.yaml")
    before = path.read_text(encoding="utf-8")

    result = gardens.run(*GENERATE)
    short = path.read_text(encoding="utf-8")
    complete = gardens.run(*GENERATE, "--crd-generate-all")

    assert result.ret == complete.ret == pytest.ExitCode.OK
    added = [
        int(line.split()[4])
        for run in (result, complete)
        for line in run.outlines
        if line.startswith("crd: added to test_gardens.crd.yaml: ")
    ]
    assert len(added) == 1
    complete.stdout.fnmatch_lines(["crd: nothing to add to test_gardens.crd.yaml"])
    result.stdout.fnmatch_lines(["crd:   * of * points of its schema are held"])
    assert [line for line in before.splitlines() if line not in short.splitlines()] == []
    gardens.run("-W", "error").assert_outcomes(passed=3 + sum(added))


def test_a_complete_file_is_left_unchanged(gardens: Project) -> None:
    gardens.run(*GENERATE)
    path = gardens.path / "test_gardens.crd.yaml"
    before = path.stat()

    result = gardens.run(*GENERATE)

    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["crd: nothing to add to test_gardens.crd.yaml"])
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_file_about_something_else_is_left_alone(gardens: Project) -> None:
    path = gardens.cases(
        "crd: ponds.stories.example.com\npruning:\n- {name: a, input: {}, pruned: []}\n", "test_gardens.crd.yaml"
    )
    before = path.read_bytes()

    result = gardens.run(*GENERATE)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            f"ERROR: --crd-generate: test_gardens.crd.yaml:1: the file is about ponds.stories.example.com, not about {NAME} v1: *"
        ]
    )
    assert path.read_bytes() == before


def test_a_file_that_changes_meanwhile_is_left_alone(gardens: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    path = gardens.cases(name="test_gardens.crd.yaml")

    def change(*arguments: Any, **keywords: Any) -> Any:
        path.write_text("# mine\n", encoding="utf-8")
        return generation.add(*arguments, **keywords)

    monkeypatch.setattr(generatehooks, "add", change)

    result = gardens.run(*GENERATE)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --crd-generate: test_gardens.crd.yaml was changed meanwhile: run it again"])
    assert path.read_text(encoding="utf-8") == "# mine\n"


def test_a_folder_that_cannot_be_written_is_an_error(gardens: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = os.open

    def refuse(path: Any, *others: Any, **named: Any) -> int:
        if Path(path).parent == gardens.path and str(path).endswith(".tmp"):
            raise PermissionError(13, "Permission denied")
        return opened(path, *others, **named)

    monkeypatch.setattr(os, "open", refuse)

    result = gardens.run(*GENERATE)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --crd-generate: cannot write test_gardens.crd.yaml: Permission denied"])
    assert not list(gardens.path.glob("test_*"))


@pytest.mark.parametrize("option", [("--crd-generate-path", "spec"), ("--crd-generate-all",)])
def test_settings_of_generating_have_no_effect_without_the_option(gardens: Project, option: tuple[str, ...]) -> None:
    result = gardens.run(*option)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {option[0]} does nothing without --crd-generate"])


def test_a_path_restricts_the_generated_cases(gardens: Project) -> None:
    gardens.run(*GENERATE, "--crd-generate-path", "spec.size").stdout.fnmatch_lines(
        ["crd: wrote test_gardens.crd.yaml: *", "crd:   left out: all that does not lie at spec.size, or below"]
    )

    assert '- name: "spec.' not in gardens.read("test_gardens.crd.yaml").replace('- name: "spec.size', "")
    gardens.run("-W", "error").assert_outcomes(passed=gardens.read("test_gardens.crd.yaml").count("name: "))


def test_an_unknown_path_is_an_error(gardens: Project) -> None:
    result = gardens.run(*GENERATE, "--crd-generate-path", "spec.sise")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"ERROR: --crd-generate: {NAME} v1 has nothing at 'spec.sise'; did you mean spec.size?"]
    )


def test_exclusions_of_coverage_are_not_generated(gardens: Project) -> None:
    gardens.ini(f"crd_cov_exclude = {NAME} spec.size")

    gardens.run(*GENERATE).stdout.fnmatch_lines(["crd:   left out: spec.size: by crd_cov_exclude"])

    assert "spec.size" not in gardens.read("test_gardens.crd.yaml").split("# Left out")[0]
    assert gardens.run("-W", "error").ret == pytest.ExitCode.OK
