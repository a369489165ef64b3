"""Files of samples by the patterns of `crd_samples`."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_crd.discovery import samplepaths

FILES = ("config/samples/a.yaml", "deploy/b.yaml", "deploy/left.yaml", "deploy/tests/c.yaml")


@pytest.mark.session
@pytest.mark.parametrize(
    ("settings", "names"),
    [
        (("auto",), FILES[:3]),
        (("auto", "!deploy/left.yaml"), FILES[:2]),
        (("deploy/b.yaml", "auto"), ("deploy/b.yaml", "config/samples/a.yaml", "deploy/left.yaml")),
        (("deploy/b.yaml",), ("deploy/b.yaml",)),
        ((), ("config/samples/a.yaml",)),
    ],
)
def test_auto_adds_the_other_files_of_the_project_except_test_data(
    tmp_path: Path, settings: tuple[str, ...], names: tuple[str, ...]
) -> None:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    assert [file.name for file in samplepaths.files(settings, folder=tmp_path)] == [*names]
