"""Manifests: YAML and JSON as the server and kubectl read them."""
