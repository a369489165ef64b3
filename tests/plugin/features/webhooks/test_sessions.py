"""Sessions with webhooks: when they are called, and the output and the end of their commands."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from support.webhookservers import COMMAND, PROGRAM, is_running

from pytest_crd.webhooks.commands import CommandLimits

if TYPE_CHECKING:
    from support.sessions import Project

pytestmark = pytest.mark.session

CALLS: Final = """\
import pytest
from pytest_crd.plugin import projectwebhooks

@pytest.fixture
def post(request):
    def post(path):
        transport = projectwebhooks.get_webhooks(request.config).transport_of("a", {}, "conversion")
        assert transport.post(f"https://a.b.svc:443/{path}", b"{}", 5).status == 200
    return post

def test_first(post):
    post("x")

def test_second(post):
    post("x")
    assert False

def test_third(post):
    post("die")

def test_fourth():
    assert False
"""
NAMES: Final = """\
from pytest_crd.plugin import projectwebhooks

def pytest_sessionfinish(session):
    webhooks = projectwebhooks.get_webhooks(session.config)
    print("NAMES", webhooks and webhooks.names)
"""
LINE: Final = "crd_webhooks = all: https://127.0.0.1:1"
CHATTY: Final = PROGRAM.replace(
    "    sock = listener", "    print('waiting', os.getpid(), flush=True)\n    sock = listener"
)


def _sections(text: str) -> dict[str, list[str]]:
    """Return the output of the command by the names of failed tests."""
    sections: dict[str, list[str]] = {}
    name = ""
    for line in text.splitlines():
        if heading := re.fullmatch(r"_+ (test_\w+) _+", line):
            name = heading[1]
        elif "crd_webhooks" in line and line.startswith("---"):
            sections[name] = []
        elif name in sections and line:
            sections[name].append(line)
    return sections


def test_a_failed_test_shows_the_new_output_of_commands(empty: Project) -> None:
    empty.ini(f"crd_webhooks = all: {COMMAND}")
    empty.write("server.py", CHATTY)
    empty.write("test_it.py", CALLS)

    result = empty.run()

    result.assert_outcomes(passed=1, failed=3)
    sections = _sections(result.stdout.str().partition("short test summary")[0])
    assert sections["test_third"][0] == f"`{COMMAND}`:"
    assert "dying" in sections["test_third"]
    assert {*sections} <= {"test_second", "test_third"}
    result.stdout.fnmatch_lines(
        [f"E*pytest.ini:2: crd_webhooks: `{COMMAND.replace('[', '[[]')}` exited with 3 while it *"]
    )


@pytest.mark.parametrize("arguments", [(), pytest.param(("-n1", "-p", "xdist.plugin"), marks=pytest.mark.long)])
def test_commands_end_with_the_session_and_the_first_test_with_a_webhook_shows_their_output(
    empty: Project, arguments: tuple[str, ...]
) -> None:
    empty.ini(f"crd_webhooks = all: {COMMAND}")
    empty.write("server.py", PROGRAM.replace("print(", "open('pid', 'w').write(str(os.getpid())); print("))
    empty.write("test_it.py", CALLS)

    result = empty.run("-p", "pytest_crd.plugin", *arguments, "-k", "second")

    assert not is_running(int(empty.read("pid")))
    assert _sections(result.stdout.str().partition("short test summary")[0])["test_second"][:2] == [
        f"`{COMMAND}`:",
        f"serving {empty.path}",
    ]


@pytest.mark.parametrize("arguments", [(), pytest.param(("-n1", "-p", "xdist.plugin"), marks=pytest.mark.long)])
@pytest.mark.counted("pytest_crd.plugin.features.webhooks.hooks")
def test_a_command_that_ignores_sigterm_is_noted(
    empty: Project, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    create = CommandLimits.__new__
    monkeypatch.setattr(create, "__defaults__", create.__defaults__)  # restored after the test
    empty.write(
        "conftest.py",
        "from pytest_crd.webhooks.commands import CommandLimits\nCommandLimits.__new__.__defaults__ = (10, 0.05, "
        "CommandLimits().progress)\n",
    )
    empty.ini(f"crd_webhooks = all: {COMMAND}")
    empty.write("server.py", f"import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n{PROGRAM}")
    empty.write("test_it.py", CALLS)

    result = empty.run("-p", "pytest_crd.plugin", *arguments, "-k", "first")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [f"crd: pytest.ini:2: crd_webhooks: `{COMMAND}` did not end within 0.05 seconds of SIGTERM, and was killed"]
    )


def test_the_header_names_the_webhooks(project: Project) -> None:
    project.ini(LINE)
    project.write("conftest.py", "def pytest_crd_webhooks():\n    raise AssertionError('called too early')\n")
    project.write("test_it.py", "def test_it(crds): pass\n")

    project.run().stdout.fnmatch_lines(["crd: webhooks all: https://127.0.0.1:1, conftest.py (pytest_crd_webhooks)"])


def test_configurations_without_endpoints_are_noted(project: Project) -> None:
    project.ini("crd_webhook_configurations = pytest.ini")
    project.write("test_it.py", "def test_it(crds): pass\n")

    project.run().stdout.fnmatch_lines(["crd: crd_webhook_configurations does nothing without crd_webhooks"])


ALONE: Final = "--crd-alone="


@pytest.mark.parametrize(
    ("line", "arguments", "names", "reason"),
    [
        (LINE, [ALONE, "--crd-alone-webhooks"], "('all: https://127.0.0.1:1',)", ""),
        (LINE, [ALONE, "--crd-webhook=all: https://127.0.0.1:2"], "('all: https://127.0.0.1:2',)", ""),
        (
            "addopts = '--crd-webhook=all: https://127.0.0.1:1'",
            ["-o", "addopts=", ALONE],
            "None",
            "--crd-webhook in addopts is called",
        ),
        (
            "addopts = '--crd-webhook=all: https://127.0.0.1:1'",
            ["-o", "addopts=", ALONE, "--crd-alone-webhooks"],
            "('all: https://127.0.0.1:1',)",
            "",
        ),
    ],
)
def test_a_session_for_crds_alone_calls_webhooks_only_on_request(
    project: Project, line: str, arguments: list[str], names: str, reason: str
) -> None:
    project.ini(line)
    project.write("conftest.py", NAMES)

    output = project.run("-s", *arguments).stdout.str()

    assert f"NAMES {names}\n" in output
    notes = re.findall(r"crd: no webhook of (.*); --webhooks calls them", output)
    assert notes == ([reason] if reason else [])


def test_such_a_session_calls_no_hook_without_a_request(project: Project) -> None:
    project.ini(LINE)
    project.write("conftest.py", f"{NAMES}\ndef pytest_crd_webhooks():\n    raise AssertionError('called')\n")

    result = project.run("-s", ALONE, "--crd-python")

    result.stdout.fnmatch_lines(
        [
            "crd: no webhook of crd_webhooks and pytest_crd_webhooks is called; --webhooks calls them",
            "*NAMES None",
        ]
    )


@pytest.mark.long
def test_a_crashed_session_leaves_no_command(empty: Project) -> None:
    empty.ini(f"crd_webhooks = all: {COMMAND}")
    empty.write("server.py", PROGRAM.replace("print(", "open('pid', 'w').write(str(os.getpid())); print("))
    empty.write("test_it.py", f"{CALLS}\ndef test_last(post):\n    post('x')\n    import os\n    os._exit(9)\n")

    assert empty.start("-k", "last").ret == 9

    pid = int(Path(empty.path, "pid").read_text(encoding="utf-8"))
    end = time.monotonic() + 5
    while is_running(pid):
        assert time.monotonic() < end
        time.sleep(0.01)
