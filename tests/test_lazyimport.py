"""Imports at the first use of a name."""

from __future__ import annotations

import sys

import pytest

from pytest_crd import lazyimport

UNUSED = "wsgiref.headers"


def test_a_module_is_imported_by_the_first_use_of_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, UNUSED, raising=False)

    headers = lazyimport.module(UNUSED)

    assert UNUSED not in sys.modules
    assert headers.Headers is sys.modules[UNUSED].Headers


def test_a_missing_module_is_an_error_of_the_first_use() -> None:
    missing = lazyimport.module("pytest_crd.missing")

    with pytest.raises(ModuleNotFoundError, match="missing"):
        missing.name  # noqa: B018 - the use


def test_a_name_is_looked_up_once() -> None:
    module = lazyimport.module("pytest_crd.wording")

    module.counted  # noqa: B018 - the use
    assert "counted" in vars(module)
