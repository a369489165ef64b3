"""The command line of the oracle: it finds and runs a command, or lists the commands."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator, Sequence
from typing import Final

import oracle
from oracle.commands import COMMANDS, GROUPS, NEEDS, Command
from oracle.options import UsageError, make_parser

_CALL: Final = "python -m oracle"
_HELP: Final = frozenset({"-h", "--help"})
_COLUMN: Final = 23


def main(arguments: Sequence[str]) -> int:
    """
    Run the command at the start of *arguments*, or list the commands if there is none.

    Returns:
        The exit code: 1 if a comparison differs, 2 if the command line names no command.

    Raises:
        SystemExit: The arguments of the command are wrong or ask for its help.
    """
    for count in (2, 1):
        for command in COMMANDS:
            if command.name == " ".join(arguments[:count]):
                return run(command, arguments[count:])
    words = [word for word in arguments[:2] if word not in _HELP]
    group = words[0] if words and words[0] in GROUPS else ""
    wants_help = not _HELP.isdisjoint(arguments[:2]) and words in ([], [group])
    if words not in ([], [group]):
        print(f"no command `{' '.join(words)}`", file=sys.stderr)
    print("\n".join(overview(group)), file=sys.stdout if wants_help else sys.stderr)
    return 0 if wants_help else 2


def run(command: Command, arguments: Sequence[str]) -> int:
    """Run *command* with the *arguments* after its name, and return its exit code."""
    # Imported late, because most commands load the engine.
    module = importlib.import_module(command.module)
    group = command.name.partition(" ")[0]
    parser = make_parser(module, f"{_CALL} {command.name}", f"{group}: {GROUPS[group]}\n{_requirements(command)}")
    options = parser.parse_args(arguments, argparse.Namespace(**command.settings))
    try:
        code: int = module.main(options)
    except UsageError as error:
        parser.error(str(error))
    return code


def overview(group: str = "") -> Iterator[str]:
    """Yield the lines of the help: usage and the commands of a *group*, or of all groups."""
    yield f"usage: {_CALL} {group or 'COMMAND'} …"
    if not group:
        yield f"\n{(oracle.__doc__ or '').strip().partition(chr(10))[0]}"
    for name, description in GROUPS.items():
        if group in ("", name):
            yield f"\n{name}: {description}"
            for command in COMMANDS:
                if command.name.partition(" ")[0] == name:
                    yield f"  {command.name:{_COLUMN - 1}} {command.does}"
                    yield f"  {'':{_COLUMN}}{_requirements(command)}"
    yield "\nRequirements:"
    yield from (f"  {word:{_COLUMN}}{description}" for word, description in NEEDS.items())
    yield "\nExit code 1: something differs. `COMMAND --help` describes one command."


def _requirements(command: Command) -> str:
    return f"needs {' and '.join(command.needs) or 'nothing'}; takes {command.takes}"
