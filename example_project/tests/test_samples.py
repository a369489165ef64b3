from pathlib import Path

import pytest

SAMPLES = sorted((Path(__file__).parents[1] / "config" / "samples").glob("*.yaml"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_samples_hold_known_fields_only(crds, sample):
    kind = {"backup": "Backup", "location": "BackupLocation"}[sample.stem]

    assert crds[kind].version("v1").prune(sample.read_text()).paths == ()
