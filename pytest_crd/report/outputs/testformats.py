"""
Results of tests in formats that test runners of all languages write: TAP and JUnit XML.

Reference:
    TAP version 14, testanything.org; the JUnit XML schema of Apache Ant, as GitLab and Jenkins read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

import yaml

from pytest_crd import lazyre
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.testfacts import FilePlace, SessionFacts, VerdictOutcome

_SUITE: Final = "pytest-crd"
_NO_XML: Final = lazyre.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FAILED: Final = {VerdictOutcome.FAILED: "failure", VerdictOutcome.ERROR: "error"}
_SKIPPED: Final = {VerdictOutcome.SKIPPED, VerdictOutcome.XFAILED}


class ReportedTest(NamedTuple):
    """
    The result of a test.

    Attributes:
        name: The name of the test.
        place: Its file and line.
        outcome: The outcome.
        summary: The failure or the reason of a skip, on one line; empty if it passed.
        text: The whole report; empty if it passed.
        seconds: The duration.
    """

    name: str
    place: FilePlace
    outcome: VerdictOutcome
    summary: str = ""
    text: str = ""
    seconds: float = 0.0


def of_session(facts: SessionFacts, roots: Roots) -> list[ReportedTest]:
    """Return the results of a session; a session that did not finish has one more, an error."""
    results = [
        ReportedTest(item.name, roots.name_place(item.place), item.outcome, item.summary, item.text, item.duration)
        for item in facts.verdicts
    ]
    if facts.remark:
        results.append(ReportedTest("session", FilePlace("."), VerdictOutcome.ERROR, facts.remark, facts.remark))
    return results


def render_tap(results: Sequence[ReportedTest]) -> str:
    """Return the results as TAP."""
    lines = ["TAP version 14", f"1..{len(results)}"]
    for number, result in enumerate(results, 1):
        lines += _tap_lines(number, result)
    return "\n".join(lines) + "\n"


def _tap_lines(number: int, result: ReportedTest) -> Iterator[str]:
    is_bad = result.outcome in _FAILED or result.outcome is VerdictOutcome.XFAILED
    directives = {VerdictOutcome.SKIPPED: "SKIP", VerdictOutcome.XFAILED: "TODO"}
    directive = directives.get(result.outcome, "")
    reason = f" # {directive} {_tap_text(result.summary)}" if directive else ""
    name = _tap_text(f"{result.place.path}: {result.name}")
    yield f"{'not ok' if is_bad else 'ok'} {number} - {name}{reason}"
    if result.outcome in _FAILED:
        data = {"file": result.place.path, "line": result.place.line or None, "message": result.text}
        text: str = yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=1000)
        yield from (f"  {line}" for line in ("---", *text.splitlines(), "..."))


def _tap_text(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace("#", "\\#")


def render_junit(results: Sequence[ReportedTest]) -> str:
    """Return the results as JUnit XML, one suite with a test case for each."""
    outcomes = [result.outcome for result in results]
    counts = {
        "tests": len(results),
        "failures": sum(_FAILED.get(outcome) == "failure" for outcome in outcomes),
        "errors": sum(_FAILED.get(outcome) == "error" for outcome in outcomes),
        "skipped": sum(outcome in _SKIPPED for outcome in outcomes),
        "time": f"{sum(result.seconds for result in results):.3f}",
    }
    root = ET.Element("testsuites", name=_SUITE)
    suite = ET.SubElement(root, "testsuite", {"name": _SUITE, **{name: str(value) for name, value in counts.items()}})
    for result in results:
        _add_junit_case(suite, result)
    ET.indent(root)
    return f"{ET.tostring(root, encoding='unicode', xml_declaration=False)}\n"


def _add_junit_case(suite: ET.Element, result: ReportedTest) -> None:
    path, line, _ = result.place
    attributes = {
        "classname": path,
        "name": result.name,
        "file": path,
        **({"line": str(line)} if line else {}),
        "time": f"{result.seconds:.3f}",
    }
    case = ET.SubElement(suite, "testcase", {name: _xml_text(value) for name, value in attributes.items()})
    if result.outcome in _FAILED:
        element = ET.SubElement(case, _FAILED[result.outcome], message=_xml_text(result.summary))
        element.text = _xml_text(result.text or result.summary)
    elif result.outcome in _SKIPPED:
        ET.SubElement(case, "skipped", message=_xml_text(result.summary))


def _xml_text(text: str) -> str:
    return _NO_XML.sub(lambda match: f"#x{ord(match[0]):02X}", text)


RENDERERS: Final[Mapping[str, Callable[[Sequence[ReportedTest]], str]]] = {"junit": render_junit, "tap": render_tap}
"""Functions that render results, by the name of the format."""
TEXT: Final = "text"
"""The format for people."""
FORMATS: Final = (TEXT, "json", *RENDERERS)
"""All formats of results on stdout."""
