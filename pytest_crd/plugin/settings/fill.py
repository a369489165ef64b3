"""Settings of filling in, which writes results into case files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import Setting, SettingKind

if TYPE_CHECKING:
    from pytest_crd.casefiles.observation import Mode

FILL: Final = Setting(
    SettingKind.SWITCH,
    "Write what is observed into case files, where it is left out or is `TODO`.",
    setting.switch,
    option="--crd-fill",
)
UPDATE: Final = Setting(
    SettingKind.SWITCH,
    "Fill in, and correct cases that fail and stay accepted, or refused.",
    setting.switch,
    option="--crd-update",
)
UPDATE_VERDICTS: Final = Setting(
    SettingKind.SWITCH,
    "Update, also where what was accepted is refused now, or the reverse.",
    setting.switch,
    option="--crd-update-verdicts",
)
SETTINGS: Final = (FILL, UPDATE, UPDATE_VERDICTS)


def read(config: pytest.Config) -> Mode | None:
    """Return how much is written into case files; None if nothing is."""
    is_on = {switch: switch.read_value(config) for switch in SETTINGS}
    if not any(is_on.values()):
        return None
    from pytest_crd.casefiles.observation import Mode  # noqa: PLC0415 - a session that sets nothing loads nothing

    modes = {FILL: Mode.FILL, UPDATE: Mode.UPDATE, UPDATE_VERDICTS: Mode.UPDATE_VERDICTS}
    return max(modes[switch] for switch in SETTINGS if is_on[switch])
