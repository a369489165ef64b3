"""Lints: mistakes that a server accepts, each by its name in `crd_lints`."""

from __future__ import annotations

import fnmatch
import json
import re
from typing import TYPE_CHECKING

import pytest
from support import crds
from support.sessions import GARDEN

from pytest_crd.checks import lints
from pytest_crd.checks.lints import LINTS

if TYPE_CHECKING:
    from support.sessions import Project

CRD = "config/crd/bases/gardens.yaml"


def find(crd: str, lint: str) -> list[str]:
    """Return the findings of a lint, with their lines."""
    assert crd != GARDEN
    findings = lints.lint(crds.read(crd, CRD), lint).findings
    return [f"{finding.place.removeprefix(f'{CRD}:')}: {finding.text}" for finding in findings]


def test_no_lint_is_asked_for_unless_it_is_named(project: Project) -> None:
    result = project.run("--crd-checks", "-k", "deployable")

    result.assert_outcomes(deselected=5)


def test_each_lint_is_an_item(project: Project) -> None:
    project.ini("crd_checks = true", f"crd_lints = {' '.join(LINTS)} ssatags")

    result = project.run("-v", "-k", "deployable")

    passed = re.findall(
        rf"^{CRD}::deployable\[gardens\.stories\.example\.com-(\w+)\] PASSED", result.stdout.str(), re.MULTILINE
    )
    assert [*LINTS] == passed, "GARDEN of support.sessions has the mistake of the missing lints: correct it there"
    result.assert_outcomes(passed=len(LINTS), deselected=5)


@pytest.mark.parametrize(
    ("lint", "old", "new", "words"),
    [
        pytest.param(
            "unreachabledefault",
            "label: {type: string}",
            "label: {type: object, properties: {size: {type: integer, default: 3}}}",
            "21: spec.label.size: the default does not apply while spec.label is left out: * gets size: 3; write default: {} *",
            id="unreachabledefault",
        ),
        pytest.param(
            "requireddefault",
            "label: {type: string}",
            "label: {type: object, required: [size], properties: {size: {type: integer, default: 3}}}",
            "21: spec.label.size is required and has a default",
            id="requireddefault",
        ),
        pytest.param(
            "goduration",
            "label: {type: string}",
            "label: {type: string, format: duration}",
            "21: spec.label: the server accepts 2d, 1w and 5 days",
            id="goduration",
        ),
        pytest.param(
            "ssatags",
            "                x-kubernetes-list-type: map\n                x-kubernetes-list-map-keys: [name]\n",
            "",
            "27: spec.beds: a list without x-kubernetes-list-type",
            id="ssatags",
        ),
        pytest.param(
            "ssatags",
            "label: {type: string}",
            "label: {type: array, items: {type: string}}",
            "21: spec.label: a list without *",
            id="ssatags in a flow",
        ),
        pytest.param(
            "statussubresource",
            "    subresources: {status: {}}\n",
            "",
            "34: v1 has a status, but no subresource for it",
            id="statussubresource",
        ),
        pytest.param(
            "statusoptional",
            "type: object\n        properties:\n          spec",
            "type: object\n        required: [spec, status]\n        properties:\n          spec",
            "16: status is required, which no new object has",
            id="statusoptional",
        ),
        pytest.param(
            "statusoptional",
            "status: {type: object,",
            "status: {type: object, required: [phase],",
            "35: status.phase is required",
            id="statusoptional below",
        ),
        pytest.param(
            "preserveunknownfields",
            "free: {type: object,",
            "free: {type: object, properties: {a: {type: string}},",
            "25: spec.free: keeps misspelt fields",
            id="preserveunknownfields",
        ),
        pytest.param(
            "booleannames",
            "label: {",
            "'y': {",
            "21: spec.y: YAML without quotes reads the name as true",
            id="booleannames",
        ),
        pytest.param(
            "booleannames",
            "phase: {",
            "'off': {",
            "35: status.off: YAML without quotes reads the name as false",
            id="booleannames below",
        ),
    ],
)
def test_a_mistake_is_found_at_its_line(lint: str, old: str, new: str, words: str) -> None:
    assert old in GARDEN

    findings = find(GARDEN.replace(old, new), lint)

    assert [finding for finding in findings if fnmatch.fnmatch(finding, f"{words}*")], findings


def test_a_mistake_fails_its_item(project: Project) -> None:
    project.write(CRD, GARDEN.replace("    subresources: {status: {}}\n", ""))
    project.ini("crd_checks = true", "crd_lints = statussubresource")

    result = project.run("-k", "deployable")

    result.assert_outcomes(failed=1, deselected=5)
    result.stdout.fnmatch_lines([f"  {CRD}:34: v1 has a status, but no subresource for it*"])


def test_values_under_a_rule_need_bounds() -> None:
    rule = "x-kubernetes-validations: [{rule: self.name != ''}], "
    crd = GARDEN.replace(
        "label: {type: string}",
        "label: {type: array, items: {type: object, "
        f"{rule}properties: {{name: {{type: string}}, kind: {{type: string, enum: [a]}}, at: {{type: string, format: date}}, "
        "short: {type: string, maxLength: 3}, tags: {type: object, additionalProperties: {type: string}}, "
        "few: {type: object, maxProperties: 1, additionalProperties: {type: integer}}}}}",
    )

    assert find(crd, "maxlength") == [
        "21: spec.label[*].name: string without maxLength under a rule",
        "21: spec.label[*].tags: map without maxProperties under a rule",
        "21: spec.label[*].tags[*]: string without maxLength under a rule",
    ]


def test_apiversion_and_kind_under_a_rule_need_no_bound() -> None:
    crd = GARDEN.replace(
        "        type: object\n",
        "        type: object\n        x-kubernetes-validations: [{rule: \"self.metadata.name != 'x'\"}]\n",
        1,
    ).replace(
        "        properties:\n",
        "        properties:\n          apiVersion: {type: string}\n          kind: {type: string}\n",
        1,
    )

    findings = find(crd, "maxlength")

    assert "apiVersion: {type: string}" in crd
    assert findings
    assert not [finding for finding in findings if ": apiVersion: " in finding or ": kind: " in finding]


def test_lists_under_a_rule_need_a_bound() -> None:
    crd = GARDEN.replace(
        "            type: object\n            properties:\n              size",
        "            type: object\n            x-kubernetes-validations: [{rule: self.size > 0}]\n            properties:\n              size",
    )

    assert "28: spec.beds: array without maxItems under a rule" in find(crd, "maxlength")


def test_a_mistake_shared_by_versions_is_reported_once_for_each_place() -> None:
    version = (
        GARDEN[GARDEN.index("  - name: v1") :]
        .replace("name: v1", "name: v2")
        .replace("storage: true", "storage: false")
    )
    crd = f"{GARDEN}{version}".replace("label: {type: string}", "label: {type: array, items: {type: string}}")

    assert len(find(crd, "ssatags")) == 2


def test_a_version_without_a_schema_has_no_mistakes_in_it() -> None:
    crd = f"{GARDEN}  - {{name: v2, served: true, storage: false}}\n"

    findings = {name: find(crd, name) for name in LINTS}

    assert not any(findings.values()), (
        f"a lint finds a mistake in a version without a schema: let it skip such versions: {findings}"
    )


@pytest.mark.parametrize(
    "annotations", [{}, {"a": "b", "kubectl.kubernetes.io/last-applied-configuration": "x" * 99999}]
)
@pytest.mark.parametrize("more", [0, 1])
def test_a_crd_beyond_the_annotation_limit_of_kubectl_apply_is_too_large(
    more: int, annotations: dict[str, str]
) -> None:
    crd = crds.read(GARDEN, CRD).crd
    manifest = {**crd.manifest, "metadata": {"name": crd.name, "annotations": annotations}}
    key = "kubectl.kubernetes.io/last-applied-configuration"
    remaining = {name: text for name, text in annotations.items() if name != key}
    applied = {**manifest, "metadata": {"name": crd.name, "annotations": remaining}}
    room = (
        256 * 1024
        - len(key)
        - len("".join([*remaining, *remaining.values()]))
        - len(json.dumps(applied, separators=(",", ":")))
        - 1
    )
    schema = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema = {**schema, "description": "d" * (room - len(',"description":""') + more)}
    version = {**manifest["spec"]["versions"][0], "schema": {"openAPIV3Schema": schema}}
    manifest = {**manifest, "spec": {**manifest["spec"], "versions": [version]}}

    words = "1: its annotations would have 262,145 bytes, more than the 262,144 that there may be"
    assert find(json.dumps(manifest), "applysize") == ([words] if more else [])


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["crd_checks = true", "crd_lints = ssatag"], "crd_lints: there is no 'ssatag'; there are ssatags, *"),
        (["crd_lints = ssatags"], "crd_lints does nothing without checks: *"),
    ],
)
def test_a_name_that_there_is_not_or_that_does_nothing_is_a_usage_error(
    project: Project, lines: list[str], words: str
) -> None:
    project.ini(*lines)

    result = project.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {words}"])
