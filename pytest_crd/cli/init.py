"""`init`: what a repository has, what its CRDs need to be tested, and the files for that."""

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
from pytest_crd.cli.wording import counted
from pytest_crd.engine import InputError

_MOST_SHOWN: Final = 3
_AGREED: Final = ("y", "yes")


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder", nargs="?", default=".", metavar="FOLDER", help="the repository; unset: the current folder"
    )
    parser.add_argument(
        "--yes", action="store_true", help="write all files that are proposed, without asking; none is overwritten"
    )


def run(options: argparse.Namespace) -> int:
    """Say what there is and what is proposed, and write what is agreed to; return a code of `exits.Exit`."""
    folder = Path(options.folder)
    if not folder.is_dir():
        print(f"{folder}: no such folder", file=sys.stderr)
        return Exit.WRONG_USE
    try:
        found = repository.look(folder.absolute())
    except repository.NoCrdError as error:
        print(error, file=sys.stderr)
        return Exit.NOTHING_THERE
    except InputError as error:
        print(error, file=sys.stderr)
        return Exit.WRONG_USE
    print("\n".join(_lines(found)))
    proposed = [*initproposals.of(found)]
    if not proposed:
        print("nothing is missing: pytest-crd test runs it all")
        return Exit.HOLDS
    by_hand = [one for one in proposed if one.is_there]
    for one in by_hand:
        print(f"\nto be added to {one.path}, which {one.purpose}:\n")
        print("\n".join(f"    {line}".rstrip() for line in one.make().splitlines()))
    return _written(folder, [one for one in proposed if not one.is_there], is_agreed=options.yes)


def _lines(found: Repository) -> Iterator[str]:
    """Yield what there is."""
    yield f"{counted(len(found.crds), 'CRD')} from {found.places}"
    samples, others = found.samples.total(), found.other_samples.total()
    elsewhere = f", {others} elsewhere ({', '.join(sorted(found.other_samples)[:_MOST_SHOWN])})" if others else ""
    where = f" in {' '.join(sorted(found.samples))}" if samples else ""
    yield f"{counted(samples, 'sample')}{where}{elsewhere}"
    untested = found.untested()
    yield f"{counted(found.case_files, 'case file')}; {counted(len(untested), 'CRD')} of {len(found.crds)} without one"
    yield from (f"  cannot be read: {one}" for one in found.unread)
    release = (
        f"{found.release}, from which upgrades are judged" if found.release else "none, so that no upgrade is judged"
    )
    yield f"last release: {release}"
    job = "there is one" if found.has_job else "there is none"
    yield f"job of the CI that tests CRDs: {job}{'' if found.forge or found.has_job else ', and no forge is known'}"


def _written(folder: Path, missing: Sequence[ProposedFile], *, is_agreed: bool) -> Exit:
    """Write what is agreed to."""
    can_ask = sys.stdin.isatty()
    code = Exit.HOLDS
    print()
    for one in missing:
        if not is_agreed and not (can_ask and _agrees(one)):
            print(f"not written: {one.path}, which {one.purpose}")
            continue
        try:
            one.write(folder)
        except NothingWrittenError as error:
            print(error, file=sys.stderr)
            code = Exit.DOES_NOT_HOLD
        else:
            print(f"written: {one.path}, which {one.purpose}")
    if not is_agreed and not can_ask and missing:
        print("\npytest-crd init --yes writes these files")
    return code


def _agrees(one: ProposedFile) -> bool:
    print(f"write {one.path}, which {one.purpose}? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in _AGREED
