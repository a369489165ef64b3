"""Settings of the project's webhooks: their endpoints and configurations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pytest

from pytest_crd import folders
from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import SettingEntry, define
from pytest_crd.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_crd.engine.api.context import Webhooks  # slow to import

FindWebhooks: TypeAlias = "Callable[[Mapping[str, bool]], Webhooks | None]"
# Returns the admission of the project's policies, then of its webhooks.
AddPolicies: TypeAlias = "Callable[[Webhooks | None], Webhooks]"

HOOK: Final = "pytest_crd_webhooks"


def _seconds(entry: SettingEntry) -> float:
    try:
        seconds = float(entry.value)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        raise entry.error(f"{entry.value!r}: write a number of seconds above 0")
    return seconds


WEBHOOKS: Final = define("--crd-webhook", setting.words)
CONFIGURATIONS: Final = define("--crd-webhook-configuration", setting.paths)
START_SECONDS: Final = define("--crd-webhook-start-seconds", _seconds, default="60")
SETTINGS: Final = (WEBHOOKS, CONFIGURATIONS, START_SECONDS)
# Whether the implementations of the hook are counted: a later one would have no effect.
ARE_COUNTED: Final[pytest.StashKey[bool]] = pytest.StashKey()
# Returns the webhooks of the session, given whether a webhook converts each CRD of the project; absent if none is called.
FIND_WEBHOOKS: Final[pytest.StashKey[FindWebhooks]] = pytest.StashKey()
# Absent without policies.
ADD_POLICIES: Final[pytest.StashKey[AddPolicies]] = pytest.StashKey()
# Whether `addopts` has the option in a session for CRDs alone, where it does not count.
IS_DROPPED: Final[pytest.StashKey[bool]] = pytest.StashKey()


class WebhookSettings(NamedTuple):
    """
    Values of the settings of webhooks.

    Attributes:
        lines: The lines.
        is_option: Whether they are from the command line.
        base: The folder of the paths in lines.
        folder: The working folder of commands.
        configurations: Files, folders and globs, and `!pattern`; empty if unset.
        configurations_base: The folder of `configurations`.
        seconds: The time limit of a command until it accepts connections.
        hooks: The implementations of the hook that count.
    """

    lines: tuple[str, ...]
    is_option: bool
    base: Path
    folder: Path
    configurations: tuple[str, ...]
    configurations_base: Path
    seconds: float
    hooks: tuple[Any, ...]


def read(config: pytest.Config) -> WebhookSettings | None:
    """
    Return the settings of webhooks; None if neither a setting nor a hook names an endpoint.

    Raises:
        UsageError: A path matches nothing, or the time limit is no number above 0.
    """
    entry, paths = WEBHOOKS.find_entry(config), CONFIGURATIONS.find_entry(config)
    config.stash[ARE_COUNTED] = is_counted = entry.source != WEBHOOKS.option
    settings = WebhookSettings(
        lines=tuple(dict.fromkeys(WEBHOOKS.read(entry))),
        is_option=not is_counted,
        base=entry.base,
        folder=setting.folder(config),
        configurations=CONFIGURATIONS.read(paths),
        configurations_base=paths.base,
        seconds=START_SECONDS.read_value(config),
        hooks=implementations(config.pluginmanager) if is_counted else (),
    )
    for path in settings.configurations:
        pattern = path.removeprefix("!")
        if not pattern or not ((paths.base / pattern).exists() or folders.glob_paths(pattern, paths.base)):
            raise paths.error(f"{path!r} matches nothing in {paths.base}")
    is_dropped = config.stash.get(IS_DROPPED, False)
    return settings if settings.lines or settings.hooks or is_dropped else None


def describe_idle_configurations(config: pytest.Config) -> str:
    """Return a line about configurations without an endpoint, which have no effect; else empty."""
    has_effect = read(config) is not None or not CONFIGURATIONS.find_entry(config).is_set
    return "" if has_effect else f"{CONFIGURATIONS.ini} does nothing without {WEBHOOKS.ini}"


def implementations(manager: pytest.PytestPluginManager) -> tuple[Any, ...]:
    """Return the implementations of the hook."""
    return tuple(manager.hook.pytest_crd_webhooks.get_hookimpls())
