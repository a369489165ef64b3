"""Command `init`: survey of a repository, needs of its CRDs for tests, and the files for that."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from pytest_crd.cli import initproposals, repository
from pytest_crd.cli.exits import Exit
from pytest_crd.cli.initproposals import NothingWrittenError, ProposedFile
from pytest_crd.cli.repository import Repository
from pytest_crd.engine import InputError
from pytest_crd.wording import counted

_MOST_SHOWN: Final = 3
_AGREED: Final = ("y", "yes")


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder", nargs="?", default=".", metavar="FOLDER", help="the repository; default: the current folder"
    )
    parser.add_argument(
        "--yes", action="store_true", help="write all proposed files without asking; existing files stay"
    )


def run(options: argparse.Namespace) -> int:
    """Print the survey and the proposals, and write the approved files; return a code of `exits.Exit`."""
    folder = Path(options.folder)
    if not folder.is_dir():
        print(f"{folder}: no such folder", file=sys.stderr)
        return Exit.WRONG_USE
    try:
        survey = repository.look(folder.absolute())
    except repository.NoCrdError as error:
        print(error, file=sys.stderr)
        return Exit.NOTHING_THERE
    except InputError as error:
        print(error, file=sys.stderr)
        return Exit.WRONG_USE
    print("\n".join(_lines(survey)))
    proposed = [*initproposals.propose_files(survey)]
    if not proposed:
        print("nothing is missing: pytest-crd test runs it all")
        return Exit.HOLDS
    by_hand = [file for file in proposed if file.is_there]
    for file in by_hand:
        print(f"\nto be added to {file.path}, which {file.purpose}:\n")
        print("\n".join(f"    {line}".rstrip() for line in file.make().splitlines()))
    return _written(folder, [file for file in proposed if not file.is_there], is_agreed=options.yes)


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
        if not is_agreed and not (can_ask and _agrees(file)):
            print(f"not written: {file.path}, which {file.purpose}")
            continue
        try:
            file.write(folder)
        except NothingWrittenError as error:
            print(error, file=sys.stderr)
            code = Exit.DOES_NOT_HOLD
        else:
            print(f"written: {file.path}, which {file.purpose}")
    if not is_agreed and not can_ask and missing:
        print("\npytest-crd init --yes writes these files")
    return code


def _agrees(file: ProposedFile) -> bool:
    print(f"write {file.path}, which {file.purpose}? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in _AGREED
