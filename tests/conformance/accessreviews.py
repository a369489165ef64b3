"""Access reviews with a server's answers, and their comparison with our authorizer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pytest_crd.engine import profile
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.registry.admission import User
from pytest_crd.server.authorization import resolution, rules
from pytest_crd.server.authorization.accessattributes import AccessAttributes
from pytest_crd.server.authorization.authorizer import RoleAuthorizer
from pytest_crd.server.authorization.resolution import GrantedRule
from pytest_crd.server.authorization.reviews import ReviewRequest, answer
from pytest_crd.server.authorization.storedroles import StoredRoles
from pytest_crd.server.store.store import Store

PATH: Final = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
_TYPE_META: Final = {"kind": "SubjectAccessReview", "apiVersion": "authorization.k8s.io/v1"}
_NEWEST: Final = profile.named("1.37")
_FIELDS: Final = ("verb", "group", "resource", "subresource", "namespace", "name")


class RecordedReviews(NamedTuple):
    """
    Recorded access reviews.

    Attributes:
        objects: The roles and bindings.
        reviews: The specs with the server's statuses.
    """

    objects: Sequence[JSONValue]
    reviews: Sequence[tuple[JSONValue, JSONValue]]


def stored_roles(objects: Iterable[JSONValue]) -> StoredRoles:
    """Return the roles and bindings of a server."""
    roles = StoredRoles(Store())
    roles.store_defaults()
    for value in objects:
        roles.put(value)
    roles.settle()
    return roles


def find_difference(spec: Mapping[str, Any], status: JSONValue, roles: StoredRoles) -> str:
    """Return our status of a review as JSON if it differs from the server's; else empty."""
    review = ReviewRequest(_TYPE_META["kind"], {**_TYPE_META, "metadata": {}, "spec": spec}, User())
    ours = answer(review, RoleAuthorizer(roles, _NEWEST), _NEWEST)["status"]
    if _normalized(ours) == _normalized(status):
        return ""
    is_other_binding = ours["allowed"] and status["allowed"] and status.get("reason") in _reasons(spec, roles)
    return "" if is_other_binding else json.dumps(ours)


def _normalized(status: Mapping[str, Any]) -> Any:
    """Return a status with sorted errors, which the server lists in random order."""
    head, bracket, listed = status.get("reason", "").partition("RBAC: [")
    reason = (head, sorted(listed.rstrip("]").split(", "))) if bracket else status.get("reason", "")
    return {**status, "reason": reason}


def _reasons(spec: Mapping[str, Any], roles: StoredRoles) -> Iterator[str]:
    """Yield the reason of each binding that allows a request."""
    user = User(spec.get("user", ""), groups=tuple(spec.get("groups", ())))
    fields = spec.get("resourceAttributes")
    if fields is None:
        path = spec["nonResourceAttributes"]
        attributes = AccessAttributes(user, path.get("verb", ""), path=path.get("path", ""), is_resource=False)
    else:
        attributes = AccessAttributes(user, *(fields.get(field, "") for field in _FIELDS))
    for item in resolution.resolve(roles, user, attributes.namespace):
        if isinstance(item, GrantedRule) and rules.find_permission(item.rule, attributes) is not None:
            yield f"RBAC: allowed by {item}"


def write(path: Path, objects: Sequence[JSONValue], reviews: Iterable[tuple[JSONValue, JSONValue]]) -> None:
    """Write roles and reviews, one on each line."""
    rows = [*({"object": value} for value in objects), *({"spec": spec, "status": status} for spec, status in reviews)]
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")


def read(path: Path) -> RecordedReviews:
    """Return the roles and reviews of a file."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    objects = [row["object"] for row in rows if "object" in row]
    return RecordedReviews(objects, [(row["spec"], row["status"]) for row in rows if "spec" in row])
