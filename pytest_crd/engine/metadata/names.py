"""Validation of names: DNS labels and subdomains, label keys and values, and path segments."""

from __future__ import annotations

import string
from typing import Final

from pytest_crd.engine.profile import Profile

_ALPHANUMERIC: Final = "must start and end with an alphanumeric character"
_DNS1123_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS1123_SUBDOMAIN: Final = rf"{_DNS1123_LABEL}(\.{_DNS1123_LABEL})*"
_DNS1035_LABEL: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_LABEL_KEY: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE: Final = f"({_LABEL_KEY})?"

_DNS1123_LABEL_WORDS: Final = (
    f"a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and {_ALPHANUMERIC}"
    f" (e.g. 'my-name',  or '123-abc', regex used for validation is '{_DNS1123_LABEL}')"
)
_DNS1123_SUBDOMAIN_WORDS: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and"
    f" {_ALPHANUMERIC} (e.g. 'example.com', regex used for validation is '{_DNS1123_SUBDOMAIN}')"
)
_DNS1035_LABEL_WORDS: Final = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and"
    f" end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '{_DNS1035_LABEL}')"
)
_LABEL_KEY_WORDS: Final = (
    f"must consist of alphanumeric characters, '-', '_' or '.', and {_ALPHANUMERIC}"
    f" (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_LABEL_KEY}')"
)
_LABEL_VALUE_WORDS: Final = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and"
    f" {_ALPHANUMERIC} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '{_LABEL_VALUE}')"
)

_LOWER: Final = frozenset(string.ascii_lowercase + string.digits + "-")
_LOWER_OR_DOT: Final = _LOWER | {"."}
_WORD: Final = frozenset(string.ascii_letters + string.digits + "-_.")


def dns1123_label(text: str, profile: Profile) -> tuple[str, ...]:
    """
    Return the problems of *text* as a DNS label (RFC 1123): at most 63 bytes, lower case, no dots.

    Errors:
        None; the details of errors, in the server's order.

    Reference:
        apimachinery util/validation/validation.go, IsDNS1123Label.
    """
    problems = _too_long(text, 63, "characters")
    if not _are_labels(text, _LOWER):
        dotted = profile.names_dots_in_labels and _are_labels(text, _LOWER_OR_DOT)
        problems += ("must not contain dots",) if dotted else (_DNS1123_LABEL_WORDS,)
    return problems


def dns1123_subdomain(text: str, *, unit: str = "characters") -> tuple[str, ...]:
    """
    Return the problems of *text* as a DNS subdomain (RFC 1123): labels joined by dots, at most 253 bytes.

    Args:
        text: The name.
        unit: The unit in the message about the length; bytes are counted in any case.

    Errors:
        None; the details of errors, in the server's order.

    Reference:
        apimachinery util/validation/validation.go, IsDNS1123Subdomain.
    """
    problems = _too_long(text, 253, unit)
    return problems if _are_labels(text, _LOWER_OR_DOT) else (*problems, _DNS1123_SUBDOMAIN_WORDS)


def dns1035_label(text: str) -> tuple[str, ...]:
    """
    Return the problems of *text* as a DNS label (RFC 1035), which begins with a letter.

    Errors:
        None; the details of errors, in the server's order.

    Reference:
        apimachinery util/validation/validation.go, IsDNS1035Label.
    """
    problems = _too_long(text, 63, "characters")
    is_label = _are_labels(text, _LOWER) and not text[0].isdecimal()
    return problems if is_label else (*problems, _DNS1035_LABEL_WORDS)


def label_key(text: str, profile: Profile) -> tuple[str, ...]:
    """
    Return the problems of *text* as a label key: a name, optionally after a DNS subdomain and a slash.

    Annotation keys (in lower case), finalizers, and the qualified names of older versions follow the same rule.

    Errors:
        None; the details of errors, in the server's order.

    Reference:
        apimachinery api/validate/content/kube.go, IsLabelKey; util/validation/validation.go, IsQualifiedName.
    """
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        called = "a valid label key" if profile.speaks_of_label_keys else "a qualified name"
        hint = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return (f"{called} {_LABEL_KEY_WORDS} {hint}",)
    unit = _unit(profile)
    problems: tuple[str, ...] = ()
    if slash:
        wrong = dns1123_subdomain(prefix, unit=unit) if prefix else ("must be non-empty",)
        problems = tuple(f"prefix part {problem}" for problem in wrong)
    wrong = _too_long(name, 63, unit) if name else ("must be non-empty",)
    if not _is_word(name):
        wrong += (_LABEL_KEY_WORDS,)
    return (*problems, *(f"name part {problem}" for problem in wrong))


def label_value(text: str, profile: Profile) -> tuple[str, ...]:
    """
    Return the problems of *text* as a label value: empty, or at most 63 bytes.

    Errors:
        None; the details of errors, in the server's order.

    Reference:
        apimachinery api/validate/content/kube.go, IsLabelValue.
    """
    problems = _too_long(text, 63, _unit(profile))
    return problems if not text or _is_word(text) else (*problems, _LABEL_VALUE_WORDS)


def path_segment(text: str) -> tuple[str, ...]:
    """
    Return the problems of *text* as a segment of a URL path; an empty text is accepted.

    Errors:
        None; the details of errors, in the server's order.

    Reference:
        apimachinery api/validate/content/path.go, IsPathSegmentName.
    """
    return (f"may not be '{text}'",) if text in (".", "..") else path_segment_prefix(text)


def path_segment_prefix(text: str) -> tuple[str, ...]:
    """
    Return the problems of *text* as the beginning of a segment of a URL path.

    Errors:
        None; the details of errors, in the server's order.

    Reference:
        apimachinery api/validate/content/path.go, IsPathSegmentPrefix.
    """
    return tuple(f"may not contain '{char}'" for char in "/%" if char in text)


def dns1123_subdomain_prefix(text: str) -> tuple[str, ...]:
    """
    Return the problems of *text* as a prefix of a generated DNS subdomain.

    Errors:
        None; the details of errors, in the server's order.

    Reference:
        apimachinery api/validation/generic.go, NameIsDNSSubdomain with a prefix, which masks the character before a trailing dash, too.
    """
    return dns1123_subdomain(without_trailing_dash(text))


def without_trailing_dash(text: str) -> str:
    """
    Return *text* with an `a` in place of a trailing dash and the character before it.

    Reference:
        apimachinery api/validation/generic.go, maskTrailingDash.
    """
    if text.endswith("-") and len(text) > 1:
        return (text.encode()[:-2] + b"a").decode(errors="replace")
    return text


def lower(text: str) -> str:
    """
    Return *text* in lower case as Go computes it, character by character: a capital I with a dot becomes a plain i.

    Reference:
        strings.ToLower.
    """
    return text.replace("\u0130", "i").lower()


def _are_labels(text: str, allowed: frozenset[str]) -> bool:
    """Return whether *text* is DNS labels joined by dots, from *allowed* characters: a pattern would be compiled for a few names."""
    dotted = f".{text}."
    return allowed.issuperset(text) and ".." not in dotted and ".-" not in dotted and "-." not in dotted


def _is_word(text: str) -> bool:
    """Return whether *text* is a label key without prefix, or a label value that is not empty."""
    return _WORD.issuperset(text) and text[:1].isalnum() and text[-1:].isalnum()


def _unit(profile: Profile) -> str:
    return "bytes" if profile.speaks_of_label_keys else "characters"


def _too_long(text: str, limit: int, unit: str) -> tuple[str, ...]:
    return (f"must be no more than {limit} {unit}",) if len(text.encode(errors="surrogateescape")) > limit else ()
