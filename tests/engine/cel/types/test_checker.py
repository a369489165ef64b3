"""Types of expressions over structs, and type errors."""

from __future__ import annotations

import pytest

from pytest_crd.engine.cel.dialect import Dialect, Libraries
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.cel.errors import CompileError
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import Type
from pytest_crd.engine.cel.types.functions import Library
from pytest_crd.engine.golang.release import NEWEST
from pytest_crd.engine.rules import environments

POD = celtypes.struct("Pod")
FIELDS = {
    "Pod": {
        "name": celtypes.STRING,
        "ports": celtypes.list_of(celtypes.INT),
        "labels": celtypes.map_of(celtypes.STRING, celtypes.STRING),
    },
    "Empty": {},
}


class Structs:
    """Provider of two structs."""

    def find_struct(self, name: str) -> Type | None:
        return celtypes.struct(name) if name in FIELDS else None

    def find_field(self, struct_name: str, field_name: str) -> Type | None:
        return FIELDS[struct_name].get(field_name)


@pytest.fixture(scope="module")
def base() -> Environment:
    return environments.environment(Libraries(), Dialect(), NEWEST, Library("no formats"))


@pytest.fixture(scope="module")
def environment(base: Environment) -> Environment:
    return base.extend({"pod": POD, "other": celtypes.struct("Other")}, Structs())


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        pytest.param("pod.name", celtypes.STRING, id="a field"),
        pytest.param("has(pod.name)", celtypes.BOOL, id="whether there is a field"),
        pytest.param("pod.?name", celtypes.optional_of(celtypes.STRING), id="an optional field"),
        pytest.param("pod.?labels.app", celtypes.optional_of(celtypes.STRING), id="a part of an optional field"),
        pytest.param("pod.ports.map(port, port + 1)", celtypes.list_of(celtypes.INT), id="a list made of a field"),
        pytest.param("pod.labels.app", celtypes.STRING, id="an entry"),
        pytest.param("Pod{name: 'a', ?ports: optional.of([1])}", POD, id="a struct"),
        pytest.param("[Pod{}, Pod{}].map(pod, pod.name)", celtypes.list_of(celtypes.STRING), id="structs in a list"),
        pytest.param(
            "optional.of(Pod{name: {'a': 'b'}.a}).optMap(x, x.name)",
            celtypes.optional_of(celtypes.STRING),
            id="a struct twice",
        ),
        pytest.param(
            "optional.of([{'a': 1}].map(x, x.?b)).optMap(x, x.size())",
            celtypes.optional_of(celtypes.INT),
            id="all twice",
        ),
        pytest.param(
            "optional.of(has(pod.name)).optMap(x, x)", celtypes.optional_of(celtypes.BOOL), id="a question twice"
        ),
        pytest.param("optional.of({'a': 1}).optFlatMap(x, x.?a)", celtypes.optional_of(celtypes.INT), id="a map twice"),
        pytest.param("true ? pod : null", POD, id="null in the place of a struct"),
    ],
)
def test_expressions_have_a_type(environment: Environment, text: str, type_: Type) -> None:
    assert environment.compile(text).type == type_


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("pod.size", "1:4: undefined field 'size'", id="no such field"),
        pytest.param("Pod{size: 1}", "1:9: undefined field 'size'", id="no such field to set"),
        pytest.param(
            "Pod{name: 1}",
            "1:9: expected type of field 'name' is 'string' but provided type is 'int'",
            id="a value of another type",
        ),
        pytest.param("other.name", "1:6: unexpected failed resolution of 'Other'", id="a struct that nobody knows"),
        pytest.param(
            "Other{}", "1:6: undeclared reference to 'Other' (in container '')", id="a type that nobody knows"
        ),
        pytest.param(
            "pod + pod", "1:5: found no matching overload for '_+_' applied to '(Pod, Pod)'", id="no overload"
        ),
        pytest.param("pod.foo()", "1:8: undeclared reference to 'foo' (in container '')", id="no such function"),
        pytest.param(
            "pod.contains('a')",
            "1:13: found no matching overload for 'contains' applied to 'Pod.(string)'",
            id="a target",
        ),
    ],
)
def test_type_errors_are_reported_with_their_location(environment: Environment, text: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        environment.compile(text)

    assert str(caught.value).splitlines()[0] == f"ERROR: <input>:{message}"


def test_structs_are_undeclared_without_a_provider(base: Environment) -> None:
    with pytest.raises(CompileError, match="unexpected failed resolution of 'Pod'"):
        base.extend({"pod": POD}).compile("pod.name")
    with pytest.raises(CompileError, match="undeclared reference to 'Pod'"):
        base.compile("Pod{}")


def test_the_cache_of_resolutions_has_a_limit(base: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_crd.engine.cel.types.checker._CACHE_SIZE", 1)
    cache = base._declarations.resolutions
    base.compile("1 + 1 == 2 && 'a' + 'b' == 'ab'")

    assert len(cache) == 1


def test_environments_share_the_parse_cache(environment: Environment, base: Environment) -> None:
    extended = base.extend({"pod": celtypes.DYN})

    assert environment.compile("pod.name").parsed is extended.compile("pod.name").parsed
