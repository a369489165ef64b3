"""Command `test`: case files, checks and upgrades, for users without knowledge of pytest."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_crd.cli import versionchanges
from pytest_crd.cli.exits import Exit
from pytest_crd.engine import profile
from pytest_crd.plugin import testrun
from pytest_crd.report.outputs import testformats


def _flag(option: str, text: str) -> Mapping[str, Any]:
    return {"action": "append_const", "const": option, "help": text}


# Options of pytest that need no `--`; their values are lists of words for pytest.
_OF_PYTEST: Final[Sequence[tuple[str, str, Mapping[str, Any]]]] = (
    ("-v", "--verbose", _flag("-v", "show each test, all notes and whole failures, as pytest does")),
    ("-q", "--quiet", _flag("-q", "show less, as pytest does")),
    ("-x", "--exitfirst", _flag("-x", "stop at the first failure")),
    (
        "-k",
        "--keyword",
        {
            "metavar": "EXPRESSION",
            "type": lambda text: f"-k{text}",
            "action": "append",
            "help": "run the tests whose names match, as pytest does",
        },
    ),
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: paths, and every setting of the plugin."""
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
    for short, name, arguments in _OF_PYTEST:
        parser.add_argument(short, name, default=[], **arguments)
    parser.add_argument("--junitxml", metavar="FILE", help="write pytest's JUnit XML into this file")
    parser.add_argument("--help-settings", action=_HelpSettings, nargs=0, help="list all settings as options, and exit")
    testrun.declare(parser, is_hidden=True)


class _HelpSettings(argparse.Action):
    """Action that prints the help of all settings."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        settings = argparse.ArgumentParser(prog=parser.prog, usage=parser.usage, add_help=False)
        testrun.declare(settings)
        settings.print_help()
        parser.exit()


def run(options: argparse.Namespace) -> int:
    """Run pytest for CRDs alone; return a code of `exits.Exit`."""
    for path in options.paths:
        if path.partition("::")[0].endswith(".py"):
            print(f"{path}: no Python is run here; `pytest {path}` runs it", file=sys.stderr)
            return Exit.WRONG_USE
    junit = [f"--junitxml={options.junitxml}"] if options.junitxml else []
    outcome = testrun.run(
        options.paths,
        options.settings,
        [*junit, *options.verbose, *options.quiet, *options.keyword, *options.exitfirst, *options.handed_on],
        has_baseline=not options.no_baseline,
        stdout="" if options.output == testformats.TEXT else options.output,
    )
    exit_code = Exit.INTERRUPTED if outcome.was_interrupted else _EXITS[outcome.code]
    if exit_code == Exit.DOES_NOT_HOLD and not options.paths and options.output == testformats.TEXT:
        _print_changes(options.settings)
    return exit_code


def _print_changes(settings: Sequence[str]) -> None:
    """Print the changes of the project from each Kubernetes version of the run to the next one."""
    versions = dict.fromkeys(profile.named(name).version for name in testrun.find_versions(settings))
    for old, new in itertools.pairwise(versions):
        print("\n".join(versionchanges.describe(versionchanges.find(Path.cwd(), old, new))))


# By pytest's exit code; it counts as interrupted if it stops itself after a failure.
_EXITS: Final = (
    Exit.HOLDS,
    Exit.DOES_NOT_HOLD,
    Exit.DOES_NOT_HOLD,
    Exit.INTERNAL_ERROR,
    Exit.WRONG_USE,
    Exit.NOTHING_THERE,
)
