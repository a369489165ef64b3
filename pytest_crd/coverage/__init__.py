"""What of the schemas of CRDs is exercised: their points, what requests reach, and reports of what they miss."""

from pytest_crd.coverage.collector import Collector, points
from pytest_crd.coverage.points import Point

__all__ = ["Collector", "Point", "points"]
