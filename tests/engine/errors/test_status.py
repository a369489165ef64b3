"""Status objects: the fields that they leave out, and the order of the rest."""

from __future__ import annotations

from pytest_crd.engine.errors import refusal, status


def test_a_status_has_the_fields_of_the_server_in_its_order() -> None:
    whole = status.failure(409, "Conflict", "no", {"name": "a"})

    assert list(whole) == ["kind", "apiVersion", "metadata", "status", "message", "reason", "details", "code"]
    assert (whole["status"], whole["details"], whole["code"]) == ("Failure", {"name": "a"}, 409)


def test_a_status_has_empty_details_only_if_they_are_passed() -> None:
    assert status.failure(404, "NotFound", "no", {})["details"] == {}
    assert status.failure(500, "", "no").keys().isdisjoint({"reason", "details"})


def test_names_in_refusals_are_quoted_as_go_quotes_them() -> None:
    assert refusal.conflict("things.example.com", 'a"b', "x").message == (
        r'Operation cannot be fulfilled on things.example.com "a\"b": x'
    )
    assert refusal.already_exists("things.example.com", 'a"b').message == r'things.example.com "a\"b" already exists'
