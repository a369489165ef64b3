"""Parts of an answer that a server makes up at random, and what stands in their place in a recorded one."""

from __future__ import annotations

import json
import re
from typing import Any, Final

JSONValue = Any

# The server makes up the last five characters of a generated name.
_GENERATED: Final = re.compile(r"(.+)[bcdfghjklmnpqrstvwxz2456789]{5}", re.DOTALL)
_SUFFIX: Final = "xxxxx"
# Where Go keeps what it prints as a pointer.
ADDRESS: Final = re.compile(r"\(0x[0-9a-f]+\)")
ANY_ADDRESS: Final = "(0xc000000000)"
# The server numbers the types of objects that rules speak of at random, anew for each compilation.
SELF_TYPE: Final = re.compile(r"selfType[0-9]+")
ANY_SELF_TYPE: Final = "selfType"
# The line of the server's source that makes its list of kinds.
SCHEME: Final = re.compile(r' in scheme \\*"[a-z/]+\.go:[0-9]+\\*"')


def without(status: JSONValue, sent: JSONValue) -> JSONValue:
    """Return the Status that answers what was *sent* with one suffix for all generated names, one address and one type."""
    text = json.dumps(status)
    name = status.get("details", {}).get("name", "")
    if is_generated(name, sent):
        # It stands in the texts bare or quoted, but its end is the same in both.
        text = text.replace(name[-len(_SUFFIX) :], _SUFFIX)
    return json.loads(SCHEME.sub("", SELF_TYPE.sub(ANY_SELF_TYPE, ADDRESS.sub(ANY_ADDRESS, text))))


def of_patched(text: str) -> str:
    """Return a *text* that quotes a patched object without what a server made of it."""
    for pattern, put_in in _MADE:
        text = pattern.sub(put_in, text)
    return text


# Quoted once, where a message says what cannot be decoded, and twice, where it says what is invalid.
_MADE: Final = (
    (SCHEME, ""),
    (re.compile(r'(\\?"(?:creationTimestamp|lastTransitionTime)\\?":\\?")[0-9TZ:-]+'), r"\1*"),
    (re.compile(r'(\\?"resourceVersion\\?":\\?")[0-9]+'), r"\1*"),
    (re.compile(r'(\\?"uid\\?":\\?")[0-9a-f-]{36}'), r"\1*"),
    (re.compile(r'\\?"managedFields\\?":\[.*?\}\],(?=\\?"name\\?":)'), ""),
    (re.compile(r',\\?"managedFields\\?":\[.*?\}\](?=\},\\?"spec)'), ""),
)


def is_generated(name: str, sent: JSONValue) -> bool:
    """Whether the server made *name* up for what was *sent*, a resource or its text."""
    text = sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False)
    match = _GENERATED.fullmatch(name)
    return (
        match is not None and "generateName" in text and name not in text and match[1].rstrip("\ufffd") in text
    )  # half a character
