"""The engine answers sequences of requests like real API servers, including managed fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from conformance import conversations, sequences
from conformance.sequences import SequenceFile

pytestmark = pytest.mark.replay
VERSIONS: Final = ("1.37", "1.36", "1.35", "1.32", "1.21")
# Known differences by the name of the sequence and the number of the request; later requests of the sequence are not
# compared.
KNOWN: Final[Mapping[tuple[str, int], str]] = {
    ("writes without a manager have the one of the user agent", 3): "a user agent in other bytes than UTF-8",
    ("parameters that are none", 1): "invalid URL parameters are rejected before they reach the engine",
    ("an apply with what the server makes", 5): "an applied selfLink is stored, but never returned again",
    ("an apply that is no object", 4): "invalid YAML is reported with its line before anything is sent",
    (
        "YAML that is applied",
        5,
    ): "the server reads the first of several documents; here they are reported before anything is sent",
}
# Differences under 1.21 only.
KNOWN_OF_1_21: Final[Mapping[tuple[str, int], str]] = {
    ("managed fields that are no list", 1): "1.21 decodes JSON with another library, whose messages are not reproduced",
    ("an apply of the scale", 1): "the server panics, which the engine reports as an error",
    (
        "an apply of the scale whose replicas nobody owns",
        1,
    ): "the server panics, which the engine reports as an error",
}


def _known_differences(version: str) -> Mapping[tuple[str, int], str]:
    if version != "1.21":
        return KNOWN
    selflink_case = (
        "an apply with what the server makes",
        5,
    )  # 1.21 returns no applied selfLink at all
    return {key: why for key, why in {**KNOWN, **KNOWN_OF_1_21}.items() if key != selflink_case}


def _comparable(file: SequenceFile) -> Iterator[str]:
    """Yield the names of the sequences without requests for the CRD."""
    for name, requests in file.cases.items():
        if not {sequences.verb_of(request) for request in requests} & {*conversations.UNANSWERED}:
            yield name


def _differences(file: SequenceFile, version: str) -> Iterator[dict[str, Any]]:
    """Yield the first differing answer of each sequence."""
    recorded = file.answers(version)
    for name in _comparable(file):
        ours = conversations.answers(file.crd, file.cases[name], version)
        for number, (theirs, answer) in enumerate(zip(recorded[name], ours, strict=True)):
            if sequences.in_order(answer) != sequences.in_order(theirs):
                yield {"name": name, "number": number, "theirs": json.dumps(theirs), "ours": json.dumps(answer)}
                break


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("file", [*map(sequences.read, sequences.paths())], ids=lambda file: file.path.stem)
def test_answers_equal_those_of_the_server(file: SequenceFile, version: str) -> None:
    known = {(name, number) for name, number in _known_differences(version) if name in file.cases}
    found = {(difference["name"], difference["number"]): difference for difference in _differences(file, version)}

    assert [difference for key, difference in found.items() if key not in known] == []
    assert known - found.keys() == set()  # a known difference that is gone


def test_known_differences_name_a_sequence() -> None:
    names = {name for path in sequences.paths() for name in _comparable(sequences.read(path))}

    assert {name for known in (KNOWN, KNOWN_OF_1_21) for name, _ in known} <= names
