"""What is set about writing case files: for which CRDs."""

from __future__ import annotations

from typing import Final

import pytest

from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import Setting, SettingKind

GENERATE: Final = Setting(
    SettingKind.WORDS,
    "Write a case file that states what a CustomResourceDefinition does, instead of running tests: `NAME` or"
    " `NAME/VERSION`.",
    setting.words,
    option="--crd-generate",
)
SETTINGS: Final = (GENERATE,)


def read(config: pytest.Config) -> tuple[str, ...] | None:
    """Return the CRDs, each with a version or without, that case files are written for; None where none are written."""
    return tuple(dict.fromkeys(GENERATE.of(config))) or None
