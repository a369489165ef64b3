"""What differs between an answer of the engine and one of a server, and which of it is known and cannot be helped yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from conformance import casefile, recordings

from oracle.servers import repetition
from pytest_crd import engine
from pytest_crd.live import answerfacts, client, nondeterminism

JSONValue = Any
Answer = dict[str, JSONValue]

# What differs by chance: where Go keeps what it prints as a pointer, and the resourceVersion in a body that is quoted.
_BY_CHANCE: Final = (
    (nondeterminism.ADDRESS, nondeterminism.ANY_ADDRESS),
    (re.compile(r'"resourceVersion":"\d+"'), '"resourceVersion":"1"'),
)
_BAD_REQUEST: Final = 400
_CRD: Final = "CustomResourceDefinition"
# What a client sees of a server that panics.
_PANICS: Final = (500, 502)
# Bugs of the engine: to a fuzzer they are answers.
_CRASHES: Final = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A case file with at most one request, and what differs."""

    content: Mapping[str, JSONValue]
    differences: tuple[str, ...]

    @property
    def form(self) -> str:
        """What differs without its values: one of many alike is enough."""
        return re.sub(r'"[^"]*"|\d+|\[[^]]*\]', "…", self.differences[0])[:90]


@dataclass(frozen=True, slots=True)
class Gap:
    """
    A disagreement that is known.

    Attributes:
        name: What it is called.
        reason: Why it is.
        words: What the server says: recognised in one thing that differs at least.
        beside: What else may differ.
    """

    name: str
    reason: str
    words: re.Pattern[str]
    beside: re.Pattern[str] = re.compile(r"(?!)")

    def covers(self, found: Disagreement) -> bool:
        """Return whether this is all that differs."""
        said = [bool(self.words.search(one)) for one in found.differences]
        return any(said) and all(
            here or self.beside.search(one) for here, one in zip(said, found.differences, strict=True)
        )


GAPS: Final[tuple[Gap, ...]] = (
    Gap(
        "json-iterator's words",
        "1.21 decodes metadata with json-iterator, whose errors quote the bytes around; the engine says it as later versions do",
        re.compile(r"error found in #\d+ byte of"),
        # Of what cannot be decoded the engine says no more than that.
        re.compile(r"not asked for .*json: cannot unmarshal|^warnings\b.* is deprecated in v1\.16", re.DOTALL),
    ),
)


def known(found: Disagreement) -> Gap | None:
    """Return the gap that covers all that differs in a disagreement, if one does."""
    return next((gap for gap in GAPS if gap.covers(found)), None)


def found_by(answer: Callable[[], Answer]) -> Answer:
    """Return an answer of the engine; a crash is one that no server gives."""
    try:
        return {key: value for key, value in answer().items() if key != "conditions"}
    except engine.InputError as error:
        # A CRD that cannot be decoded: the words of the 400, without what stands before them.
        return {"code": 400, "reason": "BadRequest", "message": error.mistakes[0].message}
    except _CRASHES as error:
        return {"code": 0, "message": f"{type(error).__name__}: {error}"}


def of_crd_answer(answer: client.ServerAnswer, sent: JSONValue) -> Answer:
    """Return the facts of a server's answer to a CRD that was *sent*."""
    recorded = answerfacts.of_server(answer)
    if recorded.pop("stored", None) is not None:
        recorded["spec"] = "as sent" if answer.body["spec"] == sent["spec"] else answer.body["spec"]
    return recorded


def compared(found: Answer, answer: Answer, ask: Callable[[], Answer]) -> tuple[str, ...]:
    """Return what differs; only then is asked often whether the server answers at random."""
    found, answer = _without_chance(found), _without_chance(answer)
    if found["code"] == answer["code"] == _BAD_REQUEST and answer["message"].endswith(
        f" cannot be handled as a {_CRD}: {found['message']}"
    ):
        return ()
    if not recordings.differences(found, answer) or (answer["code"] in _PANICS and _says_so(found)):
        return ()
    differences: list[str] = []
    # One order in some thousand does not show up in the first round of questions.
    for _ in range(2):
        differences = recordings.differences(found, repetition.ask_often(lambda: _without_chance(ask())))
        if not any("another order" in one for one in differences):
            break
    return tuple(differences)


def printed(found: Disagreement) -> str:
    """Return a disagreement as the text of a case file that the recorder can complete."""
    comments = [f"#   {line}" for difference in found.differences for line in difference.splitlines()]
    return "\n".join([casefile.dumped(found.content), *comments])


def _without_chance(value: JSONValue) -> JSONValue:
    """Return an answer with one text in place of all that differ by chance."""
    if isinstance(value, str):
        for pattern, constant in _BY_CHANCE:
            value = pattern.sub(constant, value)
        return value
    if isinstance(value, list):
        return [_without_chance(item) for item in value]
    return {key: _without_chance(item) for key, item in value.items()} if isinstance(value, dict) else value


def _says_so(found: Answer) -> bool:
    """Whether the engine says that the server would panic."""
    return any(cause["reason"] == "InternalError" for cause in found.get("causes", ()))
