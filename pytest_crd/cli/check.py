"""Command `check`: the server's verdict on CustomResourceDefinitions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from pytest_crd import engine
from pytest_crd.cli import lookup
from pytest_crd.engine import profile
from pytest_crd.engine.crds.condition import shows_flaw
from pytest_crd.wording import counted, escape


def declare(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    lookup.add_crds(parser)
    lookup.add_kubernetes_version(parser)


def run(options: argparse.Namespace) -> int:
    """Print the server's answer to each CRD; return 1 if it refuses one."""
    crds = lookup.named_crds(options.crds, options.crd_path, options.kubernetes_version)
    answers = [crd.create(field_validation="Strict") for crd in crds]
    for note in crds.notes:
        print(f"note: {note}")
    for crd, answer in zip(crds, answers, strict=True):
        print("\n".join(_lines(crd, answer)))
    refused = sum(not answer.accepted for answer in answers)
    print(f"{counted(len(crds), 'CRD')}, {refused} refused; Kubernetes {profile.describe(options.kubernetes_version)}")
    return 1 if refused else 0


def _lines(crd: engine.CustomResourceDefinition, answer: engine.Response) -> Iterator[str]:
    verdict = "accepted" if answer.accepted else f"refused ({answer.code})"
    yield f"{crd.source}: {crd.name} ({', '.join(version.name for version in crd.versions)}): {verdict}"
    yield from (f"  {escape(str(error))}" for error in answer.errors)
    yield from (f"  warning: {escape(warning)}" for warning in answer.warnings)
    for condition in crd.conditions if answer.accepted else ():
        if shows_flaw(condition):
            yield f"  {condition.type} is {condition.status} ({condition.reason}): {condition.message}"
