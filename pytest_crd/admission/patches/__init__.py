"""Patches of admitted objects: JSON patches of webhooks and policies, apply configurations, and the values in them."""
