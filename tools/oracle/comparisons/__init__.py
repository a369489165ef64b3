"""Comparisons of a server and the engine on real inputs and published tables."""
