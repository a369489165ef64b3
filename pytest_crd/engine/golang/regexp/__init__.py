"""Patterns as Go's regexp reads them."""
