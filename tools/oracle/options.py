"""Options that several commands share, and the error for command lines that cannot be executed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from types import ModuleType

from oracle.servers.versions import NEWEST, VERSIONS


class UsageError(Exception):
    """A command line that cannot be executed; the message has the reason."""


def make_parser(module: ModuleType, call: str, terms: str) -> argparse.ArgumentParser:
    """
    Return the argument parser of a command, with the docstring of its module as help.

    Args:
        module: The module with the command's `add_arguments` and `main`.
        call: The command line of the command: `python -m oracle fuzz cel`.
        terms: Its requirements and duration.
    """
    summary, _, details = (module.__doc__ or "").strip().partition("\n\n")
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog=call, description=f"{summary}\n\n{terms}", epilog=details, formatter_class=formatter
    )
    module.add_arguments(parser)
    return parser


def add_server(parser: argparse.ArgumentParser) -> None:
    """Add the option for the URL of a running server."""
    parser.add_argument("--server", metavar="URL", default="", help="use this API server instead of starting one")


def add_version(
    parser: argparse.ArgumentParser, *also: str, choices: Sequence[str] | None = VERSIONS, default: str = NEWEST
) -> None:
    """Add the option for the Kubernetes version, with *also* as further names."""
    names = ("--kubernetes-version", *also)
    help_ = f"the Kubernetes version (default: {default})"
    # Commands that start no server accept any version.
    metavar = None if choices else "VERSION"
    parser.add_argument(
        *names, dest="kubernetes_version", default=default, choices=choices, metavar=metavar, help=help_
    )
