"""The operations on custom resources: paths, what they take and answer, and how documents call them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from pytest_crd.engine.openapi import commontypes

CONSUMED: Final = ("application/json", "application/yaml")
PATCHES: Final = ("application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml")
_WORDS: Final = {200: "OK", 201: "Created", 202: "Accepted"}


class PublishedResource(NamedTuple):
    """
    Custom resources in one version.

    Attributes:
        group: The API group.
        version: `v1`.
        kind: Their kind.
        list_kind: That of lists of them.
        plural: The resource in URLs.
        is_namespaced: Whether they live in namespaces.
        has_status: Whether the status is a subresource.
        has_scale: Whether there is a subresource `scale`.
    """

    group: str
    version: str
    kind: str
    list_kind: str
    plural: str
    is_namespaced: bool
    has_status: bool
    has_scale: bool

    @property
    def type(self) -> str:
        """The name of their schema in documents."""
        return self._type_of(self.kind)

    @property
    def list_type(self) -> str:
        """The name of the schema of lists of them."""
        return self._type_of(self.list_kind)

    def _type_of(self, kind: str) -> str:
        return ".".join((*reversed(self.group.split(".")), self.version, kind))


class Operation(NamedTuple):
    """
    What can be asked at a path.

    Attributes:
        path: The path, with `{namespace}` and `{name}`.
        method: The HTTP method, in lower case.
        action: What it does: `list`, `get`, `put` …
        id: How documents call it.
        description: What it does, in words.
        body: The name of the type that is sent; empty where nothing is.
        is_body_needed: Whether it must be sent.
        answer: The name of the type of the answer.
        codes: The codes of answers that are no refusals.
    """

    path: str
    method: str
    action: str
    id: str
    description: str
    body: str
    is_body_needed: bool
    answer: str
    codes: tuple[int, ...]

    @property
    def consumed(self) -> tuple[str, ...]:
        """The media types of what is sent."""
        return PATCHES if self.method == "patch" else CONSUMED

    @property
    def responses(self) -> Mapping[int, str]:
        """The words for each code."""
        return {code: _WORDS[code] for code in self.codes}


class _Verb(NamedTuple):
    """An operation as it is for every CRD: its body is `own`, or a type of Kubernetes; `answer` is `own`, `list` or such a type."""

    method: str
    action: str
    name: str
    body: str
    answer: str
    codes: tuple[int, ...] = (200,)


_OWN, _LIST = "own", "list"
_ON_ALL: Final = (
    _Verb("get", "list", "list", "", _LIST),
    _Verb("post", "post", "create", _OWN, _OWN, (200, 201, 202)),
    _Verb("delete", "deletecollection", "deletecollection", "", commontypes.STATUS),
)
_READ: Final = _Verb("get", "get", "read", "", _OWN)
_REPLACE: Final = _Verb("put", "put", "replace", _OWN, _OWN, (200, 201))
_PATCH: Final = _Verb("patch", "patch", "patch", commontypes.PATCH, _OWN)
_ON_ONE: Final = (
    _READ,
    _REPLACE,
    _Verb("delete", "delete", "delete", commontypes.DELETE_OPTIONS, commontypes.STATUS, (200, 202)),
    _PATCH,
)
_ON_SUBRESOURCE: Final = (_READ, _REPLACE, _PATCH)


def of_resource(resource: PublishedResource) -> Iterator[Operation]:
    """
    Yield the operations on *resource*.

    Reference:
        controller/openapi/builder, generateBuilder.
    """
    root = f"/apis/{resource.group}/{resource.version}"
    if resource.is_namespaced:
        everywhere = _operation(resource, f"{root}/{resource.plural}", "", _ON_ALL[0])
        yield everywhere._replace(id=_id(resource, f"list{resource.kind}ForAllNamespaces"))
        root = f"{root}/namespaces/{{namespace}}"
    own = f"{root}/{resource.plural}"
    for verb in _ON_ALL:
        yield _operation(resource, own, "", verb)
    for verb in _ON_ONE:
        yield _operation(resource, f"{own}/{{name}}", "", verb)
    for subresource, is_there in (("status", resource.has_status), ("scale", resource.has_scale)):
        for verb in _ON_SUBRESOURCE if is_there else ():
            yield _operation(resource, f"{own}/{{name}}/{subresource}", subresource, verb)


def _operation(resource: PublishedResource, path: str, subresource: str, verb: _Verb) -> Operation:
    named = {_OWN: commontypes.SCALE if subresource == "scale" else resource.type, _LIST: resource.list_type}
    scope = "Namespaced" if resource.is_namespaced else ""
    return Operation(
        path=path,
        method=verb.method,
        action=verb.action,
        id=_id(resource, f"{verb.name}{scope}{resource.kind}{subresource.capitalize()}"),
        description=_description(resource.kind, subresource, verb.name),
        body=named.get(verb.body, verb.body),
        is_body_needed=verb.action != "delete",
        answer=named.get(verb.answer, verb.answer),
        codes=verb.codes,
    )


def _description(kind: str, subresource: str, verb: str) -> str:
    """Return what a *verb* does in words; an article stands before what is no plural."""
    of_subresource = f" {subresource} of" if subresource else ""
    match verb:
        case "list":
            return f"list objects of kind {kind}"
        case "deletecollection":
            return f"delete collection of {kind}"
        case "patch":
            return f"partially update{of_subresource} the specified {kind}"
        case "read" | "replace":
            return f"{verb}{of_subresource} the specified {kind}"
        case _:
            return f"{verb} {_article(kind)}{kind}"


def _article(noun: str) -> str:
    if noun.endswith("s") and not noun.endswith("ss"):
        return ""
    return "an " if noun[:1].lower() in {*"aeiou"} else "a "


def _id(resource: PublishedResource, operation: str) -> str:
    """
    Return how documents call an *operation*: its verb, group and version, and the rest.

    Reference:
        apiserver endpoints/openapi, GetOperationIDAndTags, for which `deletecollection` is the verb `delete`.
    """
    verb = next(verb for verb in ("create", "delete", "list", "patch", "read", "replace") if operation.startswith(verb))
    parts = (resource.group.removesuffix(".k8s.io"), resource.version, operation.removeprefix(verb))
    return verb + "".join(_camel(part, capitalized=True) for part in parts)


def tag(resource: PublishedResource) -> str:
    """Return how documents call a group and a version together."""
    group = _camel(resource.group.removesuffix(".k8s.io"), capitalized=False)
    return f"{group}_{_camel(resource.version, capitalized=False)}"


def _camel(text: str, *, capitalized: bool) -> str:
    """Return *text* without what is no letter, digit or underscore, which begin a new word."""
    found = []
    for index, char in enumerate(text):
        if char.isalpha() or char == "_" or (index and char.isdigit()):
            found.append(char.upper() if capitalized else char)
            capitalized = False
        else:
            capitalized = True
    return "".join(found)
