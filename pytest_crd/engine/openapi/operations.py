"""Operations on custom resources: paths, request and response types, and their names in documents."""

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
        list_kind: The kind of their lists.
        plural: The resource in URLs.
        is_namespaced: Whether they are namespaced.
        has_status: Whether status is a subresource.
        has_scale: Whether scale is a subresource.
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
        """The name of the schema of their lists."""
        return self._type_of(self.list_kind)

    def _type_of(self, kind: str) -> str:
        return ".".join((*reversed(self.group.split(".")), self.version, kind))


class Operation(NamedTuple):
    """
    An operation at a path.

    Attributes:
        path: The path, with `{namespace}` and `{name}`.
        method: The HTTP method, in lower case.
        action: Its action: `list`, `get`, `put` …
        id: Its id in documents.
        description: Its description.
        body: The type name of the request body; empty if there is none.
        is_body_needed: Whether the body is required.
        answer: The type name of the response body.
        codes: The codes of successful answers.
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
        """The media types of the request body."""
        return PATCHES if self.method == "patch" else CONSUMED

    @property
    def responses(self) -> Mapping[int, str]:
        """The description of each code."""
        return {code: _WORDS[code] for code in self.codes}


class _Verb(NamedTuple):
    """Operation of every CRD; its body is `own` or a Kubernetes type, its answer `own`, `list` or a Kubernetes type."""

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


def generate(resource: PublishedResource) -> Iterator[Operation]:
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
    """Return the description of a *verb*; nouns that do not look like plurals get an article."""
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
    Return the id of an *operation*: its verb, group and version, and the rest of its name.

    Reference:
        apiserver endpoints/openapi, GetOperationIDAndTags, for which `deletecollection` is the verb `delete`.
    """
    verb = next(verb for verb in ("create", "delete", "list", "patch", "read", "replace") if operation.startswith(verb))
    parts = (resource.group.removesuffix(".k8s.io"), resource.version, operation.removeprefix(verb))
    return verb + "".join(_camel(part, capitalized=True) for part in parts)


def tag(resource: PublishedResource) -> str:
    """Return the tag of a group version in documents."""
    group = _camel(resource.group.removesuffix(".k8s.io"), capitalized=False)
    return f"{group}_{_camel(resource.version, capitalized=False)}"


def _camel(text: str, *, capitalized: bool) -> str:
    """Return *text* in camel case; every other character than letters, digits and underscores begins a new word."""
    chars = []
    for index, char in enumerate(text):
        if char.isalpha() or char == "_" or (index and char.isdigit()):
            chars.append(char.upper() if capitalized else char)
            capitalized = False
        else:
            capitalized = True
    return "".join(chars)
