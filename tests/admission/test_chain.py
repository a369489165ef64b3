"""The second round of mutating plugins."""

from __future__ import annotations

import pytest

from pytest_crd.admission.chain import Reinvocation, ReinvokedPlugins


@pytest.mark.parametrize(("current", "is_called"), [({"a": 1}, False), ({"a": 2}, True)])
def test_changes_of_other_plugins_demand_a_call_again(current: dict[str, int], *, is_called: bool) -> None:
    reinvocation, plugins = Reinvocation(), ReinvokedPlugins()
    plugins.begin(reinvocation, {"a": 0})
    plugins.note_call("key")
    plugins.end({"a": 1})
    reinvocation.is_again = True

    plugins.begin(reinvocation, current)

    assert plugins.calls_again("key") is is_called
