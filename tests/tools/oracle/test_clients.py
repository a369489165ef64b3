"""How conversations with clients are recorded, normalized for comparison, and reported where two servers differ."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any, Final

import pytest
from oracle import options
from oracle.clients import normalization, ovens
from oracle.clients.notes import ClientFormat, Notes, Step, eventually
from oracle.comparisons import clients

URL: Final = "https://127.0.0.1:38211"
UID: Final = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"


def _comparable(*got: Any) -> list[Any]:
    """Return the results, normalized for comparison, in the order of the steps."""
    return [
        step.result
        for step in normalization.normalize([Step(str(place), result) for place, result in enumerate(got)], URL)
    ]


def _object(name: str, version: int, **metadata: Any) -> Any:
    return {"metadata": {"name": name, "resourceVersion": str(version), **metadata}}


def _format() -> ClientFormat:
    return ClientFormat(lambda value: value, (LookupError,), lambda error: {"says": str(error)})


def _fail() -> None:
    raise KeyError("none")


def test_resource_versions_are_numbered_by_writes_and_lists_follow_the_last_write() -> None:
    list_ = {"items": [_object("a", 7), _object("b", 12)], "metadata": {"resourceVersion": "15"}}
    (listed, later) = _comparable(list_, _object("c", 20))

    assert [item["metadata"]["resourceVersion"] for item in listed["items"]] == ["after 1 writes", "after 2 writes"]
    assert listed["metadata"]["resourceVersion"] == "after 2 writes"
    assert later["metadata"]["resourceVersion"] == "after 3 writes"


def test_an_object_that_was_not_written_keeps_its_version() -> None:
    first, again = _comparable(_object("a", 7), _object("a", 7))

    assert first == again


def test_empty_resource_versions_stay() -> None:
    assert _comparable(_object("a", 7), {"resourceVersion": ""})[1] == {"resourceVersion": ""}


def test_the_same_uid_stays_the_same() -> None:
    second_uid = UID.replace("1b", "2c")
    results = _comparable({"uid": UID}, {"message": f"{second_uid} is not {UID}"})

    assert results == [{"uid": "UID 0"}, {"message": "UID 1 is not UID 0"}]


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("at 2026-11-25T08:00:00Z", "at TIME"),
        ("2026-11-25T08:00:00.123456+00:00", "TIME"),
        (f"GET {URL}/version", "GET SERVER/version"),
        ("too old resource version: 1 (205)", "too old resource version: 1 (RV)"),
        ("Too large resource version: 9, current: 4", "Too large resource version: 9, current: RV"),
        ("2026-11-25", "2026-11-25"),
    ],
)
def test_times_urls_and_versions_in_texts_are_replaced(text: str, normalized: str) -> None:
    assert _comparable([text]) == [[normalized]]


def test_generated_names_and_continue_tokens_are_replaced() -> None:
    generated = {"metadata": {"generateName": "made-", "name": "made-x2b4z", "resourceVersion": "3"}}
    results = _comparable(generated, {"message": "made-x2b4z is gone"}, {"continue": "e30", "remainingItemCount": 2})

    assert results[0]["metadata"]["name"] == "made-MADE"
    assert results[1:] == [{"message": "made-MADE is gone"}, {"continue": "CONTINUE", "remainingItemCount": 2}]


def test_an_empty_continue_token_stays() -> None:
    assert _comparable({"continue": ""}) == [{"continue": ""}]


def test_other_values_stay() -> None:
    assert _comparable({"heat": 180, "is": True, "none": None}) == [{"heat": 180, "is": True, "none": None}]


def test_a_result_is_noted_and_returned() -> None:
    steps: list[Step] = []

    assert Notes(_format(), steps).record("add", max, 1, 2) == 2
    assert steps == [Step("add", 2)]


def test_an_expected_error_is_noted() -> None:
    steps: list[Step] = []
    Notes(_format(), steps).record_error("look", _fail)

    assert steps == [Step("look", {"raised": "KeyError", "says": "'none'"})]


def test_a_result_instead_of_an_error_is_unexpected() -> None:
    steps: list[Step] = []
    Notes(_format(), steps).record_error("add", max, 1, 2)

    assert steps == [Step("add", 2, expected=False)]


def test_an_error_instead_of_a_result_ends_the_conversation() -> None:
    steps: list[Step] = []
    with pytest.raises(KeyError):
        Notes(_format(), steps).record("look", _fail)

    assert steps == [Step("look", {"raised": "KeyError", "says": "'none'"}, expected=False)]


def test_a_wrong_call_is_raised_and_not_noted() -> None:
    steps: list[Step] = []
    with pytest.raises(TypeError):
        Notes(_format(), steps).record_error("add", max, 1, "2")

    assert steps == []


def test_a_second_step_of_the_same_name_is_an_error() -> None:
    notes = Notes(_format(), [Step("add", 2)])
    with pytest.raises(ValueError, match="two steps are called"):
        notes.record("add", max, 1, 2)


def test_results_of_coroutines_are_noted() -> None:
    steps: list[Step] = []
    notes = Notes(_format(), steps)

    async def converse() -> None:
        async def fail() -> None:
            _fail()

        assert await notes.record_async("sleep", asyncio.sleep(0, "well")) == "well"
        await notes.record_error_async("look", fail())

    asyncio.run(converse())
    assert steps == [Step("sleep", "well"), Step("look", {"raised": "KeyError", "says": "'none'"})]


def test_eventually_waits_for_a_result() -> None:
    numbers = itertools.count()

    assert eventually(lambda: next(numbers), lambda number: number == 2) == 2


def test_eventually_raises_after_its_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracle.clients.notes._PATIENCE", 0.0)
    with pytest.raises(TimeoutError):
        eventually(lambda: 1, lambda number: number == 2)


def test_equal_steps_are_not_reported() -> None:
    steps = [Step("get a", {"heat": 180}), Step("get b", {"raised": "KeyError"})]

    assert clients.differences(steps, [*steps]) == {}


def test_a_differing_step_is_reported_with_both_results() -> None:
    differences = clients.differences(
        [Step("get a", {"heat": 180, "on": True})], [Step("get a", {"on": True, "heat": 190})]
    )

    assert differences["get a"][:2] == ["--- kube-apiserver", "+++ pytest-crd"]
    assert [line for line in differences["get a"][3:] if line[0] != " "] == ['- "heat": 180,', '+ "heat": 190,']


def test_a_step_that_only_one_server_reaches_is_reported() -> None:
    theirs = [Step("get a", 1), Step("get b", 2)]

    assert clients.differences(theirs, theirs[:1])["get b"][-1] == "-2"
    assert clients.differences(theirs[:1], theirs)["get b"][-1] == "+2"


def test_a_step_with_an_unexpected_result_on_both_servers_is_reported() -> None:
    steps = [Step("create b again", {"name": "b"}, expected=False)]
    message, *lines = clients.differences(steps, [*steps])["create b again"]

    assert message == "both servers give an outcome that the conversation does not need"
    assert lines == ["{", ' "name": "b"', "}"]


def test_a_missing_client_is_a_usage_error() -> None:
    with pytest.raises(options.UsageError, match="install the dependency group `clients`"):
        clients.demand("no_such_client")


def test_each_conversation_has_a_group_and_a_namespace_of_its_own() -> None:
    names = [conversation.NAME for conversation in clients.CONVERSATIONS.values()]

    assert len({*names, "served"}) == len(names) + 1
    assert ovens.crd("kr8s")["spec"]["group"] == "kr8s.clients.example.com"
    assert ovens.oven("kr8s", "a", 1)["metadata"]["namespace"] == "kr8s"
