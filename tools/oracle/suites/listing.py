"""The list of suites in `suites.toml`, and the specs that fail here with the reason of each in `failing.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

FOLDER: Final = Path(__file__).parent
LIST: Final = FOLDER / "suites.toml"
FAILING: Final = FOLDER / "failing.toml"

Runner: TypeAlias = Literal["go", "pytest"]


class Suite(NamedTuple):
    """
    A suite.

    Attributes:
        name: Its name.
        source: `MODULE@VERSION` of the Go module proxy, or `OWNER/NAME@COMMIT` of a repository.
        package: The Go package, or the paths for pytest.
        runner: The kind of its tests.
        minutes: The time limit of a run.
        prepare: Commands in the folder of the source, before the build.
        skip: A regular expression of specs that do not run, for their duration.
        requires: Requirements for pip.
        options: Options of pytest.
    """

    name: str
    source: str
    package: str
    runner: Runner = "go"
    minutes: float = 4.0
    prepare: tuple[str, ...] = ()
    skip: str = ""
    requires: tuple[str, ...] = ()
    options: str = ""


class Reason(NamedTuple):
    """
    A reason why specs fail.

    Attributes:
        suite: The suite.
        why: The explanation.
        specs: The names of the specs.
    """

    suite: str
    why: str
    specs: tuple[str, ...]


def read_suites() -> dict[str, Suite]:
    """Return the suites by name."""
    table = tomllib.loads(LIST.read_text(encoding="utf-8"))
    lists = ("prepare", "requires")
    suites = [Suite(**{**entry, **{key: tuple(entry.get(key, ())) for key in lists}}) for entry in table["suite"]]
    return {suite.name: suite for suite in suites}


def read_reasons() -> list[Reason]:
    """Return the reasons for failures."""
    table = tomllib.loads(FAILING.read_text(encoding="utf-8"))
    return [Reason(entry["suite"], entry["why"], tuple(entry["specs"])) for entry in table.get("reason", ())]
