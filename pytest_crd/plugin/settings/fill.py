"""Settings of filling in, which writes results into case files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import define

if TYPE_CHECKING:
    from pytest_crd.casefiles.observation import Mode

FILL: Final = define("--crd-fill", setting.switch)
UPDATE: Final = define("--crd-update", setting.switch)
UPDATE_VERDICTS: Final = define("--crd-update-verdicts", setting.switch)
SETTINGS: Final = (FILL, UPDATE, UPDATE_VERDICTS)


def read(config: pytest.Config) -> Mode | None:
    """Return how much is written into case files; None if nothing is."""
    is_on = {switch: switch.read_value(config) for switch in SETTINGS}
    from pytest_crd.casefiles.observation import Mode  # noqa: PLC0415 - a session that sets nothing loads nothing

    modes = {FILL: Mode.FILL, UPDATE: Mode.UPDATE, UPDATE_VERDICTS: Mode.UPDATE_VERDICTS}
    return max((modes[switch] for switch in SETTINGS if is_on[switch]), default=None)
