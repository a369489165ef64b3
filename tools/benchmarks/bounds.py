"""
The growth of work with hostile files of a repository, as a ratio to inputs of an eighth of the size.

Linear work has a ratio of 8, quadratic work of 64. The ratio is that of function calls, which no other program disturbs. Work in
one call, such as a search in a text, counts by its time. Each case runs in its own process for at most 30 seconds of processor time; a case that takes longer
is killed and has an infinite ratio.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from oracle.options import UsageError
from support import crds

from benchmarks.figures import Figure
from pytest_crd import folders
from pytest_crd.admission.expressions.admissionexpressions import CostBudget
from pytest_crd.casefiles import yamlspans
from pytest_crd.cases import comparison, refusals, schemafields
from pytest_crd.cases.parts import ExpectedError
from pytest_crd.checks import fieldlines
from pytest_crd.coverage import lines
from pytest_crd.discovery import helmtemplates, kustomizepatches, tags
from pytest_crd.engine import profile
from pytest_crd.engine.api.customresourcedefinition import CustomResourceDefinition
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.cel.library import amounts
from pytest_crd.engine.cel.text import lexer
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.fielderror import ErrorType, FieldError
from pytest_crd.engine.formats import emails
from pytest_crd.engine.golang import durations, mime
from pytest_crd.engine.schema import schemapaths
from pytest_crd.engine.yaml import manifest, yamlreader
from pytest_crd.plugin.items import casefiles
from pytest_crd.policies.composition import Composition
from pytest_crd.policies.definitions import PolicyVariable
from pytest_crd.report import causegroups
from pytest_crd.report.outputs import codequality, jobsummary, sarif, testformats, verdictfile
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.testfacts import About, Cause, FilePlace, SessionFacts, Verdict, VerdictKind, VerdictOutcome
from pytest_crd.server.builtin.validation import keypairs
from pytest_crd.synthesis import objectplaces
from pytest_crd.synthesis.rulegoals import assignments

_MOST_SECONDS: Final = 30
_LEAST_SECONDS: Final = 0.01
_PEER: Final = "an eighth of it"
_PART: Final = 8
_FEWEST_CALLS: Final = 1_000
# Times vary, calls do not: a ratio of times counts as a third. That of quadratic work, 64, is still above the budget.
_NOISE: Final = 3
_STRING: Final = {"type": "string"}


class Work(NamedTuple):
    """The work of a case: its function calls, and its processor time."""

    calls: float
    seconds: float


def _suggestions(size: int) -> Callable[[], object]:
    properties = {f"field{index:05}": _STRING for index in range(2_000)}
    spec = {"type": "object", "properties": properties}
    crd = CustomResourceDefinition.from_manifest(crds.manifest({"type": "object", "properties": {"spec": spec}}))
    fields = schemafields.SchemaFields(crd.version("v1"))
    return lambda: [fields.near(f"spec.fieldx{index:05}") for index in range(size)]


def _expected_errors(size: int) -> Callable[[], object]:
    errors = [FieldError(ErrorType.INVALID, f"spec.f{index}", 1, "is wrong") for index in range(size)]
    wanted = [ExpectedError(ErrorType.INVALID)] * (size // 2) + [ExpectedError(field=error.field) for error in errors]
    return lambda: refusals.Matching(wanted, refusals.ErrorIndex(errors), refusals.meets)


def _lines(size: int) -> Callable[[], object]:
    [document] = yamlreader.read("spec:\n" + "".join(f"  k{index}: 1\n" for index in range(size)), source="a.yaml")
    return lambda: [document.line_of(("spec", f"k{index}")) for index in range(size)]


def _lists(size: int) -> Callable[[], object]:
    expected, actual = ([f"a{index % count}" for index in range(size)] for count in (2, 3))
    return lambda: comparison.compare(expected, actual, None)


def _actions(size: int) -> Callable[[], object]:
    return lambda: manifest.is_template(b"{{\n" * size)


def _text(
    function: Callable[[str], object], unit: str, begin: str = "", end: str = ""
) -> Callable[[int], Callable[[], object]]:
    """Return a case that calls a function with a text of repeated units."""
    return lambda size: functools.partial(function, begin + unit * size + end)


def _bytes(
    function: Callable[[bytes], object], unit: bytes, begin: bytes = b""
) -> Callable[[int], Callable[[], object]]:
    return lambda size: functools.partial(function, begin + unit * size)


def _read(text: str) -> object:
    return yamlreader.read(text, source="a.yaml")


def _target(size: int) -> Callable[[], object]:
    patch = kustomizepatches.Patch(("a.yaml", 1), "", {"name": "(a+)+b"}, [])
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": declared.KIND, "metadata": {"name": "a" * size}}
    return lambda: patch.changes(crd)


def _edits(size: int) -> Callable[[], object]:
    text = "a: 1\r\n" * size
    layout = yamlspans.SpannedText("a: 1\n" * size, (), is_json=False)
    edits = [yamlspans.Edit(5 * index, 5 * index + 1, "b") for index in range(size)]
    return lambda: yamlspans.apply_edits(text, layout, edits)


def _doubled(size: int) -> Callable[[], object]:
    composition = Composition(profile.named(profile.DEFAULT))
    composition.add(PolicyVariable("v0", "[1]"))
    for index in range(1, size):
        composition.add(PolicyVariable(f"v{index}", f"[variables.v{index - 1}, variables.v{index - 1}]"))
    composition.add(PolicyVariable("result", f"variables.v{size - 1} == variables.v{size - 1}"))

    def compare() -> object:
        with contextlib.suppress(UnsupportedExpressionError):
            return composition.bind({}, CostBudget(10_000_000))["variables"].find("result")
        return None

    return compare


def _places(size: int) -> Callable[[], object]:
    resource = {f"k{index}": index for index in range(size)}
    return lambda: [objectplaces.find_steps(resource, f"k{index}") for index in range(size)]


def _report(render: Callable[[SessionFacts], object]) -> Callable[[int], Callable[[], object]]:
    """Return a case that writes a report about failed tests."""

    def prepare(size: int) -> Callable[[], object]:
        place = FilePlace("a.yaml", 1)
        about = About(VerdictKind.CHECK, "check/samples", "tabs.example.com", "v1", "1.37")
        causes = [Cause("check/samples", f"spec.f{index}: is wrong", f"spec.f{index}", place) for index in range(size)]
        verdicts = tuple(
            Verdict(f"a.yaml::t{index}", f"t{index}", about, VerdictOutcome.FAILED, place, "x", "x\ny\n", 0.0, (cause,))
            for index, cause in enumerate(causes)
        )
        facts = SessionFacts(
            verdicts, 1, is_complete=True, problem="", kubernetes_versions=("1.37",), others={}, tool_version="1"
        )
        return lambda: render(facts)

    return prepare


def _object(field: Callable[[int], tuple[str, object]]) -> Callable[[int], Callable[[], object]]:
    """Return a case that creates an object with many fields."""

    def prepare(size: int) -> Callable[[], object]:
        properties = {f"k{index}": _STRING for index in range(size)}
        spec = {"type": "object", "properties": properties}
        crd = CustomResourceDefinition.from_manifest(crds.manifest({"type": "object", "properties": {"spec": spec}}))
        version, resource = crd.version("v1"), {"spec": dict(map(field, range(size)))}

        def create() -> object:
            answer = version.create(resource)
            return answer.message, answer.warnings, answer.status

        return create

    return prepare


_ROOTS: Final = Roots((Path("/"),), (Path("/"),))

# By name: a function from a size to the call to measure, and the full size.
CASES: Final[Mapping[str, tuple[Callable[[int], Callable[[], object]], int]]] = {
    "suggestions": (_suggestions, 256),
    "expected errors": (_expected_errors, 8_000),
    "lines of keys": (_lines, 8_000),
    "lists with few values": (_lists, 16_000),
    "open actions": (_actions, 1_000_000),
    "actions of a template": (
        _text(helmtemplates.remove_actions, "  {{ x }}\n", "metadata:\n  a: b\n", "  c: d\n"),
        16_000,
    ),
    "open actions of a template": (_text(helmtemplates.remove_actions, "{{", "# "), 200_000),
    "target of a kustomization": (_target, 400_000),
    "blank lines of a case file": (_bytes(casefiles._CASE_FILE.search, b"\n"), 400_000),
    "keys of a YAML file": (
        _text(lambda text: _read("".join(f"k{index}: 1\n" for index in range(len(text)))), "x"),
        8_000,
    ),
    "blank lines of a YAML file": (_text(_read, "\n", "a: 1\n"), 200_000),
    "comments of a YAML file": (_text(_read, "# a\n", "a: 1\n"), 40_000),
    "documents of a YAML file": (_text(_read, "a: 1\n---\n"), 4_000),
    "quoted breaks of a YAML file": (_text(_read, "\n", 'a: "', '"'), 40_000),
    "flow lists of a YAML file": (_text(_read, "[1], ", "a: [", "]"), 8_000),
    "a JSON file": (_text(_read, '{"a": 1},', "[", "1]"), 8_000),
    "spans of a YAML file": (_text(yamlspans.find_spans, "- &a !!str # b\n  c\n"), 4_000),
    "edits of a case file": (_edits, 16_000),
    "comments of an exclusion": (_text(lines._is_misspelt, "# crd: no cov ", end="'"), 20_000),
    "paths in a sentence": (_text(fieldlines._PATH.search, "spec["), 100_000),
    "begins of certificates": (_bytes(lambda text: keypairs.find_problem(text, text), b"-----BEGIN A-----\n"), 40_000),
    "headers of certificates": (
        _bytes(lambda text: keypairs.find_problem(text, text), b"-----BEGIN A:-----\n-----END A:-----\n"),
        8_000,
    ),
    "quotes of a rule": (_text(lambda text: lexer.tokenize(text, escaped_identifiers=True), "''' "), 16_000),
    "a path of a rule": (_text(schemapaths._TOKEN.findall, "['a'"), 40_000),
    "a tag": (_text(tags._find_version, "1-", end="_"), 16_000),
    "a duration": (_text(durations.parse, "1ns"), 16_000),
    "a quantity": (_text(amounts._TEXT.fullmatch, "0", end="!"), 200_000),
    "an email address": (_text(emails.is_address, "(", end="a@b"), 100_000),
    "a media type": (_text(mime.parse_media_type, "; a=b", "a/b"), 8_000),
    "terms of a sum": (
        lambda size: functools.partial(assignments._split, "a" * size, "", *["a"] * (size // 2), "a"),
        8_000,
    ),
    "fields of errors": (_places, 16_000),
    "stars of a glob": (
        lambda size: functools.partial(folders.matches, PurePosixPath("a" * size), "*a" * 16 + "*b"),
        400_000,
    ),
    "variables that double a list": (_doubled, 64),
    "a report for SARIF": (_report(lambda facts: sarif.render(facts, _ROOTS)), 2_000),
    "a report as JSON": (_report(lambda facts: verdictfile.render(facts, _ROOTS)), 2_000),
    "a report for JUnit": (
        _report(lambda facts: testformats.render_junit(testformats.of_session(facts, _ROOTS))),
        2_000,
    ),
    "a report as TAP": (_report(lambda facts: testformats.render_tap(testformats.of_session(facts, _ROOTS))), 2_000),
    "a report for GitLab": (_report(lambda facts: codequality.render(facts, _ROOTS, "pytest.ini")), 2_000),
    "a summary of a job": (_report(lambda facts: jobsummary.render(facts, _ROOTS, None)), 2_000),
    "wrong fields of an object": (_object(lambda index: (f"k{index}", index)), 2_000),
    "unknown fields of an object": (_object(lambda index: (f"u{index}", "")), 2_000),
    "fields of a report": (_text(causegroups.without_indices, "["), 200_000),
}


def measure(name: str, size: int) -> Work:
    """Return the work of a case of *size*, infinite if it takes too long."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_run, args=(name, size, sender))
    process.start()
    sender.close()
    try:
        work: Work = receiver.recv()
    except EOFError:  # it was killed
        work = Work(float("inf"), float("inf"))
    process.join()
    return work


def _run(name: str, size: int, result: Any) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_SECONDS, _MOST_SECONDS))
    calls, seconds = 0, list[float]()

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    for profiler in (count, None, None):
        function = CASES[name][0](size)
        start = time.process_time()
        sys.setprofile(profiler)
        function()
        sys.setprofile(None)
        seconds.append(time.process_time() - start)
    result.send(Work(calls, min(seconds[1:])))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the names of cases."""
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"(default: all) {', '.join(CASES)}")


def main(options: argparse.Namespace) -> Iterator[Figure]:
    """Measure the named cases, or all."""
    if unknown := set(options.names) - CASES.keys():
        raise UsageError(f"no case is called {', '.join(sorted(unknown))}")
    for name in options.names or CASES:
        size = CASES[name][1]
        part, whole = (measure(name, count) for count in (size // _PART, size))
        calls = whole.calls / max(part.calls, _FEWEST_CALLS)
        seconds = whole.seconds / max(part.seconds, _LEAST_SECONDS)
        print(
            f"{name:30} {calls:6.1f} in calls ({whole.calls:9,.0f}), {seconds:6.1f} in time ({whole.seconds:5.2f} s)",
            flush=True,
        )
        yield Figure(name, max(calls, seconds / _NOISE), _PEER)
