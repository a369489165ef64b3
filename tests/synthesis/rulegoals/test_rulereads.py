"""The places that a rule reads."""

from __future__ import annotations

import pytest
from synthesis import versions
from synthesis.versions import fields

from pytest_crd.engine.schema.schemamap import Each, Place
from pytest_crd.synthesis import Boundaries
from pytest_crd.synthesis.rulegoals import rulereads

RULE = "x-kubernetes-validations"
TEXT = {"type": "string", "maxLength": 9}
SPEC = fields(
    a=TEXT,
    b=fields(c=TEXT),
    l={"type": "array", "maxItems": 3, "items": fields(n=TEXT, m=TEXT)},
    m={"type": "object", "maxProperties": 3, "additionalProperties": TEXT},
)


def find_reads(rule: str) -> list[rulereads.RuleRead]:
    version = versions.create_version({**SPEC, RULE: [{"rule": rule}]})
    evaluator = Boundaries(version).placer.goals.evaluator(("spec",), 0)
    assert evaluator is not None
    return list(rulereads.find_reads(evaluator.root))


@pytest.mark.parametrize(
    ("rule", "place", "expected"),
    [
        ("self.a == 'x'", ("a",), True),
        ("self.a == 'x'", ("b",), False),
        ("has(self.b)", ("b",), True),
        ("has(self.b)", ("b", "c"), False),
        ("has(self.b.c)", ("b",), True),
        ("self.b == self.b", ("b", "c"), True),
        ("self == oldSelf", ("b", "c"), True),
        ("oldSelf.a == 'x'", ("a",), True),
        ("self.l.all(i, has(i.n))", ("l", Each.ITEM, "n"), True),
        ("self.l.all(i, has(i.n))", ("l", Each.ITEM, "m"), False),
        ("self.l.all(i, has(i.n))", ("l",), True),
        ("self.l.filter(i, has(i.n))[0].m == 'x'", ("l", Each.ITEM, "m"), True),
        ("self.l[0].n == 'x'", ("l", Each.ITEM, "m"), False),
        ("self.m['k'] == 'x'", ("m", Each.VALUE), True),
        ("[self.a].exists(t, t == 'x')", ("b",), False),
        ("[self.a].exists(t, t == 'x')", ("a",), True),
        ("dyn(self.a) == 'x'", ("a",), True),
        ("self.a.startsWith('x')", ("a",), True),
    ],
)
def test_reads_of_a_rule(rule: str, place: Place, *, expected: bool) -> None:
    assert any(read.depends_on(place) for read in find_reads(rule)) is expected
