"""Upgrades are tests: one for each CRD of the baseline, below the file of its successor."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.git import commit, git
from support.sessions import Folder

from pytest_crd.plugin.settings.setting import SettingEntry
from pytest_crd.plugin.settings.upgrades import ALLOWED, BASELINE

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


@pytest.mark.parametrize("samples", ["docz", "!config/samples/gone.yaml"])
def test_samples_that_match_nothing_are_an_error(stored: Project, samples: str) -> None:
    stored.write("config/samples/a.yaml", SAMPLE)
    stored.ini(f"crd_samples = {samples}")

    result = stored.run("--crd-baseline", ".before")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{samples.removeprefix('!')}*"])


def test_checks_and_upgrades_of_a_named_file_are_run_side_by_side(stored: Project) -> None:
    result = stored.run("--crd-baseline", ".before", "--crd-checks", FILE, "-v")

    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines([f"{ITEM} PASSED*"])


def test_paths_choose_upgrades_and_the_option_adds_all_if_they_choose_none(stored: Project) -> None:
    stored.write("tests/test_it.py", "def test_it(): pass\n")
    stored.ini("crd_baseline = .before")
    line = "crd: upgrades from .before: 1 CRD, 0 objects to judge by; the command line chooses none of 1 file, *"

    for paths, count in ((), 2), (("config", "tests"), 2), ((FILE, "tests/test_it.py"), 2), (("tests/test_it.py",), 1):
        stored.run(*paths).assert_outcomes(passed=count)
    result = stored.run("tests")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"{line.removesuffix('*')}--crd-baseline adds all"])
    stored.run("tests/test_it.py", "--crd-baseline", ".before").assert_outcomes(passed=2)


def test_an_unreadable_baseline_fails_wherever_upgrades_may_be_chosen(released: Project) -> None:
    released.write("tests/test_it.py", "def test_it(): pass\n")
    released.ini("crd_baseline = git:v0")

    for path in ("config", "tests"):
        assert released.run(path).ret not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED), path
    released.run("tests/test_it.py").assert_outcomes(passed=1)


def test_a_folder_is_a_baseline_too(project: Project) -> None:
    project.crd("before/gardens.yaml")
    project.ini("crd_baseline = before", "crd_paths = config")
    change(project, "default: 3", "default: 4")

    result = project.run()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["changed: spec.size (v1)", "  3 before, 4 now", "  - before/gardens.yaml:20*default: 3"]
    )


@pytest.mark.parametrize("arguments", [(), ("--rootdir=.", ".")])
def test_a_crd_that_is_gone_stands_in_the_folder_where_there_is_no_ini_file(
    released: Project, arguments: tuple[str, ...]
) -> None:
    released.crd("config/crd/bases/other.yaml", plural="others", kind="Other")
    release(released, "v2")
    released.write("test_a.py", "def test_a(): pass\n")
    released.write("conftest.py", "")
    (released.path / FILE).unlink()

    result = released.run("--crd-baseline", "git:v2", "-v", *arguments)

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
        stored.run("-p", "cacheprovider", "-k", "test_a")
    runs = (
        ("", "-k", "test_a"),
        (COLLECTS_NONE, "-k", "test_a"),
        (COLLECTS_NONE, "--deselect", "pytest.ini::upgrade[crd_baseline]"),
        (COLLECTS_NONE, "test_a.py::test_a"),
        (COLLECTS_NONE, "-p", "cacheprovider", "--lf"),
    )

    for plugin, *arguments in runs:
        stored.write("conftest.py", plugin)
        result = stored.run("--crd-baseline", ".before", *arguments)
        result.assert_outcomes(passed=1, deselected=result.parseoutcomes().get("deselected", 0))
        assert result.ret == pytest.ExitCode.OK, arguments


def test_crds_of_commands_stand_under_the_ini_file(project: Project) -> None:
    project.crd("before.yaml")
    project.ini(f"crd_commands = cat {FILE}", "crd_baseline = before.yaml")
    change(project, "enum: [clay, sand]", "enum: [clay]")

    result = project.run()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["pytest.ini:2: upgrade*"])
    project.run("--tb=line").stdout.fnmatch_lines(["pytest.ini:2: *"])


# Allowances


SOIL_RULES = ("self != 'sand'", "self != 'clay'")


def add_rules(project: Project, *rules: str) -> None:
    declared = ", ".join(f'{{rule: "{rule}"}}' for rule in rules)
    change(project, "enum: [clay, sand]", f"enum: [clay, sand, peat], x-kubernetes-validations: [{declared}]")


def test_an_allowance_of_one_finding_does_not_allow_another_one_from_another_baseline(stored: Project) -> None:
    crd = stored.read(FILE)
    for name, rule in zip("ab", SOIL_RULES, strict=True):
        text = f'enum: [clay, sand, peat], x-kubernetes-validations: [{{rule: "{rule}"}}]'
        stored.write(f"{name}/gardens.yaml", crd.replace("enum: [clay, sand]", text))
    add_rules(stored, *SOIL_RULES)
    stored.ini("crd_baseline_allow =", f"    {NAME} spec.soil refused")

    result = stored.run("--crd-baseline", "a", "--crd-baseline", "b", "--tb=line", FILE)

    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines([f"{FILE}:1: 1 ambiguous in crd_baseline_allow"])


def test_an_allowance_for_an_unknown_crd_is_an_error(stored: Project) -> None:
    stored.ini("crd_baseline_allow =", "    others.example.com spec.soil refused")

    result = stored.run("--crd-baseline", ".before")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        [
            f"crd_baseline_allow: others.example.com spec.soil refused: the baseline has no CRD of this name; it has: {NAME}"
        ]
    )


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


def test_a_pattern_allows_effects_of_any_kind_below_a_path_in_any_crd(stored: Project) -> None:
    change(stored, "enum: [clay, sand]", "enum: [clay]")
    change(stored, "note: {type: string}", "remark: {type: string}")
    stored.ini("crd_baseline_allow = * spec.**")

    result = stored.run("--crd-baseline", ".before", "-v")

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([f"{ITEM} PASSED*", "pytest.ini::upgrade[[]crd_baseline_allow] PASSED*"])
    stored.run("--crd-baseline", ".before", FILE).assert_outcomes(passed=1)
    stored.run("--crd-baseline", ".before", "pytest.ini").assert_outcomes(passed=1)


# Upgrades that cannot be judged


def test_a_baseline_that_cannot_be_read_fails_a_test_of_its_own(released: Project) -> None:
    """Other baselines are judged, but no allowance can be outdated."""
    change(released, "enum: [clay, sand]", "enum: [clay]")
    released.ini(
        "crd_baseline = git:v9 git:v1", "crd_baseline_allow =", f"    {NAME} spec.soil refused", "    b x refused"
    )

    for path in (FILE, "pytest.ini::upgrade[git:v9]"):
        result = released.run("-v", path)
        result.assert_outcomes(failed=1, passed=1 if path == FILE else 0)
        result.stdout.fnmatch_lines(["git:v9: there is no such commit in *fetch-depth: 0*"])
        result.stdout.fnmatch_lines(["FAILED pytest.ini::upgrade[[]git:v9] - git:v9: there is *"])
    whole = released.run("-v", "--tb=line")

    whole.assert_outcomes(failed=1, passed=1)
    whole.stdout.fnmatch_lines([f"{FILE}::upgrade[[]{NAME}-git:v1] PASSED*", "pytest.ini:2: git:v9: *"])


def test_a_mistake_about_upgrades_in_the_ini_file_fails_at_its_line(released: Project) -> None:
    released.ini("markers = slow", "crd_baseline = git:v9")
    unread = released.run("--tb=line")
    released.ini("crd_baseline = git:v1", "crd_baseline_allow = * spec.nowhere refused")
    allowed = released.run("--tb=line")

    unread.stdout.fnmatch_lines(["pytest.ini:3: git:v9: *"])
    allowed.stdout.fnmatch_lines(["pytest.ini:3: *"])


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
    stored.ini("crd_baseline_allow = * **", "crd_baseline_migrated = example.com/v1: a", "crd_baseline_rollback = true")
    note = "crd: crd_baseline_rollback and crd_baseline_allow and crd_baseline_migrated do nothing without crd_baseline"

    result = stored.run("--crd-checks")

    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines([note])
    stored.run("--crd-baseline", ".before").stdout.no_fnmatch_line("crd: crd_baseline*")
    stored.ini("crd_baseline_rollback = false")
    stored.run("--crd-checks").stdout.no_fnmatch_line("crd: crd_baseline*")


def test_an_unknown_answer_of_the_engine_fails_the_upgrade(stored: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_crd.engine import UnsupportedConstructError
    from pytest_crd.upgrades import upgrade

    def judge(*_: object) -> None:
        raise UnsupportedConstructError("a construct")

    monkeypatch.setattr(upgrade, "judge", judge)

    stored.ini("crd_baseline_allow = * spec.soil")

    result = stored.run("--crd-baseline", ".before")

    # No allowance is outdated.
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines([".before/gardens.yaml:1: what becomes of its objects is not known: a construct"])


def test_an_unknown_answer_about_one_baseline_leaves_the_allowances_of_another(
    stored: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pytest_crd.engine import UnsupportedConstructError
    from pytest_crd.upgrades import upgrade
    from pytest_crd.upgrades.upgrade import judge

    def fail_for_b(old: CustomResourceDefinition, *others: Any) -> upgrade.Upgrade:
        if old.source.startswith("b/"):
            raise UnsupportedConstructError("a construct")
        return judge(old, *others)

    monkeypatch.setattr(upgrade, "judge", fail_for_b)
    for name in "ab":
        stored.write(f"{name}/gardens.yaml", stored.read(FILE))
    change(stored, "enum: [clay, sand]", "enum: [clay]")
    stored.ini("crd_baseline_allow =", f"    {NAME} spec.soil refused")

    result = stored.run("--crd-baseline", "a", "--crd-baseline", "b", FILE)

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["b/gardens.yaml:1: what becomes of its objects is not known: a construct"])


def test_any_other_failure_is_shown_with_its_frames(stored: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_crd.upgrades import upgrade

    def judge(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(upgrade, "judge", judge)

    stored.run("--crd-baseline", ".before").stdout.fnmatch_lines(["*RuntimeError: broken*"])


def test_warnings_of_an_upgrade_are_shown_at_any_verbosity(stored: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_crd.upgrades import upgrade

    little = "little was looked at, as no object of the old CRD is known"
    monkeypatch.setattr(upgrade, "judge", lambda *_: upgrade.Upgrade(warnings=(little,)))

    result = stored.run("--crd-baseline", ".before", "-q")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"crd: {ITEM}: {little}"])


# Several baselines


def test_each_baseline_has_its_own_upgrades_and_its_own_line(released: Project) -> None:
    change(released, "default: 3", "default: 4")
    release(released, "v2")
    change(released, "enum: [clay, sand]", "enum: [clay]")

    result = released.run("--crd-baseline", "git:v1", "--crd-baseline", "git:v2", "-v")

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "crd: upgrades from git:v1 (*) of 2*-*-*: 1 CRD, 0 objects to judge by",
            "crd: upgrades from git:v2 (*) of 2*-*-*: 1 CRD, 0 objects to judge by",
            f"{FILE}::upgrade[[]{NAME}-git:v1] FAILED*",
            f"{FILE}::upgrade[[]{NAME}-git:v2] FAILED*",
            f"{FILE}:1: upgrade[[]{NAME}-git:v1] from v1:{FILE}:1, Kubernetes 1.37",
            "refused: spec.soil (v1)",
            "changed: spec.size (v1)",
            f"{FILE}:1: upgrade[[]{NAME}-git:v2] from v2:{FILE}:1, Kubernetes 1.37",
            "refused: spec.soil (v1)",
        ]
    )


@pytest.mark.parametrize(
    ("written", "ids"),
    [
        ("git:v1 'my old' deployed/", ["git:v1", "my old", "deployed/"]),
        (
            '\n    git:HEAD@{1 second ago}\n\n    my old\n    "my old" git:v1',
            ["git:HEAD@{1 second ago}", "my old", "git:v1"],
        ),
        ("my old", None),
    ],
)
def test_the_ini_file_lists_baselines(released: Project, written: str, ids: list[str] | None) -> None:
    for folder in ("my old", "deployed"):
        released.crd(f"{folder}/gardens.yaml")
    released.ini(f"crd_baseline = {written}", "crd_paths = config")

    lines = [line for line in released.run("--collect-only", "-q").outlines if "::upgrade[" in line]

    names = [NAME] if ids is None else [f"{NAME}-{id_}" for id_ in ids]
    assert lines == [f"{FILE}::upgrade[{name}]" for name in names]


def test_an_allowance_that_one_baseline_needs_is_not_outdated(released: Project) -> None:
    change(released, "default: 3", "default: 4")
    release(released, "v2")
    released.ini("crd_baseline = git:v1 git:v2", "crd_baseline_allow =", f"    {NAME} spec.size changed")

    released.run().assert_outcomes(passed=2)


# Rollbacks


def test_an_outdated_allowance_for_a_rollback_fails(stored: Project) -> None:
    stored.ini(
        "crd_baseline = .before",
        "crd_baseline_allow =",
        f"    rollback {NAME} spec.size changed",
        "    rollback * spec.**",
        "    rollback * ** data loss",
    )

    stored.run().assert_outcomes(passed=1)
    result = stored.run("--crd-baseline-rollback")

    result.assert_outcomes(passed=1, failed=2)
    result.stdout.no_fnmatch_line("*data loss*")
    result.stdout.fnmatch_lines([f"  rollback {NAME} spec.size changed", "  rollback [*] spec.[*][*]"])


# Alternatives


def test_a_baseline_that_is_the_checkout_is_told(released: Project) -> None:
    result = released.run("-q", "--crd-baseline", "git:v1")

    result.stdout.fnmatch_lines(
        ["crd: nothing can differ: the baseline git:v1 (*) of * is the current commit, and no file is *"]
    )


def test_a_missing_last_release_is_told_without_a_loaded_crd(released: Project) -> None:
    released.ini("crd_baseline = auto")
    git(released.path, "tag", "v1.0", "v1")
    git(released.path, "tag", "-d", "v1")

    result = released.run("-q")

    result.stdout.fnmatch_lines(
        ["crd: no upgrade is judged: * has no tag that is a version as v1.2.3 (the newest: v1.0); *"]
    )


def test_a_crd_that_no_server_takes_is_one_failure_without_an_allowance(stored: Project) -> None:
    stored.ini("crd_baseline = .before", f"crd_baseline_allow =\n  {NAME} spec.soil refused")
    change(stored, "enum: [clay, sand]", "enum: [clay]")
    change(stored, "maximum: 10", "maximum: 10, properties: {a: {}}, items: {}")

    result = stored.run()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["refused: .", "  no server takes the CRD: *; *"])
    result.stdout.no_fnmatch_line("*crd_baseline_allow*")
