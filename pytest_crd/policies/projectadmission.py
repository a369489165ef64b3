"""Admission of a project in its tests: its policies, then its webhooks, with the facts that a test gives."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from pytest_crd.admission.chain import AdmissionChain, AdmissionPlugin, Reinvocation
from pytest_crd.engine.api.context import GivenFacts, NamespaceOf, UnusedFact, Webhooks
from pytest_crd.engine.cel.library.accesschecks import AccessAnswer, AccessRequest, Authorize
from pytest_crd.engine.crds.declared import CrdSpec
from pytest_crd.engine.crds.internalspec import Conversion
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.jsonvalue import JSONObject as Resource
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.registry import usernames
from pytest_crd.engine.registry.admission import AdmissionRequest, User
from pytest_crd.engine.registry.conversion import VersionConverter
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.policies import givenuses
from pytest_crd.policies.givenuses import FactUses
from pytest_crd.policies.invocations import PolicySet
from pytest_crd.policies.params import NoParams, ParamSource
from pytest_crd.policies.plugin import PolicyPlugin
from pytest_crd.policies.policycontext import PolicyContext, PolicyListeners
from pytest_crd.webhooks.calledwebhooks import labelled

# Returns whether rules, as in a Role, allow an access request.
IsGranted: TypeAlias = Callable[[Sequence[JSONObject], AccessRequest], AccessAnswer]


class ProjectPolicies(NamedTuple):
    """
    The policies of a project.

    Attributes:
        policies: The policies with their bindings.
        objects: The manifests of the other objects beside them, which may be params.
        manifests: The manifests of all of them.
    """

    policies: PolicySet
    objects: tuple[Manifest, ...] = ()
    manifests: tuple[Manifest, ...] = ()

    @property
    def takes_params(self) -> bool:
        """Whether a policy has params."""
        return any(
            bound.policy.param_kind is not None for bound in (*self.policies.mutating, *self.policies.validating)
        )


# Stores the params of the project, and those of a test in their place, under a Kubernetes version.
StoreParams: TypeAlias = Callable[[Sequence[Resource], Profile], ParamSource]


NOTHING: Final = GivenFacts()
_ANONYMOUS: Final = "system:anonymous"


class ProjectFacts(NamedTuple):
    """
    Facts about a project that policies need.

    Attributes:
        read_policies: Returns the policies under a Kubernetes version.
        listeners: The listeners to policies.
        store_params: Returns the stored params; raises GivenParamError and InputError.
        is_granted: Returns whether rules allow an access request.
        authorize: The authorizer with the roles of the project; None if roles are unknown.
    """

    read_policies: Callable[[Profile], ProjectPolicies]
    listeners: PolicyListeners
    store_params: StoreParams
    is_granted: IsGranted
    authorize: Authorize | None = None


class ProjectAdmission(NamedTuple):
    """
    The policies and the webhooks of a project, as the engine calls them.

    Attributes:
        facts: The policies, and facts that they need.
        webhooks: The webhooks; None without any.
        given: The facts that a test gives.
        params: The params of the project and the test; None for those of the project alone.
        uses: The uses of the facts of a test; None without them.
    """

    facts: ProjectFacts
    webhooks: Webhooks | None = None
    given: GivenFacts = NOTHING
    params: ParamSource | None = None
    uses: FactUses | None = None

    def giving(self, given: GivenFacts, profile: Profile) -> ProjectAdmission:
        """
        Return the same admission with the facts of a test.

        Raises:
            GivenParamError: A param of the test cannot be stored.
            InputError: The mistakes in policies or params of the project.
        """
        uses = FactUses()
        facts = self.facts._replace(listeners=uses.listen(self.facts.listeners))
        params = self.facts.store_params(given.params, profile) if given.params else None
        return self._replace(facts=facts, given=given, params=params, uses=uses)

    def find_unused(self) -> Iterator[UnusedFact]:
        """Return the facts of the test that no request has read so far."""
        return givenuses.find_unused(self.given, self.uses or FactUses(), self.facts.is_granted)

    def admission(self, profile: Profile, namespace_of: NamespaceOf | None = None) -> AdmissionChain:
        """
        Return the chain of admission plugins.

        Args:
            profile: The Kubernetes version.
            namespace_of: Returns the Namespace with a name; None for the namespaces of the test.

        Raises:
            InputError: The mistakes in policies, params or webhook configurations.
        """
        namespace_of = namespace_of or self._namespace
        project = self.facts.read_policies(profile)
        policy_context = PolicyContext(namespace_of, self._params(project, profile), self.facts.listeners)
        called = None if self.webhooks is None else self.webhooks.admission(profile, namespace_of)
        policies = PolicyPlugin(lambda: project.policies, policy_context, profile)
        plugins: tuple[AdmissionPlugin, ...] = (policies, *(() if called is None else called.plugins))
        return AdmissionChain(tuple(_GivenPlugin(plugin, self._complete) for plugin in plugins))

    def converter(self, crd: CrdSpec, conversion: Conversion, profile: Profile) -> VersionConverter | None:
        """Return the conversion webhook of a CRD; None if it is not known how to call it."""
        return None if self.webhooks is None else self.webhooks.converter(crd, conversion, profile)

    def _params(self, project: ProjectPolicies, profile: Profile) -> ParamSource:
        if not project.takes_params:
            return NoParams()
        return self.facts.store_params((), profile) if self.params is None else self.params

    def _namespace(self, name: str) -> Resource:
        """Return the Namespace of the test, with the label that the server sets."""
        labelled_namespace = labelled(name)
        namespace = self.given.namespace
        if namespace is None:
            return labelled_namespace
        metadata = namespace.get("metadata") or {}
        labels = {**labelled_namespace["metadata"]["labels"], **(metadata.get("labels") or {})}
        return {**labelled_namespace, **namespace, "metadata": {**metadata, "name": name, "labels": labels}}

    def _complete(self, request: AdmissionRequest) -> AdmissionRequest:
        """Return a request with the user of the test, and an authorizer that knows its rules."""
        user_info, rules = self.given.user, self.given.rules
        user = request.user if user_info is None else user_of(user_info)
        authorize = request.authorize or self.facts.authorize
        if rules is not None:
            authorize = functools.partial(self.facts.is_granted, rules)
        return request._replace(
            user=user, authorize=authorize if self.uses is None else self.uses.note_accesses(authorize)
        )


class _GivenPlugin(NamedTuple):
    """A plugin that sees the facts of a test."""

    inner: AdmissionPlugin
    complete: Callable[[AdmissionRequest], AdmissionRequest]

    def mutate(self, request: AdmissionRequest, reinvocation: Reinvocation, warnings: list[str]) -> Resource | None:
        return self.inner.mutate(self.complete(request), reinvocation, warnings)

    def validate(self, request: AdmissionRequest, warnings: list[str]) -> None:
        self.inner.validate(self.complete(request), warnings)


def user_of(value: JSONObject) -> User:
    """
    Return a user with a `username`, and with `groups`, `uid` and `extra` if they are stated.

    The groups that the server adds to each user are there, too.
    """
    name, extra = value["username"], {key: tuple(items) for key, items in (value.get("extra") or {}).items()}
    account = usernames.split_service_account(name)
    own = () if account is None else usernames.service_account_groups(account[0])
    added = usernames.UNAUTHENTICATED if name == _ANONYMOUS else usernames.AUTHENTICATED
    groups = tuple(dict.fromkeys((*own, *(value.get("groups") or ()), added)))
    return User(name, value.get("uid") or "", groups, extra)
