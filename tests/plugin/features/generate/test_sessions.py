"""`--crd-generate`: writes a case file about the behaviour of a CRD instead of running tests."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from support.sessions import CASES, GARDEN, Folder

from pytest_crd import generation
from pytest_crd.plugin.features.generate import hooks as generatehooks

if TYPE_CHECKING:
    from support.sessions import Project

NAME = "gardens.stories.example.com"
GENERATE = ("--crd-generate", NAME)
FILE = "config/crd/bases/gardens.yaml"


# Of the fields of the CRD, so that few cases are generated.
KEPT = ("size:", "rows: {type: integer, minimum")


def _write_crd(folder: Folder, kind: str = "Garden", file: str = "", *changes: tuple[str, str]) -> None:
    """Write a CRD of two fields."""
    plural = f"{kind.lower()}s"
    above, below = GARDEN.replace("gardens", plural).replace("Garden", kind).split("              size:")
    fields = f"              size:{below}".splitlines(keepends=True)
    text = above + "".join(line for line in fields if line.strip().startswith(KEPT))
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    folder.write(file or f"config/crd/bases/{plural}.yaml", text)


def _add_alpha(folder: Folder, file: str) -> None:
    text = folder.read(file)
    alpha = text[text.index("  - name: v1") :].replace("v1", "v1alpha1", 1).replace("storage: true", "storage: false")
    folder.write(file, text + alpha)


@pytest.fixture
def gardens(empty: Project) -> Project:
    """A project with a CRD of two fields."""
    _write_crd(empty)
    return empty


# One project with many CRDs: a session that generates their files, and sessions afterwards


class Story(NamedTuple):
    """
    A project with generated files.

    Attributes:
        folder: The project.
        result: The result of the session that generated the files.
        before: The texts of files before it.
    """

    folder: Folder
    result: pytest.RunResult
    before: dict[str, str]

    def lines(self, name: str) -> list[str]:
        """Return the lines of the report about a file."""
        lines: list[str] = []
        is_its = False
        for line in self.result.outlines:
            is_its = f" e2e/test_{name}.crd.yaml" in line or (is_its and line.startswith("crd:   "))
            lines += [line] * is_its
        return lines

    def count(self, name: str) -> int:
        """Return the number of cases that were written into a file, by the report."""
        return int(self.lines(name)[0].partition(": ")[2].partition(": ")[2].split()[0])


LARGE = "".join(f"\n              text{index}: {{type: string, maxLength: 2000000}}" for index in range(7))
ALL_HEDGES = ("Hedge", "hedges.stories.example.com/v1alpha1")
CHOSEN = (
    *(f"{NAME}/v1", "Garden", FILE, f"{FILE}/v1"),
    "Pond",
    *ALL_HEDGES,
    *("lawns.stories.example.com", "lawns.tales.example.com"),
    *("Wall", "Bed", "Kiln", "Shed"),
)
FILES = (
    *("gardens", "ponds", "hedges", "hedges.v1alpha1", "lawns.stories.example.com", "lawns.tales.example.com"),
    *("walls", "beds", "kilns", "sheds"),
)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """The files of many CRDs in one session, which starts with results of earlier runs and with files in its folder."""
    folder = Folder(tmp_path_factory.mktemp("story"))
    _write_crd(folder)
    for kind in ("Pond", "Hedge"):
        _write_crd(folder, kind)
        _add_alpha(folder, f"config/crd/bases/{kind.lower()}s.yaml")
    _write_crd(folder, "Lawn")
    _write_crd(folder, "Lawn", "config/crd/bases/others.yaml", ("stories", "tales"))
    _write_crd(folder, "Wall", "", ("{type: integer, default: 3}", "{type: integer}" + LARGE))
    _write_crd(folder, "Bed")
    _write_crd(folder, "Kiln", "", ("    served: true\n", "    served: true\n    deprecationWarning: old\n"))
    _write_crd(folder, "Shed")
    folder.ini(
        f"testpaths = other {folder.path}/e2e",
        "crd_cov_exclude = beds.stories.example.com spec.size",
        "crd_stored = kilns.stories.example.com",
    )
    (folder.path / "tests").mkdir()
    before = {
        ".crd_coverage": "results of earlier runs\n",
        "e2e/test_broken.crd.yaml": "crd: nothing\n",
        "e2e/test_sheds.crd.yaml": CASES.replace("gardens", "sheds"),
    }
    for name, text in before.items():
        folder.write(name, text)
    names = (word for name in CHOSEN for word in ("--crd-generate", name))
    result = folder.run("-p", "xdist", "-n", "2", *names, "--crd-cov", "--crd-cov-fail-under=100")
    return Story(folder, result, before)


@pytest.mark.session
def test_files_are_written_into_the_folder_of_tests_and_no_test_runs(story: Story) -> None:
    """Workers have nothing to do."""
    folder, result, _ = story
    second = folder.write("new", "")

    assert result.ret == pytest.ExitCode.OK
    assert "no tests ran" in result.outlines[-1]
    names = [path.name for path in folder.path.rglob("test_*") if path.name != "test_broken.crd.yaml"]
    assert sorted(names) == sorted(f"test_{name}.crd.yaml" for name in FILES)
    for name in FILES:
        text = folder.read(f"e2e/test_{name}.crd.yaml")
        assert text.count("name: ") >= story.count(name) > 0
        # The permissions of any new file.
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder.path / f"e2e/test_{name}.crd.yaml", second)]
        assert modes[0] == modes[1] or name == "sheds"


@pytest.mark.session
def test_a_version_named_in_all_ways_has_one_file(story: Story) -> None:
    line, points = story.lines("gardens")

    assert line == f"crd: wrote e2e/test_gardens.crd.yaml: {story.count('gardens')} cases about {NAME} v1"
    assert points.endswith(" points of its schema are held")


@pytest.mark.session
def test_each_version_has_a_file_of_its_own(story: Story) -> None:
    hint = "crd:   for other versions: --crd-generate ponds.stories.example.com/v1alpha1"

    assert story.lines("ponds")[0].endswith(" cases about ponds.stories.example.com v1")
    assert story.lines("ponds")[-1] == hint
    assert story.lines("hedges.v1alpha1")[0].endswith(" about hedges.stories.example.com v1alpha1")
    assert [line for line in story.result.outlines if "for other versions" in line] == [hint]


@pytest.mark.session
def test_omitted_parts_are_listed(story: Story) -> None:
    lines = story.lines("walls")

    assert "crd:   left out: spec.text0: maxLength 2,000,000 is too large for a case" in lines
    assert lines[-1] == "crd:   left out: and 2 more, of which the end of the file names the first"


@pytest.mark.session
def test_exclusions_of_coverage_are_not_generated(story: Story) -> None:
    assert "crd:   left out: spec.size: by crd_cov_exclude" in story.lines("beds")
    assert "spec.size" not in story.folder.read("e2e/test_beds.crd.yaml").split("# Left out")[0]
    assert "spec.size" in story.folder.read("e2e/test_gardens.crd.yaml")


@pytest.mark.session
def test_missing_cases_are_added_to_an_existing_file(story: Story) -> None:
    text = story.folder.read("e2e/test_sheds.crd.yaml")

    assert story.lines("sheds")[0].startswith("crd: added to e2e/test_sheds.crd.yaml: ")
    before = story.before["e2e/test_sheds.crd.yaml"]
    assert [line for line in before.splitlines() if line not in text.splitlines()] == []


@pytest.mark.session
def test_generating_keeps_results_of_earlier_runs_and_files_of_others(story: Story) -> None:
    story.result.stdout.no_fnmatch_line("*coverage*")
    for name in (".crd_coverage", "e2e/test_broken.crd.yaml"):
        assert story.folder.read(name) == story.before[name]


@pytest.mark.session
def test_complete_files_are_left_unchanged(story: Story) -> None:
    names = ("gardens", "hedges", "hedges.v1alpha1", "sheds")
    paths = [story.folder.path / f"e2e/test_{name}.crd.yaml" for name in names]
    before = [(path.stat().st_ino, path.stat().st_mtime_ns) for path in paths]

    again = story.folder.run(
        *(word for name in ("Garden", *ALL_HEDGES, "Shed") for word in ("--crd-generate", name)),
    )

    assert again.ret == pytest.ExitCode.OK
    lines = {line for line in again.outlines if line.startswith("crd: nothing to add to ")}
    assert lines == {f"crd: nothing to add to e2e/{path.name}" for path in paths}
    assert [(path.stat().st_ino, path.stat().st_mtime_ns) for path in paths] == before


@pytest.mark.session
def test_generated_files_pass_without_a_warning(story: Story) -> None:
    paths = [story.folder.path / f"e2e/test_{name}.crd.yaml" for name in FILES]

    result = story.folder.run("-W", "error", *paths)

    result.assert_outcomes(passed=3 + sum(map(story.count, FILES)))


# Parts of a schema


def test_a_path_restricts_the_generated_cases(gardens: Project) -> None:
    gardens.run(*GENERATE, "--crd-generate-path", "spec.size", "--crd-generate-all").stdout.fnmatch_lines(
        ["crd: wrote test_gardens.crd.yaml: *", "crd:   left out: all that does not lie at spec.size, or below"]
    )

    assert '- name: "spec.' not in gardens.read("test_gardens.crd.yaml").replace('- name: "spec.size', "")


# Errors


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--collect-only",), "writes files: leave out --collect-only"),
        (("--crd-update-verdicts",), "runs no tests: leave out --crd-update-verdicts"),
        (("--crd-live", "http://127.0.0.1:1"), "runs no tests: leave out --crd-live"),
    ],
)
def test_options_that_need_a_test_run_are_refused(gardens: Project, flags: tuple[str, ...], words: str) -> None:
    result = gardens.run(*GENERATE, *flags)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --crd-generate {words}"])
    assert not list(gardens.path.glob("test_*"))


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


@pytest.mark.parametrize("name", ["Garden/v1", "config/crd/bases/others.yaml"])
def test_no_file_is_generated_for_alternatives(gardens: Project, name: str) -> None:
    _write_crd(gardens, "Garden", "config/crd/bases/others.yaml", ("default: 3", "default: 4"))

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


def test_an_unknown_crd_is_an_error_and_no_other_file_is_written(gardens: Project) -> None:
    result = gardens.run(*GENERATE, "--crd-generate", "gardens.stories.example.co")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    words = "no CRD is called 'gardens.stories.example.co'; did you mean *"
    result.stderr.fnmatch_lines([f"ERROR: --crd-generate: {words}"])
    assert not list(gardens.path.glob("test_*"))


def test_a_crd_that_the_server_refuses_is_an_error(gardens: Project) -> None:
    _write_crd(gardens, "Garden", "", ("minimum: 1,", "minimum: 1, $ref: x,"))

    result = gardens.run(*GENERATE)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --crd-generate: *the server refuses this CRD:*"])


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
