"""Differences from a server's answers, as data for reports."""

from __future__ import annotations

from pathlib import Path

from pytest_crd.live.run import LiveOutcome, LiveVerdict
from pytest_crd.plugin.features.live.items import LiveFailure
from pytest_crd.plugin.items import extensions
from pytest_crd.report import verdictrules
from pytest_crd.report.testfacts import Cause, FilePlace

PLACE = extensions.TestPlace(Path("test_garden.crd.yaml"), 4, "a case")


def test_each_difference_is_a_cause_at_the_test() -> None:
    verdict = LiveVerdict(LiveOutcome.DISAGREED, differences=("  code: 201, not 422", "  message: other"))

    failure = LiveFailure(PLACE, verdict, "http://server", None)

    place = FilePlace("test_garden.crd.yaml", 4)
    assert failure.causes() == (
        Cause(verdictrules.LIVE, "code: 201, not 422", place=place),
        Cause(verdictrules.LIVE, "message: other", place=place),
    )


def test_causes_of_the_test_itself_come_first() -> None:
    verdict = LiveVerdict(LiveOutcome.DISAGREED, "the line is dead")
    own = LiveFailure(PLACE, verdict._replace(reason="its own"), "http://server", None)

    failure = LiveFailure(PLACE, verdict, "http://server", own)

    assert [cause.words for cause in failure.causes()] == ["its own", "the line is dead"]
