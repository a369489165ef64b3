"""Settings of webhooks."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any

import pytest

from pytest_crd.plugin.settings import inilines, webhooks
from pytest_crd.plugin.settings.setting import Setting
from pytest_crd.plugin.settings.webhooks import CONFIGURATIONS, START_SECONDS

if TYPE_CHECKING:
    from support.sessions import Project


def test_without_endpoints_there_are_no_settings(empty: Project) -> None:
    empty.ini("crd_webhook_start_seconds = 2.5")

    assert webhooks.read(empty.parse()) is None


def test_an_option_replaces_the_lines_of_the_ini_file(empty: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    empty.ini(
        "crd_webhooks =",
        *("  all: https://a", "  all: https://a", "  a.b.c: https://b"),
        *("crd_webhook_configurations = *.ini", "crd_webhook_start_seconds = 2.5"),
    )
    config = empty.parse()

    settings = webhooks.read(config)
    monkeypatch.setattr(config.option, webhooks.WEBHOOKS.dest, ["all: https://c"])
    overridden = webhooks.read(config)

    assert settings is not None
    assert overridden is not None
    assert (settings.lines, settings.is_option) == (("all: https://a", "a.b.c: https://b"), False)
    assert (settings.seconds, settings.configurations) == (2.5, ("*.ini",))
    assert settings.configurations_base == settings.base == settings.folder == empty.path
    assert (overridden.lines, overridden.is_option) == (("all: https://c",), True)


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        (START_SECONDS, "soon", "'soon': write a number of seconds above 0"),
        (START_SECONDS, "0", "'0': write a number of seconds above 0"),
        (START_SECONDS, "inf", "'inf': write a number of seconds above 0"),
        (CONFIGURATIONS, ["config/hooks"], "'config/hooks' matches nothing in *"),
        (CONFIGURATIONS, ["!"], "'!' matches nothing in *"),
    ],
)
def test_a_wrong_value_is_an_error(setting: Setting[Any], value: Any, words: str, unset_config: pytest.Config) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unset_config.option, setting.dest, value)
        with pytest.raises(pytest.UsageError) as error:
            webhooks.read(unset_config)

    assert fnmatch.fnmatch(str(error.value), f"{setting.option}: {words}")


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
def test_each_entry_has_a_line(empty: Project, text: str | None, written: str, line: int) -> None:
    if text is not None:
        empty.write("pytest.ini", text)

    assert inilines.line_of_entry(empty.parse(), webhooks.WEBHOOKS, written) == line
