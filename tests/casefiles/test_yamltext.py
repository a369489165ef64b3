"""Any value is written so that the server, YAML 1.1 and YAML 1.2 read the same one."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_crd.casefiles import yamltext
from pytest_crd.engine import jsonvalue
from pytest_crd.engine.yaml import yamlreader

TEXTS = st.one_of(
    st.text(max_size=20),
    st.text(alphabet="ab:-[]{}&*<>|!#%'\"\n \t5~,?=@`\\", max_size=12),
    st.from_regex(r"[0-9+._eExobyYnN:-]{1,8}", fullmatch=True),
    st.sampled_from(
        ["yes", "Off", "null", "~", "<<", "=", "y", "1e3", "0o17", "10Mi", "2001-01-01", "a\n", "a\n b\n\nc", "\ufeff"]
    ),
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).map(jsonvalue.number)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


@given(value=VALUES, indent=st.integers(0, 5), width=st.integers(0, 140))
def test_written_text_is_read_again(value: Any, indent: int, width: int) -> None:
    lines = yamltext.entry("key", value, indent, width=width)

    read = yamlreader.read("\n".join(["a:", *(f" {line}" for line in lines), ""]))[0].value

    assert jsonvalue.equal(read, {"a": {"key": jsonvalue.from_python(value)}})
    assert jsonvalue.equal(yamlreader.read(f"a: {yamltext.flow(value)}\n")[0].value["a"], read["a"]["key"])


@given(TEXTS)
def test_no_text_is_taken_for_something_else_by_other_readers(text: str) -> None:
    assert yaml.safe_load(f"- {yamltext.flow(text)}") == [text]


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(1e21)
@example(-1e-7)
@example(1.5e300)
def test_no_number_is_taken_for_a_text_by_other_readers(number: float) -> None:
    assert yaml.safe_load(f"- {yamltext.flow(number)}") == [number]


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ({"spec": {"a": 1}}, ["key: {spec: {a: 1}}"]),
        ({}, ["key: {}"]),
        ([], ["key: []"]),
        (["spec.a", "spec.b[0]"], ['key: [spec.a, "spec.b[0]"]']),
        ([{"a": 1}, {}], ["key:", "- {a: 1}", "- {}"]),
        ([[1], []], ["key:", "- [1]", "- []"]),
        ({"a": "one\ntwo\n"}, ["key:", "  a: |", "    one", "    two"]),
        ("one\n\ntwo", ["key: |-", "  one", "", "  two"]),
        (" one\ntwo", [r'key: " one\ntwo"']),
        (["one\ntwo"], ["key:", r'- "one\ntwo"']),
        ('say "a"', ["key: 'say \"a\"'"]),
        ("it's", ['key: "it\'s"']),
        ("10Mi", ["key: 10Mi"]),
        ("1e3", ['key: "1e3"']),
        ("no", ['key: "no"']),
        ("@daily", ['key: "@daily"']),
        ("\x07\u2028", ['key: "\\u0007\\u2028"']),
        ([{"a": []}, [[], [{}]]], ["key:", "- {a: []}", "- - []", "  - [{}]"]),
        (None, ["key: null"]),
        (True, ["key: true"]),
        (1.5, ["key: 1.5"]),
    ],
)
def test_values_look_as_a_person_would_write_them(value: Any, lines: list[str]) -> None:
    assert yamltext.entry("key", value) == lines


def test_long_values_become_blocks() -> None:
    assert yamltext.block({"a": {"b": [1, 2], "c": {"d": 1}}}, 2, width=12) == [
        "  a:",
        "    b:",
        "    - 1",
        "    - 2",
        "    c:",
        "      d: 1",
    ]


def test_long_lists_take_few_lines() -> None:
    items = [{"name": f"item-{index}"} for index in range(20)]
    lines = yamltext.entry("a", items, 2, width=80)

    assert lines[:2] == [
        "  a: [{name: item-0}, {name: item-1}, {name: item-2}, {name: item-3},",
        "    {name: item-4}, {name: item-5}, {name: item-6}, {name: item-7},",
    ]
    assert len(lines) == 5
    assert yamlreader.read("\n".join(lines))[0].value == {"a": items}
    assert len(yamltext.entry("a", items, 2, width=30)) == 21


@pytest.mark.parametrize("value", [{}, [], "a", 1])
def test_a_scalar_or_empty_value_is_one_line(value: Any) -> None:
    assert yamltext.block(value, 2) == [f"  {yamltext.flow(value)}"]
