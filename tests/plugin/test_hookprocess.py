"""CRDs that the hook `pytest_crd_manifests` of a release makes, as the baseline of those that today's hook makes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from support.git import commit, git
from support.sessions import GARDEN, Project

from pytest_crd.discovery.checkouts import Checkout
from pytest_crd.engine.inputerror import CrdError
from pytest_crd.plugin import hookprocess

COUNTED: Final = ("plugin.hookprocess", "plugin.alone", "plugin.session", "plugin.testrun")
pytestmark = [
    pytest.mark.session,
    pytest.mark.long,
    pytest.mark.counted(*(f"pytest_crd.{module}" for module in COUNTED)),
]

POND: Final = GARDEN.replace("gardens", "ponds").replace("garden", "pond").replace("Garden", "Pond")
NARROW: Final = POND.replace("maximum: 10", "maximum: 5")
RIVER: Final = POND.replace("ond", "river")
IMPORTING: Final = "import models\ndef pytest_crd_manifests():\n    return {'ponds': models.POND}\n"
REFUSED: Final = "*refused: spec.rows*"


def _models(text: str) -> str:
    return f"POND = {text!r}\n"


def _hook(text: str, *, name: str = "ponds") -> str:
    return f"def pytest_crd_manifests():\n    return {{{name!r}: {text!r}}}\n"


def _release(project: Project, files: dict[str, str], tag: str = "v1.0.0") -> None:
    for name, text in files.items():
        project.write(name, text)
    commit(project.path, tag=tag)
    git(project.path, "commit", "-q", "--allow-empty", "-m", "y")


# Modules of a project, by the name of their CRD: in the root folder, on pytest's import path, on a path that conftest.py adds, and behind
# a finder. An object that conftest.py registers makes the last CRD.
MODULES: Final = {
    "ponds": "of_root.py",
    "puddles": "src/of_source.py",
    "papers": "lib/of_path.py",
    "pears": "deep/of_finder/__init__.py",
}
REGISTERED: Final = "peaks"
FINDING: Final = """\
import importlib.util, pathlib, sys
sys.path.append(LIB)

class Finder:
    @staticmethod
    def find_spec(name, path, target=None):
        return importlib.util.spec_from_file_location(name, FILE) if name == "of_finder" else None

sys.meta_path.append(Finder)
import of_root, of_source, of_path, of_finder

def pytest_crd_manifests():
    return {module.__name__: module.TEXT for module in (of_root, of_source, of_path, of_finder)}

class Maker:
    def pytest_crd_manifests(self):
        return {"peaks": TEXT}

def pytest_configure(config):
    config.pluginmanager.register(Maker(), "maker")
"""


def _named(text: str, plural: str) -> str:
    return text.replace("ponds", plural).replace("pond,", f"{plural[:-1]},").replace("Pond", plural[:-1].capitalize())


def _importing(project: Project, text: str) -> dict[str, str]:
    """Return the files of a project with modules that return *text* under other names."""
    lib, file = (repr(str(project.path / name)) for name in ("lib", MODULES["pears"]))
    code = FINDING.replace("LIB", lib).replace("FILE", file)
    conftest = f"TEXT = {_named(text, REGISTERED)!r}\n{code}"
    return {file: f"TEXT = {_named(text, plural)!r}\n" for plural, file in MODULES.items()} | {"conftest.py": conftest}


def test_the_code_of_the_release_makes_its_crds_wherever_it_is_imported_from(empty: Project) -> None:
    empty.ini("pythonpath = src")
    _release(empty, _importing(empty, POND))
    for name, text in _importing(empty, NARROW).items():
        empty.write(name, text)

    result = empty.run("--crd-baseline", "git:latest-tag", "-rf")

    result.assert_outcomes(failed=5)
    result.stdout.fnmatch_lines(["crd: upgrades from git:v1.0.0 (*: 5 CRDs, *"])
    for plural in (*MODULES, REGISTERED):
        name = f"upgrade[{plural}.stories.example.com]"
        assert any(line.startswith("FAILED ") and name in line for line in result.outlines), name
    assert sum("refused: spec.rows" in line for line in result.outlines) >= 5


def test_the_code_of_a_folder_of_testpaths_makes_its_crds(empty: Project) -> None:
    empty.ini("testpaths = tests")
    _release(empty, {"tests/models.py": _models(POND), "tests/conftest.py": IMPORTING})
    empty.write("tests/models.py", _models(NARROW))

    result = empty.run("--crd-baseline", "git:latest-tag")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([REFUSED])


def test_a_folder_of_tests_that_the_command_line_names_is_read_in_the_release(empty: Project) -> None:
    _release(empty, {"crds/models.py": _models(POND), "crds/conftest.py": IMPORTING})
    empty.write("crds/models.py", _models(NARROW))
    empty.write("crds/test_a.py", "def test_a(crd):\n    pass\n")

    result = empty.run("--crd-baseline", "git:latest-tag", "crds")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([REFUSED])


def test_an_import_of_todays_files_is_an_error(empty: Project) -> None:
    path = f"import sys\nsys.path.append({str(empty.path / 'src')!r})\n"
    _release(empty, {"conftest.py": f"{path}{IMPORTING}"})
    empty.write("src/models.py", _models(POND))

    result = empty.run("--crd-baseline", "git:latest-tag")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["v1.0.0: pytest_crd_manifests: the commit's code imports src/models.py of today; *"])


@pytest.mark.parametrize("baseline", ["auto", "git:all-tags"])
def test_a_hook_that_fails_is_an_error_with_its_traceback(empty: Project, baseline: str) -> None:
    _release(empty, {"conftest.py": "def pytest_crd_manifests():\n    return {'ponds': 1 / 0}\n"})
    empty.write("conftest.py", _hook(POND))

    result = empty.run("--crd-baseline", baseline)

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["v1.0.0: conftest.py: pytest_crd_manifests fails:", "*ZeroDivisionError: *"])


def test_a_process_that_fails_is_an_error_with_its_output(empty: Project) -> None:
    _release(empty, {"conftest.py": f"import no_such_module\n{_hook(POND)}"})
    empty.write("conftest.py", _hook(POND))

    result = empty.run("--crd-baseline", "git:latest-tag")

    result.assert_outcomes(failed=1)
    lines = ["v1.0.0: pytest_crd_manifests: exited with 4:", "*ModuleNotFoundError: No module named 'no_such_module'"]
    result.stdout.fnmatch_lines(lines)


def test_a_process_that_ends_before_the_hook_is_an_error(empty: Project) -> None:
    end = "import pytest\ndef pytest_configure():\n    pytest.exit('no cluster', 0)\n"
    _release(empty, {"conftest.py": f"{end}{_hook(POND)}"})
    empty.write("conftest.py", _hook(POND))

    result = empty.run("--crd-baseline", "auto")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["v1.0.0: pytest_crd_manifests: exited with 3:", "  Exit: no cluster"])


@pytest.mark.parametrize(
    ("released", "baseline", "outcomes"),
    [
        ({"config/crd/bases/gardens.yaml": GARDEN}, "git:latest-tag", {"passed": 1}),
        ({"README.md": "pytest_crd_manifests"}, "auto", {}),
        ({"docs.py": "# pytest_crd_manifests\n"}, "auto", {}),
    ],
)
def test_crds_without_code_in_the_release_are_named_in_a_quiet_run(
    empty: Project, released: dict[str, str], baseline: str, outcomes: dict[str, int]
) -> None:
    _release(empty, released)
    empty.write("conftest.py", _hook(POND))

    result = empty.run("--crd-baseline", baseline, "-q")

    result.assert_outcomes(**outcomes)
    reason = "which has neither a file nor a pytest_crd_manifests of them"
    result.stdout.fnmatch_lines(
        [f"crd: not compared with git:v1.0.0 (*, {reason}: ponds.stories.example.com (conftest.py)"]
    )


def test_crds_of_an_installed_plugin_have_no_baseline_and_a_new_crd_of_a_released_hook_is_not_named(
    empty: Project, tmp_path_factory: pytest.TempPathFactory
) -> None:
    installed = tmp_path_factory.mktemp("installed")
    (installed / "maker.py").write_text(_hook(RIVER), encoding="utf-8")
    path = f"import sys\nsys.path.append({str(installed)!r})\npytest_plugins = ['maker']\n"
    _release(empty, {"conftest.py": f"{path}{_hook(POND)}"})
    new = _named(POND, "puddles")
    empty.write("conftest.py", f"{path}def pytest_crd_manifests():\n    return {{'ponds': {POND!r}, 'new': {new!r}}}\n")

    result = empty.run("--crd-baseline", "git:latest-tag", "-q")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["crd: not compared with git:v1.0.0 *: privers.stories.example.com (maker)"])


def test_all_releases_make_their_crds(empty: Project) -> None:
    _release(empty, {"README.md": ""}, "v0.9.0")
    _release(empty, {"conftest.py": _hook(POND)})
    _release(empty, {"conftest.py": _hook(NARROW)}, "v1.1.0")

    result = empty.run("--crd-baseline", "git:all-tags")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["crd: upgrades from git:all-tags: 3 releases from v0.9.0 to v1.1.0, 1 without CRDs: *"]
    )
    result.stdout.fnmatch_lines([REFUSED])


def test_the_rest_of_the_import_path_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository, root = tmp_path / "repository", tmp_path / "checkout"
    monkeypatch.setattr(sys, "base_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "prefix", str(repository / ".venv"))
    installed = [str(repository / ".venv/lib"), str(repository / "lib/site-packages")]
    monkeypatch.setattr(sys, "path", [str(repository / "src"), *installed, "/usr"])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(repository / "src"), "/opt/lib", ""]))

    actual = hookprocess._import_path(Checkout(repository, root))

    assert [path for path in actual if path.startswith((str(tmp_path), "/opt", "/usr"))] == [
        str(root / "src"),
        "/opt/lib",
    ]


def test_settings_of_the_release_do_not_reach_the_process(empty: Project) -> None:
    empty.ini("addopts = -p no:terminal", "crd_paths = nowhere", "required_plugins = pytest-garden")
    _release(empty, {"conftest.py": _hook(POND)})
    empty.ini()
    empty.write("conftest.py", _hook(NARROW))

    result = empty.run("--crd-baseline", "git:latest-tag")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([REFUSED])


class TestCommand:
    """`pytest-crd test`."""

    @staticmethod
    def run(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = (sys.executable, "-m", "pytest_crd", "test", *arguments)
        return subprocess.run(command, cwd=project.path, capture_output=True, encoding="utf-8", check=False)

    @pytest.fixture
    def released(self, empty: Project) -> Project:
        empty.crd()
        _release(empty, {"src/models.py": _models(POND), "conftest.py": IMPORTING})
        empty.write("src/models.py", _models(NARROW))
        empty.write("test_a.py", "raise SystemExit('tests were imported')\n")
        empty.ini("pythonpath = src")
        return empty

    def test_crds_made_in_python_count_under_the_option(self, released: Project) -> None:
        ended = self.run(released, "--crd-python")

        assert ended.returncode == 1
        assert "crd: 2 CRDs, 2 versions from config/crd/bases and conftest.py (pytest_crd_manifests)" in ended.stdout
        assert "refused: spec.rows" in ended.stdout

    def test_without_the_option_a_quiet_run_names_them(self, released: Project) -> None:
        released.write("conftest.py", "raise SystemExit('pytest_crd_manifests was imported')\n")

        ended = self.run(released, "--", "-q")

        assert ended.returncode == 0
        line = (
            "CRDs that pytest_crd_manifests makes in conftest.py are not tested and not compared; --crd-python loads it"
        )
        assert line in ended.stdout

    def test_plugins_of_addopts_make_crds(self, empty: Project) -> None:
        empty.write("maker.py", _hook(POND))
        empty.write("more.py", _hook(_named(POND, "puddles")))
        empty.ini("addopts = -p maker -pmore -p no:garden --cov=garden", "pythonpath = .")

        ended = self.run(empty, "--crd-python")

        assert ended.returncode == 0
        assert "crd: 2 CRDs, 2 versions from maker (pytest_crd_manifests) more (pytest_crd_manifests)" in ended.stdout


def test_a_mistake_of_the_process_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")

    with pytest.raises(CrdError, match="pytest_crd_manifests: cannot be run in "):
        hookprocess.make(Checkout(tmp_path, tmp_path), tmp_path, lambda: None, hooks=())
