"""
Validation as data: tables of fields with their rules, and the rules.

`table` reads a table of a kind; `fields` reads one of a nested object. Fields and their rules are in the order of a server's errors. A rule accepts
an absent value, unless its docstring says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pytest_crd import lazyre
from pytest_crd.engine.errors import badvalues, fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.golang import structs
from pytest_crd.engine.golang.gotypes import GoType, List, Pointer, Struct
from pytest_crd.engine.metadata import labelselectors, names, objectmetarules
from pytest_crd.engine.metadata.objectmetarules import ObjectNaming
from pytest_crd.engine.profile import Profile
from pytest_crd.server.builtin import builtingotypes
from pytest_crd.server.builtin.validation import validatedwrites
from pytest_crd.server.builtin.validation.validatedwrites import ROOT, Validate, ValidatedWrite


class Site(NamedTuple):
    """
    A field of an object under validation.

    Attributes:
        path: Its path.
        value: Its value; None if it is absent.
        old: Its value in the stored object; None if it is absent, on create, and inside of a list.
        write: The write of the object.
    """

    path: FieldPath
    value: Any
    old: Any
    write: ValidatedWrite

    @classmethod
    def of_part(cls, path: FieldPath, value: Any, profile: Profile) -> Site:
        """Return the site of a part of a new object, for rules that read no other part."""
        naming = ObjectNaming(objectmetarules.DNS_SUBDOMAIN, namespaced=True)
        return Site(path, value, None, ValidatedWrite({}, None, {}, "", "", naming, profile))

    @property
    def profile(self) -> Profile:
        """The Kubernetes version."""
        return self.write.profile

    @property
    def sent(self) -> Any:
        """Its value in the request, which can be an empty list that decoding drops; None if it is absent."""
        value: Any = self.write.sent
        for step in self.path.steps:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def child(self, *steps: str) -> Site:
        """Return the site of a nested field."""
        value, old = self.value, self.old
        for step in steps:
            value, old = (value or {}).get(step), (old or {}).get(step)
        return Site(self.path.child(*steps), value, old, self.write)

    def item(self, place: int) -> Site:
        """Return the site of an item of the list."""
        return Site(self.path.index(place), self.value[place], None, self.write)

    def invalid(self, detail: str) -> FieldError:
        """Return an Invalid error about the value: a text, a number or a bool."""
        return fielderror.invalid(self.path, self.value, detail)


_PERCENT: Final = lazyre.compile("[0-9]+%")
_NO_PERCENT: Final = (
    "a valid percent string must be a numeric string followed by an ending '%'"
    " (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"
)
Rule: TypeAlias = Callable[[Site], Iterable[FieldError]]
# Rules by field; a field with dots is nested, and an empty one is the object itself.
Rows: TypeAlias = "Mapping[str, Rule | Sequence[Rule]]"


def table(rows: Rows) -> Validate:
    """Return the validation of an object by the rules of its fields."""
    rule = fields(rows)
    return lambda write: [*rule(Site(ROOT, write.new, write.old, write))]


def fields(rows: Rows) -> Rule:
    """Return a rule for an object by the rules of its fields; absent objects are read as empty ones."""
    flat = [
        (tuple(filter(None, name.split("."))), rule)
        for name, rules in rows.items()
        for rule in ((rules,) if callable(rules) else rules)
    ]
    return lambda site: (error for steps, rule in flat for error in rule(site.child(*steps) if steps else site))


def present(*rules: Rule) -> Rule:
    """Return rules for a value that is not absent."""
    return when(lambda site: site.value is not None, *rules)


def when(applies: Callable[[Site], Any], *rules: Rule) -> Rule:
    """Return rules that apply under a condition."""
    return lambda site: (error for rule in rules for error in rule(site)) if applies(site) else ()


def first(*rules: Rule) -> Rule:
    """Return a rule with the errors of the first of several rules that fails."""

    def check(site: Site) -> Iterable[FieldError]:
        return next((errors for rule in rules if (errors := [*rule(site)])), ())

    return check


def each(*rules: Rule) -> Rule:
    """Return a rule for a list: all rules for each item."""

    def check(site: Site) -> Iterator[FieldError]:
        for place in range(len(site.value or ())):
            item = site.item(place)
            for rule in rules:
                yield from rule(item)

    return check


def items(value: Mapping[str, Any], *steps: str) -> Sequence[Any]:
    """Return a nested list; empty if it is absent."""
    for step in steps:
        value = value.get(step) or {}
    return [*value]


def required(detail: str = "") -> Rule:
    """Return a rule that refuses an absent or empty value."""
    return lambda site: () if site.value or site.value is False else (fielderror.required(site.path, detail),)


def forbidden(detail: str) -> Rule:
    """Return a rule that refuses any value."""
    return lambda site: () if site.value is None else (fielderror.forbidden(site.path, detail),)


def choice(*values: str, takes_empty: bool = False) -> Rule:
    """Return a rule that requires a listed text; *takes_empty* also accepts an empty or absent text."""

    def check(site: Site) -> Iterable[FieldError]:
        text = site.value or ""
        if text in values or (takes_empty and not text):
            return ()
        return (validatedwrites.unsupported_named(site.path, text, values),)

    return check


def text(find_problems: Callable[[str], Iterable[str]]) -> Rule:
    """Return a rule that refuses a text with problems; an absent text is accepted, an empty one is not."""
    return lambda site: () if site.value is None else (site.invalid(detail) for detail in find_problems(site.value))


def text_by_version(find_problems: Callable[[str, Profile], Iterable[str]]) -> Rule:
    """Return the same rule as `text` for problems that depend on the Kubernetes version."""
    return lambda site: text(lambda value: find_problems(value, site.profile))(site)


LABEL: Final = text_by_version(names.dns1123_label)
SUBDOMAIN: Final = text(names.dns1123_subdomain)
QUALIFIED_NAME: Final = text_by_version(names.label_key)


def labels(site: Site) -> Iterable[FieldError]:
    """Validate a map of labels."""
    return objectmetarules.validate_labels(site.value or {}, site.path, site.profile)


def selector(site: Site) -> Iterable[FieldError]:
    """Validate a label selector."""
    return labelselectors.validate(site.value or {}, site.path, site.profile)


def number(low: int, high: int | None = None, detail: str = "") -> Rule:
    """Return a rule for a number with a lowest and a highest value; by default with the words of the server."""
    words = detail or (
        f"must be between {low} and {high}, inclusive"
        if high is not None
        else f"must be greater than {'or equal to 0' if low == 0 else low - 1}"
    )

    def check(site: Site) -> Iterable[FieldError]:
        value = site.value
        is_fine = value is None or (low <= value and (high is None or value <= high))
        return () if is_fine else (site.invalid(words),)

    return check


def number_or_percent(site: Site) -> Iterable[FieldError]:
    """Refuse a negative number, and a text that is no percentage."""
    if not isinstance(site.value, str):
        return number(0)(site)
    return () if _PERCENT.fullmatch(site.value) else (_invalid_text(site, _NO_PERCENT),)


def at_most_100_percent(site: Site) -> Iterable[FieldError]:
    """Refuse a percentage over 100 %."""
    value = site.value
    is_over = isinstance(value, str) and _PERCENT.fullmatch(value) and int(value[:-1]) > 100
    return (_invalid_text(site, "must not be greater than 100%"),) if is_over else ()


def _invalid_text(site: Site, detail: str) -> FieldError:
    """Return an Invalid error about the text of a Go type that can also be a number."""
    return validatedwrites.invalid_named(site.path, site.value, detail)


def unique(field: str = "", key: Callable[[Any], Hashable] = lambda value: value, *, is_named: bool = False) -> Rule:
    """
    Return a rule for a list that refuses repetitions of a field of its items.

    Args:
        field: The field; empty for the items themselves. Absent ones are not compared.
        key: Returns the value to compare.
        is_named: Whether the values are texts of a Go type of their own, which errors print as JSON.
    """

    def check(site: Site) -> Iterator[FieldError]:
        used = set()
        for place in range(len(site.value or ())):
            item = site.item(place).child(*filter(None, (field,)))
            if item.value is None:
                continue
            if key(item.value) in used:
                error = fielderror.duplicate(item.path, item.value)
                yield validatedwrites.reprinted(error) if is_named else error
            used.add(key(item.value))

    return check


def immutable(site: Site) -> Iterable[FieldError]:
    """Refuse a change, by the semantic equality of the field's Go type; accept any value on create."""
    if site.write.old is None or site.value == site.old:
        return ()
    kind = type_of(site)
    if structs.equal(site.value, site.old, kind):
        return ()
    return (refuse_value(site, validatedwrites.IMMUTABLE),)


def declared_immutable(site: Site) -> Iterable[FieldError]:
    """Refuse a change as the generated validation does, which prints null."""
    errors = immutable(site)
    return (badvalues.invalid_as(site.path, None, "null", validatedwrites.IMMUTABLE),) if errors else ()


def refuse_value(site: Site, detail: str) -> FieldError:
    """Return an Invalid error that prints the value by its Go type."""
    kind = type_of(site)
    bare = kind.to if isinstance(kind, Pointer) and site.value is not None else kind
    value = bare.zero if site.value is None else site.value
    if bare.name == "string" or isinstance(value, int):
        return fielderror.invalid(site.path, value, detail)
    return badvalues.invalid_of_type(site.path, site.value, kind, detail, site.profile)


def type_of(site: Site) -> GoType:
    """Return the Go type of a field."""
    write = site.write
    kind: GoType = builtingotypes.of_kind(write.api_version, write.new["kind"], write.profile)
    for step in site.path.steps:
        if isinstance(kind, Pointer):
            kind = kind.to
        if isinstance(kind, List):
            kind = kind.item
        else:
            assert isinstance(kind, Struct)  # noqa: S101 - tables name fields of structs
            kind = kind.fields[str(step)]
    return kind
