"""What real API servers answered to sequences of requests is answered here, managed fields and all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from conformance import conversations, sequences
from conformance.sequences import SequenceFile

pytestmark = pytest.mark.replay
VERSIONS: Final = ("1.37", "1.36", "1.35", "1.32", "1.21")
# Which answer differs, by the name of the sequence and the number of the request; what follows it in its sequence is not compared.
KNOWN: Final[Mapping[tuple[str, int], str]] = {
    ("writes without a manager have the one of the user agent", 3): "a user agent in other bytes than UTF-8",
    ("parameters that are none", 1): "parameters of the URL that are none are for who reads the URL",
    ("an apply with what the server makes", 5): "a selfLink that is applied is stored, and never seen again",
    ("an apply that is no object", 4): "YAML that cannot be read is told with its line before anything is sent",
    (
        "YAML that is applied",
        5,
    ): "of several documents the server reads the first; here that is told before anything is sent",
}
# Those that differ under 1.21 alone.
KNOWN_OF_1_21: Final[Mapping[tuple[str, int], str]] = {
    ("managed fields that are no list", 1): "1.21 decodes JSON with another library, whose words are not reproduced",
    ("an apply of the scale", 1): "the server panics, which the engine states as an error",
    (
        "an apply of the scale whose replicas nobody owns",
        1,
    ): "the server panics, which the engine states as an error",
}


def _known(version: str) -> Mapping[tuple[str, int], str]:
    if version != "1.21":
        return KNOWN
    shown = (
        "an apply with what the server makes",
        5,
    )  # until 1.22 or later a selfLink that is applied is seen by nobody
    return {key: why for key, why in {**KNOWN, **KNOWN_OF_1_21}.items() if key != shown}


def _comparable(file: SequenceFile) -> Iterator[str]:
    """Yield the names of the sequences that are about objects alone."""
    for name, requests in file.cases.items():
        if not {sequences.verb_of(request) for request in requests} & {*conversations.UNANSWERED}:
            yield name


def _differences(file: SequenceFile, version: str) -> Iterator[dict[str, Any]]:
    """Yield of each sequence the first answer that differs from that of a server."""
    recorded = file.answers(version)
    for name in _comparable(file):
        ours = conversations.answers(file.crd, file.cases[name], version)
        for number, (theirs, answer) in enumerate(zip(recorded[name], ours, strict=True)):
            if sequences.in_order(answer) != sequences.in_order(theirs):
                yield {"name": name, "number": number, "theirs": json.dumps(theirs), "ours": json.dumps(answer)}
                break


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("file", [*map(sequences.read, sequences.paths())], ids=lambda file: file.path.stem)
def test_answers_as_the_server(file: SequenceFile, version: str) -> None:
    known = _known(version)
    assert [found for found in _differences(file, version) if (found["name"], found["number"]) not in known] == []


@pytest.mark.uncounted
@pytest.mark.parametrize("version", ["1.37", "1.21"])
def test_what_is_known_differs_still(version: str) -> None:
    found = {
        (one["name"], one["number"])
        for path in sequences.paths()
        for one in _differences(sequences.read(path), version)
    }
    assert found == _known(version).keys()
