"""What is set about writing case files: for which CRDs, and how much of them."""

from __future__ import annotations

from typing import Final, NamedTuple

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
PATHS: Final = Setting(
    SettingKind.WORDS,
    "Write only what lies at this path or below it: `spec.tls`, `spec.items[*].name`.",
    setting.words,
    option="--crd-generate-path",
    placeholder="PATH",
)
ALL: Final = Setting(
    SettingKind.SWITCH,
    "Write all there is, however long the file gets, also about types of Kubernetes; unset: what protects most, 600 lines at the most.",
    setting.switch,
    option="--crd-generate-all",
)
SETTINGS: Final = (GENERATE, PATHS, ALL)


class GenerateSettings(NamedTuple):
    """
    What is set about writing case files.

    Attributes:
        names: The CRDs, each with a version or without.
        paths: Only what lies at these paths or below them; everything where there are none.
        is_whole: Whether all there is is written.
    """

    names: tuple[str, ...]
    paths: tuple[str, ...]
    is_whole: bool


def read(config: pytest.Config) -> GenerateSettings | None:
    """
    Return what is set; None where no files are written.

    Raises:
        UsageError: An option that has no effect.
    """
    names = tuple(dict.fromkeys(GENERATE.of(config)))
    if not names:
        for one in (PATHS, ALL):
            if one.given(config).is_set:
                raise pytest.UsageError(f"{one.option} does nothing without {GENERATE.option}")
        return None
    return GenerateSettings(names, PATHS.of(config), ALL.of(config))
