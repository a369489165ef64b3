"""Named tuples that are made quickly behave as those of the standard library."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import pytest

from pytest_crd import quicktuple

T = TypeVar("T")


class Quick(quicktuple.NamedTuple):
    """A pair."""

    a: int
    b: str = "x"


class Plain(typing.NamedTuple):
    """A pair."""

    a: int
    b: str = "x"


def _outcome(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except (AttributeError, TypeError, ValueError) as error:  # Python 3.13 has another type for some words
        return str(error).replace("Plain", "Quick")


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda cls: tuple(cls(1)), id="by place"),
        pytest.param(lambda cls: tuple(cls(b="y", a=2)), id="by name"),
        pytest.param(lambda cls: cls(), id="without a value"),
        pytest.param(lambda cls: cls(1, "y", 3), id="with too many"),
        pytest.param(lambda cls: cls(1, c=3), id="with one of another name"),
        pytest.param(lambda cls: cls(1).b, id="a default"),
        pytest.param(lambda cls: setattr(cls(1), "a", 2), id="set"),
        pytest.param(lambda cls: setattr(cls(1), "c", 2), id="set to what is no field"),
        pytest.param(lambda cls: repr(cls(1)).replace("Plain", "Quick"), id="shown"),
        pytest.param(lambda cls: cls(1)._asdict(), id="as a mapping"),
        pytest.param(lambda cls: tuple(cls(1)._replace(b="z")), id="replaced"),
        pytest.param(lambda cls: cls(1)._replace(c="z"), id="replaced by another name"),
        pytest.param(lambda cls: tuple(cls._make(["k", "l"])), id="of values"),
        pytest.param(lambda cls: cls._make(["k"]), id="of too few values"),
        pytest.param(lambda cls: (cls._fields, cls._field_defaults, cls.__match_args__), id="its fields"),
        pytest.param(lambda cls: cls.__doc__, id="what it says"),
        pytest.param(lambda cls: hash(cls(1)), id="hashed"),
        pytest.param(lambda cls: cls(1) == (1, "x"), id="equal"),
        pytest.param(lambda cls: tuple(pickle.loads(pickle.dumps(cls(1)))), id="sent"),  # noqa: S301 - what stands before it
        pytest.param(lambda cls: tuple(copy.deepcopy(cls(1))), id="copied"),
        pytest.param(lambda cls: type(pickle.loads(pickle.dumps(cls(1)))) is cls, id="sent as what it is"),  # noqa: S301 - the same
        pytest.param(lambda cls: hasattr(cls(1), "__dict__"), id="without a dictionary"),
    ],
)
def test_a_tuple_behaves_as_one_of_the_standard_library(ask: Callable[[Any], Any]) -> None:
    assert _outcome(lambda: ask(Quick)) == _outcome(lambda: ask(Plain))


def test_the_constructor_has_the_names_of_the_fields_once_it_was_called() -> None:
    class Named(quicktuple.NamedTuple):
        a: int
        b: int = 2

    assert Named(1).b == 2
    assert list(inspect.signature(Named.__new__).parameters) == ["_cls", "a", "b"]


def test_a_class_of_many_fields_reads_each() -> None:
    many: Any = type("many", (), {})
    names = [f"n{index}" for index in range(80)]
    made = quicktuple.NamedTuple.__mro_entries__(())[0]  # type: ignore[attr-defined] # there, but for type checkers
    many = type(made)("Many", (made,), {"__annotations__": dict.fromkeys(names, "int")})
    one = many(*range(80))
    assert [getattr(one, name) for name in names] == list(range(80))


def test_a_class_without_fields_is_an_empty_tuple() -> None:
    class Empty(quicktuple.NamedTuple):
        pass

    assert Empty() == ()
    assert repr(Empty()).endswith("Empty()")


def test_a_field_without_a_default_behind_one_with_one_is_refused() -> None:
    with pytest.raises(TypeError, match="Non-default namedtuple field b cannot follow default field a"):

        class _Wrong(quicktuple.NamedTuple):
            a: int = 1
            b: int  # type: ignore[misc]


def test_a_class_may_be_generic_and_may_have_classes_below_it() -> None:
    class Holder(quicktuple.NamedTuple, Generic[T]):
        value: T

        def shown(self) -> str:
            return f"<{self.value}>"

    class Loud(Holder[T]):
        def shown(self) -> str:
            return super().shown().upper()

    assert Holder[int](1).value == 1
    assert Loud("a").shown() == "<A>"
    assert type(Loud("a")._replace(value="b")) is Loud
