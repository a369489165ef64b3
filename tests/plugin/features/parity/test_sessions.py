"""`crd_parity`: each class is a test below the file of its CRD, with the differences, their objects and the lines that allow them."""

from __future__ import annotations

import fnmatch
import json
from typing import TYPE_CHECKING

import pytest
from support import crds
from support.sessions import Folder

from pytest_crd.classes import divergences
from pytest_crd.plugin.features.parity import plan
from pytest_crd.plugin.settings import parity

if TYPE_CHECKING:
    from support.sessions import Project

FILE = "config/crd/bases/gardens.yaml"
TARGET = "gardens.stories.example.com/v1"
ITEM = "parity[gardens.stories.example.com-v1]"
SMALL = crds.text(
    "plural: gardens, singular: garden, kind: Garden, listKind: GardenList",
    """\
    type: object
    required: [spec]
    properties:
      spec:
        type: object
        properties:
          size: {type: integer, default: 3}
    """,
    group="stories.example.com",
)
MODELS = """\
from pydantic import BaseModel

class Spec(BaseModel):
    size: int = 3

class Short(BaseModel):
    size: int = 2

class Rest(BaseModel):
    pass

class Odd(BaseModel):
    size: int | bool = 3

def load(value):
    return value

PAIR = (load, lambda value: {"size": 3} | value)
NEITHER = 1
"""


@pytest.fixture
def small(empty: Project) -> Project:
    """A project with a small CRD and classes."""
    empty.write(FILE, SMALL)
    empty.write("gardening.py", MODELS)
    return empty


def _ini(project: Project, *classes: str, allowed: tuple[str, ...] = (), more: tuple[str, ...] = ()) -> None:
    lines = ["pythonpath = .", "crd_parity =", *(f"    gardening:{name} = {TARGET}" for name in classes)]
    if allowed:
        lines += ["crd_parity_allow =", *(f"    {line}" for line in allowed)]
    project.ini(*lines, *more)


# The class of a CRD, and the allowance for it.
COMPARED = {
    "Garden": ("Spec", ""),
    "Pond": ("Short", ""),
    "Hedge": ("Short", "spec.size another default: the operator sets it"),
    "Lawn": ("Spec", "spec.size the class loses: why"),
    "Shed": ("Spec", "spec.*: why"),
    "Tree": ("Short", "spec.size: why"),
}


def _version(kind: str) -> str:
    return f"{kind.lower()}s.stories.example.com/v1"


def _item(kind: str) -> str:
    return f"config/crd/bases/{kind.lower()}s.yaml::parity[{kind.lower()}s.stories.example.com-v1]"


def _escaped(text: str) -> str:
    return text.replace("[", "[[]").replace("*", "[*]")


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A project with a CRD for each class and allowance."""
    folder = Folder(tmp_path_factory.mktemp("compared"))
    folder.write("gardening.py", MODELS)
    for kind in COMPARED:
        text = (
            SMALL.replace("gardens", f"{kind.lower()}s").replace("garden,", f"{kind.lower()},").replace("Garden", kind)
        )
        folder.write(f"config/crd/bases/{kind.lower()}s.yaml", text)
    allowed = [f"{_version(kind)} {line}" for kind, (_, line) in COMPARED.items() if line]
    folder.ini(
        "pythonpath = .",
        "crd_parity =",
        *(f"    gardening:{name} = {_version(kind)}" for kind, (name, _) in COMPARED.items()),
        "crd_parity_allow =",
        *(f"    {line}" for line in (*allowed, "* spec.other: none")),
    )
    return folder


@pytest.fixture(scope="module")
def report(compared: Folder) -> pytest.RunResult:
    """The report of all checks."""
    return compared.run("-v", "--crd-json", "verdicts.json")


@pytest.mark.session
def test_a_class_that_agrees_passes_below_the_file_of_the_crd(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(
        [
            "crd: 6 CRDs, 6 versions from config/crd/bases; Kubernetes *",
            "crd: 6 parity checks of classes",
            f"{_escaped(_item('Garden'))} PASSED *",
        ]
    )


@pytest.mark.session
def test_a_difference_is_shown_with_its_object_its_line_and_its_allowance(report: pytest.RunResult) -> None:
    file, _, name = _item("Pond").partition("::")

    assert (
        f"{file}:1: {name}, gardening:Short, Kubernetes 1.37\n\n"
        "the class and the CRD differ:\n"
        f"  spec.size: another default ({file}:20)\n"
        "      the CRD has 3, the class 2\n"
        '      object: {"spec": {}}\n\n'
        "If a difference is intended, add its line to crd_parity_allow, with a reason:\n"
        f"  {_version('Pond')} spec.size another default: REASON\n"
    ) in report.stdout.str()
    report.stdout.fnmatch_lines([f"FAILED {_escaped(_item('Pond'))}*"])


@pytest.mark.session
def test_an_allowed_difference_is_a_note(report: pytest.RunResult) -> None:
    for kind, reason in (("Hedge", "the operator sets it"), ("Tree", "why")):
        report.stdout.fnmatch_lines([f"{_escaped(_item(kind))} PASSED *"])
        report.stdout.fnmatch_lines([f"crd: {_escaped(_item(kind))}*allowed: spec.size: another default: * ({reason})"])


@pytest.mark.session
def test_an_allowance_that_allows_nothing_fails(report: pytest.RunResult) -> None:
    for kind, path in (("Lawn", "spec.size the class loses"), ("Shed", "spec.*")):
        words = f"{_version(kind)} {path}; remove the line"
        assert f"allowed in crd_parity_allow, but no longer found: {words}" in report.outlines
        report.stdout.fnmatch_lines([f"{_escaped(_item(kind))} FAILED *"])


@pytest.mark.session
def test_an_allowance_for_several_checks_has_a_test_of_its_own(report: pytest.RunResult) -> None:
    report.stdout.fnmatch_lines(
        [
            "allowed in crd_parity_allow, but no longer found: [*] spec.other; remove the line",
            "FAILED pytest.ini::parity[[]crd_parity_allow] - *",
        ]
    )


def test_an_allowance_for_several_checks_is_found_in_one_of_them(small: Project) -> None:
    _ini(small, "Short", "Spec", allowed=("* * another default: all",))

    result = small.run("-v")

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["pytest.ini::parity[[]crd_parity_allow] PASSED *"])


@pytest.mark.session
def test_reports_for_programs_have_the_divergences(compared: Folder, report: pytest.RunResult) -> None:
    verdicts = json.loads(compared.read("verdicts.json"))["verdicts"]

    report.assert_outcomes(passed=3, failed=4)
    assert {verdict["kind"] for verdict in verdicts} == {"parity"}
    rules = {cause["rule"] for verdict in verdicts for cause in verdict["causes"]}
    assert rules == {"parity/default", "parity/allowed"}


def test_the_option_replaces_the_setting_and_a_pair_of_callables_can_be_named(small: Project) -> None:
    _ini(small, "Short")
    small.write("other.txt", "")

    result = small.run(*("--crd-parity", f"gardening:PAIR={TARGET}", "--crd-parity", f"gardening:Spec={TARGET}"), "-v")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*gardening:PAIR[]] FAILED *", "*gardening:Spec[]] PASSED *"])
    small.run("other.txt").assert_outcomes()


def test_several_classes_of_one_crd_and_several_kubernetes_versions_have_their_own_names(small: Project) -> None:
    _ini(small, "Spec", "Short", more=("crd_kubernetes_version = 1.36 1.37",))

    result = small.run("--collect-only", "-q")

    names = [line.partition("::")[2] for line in result.outlines if "::" in line]
    assert names == [
        f"parity[gardens.stories.example.com-v1-{version}-gardening:{name}]"
        for version in ("1.36", "1.37")
        for name in ("Spec", "Short")
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("crd_parity = gardening.Spec",), "pytest.ini:2: crd_parity: 'gardening.Spec' is not MODULE:CLASS = CRD/VERSION, as in *"),
        (("crd_parity = gardening:Spec = gardens",), "pytest.ini:2: crd_parity: 'gardening:Spec = gardens' is not MODULE:CLASS = *"),
        (("crd_parity_allow = x/v1 spec.a: why",), "pytest.ini:2: crd_parity_allow: does nothing without classes: name them in crd_parity, *"),
        ((f"crd_parity = gardening:Spec = {TARGET}", "crd_parity_allow = spec.a"), "pytest.ini:3: crd_parity_allow: 'spec.a' is not CRD/VERSION FIELD KIND: REASON, *"),
    ],
)  # fmt: skip
def test_a_malformed_setting_is_an_error_with_its_line(empty: Project, lines: tuple[str, ...], message: str) -> None:
    empty.ini(*lines)
    config = empty.parse()

    with pytest.raises(pytest.UsageError) as error:
        _read(config)

    assert fnmatch.fnmatch(str(error.value), message)


def _read(config: pytest.Config) -> plan.ParsedSettings:
    settings = parity.read(config)
    assert settings is not None
    return plan.parse_settings(settings)


@pytest.mark.parametrize("line", ["* *: why", f"{TARGET} ** *: why"])
def test_a_line_that_allows_every_difference_is_malformed(line: str) -> None:
    with pytest.raises(ValueError, match="allows every difference") as error:
        divergences.parse(line)
    words = "allows every difference, so that nothing is compared: name the fields or the kind"
    assert str(error.value) == f"{line!r} {words}"


SPEK = f"gardening:Spek = {TARGET}"
# Lines of the setting, and the messages about them.
UNKNOWN_CLASSES = {
    SPEK: "pytest.ini:2: crd_parity: gardening:Spek: gardening has no Spek; did you mean Spec?",
    f"gardning:Spec = {TARGET}": "pytest.ini:2: crd_parity: gardning:Spec: there is no module gardning; install the project, or set pythonpath",
    f"broken:Spec = {TARGET}": "ZeroDivisionError: division by zero",
    f"needy:Spec = {TARGET}": "ModuleNotFoundError: No module named 'absent'",
    f"gar/dening:Spec = {TARGET}": "pytest.ini:2: crd_parity: gar/dening:Spec: 'gar/dening:Spec' is not MODULE:CLASS, as in myop.models:BackupSpec",
}
UNKNOWN_CRDS = {
    "gardening:Spec = ponds/v1": "pytest.ini:2: gardening:Spec: *ponds*",
    "gardening:Spec = gardens.stories.example.com/v2": "pytest.ini:2: gardening:Spec: *v2*",
}


@pytest.mark.parametrize(
    ("messages", "arguments"),
    [(UNKNOWN_CLASSES, ()), (UNKNOWN_CRDS, (f"{FILE}::x",))],
    ids=["classes", "CRDs, with a node id"],
)
def test_unknown_classes_and_crds_are_an_error_with_their_line(
    small: Project, messages: dict[str, str], arguments: tuple[str, ...]
) -> None:
    small.write("broken.py", "1 / 0\n")
    small.write("needy.py", "import absent\n")
    small.ini("crd_parity =", *(f"    {line}" for line in messages), "pythonpath = .")

    result = small.run(*arguments)

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([*messages.values()])


def test_an_allowance_of_an_unknown_crd_is_an_error(small: Project) -> None:
    _ini(small, "Spec", allowed=("ponds.example.com/v1 spec.a: why",))

    result = small.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["pytest.ini:5: crd_parity_allow: ponds.example.com/v1 spec.a: no class is compared with this CRD"]
    )


def test_a_class_that_cannot_be_compared_fails_and_no_allowance_is_judged(small: Project) -> None:
    _ini(small, "Odd", "NEITHER", "Spec", allowed=("* spec.size: why", "*/v1 spec: why"))

    result = small.run()

    result.assert_outcomes(failed=3, passed=1)
    odd = "Odd, size: a union of boolean and integer; *; pass a tuple (load, dump), which needs no CRD of the class"
    result.stdout.fnmatch_lines([odd, "gardening:NEITHER: 1 has no model_json_schema(): pass a pydantic model*"])
    result.stdout.fnmatch_lines(["FAILED pytest.ini::parity[[]crd_parity_allow] - *"])
    assert sum(fnmatch.fnmatch(line, odd) for line in result.outlines) == 2


def test_a_refused_crd_is_told_by_its_check(small: Project) -> None:
    small.write(FILE, SMALL.replace("type: integer", "type: int"))
    _ini(small, "Spec")

    result = small.run()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the server refuses the CRD: *"])
    small.run("--crd-checks", "-k", "accepted or parity").assert_outcomes(failed=1, skipped=1, deselected=3)


HOOK = """\
def pytest_crd_parity(config):
    from gardening import Rest, Spec, load
    pair = (load, lambda value: {"size": 3} | value)
    return {"gardens.stories.example.com/v1": Spec, "ponds.stories.example.com/v1": [Rest, pair]}
"""


def test_a_hook_names_a_class_or_several_without_an_import_path(small: Project) -> None:
    small.ini("pythonpath = .")
    small.write("conftest.py", HOOK)
    ponds = SMALL.replace("gardens", "ponds").replace("garden,", "pond,").replace("Garden", "Pond")
    small.write("config/crd/bases/ponds.yaml", ponds)

    small.run().assert_outcomes(passed=1, failed=2)


def test_a_crd_of_a_hook_is_compared_below_the_ini_file(small: Project) -> None:
    (small.path / FILE).unlink()
    _ini(small, "Spec")
    small.write(
        "conftest.py",
        'import pytest_crd\n\ndef pytest_crd_manifests():\n    from gardening import Spec\n    return {"a": pytest_crd.crd_of(Spec, group="stories.example.com", kind="Garden")}\n',
    )

    result = small.run("-v")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"pytest.ini::{ITEM.replace('[', '[[]')} PASSED *"])


# The result of a hook, and the words behind the name of its plugin.
WRONG_HOOKS = {
    "nothing": ("    return None", "pytest_crd_parity returns None; return a mapping from CRD/VERSION to a class"),
    "empty": ("    return {}", "pytest_crd_parity returns {}; return a mapping from CRD/VERSION to a class"),
    "version": (
        "    return {'gardens': 1}",
        "pytest_crd_parity 'gardens' is not CRD/VERSION, as in backups.example.com/v1",
    ),
    "fails": ("    1 / 0", "pytest_crd_parity fails:"),
}


def test_wrong_hooks_are_errors_with_their_plugins(small: Project) -> None:
    for name, (body, _) in WRONG_HOOKS.items():
        small.write(f"{name}.py", f"def pytest_crd_parity():\n{body}\n")
    wrapper = "import pytest\n@pytest.hookimpl(wrapper=True)\ndef pytest_crd_parity():\n    yield\n"
    small.write("conftest.py", f"pytest_plugins = {[*WRONG_HOOKS]}\n{wrapper}")

    result = small.run()

    result.assert_outcomes(errors=1)
    for name, (_, words) in WRONG_HOOKS.items():
        result.stdout.fnmatch_lines([f"{name}: {words}"])
    result.stdout.fnmatch_lines(["conftest.py: pytest_crd_parity cannot be a wrapper: each returns its own classes"])


def test_a_late_hook_is_an_error(small: Project) -> None:
    small.write("tests/inner/conftest.py", "def pytest_crd_parity():\n    return {}\n")
    small.write("tests/inner/test_it.py", "def test_it(): pass\n")
    _ini(small, "Spec")
    result = small.run()
    result.stdout.fnmatch_lines(["*inner/conftest.py: pytest_crd_parity is registered too late, after the start of the session: move it to the conftest.py of *"])  # fmt: skip


def test_a_session_without_python_says_that_no_class_is_compared(small: Project) -> None:
    _ini(small, "Short")
    small.write("test_it.py", "def test_it(): pass\n")
    small.write("conftest.py", "def pytest_crd_parity(): return {}\n")

    result = small.run("--crd-alone=", "--noconftest", "-q")

    assert "parity[" not in result.stdout.str()
    result.stdout.fnmatch_lines_random(
        [
            "crd: no Python is imported: the classes of crd_parity are not compared; --crd-python imports them",
            "crd: no conftest.py is loaded: classes that pytest_crd_parity returns in conftest.py are not compared; --crd-python loads it",
        ]
    )


POLICY = """\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: none}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [stories.example.com], apiVersions: [v1], operations: ["*"], resources: [gardens]}]
  validations: [{expression: "false"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: none}
spec: {policyName: none, validationActions: [Deny]}
"""


def test_policies_do_not_decide_about_classes(small: Project) -> None:
    small.write("policies.yaml", POLICY)
    _ini(small, "Spec", more=("crd_policies = policies.yaml",))
    small.write(
        "test_it.py",
        "import pytest\nfrom gardening import Spec\n\n"
        f"@pytest.mark.crd_parity(Spec, '{TARGET}')\n"
        "def test_it(crd_parity):\n    crd_parity.check()\n",
    )

    small.run(FILE, "test_it.py").assert_outcomes(passed=2)
