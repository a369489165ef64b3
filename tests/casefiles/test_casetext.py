"""New text of a case file: the corrections in their places, and no other changes."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_crd.casefiles import casetext
from pytest_crd.casefiles.casetext import Correction, WrittenCases

HEAD = "crd: x\ncreate:\n"
SPEC: Mapping[str, Any] = {"spec": {"size": 3}}
ERROR: Mapping[str, Any] = {"field": "spec.size", "type": "Invalid", "message": 'not "a"'}
LONG: Mapping[str, Any] = {"spec": {name: f"the text of {name}, which is long" for name in ("left", "right", "middle")}}


def written(text: str | bytes, *removed: str, name: str = "a", **values: Any) -> WrittenCases:
    """Return a file after its case gets some keys and loses others."""
    content = text if isinstance(text, bytes) else text.encode()
    return casetext.write_corrections(content, [Correction(name, values, removed)], source="f")


def text_of(result: WrittenCases) -> str:
    """Return the new text."""
    assert not result.problems
    return result.content.decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "- name: a\n  input: {}\n",
            "- name: a\n  input: {}\n  expected: {spec: {size: 3}}\n",
            id="behind the last key",
        ),
        pytest.param(
            "- name: a\n  input: {} # why\n\n# next\n- {name: b, input: {}}\n",
            "- name: a\n  input: {} # why\n  expected: {spec: {size: 3}}\n\n# next\n- {name: b, input: {}}\n",
            id="before blank lines and comments",
        ),
        pytest.param(
            "- {name: a, input: {}}\n", "- {name: a, input: {}, expected: {spec: {size: 3}}}\n", id="in brackets"
        ),
        pytest.param(
            "- {\n    name: a,\n    input: {},\n  }\n",
            "- {\n    name: a,\n    input: {},\n    expected: {spec: {size: 3}},\n  }\n",
            id="in brackets over several lines",
        ),
        pytest.param(
            "- {\n    name: a,\n    input: {} # b\n  }\n",
            "- {\n    name: a,\n    input: {}, expected: {spec: {size: 3}} # b\n  }\n",
            id="in brackets before a comment",
        ),
        pytest.param(
            "- name: a\n  input: |\n    spec: {}\n\n\n- {name: b, input: {}}\n",
            "- name: a\n  input: |\n    spec: {}\n  expected: {spec: {size: 3}}\n\n\n- {name: b, input: {}}\n",
            id="behind a text of several lines",
        ),
        pytest.param(
            "- name: a\n  input: |+\n    spec: {}\n\n- {name: b, input: {}}\n",
            "- name: a\n  input: |+\n    spec: {}\n\n  expected: {spec: {size: 3}}\n- {name: b, input: {}}\n",
            id="behind a text that ends with empty lines",
        ),
        pytest.param(
            "- name: a\n  input:\n    spec:\n      size: 1\n",
            "- name: a\n  input:\n    spec:\n      size: 1\n  expected: {spec: {size: 3}}\n",
            id="behind a block",
        ),
        pytest.param(
            "-   name: a\n    input: {}\n",
            "-   name: a\n    input: {}\n    expected: {spec: {size: 3}}\n",
            id="with the indentation of the case",
        ),
        pytest.param(
            "- &first\n  name: a\n  input: &in {}\n- {<<: *first, name: b, expected: {}}\n",
            "- &first\n  name: a\n  input: &in {}\n  expected: {spec: {size: 3}}\n- {<<: *first, name: b, expected: {}}\n",
            id="in a case that another one overrides",
        ),
        pytest.param(
            "- name: a\n  input: {}\n  expected: TODO # write\n",
            "- name: a\n  input: {}\n  expected: {spec: {size: 3}} # write\n",
            id="instead of TODO",
        ),
        pytest.param(
            "- name: a\n  input: {}\n  expected: &e 'TODO'\n",
            "- name: a\n  input: {}\n  expected: &e {spec: {size: 3}}\n",
            id="behind an anchor",
        ),
        pytest.param(
            "- name: a\n  input: {}\n  expected: |-\n    TODO\n\n# b\n",
            "- name: a\n  input: {}\n  expected: {spec: {size: 3}}\n\n# b\n",
            id="instead of a TODO on a line of its own",
        ),
        pytest.param(
            "- {name: a, expected: TODO, input: {}}\n",
            "- {name: a, expected: {spec: {size: 3}}, input: {}}\n",
            id="instead of TODO in brackets",
        ),
        pytest.param(
            "- name: a\n  input:\t{}",
            "- name: a\n  input:\t{}\n  expected: {spec: {size: 3}}",
            id="without a last line end",
        ),
        pytest.param(
            "- name: a\n  input: {}\n  expected: TODO",
            "- name: a\n  input: {}\n  expected: {spec: {size: 3}}",
            id="instead of TODO without a last line end",
        ),
    ],
)
def test_a_short_object_is_written_on_one_line(before: str, after: str) -> None:
    assert text_of(written(HEAD + before, expected=SPEC)) == HEAD + after


BLOCK = """\
  expected:{comment}
    spec:
      left: "the text of left, which is long"
      right: "the text of right, which is long"
      middle: "the text of middle, which is long"
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("- name: a\n  input: {}\n", "- name: a\n  input: {}\n" + BLOCK.format(comment=""), id="a new key"),
        pytest.param(
            "- name: a\n  expected: TODO\n  input: {}\n",
            "- name: a\n" + BLOCK.format(comment="") + "  input: {}\n",
            id="instead of TODO",
        ),
        pytest.param(
            "- name: a\n  expected: TODO  # write\n  input: {}\n",
            "- name: a\n" + BLOCK.format(comment="  # write") + "  input: {}\n",
            id="the comment stays with the key",
        ),
        pytest.param(
            "- name: a\n  input: {}\n  expected: TODO # write",
            "- name: a\n  input: {}\n" + BLOCK.format(comment=" # write").rstrip("\n"),
            id="without a last line end",
        ),
        pytest.param(
            "- name: a\n  input: {}\n  expected: &e TODO\n",
            "- name: a\n  input: {}\n" + BLOCK.format(comment=" &e"),
            id="behind an anchor",
        ),
    ],
)
def test_a_long_object_is_written_as_a_block(before: str, after: str) -> None:
    assert text_of(written(HEAD + before, expected=LONG)) == HEAD + after


def test_line_ends_and_a_byte_order_mark_stay() -> None:
    before = f"{HEAD}- name: a\n  input: {{}}\n  errors: TODO\n# last".replace("\n", "\r\n").encode()

    after = written(b"\xef\xbb\xbf" + before, errors=[ERROR], pruned=[]).content

    assert (
        after
        == b"\xef\xbb\xbf"
        + (
            f"{HEAD}- name: a\n  input: {{}}\n  errors:\n  - {{field: spec.size, type: Invalid, message: 'not \"a\"'}}\n"
            "  pruned: []\n# last"
        )
        .replace("\n", "\r\n")
        .encode()
    )


def test_line_ends_of_both_kinds_stay() -> None:
    before = b"crd: x\r\ncreate:\r\n- name: a\r\n  input: {}\n  expected: TODO\r\n# last\n"

    assert written(before, expected=SPEC).content == before.replace(b"TODO", b"{spec: {size: 3}}")


EXPECTED = """\
- name: a
  input: {}
  expected:
      # the spec
      spec:
        size: '1'  # one

        name: "b" # bee
        list:
        # first
        - a # ay
        - {b: 1, 'c': 2}
        - c
      status: {x: 1, w: [1, 2] , z: {}} # state
"""
STATED = {
    "spec": {"size": "1", "name": "b", "list": ["a", {"b": 1, "c": 2}, "c"]},
    "status": {"x": 1, "w": [1, 2], "z": {}},
}


def _with(**values: Any) -> dict[str, Any]:
    """Return the object of `EXPECTED` with other values at some paths, `a__b`."""
    changed: Any = copy.deepcopy(STATED)
    for path, value in values.items():
        *above, last = path.split("__")
        node = changed
        for step in above:
            node = node[int(step) if isinstance(node, list) else step]
        if value is None:
            del node[last]
        else:
            node[int(last) if isinstance(node, list) else last] = value
    return changed  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("new", "old_part", "new_part"),
    [
        pytest.param(_with(spec__size=2), "size: '1'  # one", "size: 2  # one", id="a scalar"),
        pytest.param(_with(spec__size="2"), "size: '1'  # one", 'size: "2"  # one', id="a text"),
        pytest.param(_with(status__x=2), "{x: 1,", "{x: 2,", id="a scalar in brackets"),
        pytest.param(_with(spec__new="gnu"), "        - c\n", "        - c\n        new: gnu\n", id="a key is added"),
        pytest.param(
            _with(status__new=[]), "z: {}} # state", "z: {}, new: []} # state", id="a key is added in brackets"
        ),
        pytest.param(_with(spec__name=None), '        name: "b" # bee\n', "        # bee\n", id="a key is taken away"),
        pytest.param(
            _with(spec__size=None), "        size: '1'  # one\n", "        # one\n", id="the first key is taken away"
        ),
        pytest.param(_with(status__x=None), "{x: 1, w", "{w", id="the first key in brackets is taken away"),
        pytest.param(_with(status__z=None), "[1, 2] , z: {}}", "[1, 2]}", id="the last key in brackets is taken away"),
        pytest.param(
            _with(status__w=None, status__z=None, status__m=1),
            "x: 1, w: [1, 2] , z: {}}",
            "x: 1, m: 1}",
            id="the last keys are replaced",
        ),
        pytest.param(_with(spec__list=["a", "c"]), "        - {b: 1, 'c': 2}\n", "", id="an item is taken away"),
        pytest.param(
            _with(spec__list=["a", {"b": 1, "c": 2}, "x", {"v": 1}, "c"]),
            "'c': 2}\n",
            "'c': 2}\n        - x\n        - {v: 1}\n",
            id="items are added",
        ),
        pytest.param(
            _with(spec__list=["z", "a", {"b": 1, "c": 2}, "c"]),
            "- a # ay",
            "- z\n        - a # ay",
            id="an item is added in front",
        ),
        pytest.param(_with(spec__list__1={"b": 1, "c": 3}), "'c': 2}", "'c': 3}", id="a part of an item"),
        pytest.param(_with(spec__list__0={"x": 1}), "- a # ay", "- {x: 1} # ay", id="an item becomes a mapping"),
        pytest.param(
            _with(spec__list__0=LONG["spec"]),
            "- a # ay",
            '- left: "the text of left, which is long"\n          right: "the text of right, which is long"\n          middle: "the text of middle, which is long" # ay',
            id="an item becomes a long mapping",
        ),
        pytest.param(_with(status__w=[0, 1, 2]), "[1, 2]", "[0, 1, 2]", id="an item is added in front in brackets"),
        pytest.param(_with(status__w=[1, 2, 4, 5]), "[1, 2]", "[1, 2, 4, 5]", id="items are added in brackets"),
        pytest.param(_with(status__w=[2]), "[1, 2]", "[2]", id="the first item in brackets is taken away"),
        pytest.param(_with(status__w=[]), "[1, 2]", "[]", id="all items in brackets are taken away"),
        pytest.param(
            _with(spec__list={"k": "v"}),
            "list:\n        # first\n        - a # ay\n        - {b: 1, 'c': 2}\n        - c\n",
            "list: {k: v}\n        # first\n        # ay\n",
            id="a list becomes a mapping",
        ),
    ],
)
def test_only_changed_values_are_touched(new: Mapping[str, Any], old_part: str, new_part: str) -> None:
    assert text_of(written(HEAD + EXPECTED, expected=new)) == HEAD + EXPECTED.replace(old_part, new_part, 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "x-e: &e TODO\ncreate:\n- {name: a, input: {}, expected: *e}\n- {name: b, input: {}, expected: *e}\n",
            "x-e: &e {spec: {size: 3}}\ncreate:\n- {name: a, input: {}, expected: *e}\n- {name: b, input: {}, expected: *e}\n",
            id="at a place for anchors",
        ),
        pytest.param(
            "create:\n- {name: a, input: {}, expected: &e TODO}\n- {name: b, input: {}, expected: *e}\n",
            "create:\n- {name: a, input: {}, expected: &e {spec: {size: 3}}}\n- {name: b, input: {}, expected: *e}\n",
            id="at the first of them",
        ),
    ],
)
def test_values_shared_by_cases_are_written_once(before: str, after: str) -> None:
    corrections = [Correction(name, {"expected": SPEC}) for name in ("a", "b")]

    result = casetext.write_corrections(f"crd: x\n{before}".encode(), corrections, source="f")

    assert text_of(result) == f"crd: x\n{after}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "- {name: a, input: &in {spec: {size: 3}}, expected: {}}\n- {name: b, input: {}, expected: *in}\n",
            "- {name: a, input: &in {spec: {size: 3}}, expected: {}}\n- {name: b, input: {}, expected: {spec: {size: 4}}}\n",
            id="what is sent",
        ),
        pytest.param(
            "- {name: a, input: &in {size: 3}, expected: {}}\n- {name: b, input: {}, expected: {spec: *in}}\n",
            "- {name: a, input: &in {size: 3}, expected: {}}\n- {name: b, input: {}, expected: {spec: {size: 4}}}\n",
            id="a part of what is sent",
        ),
        pytest.param(
            "- {name: a, input: {}, expected: {}}\nupdate:\n- {name: b, old: &o {spec: {size: 3}}, input: *o, expected: *o}\n",
            "- {name: a, input: {}, expected: {}}\nupdate:\n"
            "- {name: b, old: &o {spec: {size: 3}}, input: *o, expected: {spec: {size: 4}}}\n",
            id="what is stored",
        ),
        pytest.param(
            "- &a {name: a, input: {}, expected: TODO}\n- {<<: *a, name: b}\n",
            "- &a {name: a, input: {}, expected: TODO}\n- {<<: *a, name: b, expected: {spec: {size: 4}}}\n",
            id="a case that is merged in",
        ),
        pytest.param(
            "- {name: a, input: {}, expected: &e {spec: {size: 1}}}\n- {name: b, input: {}, expected: {<<: *e, status: {}, a: 1}}\n",
            "- {name: a, input: {}, expected: &e {spec: {size: 1}}}\n- {name: b, input: {}, expected: {status: {}}}\n",
            id="an object that is merged in and is left out now",
        ),
    ],
)
def test_values_with_other_references_stay(before: str, after: str) -> None:
    new = {"status": {}} if "status" in before else {"spec": {"size": 4}}

    result = written(HEAD + before, name="b", expected=new)

    assert text_of(result) == HEAD + after


def test_a_case_at_a_place_for_anchors_is_written_there() -> None:
    before = "crd: x\nx-a: &a {name: a, input: {}}\ncreate:\n- *a\n"

    assert text_of(written(before, expected=SPEC)) == before.replace(
        "input: {}", "input: {}, expected: {spec: {size: 3}}"
    )


def test_a_case_with_merged_keys_to_remove_is_rewritten() -> None:
    before = "crd: x\nx-a: &a {accepted: true, input: {}}\ncreate:\n- {<<: *a, name: a}\n"

    result = written(before, "accepted", errors=[{"type": "Invalid"}])

    assert text_of(result) == before.replace("{<<: *a, name: a}", "{input: {}, name: a, errors: [{type: Invalid}]}")


def test_answers_of_cases_that_share_one_anchor_must_be_the_same() -> None:
    text = f"{HEAD}- {{name: a, input: {{}}, expected: &e TODO}}\n- {{name: b, input: {{}}, expected: *e}}\n- {{name: c, input: {{}}}}\n"
    corrections = [Correction(name, {"expected": {"spec": {"of": name}}}) for name in ("a", "b", "c")]

    result = casetext.write_corrections(text.encode(), corrections, source="f")

    problem = (
        'create case "a" (line 3) and create case "b" (line 4) share one \'expected\' by the anchor &e, but their answers'
        " differ: give each its own"
    )
    assert result.problems == {"a": problem, "b": problem}
    assert result.content.decode() == text.replace(
        "{name: c, input: {}}", "{name: c, input: {}, expected: {spec: {of: c}}}"
    )


def test_unwritable_cases_do_not_prevent_others() -> None:
    text = (
        f"{HEAD}- {{name: a, input: {{}}, expected: {{spec: &s {{size: 1}}}}}}\n"
        "- {name: b, input: {spec: *s}, expected: {}}\n- {name: c, input: {}}\n"
    )
    corrections = [Correction(name, {"expected": SPEC}) for name in ("a", "c")]

    result = casetext.write_corrections(text.encode(), corrections, source="f")

    assert result.problems == {
        "a": "it cannot be written in place, as others share what is anchored by &s; write it yourself:\n"
        "    expected: {spec: {size: 3}}"
    }
    assert result.content.decode() == text.replace(
        "{name: c, input: {}}", "{name: c, input: {}, expected: {spec: {size: 3}}}"
    )


def test_each_document_must_have_the_expected_value() -> None:
    shared = (
        f"{HEAD}- {{name: a, input: &s {{}}, expected: &e {{spec: {{}}}}}}\n- {{name: b, input: *e, accepted: true}}\n"
    )
    second = "crd: z\ncreate:\n- {name: c, input: {}}\n"

    result = casetext.write_corrections(
        f"{shared}---\n{second}".encode(), [Correction(name, {"expected": SPEC}) for name in ("a", "c")], source="f"
    )

    assert [*result.problems] == ["a"]
    assert result.content.decode() == f"{shared}---\n{second.replace('{}}', '{}, expected: {spec: {size: 3}}}')}"


def test_values_that_would_be_mistakes_are_not_written() -> None:
    text = f"{HEAD}- {{name: a, input: {{}}}}\n"

    result = written(text, errors=[])

    assert result.content.decode() == text
    assert [*result.problems] == ["a"]


def test_cases_without_a_known_place_are_left_and_shown() -> None:
    text = f"{HEAD}- ? name\n  : a\n  ? input\n  : {{}}\n"

    result = written(text, "warnings", expected=SPEC)

    assert result.content.decode() == text
    assert result.problems == {
        "a": "it cannot be written in place; write it yourself and without warnings:\n    expected: {spec: {size: 3}}"
    }


def test_each_document_of_a_file_is_written_by_itself() -> None:
    text = "# none\n---\ncrd: x\ncreate:\n- {name: b, input: {}, expected: {}}\n--- # two\n\ncrd: z\ncreate:\n- name: a\n  input: {}\n---\n"

    result = written(text, expected=SPEC)

    assert text_of(result) == text.replace("  input: {}\n", "  input: {}\n  expected: {spec: {size: 3}}\n")
    assert result.lines == {"b": 5, "a": 10}


def test_json_stays_json() -> None:
    text = '{"crd": "x",\n "create": [\n  {"name": "a", "input": {}, "errors": "TODO"}]}\n'

    result = written(text, errors=[ERROR], pruned=["é"])

    assert text_of(result) == text.replace(
        '"TODO"', '[{"field": "spec.size", "type": "Invalid", "message": "not \\"a\\""}], "pruned": ["é"]'
    )


def test_each_value_of_a_stream_of_json_is_written_by_itself() -> None:
    text = '{"crd": "x", "create": [{"name": "b", "input": {}, "expected": {}}]}\n\n{"crd": "x",\r\n"create": [{"name": "a", "input": {}}]}'

    result = written(text, expected=SPEC)

    assert text_of(result) == text.removesuffix("}]}") + '}, "expected": {"spec": {"size": 3}}}]}'[1:]
    assert result.lines == {"b": 1, "a": 4}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            '{"crd": "x\\/y", "create": [{"name": "a", "input": {}}]}\n', id="an escape that YAML does not know"
        ),
        pytest.param('{"crd": "\\ud83d\\ude00", "create": [{"name": "a", "input": {}}]}\n', id="halves of a character"),
        pytest.param(
            '{"crd": "x", "create": [{"name": "a", "input": {}}]}\ncrd: x\ncreate: [{name: b, input: {}, expected: {}}]\n',
            id="JSON, and then YAML",
        ),
    ],
)
def test_json_with_another_meaning_in_yaml_is_left_with_advice(text: str) -> None:
    result = written(text, expected=SPEC)

    assert result.content.decode() == text
    assert result.problems == {
        "a": "it cannot be written in place, as only a part of the file is JSON, or YAML reads it otherwise; write it"
        " yourself:\n    expected: {spec: {size: 3}}"
    }


def test_a_file_in_brackets_is_yaml_all_the_same() -> None:
    text = "{crd: x, create: [{name: a, input: {}}]} # all\n"

    assert text_of(written(text, expected=SPEC)) == text.replace("{}}", "{}, expected: {spec: {size: 3}}}")


TEXTS = """\
- name: a
  input: {}
  expected:
    text: | # lines
      one
      two

    list:
    - k: v # in
      l: w
    - x
"""


@pytest.mark.parametrize(
    ("new", "old_part", "new_part"),
    [
        pytest.param(
            {"text": "three\nfour\n", "list": [{"k": "v", "l": "w"}, "x"]},
            "| # lines\n      one\n      two",
            "| # lines\n      three\n      four",
            id="a text of several lines",
        ),
        pytest.param(
            {"text": "one\ntwo\n", "list": [{"m": 1}, "x"]},
            "k: v # in\n      l: w",
            "m: 1 # in",
            id="an item that is a block",
        ),
        pytest.param(
            {"text": "one\ntwo\n", "list": ["z", "x"]},
            "k: v # in\n      l: w",
            "z # in",
            id="an item that is one no longer",
        ),
        pytest.param(
            {"text": "one\ntwo\n", "list": {"m": [LONG["spec"]]}},
            "    list:\n    - k: v # in\n      l: w\n    - x\n",
            '    list:\n    # in\n      m:\n      - left: "the text of left, which is long"\n        right: "the text of right, which is long"\n'
            '        middle: "the text of middle, which is long"\n',
            id="a list becomes a block",
        ),
    ],
)
def test_blocks_make_way_for_other_values(new: Mapping[str, Any], old_part: str, new_part: str) -> None:
    assert text_of(written(HEAD + TEXTS, expected=new)) == HEAD + TEXTS.replace(old_part, new_part, 1)


def test_keys_are_taken_away() -> None:
    text = f"{HEAD}- accepted: true # so far\n  name: a\n  input: {{}}\n  absent: [b]\n  # last\n"

    result = written(text, "accepted", "absent", errors=[ERROR])

    assert text_of(result) == (
        f"{HEAD}- name: a\n  input: {{}}\n"
        "  # so far\n  errors:\n  - {field: spec.size, type: Invalid, message: 'not \"a\"'}\n  # last\n"
    )
