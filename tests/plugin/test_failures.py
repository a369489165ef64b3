"""What a failure reads like: a line for each difference, with its path and its reason, and no traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from plugin.conftest import Project

HEAD = "crd: gardens.stories.example.com\n"
STORIES = [
    pytest.param(
        "pruning",
        "{input: {spec: {bogus: {a: 1}}}, expected: {spec: {bogus: {a: 1}}}}",
        ["expected:", '  spec.bogus  expected {"a": 1}, but it is absent (pruned: *)'],
        id="a pruned field says that it was pruned",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {free: {a: '1', c: true}}}, expected: {spec: {free: {a: 1, c: 'true'}}}}",
        [
            '  spec.free.a  expected 1 (integer), got "1" (string)',
            '  spec.free.c  expected "true" (string), got true (boolean)',
        ],
        id="values that look alike have their types",
    ),
    pytest.param(
        "pruning",
        '{input: {spec: {note: "one\\ntwo\\nthree\\n"}}, expected: {spec: {note: "one\\n2\\nthree\\n"}}}',
        ["  spec.note  the texts differ", "*@@ -1,3 +1,3 @@", "       one", "      -2", "      +two", "       three"],
        id="texts of several lines are a diff",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {beds: [{name: a}, {name: b}, {name: c}]}}, expected: {spec: {beds: [{name: a}, {name: c}]}}}",
        ['  spec.beds[[]1[]] (name="b")  not expected, but it is {"name": "b"} (kept from the input)'],
        id="an inserted item of a list map is one line",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {label: x}}, absent: [spec.label, spec.size]}",
        ["absent:", '  spec.label  must be absent, but is "x"'],
        id="what must be absent is shown",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {beds: [{name: a, plnt: x}]}}, pruned: ['spec.beds[0].plant', spec.other]}",
        [
            "pruned:",
            "  spec.beds[[]0[]].plant *; the nearest is spec.beds[[]0[]].plnt",
            "  spec.other  *",
            "  spec.beds[[]0[]].plnt  *",
        ],
        id="lists of paths say what is missing and what came unasked",
    ),
    pytest.param(
        "pruning",
        "{input: {spec: {size: 1}}, contains: {spec: {size: 2, label: a}}}",
        [
            "contains:",
            '  spec.label  expected "a", but it is absent (the input does not have it, and no default puts it in)',
            "  spec.size * expected 2, got 1",
        ],
        id="a subset shows what it misses",
    ),
    pytest.param(
        "pruning",
        "{input: {metadata: {labels: {a: 1}}}, contains: {spec: {}}}",
        [
            "  the server answers 400: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"
        ],
        id="an object that cannot be decoded shows the words of the server",
    ),
    pytest.param(
        "defaulting",
        "{input: {spec: {}}, expected: {spec: {}}}",
        [
            "  spec.size * not expected, but it is 3 (*the schema's default)",
            "  spec.watering  not expected, but it is {*} (*the schema's default)",
        ],
        id="a default says that it is one",
    ),
    pytest.param(
        "defaulting",
        "{input: {spec: {label: null, size: null}}, expected: {spec: {label: null, size: 4, watering: {hour: 6}}}}",
        [
            "  spec.label  expected null, but it is absent (null dropped: *)",
            "  spec.size * expected 4, got 3 (*the schema's default)",
        ],
        id="a dropped null says that it was dropped",
    ),
    pytest.param(
        "defaulting",
        "{input: {spec: {label: null, size: 1}}, nullsDropped: [], defaulted: [spec.size]}",
        ["defaulted:", "  spec.size *", "  spec.watering *", "nullsDropped:", "  spec.label *"],
        id="every expectation that does not hold is shown",
    ),
]


def _story(project: Project, section: str, case: str) -> None:
    project.cases(f"{HEAD}{section}:\n- {{name: a, {case[1:]}\n")


@pytest.mark.parametrize(("section", "case", "words"), STORIES)
def test_a_failure_says_what_differs_and_why(project: Project, section: str, case: str, words: list[str]) -> None:
    _story(project, section, case)

    result = project.run()

    result.assert_outcomes(failed=1)
    head = [
        f'test_garden.crd.yaml:3: {section} case "a"',
        "gardens.stories.example.com v1 (config/crd/bases/gardens.yaml:1), Kubernetes 1.37",
    ]
    result.stdout.fnmatch_lines([*head, *words, "*short test summary info*", "FAILED test_garden.crd.yaml::a - *"])
    assert "nodes.py" not in str(result.stdout)


def test_verbose_shows_a_diff_of_the_objects(project: Project) -> None:
    _story(project, "pruning", "{input: {spec: {size: 1}}, expected: {spec: {size: 2}}}")

    result = project.run("-v")

    result.stdout.fnmatch_lines(["  --- expected", "  +++ actual", "   spec:", "  -  size: 2", "  +  size: 1"])
    result.stdout.no_fnmatch_line("*in full:")


def test_more_verbose_shows_both_objects(project: Project) -> None:
    _story(project, "pruning", "{input: {spec: {size: 1}}, expected: {spec: {size: 2}}}")

    result = project.run("-vv")

    result.stdout.fnmatch_lines(
        ["  expected in full:", "    spec:", "      size: 2", "  actual in full:", "    spec:", "      size: 1"]
    )


def test_colour_follows_pytests_option(project: Project) -> None:
    _story(project, "pruning", "{input: {spec: {size: 1}}, expected: {spec: {size: 2}}}")

    result = project.run("--color=yes", "-v")

    assert "expected \x1b[32m2\x1b[0m, got \x1b[31m1\x1b[0m" in str(result.stdout)
    assert "\x1b[32m-  size: 2\x1b[0m" in str(result.stdout)


def test_a_long_list_of_differences_is_cut_unless_verbose(project: Project) -> None:
    fields = ", ".join(f"f{number:02}: 1" for number in range(30))
    _story(project, "pruning", f"{{input: {{spec: {{}}}}, expected: {{spec: {{{fields}}}}}}}")

    short, verbose = project.run(), project.run("-v")

    short.stdout.fnmatch_lines(["  … and 10 more; -v shows all", "FAILED test_garden.crd.yaml::a - spec.f00: *"])
    short.stdout.no_fnmatch_line("  spec.f29*")
    verbose.stdout.fnmatch_lines(["  spec.f29*"])


def test_long_values_are_cut(project: Project) -> None:
    fields = ", ".join(f"field{number}: {number}" for number in range(20))
    numbers = ", ".join(map(str, range(60)))
    _story(
        project,
        "pruning",
        f"{{input: {{spec: {{}}}}, expected: {{spec: {{a: {{{fields}}}, b: [{numbers}], c: {'x' * 90}, d: {{k: {'y' * 90}}}}}}}}}",
    )

    result = project.run()

    result.stdout.fnmatch_lines(
        [
            "  spec.a  expected an object with 20 fields: field0, *…*",
            "  spec.b  expected a list of 60 items, *",
            '  spec.c  expected "xxxx*…, *',
            "  spec.d  expected an object with 1 field: k*",
        ]
    )


def test_a_python_test_shows_the_same_text(project: Project) -> None:
    cases = f"{HEAD}pruning:\n- {{name: a, input: {{spec: {{bogus: 1}}}}, expected: {{spec: {{bogus: 1}}}}}}\n"
    project.cases(cases, name="cases/garden.yaml")
    project.write(
        "test_it.py", "import pytest\n@pytest.mark.crd_cases('cases/*')\ndef test_it(crd_case):\n    crd_case.check()\n"
    )

    result = project.run()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            '*cases/garden.yaml:3: pruning case "a"',
            "*gardens.stories.example.com v1 (config/crd/bases/gardens.yaml:1), Kubernetes 1.37",
            "*expected:",
            "*  spec.bogus  expected 1, but it is absent (pruned: *",
        ]
    )
    result.stdout.no_fnmatch_line("*nodes.py*")
