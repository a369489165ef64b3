"""
Run test suites of other projects against a kube-apiserver without controllers and against pytest-crd's server.

`tools/oracle/suites/suites.toml` lists the suites, and `failing.toml` the specs that fail here, with reasons. The command fails if
a spec fails here without a reason, or passes in spite of one. It writes the counts to `results.json` and the table to
`docs/developing/upstream.md`.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from handbook import parts

from oracle import options as shared
from oracle.servers import envtestassets, kubeapiserver, ours, programs
from oracle.servers.ours import Served
from oracle.suites import comparing, listing, runs
from oracle.suites.comparing import Comparison
from oracle.suites.listing import Suite
from oracle.suites.runs import Outcome

_VERSION: Final = "1.37"
_PAGE: Final = parts.DOCS / "developing/upstream.md"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of suites."""
    parser.add_argument("suites", nargs="*", metavar="NAME", help="run the suites with this in their names; unset: all")
    parser.add_argument(
        "--here", action="store_true", help="take the outcomes on the kube-apiserver from the last run against it"
    )


def main(options: argparse.Namespace) -> int:
    """Run the suites; return 1 if an outcome is a surprise."""
    reasons, surprises = listing.read_reasons(), list[str]()
    for suite in find_suites(options.suites):
        there = (_last_outcomes(suite) if options.here else None) or _run_there(suite)
        comparison = Comparison(suite.name, there, _run_here(suite))
        passed, failed = len(comparison.passed), len(comparison.failed)
        share = comparing.share(passed, passed - failed)
        print(f"{suite.name:36} {passed:4} pass there, {passed - failed:4} here, {share:>5} %", flush=True)
        found = [*comparison.find_surprises(reasons)]
        print(*found, sep="\n", end="\n" if found else "", flush=True)
        comparing.record(comparison)
        surprises += found
    _PAGE.write_text(parts.current(_PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{len(surprises)} surprises")
    return int(bool(surprises))


def _run_here(suite: Suite) -> dict[str, Outcome]:
    """Return the outcomes of a suite on pytest-crd's server."""
    if suite.runner == "go":
        with tempfile.TemporaryDirectory() as name:
            envtestassets.write_ours(Path(name))
            return _keep(suite, "here", runs.run_go(suite, Path(name), _find_file(suite, "here.log")))
    with ours.serving([]) as served:
        kubeconfig = json.dumps(ours.kubeconfig(served))
        return _keep(suite, "here", runs.run_pytest(suite, kubeconfig, _find_file(suite, "here.log")))


def _run_there(suite: Suite) -> dict[str, Outcome]:
    """Return the outcomes of a suite on a kube-apiserver."""
    if suite.runner == "go":
        with tempfile.TemporaryDirectory() as name:
            envtestassets.write_real(Path(name), _VERSION)
            return _keep(suite, "there", runs.run_go(suite, Path(name), _find_file(suite, "there.log")))
    with kubeapiserver.started(_VERSION) as url:
        kubeconfig = json.dumps(ours.kubeconfig(Served(url, kubeapiserver.TOKEN)))
        return _keep(suite, "there", runs.run_pytest(suite, kubeconfig, _find_file(suite, "there.log")))


def _keep(suite: Suite, where: str, outcomes: dict[str, Outcome]) -> dict[str, Outcome]:
    _find_file(suite, f"{where}.json").write_text(json.dumps(outcomes, indent=1), encoding="utf-8")
    return outcomes


def _last_outcomes(suite: Suite) -> dict[str, Outcome] | None:
    """Return the outcomes of the last run on a kube-apiserver; None without a run."""
    path = _find_file(suite, "there.json")
    if not path.exists():
        return None
    return {name: Outcome(*outcome) for name, outcome in json.loads(path.read_text(encoding="utf-8")).items()}


def _find_file(suite: Suite, ending: str) -> Path:
    """Return the path of a file about a suite in the cache."""
    folder = programs.cache() / "suites"
    folder.mkdir(exist_ok=True)
    return folder / f"{re.sub('[^a-z0-9]+', '-', suite.name.lower())}.{ending}"


def find_suites(words: Sequence[str]) -> list[Suite]:
    """
    Return the suites with one of *words* in their names; all without words.

    Raises:
        UsageError: A word is in no name.
    """
    suites = listing.read_suites()
    if unknown := [word for word in words if not any(word in name for name in suites)]:
        raise shared.UsageError(f"no such suite: {', '.join(unknown)}")
    return [suite for name, suite in suites.items() if not words or any(word in name for word in words)]
