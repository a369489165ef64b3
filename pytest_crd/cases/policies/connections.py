"""The URL of a connection to a Pod, a Service or a Node: a case has its options as an object, and a request has them as a query."""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable, Mapping
from typing import Final

from pytest_crd import suggestions
from pytest_crd.cases.model import PolicyCase
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.special import specialadmission


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


def locate(case: PolicyCase, type_: ResourceType, options: JSONObject) -> str:
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
