"""SVG pictures of the coverage page, cut to a few lines of its CRD."""

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
    Return a self-contained SVG.

    Args:
        title: A description of the picture.
        page: The HTML of the page, about one CRD.
        theme: `light` or `dark`.
        first: The first visible line of the CRD, 1-based.
        last: The last visible line.
        opened: The line whose details are open.
    """
    body = _body(page)
    (code,) = (division for division in body.iter("div") if division.get("class") == "code")
    code[:] = [*_lines(code, first, last, opened)]
    body.set("xmlns", _XHTML)
    style = _DARK.sub(r"\1" if theme == "dark" else "", _style(page)).replace("light dark", theme)
    return _TEMPLATE.format(
        title=escape(title), style=style, body=ET.tostring(body, encoding="unicode"), width=WIDTH, height=_HEIGHT
    )


def _style(page: str) -> str:
    return page.split("<style>")[1].split("</style>", maxsplit=1)[0]


def _body(page: str) -> ET.Element:
    """Return the body of the page as a browser with scripts shows it, as XML."""
    text = page.split("<body>")[1].split("<script>", maxsplit=1)[0]
    text = re.sub(r"<noscript><p.*?</noscript>", "", text, flags=re.DOTALL)
    text = re.sub(r"</?noscript>", "", text)
    text = re.sub(r'(<p id="keys") hidden>', r"\1>", text)
    # Our own page: well-formed XML except for attributes without a value.
    text = text.replace(" open>", ' open="">')
    return ET.fromstring(f"<body>{text}</body>")  # noqa: S314 - the page was just made here


def _lines(code: ET.Element, first: int, last: int, opened: int) -> Iterator[ET.Element]:
    """Yield one block with the lines from *first* to *last* and the details below them."""
    block = ET.Element("div", {"class": "block"})
    number = 0
    for element in [line for part in code.iter("div") if part.get("class") == "block" for line in part]:
        if element.tag == "div":
            number += 1
            element.attrib.pop("style", None)
        elif number == opened:
            element.set("open", "")
        if first <= number <= last:
            block.append(element)
    block[0].set("style", f"counter-reset:line {first - 1}")
    yield block
