"""Requests count if the last attempt of their test passes; requests of a fixture, if all its tests pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support import crds
from support.sessions import Project

from pytest_crd.coverage import accounts
from pytest_crd.coverage.accounts import Accounts, Attempt, Shared
from pytest_crd.coverage.collector import Reached
from pytest_crd.coverage.data import Data, Record

FLAG = "plural: flags, singular: flag, kind: Flag, listKind: FlagList"
HEAD = """\
import pytest

def ask(crds, *names):
    assert crds["Flag"].version("v1").create(dict.fromkeys(names, 1)).accepted

"""
COUNTS = "counts_"


def _lay_out(project: Project, tests: str, name: str = "test_flags.py") -> set[str]:
    """Write tests that set one field each, named for whether it should count; return the fields."""
    project.write(name, HEAD + tests)
    fields = sorted({word for word in tests.split('"') if word.startswith((COUNTS, "not_"))})
    properties = ", ".join(f"{name}: {{type: integer}}" for name in fields)
    project.write("config/crd/bases/flags.yaml", crds.text(FLAG, f"type: object\nproperties: {{{properties}}}\n"))
    return set(fields)


def _run(project: Project, *arguments: str) -> pytest.RunResult:
    """Run pytest, which reports coverage to a file."""
    result = project.run("--tb=no", "--crd-cov", "--crd-cov-report=term", "--crd-cov-report=json", *arguments)
    assert result.ret in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED}
    return result


def _find_counting(project: Project) -> set[str]:
    """Return the fields that count after a run."""
    report = json.loads(project.read("crd_coverage.json"))
    [version] = report["versions"]
    ids = {*version["held"], *(point["id"] for point in version["seen"])}
    return {id_.removeprefix("properties/").removesuffix(":set") for id_ in ids if not id_.endswith(":left-out")}


def _assert_told_apart(project: Project, tests: str, *arguments: str) -> None:
    fields = _lay_out(project, tests)

    _run(project, *arguments)

    assert _find_counting(project) == {name for name in fields if name.startswith(COUNTS)}


TESTS = """
def test_passes(crds):
    ask(crds, "counts_passed")

def test_fails(crds):
    ask(crds, "not_failed")
    assert False

@pytest.mark.xfail
def test_is_expected_to_fail(crds):
    ask(crds, "not_xfailed")
    assert False

@pytest.mark.xfail
def test_passes_all_the_same(crds):
    ask(crds, "not_xpassed")

@pytest.mark.xfail(strict=True)
def test_passes_and_must_not(crds):
    ask(crds, "not_strictly_xpassed")

def test_skips_itself(crds):
    ask(crds, "not_skipped")
    pytest.skip("later")

@pytest.fixture
def fails(crds):
    ask(crds, "not_failed_setup")
    assert False

def test_fails_in_setup(fails):
    pass

@pytest.fixture
def fails_at_its_end(crds):
    ask(crds, "not_failed_teardown_before")
    yield
    ask(crds, "not_failed_teardown")
    assert False

def test_fails_in_teardown(crds, fails_at_its_end):
    ask(crds, "not_failed_in_teardown")

@pytest.fixture
def asks(crds):
    ask(crds, "counts_own_setup")
    yield
    ask(crds, "counts_own_teardown")

def test_has_a_fixture(asks):
    pass

class TestMethods:
    def setup_method(self):
        self.asked = True

    @pytest.fixture(autouse=True)
    def about(self, crds, request):
        yield
        ask(crds, request.param if hasattr(request, "param") else "counts_method")

    def test_passes(self):
        pass
"""


SHARED = """
@pytest.fixture(scope="module")
def good(crds):
    ask(crds, "counts_module_setup")
    yield
    ask(crds, "counts_module_teardown")

@pytest.fixture(scope="module")
def bad(crds):
    ask(crds, "not_module_setup")
    yield
    ask(crds, "not_module_teardown")

@pytest.fixture(scope="module")
def good_below(good):
    pass

@pytest.fixture(scope="module")
def bad_below(bad, crds):
    ask(crds, "counts_module_of_bad")

@pytest.fixture(scope="module")
def skipped(crds):
    ask(crds, "not_only_skipped")

@pytest.fixture(scope="module", params=["counts_first", "not_second"])
def either(request, crds):
    ask(crds, request.param)
    return request.param

@pytest.fixture(scope="module")
def asked_by_name(crds):
    ask(crds, "not_asked_by_name")

@pytest.fixture(scope="module")
def asks_by_name(crds, request):
    request.getfixturevalue("needed_by_name")
    ask(crds, "not_asks_by_name")

@pytest.fixture(scope="module")
def needed_by_name(crds):
    ask(crds, "not_needed_by_name")

@pytest.fixture(scope="class")
def of_class(crds):
    ask(crds, "counts_class")

def test_uses(good_below, bad_below):
    pass

def test_uses_and_fails(bad):
    assert False

def test_uses_none_and_fails(crds):
    assert False

def test_skips(skipped):
    pytest.skip("later")

def test_either(either):
    assert either.startswith("counts")

def test_asks_by_name(request):
    request.getfixturevalue("asked_by_name")
    assert False

def test_needs_by_name(asks_by_name):
    pass

def test_needs_by_name_and_fails(asks_by_name):
    assert False

@pytest.fixture(scope="module")
def asked_by_another(crds):
    ask(crds, "counts_asked_by_another")

@pytest.fixture
def asks_for_it(request):
    request.getfixturevalue("asked_by_another")

def test_of_a_fixture_that_asks(asks_for_it):
    pass

class TestOne:
    def test_passes(self, of_class):
        pass
"""


ENDS_BADLY = """
@pytest.fixture(scope="module")
def ends_badly(crds):
    ask(crds, "not_ends_badly")
    yield
    assert False

def test_uses(ends_badly, crds):
    ask(crds, "counts_test")

def test_is_the_last():
    pass
"""
# Two fixtures of one name, in two files.
SAME_NAME = """
@pytest.fixture(scope="module")
def good(crds):
    ask(crds, "counts_other")

def test_a(good):
    pass
"""
FAILS = SAME_NAME.replace("counts_other", "not_same_name").replace("pass\n", "assert False\n")


# Cases: the first is expected to fail, the second counts, the third is skipped.
CASES = """\
crd: flags.example.com
create:
- {name: a, input: {not_case: 1}, contains: {not_case: 2}, xfail: known}
- {name: b, input: {counts_case: 1}, contains: {counts_case: 1}}
- {name: c, input: {not_case: 1}, contains: {not_case: 1}, skip: later}
"""


def test_only_requests_of_passing_tests_and_of_fixtures_of_passing_tests_count(empty: Project) -> None:
    files = (TESTS, SHARED, ENDS_BADLY, SAME_NAME, FAILS)
    fields = _lay_out(empty, "".join((*files, '"not_case", "counts_case"\n')), "all.py")
    for number, tests in enumerate(files):
        empty.write(f"test_{number}.py", HEAD + tests)
    empty.cases(CASES, "test_cases.crd.yaml")

    result = _run(empty)

    assert _find_counting(empty) == {name for name in fields if name.startswith(COUNTS)}
    result.stdout.fnmatch_lines(["crd: 8 tests that have not passed, or are expected to fail, count for nothing"])


@pytest.mark.counted("pytest_crd.plugin.features.coverage.hooks")
@pytest.mark.slow
def test_requests_count_alike_with_workers(empty: Project) -> None:
    _assert_told_apart(empty, SHARED, "-p", "pytest_crd.plugin", "-p", "xdist.plugin", "-n", "2")


def test_requests_after_an_interruption_do_not_count(empty: Project) -> None:
    tests = """
@pytest.fixture(scope="module")
def made(crds):
    ask(crds, "counts_made")
    yield
    ask(crds, "not_at_the_end")

def test_a(made):
    pass

def test_b(crds):
    raise KeyboardInterrupt

def test_c(made):
    pass
"""
    _assert_told_apart(empty, tests)


# The part of pytest-rerunfailures that coverage sees.
RERUN = """
import pytest
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for last in (False, False, True):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        failed = any(report.failed for report in reports)
        for report in reports:
            if report.failed and not last:
                report.outcome = "rerun"
            item.ihook.pytest_runtest_logreport(report=report)
        if not failed:
            break
        item._initrequest()
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
"""
TRIES = """
TRIES = []

@pytest.fixture(scope="session")
def of_session(crds):
    ask(crds, "counts_session")

@pytest.fixture(scope="session")
def in_vain(crds):
    ask(crds, "not_in_vain")

@pytest.fixture
def own(crds):
    ask(crds, f"{'counts' if len(TRIES) > 1 else 'not'}_own_{len(TRIES)}")

def test_flaky(crds, of_session, own):
    TRIES.append(1)
    ask(crds, "not_first_try") if len(TRIES) == 1 else ask(crds, "counts_last_try")
    assert len(TRIES) > 2

def test_never(crds, in_vain):
    ask(crds, "not_never")
    assert False
"""


def test_the_last_attempt_of_a_test_decides(empty: Project) -> None:
    """If a test never passes, the requests of its fixtures do not count."""
    empty.write("conftest.py", RERUN)

    _assert_told_apart(empty, f'"not_own_0", "not_own_1", "counts_own_2"\n{TRIES}')


def test_points_that_earlier_runs_only_failed_to_show_are_not_added(empty: Project) -> None:
    _lay_out(empty, '\ndef test_a(crds):\n    ask(crds, "not_failed")\n    assert False\n')
    first = _run(empty)
    first.stdout.fnmatch_lines(["crd: 1 test that has not passed, or is expected to fail, counts for nothing"])
    empty.write("test_flags.py", "def test_a():\n    pass\n")

    _run(empty, "--crd-cov-append")

    assert _find_counting(empty) == set()


# Between processes


def _data(point: str) -> Data:
    return Data(digest=Record("flags.example.com", "flags.yaml", {"v1": Reached(1, {point})}))


@pytest.mark.parametrize(
    ("here", "there", "counts"),
    [
        ((True, False), (False, False), True),
        ((True, False), (True, False), True),
        ((True, False), (False, True), False),
        ((False, True), (True, False), False),
        ((False, False), (False, False), False),
    ],
)
def test_a_fixture_counts_if_its_tests_failed_in_no_process(
    here: tuple[bool, bool],
    there: tuple[bool, bool],
    counts: bool,  # noqa: FBT001
) -> None:
    own = Accounts(shared={"made": Shared(_data("a"), *here)}, uncounted=1)
    second = Accounts(
        _data("passed"), {"made": Shared(_data("b"), *there), "other": Shared(_data("c"), has_passed=True)}, 2
    )

    own.add(accounts.from_json(json.loads(json.dumps(second.to_json()))))

    points = own.settle().find("digest", "v1").points
    assert points == {"passed", "c"} | ({"a", "b"} if counts else set())
    assert own.uncounted == 3


@pytest.mark.parametrize(
    ("phases", "has_passed"),
    [
        ([("setup", True), ("call", True), ("teardown", True)], True),
        ([("setup", True), ("call", True)], False),  # interrupted
        ([("setup", True), ("teardown", True)], False),
        ([("setup", True), ("call", True), ("call", False), ("teardown", True)], False),  # a subtest
    ],
)
def test_an_attempt_passes_if_all_its_phases_pass(
    phases: list[tuple[str, bool]],
    has_passed: bool,  # noqa: FBT001
) -> None:
    attempt = Attempt()

    for phase, is_passed in phases:
        attempt.hear(phase, is_passed=is_passed)

    assert attempt.has_passed is has_passed


def test_a_ledger_without_requests_has_no_accounts() -> None:
    ledger = accounts.Ledger()
    ledger.fixture_collector("made")
    ledger.close(Attempt())

    assert ledger.accounts(Path.cwd()) == Accounts()
