"""Inputs out of a seed, or out of what real projects ship."""
