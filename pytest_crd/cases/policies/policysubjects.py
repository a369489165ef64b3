"""The admission policy of a case file, with its bindings, candidates by its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_crd import suggestions
from pytest_crd.cases.caseresult import Context
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.cases.model import CaseFile, CaseFileError
from pytest_crd.engine import CustomResourceDefinition, profile
from pytest_crd.engine.inputerror import Mistake
from pytest_crd.engine.profile import Profile, UnknownVersionError
from pytest_crd.engine.yaml.manifest import Manifest
from pytest_crd.policies import reading
from pytest_crd.policies.invocations import BoundPolicy
from pytest_crd.policies.policycontext import PolicyListeners
from pytest_crd.policies.projectadmission import ProjectAdmission, ProjectPolicies
from pytest_crd.server import servedversions


class PolicySubject(NamedTuple):
    """
    The policy of cases.

    Attributes:
        bound: The policy with its bindings.
        manifests: The manifests of the policy and its bindings.
        objects: The manifests of the other objects of `crd_policies`, which may be params.
        admission: The admission of the project.
        crds: The CRDs of the project.
        profile: The Kubernetes version.
    """

    bound: BoundPolicy
    manifests: tuple[Manifest, ...]
    objects: tuple[Manifest, ...]
    admission: ProjectAdmission
    crds: tuple[CustomResourceDefinition, ...]
    profile: Profile

    @property
    def unheard(self) -> PolicySubject:
        """The same policy without listeners, so that its evaluation does not count as coverage."""
        facts = self.admission.facts._replace(listeners=PolicyListeners())
        return self._replace(admission=self.admission._replace(facts=facts))

    @property
    def context(self) -> Context:
        """The policy and the versions for a report."""
        policy = self.bound.policy
        return Context("", "", self.profile.version, f"{policy.source}:{policy.line}", f"{policy.kind} {policy.name}")


def find(case_file: CaseFile, catalog: Catalog) -> PolicySubject:
    """
    Return the policy of a case file.

    Args:
        case_file: A case file about a policy.
        catalog: The CRDs of the session under a Kubernetes version.

    Raises:
        CaseFileError: There is no such policy, or none at all; or no server answers as the Kubernetes version.
        InputError: The CRDs or the policies of the project have mistakes.
    """
    named = _find_profile(case_file, catalog)
    crds, admission = catalog.find_admitted()
    if not isinstance(admission, ProjectAdmission):
        message = "no admission policy is known: set crd_policies to the files with the policies and their bindings"
        raise _mistake(case_file, message)
    project = admission.facts.read_policies(named)
    bound = _find_policy(case_file, project)
    own = _find_own(bound, project.manifests)
    return PolicySubject(bound, own, project.objects, admission, tuple(crd.under(named.version) for crd in crds), named)


def reread(
    subject: PolicySubject,
    manifests: tuple[Manifest, ...],
    crds: tuple[CustomResourceDefinition, ...],
    named: Profile | None = None,
) -> PolicySubject:
    """
    Return a policy in another form, without listeners and webhooks.

    Args:
        subject: The policy.
        manifests: Its manifest, and those of its bindings.
        crds: The CRDs.
        named: The Kubernetes version; None for the same.

    Raises:
        PolicyError: The Kubernetes version refuses the policy or a binding.
    """
    named = named or subject.profile
    project = reading.read(manifests, named).policies
    admission = subject.unheard.admission._replace(webhooks=None)
    (bound,) = (*project.validating, *project.mutating)
    return subject._replace(bound=bound, manifests=manifests, admission=admission, crds=crds, profile=named)


def _find_profile(case_file: CaseFile, catalog: Catalog) -> Profile:
    own = case_file.kubernetes_version
    try:
        return profile.named(servedversions.find_served(own or catalog.kubernetes_version))
    except UnknownVersionError as error:
        if own is not None:
            raise _mistake(case_file, str(error), "kubernetesVersion") from None
        raise _mistake(case_file, f"{error}, as `kubernetesVersion:` of this file") from None


def _find_policy(case_file: CaseFile, project: ProjectPolicies) -> BoundPolicy:
    kind, _, name = case_file.policy.rpartition("/")
    every = [*project.policies.validating, *project.policies.mutating]
    candidates = [bound for bound in every if bound.policy.name == name and kind in ("", bound.policy.kind)]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        choices = " or ".join(f"{bound.policy.kind}/{name}" for bound in candidates)
        raise _mistake(case_file, f"two policies are called {name}: write {choices}")
    names = tuple(dict.fromkeys(bound.policy.name for bound in every))
    near = suggestions.nearest_ignoring_case(name, names)
    remedy = f"did you mean {near}?" if near else f"there are: {', '.join(names) or 'none'}"
    raise _mistake(case_file, f"no policy of crd_policies is called {case_file.policy}; {remedy}")


def _find_own(bound: BoundPolicy, manifests: Sequence[Manifest]) -> tuple[Manifest, ...]:
    """Return the manifests of a policy and its bindings."""
    places = {(bound.policy.source, bound.policy.line), *((item.source, item.line) for item in bound.bindings)}
    return tuple(item for item in manifests if (item.source, item.line_of()) in places)


def _mistake(case_file: CaseFile, message: str, key: str = "policy") -> CaseFileError:
    return CaseFileError([Mistake(case_file.source, case_file.lines.find_line(key), message)])
