"""Structural schemas (KEP-2335)."""
