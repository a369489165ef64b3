"""Label selectors in objects."""

from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.fieldpath import FieldPath
from pytest_crd.engine.jsonvalue import JSONObject
from pytest_crd.engine.metadata import labelselectors

LABELS = {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        ({}, True),
        ({"matchLabels": None, "matchExpressions": None}, True),
        ({"matchLabels": {"a": "1", "b": "2"}}, True),
        ({"matchLabels": {"a": "1", "b": "3"}}, False),
        ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["0", "1"]}]}, True),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["0", "1"]}]}, False),
        ({"matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["0"]}]}, True),
        ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, False),
    ],
)
def test_labels_match_if_they_meet_all_requirements(selector: JSONObject, *, matches: bool) -> None:
    assert labelselectors.is_match(labelselectors.requirements(selector), LABELS) is matches


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        ({"matchLabels": {"a": "b c"}}, ['s.matchLabels: Invalid value: "b c": a valid label']),
        (
            {"matchExpressions": [None]},
            [
                's.matchExpressions[0].operator: Invalid value: "": not a valid selector operator',
                's.matchExpressions[0].key: Invalid value: "": name part must be non-empty',
                's.matchExpressions[0].key: Invalid value: "": name part must consist',
            ],
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "In"}]},
            [
                "s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
            ],
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b c"]}]},
            [
                "s.matchExpressions[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                's.matchExpressions[0].values[0]: Invalid value: "b c": a valid label',
            ],
        ),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, []),
    ],
)
def test_malformed_selectors_have_the_servers_errors(selector: JSONObject, words: list[str]) -> None:
    errors = labelselectors.validate(selector, FieldPath(("s",)), profile.named("1.37"))
    assert [str(error)[: len(expected)] for error, expected in zip(errors, words, strict=True)] == words
