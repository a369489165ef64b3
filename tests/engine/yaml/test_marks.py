"""Places of values: lines, looked up with work that grows with the number of keys, and characters in all styles of scalars."""

from __future__ import annotations

import json
import sys
from types import FrameType

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_crd.engine.yaml import marks, yamlreader


def _calls_for_lines(count: int) -> int:
    """Return the function calls that the lines of *count* keys take."""
    [document] = yamlreader.read("spec:\n" + "".join(f"  k{index}: 1\n" for index in range(count)), source="a.yaml")
    calls = 0

    def note(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        # A garbage collection meanwhile calls functions of others.
        calls += event == "call" and frame.f_globals["__name__"].startswith("pytest_crd.")

    sys.setprofile(note)
    try:
        lines = [document.line_of(("spec", f"k{index}")) for index in range(count)]
    finally:
        sys.setprofile(None)
    assert lines == [*range(2, count + 2)]
    return calls


def test_the_work_of_all_lines_grows_with_the_number_of_keys() -> None:
    assert _calls_for_lines(400) < 5 * _calls_for_lines(100)


def test_the_line_of_a_duplicate_key_is_that_of_the_last() -> None:
    [document] = yamlreader.read("a: 1\nb: 2\na: 3\n", source="a.yaml")

    assert document.line_of(("a",)) == 3
    assert document.line_of(("c",)) == 1


STYLES = ["|", ">", "'", '"', None]
# Characters that YAML writes as they are, also in double quotes.
TEXT = st.text(st.sampled_from("abc.()=&|\"'\\ \n#:é😀"), min_size=1, max_size=60)


def _marked(written: str, value: str, mark: str = "@") -> tuple[int, int] | None:
    """Return where the *mark* of the string `rule` stands, which says *value*."""
    (document,) = yamlreader.read(written)
    assert document.value["rule"] == value
    return document.place_of(("rule",), value.index(mark))


@pytest.mark.parametrize(
    ("written", "value", "place"),
    [
        ("rule: a == @b\n", "a == @b", (1, 12)),
        ("other: 1\nrule: a ==\n  @b\n", "a == @b", (3, 3)),
        ("rule: 'a''s == @b'\n", "a's == @b", (1, 16)),
        ('rule: "a\\n\\t\\x20\\"\\u00e9\\U0001f600 @b"\n', 'a\n\t "é😀 @b', (1, 36)),
        ('rule: "a \\\n    @b"\n', "a @b", (2, 5)),
        ("rule: |\n  a\n    && @b\n", "a\n  && @b\n", (3, 8)),
        ("rule: |2- # why\n    a\n   @b", "  a\n @b", (3, 4)),
        ("rule: >-\n  a &&\n  c\n\n  && @b\n", "a && c\n&& @b", (5, 6)),
        ("rule: &r\n  !!str # why\n  # and so on\n  >\n  a &&\n  @b\n", "a && @b\n", (6, 3)),
        ("x: &r a == @b\nrule: *r\n", "a == @b", (1, 12)),
        ("😀: 1\nrule: '😀 @b'\n", "😀 @b", (2, 10)),
        ("# a\n---\nrule: a == @b\n", "a == @b", (3, 12)),
        ('{"rule": "a \\u00e9\\ud83d\\ude00\\/ @b"}', "a é😀/ @b", (1, 34)),
        ('{\n  "other": {"rule": 1},\n  "rule": "a\\n@b"}', "a\n@b", (3, 15)),
    ],
)
def test_a_character_is_found_through_quotes_escapes_folding_and_indentation(
    written: str, value: str, place: tuple[int, int]
) -> None:
    assert _marked(written, value) == place


@pytest.mark.parametrize(
    ("offset", "column"),
    [(0, 8), (1, 9), (2, 9), (3, 13)],
    ids=["first", "first blank", "second blank", "behind blanks"],
)
def test_blanks_are_found_behind_the_character_before_them(offset: int, column: int) -> None:
    (document,) = yamlreader.read('rule: "a\\n\\tb"\n')

    assert document.place_of(("rule",), offset) == (1, column)


def test_the_end_is_found_behind_the_last_character() -> None:
    (document,) = yamlreader.read("rule: >\n  a &&\n  b\n")

    assert document.place_of(("rule",), 6) == (3, 4)


def test_a_leading_blank_is_found_at_the_first_character() -> None:
    (document,) = yamlreader.read('rule: "  a"\n')

    assert document.place_of(("rule",), 0) == (1, 10)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("rule: !!binary aGVsbG8=\n", ("rule",)),
        ("rule: ''\n", ("rule",)),
        ("rule: [a]\n", ("rule",)),
        ("rule: a\n", ("message",)),
        ("rule: a\n", ("rule", "message")),
    ],
    ids=["base64", "empty", "a list", "not there", "below a text"],
)
def test_values_that_are_not_plain_strings_have_no_places(written: str, path: tuple[str, ...]) -> None:
    (document,) = yamlreader.read(written)

    assert document.place_of(path, 0) is None


@pytest.mark.parametrize("value", ["rule", "self.max"], ids=["other characters", "more characters"])
def test_a_value_that_differs_from_the_text_has_no_places(value: str) -> None:
    assert marks.find_in_scalar("self", 0, value, len(value) - 1) is None


@given(before=TEXT, after=TEXT, style=st.sampled_from(STYLES), width=st.sampled_from([10, 80]))
def test_characters_are_found_in_all_styles_of_yaml_scalars(
    before: str, after: str, style: str | None, width: int
) -> None:
    value = f"{before}@{after}"
    written = yaml.dump({"a": [1], "rule": value}, default_style=style, width=width, allow_unicode=True)
    # PyYAML folds some lines that begin with a blank so that nothing reads them back.
    assume(yaml.safe_load(written)["rule"] == value)

    place = _marked(written, value)

    assert place is not None
    assert written.split("\n")[place[0] - 1][place[1] - 1] == "@"


@given(before=TEXT, after=TEXT, indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_characters_are_found_in_json(before: str, after: str, indent: int | None, ascii_only: bool) -> None:  # noqa: FBT001 - drawn
    value = f"{before}@{after}"
    written = json.dumps({"a": [1], "rule": value}, indent=indent, ensure_ascii=ascii_only)

    place = _marked(written, value)

    assert place is not None
    assert written.split("\n")[place[0] - 1][place[1] - 1] == "@"
