"""Runs of suites against a server, and the outcome of each spec."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from oracle.suites import sources
from oracle.suites.listing import FOLDER, Suite

# Seconds for a suite to end after its time limit.
_GRACE: Final = 45.0
_PASSED: Final = "passed"
_SKIPPED: Final = ("skipped", "pending")
_TEST: Final = re.compile(r"^--- (?P<verdict>PASS|FAIL): (?P<name>\S+)", re.MULTILINE)
# The tests that run the specs of Ginkgo.
_BOOTSTRAP: Final = re.compile(r"^=== RUN +(\S+)\s+Running Suite: ", re.MULTILINE)


class Outcome(NamedTuple):
    """
    The outcome of a spec.

    Attributes:
        passed: Whether it passed.
        message: The message of its failure.
    """

    passed: bool
    message: str = ""


def run_go(suite: Suite, assets: Path, log: Path) -> dict[str, Outcome]:
    """
    Run a Go suite, and return the outcomes of its specs.

    Args:
        suite: The suite.
        assets: A folder with the programs that envtest starts.
        log: The file for its output.
    """
    program = sources.build(suite)
    folder = sources.check_out(suite) / suite.package
    with tempfile.TemporaryDirectory() as name:
        report = Path(name, "report.json")
        is_ginkgo = _is_ginkgo(program)
        command = [str(program), "-test.v", f"-test.timeout={suite.minutes * 60 + _GRACE - 10:.0f}s"]
        if is_ginkgo:
            command += [
                f"-ginkgo.json-report={report}",
                f"-ginkgo.timeout={suite.minutes * 60:.0f}s",
                "-ginkgo.seed=1",
                "-ginkgo.flake-attempts=2",
            ]
            command += [f"-ginkgo.skip={suite.skip}"] if suite.skip else []
        environment = {**os.environ, "KUBEBUILDER_ASSETS": str(assets), "KUBECONFIG": "", "HOME": name}
        _run(command, folder, environment, suite.minutes * 60 + _GRACE, log)
        outcomes = dict(read_plain_tests(log.read_text(encoding="utf-8", errors="replace")))
        if report.exists():
            outcomes |= read_report(json.loads(report.read_text(encoding="utf-8")))
    return outcomes


def run_pytest(suite: Suite, kubeconfig: str, log: Path) -> dict[str, Outcome]:
    """
    Run a suite for pytest, and return the outcomes of its tests.

    Args:
        suite: The suite.
        kubeconfig: The text of the kubeconfig.
        log: The file for its output.
    """
    folder = sources.check_out(suite)
    with tempfile.TemporaryDirectory() as name:
        report, config = Path(name, "report.jsonl"), Path(name, ".kube", "config")
        config.parent.mkdir()
        config.write_text(kubeconfig, encoding="utf-8")
        report.touch()
        environment = {
            **os.environ,
            "HOME": name,
            "KUBECONFIG": str(config),
            "PYTHONPATH": f"{FOLDER / 'stand-ins'}:{FOLDER.parents[1]}",
            "SUITE_REPORT": str(report),
        }
        command = [str(sources.python(suite)), "-m", "pytest", "-p", "oracle.suites.pytestreport"]
        command += [*suite.options.split(), *suite.package.split()]
        command += ["-k", f"not ({suite.skip})"] if suite.skip else []
        _run(command, folder, environment, suite.minutes * 60, log)
        lines = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    return {line["test"]: Outcome(line["passed"], line["message"]) for line in lines}


def _is_ginkgo(program: Path) -> bool:
    return b"onsi/ginkgo/v2" in program.read_bytes()


def _run(command: list[str], folder: Path, environment: Mapping[str, str], seconds: float, log: Path) -> None:
    """Run a command in its own process group, which ends with it or with its time."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        with contextlib.suppress(ProcessLookupError):  # the servers of a suite that did not stop them, too
            os.killpg(process.pid, 9)
        process.wait()


def read_plain_tests(output: str) -> Iterator[tuple[str, Outcome]]:
    """Yield the outcomes of tests without Ginkgo."""
    suites = set(_BOOTSTRAP.findall(output))
    for match in _TEST.finditer(output):
        if match["name"] not in suites:
            has_passed = match["verdict"] == "PASS"
            yield match["name"], Outcome(has_passed, "" if has_passed else output[: match.start()][-2000:])


def read_report(reports: Iterable[Mapping[str, Any]]) -> dict[str, Outcome]:
    """Return the outcomes of a report of Ginkgo; specs with the same name are numbered."""
    seen: Counter[str] = Counter()
    outcomes = {}
    for report in reports:
        for spec in report["SpecReports"] or ():
            if spec["LeafNodeType"] != "It" or spec["State"] in _SKIPPED:
                continue
            name = " ".join([*(spec["ContainerHierarchyTexts"] or ()), spec["LeafNodeText"]]).strip()
            seen[name] += 1
            name += f" ({seen[name]})" if seen[name] > 1 else ""
            message = (spec.get("Failure") or {}).get("Message", "")
            outcomes[name] = Outcome(spec["State"] == _PASSED, f"{spec['State']}: {message}")
    return outcomes
