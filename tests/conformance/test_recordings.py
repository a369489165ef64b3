"""Every recording is replayed by a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cli import test_explain
from live import test_page, test_recorded

from conformance import (
    crdrequests,
    fieldmanagers,
    merging,
    policyobjects,
    policytables,
    published,
    sequences,
    test_access,
    test_builtintables,
    test_cel,
    test_conformance,
    test_documenthashes,
    test_openapiproto,
    test_protobuf,
    test_server,
    test_storedrules,
    typechecking,
    webhookconversations,
)
from pytest_crd.engine import profile

TESTS: Final = Path(__file__).parents[1]
FOLDERS: Final = ("conformance", "cli/explained", "live/recorded")
_CODE: Final = (".py", ".pyc")


def _recordings() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from (path for path in (TESTS / folder).rglob("*") if path.is_file() and path.suffix not in _CODE)


def _replayed_files() -> Iterator[Path]:
    yield from test_conformance.PATHS
    yield from test_cel.PATHS
    yield from (published.SCHEMAS, published.CRDS, test_storedrules.TABLE)
    yield from test_server.RECORDED.glob("*.jsonl")
    yield test_protobuf.RECORDED
    yield test_openapiproto.RECORDED
    yield test_documenthashes.FILE
    yield test_builtintables.RECORDED
    yield from merging.files()
    yield from fieldmanagers.files()
    yield from (path for file in sequences.paths() for path in (file, file.with_suffix(".jsonl")))
    yield from (path for file in crdrequests.paths() for path in (file, file.with_suffix(".jsonl")))
    yield from webhookconversations.DECLARED.glob("*.yaml")
    yield from (TESTS / "conformance").glob("*/webhooks/*.jsonl")
    yield from (TESTS / "conformance/policies").glob("*.yaml")
    yield from (TESTS / "conformance").glob("*/policies/*.jsonl")
    for table in (policyobjects.TABLE, typechecking.TABLE):
        yield from (table, table.with_suffix(".yaml"))
    yield policytables.PATH
    yield policytables.PATH.with_name("policystatuses.jsonl")
    yield from test_explain.FILES
    yield from test_recorded.FILES
    yield test_page.RECORDED
    yield from test_access.FOLDER.iterdir()


def test_every_recording_is_replayed() -> None:
    assert sorted(_recordings()) == sorted(_replayed_files())


def test_every_version_of_a_recording_is_known() -> None:
    spans = {span for item in (*published.schemas(), *published.crds()) for span in item["answers"]}
    recorded_versions = {path.parent.parent.name for path in test_conformance.PATHS}

    assert recorded_versions == profile.KNOWN.keys() - profile.PREVIEWS
    for span in spans:
        assert {*span.split("-")} <= profile.KNOWN.keys()
        assert published.versions(span)
