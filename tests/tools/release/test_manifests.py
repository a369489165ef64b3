"""The manifests, checksums and texts of a release."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
import yaml
from release import manifests, zipapps

CHANGELOG = """# Changelog

## 0.2.0 (2027-01-01)

- A change, see [the page](docs/page.md) and [another](https://example.com).

## 0.1.0

- The first.
"""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Return a file for each platform."""
    for platform in zipapps.PLATFORMS:
        (tmp_path / platform).write_text(platform, encoding="utf-8")
    return {platform: tmp_path / platform for platform in zipapps.PLATFORMS}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_text_of_a_release_is_its_section_with_absolute_links() -> None:
    text = manifests.release_text(CHANGELOG, "0.2.0")

    page = f"{manifests.HOME}/blob/v0.2.0/docs/page.md"
    assert text == f"- A change, see [the page]({page}) and [another](https://example.com).\n"


@pytest.mark.parametrize("version", ["0.1", "0.3.0"])
def test_a_release_without_a_section_is_an_error(version: str) -> None:
    with pytest.raises(SystemExit, match=f"CHANGELOG.md: no section for {version}: write"):
        manifests.release_text(CHANGELOG, version)


def test_krew_finds_an_archive_for_each_platform(files: dict[str, Path]) -> None:
    plugin = yaml.safe_load(manifests.krew_text("0.2.0", files))

    assert plugin["metadata"]["name"] == "crd"
    assert plugin["spec"]["version"] == "v0.2.0"
    assert [
        (item["selector"]["matchLabels"]["os"], item["sha256"], item["uri"]) for item in plugin["spec"]["platforms"]
    ] == [
        (system, _digest(platform), f"{manifests.HOME}/releases/download/v0.2.0/{platform}")
        for system, platform in [("linux", "linux-x86_64"), ("linux", "linux-aarch64"), ("darwin", "macos-arm64")]
    ]


def test_the_formula_of_homebrew_names_each_file(files: dict[str, Path]) -> None:
    formula = manifests.homebrew_text("0.2.0", files)

    assert re.findall(r'sha256 "(\w+)"', formula) == [_digest(platform) for platform in files]
    assert formula.count("url ") == len(files)
    assert formula.index("  if OS.linux?") < formula.index("  elsif OS.mac?")


def test_checksums_are_lines_of_sha256sum(files: dict[str, Path]) -> None:
    lines = manifests.checksums_text(files.values()).splitlines()

    assert lines == [f"{_digest(name)}  {name}" for name in sorted(files)]
