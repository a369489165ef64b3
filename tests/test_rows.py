"""Rows of a parametrized test run as one test, and a failure names each failed row."""

from __future__ import annotations

import pytest
import rows

TESTS = """\
import pytest
from hypothesis import given, strategies

@pytest.fixture(scope="module")
def base():
    return 10

@pytest.fixture(params=["a", "b"])
def chosen(request):
    return request.param

@pytest.mark.parametrize("number", range(51))
def test_many(number, base):
    assert number + base not in (12, 60)

@pytest.mark.parametrize("letter", ["a", "b"])
@pytest.mark.parametrize("number", [1, 2])
def test_pairs(letter, number):
    assert (letter, number) not in [("a", 1), ("b", 2)]

OLDER = [pytest.param(number, marks=pytest.mark.older) for number in (4, 5)]

@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.xfail), 3, *OLDER])
def test_marked(number):
    assert number != 2

@pytest.mark.parametrize("reason", ["one", "other"])
def test_outcomes(reason):
    if reason == "one":
        pytest.skip(reason)
    with pytest.raises(ValueError):
        pass

@pytest.mark.parametrize("number", [1, 2])
def test_folder(number, tmp_path):
    tmp_path.joinpath("file").touch(exist_ok=False)

@pytest.mark.parametrize("number", [1, 2])
def test_request(number, request):
    assert request.node.name == f"test_request[{number}]"

def test_of_a_fixture(chosen):
    pass

@pytest.mark.parametrize("chosen", ["c", "d"], indirect=True)
def test_indirect(chosen):
    pass

@pytest.mark.parametrize("number", [1, 2])
@given(strategies.none())
def test_examples(number, drawn):
    pass

@pytest.mark.xfail(strict=True)
@pytest.mark.parametrize("number", [1, 2])
def test_expected(number):
    assert number == 1

@pytest.mark.parametrize("number", [1, 2], scope="module")
def test_wide(number, made):
    assert made == number

@pytest.fixture(scope="module")
def made(number):
    return number

@pytest.mark.parametrize("number", [1, 2])
def test_misspelt(number, bse):
    pass

class TestClass:
    @pytest.mark.parametrize("number", [1, 2])
    def test_method(self, number):
        pass
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with parametrized tests."""
    pytester.makeini("[pytest]\naddopts = -p rows -p no:cacheprovider\nmarkers = older\n")
    pytester.makepyfile(test_it=TESTS)
    return pytester


def test_rows_without_own_fixtures_and_marks_are_one_test(project: pytest.Pytester) -> None:
    result = project.runpytest_inprocess("-v")

    outcomes = [line.rpartition("[")[0].strip() for line in result.outlines if line.startswith("test_it.py::")]
    assert [outcome.removeprefix("test_it.py::") for outcome in outcomes] == [
        "test_many[rows 1-50] FAILED",
        "test_many[50] FAILED",
        "test_pairs[rows 1-4] FAILED",
        "test_marked[2] XFAIL",
        "test_marked[rows 1-2] PASSED",
        "test_marked[older rows 1-2] PASSED",
        "test_outcomes[rows 1-2] FAILED",
        "test_folder[1] PASSED",
        "test_folder[2] PASSED",
        "test_request[1] PASSED",
        "test_request[2] PASSED",
        "test_of_a_fixture[a] PASSED",
        "test_of_a_fixture[b] PASSED",
        "test_indirect[c] PASSED",
        "test_indirect[d] PASSED",
        "test_examples[1] PASSED",
        "test_examples[2] PASSED",
        "test_expected[1] FAILED",
        "test_expected[2] XFAIL",
        "test_wide[1] PASSED",
        "test_wide[2] PASSED",
        "test_misspelt[1] ERROR",
        "test_misspelt[2] ERROR",
        "TestClass::test_method[1] PASSED",
        "TestClass::test_method[2] PASSED",
    ]
    result.stdout.fnmatch_lines(
        [
            "*assert (2 + 10) not in (12, 60)",
            "*in test_many[[]2]",
            "*2 of 4 rows fail*",
            "*in test_pairs[[]1-a]",
            "*in test_pairs[[]2-b]",
            "*2 of 2 rows fail*",
            "*Skipped: one",
            "*in test_outcomes[[]one]",
            "*DID NOT RAISE*",
            "*in test_outcomes[[]other]",
        ]
    )


@pytest.mark.parametrize(
    ("body", "outcomes", "word"),
    [
        (
            "number == 3 or pytest.skip('not today')",
            {"failed": 1},
            "*the row needs a mark to be skipped*",
        ),
        ("number == 3 or pytest.xfail('known')", {"failed": 1}, "*in test_it[[]1]"),
        ("if number < 4: raise SystemExit", {"failed": 1}, "*in test_it[[]3]"),
        ("return number", {"failed": 1}, "*in test_it[[]3]"),
        ("if number == 1: pytest.exit('enough')", {}, "*Exit: enough*"),
        ("if number == 1: raise KeyboardInterrupt", {}, "*KeyboardInterrupt*"),
    ],
)
def test_no_row_decides_about_the_others(
    pytester: pytest.Pytester, body: str, outcomes: dict[str, int], word: str
) -> None:
    pytester.makeini("[pytest]\naddopts = -p rows -p no:cacheprovider\n")
    marked = "import pytest\n@pytest.mark.parametrize('number', [1, 3])\n"
    pytester.makepyfile(test_it=f"{marked}def test_it(number):\n    {body}\n")

    result = pytester.runpytest_inprocess(no_reraise_ctrlc=True)

    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines([word])


def test_a_row_is_selected_by_its_id(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("test_it.py::test_pairs[2-a]").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("arguments", "is_selected"),
    [
        ((), False),
        (("test_it.py::test_pairs",), False),
        (("test_it.py::test_many[rows 1-50]",), False),
        (("--deselect", "test_it.py::test_many[rows 1-50]"), False),
        (("test_it.py::test_many[older rows 51-100]",), False),
        (("--deselect", "test_it.py::test_many[2]"), True),
        (("test_it.py::test_many[2]",), True),
        (("-k", "many"), True),
    ],
)
def test_selected_rows_stay_tests_of_their_own(
    project: pytest.Pytester, arguments: tuple[str, ...], *, is_selected: bool
) -> None:
    config = project.parseconfig(*arguments)

    assert rows._selects_rows(config) is is_selected
