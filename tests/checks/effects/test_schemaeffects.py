"""Keywords, columns and paths without effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

TEXT = {"type": "string"}
Find = Callable[..., list[str]]


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


SWITCH = _object(enabled={"type": "boolean", "default": True})
TEMPLATE = _object(metadata={"type": "object"}, spec=_object(size=TEXT))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        pytest.param(
            _object(tls=SWITCH),
            'spec.tls.enabled: the default does not apply while spec.tls is left out: {"spec": {}} stays without it, '
            'and {"spec": {"tls": {}}} gets enabled: true; write default: {} at spec.tls (unreachabledefault)',
            id="a switch that is on by default",
        ),
        pytest.param(
            _object(list={"type": "array", "items": _object(tls=SWITCH)}),
            'spec.list[*].tls.enabled: the default does not apply while spec.list[*].tls is left out: {"spec": {"list": [{}]}} '
            'stays without it, and {"spec": {"list": [{"tls": {}}]}} gets enabled: true; write default: {} at spec.list[*].tls '
            "(unreachabledefault)",
            id="a switch of a list item",
        ),
        pytest.param(
            _object(template=TEMPLATE),
            'spec.template.metadata has no properties, so that it keeps nothing: {"spec": {"template": {"metadata": {"labels": '
            '{"app": "a"}}}}} is stored as {"spec": {"template": {"metadata": {}}}}; declare its labels and annotations '
            "(controller-gen: crd:generateEmbeddedObjectMeta=true) (emptyobject)",
            id="metadata of a template",
        ),
        pytest.param(
            _object(hosts={"type": "object", "additionalProperties": {"type": "object"}}),
            'spec.hosts[*] has no properties, so that it keeps nothing: {"spec": {"hosts": {"key": {"name": "a"}}}} is stored as '
            '{"spec": {"hosts": {"key": {}}}}; declare its properties, or x-kubernetes-preserve-unknown-fields: true (emptyobject)',
            id="values of a map",
        ),
        pytest.param(
            _object(names={"type": "array", "maxLength": 5, "items": TEXT}),
            "spec.names: maxLength checks values of type string, and here they are of type array; write it in items (otherkeyword)",
            id="keyword of items",
        ),
        pytest.param(
            _object(count={"type": "integer", "pattern": "a"}),
            "spec.count: pattern checks values of type string, and here they are of type integer; remove it, or write a keyword "
            "for integer (otherkeyword)",
            id="keyword of another type",
        ),
        pytest.param(
            _object(count={"type": "integer", "minimum": 5, "maximum": 4}),
            "spec.count: no value has minimum 5 and maximum 4; correct one of them (novalue)",
            id="contradiction",
        ),
        pytest.param(
            _object(mode={"type": "string", "enum": ["a", "B"], "pattern": "^[a-z]$"}),
            'spec.mode: pattern "^[a-z]$" refuses "B" of the enum; correct one of them (excludedvalue)',
            id="pattern and enum",
        ),
        pytest.param(
            _object(mode={"type": "string", "enum": ["abc"], "maxLength": 2}),
            'spec.mode: maxLength 2 refuses "abc" of the enum; correct one of them (excludedvalue)',
            id="maxLength and enum",
        ),
        pytest.param(
            _object(mode={"type": "string", "enum": ["a"], "minLength": 2}),
            'spec.mode: minLength 2 refuses "a" of the enum; correct one of them (excludedvalue)',
            id="minLength and enum",
        ),
        pytest.param(
            _object(count={"type": "integer", "enum": [1], "minimum": 2}),
            "spec.count: minimum 2 refuses 1 of the enum; correct one of them (excludedvalue)",
            id="minimum and enum",
        ),
        pytest.param(
            _object(count={"type": "integer", "enum": [3], "maximum": 2}),
            "spec.count: maximum 2 refuses 3 of the enum; correct one of them (excludedvalue)",
            id="maximum and enum",
        ),
    ],
)
def test_a_keyword_without_effect_has_a_warning(find_warnings: Find, spec: Any, words: str) -> None:
    assert find_warnings(spec) == [words]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(_object(tls={**SWITCH, "default": {}}), id="a parent with a default"),
        pytest.param({**_object(tls=SWITCH), "required": ["tls"]}, id="a required parent"),
        pytest.param(_object(tls=_object(**SWITCH["properties"], port={"type": "integer"})), id="a parent with more"),
        pytest.param(
            _object(
                tls=_object(enabled={"type": "boolean", "default": True, "description": "On when tls is present."})
            ),
            id="a documented parent",
        ),
        pytest.param(_object(tls=_object(port={"type": "boolean", "default": True})), id="no switch"),
        pytest.param(_object(**SWITCH["properties"], other=TEXT), id="a field of the spec"),
        pytest.param(_object(anonymous={"type": "object"}), id="a marker"),
        pytest.param({**_object(template=TEMPLATE), "x-kubernetes-preserve-unknown-fields": True}, id="unknown fields"),
        pytest.param(
            _object(port={"x-kubernetes-int-or-string": True, "pattern": "a", "maximum": 5}), id="an int-or-string"
        ),
        pytest.param(_object(count={"type": "integer", "enum": [1, 2], "minimum": 1, "maximum": 2}), id="limits"),
        pytest.param(_object(mode={"type": "string", "enum": ["a"], "pattern": "^a$", "maxLength": 1}), id="an enum"),
        pytest.param(_object(flag={"type": "boolean", "enum": [True]}), id="booleans"),
        pytest.param(_object(count={"type": "integer", "enum": [1]}), id="numbers without limits"),
    ],
)
def test_a_schema_that_is_right_has_no_warning(find_warnings: Find, spec: Any) -> None:
    assert find_warnings(spec) == []


COLUMNS = _object(
    name=TEXT,
    count={"type": "integer"},
    since={"type": "string", "format": "date-time"},
    list={"type": "array", "items": _object(type=TEXT, status=TEXT)},
    any={"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    map={"type": "object", "additionalProperties": TEXT},
    port={"x-kubernetes-int-or-string": True},
    dotted=_object(**{"a.b": TEXT}),
)


def _column(path: str, type_: str) -> dict[str, Any]:
    return {"additionalPrinterColumns": [{"name": "Shown", "type": type_, "jsonPath": path}]}


@pytest.mark.parametrize(
    ("path", "type_", "reason"),
    [
        (
            ".spec.nam",
            "string",
            'stays empty: the schema has no spec.nam, so that {"spec": {"nam": 1}} is stored without it',
        ),
        (".spec.name.first", "string", "stays empty: .spec.name is of type string, without fields"),
        (".spec.list.type", "string", "stays empty: .spec.list is a list, whose items need an index such as [0]"),
        (".spec.name[0]", "string", "stays empty: .spec.name is of type string, without items"),
        ('.spec.list[?(@.tipe=="a")].status', "string", "stays empty: items of list have no tipe"),
        (".metadata.lables", "string", "stays empty: metadata has no lables"),
        (".spec.name", "integer", "of type integer stays empty for values of type string"),
        (".spec.count", "date", "of type date stays empty for values of type integer"),
        (
            ".spec.name",
            "date",
            'of type date shows <invalid> for values such as "a", as its field has no format: date-time',
        ),
    ],
)
def test_a_column_without_a_value_has_a_warning(find_warnings: Find, path: str, type_: str, reason: str) -> None:
    (warning,) = find_warnings(COLUMNS, **_column(path, type_))

    assert warning.startswith(f"printer column Shown {reason}; correct ")


@pytest.mark.parametrize(
    ("path", "type_"),
    [
        (".spec.name", "string"),
        (".spec.list", "string"),
        ("['spec']['name']", "string"),
        (".spec['name']", "string"),
        (".spec.count", "number"),
        (".spec.since", "date"),
        (".metadata.creationTimestamp", "date"),
        (".metadata.labels.app", "string"),
        (".metadata.ownerReferences[0].name", "string"),
        (".apiVersion", "string"),
        ('.spec.list[?(@.type=="a")].status', "string"),
        (".spec.list[*].status", "string"),
        (".spec.list[0].status", "string"),
        (".spec.any.thing", "integer"),
        (".spec.any[*].thing", "integer"),
        (".spec.map.thing", "string"),
        (".spec.map[*]", "string"),
        (".spec.port", "integer"),
        (r".spec.dotted.a\.b", "string"),
        ("..name", "string"),
    ],
)
def test_a_column_with_a_value_has_no_warning(find_warnings: Find, path: str, type_: str) -> None:
    assert find_warnings(COLUMNS, **_column(path, type_)) == []


def test_columns_of_a_schema_that_keeps_everything_have_no_warning(find_warnings: Find) -> None:
    spec = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}

    assert find_warnings(spec, **_column(".spec.a", "integer")) == []


def test_columns_of_a_crd_that_keeps_unknown_fields_have_no_warning(find_warnings: Find) -> None:
    column = {"name": "Shown", "type": "string", "JSONPath": ".spec.nothing"}

    def find(**more: Any) -> list[str]:
        shared = {"additionalPrinterColumns": [column], **more}
        return find_warnings(COLUMNS, kubernetes="1.21", api="v1beta1", shared=shared)

    assert find() == []
    assert [warning[:33] for warning in find(preserveUnknownFields=False)] == ["printer column Shown stays empty:"]


def test_each_wrong_path_of_scale_has_a_warning(find_warnings: Find) -> None:
    scale = {"specReplicasPath": ".spec.no", "statusReplicasPath": ".status.name", "labelSelectorPath": ".status.no"}
    right = {
        "specReplicasPath": ".spec.count",
        "statusReplicasPath": ".status.port",
        "labelSelectorPath": ".spec.any.a",
    }
    properties = {"status": COLUMNS}

    first, second, third = find_warnings(COLUMNS, subresources={"scale": scale}, properties=properties)

    assert first.startswith("specReplicasPath reaches nothing: the schema has no spec.no")
    assert "requests to /scale fail (500)" in first
    assert second == (
        "statusReplicasPath needs a value of type integer, and .status.name has type string; requests to /scale fail (500); "
        "correct the path or the type (scalepath)"
    )
    assert third.startswith("labelSelectorPath reaches nothing: the schema has no status.no")
    assert find_warnings(COLUMNS, subresources={"scale": right}, properties=properties) == []


@pytest.mark.parametrize(
    ("length", "words"), [(230_000, ""), (237_500, "kubectl apply will soon fail"), (262_144, "kubectl apply fails")]
)
def test_a_crd_that_is_too_large_for_kubectl_apply_has_a_warning(find_warnings: Find, length: int, words: str) -> None:
    warnings = find_warnings(_object(a={**TEXT, "description": "x" * length}))

    assert [warning.partition(":")[0] for warning in warnings] == [words] * bool(words)


def test_an_annotation_of_an_earlier_apply_does_not_count(find_warnings: Find) -> None:
    earlier = {"kubectl.kubernetes.io/last-applied-configuration": "x" * 240_000}

    assert find_warnings(_object(a=TEXT), annotations=earlier) == []


def test_a_warning_about_several_versions_is_one(find_warnings: Find) -> None:
    (warning,) = find_warnings(_object(tls=SWITCH), versions=("v1", "v2"))

    assert warning.startswith("v1 and v2: spec.tls.enabled: ")


def test_a_refused_crd_has_no_warnings(find_warnings: Find) -> None:
    assert find_warnings({**_object(tls=SWITCH), "type": "strange"}) == []


@pytest.mark.parametrize(("kubernetes", "count"), [("1.21", 1), ("1.37", 0)])
def test_selectable_fields_that_an_older_server_drops_have_a_warning(
    find_warnings: Find, kubernetes: str, count: int
) -> None:
    spec = {"type": "object", "properties": {"color": {"type": "string"}}}

    warnings = find_warnings(spec, kubernetes=kubernetes, selectableFields=[{"jsonPath": ".spec.color"}])

    assert (
        warnings
        == [
            (
                "Kubernetes 1.21 drops selectableFields, so that it refuses lists of v1 selected by .spec.color; "
                "select by labels, or use Kubernetes 1.30 or newer (droppedfield)"
            )
        ]
        * count
    )


@pytest.mark.parametrize(("kubernetes", "count"), [("1.32", 1), ("1.34", 0), ("1.37", 0)])
def test_a_format_that_an_older_server_ignores_in_silence_has_a_warning(
    find_warnings: Find, kubernetes: str, count: int
) -> None:
    fields = {"name": {"type": "string", "format": "k8s-short-name"}, "day": {"type": "string", "format": "date"}}

    warnings = find_warnings({"type": "object", "properties": fields}, kubernetes=kubernetes)

    assert (
        warnings
        == [
            (
                "spec.name: Kubernetes 1.32 does not check the format k8s-short-name, which 1.35 and newer check; "
                "write a pattern beside it (uncheckedformat)"
            )
        ]
        * count
    )
