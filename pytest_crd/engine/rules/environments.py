"""
The environments in which the rules of CRDs are compiled.

What is new may use only what the Kubernetes version before knew too, so that a server can be rolled back; what is stored already
may use everything.

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
    """Return the environment of expressions that were not there before."""
    return _environment(profile.libraries_before, profile)


@functools.cache
def stored(profile: Profile) -> Environment:
    """Return the environment of expressions that are stored."""
    return _environment(profile.libraries, profile)


def _environment(libraries: Libraries, profile: Profile) -> Environment:
    return kubernetes.environment(libraries, profile.cel, profile.go, namedformats.library(profile))
