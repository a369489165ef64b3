"""Requests for custom resources."""
