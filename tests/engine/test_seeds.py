"""
Examples of the documents that introduced structural schemas and pruning, as a server handles them.

Tests are named for the deviations of a server from a document.
"""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from pytest_crd.engine import CrdVersion, CustomResourceDefinition
from pytest_crd.engine.yaml.yamlreader import read_one

ROOT = "spec.validation.openAPIV3Schema"
METADATA = (
    f"{ROOT}.properties[metadata]: Forbidden: must not specify anything other than name and generateName,"
    " but metadata is implicitly specified"
)


def _version(schema: str) -> CrdVersion:
    crd = CustomResourceDefinition.from_manifest(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "jobs.operations.example.com"},
            "spec": {
                "group": "operations.example.com",
                "names": {"plural": "jobs", "kind": "Job"},
                "scope": "Namespaced",
                "versions": [
                    {
                        "name": "v1",
                        "served": True,
                        "storage": True,
                        "schema": {"openAPIV3Schema": read_one(textwrap.dedent(schema)).value},
                    }
                ],
            },
        }
    )
    return crd.version("v1")


def _errors(schema: str) -> list[str]:
    return [str(error) for error in _version(schema).structural_errors]


def _field(schema: str) -> str:
    """Return the schema of an object with one field `x`, which has the schema of the document."""
    return f"type: object\nproperties:\n  x:\n{textwrap.indent(textwrap.dedent(schema), '    ')}"


BLOG_STRUCTURAL = """
    type: object
    properties:
      spec:
        type: object
        properties:
          command:
            type: string
          shell:
            type: string
          machines:
            type: array
            items:
              type: string
"""
BLOG_VALUE_VALIDATIONS = """
    type: object
    properties:
      spec:
        type: object
        properties:
          command:
            type: string
            minLength: 1                          # value validation
          shell:
            type: string
            minLength: 1                          # value validation
          machines:
            type: array
            items:
              type: string
              pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" # value validation
        oneOf:                                    # value validation
        - required: ["command"]                   # value validation
        - required: ["shell"]                     # value validation
    required: ["spec"]                            # value validation
"""
BLOG_NON_STRUCTURAL = """
    properties:
      spec:
        type: object
        properties:
          command:
            type: string
            minLength: 1
          shell:
            type: string
            minLength: 1
          machines:
            type: array
            items:
              type: string
              pattern: "^[a-z0-9]+(-[a-z0-9]+)*$"
        oneOf:
        - properties:
            command:
              type: string
          required: ["command"]
        - properties:
            shell:
              type: string
          required: ["shell"]
        not:
          properties:
            privileged: {}
    required: ["spec"]
"""
BLOG_SCHEMALESS = """
    type: object
    x-kubernetes-preserve-unknown-fields: true
"""


@pytest.fixture(params=["blog of 2019-06-20 in English", "blog of 2019-06-20 in Chinese"])
def blog(request: pytest.FixtureRequest) -> str:
    """Name the source: both languages show the same schemas, save for quotation marks and a missing colon."""
    return str(request.param)


@pytest.mark.usefixtures("blog")
@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(BLOG_STRUCTURAL, id="the structural core"),
        pytest.param(BLOG_VALUE_VALIDATIONS, id="the core with value validations"),
        pytest.param(BLOG_SCHEMALESS, id="the schema-less behaviour"),
    ],
)
def test_the_blogs_structural_schemas_are_structural(schema: str) -> None:
    assert _errors(schema) == []
    assert [condition.type for condition in _version(schema).crd.conditions] == ["NamesAccepted", "Established"]


@pytest.mark.usefixtures("blog")
def test_the_blogs_non_structural_schema_violates_two_of_the_three_rules_that_it_names() -> None:
    """
    No type at the root (rule 2), `type` inside of oneOf (rule 3-i).

    A server deviates from the blog here: it demands that the structure has what validations mention (rule 3-ii) of the
    junctors at the root only, and says nothing of `privileged`.
    """
    spec = f"{ROOT}.properties[spec]"
    assert _errors(BLOG_NON_STRUCTURAL) == [
        f"{spec}.oneOf[0].properties[command].type: Forbidden: must be empty to be structural",
        f"{spec}.oneOf[1].properties[shell].type: Forbidden: must be empty to be structural",
        f"{ROOT}.type: Required value: must not be empty at the root",
    ]


@pytest.mark.usefixtures("blog")
def test_the_blogs_malicious_field_is_pruned() -> None:
    resource = """
        apiVersion: operations/v1
        kind: MaintenanceNightlyJob
        spec:
          shell: >
            grep backdoor /etc/passwd ||
            echo "backdoor:76asdfh76:/bin/bash" >> /etc/passwd || true
          machines: ["az1-master1","az1-master2","az2-master3"]
          privileged: true
    """
    pruned = _version(BLOG_STRUCTURAL).prune(textwrap.dedent(resource))
    assert pruned.paths == ("spec.privileged",)
    assert sorted(pruned.value["spec"]) == ["machines", "shell"]


@pytest.mark.usefixtures("blog")
def test_the_blogs_schemaless_schema_prunes_nothing() -> None:
    resource = {"spec": {"privileged": True}, "more": [{"x": 1}]}
    assert _version(BLOG_SCHEMALESS).prune(resource).value == resource


@pytest.mark.usefixtures("blog")
def test_the_blogs_int_or_string_types_under_one_of_are_not_permitted_by_a_server() -> None:
    """A server deviates from the blog here: it permits the two types under anyOf, as KEP-2335 has it."""
    one_of = """
        x-kubernetes-int-or-string: true
        oneOf:
        - type: integer
        - type: string
    """
    place = f"{ROOT}.properties[x].oneOf"
    assert _errors(_field(one_of)) == [
        f"{place}[0].type: Forbidden: must be empty to be structural",
        f"{place}[1].type: Forbidden: must be empty to be structural",
    ]
    assert _errors(_field(one_of.replace("oneOf", "anyOf"))) == []


def test_kep_2335_proposal_types_are_not_given_by_any_of() -> None:
    schema = """
        properties:
          foo:
            type: string
          bar:
            minimum: 42
        anyOf:
        - properties:
            foo:
              pattern: abc
            bar:
              type: string
        - properties:
            bar:
              type: integer
              minimum: 1
              maximum: 0
    """
    assert _errors(schema) == [
        f"{ROOT}.anyOf[0].properties[bar].type: Forbidden: must be empty to be structural",
        f"{ROOT}.anyOf[1].properties[bar].type: Forbidden: must be empty to be structural",
        f"{ROOT}.properties[bar].type: Required value: must not be empty for specified object fields",
        f"{ROOT}.type: Required value: must not be empty at the root",
    ]


def test_kep_2335_formal_definition_a_missing_type_is_named_by_its_path() -> None:
    """The path is that of the KEP's `.properties[foo].items.properties[bar].type must be non-empty`; the words are not."""
    schema = """
        type: object
        properties:
          foo:
            type: array
            items:
              type: object
              properties:
                bar: {}
    """
    assert _errors(schema) == [
        (
            f"{ROOT}.properties[foo].items.properties[bar].type: Required value:"
            " must not be empty for specified object fields"
        )
    ]


KEP_2335_METADATA = """
    type: object
    properties:
      metadata:
        type: object
        properties:
          name:
            type: string
            pattern: "^[a-z]+$"
          generateName:
            type: string
"""


def test_kep_2335_metadata_may_restrict_name_and_generate_name() -> None:
    assert _errors(KEP_2335_METADATA) == []


@pytest.mark.parametrize(
    "more", ["          labels: {type: object}", "        maxProperties: 3", "        nullable: true"]
)
def test_kep_2335_metadata_may_restrict_nothing_else(more: str) -> None:
    assert _errors(f"{KEP_2335_METADATA}{more}\n") == [METADATA]


def test_kep_2335_metadata_may_not_be_mentioned_in_value_validations() -> None:
    schema = """
        type: object
        properties:
          metadata: {type: object}
        anyOf:
        - properties:
            metadata: {}
    """
    assert _errors(schema) == [
        f"{ROOT}.anyOf[0].properties[metadata]: Forbidden: must not be specified in a nested context"
    ]


def test_kep_2335_metadata_of_embedded_resources_in_value_validations_is_forbidden_by_a_server() -> None:
    """A server deviates from the KEP here, which allows it: neither the extension nor metadata may be nested."""
    schema = """
        type: object
        properties:
          embedded:
            type: object
            x-kubernetes-embedded-resource: true
            properties:
              metadata: {type: object}
        anyOf:
        - properties:
            embedded:
              x-kubernetes-embedded-resource: true
              properties:
                metadata: {}
    """
    place = f"{ROOT}.anyOf[0].properties[embedded]"
    assert _errors(schema) == [
        f"{place}.properties[metadata]: Forbidden: must not be specified in a nested context",
        f"{place}.x-kubernetes-embedded-resource: Forbidden: must be false to be structural",
    ]


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(
            """
            type: object
            x-kubernetes-unions:
            - discriminator: type
              fields:
                emptyDir: EmptyDir
                hostPath: HostPath
            properties:
              type: {type: string, enum: ["EmptyDir", "HostPath"]}
              emptyDir: {type: object}
              hostPath:
                type: object
                properties:
                  path: {type: string, pattern: "/.*"}
                required: ["path"]
              sharedField: {type: string}
            required:
            - sharedField
            """,
            id="discriminated union, whose extension no server knows",
        ),
        pytest.param(
            r"""
            type: string
            anyOf:
            - pattern: "^(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$"
            - pattern: "(([0-9a-fA-F]{1,4}:){7,7}[0-9a-fA-F]{1,4}|::1)$"
            """,
            id="IPv4 or IPv6 by two patterns",
        ),
        pytest.param(
            """
            type: object
            x-kubernetes-preserve-unknown-fields: true
            nullable: true
            """,
            id="embedded JSON",
        ),
        pytest.param(
            """
            type: object
            additionalProperties:
              type: integer
              minimum: 42
            """,
            id="string map",
        ),
        pytest.param(
            """
            x-kubernetes-int-or-string: true
            pattern: abc
            anyOf:
            - minimum: 42
              maximum: 50
            - minimum: 52
              maximum: 60
            """,
            id="IntOrString without types",
        ),
        pytest.param(
            """
            x-kubernetes-int-or-string: true
            anyOf:
            - type: integer
            - type: string
            """,
            id="IntOrString, pattern 1: types in anyOf",
        ),
        pytest.param(
            """
            x-kubernetes-int-or-string: true
            allOf:
            - anyOf:
              - type: integer
              - type: string
            - pattern: abc
              anyOf:
              - minimum: 42
                maximum: 50
              - minimum: 52
                maximum: 60
            """,
            id="IntOrString, pattern 2: types in the first of allOf",
        ),
    ],
)
def test_kep_2335_litmus_test_examples_are_structural(schema: str) -> None:
    assert _errors(_field(schema)) == []


def test_kep_2335_raw_extension_needs_the_type_of_what_it_restricts() -> None:
    """A server deviates from the KEP's example, which leaves `type: string` to the unfolding."""
    schema = """
        type: object
        nullable: true
        x-kubernetes-embedded-resource: true
        x-kubernetes-preserve-unknown-fields: true
        properties:
          apiVersion:
            pattern: v1
    """
    place = f"{ROOT}.properties[x].properties[apiVersion].type"
    assert _errors(_field(schema)) == [
        f'{place}: Invalid value: "": must be string',
        f"{place}: Required value: must not be empty for specified object fields",
    ]
    assert _errors(_field(f"{schema.rstrip()}\n            type: string\n")) == []


JSON_FIELD = """
    type: object
    properties:
      json:
        type: object
        x-kubernetes-preserve-unknown-fields: true
        nullable: true
"""
EXAMPLE_4_VALUE = {"foo": {"abc": {"x": 42}, "def": {"y": 43}}, "json": {"ghi": 44}}
EXAMPLE_8_VALUE = {"foo": 42, "json": {"bar": {"inner": 43, "abc": 44}, "def": 45}}


@pytest.mark.parametrize(
    ("schema", "value", "pruned", "paths"),
    [
        pytest.param(
            "type: object",
            {"foo": 42, "json": {"bar": 43}},
            {},
            ["foo", "json"],
            id="KEP-2332 example 1: unspecified",
        ),
        pytest.param(
            """
            type: object
            properties:
              foo:
                type: object
            """,
            {"foo": {"abc": 42}, "json": {"bar": 43}},
            {"foo": {}},
            ["foo.abc", "json"],
            id="KEP-2332 example 2: properties at top-level",
        ),
        pytest.param(
            """
            type: object
            properties:
              foo:
                type: object
                properties:
                  bar:
                    type: object
            """,
            {"foo": {"bar": {"abc": 42}, "def": 43}, "json": {"ghi": 44}},
            {"foo": {"bar": {}}},
            ["foo.bar.abc", "foo.def", "json"],
            id="KEP-2332 example 3: properties at multiple levels",
        ),
        pytest.param(
            """
            type: object
            properties:
              foo:
                type: object
                additionalProperties:
                  type: object
            """,
            EXAMPLE_4_VALUE,
            {"foo": {"abc": {}, "def": {}}},
            ["foo.abc.x", "foo.def.y", "json"],
            id="KEP-2332 example 4: additionalProperties with a schema",
        ),
        pytest.param(
            """
            type: object
            properties:
              foo:
                type: object
                additionalProperties: false
            """,
            EXAMPLE_4_VALUE,
            {"foo": {"abc": {}, "def": {}}},
            ["foo.abc.x", "foo.def.y", "json"],
            id="KEP-2332 example 5: additionalProperties false, the server then rejects what pruning has left",
        ),
        pytest.param(
            """
            type: object
            properties:
              json:
                x-kubernetes-preserve-unknown-fields: true
                nullable: true
            """,
            {"foo": 42, "json": {"bar": 43}},
            {"json": {"bar": 43}},
            ["foo"],
            id="KEP-2332 example 6: arbitrary JSON",
        ),
        pytest.param(
            JSON_FIELD
            + """
        properties:
          bar:
            type: object
            """,
            {"foo": 42, "json": {"bar": {"abc": 43}, "def": 44}},
            {"json": {"bar": {}, "def": 44}},
            ["foo", "json.bar.abc"],
            id="KEP-2332 example 7: JSON with properties, of which the server prunes bar and the KEP does not",
        ),
        pytest.param(
            JSON_FIELD
            + """
        properties:
          bar:
            type: object
            properties:
              inner:
                type: integer
            """,
            EXAMPLE_8_VALUE,
            {"json": {"bar": {"inner": 43}, "def": 45}},
            ["foo", "json.bar.abc"],
            id="KEP-2332 example 8: JSON with properties at the same and lower levels",
        ),
        pytest.param(
            JSON_FIELD
            + """
        additionalProperties:
          type: object
            """,
            EXAMPLE_8_VALUE,
            {"json": {"bar": {}, "def": 45}},
            ["foo", "json.bar.abc", "json.bar.inner"],
            id="KEP-2332 example 9: additionalProperties within JSON, whose values the server prunes and the KEP does not",
        ),
        pytest.param(
            """
            type: object
            properties:
              object:
                type: object
                nullable: true
                x-kubernetes-embedded-resource: true
                x-kubernetes-preserve-unknown-fields: true
            """,
            {"foo": 42, "object": {"bar": 43, "abc": 44, "metadata": {"name": "example", "garbage": 45}}},
            {"object": {"bar": 43, "abc": 44, "metadata": {"name": "example"}}},
            ["foo", "object.metadata.garbage"],
            id="KEP-2332 example 10: embedded resource, the server then rejects the lack of apiVersion and kind",
        ),
        pytest.param(
            "type: object",
            {
                "apiVersion": "example/v1",
                "kind": "Foo",
                "metadata": {"name": "example", "garbage": 43},
                "foo": 42,
            },
            {"apiVersion": "example/v1", "kind": "Foo", "metadata": {"name": "example"}},
            ["metadata.garbage", "foo"],
            id="KEP-2332 example 11: implicit TypeMeta and ObjectMeta",
        ),
    ],
)
def test_kep_2332_examples_are_pruned_as_a_server_prunes_them(
    schema: str, value: dict[str, Any], pruned: dict[str, Any], paths: list[str]
) -> None:
    version = _version(schema)
    assert version.is_structural
    result = version.prune(value)
    assert result.value == pruned
    assert list(result.paths) == paths
