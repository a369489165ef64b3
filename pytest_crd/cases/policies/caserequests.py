"""The request of a case about a policy: its resource, its object and its URL, with the names that the case leaves out."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from pytest_crd import suggestions
from pytest_crd.cases.model import PolicyCase
from pytest_crd.engine.client import completion
from pytest_crd.engine.inputerror import InputError
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.registry.admission import ADMINISTRATOR, Operation
from pytest_crd.policies.projectadmission import user_of
from pytest_crd.server import installing
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.special import specialadmission

STRICT: Final = {"fieldValidation": "Strict"}
DRY: Final = {"dryRun": "All"}
_METHODS: Final = {"CREATE": "POST", "UPDATE": "PUT", "DELETE": "DELETE", "CONNECT": "POST"}


class CaseRequest(NamedTuple):
    """
    The request of a case.

    Attributes:
        type_: The resource in the URL.
        operation: The operation.
        subresource: The subresource; empty for the object itself.
        namespace: The namespace; empty for a resource of the cluster.
        name: The name in the URL; empty for a creation.
        sent: The object to send; None for a deletion or a connection.
        old: The stored object; None without one.
        made_up: The fields of metadata that the case does not state.
        options: The end of the URL, with the options of a connection.
    """

    type_: ResourceType
    operation: Operation
    subresource: str
    namespace: str
    name: str
    sent: JSONObject | None
    old: JSONObject | None
    made_up: frozenset[str]
    options: str = ""

    @property
    def method(self) -> str:
        """The HTTP method."""
        return _METHODS[self.operation]

    @property
    def path(self) -> str:
        """The path of the URL."""
        path = installing.path_of(self.type_, self.namespace)
        return "/".join((path, *map(urllib.parse.quote, filter(None, (self.name, self.subresource)))))

    def for_server(self, api: Api, user: JSONValue, *, dry_run: bool = False) -> HTTPRequest:
        """
        Return the HTTP request.

        Args:
            api: The server, which has the stored object.
            user: The user; None for an administrator.
            dry_run: Whether it stores nothing.
        """
        query = {**({} if self.sent is None else STRICT), **(DRY if dry_run else {})}
        entry = api.store.get(self.type_.key(self.namespace, self.name)) if self.operation == "UPDATE" else None
        sent = self.sent if entry is None else self.versioned(str(entry.revision))
        return HTTPRequest(
            self.method,
            self.path + (self.options or "?" + urllib.parse.urlencode(query)),
            {"content-type": "application/json"},
            b"" if sent is None else json.dumps(sent).encode(),
            user=ADMINISTRATOR if user is None else user_of(user),
        )

    def versioned(self, resource_version: str) -> JSONObject | None:
        """Return the object to send with the resourceVersion of the stored object; None if none is sent."""
        if self.sent is None:
            return None
        return {**self.sent, "metadata": {"resourceVersion": resource_version, **self.sent["metadata"]}}


def make(case: PolicyCase, api: Api) -> CaseRequest:
    """
    Return the request of a case.

    Args:
        case: The case.
        api: A server with the CRDs of the project.

    Raises:
        CaseFileError: An object has no type, or one that the server does not serve; or the request cannot be sent.
    """
    has_old = case.old is not None
    operation: Operation = case.operation or ("UPDATE" if has_old else "CREATE")
    read = None if operation == "DELETE" else _read(case)
    sent = None if operation == "CONNECT" else read
    key = "old" if case.subresource or operation in {"DELETE", "CONNECT"} else "input"
    subject: JSONObject = case.old if key == "old" else sent or {}
    type_ = _find_type(case, api, subject, key)
    metadata = _metadata(case.old if has_old else sent)
    namespace = _namespace(case, metadata) if type_.is_namespaced else ""
    named = {**({"namespace": namespace} if namespace else {}), **metadata}
    is_made_up = "name" not in metadata and (has_old or (type_.is_stored and "generateName" not in metadata))
    if is_made_up:
        named["name"] = completion.MADE_UP_NAME
    is_new = operation == "CREATE" and not case.subresource
    old = {**case.old, "metadata": named} if has_old else None
    if sent is not None:
        names = {key: named[key] for key in ("name", "namespace") if key in named}
        sent = {**sent, "metadata": {**names, **_metadata(sent)}}
    name = "" if is_new else str(named["name"])
    made_up = frozenset({"name"} if is_made_up else ())
    options = locate_connection(case, type_, read or {}) if operation == "CONNECT" else ""
    return CaseRequest(type_, operation, case.subresource, namespace, name, sent, old, made_up, options)


def _read(case: PolicyCase) -> JSONObject:
    try:
        body = completion.read(case.input)
    except InputError as error:
        raise case.mistake(f"the input cannot be read: {error}", "input") from None
    if not isinstance(body.value, dict):
        raise case.mistake(f"the input of {case.title} is no object", "input")
    if body.duplicates:
        raise case.mistake(f"the input of {case.title}: {body.duplicates[0]}", "input")
    return body.value


def _find_type(case: PolicyCase, api: Api, value: JSONObject, key: str) -> ResourceType:
    api_version, kind = value.get("apiVersion"), value.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        raise case.mistake(f"'{key}' of {case.title} has no apiVersion or no kind, so its resource is not known", key)
    type_ = installing.find_type(api, api_version, kind)
    if type_ is None:
        raise case.mistake(
            f"Kubernetes {api.profile.version} with the CRDs of the project serves no {kind} of {api_version}", key
        )
    return type_


def _metadata(value: JSONValue) -> JSONObject:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _namespace(case: PolicyCase, metadata: JSONObject) -> str:
    """Return the namespace of a request: of its object, else of the Namespace of the case, else `default`."""
    name = _metadata(case.namespace_object).get("name")
    namespace = metadata.get("namespace")
    if name is not None and namespace is not None and name != namespace:
        raise case.mistake(f"'namespaceObject' is called {name}, and the object is in {namespace}", "namespaceObject")
    return str(namespace or name or installing.DEFAULT_NAMESPACE)


def _is_list_of(kind: type) -> Callable[[JSONValue], bool]:
    return lambda value: isinstance(value, list) and all(type(item) is kind for item in value)


def _is_a(kind: type) -> Callable[[JSONValue], bool]:
    return lambda value: type(value) is kind


_STREAMS: Final = dict.fromkeys(("stdin", "stdout", "stderr", "tty"), ("true or false", _is_a(bool)))
_CONTAINER: Final = {"container": ("a text", _is_a(str))}
_PATH: Final = {"path": ("a text", _is_a(str))}
# The options by their kind, each with its form.
_OPTIONS: Final[Mapping[str, Mapping[str, tuple[str, Callable[[JSONValue], bool]]]]] = {
    "PodExecOptions": {**_STREAMS, **_CONTAINER, "command": ("a list of texts", _is_list_of(str))},
    "PodAttachOptions": {**_STREAMS, **_CONTAINER},
    "PodPortForwardOptions": {"ports": ("a list of integers", _is_list_of(int))},
    "PodProxyOptions": _PATH,
    "ServiceProxyOptions": _PATH,
    "NodeProxyOptions": _PATH,
}


def locate_connection(case: PolicyCase, type_: ResourceType, options: JSONObject) -> str:
    """
    Return the end of a connection's URL, behind its subresource: the path of a proxy, or the query.

    Args:
        case: The case.
        type_: The resource of the stored object.
        options: The options, such as a `PodExecOptions`; apiVersion and kind may be left out.

    Raises:
        CaseFileError: The subresource allows no connections, or has no such options.
    """
    if (type_.names.plural, case.subresource) not in specialadmission.CONNECTIONS:
        places = ", ".join(f"{subresource} of {plural}" for plural, subresource in specialadmission.CONNECTIONS)
        where = f"'{case.subresource}' of {type_.names.plural}" if case.subresource else f"{type_.names.plural} alone"
        raise case.mistake(f"nothing connects to {where}; `subresource` is one of: {places}", "operation")
    kind = specialadmission.find_kind(type_, case.subresource)
    forms = _OPTIONS[kind]
    for name, value in options.items():
        if (problem := _find_problem(name, value, kind)) is not None:
            raise case.mistake(f"the input of {case.title}: {problem}", "input")
    if "path" in forms:
        return urllib.parse.quote(str(options.get("path", "")), safe="/")
    fields = {name: options[name] for name in forms if name in options}
    return "?" + urllib.parse.urlencode({name: _spell(value) for name, value in fields.items()}, doseq=True)


def _find_problem(name: str, value: JSONValue, kind: str) -> str | None:
    type_meta = {"apiVersion": "v1", "kind": kind}
    if name in type_meta:
        return None if value == type_meta[name] else f"the {name} of the options is {type_meta[name]}"
    if name not in _OPTIONS[kind]:
        near = suggestions.nearest_ignoring_case(name, tuple(_OPTIONS[kind]))
        remedy = f"did you mean {near}?" if near else f"there are: {', '.join(_OPTIONS[kind])}"
        return f"a {kind} has no field {name}; {remedy}"
    form, fits = _OPTIONS[kind][name]
    if not fits(value):
        return f"{name} must be {form}"
    if name == "path" and not (value == "" or value.startswith("/")):
        return "path must begin with a slash"
    return None


def _spell(value: JSONValue) -> JSONValue:
    return str(value).lower() if isinstance(value, bool) else value
