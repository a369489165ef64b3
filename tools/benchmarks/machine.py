"""The speed of a machine at Python and Go, for comparing ratios between machines."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from oracle.servers import programs

from benchmarks import peers
from benchmarks.subjects import BACKUPS, backup, nodes
from pytest_crd.engine import profile
from pytest_crd.engine.yaml import yamlreader


def lines() -> Iterator[str]:
    """Yield the time of a copy in Python and of a create in Go; Go only if its program is built."""
    [document] = yamlreader.read(BACKUPS.read_text(encoding="utf-8"), source=BACKUPS.name)
    resource = backup(document.value["spec"]["group"])
    (copied,) = peers.best([lambda: copy.deepcopy(resource)])
    yield f"Python here: copy.deepcopy of an object of {nodes(resource)} values takes {copied * 1e6:.0f} µs"
    version = profile.DEFAULT
    if not (programs.cache() / f"timing-{version}").exists():
        yield "Go here: not known, `python -m benchmarks requests` builds what knows"
        return
    with peers.needed_reference(version) as reference:
        times = reference.measure(
            peers.without_rules(document.value), resource, namespace="default", rounds=15, calls=50
        )
    yield f"Go here: the packages of the API server create it in {times['create'] * 1e6:.0f} µs"
