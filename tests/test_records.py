"""Dataclasses and named tuples: the laws of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
import typing
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from pytest_crd import records


def _reverse(text: str) -> str:
    return text[::-1]


@records.dataclass(frozen=True)
class Place:
    """A place in a file."""

    kinds: ClassVar[tuple[str, ...]] = ("file",)

    file: str
    line: int = 0
    notes: list[str] = records.field(default_factory=list, compare=False)
    hidden: str = records.field(default="x", init=False, repr=False)


@records.dataclass(frozen=True, kw_only=True)
class NamedPlace(Place):
    """A place with a name, which is given by name."""

    name: str
    color: str = records.field(default="red")
    write: Callable[[str], str] = str.upper
    find: Callable[[str], str] = _reverse


@records.dataclass(frozen=True, order=True)
class Ordered:
    """An object with an order."""

    first: int
    second: str = ""


@records.dataclass()
class Counter:
    """An object that changes."""

    count: int = records.field(repr=False)
    total: int = records.field(default=0, init=False)


@records.dataclass(eq=False, repr=False)
class Plain:
    """An object that is compared by identity."""

    value: int


class Pair(records.NamedTuple):
    """Two values."""

    left: int
    right: int | None = None

    @property
    def sum(self) -> int:
        """The sum."""
        return self.left + (self.right or 0)


def test_fields_are_set_by_place_and_by_name() -> None:
    assert Place("a", 3) == Place(file="a", line=3)
    assert Place("a").line == 0
    assert NamedPlace("a", 3, name="n").name == "n"
    assert NamedPlace("a", name="n").color == "red"


def test_default_values_are_made_for_each_object() -> None:
    first, second = Place("a"), Place("a")
    first.notes.append("note")

    assert second.notes == []
    assert Place("a", 0, ["own"]).notes == ["own"]


def test_a_function_as_a_default_value_is_no_method() -> None:
    place = NamedPlace("a", name="n")

    assert (place.write("b"), place.find("ab")) == ("B", "ba")


def test_class_variables_are_no_fields() -> None:
    assert [field.name for field in dataclasses.fields(Place)] == ["file", "line", "notes", "hidden"]
    assert Place.__match_args__ == ("file", "line", "notes")  # type: ignore[attr-defined, unused-ignore]
    assert Place.kinds == ("file",)


@pytest.mark.parametrize(
    "create",
    [
        lambda make: make(),
        lambda make: make("a", 1, [], "too many"),
        lambda make: make("a", file="b"),
        lambda make: make("a", unknown=1),
        lambda make: make("a", hidden="no argument"),
        lambda make: make(file="a", line=1, notes=[], hidden="no argument"),
    ],
)
def test_wrong_arguments_are_refused(create: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match="Place"):
        create(Place)


def test_arguments_by_name_alone_are_refused_by_place() -> None:
    with pytest.raises(TypeError, match="NamedPlace"):
        NamedPlace("a", 1, [], "name")  # type: ignore[call-arg]


def test_objects_are_compared_by_their_compared_fields() -> None:
    assert Place("a", notes=["x"]) == Place("a", notes=["y"])
    assert Place("a") != Place("b")
    assert Place("a") != NamedPlace("a", name="n")
    assert hash(Place("a", notes=["x"])) == hash(Place("a"))
    assert Plain(1) != Plain(1)


def test_objects_that_change_have_no_hash() -> None:
    counter = Counter(1)
    counter.count = 2

    assert counter == Counter(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)


def test_an_order_is_that_of_the_fields() -> None:
    assert sorted([Ordered(2), Ordered(1, "b"), Ordered(1, "a")]) == [Ordered(1, "a"), Ordered(1, "b"), Ordered(2)]
    with pytest.raises(TypeError, match="'<' not supported"):
        Ordered(1) < Place("a")  # type: ignore[operator] # noqa: B015
    with pytest.raises(TypeError, match="'<' not supported"):
        Place("a") < Place("b")  # type: ignore[operator] # noqa: B015


def test_texts_have_the_printed_fields() -> None:
    assert repr(Place("a", 3)) == "Place(file='a', line=3, notes=[])"
    assert repr(Counter(1)) == "Counter(total=0)"
    assert "Plain object at" in repr(Plain(1))


@pytest.mark.parametrize("change", [lambda it: setattr(it, "line", 4), lambda it: delattr(it, "line")])
def test_frozen_objects_do_not_change(change: Callable[[object], None]) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="'line'"):
        change(Place("a"))


def test_functions_of_dataclasses_work() -> None:
    place = NamedPlace("a", 3, name="n")

    assert dataclasses.replace(place, line=4) == NamedPlace("a", 4, name="n")
    assert dataclasses.asdict(place)["name"] == "n"
    assert {field.name: field.default for field in dataclasses.fields(Ordered)} == {
        "first": dataclasses.MISSING,
        "second": "",
    }


def test_fields_for_these_functions_are_made_once() -> None:
    assert dataclasses.fields(Place)[0] is dataclasses.fields(Place)[0]


def test_copies_and_pickles_are_equal() -> None:
    place = Place("a", 3)

    assert pickle.loads(pickle.dumps(place)) == copy.deepcopy(place) == place  # noqa: S301 - its own
    assert pickle.loads(pickle.dumps(Pair(1, 2))) == Pair(1, 2)  # noqa: S301 - its own


def test_named_tuples_are_those_of_the_standard_library() -> None:
    assert Pair(1) == (1, None)
    assert Pair(1, 2)._replace(right=3).sum == 4
    assert Pair._fields == ("left", "right")
    assert Pair.__doc__ == "Two values."
    assert not hasattr(Pair(1), "__dict__")


def _calls(function: Callable[[], object]) -> int:
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return calls


def test_classes_cost_a_fraction_of_the_calls_of_the_standard_librarys() -> None:
    annotations = {f"field{number}": "str" for number in range(10)}

    def create_class(decorator: Callable[[Any], Any]) -> object:
        return decorator(type("Class", (), {"__doc__": "A class.", "__annotations__": dict(annotations)}))

    own = _calls(lambda: create_class(records.dataclass(frozen=True)))
    standard = _calls(lambda: create_class(dataclasses.dataclass(frozen=True)))
    assert own * 25 < standard

    create_tuple: Any = type(records.NamedTuple)
    own = _calls(lambda: create_tuple("Class", (records.NamedTuple,), {"__annotations__": annotations}))
    standard = _calls(lambda: typing.NamedTuple("Class", [(name, "str") for name in annotations]))
    assert own * 2 < standard


def test_a_class_with_a_post_init_is_refused() -> None:
    class Late:
        """A class with a hook of dataclasses."""

        value: int

        def __post_init__(self) -> None:
            """Set another attribute."""

    with pytest.raises(TypeError, match="Late has a __post_init__, which is not called here: write dataclasses"):
        records.dataclass()(Late)


def test_a_class_with_a_field_of_its_base_is_refused() -> None:
    class Base:
        """A class with a field."""

        value: int

    records.dataclass()(Base)

    class Again(Base):
        """A class with the same field."""

        value: int

    with pytest.raises(TypeError, match="Again declares a field of its base again: take another name"):
        records.dataclass()(Again)
