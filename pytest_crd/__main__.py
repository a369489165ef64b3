"""`python -m pytest_crd`: what is asked without pytest."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pytest_crd.cli import cel, check, explain, jsonschemas, openapi, schema
from pytest_crd.engine import profile

_COMMANDS = (cel, check, explain, jsonschemas, openapi, schema)


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib import metadata  # noqa: PLC0415 - only this answer needs it

        sys.stdout.write(f"pytest-crd {metadata.version('pytest-crd')}, Kubernetes {', '.join(profile.KNOWN)}\n")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Run the command that the command line names.

    Returns:
        0 when all is well, 1 when the answer is no, 2 when it cannot be given.
    """
    parser = argparse.ArgumentParser(prog="python -m pytest_crd", description=__doc__)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version, and that of Kubernetes")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add(subparsers)
    options = parser.parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # Who reads has enough, as `head` or a pager that was left; what is still in the buffer goes nowhere at exit.
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return 2
    return code


if __name__ == "__main__":
    sys.exit(main())
