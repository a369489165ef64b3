"""In which form an answer is wanted, and in which form a body is sent: the headers Accept and Content-Type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pytest_crd.server.messages import HTTPRequest
from pytest_crd.server.statuses import ApiError, failure

JSON, YAML, PROTOBUF = "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"
# What a server says that it takes. It takes no protobuf of custom resources, and this one none of CRDs.
ACCEPTED: Final = (JSON, YAML, PROTOBUF)
_WRITTEN: Final = (JSON, YAML)
_WATCHED: Final = (f"{JSON};stream=watch", f"{PROTOBUF};stream=watch")
_META_GROUP: Final = "meta.k8s.io"
_META_VERSIONS: Final = frozenset({"v1", "v1beta1"})
# Programs behind which a person reads.
_READ_BY_PEOPLE: Final = ("curl", "Wget", "Mozilla/5.0")


class Form(NamedTuple):
    """
    A form of an answer.

    Attributes:
        media_type: `application/json` or `application/yaml`.
        shape: As what objects are shown: `Table`, `PartialObjectMetadata`, `PartialObjectMetadataList`; empty for as they are.
        version: Of which version of `meta.k8s.io` that is.
        is_pretty: Whether JSON is indented.
    """

    media_type: str = JSON
    shape: str = ""
    version: str = "v1"
    is_pretty: bool = False


class _Clause(NamedTuple):
    media_type: str
    parameters: Mapping[str, str]


def form_of(request: HTTPRequest, shapes: Sequence[str] = ()) -> Form:
    """
    Return the form in which an answer is wanted.

    Args:
        request: The request.
        shapes: As what the objects of the answer can be shown.

    Raises:
        ApiError: 406: none that there is.

    Reference:
        apiserver endpoints/handlers/negotiation/negotiate.go, NegotiateMediaTypeOptions.
    """
    for clause in _clauses(request.headers.get("accept", "")):
        media_type = _matching(clause.media_type)
        shape = clause.parameters.get("as", "")
        if media_type and (not shape or (shape in shapes and _is_of_meta(clause.parameters))):
            version = clause.parameters.get("v", "v1")
            return Form(media_type, shape, version, _is_pretty(request, clause.parameters))
    raise not_acceptable(ACCEPTED)


def demand_representation(request: HTTPRequest, *, is_list: bool) -> None:
    """
    Pass when an answer about built-in kinds is wanted in a form in which a server has it, which it looks at before all else.

    Raises:
        ApiError: 406: it is not.

    Reference:
        go-restful curly.go and jsr311.go; apiserver endpoints/installer.go, the `Produces` of routes.
    """
    wanted = {clause.media_type for clause in _clauses(request.headers.get("accept", ""))}
    if wanted.isdisjoint((*ACCEPTED, "*/*")):
        known = ", ".join((*ACCEPTED, *(_WATCHED if is_list else ())))
        raise failure(406, "NotAcceptable", f"406: Not Acceptable\n\nAvailable representations: {known}", {})


def demand_stream(request: HTTPRequest) -> None:
    """
    Pass when the events of a watch may be sent as lines of JSON.

    Raises:
        ApiError: 406: they are wanted in another form.
    """
    for clause in _clauses(request.headers.get("accept", "")):
        if clause.media_type in (JSON, "application/*", "*/*"):
            return
    raise not_acceptable(_WATCHED)


def not_acceptable(known: Sequence[str]) -> ApiError:
    """Return the failure of a request whose answer is wanted in a form that there is not."""
    return failure(406, "NotAcceptable", f"only the following media types are accepted: {', '.join(known)}")


def media_type_of(request: HTTPRequest) -> str:
    """Return what a body is said to be, without parameters; empty where nothing is said."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _clauses(header: str) -> list[_Clause]:
    """Return what a header accepts, the most wanted first."""
    found: list[tuple[float, _Clause]] = []
    for text in (header or "*/*").split(","):
        media_type, *rest = (part.strip() for part in text.split(";"))
        parameters = dict(_parameter(one) for one in rest)
        try:
            weight = float(parameters.pop("q", "1"))
        except ValueError:
            weight = 1.0
        found.append((weight, _Clause(media_type.lower(), parameters)))
    return [clause for _, clause in sorted(found, key=lambda one: -one[0])]


def _parameter(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip().lower(), value.strip().strip('"')


def _matching(media_type: str) -> str:
    if media_type in _WRITTEN:
        return media_type
    return JSON if media_type in ("*/*", "application/*") else ""


def _is_of_meta(parameters: Mapping[str, str]) -> bool:
    return parameters.get("g") == _META_GROUP and parameters.get("v") in _META_VERSIONS


def _is_pretty(request: HTTPRequest, parameters: Mapping[str, str]) -> bool:
    asked = request.query.first("pretty") or parameters.get("pretty", "")
    if asked:
        return asked.lower() not in ("0", "false")
    return request.headers.get("user-agent", "").startswith(_READ_BY_PEOPLE)
