"""`pytest-crd test`: case files, checks and upgrades, for users without knowledge of pytest."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, TypeAlias

import pytest
from support.git import commit

from pytest_crd import __main__ as program
from pytest_crd.plugin import testrun

if TYPE_CHECKING:
    from support.sessions import Project

pytestmark = pytest.mark.session
Test: TypeAlias = "Callable[..., tuple[int, str, str]]"

RUINOUS = "raise SystemExit('the Python of a project was run')\n"
WRONG = "crd: gardens.stories.example.com\ncreate:\n- {name: many, input: {spec: {rows: 11}}, accepted: true}\n"
# Modules that Python, pytest, its plugins and the package import.
SHADOWS = (
    *("__future__.py", "argparse.py", "json.py", "pkgutil.py", "runpy.py", "struct.py", "threading.py", "traceback.py"),
    *(
        "_pytest/__init__.py",
        "deepdiff/__init__.py",
        "jsonschema.py",
        "pytest.py",
        "re2.py",
        "yaml.py",
        "xdist/__init__.py",
    ),
    *("conftest.py", "evil.py", "sitecustomize.py", "usercustomize.py"),
)
RIGHT = WRONG.replace("11", "9")
WITH_ALL = (
    "addopts = --cov=garden -p garden.plugin --crd-kubernetes-version 1.36 --crd-warnings=error -x",
    "required_plugins = pytest-garden",
    "filterwarnings = error::garden.Warn",
    "pythonpath = src",
    "garden_mode = auto",
    "strict = true",
)


@pytest.fixture
def test(
    project: Project, sessions_here: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Test:
    """Run the command in a project with a CRD, and return its code and output."""
    del sessions_here
    monkeypatch.chdir(project.path)

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = program.main(["test", *arguments])
        return code, *capsys.readouterr()

    return run


def test_success_returns_0(project: Project, test: Test) -> None:
    project.write("pyproject.toml", "[tool.pytest.ini_options]\ntestpaths = ['.']\n")
    project.cases(RIGHT)

    code, out, _ = test()

    assert code == 0
    assert "; 5 checks in 1 file; " in out
    assert "6 passed" in out
    assert "crd: no upgrade is judged: " in out


def test_a_chosen_path_is_tested_alone(project: Project, test: Test) -> None:
    project.cases(name="tests/test_a.crd.yaml")
    project.write("docs/notes.txt", "nothing")

    code, output, _ = test("tests/test_a.crd.yaml")
    assert code == 0
    assert "3 passed" in output
    assert "8 passed" in test("tests", "config")[1]
    assert test("docs")[0] == 5


def test_a_wrong_file_is_1_and_all_else_is_judged(project: Project, test: Test) -> None:
    project.cases("creat: []\n")

    code, out, _ = test()

    assert code == 1
    assert "unknown key 'creat'" in out
    assert "5 passed, 1 error" in out


def test_no_crd_is_5(tmp_path: Path, test: Test, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)

    code, out, _ = test()

    assert code == 5
    assert "crd: nothing to check: " in out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nowhere"], "file or directory not found: nowhere"),
        (["--", "--unheard-of"], "unrecognized arguments: --unheard-of"),
        (["--crd-warnings", "loud"], "--crd-warnings: 'loud': write show or error"),
        (["test_it.py"], "test_it.py: no Python is run here; `pytest test_it.py` runs it"),
    ],
)
def test_wrong_use_is_2(arguments: list[str], problem: str, test: Test) -> None:
    code, _, err = test(*arguments)

    assert code == 2
    assert problem in err


def test_an_unknown_option_returns_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exited:
        program.main(["test", "--unheard-of"])

    assert exited.value.code == 2
    assert "unrecognized arguments: --unheard-of" in capsys.readouterr().err


def test_a_run_that_stops_itself_has_not_been_interrupted(project: Project, test: Test) -> None:
    project.cases(WRONG)

    code, out, _ = test("--", "--stepwise")

    assert code == 1
    assert "spec.rows: Invalid value: 11" in out


def test_an_interruption_returns_130(project: Project, test: Test) -> None:
    project.write("stop.py", "def pytest_runtest_call():\n    raise KeyboardInterrupt\n")
    sys.path.insert(0, str(project.path))
    try:
        assert test("--", "-p", "stop")[0] == 130
    finally:
        sys.path.remove(str(project.path))


def test_no_python_of_the_project_is_run_and_its_settings_count(project: Project, test: Test) -> None:
    project.ini(*WITH_ALL)
    project.write("conftest.py", RUINOUS)
    project.write("tests/__init__.py", RUINOUS)
    project.write("tests/test_it.py", RUINOUS)
    project.write("tests/test_texts.txt", ">>> 1/0\n")
    project.write("tests/test_garden.crd.yaml", RIGHT)

    code, out, err = test("-v")

    assert (code, err) == (0, "")
    assert "Kubernetes 1.36" in out
    assert "6 passed in" in out  # and no warning
    assert "crd: the Python test file tests/test_it.py is not collected, which pytest runs" in out


def test_webhooks_of_the_ini_file_are_called_only_on_request(project: Project, test: Test) -> None:
    project.ini("crd_webhooks = conversion: ./hooks {port}")
    project.cases(RIGHT)

    outputs = [test(*options)[1] for options in ((), ("--webhooks",))]

    note = "crd: no webhook of crd_webhooks is called; --webhooks calls them\n"
    assert [note in output for output in outputs] == [True, False]
    assert ["webhooks conversion: `./hooks {port}`" in output for output in outputs] == [False, True]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("README", ""),
        pytest.param(
            "pytest.ini",
            "[pytest]\npythonpath = . src\naddopts = -p evil -p jsonschema\nrequired_plugins = evil\n",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "pyproject.toml",
            "[tool.pytest.ini_options]\npythonpath = ['.', 'src']\naddopts = ['-p', 'evil']\n",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "pyproject.toml",
            "[tool.pytest]\npythonpath = ['.', 'src']\naddopts = ['-p', 'evil']\n",
            marks=pytest.mark.long,
        ),
    ],
)
def test_no_module_of_the_project_takes_the_place_of_another(file: str, text: str, project: Project) -> None:
    for name in SHADOWS:
        project.write(name, RUINOUS)
        project.write(f"src/{name}", RUINOUS)
    for kind, entry in (("evil-1.dist-info", "METADATA"), ("evil.egg-info", "PKG-INFO")):
        project.write(f"{kind}/{entry}", "Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
        project.write(f"{kind}/entry_points.txt", "[pytest11]\nevil = evil\n")
    project.write("evil.pth", "import evil\n")
    project.write(file, text)
    project.cases(RIGHT)

    script = [str(Path(sys.executable).with_name("pytest-crd"))]
    for command in ([sys.executable, "-m", "pytest_crd"], *([script] if text else [])):
        done = _started(project.path, "test", command=command)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        assert "6 passed" in done.stdout


@pytest.mark.parametrize(
    "command", [["python", "-P", "-m", "pytest_crd"], ["python", "-I", "-m", "pytest_crd"], ["pytest-crd"]]
)
def test_a_module_with_the_name_of_the_package_is_not_run(command: list[str], project: Project) -> None:
    for name in (*SHADOWS, "importlib.py", "pytest_crd.py"):
        project.write(name, RUINOUS)

    done = _started(project.path, "schema", command=[str(Path(sys.executable).with_name(command[0])), *command[1:]])

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "config"],
        ["validate", "garden.yaml"],
        ["explain", "gardens"],
        ["init"],
        ["cel", "1 == 1", "gardens", "--self", "garden.yaml"],
        ["json-schema", "--out", "schemas"],
        ["openapi", "gardens"],
        ["schema"],
        ["serve", "--port=0", "--kubeconfig=garden.yaml"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_no_command_runs_a_module_of_the_project(arguments: list[str], project: Project) -> None:
    for name in SHADOWS:
        project.write(name, RUINOUS)
    project.write("garden.yaml", "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\n")

    done = _started(project.path, *arguments)

    assert "the Python of a project was run" not in done.stderr
    assert done.returncode == (2 if arguments[0] == "serve" else 0), done.stderr
    assert arguments[0] != "serve" or "garden.yaml exists" in done.stderr


def test_a_folder_of_pythonpath_stays_though_it_is_the_current_one(project: Project) -> None:
    project.write("sitecustomize.py", "print('of PYTHONPATH')\n")

    done = _started(project.path, "schema", environ={"PYTHONPATH": str(project.path)})

    assert done.stdout.startswith("of PYTHONPATH\n")


def test_nothing_is_written_where_the_ini_file_of_a_project_says(project: Project, test: Test, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    project.ini(
        f"cache_dir = {outside}/cache",
        f"log_file = {outside}/log",
        f"addopts = --junit-xml={outside}/j.xml --basetemp={outside}/b --debug={outside}/d --log-file={outside}/l",
    )
    project.cases(RIGHT)

    assert test()[0] == 0
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ("addopts = --crd-json=../o.json", "2: --crd-json: ../o.json"),
        ("addopts = --crd-sarif {outside}/o", "2: --crd-sarif: {outside}/o"),
        ("addopts = --crd-json link/o.json", "2: --crd-json: link/o.json"),
        ("addopts = --crd-cov --crd-cov-report=html:../pages/", "2: --crd-cov-report: ../pages/"),
        ("crd_cov = true\ncrd_cov_report = term 'json:../a b'", "3: crd_cov_report: ../a b"),
    ],
)
def test_an_ini_file_names_no_report_outside_of_the_project(
    setting: str, word: str, project: Project, test: Test, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (project.path / "link").symlink_to(outside)
    project.ini(setting.format(outside=outside))
    before = {*project.path.parent.iterdir()}

    code, _, err = test()

    assert code == 2
    assert f"pytest.ini:{word.format(outside=outside)} leads out of the project, {project.path}; " in err
    assert [*outside.iterdir()] == []
    assert {*project.path.parent.iterdir()} == before


def test_reports_that_the_ini_file_names_in_the_project_are_written(project: Project, test: Test) -> None:
    project.ini("addopts = --crd-json=o.json --crd-cov", "crd_cov_report = term json:cov.json")
    project.cases(RIGHT)

    assert test()[0] == 0
    assert (project.path / "o.json").is_file()
    assert (project.path / "cov.json").is_file()


def test_the_command_line_names_reports_anywhere(
    project: Project, test: Test, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    project.cases(RIGHT)

    assert test(f"--crd-json={outside}/o.json")[0] == 0
    assert (outside / "o.json").is_file()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--crd-json=reports/o.json",),
        ("--crd-sarif", "reports/o.sarif"),
        ("--crd-cov", "--crd-cov-report=lcov:reports/new/o.lcov"),
        ("--crd-cov", "--crd-cov-report=html:reports/"),
    ],
)
def test_no_report_goes_through_a_link_to_a_folder(
    arguments: tuple[str, ...], project: Project, test: Test, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (project.path / "reports").symlink_to(outside)
    project.cases(RIGHT)

    code, _, err = test(*arguments)

    assert code == 2
    assert " leads out of the project, " in err
    assert "write its absolute path on the command line" in err
    assert [*outside.iterdir()] == []


def test_files_with_any_name_are_judged_and_printed_with_escapes(project: Project, test: Test) -> None:
    name = os.fsdecode(b"s\xff\n::error::.yaml")
    project.ini("crd_samples = s*.yaml")
    text = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\nspec: {rows: 11}\n"
    project.write(name, text)
    project.write(os.fsdecode(b"test_\xff.crd.yaml"), WRONG)

    code, out, err = test("--crd-json=o.json", "--crd-sarif=o.sarif", "--", "-p", "cacheprovider")

    assert (code, err) == (1, "")
    assert "\ns\\udcff\\n::error::.yaml:1: samples[Garden/a], " in out
    assert "test_\\udcff.crd.yaml" in out
    assert all((project.path / report).is_file() for report in ("o.json", "o.sarif"))


def test_no_line_of_a_run_is_a_command_of_a_code_host(project: Project, test: Test) -> None:
    project.ini("crd_samples = s*.json")
    commands = {"a\n::stop-commands::x": 1, "##[error]x": 2, "\r::error::x": 3}
    sample = {
        "apiVersion": "stories.example.com/v1",
        "kind": "Garden",
        "metadata": {"name": "::error::a"},
        "spec": commands,
    }
    project.write("s.json", json.dumps(sample))

    code, out, err = test("--", "-v")

    assert code == 1
    assert "spec.a\\n::stop-commands::x: the schema does not specify it" in out
    assert [
        line for line in (out + err).split("\n") if line.strip().startswith("::") or "##[" in line or "\r" in line
    ] == []


@pytest.mark.parametrize("name", [".pytest_cache", ".pytest_cache/crd", ".pytest_cache/v/cache/lastfailed"])
def test_a_link_in_the_cache_is_not_followed(
    name: str, project: Project, test: Test, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    link = project.path / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "target")
    project.cases(WRONG)

    code, _, err = test()

    assert code == 2
    assert f"{link} is a link, through which pytest would write; remove it" in err
    assert name != ".pytest_cache" or test("--", "-p", "no:cacheprovider")[0] == 1
    assert [*outside.iterdir()] == []


def test_workers_start_without_the_current_folder() -> None:
    specs = [
        SimpleNamespace(popen=popen, python=python) for popen, python in ((True, None), (True, "p"), (False, None))
    ]

    testrun._Session().pytest_xdist_setupnodes(specs)

    assert [spec.python for spec in specs] == [f"{shlex.quote(sys.executable)} -P", "p", None]


@pytest.mark.slow
@pytest.mark.counted("pytest_crd.cli.testrun")
def test_workers_know_all_that(project: Project) -> None:
    project.ini(*WITH_ALL)
    project.write("tests/__init__.py", RUINOUS)
    project.write("tests/test_garden.crd.yaml", RIGHT)
    for name in SHADOWS:
        project.write(name, RUINOUS)

    done = _started(project.path, "test", "--", "-n", "2")

    assert done.returncode == 0, done.stdout
    assert "Kubernetes 1.36" in done.stdout
    assert "6 passed" in done.stdout


def test_no_installed_distribution_is_read(test: Test, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(**_: object) -> None:
        pytest.fail("the entry points of installed distributions are read")

    monkeypatch.setattr(metadata, "distributions", read)

    assert test()[0] == 0


def test_workers_are_not_needed(test: Test, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "xdist" else find(name))

    assert test()[0] == 0
    assert test("--", "-n", "2")[0] == 2


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = ['--cov', '--crd-kubernetes-version', '1.36']\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '--cov --crd-kubernetes-version=1.36'\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = --cov --crd-kubernetes-version 1.36\n"),
        ("tox.ini", "[pytest]\naddopts = --crd-kubernetes-version 1.36 --crd-baseline-rollback --crd-baseline crd\n"),
    ],
)
def test_tests_that_a_project_adds_about_crds_count(file: str, text: str, project: Project, test: Test) -> None:
    project.crd("crd/gardens.yaml")
    project.write(file, text)

    code, out, _ = test()

    assert code == 0
    assert "Kubernetes 1.36" in out


def test_options_of_a_project_that_cannot_be_read_are_2(project: Project, test: Test) -> None:
    project.ini('addopts = --crd-checks "x')

    code, _, err = test()

    assert code == 2
    assert "pytest.ini: addopts: No closing quotation" in err


def test_upgrades_are_judged_from_the_last_release(project: Project, test: Test) -> None:
    commit(project.path, tag="v1.0.0")
    crd = project.read("config/crd/bases/gardens.yaml")
    project.write("config/crd/bases/gardens.yaml", crd.replace("maximum: 10", "maximum: 5"))

    code, out, _ = test()

    assert code == 1
    assert "; upgrades from git:v1.0.0 (" in out
    assert "refused: spec.rows" in out
    assert test("--no-baseline")[0] == 0


@pytest.mark.parametrize(
    ("tag", "reason"),
    [
        ("", "has no tag; if its tags are not fetched yet: git fetch --tags --unshallow"),
        ("v1.0.0", "no CRD in any of its"),
    ],
)
def test_a_missing_release_is_reported_without_an_error(tag: str, reason: str, project: Project, test: Test) -> None:
    crd = project.path / "config/crd/bases/gardens.yaml"
    text = crd.read_text()
    crd.unlink()
    project.write("README", "")
    commit(project.path, tag=tag)
    crd.write_text(text)
    commit(project.path)

    code, out, _ = test()

    assert code == 0
    assert reason in out.split("crd: no upgrade is judged: ")[1]
    assert tag or test("--baseline", "git:latest-tag")[0] == 1


def test_a_release_that_cannot_be_read_is_an_error(project: Project, test: Test) -> None:
    crd = project.read("config/crd/bases/gardens.yaml")
    project.write("config/crd/bases/gardens.yaml", f"{crd}a: [\n")
    commit(project.path, tag="v1.0.0")
    project.write("config/crd/bases/gardens.yaml", crd)

    code, out, _ = test()

    assert code == 1
    assert "upgrade[auto]" in out


def test_another_baseline_takes_the_place_of_the_last_release(project: Project, test: Test) -> None:
    commit(project.path, tag="v1.0.0")
    project.crd("old/gardens.yaml")
    project.ini("crd_baseline = old", "crd_paths = config")

    assert "; upgrades from old: " in test()[1]


def test_its_help_has_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        program.main(["test", "--help"])

    out = capsys.readouterr().out
    assert out.startswith("usage: pytest-crd test [-h] [SETTING ...] [PATH ...] [-- OPTION-OF-PYTEST ...]\n")
    assert "--baseline VALUE" in out
    assert "--help-settings lists all" in " ".join(out.split())
    assert "--crd-rule-budget" not in out
    assert "Exit codes: 0 passed" in out


def test_a_reader_who_leaves_is_no_verdict(test: Test, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", encoding="utf-8") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)

        assert test()[0] == 2


def _started(
    folder: Path, *arguments: str, command: Sequence[str] = (), environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TOX_", "PYTHONSAFE"))}
    whole = [*(command or (sys.executable, "-m", "pytest_crd")), *arguments]
    return subprocess.run(
        whole, cwd=folder, env=own | dict(environ or {}), check=False, capture_output=True, encoding="utf-8"
    )


def test_options_about_the_selection_need_no_separator(project: Project, test: Test) -> None:
    project.crd()
    project.cases(f"{WRONG}- {{name: few, input: {{spec: {{rows: 1}}}}, accepted: true}}\n")

    code, out, _ = test("-v", "-k", "few")
    assert code == 0
    assert "::few PASSED" in out
    out = test("-x", "-q", "-k", "many or few")[1]
    assert "1 failed, " in out
    assert not out.startswith("crd: 1 CRD")
    assert " passed" not in out
