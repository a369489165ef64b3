from pathlib import Path

import pytest

from pytest_crd import engine

hypothesis = pytest.importorskip("hypothesis", reason="pip install 'pytest-crd[hypothesis]'")
strategies = pytest.importorskip("pytest_crd.strategies")

CRDS = engine.load(Path(__file__).parents[1] / "config/crd/bases")
BACKUPS = CRDS["Backup"].version("v1")


@hypothesis.settings(deadline=None, max_examples=20)
@hypothesis.given(strategies.resources(BACKUPS))
def test_any_backup_stays_as_it_is_stored(resource):
    stored = BACKUPS.create(resource).stored

    assert BACKUPS.update(stored, old=stored).stored == stored
