"""Custom resources as they are served."""

from __future__ import annotations

from support import servers


def test_what_is_stored_of_a_wrong_type_has_no_scale() -> None:
    server = servers.api()
    job = {**servers.job("a"), "apiVersion": "fuzz.example.com/v1beta1", "spec": {"replicas": "many"}}
    servers.ask(server, "POST", servers.JOBS.replace("/v1/", "/v1beta1/"), job)
    answer = servers.ask(server, "GET", f"{servers.JOBS}/a/scale")
    assert answer.value["message"] == ".spec.replicas accessor error: many is of the type string, expected int64"
    scaled = {"spec": {"replicas": 1}}
    merge = servers.ask(server, "PATCH", f"{servers.JOBS}/a/scale", scaled, mediaType="application/merge-patch+json")
    assert merge.code == answer.code
