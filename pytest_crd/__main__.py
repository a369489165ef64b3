"""Test CustomResourceDefinitions and custom resources as kube-apiserver judges them, offline."""

# `python -m` puts the current folder first in sys.path: a module of the project would shadow a standard module, even `__future__`.
import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path and sys.path[0] == os.getcwd():  # noqa: PTH109 - both are built in
    del sys.path[0]

import argparse
import contextlib
import importlib
import traceback
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO, cast

from pytest_crd import lazyimport
from pytest_crd.cli import COMMANDS, Command, exits
from pytest_crd.cli.exits import Exit
from pytest_crd.wording import escape_lines

if TYPE_CHECKING:
    from pytest_crd import engine
else:
    engine = lazyimport.module("pytest_crd.engine")

_PROGRAM: Final = "pytest-crd"
_HANDS_ON: Final = "--"


class _EscapedStream:
    """Text stream that writes lines with escapes for control characters and for commands of code hosts."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(escape_lines(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def _escaped(command: Command) -> Iterator[None]:
    """Escape the output of a command; pytest writes its own, which has colours."""
    with contextlib.ExitStack() as stack:
        if not command.hands_on:
            stack.enter_context(contextlib.redirect_stderr(cast("TextIO", _EscapedStream(sys.stderr))))
            if not command.prints_document:
                stack.enter_context(contextlib.redirect_stdout(cast("TextIO", _EscapedStream(sys.stdout))))
        yield


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib import metadata  # noqa: PLC0415 - only this answer needs it

        from pytest_crd.engine import profile  # noqa: PLC0415 - the same

        sys.stdout.write(f"{_PROGRAM} {metadata.version(_PROGRAM)}, Kubernetes {profile.list_versions()}\n")
        parser.exit()


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Run the command that the command line names and return its exit code.

    Returns:
        One of `exits.Exit`.
    """
    options = _read(sys.argv[1:] if arguments is None else arguments)
    try:
        with _escaped(COMMANDS[options.command]):
            code = _run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # The reader (`head`, a closed pager) wants no more; the rest of the buffer is discarded at exit.
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return Exit.WRONG_USE
    except Exception:  # noqa: BLE001 - a bug of ours must not look like the verdict "failed", which is exit code 1
        traceback.print_exc()
        return Exit.INTERNAL_ERROR
    return code


def _run(options: argparse.Namespace) -> int:
    """Run a command and return its exit code; print an error in its input."""
    try:
        code: int = options.run(options)
    except Exception as error:
        if not isinstance(error, (engine.CrdLookupError, engine.InputError, engine.UnknownVersionError)):
            raise
        sys.stderr.write(f"{error}\n")
        return Exit.WRONG_USE
    return code


def _read(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the parsed command line; `run` is the function of the command, `handed_on` the arguments behind `--`."""
    program = "kubectl crd" if Path(sys.argv[0]).name == "kubectl-crd" else _PROGRAM
    if not arguments or arguments[0] not in COMMANDS:
        parser = _declare_program(program, arguments)
        if not arguments:
            parser.print_help()
            parser.exit(Exit.WRONG_USE)
        return parser.parse_args(arguments, argparse.Namespace(handed_on=[]))
    name, *own = arguments
    # The parsers of the other commands would take more time than this one.
    parser = argparse.ArgumentParser(prog=f"{program} {name}", **_options(name))
    _declare(name, parser)
    handed_on: list[str] = []
    if COMMANDS[name].hands_on and _HANDS_ON in own:
        end = own.index(_HANDS_ON)
        own, handed_on = own[:end], own[end + 1 :]
    # Files may stand before and behind options, as for kubectl.
    return parser.parse_intermixed_args(own, argparse.Namespace(handed_on=handed_on))


def _declare_program(program: str, arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser with all commands; only the first command in *arguments* has its own arguments."""
    parser = argparse.ArgumentParser(prog=program, description=__doc__, epilog=exits.HELP)
    parser.add_argument(
        "--version", action=_Version, nargs=0, help=("print the versions of pytest-crd and of Kubernetes")
    )
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    chosen = next((argument for argument in arguments if argument in COMMANDS), None)
    for name, command in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=command.summary, **_options(name))
        if name == chosen:
            _declare(name, subparser)
    return parser


def _options(name: str) -> dict[str, Any]:
    """Return the options of a command's parser."""
    return {"description": COMMANDS[name].summary, "epilog": exits.HELP, "allow_abbrev": False}


def _declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Import a command, and declare its arguments."""
    command = COMMANDS[name]
    module = importlib.import_module(f"pytest_crd.cli.{command.module}")
    module.declare(parser)
    parser.set_defaults(run=module.run, command=name)


if __name__ == "__main__":
    sys.exit(main())
