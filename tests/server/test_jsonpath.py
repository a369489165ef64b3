"""JSONPath of printer columns."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_crd.server import jsonpath
from pytest_crd.server.jsonpath import JSONPathError

VALUE = {
    "spec": {
        "a.b": 1,
        "list": [{"n": 1, "k": "x"}, {"n": 2, "k": "y"}, {"k": "z"}],
        "deep": {"v": True},
        "two words": 3,
    },
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        pytest.param(".spec.deep.v", [True], id="field"),
        pytest.param(r".spec.a\.b", [1], id="escaped field"),
        pytest.param(".spec['a.b']", [1], id="quoted field"),
        pytest.param('.spec["two words"]', [3], id="field in double quotes"),
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
def test_a_path_leads_to_values(path: str, found: list[Any]) -> None:
    assert jsonpath.find(VALUE, path) == found


@pytest.mark.parametrize("path", [".spec[", ".spec..a", "{.spec}", ".spec[?(@.a==b)]"])
def test_a_path_that_is_not_known_is_an_error(path: str) -> None:
    with pytest.raises(JSONPathError):
        jsonpath.find(VALUE, path)
