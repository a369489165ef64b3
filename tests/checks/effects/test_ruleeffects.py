"""Rules that fail with an error, and rules of changes that users get around."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Find = Callable[..., list[str]]
TEXT = {"type": "string", "maxLength": 20}


def _object(*rules: str, required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": list(required)}
    return {**schema, "x-kubernetes-validations": [{"rule": rule} for rule in rules]} if rules else schema


def _with_rule(schema: dict[str, Any], rule: str, **parts: Any) -> dict[str, Any]:
    return {**schema, "x-kubernetes-validations": [{"rule": rule, **parts}]}


LIST = {"type": "array", "maxItems": 3, "items": TEXT}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        pytest.param(
            _object("self.provider != 'aws' || size(self.region) > 0", provider=TEXT, region=TEXT),
            'spec: the rule cannot be evaluated for {"spec": {}}, which the schema allows: no such key: provider',
            id="an absent field",
        ),
        pytest.param(
            _object("1 == 1", "self.a > 'c'", a=TEXT),
            'spec: the rule cannot be evaluated for {"spec": {}}, which the schema allows: no such key: a',
            id="a second rule",
        ),
        pytest.param(
            _object("!has(self.a) || self.b > 'c'", a=TEXT, b=TEXT),
            'spec: the rule cannot be evaluated for {"spec": {"a": "a"}}, which the schema allows: no such key: b',
            id="an absent field beside another one",
        ),
        pytest.param(
            _object("!has(self.a) || !has(self.c) || self.b > 'c'", a=TEXT, b=TEXT, c=TEXT),
            'spec: the rule cannot be evaluated for {"spec": {"a": "b", "c": "b"}}, which the schema allows: no such key: b',
            id="an absent field beside two others",
        ),
        pytest.param(
            _object("self.inner.a != 'b'", required=("inner",), inner=_object(a=TEXT)),
            'spec: the rule cannot be evaluated for {"spec": {"inner": {}}}, which the schema allows: no such key: a',
            id="an absent field of a field",
        ),
        pytest.param(
            _object(names=_with_rule(LIST, "self[0] != 'a'")),
            'spec.names: the rule cannot be evaluated for {"spec": {"names": []}}, which the schema allows: index out of bounds: 0',
            id="an empty list",
        ),
        pytest.param(
            _object(
                items=_with_rule({**LIST, "items": _object(a=TEXT)}, "self.all(item, item.a != 'b')"),
            ),
            'spec.items: the rule cannot be evaluated for {"spec": {"items": [{}]}}, which the schema allows: no such key: a',
            id="an item without a field",
        ),
    ],
)
def test_a_rule_that_cannot_be_evaluated_has_a_warning(find_warnings: Find, spec: Any, words: str) -> None:
    (warning,) = find_warnings(spec)

    assert warning.startswith(words)
    assert warning.endswith("; test the field with has() before the rule reads it (evaluationerror)")


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(_object("!has(self.a) || self.a != 'b'", a=TEXT), id="a tested field"),
        pytest.param(_object("self.a != 'b'", required=("a",), a=TEXT), id="a required field"),
        pytest.param(
            _object("!has(self.a) || !has(self.b) || self.a != self.b", a=TEXT, b=TEXT), id="two tested fields"
        ),
        pytest.param(
            _object(a={**_object("!has(self.b) || self.b != 'c'", b=TEXT), "nullable": True}),
            id="a value that may be null",
        ),
        pytest.param(
            _object(a=_with_rule(_object(inner=_object("self.b != 'c'", b=TEXT)), "false")), id="a value that cannot be"
        ),
        pytest.param(_object("self.a != 'b'", a={**TEXT, "default": "c"}), id="a field with a default"),
        pytest.param(_object("has(self.a)", "self.a != 'b'", a=TEXT), id="a field that another rule requires"),
        pytest.param(_object(names=_with_rule({**LIST, "minItems": 1}, "self[0] != 'b'")), id="a list with items"),
        pytest.param(
            _object(name=_with_rule(TEXT, "size(self) > 1000 || self[:1] == ''")) and _object(a=TEXT), id="no rule"
        ),
    ],
)
def test_a_rule_that_can_be_evaluated_has_no_warning(find_warnings: Find, spec: Any) -> None:
    assert find_warnings(spec) == []


IMMUTABLE = _with_rule(TEXT, "self == oldSelf")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        pytest.param(
            _object(kind=IMMUTABLE),
            'spec.kind: the rule does not run while spec.kind is left out: {"spec": {"kind": "a"}}, then {"spec": {}}, then '
            '{"spec": {"kind": "b"}} are accepted; make kind required, or add the rule has(oldSelf.kind) == has(self.kind) to spec '
            "(bypass)",
            id="an optional field",
        ),
        pytest.param(
            _object(inner=_object(required=("kind",), kind=IMMUTABLE)),
            "spec.inner.kind: the rule does not run while spec.inner is left out: ",
            id="a required field of an optional object",
        ),
        pytest.param(
            _object(count=_with_rule({"type": "integer"}, "self >= oldSelf")),
            "spec.count: the rule does not run while spec.count is left out: ",
            id="a number that may not shrink",
        ),
    ],
)
def test_a_rule_of_changes_that_users_get_around_has_a_warning(find_warnings: Find, spec: Any, words: str) -> None:
    (warning,) = find_warnings(spec, required=["spec"])

    assert warning.startswith(words)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(_object(required=("kind",), kind=IMMUTABLE), id="a required field"),
        pytest.param(_object(kind={**IMMUTABLE, "default": "a"}), id="a field with a default"),
        pytest.param(
            _object(kind={**TEXT, "x-kubernetes-validations": [{"rule": "self == oldSelf"}, {"rule": "false"}]}),
            id="a field that cannot be",
        ),
        pytest.param(_object("has(oldSelf.kind) == has(self.kind)", kind=IMMUTABLE), id="a rule of the parent"),
        pytest.param(_object("!has(self.kind) || self.kind == oldSelf.kind", kind=TEXT), id="a rule that lets it go"),
        pytest.param(
            _object(kind=_with_rule(TEXT, "oldSelf.orValue(self) == self", optionalOldSelf=True)),
            id="an optional old value",
        ),
        pytest.param(_object(kind=_with_rule(TEXT, "self == oldSelf || true")), id="a rule that always holds"),
    ],
)
def test_a_rule_of_changes_that_nobody_gets_around_has_no_warning(find_warnings: Find, spec: Any) -> None:
    assert [warning for warning in find_warnings(spec, required=["spec"]) if warning.endswith("(bypass)")] == []


def test_items_of_a_list_may_go(find_warnings: Find) -> None:
    items = _object(required=("name", "kind"), name=TEXT, kind=IMMUTABLE)
    keyed = {
        "type": "array",
        "maxItems": 3,
        "items": items,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
    }

    assert find_warnings(_object(list=keyed), required=["spec"]) == []


def test_rules_of_a_version_without_a_known_object_have_no_warning(find_warnings: Find) -> None:
    spec = _object(
        required=("kind", "a"),
        kind=_with_rule({"type": "boolean"}, "false"),
        a=_object("self.b != 'c'", b=TEXT),
        old=IMMUTABLE,
    )

    assert find_warnings(spec, required=["spec"]) == []


def test_rules_that_a_server_drops_have_a_warning(find_warnings: Find) -> None:
    spec = _object("self.a != 'b'", required=("a",), a=_with_rule(TEXT, "self != 'c'"))

    (warning,) = find_warnings(spec, kubernetes="1.21")

    assert warning == (
        "Kubernetes 1.21 drops x-kubernetes-validations, so that 2 rules of v1 check nothing there; a webhook can check the same "
        "(droppedrules)"
    )
    assert find_warnings(_object(a=TEXT), kubernetes="1.21") == []


def _find(find_warnings: Find, spec: Any, *names: str, **parts: Any) -> list[str]:
    return [text for text in find_warnings(spec, **parts) if text.endswith(tuple(f"({name})" for name in names))]


FLAG = {"type": "boolean"}
MODE = {"type": "string", "enum": ["on", "off"]}
SMALL = {"type": "integer", "minimum": 1, "maximum": 3}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        pytest.param(
            _object("self.a || !self.a", required=("a",), a=FLAG, b=FLAG),
            "",
            id="one scalar, which a rule may repeat on purpose",
        ),
        pytest.param(
            _object("!has(self.a) || !self.a || !has(self.b) || self.b in ['on', 'off']", a=FLAG, b=MODE),
            'spec: the rule refuses nothing: it holds for all 9 values that the schema allows, such as {"spec": {}}; correct the rule or remove it',
            id="two fields",
        ),
        pytest.param(
            _object("has(self.a)", a={**TEXT, "default": "b"}),
            'spec: the rule refuses nothing: it holds for all 1 values that the schema allows, such as {"spec": {"a": "b"}}',
            id="the presence of a field with a default",
        ),
        pytest.param(
            _object("!has(self.b) || has(self.a)", required=("a",), a=LIST, b=TEXT),
            "spec: the rule refuses nothing: it holds for all 2 values",
            id="the presence of a required field",
        ),
        pytest.param(_object("!has(self.b) || has(self.a)", a=LIST, b=TEXT), "", id="the presence of two fields"),
        pytest.param(_object("self.a in [1, 2]", required=("a",), a=SMALL), "", id="a rule about some values"),
    ],
)
def test_a_rule_that_refuses_no_value_has_a_warning(find_warnings: Find, spec: Any, words: str) -> None:
    warnings = _find(find_warnings, spec, "alwaystrue", "nevertrue")

    assert [text.startswith(words) for text in warnings] == ([True] if words else [])


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        pytest.param(
            _object(a=_with_rule(SMALL, "self > 3")),
            'spec.a: the rule refuses each of the 3 values that the schema allows, such as {"spec": {"a": 1}}; correct the rule or the schema',
            id="a scalar",
        ),
        pytest.param(
            _object("self.a == 'On'", required=("a",), a=MODE),
            "spec: the rule refuses each of the 2 values",
            id="an enum",
        ),
        pytest.param(
            _object("!has(self.a)", required=("a",), a=TEXT),
            "spec: the rule refuses each of the 1 values",
            id="a required field",
        ),
    ],
)
def test_a_rule_that_refuses_all_values_has_a_warning(find_warnings: Find, spec: Any, words: str) -> None:
    (warning,) = _find(find_warnings, spec, "alwaystrue", "nevertrue")

    assert warning.startswith(words)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(_object("self.a == self.b", required=("a", "b"), a=TEXT, b=TEXT), id="any text"),
        pytest.param(
            _object("self.a == 1 || self.a != 1", required=("a",), a={**SMALL, "maximum": 99}), id="many integers"
        ),
        pytest.param(_object(a=_with_rule({"type": "integer"}, "self == 1 || self != 1")), id="any integer"),
        pytest.param(_object("1 == 1", a=TEXT), id="no field"),
        pytest.param(_object("self == self", a=FLAG), id="an object"),
        pytest.param(
            _object("has(self.a)", a={**TEXT, "default": "b", "nullable": True}), id="a field that may be null"
        ),
        pytest.param(
            {**_object("has(self.a)", required=("a",), a=TEXT), "nullable": True}, id="an object that may be null"
        ),
        pytest.param(_object("self == oldSelf || true", a=FLAG), id="an old value"),
        pytest.param(_object("self.?a.hasValue() || true", a=FLAG), id="an optional value"),
        pytest.param(
            _object(
                " || ".join([f"self.f{index}" for index in range(9)] + ["!self.f1"]),
                required=tuple(f"f{index}" for index in range(9)),
                **{f"f{index}": FLAG for index in range(9)},
            ),
            id="many combinations",
        ),
        pytest.param(
            _object("has(self.a)", required=("a",), a={**TEXT, "minLength": 9, "maxLength": 1}), id="no value"
        ),
        pytest.param(_object("self.a.a || true", a=_object(a=FLAG)), id="a field of a field"),
    ],
)
def test_a_rule_with_many_values_has_no_warning(find_warnings: Find, spec: Any) -> None:
    assert _find(find_warnings, spec, "alwaystrue", "nevertrue") == []


SIZE = {"type": "integer"}
UNSAFE = "'too large beside ' + self.name"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        pytest.param(
            _with_rule(_object(size=SIZE, name=TEXT, required=("size",)), "self.size < 9", messageExpression=UNSAFE),
            'spec: the messageExpression cannot be evaluated for {"spec": {"size": ',
            id="a field that may be absent",
        ),
        pytest.param(
            _with_rule(_object(size=SIZE, name=TEXT), "!has(self.size)", messageExpression=UNSAFE),
            'spec: the messageExpression cannot be evaluated for {"spec": {"size": ',
            id="a rule about an optional field",
        ),
    ],
)
def test_a_message_that_cannot_be_evaluated_has_a_warning(find_warnings: Find, spec: Any, words: str) -> None:
    (warning,) = _find(find_warnings, spec, "messageerror")

    assert warning.startswith(words)
    assert "which the rule refuses: no such key: name; the server prints 'failed rule: " in warning


def test_a_message_of_the_whole_object_has_a_warning(find_warnings: Find) -> None:
    rule = {"rule": "!has(self.kept)", "messageExpression": "'not beside ' + self.name"}

    warnings = _find(
        find_warnings,
        _object(),
        "messageerror",
        properties={"kept": TEXT, "name": TEXT},
        root={"x-kubernetes-validations": [rule]},
    )

    assert [text.startswith("the whole object: the messageExpression cannot be evaluated") for text in warnings] == [
        True
    ]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(
            _with_rule(
                _object(size=SIZE, name=TEXT),
                "!has(self.size)",
                messageExpression="has(self.name) ? self.name : 'none'",
            ),
            id="a tested field",
        ),
        pytest.param(
            _with_rule(_object(size=SIZE, name=TEXT), "has(self.name)", messageExpression="'c'"), id="a constant"
        ),
        pytest.param(
            _with_rule(_object(name=TEXT), "!has(self.name)", messageExpression="'not ' + self.name"),
            id="a field that each refused object has",
        ),
        pytest.param(
            _object(
                a=_with_rule(
                    _object(b={**TEXT, "minLength": 99}, name=TEXT, required=("b",)),
                    "has(self.name)",
                    messageExpression=UNSAFE,
                )
            ),
            id="an object that has no valid value",
        ),
        pytest.param(
            _with_rule(_object(name=TEXT), "self == oldSelf", messageExpression="'not ' + self.name"),
            id="a rule of changes",
        ),
    ],
)
def test_a_message_that_can_be_evaluated_has_no_warning(find_warnings: Find, spec: Any) -> None:
    assert _find(find_warnings, spec, "messageerror") == []
