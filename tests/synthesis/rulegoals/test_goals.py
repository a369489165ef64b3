"""Changes that make a rule true or false, confirmed by the server."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd import engine
from pytest_crd.synthesis.demands import Demand
from pytest_crd.synthesis.rulegoals import valuecandidates
from pytest_crd.synthesis.rulegoals.rulestates import RuleGoals
from pytest_crd.synthesis.rulegoals.state import Editor, Ref, State
from pytest_crd.synthesis.schemavalues import Maker

RULE = "x-kubernetes-validations"
TEXT = {"type": "string", "maxLength": 20}
NUMBER = {"type": "integer"}
ITEM = fields(name=TEXT, port=NUMBER, on={"type": "boolean"}, part=fields(size=NUMBER))
SPEC = fields(
    a=TEXT,
    b=TEXT,
    low=NUMBER,
    high=NUMBER,
    on={"type": "boolean"},
    names={"type": "array", "items": TEXT, "maxItems": 4},
    others={"type": "array", "items": TEXT, "maxItems": 4},
    kinds={"type": "array", "items": TEXT, "maxItems": 4, "x-kubernetes-list-type": "set"},
    items={"type": "array", "items": ITEM, "maxItems": 4},
    sizes={"type": "object", "additionalProperties": NUMBER, "maxProperties": 4},
    part=fields(size=NUMBER, name=TEXT),
    ratio={"type": "number"},
)
OBJECT: dict[str, Any] = {
    "a": "x",
    "low": 4,
    "on": True,
    "names": ["x", "y"],
    "others": ["y"],
    "items": [{"name": "x", "port": 1}, {"on": False}],
    "sizes": {"k": 1},
}
# Rules about fields that the object does not have yet.
RULES = (
    "self.?b.hasValue()",
    "!self.?part.?size.hasValue()",
    "has(self.part.size)",
    "self.?b.orValue('none') == 'some'",
    "self.low == (self.on ? 1 : 2)",
    "size(self.on ? self.names : self.others) == 3",
    "(self.names + self.others).size() == 4",
    "self.a + '-' + self.b == 'p-q'",
    "self.names + ['a'] == ['z', 'a']",
    "self.low - self.high == 3 && 12 / self.low > 1",
    "self.low * 3 == 12 || 2 * self.high == 6",
    "100 % self.low == 7",
    "-self.low == 8",
    "int(self.a) > 7",
    "self.a.split(',')[1] == 'z' && self.names.join('-') == 'p-q'",
    "'m' in self.sizes && !('k' in self.sizes)",
    "self.a in self.names",
    "self.names.map(n, n + '!') == ['p!', 'q!']",
    "self.names.filter(n, n != 'x').map(n, n + n).all(n, size(n) == 4)",
    "self.names.filter(n, n == 'y').size() == 3",
    "(self.names + self.others).all(n, n.startsWith('p'))",
    "'a,b'.split(',').all(n, n in self.names)",
    "self.items.filter(i, has(i.on) && i.on).exists(i, has(i.port) && i.port == 9)",
    "self.items.filter(i, has(i.port)).map(i, i.port) == [5, 6]",
    "self.items.all(i, v, !has(v.port) || v.port < 3 + i)",
    "self.sizes.all(k, v, v < 3 && k != 'z')",
    "self.sizes == {'z': 3}",
    "self.kinds.size() == 3 && self.kinds.exists(k, k == 'm')",
    "self.names != self.others && self.names != []",
    "self.a.matches('^[b-d]{4}[0-9]$') && !self.b.matches('q')",
    "self.a.startsWith(self.b) && self.a.endsWith('st') && self.a.contains('o')",
    "isIP(self.a) || isQuantity(self.b)",
    "self.ratio == 5.0 || self.ratio > 1.25",
    "(self.low > 4) == (self.a != 'x') && (self.on != true)",
    "self.names.join(self.names[7]) == 'a'",
    "self.a.split(self.names[7]).size() == 2",
    "self.a.startsWith(self.names[7])",
    "self.sizes.transformMap(k, v, v + 1) == {'k': 9}",
    "self.a.trim().size() > 5",
    "self.sizes.exists_one(k, k.size() < 9)",
    "[self.names.map(n, n), ['p']].all(l, l.exists(n, n == 'p'))",
    "self.sizes.all(k, self.sizes[k] < 100000)",
    "self.names.all(n, n == 'q' || !has(self.names))",
    "self.names.filter(n, n == 'y').size() < 0",
    "has({'k': 1}.m)",
    "self.others.exists(n, n == 'q') && self.items.exists_one(i, has(i.on))",
    "duration(self.a) > duration('5m') && duration(self.a) < duration('6m')",
    "timestamp(self.a) > timestamp('2024-05-01T00:00:00Z')",
    "true",
    "self.on",
    "self.part.size < 3 && self.part.name != 'y'",
    "optional.of(self.low).orValue(0) == 5",
    "[self.low, self.high] == [1, 2]",
    "(has(self.b) ? self.b : self.a) == 'z'",
    "(self.a + self.a).size() > 6",
    "(self.names + ['a', 'b']).size() == 2",
    "self.names == ['q', 'r']",
    "self.low / 0 == 1",
    "double(self.a) < 1.5 || string(self.low) == '9'",
    "dyn(self.a) == 'other'",
    "self.a.split(self.b).size() == 3",
    "self.names.join() == 'pq'",
    "self.a.upperAscii() == 'ABC'",
    "self.names[0] == self.others[0]",
    "self.sizes['k'] == self.sizes['l']",
    "self.sizes.all(k, self.sizes[k] > 3)",
    "self.sizes.exists(k, k == 'm')",
    "!(self.a in self.others)",
    "'q' in self.names",
    "self.low in [7, 8]",
    "!('x' in self.names || self.b in ['a'])",
    "self.names.all(n, n in self.others)",
    "self.names.exists_one(n, n == 'x')",
    "self.names.map(n, size(n)).exists(s, s > 2)",
    "self.names.filter(n, n != 'x') == ['v']",
    "self.names.map(n, n).size() == 1",
    "[self.a, self.b].exists(n, n == 'z')",
    "[self.names, self.others].all(l, l.exists(n, n == 'z'))",
    "[self.names, self.others].exists(l, l.size() == 0)",
    "[self.a, 'k'].all(n, n.contains('k'))",
    "self.items.all(i, has(i.part) && i.part.size > 2)",
    "self.items.filter(i, has(i.on)).all(i, i.on)",
    "self.items.map(i, i.?port.orValue(0)).exists(p, p == 8)",
    "self.sizes.transformList(k, v, v).size() == 3",
    "self.?low.optMap(v, v + 1).orValue(0) == 9",
    "size(self.part.name) == 7 || size(self.sizes) == 3",
    "format.dns1123Label().validate(self.b).hasValue()",
    "self.a < 'b' && self.b >= 'c'",
    "self.a.substring(1) == 'bc'",
    "self.names[5] == 'q'",
)
OF_CHANGES = (
    "self == oldSelf",
    "self.low == oldSelf.low + 1",
    "self.?low.orValue(0) == oldSelf.?low.orValue(0)",
    "oldSelf.names.all(n, n in self.names)",
    "has(oldSelf.b) || !has(self.b)",
    "oldSelf.part.size == self.part.size",
)
# Rules on updates and on new objects.
OF_BOTH = (
    "!oldSelf.hasValue() || self.low >= oldSelf.value().low",
    "oldSelf.hasValue() ? oldSelf.value().names.all(n, n in self.names) : self.low > 3",
    "self.low == oldSelf.orValue(self).low",
)


# Rules that no object makes true.
NEVER = {
    *((rule, wanted) for rule in RULES for wanted in (True, False) if "[7]" in rule or "[5]" in rule),
    ("self.sizes.transformMap(k, v, v + 1) == {'k': 9}", True),
    ("self.names.filter(n, n == 'y').size() < 0", True),
    ("has({'k': 1}.m)", True),
    ("true", False),
    ("self.low / 0 == 1", True),
    ("self.low / 0 == 1", False),
}
MOST = 8


@functools.cache  # tests share rules, and to compile one takes longer than to solve it
def _version(rule: str, **options: Any) -> engine.CrdVersion:
    return versions.create_version({**SPEC, RULE: [{"rule": rule, **options}]})


def _start(version: engine.CrdVersion, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Tab", "metadata": {"name": "example"}, "spec": spec}


def _states(version: engine.CrdVersion, *, wanted: bool, spec: dict[str, Any], old: bool = False) -> list[State]:
    start = _start(version, spec)
    goals = RuleGoals(version, Demand.of_version(version), Maker())
    states = goals.find_states(("spec",), 0, wanted=wanted, new=start, old=start if old else None)
    return list(itertools.islice(states, MOST))


def _has_value(answer: engine.Response, *, wanted: bool) -> bool:
    """Return True if the rule has the *wanted* value in an answer; it is true if the object is refused only for other reasons."""
    of_rule = [error for error in answer.errors if error.rule is not None]
    if any(error.rule is None for error in answer.errors):
        return True
    return (
        not of_rule
        if wanted
        else all(error.rule is not None and error.rule.was_evaluated for error in of_rule) and bool(of_rule)
    )


@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("spec", [OBJECT, {}], ids=["some", "none"])
def test_each_object_gives_the_rule_the_wanted_value(rule: str, spec: dict[str, Any], wanted: bool) -> None:  # noqa: FBT001
    version = _version(rule)

    states = _states(version, wanted=wanted, spec=spec)

    assert states or (rule, wanted) in NEVER
    for state in states:
        assert state.change.applied(_start(version, spec)) == state.new
        assert _has_value(version.create(state.new), wanted=wanted), state.new


@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("rule", OF_CHANGES)
@pytest.mark.parametrize("spec", [OBJECT, {}], ids=["some", "none"])
def test_each_update_gives_the_rule_the_wanted_value(rule: str, spec: dict[str, Any], wanted: bool) -> None:  # noqa: FBT001
    version = _version(rule)

    states = _states(version, wanted=wanted, spec=spec, old=True)

    assert states
    for state in states:
        stored = version.create(state.old).stored_if_accepted
        assert stored is None or _has_value(version.update(state.new, old=stored), wanted=wanted), (
            state.new,
            state.old,
        )


@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize("rule", OF_BOTH)
@pytest.mark.parametrize("old", [True, False])
def test_the_old_value_may_be_an_optional(rule: str, old: bool, wanted: bool) -> None:  # noqa: FBT001
    version = _version(rule, optionalOldSelf=True)

    states = _states(version, wanted=wanted, spec=OBJECT, old=old)

    assert states or (rule, old, wanted) in {(OF_BOTH[0], False, False), (OF_BOTH[2], False, False)}
    for state in states:
        stored = version.create(state.old).stored_if_accepted if old else None
        answer = version.create(state.new) if stored is None else version.update(state.new, old=stored)
        assert (old and stored is None) or _has_value(answer, wanted=wanted), (state.new, state.old)


def test_without_a_rule_there_are_no_states() -> None:
    version = _version("true")
    goals = RuleGoals(version, Demand.of_version(version), Maker())

    for base, index in ((("spec", "a"), 0), (("spec", "a", "b"), 0), (("spec",), 1)):
        assert not list(goals.find_states(base, index, wanted=True, new=_start(version, {})))
    assert not goals.needs_old(("spec",), 1)


def test_nothing_is_set_inside_scalars() -> None:
    editor = Editor(Demand((fields(spec=SPEC),)), Maker())
    state = State({"spec": {"a": "x"}})

    assert editor.put(state, Ref(("spec", "a", "b")), 1) is None
    assert editor.put(state, Ref(("spec", "names", 3)), "x") is None
    assert editor.put(state, Ref(("spec",), is_old=True), {}) is None


def test_values_without_a_size_are_not_resized() -> None:
    assert not list(valuecandidates.resize_value(None, 1, Demand((NUMBER,)), Maker()))
    assert not list(valuecandidates.resize_value("a", -1, Demand((TEXT,)), Maker()))
    two = {"type": "array", "items": {**TEXT, "enum": ["x", "y"]}, "x-kubernetes-list-type": "set"}
    assert not list(valuecandidates.resize_value([], 3, Demand((two,)), Maker()))


PATTERNED = fields(a={**TEXT, "pattern": "^[0-9a-f]{8}$"}, b=TEXT)


@pytest.mark.parametrize("wanted", [True, False])
@pytest.mark.parametrize(
    "call", ["startsWith('ab')", "endsWith('ab')", "contains('abc')", "matches('a.*b$')", "startsWith('.')"]
)
def test_a_text_meets_the_pattern_of_its_schema_and_a_function_of_a_rule(call: str, *, wanted: bool) -> None:
    version = versions.create_version({**PATTERNED, RULE: [{"rule": f"has(self.a) && self.a.{call}"}]})

    states = _states(version, wanted=wanted, spec={"a": "00000000" if wanted else "ab000aab"})
    answers = [version.create(state.new) for state in states]

    is_impossible = wanted and "'.'" in call
    assert any(not answer.errors if wanted else _has_value(answer, wanted=False) for answer in answers) != is_impossible


def test_a_pattern_that_is_wrong_has_no_texts() -> None:
    version = versions.create_version({**PATTERNED, RULE: [{"rule": "self.a.matches(self.b)"}]})

    states = _states(version, wanted=True, spec={"a": "00000000", "b": "("})

    assert states
    assert all(state.new["spec"].get("b") != "(" for state in states)
