"""Requests for tokens of ServiceAccounts, and reviews of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_crd.engine.errors import fielderror
from pytest_crd.engine.errors.fielderror import FieldError
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.registry import response
from pytest_crd.server import reads
from pytest_crd.server.authorization import reviews
from pytest_crd.server.http import statuses
from pytest_crd.server.http.httpmessages import HTTPRequest
from pytest_crd.server.http.requestinfo import RequestInfo
from pytest_crd.server.http.statuses import ApiError
from pytest_crd.server.resourcetypes import ResourceType
from pytest_crd.server.special import sentobjects, specialadmission, tokens
from pytest_crd.server.special.specialcontext import SpecialContext
from pytest_crd.server.special.tokens import InvalidTokenError
from pytest_crd.server.store import generatedvalues
from pytest_crd.server.store.store import ObjectKey

_GROUP: Final = "authentication.k8s.io"
_SHORTEST: Final = 600
_LONGEST: Final = 2**32
_SECONDS: Final = FieldPath(("spec", "expirationSeconds"))


def create_token(context: SpecialContext, request: HTTPRequest, info: RequestInfo, type_: ResourceType) -> Resource:
    """
    Return an answered request for a token.

    Raises:
        ApiError: The request is refused, or the ServiceAccount or the bound object does not exist.
    """
    sent = sentobjects.decode(request, type_, info.subresource)
    account = reads.get(context.store, type_, info.namespace, info.name).value
    _demand_valid(sent, info.name)
    named = {**sent, "metadata": {**sent["metadata"], "name": info.name}}
    sent = specialadmission.admit_create(context, request, info, type_, named)
    spec = sent["spec"]
    bound = _bound_object(context, spec.get("boundObjectRef") or {}, account)
    audiences = spec.get("audiences") or [tokens.ISSUER]
    text, expires = context.tokens.issue(account, audiences, spec["expirationSeconds"], bound)
    metadata = {
        **sent["metadata"],
        "name": info.name,
        "namespace": info.namespace,
        "uid": account["metadata"]["uid"],
        "creationTimestamp": generatedvalues.now(),
    }
    return {
        "kind": "TokenRequest",
        "apiVersion": f"{_GROUP}/v1",
        "metadata": metadata,
        "spec": {"audiences": audiences, "expirationSeconds": spec["expirationSeconds"], "boundObjectRef": spec.get("boundObjectRef")},
        "status": {"token": text, "expirationTimestamp": expires.strftime("%Y-%m-%dT%H:%M:%SZ")},
    }  # fmt: skip


def _demand_valid(sent: Mapping[str, Any], name: str) -> None:
    """
    Check a request for a token.

    Raises:
        ApiError: 422.
    """
    errors: list[FieldError] = []
    sent_name, seconds = sent["metadata"].get("name", ""), sent["spec"]["expirationSeconds"]
    if sent_name and sent_name != name:
        problem = "must match the service account name if specified"
        errors.append(fielderror.invalid(FieldPath(("metadata", "name")), sent_name, problem))
    elif seconds < _SHORTEST:
        errors.append(fielderror.invalid(_SECONDS, seconds, "may not specify a duration less than 10 minutes"))
    elif seconds > _LONGEST:
        errors.append(fielderror.invalid(_SECONDS, seconds, "may not specify a duration larger than 2^32 seconds"))
    if errors:
        raise ApiError(response.invalid(_GROUP, "TokenRequest", name if sent_name else "", errors).status)


def _bound_object(context: SpecialContext, reference: Mapping[str, Any], account: Mapping[str, Any]) -> tuple[str, ...]:
    """
    Return kind, name and uid of the object to which a token is bound; empty without one.

    Raises:
        ApiError: The object does not exist, or is not of the ServiceAccount.
    """
    if not reference:
        return ()
    kind, name = reference.get("kind", ""), reference.get("name", "")
    resource = tokens.BOUND_KINDS.get(kind, "") if reference.get("apiVersion") == "v1" else ""
    if not resource:
        group, _, version = reference.get("apiVersion", "").rpartition("/")
        raise statuses.bad_request(f"cannot bind token to object of type {group}/{version}, Kind={kind}")
    namespace = "" if kind == "Node" else account["metadata"]["namespace"]
    entry = context.store.get(ObjectKey(resource, namespace, name))
    if entry is None:
        raise statuses.not_found(resource, name)
    own = account["metadata"]["name"]
    if kind == "Pod" and entry.value["spec"].get("serviceAccountName") != own:
        problem = f'cannot bind token for serviceaccount "{own}" to pod running with different serviceaccount name.'
        raise statuses.bad_request(problem)
    return kind, name, entry.value["metadata"]["uid"]


def review(context: SpecialContext, request: HTTPRequest, _info: RequestInfo, type_: ResourceType) -> Resource:
    """
    Return an answered review of a token.

    Raises:
        ApiError: 400: the token is missing.
    """
    sent = sentobjects.decode(request, type_)
    token = sent["spec"].get("token", "")
    if not token:
        raise statuses.bad_request("token is required for TokenReview in authentication")
    audiences = sent["spec"].get("audiences") or [tokens.ISSUER]
    return {
        **sent,
        "kind": type_.names.kind,
        "apiVersion": type_.api_version,
        "status": _status(context, token, audiences),
    }


def _status(context: SpecialContext, token: str, audiences: list[str]) -> Resource:
    user = context.find_user(token)
    common: tuple[str, ...] = (tokens.ISSUER,)
    if user is None:
        try:
            user, common = context.tokens.authenticate(token, audiences)
        except InvalidTokenError as error:
            return {"user": {}, "error": str(error)}
    return {"authenticated": True, "user": reviews.describe_user(user), "audiences": [*common]}
