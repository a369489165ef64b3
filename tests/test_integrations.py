"""Integrations: hooks, an action, a component, an image, a schema, and tests in other languages; each is tested with its own tool."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from support.git import commit
from support.sessions import GARDEN

from pytest_crd import folders

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
WORKFLOWS = [ROOT / "action.yml", *sorted((ROOT / ".github/workflows").glob("*.yml"))]
# Names of modules that Python, venv, pip and pytest import.
SHADOWS = sorted(
    {*sys.stdlib_module_names, "pip", "pytest", "_pytest", "pytest_crd", "setuptools", "sitecustomize", "yaml"}
)
WRONG = "crd: gardens.stories.example.com\ncreate:\n- {name: many, input: {spec: {rows: 11}}, accepted: true}\n"


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    """Return a repository with a CRD, and with no Python."""
    folder = tmp_path / "operator"
    (folder / "config/crd/bases").mkdir(parents=True)
    (folder / "config/crd/bases/gardens.yaml").write_text(GARDEN, encoding="utf-8")
    commit(folder)
    return folder


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_actions_of_others_are_pinned_by_digest(file: Path) -> None:
    used = re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))

    assert used
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_an_action_has_one_digest(file: Path) -> None:
    of_all = {
        use for workflow in WORKFLOWS for use in re.findall(r"uses: (\S+)@(\S+)", workflow.read_text(encoding="utf-8"))
    }

    assert len(of_all) == len({name for name, _ in of_all})


def test_no_input_of_the_action_stands_in_a_script() -> None:
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]

    assert len(scripts) == 2
    assert not any("${{" in script for script in scripts)


def _action(
    folder: Path, temporary: Path, steps: slice = slice(None), **inputs: str
) -> subprocess.CompletedProcess[str]:
    """Run the steps of the action as a runner does, with the Python of this process; return the result of the last one."""
    programs = temporary / "programs"
    if not programs.exists():
        programs.mkdir(parents=True)
        (programs / "python").symlink_to(sys.executable)
    arguments = {name: declaration["default"] for name, declaration in ACTION["inputs"].items()} | inputs
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    runner = {"PATH": path, "HOME": str(temporary), "RUNNER_TEMP": str(temporary), "GITHUB_ACTION_PATH": str(ROOT)}
    for step in [step for step in ACTION["runs"]["steps"] if "run" in step][steps]:
        own = {
            name: re.sub(r"\$\{\{ inputs\.(\S+) }}", lambda match: arguments[match[1]], text)
            for name, text in step["env"].items()
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=folder, env=runner | own, check=False, capture_output=True, encoding="utf-8")
        if done.returncode:
            break
    return done


def _shadow(folder: Path) -> Path:
    """Write modules that shadow others in the current folder, and return the file that they write when they are imported."""
    ran = folder.parent / "ran"
    for name in SHADOWS:
        (folder / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write({name!r})\n", encoding="utf-8")
    return ran


@pytest.mark.session
def test_the_action_imports_no_module_of_the_checkout(operator: Path, tmp_path: Path) -> None:
    temporary, ran = tmp_path / "runner", _shadow(operator)
    (temporary / "programs").mkdir(parents=True)
    # Without pip the environment is created in a tenth of the time.
    program = f'#!/bin/sh\ncase "$*" in *venv*) set -- "$@" --without-pip;; esac\nexec {sys.executable} "$@"\n'
    (temporary / "programs/python").write_text(program, encoding="utf-8")
    (temporary / "programs/python").chmod(0o755)

    done = _action(operator, temporary, slice(1))

    assert (done.returncode, done.stderr.rpartition(": ")[2]) == (1, "No module named pip\n"), done.stderr
    assert not ran.exists()


@pytest.mark.slow
def test_the_steps_of_the_action_install_it_and_test(operator: Path, tmp_path: Path) -> None:
    temporary, ran = tmp_path / "runner", _shadow(operator)

    done = _action(operator, temporary)

    assert (done.returncode, "5 passed" in done.stdout) == (0, True), done.stdout + done.stderr
    (operator / "test_garden.crd.yaml").write_text(WRONG, encoding="utf-8")
    done = _action(operator, temporary, slice(1, None))
    assert (done.returncode, "spec.rows: Invalid value: 11" in done.stdout) == (1, True)
    assert not ran.exists()


@pytest.mark.session
def test_the_inputs_of_the_action_are_arguments(operator: Path, tmp_path: Path) -> None:
    programs = tmp_path / "pytest-crd/bin"
    programs.mkdir(parents=True)
    (programs / "pytest-crd").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    (programs / "pytest-crd").chmod(0o755)
    inputs = {
        "path": "config\nmy $(touch x) file\n",
        "args": "--crd-warnings=error\n--\n-k a b",
        "baseline": "git:latest-tag",
    }

    done = _action(operator, tmp_path, slice(1, None), **inputs, **{"kubernetes-version": "1.36 1.37"})

    assert done.stdout.splitlines() == [
        "test",
        "--kubernetes-version=1.36 1.37",
        "--baseline=git:latest-tag",
        "config",
        "my $(touch x) file",
        "--crd-warnings=error",
        "--",
        "-k a b",
    ]


@pytest.mark.session
@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"mode": "validate"}, ["validate", "."]),
        ({"mode": "validate", "path": "clusters"}, ["validate", "clusters"]),
        ({"mode": "diff", "path": "old.yaml\nnew.yaml"}, ["diff", "old.yaml", "new.yaml"]),
    ],
)
def test_the_mode_of_the_action_is_the_command(tmp_path: Path, inputs: dict[str, str], words: list[str]) -> None:
    programs = tmp_path / "pytest-crd/bin"
    programs.mkdir(parents=True)
    (programs / "pytest-crd").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    (programs / "pytest-crd").chmod(0o755)

    assert _action(tmp_path, tmp_path, slice(1, None), **inputs).stdout.splitlines() == words


@pytest.mark.session
def test_another_mode_of_the_action_is_an_error(tmp_path: Path) -> None:
    done = _action(tmp_path, tmp_path, slice(1, None), mode="check")

    assert (done.returncode, done.stderr) == (2, "mode is 'check': write test, validate or diff\n")


COMPONENT_HEAD, COMPONENT = yaml.safe_load_all((ROOT / "integrations/gitlab/crd.yml").read_text(encoding="utf-8"))


def _component(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the script of the GitLab component as a runner does, without the installation, with a command that prints its arguments."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    for name, body in {"pip": "exit 0", "pytest-crd": 'printf "%s\\n" "$@"'}.items():
        (programs / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    values = {name: declaration["default"] for name, declaration in COMPONENT_HEAD["spec"]["inputs"].items()} | inputs
    (job,) = COMPONENT.values()
    own = {
        name: re.sub(r"\$\[\[ inputs\.(\S+) \]\]", lambda match: values[match[1]], str(text))
        for name, text in job["variables"].items()
    }
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    script = "\n".join(job["script"])
    assert "inputs." not in script
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={"PATH": path} | own,
        check=False,
        capture_output=True,
        encoding="utf-8",
    )


@pytest.mark.session
def test_the_inputs_of_the_gitlab_component_are_arguments(tmp_path: Path) -> None:
    assert _component(tmp_path).stdout.splitlines() == ["test"]
    done = _component(tmp_path, mode="validate", path="a b\n$(touch x)", args="--strict")
    assert done.stdout.splitlines() == ["validate", "a b", "$(touch x)", "--strict"]
    assert _component(tmp_path, mode="check").returncode == 2
    assert not (tmp_path / "x").exists()


CONTAINERFILE = (ROOT / "integrations/container/Containerfile").read_text(encoding="utf-8")


def test_the_image_runs_the_command_as_another_user_than_root() -> None:
    last = CONTAINERFILE.rpartition("FROM ")[2]

    assert re.search(r"^USER (\d+):\d+$", last, re.MULTILINE)
    assert "USER 0" not in last
    assert 'ENTRYPOINT ["pytest-crd"]' in last
    assert "/opt/pytest-crd/bin" in last


@pytest.mark.slow
def test_the_build_step_of_the_image_installs_the_command(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path / "tmp"), str(ROOT)]
    if not (ROOT / ".git").exists():
        pytest.skip("the wheel is built from a checkout, and this is none")
    subprocess.run(build, check=True, capture_output=True)
    (step,) = re.findall(r"^RUN (python .*)$", CONTAINERFILE, re.MULTILINE)
    script = re.sub(r"/(opt|tmp)/", rf"{tmp_path}/\1/", step).replace("python -m venv", f"{sys.executable} -m venv")

    subprocess.run(["sh", "-e", "-c", script], check=True, capture_output=True)

    command = [str(tmp_path / "opt/pytest-crd/bin/pytest-crd"), "--version"]
    assert subprocess.run(command, check=True, capture_output=True).stdout.startswith(b"pytest-crd ")


SCHEMASTORE = ROOT / "integrations/schemastore"
CASES = json.loads((ROOT / "pytest_crd/cases/case-file.schema.json").read_text(encoding="utf-8"))


def test_the_entry_of_schemastore_names_the_schema_and_the_case_files() -> None:
    entry = json.loads((SCHEMASTORE / "catalog-entry.json").read_text(encoding="utf-8"))

    assert entry["url"] == CASES["$id"]
    assert tuple(entry["fileMatch"]) == folders.CASE_FILES


@pytest.mark.parametrize("file", sorted(SCHEMASTORE.glob("*test/*.yaml")), ids=lambda file: file.name)
def test_the_schema_takes_the_test_files_of_schemastore_and_refuses_the_negative_ones(file: Path) -> None:
    errors = list(Draft202012Validator(CASES).iter_errors(yaml.safe_load(file.read_text(encoding="utf-8"))))

    assert bool(errors) == (file.parent.name == "negative_test")


RUST = (ROOT / "docs/how-to/run-it-elsewhere.md").read_text(encoding="utf-8").split("```rust\n")[1].split("```")[0]


@pytest.mark.slow
def test_a_test_in_rust_passes_and_fails_with_the_command(operator: Path, tmp_path: Path) -> None:
    rustc = shutil.which("rustc")
    if rustc is None:
        pytest.skip("rustc is not on the PATH")
    (tmp_path / "crds.rs").write_text(RUST, encoding="utf-8")
    subprocess.run([rustc, "--test", "crds.rs"], cwd=tmp_path, check=True, capture_output=True)
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}

    codes = []
    for text in ["", WRONG]:
        if text:
            (operator / "test_garden.crd.yaml").write_text(text, encoding="utf-8")
        done = subprocess.run([tmp_path / "crds"], cwd=operator, env=environment, check=False, capture_output=True)
        codes.append(done.returncode)

    assert codes == [0, 101]


@pytest.mark.slow
def test_pre_commit_runs_the_hooks(operator: Path, tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("pre-commit installs hooks from a repository of git, and this is none")
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "hooks"), "PRE_COMMIT_COLOR": "never"}
    command = [sys.executable, "-P", "-m", "pre_commit", "try-repo", str(ROOT), "--all-files", "--verbose"]
    (operator / "garden.yaml").write_text(
        "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: small}\n", encoding="utf-8"
    )
    commit(operator)
    ran = _shadow(operator)

    done = subprocess.run(command, cwd=operator, env=environment, check=False, capture_output=True, encoding="utf-8")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout
    (operator / "test_garden.crd.yaml").write_text(WRONG, encoding="utf-8")
    commit(operator)
    done = subprocess.run(command, cwd=operator, env=environment, check=False, capture_output=True, encoding="utf-8")
    assert done.returncode == 1
    assert "spec.rows: Invalid value: 11" in done.stdout
    assert not ran.exists()


PAGE = (ROOT / "docs/tutorials/ci-for-a-go-operator.md").read_text(encoding="utf-8")
GO = ROOT / "integrations/go/crdtest"
MODULE = f"""module crds

go 1.21

require github.com/pytest-crd/pytest-crd/integrations/go/crdtest v0.0.0

replace github.com/pytest-crd/pytest-crd/integrations/go/crdtest => {GO}
"""


def _go(folder: Path, *arguments: str, path: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run go, with the command of this environment on the PATH, or with another PATH."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("go is not on the PATH")
    search_path = path or os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    own = {name: value for name, value in os.environ.items() if name not in {"CI", "GITHUB_ACTIONS", "GITLAB_CI"}}
    own |= {"PATH": search_path, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GOPROXY": "off"}
    command = [go, *arguments]
    return subprocess.run(
        command, cwd=folder, env=own | environment, check=False, capture_output=True, encoding="utf-8"
    )


@pytest.mark.slow
def test_the_package_for_go_holds() -> None:
    for command in (["vet", "./..."], ["test", "-count=1", "./..."]):
        done = _go(GO, *command, CI="true")
        assert done.returncode == 0, done.stdout + done.stderr
    gofmt = Path(str(shutil.which("go"))).with_name("gofmt")
    assert subprocess.run([gofmt, "-l", GO], check=True, capture_output=True).stdout == b""


@pytest.mark.slow
def test_a_test_in_go_has_a_subtest_for_each_verdict(operator: Path) -> None:
    (operator / "crds").mkdir()
    (operator / "crds/go.mod").write_text(MODULE, encoding="utf-8")
    (operator / "crds/crds_test.go").write_text(PAGE.split("```go\n")[1].split("```")[0], encoding="utf-8")
    test = ("test", "-count=1", "-v", "./...")
    ran = _shadow(operator)
    _shadow(operator / "crds")

    done = _go(operator / "crds", *test)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "--- PASS: TestCRDs/config/crd/bases/gardens.yaml::accepted[gardens.stories.example.com]" in done.stdout

    (operator / "test_garden.crd.yaml").write_text(WRONG, encoding="utf-8")
    done = _go(operator / "crds", *test)
    assert done.returncode == 1
    assert "--- FAIL: TestCRDs/test_garden.crd.yaml::many" in done.stdout
    assert "test_garden.crd.yaml:3: " in done.stdout

    (operator / "config/crd/bases/gardens.yaml").unlink()
    (operator / "test_garden.crd.yaml").unlink()
    assert _go(operator / "crds", *test).returncode == 1

    done = _go(operator / "crds", *test, path="/nowhere")
    assert (done.returncode, "SKIP: TestCRDs" in done.stdout) == (0, True), done.stdout + done.stderr
    done = _go(operator / "crds", *test, path="/nowhere", CI="true")
    assert (done.returncode, "none of pytest-crd, pytest-crd.pyz and uvx is on the PATH" in done.stdout) == (1, True)
    assert not ran.exists()
    assert not (operator / "ran").exists()
