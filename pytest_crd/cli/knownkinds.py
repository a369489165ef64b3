"""CRDs and JSON Schemas for judging objects, from the command line, the project, a server and the objects themselves."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from pytest_crd.cases import acceptance
from pytest_crd.cli import objectfiles, objectkinds
from pytest_crd.cli.objectfiles import STREAM, ReadObjects
from pytest_crd.cli.schemacatalogs import SchemaCatalog
from pytest_crd.discovery.crdsources import Sources
from pytest_crd.engine import (
    CrdError,
    CustomResourceDefinition,
    CustomResourceDefinitions,
    InputError,
    Mistake,
    profile,
)
from pytest_crd.engine.loading.crdfiles import CrdFiles
from pytest_crd.engine.yaml import manifest

if TYPE_CHECKING:
    from pytest_crd.live.run import Target  # a large import, needed only with a server

_API_VERSION: Final = "apiextensions.k8s.io/v1"


class WrongUseError(Exception):
    """Options that contradict each other, or a server that cannot be reached."""


class KnownKinds(NamedTuple):
    """
    The CRDs and JSON Schemas for judging objects.

    Attributes:
        crds: The CRDs.
        catalog: The JSON Schemas, which decide about kinds without a CRD.
        kubernetes_version: The Kubernetes version of the answers.
    """

    crds: CustomResourceDefinitions
    catalog: SchemaCatalog
    kubernetes_version: str


def find(options: argparse.Namespace, sent: ReadObjects) -> KnownKinds:
    """Return the CRDs and JSON Schemas that the command line names, and the CRDs among the objects."""
    if options.crd_live:
        kinds = _load_installed_crds(options)
        objectfiles.find_crds(sent, kinds.kubernetes_version)
        return kinds
    version = profile.named(options.kubernetes_version or profile.DEFAULT).version
    among = objectfiles.find_crds(sent, version)
    catalog = SchemaCatalog()
    if options.crd:
        named = _load_named_crds(options.crd, catalog, version)
    else:
        named = _load_project_crds(version, sent, is_needed=not among)
    # CRDs among the objects replace CRDs of the project; CRDs on the command line replace both.
    first, second = (named, among) if options.crd else (among, named)
    names = {crd.name for crd in first}
    crds = CustomResourceDefinitions([*first, *(crd for crd in second if crd.name not in names)])
    guard = functools.partial(acceptance.require_accepted, find_crds=lambda: crds)
    return KnownKinds(crds.guarded(lambda _: guard), catalog, version)


def _load_project_crds(
    kubernetes_version: str, sent: ReadObjects, *, is_needed: bool
) -> list[CustomResourceDefinition]:
    sources = Sources(Path.cwd())
    try:
        return sources.select_main(sources.crds(kubernetes_version))
    except InputError as error:
        if not sources.is_in_vain:
            raise
        if is_needed and not any(objectkinds.find_client(item, kubernetes_version) for item, _ in sent.read_all([])):
            first, *others = error.mistakes
            message = "no CRD was found: name the files or folders with your CRDs, --crd PATH"
            raise CrdError([replace(first, message=message), *others]) from None
        return []


def _load_named_crds(
    paths: Sequence[str], catalog: SchemaCatalog, kubernetes_version: str
) -> list[CustomResourceDefinition]:
    """Return the CRDs of *paths*, and add their JSON Schemas to *catalog*; each path has a CRD or a JSON Schema."""
    crd_files = CrdFiles(kubernetes_version)
    if STREAM in paths:
        crd_files.take_output(sys.stdin.buffer.read(), source=objectfiles.STREAM_NAME)
    if patterns := [path for path in paths if path != STREAM]:
        files = manifest.files(patterns, base=Path.cwd())
        others = catalog.take(files)
        with_schemas = {pattern for file in files if file not in others for pattern in file.patterns}
        crd_files.read_files([pattern for pattern in patterns if pattern not in with_schemas], others)
    crd_files.raise_mistakes()
    return crd_files.crds


def _load_installed_crds(options: argparse.Namespace) -> KnownKinds:
    from pytest_crd.live import connection, transport  # noqa: PLC0415 - needed only with a server

    try:
        target = connection.connect(options.crd_live, options.crd_live_context, base=Path.cwd())
    except connection.UsageProblemError as error:
        raise WrongUseError(f"--crd-live: {error}") from None
    version = profile.named(options.kubernetes_version or target.version).version
    try:
        return KnownKinds(_list_crds(target, version), SchemaCatalog(), version)
    except transport.NoAnswerError as error:
        raise WrongUseError(f"--crd-live: {error}") from None
    finally:
        target.server.close()


def _list_crds(target: Target, kubernetes_version: str) -> CustomResourceDefinitions:
    """Return the CRDs of a server as they are stored."""
    from pytest_crd.live import client  # noqa: PLC0415 - needed only with a server

    answer = target.server.ask("GET", client.crd_path(_API_VERSION))
    if answer.code != 200:
        raise CrdError([Mistake(target.server.address, 0, f"does not list its CRDs: {answer.code} {answer.message}")])
    kind = {"apiVersion": _API_VERSION, "kind": "CustomResourceDefinition"}
    return CustomResourceDefinitions(
        [
            CustomResourceDefinition.from_manifest({**kind, **item}, kubernetes_version=kubernetes_version)
            for item in answer.body["items"]
        ]
    )
