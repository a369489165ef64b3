"""`--crd-fill` and `--crd-update` write observed results into case files, and nothing else."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import crds
from support.sessions import GARDEN, Folder
from support.unfilled import FAILS, FILLED, FIXED, HEAD, TOO_MANY, UNFILLED

from pytest_crd.casefiles import filereplacement

if TYPE_CHECKING:
    from support.sessions import Project

NAME = "test_garden.crd.yaml"
HOLDS = "- name: holds\n  input: {spec: {size: 1}}\n  contains: {spec: {size: 1}}\n"
OF_CASES = """\
import pytest
@pytest.mark.crd_cases("cases/*.yaml")
def test_case(crd_case):
    crd_case.check()
"""
REFUSED = "- name: fails\n  input: {spec: {rows: 11}}\n  expected: {spec: {rows: 11}}\n"


ERROR = f'  errors:\n  - field: spec.rows\n    type: Invalid\n    message: "{TOO_MANY}"\n'
WRONG_TYPE = '  - {field: spec.size, type: TypeInvalid, message: \'Invalid value: "string": spec.size in body must be of type integer: "string"\'}'


def _create(*cases: str) -> str:
    return f"{HEAD}create:\n{''.join(cases)}"


def _text(project: Project, name: str = NAME) -> str:
    return (project.path / name).read_text(encoding="utf-8")


# Many files in one session


SKIPPED = "- name: a\n  input: {}\n  xfail: later\n"
# A case that does not run is passed over, and blocks no others.
OMITTED = {"omitted": (UNFILLED + SKIPPED, FILLED + SKIPPED)}


def _case(text: str) -> str:
    return _create(f"- name: a\n  {text}\n")


SIZE = "input: {spec: {size: 1}}"
TURNED = {
    "turn_to_refused": _create("- {name: a, input: {spec: {rows: 11}}, expected: TODO}\n"),
    "turn_to_accepted": _create("- {name: a, input: {spec: {rows: 1}}, errors: TODO}\n"),
}
NOT_RUN = {
    f"{key}_{kind}": _case(f"input: {{}}\n  {key}: later{rest}")
    for key in ("skip", "xfail")
    for kind, rest in (("empty", ""), ("blank", "\n  expected: TODO"))
}
JARS = f"crd: jars.example.com\nversion: v1\ncreate:\n- name: a\n  {SIZE}\n  lost: TODO\n"
# Cases of a base object that the CRD refuses.
BASE = (
    "crd: ponds.stories.example.com\nx-smallest: &smallest {spec: {rows: 6}} # kept\n\ncreate:\n"
    "- {name: a, input: *smallest, patch: {spec: {soil: clay}}, contains: {spec: {soil: clay}}}\n"
    "- {name: b, input: *smallest, patch: {spec: {soil: peat}}, errors: [{field: spec.soil}]}\n"
)
SKIPPED_IN_PYTHON = _create("- name: a\n  input: {}\n  skip: later\n")
# The text of a file before, and after `--crd-fill`.
FILL = {
    **OMITTED,
    "base": (BASE, BASE),
    "misspelt": (
        _case("input: {spec: {siez: 1, bogus: 1}}"),
        _case(
            "input: {spec: {siez: 1, bogus: 1}}\n  expected: {spec: {size: 3, watering: {hour: 6}}}\n"
            "  pruned: [spec.bogus, spec.siez]\n  defaulted: [spec.size, spec.watering, spec.watering.hour]"
        ),
    ),
    "misspelt_blank": (
        _case("input: {spec: {siez: 1}}\n  expected: TODO"),
        _case("input: {spec: {siez: 1}}\n  expected: {spec: {size: 3, watering: {hour: 6}}}"),
    ),
    "misspelt_listed": (
        _case("input: {spec: {siez: 1}}\n  pruned: [spec.siez]\n  expected: TODO"),
        _case("input: {spec: {siez: 1}}\n  pruned: [spec.siez]\n  expected: {spec: {size: 3, watering: {hour: 6}}}"),
    ),
    "lost": (JARS, JARS.replace("TODO", "[spec.size]")),
    "stated": (_create(HOLDS, FAILS), _create(HOLDS, FAILS)),
    "wrong": (
        wrong := f"{HEAD}update:\n- name: a\n  old: {{spec: {{rows: 11}}}}\n  input: {{spec: {{rows: 1}}}}\n",
        wrong,
    ),
    **{name: (text, text) for name, text in (TURNED | NOT_RUN).items()},
}
BY_HAND = {
    "absent": ("absent: [spec.size]", "absent"),
    "contains_what_is_not_there": ("contains: {spec: {note: a}}", "contains"),
    "contains_what_cannot_be": ("contains: {spec: {sizes: 1}}", "contains"),
    "something_else_beside": ("contains: {spec: {size: 2}}\n  absent: [spec.size]", "absent"),
    "field_is_misspelt": ("contains: {spec: {size: 1}}\n  input: {spec: {size: 1, bogus: 1}}", "fields of the input"),
}
KEYS = {
    "part": ("contains: {spec: {size: 2, rows: 1}}", "contains: {spec: {size: 1, rows: 1}}"),
    "paths": ("pruned: [spec.other]\n  accepted: true", "pruned: []\n  accepted: true"),
    "paths_in_order": ("defaulted: [spec.watering.hour]", "defaulted: [spec.watering.hour, spec.watering]"),
    "warnings": ("warnings: [a]", "warnings: []"),
}
ERRORS = """\
input: {spec: {rows: 11, soil: mud, size: big}}
  errors:
  # the rows
  - {field: spec.rows, matches: 10$} # ten
  - field: spec.soil # nearly
    type: Invalid
"""
UPDATE = {
    **OMITTED,
    "base": (BASE, BASE.replace("rows: 6", "rows: 8")),
    "corrected": (_create(HOLDS, FAILS), _create(HOLDS, FIXED)),
    "misspelt_list": (
        _case("input: {spec: {siez: 1}}\n  pruned: []"),
        _case("input: {spec: {siez: 1}}\n  pruned: [spec.siez]"),
    ),
    "misspelt_written": (
        _case("input: {spec: {siez: 1}}\n  expected: {spec: {}}"),
        _case("input: {spec: {siez: 1}}\n  expected: {spec: {size: 3, watering: {hour: 6}}}"),
    ),
    "met": (
        _case(f"{ERRORS}  - {{field: status.phase, type: Required}}"),
        _case(ERRORS.replace("Invalid\n", "NotSupported\n") + WRONG_TYPE),
    ),
    **{
        f"hand_{name}": (text := _case(case if "input" in case else f"{SIZE}\n  {case}") + HOLDS, text)
        for name, (case, _) in BY_HAND.items()
    },
    **{
        f"key_{name}": (
            _case(f"input: {{spec: {{size: 1, rows: 1}}}}\n  {before}"),
            _case(f"input: {{spec: {{size: 1, rows: 1}}}}\n  {after}"),
        )
        for name, (before, after) in KEYS.items()
    },
    **{name: (text, text) for name, text in TURNED.items()},
}
TURNS = {
    "refused": (
        "- name: a\n  input: {spec: {rows: 11}}\n  accepted: true\n  absent: [spec.note]\n  defaulted: []\n",
        (
            "- name: a\n  input: {spec: {rows: 11}}\n  defaulted: [spec.size, spec.watering, spec.watering.hour]\n"
            f'  errors:\n  - field: spec.rows\n    type: Invalid\n    message: "{TOO_MANY}"\n'
        ),
        "accepted -> refused; corrected errors, defaulted; removed absent, accepted",
    ),
    "accepted": (
        "- {name: a, input: {spec: {rows: 9}}, error: less than, pruned: []}\n",
        "- {name: a, input: {spec: {rows: 9}}, pruned: [], expected: {spec: {rows: 9, size: 3, watering: {hour: 6}}}}\n",
        "refused -> accepted; corrected expected; removed error",
    ),
    "refused_with_a_field_that_is_dropped": (
        "- {name: a, input: {spec: {rows: 11, bogus: 1}}, accepted: true}\n",
        f'- {{name: a, input: {{spec: {{rows: 11, bogus: 1}}}}, errors: [{{field: spec.rows, type: Invalid, message: "{TOO_MANY}"}}], pruned: [spec.bogus]}}\n',
        "accepted -> refused; corrected errors, pruned; removed accepted",
    ),
}
COMMENTED = (
    "- name: a\n  accepted: true # why\n  input: {spec: {rows: 11}}\n"
    "- name: b\n  input: {spec: {size: 1}}\n  expected:\n    spec:\n      size: 1\n      watering: {hour: 6}\n"
    "      # ask first\n      note: &anchor a # who\n"
)
WITHOUT_ANCHOR = (
    "- name: a\n  input: {spec: {rows: 11}}\n  # why\n  errors:\n  - field: spec.rows\n    type: Invalid\n"
    f'    message: "{TOO_MANY}"\n'
    "- name: b\n  input: {spec: {size: 1}}\n  expected:\n    spec:\n      size: 1\n      watering: {hour: 6}\n"
    "      # ask first\n      # who\n"
)
EXCUSED = _create(
    FAILS.replace("name: fails", "name: skipped\n  skip: later"),
    FAILS.replace("name: fails", "name: known\n  xfail: a bug"),
    FAILS.replace("name: fails", "name: marked\n  marks: [flaky]"),
)
XFAILS_FLAKY = """\
import pytest
def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("flaky"):
            item.add_marker(pytest.mark.xfail(reason="flaky"))
"""
SUITE = """\
apiVersion: apiextensions.k8s.io/v1
name: Garden
crdName: gardens.stories.example.com
tests:
  onCreate:
  - name: fails
    initial: "{apiVersion: stories.example.com/v1, kind: Garden, spec: {size: 1}}"
    expected: "{apiVersion: stories.example.com/v1, kind: Garden, spec: {size: 2}}"
"""
GONE = _create("- {name: 'spec.gone: 5 is allowed', input: {spec: {gone: 5}}, contains: {spec: {gone: 5}}}\n")
NUMBERED = "- {name: 'spec.rows: 5 is small enough', input: {spec: {rows: 5}}, contains: {spec: {rows: 5}}}\n"
VERDICTS = {
    **OMITTED,
    "numbered": (
        _create(
            "- {name: 'spec.rows: 5 is too large', input: {spec: {rows: 5}}, errors: [{field: spec.rows}]}\n", NUMBERED
        ),
        _create(
            '- {name: "spec.rows: 5 is small enough (2)", input: {spec: {rows: 5}}, '
            "expected: {spec: {rows: 5, size: 3, watering: {hour: 6}}}}\n",
            NUMBERED,
        ),
    ),
    **{f"turn_{name}": (_create(before), _create(after)) for name, (before, after, _) in TURNS.items()},
    "comments": (_create(COMMENTED), _create(WITHOUT_ANCHOR)),
    "excused": (EXCUSED, EXCUSED),
    "suite": (SUITE, SUITE),
    "gone": (GONE, GONE),
    "named": (_create(REFUSED), _create(REFUSED[: REFUSED.index("  expected")] + ERROR)),
    **{name: (text, text) for name, text in NOT_RUN.items()},
}
FILES = {"--crd-fill": FILL, "--crd-update": UPDATE, "--crd-update-verdicts": VERDICTS}
Rewritten = tuple[Folder, pytest.RunResult]


def write_strict(folder: Folder) -> None:
    """Write a CRD that refuses the base object."""
    crd = folder.crd("config/crd/bases/ponds.yaml", plural="ponds", kind="Pond").read_text(encoding="utf-8")
    crd = crd.replace("minimum: 1,", "minimum: 8,")
    required = "type: object\n            required: [rows]\n            properties:"
    folder.write("config/crd/bases/ponds.yaml", crd.replace("type: object\n            properties:", required, 1))


def _rewrite(folder: Folder, flag: str) -> Rewritten:
    folder.crd()
    write_strict(folder)
    for name, (before, _) in FILES[flag].items():
        folder.cases(before, f"test_{name}.crd.yaml")
    return folder, folder.run(flag, "-rfs", ".")


def _lines(result: pytest.RunResult, name: str) -> list[str]:
    """Return the lines of a report about a file: from each that names it to the next that does not belong to it."""
    lines: list[str] = []
    is_its = False
    for line in result.outlines:
        is_its = line.startswith(f"  test_{name}.crd.yaml:") or (is_its and line.startswith("    "))
        lines += [line] * is_its
    return lines


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Rewritten:
    folder = Folder(tmp_path_factory.mktemp("filled"))
    fields = "type: object\nproperties: {spec: {type: object, properties: {size: {type: integer}}}}\n"
    others = "  - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}}\n"
    jars = crds.text("plural: jars, kind: Jar", fields).replace("storage: true", "storage: false")
    folder.write("config/crd/bases/jars.yaml", jars + others)
    folder.write(".test_stated.crd.yaml.0123abcd.tmp", "crd: [")
    folder.write("cases/twice.yaml", UNFILLED)
    folder.write("skipped/cases.yaml", SKIPPED_IN_PYTHON)
    folder.write("test_skipped.py", OF_CASES.replace("cases/", "skipped/"))
    folder.write(
        "test_cases.py",
        "import pytest\n"
        "@pytest.mark.crd_cases('cases/*.yaml')\n"
        "@pytest.mark.parametrize('number', [1, 2])\n"
        "def test_case(crd_case, number):\n"
        "    crd_case.check()\n",
    )
    target = folder.write("linked/garden.yaml", UNFILLED)
    (folder.path / NAME).symlink_to(target)
    target.chmod(0o640)
    return _rewrite(folder, "--crd-fill")


@pytest.fixture(scope="module")
def updated(tmp_path_factory: pytest.TempPathFactory) -> Rewritten:
    return _rewrite(Folder(tmp_path_factory.mktemp("updated")), "--crd-update")


@pytest.fixture(scope="module")
def turned(tmp_path_factory: pytest.TempPathFactory) -> Rewritten:
    folder = Folder(tmp_path_factory.mktemp("turned"))
    folder.ini("markers = flaky")
    folder.write("conftest.py", XFAILS_FLAKY)
    folder.write("cases/known.yaml", _create(FAILS.replace("name: fails", "name: known\n  xfail: a bug")))
    folder.write("test_cases.py", OF_CASES)
    return _rewrite(folder, "--crd-update-verdicts")


@pytest.fixture(params=FILES)
def rewritten(request: pytest.FixtureRequest) -> tuple[str, Folder, pytest.RunResult]:
    names = {"--crd-fill": "filled", "--crd-update": "updated", "--crd-update-verdicts": "turned"}
    folder, result = request.getfixturevalue(names[request.param])
    return request.param, folder, result


@pytest.mark.session
def test_a_file_is_changed_as_little_as_possible(rewritten: tuple[str, Folder, pytest.RunResult]) -> None:
    flag, folder, _ = rewritten
    texts = {name: folder.read(f"test_{name}.crd.yaml") for name in FILES[flag]}

    assert texts == {name: after for name, (_, after) in FILES[flag].items()}


@pytest.mark.session
def test_omitted_values_are_filled_in_with_each_option(rewritten: tuple[str, Folder, pytest.RunResult]) -> None:
    _, _, result = rewritten

    result.stdout.fnmatch_lines(["crd: * cases written:"])
    assert _lines(result, "omitted") == [
        '  test_omitted.crd.yaml:3: create case "rows": filled in errors',
        '  test_omitted.crd.yaml:9: create case "bogus": filled in expected, pruned, defaulted',
        '  test_omitted.crd.yaml:14: create case "a", as it has `xfail`',
    ]


@pytest.mark.session
def test_a_base_object_that_is_refused_is_repaired_by_an_update(filled: Rewritten, updated: Rewritten) -> None:
    line = "crd: test_base.crd.yaml: the base object has other values now: spec.rows"

    updated[1].stdout.fnmatch_lines([line])
    updated[1].stdout.fnmatch_lines(["test_base.crd.yaml ..*"])
    filled[1].stdout.no_fnmatch_line("*the base object has other values*")
    filled[1].stdout.fnmatch_lines(["test_base.crd.yaml FF*"])


@pytest.mark.session
def test_a_field_recorded_as_pruned_is_reported_if_it_may_be_misspelt(filled: Rewritten, updated: Rewritten) -> None:
    line = "    spec.siez is pruned; did you mean spec.size?"

    reported = {
        name: line in _lines(result, name)
        for (_, result), files in ((filled, FILL), (updated, UPDATE))
        for name in files
        if name.startswith("misspelt")
    }
    assert reported == {
        "misspelt": True,
        "misspelt_blank": True,
        "misspelt_listed": False,
        "misspelt_list": True,
        "misspelt_written": False,
    }
    filled[1].stdout.no_fnmatch_line("*spec.bogus is pruned*")


@pytest.mark.session
def test_cases_that_state_something_or_are_wrong_are_not_filled(filled: Rewritten) -> None:
    _, result = filled

    assert _lines(result, "stated") == []
    result.stdout.fnmatch_lines(["test_wrong.crd.yaml:4: 'old' of update case \"a\" is not valid under its CRD, *"])


@pytest.mark.session
@pytest.mark.parametrize("option", ["filled", "updated"])
def test_a_verdict_is_not_reversed(request: pytest.FixtureRequest, option: str) -> None:
    _, result = request.getfixturevalue(option)

    result.stdout.fnmatch_lines(["crd: * not written:"])
    for name, turn in (("turn_to_refused", "accepted -> refused"), ("turn_to_accepted", "refused -> accepted")):
        words = f'create case "a": {turn}: only --crd-update-verdicts turns a verdict around'
        assert _lines(result, name) == [f"  test_{name}.crd.yaml:3: {words}"]
    result.stdout.fnmatch_lines(["FAILED test_turn_to_refused.crd.yaml::a - refused: spec.rows: *"])
    result.stdout.fnmatch_lines(["FAILED test_turn_to_accepted.crd.yaml::a - accepted, expected any error"])
    result.stdout.fnmatch_lines(
        ["accepted (201), but expected to be refused:", "  missing  any error"], consecutive=True
    )


@pytest.mark.session
@pytest.mark.parametrize(("option", "count"), [("filled", 6), ("turned", 5)])
def test_omitted_values_of_a_case_that_does_not_run_are_passed_over_and_reported(
    request: pytest.FixtureRequest, option: str, count: int
) -> None:
    _, result = request.getfixturevalue(option)

    result.stdout.fnmatch_lines([f"crd: {count} cases left to be filled in, as not run:", "SKIPPED * later"])
    for name in NOT_RUN:
        words = f'create case "a", as it has `{name.partition("_")[0]}`'
        assert _lines(result, name) == [f"  test_{name}.crd.yaml:3: {words}"]


@pytest.mark.session
def test_cases_of_python_tests_are_written_too_however_often_they_run(filled: Rewritten) -> None:
    folder, result = filled

    assert folder.read("cases/twice.yaml") == FILLED
    assert folder.read("skipped/cases.yaml") == SKIPPED_IN_PYTHON
    result.stdout.fnmatch_lines(["test_cases.py ....*", "test_skipped.py s*"])
    result.stdout.fnmatch_lines(['  skipped/cases.yaml:3: create case "a", as it has `skip`'])


@pytest.mark.session
def test_the_target_of_a_link_is_written_and_the_link_stays(filled: Rewritten) -> None:
    folder, result = filled
    target = folder.path / "linked/garden.yaml"

    assert (folder.path / NAME).is_symlink()
    assert target.read_text(encoding="utf-8") == FILLED
    assert target.stat().st_mode & 0o777 == 0o640
    result.stdout.fnmatch_lines(['  linked/garden.yaml:3: create case "rows": filled in errors'])


@pytest.mark.session
def test_temporary_files_of_a_killed_session_are_not_read(filled: Rewritten) -> None:
    folder, result = filled

    result.stdout.no_fnmatch_line("*.tmp*")
    assert folder.read(".test_stated.crd.yaml.0123abcd.tmp") == "crd: ["


@pytest.mark.session
def test_cases_that_only_a_person_can_correct_are_left_and_reported(updated: Rewritten) -> None:
    for name, (_, by_hand) in BY_HAND.items():
        file = f"test_hand_{name}.crd.yaml"
        updated[1].stdout.fnmatch_lines([f'  {file}:3: create case "a": to be corrected by hand: {by_hand}*'])
        updated[1].stdout.fnmatch_lines([f"{file} F.*"])


@pytest.mark.session
def test_corrections_are_reported(updated: Rewritten) -> None:
    assert _lines(updated[1], "corrected") == ['  test_corrected.crd.yaml:6: create case "fails": corrected expected']


@pytest.mark.session
def test_a_verdict_is_reversed_on_demand_and_reported(turned: Rewritten) -> None:
    for name, (*_, words) in TURNS.items():
        assert _lines(turned[1], f"turn_{name}")[0] == f'  test_turn_{name}.crd.yaml:3: create case "a": {words}'


@pytest.mark.session
def test_lost_anchors_are_named(turned: Rewritten) -> None:
    turned[1].stdout.fnmatch_lines(
        [
            "crd: comments and anchors that went with what was replaced, by the lines where they stood:",
            "  test_comments.crd.yaml:13: &anchor",
        ]
    )


@pytest.mark.session
def test_cases_that_are_skipped_or_known_to_fail_are_not_touched(turned: Rewritten) -> None:
    folder, result = turned

    result.stdout.fnmatch_lines(["test_cases.py x*", "test_excused.crd.yaml sxx*"])
    assert _lines(result, "excused") == []
    result.stdout.no_fnmatch_line("*cases/known.yaml*")
    assert folder.read("cases/known.yaml") == _create(FAILS.replace("name: fails", "name: known\n  xfail: a bug"))


@pytest.mark.session
def test_a_suite_is_never_written(turned: Rewritten) -> None:
    turned[1].stdout.fnmatch_lines(["  *: suites in the format of openshift/api are never written"])


@pytest.mark.session
def test_a_manually_chosen_name_stays_and_is_reported(turned: Rewritten) -> None:
    turned[1].stdout.fnmatch_lines(
        [
            "crd: * cases named by hand, though the verdict is another now; see whether the name still holds:",
            '  test_named.crd.yaml:3: create case "fails"',
        ]
    )


@pytest.mark.session
def test_a_new_name_that_another_case_has_gets_a_number(turned: Rewritten) -> None:
    assert 'now called "spec.rows: 5 is small enough (2)"' in "".join(_lines(turned[1], "numbered"))


@pytest.mark.session
def test_the_only_case_of_a_file_is_not_removed(turned: Rewritten) -> None:
    turned[1].stdout.fnmatch_lines(
        ["crd: * not written:", "  test_gone.crd.yaml:3: *: it is about a field *remove it yourself"]
    )


@pytest.mark.session
@pytest.mark.parametrize(
    ("option", "failing"),
    [
        ("filled", ["base", "stated"]),
        ("updated", [f"hand_{name}" for name in sorted(BY_HAND)]),
        ("turned", ["gone", "suite"]),
    ],
)
def test_cases_hold_after_they_are_written(request: pytest.FixtureRequest, option: str, failing: list[str]) -> None:
    folder, _ = request.getfixturevalue(option)
    broken = [f"--ignore={folder.path}/test_{name}.crd.yaml" for name in (*NOT_RUN, *TURNED, *OMITTED, "wrong")]
    broken.append(f"--ignore={folder.path}/test_skipped.py")

    result = folder.run("--tb=no", *broken)

    failed = {line.split("::")[0] for line in result.outlines if line.startswith("FAILED")}
    assert sorted(failed) == [f"FAILED test_{name}.crd.yaml" for name in failing]
    assert "errors" not in result.parseoutcomes()


# Parts of a session


def test_without_the_option_nothing_is_written_and_the_option_is_suggested(project: Project) -> None:
    project.cases(UNFILLED)

    result = project.run()

    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert _text(project) == UNFILLED
    result.stdout.fnmatch_lines(
        [
            f"{NAME}:5: 'errors' of create case \"rows\" must be a list of one or more expected errors, not *; call pytest with *",
            f'{NAME}:6: create case "bogus" expects nothing; add *; or call pytest with --crd-fill, *',
        ]
    )


@pytest.mark.long
def test_omitted_values_of_a_case_in_a_worker_are_passed_over_and_reported(project: Project) -> None:
    project.cases(SKIPPED_IN_PYTHON, name="cases/garden.yaml")
    project.write("test_cases.py", OF_CASES)

    result = project.run("--crd-fill", "-n", "1", "-p", "xdist", "-p", "pytest_crd.plugin")

    result.assert_outcomes(skipped=1)
    assert _text(project, "cases/garden.yaml") == SKIPPED_IN_PYTHON
    result.stdout.fnmatch_lines(['  cases/garden.yaml:3: create case "a", as it has `skip`'])


def test_only_cases_that_ran_are_written_even_in_a_thread_and_the_others_are_named(project: Project) -> None:
    project.cases(UNFILLED)

    with ThreadPoolExecutor() as pool:
        result = pool.submit(project.run, "--crd-fill", "-k", "rows").result()

    result.assert_outcomes(passed=1, deselected=1)
    assert _text(project) == FILLED.partition("  expected")[0]
    result.stdout.fnmatch_lines(["crd: 1 case left to be filled in, as not run:", f'  {NAME}:9: create case "bogus"'])


def test_last_failed_updates_only_cases_that_failed_under_all_kubernetes_versions(project: Project) -> None:
    twice = (
        "- name: twice\n  input: {spec: {beds: [{name: a}, {name: a}]}}\n"
        '  errors: [{message: \'Duplicate value: {"name":"a"}\'}]\n'
    )
    project.cases(_create(HOLDS, FAILS, twice))
    versions = ("-p", "cacheprovider", "--crd-kubernetes-version", "1.32 1.37")
    project.run(*versions).assert_outcomes(passed=3, failed=3)

    result = project.run(*versions, "--lf", "--crd-update")

    result.assert_outcomes(passed=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert _text(project) == _create(HOLDS, FIXED, twice)
    result.stdout.fnmatch_lines([f'  {NAME}:9: create case "twice": it was not run under Kubernetes 1.*'])


def test_results_before_the_first_failure_are_written(project: Project) -> None:
    bad = "- {name: bad, input: {spec: {rows: 11}}, accepted: true}\n"
    project.cases(_create(FAILS, bad, HOLDS))

    result = project.run("-x", "--crd-update")

    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert _text(project) == _create(FIXED, bad, HOLDS)


def test_collect_only_writes_no_case_file(project: Project) -> None:
    write_strict(project)
    project.cases(UNFILLED)
    project.cases(BASE, "test_base.crd.yaml")

    project.run("--crd-update", "--collect-only")

    assert (_text(project), _text(project, "test_base.crd.yaml")) == (UNFILLED, BASE)


def test_a_session_that_is_interrupted_writes_nothing(project: Project) -> None:
    project.cases(UNFILLED)
    project.write("test_z.py", "def test_z():\n    raise KeyboardInterrupt\n")

    result = project.run("--crd-fill")

    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert _text(project) == UNFILLED
    result.stdout.fnmatch_lines(["crd: 1 file not written, as the session was stopped:", f"  {NAME}"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_session_that_is_stopped_while_it_writes_writes_no_further_file(
    project: Project, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    project.cases(UNFILLED)
    project.cases(UNFILLED, name="test_other.crd.yaml")
    replace = filereplacement.replace
    handlers = [signal.getsignal(number_) for number_ in (signal.SIGINT, signal.SIGTERM)]

    def stop(path: Path, content: bytes, *, old: str) -> None:
        signal.raise_signal(number)
        replace(path, content, old=old)

    monkeypatch.setattr(filereplacement, "replace", stop)

    result = project.run("--crd-fill")

    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert (_text(project), _text(project, "test_other.crd.yaml")) == (FILLED, UNFILLED)
    result.stdout.fnmatch_lines(
        ["crd: 2 cases written:", "crd: 1 file not written, as the session was stopped:", "  test_other.crd.yaml"]
    )
    assert [signal.getsignal(number_) for number_ in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_a_case_whose_python_test_fails_or_declares_xfail_at_run_time_is_not_written(project: Project) -> None:
    for name in ("garden", "before", "after"):
        project.cases(UNFILLED, name=f"cases/{name}.yaml")
    project.write(
        "test_cases.py",
        "import pytest\n"
        "@pytest.mark.crd_cases('cases/garden.yaml')\n"
        "def test_case(crd_case):\n"
        "    crd_case.check()\n"
        "    assert crd_case.name == 'rows'\n"
        "@pytest.mark.xfail\n"
        "@pytest.mark.crd_cases('cases/garden.yaml')\n"
        "def test_excused(crd_case):\n"
        "    crd_case.check()\n"
        "    assert False\n"
        "@pytest.mark.crd_cases('cases/before.yaml')\n"
        "def test_before(crd_case, request):\n    request.applymarker(pytest.mark.xfail)\n    crd_case.check()\n"
        "@pytest.mark.crd_cases('cases/after.yaml')\n"
        "def test_after(crd_case):\n    crd_case.check()\n    pytest.xfail('b')\n",
    )

    result = project.run("--crd-fill", "-k", "not excused")

    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, failed=1, xfailed=2, xpassed=2, deselected=2)
    assert _text(project, "cases/garden.yaml") == FILLED.partition("  expected")[0]
    result.stdout.fnmatch_lines(['  cases/garden.yaml:9: create case "bogus": its test failed'])
    for name in ("before", "after"):
        assert _text(project, f"cases/{name}.yaml") == UNFILLED
        result.stdout.fnmatch_lines([f'  cases/{name}.yaml:3: create case "rows": its test is known to fail'])


def test_a_case_is_written_after_a_run_for_all_kubernetes_versions_and_its_errors_by_version(project: Project) -> None:
    text = _create("- {name: twice, input: {spec: {beds: [{name: a}, {name: a}]}}, errors: TODO}\n", HOLDS)
    project.cases(text, "test_errors.crd.yaml")
    project.cases(UNFILLED)
    versions = ("--crd-kubernetes-version", "1.32 1.37")

    result = project.run("--crd-fill", *versions, "-k", "errors or rows or 1.37")

    result.assert_outcomes(passed=7, deselected=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert 'errorsUnder: {"1.37": [' in _text(project, "test_errors.crd.yaml")
    assert _text(project) == FILLED.partition("  expected")[0]
    result.stdout.fnmatch_lines(
        [
            f'  {NAME}:9: create case "bogus": it was not run under Kubernetes 1.32, so that its answer there is not known'
        ]
    )
    project.run(*versions, "test_errors.crd.yaml").assert_outcomes(passed=4)


def test_a_run_of_one_kubernetes_version_corrects_its_own_errors(project: Project) -> None:
    project.cases(
        _create(
            "- name: twice\n  input: {spec: {beds: [{name: a}, {name: a}]}}\n"
            '  errors: [{message: \'Duplicate value: {"name":"a"}\'}]\n  errorsUnder: {"1.32": [{message: wrong}], "1.33": [{message: b}]}\n'
        )
    )

    project.run("--crd-update", "--crd-kubernetes-version", "1.32").assert_outcomes(passed=1)

    text = _text(project)
    assert 'errors: [{message: \'Duplicate value: {"name":"a"}\'}]' in text
    assert '"1.33": [{message: b}]' in text
    assert "wrong" not in text


def test_a_file_that_is_changed_or_cannot_be_written_is_left_alone_and_keeps_no_others(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed, denied, written = "test_changed.crd.yaml", "test_denied.crd.yaml", "test_other.crd.yaml"
    for name in (changed, denied, written):
        project.cases(UNFILLED, name)
    project.write(
        "test_a.py", f"def test_a():\n    with open('{changed}', 'a') as file:\n        file.write('# changed\\n')\n"
    )
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != denied and access(path, mode))

    result = project.run("--crd-fill")

    result.assert_outcomes(passed=7)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert [_text(project, name) for name in (changed, denied, written)] == [f"{UNFILLED}# changed\n", UNFILLED, FILLED]
    result.stdout.fnmatch_lines(["crd: 4 cases not written:"])
    result.stdout.fnmatch_lines([f"  {changed}:*: the file has changed since it was read; nothing was written into it"])
    result.stdout.fnmatch_lines([f"  {denied}:3: *: the file cannot be written: Permission denied"])


# Generated cases


CRD = "config/crd/bases/gardens.yaml"
# Of the fields of the CRD, so that few cases are generated.
ABOVE, BELOW = GARDEN.split("              size:")
KEPT = ("size:", "soil:", "rows: {type: integer, minimum")
SMALL = ABOVE + "".join(
    line for line in f"              size:{BELOW}".splitlines(keepends=True) if line.strip().startswith(KEPT)
)


@pytest.fixture(scope="module")
def generated_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = Folder(tmp_path_factory.mktemp("generated"))
    folder.write(CRD, SMALL)
    folder.run("--crd-generate", "Garden")
    return folder.read(GENERATED)


@pytest.fixture
def generated(empty: Project, generated_text: str) -> Project:
    """A project with a CRD of three fields and a generated case file."""
    empty.write(CRD, SMALL)
    empty.ini()
    empty.cases(generated_text, GENERATED)
    return empty


def _change(project: Project, old: str, new: str) -> None:
    path = project.path / "config/crd/bases/gardens.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


GENERATED = "test_gardens.crd.yaml"


def test_generated_cases_are_renamed_after_their_new_outcome_and_removed_with_their_field(generated: Project) -> None:
    before = _text(generated, GENERATED)
    _change(generated, "enum: [clay, sand]", "enum: [clay]")
    _change(generated, "              rows: {type: integer, minimum: 1, maximum: 10}\n", "")

    result = generated.run("--crd-update-verdicts")

    assert result.ret == pytest.ExitCode.OK
    text = _text(generated, GENERATED)
    assert "'spec.soil: \"sand\" is not allowed'" in text
    assert "'spec.soil: \"sand\" is allowed'" not in text
    result.stdout.fnmatch_lines(["*accepted -> refused; now called *is not allowed*"])
    result.stdout.no_fnmatch_line("*named by hand*")
    assert "spec.rows" not in text
    assert text.count("- name:") < before.count("- name:")
    result.stdout.fnmatch_lines(
        [
            "crd: * cases removed, as the CRD no longer has the field:",
            f'  {GENERATED}:*: create case "spec.rows: 0 is too small"',
        ]
    )
    removed = next(int(line.split()[1]) for line in result.outlines if " removed, as " in line)
    generated.run().assert_outcomes(passed=result.parseoutcomes()["passed"] - removed)


def test_without_the_option_no_case_is_removed_or_renamed(generated: Project) -> None:
    before = _text(generated, GENERATED)
    _change(generated, "rows: {type: integer, minimum: 1, maximum: 10}", "lines: {type: integer}")

    generated.run("--crd-fill")

    assert _text(generated, GENERATED) == before


@pytest.fixture
def strict(project: Project) -> Project:
    """Return a project with a CRD that refuses the base object of the case file."""
    write_strict(project)
    project.cases(BASE)
    return project


@pytest.mark.long
def test_a_base_object_that_is_refused_is_repaired_before_workers_run_cases(strict: Project) -> None:
    result = strict.run("--crd-update", "-n2", "-p", "xdist", "-p", "pytest_crd.plugin")

    result.assert_outcomes(passed=2)
    assert _text(strict) == BASE.replace("rows: 6", "rows: 8")
    result.stdout.fnmatch_lines([f"crd: {NAME}: the base object has other values now: spec.rows"])


def test_a_repaired_base_object_is_told_without_a_header(strict: Project) -> None:
    result = strict.run("--crd-update", "-q", f"{NAME}::a")

    result.assert_outcomes(passed=1)
    assert "rows: 8" in _text(strict)
    result.stdout.fnmatch_lines([f"crd: {NAME}: the base object has other values now: spec.rows"])


@pytest.mark.parametrize(
    ("files", "options"),
    [
        ({}, ("-k", "other", "--crd-checks")),
        ({"test_broken.py": "import nothing_of_this_name\n"}, ()),
    ],
    ids=["no case is chosen", "collection fails"],
)
def test_a_base_object_stays_if_none_of_its_cases_is_run(
    files: dict[str, str], options: tuple[str, ...], strict: Project
) -> None:
    for name, text in files.items():
        strict.write(name, text)

    result = strict.run("--crd-update", *options)

    assert _text(strict) == BASE
    result.stdout.no_fnmatch_line("*the base object has other values*")
