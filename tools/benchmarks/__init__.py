"""Benchmarks: times as ratios to a peer that is measured in the same run. `python -m benchmarks` lists them."""
