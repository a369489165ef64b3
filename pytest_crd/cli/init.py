"""Command `init`: survey of a repository, needs of its CRDs for tests, and the files for that."""

from __future__ import annotations

import argparse
import contextlib
import enum
import functools
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pytest_crd import progress, wording
from pytest_crd.checks import allowedchecks
from pytest_crd.cli import initproposals, repository
from pytest_crd.cli.exits import Exit
from pytest_crd.cli.initproposals import Decisions, NothingWrittenError, ProposedFile
from pytest_crd.cli.repository import SAMPLES, Repository
from pytest_crd.discovery import samplepaths
from pytest_crd.engine import InputError
from pytest_crd.engine.inputerror import NoCrdError
from pytest_crd.plugin import testrun
from pytest_crd.plugin.testrun import FailedCheck, SessionEnd
from pytest_crd.progress import silent
from pytest_crd.wording import counted

_MOST_SHOWN: Final = 3
_AGREED: Final = ("y", "yes")
# Exit codes of pytest for a run that judged the project: all passed, some failed.
_JUDGED: Final = (0, 1)
# The checks that a server accepts a CRD, and a sample as it is.
_CRD_ACCEPTED: Final = "accepted"
_SAMPLE_ACCEPTED: Final = "samples"


class _Decision(enum.Enum):
    """Decision about a check that fails today; the value is its words."""

    WARN = f"becomes a warning, by {allowedchecks.SETTING}"
    LEAVE_OUT = "is no sample, as it fails"
    STAY = "stays a failure, unless --allow-failing makes it a warning"


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder", nargs="?", default=".", metavar="FOLDER", help="the repository; default: the current folder"
    )
    parser.add_argument(
        "--yes",
        action="store_true",
        help="write all proposed files without asking; existing files stay, and a CRD or sample that a server refuses stays a failure",
    )
    parser.add_argument(
        "--allow-failing",
        action="store_true",
        help="make each check that fails today a warning, of refused CRDs and samples, too",
    )


def run(options: argparse.Namespace) -> int:
    """Print the survey, the checks that fail today and the proposals, and write the approved files; return a code of `exits.Exit`."""
    folder = Path(options.folder)
    if not folder.is_dir():
        print(f"{folder}: no such folder", file=sys.stderr)
        return Exit.WRONG_USE
    try:
        survey = repository.look(folder.absolute())
    except NoCrdError as error:
        print(error, file=sys.stderr)
        return Exit.NOTHING_THERE
    except InputError as error:
        print(error, file=sys.stderr)
        return Exit.WRONG_USE
    _print("\n".join(_lines(survey)))
    has_more_samples = initproposals.needs_more_samples(survey)
    end = _try_out(survey, has_more_samples=has_more_samples)
    if end.was_interrupted or end.code not in _JUDGED:
        return Exit.INTERRUPTED if end.was_interrupted else Exit.WRONG_USE
    decisions = _decide(options, survey, end.failed_checks, has_more_samples=has_more_samples)
    proposed = [*initproposals.propose_files(survey, decisions)]
    if not proposed:
        _print("nothing is missing: pytest-crd test runs it all")
        return Exit.HOLDS
    by_hand = [file for file in proposed if file.is_there]
    for file in by_hand:
        _print(f"\nto be added to {file.path}, which {file.purpose}:\n")
        _print("\n".join(f"    {line}".rstrip() for line in file.make(silent)[0].splitlines()))
    return _written(folder, [file for file in proposed if not file.is_there], is_agreed=options.yes)


def _try_out(survey: Repository, *, has_more_samples: bool) -> SessionEnd:
    """Run `pytest-crd test` in the repository as it is, which prints each failure, and return its end."""
    _print("\npytest-crd test, before anything is written:\n", flush=True)
    samples = ["-o", f"{SAMPLES}={samplepaths.AUTO}"] if has_more_samples else []
    with contextlib.chdir(survey.folder):
        return testrun.run([], [], ["-p", "no:cacheprovider", *samples], has_baseline=True)  # nothing is written yet


def _decide(
    options: argparse.Namespace, survey: Repository, failed: Sequence[FailedCheck], *, has_more_samples: bool
) -> Decisions:
    """Decide about the checks that fail today, and print the decisions."""
    checks: dict[_Decision, dict[str, None]] = {decision: {} for decision in _Decision}
    for check in () if survey.allows else failed:
        name, path = initproposals.allow(check.kind, check.subject), os.path.relpath(check.path, survey.folder)
        if name in checks[_Decision.WARN] or path in checks[_Decision.LEAVE_OUT]:
            continue
        if check.is_told and not any(allowed.startswith(f"{_CRD_ACCEPTED} ") for allowed in checks[_Decision.WARN]):
            continue  # the failure in its place stays
        decision = _decide_check(options, check, path, is_declared=not has_more_samples)
        checks[decision][path if decision is _Decision.LEAVE_OUT else name] = None
    for decision, names in checks.items():
        if names:
            _print(f"{decision.value}: {', '.join(names)}")
    left_out = tuple(checks[_Decision.LEAVE_OUT])
    has_rest = survey.other_samples.total() > len(left_out)
    return Decisions(tuple(checks[_Decision.WARN]), left_out, has_more_samples=has_more_samples and has_rest)


def _decide_check(options: argparse.Namespace, check: FailedCheck, path: str, *, is_declared: bool) -> _Decision:
    """
    Return the decision about a check that fails.

    A refused CRD or sample is allowed only by `--allow-failing` or an answer. If the project does not declare it a sample, its file is left out.
    """
    is_sample = check.kind == _SAMPLE_ACCEPTED
    if options.allow_failing:
        return _Decision.WARN
    if options.yes or not sys.stdin.isatty():
        if is_sample and not is_declared:
            return _Decision.LEAVE_OUT
        return _Decision.STAY if check.kind in {_CRD_ACCEPTED, _SAMPLE_ACCEPTED} else _Decision.WARN
    if _agrees(f"{check.name} fails, as shown above: make it a warning"):
        return _Decision.WARN
    if is_sample and not is_declared and _agrees(f"leave {path} out of the samples"):
        return _Decision.LEAVE_OUT
    return _Decision.STAY


def _lines(survey: Repository) -> Iterator[str]:
    """Yield the lines of the survey."""
    yield f"{counted(len(survey.crds), 'CRD')} from {survey.places}"
    samples, others = survey.samples.total(), survey.other_samples.total()
    elsewhere = f", {others} elsewhere ({', '.join(sorted(survey.other_samples)[:_MOST_SHOWN])})" if others else ""
    where = f" in {' '.join(sorted(survey.samples))}" if samples else ""
    yield f"{counted(samples, 'sample')}{where}{elsewhere}"
    untested = survey.untested()
    yield f"{counted(survey.case_files, 'case file')}; {counted(len(untested), 'CRD')} of {len(survey.crds)} without one"
    yield from (f"  cannot be read: {problem}" for problem in survey.unread)
    release = (
        f"{survey.release}, from which upgrades are judged" if survey.release else "none, so that no upgrade is judged"
    )
    yield f"last release: {release}"
    job = "there is one" if survey.has_job else "there is none"
    yield f"job of the CI that tests CRDs: {job}{'' if survey.forge or survey.has_job else ', and no forge is known'}"


def _written(folder: Path, missing: Sequence[ProposedFile], *, is_agreed: bool) -> Exit:
    """Write the approved files."""
    can_ask = sys.stdin.isatty()
    code = Exit.HOLDS
    print()
    for file in missing:
        if not is_agreed and not (can_ask and _agrees(f"write {file.path}, which {file.purpose}")):
            _print(f"not written: {file.path}, which {file.purpose}")
            continue
        try:
            remark = file.write(folder, functools.partial(progress.show, stream=sys.stdout))
        except NothingWrittenError as error:
            print(error, file=sys.stderr)
            code = Exit.DOES_NOT_HOLD
        else:
            _print(f"written: {file.path}, which {file.purpose}{f': {remark}' if remark else ''}", flush=True)
    if not is_agreed and not can_ask and missing:
        _print("\npytest-crd init --yes writes these files")
    elif missing:
        _print("\nnext: pytest-crd test runs it all; pytest runs it with the project's Python tests")
    return code


def _print(text: str, end: str = "\n", *, flush: bool = False) -> None:
    """Print a text with escapes; the output of pytest between such texts has its own, and colours."""
    print(wording.escape_lines(text), end=end, flush=flush)


def _agrees(question: str) -> bool:
    _print(f"{question}? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in _AGREED
