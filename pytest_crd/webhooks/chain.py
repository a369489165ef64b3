"""
The admission plugin of webhooks, in the order of the API server.

The server calls validating webhooks at once, and answers with the error that comes first; here they are called one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.admission.chain import Reinvocation, ReinvokedPlugins
from pytest_crd.admission.expressions import admissionexpressions
from pytest_crd.admission.matching import matchconditions, matchcriteria
from pytest_crd.admission.matching.matchconditions import MatchConditionError
from pytest_crd.admission.matching.matchcriteria import Invocation, NamespaceOf
from pytest_crd.admission.patches import objectpatch
from pytest_crd.admission.patches.objectpatch import PatchFailedError, UndecodablePatchError
from pytest_crd.admission.versionedobjects import NotConvertedError, VersionedObjects
from pytest_crd.engine.cel.errors import UnsupportedExpressionError
from pytest_crd.engine.errors import refusal
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.golang import printing
from pytest_crd.engine.inputerror import InputError, Mistake
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry.admission import AdmissionRequest
from pytest_crd.engine.registry.requestbody import RefusedError
from pytest_crd.webhooks import admissionreview
from pytest_crd.webhooks.admissionreview import ReviewError, ReviewResponse
from pytest_crd.webhooks.configurations import Configurations, Webhook
from pytest_crd.webhooks.reviewclient import CallError, WebhookClient
from pytest_crd.webhooks.transport import WebhookTransport

# Returns the way to a webhook and its URL as the server spells it, without a query; None if it is unknown.
TransportOf: TypeAlias = Callable[[Webhook], "tuple[WebhookTransport, str] | None"]

_NO_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun")
_IGNORE: Final = "Ignore"
_IF_NEEDED: Final = "IfNeeded"
_JSON_PATCH: Final = "JSONPatch"


class UnknownTransportError(InputError):
    """A webhook that a request needs, without a known transport, or without a server behind it."""


class _CallingError(Exception):
    """A failed call of a webhook, which the failure policy Ignore ignores; the message is the server's."""


class WebhookPlugin(NamedTuple):
    """
    The admission plugin that calls webhooks.

    Attributes:
        configurations: The webhooks.
        transport_of: Returns the way to a webhook.
        namespace_of: Returns the Namespace with a name.
        new_uid: Returns the uid of the next review.
        profile: The Kubernetes version.
    """

    configurations: Configurations
    transport_of: TransportOf
    namespace_of: NamespaceOf
    new_uid: Callable[[], str]
    profile: Profile

    def mutate(self, request: AdmissionRequest, reinvocation: Reinvocation, warnings: list[str]) -> Resource | None:
        """
        Return the object after the mutating webhooks.

        Args:
            request: The request.
            reinvocation: The rounds of the mutating plugins.
            warnings: Takes the warnings of the webhooks.

        Raises:
            RefusedError: A webhook denies the request, or fails with the policy Fail.
            UnknownTransportError: It is not known how to call a webhook.
            UnsupportedExpressionError: A match condition uses a feature that the server has and this engine has not.

        Reference:
            apiserver admission/plugin/webhook/mutating/dispatcher.go, Dispatch.
        """
        if matchcriteria.is_exempt(request):
            return request.object
        reinvoked = reinvocation.state_of(id(self.configurations), ReinvokedPlugins)
        reinvoked.begin(reinvocation, request.object)
        current = self._mutate_once(request, reinvocation, reinvoked, warnings)
        reinvoked.end(current)
        return current

    def validate(self, request: AdmissionRequest, warnings: list[str]) -> None:
        """
        Call the validating webhooks.

        All matching webhooks are called, as the server calls them at once; the first refusal in their order counts.

        Args:
            request: The request.
            warnings: Takes the warnings of the webhooks.

        Raises:
            RefusedError: A webhook denies the request, or fails with the policy Fail.
            UnknownTransportError: It is not known how to call a webhook.
            UnsupportedExpressionError: A match condition uses a feature that the server has and this engine has not.

        Reference:
            apiserver admission/plugin/webhook/validating/dispatcher.go, Dispatch.
        """
        if matchcriteria.is_exempt(request):
            return
        by_version: dict[Invocation, VersionedObjects] = {}
        invocations = [
            (webhook, invocation)
            for webhook in self.configurations.validating
            if (invocation := self._match_validating(webhook, request, by_version)) is not None
        ]
        refusals: list[Refusal] = []
        for webhook, invocation in invocations:
            try:
                self._admit(webhook, request, invocation, by_version[invocation], warnings, is_mutating=False)
            except RefusedError as refused:
                refusals.append(refused.refusal)
        if refusals:
            denials = tuple(denial for refused in refusals for denial in refused.denials)
            raise RefusedError(refusals[0]._replace(denials=denials))

    def _match_validating(
        self, webhook: Webhook, request: AdmissionRequest, by_version: dict[Invocation, VersionedObjects]
    ) -> Invocation | None:
        """Return the invocation of a webhook, with its objects in *by_version*; None if it is not called."""
        invocation = matchcriteria.find_invocation(webhook.criteria, request, request.object, self.namespace_of)
        if invocation is None:
            return None
        if invocation not in by_version:
            by_version[invocation] = VersionedObjects(request, self.profile)
            try:
                by_version[invocation].convert(invocation)
            except NotConvertedError as error:
                raise RefusedError(refusal.internal_error(str(error))) from None
        return invocation if self._meets_conditions(webhook, request, invocation, by_version[invocation]) else None

    def _mutate_once(
        self, request: AdmissionRequest, reinvocation: Reinvocation, reinvoked: ReinvokedPlugins, warnings: list[str]
    ) -> Resource | None:
        """Return the object after one round of the mutating webhooks; the second round has those to call again."""
        objects = VersionedObjects(request, self.profile)
        for webhook in self.configurations.mutating:
            invocation = matchcriteria.find_invocation(webhook.criteria, request, objects.new, self.namespace_of)
            if invocation is None or not self._is_called(webhook, request, invocation, objects):
                continue
            if reinvocation.is_again and not reinvoked.calls_again(webhook.uid):
                continue
            _convert(objects, invocation)
            response = self._admit(webhook, request, invocation, objects, warnings, is_mutating=True)
            if response is not None and self._change(webhook, response, objects):
                reinvoked.note_change()
                reinvocation.is_needed = True
            if webhook.reinvocation_policy == _IF_NEEDED:
                reinvoked.note_call(webhook.uid)
        try:
            return objects.result()
        except NotConvertedError as error:
            raise RefusedError(Refusal(500, "", str(error))) from None

    def _is_called(
        self, webhook: Webhook, request: AdmissionRequest, invocation: Invocation, objects: VersionedObjects
    ) -> bool:
        """Return whether the match conditions are met; without any, the objects stay in their version."""
        if not webhook.match_conditions:
            return True
        _convert(objects, invocation)
        return self._meets_conditions(webhook, request, invocation, objects)

    def _meets_conditions(
        self, webhook: Webhook, request: AdmissionRequest, invocation: Invocation, objects: VersionedObjects
    ) -> bool:
        described = admissionreview.describe(request, invocation)
        # Match conditions see the resource of the request, and the kind of the webhook.
        described["resource"] = described["requestResource"]
        variables = admissionexpressions.variables_of(request, described, objects.new, objects.old)
        conditions = [
            matchconditions.compile_stored(item.expression, self.profile) for item in webhook.match_conditions
        ]
        try:
            return matchconditions.are_met(
                lambda budget: [admissionexpressions.evaluate(item, variables, budget) for item in conditions],
                webhook.failure_policy,
            )
        except MatchConditionError as error:
            raise RefusedError(_forbidden(request, str(error))) from None
        except UnsupportedExpressionError as error:
            where = f"(webhook {webhook.name}, {webhook.source}:{webhook.line})"
            raise UnsupportedExpressionError(f"{error.args[0]} {where}") from None

    def _admit(  # noqa: PLR0913 - a webhook, a request, and the form of its objects
        self,
        webhook: Webhook,
        request: AdmissionRequest,
        invocation: Invocation,
        objects: VersionedObjects,
        warnings: list[str],
        *,
        is_mutating: bool,
    ) -> ReviewResponse | None:
        """Return the response of a webhook that allows the request; None if the call fails and the policy is Ignore."""
        if request.dry_run and webhook.side_effects not in _NO_SIDE_EFFECTS:
            raise RefusedError(admissionreview.no_dry_run(webhook.name))
        described = admissionreview.describe(request, invocation)
        try:
            response = self._call(webhook, described, objects, is_mutating=is_mutating)
        except _CallingError as error:
            _fail(webhook, str(error))
            return None
        warnings += response.warnings
        if not response.is_allowed:
            raise RefusedError(admissionreview.denial(webhook.name, response.status))
        return response

    def _call(
        self, webhook: Webhook, described: JSONObject, objects: VersionedObjects, *, is_mutating: bool
    ) -> ReviewResponse:
        """Return the verified response of a webhook; raise _CallingError without one."""
        transport = self.transport_of(webhook)
        if transport is None:
            problem = f"a request matches the webhook {webhook.name}, and it is not known how to call it"
            raise UnknownTransportError([Mistake(webhook.source, webhook.line, problem)])
        try:
            review_type = admissionreview.choose(webhook.review_versions)
        except ReviewError as error:
            raise _CallingError(f"could not create admission objects: {error}") from None
        uid = self.new_uid()
        review = admissionreview.write(review_type, uid, described, objects.new, objects.old)
        try:
            answered = WebhookClient(*transport, webhook.timeout, self.profile).call(review, review_type).value
        except CallError as error:
            if error.is_unreachable and webhook.failure_policy == _IGNORE:
                problem = (
                    f"the webhook {webhook.name} is not called, and its failurePolicy Ignore would hide it: {error}"
                )
                raise UnknownTransportError([Mistake(webhook.source, webhook.line, problem)]) from None
            raise _CallingError(f"failed to call webhook: {error}") from None
        try:
            return admissionreview.verify(answered, review_type, uid, is_mutating=is_mutating)
        except ReviewError as error:
            raise _CallingError(f"received invalid webhook response: {error}") from None

    def _change(self, webhook: Webhook, response: ReviewResponse, objects: VersionedObjects) -> bool:
        """Apply the patch of a response; return whether the object changed."""
        if not response.patch:
            return False
        try:
            operations = objectpatch.decode(response.patch)
        except UndecodablePatchError as error:
            _fail(webhook, f"received undecodable patch in webhook response: {error}")
            return False
        if not operations:
            return False
        if objects.new is None:
            named = f"admission webhook {printing.quote(webhook.name)}"
            problem = "attempted to modify the object, which is not supported for this operation"
            raise RefusedError(refusal.internal_error(f"{named} {problem}"))
        if response.patch_type != _JSON_PATCH:
            _fail(webhook, f"unsupported patch type {printing.quote(response.patch_type)}")
            return False
        try:
            return objects.change(objectpatch.apply(operations, objects.new, self.profile))
        except PatchFailedError as error:
            raise RefusedError(refusal.internal_error(str(error))) from None


def _convert(objects: VersionedObjects, invocation: Invocation) -> None:
    """Convert the objects for a mutating webhook; the server wraps the error twice."""
    try:
        objects.convert(invocation)
    except NotConvertedError as error:
        inner = refusal.internal_error(str(error))
        raise RefusedError(refusal.internal_error(inner.message)) from None


def _fail(webhook: Webhook, problem: str) -> None:
    """Refuse the request after a failed call, unless the failure policy is Ignore."""
    if webhook.failure_policy != _IGNORE:
        raise RefusedError(refusal.internal_error(f"failed calling webhook {printing.quote(webhook.name)}: {problem}"))


def _forbidden(request: AdmissionRequest, problem: str) -> Refusal:
    """
    Return the refusal of a request after failing match conditions.

    Reference:
        apimachinery api/errors, NewForbidden.
    """
    resource = f"{request.resource}.{request.group}" if request.group else request.resource
    named = f"{resource} {printing.quote(request.name)}" if request.name else resource
    subject = {"name": request.name, "group": request.group, "kind": request.resource}
    return Refusal(403, "Forbidden", f"{named} is forbidden: {problem}", subject=subject)
