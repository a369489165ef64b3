"""The reviews of `authorization.k8s.io` and `authentication.k8s.io` as served resources: created, answered and never stored."""

from __future__ import annotations

import functools
from typing import Final

from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import metav1types
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import admitting, response
from pytest_crd.engine.registry.admitting import RequestAdmission
from pytest_crd.engine.registry.desiredobject import Read, RequestReader
from pytest_crd.engine.registry.request import GeneratedValues, Request, RequestOutcome, WrittenObjects
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.engine.registry.response import Response, Stored
from pytest_crd.server.authorization import reviews
from pytest_crd.server.authorization.authorizer import RoleAuthorizer
from pytest_crd.server.authorization.reviews import ReviewRequest
from pytest_crd.server.builtin.builtinkinds import BuiltInRecord
from pytest_crd.server.builtin.builtintypes import BuiltInType

_KINDS: Final = (
    ("authentication.k8s.io", "SelfSubjectReview", False),
    ("authorization.k8s.io", "LocalSubjectAccessReview", True),
    ("authorization.k8s.io", "SelfSubjectAccessReview", False),
    ("authorization.k8s.io", "SelfSubjectRulesReview", False),
    ("authorization.k8s.io", "SubjectAccessReview", False),
)


class AccessReviewType(BuiltInType):
    """
    Resource of a review.

    Attributes:
        authorizer: The authorizer of the server.
    """

    validates = True
    is_stored = False
    authorizer: RoleAuthorizer

    def __init__(self, group: str, kind: str, *, is_namespaced: bool, profile: Profile) -> None:
        """Create for a kind of reviews."""
        lowered = kind.lower()
        record = BuiltInRecord(group, "v1", kind, f"{lowered}s", lowered, is_namespaced, ["create"])
        super().__init__(record, profile)

    def answer(self, _stored: Resource | None, request_: Request, generated: GeneratedValues) -> RequestOutcome:
        """
        Return the answered review.

        Reference:
            apiserver endpoints/handlers/create.go; kubernetes pkg/registry/authorization/subjectaccessreview/rest.go.
        """
        target = RequestTarget(self.group, self.names.plural, request_.namespace if self.is_namespaced else None)
        strategy = self.strategy
        plugins = None if self.plugins is None else RequestAdmission(self.plugins, request_, target, strategy)
        reader = RequestReader(
            strategy.decoder, strategy.subresources, strategy.owners, self.profile, admit=plugins and plugins.mutate
        )
        try:
            read = reader.read(request_, None, target, generated)
            review = ReviewRequest(self.names.kind, _with_ordered_metadata(read, target), request_.user)
            return self._answered(review, read, plugins)
        except RefusedError as refused:
            answer = response.refused(refused.refusal, subject={}, warnings=refused.warnings, changes=refused.changes)
            return RequestOutcome(answer, None)

    def _answered(self, review: ReviewRequest, read: Read, plugins: RequestAdmission | None) -> RequestOutcome:
        """
        Return the outcome of a decoded review.

        Raises:
            RefusedError: A plugin refuses it, or it lacks a namespace.
        """
        warnings, changes = read.decoded.warnings, read.decoded.changes
        if errors := [*reviews.find_errors(review, self.profile)]:
            # The server's message lacks the kind.
            return RequestOutcome(
                response.invalid(self.group, "", "", errors, warnings=warnings, changes=changes), None
            )
        if plugins is not None:
            warnings = (*warnings, *plugins.validate(review.object, None))
        value = reviews.answer(review, self.authorizer, self.profile)
        answer = Response(
            response.CREATED, Stored.from_value(value), warnings=response.limit_warnings(warnings), changes=changes
        )
        return RequestOutcome(answer, None, lambda: WrittenObjects(None, value))


@functools.cache
def review_types(profile: Profile) -> tuple[AccessReviewType, ...]:
    """Return the reviews of a Kubernetes version."""
    return tuple(
        AccessReviewType(group, kind, is_namespaced=is_namespaced, profile=profile)
        for group, kind, is_namespaced in _KINDS
    )


def _with_ordered_metadata(read: Read, target: RequestTarget) -> Resource:
    """Return a decoded review with the metadata that the server sees, in the order of the Go type."""
    resource = admitting.to_plugin_object(read.decoded.resource, read.managed(), target)
    order = [*metav1types.OBJECT_META.fields]
    metadata = {key: _sorted(resource["metadata"][key]) for key in sorted(resource["metadata"], key=order.index)}
    return {
        "kind": resource["kind"],
        "apiVersion": resource["apiVersion"],
        "metadata": metadata,
        "spec": resource.get("spec") or {},
    }


def _sorted(value: JSONValue) -> JSONValue:
    """Return a map with its keys sorted; other values unchanged."""
    return dict(sorted(value.items())) if isinstance(value, dict) else value
