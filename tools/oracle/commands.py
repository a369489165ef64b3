"""The list of commands: module, purpose, requirements and duration of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

# Descriptions of requirements by their names in the list.
NEEDS: Final[Mapping[str, str]] = {
    "Go": "Go, and its module proxy for the first build: one to three minutes for a version, kept in $CRD_ORACLE_CACHE",
    "server": "API servers: each is started with Go, in some seconds, and stopped again",
    "server or URL": "an API server: one is started with Go, unless `--server URL` names a running one",
    "kubectl": "kubectl",
    "clients": "the Python clients of the dependency group `clients`",
    "FOLDER": "a folder with CRDs of real projects; `COMMAND --help` describes its layout",
}
# Descriptions of groups of commands, by the first word of their names.
GROUPS: Final[Mapping[str, str]] = {
    "serve": "start a server",
    "record": "write answers of servers into the files that the tests replay",
    "check": "like `record`, but print the names of files that would change; `record` and `git diff` show how",
    "fuzz": "generate inputs from a seed, compare the engine with the reference or a server, print the smallest difference",
    "compare": "compare the engine with a server on inputs of real projects and other tools",
}


class Command(NamedTuple):
    """
    A command.

    Attributes:
        name: Its words on the command line.
        module: The module with its `add_arguments` and `main`.
        does: Its purpose, in one line.
        needs: Its requirements, as keys of NEEDS.
        takes: Its duration with its defaults, on two processors and with everything built.
        settings: Values of options that the command line does not have.
    """

    name: str
    module: str
    does: str
    needs: tuple[str, ...]
    takes: str
    settings: Mapping[str, Any] = MappingProxyType({})


_RECORDED: Final = (
    Command(
        "answers",
        "oracle.recorders.answers",
        "case files in tests/conformance/VERSION: answers to CRDs and to requests for objects",
        ("server or URL",),
        "some five minutes a version",
    ),
    Command("cel", "oracle.recorders.cel", "tables of expressions in tests/conformance/cel", ("Go",), "a minute"),
    Command(
        "published",
        "oracle.recorders.published",
        "OpenAPI documents of CRDs and of each keyword: tests/conformance/published",
        ("server",),
        "some minutes",
    ),
    Command(
        "types",
        "oracle.recorders.types",
        "Kubernetes types in OpenAPI documents: pytest_crd/engine/openapi/types.json",
        ("server",),
        "some minutes",
    ),
    Command(
        "kubernetesdocuments",
        "oracle.recorders.kubernetesdocuments",
        "OpenAPI documents of built-in kinds: pytest_crd/engine/openapi/kubernetesdocuments.json.gz",
        ("Go",),
        "some minutes",
    ),
    Command(
        "documenthashes",
        "oracle.recorders.documenthashes",
        "hashes of the OpenAPI documents of a server: tests/conformance/documenthashes.json",
        ("server or URL",),
        "some seconds",
    ),
    Command(
        "builtinkinds",
        "oracle.recorders.builtinkinds",
        "names and treatment of built-in kinds: pytest_crd/server/builtin/builtinkinds.json",
        ("server or URL",),
        "some seconds",
    ),
    Command(
        "builtintypes",
        "oracle.recorders.builtintypes",
        "merge types of built-in kinds: pytest_crd/server/builtin/builtintypes.json",
        (),
        "some seconds",
    ),
    Command(
        "builtinfields",
        "oracle.recorders.builtinfields",
        "the fields of the Go types of built-in kinds: pytest_crd/server/builtin/builtinfields.json",
        ("Go",),
        "some seconds",
    ),
    Command(
        "builtindefaults",
        "oracle.recorders.builtindefaults",
        "defaults of the Go types of built-in kinds: pytest_crd/server/builtin/builtindefaults.json",
        ("Go",),
        "a minute",
    ),
    Command(
        "builtincolumns",
        "oracle.recorders.builtincolumns",
        "columns and rows of built-in kinds in tables: pytest_crd/server/builtin/builtincolumns.json",
        ("server or URL",),
        "some seconds",
    ),
    Command(
        "access",
        "oracle.recorders.access",
        "access reviews and refusals of requests: tests/conformance/access",
        ("Go",),
        "some seconds",
    ),
    Command(
        "defaultpolicy",
        "oracle.recorders.defaultpolicy",
        "roles and bindings of a new cluster: pytest_crd/server/authorization/defaultpolicy.json",
        ("server or URL",),
        "some seconds",
    ),
    Command(
        "protofields",
        "oracle.recorders.protofields",
        "protobuf fields of built-in kinds and CRDs, and examples: pytest_crd/server/protobuf/protofields.json",
        ("Go",),
        "some seconds",
    ),
    Command(
        "openapifields",
        "oracle.recorders.openapifields",
        "protobuf fields of OpenAPI documents, and examples: pytest_crd/server/protobuf/openapifields.json",
        ("Go",),
        "some seconds",
    ),
    Command(
        "explain",
        "oracle.recorders.explain",
        "output of `kubectl explain` for a CRD: tests/cli/explained",
        ("server", "kubectl"),
        "a minute",
    ),
    Command(
        "sequences",
        "oracle.recorders.sequences",
        "answers to sequences of requests, with managed fields: tests/conformance/sequences",
        ("server",),
        "two minutes",
    ),
    Command(
        "crdrequests",
        "oracle.recorders.crdrequests",
        "answers to writes of CRDs: tests/conformance/crdrequests",
        ("server",),
        "three minutes",
    ),
    Command(
        "webhooks",
        "oracle.recorders.webhooks",
        "calls of webhooks by a whole kube-apiserver, and its answers: tests/conformance/VERSION/webhooks",
        ("server or URL",),
        "five minutes a version",
    ),
    Command(
        "policies",
        "oracle.recorders.policies",
        "answers of a whole kube-apiserver with admission policies: tests/conformance/VERSION/policies",
        ("server",),
        "three minutes a version",
    ),
    Command(
        "policytables",
        "oracle.recorders.policytables",
        "matches, evaluations and mutations of policies in upstream's own tests: tests/conformance/policytables.jsonl",
        ("Go",),
        "three minutes",
    ),
    Command(
        "merging",
        "oracle.recorders.merging",
        "results of structured-merge-diff in its own tests: tests/conformance/merging",
        ("Go",),
        "a minute",
    ),
    Command(
        "fieldmanagers",
        "oracle.recorders.fieldmanagers",
        "results of apimachinery's managedfields in its own tests: tests/conformance/fieldmanagers",
        ("Go",),
        "a minute",
    ),
    Command(
        "policyobjects",
        "oracle.recorders.policyobjects",
        "answers to valid and invalid admission policies and bindings: tests/conformance/policyobjects.jsonl",
        ("server",),
        "a minute",
    ),
    Command(
        "typechecking",
        "oracle.recorders.typechecking",
        "type warnings of kube-controller-manager about admission policies: tests/conformance/typechecking.jsonl",
        ("server",),
        "a minute",
    ),
    Command(
        "storedrules",
        "oracle.recorders.storedrules",
        "rules that servers reject, in CRDs that an older server stored: tests/conformance/storedrules.jsonl",
        ("server",),
        "a minute",
    ),
)


def _recorders(group: str, *, check: bool) -> Iterator[Command]:
    for command in _RECORDED:
        yield command._replace(name=f"{group} {command.name}", settings={"check": check})


COMMANDS: Final = (
    Command(
        "serve",
        "oracle.servers.apiserver",
        "serve a Kubernetes version on loopback until Ctrl-C, and print the URL",
        ("server",),
        "four seconds",
    ),
    *_recorders("record", check=False),
    *_recorders("check", check=True),
    Command(
        "check profiles",
        "oracle.checks.profiles",
        "whether a recording covers each difference between Kubernetes versions in `profile.py`",
        (),
        "some minutes",
    ),
    Command(
        "fuzz schemas",
        "oracle.fuzzers.schemas",
        "schemas and objects: structural errors, pruning and defaulting",
        ("Go",),
        "some minutes, depending on the count",
    ),
    Command(
        "fuzz requests",
        "oracle.fuzzers.requests",
        "whole requests for CRDs and objects: verdict, messages, stored object",
        ("server or URL",),
        "some minutes, depending on the count",
    ),
    Command(
        "fuzz columns",
        "oracle.fuzzers.columns",
        "columns with random JSONPaths: tables of custom resources",
        ("server or URL",),
        "some minutes, depending on the count",
    ),
    Command(
        "fuzz cel",
        "oracle.fuzzers.cel",
        "expressions: types, estimates, values, costs",
        ("Go",),
        "some minutes, depending on the count",
    ),
    Command(
        "fuzz rules",
        "oracle.fuzzers.rules",
        "validation rules on objects: messages, fields, costs",
        ("Go",),
        "some minutes, depending on the count",
    ),
    Command(
        "fuzz patterns",
        "oracle.fuzzers.patterns",
        "patterns, against Go's regexp",
        ("Go",),
        "some minutes, depending on the count",
    ),
    Command(
        "fuzz yaml",
        "oracle.fuzzers.yaml",
        "parsing of YAML and JSON documents",
        ("Go",),
        "some minutes, depending on the count",
    ),
    Command(
        "fuzz apply",
        "oracle.fuzzers.apply",
        "sequences of requests by several managers: patches, server-side apply, managed fields",
        ("server or URL",),
        "a minute, depending on the count",
    ),
    Command(
        "fuzz server",
        "oracle.fuzzers.server",
        "conversations of three clients with a server: objects, lists, watches",
        ("server or URL",),
        "a minute, depending on the count",
    ),
    Command(
        "fuzz garbage",
        "oracle.fuzzers.garbage",
        "histories of owned objects, against kube-controller-manager's garbage collector",
        ("server or URL",),
        "some minutes, depending on the count",
    ),
    Command(
        "fuzz builtins",
        "oracle.fuzzers.builtins",
        "stored objects of built-in kinds: defaults and generated fields",
        ("server or URL",),
        "ten minutes, depending on the count",
    ),
    Command(
        "fuzz webhooks",
        "oracle.fuzzers.webhooks",
        "webhooks with random responses: answers of the server, and the reviews that it sends",
        ("server or URL",),
        "five minutes, depending on the count",
    ),
    Command(
        "fuzz policies",
        "oracle.fuzzers.policies",
        "admission policies with random objects, params and users: answers of the server, and audit annotations",
        ("server",),
        "ten minutes, depending on the count",
    ),
    Command(
        "fuzz rbac",
        "oracle.fuzzers.rbac",
        "access reviews about the roles of operators: decisions and their reasons",
        ("server or URL", "FOLDER"),
        "two minutes, depending on the count",
    ),
    Command(
        "fuzz soak",
        "oracle.fuzzers.soak",
        "`pytest-crd serve` under clients that write and watch for minutes: nothing lost, nothing doubled, no growth",
        (),
        "ten minutes",
    ),
    Command(
        "fuzz upgrades",
        "oracle.fuzzers.upgrades",
        "upgrades of random CRDs, compared with the effects on random objects",
        (),
        "some minutes, depending on the count",
    ),
    Command(
        "compare crds",
        "oracle.comparisons.crds",
        "CRDs and samples of a folder, without rules: every answer, word for word",
        ("server or URL", "FOLDER"),
        "some minutes",
    ),
    Command(
        "compare samples",
        "oracle.comparisons.samples",
        "samples of a folder, with rules: whether the CRD accepts them",
        ("server or URL", "FOLDER"),
        "some minutes",
    ),
    Command(
        "compare examples",
        "oracle.comparisons.examples",
        "example objects generated from the CRDs of a folder",
        ("server or URL", "FOLDER"),
        "some minutes",
    ),
    Command(
        "compare kubectl",
        "oracle.comparisons.kubectl",
        "the output of kubectl with a whole kube-apiserver and with `pytest-crd serve`",
        ("server or URL", "kubectl"),
        "a minute",
    ),
    Command(
        "compare clients",
        "oracle.comparisons.clients",
        "the results of four Python clients with a whole kube-apiserver and with `pytest-crd serve`",
        ("server or URL", "clients"),
        "a minute",
    ),
    Command(
        "compare controller",
        "oracle.comparisons.controller",
        "an operator made with controller-runtime against `pytest-crd serve`: cache, leader election, finalizers",
        ("Go",),
        "some seconds",
    ),
    Command(
        "compare suites",
        "oracle.comparisons.suites",
        "test suites of other projects on a kube-apiserver and on `pytest-crd serve`, with reasons for failures",
        ("Go", "clients"),
        "an hour",
    ),
    Command(
        "compare integration",
        "oracle.comparisons.integration",
        "integration tests of apiextensions-apiserver and of policies against `pytest-crd serve`, with reasons for failures",
        ("Go",),
        "twenty minutes",
    ),
    Command(
        "compare live",
        "oracle.comparisons.live",
        "the output of `--crd-live` in the example project, and docs/how-to/ask-a-live-server.md",
        ("server or URL",),
        "half a minute",
    ),
    Command(
        "compare upgrades",
        "oracle.comparisons.upgrades",
        "effects of CRD upgrades: those of tests/upgrades, or pairs in folders",
        ("server or URL",),
        "some minutes",
    ),
    Command(
        "compare histories",
        "oracle.comparisons.histories",
        "releases of repositories: the oldest CRD, updated to each later one",
        ("server or URL",),
        "a minute a repository",
    ),
    Command(
        "compare published",
        "oracle.comparisons.published",
        "OpenAPI documents of the CRDs of a folder, or of generated CRDs",
        ("server or URL",),
        "some minutes",
    ),
    Command(
        "compare celspec",
        "oracle.comparisons.celspec",
        "the standard tables of cel-spec",
        ("Go",),
        "some minutes",
    ),
    Command(
        "compare kubescape",
        "oracle.comparisons.kubescape",
        "the tests of kubescape's cel-admission-library: verdicts of ValidatingAdmissionPolicies about built-in kinds",
        ("FOLDER",),
        "a minute",
    ),
    Command(
        "compare repositories",
        "oracle.comparisons.repositories",
        "a folder of repositories: the findings of the plugin in each without settings, and failures",
        ("FOLDER",),
        "a minute",
    ),
)
