"""Webhook servers that commands start."""

from __future__ import annotations

import re
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from support.webhookservers import COMMAND, PROGRAM, is_running

from pytest_crd.webhooks import commands
from pytest_crd.webhooks.commands import CommandLimits, CommandTransport
from pytest_crd.webhooks.transport import TransportError, WebhookError

pytestmark = pytest.mark.session
URL: Final = "https://webhook.system.svc:443/{}"


@pytest.fixture
def open_command(tmp_path: Path) -> Iterator[Callable[..., CommandTransport]]:
    """Return a function that creates the transport of a command, which ends with the test."""
    (tmp_path / "server.py").write_text(PROGRAM, encoding="utf-8")
    opened: list[CommandTransport] = []

    def open_(command: str = COMMAND, *, seconds: float = 10, grace: float = 5) -> CommandTransport:
        limits = CommandLimits(seconds, grace)
        opened.append(CommandTransport(command, folder=tmp_path, source="pytest.ini:3", limits=limits))
        return opened[-1]

    yield open_
    for transport in opened:
        transport.close()


def _error(transport: CommandTransport, path: str = "x") -> str:
    with pytest.raises(WebhookError) as raised:
        transport.post(URL.format(path), b"{}", 5)
    return str(raised.value)


def test_the_first_review_starts_a_command_that_ends_with_the_transport(
    open_command: Callable[..., CommandTransport], tmp_path: Path
) -> None:
    transport = open_command()

    assert (transport.read_output(), transport.output_size) == ("", 0)
    assert [transport.post(URL.format("x"), b"{}", 5).status for _ in range(2)] == [200, 200]
    assert transport.read_output() == f"serving {tmp_path}"
    assert transport.read_output(transport.output_size) == ""
    assert transport._own_folder is not None
    folder, group = transport._own_folder.path, transport._group
    assert group is not None
    assert {path.name for path in folder.iterdir()} == {"tls.crt", "tls.key", "ca.crt", "output.log"}
    assert stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "tls.key").stat().st_mode) == 0o600
    assert transport.close() == ""
    assert not group.has_members
    assert not folder.parent.exists()


def test_a_command_that_is_never_used_is_never_started(open_command: Callable[..., CommandTransport]) -> None:
    assert open_command("no-such-program {port}").close() == ""


def test_a_response_that_takes_too_long_is_one_of_a_running_server(
    open_command: Callable[..., CommandTransport],
) -> None:
    transport = open_command()
    transport.post(URL.format("x"), b"{}", 5)

    with pytest.raises(TransportError, match=r"^context deadline exceeded$"):
        transport.post(URL.format("hang"), b"{}", 0.05)


def test_a_running_server_may_end_a_connection(
    open_command: Callable[..., CommandTransport], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_crd.processes._LAST_WORDS", 0.01)
    transport = open_command()

    with pytest.raises(TransportError, match=r"^EOF$"):
        transport.post(URL.format("end"), b"{}", 5)


def test_a_command_that_dies_in_a_review_is_an_error_for_all_later_reviews(
    open_command: Callable[..., CommandTransport], tmp_path: Path
) -> None:
    transport = open_command()

    text = _error(transport, "die")

    assert text == (f"pytest.ini:3: `{COMMAND}` exited with 3 while it served a review:\n  serving {tmp_path}\n  dying")
    assert _error(transport) == text


def test_a_command_that_dies_between_reviews_is_an_error(open_command: Callable[..., CommandTransport]) -> None:
    transport = open_command()
    transport.post(URL.format("x"), b"{}", 5)
    group = transport._group
    assert group is not None
    group._command.kill()
    group._command.wait()

    assert _error(transport).startswith(f"pytest.ini:3: `{COMMAND}` was ended by signal 9:\n  serving")


def test_an_unknown_program_cannot_be_run(open_command: Callable[..., CommandTransport], tmp_path: Path) -> None:
    assert _error(open_command("no-such-program {port}")) == (
        f"pytest.ini:3: `no-such-program {{port}}` cannot be run in {tmp_path}: No such file or directory"
    )


def test_a_command_that_ends_early_shows_the_end_of_its_output(
    open_command: Callable[..., CommandTransport], tmp_path: Path
) -> None:
    (tmp_path / "fail.sh").write_text(
        "for i in $(seq 30); do echo $i; done; echo no certificate >&2; exit 1", encoding="utf-8"
    )

    lines = _error(open_command("sh fail.sh {port}")).splitlines()

    assert re.fullmatch(
        r"pytest\.ini:3: `sh fail\.sh \{port\}` exited with 1 before it accepted TLS on port \d+:", lines[0]
    )
    assert lines[1:] == [*(f"  {number}" for number in range(12, 31)), "  no certificate"]


def test_children_of_a_command_in_the_background_are_ended(
    open_command: Callable[..., CommandTransport], tmp_path: Path
) -> None:
    (tmp_path / "daemon.sh").write_text("sleep 60 &\necho $!", encoding="utf-8")
    transport = open_command("sh daemon.sh {port}")

    text = _error(transport)

    assert "its children still ran, and are ended: a server runs in the foreground" in text
    pid = text.rpartition(" ")[2]
    assert not is_running(int(pid))


def test_a_command_that_never_listens_is_told_what_to_do(open_command: Callable[..., CommandTransport]) -> None:
    text = _error(open_command("sleep 60", seconds=0.1))

    port = text.partition("127.0.0.1:")[2].partition(" ")[0]
    assert text == (
        f"pytest.ini:3: `sleep 60` accepts no TLS on 127.0.0.1:{port} after 0.1 seconds (dial tcp 127.0.0.1:{port}: "
        "connect: connection refused); serve tls.crt and tls.key of {cert_dir} ($CRD_WEBHOOK_CERT_DIR) on port "
        "{port} ($CRD_WEBHOOK_PORT), or set a longer crd_webhook_start_seconds"
    )


def test_a_server_without_tls_is_not_ready(
    open_command: Callable[..., CommandTransport], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setattr(commands, "_free_port", lambda: listener.getsockname()[1])
        text = _error(open_command("sleep 60", seconds=0.05))

    assert "(context deadline exceeded); serve tls.crt" in text


def test_a_command_that_ignores_sigterm_is_killed_with_a_note(
    open_command: Callable[..., CommandTransport], tmp_path: Path
) -> None:
    program = tmp_path / "server.py"
    program.write_text(f"import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n{PROGRAM}", encoding="utf-8")
    transport = open_command(grace=0.05)
    transport.post(URL.format("x"), b"{}", 5)

    assert transport.close() == (
        f"pytest.ini:3: `{COMMAND}` did not end within 0.05 seconds of SIGTERM, and was killed"
    )


def test_a_command_needs_the_extra_server(
    open_command: Callable[..., CommandTransport], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "trustme", None)
    transport = open_command()

    texts = [_error(transport) for _ in range(2)]

    assert texts[0].startswith(
        "pytest.ini:3: a command needs the extra `server` for its certificates: pip install 'pytest-crd[server]' ("
    )
    assert texts[0] == texts[1]


def test_the_progress_names_the_command(tmp_path: Path) -> None:
    titles: list[Any] = []

    class Recorder:
        def __init__(self, title: str) -> None:
            titles.append(title)

        def __enter__(self) -> Callable[..., None]:
            return lambda *step: titles.append(step)

        def __exit__(self, *_: object) -> None:
            titles.append("end")

    limits = CommandLimits(progress=Recorder)
    transport = CommandTransport("no-such-program", folder=tmp_path, source="x", limits=limits)
    _error(transport)
    transport.close()

    assert titles == ["starting webhooks", (0, 1, "`no-such-program`"), "end"]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("serve {port} {cert_dir}", ""),
        ("serve {ports}", "'serve {ports}': no placeholder is called {ports}; there are {port} and {cert_dir}"),
        ("serve {port} | tee log", "no shell runs it"),
        ("", "an empty line"),
    ],
)
def test_a_command_has_known_placeholders_and_needs_no_shell(command: str, problem: str) -> None:
    text = commands.problem_of(command)

    assert problem in text if problem else not text
