"""
Formats of strings: which ones the server checks, what each of them accepts, and which names it warns about.

What a format means for numbers is decided where numbers are validated.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from pytest_crd.engine.formats import addresses, durationformat, emails, numberformats
from pytest_crd.engine.golang import printing, urls
from pytest_crd.engine.golang.regexp import patterns
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.profile import Profile

FormatCheck: TypeAlias = Callable[[str], bool]


def check(name: str, profile: Profile) -> FormatCheck | None:
    """
    Return the function that says whether a string has the format *name*.

    Args:
        name: `format` of a schema; the server does not look at its dashes, so that `date-time` is `datetime`.
        profile: The Kubernetes version.

    Returns:
        None where the version does not know the format, whose validation then accepts everything.

    Reference:
        apiextensions-apiserver apiserver/validation/formats.go; kube-openapi pkg/validation/strfmt.
    """
    normalized = name.replace("-", "")
    if normalized in _KUBERNETES_NAMES and not profile.has_kubernetes_name_formats:
        return None
    return _checks(profile).get(normalized)


def is_recognized(name: str, schema_type: str, profile: Profile) -> bool:
    """
    Return whether the server checks the format *name* in a schema of *schema_type*, empty where it states none.

    Reference:
        apiextensions-apiserver apiserver/validation/formats.go, StripUnsupportedFormatsPostProcessorForVersion.
    """
    if schema_type in {"", "string"} or not profile.checks_number_formats:
        return check(name, profile) is not None
    return numberformats.is_recognized(name, schema_type)


def unrecognized(held: Iterable[Mapping[str, JSONValue]], profile: Profile) -> tuple[str, ...]:
    """
    Return the formats in schemas that the server does not check and says so, each once.

    Args:
        held: Schemas, each without those in it (`nodes.walk`).
        profile: The Kubernetes version.

    Returns:
        The formats as they are written, in the order in which the server meets them; where it meets the entries of a
        map at random, by name. Nothing where the version does not warn; a version that checks no number formats warns
        only where the type is `string`.

    Reference:
        apiextensions-apiserver registry/customresourcedefinition/strategy.go, getUnrecognizedFormatsInSchema.
    """
    found = (
        node["format"]
        for node in held
        if node.get("format")
        and (profile.checks_number_formats or node.get("type") == "string")
        and not is_recognized(node["format"], node.get("type") or "", profile)
    )
    return tuple(dict.fromkeys(found)) if profile.warns_about_unrecognized_formats else ()


def warnings(
    held: Iterable[Mapping[str, JSONValue]], profile: Profile, *, old: Iterable[Mapping[str, JSONValue]] = ()
) -> tuple[str, ...]:
    """
    Return the warnings about unrecognized formats that accompany the answer to a CRD.

    Args:
        held: The schemas of all its versions and those in them, in order.
        profile: The Kubernetes version.
        old: On update, those of the stored CRD, of whose formats nobody is warned again.

    Reference:
        apiextensions-apiserver registry/customresourcedefinition/strategy.go, WarningsOnCreate and WarningsOnUpdate.
    """
    known = unrecognized(old, profile)
    new = (name for name in unrecognized(held, profile) if name not in known)
    return tuple(f"unrecognized format {printing.quote(name)}" for name in new)


def _matches(pattern: str) -> FormatCheck:
    """Return a check against all of a text; the classes in it are written out, for Python's are wider than Go's."""

    @functools.cache
    def compiled() -> re.Pattern[str]:
        return re.compile(pattern)  # when the first text is checked: few of the formats are

    return lambda text: compiled().fullmatch(text) is not None


def _octets(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _is_hostname(text: str) -> bool:
    # Labels are counted in bytes; the pattern counts characters. The top-level domain has two characters at least.
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
    """Return whether *text* is a day of the calendar; other than to Python, to Go there is a (leap) year 0000."""
    if not _is_day(text):
        return False
    year, month, day = map(int, text.split("-"))
    if month == 2:
        return day <= 28 + (year % 4 == 0 and (year % 100 != 0 or year % 400 == 0))
    return day <= 30 or month not in _SHORT_MONTHS


def _is_date_time(text: str) -> bool:
    """Return whether *text* is a date, a T and a time; what follows a second T does not matter to the server."""
    date, *times = re.split("[tT]", text, maxsplit=2)
    return bool(times) and _is_date(date) and _is_time(times[0])


def _is_uri(text: str, *, strict_colons: bool) -> bool:
    try:
        urls.parse_request_uri(text, strict_colons=strict_colons)
    except urls.UrlError:
        return False
    return True


def _is_credit_card(text: str) -> bool:
    """Return whether the digits in *text*, whatever stands between them, are a card number with Luhn's check digit."""
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
    "duration": durationformat.is_duration,
    "email": emails.is_address,
    "hexcolor": _matches("#?(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})"),
    "hostname": _is_hostname,
    "ipv6": addresses.is_ipv6,
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "k8slongname": lambda text: len(text) <= 253 and _is_dotted_name(text),
    "k8sshortname": lambda text: len(text) <= 63 and _is_name(text),
    "mac": addresses.is_mac,
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
        "cidr": functools.partial(addresses.is_cidr, leading_zeros=profile.ignores_leading_zeros_in_addresses),
        "ipv4": functools.partial(addresses.is_ipv4, leading_zeros=profile.ignores_leading_zeros_in_addresses),
        "uri": functools.partial(_is_uri, strict_colons=profile.go.has_strict_colons),
    }
