"""A picture of the coverage page: the page itself, cut to a few lines of its CRD, inside of an SVG."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Final
from xml.etree import ElementTree as ET

_XHTML: Final = "http://www.w3.org/1999/xhtml"
_DARK: Final = re.compile(r"^@media\(prefers-color-scheme:dark\)\{(.*)\}$", re.MULTILINE)
WIDTH: Final = 1000
_HEIGHT: Final = 1010
_TEMPLATE: Final = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>{title}</title>
<style>{style}body{{height:100%;overflow:hidden;border:1px solid var(--edge);border-radius:8px}}.block{{content-visibility:visible}}</style>
<foreignObject width="{width}" height="{height}">
{body}
</foreignObject>
</svg>
"""


def draw(title: str, page: str, theme: str, *, first: int, last: int, opened: int) -> str:
    """
    Return the picture, an SVG that needs nothing from elsewhere.

    Args:
        title: What it shows, in words.
        page: The page, about one CRD.
        theme: `light` or `dark`.
        first: The first line of the CRD that is shown.
        last: The last one.
        opened: At which line it is open why it is red.
    """
    body = _body(page)
    (code,) = (one for one in body.iter("div") if one.get("class") == "code")
    shown = [*_lines(code, first, last, opened)]
    code[:] = shown
    body.set("xmlns", _XHTML)
    style = _DARK.sub(r"\1" if theme == "dark" else "", _style(page)).replace("light dark", theme)
    return _TEMPLATE.format(
        title=escape(title), style=style, body=ET.tostring(body, encoding="unicode"), width=WIDTH, height=_HEIGHT
    )


def _style(page: str) -> str:
    return page.split("<style>")[1].split("</style>", maxsplit=1)[0]


def _body(page: str) -> ET.Element:
    """Return what the page shows to whoever runs its script, as XML."""
    text = page.split("<body>")[1].split("<script>", maxsplit=1)[0]
    text = re.sub(r"<noscript><p.*?</noscript>", "", text, flags=re.DOTALL)
    text = re.sub(r"</?noscript>", "", text)
    text = re.sub(r'(<p id="keys") hidden>', r"\1>", text)
    # Written by us, and so well-formed but for attributes without a value.
    text = text.replace(" open>", ' open="">')
    return ET.fromstring(f"<body>{text}</body>")  # noqa: S314 - the page was just made here


def _lines(code: ET.Element, first: int, last: int, opened: int) -> Iterator[ET.Element]:
    """Yield the lines that are shown, with what is said below them."""
    block = ET.Element("div", {"class": "block"})
    number = 0
    for one in [line for part in code.iter("div") if part.get("class") == "block" for line in part]:
        if one.tag == "div":
            number += 1
            one.attrib.pop("style", None)
        elif number == opened:
            one.set("open", "")
        if first <= number <= last:
            block.append(one)
    block[0].set("style", f"counter-reset:line {first - 1}")
    yield block
