"""Admission policies for tests: subjects of cases from manifests as text, and results of cases."""

from __future__ import annotations

from pathlib import Path

from pytest_crd.cases import loader, objectsources
from pytest_crd.cases.caseresult import CaseResult
from pytest_crd.cases.crdcatalog import Catalog
from pytest_crd.cases.model import CaseFile, PolicyCase
from pytest_crd.cases.policies import policyrunner, policysubjects
from pytest_crd.cases.policies.policysubjects import PolicySubject
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine.cel.library.accesschecks import Authorize
from pytest_crd.engine.yaml import manifest
from pytest_crd.policies import reading
from pytest_crd.policies.params import NoParams
from pytest_crd.policies.policycontext import PolicyListeners
from pytest_crd.policies.projectadmission import ProjectAdmission, ProjectFacts
from pytest_crd.report import text
from pytest_crd.server.authorization import admissionauthorizer

CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gardens.stories.example.com}
spec:
  group: stories.example.com
  scope: Namespaced
  names: {plural: gardens, singular: garden, kind: Garden, listKind: GardenList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, maximum: 9}, hedge: {type: string, default: yew}}}
"""


def admission_of(policies: str, *, authorize: Authorize | None = None) -> ProjectAdmission:
    """Return the admission of a project with the manifests of policies, bindings and params."""
    read = reading.read
    manifests = tuple(manifest.read(policies.encode(), source="policies.yaml"))
    facts = ProjectFacts(
        lambda profile: read(manifests, profile),
        PolicyListeners(),
        lambda _given, _profile: NoParams(),
        admissionauthorizer.is_granted,
        authorize,
    )
    return ProjectAdmission(facts)


def catalog_of(admission: ProjectAdmission | None, folder: Path) -> Catalog:
    """Return the catalog of a project with a CRD and admission."""
    folder.joinpath("crd.yaml").write_text(CRD, encoding="utf-8")
    sources = Sources(folder, ("crd.yaml",), folder=folder)
    return Catalog(sources, "1.37", find_webhooks=None if admission is None else lambda _: admission)


def load(cases: str, policy: str) -> CaseFile:
    """Return a case file about a policy."""
    (case_file,) = loader.load(f"policy: {policy}\ncases:\n{cases}", source="cases.yaml")
    return case_file


def subject_of(case_file: CaseFile, policies: str, folder: Path, **facts: Authorize | None) -> PolicySubject:
    """Return the policy of a case file, in a project with a CRD."""
    return policysubjects.find(case_file, catalog_of(admission_of(policies, **facts), folder))


def run(case_file: CaseFile, subject: PolicySubject) -> CaseResult:
    """Return the result of the only case of a file."""
    case = objectsources.resolve(case_file.cases[0], Path())
    assert isinstance(case, PolicyCase)
    return policyrunner.run(case, subject)


def explain(result: CaseResult) -> list[str]:
    """Return the lines of a failure without its title; empty if the case holds."""
    return [] if result.holds else list(text.lines("a", result))[2:]
