"""Kubernetes versions: the recorded ones are known, any other is refused."""

from __future__ import annotations

import pytest

from pytest_crd.engine import profile
from pytest_crd.engine.profile import UnknownVersionError


@pytest.mark.parametrize("version", ["1.37", "v1.37", "1.37.2", "v1.37.2", " 1.37 "])
def test_a_version_may_be_written_with_prefix_and_patch_release(version: str) -> None:
    assert profile.named(version).version == "1.37"


def test_only_1_21_serves_v1beta1() -> None:
    assert [item.version for item in profile.KNOWN.values() if item.serves_v1beta1] == ["1.21"]


def test_the_default_is_the_newest_version_with_a_server() -> None:
    assert [version for version in profile.KNOWN if version not in profile.PREVIEWS][-1] == profile.DEFAULT


def test_previews_are_listed_apart_and_called_previews() -> None:
    assert profile.list_versions(("1.36", "1.38", "1.37")) == "1.36, 1.37; preview: 1.38"
    assert profile.list_versions(("1.37",)) == "1.37"
    assert profile.describe("1.37") == "1.37"
    assert profile.describe("1.38") == "1.38 (preview, not compared with a server)"


def test_a_preview_has_the_recorded_documents_of_the_version_before_it() -> None:
    assert profile.named("1.38").recorded_version == "1.37"
    assert profile.named("1.36").recorded_version == "1.36"


def test_an_unknown_version_is_refused_and_the_known_ones_are_listed() -> None:
    with pytest.raises(UnknownVersionError) as raised:
        profile.named("2.99")
    assert str(raised.value) == f"unknown Kubernetes version '2.99'; known versions: {profile.list_versions()}"


def test_the_error_about_1_3_suggests_quoting_1_30() -> None:
    with pytest.raises(UnknownVersionError, match=r"\(without quotes, 1\.30 is the number 1\.3: quote it\)"):
        profile.named("1.3")


@pytest.mark.parametrize("version", [1.3, 1, None])
def test_a_version_that_is_not_a_string_is_refused(version: object) -> None:
    with pytest.raises(UnknownVersionError, match="is a number: quote it"):
        profile.named(version)


def test_a_version_between_known_ones_names_the_next_one_and_the_features_between() -> None:
    with pytest.raises(profile.UnknownVersionError) as raised:
        profile.named("v1.28.3")

    assert str(raised.value) == (
        f"unknown Kubernetes version 'v1.28.3'; known versions: {profile.list_versions()}; 1.32 is the next one, and 1.28 lacks "
        "these features of it: optionalOldSelf (since 1.30), ratcheting of unchanged values (since 1.30), selectableFields (since 1.31)"
    )


@pytest.mark.parametrize("version", ["1.20", "1.31", "2.99", "1.99"])
def test_a_version_without_features_between_has_no_more_words(version: str) -> None:
    with pytest.raises(profile.UnknownVersionError, match=r"1\.37; preview: 1\.38$"):
        profile.named(version)
