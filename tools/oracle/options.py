"""Options that several commands have, and how one says that it cannot do what the command line asks for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from types import ModuleType

from oracle.servers.versions import NEWEST, VERSIONS


class UsageError(Exception):
    """A command line that asks for what cannot be done; the message says why."""


def parser_of(module: ModuleType, call: str, terms: str) -> argparse.ArgumentParser:
    """
    Return what reads the arguments of a command, and tells in its help what the docstring of its module says.

    Args:
        module: Where the command's `add_arguments` and `main` are.
        call: How the command is called, `python -m oracle fuzz cel`.
        terms: What it needs, and how long it takes.
    """
    told, _, more = (module.__doc__ or "").strip().partition("\n\n")
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog=call, description=f"{told}\n\n{terms}", epilog=more, formatter_class=formatter
    )
    module.add_arguments(parser)
    return parser


def add_server(parser: argparse.ArgumentParser) -> None:
    """Add the URL of a server that is there already."""
    parser.add_argument("--server", metavar="URL", default="", help="ask this API server instead of starting one")


def add_version(
    parser: argparse.ArgumentParser, *also: str, choices: Sequence[str] | None = VERSIONS, default: str = NEWEST
) -> None:
    """Add the Kubernetes version that is asked, under the names *also*, too."""
    names = ("--kubernetes-version", *also)
    told = f"which Kubernetes is asked (default: {default})"
    # Any version will do for one that asks no server of its own.
    metavar = None if choices else "VERSION"
    parser.add_argument(*names, dest="kubernetes_version", default=default, choices=choices, metavar=metavar, help=told)
