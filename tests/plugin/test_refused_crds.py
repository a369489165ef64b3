"""A CRD that the server refuses has no custom resources: questions about them fail with the server's message."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.sessions import CASES

if TYPE_CHECKING:
    from support.sessions import Project

FILE = "config/crd/bases/gardens.yaml"
REFUSED = 'config/crd/bases/gardens.yaml:1: the server refuses this CRD: spec.scope: Unsupported value: "Namespacd"'
# A change of a CRD, and the words of its refusal.
REASONS = {
    "Scope": ("scope: Namespaced", "scope: Namespacd", "spec.scope: Unsupported value"),
    "Storage": ("storage: true", "storage: false", "must have exactly one version marked as storage"),
    "Default": ("label: {type: string}", "label: {type: string, default: 1}", "must be of type string"),
    "Loose": ("label: {type: string}", "label: {}", "type: Required value"),
}
BETA = """\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata: {name: gardens.stories.example.com}
spec:
  group: stories.example.com
  version: v1
  scope: Namespaced
  preserveUnknownFields: false
  names: {plural: gardens, kind: Garden}
  validation:
    openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}
"""
BETA_CASES = """\
crd: gardens.stories.example.com
pruning:
- {name: unknown fields go, input: {spec: {bogus: x}}, expected: {spec: {}}}
"""


def _file(kind: str) -> str:
    return f"config/crd/bases/{kind.lower()}s.yaml"


def _break(project: Project, old: str = "scope: Namespaced", new: str = "scope: Namespacd", file: str = FILE) -> Path:
    path = project.path / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_cases_about_refused_crds_are_errors(project: Project) -> None:
    """Also in Python tests; each reason has a line."""
    for kind, (old, new, _) in REASONS.items():
        plural = f"{kind.lower()}s"
        file = f"config/crd/bases/{plural}.yaml"
        project.crd(file, plural=plural, kind=kind)
        _break(project, "singular: garden", f"singular: {kind.lower()}", file)
        _break(project, old, new, file)
        project.cases(CASES.replace("gardens", plural), f"test_{plural}.crd.yaml")
    _break(project)
    _break(project, "storage: true", "storage: false")
    project.cases(name="cases/garden.yaml")
    project.cases()
    project.write(
        "test_it.py",
        'import pytest\n\n@pytest.mark.crd_cases("cases/*.yaml")\ndef test_it(crd_case):\n    crd_case.check()\n',
    )

    result = project.run()

    result.assert_outcomes(errors=len(REASONS) + 2)
    for kind, (*_, words) in REASONS.items():
        title = f"ERROR collecting test_{kind.lower()}s.crd.yaml "
        section = result.stdout.str().partition(title)[2].partition("\n____")[0]
        assert f"config/crd/bases/{kind.lower()}s.yaml:1: the server refuses this CRD:" in section
        assert words in section
    lines = (
        f"{FILE}:1: the server refuses this CRD:",
        "*  spec.scope: Unsupported value*",
        "*  spec.versions: Invalid value*",
        "*storedCRD: true*",
    )
    for file in ("test_garden.crd.yaml", "test_it.py"):
        result.stdout.fnmatch_lines([f"*ERROR collecting {file} *", *(f"*{line}" for line in lines)])


def test_a_listing_has_the_cases_of_a_refused_crd(gardener: Project) -> None:
    """A listing reads names and versions of CRDs; their schemas wait for a run."""
    _break(gardener)

    result = gardener.run("--collect-only", "-q")

    assert result.ret == pytest.ExitCode.OK
    assert len([line for line in result.outlines if "::" in line]) == 3


def test_cases_of_crds_that_a_case_file_or_the_settings_call_stored_are_run(project: Project) -> None:
    """One stored CRD does not excuse another."""
    for kind in ("Pond", "Hedge"):
        project.crd(_file(kind), plural=f"{kind.lower()}s", kind=kind)
        _break(project, "singular: garden", f"singular: {kind.lower()}", _file(kind))
        project.cases(CASES.replace("gardens", f"{kind.lower()}s"), f"test_{kind.lower()}.crd.yaml")
        _break(project, file=_file(kind))
    _break(project, "label: {type: string}", "label: {type: string, default: 1}")
    for name in ("garden", "again"):
        cases = CASES.replace("{spec: {size: 3, ", "{spec: {size: 3, label: 1, ")
        project.cases(f"storedCRD: true\n{cases}", f"test_{name}.crd.yaml")
    project.ini("crd_stored = ponds.stories.example.com")
    tests = "import pytest\n\n@pytest.mark.crd('Pond')\ndef test_it(crd_version):\n    assert crd_version.create({}).accepted\n"
    project.write("test_it.py", tests)

    result = project.run("--continue-on-collection-errors")

    result.assert_outcomes(passed=3 + 3 + 4, errors=1)
    result.stdout.fnmatch_lines(["ERROR test_hedge.crd.yaml*"])


VERSIONS = ("crd_version", "crd.versions[0]", "crds[0].version('v1')", "crd.under('1.36').versions[0]")
REQUESTS = ("create({})", "update({}, old={})", "update_status({}, old={})", "prune({})", "default({})")


# Questions about the CRD itself are answered.
ITSELF = """
def test_itself(crd, crd_version):
    assert crd.response.code == 422
    assert crd.response.errors[0].field == "spec.scope"
    assert crd_version.structural_errors == ()
    crd_version.assert_structural()
"""


def test_questions_about_objects_of_a_refused_crd_fail(project: Project) -> None:
    _break(project)
    questions = [f"{version}.{request}" for version in VERSIONS for request in REQUESTS]
    tests = [
        f"def test_{number:02}({question.partition('.')[0].partition('[')[0]}):\n    {question}\n"
        for number, question in enumerate(questions)
    ]
    project.write("test_it.py", "".join(tests))

    project.write("test_itself.py", ITSELF)

    result = project.run("--tb=short")

    result.assert_outcomes(failed=len(questions), passed=1)
    reports = re.split(r"\n_+ test_\d\d.* _+\n", result.stdout.str())[1:]
    for question, report in zip(questions, reports, strict=True):
        failure = report.partition("\n=")[0]
        assert f"    {question}\n" in failure
        assert re.search(rf"^E   .*{re.escape(REFUSED)}", failure, re.MULTILINE), question
        assert "version.py" not in failure, question


def test_a_v1beta1_crd_is_judged_as_by_the_last_server_that_accepted_it(empty: Project) -> None:
    for kind, scope in (("Garden", "Namespaced"), ("Pond", "Namespacd")):
        plural = f"{kind.lower()}s"
        text = BETA.replace("gardens", plural).replace("Garden", kind).replace("Namespaced", scope)
        empty.write(f"config/crd/bases/{plural}.yaml", text)
        empty.cases(BETA_CASES.replace("gardens", plural), f"test_{plural}.crd.yaml")

    result = empty.run("--continue-on-collection-errors")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([f"*{REFUSED.replace('gardens', 'ponds')}*"])


def test_an_old_crd_that_no_server_accepted_is_an_error_unless_it_is_stored(project: Project) -> None:
    project.crd("old.yaml")
    _break(project, file="old.yaml")
    case = "{name: a, old: {spec: {}}, oldCRD: {path: old.yaml}, input: {spec: {}}, accepted: true}"
    for name, head in (("garden", ""), ("stored", "storedCRD: true\n")):
        project.cases(f"{head}crd: gardens.stories.example.com\nupdate:\n- {case}\n", f"test_{name}.crd.yaml")

    result = project.run("--continue-on-collection-errors")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["*test_garden.crd.yaml:3: a server refuses the old CRD: spec.scope: Unsupported value*"]
    )


RAW = "label: {$ref: 'python://schemas/k8s.json#/definitions/podspec'}"
COPY = "$ref is not resolved in this file; the copy {0}/gardens.yaml:1 has none: write crd_paths = {0}"


@pytest.mark.parametrize(
    ("copy", "setting"),
    [
        pytest.param("deploy/manifests", "", id="another file"),
        pytest.param("config/crd/bases", "crd_paths = raw", id="beside crd_paths"),
    ],
)
def test_a_crd_with_references_names_its_copy(project: Project, copy: str, setting: str) -> None:
    whole = project.read(FILE)
    project.path.joinpath(FILE).unlink()
    project.write("raw/gardens.yaml", whole.replace("label: {type: string}", RAW))
    project.write(f"{copy}/gardens.yaml", whole)
    project.ini(setting)
    project.cases(CASES.replace("crd: gardens.stories.example.com", "crd: raw/gardens.yaml"))
    project.write(
        "test_it.py",
        "def test_create(crds):\n    crds['raw/gardens.yaml'].version('v1').create({})\ndef test_server(crd_server):\n    pass\n",
    )

    lines = project.run("--crd-checks", "--continue-on-collection-errors", "-rN", "-k", "not applies").outlines

    # In the case file, the check `accepted`, and the tests with `crds` and `crd_server`.
    assert sum(COPY.format(copy) in line for line in lines) == 4


def test_a_refused_crd_without_references_names_no_copy(project: Project) -> None:
    project.write("other/gardens.yaml", project.read(FILE))
    text = project.read(FILE).replace("scope: Namespaced", "scope: Namespacd")
    project.write("raw/gardens.yaml", text)
    project.ini("crd_paths = raw other")
    project.write("test_it.py", "def test_server(crd_server):\n    pass\n")

    assert "$ref" not in project.run("--crd-checks").stdout.str()
