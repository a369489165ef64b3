"""Requests for the custom resources of a version, as clients send them: with what they may leave out filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.errors.failedrule import Locate
from pytest_crd.engine.errors.response import Response
from pytest_crd.engine.observation import Exchange
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.resources import completion, requestbody
from pytest_crd.engine.resources.customresource import CustomResources
from pytest_crd.engine.resources.requestbody import Body, FieldValidation
from pytest_crd.engine.resources.served import Served


class Requests:
    """Sends requests to one version of a CRD; what each argument means is said of the methods of `Version`."""

    def __init__(  # noqa: PLR0913 - what decides the answers, and who is told of them
        self,
        crd: CrdSpec,
        served: Served,
        versions: Sequence[Served],
        profile: Profile,
        place_of: Locate,
        *,
        tell: Callable[[Exchange], None],
    ) -> None:
        """
        Take what decides the answers.

        Args:
            crd: The CRD.
            served: The version that requests are sent to.
            versions: All versions of the CRD, *served* among them.
            profile: Whose behaviour and words.
            place_of: Says where in a file what is at a path in the schema of the version stands.
            tell: Tells of a request; called where somebody observes.
        """
        self._resources = CustomResources(crd, served, versions, profile, tell=tell)
        self._type_meta = {"apiVersion": f"{crd.group}/{served.spec.name}", "kind": crd.kind}
        self._place_of = place_of

    def create(
        self, body: Body, *, namespace: str | None = None, field_validation: FieldValidation = "Warn"
    ) -> Response:
        """Return the answer to a POST of *body*."""
        sent = completion.named(completion.typed(body, self._type_meta))
        answer = self._resources.create(
            sent, namespace=completion.namespace(namespace, sent), field_validation=requestbody.known(field_validation)
        )
        return answer.located(self._place_of)

    def update(
        self,
        body: Body,
        *,
        old: Mapping[str, object],
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """Return the answer to a PUT of *body* over *old*."""
        sent, stored = completion.over(body, old, self._type_meta)
        answer = self._resources.update(
            sent,
            old=stored,
            namespace=completion.namespace(namespace, sent),
            field_validation=requestbody.known(field_validation),
        )
        return answer.located(self._place_of)

    def update_status(
        self,
        body: Body,
        *,
        old: Mapping[str, object],
        namespace: str | None = None,
        field_validation: FieldValidation = "Warn",
    ) -> Response:
        """Return the answer to a PUT of *body* to the `/status` of *old*."""
        sent, stored = completion.over(body, old, self._type_meta)
        answer = self._resources.update_status(
            sent,
            old=stored,
            namespace=completion.namespace(namespace, sent),
            field_validation=requestbody.known(field_validation),
        )
        return answer.located(self._place_of)
