"""Escapes of users' values: line breaks, control characters, and commands of code hosts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_crd.engine.inputerror import Mistake
from pytest_crd.wording import escape, escape_lines


@pytest.mark.parametrize(
    ("value", "escaped"),
    [
        ("spec.size", "spec.size"),
        ("größe …", "größe …"),
        ("a::b", "a::b"),
        ("a\n::error::x", "a\\n::error::x"),
        ("::error::x", "\\u003a:error::x"),
        (" \t::error::x", " \t\\u003a:error::x"),
        ("\u00a0::x", "\\u00a0::x"),
        ("a\r::x", "a\\r::x"),
        ("see ##[error]x", "see \\u0023#[error]x"),
        ("##VSO[task.x]", "\\u0023#VSO[task.x]"),
        ("##teamcity[x", "\\u0023#teamcity[x"),
        ("## a [b]", "## a [b]"),
        ("\x1b[31m\u202e", "\\u001b[31m\\u202e"),
        ("s\udcff.yaml", "s\\udcff.yaml"),
    ],
)
def test_a_value_is_one_line_that_no_code_host_obeys(value: str, escaped: str) -> None:
    assert escape(value) == escaped


@given(st.text(alphabet=st.sampled_from("a:#[]\n\r \t\x1b\u2028\udcff")))
def test_no_text_has_a_command_and_none_is_lost(text: str) -> None:
    lines = escape_lines(text).split("\n")

    assert len(lines) == text.count("\n") + 1
    for line in lines:
        assert not line.strip().startswith("::")
        assert "##[" not in line
        assert "\r" not in line
        assert "\x1b" not in line
        line.encode()
    assert json.loads(f'"{escape(text).replace(chr(9), " ")}"') == text.replace("\t", " ")


def test_a_coloured_text_keeps_its_colours_alone() -> None:
    assert escape_lines("\x1b[31ma\x1b[0m\n::x", is_coloured=True) == "\x1b[31ma\x1b[0m\n\\u003a:x"


def test_a_mistake_is_printed_with_escapes() -> None:
    assert str(Mistake("a\n::x.yaml", 3, "b\n::c")) == "a\\n::x.yaml:3: b\n\\u003a:c"
    assert str(Mistake("::x.yaml", 0, "b")) == "\\u003a:x.yaml: b"
