"""
Replay of all conversations of a file by one test.

A failure names each conversation with another answer, and the request. One test for a file takes less time than one for each conversation: pytest
takes two milliseconds for a test, and as long again for its workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

import pytest


class Conversation(Protocol):
    """
    A declared conversation.

    Attributes:
        name: Its name.
        differs: The reason why our server differs from the recording, or empty.
    """

    @property
    def name(self) -> str:
        """The name."""

    @property
    def differs(self) -> str:
        """The reason of a known difference, or empty."""


_Conversation = TypeVar("_Conversation", bound=Conversation)
# Returns the number of the first request with another answer, and the difference; an empty text if all answers are equal.
Replay = Callable[[_Conversation, str, Mapping[str, Any]], tuple[int, str]]


def check(
    recordings: Iterable[tuple[str, _Conversation, Mapping[str, Any]]],
    replay: Replay[_Conversation],
    request: pytest.FixtureRequest,
    kind: str = "",
) -> None:
    """
    Replay the recordings of a file.

    Without `--all-versions`, a recording is replayed under the newest version with its answers.

    Args:
        recordings: Kubernetes version, conversation and recording, whose `alike` lists the older versions with the same answers.
        replay: Compares our answers.
        request: The request for fixtures of the test.
        kind: The name of the conversations in `compared.toml`; empty to count none.

    Raises:
        AssertionError: Some conversations differ unexpectedly, or no longer.
    """
    everywhere, listed = request.config.getoption("all_versions"), [*recordings]
    wanted = [each for each in listed if everywhere or each[0] not in each[2].get("alike", ())]
    wrong = [text for each in wanted for text in _unexpected(*each, replay)]
    assert listed
    assert not wrong, "\n\n".join(wrong)
    if kind:
        request.getfixturevalue("compared")(kind, len(wanted))


def _unexpected(
    version: str, conversation: _Conversation, recorded: Mapping[str, Any], replay: Replay[_Conversation]
) -> list[str]:
    """Return the unexpected difference of a conversation; empty without one."""
    place = f"{conversation.name!r} of Kubernetes {version}"
    try:
        number, difference = replay(conversation, version, recorded)
    except Exception as error:
        error.add_note(f"in the conversation {place}")
        raise
    if difference and not conversation.differs:
        return [f"{place}, request {number}: {difference}"]
    if conversation.differs and not difference:
        return [f"{place} is answered as recorded, so it is no difference: {conversation.differs}"]
    return []
