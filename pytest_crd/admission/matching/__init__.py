"""Matching of requests: rules, selectors and match policies, match conditions, and their validation in configurations."""
