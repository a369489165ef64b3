"""`pytest-crd init`: survey and proposals; existing files are never replaced."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
import yaml
from support import crds
from support.git import commit, git, initialize
from support.sessions import Folder

from pytest_crd import __main__ as program
from pytest_crd import folders
from pytest_crd.cases import loader
from pytest_crd.discovery import git as git_commands
from pytest_crd.discovery.git import GitAnswer
from pytest_crd.plugin import testrun
from pytest_crd.plugin.testrun import SessionEnd

pytestmark = pytest.mark.session  # git is asked for files
Init: TypeAlias = "Callable[..., tuple[int, str, str]]"

FILE = "config/crd/bases/gardens.yaml"
SMALL = crds.text(
    "plural: gardens, singular: garden, kind: Garden, listKind: GardenList",
    """\
    type: object
    properties:
      spec:
        type: object
        properties:
          soil: {type: string, enum: [clay, sand]}
    """,
    group="stories.example.com",
)
CASES = "tests/test_gardens.crd.yaml"
SAMPLE = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\nspec: {soil: sand}\n"
DECLARED = "crd: gardens.stories.example.com\ncreate:\n- {name: a, input: {}, accepted: true}\n"
SUITE = (
    "crdName: gardens.stories.example.com\ntests: {onCreate: [{name: a, initial: 'spec: {}', expected: 'spec: {}'}]}\n"
)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A repository with a CRD."""
    monkeypatch.chdir(tmp_path)
    folder = Folder(tmp_path)
    folder.write(FILE, SMALL)
    folder.write(".gitignore", ".crd_coverage\n")
    initialize(tmp_path)
    return folder


@pytest.fixture
def init(
    repository: Folder, sessions_here: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Init:
    """Run the command, maybe at a terminal with typed input."""
    del repository, sessions_here

    def run(*arguments: str, typed: str | None = None) -> tuple[int, str, str]:
        given = io.StringIO(typed or "")
        monkeypatch.setattr(given, "isatty", lambda: typed is not None)
        monkeypatch.setattr("sys.stdin", given)
        code = program.main(["init", *arguments])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def propose(init: Init, monkeypatch: pytest.MonkeyPatch) -> Init:
    """Run the command, with a run of the checks in which nothing fails: such a run takes longer than the survey and the proposals."""
    monkeypatch.setattr(testrun, "run", lambda *_, **__: SessionEnd(pytest.ExitCode.OK, was_interrupted=False))
    return init


def test_git_lists_the_files_once(repository: Folder, propose: Init, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.write("config/samples/garden.yaml", SAMPLE)
    commands, run_git = [], git_commands.run

    def record(folder: Path, *arguments: str, **options: bytes) -> GitAnswer:
        commands.append(arguments[0])
        return run_git(folder, *arguments, **options)

    monkeypatch.setattr(git_commands, "run", record)

    assert propose()[0] == 0
    assert [commands.count(name) for name in ("ls-files", "rev-parse")] == [1, 1]


def test_the_survey_is_printed_and_nothing_is_written(repository: Folder, init: Init) -> None:
    (repository.path / ".github").mkdir()

    code, out, err = init()

    assert (code, err) == (0, "")
    assert re.sub(r"[\d.]+s\n", "SECONDS\n", out) == (
        "1 CRD from config/crd/bases\n"
        "0 samples\n"
        "0 case files; 1 CRD of 1 without one\n"
        "last release: none, so that no upgrade is judged\n"
        "job of the CI that tests CRDs: there is none\n"
        "\n"
        "pytest-crd test, before anything is written:\n"
        "\n"
        "crd: 1 CRD, 1 version from config/crd/bases; 3 checks in 1 file; Kubernetes 1.37\n"
        f"crd: no upgrade is judged: {repository.path} has no tag; if its tags are not fetched yet: "
        "git fetch --tags --unshallow, or `fetch-depth: 0` of GitHub's actions/checkout\n"
        "\n"
        "3 passed in SECONDS\n"
        "\n"
        f"not written: {CASES}, which states what gardens.stories.example.com does today\n"
        "not written: .github/workflows/crds.yml, which runs all of it for each change\n"
        "\n"
        "pytest-crd init --yes writes these files\n"
    )
    assert sorted(path.name for path in repository.path.iterdir()) == [".git", ".github", ".gitignore", "config"]


def test_approved_files_are_written_and_sufficient(repository: Folder, init: Init) -> None:
    (repository.path / ".github").mkdir()

    code, out, _ = init("--yes")

    assert code == 0
    assert f"written: {CASES}, which states" in out
    (cases,) = loader.load(repository.read(CASES), source=CASES)
    assert cases.crd == "gardens.stories.example.com"
    job = yaml.safe_load(repository.read(".github/workflows/crds.yml"))["jobs"]["crds"]
    assert job["steps"][0]["with"] == {"fetch-depth": 0}
    assert job["steps"][1] == {"run": "pipx run pytest-crd test"}
    assert init()[1].endswith("nothing is missing: pytest-crd test runs it all\n")


def test_users_at_a_terminal_are_asked_about_each_file(repository: Folder, init: Init) -> None:
    (repository.path / ".github").mkdir()

    code, out, _ = init(typed="n\ny\n")

    assert code == 0
    assert "? [y/N] not written: tests/test_gardens" in out
    assert not (repository.path / CASES).exists()
    assert (repository.path / ".github/workflows/crds.yml").exists()
    assert "--yes" not in out


def test_a_crd_with_a_case_file_needs_none(repository: Folder, propose: Init) -> None:
    for text, count in (
        (DECLARED, 1),
        (SUITE, 1),
        (DECLARED.replace("gardens.stories.example.com", f"../{FILE}"), 1),
        (DECLARED.replace("gardens", "others"), 0),
    ):
        repository.write("tests/test_it.crd.yaml", text)
        assert f"1 case file; {1 - count} CRD" in propose()[1], text


def test_an_unreadable_case_file_is_reported(repository: Folder, propose: Init) -> None:
    repository.write("tests/test_it.crd.yaml", "creat: []\n")

    assert "  cannot be read: tests/test_it.crd.yaml:1: " in propose()[1]


def test_case_files_that_are_gone_or_kept_back_are_no_crash(
    repository: Folder, propose: Init, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.write("tests/test_gone.crd.yaml", DECLARED)
    git(repository.path, "add", "-A")
    (repository.path / "tests/test_gone.crd.yaml").unlink()
    repository.write("tests/test_kept.crd.YAML", DECLARED)
    read = folders.read_file

    def refuse(path: Path) -> bytes:
        if path.name.startswith("test_kept"):
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(folders, "read_file", refuse)

    out = propose()[1]

    assert "1 case file; 1 CRD of 1 without one\n" in out
    assert "  cannot be read: tests/test_kept.crd.YAML: Permission denied\n" in out


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("pyproject.toml", "[tool\n", "pyproject.toml: cannot be read: Expected ']'"),
        ("tox.ini", "x\n", "tox.ini: cannot be read: "),
        ("pytest.ini", '[pytest]\ncrd_paths = "x\n', "pytest.ini: crd_paths: No closing quotation"),
    ],
)
def test_settings_that_cannot_be_read_are_2(file: str, text: str, problem: str, repository: Folder, init: Init) -> None:
    repository.write(file, text)

    code, out, err = init()

    assert (code, out) == (2, "")
    assert err.startswith(problem)


def test_a_file_that_is_there_stays(repository: Folder, propose: Init) -> None:
    repository.write(CASES, DECLARED.replace("gardens", "others"))

    code, _, err = propose("--yes")

    assert code == 1
    assert err == f"{CASES}: not written: File exists\n"
    assert "others" in repository.read(CASES)


def test_a_folder_that_a_link_leads_out_of_the_repository_gets_no_file(
    repository: Folder, propose: Init, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (repository.path / "tests").symlink_to(outside)

    code, _, err = propose("--yes")

    assert code == 1
    assert "tests/test_gardens.crd.yaml: not written: a link leads its folder out of the repository\n" in err
    assert [*outside.iterdir()] == []


def test_a_job_is_proposed_in_the_file_of_gitlab(repository: Folder, propose: Init) -> None:
    repository.write(".gitlab-ci.yml", "build: {script: [make]}\n")
    repository.write("tests/test_it.crd.yaml", DECLARED)

    out = propose("--yes")[1]

    added = out.split("to be added to .gitlab-ci.yml, which runs all of it for each change:\n\n")[1]
    assert yaml.safe_load(added)["crds"]["variables"] == {"GIT_DEPTH": "0"}
    assert repository.read(".gitlab-ci.yml") == "build: {script: [make]}\n"
    repository.write(".gitlab-ci.yml", "crds: {script: [pytest-crd test]}\n")
    assert "tests CRDs: there is one\n" in propose()[1]


def test_a_pipe_in_the_place_of_a_job_does_not_block(repository: Folder, propose: Init) -> None:
    (repository.path / ".github/workflows").mkdir(parents=True)
    os.mkfifo(repository.path / ".github/workflows/ci.yml")

    code, out, _ = propose("--yes")

    assert code == 0
    assert "job of the CI that tests CRDs: there is none\n" in out


def test_no_job_is_proposed_without_a_forge(propose: Init) -> None:
    out = propose()[1]

    assert "job of the CI that tests CRDs: there is none, and no forge is known\n" in out
    assert "workflows" not in out


def test_the_last_release_is_named(repository: Folder, propose: Init) -> None:
    commit(repository.path, tag="v1.0.0")
    repository.write("README", "")
    commit(repository.path)

    assert "last release: v1.0.0, from which upgrades are judged\n" in propose()[1]


def test_samples_outside_the_usual_folders_need_a_setting(repository: Folder, propose: Init) -> None:
    repository.write("deploy/garden.yaml", SAMPLE)

    assert "0 samples, 1 elsewhere (deploy)\n" in propose("--yes")[1]
    assert repository.read("pytest.ini") == "[pytest]\ncrd_checks = true\ncrd_samples = auto\n"
    assert "1 sample in deploy\n" in propose()[1]


def test_samples_in_their_place_are_none(repository: Folder, propose: Init) -> None:
    repository.write("config/samples/garden.yaml", SAMPLE)

    assert "1 sample in config/samples\n" in propose()[1]
    assert "pytest.ini" not in propose()[1]


@pytest.mark.parametrize(
    ("file", "text", "added"),
    [
        ("tox.ini", "[pytest]\naddopts = -q\n", "[pytest]\ncrd_checks = true\ncrd_samples = auto"),
        ("setup.cfg", "[tool:pytest]\naddopts = -q\n", "[tool:pytest]\ncrd_checks = true\ncrd_samples = auto"),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\nx = 1\n",
            '[tool.pytest.ini_options]\ncrd_checks = true\ncrd_samples = ["auto"]',
        ),
        ("pyproject.toml", "[tool.pytest]\nx = 1\n", '[tool.pytest]\ncrd_checks = true\ncrd_samples = ["auto"]'),
        (".pytest.toml", "", '[pytest]\ncrd_checks = true\ncrd_samples = ["auto"]'),
    ],
)
def test_settings_go_where_there_are_some(file: str, text: str, added: str, repository: Folder, propose: Init) -> None:
    repository.write(file, text)
    repository.write("deploy/garden.yaml", SAMPLE)

    out = propose("--yes")[1]

    output = out.split(f"to be added to {file}, which has settings: crd_checks, crd_samples:\n\n")[1].split("\n\n")[0]
    assert "\n".join(line.strip() for line in output.splitlines()) == added
    assert repository.read(file) == text


def test_cases_go_where_tests_are(repository: Folder, propose: Init) -> None:
    repository.write("pyproject.toml", "[tool.pytest.ini_options]\ntestpaths = ['nowhere', 'che*']\n")
    (repository.path / "checks").mkdir()

    assert "not written: checks/test_gardens.crd.yaml" in propose()[1]


def test_crds_are_those_that_are_set(repository: Folder, propose: Init) -> None:
    repository.crd("other/gardens.yaml")
    repository.ini("crd_paths = other")

    assert propose()[1].startswith("1 CRD from other\n")


def test_a_command_is_run_only_if_a_setting_names_it(
    repository: Folder, init: Init, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (repository.path / FILE).unlink()
    repository.write("charts/garden/Chart.yaml", "name: garden\n")
    template = SMALL.replace("scope: Namespaced", "scope: {{ .Values.scope }}")
    repository.write("charts/garden/templates/gardens.yaml", template)
    programs = tmp_path / "programs"
    repository.write("programs/helm", f"#!/bin/sh\ntouch was-run\nexec cat <<'END'\n{SMALL}END\n").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=":")

    code, _, err = init("--yes")

    assert code == 5
    setting = "crd_commands = helm template charts/garden --include-crds"
    assert f"write {setting}; a command is run only if crd_commands names it" in err
    assert not (repository.path / "was-run").exists()
    repository.ini(setting)
    assert init()[1].startswith("1 CRD from `helm template charts/garden --include-crds`\n")
    assert (repository.path / "was-run").exists()


def test_of_a_refused_crd_and_of_alternatives_nothing_is_stated(repository: Folder, init: Init) -> None:
    repository.write(
        "config/crd/bases/a.yaml",
        SMALL.replace("gardens", "parks").replace("Garden", "Park").replace("Namespaced", "Clustr"),
    )
    repository.write(
        "config/crd/bases/b.yaml",
        SMALL.replace("gardens", "beds").replace("Garden", "Bed").replace("served: true", "served: false"),
    )
    repository.write("config/crd/bases/c.yaml", SMALL.replace("[clay, sand]", "[clay]"))
    repository.crd("config/crd/bases/d.yaml", plural="walls", kind="Wall")

    code, out, err = init("--yes")

    assert code == 1
    assert "config/crd/bases/a.yaml:1: the server refuses parks.stories.example.com: " in err
    assert "no cases are written about beds.stories.example.com: beds.stories.example.com serves no version" in err
    assert "no cases are written about gardens.stories.example.com, of which there are alternatives" in err
    assert "written: tests/test_walls.crd.yaml" in out


def test_a_repository_without_crds_is_5(repository: Folder, init: Init) -> None:
    (repository.path / FILE).unlink()
    (repository.path / FILE).parent.rmdir()

    code, out, err = init()

    assert (code, out) == (5, "")
    assert "no CRD was found" in err


def test_a_crd_that_cannot_be_read_is_2(repository: Folder, init: Init) -> None:
    repository.write(FILE, f"{SMALL}a: [\n")

    assert init()[0] == 2


def test_a_folder_that_is_not_there_is_2(init: Init) -> None:
    assert init("nowhere") == (2, "", "nowhere: no such folder\n")


@pytest.mark.parametrize(
    ("tags", "words"),
    [
        (("v1.0.0", "v1.1.0"), "v1.0.0, before v1.1.0, the current commit"),
        (("v1.0.0", "", "v1.1.0-rc.1"), "v1.0.0, before v1.1.0-rc.1, the current commit"),
    ],
)
def test_at_a_release_the_one_before_is_the_baseline(
    tags: Sequence[str], words: str, repository: Folder, propose: Init
) -> None:
    for tag in tags:
        repository.write("README", f"after {tag}\n")
        commit(repository.path, tag=tag)

    assert f"last release: {words}, from which upgrades are judged\n" in propose()[1]


def test_a_changed_release_is_the_baseline(repository: Folder, propose: Init) -> None:
    commit(repository.path, tag="v1.0.0")
    repository.write(FILE, f"{SMALL}# changed\n")

    assert "last release: v1.0.0, the current commit, from which upgrades are judged\n" in propose()[1]


def test_a_folder_without_git_has_no_release(tmp_path: Path, propose: Init, monkeypatch: pytest.MonkeyPatch) -> None:
    second = tmp_path.parent / f"{tmp_path.name}-other"
    Folder(second).crd(FILE)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    assert "last release: none" in propose(str(second))[1]


def test_a_failing_sample_is_shown_and_stays_a_failure(repository: Folder, init: Init) -> None:
    repository.write("config/samples/a.yaml", SAMPLE.replace("sand", "peat"))
    repository.write("config/samples/b.yaml", SAMPLE)

    _, out, _ = init("--yes")

    assert out.index("config/samples/a.yaml:4: spec.soil: Unsupported value") < out.index("written: ")
    assert "stays a failure, unless --allow-failing makes it a warning: samples Garden/a\n" in out
    assert not (repository.path / "pytest.ini").exists()


def test_failing_checks_become_warnings_on_request(repository: Folder, init: Init) -> None:
    repository.write("config/samples/a.yaml", SAMPLE.replace("sand", "peat").replace("name: a", "name: a b"))

    _, out, _ = init("--yes", "--allow-failing")

    assert "becomes a warning, by crd_checks_allow: samples Garden/a*b\n" in out
    line = "samples Garden/a*b [warn]: known when pytest-crd was added"
    assert repository.read("pytest.ini") == f"[pytest]\ncrd_checks = true\ncrd_checks_allow =\n    {line}\n"
    assert program.main(["test"]) == 0
    assert "becomes a warning" not in init()[1]


def test_a_failing_check_that_is_about_no_sample_becomes_a_warning(repository: Folder, init: Init) -> None:
    repository.write("charts/garden/Chart.yaml", "name: garden\nversion: 1.0.0\n")
    repository.write("charts/garden/crds/gardens.yaml", SMALL.replace("[clay, sand]", "[clay]"))

    _, out, _ = init("--yes")

    assert "becomes a warning, by crd_checks_allow: copies gardens.stories.example.com\n" in out
    assert program.main(["test"]) == 0


def test_a_refused_crd_is_shown_and_stays_a_failure(repository: Folder, init: Init) -> None:
    repository.write(FILE, SMALL.replace("Namespaced", "Clustr"))

    _, out, _ = init("--yes")

    assert f'{FILE}:6: spec.scope: Unsupported value: "Clustr"' in out
    assert "makes it a warning: accepted gardens.stories.example.com\n" in out
    assert not (repository.path / "pytest.ini").exists()


def test_all_checks_of_a_refused_crd_become_warnings_on_request(repository: Folder, init: Init) -> None:
    repository.write(FILE, SMALL.replace("Namespaced", "Clustr"))

    _, out, _ = init("--yes", "--allow-failing")

    warned = "accepted gardens.stories.example.com, conditions gardens.stories.example.com"
    assert f"becomes a warning, by crd_checks_allow: {warned}\n" in out
    assert program.main(["test"]) == 0


def test_users_at_a_terminal_decide_about_each_failing_check(repository: Folder, init: Init) -> None:
    for folder, name in (("config/samples", "a"), ("config/samples", "b")):
        text = SAMPLE.replace("sand", "peat").replace("name: a", f"name: {name}")
        repository.write(f"{folder}/{name}.yaml", text)

    out = init(typed="y\nn\nn\n")[1]

    assert "samples[Garden/a] fails, as shown above: make it a warning? [y/N] samples[Garden/b] fails" in out
    assert "becomes a warning, by crd_checks_allow: samples Garden/a\nstays a failure" in out


@pytest.mark.parametrize(("arguments", "typed"), [(("--yes",), None), ((), "n\ny\ny\n")])
def test_a_failing_object_outside_of_the_samples_is_left_out(
    arguments: Sequence[str], typed: str | None, repository: Folder, init: Init
) -> None:
    repository.write("docs/a [1].yaml", SAMPLE.replace("sand", "peat"))
    repository.write("docs/b.yaml", SAMPLE)

    out = init(*arguments, typed=typed)[1]

    assert "docs/a [1].yaml:4: spec.soil: Unsupported value" in out
    assert "is no sample, as it fails: docs/a [1].yaml\n" in out
    expected = "[pytest]\ncrd_checks = true\ncrd_samples =\n    auto\n    '!docs/a [[]1].yaml'\n"
    assert repository.read("pytest.ini") == expected
    assert program.main(["test"]) == 0


def test_objects_that_two_managers_cannot_apply_become_a_warning_by_the_first(repository: Folder, init: Init) -> None:
    item = "{type: object, properties: {a: {type: string}, b: {type: integer, default: 1}}}"
    repository.write(FILE, SMALL.replace("soil: ", f"note: {{type: array, items: {item}}}\n              soil: "))
    for name in "ab":
        text = SAMPLE.replace("soil: sand", "note: [{a: x}]").replace("name: a", f"name: {name}")
        repository.write(f"docs/{name}.yaml", text)

    assert "becomes a warning, by crd_checks_allow: applies Garden/a\n" in init("--yes")[1]
    assert program.main(["test"]) == 0


def test_settings_in_toml_have_one_line_an_entry(repository: Folder, init: Init) -> None:
    repository.write("pyproject.toml", "[tool.pytest.ini_options]\ncrd_checks = false\n")
    repository.write("docs/a.yaml", SAMPLE.replace("sand", "peat"))
    repository.write("docs/b.yaml", SAMPLE)

    added = init()[1].split("which has settings: crd_samples:\n\n")[1].split("\n\n")[0]

    entry = 'crd_samples = [\n    "auto",\n    "!docs/a.yaml",\n]'
    assert added == "\n".join(f"    {row}" for row in f"[tool.pytest.ini_options]\n{entry}".splitlines())


def test_a_refused_answer_leaves_a_failing_object_among_the_samples(repository: Folder, init: Init) -> None:
    repository.write("docs/a.yaml", SAMPLE.replace("sand", "peat"))

    assert "stays a failure" in init(typed="n\nn\nn\n")[1]


def test_objects_that_all_fail_need_no_setting(repository: Folder, init: Init) -> None:
    repository.write("docs/a.yaml", SAMPLE.replace("sand", "peat"))

    assert "is no sample, as it fails: docs/a.yaml\n" in init("--yes")[1]
    assert not (repository.path / "pytest.ini").exists()


@pytest.mark.parametrize("ignored", [None, "build/"])
def test_data_of_coverage_is_ignored(ignored: str | None, repository: Folder, propose: Init) -> None:
    (repository.path / ".gitignore").unlink()
    if ignored is not None:
        repository.write(".gitignore", ignored)

    propose("--yes")

    before = "" if ignored is None else f"{ignored}\n"
    assert repository.read(".gitignore") == f"{before}.crd_coverage\n"
    assert ".gitignore" not in propose()[1]


def test_the_share_of_the_schema_that_is_held_is_printed(propose: Init) -> None:
    out = propose("--yes")[1]

    assert re.search(r"does today: \d+ cases hold \d+ of \d+ points\n", out)
    assert out.endswith("\nnext: pytest-crd test runs it all; pytest runs it with the project's Python tests\n")


@pytest.mark.parametrize(("pause", "is_shown"), [(0, True), (1000, False)])
def test_progress_is_shown_on_a_terminal(
    pause: float, propose: Init, monkeypatch: pytest.MonkeyPatch, *, is_shown: bool
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("pytest_crd.progress.PAUSE", pause)

    out = propose("--yes")[1]

    assert bool(re.search(r"\r\x1b\[Ktrying fields of Garden v1: \d+ of \d+", out)) is is_shown


@pytest.mark.parametrize(("pause", "is_shown"), [(0, True), (1000, False)])
def test_progress_is_a_line_now_and_then_without_a_terminal(
    pause: float, propose: Init, monkeypatch: pytest.MonkeyPatch, *, is_shown: bool
) -> None:
    monkeypatch.setattr("pytest_crd.progress.LONG_PAUSE", pause)

    out = propose("--yes")[1]

    assert bool(re.search(r"^trying fields of Garden v1: \d+ of \d+$", out, re.MULTILINE)) is is_shown


def test_settings_with_which_nothing_is_judged_end_the_command(repository: Folder, init: Init) -> None:
    repository.ini("crd_checks_allow = x")

    code, _, err = init("--yes")

    assert code == 2
    assert "crd_checks_allow" in err
    assert not (repository.path / CASES).exists()


@pytest.mark.parametrize("branch", ["trunk", "release-1.x"])
def test_the_job_names_the_default_branch(branch: str, repository: Folder, propose: Init) -> None:
    (repository.path / ".github").mkdir()
    git(repository.path, "symbolic-ref", "HEAD", f"refs/heads/{branch}")

    propose("--yes")

    assert f'  push: {{ branches: ["{branch}"] }}\n' in repository.read(".github/workflows/crds.yml")


def test_the_branch_of_the_remote_counts_first(repository: Folder, propose: Init) -> None:
    (repository.path / ".github").mkdir()
    git(repository.path, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/stable/2.0")

    propose("--yes")

    assert '["stable/2.0"]' in repository.read(".github/workflows/crds.yml")
