"""One release, many CRDs that have changed since, each in its own way: two sessions, and the laws about their reports."""

from __future__ import annotations

import json

import pytest
from support.git import commit
from support.sessions import Folder

pytestmark = pytest.mark.session

KINDS = (
    *("Garden", "Shed", "Pond", "Hedge", "Lawn", "Tree", "Gate", "Wall", "Path", "Bed", "Pot", "Bench", "Barn", "Kiln"),
)
ENUM = "enum: [clay, sand]"
SOIL_RULES = ("self != 'sand'", "self != 'clay'")
FIELDS = "".join(f"              extra{number}: {{type: string}}\n" for number in range(7))
NOTE = "              note: {type: string}\n"
SAMPLE = "apiVersion: stories.example.com/v1\nkind: Bench\nmetadata: {name: a}\nspec: {soil: sand}\n"


def file(kind: str) -> str:
    return f"config/crd/bases/{kind.lower()}s.yaml"


def name(kind: str) -> str:
    return f"{kind.lower()}s.stories.example.com"


def item(kind: str, word: str = "upgrade") -> str:
    return f"{file(kind)}::{word}[[]{name(kind)}]"


def write(folder: Folder, path: str, kind: str) -> str:
    """Write a CRD with the first five fields of the spec, and return its text."""
    text = folder.crd(path, plural=f"{kind.lower()}s", kind=kind).read_text(encoding="utf-8")
    text = text[: text.index("              free:")]
    folder.write(path, text)
    return text


def create(folder: Folder, *kinds: str) -> None:
    for kind in kinds:
        write(folder, file(kind), kind)


def change(folder: Folder, kind: str, old: str, new: str) -> None:
    text = folder.read(file(kind))
    assert old in text
    folder.write(file(kind), text.replace(old, new))


def add_rules(folder: Folder, kind: str, *rules: str) -> None:
    declared = ", ".join(f'{{rule: "{rule}"}}' for rule in rules)
    change(folder, kind, ENUM, f"enum: [clay, sand], x-kubernetes-validations: [{declared}]")


def stored(kind: str, soil: str) -> str:
    old = f"{{spec: {{soil: {soil}}}}}"
    return f"crd: {name(kind)}\nupdate:\n- {{name: a, old: {old}, input: {{spec: {{}}}}, accepted: true}}\n"


def write_alternative(folder: Folder, path: str, kind: str, *, default: int = 3, soils: str = "[clay, sand]") -> None:
    crd = write(folder, path, kind)
    folder.write(path, crd.replace("default: 3", f"default: {default}").replace("[clay, sand]", soils))


def write_alternatives(folder: Folder) -> None:
    write_alternative(folder, "alternatives/full/vases.yaml", "Vase")
    write_alternative(folder, "alternatives/minimal/vases.yaml", "Vase", default=5)
    write_alternative(folder, "alternatives/arches.yaml", "Arche")
    write_alternative(folder, "alternatives/jars.yaml", "Jar")
    write_alternative(folder, "alternatives/more/jars.yaml", "Jar")


def change_alternatives(folder: Folder) -> None:
    write_alternative(folder, "alternatives/minimal/vases.yaml", "Vase", default=5, soils="[clay]")
    (folder.path / "alternatives/arches.yaml").rename(folder.path / "alternatives/full/arches.yaml")
    write_alternative(folder, "alternatives/minimal/arches.yaml", "Arche", soils="[clay]")
    write_alternative(folder, "alternatives/more/jars.yaml", "Jar", soils="[clay]")


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("changes"))
    create(folder, *KINDS)
    change(folder, "Path", NOTE, NOTE + FIELDS)
    for path in ("docs/a.yaml", "docs/b.yaml", "docs/c.yaml", "config/samples/a.yaml"):
        folder.write(path, SAMPLE)
    folder.cases(stored("Bench", "sand"), "tests/test_a.crd.yaml")
    for copy in ("one", "another"):
        folder.write(f"deploy/{copy}.yaml", folder.read(file("Shed")))
    write_alternatives(folder)
    commit(folder.path, tag="v1")

    create(folder, "Added")
    change(folder, "Garden", ENUM, "enum: [clay]")
    change(folder, "Pond", ENUM, "enum: [clay, sand, peat]")
    change(folder, "Pond", "maximum: 10", "maximum: 10, format: int64")
    change(folder, "Hedge", "    served: true\n", "    served: true\n    deprecated: true\n")
    change(folder, "Lawn", ENUM, "enum: [clay]")
    change(folder, "Lawn", "note:", "remark:")
    change(folder, "Tree", "note:", "remark:")
    change(folder, "Path", FIELDS, "")
    add_rules(folder, "Wall", *SOIL_RULES)
    add_rules(folder, "Bed", *SOIL_RULES)
    add_rules(folder, "Pot", *SOIL_RULES)
    change(folder, "Bench", ENUM, "enum: [clay]")
    (folder.path / file("Barn")).unlink()
    change(folder, "Kiln", "default: 3", "default: 4")
    change_alternatives(folder)
    folder.ini(
        "crd_paths = config deploy alternatives",
        "crd_samples = docs !docs/c.yaml",
        "crd_baseline = nowhere",
        "crd_baseline_allow =",
        f"    {name('Lawn')} spec.soil refused",
        f"    {name('Lawn')} spec.note data loss",
        f"    {name('Gate')} spec.soil refused",
        f"    {name('Wall')} spec.soil refused",
        f"    {name('Bed')} spec.soil refused: {SOIL_RULES[0]}",
        *(f"    {name('Pot')} spec.soil refused: {rule}" for rule in SOIL_RULES),
        "    * spec.size",
        "    * status.** data loss",
        f"    {name('Shed')} spec.** changed",
    )
    return folder


@pytest.fixture(scope="module")
def report(changes: Folder) -> pytest.RunResult:
    return changes.run("--crd-baseline", "git:v1", "-v", "--junitxml=out.xml", "--crd-json", "out.json", ".")


@pytest.fixture(scope="module")
def short(changes: Folder) -> pytest.RunResult:
    kinds = ("Tree", "Gate", "Wall", "Pond")
    return changes.run("--crd-baseline", "git:v1", "-p", "cacheprovider", "--tb=line", *map(file, kinds))


def test_the_header_counts_the_objects(short: pytest.RunResult) -> None:
    short.stdout.fnmatch_lines(["crd: upgrades from git:v1 (*) of 2*-*-*: 18 CRDs, 5 objects to judge by*"])


def test_each_upgrade_stands_in_its_file(report: pytest.RunResult) -> None:
    verdicts = dict.fromkeys(("Garden", "Shed", "Tree", "Gate", "Wall", "Path", "Bed", "Bench"), "FAILED")

    for kind in KINDS:
        if kind != "Barn":
            report.stdout.fnmatch_lines([f"{item(kind)} {verdicts.get(kind, 'PASSED')}*"])
    report.stdout.fnmatch_lines(
        [f"pytest.ini::upgrade[[]{name('Barn')}] FAILED*", "pytest.ini::upgrade[[]crd_baseline_allow] FAILED*"]
    )
    report.stdout.no_fnmatch_line(f"*upgrade[[]{name('Added')}]*")
    report.stdout.fnmatch_lines(["tests/test_a.crd.yaml::a *"])


def test_a_breaking_effect_is_shown_with_both_lines_and_an_object(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(
        [
            f"{file('Garden')}:1: upgrade[[]{name('Garden')}] from v1:{file('Garden')}:1, Kubernetes 1.37",
            "",
            "refused: spec.soil (v1)",
            '  spec.soil: Unsupported value: "sand": supported values: "clay"',
            "  refused when created; an update that leaves spec.soil as it is passes",
            '  object: {"spec": {"soil": "sand"}}',
            f'  - v1:{file("Garden")}:23  enum: [[]"clay", "sand"]',
            f'  + {file("Garden")}:23     enum: [[]"clay"]',
            "",
            "if this is intended, allow it in the ini file, one line each:",
            "crd_baseline_allow =",
            f"    {name('Garden')} spec.soil refused",
        ],
        consecutive=True,
    )


def test_the_summary_has_effect_and_place(short: pytest.RunResult) -> None:
    short.stdout.fnmatch_lines([f"{file('Tree')}:1: 1 data loss: spec.note: spec.note is dropped"])


def test_samples_and_stored_objects_are_judged(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(
        ["  as well: v1:docs/a.yaml:1, v1:docs/b.yaml:1, v1:tests/test_a.crd.yaml:3, docs/a.yaml:1, *"]
    )


def test_widened_is_shown_on_demand_and_fails_nothing(report: pytest.RunResult, short: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(
        [
            f"crd: {item('Pond')}: no object found that shows it: spec.rows format: *",
            f"crd: {item('Pond')}: widened: spec.soil (v1)",
            '  before, spec.soil: Unsupported value: "peat": *',
        ]
    )
    short.stdout.no_fnmatch_line("*widened*")


def test_a_deprecated_version_is_a_warning_and_fails_nothing(changes: Folder, report: pytest.RunResult) -> None:
    words = "warned about: stories.example.com/v1 Hedge is deprecated"

    report.stdout.fnmatch_lines([f"crd: {item('Hedge')}: {words}"])
    value = f"{file('Hedge')}::upgrade[{name('Hedge')}]: {words}"
    assert f'<property name="crd_warning" value="{value}" />' in changes.read("out.xml")


def test_a_crd_that_is_gone_stands_under_the_ini_file(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(
        [f"pytest.ini: upgrade[[]{name('Barn')}]*", "data loss: metadata.name", "  there is no such CRD any more;*"]
    )


def test_an_allowed_effect_does_not_fail(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines([f"crd: {item('Lawn')}: allowed: refused: spec.soil (v1)"])
    report.stdout.fnmatch_lines([f"crd: {item('Kiln')}: allowed: changed: spec.size (v1)"])
    report.stdout.no_fnmatch_line(f"crd: {item('Garden')}: allowed*")


def test_an_allowance_without_effect_fails(report: pytest.RunResult, short: pytest.RunResult) -> None:
    short.stdout.fnmatch_lines([f"{file('Gate')}:1: 1 allowed in vain"])
    report.stdout.fnmatch_lines(
        [
            f"{file('Gate')}:1: upgrade*",
            "",
            "allowed, but no longer found; take it out of crd_baseline_allow:",
            f"  {name('Gate')} spec.soil refused",
        ],
        consecutive=True,
    )


def test_an_outdated_allowance_for_all_crds_fails_a_test_of_its_own(changes: Folder, report: pytest.RunResult) -> None:
    verdicts = {verdict["id"]: verdict for verdict in json.loads(changes.read("out.json"))["verdicts"]}
    allowed = verdicts["pytest.ini::upgrade[crd_baseline_allow]"]

    assert (allowed["path"], allowed["line"]) == ("pytest.ini", 5)
    assert allowed["summary"].startswith("allowed, but no longer found; ")
    report.stdout.fnmatch_lines(["FAILED pytest.ini::upgrade[[]crd_baseline_allow] - *"])
    report.stdout.fnmatch_lines(["  [*] status.[*][*] data loss"])
    report.stdout.no_fnmatch_line("  [*] spec.size*")


def test_an_outdated_pattern_for_one_crd_fails_its_test(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines([f"{item('Shed')} FAILED*"])
    report.stdout.fnmatch_lines([f"  {name('Shed')} spec.[*][*] changed"])


def test_an_allowance_of_one_finding_does_not_allow_another_of_the_same_path_and_kind(
    changes: Folder, report: pytest.RunResult, short: pytest.RunResult
) -> None:
    report.stdout.fnmatch_lines(
        [
            f"{file('Wall')}:1: upgrade*",
            "refused: spec.soil (v1)",
            "refused: spec.soil (v1)",
            "this line of crd_baseline_allow is for one finding, but several have its path and kind; *:",
            f"- {name('Wall')} spec.soil refused",
            *(f"+ {name('Wall')} spec.soil refused: {rule}" for rule in SOIL_RULES),
        ]
    )
    report.stdout.no_fnmatch_line(f"    {name('Wall')} spec.soil refused*")
    assert '"upgrade/ambiguous"' in changes.read("out.json")
    short.stdout.fnmatch_lines([f"{file('Wall')}:1: 2 refused, 1 ambiguous in crd_baseline_allow: *"])


def test_each_alternative_is_compared_with_one_in_the_same_file(report: pytest.RunResult) -> None:
    line = "*upgrade[[]{}@{}/{}] from v1:alternatives/{}:1, *"

    for kind, folder, file_, before in (
        ("Vase", "v1:alternatives/minimal", "vases.yaml", "minimal/vases.yaml"),
        ("Arche", "alternatives/minimal", "arches.yaml", "arches.yaml"),
        ("Jar", "alternatives/more", "jars.yaml", "jars.yaml"),
    ):
        report.stdout.fnmatch_lines([line.format(name(kind), folder, file_, before)])
        failed = [line for line in report.outlines if line.startswith("FAILED") and name(kind) in line]
        assert len(failed) == 1


def test_a_second_finding_is_printed_with_its_cause(report: pytest.RunResult) -> None:
    line = f"crd_baseline_allow =\n    {name('Bed')} spec.soil refused: {SOIL_RULES[1]}\n"

    assert line in report.stdout.str()


def test_many_lines_are_suggested_as_a_pattern(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(
        [
            "if this is intended, allow it in the ini file, one line each (spec.[*] for 7 of the 7):",
            "crd_baseline_allow =",
            f"    {name('Path')} spec.[*] data loss",
            "_*",
        ],
        consecutive=True,
    )


def test_copies_in_a_baseline_are_counted(short: pytest.RunResult) -> None:
    short.stdout.fnmatch_lines(["crd: passed over: 5 copies (-v names them)"])
    short.stdout.no_fnmatch_line("*passed over, a copy*")


def test_last_failed_runs_only_failed_items(changes: Folder, short: pytest.RunResult) -> None:
    again = changes.run("--crd-baseline", "git:v1", "-p", "cacheprovider", "--lf", "--collect-only", "-q")

    failed = [line.split(" ")[1] for line in short.outlines if line.startswith("FAILED ")]
    short.assert_outcomes(failed=3, passed=1)
    assert sorted(line for line in again.outlines if "::" in line) == sorted(failed)


@pytest.mark.parametrize("id_", [f"{file('Pond')}::upgrade[{name('Pond')}]", "tests/test_a.crd.yaml::a"])
def test_upgrades_are_selected_by_id_like_tests(changes: Folder, id_: str) -> None:
    result = changes.run("--crd-baseline", "git:v1", "--collect-only", "-q", id_)

    assert [line for line in result.outlines if "::" in line] == [id_]


def test_each_kubernetes_version_has_its_own_upgrade_and_one_may_need_an_allowance(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = Folder(tmp_path_factory.mktemp("versions"))
    create(folder, "Garden", "Pond")
    (folder.path / file("Pond")).rename(folder.path / "before.yaml")
    folder.ini(
        "crd_kubernetes_version = 1.32 1.37",
        "crd_baseline_allow =",
        f"    {name('Pond')} spec.label refused",
        "    * spec.label",
    )
    create(folder, "Pond")
    change(folder, "Pond", "label: {type: string}", "label: {type: string, format: k8s-short-name}")

    result = folder.run("--crd-baseline", "before.yaml", "-v", file("Pond"), "pytest.ini")

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines([f"{item('Pond')}[[]1.32] PASSED*", f"{item('Pond')}[[]1.37] PASSED*"])
    result.stdout.fnmatch_lines(["pytest.ini::upgrade[[]crd_baseline_allow] PASSED*"])
    result.stdout.no_fnmatch_line("*do nothing without crd_baseline")


# Rollbacks


@pytest.fixture(scope="module")
def rolled(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("rolled"))
    create(folder, "Garden", "Pond", "Hedge", "Barn")
    for kind in ("Garden", "Pond", "Hedge", "Barn"):
        text = folder.read(file(kind))
        folder.write(f"before/{kind}.yaml", text)
    create(folder, "Added")
    (folder.path / file("Barn")).unlink()
    change(folder, "Garden", NOTE, f"{NOTE}              extra: {{type: string, default: a}}\n")
    change(folder, "Garden", ENUM, "enum: [clay, sand, peat]")
    change(folder, "Pond", "default: 3", "default: 4")
    change(folder, "Hedge", ENUM, "enum: [clay, sand, peat]")
    folder.cases(stored("Hedge", "peat"), "tests/test_a.crd.yaml")
    for sample in "ab":
        folder.write(f"config/samples/{sample}.yaml", SAMPLE.replace("Bench", "Pond"))
    folder.ini(
        "crd_paths = config",
        "crd_samples = !config/samples/a.yaml",
        "crd_baseline = before",
        "crd_baseline_rollback = true",
        "crd_baseline_allow =",
        f"    rollback {name('Pond')} spec.size changed",
    )
    return folder


@pytest.fixture(scope="module")
def back(rolled: Folder) -> pytest.RunResult:
    return rolled.run("-v")


def test_a_pattern_leaves_out_a_conventional_sample(back: pytest.RunResult) -> None:
    back.stdout.fnmatch_lines(["crd: upgrades from before: 4 CRDs, 1 object to judge by"])


def test_a_rollback_is_judged_beside_the_upgrade(back: pytest.RunResult) -> None:
    here, before = file("Garden"), "before/Garden.yaml"
    back.assert_outcomes(passed=4, failed=4)
    back.stdout.fnmatch_lines([f"{item('Garden')} PASSED*", f"{item('Garden', 'rollback')} FAILED*"])
    back.stdout.fnmatch_lines(
        [
            f"{here}:1: rollback[[]{name('Garden')}] to {before}:1, Kubernetes 1.37",
            "",
            "refused: spec.soil (v1)",
            '  spec.soil: Unsupported value: "peat": supported values: "clay", "sand"',
            "  refused when created; an update that leaves spec.soil as it is passes",
            '  object: {"spec": {"soil": "peat"}}',
            f'  - {here}:24  enum: [[]"clay", "sand", "peat"]',
            f'  + {before}:23 * enum: [[]"clay", "sand"]',
            "",
            "data loss: spec.extra (v1)",
            *["*"] * 5,
            "",
            "if this is intended, allow it in the ini file, one line each:",
            "crd_baseline_allow =",
            f"    rollback {name('Garden')} spec.soil refused",
            f"    rollback {name('Garden')} spec.extra data loss",
            "_*",
        ],
        consecutive=True,
    )


def test_an_allowance_for_a_rollback_does_not_cover_the_upgrade(back: pytest.RunResult) -> None:
    back.stdout.fnmatch_lines([f"{item('Pond')} FAILED*", f"{item('Pond', 'rollback')} PASSED*"])
    back.stdout.fnmatch_lines(
        ["changed: spec.size (v1)", "  3 before, 4 now", "*", "  - before/Pond.yaml:20*default: 3"]
    )


def test_a_keyword_selects_upgrades_or_rollbacks(rolled: Folder) -> None:
    selected = [line for line in rolled.run("-k", "upgrade", "--collect-only", "-q").outlines if "::" in line]

    assert selected
    assert all("::upgrade[" in line for line in selected)


def test_removed_and_added_crds_have_no_rollback(back: pytest.RunResult) -> None:
    back.stdout.fnmatch_lines([f"pytest.ini::upgrade[[]{name('Barn')}] FAILED*"])
    back.stdout.no_fnmatch_line(f"*rollback[[]{name('Barn')}]*")
    back.stdout.no_fnmatch_line(f"*rollback[[]{name('Added')}]*")


def test_a_rollback_starts_from_objects_stored_today(back: pytest.RunResult) -> None:
    back.stdout.fnmatch_lines([f"{item('Hedge')} PASSED*", f"{item('Hedge', 'rollback')} FAILED*"])
    back.stdout.fnmatch_lines(["  as well: tests/test_a.crd.yaml:3"])
