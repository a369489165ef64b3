"""Errors of rules name the rule, its place in the CRD's file, and the values that decided."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from support import crds

from pytest_crd import engine
from pytest_crd.engine.crds import declared
from pytest_crd.engine.errors.origin import FailedRule

CRD = crds.text(
    "plural: tabs, kind: Tab",
    """\
    type: object
    properties:
      spec:
        type: object
        x-kubernetes-validations:
        - rule: has(self.max)
        - rule: self.replicas <= self.max
          message: too many
        properties:
          max: {type: integer, default: 10}
          replicas: {type: integer}
          names:
            type: array
            items:
              type: string
              x-kubernetes-validations:
              - rule: |
                  self.startsWith("a") ||
                    self == oldSelf.orValue("b")
                message: starts otherwise
                optionalOldSelf: true
          labels:
            type: object
            additionalProperties:
              type: string
              x-kubernetes-validations:
              - {rule: self != "", reason: FieldValueForbidden}
          unknown:
            type: integer
            x-kubernetes-validations:
            - rule: self.b > 1
          large:
            type: array
            items: {type: integer}
            x-kubernetes-validations:
            - rule: self.all(x, self.all(y, y >= 0))
          said:
            type: string
            x-kubernetes-validations:
            - rule: self == 'a'
              messageExpression: "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].exists(i, self.matches('b*c*d*e')) ? 'x' : 'y'"
    """,
)


def _crd(folder: Path, text: str = CRD) -> engine.CustomResourceDefinition:
    (folder / "tabs.yaml").write_text(text)
    return engine.load("tabs.yaml", base=folder)[0]


def _failed(folder: Path, **spec: Any) -> FailedRule:
    (error,) = _crd(folder).version("v1").create({"spec": spec}).errors
    assert error.rule is not None
    return error.rule


def test_a_false_rule_is_named_with_its_place_and_the_values_that_decided(tmp_path: Path) -> None:
    failed = _failed(tmp_path, replicas=11)

    assert failed.text == "self.replicas <= self.max"
    assert failed.source == "tabs.yaml:20"
    assert failed.parts == ("self.replicas = 11", "self.max = 10")
    assert failed.steps == ("properties", "spec", "x-kubernetes-validations", 1)
    assert failed.lines == ("rule (tabs.yaml:20): self.replicas <= self.max", *failed.parts)
    assert repr(failed) == "<FailedRule 'self.replicas <= self.max' (tabs.yaml:20)>"


def test_rules_of_items_have_the_place_of_the_items(tmp_path: Path) -> None:
    failed = _failed(tmp_path, names=["a", "c"], replicas=1)

    assert (failed.source, failed.parts) == (
        "tabs.yaml:30",
        ('self = "c"', 'oldSelf.orValue("b") = "b"', "oldSelf = optional.none()"),
    )
    assert failed.lines[0] == 'rule (tabs.yaml:30): self.startsWith("a") || self == oldSelf.orValue("b")'


def test_rules_of_map_values_have_the_place_of_the_values(tmp_path: Path) -> None:
    failed = _failed(tmp_path, labels={"a": ""}, replicas=1)

    assert (failed.source, failed.parts) == ("tabs.yaml:40", ('self = ""',))


def test_a_rule_that_ends_in_an_error_names_the_part_with_the_error(tmp_path: Path) -> None:
    assert _failed(tmp_path).parts == ("self.replicas = error: no such key: replicas", "self.max = 10")


@pytest.mark.parametrize(("field", "value", "line"), [("unknown", 1, 44), ("large", [1] * 9000, 49)])
def test_a_rule_that_was_not_evaluated_is_named_without_values(
    field: str, value: Any, line: int, tmp_path: Path
) -> None:
    failed = _failed(tmp_path, replicas=1, **{field: value})

    assert (failed.source, failed.parts) == (f"tabs.yaml:{line}", ())


def test_a_rule_whose_message_costs_too_much_is_named(tmp_path: Path) -> None:
    (error,) = _crd(tmp_path).version("v1").create({"spec": {"replicas": 1, "said": "b" * 900_000}}).errors

    assert error.detail.startswith(
        "no further validation rules will be run due to call cost exceeds limit for messageExpression"
    )
    assert error.rule is not None
    assert error.rule.source == "tabs.yaml:53"
    assert error.rule.parts[0].startswith('self = "bbbb')


def test_updates_name_rules_too(tmp_path: Path) -> None:
    version = _crd(tmp_path).version("v1")
    (error,) = version.update({"spec": {"replicas": 12}}, old={"spec": {"replicas": 1}}).errors

    assert error.rule is not None
    assert error.rule.parts == ("self.replicas = 12", "self.max = 10")


def test_other_errors_have_no_rule(tmp_path: Path) -> None:
    (error,) = (_crd(tmp_path)).version("v1").create({"spec": {"replicas": 1, "names": {}}}).errors[:1]

    assert error.rule is None


def test_the_message_of_a_failed_assertion_explains_the_rule(tmp_path: Path) -> None:
    response = _crd(tmp_path).version("v1").create({"spec": {"replicas": 11}})

    with pytest.raises(engine.NotAcceptedError) as raised:
        response.assert_accepted()
    assert str(raised.value) == (
        "the request is not accepted: 422\n"
        "  spec: Invalid value: too many\n"
        "    rule (tabs.yaml:20): self.replicas <= self.max\n"
        "    self.replicas = 11\n"
        "    self.max = 10"
    )


def test_equality_of_errors_ignores_their_rules(tmp_path: Path) -> None:
    (error,) = _crd(tmp_path).version("v1").create({"spec": {"replicas": 11}}).errors

    assert error == engine.FieldError(error.type, error.field, error.bad_value, error.detail)
    assert "rule=" not in repr(error)


def test_a_failed_rule_survives_pickling(tmp_path: Path) -> None:
    (error,) = pickle.loads(pickle.dumps(_crd(tmp_path).version("v1").create({"spec": {"replicas": 11}}))).errors  # noqa: S301 - of our own making

    assert error.rule.lines == ("rule (tabs.yaml:20): self.replicas <= self.max", "self.replicas = 11", "self.max = 10")


def test_the_place_is_known_under_another_kubernetes_version(tmp_path: Path) -> None:
    (error,) = _crd(tmp_path).under("1.34").version("v1").create({"spec": {"replicas": 11}}).errors

    assert error.rule is not None
    assert error.rule.source == "tabs.yaml:20"


def test_a_rule_of_an_altered_crd_keeps_its_place(tmp_path: Path) -> None:
    crd = _crd(tmp_path)
    manifest = copy.deepcopy(dict(crd.manifest))
    schema = manifest["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    rules = schema["properties"]["spec"]["x-kubernetes-validations"]
    rules[:] = [rules[1], {"rule": "self.replicas != 11"}]
    manifest["spec"]["versions"].insert(0, {"name": "v2", "served": True, "storage": False})
    failed = [error.rule for error in crd.altered(manifest).version("v1").create({"spec": {"replicas": 11}}).errors]

    assert [rule and rule.source for rule in failed] == ["tabs.yaml:20", ""]


def test_a_compile_error_has_a_place_inside_the_expression(tmp_path: Path) -> None:
    crd = _crd(tmp_path, CRD.replace('self == oldSelf.orValue("b")', "self == oldSelf.orValue(b)"))
    (failed,) = (error.rule for error in crd.response.errors if error.rule and "oldSelf" in error.rule.text)

    assert (failed.source, failed.text[failed.offset :]) == ("tabs.yaml:32:49", "b)\n")
    pickled = pickle.loads(pickle.dumps(failed))  # noqa: S301 - of our own making
    assert (pickled.source, pickled.offset) == (failed.source, failed.offset)


def test_without_a_file_there_is_no_place(tmp_path: Path) -> None:
    crd = engine.CustomResourceDefinition.from_manifest(_crd(tmp_path).manifest)
    (error,) = crd.version("v1").create({"spec": {"replicas": 11}}).errors

    assert error.rule is not None
    assert error.rule.lines == ("rule: self.replicas <= self.max", "self.replicas = 11", "self.max = 10")
    assert repr(error.rule) == "<FailedRule 'self.replicas <= self.max'>"
    assert pickle.loads(pickle.dumps(_crd(tmp_path))).locate is None  # noqa: S301 - of our own making


def test_the_place_of_a_schema_is_in_its_version_or_in_the_spec() -> None:
    schema = {"openAPIV3Schema": {"type": "object"}}
    versions = [{"name": "v1"}, {"name": "v2", "schema": schema}]

    assert declared.place_of_schema({"spec": {"versions": versions}}, "v2") == (
        *("spec", "versions", 1, "schema", "openAPIV3Schema"),
    )
    assert declared.place_of_schema({"spec": {"versions": versions, "validation": schema}}, "v1") == (
        *("spec", "validation", "openAPIV3Schema"),
    )


def test_an_error_about_the_crd_has_the_place_of_the_expression(tmp_path: Path) -> None:
    crd = _crd(tmp_path, CRD.replace("has(self.max)", "has(self.min)"))
    wrong = [error for error in crd.response.errors if error.rule is not None]

    assert {error.rule.source: error.rule.text for error in wrong if error.rule is not None} == {
        "tabs.yaml:19:24": "has(self.min)",
        "tabs.yaml:30": 'self.startsWith("a") ||\n  self == oldSelf.orValue("b")\n',
        "tabs.yaml:44:29": "self.b > 1",
        "tabs.yaml:49": "self.all(x, self.all(y, y >= 0))",
    }
    updated = crd.update_from(_crd(tmp_path)).errors
    assert "tabs.yaml:19:24" in {error.rule.source for error in updated if error.rule is not None}


def test_a_shared_schema_keeps_its_place_in_the_manifest() -> None:
    schema = {"openAPIV3Schema": {"type": "object"}}
    moved, own = ("spec", "validation", "openAPIV3Schema", "items"), ("spec", "versions", 0, "schema")
    manifest = {"spec": {"versions": [{"name": "v1", "schema": schema}]}}

    assert declared.place_in(manifest, moved) == (*own, "openAPIV3Schema", "items")
    assert declared.place_in(manifest, own) == own
    assert declared.place_in({"spec": {"validation": schema}}, moved) == moved
