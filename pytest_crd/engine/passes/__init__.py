"""Passes over a resource: pruning, dropping nulls, defaulting, and coercion of metadata."""
