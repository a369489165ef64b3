"""Differences between answers of the engine and of a server, and known gaps."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from conformance import casefile, recordings

from oracle.servers import repetition
from pytest_crd import engine
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.live import answerfacts, client

Answer = dict[str, JSONValue]

# Random parts of texts: addresses of Go pointers, the metadata that a server adds to an object that an error quotes (keys are
# sorted), and the resourceVersion in a quoted body.
_RANDOM_PARTS: Final = (
    (answerfacts.ADDRESS, answerfacts.ANY_ADDRESS),
    (re.compile(r'"creationTimestamp":"[^"]*", ?(?:"generation":\d+, ?)?'), ""),
    (re.compile(r'"managedFields":(?:\[.*?\}\],|\[\]interface \{\}\{.*?\}\}, )(?="name":")'), ""),
    (re.compile(r'(?:, ?"resourceVersion":"\d+")?, ?"uid":"[0-9a-f-]{36}"(?=\})'), ""),
    (re.compile(r'"resourceVersion":"\d+"'), '"resourceVersion":"1"'),
)
_BAD_REQUEST: Final = 400
_CRD: Final = "CustomResourceDefinition"
# Status codes that a client gets from a panicking server.
_PANICS: Final = (500, 502)
# Bugs of the engine, which fuzzers report as answers.
_CRASHES: Final = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """
    A case file with at most one request, and the differences.

    Attributes:
        content: The content of the case file.
        differences: Descriptions of the differences.
    """

    content: Mapping[str, JSONValue]
    differences: tuple[str, ...]

    @property
    def form(self) -> str:
        """The first difference without its values, equal for similar disagreements."""
        return re.sub(r'"[^"]*"|\d+|\[[^]]*\]', "…", self.differences[0])[:90]


@dataclass(frozen=True, slots=True)
class Gap:
    """
    A known disagreement.

    Attributes:
        name: Its name.
        reason: Its cause.
        words: A pattern of the server's message that at least one difference has.
        beside: A pattern of all other differences.
    """

    name: str
    reason: str
    words: re.Pattern[str]
    beside: re.Pattern[str] = re.compile(r"(?!)")

    def covers(self, disagreement: Disagreement) -> bool:
        """Return True if the gap explains all differences."""
        matches = [bool(self.words.search(difference)) for difference in disagreement.differences]
        return any(matches) and all(
            is_match or self.beside.search(difference)
            for is_match, difference in zip(matches, disagreement.differences, strict=True)
        )


GAPS: Final[tuple[Gap, ...]] = (
    Gap(
        "json-iterator's words",
        "1.21 decodes metadata with json-iterator, whose errors quote the bytes around; the engine says it as later versions do",
        re.compile(r"error found in #\d+ byte of"),
        # If decoding fails, the engine reports nothing else.
        re.compile(r"unexpected .*json: cannot unmarshal|^warnings\b.* is deprecated in v1\.16", re.DOTALL),
    ),
)


def find_gap(disagreement: Disagreement) -> Gap | None:
    """Return the gap that covers all differences of a disagreement, or None."""
    return next((gap for gap in GAPS if gap.covers(disagreement)), None)


def engine_answer(answer: Callable[[], Answer]) -> Answer:
    """Return the answer of the engine; a crash becomes an answer with code 0."""
    try:
        return {key: value for key, value in answer().items() if key != "conditions"}
    except engine.InputError as error:
        # A CRD that cannot be decoded: the message of the 400 without its prefix.
        return {"code": 400, "reason": "BadRequest", "message": error.mistakes[0].message}
    except _CRASHES as error:
        return {"code": 0, "message": f"{type(error).__name__}: {error}"}


def crd_answer_facts(answer: client.ServerAnswer, sent: JSONValue) -> Answer:
    """Return the facts of a server's answer to the CRD *sent*."""
    recorded = answerfacts.of_server(answer)
    if recorded.pop("stored", None) is not None:
        recorded["spec"] = "as sent" if answer.body["spec"] == sent["spec"] else answer.body["spec"]
    return recorded


def compare(engines: Answer, answer: Answer, ask: Callable[[], Answer]) -> tuple[str, ...]:
    """
    Return the differences between the engine's answer and the server's.

    *ask* repeats the request; it is called only for a difference, to find out whether the server answers at random.
    """
    engines, answer = _without_random_parts(engines), _without_random_parts(answer)
    if engines["code"] == answer["code"] == _BAD_REQUEST and answer["message"].endswith(
        f" cannot be handled as a {_CRD}: {engines['message']}"
    ):
        return ()
    if not recordings.differences(engines, answer) or (answer["code"] in _PANICS and _predicts_panic(engines)):
        return ()
    differences: list[str] = []
    # Rarely, an order does not occur in the first round.
    for _ in range(2):
        differences = recordings.differences(engines, repetition.merge_repeated(lambda: _without_random_parts(ask())))
        if not any("different order" in difference for difference in differences):
            break
    return tuple(differences)


def format_case(disagreement: Disagreement) -> str:
    """Return a disagreement as the text of a case file, which the recorder can complete."""
    comments = [f"#   {line}" for difference in disagreement.differences for line in difference.splitlines()]
    return "\n".join([casefile.dump(disagreement.content), *comments])


def _without_random_parts(value: JSONValue) -> JSONValue:
    """Return an answer with its random parts replaced by constants."""
    if isinstance(value, str):
        for pattern, constant in _RANDOM_PARTS:
            value = pattern.sub(constant, value)
        return value
    if isinstance(value, list):
        return [_without_random_parts(item) for item in value]
    return {key: _without_random_parts(item) for key, item in value.items()} if isinstance(value, dict) else value


def _predicts_panic(answer: Answer) -> bool:
    """Return True if the engine reports that the server would panic."""
    return any(cause["reason"] == "InternalError" for cause in answer.get("causes", ()))
