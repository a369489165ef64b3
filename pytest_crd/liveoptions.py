"""`--crd-live` and what goes with it: on the command line alone, lest a file that is shared makes everybody write to a server."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

import pytest


class Flag(NamedTuple):
    """An option that no ini file has: its name, what its value is called, empty for a switch, and its help."""

    name: str
    value: str
    help: str

    @property
    def dest(self) -> str:
        """The attribute with its value."""
        return self.name.removeprefix("--").replace("-", "_")


LIVE: Final = Flag(
    "--crd-live",
    "URL|KUBECONFIG",
    "Ask a real API server, too, what cases and checks ask, and fail where it answers otherwise: a URL that needs no"
    " credentials, as `kubectl proxy` prints it, or a kubeconfig. What is made there is removed again.",
)
CONTEXT: Final = Flag("--crd-live-context", "NAME", "The context of the kubeconfig of `--crd-live`.")
INSTALLED: Final = Flag(
    "--crd-live-installed",
    "",
    "Ask `--crd-live` about the CustomResourceDefinitions that are installed there, by dry runs alone: nothing is made.",
)
FLAGS: Final = (LIVE, CONTEXT, INSTALLED)


class LiveSettings(NamedTuple):
    """
    What is said of the server.

    Attributes:
        server: A URL, or the path of a kubeconfig.
        context: The context of the kubeconfig; None where none is named.
        is_installed: Whether CRDs are those that are installed.
        base: What a relative path is relative to.
    """

    server: str
    context: str | None
    is_installed: bool
    base: Path


def add(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("crd", "Kubernetes CustomResourceDefinitions")
    for flag in FLAGS:
        if flag.value:
            group.addoption(flag.name, action="append", dest=flag.dest, metavar=flag.value, help=flag.help)
        else:
            group.addoption(flag.name, action="store_true", default=False, dest=flag.dest, help=flag.help)


def read(config: pytest.Config) -> LiveSettings | None:
    """
    Return what is set; None where no server is asked.

    Raises:
        UsageError: It is set elsewhere than on the command line, twice, or without what it belongs to.
    """
    given = {flag: config.getoption(flag.dest) for flag in FLAGS}
    if not any(value or value == [""] for value in given.values()):
        return None
    for flag, value in given.items():
        if value and not _is_on_command_line(flag, config):
            raise pytest.UsageError(f"{flag.name}: on the command line only, never in addopts or PYTEST_ADDOPTS")
        if flag.value and value and (len(value) > 1 or not value[0].strip()):
            raise pytest.UsageError(f"{flag.name}: write one {flag.value}, once")
        if value and not given[LIVE]:
            raise pytest.UsageError(f"{flag.name} does nothing without {LIVE.name}: name the server")
    named = given[LIVE][0]
    if named in config.invocation_params.args and (config.invocation_params.dir / named).exists():
        # It knows no options of plugins when it looks for the project.
        raise pytest.UsageError(
            f"{LIVE.name}: write {LIVE.name}={named}: pytest takes a path that stands alone for a part of the project"
        )
    context = given[CONTEXT][0] if given[CONTEXT] else None
    return LiveSettings(named, context, given[INSTALLED], config.invocation_params.dir)


def _is_on_command_line(flag: Flag, config: pytest.Config) -> bool:
    if hasattr(config, "workerinput"):
        return True  # its controller has looked at its own
    # pytest reads `@file` as more of the command line.
    return any(
        str(one).partition("=")[0] == flag.name or str(one).startswith("@") for one in config.invocation_params.args
    )
