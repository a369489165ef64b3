"""
Environments for the compilation of CRD rules.

New rules may only use libraries of the previous Kubernetes version, so that a server can be rolled back. Stored rules
may use all libraries.

Reference:
    apiserver pkg/cel/environment/environment.go, NewExpressions and StoredExpressions.
"""

from __future__ import annotations

import functools

from pytest_crd.engine.cel import kubernetes
from pytest_crd.engine.cel.dialect import Libraries
from pytest_crd.engine.cel.environment import Environment
from pytest_crd.engine.profile import Profile
from pytest_crd.engine.rules import namedformats


@functools.cache
def new(profile: Profile) -> Environment:
    """Return the environment of new expressions."""
    return _environment(profile.libraries_before, profile)


@functools.cache
def stored(profile: Profile) -> Environment:
    """Return the environment of stored expressions."""
    return _environment(profile.libraries, profile)


def _environment(libraries: Libraries, profile: Profile) -> Environment:
    return kubernetes.environment(libraries, profile.cel, profile.go, namedformats.library(profile))
