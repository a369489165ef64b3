"""A setting: stated once, of which its option and its line in the ini file are declared, and its help, and by which it is read."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, TypeVar

import pytest

T = TypeVar("T")

# A backslash between the names of folders; before a space or a quote it is an escape.
_SEPARATOR: Final = re.compile(r"""\\(?=[^\s"'\\])""")


class SettingKind(enum.StrEnum):
    """What is written; the value is pytest's word for it in an ini file."""

    WORDS = "args"
    LINES = "linelist"
    TEXT = "string"
    SWITCH = "bool"


class Times(enum.Enum):
    """How often an option is given: all count, the last one counts, or more than one is a mistake."""

    SEVERAL = enum.auto()
    LAST = enum.auto()
    ONCE = enum.auto()


class Given(NamedTuple):
    """
    What somebody wrote for a setting.

    Attributes:
        value: As pytest has read it, or the default; None where nothing is written, and there is no default.
        said_by: What it was written for: the name of the option, or of the setting.
        base: What a relative path is relative to: the folder where pytest was called, or that of the ini file.
        is_set: Whether something was written.
    """

    value: Any
    said_by: str
    base: Path
    is_set: bool = True

    def wrong(self, words: str) -> pytest.UsageError:
        """Return the error that says what is wrong with it."""
        return pytest.UsageError(f"{self.said_by}: {words}")


class Setting(NamedTuple, Generic[T]):
    """
    One setting.

    Attributes:
        kind: What is written.
        help: One sentence, for `--help` and for the page of settings.
        read: What the value is, of what was written.
        option: Its name on the command line.
        ini: Its name in the ini file; empty where it has none.
        default: What stands for it where nothing is written.
        replaces: What the option replaces of the ini file, in words; empty where it has no name there.
        times: How often the option is given.
        placeholder: What stands for its value in `--help`.
        may_be_empty: Whether an ini file that has its name and nothing else says something.
    """

    kind: SettingKind
    help: str
    read: Callable[[Given], T]
    option: str
    ini: str = ""
    default: Any = None
    replaces: str = ""
    times: Times = Times.SEVERAL
    placeholder: str = "VALUE"
    may_be_empty: bool = False

    @property
    def dest(self) -> str:
        """The attribute with what the command line says."""
        return self.ini or self.option.removeprefix("--").replace("-", "_")

    def given(self, config: pytest.Config) -> Given:
        """
        Return what somebody wrote: on the command line, else in the ini file.

        Raises:
            UsageError: It is no switch, and should be one.
        """
        value = config.getoption(self.dest)
        if value is not None:
            return Given(value, self.option, config.invocation_params.dir)
        value = self._of_ini(config) if self.ini else None
        is_set = value is not None and (self.may_be_empty or value not in ("", []))
        return Given(value if is_set else self.default, self.ini or self.option, folder(config), is_set)

    def of(self, config: pytest.Config) -> T:
        """
        Return the value.

        Raises:
            UsageError: It cannot be.
        """
        return self.read(self.given(config))

    def _of_ini(self, config: pytest.Config) -> Any:
        if self.kind is not SettingKind.SWITCH:
            value = config.getini(self.ini)
            return _as_written(config, self.ini, value) if value and self.read is paths else value
        try:
            return config.getini(self.ini)
        except (TypeError, ValueError, pytest.UsageError) as error:
            raise pytest.UsageError(f"{self.ini}: {error}; write true or false") from None


def _as_written(config: pytest.Config, name: str, value: list[str]) -> list[str]:
    """Return words of an ini file with the backslashes that pytest, which takes them for escapes, has left out."""
    ini = config.inipath
    if ini is None or ini.suffix == ".toml" or "\\" not in ini.read_text(encoding="utf-8"):
        return value
    import shlex  # noqa: PLC0415 - few sessions need them

    from pytest_crd.discovery import inifiles  # noqa: PLC0415

    written = inifiles.written(ini, name) or ""
    came_from = shlex.split(written, comments=False) == value
    return shlex.split(_SEPARATOR.sub("/", written)) if came_from else value


def folder(config: pytest.Config) -> Path:
    """Return the folder of the project."""
    return config.inipath.parent if config.inipath else config.rootpath


def words(given: Given) -> tuple[str, ...]:
    """Return words, or lines, as they were written."""
    return tuple(given.value or ())


def slashed(path: str, base: Path) -> str:
    """Return a path with slashes for the backslashes that somebody on Windows has written; one that is there stays."""
    return path if "\\" not in path or (base / path).exists() else path.replace("\\", "/")


def paths(given: Given) -> tuple[str, ...]:
    """Return paths, with slashes."""
    return tuple(slashed(path, given.base) for path in words(given))


def switch(given: Given) -> bool:
    """Return whether something is switched on."""
    return bool(given.value)


def declare(parser: pytest.Parser, settings: Iterable[Setting[Any]]) -> None:
    """Declare *settings*."""
    group = parser.getgroup("crd", "Kubernetes CustomResourceDefinitions")
    for setting in settings:
        if setting.ini:
            parser.addini(setting.ini, setting.help, type=setting.kind.value, default=None)
        if setting.kind is SettingKind.SWITCH:
            group.addoption(setting.option, action="store_true", default=None, dest=setting.dest, help=setting.help)
        else:
            several = " May be given several times." if setting.times is Times.SEVERAL else ""
            replaces = f" Replaces {setting.replaces}." if setting.replaces else ""
            action = "store" if setting.times is Times.LAST else "append"  # which alone shows what is given twice
            text = f"{setting.help}{several}{replaces}".replace("%", "%%")  # which argparse would fill in
            group.addoption(setting.option, action=action, dest=setting.dest, metavar=setting.placeholder, help=text)
