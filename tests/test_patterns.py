"""Regular expressions for foreign texts end quickly, even on texts that provoke backtracking."""

from __future__ import annotations

import base64

import pytest

from pytest_crd.cases import strays
from pytest_crd.checks import samplefiles
from pytest_crd.engine.crds import cabundle
from pytest_crd.engine.yaml import manifest
from pytest_crd.plugin.settings import inilines
from pytest_crd.server.tables import jsonpath

# Quadratic work would take hours.
_MANY = 1_000_000


@pytest.mark.parametrize("path", ["[?(@" + "." * 200, "[?(@.a==1" + " " * _MANY, "[?(@" + " " * _MANY + "x"])
def test_an_open_filter_is_no_json_path(path: str) -> None:
    with pytest.raises(jsonpath.JSONPathError):
        jsonpath.find_values({"a": [{"a": 1}]}, f".a{path}")


@pytest.mark.parametrize(
    "path",
    [".a[?(@.b=='x == y')]", ".a[?(@.c.d[0] > 0 )]", ".a[?(@.b)]", ".a[?( @.b )]"],
)
def test_a_filter_selects_items(path: str) -> None:
    item = {"b": "x == y", "c": {"d": [1]}}

    assert jsonpath.find_values({"a": [{}, item]}, path) == [item]


@pytest.mark.parametrize("text", [b"{{\n" * _MANY, b"{" * _MANY])
def test_open_actions_are_no_template(text: bytes) -> None:
    assert not manifest.is_template(text)


def test_actions_on_lines_and_in_values_are_a_template() -> None:
    assert manifest.is_template(b"{{\n" * _MANY + b"}} x\n")
    assert manifest.is_template(b"{{- if .a }}\na: {{ .b }}\n{{- end }}\nb: {{ .c }}-{{ .d }}\n")


def test_open_variables_are_no_variables() -> None:
    assert not samplefiles._has_variables(b"${" * _MANY)
    assert samplefiles._has_variables(b"a: ${b}\n")


def test_open_blocks_are_no_bundle() -> None:
    text = "-----BEGIN A-----\n" * (_MANY // 10) + "-----END B-----\n"

    assert "unable to parse bytes as PEM block" in cabundle.problem_of(base64.b64encode(text.encode()).decode())


def test_undeclared_fields_are_found_behind_a_key_of_many_dots() -> None:
    message = (
        f"a: .spec{'.' * _MANY}: x .spec.a: field not declared in schema\n.spec.b[0].c: field not declared in schema"
    )

    assert [name[:-1].partition(".")[2] for name in strays._UNDECLARED.findall(message)] == [
        "spec.a",
        "spec.b[0].c",
    ]


def test_a_section_of_blanks_has_no_end() -> None:
    assert inilines._SECTION.match("[" + " " * _MANY) is None
    section = inilines._SECTION.match(" [[ tool.pytest ]]")
    assert section is not None
    assert section[1].strip() == "tool.pytest"
