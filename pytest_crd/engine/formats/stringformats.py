"""
Checks of string formats by name, and warnings about unrecognized formats.

Number validation implements the number formats.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from pytest_crd import lazyimport
from pytest_crd.engine.golang import printing
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile

if TYPE_CHECKING:
    from pytest_crd.engine.formats import addresses, durationformat, emails
    from pytest_crd.engine.golang import urls
    from pytest_crd.engine.golang.regexp import patterns
else:
    addresses = lazyimport.module("pytest_crd.engine.formats.addresses")
    emails = lazyimport.module("pytest_crd.engine.formats.emails")
    durationformat = lazyimport.module("pytest_crd.engine.formats.durationformat")
    urls = lazyimport.module("pytest_crd.engine.golang.urls")
    patterns = lazyimport.module("pytest_crd.engine.golang.regexp.patterns")


FormatCheck: TypeAlias = Callable[[str], bool]
_NUMBER_FORMATS: Final[Mapping[str, frozenset[str]]] = {
    "integer": frozenset({"int32", "int64"}),
    "number": frozenset({"float", "double"}),
}


def check(name: str, profile: Profile) -> FormatCheck | None:
    """
    Return the predicate that checks a string for the format *name*; None if the version does not know the format.

    Args:
        name: `format` of a schema. The server ignores dashes: `date-time` is `datetime`.
        profile: The Kubernetes version.

    Returns:
        The predicate. An unknown format accepts every string.

    Reference:
        apiextensions-apiserver apiserver/validation/formats.go; kube-openapi pkg/validation/strfmt.
    """
    normalized = name.replace("-", "")
    if normalized in _KUBERNETES_NAMES and not profile.has_kubernetes_name_formats:
        return None
    return _checks(profile).get(normalized)


def is_recognized(name: str, schema_type: str, profile: Profile) -> bool:
    """
    Return whether the server checks the format *name* in a schema of *schema_type*, which is empty for untyped schemas.

    Reference:
        apiextensions-apiserver apiserver/validation/formats.go, StripUnsupportedFormatsPostProcessorForVersion.
    """
    if schema_type in {"", "string"} or not profile.checks_number_formats:
        return check(name, profile) is not None
    return is_number_format(name, schema_type)


def find_unrecognized(schemas: Iterable[Mapping[str, JSONValue]], profile: Profile) -> tuple[str, ...]:
    """
    Return the formats in schemas that the server warns about, without repetitions.

    Args:
        schemas: Flat sequence of schemas in the server's order (`subschemas.walk`); their subschemas are ignored.
        profile: The Kubernetes version.

    Returns:
        The formats as written, in the order of *schemas*. Empty if the version does not warn. A version that does not
        check number formats warns about schemas of type `string` only.

    Reference:
        apiextensions-apiserver registry/customresourcedefinition/strategy.go, getUnrecognizedFormatsInSchema.
    """
    names = (
        node["format"]
        for node in schemas
        if "format" in node
        and node["format"]
        and (profile.checks_number_formats or node.get("type") == "string")
        and not is_recognized(node["format"], node.get("type") or "", profile)
    )
    return tuple(dict.fromkeys(names)) if profile.warns_about_unrecognized_formats else ()


def warnings(
    schemas: Iterable[Mapping[str, JSONValue]], profile: Profile, *, old: Iterable[Mapping[str, JSONValue]] = ()
) -> tuple[str, ...]:
    """
    Return the warnings about unrecognized formats in the response to a CRD.

    Args:
        schemas: The schemas of all versions with their subschemas, flat and in the server's order.
        profile: The Kubernetes version.
        old: On update, the schemas of the stored CRD. Their formats cause no new warning.

    Reference:
        apiextensions-apiserver registry/customresourcedefinition/strategy.go, WarningsOnCreate and WarningsOnUpdate.
    """
    old_names = find_unrecognized(old, profile)
    new_names = (name for name in find_unrecognized(schemas, profile) if name not in old_names)
    return tuple(f"unrecognized format {printing.quote(name)}" for name in new_names)


def _matches(pattern: str) -> FormatCheck:
    """Return a predicate for full matches of *pattern*, which spells out Go's classes because Python's are wider."""

    @functools.cache
    def compiled() -> re.Pattern[str]:
        return re.compile(pattern)  # compiled on first use, because a session needs few of the formats

    return lambda text: compiled().fullmatch(text) is not None


def _octets(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _is_duration(text: str) -> bool:
    return durationformat.is_duration(text)


def _is_email(text: str) -> bool:
    return emails.is_address(text)


def _is_ipv4(text: str, *, leading_zeros: bool) -> bool:
    return addresses.is_ipv4(text, leading_zeros=leading_zeros)


def _is_ipv6(text: str) -> bool:
    return addresses.is_ipv6(text)


def _is_cidr(text: str, *, leading_zeros: bool) -> bool:
    return addresses.is_cidr(text, leading_zeros=leading_zeros)


def _is_mac(text: str) -> bool:
    return addresses.is_mac(text)


def _is_hostname(text: str) -> bool:
    # Go limits labels in bytes, the pattern in characters. The top-level domain has at least two characters.
    matches = patterns.compile(
        r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)"
        r"|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$"
    )
    return _octets(text) <= 255 and all(_octets(label) <= 63 for label in text.split(".")) and matches(text)


_is_day: Final = _matches(r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])")
_is_time: Final = _matches(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[^\n][0-9]+)?(?:[zZ]|[+-][0-9]{2}:[0-9]{2})")
_is_credit_card_number: Final = _matches(
    r"4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9]{2})[0-9]{12}|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}"
)
_is_social_security_number: Final = _matches(r"[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}")
_is_isbn10_number: Final = _matches(r"[0-9]{9}[0-9X]")
_is_isbn13_number: Final = _matches(r"[0-9]{13}")
_SHORT_MONTHS: Final = frozenset({4, 6, 9, 11})


def _is_date(text: str) -> bool:
    """Return whether *text* is a calendar date; Go also accepts the leap year 0000, which Python does not."""
    if not _is_day(text):
        return False
    year, month, day = map(int, text.split("-"))
    if month == 2:
        return day <= 28 + (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))
    return day <= 30 or month not in _SHORT_MONTHS


def _is_date_time(text: str) -> bool:
    """Return whether *text* is a date, a T and a time; the server ignores everything after a second T."""
    date, *times = re.split("[tT]", text, maxsplit=2)
    return bool(times) and _is_date(date) and _is_time(times[0])


def _is_uri(text: str, *, strict_colons: bool) -> bool:
    try:
        urls.parse_request_uri(text, strict_colons=strict_colons)
    except urls.UrlError:
        return False
    return True


def _is_credit_card(text: str) -> bool:
    """Return whether the digits of *text* are a card number with a valid Luhn check digit."""
    number = re.sub("[^0-9]+", "", text)
    doubled = [int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(number))]
    return _is_credit_card_number(number) and sum(value // 10 + value % 10 for value in doubled) % 10 == 0


def _is_social_security(text: str) -> bool:
    return len(text) == 11 and _is_social_security_number(text)


def _isbn_digits(text: str) -> str:
    return re.sub("[\t\n\f\r -]+", "", text)


def _is_isbn10(text: str) -> bool:
    digits = _isbn_digits(text)
    return _is_isbn10_number(digits) and not sum(i * (10 if c == "X" else int(c)) for i, c in enumerate(digits, 1)) % 11


def _is_isbn13(text: str) -> bool:
    digits = _isbn_digits(text)
    return _is_isbn13_number(digits) and not sum(int(digit) * (1, 3)[i % 2] for i, digit in enumerate(digits)) % 10


_CHANNEL: Final = "(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])"
_BLANKS: Final = "[\t\n\f\r ]*"
_NAME: Final = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_is_name: Final = _matches(_NAME)
_is_dotted_name: Final = _matches(rf"{_NAME}(?:\.{_NAME})*")
_KUBERNETES_NAMES: Final = frozenset({"k8sshortname", "k8slongname"})

_CHECKS: Final[dict[str, FormatCheck]] = {
    "bsonobjectid": _matches("[0-9A-Fa-f]{24}"),
    "byte": _matches("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"),
    "creditcard": _is_credit_card,
    "date": _is_date,
    "datetime": _is_date_time,
    "duration": _is_duration,
    "email": _is_email,
    "hexcolor": _matches("#?(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})"),
    "hostname": _is_hostname,
    "ipv6": _is_ipv6,
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "k8slongname": lambda text: len(text) <= 253 and _is_dotted_name(text),
    "k8sshortname": lambda text: len(text) <= 63 and _is_name(text),
    "mac": _is_mac,
    "password": lambda _: True,
    "rgbcolor": _matches(rf"rgb\({_BLANKS}{rf'{_BLANKS},{_BLANKS}'.join([_CHANNEL] * 3)}{_BLANKS}\)"),
    "ssn": _is_social_security,
    **{
        f"uuid{version}": _matches(
            rf"(?i:[0-9a-f]{{8}}-?[0-9a-f]{{4}}-?{third}[0-9a-f]{{3}}-?{fourth}[0-9a-f]{{3}}-?[0-9a-f]{{12}})"
        )
        for version, third, fourth in (
            ("", "[0-9a-f]", "[0-9a-f]"),
            ("3", "3", "[0-9a-f]"),
            ("4", "4", "[89ab]"),
            ("5", "5", "[89ab]"),
        )
    },
}


@functools.cache
def _checks(profile: Profile) -> Mapping[str, FormatCheck]:
    return _CHECKS | {
        "cidr": functools.partial(_is_cidr, leading_zeros=profile.ignores_leading_zeros_in_addresses),
        "ipv4": functools.partial(_is_ipv4, leading_zeros=profile.ignores_leading_zeros_in_addresses),
        "uri": functools.partial(_is_uri, strict_colons=profile.go.has_strict_colons),
    }


def is_number_format(name: str, schema_type: str) -> bool:
    """Return whether *name* is a format of the number type *schema_type*."""
    return name in _NUMBER_FORMATS.get(schema_type, ())
