"""The commands: what each does, the module that does it, what it needs, and how long it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

# What a command may need, by the word that the table has for it.
NEEDS: Final[Mapping[str, str]] = {
    "Go": "Go, and its module proxy for the first build: one to three minutes for a version, kept in $CRD_ORACLE_CACHE",
    "server": "API servers: each is started with Go, in some seconds, and stopped again",
    "server or URL": "an API server: one is started with Go, unless `--server URL` names one that is there",
    "kubectl": "kubectl",
    "clients": "the Python clients of the dependency group `clients`",
    "FOLDER": "a folder with CRDs of real projects; `COMMAND --help` says how it is laid out",
}
# What the commands have in common that begin with a word.
GROUPS: Final[Mapping[str, str]] = {
    "serve": "start a server",
    "record": "ask servers, and write what they answer into the files that the tests replay",
    "check": "ask the same, write nothing, name the files that would change; `record` and `git diff` show how",
    "fuzz": "make inputs out of a seed, ask the reference or a server and the engine, print the smallest difference",
    "compare": "hold the engine against a server on what real projects and other tools have",
}


class Command(NamedTuple):
    """
    A command.

    Attributes:
        name: Its words.
        module: Where its `add_arguments` and `main` are.
        does: What it does, in one line.
        needs: Words of NEEDS.
        takes: How long it takes with its defaults, on two processors, what it needs being built.
        settings: Options that have no argument.
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
        "case files in tests/conformance/VERSION: what becomes of CRDs and of requests for objects",
        ("server or URL",),
        "some five minutes a version",
    ),
    Command("cel", "oracle.recorders.cel", "tables of expressions in tests/conformance/cel", ("Go",), "a minute"),
    Command(
        "published",
        "oracle.recorders.published",
        "what is published of CRDs and of each keyword: tests/conformance/published",
        ("server",),
        "some minutes",
    ),
    Command(
        "types",
        "oracle.recorders.types",
        "types of Kubernetes that are published beside: pytest_crd/engine/openapi/types.json",
        ("server",),
        "some minutes",
    ),
    Command(
        "builtintypes",
        "oracle.recorders.builtintypes",
        "how built-in kinds are merged: pytest_crd/server/builtin/builtintypes.json",
        ("server or URL",),
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
        "builtincolumns",
        "oracle.recorders.builtincolumns",
        "columns and rows of built-in kinds in tables: pytest_crd/server/builtin/builtincolumns.json",
        ("server or URL",),
        "some seconds",
    ),
    Command(
        "protofields",
        "oracle.recorders.protofields",
        "how built-in kinds and CRDs are written in protobuf, and examples: pytest_crd/server/protobuf/protofields.json",
        ("Go",),
        "some seconds",
    ),
    Command(
        "openapifields",
        "oracle.recorders.openapifields",
        "how OpenAPI documents are written in protobuf, and examples: pytest_crd/server/protobuf/openapifields.json",
        ("Go",),
        "some seconds",
    ),
    Command(
        "explain",
        "oracle.recorders.explain",
        "what kubectl explains of a CRD: tests/cli/explained",
        ("server", "kubectl"),
        "a minute",
    ),
    Command(
        "sequences",
        "oracle.recorders.sequences",
        "what becomes of requests one after another, with managed fields: tests/conformance/sequences",
        ("server",),
        "two minutes",
    ),
    Command(
        "crdrequests",
        "oracle.recorders.crdrequests",
        "what becomes of writes of CRDs themselves: tests/conformance/crdrequests",
        ("server",),
        "three minutes",
    ),
    Command(
        "merging",
        "oracle.recorders.merging",
        "what structured-merge-diff answers to its own tests: tests/conformance/merging",
        ("Go",),
        "a minute",
    ),
    Command(
        "fieldmanagers",
        "oracle.recorders.fieldmanagers",
        "what apimachinery's managedfields answers to its own tests: tests/conformance/fieldmanagers",
        ("Go",),
        "a minute",
    ),
    Command(
        "storedrules",
        "oracle.recorders.storedrules",
        "rules that no server takes, of CRDs that an older one stored: tests/conformance/storedrules.jsonl",
        ("server",),
        "a minute",
    ),
)


def _recorders(group: str, *, check: bool) -> Iterator[Command]:
    for one in _RECORDED:
        yield one._replace(name=f"{group} {one.name}", settings={"check": check})


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
        "whether a recording pins each difference between Kubernetes versions that `profile.py` has",
        (),
        "some minutes",
    ),
    Command(
        "fuzz schemas",
        "oracle.fuzzers.schemas",
        "schemas and objects: what is not structural, pruned and defaulted",
        ("Go",),
        "some minutes, by how many are asked for",
    ),
    Command(
        "fuzz requests",
        "oracle.fuzzers.requests",
        "whole requests, for CRDs and objects: verdict, words, stored object",
        ("server or URL",),
        "some minutes, by how many are asked for",
    ),
    Command(
        "fuzz cel",
        "oracle.fuzzers.cel",
        "expressions: types, estimates, values, costs",
        ("Go",),
        "some minutes, by how many are asked for",
    ),
    Command(
        "fuzz rules",
        "oracle.fuzzers.rules",
        "rules of schemas, run on objects: words, fields, costs",
        ("Go",),
        "some minutes, by how many are asked for",
    ),
    Command(
        "fuzz patterns",
        "oracle.fuzzers.patterns",
        "patterns, against Go's regexp",
        ("Go",),
        "some minutes, by how many are asked for",
    ),
    Command(
        "fuzz yaml",
        "oracle.fuzzers.yaml",
        "YAML and JSON documents: how they are read",
        ("Go",),
        "some minutes, by how many are asked for",
    ),
    Command(
        "fuzz apply",
        "oracle.fuzzers.apply",
        "sequences of requests by some managers: patches, server-side apply, managed fields",
        ("server or URL",),
        "a minute, by how many are asked for",
    ),
    Command(
        "fuzz server",
        "oracle.fuzzers.server",
        "conversations of three clients with a server: objects, lists, watches",
        ("server or URL",),
        "a minute, by how many are asked for",
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
        "upgrades of random CRDs, against what random objects show of them",
        (),
        "some minutes, by how many are asked for",
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
        "samples of a folder, with rules: whether the CRD takes them",
        ("server or URL", "FOLDER"),
        "some minutes",
    ),
    Command(
        "compare examples",
        "oracle.comparisons.examples",
        "objects that are made from the CRDs of a folder",
        ("server or URL", "FOLDER"),
        "some minutes",
    ),
    Command(
        "compare kubectl",
        "oracle.comparisons.kubectl",
        "what kubectl prints of a whole kube-apiserver, and of `pytest-crd serve`",
        ("server or URL", "kubectl"),
        "a minute",
    ),
    Command(
        "compare clients",
        "oracle.comparisons.clients",
        "what four Python clients get of a whole kube-apiserver, and of `pytest-crd serve`",
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
        "compare integration",
        "oracle.comparisons.integration",
        "apiextensions-apiserver's own `test/integration` against `pytest-crd serve`: what passes, and why the rest does not",
        ("Go",),
        "ten minutes",
    ),
    Command(
        "compare live",
        "oracle.comparisons.live",
        "what a run in the example project prints with `--crd-live`, and what docs/how-to/ask-a-live-server.md shows",
        ("server or URL",),
        "half a minute",
    ),
    Command(
        "compare upgrades",
        "oracle.comparisons.upgrades",
        "what upgrades of CRDs were found to do: those of tests/upgrades, or pairs in folders",
        ("server or URL",),
        "some minutes",
    ),
    Command(
        "compare published",
        "oracle.comparisons.published",
        "OpenAPI documents of the CRDs of a folder, or of CRDs out of a seed",
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
        "compare repositories",
        "oracle.comparisons.repositories",
        "a folder of repositories: what the plugin finds in each without settings, and what fails",
        ("FOLDER",),
        "a minute",
    ),
)
