"""Comments stay in their places, or move beside the new value; lost ones are named."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from support import commented
from support.commented import Commented
from tiers import examples

from pytest_crd.casefiles import casetext, comments, yamlspans
from pytest_crd.casefiles.casetext import Correction, WrittenCases
from pytest_crd.casefiles.comments import Lost
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.yaml import yamlreader

HEAD = "crd: x\ncreate:\n"
ERRORS = [{"field": "spec.a", "type": "Invalid"}]
LONG = {"spec": {name: f"the text of {name}, which is long" for name in ("left", "right", "middle")}}
BLOCK = """\
left: "the text of left, which is long"
      right: "the text of right, which is long"
      middle: "the text of middle, which is long"
"""


def written(text: str, *removed: str, **values: Any) -> WrittenCases:
    """Return a file after its case gets some keys and loses others."""
    return casetext.write_corrections(text.encode(), [Correction("a", values, removed)], source="f")


def find_comments(text: str) -> list[str]:
    return [item.text for item in comments.find_comments(yamlspans.find_spans(text))]


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        pytest.param("# a\na: b # c\n#d\n", ["# a", "# c", "#d"], id="on lines"),
        pytest.param("a: b#c # d  \n", ["# d"], id="not in a plain scalar, and without blanks behind"),
        pytest.param("a: 'b # c' # d\ne: \"f\n  # g\" # h\n", ["# d", "# h"], id="not in quotes"),
        pytest.param("a: | # b\n  # c\n # d\ne: |+\n  f # g\n\n# h\n", ["# b", "# d", "# h"], id="beside texts"),
        pytest.param("a: [ # b\n  c, # d\n] # e\n", ["# b", "# d", "# e"], id="in brackets"),
        pytest.param("a: &b # c\n  d: !!str # e\n    f\n", ["# c", "# e"], id="behind anchors and tags"),
        pytest.param("# a\n--- # b\nc: *d\n".replace("*d", "e"), ["# a", "# b"], id="between documents"),
        pytest.param("a: # b\n- |\n- # c\n", ["# b", "# c"], id="beside what is empty"),
        pytest.param("a: b # c\r\n# d\r\n", ["# c", "# d"], id="before other line ends"),
    ],
)
def test_comments_are_found(text: str, texts: list[str]) -> None:
    assert find_comments(text) == texts


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "- name: a\n  accepted: true # why\n  input: {}\n",
            "- name: a\n  input: {}\n  # why\n  errors:\n  - {field: spec.a, type: Invalid}\n",
            id="of a key whose verdict is another",
        ),
        pytest.param(
            "- accepted: true # why\n  # more\n  absent: [b] # and\n  # below\n  name: a\n  input: {}\n",
            "# more\n# below\n- name: a\n  input: {}\n  # why\n  # and\n  errors:\n  - {field: spec.a, type: Invalid}\n",
            id="of the first keys",
        ),
        pytest.param(
            "- {name: a, accepted: true, # why\n   input: {}, absent: [ # and\n    b]}\n",
            "# why\n# and\n- {name: a, input: {}, errors: [{field: spec.a, type: Invalid}]}\n",
            id="in brackets",
        ),
    ],
)
def test_expectations_of_one_verdict_become_those_of_the_other(before: str, after: str) -> None:
    result = written(HEAD + before, "accepted", "absent", errors=ERRORS)

    assert result.content.decode() == HEAD + after
    assert not result.lost


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        pytest.param(
            "\n    spec: a\n    # one\n    b: # two\n      # three\n      c: d # four\n    # five\n",
            {"spec": "a"},
            "\n    spec: a\n    # one\n    # two\n    # three\n    # four\n    # five\n",
            id="of a key that goes",
        ),
        pytest.param(
            "\n    spec: [a, # one\n      b] # two\n",
            {"spec": 1},
            "\n    # one\n    spec: 1 # two\n",
            id="above a value that has one beside it",
        ),
        pytest.param(
            "\n    spec: [a, # one\n      b]\n", {"spec": 1}, "\n    spec: 1 # one\n", id="beside a value that has none"
        ),
        pytest.param(
            "\n    spec: {a: [b, # one\n      c], d: e}\n",
            {"spec": {"a": 1, "d": "e"}},
            "\n    # one\n    spec: {a: 1, d: e}\n",
            id="above what stands in brackets",
        ),
        pytest.param(
            "\n    spec: {a: [b, # one\n      c]}\n",
            {"spec": {"a": {"b": 1}, "d": "e"}},
            "\n    # one\n    spec: {a: {b: 1}, d: e}\n",
            id="not before what is added on the same line",
        ),
        pytest.param(
            " # one\n    TODO # two\n", LONG, " # one\n    # two\n    spec:\n      " + BLOCK, id="of a line of its own"
        ),
        pytest.param(
            " &e # one\n    spec: a # two\n", {"status": 1}, " &e # one\n    status: 1 # two\n", id="behind an anchor"
        ),
        pytest.param(
            "\n    spec: &e # one\n      a: b\n",
            {"spec": 1},
            "\n    spec: &e 1 # one\n",
            id="behind an anchor that stays",
        ),
        pytest.param(
            "\n    - &e a # one\n",
            [LONG["spec"]],
            "\n    - &e # one\n      " + BLOCK,
            id="behind an anchor of an item",
        ),
        pytest.param(
            "\n    -\n      # - one\n      a\n",
            ["b", "a"],
            "\n    - b\n    -\n      # - one\n      a\n",
            id="with a dash",
        ),
    ],
)
def test_comments_inside_a_replaced_value_stay(before: str, new: Any, after: str) -> None:
    key = "expected" if isinstance(new, dict) else "spec"
    head = f"{HEAD}- name: a\n  input: {{}}\n  expected:" + ("\n    spec:" if key == "spec" else "")

    result = written(head + before, expected=new if key == "expected" else {"spec": new})

    assert result.content.decode() == head + after
    assert not result.lost


def test_lost_comments_are_named() -> None:
    # No line can be inserted above text that begins behind a byte order mark.
    before = "crd: z\npruning: [{name: b, input: {}, expected: {}}]\n---\n\ufeff"
    text = "{crd: x, create: [{name: a, accepted: true, input: &i {}, absent: &e [ # why\n  b]}]} # all\n"

    result = written(before + text, "absent", pruned=[])

    assert result.content.decode() == before + text.replace("absent: &e [ # why\n  b]", "pruned: []")
    assert result.lost == (Lost(4, "&e"), Lost(4, "# why"))


def test_only_as_many_are_named_as_go() -> None:
    old, new = yamlspans.find_spans("# a\n# a\nb: c # d\n# a\n"), yamlspans.find_spans("b: c # d\n# a\n")

    assert [*comments.find_lost(old, new)] == [Lost(2, "# a"), Lost(4, "# a")]


@given(file=commented.files())
@examples(100)
def test_every_comment_stays_and_unwritten_parts_are_untouched(file: Commented) -> None:
    corrections = {item.name: item for item in file.corrections}

    result = casetext.write_corrections(file.text.encode(), file.corrections, source="f")

    text = result.content.decode()
    assert Counter(commented.numbers(text)) == Counter(commented.numbers(file.text))
    assert not [item for item in result.lost if item.text.startswith("#")]
    assert all("anchor" in problem for problem in result.problems.values())
    output = next(item.value["create"] for item in yamlreader.read(text, source="f") if "create" in item.value)
    for case, value, old, new in zip(file.cases, output, _parts(file.text), _parts(text), strict=True):
        is_written = case["name"] in corrections and case["name"] not in result.problems
        assert jsonvalue.equal(value, corrections[case["name"]].apply(case) if is_written else case)
        same = {key for key in case if key in value and jsonvalue.equal(case[key], value[key])}
        assert {key: old[key] for key in same} == {key: new[key] for key in same}
        assert is_written or old == new


def _parts(text: str) -> list[dict[str, str]]:
    """Return the text of each key of each case, with that of its value."""
    layout = yamlspans.find_spans(text)
    items = next(pair for root in layout.documents if (pair := root.own("create")))[1].items
    return [{key.key: layout.text[key.start : value.end] for key, value in item.resolved.pairs} for item in items]
