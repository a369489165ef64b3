"""Evaluation beyond the recorded results: limits, missing values and unsupported expressions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest
from support.expressions import evaluate

from pytest_crd.engine.cel.errors import CostLimitError, UnsupportedExpressionError
from pytest_crd.engine.cel.run.interpreter import ProgramError, ProgramResult
from pytest_crd.engine.cel.values import workload
from pytest_crd.engine.cel.values.celvalues import MISSING, ListValue, MapValue, Value


@pytest.mark.parametrize(
    "text",
    [
        "self.all(x, x > 0)",
        "self.exists(x, x < 0)",
        "self.exists_one(x, x < 0)",
        "self.map(x, x)",
        "self.filter(x, x > 0)",
        "self.transformMap(i, x, x)",
        "self.size() + self.size() + self.size() > 0",
        "self.map(x, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa').join().size() > 0",
    ],
)
@pytest.mark.parametrize("version", ["1.37", "1.38"])
def test_evaluation_stops_at_the_cost_limit(text: str, version: str) -> None:
    cost = evaluate(text, {"self": [1] * 10}, version=version).cost

    assert evaluate(text, {"self": [1] * 10}, cost, version=version).cost == cost
    with pytest.raises(CostLimitError, match="operation cancelled: actual cost limit exceeded"):
        evaluate(text, {"self": [1] * 10}, cost - 1, version=version)


@pytest.mark.parametrize(
    ("text", "newest", "preview"),
    [
        ("self.map(x, 1 / x).size() > 0", 46, 7),
        ("self.filter(x, x.a)", 8, 8),
        ("self.map(x, x == 0, x)", 21, 21),
        ("self.exists_one(x, 1 / x == 1)", 16, 14),
    ],
)
def test_failed_parts_cost_less_in_the_preview(text: str, newest: int, preview: int) -> None:
    """The answers of cel-go 0.29 and 0.33."""
    values: dict[str, Value] = {"self": [0, 1, 1]}

    assert [evaluate(text, values, version=version).cost for version in ("1.37", "1.38")] == [newest, preview]


def test_loops_stop_at_the_cost_limit() -> None:
    class Endless(ListValue):
        """List too long to be iterated completely."""

        def __len__(self) -> int:
            return 10**18

        def __getitem__(self, index: int) -> Value:
            return 1

        def equal(self, other: Value) -> bool:
            raise NotImplementedError

        def add(self, other: Value) -> Value:
            raise NotImplementedError

        def contains(self, element: Value) -> bool:
            raise NotImplementedError

    for text in (
        "self.all(x, x > 0)",
        "self.exists_one(x, x < 0)",
        "self.map(x, x)",
        "self.transformMap(i, x, x)",
    ):
        for version in ("1.37", "1.38"):
            with pytest.raises(CostLimitError):
                evaluate(text, {"self": Endless()}, 5_000, version=version)


@pytest.mark.parametrize("text", ["self.distinct().size() > 0", "sets.contains(self, self)"])
def test_calls_with_a_minimum_cost_beyond_the_limit_are_skipped(text: str) -> None:
    with pytest.raises(CostLimitError):
        evaluate(text, {"self": list(range(200_000))})


def test_the_cost_limit_takes_precedence_over_an_error() -> None:
    with pytest.raises(CostLimitError):
        evaluate("self.q.q", {"self": {}}, 1)


def test_the_error_of_an_unset_variable_can_be_absorbed() -> None:
    assert str(evaluate("self", {}).error) == "no such attribute(s): self"
    assert evaluate("self.a == 1 || true", {}) == ProgramResult(value=True, cost=2)


class Adapted(MapValue):
    """Map that is not a dict."""

    def __init__(self, entries: dict[str, Value]) -> None:
        self._entries = entries

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._entries)

    def find(self, key: Value) -> Value:
        return self._entries.get(key, MISSING)

    def equal(self, other: Value) -> bool:
        return isinstance(other, Adapted)


class Summed(ListValue):
    """List that is not a Python list."""

    def __init__(self, elements: list[Value]) -> None:
        self._elements = elements

    def __len__(self) -> int:
        return len(self._elements)

    def __getitem__(self, index: int) -> Value:
        return self._elements[index]

    def equal(self, other: Value) -> bool:
        return isinstance(other, Summed)

    def add(self, other: Value) -> Value:
        return f"added {other}"

    def contains(self, element: Value) -> bool:
        return bool(element == "anything")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("self.m.a", 1),
        ("self.m.m.a", 2),
        ("has(self.m.a)", True),
        ("has(self.m.z)", False),
        ("self.m.map(k, k)", ["a", "m"]),
        ("self.m == self.m", True),
        ("self.m == 1", False),
        ("self.m.size()", 2),
        ("'a' in self.m", True),
        ("self.l[1]", 4),
        ("self.l.map(x, x)", [3, 4]),
        ("self.l == self.l", True),
        ("self.l + [1]", "added [1]"),
        ("'anything' in self.l", True),
        ("3 in self.l", False),
        ("type(self.m) == map && type(self.l) == list", True),
    ],
)
def test_maps_and_lists_may_have_their_own_classes(text: str, value: Value) -> None:
    variables = {"self": {"m": Adapted({"a": 1, "m": Adapted({"a": 2})}), "l": Summed([3, 4])}}

    assert evaluate(text, variables).value == value


def test_missing_keys_of_adapted_maps_are_named() -> None:
    assert str(evaluate("self.m.z.y", {"self": {"m": Adapted({})}}).error) == "no such key: z"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[?self]", "cannot initialize optional list element from non-optional value abc"),
        ("{?'k': self}", "cannot initialize optional entry 'k' from non-optional value abc"),
    ],
)
def test_optional_elements_must_be_optionals(text: str, problem: str) -> None:
    assert str(evaluate(text, {"self": "abc"}).error) == problem


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ("google.protobuf.Any{type_url: 'x'} == null", "protobuf messages of type google.protobuf.Any"),
        ("google.protobuf.Empty{} == null", "protobuf messages of type google.protobuf.Empty"),
        ("google.protobuf.Value{null_value: 0, string_value: 'x'}", "a google.protobuf.Value with several values"),
        ("google.protobuf.Value{list_value: [1]}", "fields of protobuf messages set to list"),
        ("google.protobuf.Struct{fields: {'a': {'b': 1}}}", "fields of protobuf messages set to map"),
        ("google.protobuf.ListValue{values: dyn({'b': 1})}", "fields of protobuf messages set to map"),
        ("google.protobuf.Struct{fields: dyn(ip('::1'))}", "fields of protobuf messages set to net.IP"),
        ("google.protobuf.Timestamp{seconds: 253402300800}", "a time before the year 1 or after 9999"),
        ("google.protobuf.Timestamp{seconds: -62135596800, nanos: -1}", "a time before the year 1 or after 9999"),
    ],
)
def test_some_protobuf_messages_are_unsupported(text: str, gap: str) -> None:
    with pytest.raises(UnsupportedExpressionError, match=gap):
        evaluate(text, {})


@pytest.mark.parametrize("text", ["[b'ab'].map(x, [x + b'c', x + b'd'])", "[1, 2].map(i, b'ab' + bytes(string(i)))"])
def test_extending_the_same_bytes_twice_is_unsupported(text: str) -> None:
    """A server overwrites the first sum if the bytes have spare capacity."""
    with pytest.raises(UnsupportedExpressionError, match="add to the same bytes twice"):
        evaluate(text, {})


def test_bytes_extended_once_have_their_own_memory() -> None:
    text = "[b'a' + b'c' + b'd', b'a' + b'e', b'' + b'f', b'g' + b'']"

    assert [evaluate(text, {}).value for _ in range(2)] == [[b"acd", b"ae", b"f", b"g"]] * 2
    assert evaluate("[b'ab'].map(x, [x + b'', x + b'', x + b'c'])", {}).value == [[b"ab", b"ab", b"abc"]]


_DOUBLED: Final = f"[self.l]{'.map(a, a + a)' * 13}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("self.l.map(x, self.l).flatten()", "lists of 25000000 elements"),
        ("self.s.replace('a', self.s)", "texts of 900000000 characters"),
        ("self.s.split('').join(self.s)", "texts of 900000000 characters"),
        (f"{_DOUBLED}[0][7] == 1", "lists of 40960000 elements"),
    ],
)
def test_values_that_would_fill_the_memory_are_unsupported(text: str, problem: str) -> None:
    with pytest.raises(UnsupportedExpressionError, match=problem):
        evaluate(text, {"self": {"l": list(range(5_000)), "s": "a" * 30_000}})


_BEYOND: Final = "expressions that visit more than 200000 values without cost"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("self.l.all(a, a in dyn(self.l))", _BEYOND),
        ("self.l.all(a, !(dyn([a]) in dyn(self.l)))", _BEYOND),
        ("self.l.all(a, [self.l] == [self.l + []])", _BEYOND),
        ("self.l.all(a, [self.l + self.l] == [self.l + self.l])", _BEYOND),
        ("self.l.all(a, [self.m] == [self.m])", _BEYOND),
        ("self.l.all(a, '%s'.format([self.l]) != '')", _BEYOND),
        ("self.l.all(a, '%s'.format([self.m]) != '')", _BEYOND),
        ("self.l.all(a, '%s'.format([self.long]) != '')", _BEYOND),
        ("self.l.all(a, dyn(self.long) + dyn(self.long) != dyn(''))", _BEYOND),
    ],
)
def test_work_without_cost_is_limited(text: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workload, "MOST", 200_000)
    self_value = {"l": list(range(800)), "m": {str(number): number for number in range(800)}, "long": "a" * 300_000}

    with pytest.raises(UnsupportedExpressionError, match=problem):
        evaluate(text, {"self": self_value})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"[dyn(self)]{'.map(a, a + a)' * 12}[0] == ''", "texts of 1280000 characters"),
        (f"[dyn(bytes(self))]{'.map(a, a + a)' * 12}[0] == b''", "texts of 1280000 characters"),
        (f"'{'%s' * 200}'.format([{'self, ' * 200}]) == ''", "texts of 1010000 characters"),
    ],
)
def test_the_length_of_texts_is_limited(text: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workload, "MOST_CHARACTERS", 1_000_000)

    with pytest.raises(UnsupportedExpressionError, match=problem):
        evaluate(text, {"self": "a" * 10_000})


def test_each_evaluation_has_its_own_limit_of_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workload, "MOST", 200_000)
    text = "self.all(a, a in dyn(self))"

    assert [evaluate(text, {"self": list(range(400))}).value for _ in range(2)] == [True, True]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 in dyn([dyn(true), dyn('a')])", False),
        ("1 in dyn([dyn(2), dyn(1u)])", True),
        ("1 in dyn([dyn(2), dyn(1.0)])", True),
        ("1 in dyn([2, 1])", True),
        ("true in dyn([1, 2])", False),
        ("dyn([1, 2]) == dyn([dyn(1), dyn(2.0)])", True),
        ("dyn([1, 1]) == dyn([true, true])", False),
        ("dyn([double('NaN')]) == dyn([double('NaN')])", False),
        ("dyn([1u, 2u]) == dyn([1u, 2u])", True),
        ("dyn(['a', 'b']) == dyn(['a', 'c'])", False),
    ],
)
def test_numbers_in_lists_are_compared_as_cel_does(text: str, *, value: bool) -> None:
    assert evaluate(text, {}).value is value


def test_doubled_lists_are_iterated_without_concatenation() -> None:
    with pytest.raises(CostLimitError):
        evaluate(f"{_DOUBLED}.map(a, a + a){'.map(a, a + a)' * 20}[0].all(x, x >= 0)", {"self": {"l": [0] * 5_000}})


def test_a_failing_constant_part_raises_a_program_error() -> None:
    with pytest.raises(ProgramError, match="error parsing regexp: missing closing"):
        evaluate("'a'.find('(')", {})


@pytest.mark.parametrize("text", ["{b'a': 1}.size()", "true || {b'a': 1} == {}"])
def test_constant_maps_with_bytes_as_keys_are_unsupported(text: str) -> None:
    with pytest.raises(
        UnsupportedExpressionError, match="constant maps with bytes as keys, on which the server panics"
    ):
        evaluate(text, {})
