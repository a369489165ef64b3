"""The changes that CONTRIBUTING lists, each made in the files that it names, in one copy of the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parents[1]
CONTRIBUTING: Final = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ARCHITECTURE: Final = (ROOT / "docs/developing/architecture.md").read_text(encoding="utf-8")


class Edit(NamedTuple):
    """
    An edit of a module.

    Attributes:
        path: The module, relative to the package.
        old: The text before; empty for a new module.
        new: The text after.
        named: The words that lead to the module; empty if the line names its path.
    """

    path: str
    old: str
    new: str
    named: str = ""


CONTROLLER: Final = """
from pytest_crd.server.store.store import ObjectKey

class ConfigMapLabels:
    resources = frozenset({"configmaps"})

    def __init__(self, store):
        self._store = store

    def find_keys(self, event):
        return (f"{event.key.namespace}/{event.key.name}",) if event.new else ()

    def reconcile(self, key):
        namespace, _, name = key.partition("/")
        stored = ObjectKey("configmaps", namespace, name)
        value = self._store.get(stored).value
        if "labels" not in value["metadata"]:
            self._store.put(stored, {**value, "metadata": {**value["metadata"], "labels": {"by": "controller"}}})
        return False
"""
PLUGIN: Final = """
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.registry.requestbody import RefusedError

class NoPurple:
    def mutate(self, request, _reinvocation, _warnings):
        return request.object

    def validate(self, request, _warnings):
        if (request.object or {}).get("data") == {"colour": "purple"}:
            raise RefusedError(Refusal(403, "Forbidden", "no purple, please"))
"""
# The edits of each change, by the start of its line in CONTRIBUTING.
CHANGES: Final[Mapping[str, tuple[Edit, ...]]] = {
    "The words of a server in one version": (
        Edit(
            "engine/profile.py",
            "    inflects_units: bool = True\n",
            "    inflects_units: bool = True\n    inflects_items: bool = True\n",
        ),
        Edit(
            "engine/profile.py",
            "    names_authorizers=False,\n",
            "    names_authorizers=False,\n    inflects_items=False,\n",
        ),
        Edit(
            "engine/values/keywords.py",
            "max_quantity=limit, inflected=profile.inflects_units",
            "max_quantity=limit, inflected=profile.inflects_items",
            named="the message that reads it",
        ),
    ),
    "A mistake of a case": (
        Edit(
            "cases/mistakes.py",
            "        yield from _bad_patterns(document, (section, index), case)\n",
            (
                "        yield from _bad_patterns(document, (section, index), case)\n"
                '        if case.get("name") == "TODO":\n'
                '            yield Mistake(document.source, document.line, "a case without a name of its own")\n'
            ),
        ),
    ),
    "A lint": (
        Edit(
            "checks/lintrecords.py",
            "LINTS: Final = (\n",
            'LINTS: Final = (\n    Lint("kindends", "A kind that ends in s", "It reads like a list.", "a singular", "write a singular"),\n',
        ),
        Edit(
            "checks/lints.py",
            "# Functions named after their lints, by name.\n",
            (
                "def _kindends(read):\n"
                '    if read.crd.kind.endswith("s"):\n'
                '        yield ("spec", "names", "kind"), "the kind ends in s"\n\n\n'
                "# Functions named after their lints, by name.\n"
            ),
        ),
        Edit("checks/lints.py", "        _ssatags,\n", "        _ssatags,\n        _kindends,\n"),
    ),
    "A setting": (
        Edit(
            "plugin/options.py",
            '    (\n        ("--crd-rule-budget"',
            (
                '    (("--crd-motto", "crd_motto", "string", "TEXT", "last", "crd_motto"), "A motto."),\n'
                '    (\n        ("--crd-rule-budget"'
            ),
        ),
        Edit(
            "plugin/settings/checks.py",
            "SETTINGS: Final = (CHECKS, ",
            'MOTTO: Final = define("--crd-motto", lambda entry: entry.value)\nSETTINGS: Final = (MOTTO, CHECKS, ',
        ),
    ),
    "An option of a command": (
        Edit(
            "cli/diff.py",
            '    add("--all", ',
            '    add("--praise", action="store_true", help="praise the change")\n    add("--all", ',
        ),
        Edit(
            "cli/diff.py",
            '    """Print the effects of the upgrade; return a code of `exits.Exit`."""\n',
            (
                '    """Print the effects of the upgrade; return a code of `exits.Exit`."""\n'
                "    if options.praise:\n"
                '        print("well done")\n'
            ),
        ),
    ),
    "A controller, an admission plugin or a strategy": (
        Edit("server/controllers/configmaplabels.py", "", CONTROLLER, named="a module to `server/controllers/`"),
        Edit(
            "server/authorization/nopurple.py",
            "",
            PLUGIN,
            named="as `OwnerPlugin` in `server/authorization/ownerpermission.py`",
        ),
        Edit(
            "server/resourcecatalog.py",
            "from pytest_crd.server.crdtype import",
            (
                "from pytest_crd.server.authorization.nopurple import NoPurple\n"
                "from pytest_crd.server.controllers.configmaplabels import ConfigMapLabels\n"
                "from pytest_crd.server.crdtype import"
            ),
            named="`ServerCatalog._follow`",
        ),
        Edit(
            "server/resourcecatalog.py",
            "            AggregationController(self.roles),\n",
            "            AggregationController(self.roles),\n            ConfigMapLabels(store),\n",
            named="`ServerCatalog._follow`",
        ),
        Edit(
            "server/resourcecatalog.py",
            "AdmissionChain((*owners, ",
            "AdmissionChain((NoPurple(), *owners, ",
            named="`ServerCatalog._find_plugins`",
        ),
    ),
}
CRD: Final = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Things, listKind: ThingList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          sizes: {type: array, maxItems: 1, x-kubernetes-list-type: atomic, items: {type: integer}}
"""
# Uses each change in one process.
USE: Final = """\
import json
import pytest
from pytest_crd import __main__, engine
from pytest_crd.server.api import Api
from pytest_crd.server.http.httpmessages import HTTPRequest

arguments = ["-p", "pytest_crd.plugin", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
print("ended", pytest.main(arguments))
print("ended", __main__.main(["diff", "--praise", "crds/things.yaml", "crds/things.yaml"]))
thing = {"apiVersion": "example.com/v1", "kind": "Things", "metadata": {"name": "a"}, "sizes": [1, 2]}
for version in ("1.37", "1.36"):
    crd = engine.load("crds", kubernetes_version=version)["things.example.com"]
    print(version, *crd.version("v1").create(thing).errors)
api = Api([], enforces_owners=True)
for colour in ("green", "purple"):
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": colour}, "data": {"colour": colour}}
    path = "/api/v1/namespaces/default/configmaps"
    answer = api.answer(HTTPRequest("POST", path, {"Content-Type": "application/json"}, json.dumps(body).encode()))
    print(answer.code, answer.value.get("message"))
print(api.answer(HTTPRequest("GET", path + "/green", {})).value["metadata"]["labels"])
"""
CONFTEST: Final = """\
from pytest_crd.plugin.settings import checks

def pytest_report_header(config):
    return "motto: " + checks.MOTTO.read_value(config)
"""
CASES: Final = "crd: things.example.com\ncreate:\n- name: TODO\n  input: {}\n  accepted: true\n"


@pytest.mark.long  # a process compiles the copy
@pytest.mark.session
def test_each_change_works_in_the_files_that_its_line_names(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "pytest_crd", copy / "pytest_crd", ignore=shutil.ignore_patterns("__pycache__"))
    for edit in (edit for edits in CHANGES.values() for edit in edits):
        module = copy / "pytest_crd" / edit.path
        text = module.read_text(encoding="utf-8") if edit.old else ""
        assert text.count(edit.old) == 1, edit
        module.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
    project = tmp_path / "project"
    (project / "crds").mkdir(parents=True)
    settings = "crd_paths = crds\ncrd_checks = true\ncrd_lints = kindends\ncrd_motto = be kind\n"
    for name, text in {
        "pytest.ini": f"[pytest]\n{settings}",
        "conftest.py": CONFTEST,
        "crds/things.yaml": CRD,
        "test_things.crd.yaml": CASES,
        "use.py": USE,
    }.items():
        (project / name).write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    result = subprocess.run(
        [sys.executable, "use.py"], cwd=project, env=environment, capture_output=True, encoding="utf-8", check=False
    )

    assert result.stderr == ""
    for words in (
        "motto: be kind",
        "test_things.crd.yaml:1: a case without a name of its own",
        "the kind ends in s",
        "write a singular",
        "well done",
        "1.37 sizes: Too many: 2: must have at most 1 item\n",
        "1.36 sizes: Too many: 2: must have at most 1 items\n",
        "201 None",
        "403 no purple, please",
        "{'by': 'controller'}",
    ):
        assert words in result.stdout


@pytest.mark.parametrize("change", CHANGES)
def test_a_line_names_the_files_of_its_change(change: str) -> None:
    (line,) = re.findall(rf"^- \*\*{re.escape(change)}\*\*(.+?)\n(?=- |\n)", CONTRIBUTING, re.MULTILINE | re.DOTALL)
    words = " ".join(line.split()) + (ARCHITECTURE if "(docs/developing/architecture.md)" in line else "")

    assert [edit for edit in CHANGES[change] if (edit.named or f"`pytest_crd/{edit.path}`") not in words] == []
