"""Rules as in real CRDs: each has an object or an update that it alone refuses."""

from __future__ import annotations

from typing import Any

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd.synthesis import boundary

RULE = "x-kubernetes-validations"
TEXT = {"type": "string", "maxLength": 40}
LONG = {"type": "string", "maxLength": 200}
NUMBER = {"type": "integer"}
TEXTS = {"type": "array", "items": TEXT, "maxItems": 6}
ITEM = fields(name=TEXT, kind={**TEXT, "enum": ["A", "B", "C"]}, port=NUMBER, on={"type": "boolean"}, tags=TEXTS)
SPEC = fields(
    name=TEXT,
    title=LONG,
    address=LONG,
    mode={**TEXT, "enum": ["Auto", "Manual", "Off"]},
    on={"type": "boolean"},
    low=NUMBER,
    high=NUMBER,
    ratio={"type": "number"},
    percent={"x-kubernetes-int-or-string": True},
    names=TEXTS,
    sizes={"type": "array", "items": NUMBER, "maxItems": 6},
    items={"type": "array", "items": ITEM, "maxItems": 5},
    grid={"type": "array", "maxItems": 3, "items": {"type": "array", "maxItems": 3, "items": NUMBER}},
    labels={"type": "object", "additionalProperties": TEXT, "maxProperties": 5},
    limits={"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": True}, "maxProperties": 4},
    ref=fields(name=TEXT, key=TEXT, optional={"type": "boolean"}),
    source=fields(git=fields(url_=LONG), bucket=fields(name_=TEXT)),
    at={"type": "string", "format": "date-time"},
    every={"type": "string", "format": "duration"},
)

ON_OBJECTS = (
    "!has(self.low) || !has(self.high) || self.low <= self.high",
    "!(has(self.low) && has(self.ratio))",
    "has(self.low) == has(self.high)",
    "!has(self.low) || (self.low >= 1 && self.low <= 65535)",
    "self.?low.orValue(0) + self.?high.orValue(0) <= 100",
    "!has(self.low) || !has(self.high) || self.high - self.low < 7",
    "!has(self.low) || self.low % 7919 != 17 || self.low < 50000",
    "!has(self.low) || !has(self.high) || self.low * 3 != self.high + 1",
    "!has(self.low) || self.low / 60 < 24",
    "!has(self.low) || -self.low < 12",
    "!has(self.ratio) || self.ratio < 0.75",
    "!has(self.mode) || self.mode != 'Manual' || has(self.ref)",
    "has(self.mode) && self.mode == 'Off' ? !has(self.names) : true",
    "!has(self.mode) || (self.mode == 'Auto' ? !has(self.low) : self.mode == 'Off' ? !has(self.high) : has(self.ratio))",
    "!has(self.on) || !self.on || has(self.address)",
    "[has(self.low), has(self.high), has(self.ratio)].filter(x, x).size() <= 1",
    "(has(self.low) ? 1 : 0) + (has(self.high) ? 1 : 0) + (has(self.ratio) ? 1 : 0) < 3",
    "has(self.source) ? has(self.source.git) != has(self.source.bucket) : true",
    "!has(self.source) || !has(self.source.git) || self.source.git.url.startsWith('https://')",
    "!has(self.ref) || !has(self.ref.name) || self.ref.name != self.?name.orValue('')",
    "!has(self.ref) || self.ref.?optional.orValue(false) || has(self.ref.key)",
    "!has(self.name) || self.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
    "!has(self.name) || !self.name.matches('^kube-[a-z]+-[0-9]{2,4}$')",
    "!has(self.name) || !self.name.endsWith('.internal')",
    "!has(self.name) || !self.name.contains('..')",
    "!has(self.name) || size(self.name) != 17",
    "!has(self.name) || self.name.lowerAscii() != 'default'",
    "!has(self.name) || self.name.split('/').size() <= 2",
    "!has(self.name) || self.name.split('=')[0] != 'debug'",
    "!has(self.name) || !(self.name in ['admin', 'root'])",
    "!has(self.name) || !has(self.names) || !(self.name in self.names)",
    "!has(self.name) || !has(self.title) || self.name + '.example.com' != self.title",
    "!has(self.title) || size(self.title) + size(self.?name.orValue('')) < 60",
    "!has(self.address) || isURL(self.address)",
    "!has(self.address) || !isURL(self.address) || url(self.address).getScheme() != 'http'",
    "!has(self.address) || !isURL(self.address) || url(self.address).getHostname() != 'localhost'",
    "!has(self.address) || !isIP(self.address) || ip(self.address).family() == 4",
    "!has(self.address) || !isCIDR(self.address) || cidr(self.address).prefixLength() >= 16",
    "!has(self.address) || !isCIDR(self.address) || cidr(self.address) == cidr(self.address).masked()",
    "!has(self.address) || !isQuantity(self.address) || quantity(self.address).compareTo(quantity('10Gi')) <= 0",
    "!has(self.address) || !isSemver(self.address) || semver(self.address).major() < 3",
    "!has(self.address) || !format.dns1123Label().validate(self.address).hasValue()",
    "!has(self.percent) || (type(self.percent) == int ? self.percent <= 100 : self.percent.matches('^[0-9]+%$'))",
    "!has(self.every) || self.every < duration('24h')",
    "!has(self.at) || self.at > timestamp('2020-01-01T00:00:00Z')",
    "!has(self.at) || self.at.getFullYear() < 2100",
    "!has(self.names) || self.names.all(n, n.startsWith('x-'))",
    "!has(self.names) || self.names.all(a, self.names.exists_one(b, a == b))",
    "!has(self.names) || !self.names.exists(n, n == '*') || size(self.names) == 1",
    "!has(self.names) || self.names.join(',') != 'a,b'",
    "!has(self.names) || size(self.names) > 0",
    "!has(self.sizes) || self.sizes.map(x, x * 2).all(y, y < 100)",
    "!has(self.sizes) || self.sizes.isSorted()",
    "!has(self.sizes) || self.sizes.sum() <= 1000",
    "!has(self.items) || self.items.filter(i, has(i.on) && i.on).size() <= 2",
    "!has(self.items) || self.items.exists_one(i, has(i.kind) && i.kind == 'A')",
    "!has(self.items) || self.items.all(i, !has(i.kind) || i.kind != 'C' || has(i.port))",
    "!has(self.items) || self.items.all(a, self.items.filter(b, has(a.port) && has(b.port) && a.port == b.port).size() < 2)",
    "!has(self.items) || self.items.all(i, !has(i.tags) || i.tags.all(t, t != 'hidden' && size(t) < 9))",
    "!has(self.items) || self.items.map(i, has(i.name) ? i.name : '').exists(n, n == 'main')",
    "!has(self.grid) || self.grid.all(row, row.all(cell, cell < 100))",
    "!has(self.labels) || !('app' in self.labels) || self.labels['app'] != 'none'",
    "!has(self.labels) || self.labels.all(k, !k.startsWith('kubernetes.io/'))",
    "!has(self.labels) || self.labels.all(k, size(self.labels[k]) < 30)",
    "!has(self.limits) || !('cpu' in self.limits) || type(self.limits['cpu']) != int || self.limits['cpu'] < 8",
)  # fmt: skip
ON_CHANGES = (
    "self == oldSelf",
    "!has(oldSelf.low) || has(self.low)",
    "has(oldSelf.low) == has(self.low)",
    "!has(oldSelf.low) || !has(self.low) || self.low >= oldSelf.low",
    "(has(oldSelf.name) ? oldSelf.name : '') == (has(self.name) ? self.name : '')",
    "!has(oldSelf.mode) || !has(self.mode) || oldSelf.mode != 'Off' || self.mode == 'Off'",
    "!has(oldSelf.ref) || (has(self.ref) && self.ref == oldSelf.ref)",
    "!has(oldSelf.names) || (has(self.names) && oldSelf.names.all(n, n in self.names))",
    "!has(oldSelf.labels) || (has(self.labels) && oldSelf.labels.all(k, k in self.labels))",
    "!has(oldSelf.items) || !has(self.items) || size(self.items) >= size(oldSelf.items)",
    "!has(oldSelf.low) || !has(self.low) || self.low - oldSelf.low <= 10",
)
# Rules by their places in the schema.
IN_PLACES: dict[str, tuple[str, ...]] = {
    "": ("size(self.metadata.name) <= 40", "self.metadata.name != 'default' || has(self.spec.ref)"),
    "spec.names[*]": ("self != 'all'", "!self.matches('^-')"),
    "spec.grid[*]": ("self.size() != 3 || self[2] != 7",),
    "spec.items": ("self == oldSelf", "self.size() < 4"),
    "spec.labels": ("self == oldSelf",),
    "spec.ref.name": ("self == oldSelf", "isQuantity(self) && quantity(self).isGreaterThan(quantity('2Ki'))"),
    "spec.low": ("self >= oldSelf", "self <= oldSelf + 5", "self % 4 == 0"),
}
CASES = [
    *(("spec", rule) for rule in (*ON_OBJECTS, *ON_CHANGES)),
    *((place, rule) for place, rules in IN_PLACES.items() for rule in rules),
]


def _with_rule(schema: dict[str, Any], place: list[str], rule: str) -> dict[str, Any]:
    """Return *schema* with a rule at a place in it."""
    if not place:
        return {**schema, RULE: [{"rule": rule}]}
    step, *rest = place
    if step == "[*]":
        keyword = "items" if "items" in schema else "additionalProperties"
        return {**schema, keyword: _with_rule(schema[keyword], rest, rule)}
    properties = schema["properties"]
    return {**schema, "properties": {**properties, step: _with_rule(properties[step], rest, rule)}}


@pytest.mark.parametrize(("place", "rule"), CASES)
def test_for_a_rule_there_is_an_object_or_a_change_that_it_alone_refuses(place: str, rule: str) -> None:
    steps = place.replace("[*]", ".[*]").split(".") if place else []
    spec = _with_rule(SPEC, steps[1:], rule) if steps else SPEC
    version = versions.create_version(spec, root={} if steps else {RULE: [{"rule": rule}]})

    result = boundary(version, place, f"{RULE}[0]")

    assert result.answer is not None
    assert [error.rule is not None and error.rule.text for error in result.answer.errors] == [rule]
    assert all(error.rule is not None and error.rule.was_evaluated for error in result.answer.errors)
    assert (result.old is not None) == ("oldSelf" in rule)
