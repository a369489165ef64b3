"""Field managers, and their entries in `metadata.managedFields`."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Mapping
from json.encoder import encode_basestring
from typing import Final, NamedTuple, NoReturn

from pytest_crd import lazyre
from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.golang import printing
from pytest_crd.engine.golang.printing import quote
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.fieldmanager import fieldsets, pathelements
from pytest_crd.engine.registry.fieldmanager.fieldsets import FieldSet
from pytest_crd.engine.registry.fieldmanager.pathelements import FIELD, INDEX, KEY, PathElement

APPLY: Final = "Apply"
UPDATE: Final = "Update"
_FIELDS_V1: Final = "FieldsV1"
_SELF: Final = "."
_LEAST: Final = 2
_BLANKS: Final = " \t\n\r"
_INTEGER: Final = lazyre.compile(r"[+-]?[0-9]+", re.ASCII)
# Shared forms are forgotten beyond this number of keys: forty objects with lists of 500 items have as many.
_MOST_KEYS: Final = 20_000


class BrokenEntriesError(ValueError):
    """Malformed entries, with the server's message."""


class Manager(NamedTuple):
    """
    A manager of fields; its identity includes the operation, the version and the subresource.

    Attributes:
        name: The name.
        operation: `Apply` or `Update`.
        api_version: The version of an update; empty for an apply, which is the same in all versions.
        subresource: The subresource; empty for the object.
    """

    name: str
    operation: str
    api_version: str = ""
    subresource: str = ""

    @property
    def identifier(self) -> str:
        """
        The server's identifier and sort key of the manager.

        Reference:
            apimachinery managedfields/internal/managedfields.go, BuildManagerIdentifier.
        """
        parts = {
            "manager": self.name,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "subresource": self.subresource,
        }
        return "{" + ",".join(f'"{key}":{printing.marshal(text)}' for key, text in parts.items() if text) + "}"

    @property
    def printed(self) -> str:
        """
        The manager as printed in conflicts.

        Reference:
            apimachinery managedfields/internal/conflict.go, printManager.
        """
        within = f" with subresource {quote(self.subresource)}" if self.subresource else ""
        using = f" using {self.api_version}" if self.operation == UPDATE else ""
        return quote(self.name) + within + using


class Owned(NamedTuple):
    """
    The fields of a manager.

    Attributes:
        fields: The fields.
        api_version: The version in which the fields are recorded.
        applied: Whether an apply set them.
    """

    fields: FieldSet
    api_version: str
    applied: bool


class Managed(NamedTuple):
    """
    The managers of an object with their fields and times.

    Attributes:
        owners: The fields of each manager.
        times: The time of each manager's last write; managers without a time are absent.
    """

    owners: Mapping[Manager, Owned]
    times: Mapping[Manager, str]


NOBODY: Final = Managed({}, {})


def read(
    entries: Iterable[Mapping[str, JSONValue]], *, ignores_rest: bool = False, forms: SharedForms | None = None
) -> Managed:
    """
    Return the managers in the entries of an object.

    Args:
        entries: Decoded entries.
        ignores_rest: Whether text after the JSON of a key is ignored.
        forms: The forms that earlier calls have shared; None for new ones.

    Raises:
        BrokenEntriesError: An entry is malformed.

    Reference:
        apimachinery managedfields/internal/managedfields.go, DecodeManagedFields.
    """
    owners: dict[Manager, Owned] = {}
    times: dict[Manager, str] = {}
    for position, entry in enumerate(entries):
        operation = entry.get("operation") or ""
        _check(entry, operation, position)
        version = entry["apiVersion"]
        manager = Manager(
            entry.get("manager") or "", operation, "" if operation == APPLY else version, entry.get("subresource") or ""
        )
        try:
            fields = read_fields(entry.get("fieldsV1"), ignores_rest=ignores_rest, forms=forms)
        except BrokenError as error:
            raise BrokenEntriesError(
                f"error decoding versioned set from {entry}: error decoding set: {error}"
            ) from None
        owners[manager] = Owned(fields, version, operation == APPLY)
        if entry.get("time") is not None:
            times[manager] = entry["time"]
        else:
            times.pop(manager, None)
    return Managed(owners, times)


def _check(entry: Mapping[str, JSONValue], operation: str, position: int) -> None:
    if operation not in (APPLY, UPDATE):
        raise BrokenEntriesError("operation must be `Apply` or `Update`")
    if not entry.get("apiVersion"):
        raise BrokenEntriesError("apiVersion must not be empty")
    fields_type = entry.get("fieldsType") or ""
    if not fields_type:
        raise BrokenEntriesError(f"missing fieldsType in managed fields entry {position}")
    if fields_type != _FIELDS_V1:
        raise BrokenEntriesError(f"invalid fieldsType {quote(fields_type)} in managed fields entry {position}")


def write(managed: Managed, forms: SharedForms | None = None) -> list[dict[str, JSONValue]]:
    """
    Return the entries of managers: applies first, then by time.

    Args:
        managed: The managers.
        forms: The forms that earlier calls have shared, with which the entries share equal parts; None for new ones.

    Reference:
        apimachinery managedfields/internal/managedfields.go, encodeManagedFields.
    """
    forms = forms or SharedForms()
    entries = [_entry(manager, owned, managed.times.get(manager), forms) for manager, owned in managed.owners.items()]
    return sorted(entries, key=_order)


def _entry(manager: Manager, owned: Owned, time: str | None, forms: SharedForms) -> dict[str, JSONValue]:
    fields = write_fields(owned.fields, forms)
    whole: dict[str, JSONValue] = {
        "manager": manager.name,
        "operation": APPLY if owned.applied else manager.operation,
        "apiVersion": owned.api_version,
        "time": time,
        "fieldsType": _FIELDS_V1,
        "fieldsV1": fields,
        "subresource": manager.subresource,
    }
    entry = {key: value for key, value in whole.items() if value not in (None, "")}
    return forms.share(entry, (*entry, *{**entry, "fieldsV1": id(fields)}.values()))


def paths(managed: Managed) -> dict[str, tuple[OwnedPath, ...]]:
    """Return the sorted fields of each manager by its name, spelled as in errors, joined over its operations and subresources."""
    paths_by_name: dict[str, set[OwnedPath]] = {}
    for manager, owned in managed.owners.items():
        paths_by_name.setdefault(manager.name, set()).update(map(pathelements.owned, owned.fields))
    return {name: tuple(sorted(name_paths)) for name, name_paths in sorted(paths_by_name.items())}


def _order(entry: Mapping[str, JSONValue]) -> tuple[str, ...]:
    # Times in UTC sort as texts, an absent time first.
    return tuple([entry.get(key, "") for key in ("operation", "time", "manager", "apiVersion", "subresource")])


class BrokenError(ValueError):
    """A malformed FieldsV1 value."""


class SharedForms:
    """
    Managed fields in which equal parts are one object: the items of a list, and the objects of a resource.

    A server holds these parts once, whatever the number of objects, and reads them once. Threads may share forms.

    Attributes:
        shared: The shared parts by their identities.
    """

    def __init__(self) -> None:
        """Start without forms."""
        self.shared: dict[int, _Shared] = {}
        self._by_content: dict[tuple[str | int, ...], dict[str, JSONValue]] = {}
        self._keys = 0

    def share(self, form: dict[str, JSONValue], content: tuple[str | int, ...]) -> dict[str, JSONValue]:
        """
        Return the shared form with the same content as *form*, or *form* itself.

        Args:
            form: An entry, or a form in one.
            content: Its keys, and its values: texts, and the identities of shared forms.
        """
        shared = self._by_content.setdefault(content, form)
        if shared is form:
            self._keys += len(form)
            if self._keys > _MOST_KEYS:
                self._by_content, self.shared, self._keys = {content: form}, {}, len(form)
            self.shared[id(form)] = _Shared(form)
        return shared


class _Shared:
    """A shared form, and the result of reading it: None before."""

    __slots__ = ("fields", "form")

    def __init__(self, form: JSONValue) -> None:
        self.form = form  # no other object gets its identity
        self.fields: tuple[FieldSet | None, bool] | None = None


def write_fields(fields: FieldSet, forms: SharedForms | None = None) -> dict[str, JSONValue]:
    """
    Return the FieldsV1 form of a set.

    Args:
        fields: The set.
        forms: The forms that earlier calls have shared; None for new ones.

    Reference:
        structured-merge-diff fieldpath/serialize.go, emitContentsV1.
    """
    forms = forms or SharedForms()
    return _write(fields, forms, forms.share({}, ()), is_member=False)


def _write(fields: FieldSet, forms: SharedForms, nothing: JSONValue, *, is_member: bool) -> dict[str, JSONValue]:
    """Return the form of a set below a field, which may be a member itself; *nothing* is the form of the empty set."""
    elements = sorted(fields.members | fields.children.keys())
    written: dict[str, JSONValue] = {_SELF: nothing} if is_member and elements else {}
    for element in elements:
        text = f"f:{element[1]}" if element[0] == FIELD else text_of(element)
        below = fields.children.get(element)
        is_below = element in fields.members
        written[text] = nothing if below is None else _write(below, forms, nothing, is_member=is_below)
    return forms.share(written, (*written, *map(id, written.values())))


def read_fields(written: JSONValue, *, ignores_rest: bool = False, forms: SharedForms | None = None) -> FieldSet:
    """
    Return the set of a FieldsV1 value; elements of unknown kinds are dropped.

    Args:
        written: A JSON object; null is an empty set.
        ignores_rest: Whether text after the JSON of a key is ignored.
        forms: The forms that earlier calls have shared; None for new ones.

    Raises:
        BrokenError: The value or a key is malformed.

    Reference:
        structured-merge-diff fieldpath/serialize.go, readIterV1.
    """
    parse_element = functools.partial(element_of, ignores_rest=True) if ignores_rest else element_of
    fields, _ = _read(written, parse_element, forms or SharedForms())
    return fieldsets.EMPTY if fields is None else fields


def _read(
    written: JSONValue, parse_element: Callable[[str], PathElement | None], forms: SharedForms
) -> tuple[FieldSet | None, bool]:
    """Return the set below a field (None if it is empty), and whether the field itself is a member."""
    shared = forms.shared.get(id(written))
    if shared is not None and shared.fields is not None:
        return shared.fields
    if written is not None and not isinstance(written, dict):
        raise BrokenError("expected a JSON object")
    members: set[PathElement] = set()
    children: dict[PathElement, FieldSet] = {}
    is_member = False
    for text, value in (written or {}).items():
        if text == _SELF:
            is_member = True
            continue
        # Most elements are fields, and most of these have nothing below.
        element = (FIELD, text[2:]) if text.startswith("f:") else parse_element(text)
        if element is not None:
            below, is_child_member = (None, True) if value == {} else _read(value, parse_element, forms)
            if is_child_member:
                members.add(element)
            if below is not None:
                children[element] = below
    fields = (FieldSet(members, children), is_member) if members or children else (None, True)
    if shared is not None:
        shared.fields = fields
    return fields


def element_of(text: str, *, ignores_rest: bool = False) -> PathElement | None:
    """
    Return the element of a key; None if its kind is unknown.

    Args:
        text: The key.
        ignores_rest: Whether text after its JSON is ignored.

    Raises:
        BrokenError: The key is malformed.

    Reference:
        structured-merge-diff fieldpath/serialize-pe.go, DeserializePathElement.
    """
    if len(text.encode(errors="surrogatepass")) < _LEAST:
        raise BrokenError("key must be 2 characters long:")
    kind, colon, rest = text[0], text[1:2], text[2:]
    if colon != ":":
        raise BrokenError(f"missing colon: {text}")
    if kind == "f":
        return pathelements.field(rest)
    if kind == "v":
        return pathelements.value(_json(rest, ignores_rest=ignores_rest))
    if kind == "k":
        return _key(_json(rest, ignores_rest=ignores_rest))
    if kind == "i":
        if not _INTEGER.fullmatch(rest):
            raise BrokenError(f"strconv.Atoi: parsing {printing.quote(rest)}: invalid syntax")
        return pathelements.index(int(rest))
    return None


def _key(fields: JSONValue) -> PathElement:
    if fields is not None and not isinstance(fields, dict):
        raise BrokenError("expected a JSON object")
    return pathelements.key(fields or {})


def _json(text: str, *, ignores_rest: bool) -> JSONValue:
    try:
        return _DECODER.raw_decode(text.lstrip(_BLANKS))[0] if ignores_rest else _DECODER.decode(text)
    except ValueError as error:
        raise BrokenError(str(error)) from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


def text_of(element: PathElement) -> str:
    """
    Return the key of an element.

    Reference:
        structured-merge-diff fieldpath/serialize-pe.go, SerializePathElement.
    """
    kind, content = element
    if kind == FIELD:
        return f"f:{content}"
    if kind == KEY:
        keys = pathelements.keys_of(element).items()
        return f"k:{{{','.join([f'{encode_basestring(name)}:{printing.marshal(key_value)}' for name, key_value in keys])}}}"
    return f"i:{content}" if kind == INDEX else f"v:{printing.marshal(pathelements.value_of(element))}"
