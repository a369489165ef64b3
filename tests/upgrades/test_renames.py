"""Renamed fields in upgrades."""

from __future__ import annotations

import pytest

from pytest_crd.upgrades import upgrade
from pytest_crd.upgrades.projectobjects import Specimens
from upgrades.changes import JSON, NUMBER, TEXT, crd, obj

WHEN: JSON = {**TEXT, "description": "The schedule of backups, in the syntax of cron."}
CRON: JSON = {**TEXT, "description": "The cron of backups, in the syntax of cron."}
LOST = "spec.x.schedule is dropped; spec.x.cron is new, alike in type and text: a rename loses the stored values"


def words(old: JSON, new: JSON) -> list[str]:
    return [finding.words for finding in upgrade.judge(crd(old), crd(new), Specimens()).findings if finding.is_breaking]


def test_a_lost_field_names_the_new_one() -> None:
    assert words(obj(schedule=WHEN, a=NUMBER), obj(cron=CRON, a=NUMBER)) == [LOST]


def test_a_required_new_field_names_the_lost_one() -> None:
    lost, refused = sorted(words(obj(("schedule",), schedule=WHEN), obj(("cron",), cron=CRON)), reverse=True)

    assert refused == "spec.x.cron: Required value (renamed: spec.x.schedule is gone, alike in type and text)"
    assert lost == LOST.replace("is dropped", "is dropped when a stored object is read")


@pytest.mark.parametrize(
    "new",
    [
        obj(cron={**NUMBER, "description": CRON["description"]}),
        obj(cron={**TEXT, "description": "The name of a secret with the password of the store."}),
        obj(cron=TEXT),
        obj(inner=obj(cron=CRON)),
        obj(),
    ],
)
def test_other_fields_are_no_renames(new: JSON) -> None:
    assert words(obj(schedule=WHEN), new) == ["spec.x.schedule is dropped"]


def test_fields_without_a_text_are_alike_by_their_names_and_schemas() -> None:
    assert words(obj(cronTab=TEXT), obj(cron=TEXT)) == [LOST.replace("schedule", "cronTab")]
    assert words(obj(cronTab=TEXT), obj(cron={**TEXT, "maxLength": 9})) == ["spec.x.cronTab is dropped"]
    assert words(obj(schedule=TEXT), obj(cron=TEXT)) == ["spec.x.schedule is dropped"]


def test_a_new_field_replaces_one_field_the_most_similar_one() -> None:
    other = {**TEXT, "description": "The schedule of backups in the syntax of crontab"}

    actual = words(obj(plan=other, schedule=WHEN), obj(cron=CRON))

    assert sorted(actual) == ["spec.x.plan is dropped", LOST]
