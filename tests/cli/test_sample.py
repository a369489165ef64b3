"""`pytest-crd sample` and `pytest-crd docs`: an object and a page from a CRD."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from support import crds

from pytest_crd import __main__ as program
from pytest_crd import engine

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
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        description: A tab | of a <browser>.
        required: [spec]
        properties:
          apiVersion: {type: string, description: never shown}
          spec:
            description: "First paragraph.\\n\\nSecond one."
            type: object
            required: [size]
            x-kubernetes-validations:
            - {rule: "self.size > 0 || has(self.mode)", message: a size or a mode}
            - {rule: "self.size < 90", messageExpression: "'too large'"}
            - {rule: "self.size != 13"}
            properties:
              size: {type: integer, minimum: 1, exclusiveMinimum: true, maximum: 9, default: 3, description: The size.}
              mode: {type: string, enum: [a, "b`c"], minLength: 1, nullable: true}
              port: {x-kubernetes-int-or-string: true}
              more: {type: object, x-kubernetes-preserve-unknown-fields: true, minProperties: 1, oneOf: [{required: [x]}, {required: [z]}]}
              labels: {type: object, additionalProperties: {type: object, properties: {v: {type: string, pattern: "^a|b$"}}}}
              names: {type: array, minItems: 2, items: {type: string, maxLength: 3}}
              empty: {type: array, minItems: 1, items: {type: object}}
              items:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name, at]
                items:
                  type: object
                  required: [name, at]
                  properties:
                    name: {type: string, description: The name.}
                    at: {type: integer, multipleOf: 2}
          status: {type: object, properties: {seen: {type: string, format: date}}}
  - {name: v0, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
"""


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "tabs.yaml"
    path.write_text(CRD)
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    return program.main([*arguments]), *capsys.readouterr()


@pytest.mark.parametrize("arguments", [(), ("--minimal",)])
def test_a_sample_is_accepted_as_it_is(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "sample", "tabs.yaml", *arguments)

    answer = engine.load("tabs.yaml")[0].version("v1").create(out, field_validation="Strict")
    assert (code, answer.accepted, answer.warnings) == (0, True, ())


def test_a_minimal_sample_has_only_required_fields(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "sample", "tabs.yaml", "--minimal")[1]

    assert yaml.safe_load(out).keys() == {"apiVersion", "kind", "metadata", "spec"}
    assert "#" not in out


def test_a_sample_has_the_first_paragraph_of_each_description(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "sample", "tabs.yaml")[1]

    assert "# First paragraph.\nspec:\n" in out
    assert "  # The size.\n  size: " in out
    assert "  items:\n  - # The name.\n    name: " in out
    assert "Second one" not in out
    assert "never shown" not in out


def test_a_crd_without_any_valid_object_has_no_sample(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    never = 'required: [size], properties: {size: {type: boolean, x-kubernetes-validations: [{rule: "self != self"}]}}'
    file.write_text(crds.text("plural: tabs, kind: Tab", f"{{type: object, {never}}}"))

    code, out, error = run(capsys, "sample", "tabs.yaml")

    assert (code, out) == (1, "")
    assert error


@pytest.mark.parametrize("command", ["sample", "docs"])
def test_an_unknown_file_is_wrong_use(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run(capsys, command, "others.yaml")

    assert code == 2
    assert error.startswith("others.yaml: ")


def test_a_page_has_the_versions_fields_and_rules(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "docs", "tabs.yaml")

    assert code == 0
    assert (
        out
        == """\
# Tab

`tabs.example.com`, scope Namespaced.

| version | served | stored | deprecated |
| --- | --- | --- | --- |
| v1 | yes | yes | no |
| v0 | no | no | no |

## v1

A tab \\| of a &lt;browser>.

| field | type | default | limits | description |
| --- | --- | --- | --- | --- |
| `spec` | object |  | required | First paragraph. Second one. |
| `spec.size` | integer | `3` | required; more than 1; at most 9 | The size. |
| `spec.mode` | string |  | one of `"a"`, `` "b`c" ``; at least 1 characters; may be null |  |
| `spec.port` | integer or string |  |  |  |
| `spec.more` | object, any fields |  | at least 1 fields; conditions in `oneOf` |  |
| `spec.labels` | map[string]object |  |  |  |
| `spec.labels[*].v` | string |  | matches `^a\\|b$` |  |
| `spec.names` | []string |  | at least 2 items |  |
| `spec.empty` | []object |  | at least 1 items |  |
| `spec.items` | []object |  | list type `map`; keys `name, at` |  |
| `spec.items[*].name` | string |  | required | The name. |
| `spec.items[*].at` | integer |  | required; a multiple of 2 |  |
| `status` | object |  |  |  |
| `status.seen` | string |  | format `date` |  |

| rule of | rule | message |
| --- | --- | --- |
| `spec` | `self.size > 0 \\|\\| has(self.mode)` | a size or a mode |
| `spec` | `self.size < 90` | 'too large' |
| `spec` | `self.size != 13` |  |
"""
    )


def test_a_page_may_be_about_one_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert "## v1\n" not in run(capsys, "docs", "tabs.example.com/v0", "--crd-path", "tabs.yaml")[1]


def test_a_crd_without_a_served_version_has_no_page(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(CRD.replace("served: true", "served: false"))

    assert run(capsys, "docs", "tabs.yaml") == (1, "", "tabs.example.com serves no version\n")
