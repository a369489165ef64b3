"""Webhook configurations: reading, defaults, order, and the server's validation."""

from __future__ import annotations

import pytest
from support import admissions
from support.admissions import RULE, configuration, webhook

from pytest_crd.admission.matching.matchcriteria import RequestRule
from pytest_crd.engine.jsonvalue import JSONObject, JSONValue
from pytest_crd.engine.yaml import manifest
from pytest_crd.webhooks import configurations
from pytest_crd.webhooks.configurations import Configurations, WebhookConfigurationError

CANNOT = 'MutatingWebhookConfiguration in version "v1" cannot be handled as a MutatingWebhookConfiguration:'


def problems(*manifests: JSONValue, kubernetes: str = "1.37") -> list[str]:
    with pytest.raises(WebhookConfigurationError) as error:
        admissions.read(*manifests, kubernetes=kubernetes)
    return [str(mistake) for mistake in error.value.mistakes]


def problem_of(**fields: JSONValue) -> list[str]:
    """Return the problems of a mutating webhook without its file."""
    prefix = "hooks.yaml:2: "
    return [text.removeprefix(prefix) for text in problems(configuration("Mutating", webhook(**fields)))]


def test_webhooks_have_the_servers_defaults() -> None:
    read = admissions.read(configuration("Mutating", webhook()), configuration("Validating", webhook()))
    [mutating], [validating] = read
    assert mutating.failure_policy == "Fail"
    assert mutating.criteria.match_policy == "Equivalent"
    assert mutating.timeout == 10
    assert mutating.reinvocation_policy == validating.reinvocation_policy == "Never"
    assert mutating.criteria.rules == (RequestRule(("*",), ("example.com",), ("v1",), ("*/*",), "*"),)
    assert (mutating.source, mutating.line, mutating.uid) == ("hooks.yaml", 2, "hooks/a.example.com/0")


def test_given_values_win_over_defaults() -> None:
    hook = webhook(
        failurePolicy="Ignore",
        matchPolicy="Exact",
        timeoutSeconds=3,
        reinvocationPolicy="IfNeeded",
        rules=[{**RULE, "scope": "Cluster"}],
        namespaceSelector={"matchLabels": {"a": "b"}},
        objectSelector={"matchExpressions": [{"key": "a", "operator": "Exists"}]},
        matchConditions=[{"name": "c", "expression": "true"}],
        clientConfig={"service": {"name": "n", "namespace": "s", "path": None}, "caBundle": None},
    )
    [read] = admissions.read(configuration("Mutating", hook)).mutating
    assert (read.failure_policy, read.criteria.match_policy, read.timeout) == ("Ignore", "Exact", 3)
    assert read.reinvocation_policy == "IfNeeded"
    assert read.criteria.rules[0].scope == "Cluster"
    assert (len(read.criteria.namespace_selector), len(read.criteria.object_selector)) == (1, 1)
    assert read.match_conditions[0].expression == "true"
    assert read.client_config["service"] == {"port": 443, "name": "n", "namespace": "s"}


def test_configurations_are_ordered_by_name_and_webhooks_by_place() -> None:
    read = admissions.read(
        configuration("Validating", webhook("z.example.com"), name="b"),
        configuration("Mutating", webhook("y.example.com"), webhook("x.example.com"), name="b"),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}},
        configuration("Mutating", webhook("w.example.com"), name="a"),
        {"apiVersion": "example.com/v1", "kind": "MutatingWebhookConfiguration"},
        configuration("Mutating", name="c"),
    )
    assert [hook.name for hook in read.mutating] == ["w.example.com", "y.example.com", "x.example.com"]
    assert [hook.name for hook in read.validating] == ["z.example.com"]


def test_without_configurations_there_are_no_webhooks() -> None:
    assert admissions.read() == Configurations()


def test_configurations_with_one_name_are_refused() -> None:
    twice = configuration("Mutating", webhook())
    assert problems(twice, configuration("Validating", webhook()), twice) == [
        "hooks.yaml:6: MutatingWebhookConfiguration hooks is also in hooks.yaml:2: leave one of the two"
    ]


def test_versions_that_the_server_does_not_serve_are_refused() -> None:
    assert problems(configuration("Mutating", webhook(), version="v1beta1")) == [
        (
            "hooks.yaml:2: Kubernetes 1.37 does not serve admissionregistration.k8s.io/v1beta1:"
            " write admissionregistration.k8s.io/v1"
        )
    ]


def test_an_older_server_serves_v1beta1_with_other_defaults() -> None:
    hook = webhook()
    del hook["sideEffects"], hook["admissionReviewVersions"]
    twice = configuration("Validating", hook, hook, version="v1beta1")
    [read, second] = admissions.read(twice, kubernetes="1.21").validating
    assert (read.failure_policy, read.criteria.match_policy, read.timeout) == ("Ignore", "Exact", 30)
    assert (read.side_effects, read.review_versions) == ("Unknown", ("v1beta1",))
    assert (read.uid, second.uid) == ("hooks/a.example.com/0", "hooks/a.example.com/1")
    assert problems(configuration("Validating", webhook(matchConditions=[])), kubernetes="1.21") == [
        (
            'hooks.yaml:2: ValidatingWebhookConfiguration in version "v1" cannot be handled as a ValidatingWebhookConfiguration:'
            ' strict decoding error: unknown field "webhooks[0].matchConditions"'
        )
    ]


def test_undecodable_values_are_refused_with_gos_words() -> None:
    into = "Go struct field RuleWithOperations.webhooks.rules.Rule.apiGroups of type []string"
    rules = [{"operations": ["*"], "apiGroups": "x"}]
    assert problem_of(rules=rules) == [f"{CANNOT} json: cannot unmarshal string into {into}"]
    scalar = "Go struct field MutatingWebhook.webhooks.timeoutSeconds of type int32"
    assert problem_of(timeoutSeconds=1.5) == [f"{CANNOT} json: cannot unmarshal number 1.5 into {scalar}"]


@pytest.mark.parametrize("value", [None, 1, 1.5, "x", True, [], {}, [None], [1], [{}]])
@pytest.mark.parametrize(
    "field", [*webhook(), "matchConditions", "namespaceSelector", "failurePolicy", "timeoutSeconds"]
)
def test_values_of_all_types_are_read_or_refused(field: str, value: JSONValue) -> None:
    try:
        admissions.read(configuration("Mutating", webhook(**({field: value} if field != "name" else {}))))
        admissions.read(configuration("Mutating", value, metadata=value))
    except WebhookConfigurationError as error:
        assert error.mistakes  # noqa: PT017 - either outcome is fine


def test_unknown_and_repeated_fields_are_refused_with_their_line() -> None:
    text = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: hooks}
webhooks:
- name: a.example.com
  name: b.example.com
  failurePolcy: Fail
"""
    with pytest.raises(WebhookConfigurationError) as error:
        configurations.read(manifest.read(text.encode(), source="hooks.yaml"), admissions.NEWEST)
    assert [str(mistake) for mistake in error.value.mistakes] == [
        f'hooks.yaml:8: {CANNOT} strict decoding error: unknown field "webhooks[0].failurePolcy"',
        f'hooks.yaml:7: {CANNOT} strict decoding error: line 7: key "name" already set in map',
    ]


def test_a_value_that_overrides_a_merged_one_is_no_repetition() -> None:
    text = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: hooks}
webhooks:
- &a {name: a.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {url: "https://a.example.com"}}
- {<<: *a, name: b.example.com}
"""
    read = configurations.read(manifest.read(text.encode(), source="hooks.yaml"), admissions.NEWEST)
    assert [hook.name for hook in read.validating] == ["a.example.com", "b.example.com"]


NAME = "a lowercase RFC 1123 subdomain"
SCOPES = '"*", "Cluster", "Namespaced"'


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": ""}, ["name: Required value"]),
        ({"name": "A.b.c"}, [f'name: Invalid value: "A.b.c": {NAME}']),
        (
            {"name": "b.c"},
            ['name: Invalid value: "b.c": should be a domain with at least three segments separated by dots'],
        ),
        ({"failurePolicy": "X"}, ['failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"']),
        ({"matchPolicy": "X"}, ['matchPolicy: Unsupported value: "X": supported values: "Equivalent", "Exact"']),
        (
            {"reinvocationPolicy": "X"},
            ['reinvocationPolicy: Unsupported value: "X": supported values: "IfNeeded", "Never"'],
        ),
        ({"sideEffects": None}, ["sideEffects: Required value: must specify one of None, NoneOnDryRun"]),
        ({"sideEffects": "Some"}, ['sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"']),
        (
            {"timeoutSeconds": 0},
            ["timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds"],
        ),
        (
            {"timeoutSeconds": 31},
            ["timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds"],
        ),
        (
            {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "X"}]}},
            ['namespaceSelector.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator'],
        ),
        (
            {"objectSelector": {"matchLabels": {"a": "b c"}}},
            ['objectSelector.matchLabels: Invalid value: "b c": a valid'],
        ),
        ({"clientConfig": {}}, ["clientConfig: Required value: exactly one of url or service is required"]),
        (
            {"clientConfig": {"url": "https://a", "service": {}}},
            ["clientConfig: Required value: exactly one of url or service is required"],
        ),
        (
            {"clientConfig": {"url": "http://a"}},
            ["clientConfig.url: Invalid value: \"http\": 'https' is the only allowed"],
        ),
        (
            {"clientConfig": {"service": {"port": 0}}},
            [
                "clientConfig.service.name: Required value",
                "clientConfig.service.namespace: Required value",
                "clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
            ],
        ),
        ({"admissionReviewVersions": []}, ["admissionReviewVersions: Required value: must specify one of v1, v1beta1"]),
        (
            {"admissionReviewVersions": ["V2", "V2"]},
            [
                'admissionReviewVersions[0]: Invalid value: "V2": a DNS-1035 label',
                'admissionReviewVersions[1]: Invalid value: "V2": duplicate version',
                'admissionReviewVersions: Invalid value: ["V2","V2"]: must include at least one of v1, v1beta1',
            ],
        ),
        (
            {"rules": [{}]},
            [
                "rules[0].operations: Required value",
                "rules[0].apiGroups: Required value",
                "rules[0].apiVersions: Required value",
                "rules[0].resources: Required value",
            ],
        ),
        (
            {"rules": [{**RULE, "operations": ["*", "PATCH"]}]},
            [
                'rules[0].operations: Invalid value: ["*","PATCH"]: if \'*\' is present, must not specify other operations',
                'rules[0].operations[1]: Unsupported value: "PATCH": supported values: "*", "CONNECT", "CREATE"',
            ],
        ),
        (
            {"rules": [{**RULE, "apiGroups": ["*", ""]}]},
            ['rules[0].apiGroups: Invalid value: ["*",""]: if \'*\' is present, must not specify other API groups'],
        ),
        (
            {"rules": [{**RULE, "apiVersions": ["*", ""]}]},
            [
                'rules[0].apiVersions: Invalid value: ["*",""]: if \'*\' is present, must not specify other API versions',
                "rules[0].apiVersions[1]: Required value",
            ],
        ),
        ({"rules": [{**RULE, "scope": "X"}]}, [f'rules[0].scope: Unsupported value: "X": supported values: {SCOPES}']),
        (
            {"rules": [{**RULE, "resources": ["", "a/*", "a/b", "*/c", "d/c"]}]},
            [
                "rules[0].resources[0]: Required value",
                "rules[0].resources[2]: Invalid value: \"a/b\": if 'a/*' is present, must not specify a/b",
                "rules[0].resources[4]: Invalid value: \"d/c\": if '*/c' is present, must not specify d/c",
            ],
        ),
        (
            {"rules": [{**RULE, "resources": ["*/*", "a"]}]},
            ['rules[0].resources: Invalid value: ["*/*","a"]: if \'*/*\' is present, must not specify other resources'],
        ),
        (
            {"rules": [{**RULE, "resources": ["*", "a"]}]},
            [
                (
                    'rules[0].resources: Invalid value: ["*","a"]: if \'*\' is present,'
                    " must not specify other resources without subresources"
                )
            ],
        ),
        (
            {"matchConditions": [{}]},
            ["matchConditions[0].expression: Required value", "matchConditions[0].name: Required value"],
        ),
        (
            {"matchConditions": [{"name": "a b", "expression": " 1 "}, {"name": "a b", "expression": "true"}]},
            [
                'matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int',
                'matchConditions[0].name: Invalid value: "a b": name part',
                'matchConditions[1].name: Invalid value: "a b": name part',
                'matchConditions[1].name: Duplicate value: "a b"',
            ],
        ),
        (
            {"matchConditions": [{"name": f"n{n}", "expression": "true"} for n in range(65)]},
            ["matchConditions: Too many: 65: must have at most 64 items"],
        ),
    ],
)
def test_invalid_webhooks_have_the_servers_errors(fields: JSONObject, words: list[str]) -> None:
    expected = [f"webhooks[0].{word}" for word in words]
    assert [text[: len(word)] for text, word in zip(problem_of(**fields), expected, strict=True)] == expected


def test_a_name_occurs_once_in_a_configuration() -> None:
    assert problems(configuration("Validating", webhook(), webhook())) == [
        'hooks.yaml:2: webhooks[1].name: Duplicate value: "a.example.com"'
    ]


def test_a_configuration_needs_a_valid_name() -> None:
    prefix = "hooks.yaml:2: metadata.name: "
    assert problems(configuration("Validating", metadata={})) == [
        f"{prefix}Required value: name or generateName is required"
    ]
    [text] = problems(configuration("Validating", metadata={"name": "A"}))
    assert text.startswith(f'{prefix}Invalid value: "A": {NAME}')


def test_newer_servers_reserve_names_for_files() -> None:
    static = configuration("Mutating", name="a.static.k8s.io")
    [text] = problems(static)
    assert text.startswith(
        'hooks.yaml:2: metadata.name: Invalid value: "a.static.k8s.io": names ending with ".static.k8s.io"'
    )
    assert admissions.read(static, kubernetes="1.36") == Configurations()
