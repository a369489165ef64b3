"""SVG pictures of terminals, drawn from coloured text."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Final

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

COLUMNS: Final = 104
# Background, text, and the eight terminal colours from black to white; bright colours are not used.
THEMES: Final[Mapping[str, tuple[str, ...]]] = {
    "light": (
        "#ffffff",
        "#1f2328",
        "#1f2328",
        "#b3161f",
        "#116329",
        "#7d4e00",
        "#0550ae",
        "#8250df",
        "#0f6b72",
        "#59636e",
    ),
    "dark": (
        "#0d1117",
        "#e6edf3",
        "#8d96a0",
        "#ff8a80",
        "#56d364",
        "#e3b341",
        "#79c0ff",
        "#d2a8ff",
        "#56d4dd",
        "#e6edf3",
    ),
}
# Rich's own template loads a font from another host; this one uses the reader's monospace font, stretched to the
# columns.
_TEMPLATE: Final = """\
<svg viewBox="0 0 {{width}} {{height}}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>{title}</title>
<style>
.{{unique_id}}-matrix {{{{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {{char_height}}px; }}}}
rect {{{{ stroke: {edge}; }}}}
{{styles}}
</style>
<defs>
<clipPath id="{{unique_id}}-clip-terminal"><rect x="0" y="0" width="{{terminal_width}}" height="{{terminal_height}}"/></clipPath>
{{lines}}
</defs>
{{chrome}}
<g transform="translate({{terminal_x}}, {{terminal_y}})" clip-path="url(#{{unique_id}}-clip-terminal)">
{{backgrounds}}
<g class="{{unique_id}}-matrix">
{{matrix}}
</g>
</g>
</svg>
"""


def draw(title: str, command: str, lines: Iterable[str], theme: str) -> str:
    """
    Return a self-contained SVG.

    Args:
        title: A description of the picture.
        command: The command line.
        lines: Its output, with ANSI colours.
        theme: A key of `THEMES`.
    """
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), highlight=False, emoji=False, markup=False)
    console.print(Text.from_ansi(f"\x1b[1m$ {command}\x1b[0m"))
    for line in (*lines, ""):
        console.print(Text.from_ansi(line))
    template = _TEMPLATE.format(title=escape(title).replace("{", "{{").replace("}", "}}"), edge=_color(theme, 9))
    picture = console.export_svg(title="", theme=_theme(theme), code_format=template, unique_id="t")
    return re.sub(r"[ \t]+$", "", picture, flags=re.MULTILINE)


def _theme(name: str) -> TerminalTheme:
    colors = [_triple(color) for color in THEMES[name]]
    return TerminalTheme(colors[0], colors[1], colors[2:], colors[2:])


def _color(theme: str, index: int) -> str:
    return THEMES[theme][index]


def _triple(color: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return red, green, blue
