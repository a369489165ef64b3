"""The list of benchmarks: module, subject, needs and duration of each."""

from __future__ import annotations

from typing import Final, NamedTuple


class Benchmark(NamedTuple):
    """
    A benchmark.

    Attributes:
        name: The name on the command line, and of its module in this package.
        measures: A summary of its subject in one line.
        needs: Its requirements, or an empty string. Without a corpus for real objects there are fewer figures.
        takes: Its duration with its defaults, on two processors.
    """

    name: str
    measures: str
    needs: str
    takes: str


BENCHMARKS: Final = (
    Benchmark(
        "starting", "calls and modules of an empty test and of one case, installed from a wheel", "", "about a minute"
    ),
    Benchmark(
        "items",
        "an item of a case file against a no-op item of pytest, and sessions without CRDs",
        "",
        "about a minute",
    ),
    Benchmark("bodies", "functions and modules that carry the body of a POST to the store", "", "some seconds"),
    Benchmark("writes", "calls of writes beside 1 to 150 CRDs, and of a case of a policy", "", "half a minute"),
    Benchmark("reading", "YAML against PyYAML's own reader", "a corpus", "about a minute"),
    Benchmark("loading", "the CRDs of a folder, relative to reading their YAML", "a corpus", "about a minute"),
    Benchmark("webhooks", "a create that a webhook converts, in process and over HTTPS", "", "some seconds"),
    Benchmark(
        "policies", "a create that ten admission policies see; with Go also on a kube-apiserver", "", "some seconds"
    ),
    Benchmark("passes", "pruning and defaulting against a copy of the object", "", "about a minute"),
    Benchmark(
        "requests",
        "creates and updates against a copy, jsonschema, and the Go packages",
        "Go, and a corpus for real objects",
        "about a minute",
    ),
    Benchmark(
        "applies",
        "applies and patches, one after another, against the Go packages, and how they grow with a list",
        "Go, and a corpus for real objects",
        "about a minute",
    ),
    Benchmark("crds", "answers to CRDs against the Go packages", "Go and a corpus", "about a minute"),
    Benchmark(
        "rules",
        "CEL rules, compiled and run, against the Go packages",
        "Go, and a corpus for real objects",
        "about a minute",
    ),
    Benchmark("hostile", "hostile expressions against the reference", "Go", "about a minute"),
    Benchmark(
        "bounds", "hostile files of a repository, relative to inputs of an eighth of the size", "", "about a minute"
    ),
    Benchmark("bytes", "mutated files of a repository, relative to two seconds", "", "about a minute"),
    Benchmark("published", "publishing of CRDs, relative to the answers to them", "a corpus", "about a minute"),
    Benchmark("upgrades", "judging upgrades, relative to the answers to the new CRDs", "a corpus", "about a minute"),
    Benchmark(
        "coverage",
        "requests with and without coverage",
        "a corpus for real objects",
        "about a minute",
    ),
    Benchmark(
        "serving", "`pytest-crd serve` against a whole kube-apiserver: writes, lists, watches", "Go", "two minutes"
    ),
    Benchmark(
        "checks", "all checks of projects against the same requests to a server", "Go and a corpus", "about a minute"
    ),
)
