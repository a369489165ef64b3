"""Random parts of a server's answer, and the placeholders for them in recorded answers."""

from __future__ import annotations

import json
import re
from typing import Final

from pytest_crd.engine.jsonvalue import JSONValue

# The last five characters of a generated name are random.
_GENERATED: Final = re.compile(r"(.+)[bcdfghjklmnpqrstvwxz2456789]{5}", re.DOTALL)
_SUFFIX: Final = "xxxxx"
# An address that Go prints for a pointer.
ADDRESS: Final = re.compile(r"\(0x[0-9a-f]+\)")
ANY_ADDRESS: Final = "(0xc000000000)"
# The name of an object's type in rules, with a number that is random for each compilation.
SELF_TYPE: Final = re.compile(r"selfType[0-9]+")
ANY_SELF_TYPE: Final = "selfType"
# The line in the server's source that creates its scheme.
SCHEME: Final = re.compile(r' in scheme \\*"[a-z/]+\.go:[0-9]+\\*"')


def without(status: JSONValue, sent: JSONValue) -> JSONValue:
    """Return the Status that answers the body *sent*, with placeholders for generated names, addresses and types."""
    text = json.dumps(status)
    name = status.get("details", {}).get("name", "")
    if is_generated(name, sent):
        # The name may be quoted in a text, but its end is the same.
        text = text.replace(name[-len(_SUFFIX) :], _SUFFIX)
    return json.loads(SCHEME.sub("", SELF_TYPE.sub(ANY_SELF_TYPE, ADDRESS.sub(ANY_ADDRESS, text))))


def of_patched(text: str) -> str:
    """Return a *text* that quotes a patched object, with placeholders for the metadata that a server sets."""
    for pattern, replacement in _SERVER_MADE:
        text = pattern.sub(replacement, text)
    return text


# Quoted once in a decoding error, and twice in a validation error.
_SERVER_MADE: Final = (
    (SCHEME, ""),
    (re.compile(r'(\\?"(?:creationTimestamp|lastTransitionTime)\\?":\\?")[0-9TZ:-]+'), r"\1*"),
    (re.compile(r'(\\?"resourceVersion\\?":\\?")[0-9]+'), r"\1*"),
    (re.compile(r'(\\?"uid\\?":\\?")[0-9a-f-]{36}'), r"\1*"),
    (re.compile(r'\\?"managedFields\\?":\[.*?\}\],(?=\\?"name\\?":)'), ""),
    (re.compile(r',\\?"managedFields\\?":\[.*?\}\](?=\},\\?"spec)'), ""),
)


def is_generated(name: str, sent: JSONValue) -> bool:
    """Return whether the server generated *name* for the body *sent*, a resource or its text."""
    text = sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False)
    match = _GENERATED.fullmatch(name)
    return (
        match is not None and "generateName" in text and name not in text and match[1].rstrip("\ufffd") in text
    )  # the cut may leave half a character
