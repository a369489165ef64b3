"""Hooks of a session with webhooks: the output of their commands in failed tests, and their end."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final

import pytest

from pytest_crd.plugin import alone, options, projectwebhooks, session
from pytest_crd.plugin.session import Part
from pytest_crd.plugin.settings.webhooks import HOOK, IS_DROPPED, WEBHOOKS, WebhookSettings
from pytest_crd.wording import escape_lines

# The key of the notes that a worker of pytest-xdist sends to its controller.
_NOTES: Final = "pytest_crd_webhook_notes"


class Hooks:
    """Prepares the webhooks of the settings, or says that they are not called."""

    def __init__(self, config: pytest.Config, settings: WebhookSettings) -> None:
        """
        Check the lines of the settings.

        Raises:
            UsageError: The wrong lines.
        """
        self._notes: list[str] = []
        assignments = projectwebhooks.read_lines(config, settings)
        if not options.is_alone(config) or settings.is_option or alone.calls_webhooks(config):
            projectwebhooks.allow(config, settings, assignments)
            names = ", ".join((*map(str, assignments), *projectwebhooks.name_hooks(settings)))
            part = Part(words=f"webhooks {names}")
        else:
            sources = [WEBHOOKS.ini] if settings.lines else []
            sources += [HOOK] if settings.hooks else []
            sources += [f"{WEBHOOKS.option} in addopts"] if config.stash.get(IS_DROPPED, False) else []
            part = Part(
                not_tested=(f"no webhook of {' and '.join(sources)} is called; {alone.WEBHOOKS_SHORT} calls them",)
            )
        session.add_part(config, lambda: part)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Show the new output of commands in the report of a failed test."""
        opened = projectwebhooks.get_opened(item.config)
        sizes = {} if opened is None else opened.output_sizes
        try:
            return (yield)
        except BaseException:
            opened = projectwebhooks.get_opened(item.config)
            for command, output in ({} if opened is None else opened.read_outputs(sizes)).items():
                item.add_report_section("call", WEBHOOKS.ini, f"`{command}`:\n{output}")
            raise

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """End the commands; a worker of pytest-xdist sends the notes about them to the controller."""
        self._notes += projectwebhooks.close(session.config)
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_NOTES] = self._notes

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Store the notes of a worker of pytest-xdist."""
        self._notes += getattr(node, "workeroutput", {}).get(_NOTES, [])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Write the notes about commands that did not end by themselves."""
        for note in self._notes:
            terminalreporter.write_line(escape_lines(f"crd: {note}"))
