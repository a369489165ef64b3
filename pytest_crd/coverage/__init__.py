"""
Coverage: the exercised points of CRD schemas.

Input: requests and the expectations of cases; output: reports. `nodes` and `keywordpoints` list the points of a schema, `meter` and
`look` find the points that a request reaches, and `collector` gathers them. `statements` finds the points that a case holds.
`coretypes` recognizes embedded Kubernetes types, whose points do not count.
`accounts` decides which tests count, `summary` adds up, and `coveragetable`, `reportfiles` and `page` write reports, the last with
a `crdsection` for each CRD.
"""

from pytest_crd.coverage.collector import Collector, points
from pytest_crd.coverage.points import Point

__all__ = ["Collector", "Point", "points"]
