"""A write, a page of a list, a case of a policy, and the server that it opens cost the same beside any number of CRDs."""

from __future__ import annotations

import argparse
from collections import defaultdict

from benchmarks import writes


def test_the_calls_do_not_depend_on_the_number_of_crds() -> None:
    parser = argparse.ArgumentParser()
    writes.add_arguments(parser)
    options = parser.parse_args(["--crds", "1", "9", "--projects", "1", "9"])
    counts: dict[str, set[float]] = defaultdict(set)
    for figure in writes.main(options):
        assert figure.is_counted
        counts[figure.name.partition(" beside ")[0].partition(" in a ")[0]].add(figure.ratio)

    assert counts.keys() == {
        "PATCH of a custom resource",
        "POST of a ConfigMap",
        "PUT of a CRD",
        "a page of 20 custom resources",
        "a case of a policy",
        "the server of a case",
    }
    assert not {title: calls for title, calls in counts.items() if max(calls) > 1.01 * min(calls)}
    assert max(counts["the server of a case"]) < 300
