"""JSONPath of printer columns."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server.tables import jsonpath
from pytest_crd.server.tables.jsonpath import JSONPathError
from pytest_crd.server.tables.jsonpathsteps import UnsupportedStepError

VALUE: dict[str, Any] = {
    "spec": {
        "a.b": 1,
        "list": [{"n": 1, "k": "x"}, {"n": 2, "k": "y"}, {"k": "z"}],
        "deep": {"v": True},
    },
}


@pytest.mark.parametrize("operator", ["==", ">="])
def test_a_comparison_needs_a_second_operand(operator: str) -> None:
    with pytest.raises(JSONPathError, match="unrecognized character in action: '='"):
        jsonpath.find_values(VALUE, f".spec.list[?(@.n{operator})]")


@pytest.mark.parametrize(
    ("path", "result"),
    [
        pytest.param(".spec.deep.v", [True], id="field"),
        pytest.param(r".spec.a\.b", [1], id="escaped field"),
        pytest.param(".spec['a.b']", [], id="quoted field with a dot"),
        pytest.param(r".spec['a\.b']", [1], id="quoted field with an escaped dot"),
        pytest.param(".spec.list[0].k", ["x"], id="index"),
        pytest.param(".spec.list[-1].k", ["z"], id="index from the end"),
        pytest.param(".spec.list[7].k", [], id="index beyond"),
        pytest.param(".spec.list[1:].k", ["y", "z"], id="slice"),
        pytest.param(".spec.list[:2].n", [1, 2], id="slice to"),
        pytest.param(".spec.list[0:3:2].k", ["x", "z"], id="slice by"),
        pytest.param(".spec.list[*].n", [1, 2], id="all items"),
        pytest.param(".spec.deep.*", [True], id="all fields"),
        pytest.param(".spec.deep.v[*]", [], id="all of a scalar"),
        pytest.param('.spec.list[?(@.k=="y")].n', [2], id="equal"),
        pytest.param(".spec.list[?(@.n != 1)].k", ["y"], id="not equal"),
        pytest.param(".spec.list[?(@.n>1)].k", ["y"], id="greater"),
        pytest.param(".spec.list[?(@.n>=1)].k", ["x", "y"], id="not less"),
        pytest.param(".spec.list[?(@.n<2)].k", ["x"], id="less"),
        pytest.param(".spec.list[?(@.n<=2)].k", ["x", "y"], id="not greater"),
        pytest.param(".spec.list[?(@.k>1)].k", [], id="a text beside a number"),
        pytest.param(".spec.list[?(@.n)].k", ["x", "y"], id="there"),
        pytest.param(".spec.deep[?(@.v==true)]", [], id="filter of an object"),
        pytest.param(".spec.list.k", [], id="field of a list"),
        pytest.param(".spec.deep[0]", [], id="index of an object"),
        pytest.param(".spec.deep[1:]", [], id="slice of an object"),
        pytest.param("", [VALUE], id="nothing"),
    ],
)
def test_paths_lead_to_values(path: str, result: list[Any]) -> None:
    assert jsonpath.find_values(VALUE, path) == result


@pytest.mark.parametrize(
    ("path", "result"),
    [
        pytest.param("..v", [True], id="any depth"),
        pytest.param(".spec..k", ["x", "y", "z"], id="any depth below"),
        pytest.param(".spec.deep..", [{"v": True}], id="any depth, ending there"),
        pytest.param(".spec.list[0,2].k", ["x", "z"], id="union of items"),
        pytest.param(".spec.deep['v', 'w']", [True], id="union of fields"),
        pytest.param(".spec.list['a',0].k", ["x"], id="union with a field of a list"),
        pytest.param(".spec.list[0,7].k", [], id="union that fails"),
        pytest.param(".spec.list[?(@['k']==\"x\")].n", [1], id="quoted field in a condition"),
        pytest.param(".spec...list[0].k", ["x"], id="any depth, then a field"),
        pytest.param(".spec.*[0].k", [], id="index of null and others"),
        pytest.param(".spec.list[:-1].k", ["x", "y"], id="slice to the last"),
        pytest.param(".spec.deep.v} and {.spec.deep.w", [True], id="two actions"),
        pytest.param(".", [], id="field without a name"),
        pytest.param(".spec.deep.v ", [True], id="space at the end"),
        pytest.param("$.spec.deep.v", [True], id="root"),
        pytest.param(".spec.list[0:0].k", [], id="slice of nothing"),
        pytest.param(".spec.list[].k", ["x"], id="brackets without an index"),
        pytest.param(".spec.list[::-1].k", [], id="backward slice"),
        pytest.param(".spec.list[2:1].k", [], id="slice from behind its end"),
        pytest.param(".spec.list[0:9].k", [], id="slice beyond the end"),
        pytest.param(".spec.none[0]", [], id="index of null"),
        pytest.param(".spec.none[?(@.a)]", [], id="filter of null"),
        pytest.param(".spec.list[?(@.k==y)].k", [], id="comparison with a word"),
        pytest.param(".spec.list[?(@.k==@.k)].n", [1, 2], id="comparison of fields"),
        pytest.param(".spec.list[?(@.k=='x')]..n", [1], id="any depth below a filter"),
        pytest.param(".spec.list[?(@.k[3])].k", ["x", "y", "z"], id="condition that fails with values"),
        pytest.param(".spec.list[?(@..k=='x')].k", ["x"], id="condition at any depth"),
        pytest.param(".spec.list[?(@.*=='x')].k", [], id="comparison of several values"),
        pytest.param(".spec.list[?(@.k=='y')].n", [2], id="single quotes"),
        pytest.param(r".spec.list[?(@.k=='\x78')].n", [1], id="escape"),
        pytest.param(r".spec.list[?(@.k=='\u0078')].n", [1], id="escape of a code point"),
        pytest.param(r".spec.list[?(@.k!='\'\n')].n", [1, 2], id="escape of a quote"),
        pytest.param(".spec.list[?(@.n==1.0)].k", [], id="an integer beside a float"),
        pytest.param(".spec.list[?(@.n=!1)].k", [], id="unknown operator"),
        pytest.param(".spec.flags[?(@.on==true)].on", [True], id="equal booleans"),
        pytest.param(".spec.flags[?(@.on>false)].on", [], id="booleans have no order"),
        pytest.param("5", [5], id="number"),
        pytest.param("-1.5", [-1.5], id="float"),
        pytest.param("'a'", ["a"], id="text"),
        pytest.param("word", [], id="unknown word"),
        pytest.param(".spec.deep.word.*", [], id="all fields of nothing"),
        pytest.param(".spec.text.*", [104, 105], id="all bytes of a text"),
        pytest.param("..text", ["hi"], id="any depth of texts"),
        pytest.param(".spec.deep.v} and", [True], id="text behind the braces"),
    ],
)
def test_paths_lead_to_the_values_of_kubernetes(path: str, result: list[Any]) -> None:
    value = {"spec": {**VALUE["spec"], "none": None, "flags": [{"on": True}, {"on": False}], "text": "hi"}}

    assert jsonpath.find_values(value, path) == result


@pytest.mark.parametrize(
    "path",
    [
        ".spec[", "{.spec}", '.spec["a.b"]', ".spec.list[?(@['k']==\"x\")", ".a[?(@.b]", '.a[?(@.b=="x]', ".a[x]", ".a[-]", "\t",
        ".a\n.b", "'open", r"'\q'", r"'\UFFFFFFFF'", "1.2.3", "%", ".a[99999999999999999999]", ".a[?(@.b)x", ".a[0,x]", ".spec....v",
    ],
)  # fmt: skip
def test_unparsable_paths_are_errors(path: str) -> None:
    assert not jsonpath.is_valid(path)
    with pytest.raises(JSONPathError):
        jsonpath.find_values(VALUE, path)


def test_ranges_are_not_evaluated() -> None:
    with pytest.raises(UnsupportedStepError, match="'range' is not evaluated"):
        jsonpath.find_values(VALUE, "range .spec.list[*]")


def test_an_end_without_a_range_reaches_nothing() -> None:
    assert jsonpath.find_values(VALUE, ".spec} {end") == []


def test_bytes_of_strings_are_no_json_numbers() -> None:
    column = {"name": "X", "type": "number", "jsonPath": ".x.*"}
    version = {"name": "v1", "served": True, "storage": True, "additionalPrinterColumns": [column]}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    server = servers.api(servers.crd(versions=[{**version, "schema": schema}]))
    body = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "x": "web"}
    path = "/apis/example.com/v1/namespaces/default/things"
    answer = servers.ask(server, "POST", path, body, accept="application/json;as=Table;g=meta.k8s.io;v=v1")
    assert answer.value["rows"][0]["cells"] == ["a", None]
