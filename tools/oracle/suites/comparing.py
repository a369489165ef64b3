"""Outcomes of a suite on both servers, and their table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from oracle.suites.listing import FOLDER, Reason, read_reasons, read_suites
from oracle.suites.runs import Outcome

RESULTS: Final = FOLDER / "results.json"
_HEADING: Final = ("suite", "version", "passed there", "passed here", "%", "failures")
_NOT_RUN: Final = Outcome(passed=False, message="did not run")


class Comparison(NamedTuple):
    """
    The outcomes of a suite on both servers.

    Attributes:
        suite: The name of the suite.
        there: The outcomes on the kube-apiserver.
        here: The outcomes on pytest-crd's server.
    """

    suite: str
    there: Mapping[str, Outcome]
    here: Mapping[str, Outcome]

    @property
    def passed(self) -> list[str]:
        """The specs that pass on the kube-apiserver."""
        return [name for name, outcome in self.there.items() if outcome.passed]

    @property
    def failed(self) -> dict[str, Outcome]:
        """The specs among them that fail here, with their outcomes; a spec that did not run fails."""
        outcomes = {name: self.here.get(name, _NOT_RUN) for name in self.passed}
        return {name: outcome for name, outcome in outcomes.items() if not outcome.passed}

    def find_surprises(self, reasons: Sequence[Reason]) -> Iterator[str]:
        """Yield a message for each spec that fails without a reason or passes in spite of one."""
        expected = {spec for reason in reasons if reason.suite == self.suite for spec in reason.specs}
        for name, outcome in self.failed.items():
            if name not in expected:
                yield f"{self.suite}: {name} fails without a known reason:\n    {' '.join(outcome.message.split())[:500]}"
        for name in sorted(expected - self.failed.keys()):
            outcome = self.there.get(name, _NOT_RUN)
            yield f"{self.suite}: {name} {'passes here' if outcome.passed else 'does not pass on the kube-apiserver'}"


def record(comparison: Comparison) -> None:
    """Write the counts of a comparison to the file of results."""
    results = read_results()
    passed, failed = len(comparison.passed), len(comparison.failed)
    results[comparison.suite] = (passed, passed - failed)
    ordered = {name: results[name] for name in read_suites() if name in results}
    RESULTS.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def read_results() -> dict[str, tuple[int, int]]:
    """Return the specs that pass there and those among them that pass here, by suite."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    return {name: (there, here) for name, (there, here) in results.items()}


def share(passed_there: int, passed_here: int) -> str:
    """Return the share of specs that pass here, in percent."""
    return f"{100 * passed_here / passed_there:.1f}" if passed_there else "-"


def table() -> str:
    """Return the table of the recorded results, in Markdown."""
    suites, reasons = read_suites(), read_reasons()
    rows = [_HEADING, tuple("---" for _ in _HEADING)]
    for name, (passed_there, passed_here) in read_results().items():
        whys = [f"{reason.why}: {len(reason.specs)}" for reason in reasons if reason.suite == name]
        version = suites[name].source.partition("@")[2][:12]
        rows.append(
            (name, version, f"{passed_there}", f"{passed_here}", share(passed_there, passed_here), "; ".join(whys))
        )
    return "\n".join(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows)
