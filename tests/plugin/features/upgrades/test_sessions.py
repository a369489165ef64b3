"""Upgrades are tests: one for each CRD of the baseline, below the file of its successor."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.git import commit, git
from support.sessions import Folder

from pytest_crd.plugin.settings.setting import SettingEntry
from pytest_crd.plugin.settings.upgrades import ALLOWED, BASELINE, MIGRATED

if TYPE_CHECKING:
    from support.sessions import Project

    from pytest_crd.engine import CustomResourceDefinition

FILE = "config/crd/bases/gardens.yaml"
NAME = "gardens.stories.example.com"
ITEM = f"{FILE}::upgrade[[]{NAME}]"
SAMPLE = "apiVersion: stories.example.com/v1\nkind: Garden\nmetadata: {name: a}\nspec: {soil: sand}\n"


def release(folder: Folder, tag: str) -> None:
    commit(folder.path, tag=tag)


def change(project: Project, old: str, new: str, name: str = FILE) -> None:
    path = project.path / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one CRD, at its release v1; created once, because git takes as long as an upgrade."""
    folder = Folder(tmp_path_factory.mktemp("repository"))
    folder.crd()
    release(folder, "v1")
    return folder.path


@pytest.fixture
def released(empty: Project, repository: Path) -> Project:
    """A project with one CRD, at its release v1."""
    shutil.copytree(repository, empty.path, dirs_exist_ok=True)
    return empty


@pytest.fixture
def stored(empty: Project) -> Project:
    """A project with one CRD, and the same CRD as it was stored; git takes as long as a session."""
    empty.crd()
    empty.crd(".before/gardens.yaml")
    return empty


def test_samples_that_match_nothing_are_an_error(stored: Project) -> None:
    stored.ini("crd_samples = docz")

    result = stored.run("--crd-baseline", ".before")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*docz*"])


def test_paths_choose_upgrades_and_the_option_adds_all_if_they_choose_none(stored: Project) -> None:
    """A named file has its checks and its upgrades."""
    stored.write("tests/test_it.py", "def test_it(): pass\n")
    stored.ini("crd_baseline = .before")
    line = "crd: upgrades from .before: 1 CRD, 0 objects to judge by; the command line chooses none of 1 file, *"

    stored.run("config", "tests").assert_outcomes(passed=2)
    named = stored.run("--crd-checks", "-v", FILE, "tests/test_it.py")
    named.assert_outcomes(passed=7)
    named.stdout.fnmatch_lines([f"{ITEM} PASSED*"])
    result = stored.run("tests")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"{line.removesuffix('*')}--crd-baseline adds all"])
    stored.run("tests/test_it.py", "--crd-baseline", ".before").assert_outcomes(passed=2)


@pytest.mark.parametrize("arguments", [(), ("--rootdir=.", ".")])
def test_a_crd_that_is_gone_stands_in_the_folder_where_there_is_no_ini_file(
    stored: Project, arguments: tuple[str, ...]
) -> None:
    for folder in ("config/crd/bases", ".before"):
        stored.crd(f"{folder}/other.yaml", plural="others", kind="Other")
    stored.write("test_a.py", "def test_a(): pass\n")
    stored.write("conftest.py", "")
    (stored.path / FILE).unlink()

    result = stored.run("--crd-baseline", ".before", "-v", *arguments)

    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(
        [f".::upgrade[[]{NAME}] FAILED*", "*::upgrade[[]others.*] PASSED*", "data loss: metadata.name"]
    )


# Runs that judge nothing

DROPS_SILENTLY = """\
def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if not item.name.startswith("upgrade")]
"""
COLLECTS_NONE = """\
import pytest

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(collector):
    report = yield
    if type(collector).__name__ == "UpgradeFile":
        report.result = []
    return report
"""


@pytest.mark.parametrize(
    ("plugin", "words"),
    [(DROPS_SILENTLY, "a conftest.py or a plugin has dropped *"), (COLLECTS_NONE, "no test of one was collected")],
)
@pytest.mark.parametrize("arguments", [(), pytest.param(("-p", "xdist", "-n", "1"), marks=pytest.mark.long)])
def test_a_run_that_judges_no_upgrade_fails(
    stored: Project, plugin: str, words: str, arguments: tuple[str, ...]
) -> None:
    stored.ini()
    stored.write("conftest.py", plugin)
    stored.write("test_a.py", "def test_a(): pass\n")
    if arguments:
        arguments = ("-p", "pytest_crd.plugin", *arguments)

    result = stored.run("--crd-baseline", ".before", *arguments)

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"no upgrade is judged, though --crd-baseline is given: {words}"])
    result.stdout.fnmatch_lines(["FAILED pytest.ini::upgrade[[]crd_baseline] - *"])


def test_a_narrowed_run_may_judge_no_upgrade(stored: Project) -> None:
    """The last runs collect no upgrade, but a test of the plugin."""
    stored.ini()
    stored.write("test_a.py", "import os\ndef test_a(): assert 'AGAIN' not in os.environ\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGAIN", "1")
        first = stored.run("-p", "cacheprovider", "--crd-baseline", ".before", "-k", "test_a")
    stored.write("conftest.py", COLLECTS_NONE)
    runs = (
        ("--deselect", "pytest.ini::upgrade[crd_baseline]"),
        ("test_a.py::test_a",),
        ("-p", "cacheprovider", "--lf"),
    )

    first.assert_outcomes(failed=1, deselected=1)
    for arguments in runs:
        result = stored.run("--crd-baseline", ".before", *arguments)
        result.assert_outcomes(passed=1, deselected=int(arguments[0] == "--deselect"))
        assert result.ret == pytest.ExitCode.OK, arguments


def test_crds_of_commands_stand_under_the_ini_file(project: Project) -> None:
    project.crd("before.yaml")
    project.ini(
        f"crd_commands = cat {FILE}", "crd_baseline = before.yaml", "crd_baseline_allow = * spec.nowhere refused"
    )
    change(project, "enum: [clay, sand]", "enum: [clay]")

    result = project.run("--tb=line")

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["pytest.ini:2: *", "pytest.ini:4: allowed, but no longer found; *"])


# Settings


def test_lines_that_allow_nothing_are_a_usage_error_that_names_all() -> None:
    lines = ["spec.soil", f"{NAME} spec.soil refused", f"{NAME} spec.s* refused"]

    with pytest.raises(pytest.UsageError) as single:
        ALLOWED.read(SettingEntry(lines[:1], "crd_baseline_allow", Path()))
    with pytest.raises(pytest.UsageError) as several:
        ALLOWED.read(SettingEntry(lines, "crd_baseline_allow", Path()))

    assert str(single.value).startswith("crd_baseline_allow: 'spec.soil' is not NAME PATH KIND or ")
    pytest.LineMatcher(str(several.value).splitlines()).fnmatch_lines(
        [
            "crd_baseline_allow: 2 of its lines are no entries:",
            "  'spec.soil' is not NAME PATH KIND or *",
            f"  '{NAME} spec.s[*] refused': `[*]` stands for a whole step *",
        ],
        consecutive=True,
    )


# Upgrades that cannot be judged


def test_a_baseline_that_cannot_be_read_fails_a_test_of_its_own(released: Project) -> None:
    """Other baselines are judged, but no allowance can be outdated; the failure concerns every file but tests in Python."""
    change(released, "enum: [clay, sand]", "enum: [clay]")
    released.write("tests/test_it.py", "def test_it(): pass\n")
    released.ini(
        "crd_baseline = git:v9 git:v1", "crd_baseline_allow =", f"    {NAME} spec.soil refused", "    b x refused"
    )

    result = released.run("-v", FILE)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines([f"{FILE}::upgrade[[]{NAME}-git:v1] PASSED*"])
    result.stdout.fnmatch_lines(["git:v9: there is no such commit in *fetch-depth: 0*"])
    result.stdout.fnmatch_lines(["FAILED pytest.ini::upgrade[[]git:v9] - git:v9: there is *"])
    short = released.run("--tb=line", "tests")
    short.assert_outcomes(failed=1, passed=1)
    short.stdout.fnmatch_lines(["pytest.ini:2: git:v9: *"])
    released.run("tests/test_it.py").assert_outcomes(passed=1)


@pytest.mark.parametrize("value", [[" "], ["git:v1", ""], "''"])
def test_an_empty_baseline_is_a_usage_error(value: object) -> None:
    with pytest.raises(pytest.UsageError, match=r"^crd_baseline: name a folder, a file or git:REF"):
        BASELINE.read(SettingEntry(value, "crd_baseline", Path()))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--crd-baseline-rollback"], "--crd-baseline-rollback does"),
        (
            ["--crd-baseline-migrated", "example.com/v1: a", "--crd-baseline-allow", "* **"],
            "--crd-baseline-allow and --crd-baseline-migrated do",
        ),
    ],
)
def test_an_option_without_a_baseline_is_a_usage_error(stored: Project, arguments: list[str], words: str) -> None:
    result = stored.run(*arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {words} nothing without --crd-baseline"])


def test_keys_of_the_ini_file_without_a_baseline_have_a_note(stored: Project) -> None:
    stored.ini(
        "crd_baseline_allow = * **", "crd_baseline_migrated = example.com/v1: a", "crd_baseline_rollback = false"
    )

    result = stored.run("--crd-checks", "--collect-only")

    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["crd: crd_baseline_allow and crd_baseline_migrated do nothing without crd_baseline"])


def test_refused_crds_unknown_answers_other_failures_and_warnings_are_shown_at_any_verbosity(
    stored: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_crd.engine import UnsupportedConstructError
    from pytest_crd.upgrades import upgrade

    little = "little was looked at, as no object of the old CRD is known"

    judge_any = upgrade.judge

    def judge(old: CustomResourceDefinition, *others: Any) -> upgrade.Upgrade:
        if old.kind == "Vine":
            return judge_any(old, *others)
        if old.kind == "Pond":
            raise UnsupportedConstructError("a construct")
        if old.kind == "Hedge":
            raise RuntimeError("broken")
        return upgrade.Upgrade(warnings=(little,))

    monkeypatch.setattr(upgrade, "judge", judge)
    for kind in ("Pond", "Hedge", "Vine"):
        for folder in ("config/crd/bases", ".before"):
            stored.crd(f"{folder}/{kind.lower()}s.yaml", plural=f"{kind.lower()}s", kind=kind)

    vines = "config/crd/bases/vines.yaml"
    change(stored, "enum: [clay, sand]", "enum: [clay]", vines)
    change(stored, "maximum: 10", "maximum: 10, properties: {a: {}}, items: {}", vines)
    stored.ini("crd_baseline_allow = vines.stories.example.com spec.soil refused")

    result = stored.run("--crd-baseline", ".before", "-q")

    result.assert_outcomes(failed=3, passed=1)
    result.stdout.fnmatch_lines([f"crd: {ITEM}: {little}"])
    result.stdout.fnmatch_lines(["*RuntimeError: broken*"])
    result.stdout.fnmatch_lines([".before/ponds.yaml:1: what becomes of its objects is not known: a construct"])
    result.stdout.fnmatch_lines([f"{vines}:1: upgrade*", "", "refused: .", "  no server takes the CRD: *; *"])
    result.stdout.no_fnmatch_line("*crd_baseline_allow*")


# Several baselines


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("git:v1 'my old' deployed/", ("git:v1", "my old", "deployed/")),
        (
            '\n    git:HEAD@{1 second ago}\n\n    my old\n    "my old" git:v1',
            ("git:HEAD@{1 second ago}", "my old", "git:v1"),
        ),
        ("my old", ("my old",)),
        ("my new", ("my", "new")),
    ],
)
def test_the_ini_file_lists_baselines(tmp_path: Path, written: str, names: tuple[str, ...]) -> None:
    (tmp_path / "my old").mkdir()

    assert BASELINE.read(SettingEntry(written, "crd_baseline", tmp_path, root=tmp_path)) == names


def test_a_migration_without_a_reason_is_a_usage_error() -> None:
    with pytest.raises(pytest.UsageError) as error:
        MIGRATED.read(SettingEntry(["example.com/v1alpha1:"], "--crd-baseline-migrated", Path()))

    words = "--crd-baseline-migrated: 'example.com/v1alpha1:' is not GROUP/VERSION: REASON, as in "
    assert str(error.value).startswith(words)


def test_a_missing_last_release_is_told_without_a_loaded_crd(released: Project) -> None:
    released.ini("crd_baseline = auto")
    git(released.path, "tag", "v1.0", "v1")
    git(released.path, "tag", "-d", "v1")

    result = released.run("-q")

    result.stdout.fnmatch_lines(
        ["crd: no upgrade is judged: * has no tag that is a version as v1.2.3 (the newest: v1.0); *"]
    )
