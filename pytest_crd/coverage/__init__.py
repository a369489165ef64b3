"""
Coverage: what of the schemas of CRDs is exercised.

Requests and what cases state of them come in, reports go out. `nodes` and `keywords` give a schema's points, `meter` and `look` say which of
them a request reaches, `collector` gathers that, `statements` and `recognition` what cases say of it; `accounts` decides whose requests
count, `summary` adds up, and `table`, `files` and `page` tell, the last with `pageparts` and a `crdsection` for each CRD.
"""

from pytest_crd.coverage.collector import Collector, points
from pytest_crd.coverage.points import Point

__all__ = ["Collector", "Point", "points"]
