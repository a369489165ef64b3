"""Cost estimates with known sizes of variables, as computed by the type checkers of servers 1.37 and 1.32."""

from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.cel.types import celtypes
from pytest_crd.engine.cel.types.celtypes import Type
from pytest_crd.engine.cel.types.costs import MAX, CostEstimate, SizeEstimate, scale
from pytest_crd.engine.rules import environments

FIELDS = {
    "Self": {
        "list": celtypes.list_of(celtypes.STRING),
        "map": celtypes.map_of(celtypes.STRING, celtypes.STRING),
        "text": celtypes.STRING,
        "n": celtypes.INT,
        "objs": celtypes.list_of(celtypes.struct("Obj")),
        "o": celtypes.struct("Deep"),
    },
    "Obj": {"l": celtypes.list_of(celtypes.INT), "a": celtypes.STRING, "b": celtypes.STRING},
    "Deep": {"m": celtypes.map_of(celtypes.STRING, celtypes.list_of(celtypes.STRING))},
}
SIZES = {
    ("list",): 10,
    ("list", "@items"): 100,
    ("map",): 5,
    ("map", "@keys"): 0,
    ("map", "@values"): 100,
    ("text",): 100,
    ("n",): 0,
    ("objs",): 7,
    ("objs", "@items"): 0,
    ("objs", "@items", "l"): 4,
    ("objs", "@items", "l", "@items"): 0,
    ("objs", "@items", "a"): 12,
    ("objs", "@items", "b"): 36,
    ("o",): 0,
    ("o", "m"): 3,
    ("o", "m", "@keys"): 0,
    ("o", "m", "@values"): 2,
    ("o", "m", "@values", "@items"): 24,
    (): 0,
}


class Structs:
    """Provider of two structs."""

    def find_struct(self, name: str) -> Type | None:
        return celtypes.struct(name) if name in FIELDS else None

    def find_field(self, struct_name: str, field_name: str) -> Type | None:
        return FIELDS[struct_name].get(field_name)


class Sizes:
    """Sizes of the fields; the first name of a path is the variable."""

    def size(self, path: tuple[str, ...], _: Type) -> SizeEstimate | None:
        most = SIZES.get(path[1:]) if path else None
        return None if most is None else SizeEstimate(0, most)


def estimate(text: str, release: str = "1.37") -> CostEstimate:
    variables = {"self": celtypes.struct("Self"), "any": celtypes.DYN}
    environment = environments.stored(profile.KNOWN[release]).extend(variables, Structs())
    return environment.estimate(environment.compile(text), Sizes())


@pytest.mark.parametrize(
    ("text", "newer", "older"),
    [
        ("self.text == 'abc'", (3, 3), (3, 3)),
        ("self.list.all(x, x.startsWith('abc'))", (3, 53), (3, 53)),
        ("self.map.all(k, v, k.contains(v))", (3, 28), (3, 28)),
        ("self.list.indexOf('a') > 0", (3, 113), (3, 113)),
        ("self.text.indexOf('a') > 0", (3, 13), (3, 13)),
        ("self.list.exists(x, self.list.exists(y, x == y))", (3, 1673), (3, 1673)),
        ("self.objs.all(x, x.l.all(y, y > 1))", (3, 185), (3, 185)),
        (
            "optional.of(self.text).optMap(x, x + self.text).orValue('') == self.text",
            (9, 1844674407370955299),
            (9, 45),
        ),
        ("{'a': 1}.all(k, k == self.text)", (34, 37), (34, 37)),
        ("self.list.transformMap(i, v, v).size() > 0", (35, 75), (35, 75)),
        ("dyn(self.list)[0] == self.text", (6, 6), (6, 6)),
        ("(self.n > 1 ? self.text : 'abc').contains('b')", (3, 15), (3, 15)),
        ("(self.list + ['abc']).all(x, x == 'b')", (17, 58), (17, 58)),
        ("{'a': self.text}['a'].contains('b')", (33, 43), (33, 33)),
        ("has(self.text) && self.text.size() > 1", (1, 5), (1, 5)),
        ("self.list[?0].orValue('x').contains('y')", (4, 1844674407370955268), (4, 1844674407370955268)),
        ("type(self.n) == int && google.protobuf.Timestamp == int", (4, 6), (4, 6)),
        ("[1].map(x, [x]).all(y, y == [1])", (48, 59), (48, 59)),
        ("['b'].exists_one(x, self.list.join(x) == x)", (17, 118), (17, 118)),
        # One path overwrites another: see `knownsizes`.
        ("self.o.m.all(k, v, k.contains('abc'))", (4, 19), (4, 16)),
        ("self.o.m.all(k, v, k.contains('abc') && v.all(x, x.contains(k)))", (4, 73), (4, 22)),
        ("self.objs.all(x, x.l.all(y, x.l.all(z, y == z) && x.a.contains(x.b)))", (3, 3237), (3, 1109)),
        ("(self.n > 1 ? [1] : [2]).all(x, x > 1)", (17, 19), (17, 19)),
    ],
)
def test_estimates_equal_those_of_the_servers(text: str, newer: tuple[int, int], older: tuple[int, int]) -> None:
    assert estimate(text) == CostEstimate(*newer)
    assert estimate(text, "1.32") == CostEstimate(*older)


class Tens:
    """Ten at most as the size of each part of a variable."""

    def size(self, path: tuple[str, ...], _: Type) -> SizeEstimate | None:
        return SizeEstimate(0, 10) if path else None


@pytest.mark.parametrize(
    ("text", "preview", "newest"),
    [
        ("type(any.s) == type(any.s)", (7, 7), (5, 1844674407370955268)),
        ("[?optional.none(), ?optional.of(1), 2].all(x, x > 1)", (16, 23), (22, 28)),
        ("{?'a': optional.none()}.all(x, x == 'b')", (32, 37), (35, 37)),
        ("[1, 2].filter(x, x > 1).all(x, x > 1)", (28, 62), (34, 62)),
        ("string(any.s).contains('a')", (2, 4), (1, 3)),
        ("[['a']].flatten(-1).size()", (18446744073709551615, 18446744073709551615), (32, 32)),
        ("{}['a'] == 1", (32, 32), (31, 31)),
        ("any.a.distinct()[0].contains('b')", (14, 215), (13, 214)),
        ("any.a.slice(0, 2)[0].contains('a')", (16, 17), (15, 16)),
        ("(any.a + ['abc'])[0].contains('a')", (14, 15), (13, 14)),
        ("any.m.transformList(k, v, v)[0].contains('b')", (14, 145), (13, 144)),
        ("any.s.split(',')[0].contains('b')", (3, 18446744073709551615), (2, 5)),
        ("(any.s == '' ? [] : ['a'])[0].contains('b')", (14, 14), (12, 13)),
        ("(['a'] + [])[0].contains('b')", (23, 23), (22, 23)),
        ("([] + ['a'])[0].contains('b')", (23, 23), (22, 23)),
    ],
)
def test_estimates_of_the_preview_are_those_of_cel_go(
    text: str, preview: tuple[int, int], newest: tuple[int, int]
) -> None:
    """The answers of cel-go 0.33 and 0.29, with 10 as the largest size of each part of a variable."""
    for release, expected in (("1.38", preview), ("1.37", newest)):
        environment = environments.stored(profile.KNOWN[release]).extend({"any": celtypes.DYN})
        assert environment.estimate(environment.compile(text), Tens()) == CostEstimate(*expected)


def test_parts_of_a_map_with_types_have_the_sizes_of_its_schema_in_the_preview() -> None:
    assert estimate("self.map.map(k, k)[0].contains('b')", "1.38").max < 1000
    assert estimate("(true ? self.map : self.map).map(k, k)[0].contains('b')", "1.38").max < 1000


def test_structs_cost_40_each() -> None:
    assert estimate("Obj{l: [Obj{}].map(x, 1)}.l.size()").min > 80


def test_costs_saturate_at_uint64() -> None:
    assert estimate("any.x.all(x, any.y.all(y, any.z.all(z, x == y)))").max == MAX
    assert scale(MAX, 2.0) == MAX
