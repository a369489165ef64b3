"""Held and seen points in reports and in required percentages."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from support import crds
from support.sessions import Project

FOOS = crds.text(
    "plural: foos, singular: foo, kind: Foo, listKind: FooList",
    """\
    type: object
    properties:
      size:
        type: integer
        default: 2
        maximum: 5
      never:
        type: string
    """,
)
SEEN = """\
crd: foos.example.com
create:
- {name: any, input: {}, accepted: true}
- {name: five, input: {size: 5}, accepted: true}
- {name: six, input: {size: 6}, errors: [{type: Invalid}]}
"""
HELD = """\
crd: foos.example.com
create:
- {name: any, input: {}, contains: {size: 2}}
- {name: five, input: {size: 5}, contains: {size: 5}}
- {name: six, input: {size: 6}, error: should be less than or equal to 5}
"""


@pytest.fixture
def foos(empty: Project) -> Project:
    """Return a project with that CRD."""
    empty.write("crds/foos.yaml", FOOS)
    empty.ini("crd_cov_exclude = foos.example.com never", "crd_paths = crds")
    return empty


def _version(project: Project) -> Any:
    [version] = json.loads(project.read("crd_coverage.json"))["versions"]
    return version


@pytest.mark.parametrize(
    ("cases", "arguments", "code", "row"),
    [
        (SEEN, [], 1, "0      4      3      0%"),
        (SEEN, ["--crd-cov-seen"], 1, "0      4      3     57%"),
        (SEEN, ["--crd-cov-seen", "--crd-cov-fail-under=50"], 0, "0      4      3     57%"),
        (SEEN, ["-o", "crd_cov_seen=true", "--crd-cov-fail-under=50"], 0, "0      4      3     57%"),
        (SEEN, ["--crd-cov-fail-under=50"], 1, "0      4      3      0%"),
        (HELD, ["--crd-cov-fail-under=50"], 0, "4      0      3     57%"),
        (HELD, ["--crd-cov-fail-under=58"], 1, "4      0      3     57%"),
    ],
)
def test_seen_points_count_only_on_request(
    foos: Project, cases: str, arguments: list[str], code: int, row: str
) -> None:
    foos.cases(cases)

    result = foos.run("--crd-cov", "--crd-cov-fail-under=100", *arguments)

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines([f"TOTAL * {row}"])
    assert result.ret == code


def test_a_failure_mentions_the_percentage_with_seen_points(foos: Project) -> None:
    foos.cases(SEEN)

    with_hint = foos.run("--crd-cov", "--crd-cov-fail-under=50")
    foos.cases(HELD)
    without_hint = foos.run("--crd-cov", "--crd-cov-fail-under=100")

    with_hint.stdout.fnmatch_lines(
        ["crd: coverage is 0%, less than the 50% of crd_cov_fail_under; 57.14% with seen points (no *"]
    )
    without_hint.stdout.fnmatch_lines(["crd: coverage is 57.14%, less than the 100% of crd_cov_fail_under"])


def test_a_default_that_is_only_seen_is_not_covered(foos: Project) -> None:
    foos.cases(HELD)
    foos.run("--crd-cov", "--crd-cov-report=json")
    assert "properties/size/default:applied" in _version(foos)["held"]
    foos.write("crds/foos.yaml", foos.read("crds/foos.yaml").replace("default: 2", "default: 3"))

    foos.run().assert_outcomes(passed=2, failed=1)


def test_json_has_each_state(foos: Project) -> None:
    foos.cases(SEEN.replace("input: {size: 5}, accepted: true", "input: {size: 5}, contains: {size: 5}"))

    foos.run("--crd-cov", "--crd-cov-report=json")
    held_totals = _version(foos)
    foos.run("--crd-cov", "--crd-cov-report=json", "--crd-cov-seen")
    seen_totals = _version(foos)

    assert held_totals["totals"] == {
        "points": 7,
        "held": 2,
        "seen": 2,
        "missing": 3,
        "left_out": 3,
        "kubernetes": {"points": 0, "held": 0},
        "percent": 28.57,
    }
    assert held_totals["held"] == ["properties/size:set", "properties/size/maximum:held"]
    assert [(point["id"], point["line"], point["text"]) for point in held_totals["seen"]] == [
        ("properties/size/default:applied", 18, "size: the default 2 is never put in where a case states what follows"),
        (
            "properties/size/maximum:broken",
            19,
            "size: no value is refused by maximum 5 where a case states what follows",
        ),
    ]
    assert [point["id"] for point in held_totals["missing"]] == [
        ":unknown-dropped",
        ":null-dropped",
        "properties/size/type:type-refused",
    ]
    assert seen_totals == held_totals | {"totals": held_totals["totals"] | {"percent": 57.14}}
    assert json.loads(foos.read("crd_coverage.json"))["counted"] == ["held", "seen"]


@pytest.mark.parametrize(("arguments", "hits"), [([], 0), (["--crd-cov-seen"], 1)])
def test_lines_are_hit_by_counted_points(foos: Project, arguments: list[str], hits: int) -> None:
    foos.cases(SEEN)

    foos.run("--crd-cov", "--crd-cov-report=lcov", "--crd-cov-report=cobertura", *arguments)

    assert f"DA:18,{hits}\nDA:19,{2 * hits}\n" in foos.read("crd_coverage.lcov")
    lines = ET.fromstring(foos.read("crd_coverage.xml")).iter("line")  # noqa: S314 - written here
    assert {line.get("number"): line.get("hits") for line in lines}["18"] == str(hits)


@pytest.mark.parametrize(("cases", "arguments", "state"), [(SEEN, [], "seen"), (SEEN, ["--crd-cov-seen"], "all"), (HELD, [], "all")])  # fmt: skip
def test_the_page_colours_seen_points(foos: Project, cases: str, arguments: list[str], state: str) -> None:
    foos.cases(cases)

    foos.run("--crd-cov", "--crd-cov-report=html", *arguments)

    page = foos.read("crd_coverage.html")
    assert re.search(rf'<div class="{state}" id="c1-18"', page)
    line = "<li>size: the default 2 is never put in where a case states what follows<pre>"
    assert (line in page) is (state == "seen")


def test_the_page_has_a_table_of_the_versions(foos: Project) -> None:
    foos.cases(SEEN)

    foos.run("--crd-cov", "--crd-cov-report=html")

    page = foos.read("crd_coverage.html")
    table = page[page.index("<table>") : page.index("</table>")]
    heads, cells = re.findall("<th>(.*?)</th>", table), re.findall("<td>(.*?)</td>", table)
    assert heads == ["Name", "Points", "Held", "Seen", "Miss", "Left out", "Kubernetes", "Cover"]
    assert cells[1 : len(heads)] == cells[len(heads) + 1 :]
    assert cells[len(heads) :] == ["Total", "7", "0", "4", "3", "3", "0", "0%"]


def test_held_points_of_several_runs_add_up(foos: Project) -> None:
    foos.cases(HELD)
    foos.run("--crd-cov", "--crd-cov-report=json", "-k", "five")
    foos.cases(SEEN)

    foos.run("--crd-cov", "--crd-cov-report=json", "--crd-cov-append")

    assert _version(foos)["held"] == ["properties/size:set", "properties/size/maximum:held"]
    assert len(_version(foos)["seen"]) == 2


def test_generated_cases_hold_points(foos: Project) -> None:
    foos.ini("crd_paths = crds")
    foos.run("--crd-generate", "Foo")

    result = foos.run("--crd-cov", "--crd-cov-fail-under=100")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["TOTAL *   10     10      0      0    100%"])
