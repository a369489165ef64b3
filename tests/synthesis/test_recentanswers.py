"""Answers to objects that were sent recently."""

from __future__ import annotations

import enum
from typing import Any

from synthesis import versions
from synthesis.versions import fields

from pytest_crd import engine
from pytest_crd.synthesis.recentanswers import RecentAnswers

ANYTHING = fields(a={"x-kubernetes-preserve-unknown-fields": True})


def send(*values: Any) -> tuple[list[Any], list[engine.Response]]:
    """Send objects with *values* in turn, and return the values that reached the server, and all answers."""
    version = versions.create_version(ANYTHING)
    sent = []

    def create(resource: dict[str, Any]) -> engine.Response:
        sent.append(resource["spec"]["a"])
        return version.create(resource)

    answers = RecentAnswers(create)
    return sent, [answers({"spec": {"a": value}}) for value in values]


def test_an_equal_object_is_sent_once() -> None:
    sent, (first, second) = send({"b": [1], "c": None}, {"b": [1], "c": None})

    assert sent == [{"b": [1], "c": None}]
    assert first is second
    assert first.stored["spec"] == {"a": {"b": [1], "c": None}}


def test_values_of_another_type_or_order_are_other_objects() -> None:
    values = [1, True, 1.0, "1", {"b": 1, "c": 2}, {"c": 2, "b": 1}]

    assert [*map(repr, send(*values, *values)[0])] == [*map(repr, values)]


def test_long_past_answers_are_forgotten() -> None:
    values = [*range(257), 256, 1, 0]

    assert send(*values)[0] == [*range(257), 0]


def test_large_objects_and_values_of_other_classes_are_sent_each_time() -> None:
    text = enum.StrEnum("text", ["A"])
    values = ["a" * 20_000, text.A]

    sent, answers = send(*values, *values)

    assert sent == [*values, *values]
    assert answers[-1].stored["spec"] == {"a": "a"}
