"""Generated tables: settings, keys of case files, commands, exit codes, lints, Kubernetes versions."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from pytest_crd import cli
from pytest_crd.cases import caseformat as case_format
from pytest_crd.cases import casekeys
from pytest_crd.cases.model import ADMITTED, APPLIES, PATCHES, REQUESTS, UPDATES
from pytest_crd.cases.sections import Section
from pytest_crd.checks.lintrecords import LINTS
from pytest_crd.cli.exits import Exit
from pytest_crd.engine import profile
from pytest_crd.engine.profile import Profile
from pytest_crd.plugin.settings.allsettings import SETTINGS
from pytest_crd.server import resourcetypes
from pytest_crd.server.builtin import builtindefaults, builtinkinds, builtintypes
from pytest_crd.server.builtin.builtinkinds import BuiltInRecord
from pytest_crd.server.builtin.builtintypes import BuiltInType

# Names of groups of sections.
_GROUPS: Final = (
    (frozenset(Section), "all"),
    (frozenset({Section.CONVERT}), "`convert`"),
    (frozenset(Section) - PATCHES - APPLIES, "all but patches and applies"),
    (frozenset(Section) - APPLIES, "all but applies"),
    (REQUESTS, "requests"),
    (REQUESTS | {Section.PRUNING}, "requests and `pruning`"),
    (REQUESTS | {Section.DEFAULTING}, "requests and `defaulting`"),
    (UPDATES, "updates, patches, applies"),
    (UPDATES | {Section.POLICY}, "updates, patches, applies and `cases`"),
    (ADMITTED, "requests and `cases`"),
    ({Section.POLICY}, "`cases`"),
    (PATCHES, "patches"),
    (APPLIES, "applies"),
)
_EXITS: Final = {
    Exit.HOLDS: "Passed.",
    Exit.DOES_NOT_HOLD: "Failed: a case, a check, an upgrade, or an object.",
    Exit.WRONG_USE: "The arguments are wrong, or an input is unreadable.",
    Exit.INTERNAL_ERROR: "An internal error. Please report it.",
    Exit.NOTHING_THERE: "There is nothing to test: no CRD, no case, no custom resource.",
    Exit.INTERRUPTED: "The command was interrupted.",
}


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join(f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in lines)


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _without_emphasis(text: str) -> str:
    """Return *text* with stars outside of code escaped, as Markdown reads a pair of them as emphasis."""
    return re.sub(r"(`[^`]*`)|\*", lambda match: match[1] or "\\*", text)


def settings() -> str:
    """Return a table of the settings with their help texts."""
    rows = ([_code(setting.ini), _code(setting.option), _without_emphasis(setting.help)] for setting in SETTINGS)
    return _table(("ini", "command line", "meaning"), rows)


def file_keys() -> str:
    """Return a table of the keys at the top level of a case file."""
    schema: Any = case_format.schema()
    keys = {name: key for name, key in schema["properties"].items() if name != "$schema"}
    instead = {
        need["then"]["required"][0]: need["if"]["not"]["required"][0] for need in schema["allOf"] if "not" in need["if"]
    }
    rows = ([_code(name), _required_unless(instead.get(name)), _meaning(key)] for name, key in keys.items())
    return _table(("key", "required", "meaning"), rows)


def _required_unless(other: str | None) -> str:
    return f"yes, or {_code(other)}" if other else ""


def _meaning(schema: Any) -> str:
    return str(schema.get("description", "")).replace("|", "\\|")


def case_keys() -> str:
    """Return a table of the keys of a case, with the sections that allow them."""
    rows = (
        [_code(name), _sections(key.sections), _required(key.required_in), key.meaning]
        for name, key in casekeys.CASE_KEYS.items()
    )
    return _table(("key", "sections", "required", "meaning"), rows)


def _sections(sections: frozenset[Section]) -> str:
    return next(words for group, words in _GROUPS if group == sections)


def _required(sections: frozenset[Section]) -> str:
    return "" if not sections else "yes" if sections == frozenset(Section) else f"in {_sections(sections)}"


def error_keys() -> str:
    """Return a table of the keys of an expected error."""
    return _inner_keys("errors")


def step_keys() -> str:
    """Return a table of the keys of a step of an apply."""
    return _inner_keys("steps")


def _inner_keys(name: str) -> str:
    form: Any = casekeys.CASE_KEYS[name].form
    rows = ([_code(key), _meaning(inner)] for key, inner in form["items"]["properties"].items())
    return _table(("key", "meaning"), rows)


def kubernetes_versions() -> str:
    """Return a sentence with the supported Kubernetes versions and the default."""
    return f"{profile.list_versions()}; the default is {profile.DEFAULT}."


def built_in_kinds() -> str:
    """Return a table of the built-in kinds that `crd_server` stores, with their treatment."""
    newest = profile.named(profile.DEFAULT)
    types = {(type_.api_version, type_.names.kind): type_ for type_ in builtintypes.built_in(newest)}
    rows = (
        _built_in_kind(record, types[record.api_version, record.kind], newest)
        for record in builtinkinds.served_records(newest)
        if "get" in record.verbs and (record.api_version, record.kind) in types
    )
    return _table(("kind", "apiVersion", "decoded", "defaults", "validation", "immutable fields", "columns"), rows)


def _built_in_kind(record: BuiltInRecord, type_: BuiltInType, newest: Profile) -> list[str]:
    defaults = builtindefaults.of_kind(record.api_version, record.kind, newest).has_defaults
    fields = ", ".join(
        f"`{name}`{_condition(rest)}" for name, *rest in (text.split(" ", 1) for text in record.immutable)
    )
    has_columns = type_.columns() != (resourcetypes.NAME, resourcetypes.AGE)
    return [
        *(record.kind, _code(record.api_version), "yes", "yes" if defaults else "none"),
        *(_validation(record), fields, "yes" if has_columns else "name and age"),
    ]


def _validation(record: BuiltInRecord) -> str:
    if record.missing:
        return f"partly, without {record.missing}"
    return "yes" if record.is_validated else "metadata only"


def _condition(rest: Sequence[str]) -> str:
    return f" {rest[0]}" if rest else ""


def exit_codes() -> str:
    """Return a table of the exit codes of the commands."""
    return _table(("code", "meaning"), ([str(code.value), _EXITS[code]] for code in Exit))


def lints() -> str:
    """Return a table of the lints."""
    rows = ([_code(lint.name), f"{lint.short}. {lint.full}", lint.help.replace("|", r"\|")] for lint in LINTS)
    return _table(("lint", "finding and reason", "correction"), rows)


def commands() -> str:
    """Return a section per command with a table of its arguments; plugin settings are left to their own table."""
    return "\n\n".join(_command(name) for name in cli.COMMANDS)


def _command(name: str) -> str:
    parser = argparse.ArgumentParser(prog=f"pytest-crd {name}")
    importlib.import_module(f"pytest_crd.cli.{cli.COMMANDS[name].module}").declare(parser)
    summary = cli.COMMANDS[name].summary
    text = f"### pytest-crd {name}\n\n{summary[0].upper()}{summary[1:]}.\n\n{_table(('argument', 'meaning'), _arguments(parser))}"
    if any(group.title == "settings" for group in parser._action_groups):
        text += "\n\nIt takes all [settings](settings.md) that have an option, and after `--` options of pytest."
    return text


def _arguments(parser: argparse.ArgumentParser) -> Iterator[list[str]]:
    own = {option.option for option in SETTINGS} if parser.prog.endswith(" test") else set()
    for action in parser._actions:
        names = [name for name in action.option_strings if name not in own]
        if (action.option_strings and not names) or "--help" in names or action.help == argparse.SUPPRESS:
            continue
        yield [", ".join(f"`{_with_value(name, action)}`" for name in names or [""]), _help(action)]


def _with_value(name: str, action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    value = value.replace("|", " or ")
    value = f"{value} ..." if action.nargs in ("+", "*") else value
    value = f"[{value}]" if action.nargs in ("?", "*") else value
    return f"{name} {value}".strip()


def _help(action: argparse.Action) -> str:
    words = str(action.help).replace("%%", "%").replace("|", "\\|")
    return f"{words[0].upper()}{words[1:].removesuffix('.')}."
