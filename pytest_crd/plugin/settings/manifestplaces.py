"""Places of a project's manifests: files, and commands that print manifests."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd.plugin.settings import setting
from pytest_crd.plugin.settings.setting import Setting
from pytest_crd.records import NamedTuple


class ManifestPlaces(NamedTuple):
    """
    Places of manifests.

    Attributes:
        paths: Files, folders and globs, and `!pattern`; empty if unset.
        base: The folder of `paths`.
        commands: Commands that print manifests; empty if unset.
        folder: The working folder of the commands.
    """

    paths: tuple[str, ...]
    base: Path
    commands: tuple[str, ...]
    folder: Path


def read(
    config: pytest.Config, paths: Setting[tuple[str, ...]], commands: Setting[tuple[str, ...]]
) -> ManifestPlaces | None:
    """
    Return the places of two settings; None if neither is set.

    The option for paths replaces the commands of the ini file, too.

    Args:
        config: The session's configuration.
        paths: The setting of paths.
        commands: The setting of commands.
    """
    entry, lines = paths.find_entry(config), commands.find_entry(config)
    is_replaced = entry.source == paths.option and lines.source != commands.option
    command_lines = () if is_replaced else commands.read(lines)
    if not (entry.is_set or command_lines):
        return None
    return ManifestPlaces(paths.read(entry), entry.base, command_lines, setting.folder(config))
