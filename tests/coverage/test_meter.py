"""The points besides keywords that requests reach: fields, defaults, nulls, rules, conversion."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
from support.covered import reached, reached_in_spec, version_of
from support.webhooks import FixedWebhooks, FunctionConverter

from pytest_crd import coverage, engine
from pytest_crd.coverage import Collector, reachingobjects

TEXT = {"type": "string"}
OPEN = "x-kubernetes-preserve-unknown-fields"
RULES = "x-kubernetes-validations"
GARDEN = {
    "type": "object",
    "properties": {
        "label": TEXT,
        "size": {"type": "integer", "default": 3},
        "note": {**TEXT, "nullable": True},
        "kept": {**TEXT, "nullable": True, "default": "x"},
        "bed": {"type": "object", "default": {}, "properties": {"rows": {"type": "integer", "default": 1}}},
        "marks": {"type": "object", "additionalProperties": TEXT},
        "rest": {"type": "object", OPEN: True},
        "list": {"type": "array", "items": {"type": "object", "properties": {"a": TEXT}}},
    },
}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"label": "a"}, {"properties/label:set"}),
        ({"label": None}, {":null-dropped"}),
        ({"bogus": 1}, {":unknown-dropped"}),
        ({"size": 1}, {"properties/size:set"}),
        # A null that is replaced by the default counts for the default.
        ({"size": None}, {"properties/size/default:applied"}),
        ({"note": None}, {"properties/note/nullable:null-kept"}),
        ({"kept": None}, {"properties/kept/nullable:null-kept"}),
        ({"bed": {}}, {"properties/bed:set", "properties/bed/properties/rows/default:applied"}),
        ({"bed": {"rows": 2}}, {"properties/bed:set", "properties/bed/properties/rows:set"}),
        ({"bed": {"bogus": 2}}, {"properties/bed:set", "properties/bed:unknown-dropped"}),
        ({"marks": {}}, {"properties/marks:set"}),
        ({"marks": {"k": "v"}}, {"properties/marks:set", "properties/marks/additionalProperties:set"}),
        ({"marks": {"k": None}}, {"properties/marks:set", "properties/marks:null-dropped"}),
        ({"rest": {"a": 1}}, {"properties/rest:set", f"properties/rest/{OPEN}:unknown-kept"}),
        ({"rest": {}}, {"properties/rest:set"}),
        ({"list": []}, {"properties/list:set"}),
        ({"list": [{"a": "x"}]}, {"properties/list:set", "properties/list/items:set", "properties/list/items/properties/a:set"}),
        ({"list": [{"b": "x"}]}, {"properties/list:set", "properties/list/items:set", "properties/list/items:unknown-dropped"}),
        # A value of the wrong type counts as sent.
        ({"bed": []}, {"properties/bed:set"}),
        ({"list": {"a": 1}}, {"properties/list:set"}),
    ],
    ids=lambda value: None if isinstance(value, set) else str(value),
)  # fmt: skip
def test_fields_defaults_and_nulls_reach_their_points(spec: Any, expected: set[str]) -> None:
    by_default = {
        *("properties/size/default:applied", "properties/kept/default:applied", "properties/bed/default:applied"),
        "properties/bed/properties/rows/default:applied",
    }

    result = {id_ for id_ in reached_in_spec(GARDEN, spec) if not id_.endswith(":left-out")}

    assert result - by_default == expected - by_default
    assert expected <= result
    assert (f"properties/{next(iter(spec))}/default:applied" in result) == (
        f"properties/{next(iter(spec))}/default:applied" in expected
    )


@pytest.mark.parametrize(
    ("spec", "left_out"),
    [
        ({"list": []}, {"label", "note", "marks", "rest"}),
        ({"label": "a", "note": None}, {"marks", "rest", "list"}),  # null that is kept is not left out
        ({"label": None, "list": [{}]}, {"note", "marks", "rest", "list/items/properties/a"}),
        ({"label": 1}, set()),  # a refused object shows nothing
    ],
)
def test_optional_fields_are_left_out_of_accepted_objects(spec: Any, left_out: set[str]) -> None:
    result = {id_.removesuffix(":left-out") for id_ in reached_in_spec(GARDEN, spec) if id_.endswith(":left-out")}

    assert result == {f"properties/{name}" for name in left_out}


def test_required_fields_and_fields_with_defaults_are_never_left_out() -> None:
    part = {"required": ["b"]}
    spec = {
        "type": "object",
        "properties": {"a": TEXT, "b": TEXT, "c": {**TEXT, "default": "x"}, "d": TEXT},
        "required": ["a"],
        "allOf": [part],
    }

    ids = {point.id for point in coverage.points(version_of(spec)) if point.side == "left-out"}

    assert ids == {"properties/spec:left-out", "properties/spec/properties/d:left-out"}


def test_unreachable_behaviour_has_no_points() -> None:
    sides = {point.id.removeprefix("properties/spec/") for point in coverage.points(version_of(GARDEN))}

    assert "properties/rest:unknown-dropped" not in sides  # unknown fields are preserved
    assert "properties/marks:unknown-dropped" not in sides  # every key is declared
    assert "properties/rest:null-dropped" not in sides  # no field is declared
    assert "properties/bed:null-dropped" not in sides  # the default replaces null
    assert "properties/list/items:null-dropped" in sides


def test_fields_in_a_default_do_not_count_as_sent() -> None:
    bed = {
        "type": "object",
        "properties": {"rows": {"type": "integer", "default": 1}, "l": {"type": "array", "items": TEXT}},
    }
    schema = {"type": "object", "properties": {"bed": {**bed, "default": {"rows": 4, "l": ["a"]}}}}

    assert reached_in_spec(schema, {}) == {"properties/bed/default:applied"}


def test_items_of_a_list_that_keeps_unknown_fields_keep_them() -> None:
    inner = {"type": "array", "items": {"type": "object", "properties": {"a": TEXT}}, OPEN: True}
    version = version_of({"type": "object", "properties": {"l": inner}})

    result = reached(version, lambda version: version.create({"spec": {"l": [{"b": 1}]}}))

    point_id = "properties/spec/properties/l/items:unknown-kept"
    assert point_id in result
    assert point_id in {point.id for point in coverage.points(version)}


def test_metadata_has_points_for_keywords_only() -> None:
    metadata = {"type": "object", "properties": {"name": {**TEXT, "maxLength": 2}}}
    root = {"type": "object", "properties": {"apiVersion": TEXT, "kind": TEXT, "metadata": metadata, "spec": TEXT}}
    version = version_of(root)

    ids = {point.id for point in coverage.points(version)}
    result = reached(version, lambda version: version.create({"metadata": {"name": "ab"}, "bogus": 1}))

    assert {id_ for id_ in ids if "metadata" in id_} == {
        "properties/metadata/properties/name/maxLength:held",
        "properties/metadata/properties/name/maxLength:broken",
    }
    assert "properties/spec:left-out" in ids
    assert not {id_ for id_ in ids if "apiVersion" in id_ or "kind" in id_}
    assert result == {
        "properties/metadata/properties/name/maxLength:held",
        ":unknown-dropped",
        "properties/spec:left-out",
    }


def test_errors_of_root_fields_are_found() -> None:
    root = {
        "type": "object",
        "required": ["spec"],
        "properties": {"spec": TEXT, "bed": {**TEXT, "maxLength": 1, "oneOf": [{"minLength": 3}]}},
    }

    result = reached(version_of(root), lambda version: version.create({"bed": "ab"}))

    assert result == {
        "required/0:missing",
        "properties/bed:set",
        "properties/bed/maxLength:broken",
        "properties/bed/oneOf:broken",
    }


def test_a_map_at_the_root_has_points() -> None:
    root = {"type": "object", "additionalProperties": {**TEXT, "maxLength": 1, "anyOf": [{"minLength": 3}]}}
    version = version_of(
        {"type": "object", "properties": {"spec": {}}} and {"type": "object", "properties": {"spec": TEXT}}
    )
    manifest = {**version.crd.manifest}
    manifest["spec"] = {
        **manifest["spec"],
        "versions": [{**manifest["spec"]["versions"][0], "schema": {"openAPIV3Schema": root}}],
    }
    of_map = engine.CustomResourceDefinition.from_manifest(manifest).version("v1")

    result = reached(of_map, lambda version: version.create({"spec": "ab"}))

    assert {
        "additionalProperties:set",
        "additionalProperties/maxLength:broken",
        "additionalProperties/anyOf:broken",
    } <= result


STATUS = {
    "type": "object",
    "properties": {
        "spec": {"type": "object", "properties": {"a": {**TEXT, "maxLength": 2}}},
        "status": {"type": "object", "properties": {"phase": {**TEXT, "maxLength": 2, "default": "x"}}},
    },
}
OF_STATUS = "properties/status/properties/phase"


@pytest.mark.parametrize("kubernetes_version", ["1.21", "1.32", "1.37"])
def test_a_request_counts_for_the_part_that_it_writes(kubernetes_version: str) -> None:
    declared = version_of(STATUS, subresources={"status": {}})
    version = declared.crd.under(kubernetes_version).version("v1")
    old = {"spec": {"a": "ab"}, "status": {"phase": "ab"}}

    of_object = reached(version, lambda version: [version.create(old), version.update(old, old=old)])
    of_status = reached(
        version, lambda version: version.update_status({"status": {"phase": "abc"}, "spec": {"a": "x"}}, old=old)
    )

    assert {id_ for id_ in of_object if "status" in id_} == {"properties/status:left-out"}
    assert "properties/spec/properties/a/maxLength:held" in of_object
    assert of_status == {"properties/status:set", f"{OF_STATUS}:set", f"{OF_STATUS}/maxLength:broken"}


def test_a_status_without_a_subresource_is_written_with_the_object() -> None:
    result = reached(version_of(STATUS), lambda version: version.create({"status": {"phase": "ab"}}))

    assert {f"{OF_STATUS}:set", f"{OF_STATUS}/maxLength:held"} <= result


def test_a_status_update_without_a_status_reaches_no_status_points() -> None:
    version = version_of(STATUS, subresources={"status": {}})

    assert reached(version, lambda version: version.update_status({}, old={"spec": {}})) == set()


def test_updates_of_an_undeclared_status_reach_nothing() -> None:
    version = version_of({"type": "object", "properties": {"spec": TEXT}}, subresources={"status": {}})

    assert reached(version, lambda version: version.update_status({"status": {"a": 1}}, old={})) == {":unknown-dropped"}


def test_single_passes_reach_their_points() -> None:
    version = version_of(GARDEN)
    sent = {"apiVersion": "example.com/v1", "kind": "Pot", "spec": {"bogus": 1, "label": None, "bed": {}}}
    below = "properties/spec"

    pruned = reached(version, lambda version: version.prune(sent))
    defaulted = reached(version, lambda version: version.default(sent))

    assert pruned == {f"{below}:set", f"{below}:unknown-dropped", f"{below}/properties/bed:set"}
    assert defaulted >= {f"{below}:null-dropped", f"{below}/properties/size/default:applied"}
    assert f"{below}:unknown-dropped" not in defaulted


def test_a_refused_strict_request_reaches_only_unknown_field_points() -> None:
    result = reached(
        version_of(GARDEN),
        lambda version: version.create({"spec": {"bogus": 1, "label": "a"}}, field_validation="Strict"),
    )

    assert result == {"properties/spec:unknown-dropped"}


@pytest.mark.parametrize(
    "sent",
    [
        {"metadata": {"labels": 3}, "spec": {"label": "a"}},
        {"apiVersion": "example.com/v2", "spec": {"label": "a"}},
        "apiVersion: example.com/v1\nkind: Pot\nmetadata: {name: a}\nspec: {label: a, label: b}\n",
    ],
)
def test_a_request_that_is_refused_as_a_whole_reaches_nothing(sent: Any) -> None:
    result = reached(version_of(GARDEN), lambda version: version.create(sent, field_validation="Strict"))

    assert result == set()


def test_objects_of_another_kind_reach_nothing() -> None:
    version = version_of({**TEXT, "maxLength": 1})

    result = reached(version, lambda version: version.create({"kind": "Other", "spec": "a"}))

    assert result == set()


def test_without_pruning_in_v1beta1_there_are_no_pruning_points() -> None:
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "pots.example.com"},
        "spec": {
            "group": "example.com",
            "version": "v1",
            "scope": "Namespaced",
            "names": {"plural": "pots", "kind": "Pot"},
            "preserveUnknownFields": True,
            "validation": {
                "openAPIV3Schema": {"type": "object", "properties": {"spec": GARDEN | {"properties": {"a": TEXT}}}}
            },
        },
    }
    version = engine.CustomResourceDefinition.from_manifest(manifest).version("v1")

    assert {point.kind for point in coverage.points(version)} == {"property", "type"}
    assert reached(version, lambda version: version.create({"spec": {"a": "x", "b": 1}})) == {
        "properties/spec:set",
        "properties/spec/properties/a:set",
    }


def test_a_version_without_a_schema_has_no_points() -> None:
    manifest = {
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "pots.example.com"},
        "spec": {
            "group": "example.com",
            "version": "v1",
            "names": {"plural": "pots", "kind": "Pot"},
            "scope": "Cluster",
        },
    }
    version = engine.CustomResourceDefinition.from_manifest(manifest).version("v1")

    assert coverage.points(version) == ()
    assert reached(version, lambda version: version.create({"spec": {"a": "x"}})) == set()


RULE = {"rule": "self.low <= self.high", "messageExpression": "self.low > 9 ? 'low is high' : 'low is too high'"}
RANGE = {
    "type": "object",
    "properties": {"low": {"type": "integer"}, "high": {"type": "integer"}, "text": {**TEXT, "maxLength": 3}},
    RULES: [RULE, {"rule": "!has(oldSelf.text) || self.text == oldSelf.text", "message": "fixed"}],
}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"low": 1, "high": 2}, {f"{RULES}/0:true"}),
        ({"low": 3, "high": 2}, {f"{RULES}/0:false", f"{RULES}/0/messageExpression:evaluated"}),
        # The rule cannot be evaluated, so it is neither true nor false.
        ({"low": 3}, set()),
        # An error prevents the server from running rules.
        ({"low": 3, "high": 2, "text": "four"}, set()),
    ],
)
def test_a_rule_is_seen_true_and_false(spec: Any, expected: set[str]) -> None:
    assert {id_ for id_ in reached_in_spec(RANGE, spec) if RULES in id_} == expected


def test_transition_rules_count_and_unchanged_values_do_not() -> None:
    version = version_of(RANGE)
    old = {"spec": {"low": 3, "high": 2, "text": "a"}}

    def update(spec: Any) -> set[str]:
        result = reached(version, lambda version: version.update({"spec": spec}, old=old))
        return {id_.removeprefix(f"properties/spec/{RULES}/") for id_ in result if RULES in id_}

    assert update({"low": 3, "high": 2, "text": "a"}) == {"1:true", "1:operand-1"}
    assert update({"low": 1, "high": 2, "text": "b"}) == {"0:true", "1:false"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"a": 1}, {"0:operand-0"}),  # only the first operand is true
        ({"b": 1}, {"0:operand-1"}),
        ({"a": 1, "b": 1}, set()),  # either would do
        ({}, set()),
        ({"a": 1, "b": 1, "list": [1, 5]}, {"1:operand-2"}),  # some items, but not all
        ({"a": 1, "b": 1, "list": [1, 1]}, set()),
        ({"a": 1, "b": 1, "list": [5, 5]}, set()),
    ],
)
def test_operands_and_quantifiers_that_decide_reach_their_points(spec: dict[str, Any], expected: set[str]) -> None:
    number = {"type": "integer"}
    rules = [{"rule": "has(self.a) || has(self.b)"}, {"rule": "!has(self.list) || self.list.all(i, i < 3)"}]
    fields = {"a": number, "b": number, "list": {"type": "array", "maxItems": 5, "items": number}}
    schema = {"type": "object", "properties": fields, RULES: rules}

    result = reached_in_spec(schema, spec)

    decided = {id_.partition(f"{RULES}/")[2] for id_ in result if ":operand-" in id_}
    assert decided - {"1:operand-0", "1:operand-1"} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", set()),
        ("z", {"^[a-y]+$"}),
        ("aa", {"^[a-z]{1}$"}),
        ("zz", {"^[a-y]+$", "^[a-z]{1}$"}),
        ("Aa", {"[a-z]+$"}),
        ("aA", {"^[a-z]+"}),
        ("AA", set()),
    ],
)
def test_texts_that_tell_a_pattern_from_a_variant_reach_its_point(text: str, expected: set[str]) -> None:
    result = reached_in_spec({**TEXT, "pattern": "^[a-z]+$"}, text)

    assert {id_.partition(":unlike ")[2] for id_ in result if ":unlike " in id_} == expected


def test_rules_have_their_points() -> None:
    texts = [point.text for point in coverage.points(version_of(RANGE)) if point.kind in {"rule", "message"}]

    assert texts == [
        'spec: the rule "self.low <= self.high" is never true',
        'spec: the rule "self.low <= self.high" is never false',
        'spec: the messageExpression of "self.low <= self.high" is never evaluated',
        'spec: the rule "!has(oldSelf.text) || self.text == oldSelf.text" is never true',
        'spec: the rule "!has(oldSelf.text) || self.text == oldSelf.text" is never false',
        'spec: the rule "!has(oldSelf.text) || self.text == oldSelf.text" never depends on the operand !has(oldSelf.text)',
        'spec: the rule "!has(oldSelf.text) || self.text == oldSelf.text" never depends on the operand self.text == oldSelf.text',
    ]


def test_rules_in_lists_and_maps_have_points_at_their_places() -> None:
    item = {**TEXT, "maxLength": 5, RULES: [{"rule": "self != 'x'"}]}
    lists = {"type": "array", "maxItems": 3, "items": item}
    schema = {"type": "object", "additionalProperties": lists, "maxProperties": 3}

    assert f"additionalProperties/items/{RULES}/0:false" in reached_in_spec(schema, {"some.key": ["a", "x"]})


def test_a_message_over_budget_reaches_no_point(monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_crd.engine.rules import messages

    version = version_of(RANGE)
    monkeypatch.setattr(messages, "evaluate", lambda *_: messages.Evaluated(problem="out of budget"))

    result = reached(version, lambda version: version.create({"spec": {"low": 3, "high": 2}}))

    assert not {id_ for id_ in result if RULES in id_}


def _two_versions(**spec: Any) -> engine.CustomResourceDefinition:
    schema = {"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {**TEXT, "maxLength": 1}}}}}
    manifest = {**version_of(TEXT).crd.manifest}
    versions = [{"name": name, "served": True, "storage": name == "v1", **schema} for name in ("v1", "v1beta1")]
    manifest["spec"] = {**manifest["spec"], "versions": versions, **spec}
    return engine.CustomResourceDefinition.from_manifest(manifest)


def test_storing_in_another_version_reaches_the_conversion() -> None:
    crd = _two_versions()
    [point] = [candidate for candidate in coverage.points(crd.version("v1beta1")) if candidate.kind == "conversion"]

    assert point.text == "no object of v1beta1 is ever stored as v1"
    assert not [candidate for candidate in coverage.points(crd.version("v1")) if candidate.kind == "conversion"]
    assert point.id in reached(crd.version("v1beta1"), lambda version: version.create({"spec": "a"}))
    assert point.id not in reached(crd.version("v1beta1"), lambda version: version.create({"spec": "ab"}))
    assert point.id not in reached(crd.version("v1beta1"), lambda version: version.prune({"spec": "ab"}))


def test_webhook_conversion_has_no_point() -> None:
    client = {"url": "https://example.com/convert"}
    crd = _two_versions(
        conversion={"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}}
    )

    assert not [candidate for candidate in coverage.points(crd.version("v1beta1")) if candidate.kind == "conversion"]


def test_a_webhook_that_can_be_called_has_a_point_for_each_other_version() -> None:
    client = {"url": "https://example.com/convert"}
    webhook = {"strategy": "Webhook", "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]}}
    converter = FunctionConverter(lambda resource, _: resource)
    crd = _two_versions(conversion=webhook).with_webhooks(FixedWebhooks(converter))
    points = [point for point in coverage.points(crd.version("v1")) if point.kind == "conversion"]
    hidden = _two_versions(conversion=webhook).manifest
    hidden["spec"]["versions"][1]["served"] = False
    alone = engine.CustomResourceDefinition.from_manifest(hidden).with_webhooks(FixedWebhooks(converter))

    assert [point.text for point in points] == ["no object of v1 is ever converted to v1beta1"]
    assert reached(crd.version("v1"), lambda version: version.create({"spec": "a"})).isdisjoint({points[0].id})
    assert [point.side for point in coverage.points(crd.version("v1beta1")) if point.kind == "conversion"] == ["to-v1"]
    assert not [point for point in coverage.points(alone.version("v1")) if point.kind == "conversion"]
    assert reachingobjects.Suggestions(crd.version("v1")).suggest(points[0]) is None


def test_ids_of_points_are_unique() -> None:
    for schema in (GARDEN, RANGE, STATUS):
        points = coverage.points(version_of(schema))

        assert len({point.id for point in points}) == len(points)


# Collectors


def test_a_collector_counts_requests_and_lists_missing_points() -> None:
    version = version_of({**TEXT, "maxLength": 1})
    collector = Collector()

    observed = version.observed_by(collector.observer)
    observed.create({"spec": "a"})
    observed.create({"spec": "a"})

    assert collector.requests(version) == 2
    assert [point.id for point in coverage.points(version) if point.id not in collector.reached(version)] == [
        ":unknown-dropped",
        ":null-dropped",
        "properties/spec:left-out",
        "properties/spec/type:type-refused",
        "properties/spec/maxLength:broken",
    ]
    assert collector.missing(version) == coverage.points(version)  # no case holds a point


def test_a_version_without_requests_misses_all_points() -> None:
    collector, version = Collector(), version_of(TEXT)

    assert collector.requests(version) == 0
    assert collector.reached(version) == frozenset()
    assert collector.missing(version) == coverage.points(version)


def test_requests_count_for_the_collector_of_their_version_only() -> None:
    first, second, version = Collector(), Collector(), version_of(TEXT)

    version.observed_by(first.observer).create({"spec": "a"})
    version.create({"spec": "a"})

    assert (first.requests(version), second.requests(version)) == (1, 0)


def test_meters_do_not_keep_versions_alive() -> None:
    version = version_of(TEXT)
    points = coverage.points(version)
    reference = weakref.ref(version)

    del version
    gc.collect()

    assert points
    assert reference() is None


def test_each_apply_reaches_points() -> None:
    """An apply sends some items; other items are stored already."""
    schema = {
        "type": "object",
        "properties": {
            "list": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["a"],
                "items": {
                    "type": "object",
                    "required": ["a"],
                    "properties": {"a": TEXT, "b": {**TEXT, "default": "x"}},
                },
            }
        },
    }

    def send_applies(version: engine.CrdVersion) -> None:
        first = version.apply({"spec": {"list": [{"a": "1"}]}}, manager="a")
        second = version.apply({"spec": {"list": [{"a": "2"}]}}, manager="b", old=first)
        version.apply({"spec": {"list": []}}, manager="b", old=second).assert_accepted()

    below = "properties/spec/properties/list"
    assert {
        f"{below}:set",
        f"{below}/items:set",
        f"{below}/items/properties/a:set",
        f"{below}/items/properties/b/default:applied",
    } <= reached(version_of(schema), send_applies)
