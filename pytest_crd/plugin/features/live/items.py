"""Comparison of the engine's answers in tests with a live server's answers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

import pytest

from pytest_crd.cases.questions import AnyQuestion
from pytest_crd.engine.observer import Observer
from pytest_crd.live.run import LiveOutcome, LiveVerdict
from pytest_crd.plugin import projectpolicies, session
from pytest_crd.plugin.items import failures
from pytest_crd.plugin.items.extensions import TestPlace
from pytest_crd.plugin.items.failures import FailureText, TextFailure
from pytest_crd.report import verdictrules
from pytest_crd.report.testfacts import Cause, FilePlace

if TYPE_CHECKING:
    from pytest_crd.report.testfacts import Cause


class SessionJudge(Protocol):
    """Judge of the questions of tests, one for each process."""

    address: str

    def judge(self, questions: list[AnyQuestion]) -> LiveVerdict:
        """Return the verdict on the questions of a test, and count it."""


class LiveFailure(TextFailure):
    """Failure because the server answers otherwise than the engine, or not at all."""

    def __init__(self, place: TestPlace, verdict: LiveVerdict, address: str, own: TextFailure | None) -> None:
        self._place, self._verdict, self._own = place, verdict, own
        self._lines = _lines(place, verdict, address)
        super().__init__("\n".join([*([str(own), ""] if own else []), *self._lines]))

    def to_text(self) -> FailureText:
        """Return the report, plain and in colour."""
        first, *rest = self._lines
        own = [str(self._own.to_text().to_json()["coloured"]), ""] if self._own else []
        summary = self._verdict.reason or "; ".join(line.strip() for line in self._verdict.differences)
        return FailureText(
            plain=str(self),
            coloured="\n".join([*own, failures.paint(first, "title"), *rest]),
            path=session.display_path(self._place.path),
            line=self._place.line,
            summary=f"live: {self._verdict.outcome}: {summary}",
        )

    def causes(self) -> tuple[Cause, ...]:
        """Return the causes of the test's own failure, and the differences between the answers."""
        place = FilePlace(str(self._place.path), self._place.line)
        words = self._verdict.differences or (self._verdict.reason,)
        live = (Cause(verdictrules.LIVE, line.strip(), place=place) for line in words)
        return (*(self._own.causes() if self._own else ()), *live)


def _lines(place: TestPlace, verdict: LiveVerdict, address: str) -> list[str]:
    title = f"{failures.place(session.display_path(place.path), place.line)}: {place.title}"
    if not verdict.differences:
        return [f"{title}: no answer from {address}", f"  {verdict.reason}"]
    return [
        f"{title}: {address} answers otherwise",
        *(f"  {line}" for line in verdict.differences),
        "",
        "to paste into an issue of pytest-crd:",
        "",
        *verdict.recording.splitlines(),
    ]


def foresee_questions(item: pytest.Item, observer: Observer) -> list[AnyQuestion]:
    """Return the questions of a test to *observer* before it runs; empty if they are unknown until then."""
    run = getattr(item, "run_ahead", None)
    if run is None or any(map(item.get_closest_marker, ("skip", "skipif"))):
        return []
    # Errors are ignored here: the test raises them when it runs.
    questions: list[AnyQuestion] = []
    with (
        projectpolicies.unmeasured(item.config),
        observer.heard_by(question=questions.append),
        contextlib.suppress(Exception),
    ):
        run()
    return questions


@contextlib.contextmanager
def compare_answers(live: SessionJudge, place: TestPlace, observer: Observer) -> Iterator[None]:
    """
    Send the questions of a test to *observer* to the server, too, until the end of the `with` block.

    Raises:
        LiveFailure: The server answers otherwise, or not at all, whether or not the test itself fails.
    """
    own: BaseException | None = None
    questions: list[AnyQuestion] = []
    with observer.heard_by(question=questions.append):
        try:
            yield
        except (AssertionError, pytest.fail.Exception, pytest.skip.Exception) as error:
            own = error
    verdict = live.judge(questions)
    if verdict.differences or verdict.outcome is LiveOutcome.NO_ANSWER:
        own_failure = own if isinstance(own, TextFailure) else None
        raise LiveFailure(place, verdict, live.address, own_failure) from None
    if own is not None:
        raise own
