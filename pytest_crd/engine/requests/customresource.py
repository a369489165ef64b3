"""
Requests for custom resources: create, update, patch; of the object, and of its subresources.

The order of all that happens is written here, and that of validation in `validation`; each step is a module of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final, Literal, NamedTuple, TypeAlias

from pytest_crd.engine import jsonvalue
from pytest_crd.engine.crds import declared
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.errors import refusal, response
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.errors.response import Response, Stored
from pytest_crd.engine.fieldpath import OwnedPath
from pytest_crd.engine.golang.decoding import DecodeError
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.jsonvalue import JSONValue
from pytest_crd.engine.metadata import objectmetavalidation, requestmetadata, systemmetadata
from pytest_crd.engine.metadata.requestmetadata import RequestTarget
from pytest_crd.engine.metadata.typemeta import GroupVersionKind
from pytest_crd.engine.observer import ObservedRequest, RuleOutcome
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.requests import deprecation, request, subresources
from pytest_crd.engine.requests.desiredobject import ObjectDecoder, Read, RequestReader, ResourceDecoder
from pytest_crd.engine.requests.request import ALWAYS_ALIKE, Making, Request, RequestOutcome
from pytest_crd.engine.requests.requestbody import DecodedBody, Decoder, RefusedError
from pytest_crd.engine.requests.resourcevalidation import ResourceValidator, Validated
from pytest_crd.engine.requests.served import Served
from pytest_crd.engine.requests.storage import Storage
from pytest_crd.engine.requests.versionmanagers import Owners

Tell: TypeAlias = Callable[[ObservedRequest], None]

# The server cannot convert a resource that has a list of that name, and says so in words that are not for users.
_TAKEN_FOR_A_LIST: Final = Refusal(500, "", "*unstructured.Unstructured is not a list: no Items field in this object")


class _Checked(NamedTuple):
    """
    A request whose object was validated.

    Attributes:
        resource: What is to be stored, in the version that was asked, its metadata without what a server makes.
        validated: What is wrong with it.
        made: The metadata that a server makes of it.
        warnings: What is warned of where nothing is wrong.
    """

    resource: dict[str, JSONValue]
    validated: Validated
    made: dict[str, JSONValue]
    warnings: tuple[str, ...] = ()


class TypedObjects(NamedTuple):
    """
    What is done otherwise with objects that have a Go type.

    Attributes:
        decoder: Decodes them.
        owners: Knows who owns what of them.
        kept_by_status: Which fields of their metadata an update of the status leaves as they are; None for all.
    """

    decoder: ObjectDecoder
    owners: Owners
    kept_by_status: frozenset[str] | None = None


class CustomResources:
    """
    The custom resources of one version of a CRD, as a server of one Kubernetes version serves them.

    Attributes:
        type_meta: Their apiVersion and kind.
    """

    def __init__(
        self,
        crd: CrdSpec,
        served: Served,
        versions: Sequence[Served],
        profile: Profile,
        typed: TypedObjects | None = None,
    ) -> None:
        """
        Take what decides the answers.

        Args:
            crd: The CRD.
            served: The version that requests are sent to.
            versions: All versions of the CRD, *served* among them.
            profile: Whose behaviour and words.
            typed: What decodes objects, and knows who owns what of them, where they have a Go type; None of custom resources.
        """
        self.type_meta = {"apiVersion": declared.api_version(crd.group, served.spec.name), "kind": crd.kind}
        self._crd = crd
        self._served = served
        self._storage = Storage(crd, served, versions)
        self._validator = ResourceValidator(crd, served, profile)
        self._profile = profile
        self._namespaced = crd.scope == "Namespaced"
        self._subresources = subresources.from_declared(served.spec.subresources)
        if typed is None:
            passes = {version.spec.name: version.passes for version in versions}
            bodies = Decoder(GroupVersionKind(crd.group, served.spec.name, crd.kind), passes, profile)
            owners = Owners(crd, served, versions, profile)
            typed = TypedObjects(ResourceDecoder(bodies, served.passes, profile), owners)
        self._subresources = self._subresources._replace(kept_by_status=typed.kept_by_status)
        self._reader = RequestReader(typed.decoder, self._subresources, typed.owners, profile)

    def answer(
        self, stored: Resource | None, asked: Request, making: Making = ALWAYS_ALIKE, tell: Tell | None = None
    ) -> RequestOutcome:
        """
        Return what comes of a request.

        Args:
            stored: What is stored under the name of the URL, of a create under the name that it gets; in the storage version. None
                where nothing is.
            asked: The request.
            making: What is made up.
            tell: Called with the request where its answer leaves; None where nobody listens.

        Reference:
            apiserver endpoints/handlers/create.go, update.go; registry/rest/create.go, update.go; apiextensions-apiserver
            registry/customresource/strategy.go, status_strategy.go.
        """
        before = None if stored is None else request.without_version(stored)
        if not self._served.spec.served:
            return RequestOutcome(response.refused(refusal.NOT_SERVED, subject={}), before)
        live = None if stored is None or asked.verb == "create" else self._live(stored, asked)
        target = self._target(asked, live)
        outcomes: list[RuleOutcome] | None = None if tell is None else []
        try:
            read = self._reader.read(asked, live, target, making)
            checked = self._check(read, asked, live, making, outcomes)
        except RefusedError as refused:
            return RequestOutcome(self._refuse(refused, target, asked, tell), before)
        if tell is not None:
            tell(_observed(asked, read.decoded, checked, outcomes or ()))
        outcome = self._keep(read, checked, before, live)
        if asked.verb == "create" and before is not None and outcome.response.accepted:
            name = checked.resource["metadata"]["name"]
            is_ending = bool((before.get("metadata") or {}).get("deletionTimestamp"))
            exists = RefusedError(refusal.already_exists(target.resource, name, is_ending=is_ending), read.decoded)
            return RequestOutcome(self._refuse(exists, target._replace(name=name), asked, None), before)
        return self._scaled(outcome) if asked.subresource == "scale" else outcome

    def read(self, stored: Resource) -> dict[str, JSONValue]:
        """Return what is stored as it is read in this version, with all its metadata."""
        return self._storage.read(stored, stored["metadata"].get("namespace", ""))

    def _live(self, stored: Resource, asked: Request) -> Resource:
        """Return what is stored as it is read in the version that is asked, with the resourceVersion that the request knows of."""
        live = self._storage.read(stored, asked.namespace)
        if asked.resource_version:
            live["metadata"]["resourceVersion"] = asked.resource_version
        return live

    def _scaled(self, outcome: RequestOutcome) -> RequestOutcome:
        """Return the outcome of a request to `/scale`, which is answered with the Scale."""
        if outcome.resource is None:
            return outcome
        from pytest_crd.engine.requests import scale  # noqa: PLC0415 - few requests are about it
        from pytest_crd.engine.requests.patching import patchdocuments  # noqa: PLC0415 - the same

        found = patchdocuments.plain(scale.of_resource(outcome.resource, self._subresources))
        return RequestOutcome(replace(outcome.response, scale=found), outcome.before, lambda: (outcome.stored, found))

    def _check(
        self,
        read: Read,
        asked: Request,
        live: Resource | None,
        making: Making,
        outcomes: list[RuleOutcome] | None,
    ) -> _Checked:
        """Return what is to be stored, validated: of what was sent, only what may be written through this URL."""
        new = {**read.decoded.resource, "metadata": read.prepared.metadata}
        if live is None:
            resource = self._subresources.prepare_create(new)
            validated = self._validator.create(resource, outcomes, read.entries if read.decoded.is_raw else None)
            warnings = objectmetavalidation.warnings(new["metadata"], profile=self._profile)
            made = systemmetadata.of_created(uid=making.uid(), now=making.now())
            return _Checked(resource, validated, made, warnings)
        old = live["metadata"]
        entries = read.entries if read.decoded.is_raw or old.get("managedFields") else None
        if asked.subresource == "status":
            resource = self._subresources.prepare_status_update(new, live)
            validated = self._validator.update_status(resource, live, read.decoded.resource, outcomes, entries)
            return _Checked(resource, validated, systemmetadata.of_updated(old, generates=False))
        resource = self._subresources.prepare_update(new, live)
        validated = self._validator.update(resource, live, outcomes, entries)
        warnings = objectmetavalidation.warnings(new["metadata"], old, profile=self._profile)
        generates = "generation" in old and systemmetadata.generates(resource, live)
        return _Checked(resource, validated, systemmetadata.of_updated(old, generates=generates), warnings)

    def _keep(self, read: Read, checked: _Checked, before: Resource | None, live: Resource | None) -> RequestOutcome:
        """Return what is stored, and the answer."""
        decoded, resource = read.decoded, checked.resource
        found = (*self._deprecation, *decoded.warnings, *read.prepared.warnings, *checked.validated.warnings)
        if errors := checked.validated.errors:
            sent = decoded.resource  # of an update of the status, the resource is the old one
            group = sent["apiVersion"].rpartition("/")[0]
            name = resource["metadata"].get("name", "")
            answer = response.invalid(group, sent["kind"], name, errors, warnings=found, changes=decoded.changes)
            return RequestOutcome(answer, before)
        warnings = (*found, *checked.warnings)
        if isinstance(resource.get("items"), list):
            answer = response.refused(_TAKEN_FOR_A_LIST, subject={}, warnings=warnings, changes=decoded.changes)
            return RequestOutcome(answer, before)
        try:
            kept = self._storage.store(resource, defaulted=bool(decoded.changes.defaulted), is_raw=decoded.is_raw)
        except DecodeError as error:  # what is metadata in the storage version alone
            unstorable = Refusal(500, "", str(error))
            answer = response.refused(unstorable, subject={}, warnings=warnings, changes=decoded.changes)
            return RequestOutcome(answer, before)
        written, returned = ((jsonvalue.from_python(one) if decoded.is_text else one) for one in kept[:2])
        shown = requestmetadata.shown(returned["metadata"], generated=read.prepared.has_generated_name)
        changes = replace(decoded.changes, lost=kept.lost) if kept.lost else decoded.changes
        answered = {**returned, "metadata": shown}
        # What an update leaves is shared with what was stored; whoever gets it may change it.
        stored = Stored.of(answered) if live is None else Stored(lambda: jsonvalue.copy(answered))
        is_gone = before is not None and requestmetadata.ends(written["metadata"], before.get("metadata"))
        made = Stored(lambda: self._made(read, checked, live))

        def both() -> tuple[Resource | None, Resource | None]:
            return None if is_gone else _with_made(written, made.value), _with_made(returned, made.value)

        owned = Stored(lambda: _owned(made.value.get("managedFields") or []))
        answer = Response(
            response.OK if live else response.CREATED,
            stored,
            warnings=response.sent(warnings),
            changes=changes,
            owned=owned,
            whole=Stored(lambda: both()[0]),
            before=before,
        )
        return RequestOutcome(answer, before, both)

    def _made(self, read: Read, checked: _Checked, live: Resource | None) -> dict[str, JSONValue]:
        """Return the metadata that a server makes, with who owns which fields."""
        entries = read.entries()
        made = {**checked.made, "managedFields": entries} if entries else checked.made
        if live is None or not entries or not self._profile.apply.times_follow_writes:
            return made
        from pytest_crd.engine.apply import fieldmanager  # noqa: PLC0415 - where nobody owns anything, nobody needs it

        settled = fieldmanager.settled(_with_made(checked.resource, made), request.without_version(live))
        return {**made, "managedFields": settled["metadata"]["managedFields"]}

    def _refuse(self, refused: RefusedError, target: RequestTarget, asked: Request, tell: Tell | None) -> Response:
        subject = {"name": target.name, "group": target.group, "kind": target.plural}
        warnings = (*self._deprecation, *refused.warnings)
        answer = response.refused(refused.refusal, subject=subject, warnings=warnings, changes=refused.changes)
        answer = replace(answer, conflicts=refused.conflicts)
        if tell is not None:
            sent = (
                None if asked.verb == "patch" else asked.body.value
            )  # a patch is no object of which anything is counted
            tell(ObservedRequest("", sent, errors=answer.errors, pruned=refused.pruned))
        return answer

    def _target(self, asked: Request, live: Resource | None) -> RequestTarget:
        metadata = live["metadata"] if live is not None else {"name": asked.name, "namespace": asked.namespace}
        namespace = metadata.get("namespace", asked.namespace) if self._namespaced else None
        name = metadata.get("name", "")
        return RequestTarget(self._crd.group, self._crd.plural, namespace, name, asked.storage_prefix)

    @cached_property
    def _deprecation(self) -> tuple[str, ...]:
        return deprecation.warnings(self._crd, self._served.spec)


def _owned(entries: list[JSONValue]) -> dict[str, tuple[OwnedPath, ...]]:
    """Return which fields each manager owns."""
    from pytest_crd.engine.apply import managers  # noqa: PLC0415 - few ask for owners

    return managers.paths(managers.read(entries))


def _with_made(resource: Resource, made: Resource) -> Resource:
    """Return a resource with the metadata that a server makes, in the usual order."""
    kept = {key: value for key, value in resource["metadata"].items() if key not in requestmetadata.SERVER_MADE}
    return {**resource, "metadata": dict(sorted({**kept, **made}.items()))}


def _observed(
    asked: Request, decoded: DecodedBody, checked: _Checked, outcomes: Sequence[RuleOutcome]
) -> ObservedRequest:
    written: Literal["object", "status"] = "status" if asked.subresource == "status" else "object"
    errors = checked.validated.errors
    return ObservedRequest(written, decoded.sent, decoded.resource, checked.resource, errors, outcomes)
