"""Content negotiation by the headers Accept and Content-Type."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.statuses import ApiError, failure

JSON, YAML, PROTOBUF = "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"
# The media types that a server announces; it refuses protobuf for custom resources.
ACCEPTED: Final = (JSON, YAML, PROTOBUF)
WATCHED: Final = (f"{JSON};stream=watch", f"{PROTOBUF};stream=watch")
# Shapes that have a protobuf form for every resource.
_METADATA: Final = ("PartialObjectMetadata", "PartialObjectMetadataList")
_META_GROUP: Final = "meta.k8s.io"
_META_VERSIONS: Final = frozenset({"v1", "v1beta1"})
# The parameters of an aggregated discovery document.
_AGGREGATE: Final = {"g": "apidiscovery.k8s.io", "v": "v2", "as": "APIGroupDiscoveryList"}
# A media type with its parameters, perhaps with a semicolon at the end.
_MEDIA_TYPE: Final = re.compile(r'[^;]*+(?:;\s*+[^\s;="]++\s*+=\s*+(?:"[^"]*+"|[^\s;"]++)\s*+)*+(?:;\s*+)?')
# Programs with a human reader.
_READ_BY_PEOPLE: Final = ("curl", "Wget", "Mozilla/5.0")


class Form(NamedTuple):
    """
    Form of a response.

    Attributes:
        media_type: `application/json`, `application/yaml` or `application/vnd.kubernetes.protobuf`.
        shape: `Table`, `PartialObjectMetadata` or `PartialObjectMetadataList`; empty for unchanged objects.
        version: The version of `meta.k8s.io` of the shape.
        is_pretty: Whether JSON is indented.
        sorts_keys: Whether JSON has sorted keys, as of a map in Go and not of a struct.
    """

    media_type: str = JSON
    shape: str = ""
    version: str = "v1"
    is_pretty: bool = False
    sorts_keys: bool = False


class _Clause(NamedTuple):
    media_type: str
    parameters: Mapping[str, str]

    @property
    def is_shaped(self) -> bool:
        """Whether the client requests a shape."""
        return not {"as", "g", "v"}.isdisjoint(self.parameters)


def form_of(request: HTTPRequest, shapes: Sequence[str] = (), *, has_protobuf: bool = False) -> Form:
    """
    Return the requested form of a response.

    Args:
        request: The request.
        shapes: The available shapes.
        has_protobuf: Whether the objects have a protobuf form.

    Raises:
        ApiError: 406: no accepted form is available.

    Reference:
        apiserver endpoints/handlers/negotiation/negotiate.go, NegotiateMediaTypeOptions.
    """
    for clause in _clauses(request.headers.get("accept", "")):
        media_type = _matching(clause)
        shape = clause.parameters.get("as", "")
        if not media_type:
            continue
        if clause.is_shaped:
            is_known = shape in shapes and _is_of_meta(clause.parameters)
            is_there = is_known and (media_type != PROTOBUF or shape in _METADATA)
        else:
            is_there = media_type != PROTOBUF or has_protobuf
        if is_there:
            version = clause.parameters.get("v", "v1")
            return Form(media_type, shape, version, _is_pretty(request, clause.parameters))
    raise not_acceptable(ACCEPTED)


def form_of_failure(request: HTTPRequest) -> Form:
    """
    Return the form of an error response: the requested media type, or JSON if it is unavailable; no shape.

    Reference:
        apiserver endpoints/handlers/responsewriters/writers.go, ErrorNegotiated.
    """
    try:
        return form_of(request, has_protobuf=True)
    except ApiError:
        return Form(is_pretty=True)


def form_of_aggregate(request: HTTPRequest) -> Form | None:
    """
    Return the form of an aggregated discovery document; None if the client does not request one.

    Reference:
        apiserver endpoints/discovery/aggregated/wrapper.go.
    """
    for clause in _clauses(request.headers.get("accept", "")):
        if (media_type := _matching(clause)) and clause.parameters.items() >= _AGGREGATE.items():
            return Form(media_type, is_pretty=_is_pretty(request, clause.parameters))
    return None


def demand_representation(request: HTTPRequest, available: Sequence[str] = ACCEPTED) -> None:
    """
    Raise ApiError if the client does not accept any media type of a route; a server checks this first.

    Args:
        request: The request.
        available: The media types of the route.

    Raises:
        ApiError: 406.

    Reference:
        go-restful curly.go and jsr311.go; apiserver endpoints/installer.go, the `Produces` of routes.
    """
    # The route matches no bare `*`.
    accepted = {clause.partition(";")[0].strip() for clause in (request.headers.get("accept", "") or "*/*").split(",")}
    if accepted.isdisjoint((*available, "*/*")):
        message = f"406: Not Acceptable\n\nAvailable representations: {', '.join(available)}"
        raise failure(406, "NotAcceptable", message, {})


def first_accepted(request: HTTPRequest, available: Sequence[str]) -> str:
    """Return the available media type that the client prefers; empty if it accepts none."""
    for clause in _clauses(request.headers.get("accept", "")):
        type_, _, subtype = clause.media_type.partition("/")
        for media_type in available:
            if type_ == "*" or (
                type_ == media_type.partition("/")[0] and subtype in ("*", media_type.partition("/")[2])
            ):
                return media_type
    return ""


def demand_stream(form: Form) -> None:
    """
    Raise ApiError if a watch cannot send events in a form.

    Raises:
        ApiError: 406.
    """
    if form.media_type == YAML:
        raise not_acceptable(WATCHED)


def not_acceptable(available: Sequence[str]) -> ApiError:
    """Return the error for a request that accepts no available form."""
    return failure(406, "NotAcceptable", f"only the following media types are accepted: {', '.join(available)}")


def media_type_of(request: HTTPRequest) -> str:
    """
    Return the media type of a body without parameters; empty if the header is missing, and the whole header if it is malformed.

    A patch keeps the spelling of its media type.

    Reference:
        Go's mime.ParseMediaType; apiserver endpoints/handlers/negotiation/negotiate.go, NegotiateInputSerializer; patch.go, PatchResource.
    """
    header = request.headers.get("content-type", "")
    if request.method == "PATCH":
        return header.partition(";")[0]
    return header.partition(";")[0].strip().lower() if _MEDIA_TYPE.fullmatch(header) else header


def _clauses(header: str) -> list[_Clause]:
    """
    Return the clauses of an Accept header, most preferred first.

    Reference:
        munnerz/goautoneg accept.go: an insertion sort with an inconsistent order.
    """
    weighted: list[tuple[float, _Clause]] = []
    for text in (header or "*/*").split(","):
        media_type, *rest = (part.strip() for part in text.split(";"))
        parameters = dict(_parameter(parameter) for parameter in rest)
        try:
            weight = float(parameters.pop("q", "1"))
        except ValueError:
            weight = 1.0
        clause = _Clause("*/*" if media_type == "*" else media_type, parameters)
        place = len(weighted)
        while place and _is_before(weight, clause, *weighted[place - 1]):
            place -= 1
        weighted.insert(place, (weight, clause))
    return [clause for _, clause in weighted]


def _is_before(weight: float, clause: _Clause, previous_weight: float, previous: _Clause) -> bool:
    """Return whether a clause sorts before *previous*: it has more weight, or only *previous* is a wildcard."""
    if weight > previous_weight:
        return True
    return previous.media_type.endswith("/*") and not clause.media_type.endswith("/*")


def _parameter(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip().lower(), value.strip().strip('"')


def _matching(clause: _Clause) -> str:
    """Return the media type of a clause; empty if the server cannot write it, or cannot stream it as requested."""
    media_type = JSON if clause.media_type in ("*/*", "application/*") else clause.media_type
    stream = clause.parameters.get("stream", "")
    is_there = media_type in ACCEPTED and (not stream or (stream == "watch" and media_type != YAML))
    return media_type if is_there else ""


def _is_of_meta(parameters: Mapping[str, str]) -> bool:
    return parameters.get("g") == _META_GROUP and parameters.get("v") in _META_VERSIONS


def _is_pretty(request: HTTPRequest, parameters: Mapping[str, str]) -> bool:
    flag = request.query.first("pretty") or parameters.get("pretty", "")
    if flag:
        return flag.lower() not in ("0", "false")
    return request.headers.get("user-agent", "").startswith(_READ_BY_PEOPLE)
