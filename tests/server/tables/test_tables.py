"""Tables: lengths of time, and cells of each type."""

from __future__ import annotations

from typing import Any

import pytest
from support import servers

from pytest_crd.server.tables import ages


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "<invalid>"), (-1, "0s"), (0, "0s"), (119, "119s"), (120, "2m"), (125, "2m5s"), (600, "10m"), (10799, "179m"), (10800, "3h"),
        (11000, "3h3m"), (28800, "8h"), (172799, "47h"), (172800, "2d"), (176400, "2d1h"), (691200, "8d"), (63071999, "729d"),
        (63072000, "2y"), (63158400, "2y1d"), (252288000, "8y"), (300000000, "9y"),
    ],
)  # fmt: skip
def test_durations_have_at_most_two_units(seconds: int, words: str) -> None:
    assert ages.duration(seconds) == words


@pytest.mark.parametrize(
    ("type_", "value", "cell"),
    [
        ("string", "x", "x"), ("string", 1, "1"), ("string", None, "<no value>"), ("string", True, "true"), ("string", 1e-7, "1e-07"), ("string", ["a"], '["a"]'), ("integer", 2, 2), ("integer", None, None), ("integer", "2", None), ("number", 2, 2.0), ("integer", 1e20, -(2**63)), ("integer", 2.5, 2),
        ("number", True, None), ("boolean", True, True), ("boolean", 1, None), ("date", "no time", "<invalid>"), ("date", 5, None), ("date", "", "<unknown>"), ("date", "0001-01-01T00:00:00Z", "<unknown>"),
        ("date", "2020-01-01T00:00:00", "<invalid>"), ("date", "2999-01-01T00:00:00Z", "<invalid>"),
    ],
)  # fmt: skip
def test_a_cell_has_the_type_of_its_column(type_: str, value: Any, cell: Any) -> None:
    column = {"name": "X", "type": type_, "jsonPath": ".x"}
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    server = servers.api(servers.crd(versions=[{**version, "additionalPrinterColumns": [column]}]))
    path = "/apis/example.com/v1/namespaces/default/things"
    body = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "x": value}

    answer = servers.ask(server, "POST", path, body, accept="application/json;as=Table;g=meta.k8s.io;v=v1")
    assert answer.value["rows"][0]["cells"] == ["a", cell]


@pytest.mark.parametrize(
    ("paths", "names"), [([".a[x]", ".a"], ["Name"]), ([".a", ".a[x]", ".b"], ["Name", "C0"]), ([], ["Name", "Age"])]
)
def test_columns_end_before_an_unparsable_path(paths: list[str], names: list[str]) -> None:
    """As kube-apiserver 1.37 answers; the CRD is accepted."""
    columns = [{"name": f"C{number}", "type": "string", "jsonPath": path} for number, path in enumerate(paths)]
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    server = servers.api(servers.crd(versions=[{**version, "additionalPrinterColumns": columns}]))
    path = "/apis/example.com/v1/namespaces/default/things"

    answer = servers.ask(server, "GET", path, accept="application/json;as=Table;g=meta.k8s.io;v=v1")
    assert [column["name"] for column in answer.value["columnDefinitions"]] == names


def test_a_table_with_a_range_is_an_error() -> None:
    column = {"name": "X", "type": "string", "jsonPath": ".a} {range .b[*]"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    server = servers.api(servers.crd(versions=[{**version, "additionalPrinterColumns": [column]}]))
    path = "/apis/example.com/v1/namespaces/default/things"
    servers.ask(server, "POST", path, {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}})

    answer = servers.ask(server, "GET", path, accept="application/json;as=Table;g=meta.k8s.io;v=v1")
    assert (answer.code, answer.value["message"]) == (500, "JSONPath: 'range' is not evaluated by pytest-crd")
