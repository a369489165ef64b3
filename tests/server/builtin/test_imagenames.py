"""Names of container images."""

from __future__ import annotations

import pytest

from pytest_crd.server.builtin import imagenames

DIGEST = f"sha256:{'a' * 64}"


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("cook", True),
        ("cook:latest", True),
        ("cook:1", False),
        (f"cook@{DIGEST}", False),
        (f"cook:latest@{DIGEST}", True),
        (f"cook@sha256:{'a' * 32}", False),
        (f"cook@sha256:{'A' * 64}", False),
        ("a.example.com:5000/b", True),
        ("localhost/b", True),
        ("docker.io/b", True),
        ("Upper/b", True),
        ("a/b", True),
        ("Cook", False),
        ("", False),
        ("a" * 64, False),
        ("b" * 300, False),
    ],
)
def test_images_without_a_tag_have_the_tag_latest(image: str, *, expected: bool) -> None:
    assert imagenames.is_latest(image) is expected
