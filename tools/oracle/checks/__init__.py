"""Checks of the recordings."""
