"""
Documents of YAML that have nothing unusual in them: what was read of one is kept by its text.

Whoever finds the same text again needs no parser, which takes as long to load as a text of 3,000 lines to read.
"""

from __future__ import annotations

from typing import Final

from pytest_crd import contentcache
from pytest_crd.contentcache import ContentCache
from pytest_crd.engine.text.plaindocument import PlainDocument

_PLAIN: Final = "plain document"


def load(text: str, cache: ContentCache | None = None) -> PlainDocument | None:
    """
    Return the first document of *text*, or None where the complete way has to be taken.

    Args:
        text: YAML, without a byte order mark.
        cache: Where it is kept; None where it is not.

    Raises:
        UnreadableError: The server could not read it though libyaml can.
    """
    if cache is None:
        return _read(text)
    digest = contentcache.digest(text.encode(errors="surrogatepass"))
    if (known := cache.known_whole(_PLAIN, digest)) is not None:
        return PlainDocument(*known)
    if (found := _read(text)) is not None:
        cache.keep_whole(found, _PLAIN, digest)
    return found


def _read(text: str) -> PlainDocument | None:
    from pytest_crd.engine.text import yamlplain  # noqa: PLC0415 - what is known needs no parser

    return yamlplain.load(text)
