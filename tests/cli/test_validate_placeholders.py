"""`pytest-crd validate` of objects beside values that are not in the file: a refusal holds whatever the values are."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from pytest_crd import __main__ as program

Judge: TypeAlias = "Callable[..., dict[str, Any]]"

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tabs.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: tabs, kind: Tab}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-validations: [{rule: "self.metadata.name != 'bad'", message: a bad name}]
        properties:
          pair:
            type: object
            required: [low]
            properties: {low: {type: string}, high: {type: string}, note: {type: string}, number: {type: integer}}
            x-kubernetes-validations: [{rule: self.low == 'a' || has(self.high) && self.high == 'b', message: a pair}]
          in-words:
            type: object
            properties: {my-key: {type: string}, namespace: {type: string}, more: {type: string}}
            x-kubernetes-validations: [{rule: self.my__dash__key == 'a' && self.__namespace__ == 'b', message: words}]
          map:
            type: object
            maxProperties: 2
            additionalProperties: {type: string}
            x-kubernetes-validations: [{rule: "self.all(k, self[k] == 'a')", message: all a}]
          parts:
            type: array
            maxItems: 3
            x-kubernetes-list-type: map
            x-kubernetes-list-map-keys: [name]
            items:
              type: object
              required: [name]
              properties: {name: {type: string}, kind: {type: string}, port: {type: integer, maximum: 9}}
              x-kubernetes-validations: [{rule: self.kind == 'a', message: of kind a}]
          named:
            type: object
            additionalProperties:
              type: object
              properties: {kind: {type: string}, note: {type: string}}
              x-kubernetes-validations: [{rule: self.kind == 'a', message: of kind a}]
          either:
            type: object
            properties: {a: {type: string}, b: {type: string}}
            oneOf:
            - properties: {a: {enum: [x]}}
            - properties: {b: {enum: [y]}}
          few: {type: object, minProperties: 2, additionalProperties: {type: string}}
"""
TAB = "apiVersion: example.com/v1\nkind: Tab\nmetadata: {name: a}\n"


@pytest.fixture
def judge(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Judge:
    """Run the command for an object on standard input, and return its outcome."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds/tabs.yaml").write_text(CRD)

    def run(text: str, *arguments: str) -> dict[str, Any]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        program.main(["validate", "-", "-o", "json", *arguments])
        outcome: dict[str, Any] = json.loads(capsys.readouterr().out)["objects"][0]
        return outcome

    return run


OPEN = [
    ("metadata: {name: '${NAME}'}\n", "metadata.name is ${NAME}"),
    ("metadata: {name: a, namespace: '${NS}'}\n", "metadata.namespace is ${NS}"),
    ("metadata: {name: a, labels: {'${KEY}': a}}\n", "a key is ${KEY}"),
    ("metadata: {name: a, labels: {a: '${VALUE}'}}\n", "metadata.labels.a is ${VALUE}"),
    ("metadata: {name: bad, namespace: '${NS}'}\n", "metadata.namespace is ${NS}"),
    ("pair: {low: '${LOW}'}\n", "pair.low is ${LOW}"),
    ("pair: {low: b, high: '${HIGH}'}\n", "pair.high is ${HIGH}"),
    ("pair: {low: b, number: '${N}'}\n", "pair.number is ${N}"),
    ("pair: {'${KEY}': b}\n", "a key is ${KEY}"),
    ("pair: {low: a, '${KEY}': b}\n", "a key is ${KEY}"),
    ("in-words: {my-key: '${A}', namespace: b}\n", "in-words.my-key is ${A}"),
    ("in-words: {my-key: a, namespace: '${B}'}\n", "in-words.namespace is ${B}"),
    ("map: {x: b, z: '${Z}'}\n", "map.z is ${Z}"),
    ("parts: [{name: x, kind: '${KIND}'}]\n", "parts[0].kind is ${KIND}"),
    ("parts: [{name: '${A}', kind: a, port: '${PORT}'}]\n", "parts[0].port is ${PORT}"),
    ("named: {x: {kind: '${KIND}'}}\n", "named.x.kind is ${KIND}"),
    ("either: {a: '${A}', b: z}\n", "either.a is ${A}"),
]


@pytest.mark.parametrize(("text", "reason"), OPEN)
def test_an_object_is_not_judged_if_an_unknown_value_may_be_right(text: str, reason: str, judge: Judge) -> None:
    outcome = judge((TAB if "metadata" not in text else TAB.replace("metadata: {name: a}\n", "")) + text)

    assert (outcome["outcome"], outcome["message"]) == ("not judged", reason)


CERTAIN = [
    ("pair: {low: b, note: '${NOTE}'}\n", ["a pair"]),
    ("metadata: {name: a, labels: {'${KEY}': a, 'no key': b}}\n", ['metadata.labels: Invalid value: "no key"']),
    ("pair: {note: '${NOTE}'}\n", ["pair.low: Required value"]),
    ("pair: {low: a, number: '${N}', more: 1}\n", ["pair.more: the schema does not specify it"]),
    ("in-words: {my-key: x, namespace: b, more: '${MORE}'}\n", ["words"]),
    ("map: {a: '${A}', b: a, c: a}\n", ["map: Too many: 3: must have at most 2 items"]),
    ("parts: [{name: x, kind: a, port: '${PORT}'}, {name: z, kind: a, port: 12}]\n", ["parts[1].port: Invalid value: 12"]),
    ("parts: [{name: '${A}', kind: a}, {name: '${A}', kind: a}]\n", ["parts[1]: Duplicate value"]),
    ("parts: [{name: x, kind: '${KIND}'}, {name: z, kind: a, port: a}]\n", ['parts[1].port: Invalid value: "string"'] ),
    ("named: {x: {kind: b, note: '${NOTE}'}}\n", ["of kind a"]),
    ("pair: {low: ['${A}']}\n", ['pair.low: Invalid value: "array"']),
    ("few: {a: '${A}'}\n", ["few: Invalid value: 1: few in body should have at least 2 properties"]),
    ("pair: {low: b, note: '${A}'}\nmap: {x: '${X}'}\n", ["a pair"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "findings"), CERTAIN)
def test_a_refusal_that_no_unknown_value_can_mend_stays(text: str, findings: list[str], judge: Judge) -> None:
    outcome = judge((TAB if "metadata" not in text else TAB.replace("metadata: {name: a}\n", "")) + text)

    messages = [
        item["message"] for item in outcome["findings"] if "validation rules were not checked" not in item["message"]
    ]
    assert outcome["outcome"] == "refused"
    assert all(text in message for text, message in zip(findings, messages, strict=True))


def test_an_unknown_field_beside_an_unknown_value_is_refused_by_kubectl(judge: Judge) -> None:
    assert judge(TAB + "pair: {low: a, number: '${N}', more: 1}\n")["message"] == (
        "refused by kubectl, and not judged in full by tabs.example.com v1 (crds/tabs.yaml:1), as pair.number is ${N}"
    )


def test_a_known_error_is_shown_without_the_errors_of_unknown_values(judge: Judge) -> None:
    text = TAB + "pair: {low: 1, number: '${N}'}\n"

    assert [item["field"] for item in judge(text)["findings"]] == ["pair.low", "<nil>"]


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  restartPolicy: POLICY
  volumes: [{name: '${VOLUME}', emptyDir: {}}]
  containers: [{name: a, image: '${IMAGE}', volumeMounts: [{name: data, mountPath: /data}]}]
"""


def test_an_error_about_several_fields_of_a_built_in_object_may_be_due_to_an_unknown_value(judge: Judge) -> None:
    outcome = judge(POD.replace("POLICY", "Always"))

    assert (outcome["outcome"], outcome["message"]) == ("not judged", "spec.volumes[0].name is ${VOLUME}")
    assert "spec.containers[0].volumeMounts[0].name: Not found" in outcome["findings"][-1]["message"]


def test_an_error_of_a_built_in_object_that_no_unknown_value_can_mend_stays(judge: Judge) -> None:
    outcome = judge(POD.replace("POLICY", "Sometimes"))

    assert outcome["outcome"] == "refused"
    assert [item["field"] for item in outcome["findings"]] == ["spec.restartPolicy"]


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  replicas: '${N}'
  selector: {matchLabels: {app: a}}
  template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: a}]}}
"""


@pytest.mark.parametrize(
    ("old", "new", "findings"),
    [
        ("", "", ["Deployment in version"]),
        ("image: a", "image: a, imge: b", ["spec.template.spec.containers[0].imge: the schema does not specify it"]),
        ("image: a", "image: a, image: b", ['key "image" is set twice']),
        ("image: a", "image: [a]", ["Deployment in version"]),
    ],
)
def test_an_unknown_field_of_a_built_in_object_stays_beside_a_variable_in_the_place_of_a_number(
    old: str, new: str, findings: list[str], judge: Judge
) -> None:
    outcome = judge(DEPLOYMENT.replace(old, new, 1) if old else DEPLOYMENT)

    assert outcome["outcome"] == ("refused" if old else "not judged")
    assert all(words in item["message"] for words, item in zip(findings, outcome["findings"], strict=True))


def test_an_update_that_keeps_an_error_beside_an_unknown_value_is_a_warning(judge: Judge, tmp_path: Path) -> None:
    text = TAB + "pair: {low: b, note: '${NOTE}'}\nparts: [{name: x, kind: '${KIND}'}]\n"
    (tmp_path / "old.yaml").write_text(text)

    outcome = judge(text, "--old", "old.yaml")

    assert outcome["outcome"] == "accepted"
    assert outcome["warnings"] == [
        "pair: Invalid value: a pair",
        "parts[0]: Invalid value: of kind a",
        "kept as it was so before, a create would be refused: pair: Invalid value: a pair",
    ]


VAULT = """\
apiVersion: v1
kind: Secret
metadata: {name: a, annotations: {avp.kubernetes.io/path: secret/data/tabs}}
data: {a: <key>, b: <path:other#key>, c: YQ==}
"""


def test_keys_of_the_vault_plugin_of_argo_cd_are_not_known(judge: Judge) -> None:
    assert judge(VAULT)["message"] == "a value is <path:secret/data/tabs#key>"
    assert judge(VAULT.replace("avp.kubernetes.io/path", "other"))["outcome"] == "refused"
    assert judge(VAULT.replace("{avp.kubernetes.io/path: secret/data/tabs}", "[]"))["outcome"] == "refused"
    assert judge(VAULT.replace("c: YQ==", "c: Q"))["outcome"] == "refused"
    lists = VAULT.replace("YQ==}", "YQ==}\nstringData: {d: '<one>-<two>'}\nimmutable: [<b>, 1]")
    assert judge(lists)["outcome"] == "refused"
