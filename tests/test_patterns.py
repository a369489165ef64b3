"""Proofs that the regular expressions of the package end in linear time, and that users' expressions run in RE2."""

from __future__ import annotations

import base64
import fnmatch
import json
import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final

import pytest
from support import backtracking, patternuses

from pytest_crd.cases import strays
from pytest_crd.checks import fieldlines, samplefiles
from pytest_crd.coverage import lines
from pytest_crd.discovery import helmtemplates, kustomizepatches, tags
from pytest_crd.engine.cel.text.syntax import trees
from pytest_crd.engine.crds import cabundle
from pytest_crd.engine.golang import pem
from pytest_crd.engine.golang.regexp.patterntree import PatternError
from pytest_crd.engine.yaml import manifest
from pytest_crd.plugin.items import casefiles
from pytest_crd.plugin.settings import inilines
from pytest_crd.server.builtin.validation import keypairs
from pytest_crd.server.tables import jsonpath
from pytest_crd.synthesis.rulegoals import assignments

# Quadratic work would take hours.
_MANY = 1_000_000

_SCHEMA: Final = json.loads((patternuses.PACKAGE / "cases/case-file.schema.json").read_text("utf-8"))


def _schema_patterns(node: Any) -> set[str]:
    """Return the patterns in the schema of case files; `jsonschema` searches for them."""
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    own = {node["pattern"]} if isinstance(node, dict) and isinstance(node.get("pattern"), str) else set()
    return own.union(*map(_schema_patterns, children))


def _format_patterns() -> list[str]:
    source = (patternuses.PACKAGE / "engine/formats/stringformats.py").read_text("utf-8")
    calls = re.findall(r"= _matches\(((?:\s*r\".*\")+\s*)\)\n", source)
    return [eval(f"({call})") for call in calls]  # noqa: S307 - source of the package


# Values of the names in expressions that are built at run time. Texts of users are escaped there.
_BUILT: Final[Mapping[str, Sequence[Mapping[str, Any]]]] = {
    "cases/strays.py": [{"path": "spec.a"}],
    "cases/formcheck.py": [{"pattern": item} for item in _schema_patterns(_SCHEMA)],
    "cases/diagnosis.py": [{"flaw": SimpleNamespace(demand={"pattern": item})} for item in _schema_patterns(_SCHEMA)],
    "checks/samplefiles.py": [{"kinds": "Widget|Gadget"}],
    "cli/fluxvariables.py": [
        *({"pattern": item} for item in (r"\w+", r"/+", r":+")),
        *({"pattern": rf"(?:(?!\$\{{){letter})+"} for letter in (r"[^}]", r"[^:}]")),
        *({"pattern": rf"(?:\\[/\\]|\$\$|(?!\$\{{){letter})+"} for letter in (r"[^/]", r"[^}]")),
    ],
    "engine/formats/stringformats.py": [{"pattern": pattern} for pattern in _format_patterns()],
    "live/grouprenaming.py": [{"self": SimpleNamespace(group="a.example.com"), "namespace": "b"}],
    "plugin/fixtures.py": [{"name": "crd"}],
    "plugin/items/casefiles.py": [{"names": [fnmatch.translate("*.crd.yaml"), fnmatch.translate("a[b-d]?.yml")]}],
    "server/protobuf/anyyaml.py": [{"text": "."}, {"text": "0"}],
}
# Expressions without an automatic proof: they match at an index, and another call never reads the same characters.
_BY_HAND: Final = {
    ("casefiles/yamlspans.py", "_PROPERTIES"): "begins at a node, and ends before its content",
    ("casefiles/yamlspans.py", "_KEEPING"): "begins at a node, and ends before its content",
    ("engine/yaml/marks.py", "_PROPERTIES"): "begins at a node, and ends before its content",
    (
        "discovery/headings.py",
        "_SCHEMA",
    ): "each line is read at most three times, and none a second time after a failure",
    ("checks/openvalues.py", "_WHOLE"): "begins at a word self, and ends with the next name",
    ("plugin/items/casefiles.py", ""): "the folders are read once, without a return; a name has no slash",
    ("engine/yaml/yamlstream.py", "_EMPTY_LINE"): "begins at a line, and ends with it",
    ("engine/golang/mime.py", "_PARAMETER"): "begins at the end of the last match; the first failure ends the search",
    ("engine/formats/emails.py", "_DOT_ATOM"): "the parser returns at most once from an address to its start",
    ("engine/formats/emails.py", "_QUOTED"): "the parser returns at most once from an address to its start",
    ("engine/cel/text/lexer.py", "_TOKEN"): "always matches; a literal without an end is read up to the next quote",
}


@pytest.mark.long
def test_no_expression_backtracks_for_longer_than_linear_time() -> None:
    uses = [*patternuses.find_uses(_BUILT)]

    assert len({use.pattern for use in uses}) > 250
    assert _BY_HAND.keys() <= {(use.module, use.name) for use in uses}
    assert not {
        f"{use.module}: {use.method} of {use.pattern!r} with {pump!r}"
        for use in uses
        if (use.module, use.name) not in _BY_HAND
        and (pump := backtracking.find_pump(use.pattern, use.flags, use.method))
    }


def test_expressions_are_compiled_by_the_module_re_alone() -> None:
    others = re.compile(r"^ *(?:from re\b|import re as|(?:from|import) (?:regex|sre_\w+)\b)", re.MULTILINE)

    assert not [path for path in patternuses.PACKAGE.rglob("*.py") if others.search(path.read_text("utf-8"))]


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        ("(a+)+b", "match"),
        ("(a|a)*b", "fullmatch"),
        ("(a*)*b", "match"),
        (r"\s*\s*x", "match"),
        (r"\s+$", "search"),
        (r"\{\{.*?\}\}", "finditer"),
        (r"^\s*x", "search"),
        (r"\[[^\]]*\]", "sub"),
        (r"(?:[^x]|\\.)*x", "match"),
        (r"(?:ab|a|b)*c", "match"),
        (r"a(?:[ab]*c)?", "finditer"),
    ],
)
def test_an_expression_that_backtracks_is_found(pattern: str, method: str) -> None:
    flags = re.MULTILINE if pattern.startswith("^") else 0

    assert backtracking.find_pump(pattern, flags, method)


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        ("a+b", "match"),
        ("a+", "search"),
        (r"(?<!a)a+b", "search"),
        ("a++b|c", "match"),
        (r"\[[^\[\]]*\]", "sub"),
        (r"\b\w+\b", "findall"),
        (r"\A\s*x", "search"),
        (r'"(?:[^"\\]|\\.)*"?', "findall"),
        (r"a{1,63}b", "search"),
    ],
)
def test_an_expression_in_linear_time_is_proven(pattern: str, method: str) -> None:
    assert not backtracking.find_pump(pattern, 0, method)


@pytest.mark.parametrize("pattern", [r"(a+)\1", r"a(?=.*b)"])
def test_an_expression_that_the_proof_does_not_cover_is_an_error(pattern: str) -> None:
    with pytest.raises(backtracking.UnprovenError):
        backtracking.find_pump(pattern, 0, "match")


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


def test_braces_without_end_are_no_actions_of_a_template() -> None:
    text = f"# {'{{' * _MANY}"

    assert helmtemplates.remove_actions(text) == text


def test_targets_of_a_kustomization_match_whole_names_in_linear_time() -> None:
    assert not kustomizepatches.matches("(a+)+b", "a" * _MANY)
    assert kustomizepatches.matches("a|b", "b")
    assert not kustomizepatches.matches("a|b", "ab")
    with pytest.raises(PatternError):
        kustomizepatches.matches("(?=a)", "a")


def test_blank_lines_are_no_case_file() -> None:
    assert casefiles._CASE_FILE.search(b"\n" * _MANY) is None
    assert casefiles._CASE_FILE.search(b'\n  {\n "crd": "a.yaml"}')


def test_comments_that_resemble_an_exclusion_may_repeat() -> None:
    assert not lines._is_misspelt("# crd: no cov " * (_MANY // 10) + "'")
    assert lines._is_misspelt("a: 'b' # crd: no-cover x")


def test_a_sentence_may_name_an_open_path_many_times() -> None:
    assert fieldlines._PATH.search("spec[" * _MANY) is None


def test_begins_without_end_are_no_certificate() -> None:
    text = b"-----BEGIN A-----\n" * _MANY

    assert keypairs.find_problem(text, text) == "tls: failed to find any PEM data in certificate input"


def test_the_version_of_a_tag_extends_to_its_end() -> None:
    assert tags._find_version("1-" * (_MANY // 10) + "_") is None
    assert tags._find_version("a+b-v1.2.3-rc.1+c") == (5, "1.2.3", "rc.1")
    assert tags._find_version("c+-1.0") == (3, "1.0", "")
    assert tags._find_version("1.0-") is None


def test_parts_of_a_sum_are_found_without_backtracking() -> None:
    assert assignments._split("a" * 10_000, "", *("a",) * 20, "b") is None
    assert assignments._split("p-q-r", "p", "-", "r") == ["-q", ""]
    assert assignments._split("pq", "", "-", "") is None


def test_an_index_that_nothing_closes_is_a_verb() -> None:
    assert trees.misformat("%[" * 3) == "%![(MISSING)" * 3
    assert trees.misformat("%[1]d") == "%!d(BADINDEX)"


def test_pem_blocks_are_read_as_in_go() -> None:
    begin, end = b"-----BEGIN A-----", b"-----END A-----"
    texts = {
        begin + b"\nQQ==\n" + end: [(b"A", False, b"A")],
        begin + b"\nx: y\n\nQQ==\n" + end + b" \r\n": [(b"A", True, b"A")],
        begin + b"\n" + begin + b"\nQQ==\n" + end: [(b"A", False, b"A")],
        begin + b"\n" + end: [(b"A", False, b"")],
        begin + b"\nx: y\n" + end: [],
        begin + b"\nQQ=\n" + end: [],
        begin + b"\nQQ==\n" + end + b"x": [],
        begin + b"\nQQ==\n-----END B-----": [],
        b"x" + begin + b"\nQQ==\n" + end: [],
        begin + b"\n-----END x: y\n\n" + begin + b"\nQQ==\n" + end: [],
        begin + b"\nx: y\n-----END x: y\n\n" + begin + b"\nQQ==\n" + end: [],
        b"-----BEGIN A\n-----END x: y\n\n" + begin + b"\nQQ==\n" + end: [(b"A", False, b"A")],
    }

    assert {text: [block[:3] for block in pem.find_blocks(text)] for text in texts} == texts
