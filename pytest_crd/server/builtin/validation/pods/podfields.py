"""
Rules for one field of a Pod, and their words.

Reference:
    apimachinery pkg/util/validation; kubernetes pkg/apis/core/validation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd import lazyre
from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import Errors, ErrorType, FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.metadata import names
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin.validation import validatedwrites

Object: TypeAlias = Mapping[str, Any]
Problems: TypeAlias = Callable[[str], Iterable[str]]

NOT_NEGATIVE: Final = "must be greater than or equal to 0"
LARGEST_ID: Final = 2**31 - 1
_LARGEST_PORT: Final = 65535
_LONGEST_PORT_NAME: Final = 15
_PORT_LETTERS: Final = lazyre.compile("[-a-z0-9]+")
_HEADER: Final = lazyre.compile("[-A-Za-z0-9]+")
_UNDERSCORED: Final = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SEARCH: Final = lazyre.compile(rf"{_UNDERSCORED}(\.{_UNDERSCORED})*")
_SEARCH_WORDS: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start"
    f" and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SEARCH.pattern}')"
)
_PERCENT: Final = lazyre.compile("[0-9]+%")
_LONGEST_SUBDOMAIN: Final = 253


class Rules(NamedTuple):
    """
    The surroundings of a validated Pod.

    Attributes:
        profile: The Kubernetes version.
        is_pod: Whether the object is a Pod, not a template.
        name: The name of the Pod; empty in a template.
        annotations: The annotations of the Pod.
        sent: The whole object before it was decoded, with empty lists and maps, which are not stored.
    """

    profile: Profile
    is_pod: bool = False
    name: str = ""
    annotations: Mapping[str, str] = {}
    sent: Mapping[str, Any] = {}

    @property
    def minor(self) -> int:
        """The minor version of Kubernetes 1."""
        return self.profile.minor

    def sends_empty(self, path: FieldPath) -> bool:
        """Return whether the request has an empty list or map at a path, which Go distinguishes from an absent one."""
        value: Any = self.sent
        for step in path.steps:
            if isinstance(value, dict):
                value = value.get(str(step))
            else:
                value = value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else None
        return value in ([], {})

    def label(self, text: str) -> tuple[str, ...]:
        """Return the problems of a DNS label."""
        return names.dns1123_label(text, self.profile)

    def qualified(self, text: str) -> tuple[str, ...]:
        """Return the problems of a qualified name, such as a label key."""
        return names.label_key(text, self.profile)

    def value(self, text: str) -> tuple[str, ...]:
        """Return the problems of the value of a label."""
        return names.label_value(text, self.profile)


def validate_text(text: str, path: FieldPath, find_problems: Problems) -> Errors:
    """Yield an error for each problem of a text."""
    return (fielderror.invalid(path, text, problem) for problem in find_problems(text))


def validate_name(parent: Object, name: str, path: FieldPath, find_problems: Problems) -> Errors:
    """Yield the errors of a required text."""
    text = parent.get(name) or ""
    if not text:
        yield fielderror.required(path.child(name), "")
    else:
        yield from validate_text(text, path.child(name), find_problems)


def require(parent: Object, path: FieldPath, *fields: str, detail: str = "") -> Errors:
    """Yield an error for each field that is absent or empty."""
    return (fielderror.required(path.child(field), detail) for field in fields if not parent.get(field))


def refuse_negative(parent: Object, path: FieldPath, *fields: str) -> Errors:
    """Yield an error for each field with a negative number."""
    for field in fields:
        if (parent.get(field) or 0) < 0:
            yield fielderror.invalid(path.child(field), parent[field], NOT_NEGATIVE)


def limit(parent: Object, path: FieldPath, field: str, between: tuple[int, int], detail: str = "") -> Errors:
    """Yield the error of a number outside of a range."""
    low, high = between
    number = parent.get(field)
    if number is not None and not low <= number <= high:
        yield fielderror.invalid(path.child(field), number, detail or f"must be between {low} and {high}, inclusive")


def limit_id(parent: Object, path: FieldPath, *fields: str) -> Errors:
    """Yield an error for each field with a number that no user and no group has."""
    for field in fields:
        yield from limit(parent, path, field, (0, LARGEST_ID))


def choose(text: str, path: FieldPath, choices: Sequence[str], *, empty: str | None = "") -> Errors:
    """
    Yield the error of a text of a Go type of its own.

    Args:
        text: The text.
        path: Its path.
        choices: The texts that are allowed, in the order of the message.
        empty: The detail of the error of an empty text; None if it is no error of its own.
    """
    if not text and empty is not None:
        yield fielderror.required(path, empty)
    elif text not in choices:
        yield validatedwrites.unsupported_named(path, text, choices)


def choose_optional(parent: Object, path: FieldPath, field: str, choices: Sequence[str]) -> Errors:
    """Yield the error of a text that may be absent."""
    if parent.get(field) is not None:
        yield from choose(parent[field], path.child(field), choices, empty=None)


def find_port_problems(number: int) -> Iterator[str]:
    """Yield the problem of the number of a port."""
    if not 0 < number <= _LARGEST_PORT:
        yield f"must be between 1 and {_LARGEST_PORT}, inclusive"


def find_port_name_problems(name: str) -> Iterator[str]:
    """Yield the problems of the name of a port."""
    if len(name.encode()) > _LONGEST_PORT_NAME:
        yield f"must be no more than {_LONGEST_PORT_NAME} characters"
    if not _PORT_LETTERS.fullmatch(name):
        yield "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"
    if not any("a" <= letter <= "z" for letter in name):
        yield "must contain at least one letter (a-z)"
    if "--" in name:
        yield "must not contain consecutive hyphens"
    if name.startswith("-") or name.endswith("-"):
        yield "must not begin or end with a hyphen"


def validate_port(port: int | str, path: FieldPath) -> Errors:
    """Yield the errors of a port, by number or name."""
    problems = find_port_name_problems(port) if isinstance(port, str) else find_port_problems(port)
    return (fielderror.invalid(path, port, problem) for problem in problems)


def find_header_problems(name: str) -> Iterator[str]:
    """Yield the problem of the name of a header."""
    if not _HEADER.fullmatch(name):
        yield (
            "a valid HTTP header must consist of alphanumeric characters or '-'"
            f" (e.g. 'X-Header-Name', regex used for validation is '{_HEADER.pattern}')"
        )


def find_variable_problems(name: str) -> Iterator[str]:
    """Yield the problem of the name of an environment variable, which is not empty."""
    if any(not " " <= letter <= "~" or letter == "=" for letter in name):
        yield "a valid environment variable name must consist only of printable ASCII characters other than '='"


def find_search_problems(text: str) -> Iterator[str]:
    """Yield the problems of a search domain."""
    if len(text.encode()) > _LONGEST_SUBDOMAIN:
        yield f"must be no more than {_LONGEST_SUBDOMAIN} characters"
    if not _SEARCH.fullmatch(text):
        yield _SEARCH_WORDS


def find_percent_problems(text: str) -> Iterator[str]:
    """Yield the problem of a percentage."""
    if not _PERCENT.fullmatch(text):
        yield (
            "a valid percent string must be a numeric string followed by an ending '%'"
            f" (e.g. '1%',  or '93%', regex used for validation is '{_PERCENT.pattern}')"
        )


def refuse_steps_back(text: str, path: FieldPath) -> Errors:
    """Yield the error of a file path with an element `..`."""
    if ".." in text.split("/"):
        yield fielderror.invalid(path, text, "must not contain '..'")


def validate_descent(text: str, path: FieldPath) -> Errors:
    """Yield the errors of a file path that must stay below its folder."""
    if text.startswith("/"):
        yield fielderror.invalid(path, text, "must be a relative path")
    yield from refuse_steps_back(text, path)


def validate_local_path(text: str, path: FieldPath) -> Errors:
    """Yield the errors of a file path in a volume, which also may not start with two dots."""
    yield from validate_descent(text, path)
    if text.startswith("..") and not text.startswith("../"):
        yield fielderror.invalid(path, text, "must not start with '..'")


def containers(spec: Object, path: FieldPath) -> Iterator[tuple[Object, FieldPath]]:
    """Yield all containers of a Pod with their paths: init containers, containers, ephemeral ones."""
    for field in ("initContainers", "containers", "ephemeralContainers"):
        for place, container in enumerate(spec.get(field) or ()):
            yield container, path.child(field).index(place)


def not_found(path: FieldPath, text: str, detail: str = "") -> FieldError:
    """Return the error of a name that nothing has."""
    return FieldError(ErrorType.NOT_FOUND, str(path), text, detail, path=path)
