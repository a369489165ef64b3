"""Choice of the CRDs for the check of round trips."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from checks.roundtrips.roundtripcrds import TEXT, keep, make_crd, version

from pytest_crd.checks.roundtrips import planning
from pytest_crd.engine import CustomResourceDefinition

if TYPE_CHECKING:
    from support.sessions import Project

WEBHOOK = """\
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {namespace: a, name: b}}
"""
SECOND = "  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n"
ONE, OTHER = version("v1", {"name": TEXT}), version("v2", {"note": TEXT})


def _pairs(crd: CustomResourceDefinition) -> list[str]:
    return [f"{source.name}-{target.name}" for source, target in planning.find_pairs(crd)]


def test_each_served_version_goes_to_each_other_one_that_is_served_or_stored() -> None:
    third = version("v3", {"name": TEXT})

    assert _pairs(make_crd(ONE)) == []
    assert _pairs(make_crd(ONE, OTHER)) == ["v1-v2", "v2-v1"]
    assert _pairs(make_crd({**ONE, "served": False}, OTHER, {**third, "served": False})) == ["v2-v1"]


def test_a_conversion_is_known_without_a_webhook_or_if_the_webhook_can_be_called() -> None:
    assert planning.is_known(make_crd(ONE, OTHER, strategy="None"))
    assert planning.is_known(make_crd(ONE, OTHER, convert=keep))
    assert not planning.is_known(make_crd(ONE, OTHER))


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "round trips of 1 CRD are not checked (tabs0.stories.example.com): a webhook converts the objects, *"),
        (4, "round trips of 4 CRDs are not checked (*tabs0.stories.example.com*tabs2.stories.example.com …): *"),
    ],
)
def test_webhooks_that_cannot_be_called_are_one_note_in_the_header(project: Project, count: int, words: str) -> None:
    for number in range(count):
        path = project.crd(f"config/crd/bases/tabs{number}.yaml", plural=f"tabs{number}", kind=f"Tab{number}")
        path.write_text(path.read_text("utf-8").replace("  scope:", f"{WEBHOOK}  scope:") + SECOND, "utf-8")
    result = project.run("--crd-checks", "-v", "-k", "roundtrip")

    result.stdout.fnmatch_lines([f"*{words}"])


def test_a_crd_of_unknown_place_is_named_without_a_line() -> None:
    crd = make_crd(ONE, OTHER)
    unplaced = CustomResourceDefinition.from_manifest(crd.manifest)

    assert [str(note).partition(":")[0] for note in planning.find_notes([crd])] == ["tabs.yaml"]
    assert [note.line for note in planning.find_notes([unplaced])] == [0]
    assert [*planning.find_notes([make_crd(ONE, OTHER, convert=keep)])] == []
