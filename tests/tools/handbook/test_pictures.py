"""Pictures match the current output of runs, are self-contained, and have a description wherever they are shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest
from handbook import parts, pictures, terminalpicture
from support import sessions

PAGES: Final = {path: path.read_text(encoding="utf-8") for path in parts.pages()}


@pytest.mark.session
@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_picture_matches_the_current_output(
    name: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in pictures.ENVIRONMENT.items():
        monkeypatch.setenv(variable, value)
    project = sessions.Project(pytester.path)

    for file, text in pictures.files(name, project, project.run):
        assert (pictures.FOLDER / file).read_text(encoding="utf-8") == text, "`python -m handbook` writes it"


def test_the_folder_has_no_unused_picture() -> None:
    files = {f"{name}-{theme}.svg" for name in pictures.PICTURES for theme in pictures.THEMES}

    assert {path.name for path in pictures.FOLDER.iterdir()} == files


@pytest.mark.parametrize("path", [*sorted(pictures.FOLDER.iterdir())], ids=lambda path: path.name)
def test_a_picture_is_self_contained_and_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    root = ET.fromstring(text)  # noqa: S314 - a file of this repository

    assert not re.search(r"url\((?!#)|@import|<script|(?:href|src)=\"(?!#)", text)
    assert {*re.findall(r"https?://[^\"\s]+", text)} <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}
    assert root.findtext("{*}title") == pictures.PICTURES[path.stem.rpartition("-")[0]].words
    assert len(text) < 20_000


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_the_readme_shows_a_picture_for_light_and_dark_themes(name: str) -> None:
    markup = (
        f'<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="docs/pictures/{name}-dark.svg">\n'
        f'  <img src="docs/pictures/{name}-light.svg" alt="{pictures.PICTURES[name].words}">\n</picture>\n'
    )

    assert markup in PAGES[parts.ROOT / "README.md"]


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_page_shows_a_picture_for_light_and_dark_themes(name: str) -> None:
    """The anchors select the theme on the site and on code hosts."""
    words = pictures.PICTURES[name].words
    markup = "\n".join(f"![{words}](../pictures/{name}-{theme}.svg#gh-{theme}-mode-only)" for theme in pictures.THEMES)

    (page,) = (path for path, text in PAGES.items() if markup in text)
    assert page.parent.name == "how-to"


@pytest.mark.parametrize("theme", terminalpicture.THEMES)
def test_every_colour_has_enough_contrast_with_its_background(theme: str) -> None:
    background, *colors = (_luminance(color) for color in terminalpicture.THEMES[theme])

    for color in colors:
        darker, lighter = sorted((background, color))
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5  # the minimum of WCAG 2 for text


def _luminance(color: str) -> float:
    parts = [part / 255 for part in bytes.fromhex(color[1:])]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
