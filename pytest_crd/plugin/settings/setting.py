"""Definition of a setting: option, key of the ini file, help and parser in one place."""

from __future__ import annotations

import itertools
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import pytest

from pytest_crd import boundary, lazyre
from pytest_crd.plugin import options
from pytest_crd.records import NamedTuple
from pytest_crd.wording import escape, escape_lines

T = TypeVar("T")

# The attribute of the options with the words of the command line.
_WORDS: Final = "crd_written_words"
# A backslash between folder names; one before a space or a quote is an escape.
_SEPARATOR: Final = lazyre.compile(r"""\\(?=[^\s"'\\])""")


class SettingEntry(NamedTuple):
    """
    The text of the user for a setting.

    Attributes:
        value: As pytest has read it; the default if the setting is unset.
        source: The name of the option, or of the key in the ini file.
        base: The folder of relative paths: where pytest was called, or the folder of the ini file.
        is_set: Whether the user wrote it.
        root: The root folder of pytest.
        ini: The ini file; None without one.
        named: The values of the option on the command line, without those of `addopts` in the ini file.
    """

    value: Any
    source: str
    base: Path
    is_set: bool = True
    root: Path = Path()
    ini: Path | None = None
    named: tuple[str, ...] = ()

    def require_inside(self, path: str) -> None:
        """
        Refuse a path that the ini file names and that leads out of the project; the command line may name any.

        Raises:
            UsageError: It leads out of the project.
        """
        if not self._is_named(path):
            self._require(path, "or name it on the command line, not in the ini file")

    def require_output(self, path: str) -> None:
        """
        Refuse a file to write whose folder leads out of the project, unless the command line has its absolute path.

        Raises:
            UsageError: It leads out of the project.
        """
        if not (self._is_named(path) and Path(path).is_absolute()):
            self._require(path, "or write its absolute path on the command line")

    def _require(self, path: str, remedy: str) -> None:
        project = boundary.find_project(self.root)
        if not boundary.is_inside(self.base / boundary.start_of(path), project):
            line = self._find_line(path)
            place = f"{self.ini}:{line}: " if line else ""
            raise pytest.UsageError(
                f"{place}{self.source}: {escape(path)} leads out of the project, {escape(project)}; name a path in the project, {remedy}"
            )

    def _is_named(self, path: str) -> bool:
        """Return whether the command line has a path, alone or behind the kind of a report: `html:FOLDER/`."""
        return any(path in (value, value.partition(":")[2]) for value in self.named)

    def _find_line(self, text: str) -> int:
        """Return the 1-based line of the ini file that contains a text; 0 without one."""
        if self.ini is None or self._is_named(text):
            return 0
        lines = self.ini.read_text(encoding="utf-8").splitlines()
        return next((number for number, line in enumerate(lines, 1) if text in line), 0)

    def error(self, words: str) -> pytest.UsageError:
        """Return the error about the entry."""
        return pytest.UsageError(escape_lines(f"{self.source}: {words}"))


class Setting(NamedTuple, Generic[T]):
    """
    A setting.

    Attributes:
        kind: pytest's name of the type of its written value: `args`, `linelist`, `string` or `bool`.
        help: One sentence, for `--help` and for the page of settings.
        read: The function that parses an entry.
        option: Its option on the command line.
        ini: Its key in the ini file; empty for none.
        default: The value if it is unset.
        replaces: The keys of the ini file that the option overrides, in words; empty for none.
        times: How often the option can be given: `several` times, of which all or the `last` counts, or `once`.
        placeholder: The name of the value in `--help`.
        may_be_empty: Whether a key without a value in the ini file counts as set.
    """

    kind: str
    help: str
    read: Callable[[SettingEntry], T]
    option: str
    ini: str = ""
    default: Any = None
    replaces: str = ""
    times: str = "several"
    placeholder: str = "VALUE"
    may_be_empty: bool = False

    @property
    def dest(self) -> str:
        """The attribute of the option's value in pytest's options."""
        return self.ini or options.dest_of(self.option)

    def find_entry(self, config: pytest.Config) -> SettingEntry:
        """
        Return the entry on the command line, else the one in the ini file, else the default.

        Raises:
            UsageError: A switch of the ini file is neither true nor false.
        """
        value = config.getoption(self.dest)
        if value is not None:
            named = tuple(find_named(config, self.option))
            root, ini = config.rootpath, config.inipath
            return SettingEntry(value, self.option, config.invocation_params.dir, root=root, ini=ini, named=named)
        value = self._read_ini(config) if self.ini else None
        is_set = value is not None and (self.may_be_empty or value not in ("", []))
        value, source = value if is_set else self.default, self.ini or self.option
        return SettingEntry(value, source, folder(config), is_set, config.rootpath, config.inipath)

    def read_value(self, config: pytest.Config) -> T:
        """
        Return the parsed value.

        Raises:
            UsageError: The entry is wrong.
        """
        return self.read(self.find_entry(config))

    def _read_ini(self, config: pytest.Config) -> Any:
        value = options.read_ini(config, self.ini, self.kind)
        return _restore_backslashes(config, self.ini, value) if value and self.read is paths else value


def define(
    option: str, read: Callable[[SettingEntry], T], *, default: Any = None, may_be_empty: bool = False
) -> Setting[T]:
    """
    Return the setting of a row in the table of options.

    Args:
        option: The option of the row.
        read: The function that parses an entry.
        default: The value if it is unset.
        may_be_empty: Whether a key without a value in the ini file counts as set.
    """
    (_, ini, kind, placeholder, times, replaces), text = next(row for row in options.OPTIONS if row[0][0] == option)
    return Setting(kind, text, read, option, ini, default, replaces, times, placeholder, may_be_empty)


def _restore_backslashes(config: pytest.Config, name: str, value: list[str]) -> list[str]:
    """Return the paths of an ini file with slashes for the backslashes that pytest has dropped as escapes."""
    ini = config.inipath
    if ini is None or ini.suffix == ".toml" or "\\" not in ini.read_text(encoding="utf-8"):
        return value
    from pytest_crd.discovery import inifiles  # noqa: PLC0415

    written = inifiles.read_value(ini, name) or ""
    is_same_value = shlex.split(written, comments=False) == value
    return shlex.split(_SEPARATOR.sub("/", written)) if is_same_value else value


def folder(config: pytest.Config) -> Path:
    """Return the folder of the project."""
    return config.inipath.parent if config.inipath else config.rootpath


def find_words(config: pytest.Config) -> list[str]:
    """Return the words of the command line and of PYTEST_ADDOPTS; a worker of pytest-xdist has them from its controller."""
    if not hasattr(config.option, _WORDS):
        written = [*map(str, config.invocation_params.args), *shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))]
        setattr(config.option, _WORDS, [word for argument in written for word in _expand(argument)])
    command_line: list[str] = getattr(config.option, _WORDS)
    return command_line


def find_named(config: pytest.Config, option: str) -> Iterator[str]:
    """Yield the values of an option on the command line."""
    for word, following in itertools.pairwise((*find_words(config), "")):
        name, has_value, value = word.partition("=")
        if name == option:
            yield value if has_value else following


def _expand(argument: str) -> Sequence[str]:
    """Return the words in the file of an argument `@FILE`; another argument itself."""
    if not argument.startswith("@"):
        return [argument]
    return Path(argument[1:]).read_text(encoding="utf-8").splitlines()


def words(entry: SettingEntry) -> tuple[str, ...]:
    """Return the words, or lines, of an entry."""
    return tuple(entry.value or ())


def parse_lines(entry: SettingEntry, parse: Callable[[str], T]) -> tuple[T, ...]:
    """
    Return the parsed lines of an entry.

    Raises:
        UsageError: The wrong lines.
    """
    parsed: list[T] = []
    mistakes: list[str] = []
    for line in entry.value:
        try:
            parsed.append(parse(line))
        except ValueError as error:
            mistakes.append(str(error))
    if mistakes:
        several = f"{len(mistakes)} of its lines are no entries:"
        raise entry.error("\n  ".join(mistakes if len(mistakes) == 1 else (several, *mistakes)))
    return tuple(parsed)


def slashed(path: str, base: Path) -> str:
    """Return *path* with slashes for backslashes, as on Windows; an existing file with backslashes in its name keeps them."""
    return path if "\\" not in path or (base / path).exists() else path.replace("\\", "/")


def paths(entry: SettingEntry) -> tuple[str, ...]:
    """
    Return the paths of an entry, with slashes.

    Raises:
        UsageError: The ini file names a path outside of the project.
    """
    written = words(entry)
    for path in written:
        if not path.startswith("!"):
            entry.require_inside(path)
    return tuple(slashed(path, entry.base) for path in written)


def switch(entry: SettingEntry) -> bool:
    """Return whether a switch is on."""
    return bool(entry.value)
