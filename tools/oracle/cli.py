"""The door to all commands: finds the one that is named, and says what there is."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator, Sequence
from typing import Final

import oracle
from oracle.commands import COMMANDS, GROUPS, NEEDS, Command
from oracle.options import UsageError, parser_of

_CALL: Final = "python -m oracle"
_HELP: Final = frozenset({"-h", "--help"})
_COLUMN: Final = 22


def main(arguments: Sequence[str]) -> int:
    """
    Run the command that *arguments* begin with; without one, say which there are.

    Returns:
        Its exit code: 1 where something differs, 2 where the command line names nothing that there is.

    Raises:
        SystemExit: The command line of the command is not one, or asks for its help.
    """
    for count in (2, 1):
        for command in COMMANDS:
            if command.name == " ".join(arguments[:count]):
                return run(command, arguments[count:])
    words = [word for word in arguments[:2] if word not in _HELP]
    group = words[0] if words and words[0] in GROUPS else ""
    is_asked = not _HELP.isdisjoint(arguments[:2]) and words in ([], [group])
    if words not in ([], [group]):
        print(f"no command `{' '.join(words)}`", file=sys.stderr)
    print("\n".join(overview(group)), file=sys.stdout if is_asked else sys.stderr)
    return 0 if is_asked else 2


def run(command: Command, arguments: Sequence[str]) -> int:
    """Run a command with what follows its name, and return its exit code."""
    # Only now: most of them load the engine.
    module = importlib.import_module(command.module)
    group = command.name.partition(" ")[0]
    parser = parser_of(module, f"{_CALL} {command.name}", f"{group}: {GROUPS[group]}\n{_terms(command)}")
    options = parser.parse_args(arguments, argparse.Namespace(**command.settings))
    try:
        code: int = module.main(options)
    except UsageError as error:
        parser.error(str(error))
    return code


def overview(group: str = "") -> Iterator[str]:
    """Yield the lines that say which commands there are, in a *group* or in all."""
    yield f"usage: {_CALL} {group or 'COMMAND'} …"
    if not group:
        yield f"\n{(oracle.__doc__ or '').strip().partition(chr(10))[0]}"
    for name, told in GROUPS.items():
        if group in ("", name):
            yield f"\n{name}: {told}"
            for command in COMMANDS:
                if command.name.partition(" ")[0] == name:
                    yield f"  {command.name:{_COLUMN}}{command.does}"
                    yield f"  {'':{_COLUMN}}{_terms(command)}"
    yield "\nWhat is needed:"
    yield from (f"  {word:{_COLUMN}}{told}" for word, told in NEEDS.items())
    yield "\nExit code 1: something differs. `COMMAND --help` says more of one."


def _terms(command: Command) -> str:
    return f"needs {' and '.join(command.needs) or 'nothing'}; takes {command.takes}"
