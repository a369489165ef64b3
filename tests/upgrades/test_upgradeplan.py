"""Plans of upgrades: tasks by baseline, mistakes, and outdated allowances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.git import commit
from support.releases import FILE, NAME, crd, release_all, write

from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.discovery import baseline
from pytest_crd.discovery.baseline import Baseline
from pytest_crd.discovery.commitcrds import Project
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import CustomResourceDefinition, InputError, UnsupportedConstructError
from pytest_crd.upgrades import allowances, migrations, upgrade, upgradeplan
from pytest_crd.upgrades.upgradeplan import Plan, Scope

pytestmark = pytest.mark.session  # git

HISTORY = [("v1.0.0", crd("v1alpha1")), ("v1.1.0", crd("v1", "v1alpha1"))]
RULES = ("self != 'sand'", "self != 'clay'")


def soil(schema: str) -> str:
    """Return a CRD with one text field; *schema* has more of its keywords."""
    return crd("v1", field="soil").replace("soil: {type: string}", f"soil: {{type: string, {schema}}}")


def make(
    folder: Path,
    *names: str,
    allowed: Sequence[str] = (),
    migrated: Sequence[str] = (),
    has_rollbacks: bool = False,
) -> Plan:
    """Return the plan of the project in *folder* for the named baselines; its CRDs are below `config`."""
    project = Project(folder, ("config",), folder)
    baselines: dict[str, Baseline | InputError] = {}
    for name in names:
        try:
            baselines[name] = baseline.read(name, base=folder, project=project, kubernetes_version="1.37")
        except InputError as error:
            baselines[name] = error
    scope = Scope(
        folder,
        folder,
        folder / "pytest.ini",
        (),
        (),
        tuple(map(allowances.parse, allowed)),
        has_rollbacks,
        tuple(map(migrations.parse, migrated)),
    )
    return upgradeplan.make_plan([Catalog(Sources(folder, ("config",), folder=folder), "1.37")], baselines, scope)


def write_baselines(folder: Path, today: str, **baselines: str) -> None:
    """Write the CRD of today, and the CRD of each baseline in a folder with its name."""
    write(folder, today)
    for name, text in baselines.items():
        write(folder, text, f"{name}/things.yaml")


@pytest.fixture(scope="module")
def dropped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that stored v1alpha1 in its first release, and drops it today."""
    folder = tmp_path_factory.mktemp("dropped")
    release_all(folder, HISTORY)
    write(folder, crd("v1"))
    return folder


# Mistakes about all upgrades


def test_an_allowance_for_an_unknown_crd_is_a_mistake(tmp_path: Path) -> None:
    write_baselines(tmp_path, crd("v1"), before=crd("v1"))
    words = "others.example.com spec.soil refused: the baseline has no CRD of this name; it has: things.example.com"

    with pytest.raises(InputError, match=f"^crd_baseline_allow: {words}$"):
        make(tmp_path, "before", allowed=["others.example.com spec.soil refused", f"{NAME} spec.size refused"])


@pytest.mark.parametrize("version", ["v1beta1", "v1"])
def test_a_migration_of_a_version_that_was_not_stored_is_a_mistake(dropped: Path, version: str) -> None:
    words = "no earlier release stored it in a CRD that still lists it; stored: example.com/v1alpha1"

    with pytest.raises(InputError, match=f"^crd_baseline_migrated: example.com/{version}: {words}$"):
        make(dropped, "git:latest-tag", migrated=[f"example.com/{version}: done", "example.com/v1alpha1: done"])


def test_the_mistake_about_a_migration_says_if_nothing_was_stored(tmp_path: Path) -> None:
    release_all(tmp_path, HISTORY[:1])
    write(tmp_path, crd("v1alpha1", field="other"))

    with pytest.raises(InputError, match=r"still lists it; stored: none$"):
        make(tmp_path, "git:latest-tag", migrated=["example.com/v1alpha1: done"])


def test_mistakes_are_unknown_if_a_baseline_is_unreadable(dropped: Path) -> None:
    plan = make(
        dropped,
        *("git:latest-tag", "git:v9"),
        migrated=["example.com/v1: done"],
        allowed=["others.example.com spec.soil refused", f"{NAME} spec.gone refused", "* spec.gone refused"],
    )

    assert [*plan.unread] == ["git:v9"]
    assert not plan.is_empty
    assert [task.id for task in plan.tasks] == [f"{NAME}-git:latest-tag"]
    assert plan.outdated == plan.tasks[0].outdated == []


# Several baselines


def test_each_baseline_has_its_own_tasks_and_its_own_words(tmp_path: Path) -> None:
    write_baselines(tmp_path, crd("v1", field="other"), a=crd("v1"), b=crd("v1", field="other"))

    plan = make(tmp_path, "a", "b")

    assert [task.id for task in plan.tasks] == [f"{NAME}-a", f"{NAME}-b"]
    assert [task.origin for task in plan.tasks] == ["a/things.yaml:1", "b/things.yaml:1"]
    assert [len(task.breaking) for task in plan.tasks] == [1, 0]
    assert [part.words for part in plan.parts] == [
        f"upgrades from {name}: 1 CRD, 0 objects to judge by" for name in "ab"
    ]


def test_an_allowance_that_one_baseline_needs_is_not_outdated(tmp_path: Path) -> None:
    write_baselines(tmp_path, crd("v1", field="other"), a=crd("v1"), b=crd("v1", field="other"))

    plan = make(tmp_path, "b", "a", allowed=[f"{NAME} spec.size data loss", f"{NAME} spec.gone refused"])

    assert [[*map(str, task.outdated)] for task in plan.tasks] == [[f"{NAME} spec.gone refused"], []]
    assert [task.breaking for task in plan.tasks] == [(), ()]


def test_an_allowance_of_one_finding_does_not_allow_another_one_from_another_baseline(tmp_path: Path) -> None:
    enum = "enum: [clay, sand, peat]"
    ruled = {
        name: f'{enum}, x-kubernetes-validations: [{{rule: "{rule}"}}]' for name, rule in zip("ab", RULES, strict=True)
    }
    both = ", ".join(f'{{rule: "{rule}"}}' for rule in RULES)
    write_baselines(
        tmp_path,
        soil(f"{enum}, x-kubernetes-validations: [{both}]"),
        **{name: soil(schema) for name, schema in ruled.items()},
    )

    plan = make(tmp_path, "a", "b", allowed=[f"{NAME} spec.soil refused"])

    assert [[*map(str, task.ambiguous)] for task in plan.tasks] == [[f"{NAME} spec.soil refused"], []]


def test_a_baseline_that_is_the_checkout_cannot_differ(tmp_path: Path) -> None:
    write(tmp_path, crd("v1"))
    commit(tmp_path, tag="v1")

    (part,) = make(tmp_path, "git:v1").parts
    write(tmp_path, crd("v1", field="other"))
    (changed,) = make(tmp_path, "git:v1").parts

    (words,) = part.unjudged
    assert words.startswith("nothing can differ: the baseline git:v1 (")
    assert words.endswith(" is the current commit, and no file is changed; git:latest-tag is the last release")
    assert changed.unjudged == ()


# Allowances for all CRDs, and for rollbacks


def test_a_pattern_allows_effects_of_any_kind_below_a_path_in_any_crd(tmp_path: Path) -> None:
    before = crd("v1", field="soil").replace("soil: {", "note: {type: string}, soil: {enum: [clay, sand], ")
    today = before.replace("[clay, sand]", "[clay]").replace("note", "remark")
    write_baselines(tmp_path, today, before=before)

    plan = make(tmp_path, "before", allowed=["* spec.**", "* status.**"])

    assert sorted(finding.kind.value for finding in plan.tasks[0].upgrade.findings if finding.is_breaking) == [
        "data loss",
        "refused",
    ]
    assert plan.tasks[0].breaking == ()
    assert [*map(str, plan.outdated)] == ["* status.**"]


@pytest.mark.parametrize("has_rollbacks", [False, True])
def test_an_outdated_allowance_for_a_rollback_is_found_if_rollbacks_are_judged(
    tmp_path: Path, *, has_rollbacks: bool
) -> None:
    write_baselines(tmp_path, crd("v1"), before=crd("v1"))
    allowed = [f"rollback {NAME} spec.size changed", "rollback * spec.**", "rollback * ** data loss"]

    plan = make(tmp_path, "before", allowed=allowed, has_rollbacks=has_rollbacks)

    assert [task.is_rollback for task in plan.tasks] == ([False, True] if has_rollbacks else [False])
    assert [str(item) for task in plan.tasks for item in task.outdated] == allowed[:has_rollbacks]
    assert [*map(str, plan.outdated)] == allowed[1:2] * has_rollbacks


# Unknown answers


def _fail(*_: object) -> None:
    raise UnsupportedConstructError("a construct")


def _fail_for_b(judge: Callable[..., upgrade.Upgrade]) -> Callable[..., Any]:
    def fail(old: CustomResourceDefinition, *others: Any) -> upgrade.Upgrade:
        if old.source.startswith("b/"):
            _fail()
        return judge(old, *others)

    return fail


def test_an_unknown_answer_is_a_mistake_and_outdates_no_allowance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_baselines(tmp_path, crd("v1"), before=crd("v1"))
    monkeypatch.setattr(upgrade, "judge", _fail)

    plan = make(tmp_path, "before", allowed=["* spec.gone", f"{NAME} spec.gone refused"])

    assert plan.outdated == plan.tasks[0].outdated == []
    with pytest.raises(
        InputError, match=r"^before/things.yaml:1: what becomes of its objects is not known: a construct$"
    ):
        _ = plan.tasks[0].upgrade


def test_an_unknown_answer_about_one_baseline_leaves_the_allowances_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upgrade, "judge", _fail_for_b(upgrade.judge))
    write_baselines(tmp_path, crd("v1", field="other"), a=crd("v1"), b=crd("v1"))

    plan = make(tmp_path, "a", "b", allowed=[f"{NAME} spec.size data loss"])

    first, second = plan.tasks
    assert (first.breaking, first.outdated, first.ambiguous) == ((), [], {})
    with pytest.raises(InputError, match=r"^b/things.yaml:1: what becomes of its objects is not known"):
        _ = second.breaking


def test_an_upgrade_belongs_to_the_file_of_its_new_crd(tmp_path: Path) -> None:
    write_baselines(tmp_path, crd("v1", name="others.example.com"), before=crd("v1"))
    (task,) = make(tmp_path, "before").tasks
    write(tmp_path, crd("v1"), FILE)
    (moved,) = make(tmp_path, "before").tasks

    assert (task.path, task.line) == (tmp_path / "pytest.ini", 0)
    assert (moved.path, moved.line) == (tmp_path / FILE, 1)
