"""Settings of generating case files: the CRDs, and the parts of their schemas."""

from __future__ import annotations

from typing import Final

import pytest

from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import define
from pytest_crd.records import NamedTuple

GENERATE: Final = define("--crd-generate", setting.words)
PATHS: Final = define("--crd-generate-path", setting.words)
ALL: Final = define("--crd-generate-all", setting.switch)
SETTINGS: Final = (GENERATE, PATHS, ALL)


class GenerateSettings(NamedTuple):
    """
    Values of the settings of generating case files.

    Attributes:
        names: The CRDs, with or without a version.
        paths: Fields to generate cases for, with the fields below them; empty for all.
        is_whole: Whether all cases are generated, without a limit of length.
    """

    names: tuple[str, ...]
    paths: tuple[str, ...]
    is_whole: bool


def read(config: pytest.Config) -> GenerateSettings | None:
    """
    Return the settings of generating; None if no file is generated.

    Raises:
        UsageError: An option has no effect.
    """
    names = tuple(dict.fromkeys(GENERATE.read_value(config)))
    for option in (PATHS, ALL):
        if option.find_entry(config).is_set and not names:
            raise pytest.UsageError(f"{option.option} does nothing without {GENERATE.option}")
    return GenerateSettings(names, PATHS.read_value(config), ALL.read_value(config)) if names else None
