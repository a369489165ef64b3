"""Test CustomResourceDefinitions and custom resources as kube-apiserver judges them, offline."""

# `python -m` puts the current folder first: a module of the project would stand for a module of Python, `__future__` included.
import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path and sys.path[0] == os.getcwd():  # noqa: PTH109 - both are built in
    del sys.path[0]

import argparse
import importlib
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_crd.cli import COMMANDS, exits
from pytest_crd.cli.exits import Exit

_PROGRAM: Final = "pytest-crd"
_HANDS_ON: Final = "--"


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib import metadata  # noqa: PLC0415 - only this answer needs it

        from pytest_crd.engine import profile  # noqa: PLC0415 - the same

        sys.stdout.write(f"{_PROGRAM} {metadata.version(_PROGRAM)}, Kubernetes {', '.join(profile.KNOWN)}\n")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Run the command that the command line names.

    Returns:
        One of `exits.Exit`.
    """
    options = _read(sys.argv[1:] if arguments is None else arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # Who reads has enough, as `head` or a pager that was left; what is still in the buffer goes nowhere at exit.
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return Exit.WRONG_USE
    except Exception:  # noqa: BLE001 - a mistake of ours must not look like a verdict, which the code 1 is
        traceback.print_exc()
        return Exit.INTERNAL_ERROR
    return code


def _read(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what the command line says, and in `run` who does it."""
    named = next((one for one in arguments if one in COMMANDS), None)
    parser = argparse.ArgumentParser(prog=_PROGRAM, description=__doc__, epilog=exits.HELP)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version, and that of Kubernetes")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        own = subparsers.add_parser(
            name, help=command.summary, description=command.summary, epilog=exits.HELP, allow_abbrev=False
        )
        if name == named:
            module = importlib.import_module(f"pytest_crd.cli.{command.module}")
            module.declare(own)
            own.set_defaults(run=module.run)
    if named is None or not COMMANDS[named].hands_on or _HANDS_ON not in arguments:
        return parser.parse_args(arguments, argparse.Namespace(handed_on=[]))
    end = arguments.index(_HANDS_ON)
    return parser.parse_args(arguments[:end], argparse.Namespace(handed_on=[*arguments[end + 1 :]]))


if __name__ == "__main__":
    sys.exit(main())
