"""Settings of webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_crd.plugin.settings import inilines, webhooks

if TYPE_CHECKING:
    from support.sessions import Project


def _read(pytester: pytest.Pytester, *arguments: str) -> webhooks.WebhookSettings | None:
    return webhooks.read(pytester.parseconfig("-p", "pytest_crd.plugin", *arguments))


def test_without_endpoints_there_are_no_settings(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ncrd_webhook_start_seconds = 2.5\n")

    assert _read(pytester) is None


def test_an_option_replaces_the_lines_of_the_ini_file(pytester: pytest.Pytester) -> None:
    pytester.makeini(
        "[pytest]\ncrd_webhooks =\n  all: https://a\n  all: https://a\n  a.b.c: https://b\n"
        "crd_webhook_configurations = *.ini\ncrd_webhook_start_seconds = 2.5\n"
    )

    settings = _read(pytester)
    overridden = _read(pytester, "--crd-webhook", "all: https://c")

    assert settings is not None
    assert overridden is not None
    assert (settings.lines, settings.is_option) == (("all: https://a", "a.b.c: https://b"), False)
    assert (settings.seconds, settings.configurations) == (2.5, ("*.ini",))
    assert settings.configurations_base == settings.base == settings.folder == pytester.path
    assert (overridden.lines, overridden.is_option) == (("all: https://c",), True)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("crd_webhook_start_seconds = soon", "crd_webhook_start_seconds: 'soon': write a number of seconds above 0"),
        ("crd_webhook_start_seconds = 0", "'0': write a number of seconds above 0"),
        ("crd_webhook_start_seconds = inf", "'inf': write a number of seconds above 0"),
        (
            "crd_webhook_configurations = config/hooks",
            "crd_webhook_configurations: 'config/hooks' matches nothing in *",
        ),
        ("crd_webhook_configurations = !", "crd_webhook_configurations: '!' matches nothing in *"),
    ],
)
def test_a_wrong_value_is_an_error(empty: Project, line: str, words: str) -> None:
    empty.ini(line)

    result = empty.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{words}"])


@pytest.mark.parametrize(
    ("text", "written", "line"),
    [
        ("[pytest]\ncrd_webhooks =\n  all: https://a\n  b.c.d: e\n", "b.c.d: e", 4),
        ("[pytest]\ncrd_webhooks = all: https://a\n", "all: https://a", 2),
        ("[pytest]\ncrd_webhooks = all: https://a\n", "unknown", 2),
        ("[pytest]\n", "unknown", 0),
        (None, "unknown", 0),
    ],
)
def test_each_entry_has_a_line(pytester: pytest.Pytester, text: str | None, written: str, line: int) -> None:
    if text is not None:
        (pytester.path / "pytest.ini").write_text(text, encoding="utf-8")

    config = pytester.parseconfig("-p", "pytest_crd.plugin")

    assert inilines.line_of_entry(config, webhooks.WEBHOOKS, written) == line
