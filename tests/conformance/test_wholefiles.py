"""One test replays a file of conversations. Its failure names each different conversation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from conformance import wholefiles


class Conversation(NamedTuple):
    """A conversation with the result of its replay: a difference or an error."""

    name: str
    difference: str | Exception = ""
    differs: str = ""


@pytest.fixture
def replay() -> Any:
    """A function that replays conversations, and returns the Kubernetes versions and names of the replayed ones."""
    replayed: list[tuple[str, str]] = []

    def compare(conversation: Conversation, version: str, _: Any) -> tuple[int, str]:
        replayed.append((version, conversation.name))
        if isinstance(conversation.difference, Exception):
            raise conversation.difference
        return 3, conversation.difference

    def check(*recordings: tuple[str, Conversation, Any], everywhere: bool = False) -> list[tuple[str, str]]:
        config = SimpleNamespace(getoption=lambda _: everywhere)
        request: Any = SimpleNamespace(config=config)
        wholefiles.check(recordings, compare, request)
        return replayed

    return check


def test_a_failure_names_each_differing_conversation_and_its_request(replay: Any) -> None:
    with pytest.raises(AssertionError) as caught:
        replay(
            ("1.37", Conversation("equal"), {}),
            ("1.37", Conversation("first", "a, not b"), {}),
            ("1.34", Conversation("second", "", "a known difference"), {}),
            ("1.34", Conversation("third", "c, not d", "a known difference"), {}),
        )

    assert str(caught.value).split("\n\n") == [
        "'first' of Kubernetes 1.37, request 3: a, not b",
        "'second' of Kubernetes 1.34 is answered as recorded, so it is no difference: a known difference",
    ]


def test_an_error_names_its_conversation(replay: Any) -> None:
    with pytest.raises(LookupError) as caught:
        replay(("1.37", Conversation("first", LookupError("x")), {}))

    assert caught.value.__notes__ == ["in the conversation 'first' of Kubernetes 1.37"]


def test_equal_recordings_are_replayed_once_but_in_a_run_of_all_versions(replay: Any) -> None:
    recordings = [(version, Conversation("first"), {"alike": ["1.34"]}) for version in ("1.37", "1.34")]

    assert replay(*recordings) == [("1.37", "first")]
    assert replay(*recordings, everywhere=True)[1:] == [("1.37", "first"), ("1.34", "first")]


def test_a_file_without_conversations_is_refused(replay: Any) -> None:
    with pytest.raises(AssertionError):
        replay()
