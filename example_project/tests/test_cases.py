import pytest


@pytest.mark.crd_cases("cases/*.yaml")
def test_location(crd_case):
    crd_case.check()
