"""In which form an answer is wanted, and in which form a body is sent: the headers Accept and Content-Type."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.statuses import ApiError, failure

JSON, YAML, PROTOBUF = "application/json", "application/yaml", "application/vnd.kubernetes.protobuf"
# What a server says that it takes. Of custom resources it takes no protobuf.
ACCEPTED: Final = (JSON, YAML, PROTOBUF)
WATCHED: Final = (f"{JSON};stream=watch", f"{PROTOBUF};stream=watch")
# What is answered in protobuf about anything.
_METADATA: Final = ("PartialObjectMetadata", "PartialObjectMetadataList")
_META_GROUP: Final = "meta.k8s.io"
_META_VERSIONS: Final = frozenset({"v1", "v1beta1"})
# What is said of an answer that has all groups, with their versions and resources.
_AGGREGATE: Final = {"g": "apidiscovery.k8s.io", "v": "v2", "as": "APIGroupDiscoveryList"}
# A media type with its parameters, perhaps with a semicolon at the end.
_MEDIA_TYPE: Final = re.compile(r'[^;]*(?:;\s*[^\s;="]+\s*=\s*(?:"[^"]*"|[^\s;"]+)\s*)*;?\s*')
# Programs behind which a person reads.
_READ_BY_PEOPLE: Final = ("curl", "Wget", "Mozilla/5.0")


class Form(NamedTuple):
    """
    A form of an answer.

    Attributes:
        media_type: `application/json`, `application/yaml` or `application/vnd.kubernetes.protobuf`.
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

    @property
    def is_shaped(self) -> bool:
        """Whether objects are wanted as something else than what they are."""
        return not {"as", "g", "v"}.isdisjoint(self.parameters)


def form_of(request: HTTPRequest, shapes: Sequence[str] = (), *, has_protobuf: bool = False) -> Form:
    """
    Return the form in which an answer is wanted.

    Args:
        request: The request.
        shapes: As what the objects of the answer can be shown.
        has_protobuf: Whether these can be written in protobuf as they are.

    Raises:
        ApiError: 406: none that there is.

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
    Return the form in which a failure is told; each has all forms, but shapes.

    Reference:
        apiserver endpoints/handlers/responsewriters/writers.go, ErrorNegotiated.
    """
    try:
        return form_of(request, has_protobuf=True)
    except ApiError:
        return Form(is_pretty=True)


def form_of_aggregate(request: HTTPRequest) -> Form | None:
    """
    Return the form in which all that is served is wanted in one answer; None where it is wanted one by one.

    Reference:
        apiserver endpoints/discovery/aggregated/wrapper.go.
    """
    for clause in _clauses(request.headers.get("accept", "")):
        if (media_type := _matching(clause)) and clause.parameters.items() >= _AGGREGATE.items():
            return Form(media_type, is_pretty=_is_pretty(request, clause.parameters))
    return None


def demand_representation(request: HTTPRequest, known: Sequence[str] = ACCEPTED) -> None:
    """
    Pass when an answer is wanted in a form in which there is one, at which a server looks before all else.

    Args:
        request: The request.
        known: The forms that there are.

    Raises:
        ApiError: 406: it is not.

    Reference:
        go-restful curly.go and jsr311.go; apiserver endpoints/installer.go, the `Produces` of routes.
    """
    wanted = {clause.media_type for clause in _clauses(request.headers.get("accept", ""))}
    if wanted.isdisjoint((*known, "*/*")):
        message = f"406: Not Acceptable\n\nAvailable representations: {', '.join(known)}"
        raise failure(406, "NotAcceptable", message, {})


def first_of(request: HTTPRequest, known: Sequence[str]) -> str:
    """Return the first of some media types with which an answer is wanted; empty where it is wanted with none of them."""
    for clause in _clauses(request.headers.get("accept", "")):
        type_, _, subtype = clause.media_type.partition("/")
        for one in known:
            if type_ == "*" or (type_ == one.partition("/")[0] and subtype in ("*", one.partition("/")[2])):
                return one
    return ""


def demand_stream(form: Form) -> None:
    """
    Pass when the events of a watch can be sent in a form.

    Raises:
        ApiError: 406: they cannot.
    """
    if form.media_type == YAML:
        raise not_acceptable(WATCHED)


def not_acceptable(known: Sequence[str]) -> ApiError:
    """Return the failure of a request whose answer is wanted in a form that there is not."""
    return failure(406, "NotAcceptable", f"only the following media types are accepted: {', '.join(known)}")


def media_type_of(request: HTTPRequest) -> str:
    """
    Return the media type of a body, without parameters; empty without one, and the whole header if it is malformed.

    That of a patch is compared as it is written.

    Reference:
        Go's mime.ParseMediaType; apiserver endpoints/handlers/negotiation/negotiate.go, NegotiateInputSerializer; patch.go, PatchResource.
    """
    header = request.headers.get("content-type", "")
    if request.method == "PATCH":
        return header.partition(";")[0]
    return header.partition(";")[0].strip().lower() if _MEDIA_TYPE.fullmatch(header) else header


def _clauses(header: str) -> list[_Clause]:
    """
    Return what a header accepts, the most wanted first.

    Reference:
        munnerz/goautoneg accept.go: it is sorted by insertion, by an order that is none.
    """
    found: list[tuple[float, _Clause]] = []
    for text in (header or "*/*").split(","):
        media_type, *rest = (part.strip() for part in text.split(";"))
        parameters = dict(_parameter(one) for one in rest)
        try:
            weight = float(parameters.pop("q", "1"))
        except ValueError:
            weight = 1.0
        clause = _Clause("*/*" if media_type == "*" else media_type, parameters)
        place = len(found)
        while place and _is_before(weight, clause, *found[place - 1]):
            place -= 1
        found.insert(place, (weight, clause))
    return [clause for _, clause in found]


def _is_before(weight: float, clause: _Clause, other_weight: float, other: _Clause) -> bool:
    """Return whether a clause is looked at before another: as it weighs more, or names what that leaves open."""
    if weight > other_weight:
        return True
    return other.media_type.endswith("/*") and not clause.media_type.endswith("/*")


def _parameter(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip().lower(), value.strip().strip('"')


def _matching(clause: _Clause) -> str:
    """Return the form that is meant; empty where there is none, or no stream of it that is asked for."""
    found = JSON if clause.media_type in ("*/*", "application/*") else clause.media_type
    stream = clause.parameters.get("stream", "")
    is_there = found in ACCEPTED and (not stream or (stream == "watch" and found != YAML))
    return found if is_there else ""


def _is_of_meta(parameters: Mapping[str, str]) -> bool:
    return parameters.get("g") == _META_GROUP and parameters.get("v") in _META_VERSIONS


def _is_pretty(request: HTTPRequest, parameters: Mapping[str, str]) -> bool:
    asked = request.query.first("pretty") or parameters.get("pretty", "")
    if asked:
        return asked.lower() not in ("0", "false")
    return request.headers.get("user-agent", "").startswith(_READ_BY_PEOPLE)
