"""Recognition of suites in the format of openshift/api."""

from __future__ import annotations

from pytest_crd.cases.sections import Section
from pytest_crd.engine.jsonvalue import JSONValue


def is_suite(value: JSONValue) -> bool:
    """Return whether a document is a suite, and not a case file."""
    if not isinstance(value, dict) or any(section in value for section in Section):
        return False
    return "crdName" in value or ("tests" in value and isinstance(value["tests"], dict))
