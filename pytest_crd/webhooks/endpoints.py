"""Endpoints of a project's webhooks, as the setting `crd_webhooks` writes them: `WHICH: HOW`."""

from __future__ import annotations

import re
import shlex
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from pytest_crd.webhooks import commands
from pytest_crd.webhooks.commands import PLACEHOLDERS
from pytest_crd.webhooks.functiontransport import WebhookFunction

ALL: Final = "all"
ROLES: Final = ("conversion", "admission")
_NAME: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+")
_WHICH: Final = f"write {', '.join(ROLES)}, {ALL}, or the name of a webhook or CRD"
_EXAMPLES: Final = (
    "write WHICH: HOW, such as `all: https://127.0.0.1:9443`, or `all: ./webhooks --port={port} --certs={cert_dir}`"
)
_SCHEMES: Final = ("https", "http")
_RUN: Final = "run"
_CA: Final = "ca="


class UrlEndpoint(NamedTuple):
    """
    A webhook server that runs already.

    Attributes:
        url: Its URL.
        authority: The file with the certificates that are trusted; empty for the `caBundle`, else those of the system.
    """

    url: str
    authority: str = ""


class CommandEndpoint(NamedTuple):
    """
    A webhook server that a command starts.

    Attributes:
        command: The command, with placeholders.
    """

    command: str


class FunctionEndpoint(NamedTuple):
    """
    A function that answers reviews.

    Attributes:
        function: The function.
    """

    function: WebhookFunction


Endpoint: TypeAlias = UrlEndpoint | CommandEndpoint | FunctionEndpoint


class Assignment(NamedTuple):
    """
    The endpoint of some webhooks.

    Attributes:
        which: A role, `all`, or the name of a webhook or CRD.
        endpoint: The endpoint.
        source: The place for messages: `pytest.ini:3: crd_webhooks`.
    """

    which: str
    endpoint: Endpoint
    source: str

    def __str__(self) -> str:
        """Return it in one line for reports."""
        match self.endpoint:
            case UrlEndpoint(url, _):
                return f"{self.which}: {url}"
            case CommandEndpoint(command):
                return f"{self.which}: `{command}`"
            case _:
                return f"{self.which}: {self.source}"


def parse(line: str) -> tuple[str, Endpoint]:
    """
    Return the webhooks and the endpoint of a line.

    Raises:
        ValueError: The line is wrong; the message has its correction.
    """
    which, separator, how = (part.strip() for part in line.partition(":"))
    if not separator or not how or which in _SCHEMES:
        raise ValueError(f"{line!r}: {_EXAMPLES}")
    if problem := problem_of_which(which):
        raise ValueError(f"{line!r}: {problem}")
    try:
        return which, _parse_url(how) if how.startswith(tuple(f"{name}://" for name in _SCHEMES)) else _parse_command(
            how
        )
    except ValueError as error:
        raise ValueError(f"{line!r}: {error}") from None


def problem_of_which(which: object) -> str:
    """Return the error in the left side of a line; else empty."""
    is_right = isinstance(which, str) and (which in (*ROLES, ALL) or _NAME.fullmatch(which))
    return "" if is_right else f"no webhook is called {which!r}: {_WHICH}"


def _parse_url(how: str) -> UrlEndpoint:
    url, *options = shlex.split(how)
    parts = urlsplit(url)
    if parts.port == 0 or not parts.hostname:  # the port raises ValueError if it is no number
        raise ValueError(f"{url} has no host, or a port that is none; write https://HOST:PORT")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError(f"{url} has a user, a query or a fragment; write https://HOST:PORT/PATH")
    if not options:
        return UrlEndpoint(url)
    if len(options) > 1 or not options[0].startswith(_CA) or options[0] == _CA or parts.scheme == "http":
        raise ValueError(f"{' '.join(options)}: after an https URL, write {_CA}FILE or nothing")
    return UrlEndpoint(url, options[0].removeprefix(_CA))


def _parse_command(how: str) -> CommandEndpoint:
    first, _, rest = how.partition(" ")
    is_marked = first == _RUN and bool(rest.strip())
    command = rest.strip() if is_marked else how
    if not is_marked and not any(name in command for name in PLACEHOLDERS):
        raise ValueError(
            f"no URL, and no command with {' or '.join(PLACEHOLDERS)}; a URL begins with https://, and "
            f"`{_RUN} COMMAND` marks a command that reads ${commands.PORT} and ${commands.FOLDER}"
        )
    if problem := commands.problem_of(command):
        raise ValueError(problem)
    return CommandEndpoint(command)
