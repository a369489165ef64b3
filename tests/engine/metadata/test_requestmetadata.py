from __future__ import annotations

import copy
from typing import Any

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.errors.refusal import Refusal
from pytest_crd.engine.metadata import requestmetadata, systemmetadata
from pytest_crd.engine.metadata.requestmetadata import RequestTarget

NEW, OLD, OLDEST = (profile.named(version) for version in ("1.37", "1.32", "1.21"))
TARGET = RequestTarget("a.b", "cases", "default", "case")
CLUSTER = RequestTarget("a.b", "cases", None, "case")
REFERENCE = {"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u"}
OTHER_NAMESPACE = "the namespace of the provided object does not match the namespace sent on the request"


def bad_request(message: str) -> Refusal:
    return Refusal(400, "BadRequest", message)


@pytest.mark.parametrize(
    ("namespace", "target", "refusal"),
    [
        pytest.param({}, TARGET, None, id="none is filled in"),
        pytest.param({"namespace": ""}, TARGET, None, id="an empty one too"),
        pytest.param({"namespace": "default"}, TARGET, None, id="that of the URL is accepted"),
        pytest.param({"namespace": "other"}, TARGET, bad_request(OTHER_NAMESPACE), id="another is refused"),
        pytest.param({"namespace": "other"}, CLUSTER, None, id="any is ignored where there are none"),
    ],
)
def test_a_create_for_another_namespace_is_refused(
    namespace: Any, target: RequestTarget, refusal: Refusal | None
) -> None:
    assert requestmetadata.refuse_create({"name": "A", **namespace}, target) == refusal


@pytest.mark.parametrize(
    ("metadata", "of", "message"),
    [
        pytest.param({"name": "case"}, NEW, None, id="the name of the URL is accepted"),
        pytest.param({"name": "case"}, OLDEST, None, id="in 1.21 too"),
        pytest.param(
            {"name": "b"},
            NEW,
            "the name of the object (b) does not match the name on the URL (case)",
            id="another is refused",
        ),
        pytest.param(
            {},
            NEW,
            "the name of the object (case based on URL) was undeterminable: name must be provided",
            id="one is needed",
        ),
        pytest.param({"namespace": "other"}, NEW, OTHER_NAMESPACE, id="another namespace is refused first"),
        pytest.param(
            {"name": "b", "namespace": "other"},
            OLDEST,
            "the name of the object (b) does not match the name on the URL (case)",
            id="in 1.21 last",
        ),
        pytest.param(
            {"name": "case", "namespace": "other"},
            OLDEST,
            "the namespace of the object (other) does not match the namespace on the request (default)",
            id="and in other words",
        ),
    ],
)
def test_an_update_for_another_name_or_namespace_is_refused(
    metadata: Any, of: profile.Profile, message: str | None
) -> None:
    refusal = requestmetadata.refuse_update(metadata, TARGET, of)
    assert refusal == (bad_request(message) if message else None)


def test_a_missing_object_is_not_found() -> None:
    assert requestmetadata.refuse_missing(TARGET) == Refusal(404, "NotFound", 'cases.a.b "case" not found')


@pytest.mark.parametrize(
    ("target", "key"),
    [
        pytest.param(TARGET, "/a.b/cases/default/case", id="with a namespace"),
        pytest.param(CLUSTER, "/a.b/cases/case", id="without one"),
    ],
)
def test_another_uid_is_a_conflict_at_the_key(target: RequestTarget, key: str) -> None:
    refusal = requestmetadata.refuse_stale({"uid": "u"}, {"uid": "v"}, target, NEW)
    problem = "Precondition failed: UID in precondition: u, UID in object meta: v"
    assert refusal == Refusal(
        409,
        "Conflict",
        'Operation cannot be fulfilled on cases.a.b "case": StorageError: invalid object, Code: 4,'
        f" Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {problem}",
    )


@pytest.mark.parametrize(
    ("version", "code", "message"),
    [
        pytest.param("a", 500, 'strconv.ParseUint: parsing "a": invalid syntax', id="a letter is no number"),
        pytest.param("-1", 500, 'strconv.ParseUint: parsing "-1": invalid syntax', id="nor is what has a sign"),
        pytest.param("²", 500, 'strconv.ParseUint: parsing "²": invalid syntax', id="nor is a raised digit"),
        pytest.param(
            str(2**64), 500, f'strconv.ParseUint: parsing "{2**64}": value out of range', id="64 bits are read"
        ),
        pytest.param(
            "6",
            409,
            'Operation cannot be fulfilled on cases.a.b "case": the object has been modified; please apply your changes'
            " to the latest version and try again",
            id="an old one is a conflict",
        ),
    ],
)
def test_other_resource_versions_are_refused(version: str, code: int, message: str) -> None:
    refusal = requestmetadata.refuse_stale({"resourceVersion": version}, {"resourceVersion": "7"}, TARGET, NEW)
    assert refusal is not None
    assert (refusal.code, refusal.message) == (code, message)


@pytest.mark.parametrize("version", [{}, {"resourceVersion": ""}, {"resourceVersion": "0"}, {"resourceVersion": "00"}])
@pytest.mark.parametrize(
    ("of", "printed"), [pytest.param(NEW, "0", id="in 1.37"), pytest.param(OLD, "0x0", id="in 1.32")]
)
def test_an_update_needs_a_resource_version(version: Any, of: profile.Profile, printed: str) -> None:
    refusal = requestmetadata.refuse_stale(version, {"resourceVersion": "7"}, TARGET, of)
    assert refusal is not None
    (error,) = refusal.errors
    wrong = f"metadata.resourceVersion: Invalid value: {printed}: must be specified for an update"
    assert (refusal.code, refusal.reason, str(error)) == (422, "Invalid", wrong)
    assert refusal.message == f'cases.a.b "case" is invalid: {wrong}'


@pytest.mark.parametrize(
    ("metadata", "old"),
    [
        pytest.param({"resourceVersion": "7"}, {"resourceVersion": "7"}, id="the same"),
        pytest.param({"resourceVersion": "07"}, {"resourceVersion": "7"}, id="the same number"),
        pytest.param({"resourceVersion": "7", "uid": "u"}, {"uid": "u"}, id="any where none is known"),
        pytest.param({"resourceVersion": "7", "uid": "u"}, {}, id="any uid where none is known"),
    ],
)
def test_a_matching_uid_and_version_are_accepted(metadata: Any, old: Any) -> None:
    assert requestmetadata.refuse_stale(metadata, old, TARGET, NEW) is None


def test_create_drops_generated_metadata() -> None:
    metadata = {
        **dict.fromkeys(systemmetadata.SERVER_MADE, "x"),
        "name": "a",
        "deletionTimestamp": "2020-01-01T00:00:00Z",
        "deletionGracePeriodSeconds": 1,
        "clusterName": "c",
        "labels": {"a": "b"},
    }
    before = copy.deepcopy(metadata)
    prepared = requestmetadata.prepare_create(metadata, TARGET)
    assert prepared.metadata == {"name": "a", "labels": {"a": "b"}, "namespace": "default"}
    assert not prepared.has_generated_name
    assert metadata == before


def test_a_cluster_wide_resource_loses_its_namespace() -> None:
    assert requestmetadata.prepare_create({"name": "a", "namespace": "b"}, CLUSTER).metadata == {"name": "a"}


@pytest.mark.parametrize(
    ("prefix", "name"),
    [
        pytest.param("a-", "a-12345", id="the prefix and five characters"),
        pytest.param("a" * 59, "a" * 58 + "12345", id="at most 63 in all"),
        pytest.param("é" * 30, "é" * 29 + "12345", id="counted in bytes"),
    ],
)
def test_a_name_is_generated(prefix: str, name: str) -> None:
    prepared = requestmetadata.prepare_create({"generateName": prefix}, CLUSTER, suffix="12345")
    assert prepared.metadata == {"generateName": prefix, "name": name}
    assert prepared.has_generated_name


def test_a_name_takes_precedence_over_a_prefix() -> None:
    prepared = requestmetadata.prepare_create({"generateName": "a-", "name": "b"}, CLUSTER)
    assert (prepared.metadata["name"], prepared.has_generated_name) == ("b", False)


def test_duplicate_owners_are_removed_with_a_warning() -> None:
    prepared = requestmetadata.prepare_create({"name": "a", "ownerReferences": [REFERENCE, REFERENCE]}, CLUSTER)
    assert prepared.metadata["ownerReferences"] == [REFERENCE]
    assert len(prepared.warnings) == 1


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        pytest.param({}, {"deletionTimestamp": "t"}, {"deletionTimestamp": "t"}, id="what is deleted stays deleted"),
        pytest.param(
            {"deletionTimestamp": "s"}, {"deletionTimestamp": "t"}, {"deletionTimestamp": "t"}, id="at the same time"
        ),
        pytest.param(
            {"deletionTimestamp": "s"}, {}, {"deletionTimestamp": "s"}, id="what is not is left to validation"
        ),
        pytest.param(
            {},
            {"deletionGracePeriodSeconds": 0},
            {"deletionGracePeriodSeconds": 0},
            id="the grace period is kept",
        ),
        pytest.param(
            {"deletionGracePeriodSeconds": 1},
            {"deletionGracePeriodSeconds": 0},
            {"deletionGracePeriodSeconds": 1},
            id="a new grace period is left to validation",
        ),
        pytest.param({"uid": "u"}, {"labels": {"a": "b"}}, {}, id="all else is as it was sent"),
    ],
)
def test_an_update_keeps_deletion_metadata(new: Any, old: Any, expected: Any) -> None:
    prepared = requestmetadata.prepare_update({"name": "case", **new}, old, TARGET)
    assert prepared.metadata == {"name": "case", "namespace": "default", **expected}
