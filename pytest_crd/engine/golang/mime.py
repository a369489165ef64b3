"""Parser of media types with the errors of Go's package `mime`."""

from __future__ import annotations

from typing import Final

from pytest_crd import lazyre
from pytest_crd.engine.golang import gostrings

_WORD: Final = r"[!#$%&'*+\-.^_`{|}~0-9A-Za-z]+"
_STARTS_WITH_WORD: Final = lazyre.compile(_WORD)
# In a quoted text, a backslash escapes special characters alone.
_SPECIAL: Final = r'[()<>@,;:\\"/\[\]?=]'
_QUOTED: Final = rf'"(?:[^"\\\r\n]|\\(?:{_SPECIAL}|(?!{_SPECIAL})))*+"'
_PARAMETER: Final = lazyre.compile(rf"\s*+;\s*+({_WORD})\s*+=\s*+({_WORD}|{_QUOTED})")
_REST: Final = lazyre.compile(r"\s*+(?:;\s*+)?")


class MediaTypeError(ValueError):
    """Text that Go refuses as a media type; the message is Go's."""


def parse_media_type(text: str) -> str:
    """
    Return the media type of a header `Content-Type` in lower case, without its parameters.

    Args:
        text: The value of the header.

    Raises:
        MediaTypeError: The media type or a parameter is malformed, or a parameter has two values.

    Reference:
        mime.ParseMediaType.
    """
    base = text.partition(";")[0]
    media_type = gostrings.trim_space(base.lower())
    if problem := _problem_of_type(media_type):
        raise MediaTypeError(f"mime: {problem}")
    position, parameters = len(base), dict[str, str]()
    while match := _PARAMETER.match(text, position):
        if parameters.setdefault(match[1].lower(), match[2]) != match[2]:
            raise MediaTypeError("mime: duplicate parameter name")
        position = match.end()
    if not _REST.fullmatch(text, position):
        raise MediaTypeError("mime: invalid media parameter")
    return media_type


def _problem_of_type(media_type: str) -> str:
    kind = _STARTS_WITH_WORD.match(media_type)
    if kind is None:
        return "no media type"
    rest = media_type[kind.end() :]
    if not rest:
        return ""
    if not rest.startswith("/"):
        return "expected slash after first token"
    subtype = _STARTS_WITH_WORD.match(rest, 1)
    if subtype is None:
        return "expected token after slash"
    return "" if subtype.end() == len(rest) else "unexpected content after media subtype"
