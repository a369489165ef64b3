"""How conversations with clients are noted, what of them is held against another server's, and what is told of what differs."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any, Final

import pytest
from oracle import options
from oracle.clients import alike, ovens
from oracle.clients.notes import Notes, Speech, Step, eventually
from oracle.comparisons import clients

URL: Final = "https://127.0.0.1:38211"
UID: Final = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"


def _comparable(*got: Any) -> list[Any]:
    """Return what can be compared of what was got, step by step."""
    return [step.got for step in alike.comparable([Step(str(place), one) for place, one in enumerate(got)], URL)]


def _object(name: str, version: int, **metadata: Any) -> Any:
    return {"metadata": {"name": name, "resourceVersion": str(version), **metadata}}


def _speech() -> Speech:
    return Speech(lambda value: value, (LookupError,), lambda error: {"says": str(error)})


def _fail() -> None:
    raise KeyError("none")


def test_writes_keep_their_order_and_lists_stand_behind_the_last() -> None:
    list_ = {"items": [_object("a", 7), _object("b", 12)], "metadata": {"resourceVersion": "15"}}
    (found, later) = _comparable(list_, _object("c", 20))

    assert [one["metadata"]["resourceVersion"] for one in found["items"]] == ["after 1 writes", "after 2 writes"]
    assert found["metadata"]["resourceVersion"] == "after 2 writes"
    assert later["metadata"]["resourceVersion"] == "after 3 writes"


def test_an_object_that_was_not_written_keeps_its_version() -> None:
    first, again = _comparable(_object("a", 7), _object("a", 7))

    assert first == again


def test_versions_that_are_none_stay() -> None:
    assert _comparable(_object("a", 7), {"resourceVersion": ""})[1] == {"resourceVersion": ""}


def test_the_same_uid_stays_the_same() -> None:
    other = UID.replace("1b", "2c")
    found = _comparable({"uid": UID}, {"message": f"{other} is not {UID}"})

    assert found == [{"uid": "UID 0"}, {"message": "UID 1 is not UID 0"}]


@pytest.mark.parametrize(
    ("text", "put"),
    [
        ("at 2026-11-25T08:00:00Z", "at TIME"),
        ("2026-11-25T08:00:00.123456+00:00", "TIME"),
        (f"GET {URL}/version", "GET SERVER/version"),
        ("too old resource version: 1 (205)", "too old resource version: 1 (RV)"),
        ("Too large resource version: 9, current: 4", "Too large resource version: 9, current: RV"),
        ("2026-11-25", "2026-11-25"),
    ],
)
def test_what_no_two_servers_have_in_common_is_taken_out(text: str, put: str) -> None:
    assert _comparable([text]) == [[put]]


def test_made_names_and_tokens_are_taken_out() -> None:
    made = {"metadata": {"generateName": "made-", "name": "made-x2b4z", "resourceVersion": "3"}}
    found = _comparable(made, {"message": "made-x2b4z is gone"}, {"continue": "e30", "remainingItemCount": 2})

    assert found[0]["metadata"]["name"] == "made-MADE"
    assert found[1:] == [{"message": "made-MADE is gone"}, {"continue": "CONTINUE", "remainingItemCount": 2}]


def test_no_token_is_no_token() -> None:
    assert _comparable({"continue": ""}) == [{"continue": ""}]


def test_other_values_stay() -> None:
    assert _comparable({"heat": 180, "is": True, "none": None}) == [{"heat": 180, "is": True, "none": None}]


def test_a_result_is_noted_and_returned() -> None:
    steps: list[Step] = []

    assert Notes(_speech(), steps).ask("add", max, 1, 2) == 2
    assert steps == [Step("add", 2)]


def test_an_error_that_is_asked_for_is_noted() -> None:
    steps: list[Step] = []
    Notes(_speech(), steps).refuse("look", _fail)

    assert steps == [Step("look", {"raised": "KeyError", "says": "'none'"})]


def test_a_result_in_place_of_an_error_is_not_foreseen() -> None:
    steps: list[Step] = []
    Notes(_speech(), steps).refuse("add", max, 1, 2)

    assert steps == [Step("add", 2, foreseen=False)]


def test_an_error_in_place_of_a_result_ends_the_conversation() -> None:
    steps: list[Step] = []
    with pytest.raises(KeyError):
        Notes(_speech(), steps).ask("look", _fail)

    assert steps == [Step("look", {"raised": "KeyError", "says": "'none'"}, foreseen=False)]


def test_a_mistake_of_the_conversation_is_no_step() -> None:
    steps: list[Step] = []
    with pytest.raises(TypeError):
        Notes(_speech(), steps).refuse("add", max, 1, "2")

    assert steps == []


def test_two_steps_do_not_ask_the_same() -> None:
    notes = Notes(_speech(), [Step("add", 2)])
    with pytest.raises(ValueError, match="two steps ask to add"):
        notes.ask("add", max, 1, 2)


def test_coroutines_are_noted_likewise() -> None:
    steps: list[Step] = []
    notes = Notes(_speech(), steps)

    async def converse() -> None:
        async def fail() -> None:
            _fail()

        assert await notes.ask_async("sleep", asyncio.sleep(0, "well")) == "well"
        await notes.refuse_async("look", fail())

    asyncio.run(converse())
    assert steps == [Step("sleep", "well"), Step("look", {"raised": "KeyError", "says": "'none'"})]


def test_what_comes_in_the_end_is_waited_for() -> None:
    numbers = itertools.count()

    assert eventually(lambda: next(numbers), lambda number: number == 2) == 2


def test_what_does_not_come_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracle.clients.notes._PATIENCE", 0.0)
    with pytest.raises(TimeoutError):
        eventually(lambda: 1, lambda number: number == 2)


def test_steps_that_are_alike_are_not_told() -> None:
    steps = [Step("get a", {"heat": 180}), Step("get b", {"raised": "KeyError"})]

    assert clients.differences(steps, [*steps]) == {}


def test_a_step_that_differs_is_told_with_both() -> None:
    found = clients.differences([Step("get a", {"heat": 180, "on": True})], [Step("get a", {"on": True, "heat": 190})])

    assert found["get a"][:2] == ["--- kube-apiserver", "+++ pytest-crd"]
    assert [line for line in found["get a"][3:] if line[0] != " "] == ['- "heat": 180,', '+ "heat": 190,']


def test_a_step_that_one_does_not_come_to_is_told() -> None:
    theirs = [Step("get a", 1), Step("get b", 2)]

    assert clients.differences(theirs, theirs[:1])["get b"][-1] == "-2"
    assert clients.differences(theirs[:1], theirs)["get b"][-1] == "+2"


def test_what_goes_otherwise_than_needed_on_both_is_told() -> None:
    steps = [Step("create b again", {"name": "b"}, foreseen=False)]
    told, *shown = clients.differences(steps, [*steps])["create b again"]

    assert told == "both go otherwise than the conversation needs"
    assert shown == ["{", ' "name": "b"', "}"]


def test_a_client_that_is_not_there_is_a_usage_error() -> None:
    with pytest.raises(options.UsageError, match="install the dependency group `clients`"):
        clients.demand("no_such_client")


def test_each_conversation_has_a_group_and_a_namespace_of_its_own() -> None:
    names = [one.NAME for one in clients.CONVERSATIONS.values()]

    assert len({*names, "served"}) == len(names) + 1
    assert ovens.crd("kr8s")["spec"]["group"] == "kr8s.clients.example.com"
    assert ovens.oven("kr8s", "a", 1)["metadata"]["namespace"] == "kr8s"
