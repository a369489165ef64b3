"""Command `test`: case files, checks and upgrades, for users without knowledge of pytest."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from pytest_crd.cli.exits import Exit
from pytest_crd.report.outputs import testformats


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: paths, and every setting of the plugin."""
    from pytest_crd.plugin import testrun  # noqa: PLC0415 - only this command needs pytest

    parser.usage = "%(prog)s [-h] [SETTING ...] [PATH ...] [-- OPTION-OF-PYTEST ...]"
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="case files, and files and folders with CRDs and samples; default: the whole project",
    )
    parser.add_argument(
        "--no-baseline",
        action="store_true",
        help=(
            "skip upgrades if no baseline is named; default: test the upgrade from the last release of the "
            "repository, if it has one"
        ),
    )
    parser.add_argument(
        "-o",
        "--output",
        choices=testformats.FORMATS,
        default=testformats.TEXT,
        help="the format of the results on stdout: text (default), json, junit or tap; with the last three, messages go to stderr",
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=0,
        help="show each test, all notes and whole failures, as pytest does",
    )
    parser.add_argument("--junitxml", metavar="FILE", help="write pytest's JUnit XML into this file")
    testrun.declare(parser)


def run(options: argparse.Namespace) -> int:
    """Run pytest for CRDs alone; return a code of `exits.Exit`."""
    from pytest_crd.plugin import testrun  # noqa: PLC0415 - only this command needs pytest

    for path in options.paths:
        if path.partition("::")[0].endswith(".py"):
            print(f"{path}: no Python is run here; `pytest {path}` runs it", file=sys.stderr)
            return Exit.WRONG_USE
    junit = [f"--junitxml={options.junitxml}"] if options.junitxml else []
    outcome = testrun.run(
        options.paths,
        options.settings,
        [*junit, *(["-v"] * options.verbose), *options.handed_on],
        has_baseline=not options.no_baseline,
        stdout="" if options.output == testformats.TEXT else options.output,
    )
    return Exit.INTERRUPTED if outcome.was_interrupted else _EXITS[outcome.code]


# By pytest's exit code; it counts as interrupted if it stops itself after a failure.
_EXITS: Final = (
    Exit.HOLDS,
    Exit.DOES_NOT_HOLD,
    Exit.DOES_NOT_HOLD,
    Exit.INTERNAL_ERROR,
    Exit.WRONG_USE,
    Exit.NOTHING_THERE,
)
